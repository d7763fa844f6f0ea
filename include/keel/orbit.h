/* orbit.h - periodic orbits of a model: Newton's method on several segments of the period at once.
 *
 *     keel_model *m = keel_model_load("arenstorf.keel", &(keel_model_options){.sensitivity = "*"});
 *     keel_orbit *o = keel_orbit_find(m, NULL, &(keel_orbit_options){.period = 17.07, .hold = "x, y"});
 *     keel_orbit_summary s;
 *     if (keel_orbit_summarise(o, &s)) printf("%.15g\n", s.period);
 *
 * The model is read with the sensitivities to all free start values, "*": Newton's steps are tangent to
 * its constraints, and every point is brought back to them.  The search begins at the model's start.
 * Where orbits come in families, as those of an energy do, each step is the shortest; what is held stays
 * as it is at the start, and `family` tells how many directions are left. */
#ifndef KEEL_ORBIT_H
#define KEEL_ORBIT_H

#include <keel/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a sound default. */
typedef struct keel_orbit_options {
    double period;    /* about; 0: as the model's run first comes back near its start */
    const char *hold; /* "period, energy, x": these stay as they are: states, invariants, the period */
    int segments;     /* of the period; 0: ten, or fewer of large models */
    int steps;        /* of Newton's method at most; 0: 200 */
} keel_orbit_options;

typedef struct keel_orbit keel_orbit;
/* o: of the runs; rtol is 1e-13 where neither it nor a step is given.  NULL only without memory. */
KEEL_API keel_orbit *keel_orbit_find(const keel_model *m, const keel_options *o,
                                     const keel_orbit_options *with);
KEEL_API void keel_orbit_close(keel_orbit *o);
/* KEEL_OK; KEEL_ELIMIT: Newton's method did not converge; another: as the message says. */
KEEL_API keel_status keel_orbit_status(const keel_orbit *o);
KEEL_API const char *keel_orbit_message(const keel_orbit *o);

typedef struct keel_orbit_summary {
    double period;
    double guess;   /* where the search for it began */
    double defect;  /* the largest gap between two segments, in sizes of the states */
    double closing; /* the same of one run over the period: all states, from the start back to it */
    double error;   /* of nodes and period, in their sizes: what a further step would change */
    double product; /* of all multipliers */
    int segments, steps;
    int family;     /* directions in which there are other orbits beside this one, not along it */
    int turns;      /* > 1: it is a shorter orbit so many times over */
    int autonomous; /* 0: the equations depend on t, and the period is as it was given */
} keel_orbit_summary;
KEEL_API int keel_orbit_summarise(const keel_orbit *o, keel_orbit_summary *out); /* 1; 0: there is no orbit */
/* State i at the start of the orbit: 1; 0: no more. */
KEEL_API int keel_orbit_start(const keel_orbit *o, int i, const char **name, double *value);
/* `count` points over a period, evenly spaced from its start on: value[count][states]. */
KEEL_API keel_status keel_orbit_points(keel_orbit *o, int count, double *value);

/* Floquet's multipliers: how deviations in the tangent space of the constraints grow over a period; the
 * largest first.  Trivial ones, exactly 1, are left out and named: one along the orbit, one across the
 * level sets of each invariant. */
typedef struct keel_multiplier {
    double real, imaginary, size;
    int one;   /* 1: it is 1, to what the runs resolve: other orbits lie beside this one */
    int small; /* 1: smaller than what is resolved beside the largest: its size is a bound alone */
} keel_multiplier;
KEEL_API int keel_orbit_multiplier(const keel_orbit *o, int i, keel_multiplier *out); /* 1; 0: no more */
KEEL_API const char *keel_orbit_trivial(const keel_orbit *o, int i); /* "along the orbit"; NULL: no more */

#ifdef __cplusplus
}
#endif
#endif
