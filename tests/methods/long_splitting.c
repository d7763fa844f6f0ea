/* long_splitting.c - what test_splitting.c checks for 10^5 steps, for 10^6 and 10^7. */
#include "orbits.h"

#ifdef __SANITIZE_ADDRESS__
static const long million = 10000;
#else
static const long million = 1000000;
#endif

static void energies_stay_where_they_are(void **state) {
    (void)state;
    problem p;
    const keel_method *method;
    problem_kepler_hamiltonian(&p, 0.2);
    for (int i = 0; (method = keel_method_at(i)); i++) {
        if (!(method->traits & KEEL_SYMPLECTIC)) continue;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method->name, .step = 0.02});
        int accepted = keel_state_of(s) == KEEL_OK;
        keel_close(s);
        if (accepted) orbit_energy_stays(method->name, &p.keel, 0.02, million / 10);
    }
}

static void rounding_is_a_random_walk(void **state) {
    (void)state;
    assert_below(orbit_walk("kahan-li8", 10 * million, 1), 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_stay_where_they_are),
        cmocka_unit_test(rounding_is_a_random_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
