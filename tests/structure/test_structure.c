/* test_structure.c - the structure of known systems: offsets, index, degrees of freedom, hidden
 * constraints. */
#include "testing.h"
#include "analyse.h"
#include "lang_text.h"

#include "symbolic/tape.h"

/* ---- the problems of the literature ---- */

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
    /* x' = u stays, and v = y' does as it does; then v = y' goes of itself */
    const int all[] = {0, 0, 0, 0, 0}, one[] = {0, -1, -1, -1, -1};
    for (int k = 0; k < 2; k++) {
        struct structure_problem p = {&x.g,          5, 5,   x.equation, x.symbol, 0, NULL, NULL,
                                      k ? one : all, 0, NULL};
        structure_analyse(&s, &p);
        check(&s, 3, 2);
        assert_int_equal(s.n, k ? 4 : 5);
        if (k == 0) structure_close(&s);
    }
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

/* ---- what need not be differentiated ---- */

static int has(const struct graph *g, enum expr_op op) {
    for (uint32_t e = 1; e < g->count; e++)
        if (g->node[e].op == (uint32_t)op) return 1;
    return 0;
}

/* Where the highest derivatives follow from a regular matrix, nothing else is differentiated: no cosine
 * appears. */
static void leading_matrix_is_enough(void **state) {
    static const struct {
        const char *equation[2];
        int freedom;
    } c[] = {{{"x''=sin(y)*exp(x')", "y'=sin(x*y)"}, 3}, {{"(2+t)*x''+y''=sin(y)", "x''-3*y''=sin(x*y)"}, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        struct text x;
        struct structure s;
        text_open(&x);
        text_unknowns(&x, "x y");
        for (int i = 0; i < 2; i++) text_equation(&x, c[k].equation[i]);
        analyse(&s, &x);
        check(&s, 0, c[k].freedom);
        assert_int_equal(s.hiddens, 0);
        assert_false(has(&x.g, EXPR_COS));
        close_both(&s, &x);
    }
}

/* A highest derivative that is there in appearance only, or a name for a higher one, is seen through. */
static void leading_matrix_is_not_trusted(void **state) {
    struct text x;
    struct structure s;
    (void)state;
    text_open(&x);
    text_unknowns(&x, "x y");
    text_equation(&x, "x'+(y'+1)^2-y'^2-2*y'=y");
    text_equation(&x, "y'=-x");
    analyse(&s, &x);
    check(&s, 0, 2);
    assert_int_equal(s.jacobian.row_start[2], 2); /* y' is not in the first row */
    close_both(&s, &x);
    text_open(&x);
    text_unknowns(&x, "x u w");
    text_equation(&x, "x=sin(t)");
    text_equation(&x, "u=x'");
    text_equation(&x, "w=u'");
    analyse(&s, &x);
    check(&s, 3, 0);
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
        cmocka_unit_test(hidden_constraints_are_total_derivatives),
        cmocka_unit_test(hidden_constraints_hold_on_the_solution),
        cmocka_unit_test(leading_matrix_is_enough),
        cmocka_unit_test(leading_matrix_is_not_trusted),
        cmocka_unit_test(chosen_initial_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
