/* test_structure.c - the structure of known systems: offsets, index, degrees of freedom, hidden
 * constraints. */
#include "testing.h"

#include "structure/structure_inside.h"
#include "symbolic/tape.h"
#include "lang_text.h"

#include <time.h>

static enum structure_verdict analyse(struct structure *s, struct text *x) {
    struct structure_problem p = {&x->g,    x->equations, x->unknowns, x->equation, x->symbol, x->parameters,
                                  x->value, NULL,         0,           0,           NULL};
    return structure_analyse(s, &p);
}

static void close_both(struct structure *s, struct text *x) {
    structure_close(s);
    expr_close(&x->g);
}

static void check(const struct structure *s, int index, int freedom) {
    int chosen = 0;
    assert_int_equal(s->verdict, STRUCTURE_OK);
    assert_int_equal(s->index, index);
    assert_int_equal(s->freedom, freedom);
    assert_int_equal(s->rank, s->n);
    assert_int_equal(s->structural_rank, s->n);
    assert_int_equal(s->over.equations + s->under.unknowns, 0);
    for (int i = 0; i < s->n; i++)
        for (int k = s->jacobian.row_start[i] + 1; k < s->jacobian.row_start[i + 1]; k++)
            assert_true(s->jacobian.column[k - 1] < s->jacobian.column[k]);
    for (int k = 0; k < s->states; k++) chosen += s->free[k];
    assert_int_equal(chosen, freedom);
}

static void check_offsets(const struct structure *s, int n, const int *c, const int *d) {
    assert_int_equal(s->n, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(s->c[i], c[i]);
        assert_int_equal(s->d[i], d[i]);
    }
}

/* ---- the problems of the literature ---- */

static void pendulum(struct text *x, const char *a, const char *b, const char *c) {
    text_open(x);
    text_set(x, "g", 9.81);
    text_unknowns(x, "x y lam");
    text_equation(x, a);
    text_equation(x, b);
    text_equation(x, c);
}

static void pendulum_has_the_known_offsets(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "x^2+y^2-1");
    analyse(&s, &x);
    check(&s, 3, 2);
    check_offsets(&s, 3, (int[]){0, 0, 2}, (int[]){2, 2, 0});
    assert_int_equal(s.hiddens, 2);
    assert_int_equal(s.hidden[1].equation, 2);
    assert_int_equal(s.hidden[1].order, 1);
    assert_int_equal(s.states, 4);
    assert_int_equal(s.steps, 0);
    assert_int_equal(s.invariants, 0);
    close_both(&s, &x);
}

static void pendulum_with_velocities_is_the_same(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_unknowns(&x, "x y u v lam");
    text_equation(&x, "x'=u");
    text_equation(&x, "v=y'");
    text_equation(&x, "u'=-lam*x");
    text_equation(&x, "v'=-lam*y-9.81");
    text_equation(&x, "x^2+y^2-1");
    analyse(&s, &x);
    check(&s, 3, 2);
    check_offsets(&s, 3, (int[]){0, 0, 2}, (int[]){2, 2, 0});
    assert_int_equal(s.alias[2].unknown, 0);
    assert_int_equal(s.alias[2].order, 1);
    assert_int_equal(s.alias[3].unknown, 1);
    assert_int_equal(s.row[2], 4);
    assert_int_equal(s.column[2], 4);
    structure_close(&s);
    struct structure_problem p = {&x.g, 5, 5, x.equation, x.symbol, 0, NULL, NULL, 1, 0, NULL};
    structure_analyse(&s, &p);
    check(&s, 3, 2);
    assert_int_equal(s.n, 5);
    close_both(&s, &x);
}

static void scales_do_not_matter(void **state) {
    static const double scale[] = {1e-12, 1e-6, 1, 1e7, 1e15};
    (void)state;
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) {
            struct text x;
            struct structure s;
            char f[3][128];
            snprintf(f[0], sizeof f[0], "%g*x''=-%g*lam*x", scale[a], scale[b]);
            snprintf(f[1], sizeof f[1], "%g*y''=-%g*lam*y-9.81", scale[b], scale[a]);
            snprintf(f[2], sizeof f[2], "%g*(x^2+%g*y^2-1)", scale[4 - a], scale[b]);
            pendulum(&x, f[0], f[1], f[2]);
            analyse(&s, &x);
            check(&s, 3, 2);
            check_offsets(&s, 3, (int[]){0, 0, 2}, (int[]){2, 2, 0});
            close_both(&s, &x);
        }
}

static void car_axis(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "K", 10 * 0.01 * 0.01 / 2);
    text_unknowns(&x, "xl yl xr yr lam1 lam2");
