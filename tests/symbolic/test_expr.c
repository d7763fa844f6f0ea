/* test_expr.c - the graph: equal expressions are one node, and no rule changes a bit of a value. */
#include "testing.h"

#include "symbolic/tape.h"
#include "lang_random.h"

#include <float.h>
#include <math.h>

/* The same expression built twice, and with sums and products turned round, is the same node. */
static void equal_expressions_are_one_node(void **state) {
    (void)state;
    struct graph g;
    struct random r;
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 1, 0);
    for (int i = 0; i < 3000; i++) {
        struct random again = r;
        expr first = random_expr(&r, 1 + i % 7);
        uint32_t count = g.count;
        assert_int_equal(random_expr(&again, 1 + i % 7), first);
        assert_int_equal(g.count, count);
        expr other = random_expr(&r, 3);
        assert_int_equal(expr_make(&g, EXPR_ADD, first, other, 0), expr_make(&g, EXPR_ADD, other, first, 0));
        assert_int_equal(expr_make(&g, EXPR_MUL, first, other, 0), expr_make(&g, EXPR_MUL, other, first, 0));
    }
    for (uint32_t i = 1; i < g.count; i++) { /* operands come first; no two nodes are the same */
        struct expr_node n = g.node[i];
        int operands = expr_operands((enum expr_op)n.op);
        assert_true(operands < 1 || (n.a > 0 && n.a < i));
        assert_true(operands < 2 || (n.b > 0 && n.b < i));
        assert_true(operands < 3 || (n.c > 0 && n.c < i));
        assert_int_equal(expr_intern(&g, n), i);
    }
    assert_int_equal(g.failed, 0);
    expr_close(&g);
}

static int same_bits(double x, double y) {
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static const double numbers[] = {0.0,      -0.0,  1,      -1,        2,       -2,     0.5,
                                 3,        -3,    0.1,    1e-3,      1e17,    5e-324, -5e-324,
                                 INFINITY, 1e308, -1e308, -INFINITY, 1.0 / 3, 64,     65};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* The value of an operation on constants (folded) is that on symbols (at run time), for all pairs of
 * numbers. */
static void folding_is_evaluation(void **state) {
    (void)state;
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), missing;
    struct tape_input input[2] = {{x, TAPE_STATE, 0}, {y, TAPE_STATE, 1}};
    for (int op = EXPR_NEG; op <= EXPR_NOT; op++) {
        if (op == EXPR_LOOK || op == EXPR_ENTRY || op == EXPR_POSITION) continue; /* of the rows of tables */
        for (int i = 0; i < NUMBERS * NUMBERS; i++) {
            double u[2] = {numbers[i / NUMBERS], numbers[i % NUMBERS]}, at_run[4];
            expr a = expr_constant(&g, u[0]), b = expr_constant(&g, u[1]), out[4];
            if (op == EXPR_POWI) {
                int n = i % NUMBERS - NUMBERS / 2;
                out[0] = expr_powi(&g, a, n), out[1] = out[2] = out[3] = expr_powi(&g, x, n);
            } else {
                enum expr_op o = (enum expr_op)op;
                out[0] = expr_make(&g, o, a, b, 0), out[1] = expr_make(&g, o, x, y, 0);
                out[2] = expr_make(&g, o, a, y, 0), out[3] = expr_make(&g, o, x, b, 0);
                if (op == EXPR_POW) out[1] = out[2] = out[3]; /* a constant exponent chooses the chain */
            }
            struct tape t;
            assert_int_equal(tape_build(&t, &g, 4, out, 2, input, &missing), 0);
            assert_int_equal(tape_call(&t, 0, u, NULL, at_run), 0);
            tape_free(&t);
            for (int k = 1; k < 4; k++)
                if (!same_bits(at_run[0], at_run[k]))
                    fail_msg("%s(%g, %g): %a and %a (%d)", expr_name((enum expr_op)op), u[0], u[1], at_run[0],
                             at_run[k], k);
        }
    }
    expr_close(&g);
}

