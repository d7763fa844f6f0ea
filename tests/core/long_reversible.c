/* long_reversible.c - reversible steps over 10^4 orbits of eccentricity 0.9; test_reversible.c: over 300. */
#include "orbits.h"

static void energy_errors_are_bounded(void **state) {
    (void)state;
    orbit_reversible_energy_stays("verlet", 1e-3, 1000);
    orbit_reversible_energy_stays("midpoint", 1e-3, 1000);
    orbit_reversible_energy_stays("gauss8", 1e-2, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_errors_are_bounded),
    };
    return cmocka_run_group_tests_name("long reversible", tests, NULL, NULL);
}
