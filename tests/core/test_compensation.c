/* test_compensation.c - compensated sums take the rounding errors out of long runs. */
#include "testing.h"

static double energy_drift(const char *method, int compensated) {
    problem p;
    keel_row row;
    problem_kepler(&p, 0.3, 1);
    keel_options o = {.method = pair_of(method, "watch"), .step = 1.0 / 256, .compensated = compensated};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 1000));
    assert_true(keel_row_at(s, 0, &row) && strcmp(row.name, "energy") == 0);
    keel_close(s);
    return row.units;
}

/* An 8th-order method with so short a step makes rounding errors alone. */
static void compensation_takes_the_rounding_errors_out_of_long_runs(void **state) {
    (void)state;
    double plain = energy_drift("dop853", 0), compensated = energy_drift("dop853", 1);
    assert_true(plain > 20);
    assert_below(compensated, 0.2 * plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compensation_takes_the_rounding_errors_out_of_long_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
