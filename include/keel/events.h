/* events.h - what events do to a run, and switching surfaces.
 *
 * At a switching surface f changes.  Between two switches the callbacks take the side that is in force, given
 * in problem.side, for the sign of the event function (+1 or -1) or for its floor, even where a step looks
 * beyond the surface.  So every step sees a smooth f. */
#ifndef KEEL_EVENTS_H
#define KEEL_EVENTS_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An entry of problem.event_kind. */
typedef enum keel_event_kind {
    KEEL_TERMINAL,    /* ends the call, which returns KEEL_EVENT */
    KEEL_NONTERMINAL, /* it tells the observer and goes on */
    KEEL_SURFACE,     /* f changes where the function changes its sign */
    KEEL_STAIRCASE    /* f changes where the function passes a whole number */
} keel_event_kind;

/* Where events have followed each other ever faster, by one ratio: the limit of their times.  NAN: they have
 * not. */
KEEL_API double keel_rest_time(const keel_solver *s);

/* What the motion did at a switching surface so far. */
typedef struct keel_surface {
    const char *name;
    long crossings, slides; /* how often it was crossed; how often the motion began to slide along it */
    double slid;            /* the time that it slid along it */
} keel_surface;
/* The i-th switching surface of the problem in force; its name is NULL where the problem gives none.  1; 0
 * past the last. */
KEEL_API int keel_surface_at(const keel_solver *s, int i, keel_surface *out);

/* While the solution slides along a surface x' = a f+ + (1 - a) f-, and whatever else switches there is such
 * a mean: a friction force, a multiplier, an algebraic variable.  keel_sliding calls `sample` for either
 * side, with its share, a state just beside the surface, and that side in problem.side.  u: the state at t,
 * by keel_state or keel_eval; its algebraic variables are those of one side.  1; 0: the solution does not
 * slide at t. */
typedef void keel_side_fn(double t, const double *u, double share, void *context);
KEEL_API int keel_sliding(keel_solver *s, double t, const double *u, keel_side_fn *sample, void *context);

#ifdef __cplusplus
}
#endif
#endif
