/* project.h - the arithmetic of a projection onto the kept rows, and of what is counted after a step.
 *
 * The core instantiates it with the numbers of a solver and functions behind pointers, a compiled model with
 * constant sizes, locals and its own rows inlined: one source, two speeds.  A compiled model has this header
 * as text, after those of linalg/rowspace.h and keel/explicit.h. */
#ifndef KEEL_CORE_PROJECT_H
#define KEEL_CORE_PROJECT_H

#include <keel/explicit.h>

#include "linalg/rowspace.h"

/* Shares of new direction: below DEPENDENT a row says nothing new; below NEARLY it is corrected only when
 * it must be, since a round-off of residual would move the state by that round-off over the share. */
#define MANIFOLD_DEPENDENT 1.4901161193847656e-08
#define MANIFOLD_NEARLY 1e-3

/* Of a state whose largest value so far is `size`: what a correction is compared with. */
static inline double project_tolerance(double atol, double rtol, double size) {
    return atol + rtol * size;
}

/* Where the numbers of one projection are. */
struct project {
    int n, width, kept;
    int two_short;  /* two rows, up to four states: the common case has straight code */
    int stride;     /* of the rows of jacobian */
    const int *row; /* the kept rows among all; NULL: all of them are kept */
    double units;   /* allowed */
    const keel_real *inverse_weight, *jacobian, *size;
    keel_real *residual;
    struct rowspace *space;
    double *floor_of;
    keel_real *c, *z, *d;
    keel_real *allowed;   /* lanes: of each row, units of its size */
    const int *direction; /* n: of a sensitivity; -1: it is none.  NULL: all of them */
};

/* One round-off unit of a row of this size; |residual| in units, 0 for an exact 0. */
static inline keel_real project_unit(keel_real size) {
    return 2.2204460492503131e-16 * size;
}
static inline keel_real project_in_units(keel_real residual, keel_real size) {
    return keel_select(residual == 0.0, keel_lift(0.0), keel_abs(residual) / project_unit(size));
}

static inline int project_row(const struct project *p, int i) {
    return p->row ? p->row[i] : i;
}

static inline const keel_real *project_gradient(const struct project *p, int i) {
    return p->jacobian + (long)project_row(p, i) * p->stride;
}

#ifndef KEEL_LANES
/* Is a residual, of this size, certainly no more than so many units?  A product tells where a quotient is not
 * worth its time. */
static inline int project_within(double residual, double size, double units) {
    return __builtin_fabs(residual) < 0.999999 * units * (2.2204460492503131e-16 * size);
}

/* Are all kept rows within the allowed units? */
static inline int project_holds(const struct project *p) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        int row = project_row(p, i);
        if (!(__builtin_fabs(p->residual[row]) <= p->units * project_unit(p->size[row]))) return 0;
    }
    return 1;
}

/* The largest of residuals, in units; not a number if one is not. */
static inline double project_worst(const struct project *p, const double *residual) {
    double worst = 0;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        int row = project_row(p, i);
        double units = project_in_units(residual[row], p->size[row]);
        if (!(units <= worst)) worst = units;
        if (worst != worst) return worst;
    }
    return worst;
}

/* The weighted rows, and how short what is left of each may be. */
static inline void project_take(const struct project *p) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        int row = project_row(p, i);
        rowspace_set(p->space, i, p->n, project_gradient(p, i), p->inverse_weight);
        int off = __builtin_fabs(p->residual[row]) > p->units * project_unit(p->size[row]);
        p->floor_of[i] = off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY;
    }
}

/* Their row space. */
static inline void project_factor(const struct project *p) {
    project_take(p);
    rowspace_factor(p->space, p->floor_of);
}
#endif

/* The shortest a with B a = -c. */
static inline void project_shortest(const struct project *p) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->c[i] = -p->residual[project_row(p, i)];
    rowspace_shortest(p->space, p->c, p->z, p->d);
}

/* Two rows of up to four states, straight from the jacobians to the correction: x - d is the new state. */
static inline keel_truth project_two_short(const struct project *p, keel_real *d) {
    return rowspace_two_short(p->space, p->n, project_gradient(p, 0), project_gradient(p, 1),
                              p->inverse_weight, p->residual[project_row(p, 0)],
                              p->residual[project_row(p, 1)], d);
}

#ifndef KEEL_LANES
static inline int project_two(const struct project *p, double *x) {
    double d[4];
    if (!project_two_short(p, d)) return 0;
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) x[i] -= d[i];
    return 1;
}

/* x += d, and what is lost to rounding goes to low (Neumaier's form of Kahan's sum), if that is not NULL. */
static inline void project_move(double *x, double *low, int n, const double *d) {
    for (int i = 0; i < n; i++) {
        double sum = x[i] + d[i];
        if (low)
            low[i] +=
                __builtin_fabs(x[i]) >= __builtin_fabs(d[i]) ? (x[i] - sum) + d[i] : (d[i] - sum) + x[i];
        x[i] = sum;
    }
}

/* One Newton step with the jacobians that stand, and, unless fresh, with their factorization; a pair of rows
 * has none that would be worth keeping. */