#define YB "(0.1*sin(10*t))"
#define XB "sqrt(1-" YB "^2)"
#define LL "sqrt(xl^2+yl^2)"
#define LR "sqrt((xr-" XB ")^2+(yr-" YB ")^2)"
    text_equation(&x, "K*xl''=(0.5-" LL ")*xl/" LL "+lam1*" XB "+2*lam2*(xl-xr)");
    text_equation(&x, "K*yl''=(0.5-" LL ")*yl/" LL "+lam1*" YB "+2*lam2*(yl-yr)-K");
    text_equation(&x, "K*xr''=(0.5-" LR ")*(xr-" XB ")/" LR "-2*lam2*(xl-xr)");
    text_equation(&x, "K*yr''=(0.5-" LR ")*(yr-" YB ")/" LR "-2*lam2*(yl-yr)-K");
    text_equation(&x, XB "*xl+" YB "*yl");
    text_equation(&x, "(xl-xr)^2+(yl-yr)^2-1");
    analyse(&s, &x);
    check(&s, 3, 4);
    check_offsets(&s, 6, (int[]){0, 0, 0, 0, 2, 2}, (int[]){2, 2, 2, 2, 0, 0});
    close_both(&s, &x);
}

/* problems/andrews.c, the constants as numbers. */
static void andrews_equations(struct text *x) {
    static const struct {
        const char *name;
        double value;
    } constant[] = {{"m1", .04325},   {"m2", .00365},   {"m3", .02373},   {"m4", .00706},   {"m5", .07050},
                    {"m6", .00706},   {"m7", .05498},   {"xa", -.06934},  {"ya", -.00227},  {"xb", -0.03635},
                    {"yb", .03273},   {"xc", .014},     {"yc", .072},     {"c0", 4530},     {"I1", 2.194e-6},
                    {"I2", 4.410e-7}, {"I3", 5.255e-6}, {"I4", 5.667e-7}, {"I5", 1.169e-5}, {"I6", 5.667e-7},
                    {"I7", 1.912e-5}, {"d", 28e-3},     {"da", 115e-4},   {"e", 2e-2},      {"ea", 1421e-5},
                    {"rr", 7e-3},     {"ra", 92e-5},    {"l0", 7785e-5},  {"ss", 35e-3},    {"sa", 1874e-5},
                    {"sb", 1043e-5},  {"sc", 18e-3},    {"sd", 2e-2},     {"ta", 2308e-5},  {"tb", 916e-5},
                    {"u", 4e-2},      {"ua", 1228e-5},  {"ub", 449e-5},   {"zf", 2e-2},     {"zt", 4e-2},
                    {"fa", 1421e-5},  {"mom", 33e-3}};
    text_open(x);
    for (size_t k = 0; k < sizeof constant / sizeof *constant; k++)
        text_set(x, constant[k].name, constant[k].value);
    text_unknowns(x, "be th ga ph de om ep L1 L2 L3 L4 L5 L6");
    static const char *const g[6] = {"rr*cos(be)-d*cos(be+th)-ss*sin(ga)-xb",
                                     "rr*sin(be)-d*sin(be+th)+ss*cos(ga)-yb",
                                     "rr*cos(be)-d*cos(be+th)-e*sin(ph+de)-zt*cos(de)-xa",
                                     "rr*sin(be)-d*sin(be+th)+e*cos(ph+de)-zt*sin(de)-ya",
                                     "rr*cos(be)-d*cos(be+th)-zf*cos(om+ep)-u*sin(ep)-xa",
                                     "rr*sin(be)-d*sin(be+th)-zf*sin(om+ep)+u*cos(ep)-ya"};
#define XD "(sd*cos(ga)+sc*sin(ga)+xb-xc)"
#define YD "(sd*sin(ga)-sc*cos(ga)+yb-yc)"
#define LEN "sqrt(" XD "^2+" YD "^2)"
#define FORCE "(0-c0*(" LEN "-l0)/" LEN ")"
#define M21 "(m2*(da^2-da*rr*cos(th))+I2)"
#define M54 "(m4*((e-ea)^2+zt*(e-ea)*sin(ph))+I4)"
#define M76 "(m6*((zf-fa)^2-u*(zf-fa)*sin(om))+I6)"
    static const char *const f[7] = {
        "(m1*ra^2+m2*(rr^2-2*da*rr*cos(th)+da^2)+I1+I2)*be''+" M21 "*th''"
        "-mom+m2*da*rr*th'*(th'+2*be')*sin(th)",
        M21 "*be''+(m2*da^2+I2)*th''-m2*da*rr*be'^2*sin(th)",
        "(m3*(sa^2+sb^2)+I3)*ga''-" FORCE "*" XD "*(sc*cos(ga)-sd*sin(ga))"
        "-" FORCE "*" YD "*(sd*cos(ga)+sc*sin(ga))",
        "(m4*(e-ea)^2+I4)*ph''+" M54 "*de''-m4*zt*(e-ea)*de'^2*cos(ph)",
        M54 "*ph''+(m4*(zt^2+2*zt*(e-ea)*sin(ph)+(e-ea)^2)+m5*(ta^2+tb^2)+I4+I5)*de''"
            "+m4*zt*(e-ea)*ph'*(ph'+2*de')*cos(ph)",
        "(m6*(zf-fa)^2+I6)*om''+" M76 "*ep''+m6*u*(zf-fa)*ep'^2*cos(om)",
        M76 "*om''+(m6*((zf-fa)^2-2*u*(zf-fa)*sin(om)+u^2)+m7*(ua^2+ub^2)+I6+I7)*ep''"
            "-m6*u*(zf-fa)*om'*(om'+2*ep')*cos(om)"};
    struct derive d;
    derive_open(&d, &x->g, 0);
    for (int i = 0; i < 7; i++) {
        expr sum = text_read(x, f[i]);
        for (int k = 0; k < 6; k++) {
            expr part = derive_partial(&d, text_read(x, g[k]), x->symbol[i]);
            sum = expr_make(&x->g, EXPR_ADD, sum, expr_make(&x->g, EXPR_MUL, part, x->symbol[7 + k], 0), 0);
        }
        x->equation[x->equations++] = sum;
    }
    for (int k = 0; k < 6; k++) text_equation(x, g[k]);
    derive_close(&d);
}

