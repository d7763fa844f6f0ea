/* taylor.h - the inner loop of the Taylor method: the length of a step, its sums, its error.
 *
 *     x(t + s) = sum of c_k s^k,  k = 0 .. p
 *
 * The coefficients are data.  The library instantiates these functions with the states of a solver, a
 * compiled model with its own number of them: one source, two speeds. */
#ifndef KEEL_TAYLOR_H
#define KEEL_TAYLOR_H

#include <keel/explicit.h>

#include <math.h>

/* What a solver keeps of a series; KEEL_TAYLOR_MEMORY doubles, and `work` behind them. */
typedef struct keel_taylor {
    int n, order;
    double safety;  /* of a step */
    double *known;  /* not 0: of what place the coefficients are is known */
    double *before; /* the step that was aimed at last; 0: none yet */
    double *slope;  /* width: x' at the end of the last attempt */
    double *weight; /* width: one over the tolerances */
    double *c;      /* (order + 1) x n */
    double *work;   /* of the recurrences */
} keel_taylor;
#define KEEL_TAYLOR_MEMORY(n, width, order) (5 + 2 * (size_t)(width) + ((size_t)(order) + 1) * (size_t)(n))

static inline keel_taylor keel_taylor_at(double *begin, int n, int width) {
    keel_taylor m = {n,
                     (int)begin[1],
                     begin[2],
                     begin + 3,
                     begin + 4,
                     begin + 5,
                     begin + 5 + width,
                     begin + 5 + 2 * width,
                     begin + 5 + 2 * width + ((int)begin[1] + 1) * n};
    return m;
}

/* A new memory.  It begins with 0: steps of any length go on from it. */
static inline void keel_taylor_set(double *begin, int order) {
    begin[0] = 0;
    begin[1] = order;
    begin[2] = exp(-0.7 / (order - 1));
}

/* One over the tolerance of each state, by its size over a step h: one that passes through 0 does not make a
 * step short.  x' is that of the step before, which need not be waited for. */
static inline void keel_taylor_weigh(const keel_taylor *m, const double *x, double h, const double *atol,
                                     double rtol) {
    KEEL_RK_UNROLL for (int i = 0; i < m->n; i++) {
        double size = __builtin_fabs(x[i]) + __builtin_fabs(h * m->slope[i]), scale = atol[i] + rtol * size,
               least = 4 * 2.2204460492503131e-16 * size;
        m->weight[i] = 1 / (scale < least ? least : scale);
    }
}