static inline void project_correct(const struct project *p, double *x, double *low, int fresh) {
    if (p->two_short && !low && project_two(p, x)) return;
    if (fresh) project_factor(p);
    project_shortest(p);
    for (int j = 0; j < p->n; j++) p->d[j] *= p->inverse_weight[j];
    project_move(x, low, p->n, p->d);
}
#endif

/* Removes from an error what a correction takes care of. */
static inline void project_tangent(const struct project *p, keel_real *e) {
    if (p->space->pair) {
        rowspace_two_tangent(p->space, p->n, project_gradient(p, 0), project_gradient(p, 1), e);
        return;
    }
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) e[i] =
        keel_select(p->inverse_weight[i] > 0.0, e[i] / p->inverse_weight[i], keel_lift(0.0));
    rowspace_tangent(p->space, e);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) e[i] *= p->inverse_weight[i];
}

/* Where all x_j of a row are 0 its round-off is not: a correction of other rows moves them, too, by a
 * round-off of their typical size, and taking that back leaves a round-off of it. */
#define PROJECT_ROUNDED (16 * 2.2204460492503131e-16)
static inline keel_real project_least(int n, const keel_real *row, const keel_real *largest) {
    keel_real size = keel_lift(0.0);
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) size += keel_abs(row[j]) * largest[j];
    return PROJECT_ROUNDED * size;
}

/* The size of a row by its gradient: |reference| + sum of |dc/dx_j| |x_j|. */
static inline keel_real project_size(int n, keel_real reference, const keel_real *row, const keel_real *x,
                                     const keel_real *largest) {
    keel_real size = keel_abs(reference), least = project_least(n, row, largest);
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) size += keel_abs(row[j] * x[j]);
    return keel_select(size > least, size, least);
}

/* The weights 1 / w_i = largest share_ij s_j of sizes s_j above the least, where there are any. */
static inline void project_weigh(int n, const keel_real *largest, const keel_real *least,
                                 const keel_real *share, keel_real *inverse_weight) {
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) {
        keel_real weight = keel_lift(0.0);
        KEEL_RK_UNROLL for (int j = 0; j < n; j++) {
            keel_real part = largest[j] * share[i * n + j];
            weight = keel_select(keel_and(largest[j] > least[j], part > weight), part, weight);
        }
        inverse_weight[i] = keel_select(weight == 0.0, largest[i], weight);
    }
}

#ifndef KEEL_LANES
typedef double project_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long project_signs __attribute__((vector_size(32)));

/* from + sum of |row_j x_j|; of many in four sums, since additions wait for each other. */
static inline double project_terms(int n, double from, const double *row, const double *x) {
    enum { MANY = 32 };
    const project_signs all = {~0ULL >> 1, ~0ULL >> 1, ~0ULL >> 1, ~0ULL >> 1};
    project_four sum = {from, 0, 0, 0};
    int j = 0;
    for (; n >= MANY && j + 4 <= n; j += 4) {
        project_four term = *(const project_four *)(row + j) * *(const project_four *)(x + j);
        sum += (project_four)((project_signs)term & all);
    }
    for (; j < n; j++) sum[0] += __builtin_fabs(row[j] * x[j]);
    return n < MANY ? sum[0] : (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* a . b of many. */
static inline double project_dot(int n, const double *a, const double *b) {
    project_four sum = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4) sum += *(const project_four *)(a + i) * *(const project_four *)(b + i);
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Lets the sizes of the states grow to those of x; did one? */
static inline int project_outgrown(int n, const double *x, double *size) {
    int larger = 0;
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) {
        double here = __builtin_fabs(x[i]);
        if (here <= size[i]) continue;
        size[i] = here;
        larger = 1;
    }
    return larger;
}

/* Enters the residuals of an accepted state into the certificate.  The quotient alone decides, so that the
 * order of residuals makes no difference while sizes stay. */
static inline void project_certify(int rows, const double *residual, const double *size, double *drift,
                                   double *units) {
    KEEL_RK_UNROLL for (int i = 0; i < rows; i++) {
        double off = __builtin_fabs(residual[i]);
        if (off > drift[i]) drift[i] = off;
        if (project_within(off, size[i], units[i])) continue;
        double here = project_in_units(off, size[i]);
        if (here > units[i]) units[i] = here;
    }
}
#endif

/* Is dI/dt = rate + gradient . f zero, by this share of its terms? */
static inline keel_truth project_rests(int n, keel_real rate, const keel_real *gradient, const keel_real *f,
                                       double share) {
    keel_real sum = rate, size = keel_abs(rate);
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) {
        keel_real term = gradient[j] * f[j];
        sum += term;
        size += keel_abs(term);
    }
    return keel_abs(sum) <= share * size;
}

/* Sizes grow slowly, and one that lags only makes the units stricter: they are brought up to date on steps
 * 0, 1, 2, 4, 8, 16, 32, 64 and every 64th from there on, and before any judgement that a row does not
 * hold. */
static inline int project_due(long steps) {
    return steps % 64 == 0 || (steps < 64 && (steps & (steps - 1)) == 0);
}

/* Is what is kept looked at after this step?  After each of the first ones, then now and then. */
static inline int project_verifies(long steps) {
    return steps <= 64 || steps % 16 == 0;
}
#endif
