/* explicit_pairs.h - the sums of keel/explicit.h for numbers in memory, as the library has them: a pair costs
 * one load, one product and one sum.  The bits are those of single numbers.  Before that header. */
#ifndef KEEL_METHODS_EXPLICIT_PAIRS_H
#define KEEL_METHODS_EXPLICIT_PAIRS_H

#include <stddef.h>

typedef double explicit_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* keel_rk_sum of its terms first .. last, as far as blocks of four go; returns where the rest begins. */
static inline int explicit_blocks(int width, int first, int last, const double *a, const double *k,
                                  double begin, double factor, const double *x, double *out) {
    int i = 0;
    for (; i + 4 <= width; i += 4) {
        const double *kj = k + (size_t)first * (size_t)width + i;
        explicit_pair near = begin * *(const explicit_pair *)kj,
                      far = begin * *(const explicit_pair *)(kj + 2);
        for (int j = first + 1; j <= last; j++) {
            kj += width;
            if (a[j] == 0) continue;
            near += a[j] * *(const explicit_pair *)kj;
            far += a[j] * *(const explicit_pair *)(kj + 2);
        }
        near *= factor, far *= factor;
        if (x) near += *(const explicit_pair *)(x + i), far += *(const explicit_pair *)(x + i + 2);
        *(explicit_pair *)(out + i) = near;
        *(explicit_pair *)(out + i + 2) = far;
    }
    return i;
}

#define KEEL_RK_BLOCKS explicit_blocks
#endif
