/* test_defect.c - the defect between the steps: what it sees, what it does not mind, and that looking changes
 * nothing. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int spring(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1], out[1] = -u[0];
    return 0;
}

/* Prothero and Robinson: u[0] follows cos(t), at once. */
static int follower(double t, const double *u, double *out, void *user) {
    out[0] = -*(double *)user * (u[0] - cos(t)) - sin(t);
    return 0;
}

static int towards_one(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = -*(double *)user * (u[0] - 1);
    return 0;
}

/* A pulse that the steps can pass over. */
static int pulse(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    double s = (t - 50) / 0.5;
    out[0] = 1, out[1] = exp(-s * s);
    return 0;
}

static const double one[2] = {1, 0}, zero[2] = {0, 0};

static keel_defect defect_of(const keel_problem *p, const char *method, double rtol, double step, double to) {
    keel_options o = {.method = method, .rtol = rtol, .step = step, .defect_every = 1};
    keel_solver *s = keel_open(p, &o);
    assert_int_equal(keel_run(s, to), KEEL_OK);
    keel_defect d = keel_defect_of(s);
    keel_close(s);
    return d;
}

static void good_runs_have_hundreds_of_tolerances(void **state) {
    static const char *const method[] = {"dop853", "dopri5", "bs32", "radau", "radau5", "rkf78"};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = one, .f = {.count = 2, .value = spring}};
    (void)state;
    for (int k = 0; k < 6; k++)
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 100) {
            keel_defect d = defect_of(&p, method[k], rtol, 0, 30);
            assert_true(d.samples > 0 && !d.relative && d.component >= 0 && d.t > 0 && d.t < 30);
            if (d.largest > 1e4) fail_msg("%s at %g: %g", method[k], rtol, d.largest);
        }
}

/* rk4 with its cubic: h (x' - f) is O(h^4). */
static void fixed_steps_show_the_order_of_the_interpolant(void **state) {
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = one, .f = {.count = 2, .value = spring}};
    (void)state;
    keel_defect coarse = defect_of(&p, "rk4", 0, 0.1, 30), fine = defect_of(&p, "rk4", 0, 0.05, 30);
    assert_true(coarse.relative && fine.relative);
    double order = log2(coarse.largest / fine.largest);
    if (!(order > 3.5 && order < 4.5)) fail_msg("order %g", order);
}

static void stiffness_alone_is_no_alarm(void **state) {
    static const char *const method[] = {"radau", "radau5"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double rate = 1e2; rate < 1e9; rate *= 100) {
            double start = 3;
            keel_problem p = {.form = KEEL_ODE,
                              .n = 1,
                              .u0 = &start,
                              .f = {.count = 1, .value = towards_one},
                              .user = &rate};
            keel_defect d = defect_of(&p, method[k], 1e-6, 0, 10);
            if (d.largest > 1e4) fail_msg("%s, rate %g: %g", method[k], rate, d.largest);
        }
}

/* With a fixed step nodes are right to 1e-6, and what lies between them is not; adaptive steps see to it. */
static void an_interpolant_that_is_worse_than_the_nodes_is_told(void **state) {
    static const char *const method[] = {"radau", "radau5"};
    (void)state;
    for (double rate = 1e5; rate < 1e8; rate *= 10) {
        keel_problem p = {
            .form = KEEL_ODE, .n = 1, .u0 = one, .f = {.count = 1, .value = follower}, .user = &rate};
        keel_defect fixed = defect_of(&p, "radau5", 0, 2.5, 10);
        assert_true(fixed.relative && fixed.largest > 0.01);
        for (int k = 0; k < 2; k++) assert_true(defect_of(&p, method[k], 1e-4, 0, 10).largest < 100);
    }
}

