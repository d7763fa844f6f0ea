/* verify.h - what must be true of a problem before it is run: invariants that are conserved, derivatives
 * that are the derivatives (design rule 9). */
#ifndef KEEL_CORE_VERIFY_H
#define KEEL_CORE_VERIFY_H

#include "core/start.h"

/* Every energy and invariant row: strong, weak, or refused with its rate and the point; all false ones are
 * told.  u is consistent. */
keel_status verify_invariants(struct start *st, double t, const double *u);
/* The same where verdicts on the same functions with other numbers are known: at u and at one point around
 * it, and in full where that leaves a doubt. */
keel_status verify_again(struct start *st, double t, const double *u);
/* Before that, where nothing but energies and invariants must hold, all of them strong: u and the one point
 * serve all of them.  0: there is a doubt. */
int verify_at_a_glance(struct start *st, double t, const double *u);
/* What is kept, where the run stands: a row that rests near the start may be false later.  f: x' there, or
 * NULL. */
keel_status verify_on_the_way(struct start *st, double t, const double *u, const double *f);
/* Clears what a look on the way leaves in the block: a kernel looks elsewhere, and saved bytes are the
 * same. */
void verify_clear(struct start *st);
/* The share of the terms of dI/dt up to which it counts as 0 there. */
double verify_share(const struct field *fd, const struct map *map);
/* Every given jacobian, rate and curvature against differences, at u and near it. */
keel_status verify_jacobians(struct start *st, double t, const double *u);
#endif
