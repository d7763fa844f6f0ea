/* test_stop.c - options.stop: a flag ends a run inside a step, the search for a start, and the reading of a
 * model; the solver stands at its last step and goes on. */
#include "testing.h"

#include <keel/model.h>

#include <math.h>
#include <string.h>

enum { END = 2 };

/* A pendulum as x' = f and as H; the flag rises with call number `rise`. */
struct swing {
    int flag;
    long calls, rise;
};

static void count(struct swing *s) {
    if (++s->calls == s->rise) s->flag = 1;
}

static int rate(double t, const double *x, double *out, void *user) {
    (void)t;
    count(user);
    out[0] = x[1];
    out[1] = -sin(x[0]);
    return 0;
}

static int energy(double t, const double *x, double *out, void *user) {
    (void)t;
    count(user);
    out[0] = 0.5 * x[1] * x[1] - cos(x[0]);
    return 0;
}

static int slope(double t, const double *x, double *out, void *user) {
    (void)t;
    count(user);
    out[0] = sin(x[0]);
    out[1] = x[1];
    return 0;
}

static const double start[] = {1, 0.5};

static keel_problem swing_problem(struct swing *s, int hamiltonian) {
    keel_problem p = {.form = hamiltonian ? KEEL_HAMILTONIAN : KEEL_ODE, .n = 2, .u0 = start, .user = s};
    p.energy = (keel_map){.count = 1, .value = energy, .jacobian = slope, .autonomous = 1};
    if (!hamiltonian) p.f = (keel_map){.count = 2, .value = rate, .autonomous = 1};
    return p;
}

/* To the end, however often the flag has to be taken down; how often that was. */
static int run_through(keel_solver *s, struct swing *w) {
    int stops = 0;
    for (;;) {
        double before = keel_time(s);
        keel_status status = keel_run(s, END);
        if (status != KEEL_STOPPED) {
            if (status != KEEL_OK) fail_msg("%s", keel_message(s));
            return stops;
        }
        stops++;
        assert_int_equal(keel_state_of(s), KEEL_OK);
        assert_true(keel_time(s) >= before && keel_time(s) < END);
        assert_true(isfinite(keel_state(s)[0]) && isfinite(keel_state(s)[1]));
        assert_int_equal(keel_step(s, END), KEEL_STOPPED); /* while it is up nothing moves */
        w->flag = 0;
    }
}

/* Every method, stopped at any of its calls: as near to the solution as without. */
static void every_method(void **state) {
    (void)state;
    const keel_method *m;
    int tried = 0;
    for (int i = 0; (m = keel_method_at(i)); i++)
        for (int form = 0; form < 2; form++) {
            struct swing free = {0}, w = {0};
            keel_problem p = swing_problem(&free, form);
            keel_options o = {.method = m->name, .step = 0.01};
            keel_solver *s = keel_open(&p, &o);
            if (keel_state_of(s) < 0) {
                keel_close(s);
                continue;
            }
            long before = free.calls;
            if (keel_run(s, END) != KEEL_OK) { /* not for this problem */
                keel_close(s);
                continue;
            }
            long each = (free.calls - before) / 200 + 1;
            p.user = &w;
            o.stop = &w.flag;
            for (long k = 0; k < 5; k++) { /* five places of a step in the middle of the way */
                keel_solver *equivalent;
                w = (struct swing){0};
                equivalent = keel_open(&p, &o);
                w.rise = w.calls + each * 100 + k * each / 5;
                int stops = run_through(equivalent, &w);
                if (stops > 1) fail_msg("%s: %d stops of one", m->name, stops);
                double off = fabs(keel_state(equivalent)[0] - keel_state(s)[0]);
                if (!(off < (m->order == 1 ? 1e-2 : 1e-4))) fail_msg("%s: off by %.2g", m->name, off);
                tried += stops;
                keel_close(equivalent);
            }
            keel_close(s);
        }
    assert_true(tried > 100);
}

/* The step is left where the flag rises, not at its end: hardly a call comes after it. */
static void inside_a_step(void **state) {
    (void)state;
    static const char *const methods[] = {"gauss8", "radau13", "itoh-abe2", "midpoint"};
    for (int i = 0; i < 4; i++) {
        struct swing w = {0};
        keel_problem p = swing_problem(&w, strcmp(methods[i], "itoh-abe2") == 0);
        keel_options o = {.method = methods[i], .step = 0.5, .stop = &w.flag};
        keel_solver *s = keel_open(&p, &o);
        w.rise = w.calls + 2;
        assert_int_equal(keel_run(s, END), KEEL_STOPPED);
        if (w.calls - w.rise > 3) fail_msg("%s: %ld calls after the flag", methods[i], w.calls - w.rise);
        assert_true(keel_time(s) == 0 && keel_statistics(s).steps == 0);
        keel_close(s);
    }
}

