/* motion_skew.c - is a structure matrix skew?  Asked at random points, where a difference that is not zero
 * shows. */
#include "symbolic/motion.h"
#include "symbolic/tape.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 4 };

static double random_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + (double)(*state >> 11) / 9007199254740992.0;
}

/* B_ij + B_ji and |B_ij| + |B_ji| for all i <= j. */
static void sums(struct graph *g, int n, const expr *b, expr *out) {
    size_t k = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            expr one = b[i * n + j], other = b[j * n + i];
            out[k++] = expr_make(g, EXPR_ADD, one, other, 0);
            out[k++] = expr_make(g, EXPR_ADD, expr_make(g, EXPR_ABS, one, 0, 0),
                                 expr_make(g, EXPR_ABS, other, 0, 0), 0);
        }
}

static int first_wrong(int n, const double *value) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++, value += 2)
            if (isfinite(value[0]) && fabs(value[0]) > 1e-12 * value[1]) return i * n + j;
    return -1;
}

int motion_skew(struct graph *g, int n, const expr *structure) {
    size_t count = (size_t)n * (size_t)(n + 1);
    expr *sum = calloc(count + 1, sizeof *sum);
    struct expr_list symbols = {0};
    int found = -2;
    if (!sum) return found;
    sums(g, n, structure, sum);
    if (g->failed || expr_symbols(g, count, sum, &symbols)) {
        free(sum);
        return found;
    }
    struct tape_input *input = calloc(symbols.count + 1, sizeof *input);
    double *value = calloc(symbols.count + count + 1, sizeof *value);
    struct tape tape = {0};
    expr missing;
    for (size_t i = 0; input && i < symbols.count; i++)
        input[i] = (struct tape_input){symbols.item[i], TAPE_STATE, (uint32_t)i};
    if (input && value && tape_build(&tape, g, count, sum, symbols.count, input, &missing) == 0) {
        uint64_t state = 7;
        found = -1;
        for (int point = 0; point < POINTS && found == -1; point++) {
            for (size_t i = 0; i < symbols.count; i++) value[count + i] = random_number(&state);
            if (tape_call(&tape, 0.0, value + count, NULL, value)) found = -2;
            else found = first_wrong(n, value);
        }
        tape_free(&tape);
    }
    free(input);
    free(value);
    free(sum);
    free(symbols.item);
    return found;
}
