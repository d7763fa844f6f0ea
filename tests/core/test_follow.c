/* test_follow.c - algebraic unknowns stay on their branch, and a run ends where it ends. */
#include "model_run.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct way {
    const char *method;
    double step;
};
static const struct way ways[] = {{"dop853", 0}, {"taylor", 0},    {"radau", 0},  {"bs32", 0},
                                  {"rk4", 1e-2}, {"gauss8", 1e-2}, {"bdf2", 1e-2}};
enum { WAYS = sizeof ways / sizeof *ways };

static keel_options options_of(const struct way *w, double rtol) {
    return (keel_options){.method = w->method, .step = w->step, .rtol = w->step > 0 ? 0 : rtol};
}

/* Each ends at a fold, or where branches cross, at a known time; `before` is y a thousandth earlier. */
struct end {
    const char *what, *text, *unknown;
    double t, before;
};
static const struct end ends[] = {
    {"cubic", "var x, y\nx' = 1\ny^3 - y = x\ninit x = -2\nguess y = -1.5\nrun 0 .. 9\n", "y",
     2.38490017945975, -0.6012},
    {"cubic of time alone", "var y\ny^3 - 3*y = t\nguess y = -1.7\nrun 0 .. 9\n", "y", 2, -1.018},
    {"circle", "var x, y\nx' = y\nx^2 + y^2 = 1\ninit x = 0\nguess y = 1\nrun 0 .. 9\n", "y", 1.5707963267949,
     1e-3},
    {"exponential", "var x, y\nx' = -1\nexp(y) - 3*y = x\ninit x = 4\nguess y = -1.3\nrun 0 .. 9\n", "y",
     4.29583686600433, 1.0724},
    {"two unknowns",
     "var x, y, z\nx' = 1\ny*z = x\ny + z = 4\ninit x = 1\nguess y = 0.3, z = 3.7\nrun 0 .. 9\n", "y", 3,
     1.968},
    {"a rate", "var x\nx'^2 + x = 1\ninit x = 0\nguess x' = 1\noutput r = x'\nrun 0 .. 9\n", "r", 2, 5e-4},
    {"branches that cross", "var x, y\nx' = 1\ny*(y - x) = 0\ninit x = -1\nguess y = 0.01\nrun 0 .. 9\n", "y",
     1, 0},
    {"a fork", "var x, y\nx' = 1\ny^3 - x*y = 0\ninit x = -1.5\nguess y = 0.01\nrun 0 .. 9\n", "y", 1.5, 0},
};

static void runs_end_where_their_branch_ends(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const struct end *c = &ends[k];
        for (int i = 0; i < WAYS; i++) {
            if (!strstr(c->text, "var x") && (i == 1 || i == 6)) continue; /* they need a state */
            keel_model *m = keel_model_read("test.keel", c->text, strlen(c->text), NULL);
            keel_options o = options_of(&ways[i], 1e-9);
            keel_sim *s = keel_sim_open(m, &o);
            double slack = ways[i].step > 0 ? 1.5 * ways[i].step : 1e-4; /* the root of rtol */
            keel_status status = keel_sim_run(
                s, ways[i].step > 0 ? ways[i].step * floor(c->t / ways[i].step - 1) : c->t - 1e-3);
            if (status != KEEL_OK)
                fail_msg("%s, %s, before its end: %s", c->what, ways[i].method, keel_sim_message(s));
            double y = value_of(s, c->unknown);
            if (ways[i].step == 0 && fabs(y - c->before) > 1e-3)
                fail_msg("%s, %s: %g instead of %g", c->what, ways[i].method, y, c->before);
            while ((status = keel_sim_run(s, 6)) > 0) {}
            if (status != KEEL_ESINGULAR && status != KEEL_ENEWTON)
                fail_msg("%s, %s: %d at %g: %s", c->what, ways[i].method, status,
                         keel_time(keel_sim_solver(s)), keel_sim_message(s));
            if (fabs(keel_time(keel_sim_solver(s)) - c->t) > slack)
                fail_msg("%s, %s: ends at %.9g instead of %.9g", c->what, ways[i].method,
                         keel_time(keel_sim_solver(s)), c->t);
            if (!strstr(keel_sim_message(s), "cannot be followed"))
                fail_msg("%s, %s: %s", c->what, ways[i].method, keel_sim_message(s));
            keel_sim_close(s);
            keel_model_close(m);
        }
    }
}

/* (y - r1)(y - r2)... = 0: roots that move together, breathe, and never meet. */
struct roots {
    int count;
    double reach, rate, phase, gap, breath, breath_rate;
};

