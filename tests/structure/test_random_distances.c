/* test_random_distances.c - random functions of distances and of products are recognised, with their values
 * and gradients. */
#include "testing.h"
#include "distances.h"
#include "lang_model.h"
#include "lang_random.h"

#include "structure/distance.h"
#include "symbolic/tape.h"

enum { POINTS = 4, MOST_DIMENSION = 3 };

struct space {
    struct random random;
    struct graph *g;
    int dimension;
    expr q[POINTS * MOST_DIMENSION], p[POINTS * MOST_DIMENSION], parameter[RANDOM_PARAMETERS];
};

static expr two(struct space *s, enum expr_op op, expr a, expr b) {
    return expr_make(s->g, op, a, b, 0);
}

/* (a - b)^2 in one of its ways. */
static expr random_square(struct space *s, expr a, expr b) {
    expr forth = two(s, EXPR_SUB, a, b), back = two(s, EXPR_SUB, b, a), product = two(s, EXPR_MUL, a, b);
    switch (random_below(&s->random, 6)) {
    case 0:
        return expr_powi(s->g, forth, 2);
    case 1:
        return two(s, EXPR_MUL, back, back);
    case 2:
        return two(s, EXPR_NEG, two(s, EXPR_MUL, back, forth), 0);
    case 3:
        return expr_powi(s->g, two(s, EXPR_ABS, forth, 0), 2);
    case 4:
        product = two(s, EXPR_SUB, expr_powi(s->g, a, 2), two(s, EXPR_MUL, expr_constant(s->g, 2), product));
        return two(s, EXPR_ADD, product, two(s, EXPR_MUL, b, b));
    default:
        return two(s, EXPR_SUB, two(s, EXPR_MUL, a, forth), two(s, EXPR_MUL, b, forth));
    }
}

/* weight * |q_i - q_j|^2 + rest, the weight outside or in every component, components in any order. */
static expr random_distance(struct space *s, int i, int j, expr weight, expr rest) {
    int d = s->dimension, from = random_below(&s->random, d), spread = random_below(&s->random, 2);
    expr sum = rest;
    for (int k = 0; k < d; k++) {
        int c = (from + k) % d;
        expr term = random_square(s, s->q[i * d + c], s->q[j * d + c]);
        if (spread)
            term =
                random_below(&s->random, 2) ? two(s, EXPR_MUL, term, weight) : two(s, EXPR_MUL, weight, term);
        if (!spread) sum = k ? two(s, EXPR_ADD, sum, term) : term;
        else sum = random_below(&s->random, 2) ? two(s, EXPR_ADD, sum, term) : two(s, EXPR_ADD, term, sum);
    }
    return spread ? sum : two(s, EXPR_ADD, rest, two(s, EXPR_MUL, weight, sum));
}

static expr random_product(struct space *s, int i, int j) {
    int d = s->dimension;
    expr sum = EXPR_NONE;
    for (int c = d - 1; c >= 0; c--) {
        expr term = two(s, EXPR_MUL, s->p[i * d + c], s->p[j * d + c]);
        sum = sum == EXPR_NONE ? term : two(s, EXPR_ADD, term, sum);
    }
    return sum;
}

static expr random_function(struct space *s) {
    struct graph *g = s->g;
    expr sum = s->parameter[0], one = expr_constant(g, 1);
    int terms = 1 + random_below(&s->random, 5);
    for (int k = 0; k < terms; k++) {
        int i = random_below(&s->random, POINTS), j = (i + 1 + random_below(&s->random, POINTS - 1)) % POINTS;
        expr weight =
            two(s, EXPR_DIV, s->parameter[k % 2], expr_constant(g, 1 + random_below(&s->random, 4)));
        expr term = random_distance(s, i, j, one, expr_constant(g, 0.5));
        switch (random_below(&s->random, 5)) {
        case 0:
            sum = random_distance(s, i, j, weight, sum);
            continue;
        case 1:
            term = two(s, EXPR_DIV, weight, two(s, EXPR_SQRT, term, 0));
            break;
        case 2:
            term = two(s, EXPR_EXP, two(s, EXPR_DIV, term, expr_constant(g, -8)), 0);
            break;
        case 3:
            term = two(s, EXPR_MUL, random_product(s, i, j), two(s, EXPR_LOG, term, 0));
            break;
        default:
            term = expr_power(g, term, expr_constant(g, 1.5));
        }
        sum = two(s, random_below(&s->random, 2) ? EXPR_ADD : EXPR_SUB, sum, term);
    }
    return sum;
}

static void random_functions_of_distances_are_recognised(void **state) {
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        struct graph g;
        struct distance d;
        struct tape_input input[MOST];
        double x[MOST];
        struct space s = {.g = &g, .dimension = 1 + trial % MOST_DIMENSION};
        int n = POINTS * s.dimension, inputs = 0;
        assert_int_equal(expr_open(&g), 0);
        random_open(&s.random, &g, (uint64_t)trial, 1);
        for (int i = 0; i < RANDOM_PARAMETERS; i++) s.parameter[i] = s.random.symbol[1 + RANDOM_STATES + i];
        for (int i = 0; i < n; i++) {
            s.q[i] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)i, 0);
            s.p[i] = expr_symbol(&g, EXPR_UNKNOWN, (uint32_t)(n + i), 0);
        }
        expr f = random_function(&s),
             off = two(&s, EXPR_ADD, f, two(&s, EXPR_MUL, s.q[n - 1], s.parameter[1]));
        expr function[] = {f, off};
        struct distance_problem p = {&g, POINTS, s.dimension, s.q, s.p, 2, function, EXPR_HELD, FIRST, 0};
        assert_int_equal(distance_find(&d, &p), 0);
        assert_int_not_equal(d.function[0], EXPR_NONE);
        assert_int_equal(d.translations, 1);
        assert_int_equal(d.function[1], EXPR_NONE);
        assert_int_equal(d.left[1], s.q[n - 1]);
        for (int i = 0; i < RANDOM_PARAMETERS + 2 * n; i++, inputs++) {
            expr symbol = i < n ? s.q[i] : i < 2 * n ? s.p[i - n] : s.parameter[i - 2 * n];
            input[i] = (struct tape_input){symbol, TAPE_STATE, (uint32_t)i};
            x[i] = random_number(&s.random, -1, 1);
        }
        assert_below(worst_difference(&g, &d, function, inputs, input, x), 64);
        distance_close(&d);
        expr_close(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_functions_of_distances_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
