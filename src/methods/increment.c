/* increment.c - see increment.h. */
#include "methods/increment.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

void increment_layout(struct increment *s, keel_work *w, size_t n) {
    s->value = keel_work_doubles(w, n);
    s->change = keel_work_doubles(w, n);
    s->matrix = keel_work_doubles(w, n * n);
    s->pivot = keel_work_doubles(w, n);
}

static double largest(int n, const double *v) {
    double most = 0;
    for (int i = 0; i < n; i++) most = isnan(v[i]) || isnan(most) ? NAN : fmax(most, fabs(v[i]));
    return most;
}

/* I - d map / d d, factored; s->value: the map at d. */
static keel_status find_matrix(const keel_work *w, const struct increment *s, int n, increment_map *map,
                               void *context, double size, double *d) {
    double length = sqrt(DBL_EPSILON) * fmax(size, DBL_MIN);
    for (int j = 0; j < n; j++) {
        double here = d[j];
        d[j] = here + length;
        keel_status status = keel_halted(w->halt) ? KEEL_RETRY : map(context, d, s->change);
        d[j] = here;
        if (status != KEEL_OK) return status;
        for (int i = 0; i < n; i++)
            s->matrix[(long)i * n + j] = (i == j) - (s->change[i] - s->value[i]) / length;
    }
    return dense_lu(n, s->matrix, (int *)s->pivot, w->halt) ? KEEL_RETRY : KEEL_OK;
}

keel_status increment_solve(const keel_work *w, const struct increment *s, int n, increment_map *map,
                            void *context, double size, double *d) {
    double least = HUGE_VAL;
    int idle = 0, newton = 0;
    memset(d, 0, (size_t)n * sizeof *d);
    for (int iteration = 0; iteration < 100; iteration++) {
        keel_status status = keel_halted(w->halt) ? KEEL_RETRY : map(context, d, s->value);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < n; i++) s->change[i] = s->value[i] - d[i];
        if (newton) dense_lu_solve(n, s->matrix, (int *)s->pivot, s->change);
        double length = largest(n, s->change);
        if (iteration == 0) size = fmax(size, length); /* a state at rest has no size, what a step adds has */
        int lost = !(length <= 1e10 * size) || isinf(length); /* far away, or not a number */
        if (lost && newton) return KEEL_RETRY;
        idle = length > 0.5 * least ? idle + 1 : 0;
        least = fmin(least, length);
        if ((lost || (idle > 2 && length > 1e-12 * size)) && ++newton < 10) {
            /* the first time from the beginning: the iteration may have gone far */
            if (newton == 1) memset(d, 0, (size_t)n * sizeof *d);
            if (newton == 1) status = map(context, d, s->value);
            if (status == KEEL_OK) status = find_matrix(w, s, n, map, context, size, d);
            if (status != KEEL_OK) return status;
            idle = 0;
            least = HUGE_VAL;
            continue;
        }
        for (int i = 0; i < n; i++) d[i] += s->change[i];
        if (length <= DBL_EPSILON * largest(n, d) || (idle >= 1 && length <= 8 * DBL_EPSILON * size) ||
            (idle >= 2 && length <= 1e-12 * size))
            return KEEL_OK;
    }
    return KEEL_RETRY;
}
