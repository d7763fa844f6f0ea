/* keel.h - integrate ODEs and DAEs without losing what the true solution keeps.
 *
 * State the equations and what must hold; open, run, close.  Every kept row stays at round-off with any
 * method, at the steps, between them and at events, and keel_row_at reads the certificate that proves it. */
#ifndef KEEL_H
#define KEEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifndef KEEL_API
#if defined(__GNUC__)
#define KEEL_API __attribute__((visibility("default")))
#else
#define KEEL_API
#endif
#endif

#define KEEL_VERSION "0.2.0"
#define KEEL_ABI 7u /* of all public structs and enums; a program and its library must agree on it */

/* Zero: done.  Positive: stopped early, as asked.  Negative: failed, and the solver stays failed until
 * keel_restart; a call that was wrong in itself (KEEL_EINVAL from any call but keel_open) changes nothing
 * and does no harm. */
typedef enum keel_status {
    KEEL_OK = 0,
    KEEL_EVENT = 1,      /* keel_run stands on an event; call it again to go on */
    KEEL_RETRY = 2,      /* only between a method and the core: try again with a shorter step */
    KEEL_STOPPED = 3,    /* options.stop asked: the solver stands at its last step; keel_run goes on */
    KEEL_REST = 4,       /* events follow each other ever faster: the motion comes to rest, and what follows
                          * the problem does not say; keel_message has the time */
    KEEL_EINVAL = -1,    /* problem, options, method or arguments do not fit together */
    KEEL_ENOMEM = -2,    /* no memory */
    KEEL_EUSER = -3,     /* a callback returned a negative number, or something not finite */
    KEEL_ESTEP = -4,     /* the step size fell below what the clock resolves */
    KEEL_ENEWTON = -5,   /* a nonlinear solve (algebraic variables, a native method) did not converge */
    KEEL_EPROJECT = -6,  /* no way back to the manifold */
    KEEL_ESINGULAR = -7, /* contradictory or rank-losing constraints, singular mass matrix, index too high */
    KEEL_ESTART = -8,    /* the start does not fit the constraints; keel_state has the nearest values */
    KEEL_ELIMIT = -9,    /* max_steps reached */
    KEEL_ESTOP = -10     /* options.stop asked while a start was sought: there is no state to go on from */
} keel_status;

/* out = F(t, u).  u is the whole unknown vector: the states x, then the algebraic variables y (if any).
 * Return 0; > 0 asks for a shorter step; < 0 gives up.  Must not keep u or out.  The only callback type. */
typedef int keel_fn(double t, const double *u, double *out, void *user);

/* Large mechanics whose constraints and mass have patterns is solved by sparse matrices. */
typedef struct keel_pattern {
    int nnz;
    const int *row_start, *column; /* compressed rows: count + 1 and nnz of them */
} keel_pattern;

/* count functions of (t, u); all zero: absent. */
typedef struct keel_map {
    int count;
    keel_fn *value;
    keel_fn *jacobian;           /* d value / d u, row by row; NULL: differences */
    keel_fn *rate;               /* partial d value / dt; NULL: differences, if the values move with t */
    const keel_pattern *pattern; /* of the jacobian; NULL: dense */
    keel_fn *terms;              /* sum of |terms| of each value: sharp round-off units; may be NULL */
    const char *const *names;    /* for messages and the certificate; may be NULL */
    int autonomous; /* 1: the values do not depend on t; 0: looked for, at every step where it would matter */
} keel_map;

typedef struct keel_matrix {
    keel_fn *value; /* row by row; NULL: absent */
    const keel_pattern *pattern;
    int constant;
} keel_matrix;

/* What an event does to the run.  At a switching surface f changes: between two switches the callbacks take
 * the side that is in force, given in problem.side, for the sign of the event function (+1 or -1) or for its
 * floor, even where a step looks beyond the surface.  So every step sees a smooth f. */
typedef enum keel_event_kind {
    KEEL_TERMINAL,
    KEEL_NONTERMINAL, /* it tells the observer and goes on */
    KEEL_SURFACE,     /* f changes where the function changes its sign */
    KEEL_STAIRCASE    /* f changes where the function passes a whole number */
} keel_event_kind;

typedef enum keel_form { KEEL_ODE, KEEL_HAMILTONIAN, KEEL_MECHANICS, KEEL_DAE } keel_form;

/* What is to be solved.  keel_open copies this and its arrays of numbers, and borrows the functions,
 * patterns, names, extras and user; nothing here is ever written to, so one problem serves many threads.
 * Modes are one problem each. */
