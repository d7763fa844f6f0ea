/* test_random_systems.c - random systems have their known offsets and the degree of their determinant. */
#include "testing.h"
#include "analyse.h"
#include "lang_text.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_chains_have_their_offsets),
        cmocka_unit_test(random_systems_end_and_keep_their_promises),
        cmocka_unit_test(linear_systems_have_the_degree_of_their_determinant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
