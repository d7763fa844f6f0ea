/* saltation.h - sensitivities through an event.
 *
 * The time of an event e(t, x, p) = 0 moves with p by tau = -(D e) / e', where D is the derivative at a fixed
 * time (tangent.h) and ' the one along the motion.  A state that becomes x+ = R(t, x-, p) there has
 *
 *     S+ = D R + R' tau - (x')+ tau,
 *
 * R' along the motion before and (x')+ along that after the event; R = x where nothing is assigned.
 * (M. A. Aizerman, F. R. Gantmakher, On the stability of periodic motions, J. Appl. Math. Mech. 22 (1958)
 * 1065-1078; the matrix that takes S- to S+ is the saltation matrix.) */
#ifndef KEEL_MODEL_SALTATION_H
#define KEEL_MODEL_SALTATION_H

#include "model/sim.h"

/* At a switching surface, where nothing is assigned, the core does this (keel/extras.h): tau of each surface
 * and direction, by the sides in force.  1, or 0 without memory. */
int saltation_moments(struct formulation *r);

/* What event `own` of a mode makes of the basic symbol `symbol` of the mode that follows, D R + R' tau where
 * it is a companion; else the symbol itself. */
expr saltation_before(struct keel_model *m, struct inside_mode *mode, const struct inside_event *own,
                      expr symbol);
/* tau of direction k. */
expr saltation_time(struct keel_model *m, struct inside_mode *mode, const struct inside_event *own, int k);
/* (x')+ of the primal of each basic symbol of a mode, 0 where it is no companion.  1, or 0 without memory. */
int saltation_rates(struct keel_model *m, struct inside_mode *mode);
/* The place of the tau in s->work: behind the unknowns and what is assigned. */
int saltation_at(const struct keel_sim *s, const struct inside_event *own);
/* s->work: - (x')+ tau. */
keel_status saltation_apply(struct keel_sim *s, const struct inside_event *own);
/* What the new mode moves beyond the impulses of mechanics (impulse.h) would have to be linearised, too:
 * KEEL_ESTART where that is. */
keel_status saltation_check(struct keel_sim *s, const struct inside_event *own);
#endif
