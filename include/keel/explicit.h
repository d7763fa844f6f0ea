/* explicit.h - the inner loop of the explicit Runge-Kutta methods.
 *
 *     k_i = f(t + c_i h, x + h sum_j a_ij k_j),   dx = h sum_i b_i k_i
 *
 * Tables are data; the right-hand side is a parameter.  The library instantiates the loop with a function
 * pointer, a compiled model with its own inlined right-hand side: one source, two speeds.  A program may do
 * the same with a function of its own, and needs this header alone:
 *
 *     #define KEEL_INLINE
 *     #include <keel/explicit.h>
 *     static int orbit(double t, const double *x, double *dx, void *user) { ... }
 *     KEEL_RK_KERNEL(orbit_rk4, keel_rk4, 4, orbit)
 *
 * orbit_rk4 is a keel_kernel_fixed: to be called, or to be given to keel_run (keel_extras.kernel). */
#ifndef KEEL_EXPLICIT_H
#define KEEL_EXPLICIT_H

#include <keel.h>
#include <keel/real.h>

/* KEEL_INLINE: table and width are constants, and loops over them are written out.  All states are in
 * registers then, and there two at a time save half of the work of long sums.  Short ones, and those of an
 * odd number of states, would only wait for others to be put together and taken apart.  The first two come
 * last: f often begins with them, and then they need not leave their register. */
#ifdef KEEL_INLINE
#define KEEL_RK_UNROLL _Pragma("GCC unroll 16")
#ifndef KEEL_LANES
#define KEEL_RK_PAIRS
typedef double keel_rk_pair __attribute__((vector_size(16)));
#endif
#elif !defined KEEL_RK_UNROLL /* by one whose compiler has another word for it */
#define KEEL_RK_UNROLL
#endif

/* The error of a step in tolerances, from the mean squares e0, e1 of its two estimates; all zero: the root of
 * e0, and the second estimate is not asked for. */
typedef enum keel_error_kind {
    KEEL_ERROR_FIRST,    /* sqrt(e0) */
    KEEL_ERROR_QUOTIENT, /* e0 / sqrt(e0 + weight e1): of the order of both together */
    KEEL_ERROR_LARGER    /* sqrt(max(e0, weight e1)) */
} keel_error_kind;
typedef struct keel_error_norm {
    keel_error_kind kind;
    double weight;
} keel_error_norm;

static inline keel_real keel_error_size(const keel_error_norm *norm, keel_real e0, keel_real e1) {
    keel_real size = norm->kind == KEEL_ERROR_FIRST ? keel_lift(0.0) : norm->weight * e1;
    if (norm->kind != KEEL_ERROR_QUOTIENT) return keel_sqrt(keel_select(size > e0, size, e0));
    size += e0;
    return keel_select(size > 0.0, e0 / keel_sqrt(size), keel_lift(0.0));
}

/* Rows of coefficients run over k_1 .. k_s; those of the dense output over k_1 .. k_s, f_end, extra
 * stages. */
typedef struct keel_rk {
    int stages;
    const double *c;                 /* stages */
    const double *a;                 /* row i = 1 .. stages-1 has i entries, packed */
    const double *b;                 /* stages */
    const double *error[2];          /* local error = h sum e_i k_i; NULL: none */
    keel_error_norm norm;            /* of the estimates; FIRST: the second one is not used */
    int last_is_end;                 /* the last stage is f at the new point: its row of a is b */
    int extra;                       /* further stages of the dense output */
    const double *extra_c, *extra_a; /* extra, and extra x (stages + 1 + extra) */
    int shape;                       /* terms of the dense output beyond cubic Hermite */
    const double *dense;             /* shape x (stages + 1 + extra) */
} keel_rk;

#ifndef KEEL_LANES
/* The same for many states, which lie in memory anyway: those from i on in `lanes` lanes, up to four.
 * KEEL_RK_WIDE: lanes of more than two, by one whose processor has them; no bit depends on it. */
enum { KEEL_RK_MANY = 32 };
typedef double keel_rk_lane __attribute__((vector_size(16), aligned(8), may_alias));
#ifndef KEEL_RK_WIDE
#define KEEL_RK_WIDE keel_rk_lane
#endif

static inline void keel_rk_sum_lanes(int width, int first, int last, const double *a, double begin,
                                     double factor, const double *k, const double *x, double *out, int i,
                                     int lanes) {
    typedef KEEL_RK_WIDE lane;
    const lane *kj = (const lane *)(k + (size_t)first * (size_t)width + i);
    lane s[4];
    KEEL_RK_UNROLL for (int l = 0; l < lanes; l++) s[l] = begin * kj[l];
    for (int j = first + 1; j <= last; j++) {
        if (a[j] == 0) continue;
        kj = (const lane *)(k + (size_t)j * (size_t)width + i);
        KEEL_RK_UNROLL for (int l = 0; l < lanes; l++) s[l] += a[j] * kj[l];
    }
    const lane *from = (const lane *)(x ? x + i : out + i);
    lane *to = (lane *)(out + i);
    KEEL_RK_UNROLL for (int l = 0; l < lanes; l++) to[l] = x ? from[l] + factor * s[l] : factor * s[l];
}
#endif

