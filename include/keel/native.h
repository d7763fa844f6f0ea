/* native.h - what a native method asks of the problem beyond x' = f(t, x): its functions one by one, its mass
 * matrix, its constraints.
 *
 * For methods that find multipliers or algebraic variables of their own; all others need keel_rhs alone.
 * To be called from a stepper's slots while a step is tried.  Callbacks that fail and values that are not
 * finite become a status, and the run has the sentence.  With x = (q, v): nq = n/2, K = (G; A) has the
 * jacobian G of the constraints 0 = g(t, q) and that of the rolling rows 0 = A v + b, k rows of nq. */
#ifndef KEEL_NATIVE_H
#define KEEL_NATIVE_H

#include <keel/method.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a problem and of its extras, by the names of their members. */
typedef enum keel_native_map {
    KEEL_MAP_F, /* KEEL_SECOND_ORDER: the forces */
    KEEL_MAP_ALGEBRAIC,
    KEEL_MAP_ENERGY,
    KEEL_MAP_CONSTRAINT,
    KEEL_MAP_ROLLING,
    KEEL_MAP_QUADRATIC_FORMS,
    KEEL_MAP_ENERGY_OF_FORMS,
    KEEL_MAP_ORIGINAL_F,
    KEEL_MAP_ORIGINAL_G,
    KEEL_MAP_VELOCITY
} keel_native_map;
enum { KEEL_NATIVE_MAPS = KEEL_MAP_VELOCITY + 1 };

/* What keel_work.native points to; to be read. */
typedef struct keel_native {
    const keel_problem *problem;
    const keel_map *map[KEEL_NATIVE_MAPS];
    int nq, kg, k;             /* positions; constraints; these and rolling rows */
    const int *active;         /* k: 0 for a redundant row, which has no multiplier of its own */
    const double *multipliers; /* k: those that keel_rhs found last */
    const double *algebraic;   /* m: the algebraic variables found last */
    const int *direct;         /* m: does this row of F contain any of them?  The d/dt of others does */
} keel_native;

/* Are all values finite?  0 times such a value is 0: one sum tells; four at once, since additions wait. */
static inline int keel_native_finite(int count, const double *value) {
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += value[i + k] * 0;
    for (; i < count; i++) sum[0] += value[i] * 0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0;
}

/* The count values of a map at (t, u). */
KEEL_API keel_status keel_native_diagnose(keel_work *w, keel_native_map map, int code, double t,
                                          const double *value); /* why there are none */
static inline keel_status keel_native_value(keel_work *w, keel_native_map map, double t, const double *u,
                                            double *out) {
    const keel_map *m = w->native->map[map];
    if (!m->value || keel_halted(w->halt)) return keel_native_diagnose(w, map, 0, t, NULL);
    int code = m->value(t, u, out, w->native->problem->user);
    return code == 0 && keel_native_finite(m->count, out) ? KEEL_OK
                                                          : keel_native_diagnose(w, map, code, t, out);
}
/* Their jacobian row by row, by differences where none is given or differences is not 0; g_t of the
 * constraints. */
KEEL_API keel_status keel_native_jacobian(keel_work *w, keel_native_map map, double t, const double *u,
                                          int differences, double *out);
KEEL_API keel_status keel_native_time_derivative(keel_work *w, double t, const double *u, double *g_t);

/* The mass matrix of a problem of second order, nq x nq; all others have the identity here.  A factor takes
 * so many doubles of the method's own; a constant M is factored once, by keel itself, and takes none.  Sparse
 * problems take none, either, and solve with the M that was factored last. */
KEEL_API size_t keel_native_mass_doubles(const keel_problem *p);
KEEL_API keel_status keel_native_mass(keel_work *w, double t, const double *u, double *m);
KEEL_API keel_status keel_native_mass_factor(keel_work *w, double t, const double *u, double *factor);
KEEL_API void keel_native_mass_solve(const keel_work *w, const double *factor, double *v); /* v := M^-1 v */

/* Has this mechanics, or this canonical Hamiltonian with constraints, sparse matrices, by its size and its
 * patterns?  Only for steppers with the trait KEEL_SPARSE; to be asked in the layout, too.  What is called
 * dense below is refused then. */
KEEL_API int keel_native_sparse(const keel_work *w);
/* Sparse problems: the jacobian of a map as the entries of its pattern; those of M, NULL if it is 1. */
KEEL_API keel_status keel_native_entries(keel_work *w, keel_native_map map, double t, const double *u,
                                         double *out);
KEEL_API const double *keel_native_mass_entries(const keel_work *w);
/* Sparse problems with a keel_system: the entries of f less d/dq (M a), which is 0 where M is constant. */
KEEL_API keel_status keel_native_mass_bend(keel_work *w, double t, const double *u, const double *a,
                                           double *force);

/* Problems of second order.  K, row by row, or sparse: the entries of the constraints' pattern and of that of
 * the rolling rows; so many doubles.  G v + g_t, then A v + b (canonical ones: G H_p + g_t); d/dt of these
 * for constant v.  keel_native_mass: dense. */
KEEL_API size_t keel_native_rows_doubles(const keel_work *w);
KEEL_API keel_status keel_native_rows(keel_work *w, double t, const double *u, double *rows);
KEEL_API keel_status keel_native_velocity_rows(keel_work *w, double t, const double *u, double *out);
KEEL_API keel_status keel_native_curvature(keel_work *w, double t, const double *u, double *gamma);
/* With such rows, the first `count` of them: out += K v; out -= K^T lambda; redundant rows := 0. */
KEEL_API void keel_native_rows_add(const keel_work *w, const double *rows, int count, const double *v,
                                   double *out);
KEEL_API void keel_native_rows_subtract(const keel_work *w, const double *rows, int count,
                                        const double *lambda, double *out);
KEEL_API void keel_native_rows_silence(const keel_work *w, double *rows);
/* Sparse problems with a keel_system, where the entries of K are `rows`: lambda_i d K_i / d q, so many
 * doubles for a KEEL_BLOCK_BEND; and d/dq of G a + g_t and of A a + b beside the entries of K.  Both are 0
 * for redundant rows. */
KEEL_API size_t keel_native_bend_doubles(const keel_work *w);
KEEL_API keel_status keel_native_bend(keel_work *w, double t, const double *u, const double *rows,
                                      const double *lambda, const double *a, double *bend, double *by_q);
/* The saddle-point system (M K^T; K 0) at (t, q), factored unless it was there; then the smallest d by
 * d . M d with K d = c, which is M^-1 K^T (K M^-1 K^T)^-1 c.  Sparse canonical problems: G H_pp G^T at
 * (t, q, p), which d/dp of G H_p and G give; then G^T (G H_pp G^T)^-1 c, the change of p for c of G H_p. */
KEEL_API keel_status keel_native_factor(keel_work *w, double t, const double *u);
KEEL_API void keel_native_correct(keel_work *w, const double *c, double *d);
/* Sparse problems: the same system with K(t,q) below, of another place than the K^T that was factored; d is
 * then M^-1 K^T (K(t,q) M^-1 K^T)^-1 c.  KEEL_ESINGULAR: it cannot be. */
KEEL_API keel_status keel_native_factor_oblique(keel_work *w, double t, const double *u);

/* The attempt gives up; returns KEEL_RETRY.  A shorter step is tried, and where that cannot be the run ends
 * with this status and sentence. */
KEEL_API keel_status keel_native_fail(keel_work *w, keel_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