static void andrews(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    andrews_equations(&x);
    assert_int_equal(x.unknowns, 13);
    analyse(&s, &x);
    check(&s, 3, 2);
    check_offsets(&s, 13, (int[]){0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2},
                  (int[]){2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0});
    assert_int_equal(s.hiddens, 12);
    close_both(&s, &x);
}

static void chemical_akzo_nobel(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "k2", 0.58);
    text_unknowns(&x, "y1 y2 y3 y4 y5 y6");
#define R1 "18.7*y1^4*sqrt(y2)"
#define R2 "k2*y3*y4"
#define R3 "k2/34.4*y1*y5"
#define R4 "0.09*y1*y4^2"
#define R5 "0.42*y6^2*sqrt(y2)"
    text_equation(&x, "y1'=-2*(" R1 ")+" R2 "-" R3 "-" R4);
    text_equation(&x, "y2'=-1/2*" R1 "-" R4 "-1/2*" R5 "+3.3*(0.9/737-y2)");
    text_equation(&x, "y3'=" R1 "-" R2 "+" R3);
    text_equation(&x, "y4'=-" R2 "+" R3 "-2*(" R4 ")");
    text_equation(&x, "y5'=" R2 "-" R3 "+" R5);
    text_equation(&x, "115.83*y1*y4-y6");
    analyse(&s, &x);
    check(&s, 1, 5);
    assert_int_equal(s.hiddens, 0);
    assert_int_equal(s.states, 5);
    close_both(&s, &x);
}

static void robertson(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    for (int dae = 0; dae < 2; dae++) {
        text_open(&x);
        text_unknowns(&x, "y1 y2 y3");
        text_equation(&x, "y1'=-0.04*y1+1e4*y2*y3");
        text_equation(&x, "y2'=0.04*y1-1e4*y2*y3-3e7*y2^2");
        text_equation(&x, dae ? "y1+y2+y3-1" : "y3'=3e7*y2*y2");
        analyse(&s, &x);
        check(&s, dae, dae ? 2 : 3);
        assert_int_equal(s.invariants, dae ? 0 : 1);
        if (!dae) {
            assert_int_equal(s.invariant[0].count, 3);
            for (int k = 0; k < 3; k++) assert_true(s.invariant[0].weight[k] == s.invariant[0].weight[0]);
        }
        close_both(&s, &x);
    }
}

static void transistor_amplifier_needs_three_combinations(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_set(&x, "C1", 1e-6);
    text_set(&x, "C2", 2e-6);
    text_set(&x, "C3", 3e-6);
    text_set(&x, "C4", 4e-6);
    text_set(&x, "C5", 5e-6);
#define G23 "1e-6*(exp((y2-y3)/0.026)-1)"
#define G56 "1e-6*(exp((y5-y6)/0.026)-1)"
    text_unknowns(&x, "y1 y2 y3 y4 y5 y6 y7 y8");
    text_equation(&x, "C1*(y2'-y1')=(y1-0.1*sin(628*t))/1000");
    text_equation(&x, "C1*(y1'-y2')=y2/9000+(y2-6)/9000+0.01*" G23);
    text_equation(&x, "-C2*y3'=y3/9000-" G23);
    text_equation(&x, "C3*(y5'-y4')=(y4-6)/9000+0.99*" G23);
    text_equation(&x, "C3*(y4'-y5')=y5/9000+(y5-6)/9000+0.01*" G56);
    text_equation(&x, "-C4*y6'=y6/9000-" G56);
    text_equation(&x, "C5*(y8'-y7')=(y7-6)/9000+0.99*" G56);
    text_equation(&x, "C5*(y7'-y8')=y8/9000");
    analyse(&s, &x);
    check(&s, 1, 5);
    assert_int_equal(s.steps, 3);
    for (int k = 0; k < 3; k++) assert_int_equal(s.step[k].count, 2);
    /* The combined equations are free of derivatives in fact, not in value alone. */
    for (int i = 0; i < s.n; i++)
        for (int k = 0; k < 3; k++) {
            struct expr_list all;
            if (s.step[k].replaced != s.row[i]) continue;
            assert_int_equal(expr_symbols(&x.g, 1, &s.equation[i], &all), 0);
            for (size_t e = 0; e < all.count; e++)
                if (x.g.node[all.item[e]].a == EXPR_UNKNOWN) assert_int_equal(x.g.node[all.item[e]].c, 0);
            free(all.item);
        }
    close_both(&s, &x);
}

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

