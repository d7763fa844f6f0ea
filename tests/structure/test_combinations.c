/* test_combinations.c - equations combined until the structure shows: weights, parameters, what cancels and
 * what may not. */
#include "testing.h"
#include "analyse.h"

#include <stdio.h>
#include "lang_text.h"

/* ---- combinations with other weights ---- */

static void weights_may_be_parameters_or_expressions(void **state) {
    static const char *const system[][3] = {
        /* weight b/a of two parameters; rows 0 and 1 */
        {"a*x'+a*y'+x=sin(t)", "b*x'+b*y'+y=0", NULL},
        /* weight a function of x where x' is the highest derivative */
        {"x'+y'+x=0", "exp(x)*x'+exp(x)*y'+y+x=sin(t)", NULL},
    };
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct text x;
        struct structure s;
        text_open(&x);
        text_set(&x, "a", 0.731234567);
        text_set(&x, "b", 1.21987654321);
        for (int i = 0; i < 3 && system[k][i]; i++) text_equation(&x, system[k][i]);
        analyse(&s, &x);
        assert_int_equal(s.verdict, STRUCTURE_OK);
        assert_int_equal(s.steps, 1);
        assert_int_equal(s.index, 1);
        assert_int_equal(s.freedom, 1);
        close_both(&s, &x);
    }
}

/* m x'' = ... with m = 0 is another structure; a damping that is 0 is not, and its term stays. */
static void parameters_that_are_zero(void **state) {
    for (int massless = 0; massless < 2; massless++) {
        struct text x;
        struct structure s;
        (void)state;
        text_open(&x);
        text_set(&x, "m", massless ? 0 : 2);
        text_set(&x, "k", 0);
        text_equation(&x, "m*x''+(1+m)*x'*x'+k*y'+x-y=0");
        text_equation(&x, "y'=x-y*y");
        analyse(&s, &x);
        check(&s, 0, massless ? 2 : 3);
        assert_int_equal(s.special, massless);
        if (!massless) assert_int_equal(s.equation[0], x.equation[0]);
        close_both(&s, &x);
    }
}

/* The weight is b/a for all a and b, also where its value is a small number. */
/* Narrow pulses are 0 at all random points, by underflow and by overflow, and yet z moves. */
static void pulses_are_not_zero(void **state) {
    static const char *const pulse[] = {"exp(-(1e6*(t-0.5))^2)", "1/cosh(1e6*(t-0.5))"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct text x;
        struct structure s;
        char line[3][120];
        text_open(&x);
        text_unknowns(&x, "x y z");
        snprintf(line[0], sizeof line[0], "x'=%s", pulse[k]);
        snprintf(line[1], sizeof line[1], "y'=2*%s", pulse[k]);
        snprintf(line[2], sizeof line[2], "z'=%s*y+x*%s", pulse[k], pulse[k]);
        for (int i = 0; i < 3; i++) text_equation(&x, line[i]);
        analyse(&s, &x);
        check(&s, 0, 3);
        assert_int_equal(s.invariants, 1); /* y - 2 x */
        close_both(&s, &x);
    }
}

static void weights_keep_their_parameters(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "a", 1);
    text_set(&x, "b", 2);
    text_equation(&x, "a*x'+a*y'+x=sin(t)");
    text_equation(&x, "b*x'+b*y'+y=0");
    analyse(&s, &x);
    check(&s, 1, 1);
    double number;
    assert_false(expr_is_constant(&x.g, s.step[0].weight[0], &number));
    assert_false(s.special);
    structure_close(&s);
    x.equations = 0;
    text_equation(&x, "2*x'+b*y'+x=sin(t)");
    text_equation(&x, "b*b*x'+4*y'+y=0"); /* for b = 2 alone */
    analyse(&s, &x);
    check(&s, 1, 1);
    assert_true(s.special);
    close_both(&s, &x);
}

/* The null vector holds x'y', which the highest derivatives are: not allowed, and named. */
static void impossible_combinations_are_named(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_equation(&x, "x'*y'-1");
    text_equation(&x, "x'^2*y'^2-1-x");
    text_equation(&x, "z'=x");
    analyse(&s, &x);
    assert_int_equal(s.verdict, STRUCTURE_DEGENERATE);
    assert_int_equal(s.culprits, 2);
    assert_int_equal(s.culprit[0], 0);
    assert_int_equal(s.culprit[1], 1);
    close_both(&s, &x);
}

/* ---- what appears and is not there ---- */

