/* diagnostics.h - what a run tells beside its certificate: its cost, the size of its corrections, its
 * defect. */
#ifndef KEEL_DIAGNOSTICS_H
#define KEEL_DIAGNOSTICS_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the run and its starts; what verifies invariants is not counted. */
typedef struct keel_stats {
    long steps, rejected, calls, jacobians, factorizations, newton, corrections, events;
    long unresolved; /* steps whose kept rows the stabilizer could not meet by its own means: scale leaves
                      * them off, relax projects */
    long schur;      /* of the factorizations: of large mechanics by the Schur complement */
    long switches;   /* crossings of switching surfaces */
    long slides;     /* how often the motion began to slide along one */
} keel_stats;
KEEL_API keel_stats keel_statistics(const keel_solver *s);

/* How far projections moved the states after the steps.  If what is kept holds for the motion, and the
 * weights suit, the errors of the steps explain it. */
typedef struct keel_correction {
    double largest;   /* change of a state by one projection, in tolerances (atol + rtol times the largest |x|
                       * so far); fixed steps: in errors of the step, looked at where rows are off by more
                       * than twice as much as before */
    double t;         /* the end of that step */
    double finding;   /* 0: none.  Else a state moved by so many times max(its tolerance, 10 error estimates,
                       * 4 round-offs): the values cannot be trusted */
    double finding_t; /* from here on */
    int no_masses;    /* canonical Hamiltonian: d2H/dp2 is not positive definite at the start, so that momenta
                       * are weighed by the sizes of arrays alone */
    char state[64];   /* its name; "": nothing was moved */
    char finding_state[64]; /* the name of the state of the finding */
} keel_correction;
KEEL_API keel_correction keel_correction_of(const keel_solver *s);

/* How well the solution between the steps meets the equations: the largest h |x' - f(t, x)| of some samples
 * inside steps, off the grid, x the dense output; for implicit methods without what stiffness damps at once.
 * In tolerances: some hundreds are usual, 10^5 say that the steps or the interpolant miss something. */
typedef struct keel_defect {
    double largest;
    double t;
    int component; /* the state it is in; -1: none, or one of another mode */
    int relative;  /* 1: fixed steps have no tolerances, and it is relative to the size of the state */
    long samples;  /* 0: nothing was looked at */
} keel_defect;
KEEL_API keel_defect keel_defect_of(const keel_solver *s); /* of the steps so far */
/* At t inside the last step.  KEEL_RETRY: it cannot be had there, or the method has no interpolant. */
KEEL_API keel_status keel_defect_at(keel_solver *s, double t, keel_defect *out);

/* x' at (t, u), n numbers, by the sides of switching surfaces that are in force. */
KEEL_API keel_status keel_rates(keel_solver *s, double t, const double *u, double *out);

/* How stiff the equations are where the last step ends: h |lambda| of the fastest part that the step's error
 * has.  An explicit method whose steps are bounded by stability, and not by accuracy, stays near the end of
 * its stability region, which is known of Runge-Kutta methods; of others it is taken for 3. */
typedef struct keel_stiffness {
    double product; /* h |lambda| */
    double damping; /* -Re lambda / |lambda|: 1 damped, 0 swings, -1 grows */
    int bounds;     /* 1: the step is as long as stability lets explicit steps be */
} keel_stiffness;
/* Costs four calls of f.  KEEL_RETRY: it cannot be told. */
KEEL_API keel_status keel_stiffness_at(keel_solver *s, keel_stiffness *out);

/* The time scales 1/|lambda| of the equations where the solver stands, at a start too; lambda are the
 * eigenvalues of d f / d x but for zeros. */
typedef struct keel_time_scales {
    double fastest, slowest; /* slowest: NAN beyond 100 unknowns */
    double damping;          /* of the fastest one, as in keel_stiffness */
} keel_time_scales;
/* KEEL_RETRY: there are none, or they cannot be told. */
KEEL_API keel_status keel_time_scales_at(keel_solver *s, keel_time_scales *out);

/* options.method "auto": from t on this method takes the steps, stiff equations or no longer stiff ones.  The
 * first 15 changes and the last one are kept.  1; 0: there is no such change, or it is not kept. */
typedef struct keel_change {
    double t;
    char method[16];
} keel_change;
KEEL_API long keel_changes(const keel_solver *s); /* how many there were */
KEEL_API int keel_change_at(const keel_solver *s, long i, keel_change *out);

/* value - start of all rows of the certificate at (t, u), as keel_eval gave it; NAN: a row has no value. */
KEEL_API keel_status keel_residuals(keel_solver *s, double t, const double *u, double *out);
/* Multipliers at (t, u), as keel_eval gave it; NULL: none. */
KEEL_API const double *keel_multipliers_at(keel_solver *s, double t, const double *u);

#ifdef __cplusplus
}
#endif
#endif
