/* test_algebraic_errors.c - an algebraic variable with a tolerance of its own is in the error test; one
 * without is as accurate as the states make it. */
#include "testing.h"

enum { LARGE = 10000 };

/* x' = -sin t - (x - cos t), 0 = y + y^3 - LARGE (x - cos t): x = cos t, y = 0. */
static int slow(double t, const double *u, double *f, void *user) {
    (void)user;
    f[0] = -sin(t) - (u[0] - cos(t));
    return 0;
}

static int lens(double t, const double *u, double *g, void *user) {
    (void)user;
    g[0] = u[1] + u[1] * u[1] * u[1] - LARGE * (u[0] - cos(t));
    return 0;
}

/* The largest |y| where steps end; steps: how many there were. */
static double largest_error(const char *method, const double *atol, long *steps) {
    static const double start[] = {1, 0};
    keel_problem p = {.form = KEEL_DAE,
                      .n = 1,
                      .m = 1,
                      .u0 = start,
                      .atol = atol,
                      .f = {.count = 1, .value = slow},
                      .algebraic = {.count = 1, .value = lens}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = method, .rtol = 1e-5});
    double largest = 0;
    assert_ok(s, keel_state_of(s));
    while (keel_time(s) != 10) {
        assert_ok(s, keel_step(s, 10));
        largest = fmax(largest, fabs(keel_state(s)[1]));
    }
    *steps = keel_statistics(s).steps;
    keel_close(s);
    return largest;
}

static void own_tolerances_are_met(void **state) {
    (void)state;
    static const char *const methods[] = {"bdf", "radau", "dop853"};
    static const double none[] = {0, 0}, own[] = {0, 1e-5};
    for (int k = 0; k < 3; k++) {
        long few, same, many;
        double loose = largest_error(methods[k], NULL, &few), zero = largest_error(methods[k], none, &same);
        double tight = largest_error(methods[k], own, &many);
        assert_true(loose == zero && few == same);
        if (!(tight < 1e-3 && tight < 0.2 * loose) || many <= few)
            fail_msg("%s: %g with %ld steps, %g with %ld", methods[k], loose, few, tight, many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_tolerances_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
