/* test_order_conditions.c - the weights of every splitting and composition meet the conditions of their
 * order. */
#include "orbits.h"

#include "methods/splitting_tables.h"

/* The free algebra of two letters up to words of eight: 2^length - 1 + the letters as bits. */
enum { LONGEST = 8, WORDS = (2 << LONGEST) - 1 };

static int word_end(int length, int letters) {
    return (1 << length) - 1 + letters;
}

/* series := series exp(c letter). */
static void multiply(long double *series, int letter, long double c) {
    for (int length = LONGEST; length >= 0; length--)
        for (int letters = 0; letters < 1 << length; letters++) {
            long double from = series[word_end(length, letters)], factor = 1;
            for (int k = 1, w = letters; length + k <= LONGEST; k++) {
                w = 2 * w + letter;
                factor *= c / k;
                series[word_end(length + k, w)] += from * factor;
            }
        }
}

/* The largest miss of exp(x + y) among words of this length; 0.25 and more: not even close. */
static double miss(const long double *series, int length) {
    long double worst = 0, right = 1;
    for (int k = 2; k <= length; k++) right /= k;
    for (int letters = 0; letters < 1 << length; letters++)
        worst = fmaxl(worst, fabsl(series[word_end(length, letters)] - right));
    return (double)worst;
}

static void expand_weights(const struct composition_weights *w, long double *series) {
    memset(series, 0, WORDS * sizeof *series);
    series[0] = 1;
    for (int i = 0; i < w->count; i++) {
        long double weight = composition_weight(w, i);
        multiply(series, 0, weight / 2);
        multiply(series, 1, weight);
        multiply(series, 0, weight / 2);
    }
}

static const struct {
    const struct composition_weights *weights;
    int order;
} compositions[] = {{&composition_single, 2},   {&composition_yoshida4, 4},  {&composition_suzuki4, 4},
                    {&composition_yoshida6, 6}, {&composition_kahan_li6, 6}, {&composition_yoshida8, 8},
                    {&composition_kahan_li8, 8}};
enum { COMPOSITIONS = sizeof compositions / sizeof compositions[0] };

static int weights_hold(const struct composition_weights *w, int order) {
    long double series[WORDS];
    expand_weights(w, series);
    for (int length = 1; length <= order; length++)
        if (miss(series, length) > 1e-14) return 0;
    return 1;
}

static void weights_meet_the_order_conditions(void **state) {
    (void)state;
    for (int k = 0; k < COMPOSITIONS; k++) {
        const struct composition_weights *w = compositions[k].weights;
        int order = compositions[k].order;
        if (!weights_hold(w, order)) fail_msg("weights %d miss order %d", k, order);
        if (order < LONGEST && weights_hold(w, order + 1))
            fail_msg("weights %d are better than %d", k, order);
    }
}

static void a_changed_weight_is_seen(void **state) {
    (void)state;
    for (int k = 1; k < COMPOSITIONS; k++)
        for (int j = 0; j <= compositions[k].weights->count / 2; j++) {
            double half[LONGEST + 1];
            struct composition_weights changed = {compositions[k].weights->count, half};
            memcpy(half, compositions[k].weights->half, (size_t)(changed.count / 2 + 1) * sizeof *half);
            half[j] += 1e-6;
            half[changed.count / 2] -= 2e-6;
            assert_false(weights_hold(&changed, compositions[k].order));
        }
}

/* Letter 0 is the kick.  A table for T quadratic in p may miss multiples of [V,[V,[V,T]]] among words of
 * four letters: 0001 - 3 0010 + 3 0100 - 1000. */
static const struct claim {
    const struct splitting_table *table;
    int order, nystrom;
} claims[] = {
    {&splitting_euler_kick, 1, 0},       {&splitting_euler_drift, 1, 0},  {&splitting_verlet, 2, 0},
    {&splitting_verlet_drift, 2, 0},     {&splitting_forest_ruth, 4, 0},  {&splitting_yoshida4, 4, 0},
    {&splitting_mclachlan_atela4, 4, 1}, {&splitting_blanes_moan4, 4, 0}, {&splitting_yoshida6, 6, 0},
    {&splitting_kahan_li6, 6, 0},        {&splitting_blanes_moan6, 6, 0}, {&splitting_yoshida8, 8, 0},
    {&splitting_kahan_li8, 8, 0}};
enum { CLAIMS = sizeof claims / sizeof claims[0] };

static int table_holds(const struct splitting_table *table, int order, int nystrom) {
    long double series[WORDS] = {1};
    int first = table->drift_first ? 1 : 0;
    for (int i = 0; i <= table->stages; i++) {
        multiply(series, first, splitting_outer(table, i));
        if (i < table->stages) multiply(series, 1 - first, splitting_inner(table, i));
    }
    if (nystrom) {
        long double multiple = series[word_end(4, 1)] - 1 / 24.0L;
        series[word_end(4, 1)] -= multiple;
        series[word_end(4, 2)] += 3 * multiple;
        series[word_end(4, 4)] -= 3 * multiple;
        series[word_end(4, 8)] += multiple;
    }
    for (int length = 1; length <= order; length++)
        if (miss(series, length) > 1e-14) return 0;
    return 1;
}

static void tables_meet_the_order_conditions(void **state) {
    (void)state;
    for (int k = 0; k < CLAIMS; k++) {
        const struct claim *c = &claims[k];
        if (!table_holds(c->table, c->order, c->nystrom)) fail_msg("table %d misses order %d", k, c->order);
        if (c->order < LONGEST && table_holds(c->table, c->order + 1, c->nystrom))
            fail_msg("table %d is better than order %d", k, c->order);
        if (c->nystrom && table_holds(c->table, c->order, 0)) fail_msg("table %d needs no quadratic T", k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_meet_the_order_conditions),
        cmocka_unit_test(a_changed_weight_is_seen),
        cmocka_unit_test(tables_meet_the_order_conditions),
    };
    return cmocka_run_group_tests_name("splitting", tests, NULL, NULL);
}
