/* test_rational.c - fractions of long integers: the laws of a field, plain numbers told from others, and what
 * becomes of results that are too long. */
#include "testing.h"

#include "structure/rational.h"

#include <float.h>
#include <math.h>

static uint64_t state_of = 7;

static int64_t draw(int bits) {
    state_of = state_of * 6364136223846793005u + 1442695040888963407u;
    int64_t size = (int64_t)(state_of >> (64 - bits));
    return state_of >> 20 & 1 ? -size : size;
}

static struct rational fraction(int bits) {
    struct rational top = rational_integer(draw(bits)), bottom = rational_integer(1 + llabs(draw(bits)));
    return rational_quotient(&top, &bottom);
}

static int same(const struct rational *a, const struct rational *b) {
    struct rational minus = rational_negative(b), rest = rational_sum(a, &minus);
    return !rest.lost && rest.sign == 0;
}

static void sums_and_products_obey_the_laws(void **state) {
    (void)state;
    for (int k = 0; k < 2000; k++) {
        struct rational a = fraction(8 + k % 50), b = fraction(40), c = fraction(57);
        struct rational ab = rational_sum(&a, &b), left = rational_product(&ab, &c);
        struct rational ac = rational_product(&a, &c), bc = rational_product(&b, &c);
        struct rational right = rational_sum(&ac, &bc);
        assert_true(same(&left, &right)); /* (a + b) c = a c + b c */
        if (c.sign == 0) continue;
        struct rational back = rational_quotient(&left, &c);
        assert_true(same(&back, &ab));
        double value = rational_value(&a) / rational_value(&c), of = 0;
        struct rational quotient = rational_quotient(&a, &c);
        of = rational_value(&quotient);
        assert_true(fabs(of - value) <= 4 * DBL_EPSILON * fabs(value));
    }
}

/* 1/1 + 1/2 + ... + 1/n, up and down again: bottoms of some hundred bits cancel to 0. */
static void long_sums_cancel_exactly(void **state) {
    (void)state;
    struct rational sum = rational_integer(0);
    double value = 0;
    for (int k = 1; k <= 150; k++) {
        struct rational one = rational_integer(1), over = rational_integer(k);
        one = rational_quotient(&one, &over);
        sum = rational_sum(&sum, &one);
        value += 1.0 / k;
    }
    assert_false(sum.lost);
    assert_true(fabs(rational_value(&sum) - value) <= 1e-14 * value);
    for (int k = 1; k <= 150; k++) {
        struct rational one = rational_integer(-1), over = rational_integer(k);
        one = rational_quotient(&one, &over);
        sum = rational_sum(&sum, &one);
    }
    assert_int_equal(sum.sign, 0);
}

static void plain_numbers_are_told_from_others(void **state) {
    static const struct {
        double x;
        int top, bottom;
    } plain[] = {{0.1 + 0.2, 3, 10},        {1.7799999999999998, 89, 50}, {-13.314285714285714, -466, 35},
                 {1.0 / 3, 1, 3},           {9.80665, 196133, 20000},     {-4096, -4096, 1},
                 {0.1 * 0.1 * 0.1, 1, 1000}};
    static const double other[] = {3.14159265358979, 1.4142135623730951, 2.718281828459045,
                                   0.5772156649015329};
    struct rational r;
    (void)state;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        struct rational top = rational_integer(plain[k].top), bottom = rational_integer(plain[k].bottom);
        struct rational wanted = rational_quotient(&top, &bottom);
        assert_true(rational_plain(plain[k].x, 32 * DBL_EPSILON, &r));
        assert_true(same(&r, &wanted));
    }
    for (int k = 0; k < 4; k++) {
        assert_false(rational_plain(other[k], 32 * DBL_EPSILON, &r));
        r = rational_of(other[k], 32 * DBL_EPSILON); /* the number itself, to its last bit */
        assert_true(rational_value(&r) == other[k]);
    }
    int found = 0;
    for (int k = 0; k < 2000; k++)
        found += rational_plain(ldexp((double)draw(53), -50), 32 * DBL_EPSILON, &r);
    assert_true(found < 100);
}

static void what_is_too_long_is_lost_for_good(void **state) {
    (void)state;
    struct rational x = rational_integer(INT64_MAX), one = rational_integer(1);
    for (int k = 0; k < 10 && !x.lost; k++) x = rational_product(&x, &x);
    assert_true(x.lost);
    x = rational_sum(&x, &one);
    assert_true(x.lost && isnan(rational_value(&x)));
    struct rational zero = rational_integer(0), none = rational_quotient(&one, &zero);
    assert_true(none.lost);
    assert_true(rational_of(HUGE_VAL, 1e-15).lost);
}

static void residues_are_those_of_the_integers(void **state) {
    (void)state;
    const uint32_t modulus = 1000003;
    struct rational x = rational_integer(1);
    uint64_t rest = 1;
    for (int k = 1; k <= 60; k++) {
        struct rational by = rational_integer(k + 100);
        x = rational_product(&x, &by);
        rest = rest * (uint64_t)(k + 100) % modulus;
        assert_int_equal(rational_residue(&x.top, modulus), rest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_obey_the_laws),
        cmocka_unit_test(long_sums_cancel_exactly),
        cmocka_unit_test(plain_numbers_are_told_from_others),
        cmocka_unit_test(what_is_too_long_is_lost_for_good),
        cmocka_unit_test(residues_are_those_of_the_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
