/* sensitivity.h - sensitivities of a problem that is written in C.
 *
 *     keel_parameters by = {.count = 1, .f = f_by_k, .u0 = start_by_k};
 *     keel_variational *v = keel_variational_open(&problem, &by);
 *     keel_solver *s = keel_open(keel_variational_problem(v), &options);
 *     keel_run(s, 10);
 *     double x0_by_k = keel_state(s)[keel_variational_place(v, 0, 0)];
 *
 * Beside the unknowns u = (x, y) of the problem its variational problem has S = dx/dp and Y = dy/dp for each
 * parameter or start value p, with
 *
 *     mass S' = f_x S + f_y Y + f_p,   0 = F_x S + F_y Y + F_p,
 *
 * by the problem's own Jacobians, and beside every invariant I the invariant I_x S + I_p, kept as the others
 * are.  It serves ODE and DAE of index 1, mechanics without constraints, whose mass matrix is constant and
 * depends on no p, and hamiltonians that give x' as their f; constraints are for models (keel/model.h), which
 * linearise them with what they hide.  Events are those of the problem: what one changes in S is up to the
 * program that acts on it. */
#ifndef KEEL_SENSITIVITY_H
#define KEEL_SENSITIVITY_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Partial derivatives by p[count], those of one p after the other: out[k * rows + i].  NULL: zero. */
typedef struct keel_parameters {
    int count;
    keel_fn *f, *algebraic, *energy, *invariant; /* of these maps of the problem */
    const double *u0;         /* [count, n + m] of the start; NULL: it depends on none of them */
    const double *value;      /* count: p themselves.  The absolute tolerance of du/dp is that of u over |p|;
                               * NULL, or 0 for one: over 1 */
    const char *const *names; /* count, for names such as `d/dg x`; NULL: p0, p1, .. */
} keel_parameters;

typedef struct keel_variational keel_variational;
/* Problem and functions must last as long as it does; both structs are copied.  It has workspace of its own:
 * one for each thread.  NULL only without memory. */
KEEL_API keel_variational *keel_variational_open(const keel_problem *problem, const keel_parameters *by);
KEEL_API void keel_variational_close(keel_variational *v);
/* NULL: it could not be had, and the message says why. */
KEEL_API const keel_problem *keel_variational_problem(const keel_variational *v);
KEEL_API const char *keel_variational_message(const keel_variational *v); /* "" */
/* The place of du_i/dp_k among the unknowns of the variational problem, that of u_i itself with k = -1; -1:
 * there is no such thing. */
KEEL_API int keel_variational_place(const keel_variational *v, int i, int k);

#ifdef __cplusplus
}
#endif
#endif
