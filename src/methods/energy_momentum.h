/* energy_momentum.h - what the files of the energy-momentum method share. */
#ifndef KEEL_ENERGY_MOMENTUM_H
#define KEEL_ENERGY_MOMENTUM_H

#include <keel/native.h>
#include <keel/system.h>

enum energy_space {
    ENERGY_FORMS, /* z = pi(x): `energy_of_forms`, H and the constraints */
    ENERGY_Q,     /* z = q: H, at a fixed p */
    ENERGY_P,     /* z = p: H, at a fixed q */
    ENERGY_HOLDS  /* z = q: the constraints */
};

struct energy_momentum {
    int nq, k, forms, canonical;
    double *step, *change, *residual, *matrix, *pivot; /* n + k: (dq, dp, mu), mu = h lambda */
    double *gradient, *rows;                           /* DH, n; Dg, k x nq, sparse: as keel_native_rows */
    double *begin, *end, *middle;                      /* width: x, x + dx, and between */
    /* Of the quotients: gradients of all functions and of those at a node, values, places. */
    double *slope, *node, *value[2], *place, *from, *way, *pi[2], *pi_rows, *x;
    double *bent;
    keel_system *system; /* sparse: in place of matrix; NULL: it is dense */
    double *share;       /* sparse, k: Dg has share_r dq beside its rows */
    double *numbers;     /* sparse: of the blocks */
};

/* DH and Dg over the way m->step from m->begin to m->end, at the time t. */
void energy_quotients_layout(const keel_problem *p, keel_work *w);
keel_status energy_quotients(keel_work *w, double t);
/* NULL, or why `energy` (mechanics) or the quadratic forms are not what they should be. */
const char *energy_doubts(const keel_problem *p);
#endif
