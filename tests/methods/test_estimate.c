/* test_estimate.c - adaptive Radau where its classical order is not there: what turns on, what is stiff, and
 * what lies between the nodes.  A smaller tolerance gives a smaller error. */
#include "model_run.h"

#include <keel/method.h>

enum { PLACES = 500, COLUMNS = 4 };

static const char *const turning_on[] = {
    "model coil_and_diode\nparam d = 10\nvar u, i\nu' = i - u\n"
    "0.01*i' = sin(5*t) - u - 0.02*i - 0.05*(exp(d*(i - 0.3)) - exp(-0.3*d))\n"
    "init u = 0, i = 0\nrun 0 .. 3\n",
    "model coil_and_sharp_diode\nparam d = 60\nvar u, i\nu' = i - u\n"
    "0.02*i' = sin(4*t) - u - 0.02*i - 0.03*(exp(d*(i - 0.3)) - exp(-0.3*d))\n"
    "init u = 0, i = 0\nrun 0 .. 3\n",
    "model clipper\nparam Is = 1e-9, vt = 0.026, C = 1e-7\nvar u\n"
    "C*u' = (2*sin(2000*t) - u)/1000 - 2*Is*sinh(u/vt)\ninit u = 0\nrun 0 .. 0.005\n",
    "model rectifier\nparam Is = 1e-12, vt = 0.025, R = 1e4, C = 1e-6\nvar u, q\n"
    "u' = (Is*(exp((10*sin(100*t) - u - q)/vt) - 1) - u/R)/C\n"
    "q' = (Is*(exp((10*sin(100*t) - u - q)/vt) - 1) - q/100)/1e-7\ninit u = 0, q = 0\nrun 0 .. 0.05\n",
    "model bridge\nparam Is = 1e-8, vt = 0.05, R = 50, C = 1e-3\nvar u\n"
    "u' = (Is*(exp((3*sin(100*t) - u)/vt/2) + exp((-3*sin(100*t) - u)/vt/2) - 2) - u/R)/C\n"
    "init u = 1\nrun 0 .. 0.1\n",
    "model switch\nparam k = 200\nvar x, y\nx' = -50*(x - tanh(k*(t - 1.2)) - tanh(k*(t - 2.1)))\n"
    "y' = x - y\ninit x = -2, y = 0\nrun 0 .. 3\n",
    "model steep_switch\nparam k = 2000\nvar x, y\nx' = -50*(x - tanh(k*(t - 1.2)) - tanh(k*(t - 2.1)))\n"
    "y' = x - y\ninit x = -2, y = 0\nrun 0 .. 3\n",
    "model stiff_switch\nvar x, y\nx' = -1e4*(x - tanh(200*sin(3*t)))\ny' = x - y\n"
    "init x = 0, y = 0\nrun 0 .. 3\n",
    "model squared_switch\nvar x, y\nx' = -1e5*(x - tanh(100*sin(2*t)))\ny' = x^2 - y\n"
    "init x = 0, y = 0\nrun 0 .. 5\n",
};
enum { TURNING_ON = sizeof turning_on / sizeof *turning_on };

static double place(double end, int k) {
    return end * (k + 0.37) / PLACES;
}

/* All columns between the steps, wherever these are; trusted: by steps that end there. */
static void sample(const keel_model *m, double end, keel_options o, int trusted,
                   double value[PLACES][COLUMNS]) {
    keel_sim *s = keel_sim_open(m, &o);
    for (int k = 0; k < PLACES;) {
        keel_status status = trusted ? keel_sim_run(s, place(end, k)) : keel_sim_step(s, end);
        if (status < 0) fail_msg("%s", keel_sim_message(s));
        for (; k < PLACES && place(end, k) <= keel_time(keel_sim_solver(s)); k++)
            assert_int_equal(keel_sim_values_at(s, place(end, k), value[k]), KEEL_OK);
    }
    keel_sim_close(s);
}

