/* test_roots.c - derivatives of powers of square roots, of which the forces of distances are made. */
#include "testing.h"
#include "evaluate.h"

#include "symbolic/derive.h"
#include "symbolic/tape.h"

struct direction {
    struct graph *g;
    int number;
};

/* Along the direction number *user: its companions stand behind the unknowns. */
static expr companion_of(void *user, expr symbol) {
    struct direction *d = user;
    const struct expr_node n = d->g->node[symbol];
    if (n.a != EXPR_UNKNOWN) return expr_constant(d->g, 0);
    return expr_symbol(d->g, EXPR_UNKNOWN, n.b + 2 * (uint32_t)d->number, 0);
}

/* Derivatives of the force k x/r^3 in any number of directions ask for one quotient more, that of all. */
static void directions_of_a_force_share_their_quotient(void **state) {
    (void)state;
    enum { DIRECTIONS = 3 };
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0);
    expr sum = expr_make(&g, EXPR_ADD, expr_powi(&g, x, 2), expr_powi(&g, y, 2), 0);
    expr cube = expr_powi(&g, expr_make(&g, EXPR_SQRT, sum, 0, 0), 3),
         k = expr_symbol(&g, EXPR_PARAMETER, 0, 0);
    expr force[1 + DIRECTIONS] = {expr_make(&g, EXPR_MUL, expr_make(&g, EXPR_DIV, k, cube, 0), x, 0)};
    for (int i = 1; i <= DIRECTIONS; i++) {
        struct direction along = {&g, i};
        derive_open_along(&d, &g, 0, companion_of, &along);
        force[i] = derive_total(&d, force[0]);
        derive_close(&d);
    }
    struct expr_list list;
    int quotients = 0;
    assert_int_equal(expr_order(&g, 1 + DIRECTIONS, force, &list), 0);
    for (size_t i = 0; i < list.count; i++) quotients += g.node[list.item[i]].op == EXPR_DIV;
    free(list.item);
    assert_int_equal(quotients, 2);
    struct point at = {.x = {{3}, {4}, {1}}, .p = {2}}; /* d/dx k x/r^3 = k (r^2 - 3 x^2)/r^5 */
    wide slope = value_at(&g, force[1], &at);
    assert_true(fabsl(slope - 2 * (25 - 27) / 3125.0L) < 1e-15L);
    expr_close(&g);
}

/* c/sqrt(x)^m and sqrt(x)^m by both sweeps, whichever m. */
static void powers_of_roots_have_their_slopes(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), root = expr_make(&g, EXPR_SQRT, x, 0, 0), gradient;
    struct point at = {.x = {{2}}};
    for (int m = -4; m <= 5; m++)
        for (int divisor = 0; divisor < 2; divisor++) {
            expr f = expr_powi(&g, root, m);
            if (divisor) f = expr_make(&g, EXPR_DIV, expr_make(&g, EXPR_SIN, x, 0, 0), f, 0);
            wide p = m / 2.0L, a = powl(2, p), slope = p * a / 2;
            if (divisor) slope = (cosl(2) - sinl(2) * p / 2) / a;
            expr partial = derive_partial(&d, f, x);
            assert_int_equal(derive_gradient(&d, f, 1, &x, &gradient), 0);
            assert_true(fabsl(value_at(&g, partial, &at) - slope) < 1e-15L);
            assert_true(fabsl(value_at(&g, gradient, &at) - slope) < 1e-15L);
        }
    derive_close(&d);
    expr_close(&g);
}

static double run_at(struct graph *g, expr f, expr x, expr y, double at_x, double at_y, int *quotients) {
    struct tape_input input[] = {{x, TAPE_STATE, 0}, {y, TAPE_STATE, 1}};
    double u[] = {at_x, at_y}, out = 0;
    struct tape t;
    expr missing;
    assert_int_equal(tape_build(&t, g, 1, &f, 2, input, &missing), 0);
    *quotients = 0;
    for (size_t i = 0; i < t.count; i++) *quotients += t.code[i].op == EXPR_DIV;
    assert_int_equal(tape_call(&t, 0, u, NULL, &out), 0);
    tape_free(&t);
    return out;
}

/* y/sqrt(x)^3 as a program: the quotient 1/x, which does not wait for the root, to a few round-offs.  Where
 * it is infinite and that counts, under a min, it stays a quotient. */
static void quotients_by_cubes_of_roots_do_not_wait(void **state) {
    (void)state;
    struct graph g;
    int quotients;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0);
    expr cube = expr_powi(&g, expr_make(&g, EXPR_SQRT, x, 0, 0), 3), f = expr_make(&g, EXPR_DIV, y, cube, 0);
    expr least = expr_make(&g, EXPR_MIN, f, expr_constant(&g, 5), 0);
    int otherwise = 0;
    for (double at = 1e-30; at < 1e30; at *= 7.3) {
        double value = run_at(&g, f, x, y, at, 1.7, &quotients), wanted = (double)(1.7L / at / sqrtl(at));
        assert_int_equal(quotients, 1);
        assert_true(fabs(value - wanted) <= 4 * 2.3e-16 * wanted);
        otherwise += value != 1.7 / (at * sqrt(at));
    }
    assert_true(otherwise > 0);
    assert_true(run_at(&g, least, x, y, 0, 1.7, &quotients) == 5);
    expr both = expr_make(&g, EXPR_ADD, expr_make(&g, EXPR_MUL, f, x, 0), y, 0);
    assert_true(fabs(run_at(&g, both, x, y, 4, 2, &quotients) - 3) < 1e-15);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(directions_of_a_force_share_their_quotient),
                                       cmocka_unit_test(powers_of_roots_have_their_slopes),
                                       cmocka_unit_test(quotients_by_cubes_of_roots_do_not_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