static void terms_that_cancel_do_not_count(void **state) {
    static const char *const twice[] = {"z'=x-x'+x'", "z'=x+sin(y'')^2+cos(y'')^2",
                                        "z'=x+(y'+x)^2-y'^2-2*x*y'", "z'=x+log(exp(y''))-y''"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct text x;
        struct structure s;
        text_open(&x);
        text_unknowns(&x, "x y z");
        text_equation(&x, "x'=y*y");
        text_equation(&x, "y'=x*z");
        text_equation(&x, twice[k]);
        analyse(&s, &x);
        check(&s, 0, 3);
        check_offsets(&s, 3, (int[]){0, 0, 0}, (int[]){1, 1, 1});
        close_both(&s, &x);
    }
}

/* The same with numbers of any size in them, which hide what is small beside them. */
static void identities_are_seen_through_numbers_of_any_size(void **state) {
    static const char *const identity[] = {
        "sin(%g*y'')^2+cos(%g*y'')^2",
        "(%g+%g*y'')^2-(%g*y'')^2-2*(%g*%g)*y''",
        "sin(%g*y''+x)-sin(%g*y'')*cos(x)-cos(%g*y'')*sin(x)",
        "log(exp(%g*y''))-%g*y''",
        "exp(%g*y'')*exp(-%g*y'')",
        "(1+%g*y'')^2/(1+%g*y'')-%g*y''",
        "cosh(%g*y'')^2-sinh(%g*y'')^2",
    };
    static const double size[] = {1e-12, 1e-7, 1e-3, 1, 1e3, 1e7, 1e12};
    (void)state;
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < 7; i++) {
            struct text x;
            struct structure s;
            char term[200], equation[240];
            double a = size[i];
            snprintf(term, sizeof term, identity[k], a, a, a, a, a);
            snprintf(equation, sizeof equation, "z'=x+%s", term);
            text_open(&x);
            text_unknowns(&x, "x y z");
            text_equation(&x, "x'=y*y");
            text_equation(&x, "y'=x*z");
            text_equation(&x, equation);
            analyse(&s, &x);
            check(&s, 0, 3);
            close_both(&s, &x);
        }
}

/* And what is none counts, wherever it acts: in a window of sizes that no list of points can hit. */
static void terms_that_act_at_some_size_alone_count(void **state) {
    static const char *const term[] = {
        "(y''/1e9)^50-sin((y''/1e9)^50)",
        "1-cos((y''/3e15)^7)",
        "tanh((y''/1e-7)^31)^2-1",
        "exp((y''/1e30)^3)-1",
        "sqrt(1e30+y''^2)-1e15",
        "(1+1e-20*y'')^3-1",
        "log(1+(y''/7e5)^90)",
        "atan((y''*1e14)^40)-atan(1e300)",
        "sin(1e-40*y'')-1e-40*y''",
    };
    (void)state;
    for (int k = 0; k < 9; k++) {
        struct text x;
        struct structure s;
        char equation[240];
        snprintf(equation, sizeof equation, "z'=x+%s", term[k]);
        text_open(&x);
        text_unknowns(&x, "x y z");
        text_equation(&x, "x'=y*y");
        text_equation(&x, "y'=x*z");
        text_equation(&x, equation);
        analyse(&s, &x);
        int found = 0;
        for (int i = 0; i < s.n; i++) found |= s.equation[i] == x.equation[2];
        if (s.verdict == STRUCTURE_OK && !found) fail_msg("%s was lost", term[k]);
        close_both(&s, &x);
    }
}

/* z' = x + if(x < -50, y'', 0): y'' counts although no random point sees it. */
static void branches_that_the_points_miss_count(void **state) {
    struct text x;
    struct structure s;
    struct graph *g = &x.g;
    (void)state;
    text_open(&x);
    text_equation(&x, "x'=y*y");
    text_equation(&x, "y'=x*z");
    expr low = expr_make(g, EXPR_LT, x.symbol[0], expr_constant(g, -50), 0);
    expr part = expr_make(g, EXPR_IF, low, text_read(&x, "y''"), expr_constant(g, 0));
    x.equation[x.equations++] = expr_make(g, EXPR_ADD, text_read(&x, "z'-x"), part, 0);
    analyse(&s, &x);
    int found = 0;
    for (int i = 0; i < s.n; i++) found |= s.equation[i] == x.equation[2];
    assert_true(s.verdict != STRUCTURE_OK || found);
    close_both(&s, &x);
}

