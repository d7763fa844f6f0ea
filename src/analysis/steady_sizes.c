/* steady_sizes.c - sizes of the states of an equilibrium: as the model says, or as the start has them.
 *
 * A state that begins at 0 and is nowhere near 1 would make rates vanish beside others: a velocity beside a
 * coordinate of 1e-9.  Its size is that which balances its row and column of A = D f Q Q^T (E. E. Osborne,
 * J. ACM 7 (1960) 338-345), if it is quite another. */
#include "analysis/steady.h"

#include <math.h>

/* As the model or the start has them; old_x: 0 where neither does.  How many these are. */
static int take_sizes(keel_steady *s) {
    const keel_problem *p = s->bundle.problem;
    int unknown = 0;
    for (int j = 0; j < s->n; j++) {
        double scale = p->scale ? p->scale[s->bundle.state[j]] : 0;
        s->old_x[j] = scale > 0 ? scale : fabs(s->x[j]);
        s->size[j] = s->old_x[j] > 0 ? s->old_x[j] : 1;
        unknown += !(s->old_x[j] > 0);
    }
    return unknown;
}

/* sum_k |A_jk| or, turned, |A_kj|, k != j, in sizes that are `grown` times as large. */
static double sum_beside(const keel_steady *s, int j, int turned, const double *grown) {
    double sum = 0;
    for (int k = 0; k < s->n; k++) {
        double entry = 0;
        int row = turned ? k : j, column = turned ? j : k;
        for (int c = 0; c < s->r && k != j; c++) entry += s->rate[c * s->n + row] * s->q[c * s->n + column];
        sum += fabs(entry) * grown[column] / grown[row];
    }
    return sum;
}

static keel_status balance_sizes(keel_steady *s) {
    enum { SWEEPS = 10 };
    const double *known = s->old_x;
    double *grown = s->f; /* free until it is looked again */
    if (steady_look(s) != KEEL_OK) return s->status;
    for (int j = 0; j < s->n; j++) grown[j] = 1;
    for (int sweep = 0, changed = 1; sweep < SWEEPS && changed; sweep++) {
        changed = 0;
        for (int j = 0; j < s->n; j++) {
            if (known[j] > 0) continue;
            double ratio = sqrt(sum_beside(s, j, 0, grown) / sum_beside(s, j, 1, grown));
            if (!(ratio > 0) || !isfinite(ratio) || (ratio > 1e-3 && ratio < 1e3)) continue;
            grown[j] *= ratio;
            changed = 1;
        }
    }
    for (int j = 0; j < s->n; j++) s->size[j] *= grown[j];
    for (int k = 0; k < s->r * s->n; k++) s->q[k] /= grown[k % s->n];
    return KEEL_OK;
}

keel_status steady_sizes_find(keel_steady *s) {
    int unknown = take_sizes(s);
    for (int k = 0; k < s->r * s->n; k++) s->q[k] /= s->size[k % s->n];
    return unknown ? balance_sizes(s) : KEEL_OK;
}
