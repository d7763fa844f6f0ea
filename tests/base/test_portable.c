/* test_portable.c - lengths to a few round-offs of whatever size, powers to seven digits. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/portable.h"

static void test_lengths(void **state) {
    (void)state;
    for (int exponent = -1000; exponent <= 1020; exponent += 10) {
        double unit = ldexp(1, exponent);
        assert_true(portable_length(3 * unit, -4 * unit) == 5 * unit);
        for (int k = 0; k < 50; k++) {
            double a = unit * cos(k), b = unit * sin(k) * ldexp(1, -k);
            assert_true(fabs(portable_length(a, b) / hypot(a, b) - 1) <= 2 * DBL_EPSILON);
            assert_true(portable_length(a, b) == portable_length(-b, a));
        }
    }
    assert_true(portable_length(0, 0) == 0 && portable_length(0, -2) == 2);
    assert_true(isinf(portable_length(-HUGE_VAL, 1)) && isinf(portable_length(1, HUGE_VAL)));
    assert_true(isnan(portable_length(NAN, 1)) && isnan(portable_length(0, NAN)) &&
                isnan(portable_length(NAN, 0)));
}

/* Another libm errs by a unit in the last place: that does not show. */
static void test_powers(void **state) {
    (void)state;
    int shown = 0;
    for (int k = 1; k < 1000; k++) {
        double x = 0.01 * k, there = pow(x, 0.3);
        assert_true(fabs(portable_power(x, 0.3) / there - 1) < 6e-8);
        shown += (float)nextafter(there, 0) != (float)nextafter(there, 2 * there);
    }
    assert_true(shown == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
