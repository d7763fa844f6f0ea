/* implicit.h - the inner loop of the implicit Runge-Kutta methods with steps of one length: the stages
 *
 *     Z_i = sum_j a_ij K_j,   K_j = h f(t + c_j h, x + Z_j),   dx = sum_j b_j K_j
 *
 * iterated as they stand, until nothing is gained.
 *
 * Tables are data; the right-hand side is a parameter.  The library instantiates the loop with a function
 * pointer, a compiled model with its own inlined right-hand side: one source, two speeds. */
#ifndef KEEL_IMPLICIT_H
#define KEEL_IMPLICIT_H

#include <keel/explicit.h>

enum { KEEL_STAGES = 8 }; /* at most */

/* Sums sum_j w_j K_j are rounded once, with the same bits on every machine.
 *
 * K_j = coarse + fine, coarse a multiple of 2^-26 sum_j |K_j|; w_j = coarse + fine, coarse a multiple of
 * 2^-25.  Products of coarse parts then are multiples of one number, below 2^53 of it, and so are their sums:
 * they have no rounding.  What is left is 2^-26 of that, and double is enough for it.  (Rump, Ogita, Oishi,
 * SIAM J. Sci. Comput. 31 (2008) 189, split sums so.) */
typedef struct keel_stage_weights { /* |w_1| + ... + |w_s| <= 2 */
    double coarse[KEEL_STAGES], fine[KEEL_STAGES];
} keel_stage_weights;

typedef struct keel_implicit {
    int stages;
    int first_explicit;                     /* the first stage is x itself */
    int last_is_end;                        /* the last stage is the end */
    int with_rate;                          /* see keel_implicit_start */
    const double *c;                        /* stages */
    const double (*a)[KEEL_STAGES];         /* stages rows */
    const keel_stage_weights *of_stage;     /* the same, to more than double precision */
    const keel_stage_weights *of_end;       /* b */
    const double (*start)[KEEL_STAGES + 1]; /* stages rows; see keel_implicit_start */
} keel_implicit;

/* What an iteration works on. */
typedef struct keel_implicit_room {
    int n, all; /* states; numbers of a row in use: they, and what a method solves for beside them */
    long width;
    double *z, *k, *moved; /* stages x width */
    double *stage, *scale; /* width: a place; the size of each state */
} keel_implicit_room;

/* What steps leave for the next one, where the solver keeps it: K of the last step, behind its length, if the
 * next one may go on from it in a kernel, or 0. */
#define KEEL_IMPLICIT_MEMORY(rows) (4 + (size_t)(rows))
static inline double *keel_implicit_last(double *begin) {
    return begin + 4;
}
/* Rows of n numbers, from those of one solver or kernel to those of another. */
static inline void keel_implicit_pass(const keel_implicit *m, int n, long from_width, const double *from,
                                      long to_width, double *to) {
    for (int i = 0; i < m->stages; i++)
        for (int c = 0; c < n; c++) to[i * to_width + c] = from[i * from_width + c];
}

/* Components go two at a time; they do not mix, so the bits are those of single ones. */
typedef struct keel_stage_split {
    keel_rk_lane whole, coarse, fine;
} keel_stage_split;

static inline keel_rk_lane keel_lane_size(keel_rk_lane a) {
    typedef long long bits __attribute__((vector_size(16), may_alias));
    return (keel_rk_lane)((bits)a & 0x7fffffffffffffffLL);
}

/* A sum with 1.5 2^27 |K| has no digits below 2^-26 |K|, |K| the sum of the sizes.  Near the largest numbers
 * that overflows: there the coarse part is finer, and products round as those of doubles do. */
static inline void keel_stage_cut(int s, keel_stage_split *k) {
    const double most = 4.4942328371557893e+307; /* a quarter of the largest number */
    keel_rk_lane wide = {0, 0};
    KEEL_RK_UNROLL for (int j = 0; j < s; j++) wide += keel_lane_size(k[j].whole);
    wide *= 201326592.0; /* 1.5 2^27 */
    for (int l = 0; l < 2; l++) wide[l] = wide[l] < most ? wide[l] : most;
    KEEL_RK_UNROLL for (int j = 0; j < s; j++) {
        k[j].coarse = (wide + k[j].whole) - wide;
        k[j].fine = k[j].whole - k[j].coarse;
    }
}

static inline keel_rk_lane keel_stage_sum(const keel_stage_weights *w, int s, const keel_stage_split *k) {
    keel_rk_lane sum = w->coarse[0] * k[0].coarse, rest = w->coarse[0] * k[0].fine + w->fine[0] * k[0].whole;
    KEEL_RK_UNROLL for (int j = 1; j < s; j++) {
        sum += w->coarse[j] * k[j].coarse;
        rest += w->coarse[j] * k[j].fine + w->fine[j] * k[j].whole;
    }
    return sum + rest;
}

