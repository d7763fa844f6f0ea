/* long_papers.c - an orbit over 10^5 periods, to every digit printed (tests/papers.h).  test_papers.c
 * checks the laws that lead there on a hundredth of the span. */
#include "papers.h"

/* The rows the stabilizer holds are at round-off at every step, not only at the end. */
static int orbit_run(const struct paper_orbit *row) {
    problem p;
    problem_kepler_space(&p, 0.01, 1.1);
    double start[3], error[3];
    keel_options o = {
        .method = pair_of(row->method, row->stabilizer), .norm = KEEL_UNIT, .step = p.t_end / row->steps};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, PAPER_PERIODS * p.t_end));
    paper_elements(p.u0, start);
    paper_elements(keel_state(s), error);
    for (int i = 0; i < 3; i++) error[i] -= start[i];
    assert_int_equal(keel_statistics(s).steps, (long)PAPER_PERIODS * row->steps);
    assert_below(worst_units(s, NULL), 4);
    print_message("%-15s da %.3e  dh %.3e  dM %.3e\n", row->name, fabs(error[0]), fabs(error[1]),
                  fabs(error[2]));
    keel_close(s);
    int missed = 0;
    for (int i = 0; i < 3; i++) missed += paper_orbit_misses(row, i, error[i], 0);
    return missed;
}

static void runge_kutta_orbits_end_as_printed(void **state) {
    (void)state;
    int missed = 0;
    for (int k = 0; k < PAPER_RK78_ROWS; k++) missed += orbit_run(&paper_orbits[k]);
    assert_int_equal(missed, 0);
}

static void adams_orbits_end_as_printed(void **state) {
    (void)state;
    int missed = 0;
    for (int k = PAPER_RK78_ROWS; k < PAPER_ORBITS; k++) missed += orbit_run(&paper_orbits[k]);
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runge_kutta_orbits_end_as_printed),
        cmocka_unit_test(adams_orbits_end_as_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