struct keel_extras;
typedef struct keel_problem {
    keel_form form;
    const char *name;
    int n, m; /* states x (ODE, DAE: may be 0, then without f); algebraic variables y (DAE only) */
    double t0;
    const double *u0;           /* n + m start values; NULL if there are none */
    const unsigned char *fixed; /* n + m; 1: must stay as it is at the start; NULL: all of x, none of y */
    const double *scale;        /* n typical sizes, for the weights; NULL: from tolerances and the run */
    const int *array_of;        /* n; states with equal numbers share a weight; NULL: by form */
    const char *const *names;   /* n + m, or NULL */
    keel_map f;                 /* ODE, DAE: mass x' = f(t,x,y), count n.  MECHANICS: F(t,q,v), count n/2.
                                 * HAMILTONIAN without constraints: B grad H where that is known, or absent */
    keel_matrix mass;           /* ODE, DAE: n x n of (t,x).  MECHANICS: M(q), n/2 x n/2.  Absent: identity */
    keel_map algebraic;         /* DAE: 0 = F(t,x,y), count m, n + m columns */
    keel_map hidden;            /* DAE of index 2, 3: further 0 = h(t,x) that solutions satisfy, n columns */
    keel_map energy;            /* HAMILTONIAN: H, jacobian = gradient; elsewhere one more invariant */
    keel_matrix structure;      /* HAMILTONIAN: x' = B(x) grad H, B n x n; absent: canonical, x = (q,p) */
    keel_map constraint;        /* MECHANICS, canonical HAMILTONIAN: 0 = g(t,q), n/2 columns */
    keel_map rolling;           /* MECHANICS: 0 = A(t,q) v + b(t,q), linear in v; jacobian = A, n/2 columns */
    keel_map velocity;          /* the same: G v + g_t (G H_p + g_t), then A v + b, whose jacobian (n columns)
                                 * and rate are used where they are given; may be absent */
    keel_fn *curvature;         /* MECHANICS: d/dt (G v + g_t), d/dt (A v + b) at fixed v; may be NULL */
    keel_map invariant;         /* I(t,x) = I(t0,x0), n columns: kept or watched */
    keel_map event;             /* sign changes are located */
    const int *event_direction; /* per event -1, 0, +1, along the run; NULL: all 0 */
    const unsigned char *event_kind; /* per event, a keel_event_kind; NULL: all stop the run */
    double *side;                    /* one for each switching surface, in their order: keel writes here which
                                   * side is in force before it calls back.  For one solver at a time */
    const struct keel_extras *extras; /* what compiled models bring along (keel/extras.h); may be NULL */
    void *user;
} keel_problem;

/* What "smallest change" means in all that corrects. */
typedef enum keel_norm {
    KEEL_BY_DEFAULT, /* by mass in mechanics, by error elsewhere */
    KEEL_BY_ERROR,   /* typical sizes: problem.scale, and the largest values of the run */
    KEEL_BY_MASS,    /* dq M dq + h^2 dv M dv */
    KEEL_UNIT,       /* all 1: the papers' choice; depends on the units of the variables */
    KEEL_GIVEN       /* options.weights */
} keel_norm;

typedef struct keel_solver keel_solver;
struct keel_stepper;
struct keel_stabilizer;

