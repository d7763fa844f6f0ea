/* test_automatic.c - options.method "auto": a stiff method while the motion is stiff, and only then; the same
 * bits however the run is cut, saved or copied; nothing that was held, counted or met is lost at a change. */
#include "testing.h"

#include <keel/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fast part that is on between t = 20 and 40 and follows sin 3t; a circle, whose radius is kept. */
static int pulse(double t, const double *u, double *f, void *user) {
    double k = *(const double *)user * (1 + tanh(20 * (t - 20))) * (1 - tanh(20 * (t - 40))) / 4;
    f[0] = 3 * cos(3 * t) - k * (u[0] - sin(3 * t));
    f[1] = -u[2];
    f[2] = u[1];
    return 0;
}

static int radius(double t, const double *u, double *r, void *user) {
    (void)t, (void)user;
    r[0] = u[1] * u[1] + u[2] * u[2];
    return 0;
}

static int crossing(double t, const double *u, double *g, void *user) {
    (void)t, (void)user;
    g[0] = u[1];
    return 0;
}

static double fast = 1e4;
static const double start[] = {0, 1, 0};
static const unsigned char recorded[] = {1};

static keel_problem pulsed(void) {
    return (keel_problem){.form = KEEL_ODE,
                          .name = "pulse",
                          .n = 3,
                          .u0 = start,
                          .user = &fast,
                          .f = {.count = 3, .value = pulse},
                          .invariant = {.count = 1, .value = radius},
                          .event = {.count = 1, .value = crossing},
                          .event_kind = recorded};
}

static const keel_options automatic = {.method = "auto"};
static const double end = 200;

static void same_state(const keel_solver *a, const keel_solver *b) {
    assert_true(keel_time(a) == keel_time(b));
    assert_memory_equal(keel_state(a), keel_state(b), 3 * sizeof(double));
    assert_int_equal(keel_statistics(a).steps, keel_statistics(b).steps);
}

static keel_solver *whole_run(const keel_problem *p) {
    keel_solver *s = keel_open(p, &automatic);
    assert_int_equal(keel_run(s, end), KEEL_OK);
    return s;
}

static void there_and_back(void **state) {
    (void)state;
    keel_problem p = pulsed();
    keel_solver *s = whole_run(&p), *plain = keel_open(&p, &(keel_options){.method = "dop853"});
    keel_change there, back;
    keel_row row;
    assert_int_equal(keel_changes(s), 2);
    assert_true(keel_change_at(s, 0, &there) && keel_change_at(s, 1, &back));
    assert_false(keel_change_at(s, 2, &back) || keel_change_at(s, -1, &back));
    assert_string_equal(there.method, "radau");
    assert_string_equal(back.method, "dop853");
    assert_true(there.t > 19 && there.t < 21 && back.t > 39 && back.t < 100);
    assert_true(fabs(keel_state(s)[0] - sin(3 * end)) < 1e-4);
    assert_int_equal(keel_run(plain, end), KEEL_OK);
    assert_true(keel_statistics(s).steps < keel_statistics(plain).steps / 10);
    /* the radius is held at its first value, to round-off, through both changes */
    assert_true(keel_row_at(s, 0, &row));
    assert_true(row.start == 1 && row.units <= 4 && row.treatment == KEEL_ROW_KEPT);
    /* cos has a zero in every half turn, and none is lost */
    assert_int_equal(keel_statistics(s).events, (long)floor(end / M_PI + 0.5));
    keel_close(s);
    keel_close(plain);
}

/* Single steps, calls of any length, and a copy from every state between. */
static void same_bits_however_cut(void **state) {
    (void)state;
    keel_problem p = pulsed();
    keel_solver *s = whole_run(&p), *single = keel_open(&p, &automatic), *cut = keel_open(&p, &automatic);
    double u[3];
    while (keel_time(single) != end) assert_int_equal(keel_step(single, end), KEEL_OK);
    same_state(s, single);
    for (double t = 0; keel_time(cut) != end; t += 1.7) {
        assert_int_equal(keel_advance(cut, t, end), KEEL_OK);
        assert_int_equal(keel_eval(cut, 0.5 * (keel_time(cut) + keel_time_before(cut)), u), KEEL_OK);
    }
    same_state(s, cut);
    keel_close(s);
    keel_close(single);
    keel_close(cut);
}

