/* bundle.h - a motion with tangent vectors along it, of a model that was read with the sensitivities to
 * all free start values.
 *
 * x, n states of the model; S, r vectors of n, which span the tangent space of what the constraints
 * allow.  The linearised equations and constraints are linear in S and have no other terms: any
 * combination of tangent vectors satisfies them, too. */
#ifndef KEEL_ANALYSIS_BUNDLE_H
#define KEEL_ANALYSIS_BUNDLE_H

#include "base/text.h"

#include <keel/model.h>

enum { BUNDLE_NAMES = 16, BUNDLE_NAME = 120 };

struct bundle {
    const keel_model *model;
    keel_sim *sim;
    const keel_problem *problem;
    keel_status status;
    char message[TEXT_SENTENCE];
    int n, r;
    int *state;       /* [n] of x_j among the unknowns */
    int *place;       /* [r * n] of dx_j/dp_k among them, by direction */
    double *u, *rate; /* the unknowns; their rates */
    /* Invariants with their derivatives in all directions: rows of the certificate. */
    char name[BUNDLE_NAMES][BUNDLE_NAME];
    int names, *row;          /* [names * r] */
    int self[BUNDLE_NAMES];   /* the row of the invariant itself */
    double *slope, *residual; /* [names * r] what vector k changes invariant i by; of all rows */
};

/* The model's own run, at its start.  KEEL_OK, or m->status and m->message; bundle_close in any case. */
keel_status bundle_open(struct bundle *m, const keel_model *model, const keel_options *o);
void bundle_close(struct bundle *m);
keel_status bundle_fail(struct bundle *m, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

double bundle_time(const struct bundle *m);
int bundle_autonomous(const struct bundle *m);          /* do the equations not depend on t? */
const char *bundle_name(const struct bundle *m, int j); /* of x_j */
/* Where it stands: x[n], S[r * n], one vector behind the other; either may be NULL. */
void bundle_get(struct bundle *m, double *x, double *s);
/* Goes on from (t, x, S), made consistent: x on the constraints, S tangent to them. */
keel_status bundle_set(struct bundle *m, double t, const double *x, const double *s);
/* Goes to (t, x) on the constraints with the vectors q, in sizes of the states, made tangent there and
 * orthonormal; x and q become that. */
keel_status bundle_place(struct bundle *m, double t, const double *size, double *x, double *q);
keel_status bundle_go(struct bundle *m, double t); /* to t, through events that act */
/* x' and S' where it stands; either may be NULL. */
keel_status bundle_rates(struct bundle *m, double *dx, double *ds);
/* S' with all unknowns wrong by so many round-offs. */
keel_status bundle_rates_beside(struct bundle *m, double round_offs, double *ds);
/* m->slope where it stands. */
keel_status bundle_slopes(struct bundle *m);

/* Vectors. */
double bundle_dot(int n, const double *a, const double *b);
/* v less its parts along count orthonormal vectors, twice, since once is not enough; its length, then 1. */
double bundle_orthonormal(int n, int count, const double *basis, double *v);
/* The size of a state whose known[n] is not positive balances its row and column of A = D f Q Q^T (E. E.
 * Osborne, J. ACM 7 (1960) 338-345), rate[r * n] the rates of the vectors q: it is grown[n] times as
 * large, 1 where it is not quite another. */
void bundle_balance(int n, int r, const double *rate, const double *q, const double *known, double *grown);
#endif