/* out_ic := sum_j w_ij K_jc, i < rows, j < s, c < width; of an odd number, the last one alone.  One stage:
 * its weight is a double, 1/2, 1 or theta, and a product is rounded once by itself. */
static inline void keel_stage_sums(const keel_stage_weights *w, int rows, int s, long width, const double *k,
                                   double *out) {
    keel_stage_split stages[KEEL_STAGES];
    long c = 0;
    for (; c < width && s == 1; c++) out[c] = (w->coarse[0] + w->fine[0]) * k[c];
    for (; c + 2 <= width; c += 2) {
        KEEL_RK_UNROLL for (int j = 0; j < s; j++) stages[j].whole =
            *(const keel_rk_lane *)(k + j * width + c);
        keel_stage_cut(s, stages);
        KEEL_RK_UNROLL for (int i = 0; i < rows; i++) * (keel_rk_lane *)(out + i * width + c) =
            keel_stage_sum(w + i, s, stages);
    }
    if (c == width) return;
    for (int j = 0; j < s; j++) {
        keel_rk_lane alone = {k[j * width + c], 0};
        stages[j].whole = alone;
    }
    keel_stage_cut(s, stages);
    for (int i = 0; i < rows; i++) out[i * width + c] = keel_stage_sum(w + i, s, stages)[0];
}

/* A sum as keel_stage_sums; the library has one with numbers of stages as constants. */
typedef void keel_stage_summer(const keel_stage_weights *w, int rows, int s, long width, const double *k,
                               double *out);

/* The same in double, by the coefficients as doubles; width is even. */
static inline void keel_stage_products(const double (*a)[KEEL_STAGES], int s, long width, const double *k,
                                       double *out) {
    for (long c = 0; c < width; c += 2) KEEL_RK_UNROLL for (int i = 0; i < s; i++) {
            keel_rk_lane sum = a[i][0] * *(const keel_rk_lane *)(k + c);
            KEEL_RK_UNROLL for (int j = 1; j < s; j++) sum +=
                a[i][j] * *(const keel_rk_lane *)(k + j * width + c);
            *(keel_rk_lane *)(out + i * width + c) = sum;
        }
}

/* Z from the polynomial of the last step's K, continued: its weights are those of K from `skipped` on, and,
 * with_rate, of the last step's length h times the rate now. */
static inline void keel_implicit_start(const double (*weight)[KEEL_STAGES + 1], int stages, int skipped,
                                       int last, int with_rate, double h, long width, const double *f,
                                       const double *k, double *z) {
    KEEL_RK_UNROLL for (int i = 0; i < stages; i++) for (long c = 0; c < width; c++) {
        double sum = with_rate ? weight[i][last] * h * f[c] : 0;
        KEEL_RK_UNROLL for (int j = skipped; j < last; j++) sum += weight[i][j] * k[j * width + c];
        z[i * width + c] = sum;
    }
}

static inline double keel_larger(double a, double b) {
    return a > b ? a : b;
}

/* The size of each state: relative to it, or to what a step adds to it; one that is zero counts as a
 * millionth of the largest, which comes back. */
static inline double keel_implicit_scale(int n, double h, const double *x, const double *f, double *scale) {
    double largest = 0;
    KEEL_RK_UNROLL for (int c = 0; c < n; c++) {
        scale[c] = keel_larger(__builtin_fabs(h * f[c]), __builtin_fabs(x[c]));
        largest = keel_larger(scale[c], largest);
    }
    KEEL_RK_UNROLL for (int c = 0; c < n; c++) scale[c] = keel_larger(scale[c], 1e-6 * largest);
    return largest;
}

/* A state that starts at rest at zero has no size but what the step adds: K, where that is far beyond the
 * scale, and at least a millionth of the largest K.  To be called with the first K of a step, and where
 * nothing is gained. */
#define KEEL_IMPLICIT_BEYOND 100
static inline void keel_implicit_raise(int n, long width, int stages, const double *k, double *scale) {
    double largest = 0;
    KEEL_RK_UNROLL for (int c = 0; c < n; c++) {
        double most = 0;
        KEEL_RK_UNROLL for (int j = 0; j < stages; j++) most =
            keel_larger(__builtin_fabs(k[j * width + c]), most);
        if (most > KEEL_IMPLICIT_BEYOND * scale[c]) scale[c] = most;
        largest = keel_larger(most, largest);
    }
    KEEL_RK_UNROLL for (int c = 0; c < n; c++) scale[c] = keel_larger(scale[c], 1e-6 * largest);
}