/* out = x + h sum_j a_j k_j (x NULL: without it) over `width` components and `count` > 0 terms; k_j is
 * k + j width.  Blocks of four stay in registers while j runs; compiled models have what is left over.  The
 * sum begins with its first term, not with a zero to which that would be added.  A half or a
 * whole k_j that stands alone has the factor h a_j, which is the same in every step: no bit depends on it. */
static inline void keel_rk_sum(int width, int count, const double *a, const keel_real *k, keel_real h,
                               const keel_real *x, keel_real *out) {
    int first = 0, last = count - 1, i = 0;
    KEEL_RK_UNROLL for (; first < count - 1; first++) if (a[first] != 0) break;
    KEEL_RK_UNROLL for (; last > first; last--) if (a[last] != 0) break;
    int alone = first == last && (a[first] == 0.5 || a[first] == 1);
    keel_real factor = alone ? h * a[first] : h;
    double begin = alone ? 1 : a[first];
#ifdef KEEL_RK_PAIRS
    int pairs = width % 2 || count <= 4 ? 0 : width / 2;
    KEEL_RK_UNROLL for (int pair = pairs - 1; pair >= 0; pair--) {
        i = 2 * pair;
        const double *kj = k + (size_t)first * (size_t)width + i;
        keel_rk_pair s = begin * (keel_rk_pair){kj[0], kj[1]};
        KEEL_RK_UNROLL for (int j = first + 1; j <= last; j++) {
            if (a[j] == 0) continue;
            kj = k + (size_t)j * (size_t)width + i;
            s += a[j] * (keel_rk_pair){kj[0], kj[1]};
        }
        s = x ? (keel_rk_pair){x[i], x[i + 1]} + factor * s : factor * s;
        out[i] = s[0];
        out[i + 1] = s[1];
    }
    i = 2 * pairs;
#endif
#ifndef KEEL_LANES
    int many = width >= KEEL_RK_MANY, lane = (int)(sizeof(KEEL_RK_WIDE) / sizeof(double));
    for (; many && i + 4 * lane <= width; i += 4 * lane)
        keel_rk_sum_lanes(width, first, last, a, begin, factor, k, x, out, i, 4);
    for (; many && i + 2 * lane <= width; i += 2 * lane)
        keel_rk_sum_lanes(width, first, last, a, begin, factor, k, x, out, i, 2);
    for (; many && i + lane <= width; i += lane)
        keel_rk_sum_lanes(width, first, last, a, begin, factor, k, x, out, i, 1);
#endif
    for (; i + 4 <= width; i += 4) {
        const keel_real *kj = k + (size_t)first * (size_t)width + i;
        keel_real s0 = begin * kj[0], s1 = begin * kj[1], s2 = begin * kj[2], s3 = begin * kj[3];
        KEEL_RK_UNROLL for (int j = first + 1; j <= last; j++) {
            kj += width;
            if (a[j] == 0) continue;
            s0 += a[j] * kj[0];
            s1 += a[j] * kj[1];
            s2 += a[j] * kj[2];
            s3 += a[j] * kj[3];
        }
        s0 *= factor, s1 *= factor, s2 *= factor, s3 *= factor;
        if (x) s0 += x[i], s1 += x[i + 1], s2 += x[i + 2], s3 += x[i + 3];
        out[i] = s0, out[i + 1] = s1, out[i + 2] = s2, out[i + 3] = s3;
    }
    KEEL_RK_UNROLL for (; i < width; i++) {
        keel_real s = begin * k[(size_t)first * (size_t)width + (size_t)i];
        KEEL_RK_UNROLL for (int j = first + 1; j <= last; j++) if (a[j] != 0) s +=
            a[j] * k[(size_t)j * (size_t)width + (size_t)i];
        out[i] = x ? x[i] + factor * s : factor * s;
    }
}

/* All stages and the increment.  k: stages x width; k_1 is f, the rhs at x.  Returns what rhs returned. */
static inline int keel_rk_step(const keel_rk *table, int width, keel_fn *rhs, void *context, keel_real t,
                               keel_real h, const keel_real *x, const keel_real *f, keel_real *k,
                               keel_real *stage, keel_real *dx)
