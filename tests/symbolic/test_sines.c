/* test_sines.c - keel's own sine and cosine are within a unit of the last digit of those in long double. */
#include "testing.h"
#include "lang_random.h"

#include "symbolic/expr.h"

#include <float.h>
#include <math.h>

static const long double quarter_turn = 1.570796326794896619231321691639751442L;

/* |value - exact| in units of the last digit of what is exact. */
static double units(double value, long double exact) {
    int exponent;
    (void)frexpl(exact, &exponent);
    return (double)fabsl(value - exact) / ldexp(1, exponent - 53);
}

/* Angles of all sizes up to where libm takes over, and beyond; every fourth is near a multiple of pi/2, where
 * of x - k pi/2 hardly a digit is left: long double tells these from about 2^-60 k on. */
static void sine_and_cosine_are_accurate(void **state) {
    (void)state;
    struct random r = {.seed = 5};
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double x = ldexp(random_number(&r, -1, 1), i % 26 - 5);
        if (i % 4 == 0)
            x = (double)(rintl(x / quarter_turn) * quarter_turn *
                         (1 + ldexpl(random_number(&r, -1, 1), -(i % 30))));
        long double sine = sinl(x), cosine = cosl(x);
        worst = fmax(
            worst, fmax(units(expr_value(EXPR_SIN, x, 0), sine), units(expr_value(EXPR_COS, x, 0), cosine)));
        assert_true(expr_value(EXPR_SIN, -x, 0) == -expr_value(EXPR_SIN, x, 0));
        assert_true(expr_value(EXPR_COS, -x, 0) == expr_value(EXPR_COS, x, 0));
    }
    print_message("sine, cosine: largest error %.3f units of the last digit\n", worst);
    assert_below(worst, 0.85);
}

static void the_ends_are_exact(void **state) {
    (void)state;
    assert_true(expr_value(EXPR_SIN, 0, 0) == 0 && !signbit(expr_value(EXPR_SIN, 0, 0)));
    assert_true(signbit(expr_value(EXPR_SIN, -0.0, 0)) && expr_value(EXPR_COS, 0, 0) == 1);
    assert_true(expr_value(EXPR_SIN, DBL_TRUE_MIN, 0) == DBL_TRUE_MIN);
    assert_true(isnan(expr_value(EXPR_SIN, INFINITY, 0)) && isnan(expr_value(EXPR_COS, NAN, 0)));
    assert_true(expr_value(EXPR_SIN, 1e300, 0) == sin(1e300) &&
                expr_value(EXPR_COS, -1e300, 0) == cos(1e300));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_accurate),
        cmocka_unit_test(the_ends_are_exact),
    };
    return cmocka_run_group_tests_name("sines", tests, NULL, NULL);
}