/* ---- systems that are wrong ---- */

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
        assert_int_equal(s.redundant[0].twins, 1);
        assert_int_equal(s.redundant[0].twin[0], 2);
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
    assert_int_equal(s.redundant[0].twin[0], 2);
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
    assert_int_equal(s.redundant[0].twins, 1);
    assert_int_equal(s.redundant[0].twin[0], 3);
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
    assert_int_equal(s.redundant[0].twin[0], 2);
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

static void kinks_are_refused_only_where_they_are_differentiated(void **state) {
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

/* ---- linear invariants ---- */

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

/* ---- random systems of known offsets ---- */

static uint64_t seed = 1;
static int below(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static void shuffle(int *list, int n) {
    for (int i = 0; i < n; i++) list[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = below(i + 1), keep = list[i];
        list[i] = list[k], list[k] = keep;
    }
}

/* Chains x_1 = s(t), x_i' = x_(i+1) + x_(i+1)^3 of length k: c = k-1, k-2, ..., d the same, index k; and
 * terms of other unknowns of so low an order (below d_j - c_i) that they change nothing. */
static void random_chains_have_their_offsets(void **state) {
    enum { MOST = 40 };
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct graph g;
        struct structure s;
        int n = 0, longest = 0, odes = 0, c[MOST], d[MOST], row[MOST], column[MOST];
        expr f[MOST], equation[MOST], unknown[MOST];
        assert_int_equal(expr_open(&g), 0);
        int first[MOST + 1], chains = 0;
        while (chains < 6) {
            int length = below(6), is_ode = length == 0; /* 0: x' = ..., a differential equation */
            first[chains++] = n;
            if (length > longest) longest = length;
            odes += is_ode;
            for (int i = 0; i < length + is_ode; i++, n++)
                c[n] = is_ode ? 0 : length - 1 - i, d[n] = c[n] + is_ode;
        }
        first[chains] = n;
        shuffle(row, n);
        shuffle(column, n);
        for (int j = 0; j < n; j++)
            unknown[column[j]] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)(7 * column[j]), 0);
        for (int k = 0; k < chains; k++)
            for (int i = first[k]; i < first[k + 1]; i++) {
                expr x = unknown[column[i]], t = expr_symbol(&g, EXPR_TIME, 0, 0);
                expr rate = i == first[k]
                                ? expr_make(&g, EXPR_SIN, t, 0, 0)
                                : expr_symbol(&g, EXPR_UNKNOWN, g.node[unknown[column[i - 1]]].b, 1);
                expr cube = expr_make(&g, EXPR_ADD, x, expr_powi(&g, x, 3), 0);
                if (d[i] > c[i]) cube = expr_symbol(&g, EXPR_UNKNOWN, g.node[x].b, 1);
                f[i] = expr_make(&g, EXPR_SUB, cube, rate, 0);
            }
        for (int more = 0; more < 2 * n; more++) {
            int i = below(n), j = below(n);
            if (d[j] - c[i] < 1) continue;
            expr low =
                expr_symbol(&g, EXPR_UNKNOWN, g.node[unknown[column[j]]].b, (uint32_t)below(d[j] - c[i]));
            f[i] = expr_make(&g, EXPR_ADD, f[i], expr_make(&g, EXPR_MUL, low, low, 0), 0);
        }
        for (int i = 0; i < n; i++) equation[row[i]] = f[i];
        struct structure_problem p = {&g, n, n, equation, unknown, 0, NULL, NULL, 0, 0, NULL};
        structure_analyse(&s, &p);
        check(&s, longest, odes);
        for (int i = 0; i < n; i++) {
            assert_int_equal(s.c[row[i]], c[i]);
            assert_int_equal(s.d[column[i]], d[i]);
        }
        structure_close(&s);
        expr_close(&g);
    }
}

/* Sums of few terms with small coefficients, so that singular Jacobians are common: whatever comes out, it
 * ends, and what is called hidden depends on the states alone. */
static expr random_term(struct graph *g, int n) {
    expr x = expr_symbol(g, EXPR_UNKNOWN, (uint32_t)below(n), (uint32_t)below(3));
    expr y = expr_symbol(g, EXPR_UNKNOWN, (uint32_t)below(n), 0);
    expr term = expr_make(g, EXPR_MUL, expr_constant(g, 1 + below(2)), x, 0);
    int kind = below(8);
    if (kind == 0) return expr_make(g, EXPR_SIN, x, 0, 0);
    if (kind == 1) return expr_make(g, EXPR_MUL, x, y, 0);
    return kind == 2 ? expr_make(g, EXPR_NEG, x, 0, 0) : term;
}