static void what_the_steps_pass_over_is_seen_inside_them(void **state) {
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = zero, .f = {.count = 2, .value = pulse}};
    keel_options o = {.rtol = 1e-6};
    (void)state;
    keel_solver *s = keel_open(&p, &o);
    double before = 0, most = 0;
    while (keel_time(s) < 100) {
        assert_int_equal(keel_step(s, 100), KEEL_OK);
        double now = keel_time(s);
        for (int k = 0; k < 400; k++) {
            keel_defect d;
            double t = before + (now - before) * (k + 0.5) / 400;
            if (keel_defect_at(s, t, &d) == KEEL_OK) most = fmax(most, d.largest);
        }
        before = now;
    }
    assert_true(fabs(keel_state(s)[1] - 0.8862) > 0.01 ? most > 1e5 : most < 1e4);
    keel_defect d;
    assert_int_equal(keel_defect_at(s, 500, &d), KEEL_EINVAL);
    assert_int_equal(keel_defect_at(NULL, 0, &d), KEEL_EINVAL);
    keel_close(s);
}

/* Often, seldom, and by hand: the same states and the same counts. */
static void looking_changes_nothing(void **state) {
    static const char *const method[] = {"dop853", "radau", "rk4",  "rkf78",
                                         "gauss4", "ab4",   "bdf2", "leapfrog"};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = one, .f = {.count = 2, .value = spring}};
    (void)state;
    for (int k = 0; k < 8; k++) {
        keel_options o = {.method = method[k], .step = k == 0 || k == 1 || k == 3 ? 0 : 0.05}, often = o;
        often.defect_every = 1;
        keel_solver *a = keel_open(&p, &o), *b = keel_open(&p, &often);
        if (keel_state_of(a) < 0) { /* not for this form */
            keel_close(a);
            keel_close(b);
            continue;
        }
        keel_defect d;
        while (keel_time(a) < 10) {
            assert_int_equal(keel_step(a, 10), keel_step(b, 10));
            keel_defect_at(a, keel_time(a) - 1e-3, &d);
        }
        keel_stats one_of = keel_statistics(a), other = keel_statistics(b);
        assert_memory_equal(keel_state(a), keel_state(b), 2 * sizeof(double));
        assert_memory_equal(&one_of, &other, sizeof other);
        assert_true(keel_defect_of(b).samples > keel_defect_of(a).samples);
        keel_close(a);
        keel_close(b);
    }
}

static void it_is_saved_forked_and_carried_to_other_modes(void **state) {
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = one, .f = {.count = 2, .value = spring}};
    keel_options o = {.defect_every = 2};
    (void)state;
    keel_solver *a = keel_open(&p, &o);
    assert_int_equal(keel_run(a, 20), KEEL_OK);
    keel_defect d = keel_defect_of(a), e;
    size_t size = keel_save(a, NULL, 0);
    void *bytes = malloc(size);
    keel_save(a, bytes, size);
    keel_solver *all[] = {keel_load(&p, &o, bytes, size), keel_fork(a)};
    for (int k = 0; k < 2; k++) {
        e = keel_defect_of(all[k]);
        assert_true(e.largest == d.largest && e.t == d.t && e.samples == d.samples);
        keel_close(all[k]);
    }
    free(bytes);
    assert_int_equal(keel_switch(a, &p, NULL), KEEL_OK);
    e = keel_defect_of(a);
    assert_true(e.largest == d.largest && e.samples == d.samples && e.component == -1);
    keel_close(a);
    o.defect_every = -1;
    a = keel_open(&p, &o);
    assert_int_equal(keel_state_of(a), KEEL_EINVAL);
    keel_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_runs_have_hundreds_of_tolerances),
        cmocka_unit_test(fixed_steps_show_the_order_of_the_interpolant),
        cmocka_unit_test(stiffness_alone_is_no_alarm),
        cmocka_unit_test(an_interpolant_that_is_worse_than_the_nodes_is_told),
        cmocka_unit_test(what_the_steps_pass_over_is_seen_inside_them),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(it_is_saved_forked_and_carried_to_other_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
