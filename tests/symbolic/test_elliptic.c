/* test_elliptic.c - elliptic functions and integrals are accurate, and so are their slopes by the modulus. */
#include "testing.h"
#include "evaluate.h"
#include "lang_random.h"

#include "symbolic/derive.h"

/* keel's sn, cn, dn and K in double against the other algorithm in long double. */
static void elliptic_functions_are_accurate(void **state) {
    (void)state;
    struct random r = {.seed = 9};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        double m = i % 4 ? random_number(&r, 0, 1) : -random_number(&r, 0, 5), u = random_number(&r, -6, 6);
        if (i % 7 == 0) m = 1 - ldexp(1, -(i % 50));
        for (int op = EXPR_SN; op <= EXPR_DN; op++) {
            wide exact = jacobi((enum expr_op)op, u, m);
            worst = fmax(worst, (double)fabsl(expr_value((enum expr_op)op, u, m) - exact));
        }
        double sn = expr_value(EXPR_SN, u, m), cn = expr_value(EXPR_CN, u, m), dn = expr_value(EXPR_DN, u, m);
        assert_below(fabs(sn * sn + cn * cn - 1), 3e-15);
        assert_below(fabs(dn * dn + m * sn * sn - 1), 1e-14);
        double k = expr_value(EXPR_ELLIPK, m, 0);
        assert_below(fabs(expr_value(EXPR_CN, k, m)), 3e-15 * (1 + k));
    }
    print_message("sn, cn, dn: largest error %.2g\n", worst);
    assert_below(worst, 1e-14);
    assert_below(fabs(expr_value(EXPR_ELLIPK, 0.5, 0) - 1.8540746773013719), 5e-16);
    assert_true(isinf(expr_value(EXPR_ELLIPK, 1, 0)) && isnan(expr_value(EXPR_ELLIPK, 2, 0)));
    assert_true(isnan(expr_value(EXPR_SN, 1, NAN)));
    /* m > 1: sn(u | m) = sn(u k | 1/m)/k */
    assert_below(fabs(expr_value(EXPR_SN, 0.3, 4) - (double)jacobi(EXPR_SN, 0.6L, 0.25L) / 2), 2e-16);
    assert_below(fabs(expr_value(EXPR_CN, 0.3, 4) - (double)jacobi(EXPR_DN, 0.6L, 0.25L)), 4e-16);
}

/* The integrals, of all m up to 1 and both ends, also beyond the first quarter period. */
static void elliptic_integrals_are_accurate(void **state) {
    (void)state;
    struct random r = {.seed = 19};
    double worst[3] = {0};
    for (int i = 0; i < 1500; i++) {
        double m = i % 4 ? random_number(&r, 0, 1) : -random_number(&r, 0, 5), u = random_number(&r, -6, 6);
        if (i % 7 == 0) m = 1 - ldexp(1, -(i % 50));
        if (i % 11 == 0) m = ldexp(i % 2 ? 1 : -1, -(i % 50));
        if (i % 13 == 0) m = i % 2;
        if (i % 5 == 0) u = ldexp(u, -(i % 30));
        wide eps = integral(EXPR_JACOBIEPS, u, m), sd = integral(EXPR_JACOBISD2, u, m);
        worst[0] = fmax(worst[0], (double)fabsl(expr_value(EXPR_JACOBIEPS, u, m) / eps - 1));
        worst[1] = fmax(worst[1], (double)fabsl(expr_value(EXPR_JACOBISD2, u, m) / sd - 1));
        worst[2] =
            fmax(worst[2], (double)fabsl(expr_value(EXPR_ELLIPE, m, 0) / complete(EXPR_ELLIPE, m) - 1));
    }
    print_message("relative errors: eps %.2g, sd2 %.2g, E %.2g\n", worst[0], worst[1], worst[2]);
    for (int k = 0; k < 3; k++) assert_below(worst[k], 1e-13);
    assert_true(isnan(expr_value(EXPR_JACOBISD2, 1, 1.5)) && isnan(expr_value(EXPR_ELLIPE, 1.5, 0)));
    assert_true(isnan(expr_value(EXPR_JACOBIEPS, 1, NAN)) && isnan(expr_value(EXPR_JACOBISD2, NAN, 0.5)));
    assert_true(expr_value(EXPR_ELLIPE, 1, 0) == 1 && expr_value(EXPR_JACOBIEPS, 800, 1) == 1);
}

/* d/dm of sn, cn, dn in double, at the ends of 0 .. 1 too: d am/dm = -dn/2 times the integral of (sn/dn)^2.
 */
static void slopes_by_the_modulus_hold_everywhere(void **state) {
    (void)state;
    static const double at[] = {0,   1e-16,    1e-9,     -1e-9,     1e-4, 0.1,  0.5,
                                0.9, 1 - 1e-4, 1 - 1e-9, 1 - 1e-15, 1,    -0.7, -5};
    struct graph g;
    struct random r = {.seed = 29};
    struct derive d;
    double worst = 0;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), slope[3];
    for (int k = 0; k < 3; k++)
        slope[k] = derive_partial(&d, expr_make(&g, (enum expr_op)(EXPR_SN + k), x, y, 0), y);
    for (int i = 0; i < 1400; i++) {
        double m = at[i % 14], u = random_number(&r, -4, 4);
        wide sn = jacobi(EXPR_SN, u, m), cn = jacobi(EXPR_CN, u, m), dn = jacobi(EXPR_DN, u, m);
        wide turn = -dn * integral(EXPR_JACOBISD2, u, m) / 2;
        const wide exact[3] = {cn * turn, -sn * turn, -(sn * sn / 2 + m * sn * cn * turn) / dn};
        for (int k = 0; k < 3; k++) {
            wide error = fabsl(double_at(&g, slope[k], u, m) - exact[k]);
            worst = fmax(worst, (double)(error / (fabsl(exact[k]) + 1e-2L * fabsl(turn))));
        }
    }
    print_message("largest relative error of a slope by m: %.2g\n", worst);
    assert_below(worst, 1e-12);
    assert_int_equal(d.obstacle, EXPR_NONE);
    /* K' and E' at 0: pi/8 and -pi/8 */
    expr quarter = derive_partial(&d, expr_make(&g, EXPR_ELLIPK, y, 0, 0), y);
    expr length = derive_partial(&d, expr_make(&g, EXPR_ELLIPE, y, 0, 0), y);
    assert_below(fabs(double_at(&g, quarter, 0, 0) - M_PI / 8), 1e-15);
    assert_below(fabs(double_at(&g, length, 0, 0) + M_PI / 8), 1e-15);
    derive_close(&d);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_functions_are_accurate),
        cmocka_unit_test(elliptic_integrals_are_accurate),
        cmocka_unit_test(slopes_by_the_modulus_hold_everywhere),
    };
    return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
