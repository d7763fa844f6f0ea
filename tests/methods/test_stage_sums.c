/* test_stage_sums.c - sums over stages are rounded once: against sums in twice the precision. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "methods/implicit_tables.h"

enum { MOST_STAGES = KEEL_STAGES, WIDTH = 7, TRIALS = 2000 };

static double draw(uint64_t *seed) { /* in -1 .. 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed * 0x1p-63;
}

/* sum_j w_j K_j of one component, and the largest |K_j|. */
static struct twofold reference(const keel_stage_weights *w, int s, const double *k, int c, double *most) {
    struct twofold sum = {0, 0};
    *most = 0;
    for (int j = 0; j < s; j++) {
        double one = k[j * WIDTH + c];
        struct twofold weight = twofold_sum(w->coarse[j], w->fine[j]);
        sum = twofold_add(sum, twofold_multiply(weight, twofold_of(one)));
        *most = fmax(*most, fabs(one));
    }
    return sum;
}

/* Of every kind of table, with stages of like and of very different sizes. */
static void check_row(const keel_stage_weights *w, int s, uint64_t *seed) {
    double k[MOST_STAGES * WIDTH], out[WIDTH];
    int wild = draw(seed) > 0;
    for (int i = 0; i < s * WIDTH; i++) k[i] = draw(seed) * (wild ? exp2(floor(60 * draw(seed))) : 1);
    stage_sums(w, 1, s, WIDTH, k, out);
    for (int c = 0; c < WIDTH; c++) {
        double most, one, column[MOST_STAGES];
        struct twofold sum = reference(w, s, k, c, &most);
        double error = fabs((out[c] - sum.high) - sum.low);
        assert_true(error <= 0.5 * DBL_EPSILON * fabs(out[c]) + most * 0x1p-74);
        for (int j = 0; j < s; j++) column[j] = k[j * WIDTH + c];
        stage_sums(w, 1, s, 1, column, &one);
        assert_memory_equal(&one, &out[c], sizeof one); /* whatever lies beside it */
    }
}

static void test_sums_are_rounded_once(void **state) {
    (void)state;
    static const enum implicit_kind kinds[] = {IMPLICIT_GAUSS, IMPLICIT_RADAU_2A, IMPLICIT_LOBATTO_3A,
                                               IMPLICIT_LOBATTO_3B, IMPLICIT_LOBATTO_3C};
    uint64_t seed = 5;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct implicit_table table;
        int kind = trial % 5, s = 2 + trial / 5 % 5;
        implicit_table_fill(&table, kinds[kind], s);
        for (int i = 0; i < s; i++) check_row(&table.of_stage[i], s, &seed);
        check_row(&table.of_end, s, &seed);
    }
}

/* What makes sums of coarse parts exact; and no digit of a coefficient is lost. */
static void test_weights_of_tables(void **state) {
    (void)state;
    for (int kind = IMPLICIT_GAUSS; kind < IMPLICIT_THETA; kind++)
        for (int s = 2; s <= MOST_STAGES; s++) {
            struct implicit_table table;
            implicit_table_fill(&table, (enum implicit_kind)kind, s);
            for (int i = 0; i < s; i++) {
                double sum = 0;
                for (int j = 0; j < s; j++) {
                    const keel_stage_weights *w = &table.of_stage[i];
                    sum += fabs(w->coarse[j]);
                    assert_true(w->coarse[j] + w->fine[j] == table.a[i][j]);
                    assert_true(w->coarse[j] * 0x1p25 == nearbyint(w->coarse[j] * 0x1p25));
                    assert_true(table.of_end.coarse[j] + table.of_end.fine[j] == table.b[j]);
                }
                assert_true(sum <= 2);
            }
        }
}

/* Neither the largest nor the smallest numbers there are become something else. */
static void test_extremes(void **state) {
    (void)state;
    keel_stage_weights half = {{0}, {0}};
    for (int j = 0; j < 2; j++) stage_weights_set(&half, j, twofold_of(0.5));
    for (int exponent = -1074; exponent < 1023; exponent++) {
        double k[2] = {ldexp(1, exponent), ldexp(1, exponent)}, out;
        stage_sums(&half, 1, 2, 1, k, &out);
        assert_true(exponent == -1074 || out == k[0]);
        assert_true(isfinite(out));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_rounded_once),
        cmocka_unit_test(test_weights_of_tables),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
