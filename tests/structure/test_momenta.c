/* test_momenta.c - linear invariants that the equations show: momenta, one or many. */
#include "testing.h"

#include "analyse.h"

static void momentum_is_found(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "m1", 1.5);
    text_set(&x, "m2", 0.25);
    text_equation(&x, "m1*a''=-3*(a-b)-(a-b)^3");
    text_equation(&x, "m2*b''=3*(a-b)-(b-a)^3");
    text_equation(&x, "c'=a*a");
    analyse(&s, &x);
    check(&s, 0, 5);
    assert_int_equal(s.invariants, 0); /* (a-b)^3 and (b-a)^3 are different nodes */
    close_both(&s, &x);
    text_open(&x);
    text_set(&x, "m1", 1.5);
    text_set(&x, "m2", 0.25);
    text_equation(&x, "m1*a''=-3*(a-b)-c*(a-b)*abs(b)");
    text_equation(&x, "m2*b''=3*(a-b)-c*abs(b)*(b-a)");
    text_equation(&x, "c'=a*a");
    analyse(&s, &x);
    check(&s, 0, 5);
    assert_int_equal(s.invariants, 1);
    expr p = text_read(&x, "1.5*a'+0.25*b'"), q = text_read(&x, "6*a'+b'");
    assert_true(s.invariant[0].value == p || s.invariant[0].value == q);
    close_both(&s, &x);
}

/* a'' = b - a, b'' = a - b, so many times over: each pair has a momentum, which names two equations and no
 * more.  The operations of the analysis. */
static double analyse_pairs(int pairs) {
    struct graph g;
    struct structure s;
    int n = 2 * pairs;
    expr *f = calloc((size_t)n, sizeof *f), *unknown = calloc((size_t)n, sizeof *unknown);
    assert_int_equal(expr_open(&g), 0);
    for (int j = 0; j < n; j++) unknown[j] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, 0);
    for (int j = 0; j < n; j++)
        f[j] = expr_make(&g, EXPR_SUB, expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, 2),
                         expr_make(&g, EXPR_SUB, unknown[j ^ 1], unknown[j], 0), 0);
    struct structure_problem p = {&g, n, n, f, unknown, 0, NULL, NULL, 0, 0, NULL};
    double before = g.spent;
    structure_analyse(&s, &p);
    check(&s, 0, 4 * pairs);
    assert_int_equal(s.invariants, pairs);
    for (int i = 0; i < pairs; i++) {
        assert_int_equal(s.invariant[i].count, 2);
        assert_int_equal(s.invariant[i].equation[0] ^ 1, s.invariant[i].equation[1]);
    }
    double operations = g.spent - before;
    structure_close(&s);
    expr_close(&g);
    free(f);
    free(unknown);
    return operations;
}

static void many_momenta_cost_in_proportion(void **state) {
    (void)state;
    double once = analyse_pairs(1000), twice = analyse_pairs(2000);
    if (!(twice < 2.2 * once)) fail_msg("%.3g, then %.3g operations", once, twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_is_found),
                                       cmocka_unit_test(many_momenta_cost_in_proportion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
