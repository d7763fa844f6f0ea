/* surface.h - the switching surfaces of a mode: where abs, sign, min, max, floor, mod and conditions
 * change.
 *
 * Between two switches every branch is frozen.  A side s = +-1 belongs to each surface c = 0 and stands in
 * the functions of the problem in place of the comparison:
 *
 *     abs(c) = s c,   sign(c) = s,   a < b  is  s < 0 for c = a - b,   min(a,b) = if(s < 0, a, b)
 *
 * and the side of floor(a) is the whole number itself.  atan2 switches by 2 pi at its cut, and is a branch on
 * each side of it.  The functions are then smooth, on both sides of the
 * surface; the core locates the crossing and changes the side.  Surfaces of one function, its negative
 * included, are one.
 *
 * A table looked up at x has a surface at each of its knots: the side is the piece (table.h).  Where x is t
 * the knots are known beforehand.  Their pieces stand behind the sides, and the run goes from knot to knot
 * (sim_clock.c); the core knows nothing of them. */
#ifndef KEEL_MODEL_SURFACE_H
#define KEEL_MODEL_SURFACE_H

#include "symbolic/tape.h"
#include "model/formulation.h"

/* Freezes all functions of the formulation but the terms, and adds its surfaces behind the events: 1, or 0
 * without memory.  A surface that matters only inside a branch of an `if` is 1, and crossed nowhere, while
 * that branch is not taken. */
int surface_freeze(struct formulation *r);
/* The pieces of tables of t for a motion that goes on from t, way > 0 forwards, into the sides; how many
 * changed. */
int surface_clocks(const struct formulation *r, double t, double way, double *parameter);
/* The first knot beyond t that ends a piece in force; infinite: none. */
double surface_next_knot(const struct formulation *r, double way, const double *parameter);
/* Could e have switched: does it contain abs, floor, a comparison of something that varies? */
int surface_found(struct graph *g, expr e);
/* Does one of the symbols decide a switch in e? */
int surface_of(struct graph *g, expr e, int count, const expr *symbol);
/* The sides at (t, u) by the signs there, for what is evaluated before the core has seen a state; 1, or 0
 * without memory. */
int surface_sides(const struct formulation *r, const struct tape *event, double t, const double *u,
                  double *parameter);
#endif
