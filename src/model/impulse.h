/* impulse.h - velocities or momenta that jump to what the constraints allow, by impulses along G^T alone:
 *
 *     P(w) - P(w0) + G^T p = 0,   R(w) = 0,
 *
 * where w are the velocities of a lagrangian, P = L_v, or the momenta of a hamiltonian, P = w, and R is d/dt
 * of the constraints and the rolling constraints themselves.  Whatever else the mode has stays as it is.
 * Where w_j was assigned, w_j = w0_j takes the place of its balance; where so much was assigned that R
 * determines no more, all balances hold, and little moves if R allows what was assigned. */
#ifndef KEEL_MODEL_IMPULSE_H
#define KEEL_MODEL_IMPULSE_H

#include "model/formulation.h"

#include "symbolic/tape.h"

struct impulse {
    int there, n, rows;
    int *place;                        /* of w among the unknowns of the mode's own formulation */
    struct derive_sparse slope, along; /* of P and R by w; G */
    int *rate_place;                   /* of q' there, which follows from w; -1: it is none of them */
    struct tape value, slopes, alongs, rates;
};

/* 1; 0: memory is out.  impulse_close in any case. */
int impulse_open(struct impulse *i, struct formulation *own);
void impulse_close(struct impulse *i);
/* u, the unknowns of the mode's own formulation, with the new w; where that fails they stay as they are.
 * stays: by state, 1 where it was assigned.  1; 0: memory is out. */
int impulse_apply(const struct impulse *i, double t, const double *parameter, const unsigned char *stays,
                  double *u);
#endif
