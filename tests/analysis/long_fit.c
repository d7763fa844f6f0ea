/* long_fit.c - a thousand fits of a noisy pendulum: the standard deviations and intervals are true. */
#include "fit_repeats.h"

static void deviations_are_true(void **state) {
    (void)state;
    struct repeats r = repeat_fits(1000, 2);
    for (int k = 0; k < 2; k++) {
        print_message("spread / deviation %.3f, covered %.3f\n", r.spread[k], r.covered[k]);
        assert_within(r.spread[k], 0.9, 1.1);
        assert_within(r.covered[k], 0.93, 0.97);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(deviations_are_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
