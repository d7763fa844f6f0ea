/* stage_sums.c - see stage_sums.h. */
#include "methods/stage_sums.h"

#include <math.h>

void stage_weights_set(keel_stage_weights *w, int j, struct twofold value) {
    w->coarse[j] = nearbyint(value.high * 0x1p25) * 0x1p-25;
    w->fine[j] = (value.high - w->coarse[j]) + value.low;
}

/* Numbers of stages as constants leave no loops. */
__attribute__((flatten)) void stage_sums(const keel_stage_weights *w, int rows, int s, long width,
                                         const double *k, double *out) {
    switch (s) {
    case 1:
        keel_stage_sums(w, rows, 1, width, k, out);
        break;
    case 2:
        keel_stage_sums(w, rows, 2, width, k, out);
        break;
    case 3:
        keel_stage_sums(w, rows, 3, width, k, out);
        break;
    case 4:
        keel_stage_sums(w, rows, 4, width, k, out);
        break;
    case 6:
        keel_stage_sums(w, rows, 6, width, k, out);
        break;
    default:
        keel_stage_sums(w, rows, s, width, k, out);
    }
}
