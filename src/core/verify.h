/* verify.h - what must be true of a problem before it is run: invariants that are conserved, derivatives
 * that are the derivatives (design rule 9). */
#ifndef KEEL_CORE_VERIFY_H
#define KEEL_CORE_VERIFY_H

#include "core/start.h"

/* Every energy and invariant row: strong, weak, or refused with its rate and the point; all false ones are
 * told.  u is consistent. */
keel_status verify_invariants(struct start *st, double t, const double *u);
/* What is kept, where the run stands: a row that rests near the start may be false later. */
keel_status verify_on_the_way(struct start *st, double t, const double *u);
/* Every given jacobian, rate and curvature against differences, at u and near it. */
keel_status verify_jacobians(struct start *st, double t, const double *u);
#endif