/* The largest difference, in terms of the largest value of its column. */
static double difference(int columns, double a[PLACES][COLUMNS], double b[PLACES][COLUMNS]) {
    double worst = 0;
    for (int c = 0; c < columns; c++) {
        double size = 0, off = 0;
        for (int k = 0; k < PLACES; k++) {
            size = fmax(size, fabs(b[k][c]));
            off = fmax(off, fabs(a[k][c] - b[k][c]));
        }
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* It was 2.8e-5, 9.2e-5 and 1.9e-4 at 1e-6, 1e-7 and 1e-8.  Between the nodes seven stages have the
 * tolerance to the power 8/14. */
static void a_smaller_tolerance_gives_a_smaller_error(void **state) {
    (void)state;
    static const char *const method[] = {"radau", "radau5"};
    static double trusted[PLACES][COLUMNS], value[PLACES][COLUMNS];
    for (int k = 0; k < TURNING_ON; k++) {
        keel_model *m = model_of(turning_on[k]);
        keel_sim *s = keel_sim_open(m, NULL);
        int columns = keel_sim_columns(s);
        assert_true(columns <= COLUMNS);
        keel_sim_close(s);
        double end = strtod(strstr(turning_on[k], "run 0 .. ") + 9, NULL);
        sample(m, end, (keel_options){.method = "radau", .rtol = 1e-13}, 1, trusted);
        for (int i = 0; i < 2; i++) {
            double least = HUGE_VAL;
            for (int digits = 4; digits <= 10; digits++) {
                double rtol = pow(10, -digits);
                sample(m, end, (keel_options){.method = method[i], .rtol = rtol}, 0, value);
                double error = difference(columns, value, trusted);
                if (getenv("KEEL_STIFF")) printf("%d %s %g: %.1e\n", k, method[i], rtol, error);
                if (error > fmax(2 * least, 10 * rtol) || error > 2 * pow(rtol, 4. / 7))
                    fail_msg("%.30s, %s: %g at %g, and %g before", turning_on[k], method[i], error, rtol,
                             least);
                least = fmin(least, error);
            }
        }
        keel_model_close(m);
    }
}

/* Prothero and Robinson: whatever s is, x' = s' - rate (x - s) has the solution s, and so has a diode's law
 * in place of rate (x - s). */
struct follower {
    double rate, sharpness, steepness;
};

static int follow(double t, const double *x, double *out, void *user) {
    const struct follower *p = user;
    double u = p->steepness * sin(t), s = tanh(u), slope = p->steepness * cos(t) / (cosh(u) * cosh(u));
    double off = x[0] - s;
    out[0] = slope - (p->sharpness > 0 ? p->rate * expm1(p->sharpness * off) / p->sharpness : p->rate * off);
    return 0;
}

static double solution(const struct follower *p, double t) {
    return tanh(p->steepness * sin(t));
}

/* Nodes, which are right far beyond the tolerance where the rate is large, and five places in each step. */
static void assert_followed(struct follower p, const char *method, double rtol) {
    double start = 0, before = 0, at_nodes = 0, between = 0;
    keel_problem following = {
        .form = KEEL_ODE, .n = 1, .u0 = &start, .f = {.count = 1, .value = follow}, .user = &p};
    keel_solver *s = keel_open(&following, &(keel_options){.method = method, .rtol = rtol, .atol = rtol});
    while (keel_time(s) < 6) {
        assert_ok(s, keel_step(s, 6));
        double now = keel_time(s), x;
        at_nodes = fmax(at_nodes, fabs(keel_state(s)[0] - solution(&p, now)));
        for (int k = 1; k <= 5; k++) {
            double t = before + (now - before) * k / 6;
            assert_ok(s, keel_eval(s, t, &x));
            between = fmax(between, fabs(x - solution(&p, t)));
        }
        before = now;
    }
    if (getenv("KEEL_STIFF"))
        printf("%g %g %g, %s %g: %.1e %.1e, %ld steps\n", p.rate, p.sharpness, p.steepness, method, rtol,
               at_nodes, between, keel_statistics(s).steps);
    if (!(at_nodes < 15 * rtol && between < 2 * pow(rtol, 4. / 7)))
        fail_msg("rate %g, sharpness %g, steepness %g, %s, %g: %g at the nodes, %g between them", p.rate,
                 p.sharpness, p.steepness, method, rtol, at_nodes, between);
    keel_close(s);
}

static void what_is_stiff_is_followed_between_the_nodes_too(void **state) {
    (void)state;
    static const char *const method[] = {"radau", "radau5"};
    for (int i = 0; i < 2; i++)
        for (double rtol = 1e-4; rtol > 1e-10; rtol /= 100)
            for (int k = 0; k < 3; k++) {
                double steepness = pow(5, k);
                for (double rate = 1e2; rate < 1e9; rate *= 100)
                    assert_followed((struct follower){rate, 0, steepness}, method[i], rtol);
                for (double rate = 10; rate < 1e4; rate *= 10)
                    assert_followed((struct follower){rate, 20, steepness}, method[i], rtol);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smaller_tolerance_gives_a_smaller_error),
        cmocka_unit_test(what_is_stiff_is_followed_between_the_nodes_too),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