static void check_orders(struct graph *g, const struct structure *s, expr f, int more) {
    struct expr_list all;
    assert_int_equal(expr_symbols(g, 1, &f, &all), 0);
    for (size_t k = 0; k < all.count; k++) {
        struct expr_node n = g->node[all.item[k]];
        for (int j = 0; j < s->n && n.a == EXPR_UNKNOWN; j++)
            if (s->column[j] == (int)n.b) assert_true((int)n.c < s->d[j] + more);
    }
    free(all.item);
}

static void random_systems_end_and_keep_their_promises(void **state) {
    int verdicts[STRUCTURE_MEMORY + 1] = {0}, combined = 0;
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct graph g;
        struct structure s;
        int n = 1 + below(6);
        expr f[6], unknown[6];
        assert_int_equal(expr_open(&g), 0);
        for (int j = 0; j < n; j++) unknown[j] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, 0);
        for (int i = 0; i < n; i++) {
            f[i] = expr_make(&g, EXPR_SIN, expr_symbol(&g, EXPR_TIME, 0, 0), 0, 0);
            for (int k = 2 + below(3); k > 0; k--)
                f[i] = expr_make(&g, EXPR_SUB, random_term(&g, n), f[i], 0);
        }
        struct structure_problem p = {&g, n, n, f, unknown, 0, NULL, NULL, 0, 0, NULL};
        structure_analyse(&s, &p);
        verdicts[s.verdict]++;
        if (s.verdict == STRUCTURE_OK) {
            check(&s, s.index, s.freedom);
            combined += s.steps > 0;
            for (int k = 0; k < s.hiddens; k++) check_orders(&g, &s, s.hidden[k].f, 0);
            for (int i = 0; i < s.n; i++) check_orders(&g, &s, s.top[i], 1);
        }
        structure_close(&s);
        expr_close(&g);
    }
    print_message("ok %d (combined %d), singular %d, degenerate %d, contradiction %d\n",
                  verdicts[STRUCTURE_OK], combined, verdicts[STRUCTURE_SINGULAR],
                  verdicts[STRUCTURE_DEGENERATE], verdicts[STRUCTURE_CONTRADICTION]);
    assert_int_equal(verdicts[STRUCTURE_MEMORY] + verdicts[STRUCTURE_OBSTACLE], 0);
    assert_in_range(combined, 20, 4000);
}

/* A x'' + B x' + C x = r(t) has as many degrees of freedom as det(A s^2 + B s + C) has degree; none if
 * that is 0. The determinant is taken modulo a prime at many s, the degree from its differences. */
enum { PRIME = 1000003, SIZE = 5, SAMPLES = 2 * SIZE + 2 };

static int64_t power(int64_t a, int64_t e) {
    int64_t r = 1;
    for (; e; e >>= 1, a = a * a % PRIME)
        if (e & 1) r = r * a % PRIME;
    return r;
}

static int64_t determinant(int n, int64_t a[SIZE][SIZE]) {
    int64_t product = 1;
    for (int k = 0; k < n; k++) {
        int p = k;
        while (p < n && a[p][k] == 0) p++;
        if (p == n) return 0;
        for (int j = 0; j < n && p != k; j++) {
            int64_t keep = a[p][j];
            a[p][j] = a[k][j], a[k][j] = keep;
        }
        if (p != k) product = PRIME - product;
        product = product * a[k][k] % PRIME;
        for (int i = k + 1; i < n; i++) {
            int64_t factor = a[i][k] * power(a[k][k], PRIME - 2) % PRIME;
            for (int j = k; j < n; j++) a[i][j] = (a[i][j] + (PRIME - factor) * a[k][j]) % PRIME;
        }
    }
    return product;
}

static int degree(int n, int coefficient[3][SIZE][SIZE]) {
    int64_t value[SAMPLES], a[SIZE][SIZE];
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] =
                    (coefficient[0][i][j] + s * coefficient[1][i][j] + s * s * coefficient[2][i][j] + PRIME) %
                    PRIME;
        value[s] = determinant(n, a);
    }
    int found = -1;
    for (int k = 0; k < SAMPLES; k++) {
        if (value[0]) found = k;
        for (int s = 0; s + 1 < SAMPLES - k; s++) value[s] = (value[s + 1] - value[s] + PRIME) % PRIME;
    }
    return found;
}