static double root_at(const struct roots *r, int i, double x) {
    return r->reach * sin(r->rate * x + r->phase) + i * r->gap +
           (i % 2 ? -1 : 1) * r->breath * sin(r->breath_rate * x);
}

static double random_in(unsigned long *seed, double low, double high) {
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    return low + (high - low) * (double)(*seed >> 33) / 2147483648.0;
}

static void write_roots(const struct roots *r, int mine, char *text, size_t size) {
    int at = snprintf(text, size, "var x, y, z\nx' = 1\nz' = y - z\n");
    for (int i = 0; i < r->count; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "%s(y - (%.17g*sin(%.17g*x + %.17g) + %.17g + %.17g*sin(%.17g*x)))", i ? "*" : "",
                       r->reach, r->rate, r->phase, i * r->gap, (i % 2 ? -1 : 1) * r->breath, r->breath_rate);
    snprintf(text + at, size - (size_t)at, " = 0\ninit x = 0, z = 0\nguess y = %.17g\nrun 0 .. 4\n",
             root_at(r, mine, 0));
}

static void a_branch_is_followed_among_others(void **state) {
    (void)state;
    static const double gaps[] = {1, 0.3, 0.1, 0.03};
    unsigned long seed = 15;
    char text[1000];
    for (int k = 0; k < 42; k++) {
        const struct way *w = &ways[k % WAYS];
        double gap = gaps[k % 4];
        struct roots r = {.count = 2 + k % 3,
                          .gap = gap,
                          .reach = random_in(&seed, 0.2, 3),
                          .rate = random_in(&seed, 0.3, 4),
                          .phase = random_in(&seed, 0, 6),
                          .breath = random_in(&seed, 0, 0.45) * gap,
                          .breath_rate = random_in(&seed, 0.5, 5)};
        int mine = k % r.count;
        write_roots(&r, mine, text, sizeof text);
        keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
        keel_options o = options_of(w, 1e-6);
        keel_sim *s = keel_sim_open(m, &o);
        for (double t = 0.25; t <= 4; t += 0.25) {
            if (keel_sim_run(s, t) != KEEL_OK) fail_msg("%d, %s: %s", k, w->method, keel_sim_message(s));
            double y = value_of(s, "y"), off = fabs(y - root_at(&r, mine, t));
            if (!(off < 1e-6)) fail_msg("%d, %s: %g off at t = %g:\n%s", k, w->method, off, t, text);
        }
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* What is fast but smooth, or jumps at a switch, is no leap. */
static void what_is_no_leap_is_no_alarm(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x, y\nx' = 1\ny + 0.1*y^3 = tanh(200*(x - 1))\ninit x = 0\nguess y = 0\nrun 0 .. 2\n",
        "var x, y\nx' = 1\ny^3 + y = if(x > 1, 10, -2)\ninit x = 0\nguess y = 0\nrun 0 .. 2\n",
        "var x, y\nx' = -y\ny^3 + y = sign(x - 0.5) + x\ninit x = 1\nguess y = 0\nrun 0 .. 0.3\n",
        "var x, y\nx' = 1\ny^2 = (x - 1)^2 + 1e-6\ninit x = 0\nguess y = 1\nrun 0 .. 2\n",
        "var x, y\nx' = -1000*(x - cos(t))\ny + sin(y)/2 = 3*x\ninit x = 0\nguess y = 0\nrun 0 .. 1\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int i = 0; i < WAYS; i++) {
            keel_model *m = keel_model_read("test.keel", texts[k], strlen(texts[k]), NULL);
            keel_options o = options_of(&ways[i], 1e-6);
            if (k == 4 && o.step > 0) o.step = 1e-3;
            keel_sim *s = keel_sim_open(m, &o);
            keel_status status;
            double t_end = k == 2 ? 0.3 : k == 4 ? 1 : 2;
            while ((status = keel_sim_run(s, t_end)) > 0) {}
            if (status != KEEL_OK) fail_msg("%zu, %s: %s", k, ways[i].method, keel_sim_message(s));
            if (k == 3 && fabs(value_of(s, "y") - sqrt(1 + 1e-6)) > 1e-6)
                fail_msg("%zu, %s: y = %g", k, ways[i].method, value_of(s, "y"));
            keel_sim_close(s);
            keel_model_close(m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_end_where_their_branch_ends),
        cmocka_unit_test(a_branch_is_followed_among_others),
        cmocka_unit_test(what_is_no_leap_is_no_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
