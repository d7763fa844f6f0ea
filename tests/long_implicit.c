/* long_implicit.c - what Gauss methods keep over 10^6 and 10^7 steps; test_implicit.c: over 10^5. */
#include "orbits.h"

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

static void rounding_is_a_random_walk(void **state) {
    (void)state;
    double walk = orbit_walk("gauss8", 10000000, 1);
    print_message("gauss8, 10^7 steps: %.2g round-offs a root of a step\n", walk);
    assert_below(walk, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_invariants_do_not_drift),
        cmocka_unit_test(rounding_is_a_random_walk),
    };
    return cmocka_run_group_tests_name("long implicit", tests, NULL, NULL);
}
