/* test_twofold.c - twice the precision: sums and products of doubles are exact, quotients undo products. */
#include "testing.h"

#include "base/twofold.h"

#include <math.h>

static double next(unsigned long *seed) {
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    return ldexp((double)(*seed >> 11), -53) - 0.5;
}

static void sums_and_products_are_exact(void **state) {
    unsigned long seed = 7;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        double a = ldexp(next(&seed), i % 40), b = next(&seed);
        struct twofold s = twofold_sum(a, b), p = twofold_product(a, b);
        assert_true(s.high == a + b && p.high == a * b);
        assert_true(p.low == fma(a, b, -p.high));
        assert_true(fabs(s.low) <= 0x1p-53 * fabs(s.high) && (s.high - a == b) == (s.low == 0));
    }
}

/* 1e-30 of the value: some bits below 2^-106 are given away. */
static void quotients_undo_products(void **state) {
    unsigned long seed = 11;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        struct twofold a = twofold_sum(next(&seed), 1e-17 * next(&seed));
        struct twofold b = twofold_sum(1 + next(&seed), 1e-17 * next(&seed));
        struct twofold back = twofold_subtract(twofold_divide(twofold_multiply(a, b), b), a);
        assert_true(fabs(back.high) <= 1e-30 * fabs(a.high));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_exact),
        cmocka_unit_test(quotients_undo_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
