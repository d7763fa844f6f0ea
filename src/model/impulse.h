/* impulse.h - velocities or momenta that jump to what the constraints allow, by impulses along G^T alone:
 *
 *     P(w) - P(w0) + G^T p = 0,   R(w) = 0,
 *
 * where w are the velocities of a lagrangian, P = L_v, or the momenta of a hamiltonian, P = w, and R is d/dt
 * of the constraints and the rolling constraints themselves.  Whatever else the mode has stays as it is.
 * Where w_j was assigned, w_j = w0_j takes the place of its balance; where so much was assigned that R
 * determines no more, all balances hold, and little moves if R allows what was assigned.
 *
 * Sensitivities follow by the same matrix: with d the derivative along the crossing, at times that move by
 * tau, dE = D E + E_t tau of both equations E is linear in dw and dp. */
#ifndef KEEL_MODEL_IMPULSE_H
#define KEEL_MODEL_IMPULSE_H

#include "model/formulation.h"

#include "symbolic/tape.h"

struct impulse {
    int there, n, rows;
    size_t unknowns;                   /* of the mode's own formulation */
    int *place;                        /* of w among the unknowns of the mode's own formulation */
    struct derive_sparse slope, along; /* of P and R by w; G */
    int *rate_place;                   /* of q' there, which follows from w; -1: it is none of them */
    struct tape value, slopes, alongs, rates;
    /* Sensitivities (impulse_vary.c). */
    int directions;
    int *companion, *rate_companion; /* [directions * n] as place and rate_place */
    struct tape *linear;             /* by direction: D of values, alongs and rates */
    struct tape drift;               /* their d/dt at rest */
};

/* 1; 0: memory is out.  impulse_close in any case. */
int impulse_open(struct impulse *i, struct formulation *own);
void impulse_close(struct impulse *i);
/* u, the unknowns of the mode's own formulation, with the new w; where that fails they stay as they are.
 * stays: by state, 1 where it was assigned.  moments: tau by direction.  1; 0: memory is out. */
int impulse_apply(const struct impulse *i, double t, const double *parameter, const unsigned char *stays,
                  const double *moments, double *u);

/* impulse_vary.c: the tapes of value[n + rows] and what stands in i->along; 1, or 0: they cannot be had. */
int impulse_vary_open(struct impulse *i, struct formulation *own, const expr *value);
void impulse_vary_close(struct impulse *i);
/* The companions in u, which has the new w, as they were in `before`; by the factors of the last step and
 * minus the impulses, step[n + rows].  1; 0: memory is out. */
struct impulse_solved {
    const double *matrix, *minus_impulse;
    const int *pivot;
};
int impulse_vary(const struct impulse *i, double t, const double *parameter, const unsigned char *stays,
                 const double *moments, const double *before, const struct impulse_solved *solved, double *u);
#endif