/* How to solve it.  All zero is a sound default; so is a null pointer. */
typedef struct keel_options {
    /* STEPPER, or STEPPER+STABILIZER, as in "rk4+project": names from keel_method_at, keel_stabilizer_at.  No
     * stepper: dop853, fixed steps: rk4, reversible: gauss8.  No stabilizer, or auto: project if anything is
     * to be kept, unless the stepper has its own geometry and keeps the equations, if there are any. */
    const char *method;
    const struct keel_stepper *own_method;        /* in place of a name; see keel/method.h */
    const struct keel_stabilizer *own_stabilizer; /* in place of a name; see keel/stabilizer.h */
    keel_norm norm;
    const double *weights;   /* KEEL_GIVEN: n of them, > 0; the change minimised is sum (weight dx)^2 */
    const char *keep;        /* "energy, rod": keep these rows and only watch the others; NULL: all */
    const char *sets;        /* scale: "q1 q2; p1 p2", states of one set by name, or by that of their array,
                              * as many sets as kept rows; states in no set stay.  NULL: one row: all states;
                              * two invariants of q and p, or q and v: those */
    double rtol, atol;       /* 0: 1e-6, and rtol / 1000 (less for arrays that start small) */
    const double *atol_each; /* n of them, or NULL */
    double step;             /* > 0: this fixed step, no error control; reversible: the first step */
    double first_step, max_step;
    double manifold_units; /* round-off units allowed on what is kept; 0: 4 */
    double gain;           /* baumgarte: what is off decays like exp(-gain t); 0: as fast as the motion */
    double theta;          /* where theta, glnr and dso take f: at (1 - theta) x + theta x1, up to 1;
                   * 0: 1/2, of order 2; any other is of order 1 */
    int order;             /* of taylor, 2 .. 60; 0: as the tolerance asks for, with a fixed step 20 */
    int compensated;       /* carry the rounding errors of the state sums along */
    int reversible;        /* steps follow the time scale of the motion, and the run back retraces them:
                            * symmetric one-step methods, nothing projected but by symmetric; none
                            * longer than max_step */
    int check_jacobians;   /* compare every given derivative with differences before the run */
    int defect_every; /* one step of so many is looked into for the defect; 0: 4096, below 3 % of the work */
    long max_steps;   /* in one call; 0: 10 million, with a fixed step (not reversible) any number */
    long pause_steps; /* keel_advance ends after so many steps, too, short of t_wake; 0: any number */
    void (*observe)(keel_solver *s, void *user); /* each step and nonterminal event; may only look */
    /* Not NULL: once this number is not 0, calls end soon, inside a long step, too (KEEL_STOPPED; while a
     * start is sought KEEL_ESTOP).  A signal handler or another thread sets it; it stays set until the call
     * has ended.  A run that was stopped inside a step goes on from the beginning of that step as after an
     * event: with another round-off than without the stop. */
    const volatile int *stop;
} keel_options;

typedef struct keel_stats {
    long steps, rejected, calls, jacobians, factorizations, newton, corrections, events;
    long unresolved; /* steps whose kept rows the stabilizer could not meet by its own means: scale leaves
                      * them off, relax projects */
    long schur;      /* of the factorizations: of large mechanics by the Schur complement */
    long switches,
        slides; /* crossings of switching surfaces; how often the motion began to slide along one */
} keel_stats;

typedef enum keel_row_kind {
    KEEL_ROW_CONSTRAINT, /* 0 = g(t,q) */
    KEEL_ROW_VELOCITY,   /* 0 = d/dt g */
    KEEL_ROW_ROLLING,
    KEEL_ROW_ALGEBRAIC, /* 0 = F(t,x,y) */
    KEEL_ROW_HIDDEN,
    KEEL_ROW_ENERGY,
    KEEL_ROW_INVARIANT
} keel_row_kind;
typedef enum keel_row_treatment {
    KEEL_ROW_WATCHED,
    KEEL_ROW_KEPT,      /* by the stabilizer */
    KEEL_ROW_NATIVE,    /* by the stepper or by the elimination of y */
    KEEL_ROW_REDUNDANT, /* follows from other rows, and holds with them */
    KEEL_ROW_VARYING,   /* the energy of a problem whose H depends on t: shown, not conserved */
    KEEL_ROW_DAMPED     /* pulled back by a term in the right-hand side: as small as the errors of steps */
} keel_row_treatment;
typedef enum keel_verdict { KEEL_UNVERIFIED, KEEL_STRONG, KEEL_WEAK } keel_verdict;

/* One row of the certificate.  drift and units are the largest over all accepted steps. */
typedef struct keel_row {
    const char *name;
    keel_row_kind kind;
    keel_row_treatment treatment;
    keel_verdict verdict; /* conserved wherever constraints hold, or only with the other invariants */
    double start;         /* the value it is held at */
    double drift;         /* largest |value - start| */
    double units;         /* the same in round-off units of the moment */
    double last;          /* value - start now */
    double unit; /* one round-off unit now: eps times the row's largest size so far (docs/design.md) */
} keel_row;

/* What the motion did at a switching surface so far. */
typedef struct keel_surface {
    const char *name;
    long crossings, slides; /* how often it was crossed; how often the motion began to slide along it */
    double slid;            /* the time that it slid along it */
} keel_surface;

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
    char state[64];   /* names; "": nothing was moved */
    char finding_state[64];
} keel_correction;

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

/* Open, run, close.  keel_open gives NULL only when memory is out; every call takes NULL and a failed
 * solver. */
