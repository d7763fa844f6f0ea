/* separable.h - what can be found out about H before the first step: does it fall into T(p) + V(q), and is T
 * quadratic.  Sampled at places around the start; where a function fails there, that place says nothing.
 * All answers are 1 only if every place agrees to round-off. */
#ifndef KEEL_METHODS_SEPARABLE_H
#define KEEL_METHODS_SEPARABLE_H

#include <keel.h>

int separable_forces(const keel_problem *p); /* KEEL_MECHANICS: the same whatever the velocities are */
/* Canonical KEEL_HAMILTONIAN; work: SEPARABLE_ROOM n doubles. */
enum { SEPARABLE_ROOM = 6 };
int separable_energy(const keel_problem *p, double *work);
int separable_quadratic(const keel_problem *p, double *work); /* is H_p affine in p? */
#endif
