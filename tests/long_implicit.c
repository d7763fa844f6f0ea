/* long_implicit.c - what Gauss methods keep over 10^6 and 10^7 steps; test_implicit.c: over 10^5. */
#include "testing.h"

#include <keel/method.h>

static double worst_drift(const keel_solver *s) {
    keel_kept row;
    double worst = 0;
    for (int i = 0; keel_kept_at(s, i, &row); i++) worst = fmax(worst, row.drift);
    return worst;
}

static void quadratic_invariants_do_not_drift(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        if (!(method->traits & KEEL_QUADRATIC)) continue;
        problem p;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_options o = {.method = method->name, .step = 0.05, .compensated = 1, .preserve = KEEL_WATCH};
        keel_solver *s = keel_open(&p.keel, &o);
        if (keel_state_of(s) == KEEL_OK) {
            assert_ok(s, keel_run(s, 0.05 * 1e6));
            print_message("%-10s %.1e\n", method->name, worst_drift(s));
            assert_below(worst_drift(s), 2e-14);
        }
        keel_close(s);
    }
}

/* Round-off alone is a random walk: ten times the error for a hundred times the steps, and room for luck. */
static void energy_errors_of_an_orbit_are_a_random_walk(void **state) {
    (void)state;
    problem p;
    double drift[3];
    problem_kepler_hamiltonian(&p, 0.2);
    keel_options o = {.method = "gauss8", .step = 6.283185307179586 / 200, .compensated = 1};
    keel_solver *s = keel_open(&p.keel, &o);
    for (int k = 0; k < 3; k++) {
        assert_ok(s, keel_run(s, o.step * pow(10, 5 + k)));
        drift[k] = worst_drift(s);
        print_message("10^%d steps: %.1e\n", 5 + k, drift[k]);
    }
    assert_below(drift[2] / drift[0], 30);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_invariants_do_not_drift),
        cmocka_unit_test(energy_errors_of_an_orbit_are_a_random_walk),
    };
    return cmocka_run_group_tests_name("long implicit", tests, NULL, NULL);
}
