/* test_lengths.c - no derivative given: differences must not depend on where the origin is, how far a crank
 * has turned, how small the problem is, or when a constraint begins to move. */
#include "testing.h"

static int push(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 1;
    out[1] = out[2] = 0;
    return 0;
}

/* A slider crank, q = (theta, phi, x), driven round and round. */
static int crank(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = cos(u[0]) + 3 * cos(u[1]) - u[2];
    out[1] = sin(u[0]) + 3 * sin(u[1]);
    return 0;
}

static void a_crank_turns_as_far_as_it_likes(void **state) {
    (void)state;
    const double u0[6] = {0, 0, 4, 1, -1. / 3, 0};
    keel_problem p = {.form = KEEL_MECHANICS, .n = 6, .u0 = u0, .f = {3, push}, .constraint = {2, crank}};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-6, .max_steps = 20000});
    assert_ok(s, keel_run(s, 60));
    const double *u = keel_state(s);
    assert_true(u[0] > 200);
    assert_below(fabs(sin(u[0]) + 3 * sin(u[1])), 1e-12);
    assert_below(fabs(cos(u[0]) * u[3] + 3 * cos(u[1]) * u[4]), 1e-10 * u[3]);
    keel_close(s);
}

/* A skate on ice: the same glide wherever the origin is. */
static int ice(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 1;
    out[1] = out[2] = 0;
    return 0;
}
static int blade(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[3] * sin(u[2]) - u[4] * cos(u[2]);
    return 0;
}

static void a_skate_does_not_know_where_the_origin_is(void **state) {
    (void)state;
    double end[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const double u0[6] = {k * 1e7, 0, 0, 0, 0, 1};
        keel_problem p = {.form = KEEL_MECHANICS, .n = 6, .u0 = u0, .f = {3, ice}, .rolling = {1, blade}};
        keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-9, .max_steps = 500});
        assert_ok(s, keel_run(s, 5));
        end[k] = keel_state(s)[1];
        keel_close(s);
    }
    assert_within(end[1], end[0] - 1e-6, end[0] + 1e-6);
}

/* x = (t - 3)^4 from t = 3 on, and nothing says so before. */
static int late(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] - (t > 3 ? pow(t - 3, 4) : 0);
    return 0;
}
static int spring(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0;
    out[1] = -u[1];
    return 0;
}

static void a_constraint_that_begins_to_move_is_followed(void **state) {
    (void)state;
    const double u0[4] = {0, 1, 0, 0};
    keel_problem p = {.form = KEEL_MECHANICS, .n = 4, .u0 = u0, .f = {2, spring}, .constraint = {1, late}};
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_solver *s =
            keel_open(&p, &(keel_options){.rtol = 1e-8, .step = fixed ? 0.01 : 0, .max_steps = 5000});
        assert_ok(s, keel_run(s, 5));
        assert_within(keel_state(s)[0], 16 - 1e-9, 16 + 1e-9);
        assert_within(keel_state(s)[2], 32 - 1e-6, 32 + 1e-6);
        assert_within(keel_state(s)[1], cos(5) - 1e-6, cos(5) + 1e-6);
        keel_close(s);
    }
}

/* One that is said not to move is not asked whether it has begun to: two values a step less, the same run. */
static int wire(double t, const double *u, double *out, void *user) {
    (void)t;
    ++*(long *)user;
    out[0] = u[0] - 0.5 * u[1];
    return 0;
}

static void an_autonomous_constraint_is_not_differentiated_by_t(void **state) {
    (void)state;
    const double u0[4] = {0.5, 1, 0, 0};
    double end[2] = {0};
    long calls[2] = {0}, steps = 0;
    for (int autonomous = 0; autonomous < 2; autonomous++) {
        keel_problem p = {.form = KEEL_MECHANICS,
                          .n = 4,
                          .u0 = u0,
                          .f = {2, spring},
                          .constraint = {.count = 1, .value = wire, .autonomous = autonomous},
                          .user = &calls[autonomous]};
        keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-8});
        assert_ok(s, keel_run(s, 5));
        end[autonomous] = keel_state(s)[1];
        steps = keel_statistics(s).steps;
        keel_close(s);
    }
    assert_true(end[0] == end[1]);
    assert_true(steps > 5 && calls[0] - calls[1] >= 2 * steps);
}

/* Kepler's orbit a picometre wide. */
static int tiny_orbit(double t, const double *u, double *out, void *user) {
    const double size = *(const double *)user, r = hypot(u[0], u[1]), pull = size * size * size / (r * r * r);
    (void)t;
    out[0] = u[2], out[2] = -pull * u[0];
    out[1] = u[3], out[3] = -pull * u[1];
    return 0;
}
static int tiny_energy(double t, const double *u, double *out, void *user) {
    const double size = *(const double *)user;
    (void)t;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) - size * size * size / hypot(u[0], u[1]);
    return 0;
}

static void a_small_problem_is_solved_as_well_as_a_large_one(void **state) {
    (void)state;
    static double sizes[] = {1, 1e-12};
    for (int k = 0; k < 2; k++) {
        double u0[4] = {0.4 * sizes[k], 0, 0, 2 * sizes[k]};
        keel_problem p = {
            .n = 4, .u0 = u0, .f = {4, tiny_orbit}, .invariant = {1, tiny_energy}, .user = &sizes[k]};
        keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-9});
        assert_ok(s, keel_run(s, 2 * 3.14159265358979323846));
        assert_below(fabs(keel_state(s)[0] / sizes[k] - 0.4), 1e-7);
        assert_below(worst_units(s, NULL), 4);
        keel_close(s);
    }
}

static int root(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -2 * sqrt(u[0]);
    return 0;
}

static void a_state_whose_rate_is_not_finite_is_not_accepted(void **state) {
    (void)state;
    const double u0[1] = {1};
    keel_problem p = {.n = 1, .u0 = u0, .f = {1, root}};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-6});
    assert_true(keel_run(s, 2) < 0);
    assert_true(keel_state(s)[0] >= 0 && keel_time(s) <= 1.001);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crank_turns_as_far_as_it_likes),
        cmocka_unit_test(a_skate_does_not_know_where_the_origin_is),
        cmocka_unit_test(a_constraint_that_begins_to_move_is_followed),
        cmocka_unit_test(an_autonomous_constraint_is_not_differentiated_by_t),
        cmocka_unit_test(a_small_problem_is_solved_as_well_as_a_large_one),
        cmocka_unit_test(a_state_whose_rate_is_not_finite_is_not_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