static void same_bits_from_saved_states(void **state) {
    (void)state;
    keel_problem p = pulsed();
    keel_solver *s = whole_run(&p), *at = keel_open(&p, &automatic);
    for (int k = 0; keel_time(at) != end; k++) {
        assert_int_equal(keel_step(at, end), KEEL_OK);
        if (k % 97 && !(keel_time(at) > 19.7 && keel_time(at) < 20.3 && k % 5 == 0)) continue;
        size_t size = keel_save(at, NULL, 0);
        void *bytes = malloc(size);
        assert_int_equal(keel_save(at, bytes, size), size);
        keel_solver *loaded = keel_load(&p, &automatic, bytes, size), *copy = keel_fork(at);
        assert_int_equal(keel_run(loaded, end), KEEL_OK);
        assert_int_equal(keel_run(copy, end), KEEL_OK);
        same_state(s, loaded);
        same_state(s, copy);
        assert_int_equal(keel_changes(loaded), keel_changes(s));
        keel_close(loaded);
        keel_close(copy);
        free(bytes);
    }
    keel_close(at);
    keel_close(s);
}

/* x' = cos t - k y, 0 = y + y^3 - (x - sin t), on between t = 20 and 40: y is solved for at every step. */
static int through_y(double t, const double *u, double *f, void *user) {
    double k = *(const double *)user * (1 + tanh(20 * (t - 20))) * (1 - tanh(20 * (t - 40))) / 4;
    f[0] = cos(t) - k * u[1];
    return 0;
}

static int the_y(double t, const double *u, double *g, void *user) {
    (void)user;
    g[0] = u[1] + u[1] * u[1] * u[1] - (u[0] - sin(t));
    return 0;
}

static void algebraic_variables_go_on(void **state) {
    (void)state;
    static const double u0[] = {0, 0};
    keel_problem p = {.form = KEEL_DAE,
                      .n = 1,
                      .m = 1,
                      .u0 = u0,
                      .user = &fast,
                      .f = {.count = 1, .value = through_y},
                      .algebraic = {.count = 1, .value = the_y}};
    keel_solver *s = whole_run(&p), *single = keel_open(&p, &automatic);
    assert_int_equal(keel_changes(s), 2);
    assert_true(fabs(keel_state(s)[0] - sin(end)) < 1e-4 && fabs(keel_state(s)[1]) < 1e-4);
    while (keel_time(single) != end) assert_int_equal(keel_step(single, end), KEEL_OK);
    assert_memory_equal(keel_state(s), keel_state(single), 2 * sizeof(double));
    keel_close(s);
    keel_close(single);
}

/* The same of a model, in whose second mode the motion is stiff. */
static const char modes[] = "model modes\nvar x\nparam k = 1e4\n"
                            "mode free:\n  x' = cos(t)\n  event on: t - 20 rising -> mode held\n"
                            "mode held:\n  x' = cos(t) - k*(x - sin(t))\n"
                            "  event off: t - 60 rising -> mode free\n"
                            "start free\ninit x = 0\nrun 0 .. 400\n";