static void linear_systems_have_the_degree_of_their_determinant(void **state) {
    int regular = 0, combined = 0;
    (void)state;
    for (int round = 0; round < 6000; round++) {
        struct graph g;
        struct structure s;
        int n = 2 + below(SIZE - 1), coefficient[3][SIZE][SIZE] = {{{0}}};
        expr f[SIZE], unknown[SIZE];
        assert_int_equal(expr_open(&g), 0);
        for (int j = 0; j < n; j++) unknown[j] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, 0);
        for (int i = 0; i < n; i++) {
            f[i] = expr_make(&g, EXPR_SIN, expr_constant(&g, i + 1), 0, 0);
            f[i] = expr_make(&g, EXPR_MUL, f[i], expr_symbol(&g, EXPR_TIME, 0, 0), 0);
            for (int k = 2 + below(4); k > 0; k--) {
                int j = below(n), order = below(3), c = 1 + below(2);
                if (below(2)) c = -c;
                expr x = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, (uint32_t)order);
                coefficient[order][i][j] += c;
                f[i] = expr_make(&g, EXPR_ADD, f[i], expr_make(&g, EXPR_MUL, expr_constant(&g, c), x, 0), 0);
            }
        }
        struct structure_problem p = {&g, n, n, f, unknown, 0, NULL, NULL, 0, 0, NULL};
        structure_analyse(&s, &p);
        int expected = degree(n, coefficient);
        assert_int_equal(s.verdict == STRUCTURE_OK, expected >= 0);
        if (expected >= 0) {
            check(&s, s.index, expected);
            regular++;
            combined += s.steps > 0;
        }
        structure_close(&s);
        expr_close(&g);
    }
    print_message("%d regular linear systems, %d of them by combinations\n", regular, combined);
    assert_in_range(combined, 100, 6000);
}

/* ---- the assignment problem by itself ---- */

static int best_by_trying(const int *weight, int n, int row, unsigned used) {
    int best = -1000000;
    if (row == n) return 0;
    for (int j = 0; j < n; j++)
        if (!(used & 1u << j) && weight[row * n + j] >= 0) {
            int value = weight[row * n + j] + best_by_trying(weight, n, row + 1, used | 1u << j);
            if (value > best) best = value;
        }
    return best;
}

static void transversals_are_the_best(void **state) {
    enum { MOST = 7 };
    int feasible = 0;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        int n = 1 + below(MOST), weight[MOST * MOST], start[MOST + 1] = {0}, column[MOST * MOST],
            sigma[MOST * MOST];
        int match[MOST], back[MOST], count = 0, sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                weight[i * n + j] = below(2) ? -1 : below(5);
                if (weight[i * n + j] < 0) continue;
                column[count] = j;
                sigma[count++] = weight[i * n + j];
            }
            start[i + 1] = count;
        }
        struct graph g = {.work = EXPR_WORK};
        struct structure s = {.g = &g};
        struct structure_pattern a = {n, n, start, column, sigma, NULL};
        int best = best_by_trying(weight, n, 0, 0), size = structure_match(&s, &a, match, back);
        assert_int_equal(size == n, best >= 0);
        if (size == n) {
            feasible++;
            structure_assign(&s, &a, match, back);
            for (int i = 0; i < n; i++) sum += weight[i * n + match[i]];
            assert_int_equal(sum, best);
        }
        structure_close(&s);
    }
    assert_in_range(feasible, 500, 3000);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Offsets with equality on the transversal prove that it is the best. */
static void large_bands_are_matched(void **state) {
    enum { N = 4000, WIDTH = 9 };
    static int start[N + 1], column[N * WIDTH], sigma[N * WIDTH], match[N], back[N], c[N], d[N], order[N];
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        int count = 0;
        shuffle(order, N);
        for (int i = 0; i < N; i++) {
            for (int j = i - WIDTH / 2; j <= i + WIDTH / 2; j++) {
                if (j < 0 || j >= N || (j != i && below(3) == 0)) continue;
                column[count] = kind == 2 ? order[j] : j;
                sigma[count++] = kind ? below(4) : (j > i);
            }
            start[i + 1] = count;
        }
        struct graph g = {.work = EXPR_WORK};
        struct structure s = {.g = &g};
        struct structure_pattern a = {N, N, start, column, sigma, NULL};
        assert_int_equal(structure_match(&s, &a, match, back), N);
        assert_int_equal(structure_assign(&s, &a, match, back), 0);
        assert_int_equal(structure_offsets(&s, &a, match, back, NULL, c, d), 0);
        for (int i = 0; i < N; i++)
            for (int k = start[i]; k < start[i + 1]; k++) {
                assert_true(d[column[k]] - c[i] >= sigma[k] && c[i] >= 0);
                if (column[k] == match[i]) assert_int_equal(d[column[k]] - c[i], sigma[k]);
            }
        structure_close(&s);
    }
}

/* N links of a hanging chain: x_i'' = -lam_i (x_i - x_(i-1)) + lam_(i+1) (x_(i+1) - x_i), |r_i -
 * r_(i-1)|^2 = 1. */
