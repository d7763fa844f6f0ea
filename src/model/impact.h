/* impact.h - the smallest change by the masses, where a mode begins or after an action.
 *
 * Velocities jump to what the constraints allow by impulses along G^T: M dv = -G^T p.  The core does so for
 * mechanics.  A mode whose events look at multipliers is a general system to it; so its mechanics stand
 * beside it, for this alone.  A hamiltonian, and a lagrangian with other unknowns beside it, has its impulses
 * written down.  So has every mode after an action that assigns: what it assigns stays. */
#ifndef KEEL_MODEL_IMPACT_H
#define KEEL_MODEL_IMPACT_H

#include "model/fill.h"
#include "model/impulse.h"

struct impact {
    int there;
    struct formulation formulation; /* mechanics */
    struct functions functions;
    struct fill fill;
    int *place;    /* of its states among those of the mode's own formulation */
    size_t states; /* of the mode's own formulation */
    int always;    /* the impulses are those written down, also without an assignment */
    struct impulse impulse;
};

/* 1; 0: memory is out.  impact_close in any case. */
int impact_open(struct impact *i, struct formulation *own);
void impact_close(struct impact *i);
/* u, the unknowns of the mode's own formulation, made consistent; where that fails they stay as they are.
 * stays: by its states, 1 where one was assigned.  moments: as impulse_apply.  1; 0: memory is out. */
int impact_apply(const struct impact *i, double t, const double *parameter, const unsigned char *stays,
                 const double *moments, double *u);
#endif
