/* orbit.h - what the files of periodic orbits share: the nodes of multiple shooting. */
#ifndef KEEL_ANALYSIS_ORBIT_H
#define KEEL_ANALYSIS_ORBIT_H

#include "analysis/bundle.h"

#include <keel/orbit.h>

enum { ORBIT_HOLDS = 24 };

/* What is held: the period, state `which`, or invariant `which` of the bundle, at a value. */
struct orbit_hold {
    enum { HOLD_PERIOD, HOLD_STATE, HOLD_INVARIANT } kind;
    int which;
    double value;
};

/* Sizes of the states are 1 in all that follows: x / size, S / size. */
struct keel_orbit {
    struct bundle bundle;
    keel_status status;
    char message[TEXT_SENTENCE];
    keel_orbit_summary about;
    int n, r, nodes;
    double t0;
    double *size;         /* [n] */
    double noise;         /* states that are no larger, in parts of the largest, rest but for errors */
    double *x, *q;        /* [nodes][n] the nodes; [nodes][r][n] orthonormal tangent vectors there */
    double *gap;          /* [nodes][n] the end of segment i less node i + 1 */
    double *a, *f;        /* [nodes][r][n] tangent vectors at the end of a segment; [nodes][n] x' there */
    double *part;         /* [nodes + 1] the nodes' times, in parts of the period */
    double gaps, damping; /* |gap| and held; of the last step, in gaps */
    double held;          /* how far what is held is from its value, in sizes */
    double *matrix, *sigma, *v, *right, *step; /* of a step; [columns] */
    struct orbit_hold hold[ORBIT_HOLDS];
    int holds;
    keel_multiplier *multiplier; /* [r] */
    int multipliers, trivial; /* trivial: the one along the orbit, then the invariants that are independent */
    int along;                /* 1: there is one along the orbit */
    int invariant[BUNDLE_NAMES];
};

keel_status orbit_fail(keel_orbit *o, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
keel_status orbit_bundle_failed(keel_orbit *o);
/* The period, the sizes of the states and the nodes' parts of it, from the model's run. */
keel_status orbit_find_period(keel_orbit *o, const keel_orbit_options *with);
/* Sizes of the states that rest along the run; from here on vectors are in sizes. */
keel_status orbit_find_sizes(keel_orbit *o);
/* Of equations that depend on t: do they have the period of the orbit? */
keel_status orbit_check_period(keel_orbit *o);
/* The multipliers of the orbit that was found, and their product. */
keel_status orbit_floquet(keel_orbit *o);
/* Goes to node i with its tangent vectors, and takes both as the constraints have them. */
keel_status orbit_go_to_node(keel_orbit *o, int i);
#endif