static void same_bits_through_modes(void **state) {
    (void)state;
    keel_model *m = keel_model_read("modes", modes, strlen(modes), &(keel_model_options){.interpret = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    keel_sim *s = keel_sim_open(m, &automatic), *at = keel_sim_open(m, &automatic);
    assert_int_equal(keel_sim_run(s, 400), KEEL_OK);
    assert_true(keel_changes(keel_sim_solver(s)) >= 1);
    for (int k = 0; keel_time(keel_sim_solver(at)) != 400; k++) {
        assert_int_equal(keel_sim_step(at, 400), KEEL_OK);
        if (k % 23) continue;
        size_t size = keel_sim_save(at, NULL, 0);
        void *bytes = malloc(size);
        assert_int_equal(keel_sim_save(at, bytes, size), size);
        keel_sim *loaded = keel_sim_load(m, &automatic, bytes, size);
        assert_int_equal(keel_sim_run(loaded, 400), KEEL_OK);
        assert_true(keel_state(keel_sim_solver(s))[0] == keel_state(keel_sim_solver(loaded))[0]);
        assert_int_equal(keel_changes(keel_sim_solver(s)), keel_changes(keel_sim_solver(loaded)));
        keel_sim_close(loaded);
        free(bytes);
    }
    keel_sim_close(at);
    keel_sim_close(s);
    keel_model_close(m);
}

/* n fast parts with the eigenvalues -a +- b i that follow slow ones; n even. */
struct swing {
    int n;
    double a, b;
};

static int swinging(double t, const double *u, double *f, void *user) {
    const struct swing *w = user;
    for (int i = 0; i < w->n; i += 2) {
        double x = u[i] - sin(t), y = u[i + 1];
        f[i] = -w->a * x - w->b * y + cos(t);
        f[i + 1] = w->b * x - w->a * y;
    }
    return 0;
}

static void method_for(struct swing w, const char *expected) {
    double u0[40] = {0};
    keel_problem p = {
        .form = KEEL_ODE, .n = w.n, .u0 = u0, .user = &w, .f = {.count = w.n, .value = swinging}};
    keel_solver *s = keel_open(&p, &automatic);
    keel_change first = {0};
    assert_int_equal(keel_run(s, 20), KEEL_OK);
    assert_true(keel_change_at(s, 0, &first));
    if (strcmp(first.method, expected) != 0) fail_msg("%d, %g, %g: %s", w.n, w.a, w.b, first.method);
    assert_true(fabs(keel_state(s)[0] - sin(20)) < 1e-4);
    keel_close(s);
}

static void which_method(void **state) {
    (void)state;
    method_for((struct swing){4, 1e4, 0}, "radau");
    method_for((struct swing){40, 1e4, 0}, "bdf");
    method_for((struct swing){40, 3e3, 1e4}, "radau");
    method_for((struct swing){4, 20, 1e4}, "radau"); /* hardly damped, and gone for all that */
    method_for((struct swing){40, 20, 1e4}, "radau");
}

/* Not where nothing is stiff, where an energy is kept, or where nobody asked. */
static int spring(double t, const double *u, double *f, void *user) {
    (void)t, (void)user;
    f[0] = u[1];
    f[1] = -1e8 * u[0];
    return 0;
}

static int spring_energy(double t, const double *u, double *h, void *user) {
    (void)t, (void)user;
    h[0] = u[1] * u[1] / 2 + 1e8 * u[0] * u[0] / 2;
    return 0;
}

static void others_are_left_alone(void **state) {
    (void)state;
    double u0[4] = {0, 0, 0, 0}, v0[] = {0, 1};
    struct swing mild = {4, 2, 0}, undamped = {4, 0, 1e4};
    keel_problem mildly = {
        .form = KEEL_ODE, .n = 4, .u0 = u0, .user = &mild, .f = {.count = 4, .value = swinging}};
    keel_problem goes_on = mildly;
    goes_on.user = &undamped;
    keel_problem swings = {.form = KEEL_ODE,
                           .n = 2,
                           .u0 = v0,
                           .f = {.count = 2, .value = spring},
                           .energy = {.count = 1, .value = spring_energy}};
    keel_problem named = pulsed();
    const struct {
        const keel_problem *p;
        const char *method;
        double end;
    } cases[] = {{&mildly, "auto", 50},
                 {&goes_on, "auto", 2},
                 {&swings, "auto", 1e-3},
                 {&named, "dop853", 21},
                 {&named, NULL, 21}};
    for (int k = 0; k < 5; k++) {
        keel_solver *s = keel_open(cases[k].p, &(keel_options){.method = cases[k].method});
        assert_int_equal(keel_run(s, cases[k].end), KEEL_OK);
        assert_int_equal(keel_changes(s), 0);
        keel_close(s);
    }
}

/* A fixed step has no choice. */
static void fixed_steps_are_fixed(void **state) {
    (void)state;
    keel_problem p = pulsed();
    keel_solver *s = keel_open(&p, &(keel_options){.method = "auto", .step = 0.01});
    assert_int_equal(keel_run(s, 1), KEEL_OK);
    assert_int_equal(keel_statistics(s).steps, 100);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(same_bits_however_cut),
                                       cmocka_unit_test(same_bits_from_saved_states),
                                       cmocka_unit_test(same_bits_through_modes),
                                       cmocka_unit_test(algebraic_variables_go_on),
                                       cmocka_unit_test(which_method),
                                       cmocka_unit_test(others_are_left_alone),
                                       cmocka_unit_test(fixed_steps_are_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
