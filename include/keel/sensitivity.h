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
 * are.  It serves ODE and DAE of index 1; mechanics, whose mass matrix is constant; and hamiltonians that
 * give x' as their f, or canonical ones their second derivatives.  Constraints g(q) = 0 give the rows
 *
 *     G S_q + g_p = 0   and its d/dt,
 *
 * which are held to round-off as g and G q' are; multipliers are no unknowns, and
 * keel_variational_multipliers has them and their derivatives.  Constraints of mechanics that follow from
 * others are found, and those that carry the motion chosen where it is; multipliers are then the least ones.
 * What depends on t there, rolling constraints, masses that change and switches are for models
 * (keel/model.h).  Events are those of the problem: what one
 * changes in S is up to the program that acts on it. */
#ifndef KEEL_SENSITIVITY_H
#define KEEL_SENSITIVITY_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Partial derivatives by p[count], those of one p after the other: out[k * rows + i].  NULL: zero. */
typedef struct keel_parameters {
    int count;
    keel_fn *f, *algebraic, *energy, *invariant, *constraint; /* of these maps; HAMILTONIAN: f is B grad H */
    keel_fn *constraint_jacobian;                             /* of G = dg/dq: [count, constraints, n/2] */
    keel_fn *mass; /* MECHANICS with constraints: of M, [count, n/2, n/2] */
    /* Second derivatives of the problem itself, compared with differences at the start. */
    keel_fn *constraint_hessian; /* d^2 g_i/dq^2: [constraints, n/2, n/2]; NULL: they are linear */
    keel_fn *hessian;            /* HAMILTONIAN without f: d^2 H/dx^2, n x n */
    const double *u0;            /* [count, n + m] of the start; NULL: it depends on none of them */
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
/* The multipliers at u, n (1 + count) unknowns: all of the problem, then their derivatives by each p.
 * KEEL_OK; KEEL_EINVAL: there are no constraints; KEEL_ESINGULAR: these depend on each other there. */
KEEL_API keel_status keel_variational_multipliers(keel_variational *v, double t, const double *u,
                                                  double *out);

#ifdef __cplusplus
}
#endif
#endif