static void same_bits_without(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853", "radau", "rk4"};
    for (int i = 0; i < 3; i++) {
        struct swing w = {0};
        keel_problem p = swing_problem(&w, 0);
        keel_options o = {.method = methods[i], .step = i == 2 ? 0.01 : 0};
        keel_solver *a = keel_open(&p, &o);
        o.stop = &w.flag;
        keel_solver *b = keel_open(&p, &o);
        assert_int_equal(keel_run(a, END), KEEL_OK);
        assert_int_equal(keel_run(b, END), KEEL_OK);
        assert_memory_equal(keel_state(a), keel_state(b), sizeof start);
        keel_close(a);
        keel_close(b);
    }
}

/* Whatever the search for a start made of the failures around it, it is told as what it was. */
static void while_a_start_is_sought(void **state) {
    (void)state;
    struct swing w = {0};
    keel_problem p = swing_problem(&w, 0);
    keel_options o = {.stop = &w.flag};
    keel_close(keel_open(&p, &o));
    long all = w.calls;
    long seen = 0;
    assert_true(all > 20);
    for (long rise = 1; rise < all; rise++) {
        w = (struct swing){.rise = rise};
        keel_solver *s = keel_open(&p, &o);
        if (keel_state_of(s) == KEEL_OK) assert_int_equal(w.calls, all); /* nothing was left out */
        else assert_int_equal(keel_state_of(s), KEEL_ESTOP);
        if (keel_state_of(s) < 0) assert_non_null(strstr(keel_message(s), "options.stop"));
        seen += keel_state_of(s) < 0;
        keel_close(s);
    }
    assert_true(seen > all / 2);
    w = (struct swing){0};
    keel_solver *s = keel_open(&p, &o);
    w.flag = 1;
    assert_int_equal(keel_restart(s, 0, start), KEEL_ESTOP);
    w.flag = 0;
    assert_int_equal(keel_restart(s, 0, start), KEEL_OK);
    assert_int_equal(keel_run(s, END), KEEL_OK);
    keel_close(s);
}

static const char text[] =
    "var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nevent e: x rising -> v := v\nrun 0 .. 5\n";

static void while_a_model_is_read(void **state) {
    (void)state;
    int flag = 1;
    keel_model_options o = {.interpret = 1, .stop = &flag};
    keel_model *m = keel_model_read("m", text, strlen(text), &o);
    assert_int_equal(keel_model_status(m), KEEL_ESTOP);
    assert_non_null(strstr(keel_model_message(m), "stopped"));
    keel_model_close(m);
    flag = 0;
    m = keel_model_read("m", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_model_close(m);
}

static int up;
static void raise_flag(keel_solver *s, void *user) {
    (void)user;
    up = keel_time(s) > 1 && keel_time(s) < 1.2;
}

static void a_simulation_goes_on(void **state) {
    (void)state;
    keel_model_options mo = {.interpret = 1};
    keel_model *m = keel_model_read("m", text, strlen(text), &mo);
    keel_options o = {0};
    keel_sim *whole = keel_sim_open(m, &o);
    assert_int_equal(keel_sim_run(whole, 5), KEEL_OK);
    o.stop = &up;
    o.observe = raise_flag;
    keel_sim *parts = keel_sim_open(m, &o);
    int stops = 0;
    keel_status status;
    while ((status = keel_sim_run(parts, 5)) == KEEL_STOPPED) stops++, up = 0;
    assert_int_equal(status, KEEL_OK);
    assert_true(stops > 0);
    assert_memory_equal(keel_state(keel_sim_solver(whole)), keel_state(keel_sim_solver(parts)),
                        2 * sizeof(double));
    keel_sim_close(whole);
    keel_sim_close(parts);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),          cmocka_unit_test(inside_a_step),
        cmocka_unit_test(same_bits_without),     cmocka_unit_test(while_a_start_is_sought),
        cmocka_unit_test(while_a_model_is_read), cmocka_unit_test(a_simulation_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