/* Every rule, over all pairs of numbers and against the operations written out. */
static void no_rule_changes_a_bit(void **state) {
    (void)state;
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), missing;
    struct tape_input input[2] = {{x, TAPE_STATE, 0}, {y, TAPE_STATE, 1}};
    expr one = expr_constant(&g, 1), zero = expr_constant(&g, 0), minus = expr_constant(&g, -1);
    expr nx = expr_make(&g, EXPR_NEG, x, 0, 0), ny = expr_make(&g, EXPR_NEG, y, 0, 0);
    expr out[] = {expr_make(&g, EXPR_ADD, x, ny, 0),
                  expr_make(&g, EXPR_ADD, nx, y, 0),
                  expr_make(&g, EXPR_SUB, x, ny, 0),
                  expr_make(&g, EXPR_MUL, nx, y, 0),
                  expr_make(&g, EXPR_MUL, nx, ny, 0),
                  expr_make(&g, EXPR_DIV, nx, y, 0),
                  expr_make(&g, EXPR_DIV, x, ny, 0),
                  expr_make(&g, EXPR_MUL, x, minus, 0),
                  expr_make(&g, EXPR_DIV, x, minus, 0),
                  expr_make(&g, EXPR_SUB, x, zero, 0),
                  expr_make(&g, EXPR_ADD, x, zero, 0),
                  expr_make(&g, EXPR_MUL, x, one, 0),
                  expr_make(&g, EXPR_ABS, nx, 0, 0),
                  expr_powi(&g, nx, 3),
                  expr_powi(&g, nx, -4),
                  expr_make(&g, EXPR_ABS, expr_powi(&g, x, 2), 0, 0),
                  expr_make(&g, EXPR_NEG, nx, 0, 0),
                  expr_make(&g, EXPR_SUB, x, x, 0)};
    enum { RULES = sizeof out / sizeof *out };
    struct tape t;
    assert_int_equal(tape_build(&t, &g, RULES, out, 2, input, &missing), 0);
    for (int i = 0; i < NUMBERS * NUMBERS; i++) {
        double u[2] = {numbers[i / NUMBERS], numbers[i % NUMBERS]}, value[RULES], a = u[0], b = u[1];
        assert_int_equal(tape_call(&t, 0, u, NULL, value), 0);
        const double wanted[RULES] = {
            a + -b,      -a + b, a - -b,   -a * b,       -a * -b,
            -a / b,      a / -b, a * -1,   a / -1,       a - 0,
            a + 0,       a * 1,  fabs(-a), -a * -a * -a, 1 / ((-a * -a) * (-a * -a)),
            fabs(a * a), -(-a),  a - a};
        for (int k = 0; k < RULES; k++)
            if (!same_bits(value[k], wanted[k]))
                fail_msg("rule %d at %g, %g: %a, %a", k, a, b, value[k], wanted[k]);
    }
    tape_free(&t);
    assert_int_equal(expr_make(&g, EXPR_MUL, x, one, 0), x);
    assert_int_equal(expr_make(&g, EXPR_SUB, x, zero, 0), x);
    assert_int_not_equal(expr_make(&g, EXPR_ADD, x, zero, 0), x); /* -0 + 0 = 0 */
    assert_int_not_equal(expr_make(&g, EXPR_MUL, x, zero, 0), zero);
    expr_close(&g);
}

