/* long_implicit.c - what Gauss methods keep over 10^6 and 10^7 steps; test_implicit.c: over 10^5. */
#include "orbits.h"

static void quadratic_invariants_do_not_drift(void **state) {
    (void)state;
    quadratic_drift(KEEL_QUADRATIC, 1e6, 1);
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
