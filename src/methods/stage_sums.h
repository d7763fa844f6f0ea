/* stage_sums.h - sums sum_j w_j K_j over the stages of a step, rounded once, with the same bits on every
 * machine.
 *
 * K_j = coarse + fine, coarse a multiple of 2^-26 sum_j |K_j|; w_j = coarse + fine, coarse a multiple of
 * 2^-25.  Products of coarse parts then are multiples of one number, below 2^53 of it, and so are their sums:
 * they have no rounding.  What is left is 2^-26 of that, and double is enough for it.  (Rump, Ogita, Oishi,
 * SIAM J. Sci. Comput. 31 (2008) 189, split sums so.) */
#ifndef KEEL_STAGE_SUMS_H
#define KEEL_STAGE_SUMS_H

#include "base/twofold.h"

enum { STAGE_SUMS_MOST = 8 };

struct stage_weights { /* |w_1| + ... + |w_s| <= 2 */
    double coarse[STAGE_SUMS_MOST], fine[STAGE_SUMS_MOST];
};

void stage_weights_set(struct stage_weights *w, int j, struct twofold value);

/* out_ic := sum_j w_ij K_jc, i < rows, j < s, c < width. */
void stage_sums(const struct stage_weights *w, int rows, int s, int width, const double *k, double *out);
#endif