/* The pivot x*p vanishes at x = 0, and with it the divisor of a weight that is q/p everywhere. */
static void weights_have_no_factors_that_cancel(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "p", -2);
    text_set(&x, "q", -4);
    text_unknowns(&x, "y x");
    text_equation(&x, "p*(y'+x*x'/2)+x+y=sin(t)");
    text_equation(&x, "q*(y'+x*x'/2)+3*x-y=0");
    analyse(&s, &x);
    check(&s, 1, 1);
    assert_int_equal(s.steps, 1);
    for (int i = 0; i < s.step[0].count; i++)
        assert_false(expr_depends(&x.g, s.step[0].weight[i], 1, &x.symbol[1]));
    close_both(&s, &x);
}

/* r3 = 9.71 r1 - 5.37 r2 in x', y', z', coefficients of up to four digits after the point: the weights are
 * these numbers, to their last bits. */
static void decimal_weights_are_exact(void **state) {
    (void)state;
    for (int k = 0; k < 60; k++) {
        struct text x;
        struct structure s;
        double found[3] = {0};
        int one[3], two[3], weight[] = {101 + below(899), -101 - below(899)};
        char line[3][200];
        text_open(&x);
        text_unknowns(&x, "x y z");
        for (int j = 0; j < 3; j++) one[j] = 1 + below(900), two[j] = -1 - below(900);
        for (int i = 0; i < 3; i++) {
            double row[3];
            for (int j = 0; j < 3; j++)
                row[j] = i == 0   ? one[j] / 100.0
                         : i == 1 ? two[j] / 100.0
                                  : (weight[0] * one[j] + weight[1] * two[j]) / 1e4;
            snprintf(line[i], sizeof line[i], "(%.4f)*x'+(%.4f)*y'+(%.4f)*z'+%d*x+%d*y-%d*z=sin(t)", row[0],
                     row[1], row[2], 1 + i, 2 * i * i, 3 - i);
            text_equation(&x, line[i]);
        }
        analyse(&s, &x);
        assert_int_equal(s.verdict, STRUCTURE_OK);
        assert_int_equal(s.steps, 1);
        assert_int_equal(s.step[0].count, 3);
        for (int i = 0; i < 3; i++)
            assert_true(expr_is_constant(&x.g, s.step[0].weight[i], &found[s.step[0].equation[i]]));
        assert_int_equal(s.step[0].replaced, 2);
        assert_true(found[0] == -weight[0] / 100.0 && found[1] == -weight[1] / 100.0 && found[2] == 1);
        close_both(&s, &x);
    }
}

/* z + y^2/4 is the one thing that is differentiated; all weights of the null vector hold x.  In x, y + x^2/4
 * and z + y^2/4 the equations are linear. */
static void rows_are_thinned_where_no_combination_is_free_of_all(void **state) {
    static const char *const other[] = {"z", "z*z*z/3", "sin(z)/2"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct text x;
        struct structure s;
        char line[3][300], moves[80], rests[80];
        snprintf(moves, sizeof moves, "(z'+y*y'/2%s)", k ? k == 1 ? "+z*z*z'" : "+cos(z)*z'/2" : "");
        snprintf(rests, sizeof rests, "(z+y*y/4%s%s)", k ? "+" : "", k ? other[k] : "");
        snprintf(line[0], sizeof line[0], "-2*x-4*(y+x*x/4)+2*%s+5*%s=0", moves, rests);
        snprintf(line[1], sizeof line[1], "4*%s+4*%s=0", moves, rests);
        snprintf(line[2], sizeof line[2], "-2*x-2*(y+x*x/4)-6*%s-7*%s=0", moves, rests);
        text_open(&x);
        text_unknowns(&x, "x y z");
        for (int i = 0; i < 3; i++) text_equation(&x, line[i]);
        analyse(&s, &x);
        check(&s, 1, 1);
        close_both(&s, &x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_may_be_parameters_or_expressions),
        cmocka_unit_test(impossible_combinations_are_named),
        cmocka_unit_test(parameters_that_are_zero),
        cmocka_unit_test(pulses_are_not_zero),
        cmocka_unit_test(weights_keep_their_parameters),
        cmocka_unit_test(branches_that_the_points_miss_count),
        cmocka_unit_test(terms_that_cancel_do_not_count),
        cmocka_unit_test(identities_are_seen_through_numbers_of_any_size),
        cmocka_unit_test(terms_that_act_at_some_size_alone_count),
        cmocka_unit_test(weights_have_no_factors_that_cancel),
        cmocka_unit_test(decimal_weights_are_exact),
        cmocka_unit_test(rows_are_thinned_where_no_combination_is_free_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