/* K_i = h f(x + Z_i).  What rhs returned. */
static inline int keel_implicit_rates(const keel_implicit *m, const keel_implicit_room *r, keel_fn *rhs,
                                      void *context, double t, double h, const double *x, const double *f) {
    for (int i = 0; i < m->stages; i++) {
        double *k = r->k + i * r->width;
        const double *z = r->z + i * r->width, *rate = k;
        if (i == 0 && m->first_explicit) {
            rate = f;
        } else {
            KEEL_RK_UNROLL for (long c = 0; c < r->width; c++) r->stage[c] = x[c] + z[c];
            int code = rhs(t + m->c[i] * h, r->stage, k, context);
            if (code != 0) return code;
        }
        KEEL_RK_UNROLL for (int c = 0; c < r->all; c++) k[c] = h * rate[c];
    }
    return 0;
}

/* Z := moved; the largest change, in sizes of the states.  A K that is not finite shows in every stage of its
 * component, so in the last one, which the largest of a number and another that is none takes. */
static inline double keel_implicit_move(int stages, const keel_implicit_room *r) {
    double largest = 0;
    KEEL_RK_UNROLL for (long c = 0; c < r->width; c++) {
        double most = 0;
        KEEL_RK_UNROLL for (int i = 0; i < stages; i++) {
            double now = r->moved[i * r->width + c], size = __builtin_fabs(now - r->z[i * r->width + c]);
            r->z[i * r->width + c] = now;
            most = most > size ? most : size;
        }
        double size = c < r->n ? most / r->scale[c] : 0;
        largest = size > largest || size - size != 0 ? size : largest;
    }
    return largest;
}

#define KEEL_IMPLICIT_NEAR 1e-9 /* a change that may be round-off of a noisy field */

/* Rounds without gain: the change is not smaller than the last one, or, near round-off, where changes go up
 * and down in turns, not smaller than all before. */
static inline int keel_implicit_idle(int idle, double size, double before, double *least) {
    int gained = size < before && (size >= KEEL_IMPLICIT_NEAR || size < *least);
    *least = size < *least ? size : *least;
    return gained ? 0 : idle + 1;
}

/* Changes that do not shrink any more have met round-off if they are as small as that, or, of a noisy
 * field, small and idle several times. */
static inline int keel_implicit_arrived(double size, int idle) {
    return idle && (size < 64 * 2.2204460492503131e-16 || (idle > 2 && size < KEEL_IMPLICIT_NEAR));
}

/* Z := A K(Z) until nothing is gained: a tolerance would leave an error of one sign in every step (Hairer,
 * McLachlan, Razakarivony, BIT 48 (2008) 231).  *rounds: how many; 0: it does not contract.  Returns what rhs
 * returned.
 *
 * While changes are large, sums in double are as good.  The last ones, two at least, are rounded once: what
 * the rounding of a coefficient has brought into Z, with the same sign in every step, contracts with the
 * changes, from `careful` to round-off. */
static inline int keel_implicit_iterate(const keel_implicit *m, const keel_implicit_room *r, keel_fn *rhs,
                                        void *context, keel_stage_summer *sums, double t, double h,
                                        const double *x, const double *f, int *rounds) {
    enum { ROUNDS = 60, TRIAL = 6 };
    const double careful = 1e-12, far = 1e300;
    double first = 0, before = far, least = far, allowed = 1;
    int idle = 0, s = m->stages, exact = 0;
    *rounds = 0;
    for (int round = 0; round < ROUNDS; round++, allowed *= 0.6) {
        int code = keel_implicit_rates(m, r, rhs, context, t, h, x, f);
        if (code != 0) return code;
        if (round == 0 || idle) keel_implicit_raise(r->n, r->width, s, r->k, r->scale);
        exact = before < careful || idle ? exact + 1 : 0;
        if (exact) sums(m->of_stage, s, s, r->width, r->k, r->moved);
        else keel_stage_products(m->a, s, r->width, r->k, r->moved);
        double size = keel_implicit_move(s, r);
        if (!(size < far)) return 0;
        idle = keel_implicit_idle(idle, size, before, &least);
        if (exact && (size == 0 || (exact > 1 && keel_implicit_arrived(size, idle)))) {
            *rounds = round + 1;
            return 0;
        }
        if (round == 0) first = size;
        if (size > KEEL_IMPLICIT_NEAR &&
            ((round > 2 && size >= before) || (round >= TRIAL && size > first * allowed)))
            return 0;
        before = size;
    }
    if (before < KEEL_IMPLICIT_NEAR) *rounds = ROUNDS;
    return 0;
}

/* The increment, from K and Z. */
static inline void keel_implicit_end(const keel_implicit *m, const keel_implicit_room *r, long width,
                                     keel_stage_summer *sums, double *dx) {
    const double *last = r->z + (m->stages - 1) * r->width;
    if (!m->last_is_end) sums(m->of_end, 1, m->stages, r->width, r->k, dx);
    KEEL_RK_UNROLL for (int c = 0; c < width && m->last_is_end; c++) dx[c] = last[c];
}
#endif
