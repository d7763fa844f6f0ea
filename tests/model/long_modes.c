/* long_modes.c - ten thousand switches of each model, beside a reference of their own (switching.h). */
#include "switching.h"

static void two_dimensional_plasticity(void **unused) {
    (void)unused;
    switching_check(&switching_path, 10000);
}

static void a_mass_that_sticks_slips_and_turns(void **unused) {
    (void)unused;
    switching_check(&switching_mass, 10000);
}

static void a_mass_in_the_plane_that_grips_and_slips(void **unused) {
    (void)unused;
    switching_check(&switching_plane, 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensional_plasticity),
        cmocka_unit_test(a_mass_that_sticks_slips_and_turns),
        cmocka_unit_test(a_mass_in_the_plane_that_grips_and_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
