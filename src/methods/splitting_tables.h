/* splitting_tables.h - the shares of kicks and drifts in a step (methods/splitting.c). */
#ifndef KEEL_METHODS_SPLITTING_TABLES_H
#define KEEL_METHODS_SPLITTING_TABLES_H

#include "methods/composition.h"

/* b_1 a_1 b_2 ... a_s b_s+1: the b are the outer ones, kicks or drifts, the a the inner ones. */
struct splitting_table {
    int stages;                                /* s */
    const struct composition_weights *weights; /* of Stormer-Verlet steps; or NULL, and */
    const double *outer, *inner;               /* s + 1 and s of them */
    int drift_first;                           /* the outer ones are drifts */
    int nystrom;                               /* its order rests on T being quadratic in p */
};

extern const struct splitting_table splitting_euler_kick, splitting_euler_drift, splitting_verlet,
    splitting_verlet_drift, splitting_forest_ruth, splitting_yoshida4, splitting_mclachlan_atela4,
    splitting_blanes_moan4, splitting_yoshida6, splitting_kahan_li6, splitting_blanes_moan6,
    splitting_yoshida8, splitting_kahan_li8;

static inline double splitting_outer(const struct splitting_table *table, int i) {
    const struct composition_weights *w = table->weights;
    return w ? 0.5 * (composition_weight(w, i - 1) + composition_weight(w, i)) : table->outer[i];
}

static inline double splitting_inner(const struct splitting_table *table, int i) {
    return table->weights ? composition_weight(table->weights, i) : table->inner[i];
}
#endif
