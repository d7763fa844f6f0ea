/* test_lie_limits.c - Lie-group methods at x = 0, at f = 0, for one variable, for stiff problems, and where
 * they cannot be used. */
#include "testing.h"
#include "lie.h"
#include "prey.h"

#include <keel/method.h>

/* Rough places ------------------------------------------------------------------------------------------ */

static int growing(double t, const double *u, double *out, void *user) {
    const double *rate = user;
    (void)t;
    for (int i = 0; i < (int)rate[1]; i++) out[i] = rate[0] * u[i];
    return 0;
}

/* f parallel to x is exact for the group methods, whatever the size of x. */
static void growth_and_decay_are_exact_at_every_size(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "glnr", "dso"};
    static const double sizes[] = {1, 1e-200, 1e200, 1e-306};
    for (int m = 0; m < 3; m++)
        for (int n = 1; n <= 3; n++)
            for (int k = 0; k < 4; k++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double rate[2] = {2 * sign, n};
                    double start[3] = {sizes[k], -0.5 * sizes[k], 3 * sizes[k]};
                    keel_problem p = {.form = KEEL_ODE,
                                      .n = n,
                                      .u0 = start,
                                      .f = {.count = n, .value = growing},
                                      .user = rate};
                    keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.5}, 2);
                    for (int i = 0; i < n; i++)
                        assert_below(fabs(keel_state(s)[i] / (start[i] * exp(4 * sign)) - 1), 1e-14);
                    keel_close(s);
                }
}

static int steady(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    const double *f = user;
    for (int i = 0; i < 2; i++) out[i] = f[i];
    return 0;
}

/* From x = 0, or near it, x = x0 + f t is followed to first order, and through 0 too; f = 0 stays. */
static void the_origin_can_be_left_and_passed(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "glnr", "dso"};
    static const double starts[][2] = {{0, 0}, {1e-12, 0}, {0, 1e-3}, {1e-2, -2e-2}, {-1, -2}, {-1, -2.03}};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 6; k++) {
            double f[2] = {1, 2}, rest[2] = {0, 0}, error[2];
            keel_problem p = {
                .form = KEEL_ODE, .n = 2, .u0 = starts[k], .f = {.count = 2, .value = steady}, .user = f};
            for (int i = 0; i < 2; i++) {
                keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = i ? 0.001 : 0.01}, 2);
                error[i] = fmax(fabs(keel_state(s)[0] - starts[k][0] - 2),
                                fabs(keel_state(s)[1] - starts[k][1] - 4));
                keel_close(s);
            }
            if (error[0] > 0.2 || error[1] > 0.25 * error[0] + 1e-12)
                fail_msg("%s from (%g, %g): errors %g, %g", methods[m], starts[k][0], starts[k][1], error[0],
                         error[1]);
            p.user = rest;
            keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.01}, 2);
            assert_memory_equal(keel_state(s), starts[k], sizeof starts[k]);
            keel_close(s);
        }
}

/* x0' = -10^6 (x0 - cos t) - sin t: far too stiff for anything but a solve by Newton's method. */
static int stiff(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -1e6 * (u[0] - cos(t)) - sin(t);
    out[1] = -u[1];
    return 0;
}

static void stiff_problems_are_solved(void **state) {
    (void)state;
    static const char *const methods[] = {"theta", "glnr", "dso"};
    static const double start[2] = {1, 1};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = stiff}};
    for (int m = 0; m < 3; m++) {
        keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.1}, 2);
        assert_below(fabs(keel_state(s)[0] - cos(2)), 3e-3);
        assert_below(fabs(keel_state(s)[1] - exp(-2)), 1e-3);
        keel_close(s);
    }
}

/* One variable on a "sphere" cannot move; without states there is nothing to do. */
static void one_variable_and_none(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "so-exp", "glnr", "dso", "rkmk4", "theta", "hmgps"};
    static const double start = 0.7;
    double rate[2] = {0, 1};
    keel_problem p = {
        .form = KEEL_ODE, .n = 1, .u0 = &start, .f = {.count = 1, .value = growing}, .user = rate};
    keel_problem none = {.form = KEEL_ODE};
    for (int m = 0; m < 6; m++) {
        keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.25}, 1);
        assert_true(keel_state(s)[0] == start);
        keel_close(s);
        s = ran(&none, (keel_options){.method = methods[m], .step = 0.25}, 1);
        assert_true(keel_time(s) == 1);
        keel_close(s);
    }
}

/* The equilibrium of H, where its gradient has no direction. */
static void rest_is_kept(void **state) {
    (void)state;
    static const double rest[2] = {1, 1};
    keel_problem p = prey_problem;
    p.u0 = rest;
    keel_solver *s = ran(&p, (keel_options){.method = "hmgps", .step = 0.1}, 1);
    assert_memory_equal(keel_state(s), rest, sizeof rest);
    keel_close(s);
}