static double analyse_links(int links) {
    struct graph g;
    struct structure s;
    int n = 3 * links;
    expr *f = calloc((size_t)n, sizeof *f), *unknown = calloc((size_t)n, sizeof *unknown), zero;
    assert_int_equal(expr_open(&g), 0);
    zero = expr_constant(&g, 0);
    for (int j = 0; j < n; j++)
        unknown[j] = expr_symbol(&g, j % 3 == 2 ? EXPR_MULTIPLIER : EXPR_UNKNOWN, (uint32_t)j, 0);
    for (int i = 0; i < links; i++) {
        expr sum = expr_constant(&g, -1);
        for (int k = 0; k < 2; k++) {
            expr x = unknown[3 * i + k], low = i ? unknown[3 * i - 3 + k] : zero;
            expr back = expr_make(&g, EXPR_SUB, x, low, 0);
            expr pull = expr_make(&g, EXPR_MUL, unknown[3 * i + 2], back, 0);
            expr a = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)(3 * i + k), 2);
            if (i + 1 < links) {
                expr ahead = expr_make(&g, EXPR_SUB, unknown[3 * i + 3 + k], x, 0);
                pull =
                    expr_make(&g, EXPR_SUB, pull, expr_make(&g, EXPR_MUL, unknown[3 * i + 5], ahead, 0), 0);
            }
            f[3 * i + k] =
                expr_make(&g, EXPR_ADD, expr_make(&g, EXPR_ADD, a, pull, 0), expr_constant(&g, k), 0);
            sum = expr_make(&g, EXPR_ADD, sum, expr_powi(&g, back, 2), 0);
        }
        f[3 * i + 2] = sum;
    }
    struct structure_problem p = {&g, n, n, f, unknown, 0, NULL, NULL, 0, 0, NULL};
    double begin = seconds();
    structure_analyse(&s, &p);
    double spent = seconds() - begin;
    check(&s, 3, 2 * links);
    assert_int_equal(s.hiddens, 2 * links);
    structure_close(&s);
    expr_close(&g);
    free(f);
    free(unknown);
    return spent;
}

static void a_chain_of_a_thousand_links(void **state) {
    (void)state;
    double small = analyse_links(250), large = analyse_links(1000);
    print_message("250 links %.3f s, 1000 links %.3f s\n", small, large);
}

/* ---- the hidden constraints ---- */

/* e where x_j^(k)(t) is at(j, k, t). */
static double value(struct text *x, expr e, double (*at)(int, int, double), double t) {
    struct expr_list all;
    struct tape_input input[256];
    struct tape tape;
    double u[256], out;
    assert_int_equal(expr_symbols(&x->g, 1, &e, &all), 0);
    for (size_t k = 0; k < all.count; k++) {
        struct expr_node n = x->g.node[all.item[k]];
        enum tape_source source = n.a == EXPR_TIME        ? TAPE_TIME
                                  : n.a == EXPR_PARAMETER ? TAPE_PARAMETER
                                                          : TAPE_STATE;
        input[k] = (struct tape_input){all.item[k], source, source == TAPE_PARAMETER ? n.b : (uint32_t)k};
        if (source == TAPE_STATE) u[k] = at((int)n.b, (int)n.c, t);
    }
    expr missing;
    assert_int_equal(tape_build(&tape, &x->g, 1, &e, all.count, input, &missing), 0);
    assert_int_equal(tape_call(&tape, t, u, x->value, &out), 0);
    tape_free(&tape);
    free(all.item);
    return out;
}

/* Any smooth curve: sin(w_j t + j), w_j = 1 + j/5. */
static double curve(int j, int order, double t) {
    double w = 1 + 0.2 * j;
    return pow(w, order) * sin(w * t + j + 1.5707963267948966 * order);
}

static double slope(struct text *x, expr e, double t) {
    double h = 1e-2, d = 0;
    static const double weight[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
    for (int k = 1; k <= 4; k++)
        d += weight[k - 1] * (value(x, e, curve, t + k * h) - value(x, e, curve, t - k * h)) / h;
    return d;
}

static void hidden_constraints_are_total_derivatives(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    for (int system = 0; system < 2; system++) {
        if (system) andrews_equations(&x);
        else pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "x^2+y^2-1+sin(t)*x");
        analyse(&s, &x);
        check(&s, 3, 2);
        for (int k = 0; k < s.hiddens; k++) {
            int last = s.hidden[k].order == 1;
            int row = s.hidden[k].equation;
            expr next = last ? s.top[row] : s.hidden[k + 1].f;
            for (double t = 0.3; t < 2; t += 0.5) {
                double expected = slope(&x, s.hidden[k].f, t);
                assert_below(fabs(value(&x, next, curve, t) - expected), 1e-9 * (1 + fabs(expected)));
            }
        }
        close_both(&s, &x);
    }
}

/* Andrews at t = 0: positions, velocities, accelerations and multipliers of the reference solve all of
 * them. */
static double andrews_start(int j, int order, double t) {
    static const double q[13] = {-0.0617138900142764496,
                                 0,
                                 0.455279819163070380,
                                 0.222668390165885885,
                                 0.487364979543842550,
                                 -0.222668390165885885,
                                 1.23054744454982119,
                                 98.5668703962410896,
                                 -6.12268834425566266,
                                 0,
                                 0,
                                 0,
                                 0};
    static const double a[2] = {14222.4439199541139, -10666.8329399655854};
    (void)t;
    return order == 0 ? q[j] : order == 2 && j < 2 ? a[j] : 0;
}

static void hidden_constraints_hold_on_the_solution(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    andrews_equations(&x);
    analyse(&s, &x);
    for (int k = 0; k < s.hiddens; k++) assert_below(fabs(value(&x, s.hidden[k].f, andrews_start, 0)), 1e-15);
    for (int i = 0; i < s.n; i++)
        assert_below(fabs(value(&x, s.top[i], andrews_start, 0)), i < 7 ? 1e-14 : 1e-11);
    close_both(&s, &x);
}

