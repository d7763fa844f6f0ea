/* test_transversals.c - the assignment problem by itself, and systems so large that its cost counts. */
#include "testing.h"
#include "analyse.h"
#include "lang_text.h"

#include "structure/structure_private.h"

#include <time.h>

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

/* ---- initial values ---- */

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
        cmocka_unit_test(transversals_are_the_best),
        cmocka_unit_test(large_bands_are_matched),
        cmocka_unit_test(a_chain_of_a_thousand_links),
        cmocka_unit_test(long_chains_of_floating_capacitors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