/* Refusals ---------------------------------------------------------------------------------------------- */

static void wrong_thetas_are_refused(void **state) {
    (void)state;
    static const double wrong[] = {-0.1, 1.1, NAN, HUGE_VAL};
    for (int k = 0; k < 4; k++)
        assert_refused(&general_problem, (keel_options){.method = "glnr", .theta = wrong[k]},
                       "it must lie between 0 and 1");
    assert_refused(&general_problem, (keel_options){.method = "rk4", .theta = 0.5}, "rk4 has no theta");
}

/* A saved state goes on with its own theta alone. */
static void states_know_their_theta(void **state) {
    (void)state;
    static unsigned char bytes[1 << 14];
    keel_options o = {.method = "glnr", .theta = 0.7, .step = 0.1};
    keel_solver *s = ran(&general_problem, o, 1);
    size_t size = keel_save(s, bytes, sizeof bytes);
    assert_within((double)size, 1, sizeof bytes);
    keel_solver *again = keel_load(&general_problem, &o, bytes, size);
    assert_ok(again, keel_run(again, 2));
    assert_ok(s, keel_run(s, 2));
    assert_memory_equal(keel_state(s), keel_state(again), 3 * sizeof(double));
    keel_close(s);
    keel_close(again);
    o.theta = 0.6;
    s = keel_load(&general_problem, &o, bytes, size);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    keel_close(s);
}

/* A drag is seen if it is small, and if it sets in later. */
static int dragged(double t, const double *u, double *out, void *user) {
    const double *drag = user;
    out[0] = -u[1] - (t >= drag[1]) * drag[0] * u[0];
    out[1] = u[0] - (t >= drag[1]) * drag[0] * u[1];
    return 0;
}

static void motions_off_the_sphere_are_refused(void **state) {
    (void)state;
    static const char *const methods[] = {"so-exp", "rkmk4"};
    static const double zero[2] = {0, 0}, start[2] = {1, 0};
    for (int m = 0; m < 2; m++) {
        keel_options o = {.method = methods[m]};
        problem p;
        double drag[2] = {0, 0};
        keel_problem ring = {
            .form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = dragged}, .user = drag};
        assert_refused(&general_problem, o, "|x| must be constant, and f is not orthogonal to x");
        problem_kepler_hamiltonian(&p, 0.2);
        assert_refused(&p.keel, o, "not orthogonal");
        p.keel.energy.jacobian = NULL;
        assert_refused(&p.keel, o, "give f = B grad H, or the gradient of H");
        problem_pendulum(&p, 1);
        assert_refused(&p.keel, o, "without constraints and mass matrix");
        keel_close(ran(&ring, (keel_options){.method = methods[m], .step = 0.1}, 1));
        drag[0] = 1e-10;
        assert_refused(&ring, o, "not orthogonal");
        drag[1] = 1.5;
        assert_refused(&ring, o, "not orthogonal");
        ring.u0 = zero;
        assert_refused(&ring, o, "there is no sphere to move on");
    }
}

static int moving_invariant(double t, const double *u, double *out, void *user) {
    prey_invariant(t, u, out, user);
    out[0] += 0.1 * sin(t);
    return 0;
}

static void energies_without_a_convex_shape_are_refused(void **state) {
    (void)state;
    const keel_options o = {.method = "hmgps"};
    problem p;
    keel_problem q = prey_problem;
    problem_kepler_hamiltonian(&p, 0.2);
    assert_refused(&p.keel, o, "H must be strictly convex or concave");
    p.keel.energy.jacobian = NULL;
    assert_refused(&p.keel, o, "give energy.jacobian");
    problem_pendulum(&p, 1);
    assert_refused(&p.keel, o, "without constraints and mass matrix");
    q.invariant.jacobian = NULL;
    assert_refused(&q, o, "give invariant.jacobian");
    q = prey_problem;
    q.invariant.value = moving_invariant;
    assert_refused(&q, o, "H must not depend on t");
    assert_refused(&general_problem, o, "there is no energy and no invariant to be kept");
    assert_refused(&(keel_problem){.form = KEEL_ODE}, o, "there are no states");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_and_decay_are_exact_at_every_size),
        cmocka_unit_test(the_origin_can_be_left_and_passed),
        cmocka_unit_test(stiff_problems_are_solved),
        cmocka_unit_test(one_variable_and_none),
        cmocka_unit_test(rest_is_kept),
        cmocka_unit_test(wrong_thetas_are_refused),
        cmocka_unit_test(states_know_their_theta),
        cmocka_unit_test(motions_off_the_sphere_are_refused),
        cmocka_unit_test(energies_without_a_convex_shape_are_refused),
    };
    return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
