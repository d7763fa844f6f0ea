/* increment.h - the increment d of an implicit step from d = map(d): fixed-point iteration, and where that
 * does not contract Newton's method with a matrix found by differences. */
#ifndef KEEL_METHODS_INCREMENT_H
#define KEEL_METHODS_INCREMENT_H

#include <keel/method.h>

struct increment {
    double *value, *change, *matrix, *pivot; /* n, n, n x n, n ints */
};

typedef keel_status increment_map(void *context, const double *d, double *out);

void increment_layout(struct increment *s, keel_work *w, size_t n);
/* d: from 0 to the solution, to round-off of d itself or, if that cannot be had, of `size`, the largest |x|.
 * KEEL_RETRY: there is none, or it was not found. */
keel_status increment_solve(const keel_work *w, const struct increment *s, int n, increment_map *map,
                            void *context, double size, double *d);
#endif
