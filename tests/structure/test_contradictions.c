/* test_contradictions.c - systems that are wrong: equations written twice, contradictions, too many or too
 * few; each is named. */
#include "analyse.h"
#include "lang_text.h"

static void a_constraint_written_twice_is_named(void **state) {
    static const char *const again[] = {"x^2+y^2-1", "3*x^2+3*y^2-3", "1-y^2-x^2"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct text x;
        struct structure s;
        pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "x^2+y^2-1");
        text_equation(&x, again[k]);
        analyse(&s, &x);
        check(&s, 3, 2);
        assert_int_equal(s.redundants, 1);
        assert_int_equal(s.redundant[0].equation, 3);
        assert_int_equal(s.redundant[0].equivalents, 1);
        assert_int_equal(s.redundant[0].equivalent[0], 2);
        assert_false(s.redundant[0].contradicts);
        close_both(&s, &x);
    }
}

static void a_constraint_twice_with_two_multipliers(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    pendulum(&x, "x''=-lam*x-mu*x", "y''=-lam*y-mu*y-g", "x^2+y^2-1");
    text_equation(&x, "2*x^2+2*y^2-2");
    analyse(&s, &x);
    assert_int_equal(s.verdict, STRUCTURE_SINGULAR);
    assert_int_equal(s.redundants, 1);
    assert_int_equal(s.redundant[0].equation, 3);
    assert_int_equal(s.redundant[0].equivalent[0], 2);
    int found = 0;
    for (int j = 0; j < s.under.unknowns; j++) found += s.under.unknown[j] == 2 || s.under.unknown[j] == 3;
    assert_int_equal(found, 2);
    close_both(&s, &x);
}

/* x x' + y y' = 0 is half the derivative of the constraint. */
static void a_constraint_and_its_derivative(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_unknowns(&x, "x y lam");
    text_equation(&x, "x*x'+y*y'");
    text_equation(&x, "x''=-lam*x");
    text_equation(&x, "y''=-lam*y-9.81");
    text_equation(&x, "x^2+y^2-1");
    analyse(&s, &x);
    check(&s, 3, 2);
    assert_int_equal(s.redundants, 1);
    assert_int_equal(s.redundant[0].equation, 0);
    assert_int_equal(s.redundant[0].equivalents, 1);
    assert_int_equal(s.redundant[0].equivalent[0], 3);
    assert_int_equal(s.redundant[0].order[0], 1);
    close_both(&s, &x);
}

static void contradictions_are_named(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "x^2+y^2-1");
    text_equation(&x, "2*x^2+2*y^2-3");
    analyse(&s, &x);
    assert_int_equal(s.verdict, STRUCTURE_CONTRADICTION);
    assert_int_equal(s.redundants, 1);
    assert_int_equal(s.redundant[0].equation, 3);
    assert_int_equal(s.redundant[0].equivalent[0], 2);
    assert_true(s.redundant[0].contradicts);
    close_both(&s, &x);
}

static void check_list(const int *list, int count, int expected_count, const int *expected) {
    assert_int_equal(count, expected_count);
    for (int k = 0; k < count; k++) assert_int_equal(list[k], expected[k]);
}

static void over_and_underdetermined_parts_are_named(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_unknowns(&x, "a b c d e h");
    text_equation(&x, "a'=b");      /* 0: b is a name of a' */
    text_equation(&x, "a=sin(t)");  /* 1 */
    text_equation(&x, "a^2+a=2*t"); /* 2: determines a once more */
    text_equation(&x, "c'=d*e+a");  /* 3 */
    text_equation(&x, "d=c");       /* 4: two for c, d, e */
    text_equation(&x, "h'=h*a");    /* 5 */
    assert_int_equal(analyse(&s, &x), STRUCTURE_SINGULAR);
    check_list(s.over.equation, s.over.equations, 2, (int[]){1, 2});
    check_list(s.over.unknown, s.over.unknowns, 1, (int[]){0});
    check_list(s.under.equation, s.under.equations, 2, (int[]){3, 4});
    check_list(s.under.unknown, s.under.unknowns, 3, (int[]){2, 3, 4});
    check_list(s.well.equation, s.well.equations, 1, (int[]){5});
    check_list(s.well.unknown, s.well.unknowns, 1, (int[]){5});
    close_both(&s, &x);
}

static void counts_may_differ(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_equation(&x, "x'=y+t");
    assert_int_equal(analyse(&s, &x), STRUCTURE_SINGULAR);
    check_list(s.under.unknown, s.under.unknowns, 2, (int[]){0, 1});
    assert_int_equal(s.over.equations, 0);
    structure_close(&s);
    text_equation(&x, "y=cos(t)+x");
    text_equation(&x, "y*x=sin(t)");
    assert_int_equal(analyse(&s, &x), STRUCTURE_SINGULAR);
    check_list(s.over.equation, s.over.equations, 3, (int[]){0, 1, 2});
    assert_int_equal(s.under.unknowns, 0);
    close_both(&s, &x);
}

static void nonsmooth_functions_are_refused_only_where_they_are_differentiated(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    pendulum(&x, "x''=-lam*x-abs(x')", "y''=-lam*y-g", "x^2+y^2-1");
    analyse(&s, &x);
    check(&s, 3, 2);
    close_both(&s, &x);
    pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "abs(x)+y^2-1");
    assert_int_equal(analyse(&s, &x), STRUCTURE_OBSTACLE);
    check_list(s.culprit, s.culprits, 1, (int[]){2});
    assert_int_equal(x.g.node[s.obstacle].op, EXPR_ABS);
    close_both(&s, &x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constraint_written_twice_is_named),
        cmocka_unit_test(a_constraint_twice_with_two_multipliers),
        cmocka_unit_test(a_constraint_and_its_derivative),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(over_and_underdetermined_parts_are_named),
        cmocka_unit_test(counts_may_differ),
        cmocka_unit_test(nonsmooth_functions_are_refused_only_where_they_are_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