#ifdef KEEL_RK_WRITTEN_OUT /* below, by a model whose compiler leaves loops of growing length alone */
    ;
#else
{
    const double *row = table->a;
    KEEL_RK_UNROLL for (int i = 0; i < width; i++) k[i] = f[i];
    KEEL_RK_UNROLL for (int i = 1; i < table->stages; row += i, i++) {
        keel_rk_sum(width, i, row, k, h, x, stage);
        int code = rhs(t + table->c[i] * h, stage, k + (size_t)i * (size_t)width, context);
        if (code != 0) return code;
    }
    keel_rk_sum(width, table->stages, table->b, k, h, NULL, dx);
    return 0;
}
#endif

/* After it: the first `count` error estimates, `stride` apart. */
static inline void keel_rk_errors(const keel_rk *table, int width, int count, int stride, const keel_real *k,
                                  keel_real h, keel_real *error)
#ifdef KEEL_RK_WRITTEN_OUT
    ;
#else
{
    KEEL_RK_UNROLL for (int e = 0; e < count; e++)
        keel_rk_sum(width, table->stages, table->error[e], k, h, NULL, error + e * stride);
}
#endif

/* Both, or what does the same. */
typedef int keel_rk_attempt(const keel_rk *table, int width, keel_fn *rhs, void *context, keel_real t,
                            keel_real h, const keel_real *x, const keel_real *f, keel_real *k,
                            keel_real *stage, keel_real *dx);
typedef void keel_rk_estimates(const keel_rk *table, int width, int count, int stride, const keel_real *k,
                               keel_real h, keel_real *error);

/* A keel_kernel_fixed: steps on the grid base + k h, each as the core takes it.  k, stage, dx: as above.
 * Returns the calls of rhs; -1: one failed, and x and f are lost. */
static inline long keel_rk_fixed_by(keel_rk_attempt *attempt, const keel_rk *table, int width, keel_fn *rhs,
                                    void *context, keel_real t, keel_real base, keel_real h, long first,
                                    long count, keel_real *x, keel_real *f, keel_real *k, keel_real *stage,
                                    keel_real *dx) {
    const keel_real *last = k + (size_t)(table->stages - 1) * (size_t)width;
    for (long step = first + 1; step <= first + count; step++) {
        if (attempt(table, width, rhs, context, t, h, x, f, k, stage, dx) != 0) return -1;
        KEEL_RK_UNROLL for (int i = 0; i < width; i++) x[i] += dx[i];
        t = base + (double)step * h;
        if (!table->last_is_end && rhs(t, x, f, context) != 0) return -1;
        if (!table->last_is_end) continue;
        KEEL_RK_UNROLL for (int i = 0; i < width; i++) f[i] = last[i];
    }
    return count * (table->stages - (table->last_is_end != 0));
}
static inline long keel_rk_fixed(const keel_rk *table, int width, keel_fn *rhs, void *context, keel_real t,
                                 keel_real base, keel_real h, long first, long count, keel_real *x,
                                 keel_real *f, keel_real *k, keel_real *stage, keel_real *dx) {
    return keel_rk_fixed_by(keel_rk_step, table, width, rhs, context, t, base, h, first, count, x, f, k,
                            stage, dx);
}

#ifndef KEEL_LANES
/* The classical method of Kutta: order 4.  Other tables are written in the same way. */
static const double keel_rk4_c[4] = {0, 1. / 2, 1. / 2, 1};
static const double keel_rk4_a[6] = {1. / 2, 0, 1. / 2, 0, 0, 1};
static const double keel_rk4_b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
static const keel_rk keel_rk4 = {
    4, keel_rk4_c, keel_rk4_a, keel_rk4_b, {NULL, NULL}, {KEEL_ERROR_FIRST, 0}, 0, 0, NULL, NULL, 0, NULL};

/* The keel_kernel_fixed `name`: n states by a table of up to KEEL_RK_MOST stages, with the function rhs in
 * it.  x and f hold n numbers, f the rhs at x. */
enum { KEEL_RK_MOST = 16 };
#define KEEL_RK_KERNEL(name, table, n, rhs)                                                                \
    __attribute__((flatten)) static long name(double t, double base, double h, long first, long count,     \
                                              double *x, double *f, void *user) {                          \
        double y[n], rate[n], k[KEEL_RK_MOST * (n)] = {0}, stage[n], dx[n];                                \
        for (int i = 0; i < (n); i++) y[i] = x[i], rate[i] = f[i];                                         \
        long calls = keel_rk_fixed(&table, n, rhs, user, t, base, h, first, count, y, rate, k, stage, dx); \
        for (int i = 0; i < (n); i++) x[i] = y[i], f[i] = rate[i];                                         \
        return calls;                                                                                      \
    }
#endif
#endif
