/* test_switching.c - models that go back and forth between modes, beside a reference of their own
 * (switching.h); ten thousand switches each are in long_modes.c. */
#include "switching.h"

static void two_dimensional_plasticity(void **unused) {
    (void)unused;
    switching_check(&switching_path, 200);
}

static void a_mass_that_sticks_slips_and_turns(void **unused) {
    (void)unused;
    switching_check(&switching_mass, 200);
}

static void a_mass_in_the_plane_that_grips_and_slips(void **unused) {
    (void)unused;
    switching_check(&switching_plane, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensional_plasticity),
        cmocka_unit_test(a_mass_that_sticks_slips_and_turns),
        cmocka_unit_test(a_mass_in_the_plane_that_grips_and_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