KEEL_API keel_solver *keel_open_abi(const keel_problem *problem, const keel_options *options, unsigned abi);
static inline keel_solver *keel_open(const keel_problem *p, const keel_options *o) {
    return keel_open_abi(p, o, KEEL_ABI);
}
/* Steps towards t_end, at least one, until one reaches t_wake; t_wake then lies inside the last step, where
 * keel_eval looks.  Lands on t_end exactly, and ends at events.  What the steps are does not depend on
 * t_wake, so that output between the steps costs and changes nothing.  The observer sees events and the step
 * that ends the call; a compiled model takes the others by its kernel. */
KEEL_API keel_status keel_advance(keel_solver *s, double t_wake, double t_end);
/* Its two ends.  keel_run is keel_advance(s, t_end, t_end), and the observer sees every step; keel_step is
 * keel_advance(s, keel_time(s), t_end): one accepted step. */
KEEL_API keel_status keel_run(keel_solver *s, double t_end);
KEEL_API keel_status keel_step(keel_solver *s, double t_end);
KEEL_API keel_status keel_eval(keel_solver *s, double t,
                               double *u); /* inside the last step; on the manifold */
KEEL_API keel_status keel_restart(keel_solver *s, double t,
                                  const double *u); /* made consistent; clears failure */
/* Another mode: the other problem, at this time, from u (NULL: as it stands), made consistent. */
KEEL_API keel_status keel_switch(keel_solver *s, const keel_problem *other, const double *u);
KEEL_API keel_solver *keel_fork(const keel_solver *s); /* same bits from here on */
KEEL_API void keel_close(keel_solver *s);

/* The complete state as bytes: returns their number and writes them if they fit.  keel_load continues with
 * the same bits; problem and options must be those of the saved solver. */
KEEL_API size_t keel_save(const keel_solver *s, void *bytes, size_t room);
KEEL_API keel_solver *keel_load_abi(const keel_problem *problem, const keel_options *options,
                                    const void *bytes, size_t count, unsigned abi);
static inline keel_solver *keel_load(const keel_problem *p, const keel_options *o, const void *bytes,
                                     size_t count) {
    return keel_load_abi(p, o, bytes, count, KEEL_ABI);
}

/* Pointers are valid until the next call that moves the solver. */
KEEL_API double keel_time(const keel_solver *s);
KEEL_API double keel_time_before(const keel_solver *s);  /* where the last step began, if there is one */
KEEL_API const double *keel_state(const keel_solver *s); /* n + m */
KEEL_API const double *keel_multipliers(
    keel_solver *s); /* at the node: constraint, then rolling; NULL: none */
KEEL_API const double *keel_multipliers_at(keel_solver *s, double t,
                                           const double *u); /* at a state that keel_eval gave */
KEEL_API const double *keel_forces(keel_solver *s); /* -G^T lambda at the node, n/2; NULL: no constraints */
KEEL_API int keel_event(const keel_solver *s);      /* the event the solver stands on, or -1 */
KEEL_API keel_status keel_state_of(const keel_solver *s); /* the status the solver is in */
KEEL_API keel_stats keel_statistics(const keel_solver *s);
KEEL_API keel_defect keel_defect_of(const keel_solver *s); /* of the steps so far */
/* At t inside the last step.  KEEL_RETRY: it cannot be had there, or the method has no interpolant. */
KEEL_API keel_status keel_defect_at(keel_solver *s, double t, keel_defect *out);
KEEL_API int keel_row_at(const keel_solver *s, int i, keel_row *row); /* 1; 0 past the last row */
/* value - start of all rows of the certificate at (t, u), as keel_eval gave it; NAN: a row has no value. */
KEEL_API keel_status keel_residuals(keel_solver *s, double t, const double *u, double *out);
/* The i-th switching surface of the problem in force; its name is NULL where the problem gives none.  1; 0
 * past the last. */
KEEL_API int keel_surface_at(const keel_solver *s, int i, keel_surface *out);
KEEL_API keel_correction keel_correction_of(const keel_solver *s);
KEEL_API const char *keel_message(const keel_solver *s); /* one sentence; "": nothing to say */

typedef struct keel_method {
    const char *name, *about, *reference;
    int order;
    unsigned traits; /* see keel/method.h */
} keel_method;
KEEL_API const keel_method *keel_method_at(int i);     /* a stepper; NULL past the last */
KEEL_API const keel_method *keel_stabilizer_at(int i); /* NULL past the last; its traits: keel/stabilizer.h */
KEEL_API const keel_method *keel_stabilizer_of(const keel_solver *s); /* the one in use; NULL: none yet */
KEEL_API const char *keel_status_name(keel_status status);
KEEL_API const char *keel_version(void);

#ifdef __cplusplus
}
#endif
#endif