static void substitution_and_symbols(void **state) {
    (void)state;
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0);
    expr p = expr_symbol(&g, EXPR_PARAMETER, 0, 0), three = expr_constant(&g, 3);
    expr f = expr_make(&g, EXPR_ADD, expr_powi(&g, x, 2), expr_make(&g, EXPR_MUL, p, y, 0), 0), out;
    expr from[3] = {x, y, p}, to[3] = {y, x, three}; /* all at once: x and y change places */
    assert_int_equal(expr_substitute(&g, 1, &f, 3, from, to, &out), 0);
    assert_int_equal(out,
                     expr_make(&g, EXPR_ADD, expr_powi(&g, y, 2), expr_make(&g, EXPR_MUL, three, x, 0), 0));
    assert_int_equal(expr_substitute(&g, 1, &f, 0, NULL, NULL, &out), 0);
    assert_int_equal(out, f);
    struct expr_list list;
    assert_int_equal(expr_symbols(&g, 1, &f, &list), 0);
    assert_int_equal(list.count, 3);
    assert_true(list.item[0] == x && list.item[1] == y && list.item[2] == p);
    free(list.item);
    assert_true(expr_depends(&g, f, 1, &y) && !expr_depends(&g, expr_powi(&g, x, 2), 2, from + 1));
    assert_int_equal(expr_function("atan2"), EXPR_ATAN2);
    assert_int_equal(expr_function("if"), EXPR_IF);
    assert_int_equal(expr_function("ln"), 0);
    assert_int_equal(expr_function("number"), 0);
    assert_int_equal(expr_make(&g, EXPR_ADD, EXPR_NONE, x, 0), EXPR_NONE);
    expr_close(&g);
}

/* A node with many users, in either place, and numbers and symbols by the thousand: each is found again. */
static void many_users_of_a_node_are_found_again(void **state) {
    (void)state;
    enum { MANY = 3000 };
    static expr first[MANY][3];
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    for (int again = 0; again < 2; again++) {
        uint32_t before = g.count;
        for (int i = 0; i < MANY; i++) expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)i, 0);
        expr hub = expr_symbol(&g, EXPR_PARAMETER, 0, 0); /* later than all of them */
        for (int i = 0; i < MANY; i++) {
            expr x = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)i, 0);
            expr made[3] = {expr_make(&g, EXPR_MUL, again ? hub : x, again ? x : hub, 0),
                            expr_make(&g, EXPR_SUB, hub, x, 0), expr_make(&g, EXPR_IF, x, hub, x)};
            if (again) assert_memory_equal(first[i], made, sizeof made);
            memcpy(first[i], made, sizeof made);
        }
        if (again) assert_int_equal(g.count, before);
    }
    expr_close(&g);
}

/* A sum of a million terms and a nest of a hundred thousand functions: no recursion gives way. */
static void depth_is_no_limit(void **state) {
    (void)state;
    struct graph g;
    struct tape t;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), sum = x, nest = x, missing, zero = expr_constant(&g, 0);
    for (int i = 1; i < 1000000; i++) sum = expr_make(&g, EXPR_ADD, sum, expr_constant(&g, i), 0);
    for (int i = 1; i < 100000; i++) {
        nest = expr_make(&g, EXPR_COS, nest, 0, 0);
        if (i % 10 == 0)
            nest = expr_make(&g, EXPR_IF, expr_greater(&g, nest, expr_constant(&g, -i)), nest, zero);
        if (i % 10 == 5) nest = expr_make(&g, EXPR_IF, expr_greater(&g, x, expr_constant(&g, i)), zero, nest);
    }
    struct tape_input input = {x, TAPE_STATE, 0};
    expr out[2] = {sum, nest};
    double u = 0.5, value[2];
    assert_int_equal(tape_build(&t, &g, 2, out, 1, &input, &missing), 0);
    assert_int_equal(tape_call(&t, 0, &u, NULL, value), 0);
    assert_true(value[0] == 0.5 + 999999.0 * 1000000 / 2);
    assert_below(fabs(value[1] - 0.7390851332151607), 1e-15);
    print_message("%zu operations, %u registers\n", t.count, t.registers - t.constants - t.inputs);
    tape_free(&t);
    expr_close(&g);
}