/* ---- initial values ---- */

/* What the user fixes stays free where the equations allow it; what they determine is named. */
static void chosen_initial_values(void **state) {
    static const struct {
        struct structure_value chosen[3];
        int count, surplus, free[4];
    } c[] = {{{{0, 0}, {0, 1}}, 2, 0, {1, 1, 0, 0}},
             {{{1, 0}, {1, 1}}, 2, 0, {0, 0, 1, 1}},
             {{{1, 0}, {0, 1}}, 2, 0, {0, 1, 1, 0}},
             {{{0, 0}, {1, 0}, {1, 1}}, 3, 1, {-1, 0, -1, 1}},
             {{{0, 0}, {1, 1}, {2, 0}}, 3, 1, {1, 0, 0, 1}}};
    (void)state;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        struct text x;
        struct structure s;
        pendulum(&x, "x''=-lam*x", "y''=-lam*y-g", "x^2+y^2-1");
        struct structure_problem p = {&x.g,    3,    3, x.equation, x.symbol,   1,
                                      x.value, NULL, 0, c[k].count, c[k].chosen};
        structure_analyse(&s, &p);
        check(&s, 3, 2);
        assert_int_equal(s.surpluses, c[k].surplus);
        for (int i = 0; i < 4; i++)
            if (c[k].free[i] >= 0) assert_int_equal(s.free[i], c[k].free[i]);
        if (k == 4) assert_int_equal(s.surplus[0].unknown, 2); /* lam is no state at all */
        close_both(&s, &x);
    }
}

/* Many combinations at once: 200 amplifier stages' worth of floating capacitors in one chain. */
static void long_chains_of_floating_capacitors(void **state) {
    enum { PAIRS = 600 };
    struct graph g;
    struct structure s;
    static expr f[2 * PAIRS], unknown[2 * PAIRS];
    (void)state;
    assert_int_equal(expr_open(&g), 0);
    for (int j = 0; j < 2 * PAIRS; j++) unknown[j] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)j, 0);
    for (int i = 0; i < 2 * PAIRS; i++) { /* x_i' - x_k' = +-x_i + x_(i-1), k the partner */
        expr rate = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)i, 1);
        expr other = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)(i ^ 1), 1);
        f[i] = expr_make(&g, EXPR_SUB, rate, other, 0);
        f[i] = expr_make(&g, EXPR_ADD, f[i], expr_make(&g, EXPR_EXP, unknown[i], 0, 0), 0);
        if (i > 1) f[i] = expr_make(&g, EXPR_ADD, f[i], unknown[i - 2], 0);
    }
    struct structure_problem p = {&g, 2 * PAIRS, 2 * PAIRS, f, unknown, 0, NULL, NULL, 0, 0, NULL};
    double begin = seconds();
    structure_analyse(&s, &p);
    print_message("%d combinations in %.3f s\n", s.steps, seconds() - begin);
    check(&s, 1, PAIRS);
    assert_int_equal(s.steps, PAIRS);
    structure_close(&s);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_has_the_known_offsets),
        cmocka_unit_test(pendulum_with_velocities_is_the_same),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(car_axis),
        cmocka_unit_test(andrews),
        cmocka_unit_test(chemical_akzo_nobel),
        cmocka_unit_test(robertson),
        cmocka_unit_test(transistor_amplifier_needs_three_combinations),
        cmocka_unit_test(weights_may_be_parameters_or_expressions),
        cmocka_unit_test(impossible_combinations_are_named),
        cmocka_unit_test(parameters_that_are_zero),
        cmocka_unit_test(pulses_are_not_zero),
        cmocka_unit_test(weights_keep_their_parameters),
        cmocka_unit_test(a_constraint_written_twice_is_named),
        cmocka_unit_test(a_constraint_twice_with_two_multipliers),
        cmocka_unit_test(a_constraint_and_its_derivative),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(branches_that_the_points_miss_count),
        cmocka_unit_test(over_and_underdetermined_parts_are_named),
        cmocka_unit_test(counts_may_differ),
        cmocka_unit_test(kinks_are_refused_only_where_they_are_differentiated),
        cmocka_unit_test(terms_that_cancel_do_not_count),
        cmocka_unit_test(momentum_is_found),
        cmocka_unit_test(random_chains_have_their_offsets),
        cmocka_unit_test(random_systems_end_and_keep_their_promises),
        cmocka_unit_test(linear_systems_have_the_degree_of_their_determinant),
        cmocka_unit_test(transversals_are_the_best),
        cmocka_unit_test(large_bands_are_matched),
        cmocka_unit_test(a_chain_of_a_thousand_links),
        cmocka_unit_test(hidden_constraints_are_total_derivatives),
        cmocka_unit_test(hidden_constraints_hold_on_the_solution),
        cmocka_unit_test(chosen_initial_values),
        cmocka_unit_test(long_chains_of_floating_capacitors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
