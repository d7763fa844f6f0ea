/* sampled.h - what methods want to know about a problem before the first step, found out by trying: is H a
 * sum T(p) + V(q), is x' quadratic, is |x| constant.
 *
 * Places around the start are tried; where a function fails, that place says nothing.  An answer is 1 only if
 * every place agrees to round-off; -1: there is no memory. */
#ifndef KEEL_METHODS_SAMPLED_H
#define KEEL_METHODS_SAMPLED_H

#include <keel/form.h>

/* Coordinate j at place k = 0, 1, ...; k + SAMPLED_PLACES is another place as far away. */
enum { SAMPLED_PLACES = 12 };
struct sampled {
    const keel_problem *p;
    int half;          /* coordinates of one kind */
    double largest[2]; /* start values of each kind */
};
struct sampled sampled_around(const keel_problem *p);
double sampled_place(const struct sampled *s, int j, int k);

/* NULL, or why x does not move on the sphere |x| = |x0|; driven: x' = v - y x in a DAE will do. */
const char *sampled_sphere(const keel_problem *p, int driven);
int sampled_forces(const keel_problem *p); /* mechanics: the same whatever the velocities are */

/* The others need SAMPLED_DOUBLES n doubles, or with NULL take them for themselves. */
enum { SAMPLED_DOUBLES = 6 };
int sampled_separable(const keel_problem *p, double *work); /* canonical Hamiltonian: T(p) + V(q)? */
int sampled_kinetic(const keel_problem *p, double *work);   /* the same: is H_p affine in p? */
int sampled_drifts(const keel_problem *p, double *work);    /* the same: is H_p free of t? */
int sampled_quadratic(const keel_problem *p,
                      double *work); /* f, or canonical with a gradient: x' of degree 2? */
#endif