/* Powers that have a way of their own, beside libm's: over all sizes, and where there is no number. */
static void half_integer_powers_are_powers(void **state) {
    (void)state;
    static const double power[] = {0.5, 1.5, -0.5, -1.5, 2.5, 0.3};
    static const double special[] = {0., -0., INFINITY, -1., NAN, 5e-324, 1e-206, DBL_MAX};
    for (int k = 0; k < 6; k++) {
        for (double x = 1e-300; x < 1e300; x *= 1.7) {
            double found = expr_value(EXPR_POW, x, power[k]), known = pow(x, power[k]);
            if (isfinite(known)) assert_true(fabs(found - known) <= 4 * DBL_EPSILON * known + DBL_MIN);
            else assert_true(found == known);
        }
        for (int i = 0; i < 8; i++) {
            double found = expr_value(EXPR_POW, special[i], power[k]), known = pow(special[i], power[k]);
            if (isnan(known)) assert_true(isnan(found));
            else if (isinf(known)) assert_true(found == known);
            else assert_true(fabs(found - known) <= 8 * DBL_EPSILON * fabs(known) + DBL_MIN);
            assert_true(isnan(known) || !signbit(found) == !signbit(known));
        }
    }
}

static int places(const struct expr_list *list, const struct graph *g, uint32_t *place) {
    memset(place, 0, g->count * sizeof *place);
    for (uint32_t i = 0; i < list->count; i++) {
        if (place[list->item[i]]) return 0;
        place[list->item[i]] = i + 1;
    }
    return 1;
}

/* What roots reach is one set, each node once and behind its operands, by either walk and for any number of
 * roots; a walk among some nodes has those of them that others of them lead to, in the same order. */
static void walks_reach_the_same_nodes(void **state) {
    (void)state;
    enum { ROOTS = 400 };
    struct graph g;
    struct random r;
    expr root[ROOTS];
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 7, 0);
    for (int i = 0; i < ROOTS; i++) root[i] = i % 50 == 49 ? EXPR_NONE : random_expr(&r, 1 + i % 8);
    uint32_t *first = calloc(g.count, sizeof *first), *second = calloc(g.count, sizeof *second);
    unsigned char *among = calloc(g.count, 1);
    assert_true(first && second && among);
    assert_true(g.count > 2000); /* some reach more than a walk by depth is for */
    for (int count = 1; count <= ROOTS; count = 3 * count + 1) {
        struct expr_list order, reached, some;
        assert_int_equal(expr_order(&g, (size_t)count, root, &order), 0);
        assert_int_equal(expr_reach(&g, (size_t)count, root, &reached), 0);
        assert_int_equal(order.count, reached.count);
        assert_true(places(&order, &g, first) && places(&reached, &g, second));
        for (uint32_t e = 1; e < g.count; e++) {
            const struct expr_node n = g.node[e];
            const expr operand[3] = {n.a, n.b, n.c};
            assert_int_equal(first[e] > 0, second[e] > 0);
            for (int k = 0; k < expr_operands((enum expr_op)n.op) && first[e]; k++)
                assert_true(first[operand[k]] < first[e] && second[operand[k]] < second[e]);
        }
        expr x = r.symbol[1]; /* all that varies with x */
        for (size_t i = 0; i < order.count; i++) {
            const struct expr_node n = g.node[order.item[i]];
            const expr operand[3] = {n.a, n.b, n.c};
            among[order.item[i]] = order.item[i] == x;
            for (int k = 0; k < expr_operands((enum expr_op)n.op); k++)
                among[order.item[i]] |= among[operand[k]];
        }
        assert_int_equal(expr_order_among(&g, (size_t)count, root, among, &some), 0);
        size_t at = 0;
        for (size_t i = 0; i < order.count; i++)
            if (among[order.item[i]]) assert_true(at < some.count && some.item[at++] == order.item[i]);
        assert_int_equal(at, some.count);
        free(order.item);
        free(reached.item);
        free(some.item);
    }
    free(first);
    free(second);
    free(among);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(folding_is_evaluation),
        cmocka_unit_test(no_rule_changes_a_bit),
        cmocka_unit_test(substitution_and_symbols),
        cmocka_unit_test(many_users_of_a_node_are_found_again),
        cmocka_unit_test(walks_reach_the_same_nodes),
        cmocka_unit_test(depth_is_no_limit),
        cmocka_unit_test(half_integer_powers_are_powers),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