/* The largest of the coefficients of order k, in tolerances; squares may be too large for a number. */
static inline double keel_taylor_largest(const keel_taylor *m, int k) {
    const double *c = m->c + (long)k * m->n;
    double largest = 0;
    KEEL_RK_UNROLL for (int i = 0; i < m->n; i++) {
        double ratio = c[i] == 0 ? 0 : __builtin_fabs(c[i]) * m->weight[i];
        if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
}

/* -log2 of the h with norm h^k = 2^share; infinite where the term vanishes. */
static inline double keel_taylor_reach(double norm, double share, int k) {
    return norm > 0 ? (log2(norm) - share) / k : -__builtin_huge_val();
}

/* The step from x, after one of the length before.  exp(-2) is 2^-2.885.  Where the last terms vanish, as
 * those of free flight do, the motion may be a polynomial: the last term there is may become as large as the
 * state, and the rate at the end will tell. */
static inline double keel_taylor_longest(const keel_taylor *m, const double *x, double before,
                                         const double *atol, double rtol) {
    int p = m->order;
    keel_taylor_weigh(m, x, before, atol, rtol);
    double near = keel_taylor_reach(keel_taylor_largest(m, p), -2.885390081777927, p);
    double far = keel_taylor_reach(keel_taylor_largest(m, p - 1), 0, p - 1);
    if (!(near > far)) near = far;
    for (int k = p - 2; k > 0 && near == -__builtin_huge_val(); k--)
        near = keel_taylor_reach(keel_taylor_largest(m, k), -log2(rtol), k);
    return exp2(-near) * m->safety;
}

typedef double keel_taylor_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* x(h) - x = h S and x'(h) = S + h S' for states i and i + 1, S = E + h O by the odd and the even
 * coefficients, which are polynomials in h^2 that do not wait for each other; E' and O' by Horner's scheme
 * for the derivative. */
static inline void keel_taylor_sum_two(const keel_taylor *m, int i, double h, double *dx) {
    keel_taylor_pair odd = {0, 0}, even = odd, odd_slope = odd, even_slope = odd;
    double y = h * h;
    int k = m->order, n = m->n;
    const double *c = m->c + (long)k * n + i;
    if (k % 2 == 1) { /* begin with an even one */
        odd = *(const keel_taylor_pair *)c;
        k--;
        c -= n;
    }
    for (; k > 0; k -= 2, c -= 2 * (long)n) {
        even_slope = even_slope * y + even;
        even = even * y + *(const keel_taylor_pair *)c;
        odd_slope = odd_slope * y + odd;
        odd = odd * y + *(const keel_taylor_pair *)(c - n);
    }
    keel_taylor_pair sum = odd + h * even;
    *(keel_taylor_pair *)(dx + i) = sum * h;
    *(keel_taylor_pair *)(m->slope + i) = sum + h * (even + 2 * h * (odd_slope + h * even_slope));
}

/* The same of one state. */
static inline void keel_taylor_sum_one(const keel_taylor *m, int i, double h, double *dx) {
    double odd = 0, even = 0, odd_slope = 0, even_slope = 0, y = h * h;
    int k = m->order, n = m->n;
    const double *c = m->c + (long)k * n + i;
    if (k % 2 == 1) {
        odd = *c;
        k--;
        c -= n;
    }
    for (; k > 0; k -= 2, c -= 2 * (long)n) {
        even_slope = even_slope * y + even;
        even = even * y + *c;
        odd_slope = odd_slope * y + odd;
        odd = odd * y + c[-n];
    }
    double sum = odd + h * even;
    dx[i] = sum * h;
    m->slope[i] = sum + h * (even + 2 * h * (odd_slope + h * even_slope));
}

static inline void keel_taylor_sum(const keel_taylor *m, double h, double *dx) {
    KEEL_RK_UNROLL for (int i = 0; i + 1 < m->n; i += 2) keel_taylor_sum_two(m, i, h, dx);
    if (m->n % 2) keel_taylor_sum_one(m, m->n - 1, h, dx);
}

/* The sum of |terms| of x_i'(h). */
static inline double keel_taylor_terms(const keel_taylor *m, int i, double h) {
    double sum = 0;
    for (int k = m->order; k > 0; k--)
        sum = sum * __builtin_fabs(h) + k * __builtin_fabs(m->c[(long)k * m->n + i]);
    return sum;
}

static inline double keel_taylor_power(double h, int p) {
    double power = 1;
    for (; p > 0; p /= 2, h *= h)
        if (p % 2) power *= h;
    return power;
}

/* A step that moves a state by less than its tolerance may pass every test and still lie beyond the circle of
 * convergence: near a branch point, sqrt(x) at x = 0, such steps led up where the rates led down, and stood
 * still for ever.  So the polynomial must follow its own motion: the defect may not exceed it. */
#define KEEL_TAYLOR_ASTRAY 1e6 /* tolerances: what such a step errs by; its end is half as far, then */

/* The rate of a state that a balance keeps at zero is the round-off of terms that cancel: as large as that of
 * the other rates, which the first coefficients are. */
static inline int keel_taylor_astray(const keel_taylor *m, int i, double x, double dx, double defect,
                                     double h) {
    if (h * defect <= __builtin_fabs(dx)) return 0;
    const double *f = m->c + m->n;
    double way = __builtin_fabs(dx) + h * __builtin_fabs(f[i]), largest = 0;
    if (!(h * defect > way && way > 64 * 2.2204460492503131e-16 * __builtin_fabs(x))) return 0;
    for (int j = 0; j < m->n; j++) largest = __builtin_fabs(f[j]) > largest ? __builtin_fabs(f[j]) : largest;
    return defect > 64 * 2.2204460492503131e-16 * largest;
}

/* The larger of the last term and the defect of the rate at the end, f_end, freed of its round-off. */
static inline void keel_taylor_error(const keel_taylor *m, double h_taken, const double *x, const double *dx,
                                     const double *f_end, const double *atol, double rtol, double *error) {
    int p = m->order;
    double h = __builtin_fabs(h_taken), power = keel_taylor_power(h, p), share = 0.1 * h;
    const double *last = m->c + (long)p * m->n;
    KEEL_RK_UNROLL for (int i = 0; i < m->n; i++) {
        double defect = __builtin_fabs(f_end[i] - m->slope[i]), term = __builtin_fabs(last[i]) * power;
        if (defect * share > 0.1 * (atol[i] + rtol * (__builtin_fabs(x[i]) + __builtin_fabs(dx[i])))) {
            defect -= 32 * 2.2204460492503131e-16 * keel_taylor_terms(m, i, h_taken); /* it matters */
            if (defect < 0) defect = 0;
        }
        if (keel_taylor_astray(m, i, x[i], dx[i], defect, h))
            term = KEEL_TAYLOR_ASTRAY * (atol[i] + rtol * __builtin_fabs(x[i]));
        defect *= share;
        error[i] = defect < term ? term : defect; /* what is not a number stays so */
    }
}
#endif
