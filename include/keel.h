/* keel.h - integrate ODEs and DAEs without losing what the true solution keeps.
 *
 * State the equations and what must hold; open, run, close.  Every kept row stays at round-off with any
 * method, at the steps, between them and at events, and keel_row_at reads the certificate that proves it.
 *
 * The headers that it includes have the rest: events, saved states, diagnostics, what methods there are. */
#ifndef KEEL_H
#define KEEL_H

#include <keel/row.h>

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
#define KEEL_ABI 22u /* of all public structs and enums; a program and its library must agree on it */

/* Zero: done.  Positive: stopped early, as asked.  Negative: failed, and the solver stays failed until
 * keel_restart.  A call that was wrong in itself (KEEL_EINVAL, but from keel_open) changes nothing. */
typedef enum keel_status {
    KEEL_OK = 0,
    KEEL_EVENT = 1,     /* keel_run stands on an event; call it again to go on */
    KEEL_RETRY = 2,     /* only between a method and the core: try again with a shorter step */
    KEEL_STOPPED = 3,   /* options.stop asked: the solver stands at its last step; keel_run goes on */
    KEEL_REST = 4,      /* events follow each other ever faster: the motion comes to rest, see keel_message */
    KEEL_EINVAL = -1,   /* problem, options, method or arguments do not fit together */
    KEEL_ENOMEM = -2,   /* no memory */
    KEEL_EUSER = -3,    /* a callback returned a negative number, or something not finite */
    KEEL_ESTEP = -4,    /* the step size fell below what the clock resolves */
    KEEL_ENEWTON = -5,  /* a nonlinear solve (algebraic variables, a native method) did not converge */
    KEEL_EPROJECT = -6, /* no way back to the manifold */
    KEEL_ESINGULAR = -7, /* contradictory or rank-losing constraints, singular mass matrix, index too high */
    KEEL_ESTART = -8,    /* the start does not fit the constraints; keel_state has the nearest values */
    KEEL_ELIMIT = -9,    /* max_steps reached */
    KEEL_ESTOP = -10     /* options.stop asked while a start was sought: there is no state to go on from */
} keel_status;

/* The problem ------------------------------------------------------------------------------------------- */

/* out = F(t, u).  u is the whole unknown vector: the states x, then the algebraic variables y (if any).
 * Return 0; > 0 asks for a shorter step; < 0 gives up, KEEL_ENOMEM for want of memory.  Must not keep u or
 * out.  The only callback type. */
typedef int keel_fn(double t, const double *u, double *out, void *user);

typedef struct keel_pattern {
    int nnz;                       /* entries that may differ from zero */
    const int *row_start, *column; /* compressed rows: count + 1 and nnz of them */
} keel_pattern;

/* count functions of (t, u); all zero: absent. */
typedef struct keel_map {
    int count;                   /* 0: absent */
    keel_fn *value;              /* out has count values */
    keel_fn *jacobian;           /* d value / d u, row by row; NULL: differences, by colours of a pattern */
    keel_fn *time_derivative;    /* partial d value / dt; NULL: differences, if the values move with t */
    const keel_pattern *pattern; /* of the jacobian, for large systems; NULL: dense */
    keel_fn *terms;              /* sum of |terms| of each value: sharp round-off units; may be NULL */
    const char *const *names;    /* for messages and the certificate; may be NULL */
    int autonomous;              /* 1: the values do not depend on t; 0: looked for where it would matter */
} keel_map;

typedef struct keel_matrix {
    keel_fn *value;              /* row by row; NULL: absent */
    const keel_pattern *pattern; /* NULL: dense */
    int constant;                /* 1: it depends on nothing */
} keel_matrix;

typedef enum keel_form { KEEL_ODE, KEEL_HAMILTONIAN, KEEL_MECHANICS, KEEL_DAE } keel_form;

/* What is to be solved.  keel_open copies this and its arrays of numbers, and borrows the functions,
 * patterns, names, extras and user.  It writes to `side` alone: without it one problem serves many threads.
 * Modes are one problem each. */
typedef struct keel_problem {
    keel_form form;             /* which of the following are used */
    const char *name;           /* for messages; may be NULL */
    int n, m;                   /* states x (ODE, DAE: may be 0, then without f); algebraic y (DAE only) */
    double t0;                  /* where the run begins */
    int clock;                  /* ODE: 1: the last state is t itself, its rate s > 0, and f, which reads t
                                 * from it, is s times the rates of all.  Steps go by tau, d t = s d tau, so
                                 * do `step` and t0; all else speaks of t.  0: none */
    const double *u0;           /* n + m start values; NULL if there are none */
    const unsigned char *fixed; /* n + m; 1: stays as it is at the start; NULL: all of x, none of y */
    const double *scale;        /* n + m typical sizes; NULL, or 0 for one: from tolerances and the run */
    const double *atol;         /* n + m absolute tolerances; NULL, or 0 for one: options.atol, or by scale */
    const int *array_of;        /* n; states with equal numbers share a weight; NULL: by form */
    const char *const *names;   /* n + m, or NULL */
    keel_map f;                 /* ODE, DAE: mass x' = f(t,x,y), count n.  MECHANICS: F(t,q,v), count n/2.
                                 * HAMILTONIAN: B grad H where that is known; beside constraints a
                                 * pattern of it gives Newton's method sparse matrices */
    keel_matrix mass;           /* ODE, DAE: n x n of (t,x).  MECHANICS: M(q), n/2 x n/2.  Absent: identity */
    keel_map algebraic;         /* DAE: 0 = F(t,x,y), count m, n + m columns */
    keel_map hidden;            /* DAE of index 2, 3: further 0 = h(t,x) that solutions satisfy, n columns */
    keel_map energy;            /* HAMILTONIAN: H, jacobian = gradient; elsewhere one more invariant */
    keel_matrix structure;      /* HAMILTONIAN: x' = B(x) grad H, B n x n; absent: canonical, x = (q,p) */
    keel_map constraint;        /* MECHANICS, canonical HAMILTONIAN: 0 = g(t,q), n/2 columns */
    keel_map rolling;           /* MECHANICS: 0 = A(t,q) v + b(t,q), linear in v; jacobian = A, n/2 columns */
    keel_map velocity;          /* G v + g_t (G H_p + g_t), then A v + b, n columns; absent: from these */
    keel_fn *curvature;         /* MECHANICS: d/dt (G v + g_t), d/dt (A v + b) at fixed v; may be NULL */
    keel_map invariant;         /* I(t,x) = I(t0,x0), n columns: kept or watched */
    keel_map event;             /* sign changes are located */
    const int *event_direction; /* per event -1, 0, +1, along the run; NULL: all 0 */
    const unsigned char *event_kind;  /* per event, a keel_event_kind (keel/events.h); NULL: all stop it */
    double *side;                     /* one for each switching surface (keel/events.h); for one solver */
    const struct keel_extras *extras; /* what compiled models bring along (keel/extras.h); may be NULL */
    void *user;                       /* handed to every function */
} keel_problem;

/* The options ------------------------------------------------------------------------------------------- */

/* What "smallest change" means in all that corrects. */
typedef enum keel_norm {
    KEEL_BY_DEFAULT, /* by mass in mechanics with constraints, by error elsewhere */
    KEEL_BY_ERROR,   /* typical sizes: problem.scale, and the largest values of the run */
    KEEL_BY_MASS,    /* dq M dq + h^2 dv M dv */
    KEEL_UNIT,       /* all 1: the papers' choice; depends on the units of the variables */
    KEEL_GIVEN       /* options.weights */
} keel_norm;

typedef struct keel_solver keel_solver;

/* How to solve it.  All zero is a sound default; so is NULL.  keel/options.h has these as a table. */
typedef struct keel_options {
    /* STEPPER or STEPPER+STABILIZER, as in "rk4+project": names from keel/list.h.  No stepper: dop853, fixed
     * steps: rk4, reversible: gauss8.  auto: the same, and where stability bounds dop853's steps radau or bdf
     * goes on, until the motion is no longer stiff (keel_change_at).  No stabilizer, or auto: project if
     * anything is to be kept, unless the stepper has its own geometry and keeps the equations, if there are
     * any. */
    const char *method;
    const struct keel_stepper *own_method;        /* in place of a name; see keel/method.h */
    const struct keel_stabilizer *own_stabilizer; /* in place of a name; see keel/stabilizer.h */
    keel_norm norm;                               /* of what corrects */
    const double *weights;   /* KEEL_GIVEN: n of them, > 0; the change minimised is sum (weight dx)^2 */
    const char *keep;        /* "energy, rod": keep these rows and only watch the others; NULL: all */
    const char *sets;        /* scale: "q1 q2; p1 p2", a set of states or arrays for each kept row.  NULL:
                              * one row: all states; two invariants of q and p, or q and v: those */
    double rtol, atol;       /* tolerances; 0: 1e-6, and rtol / 1000 (less for arrays that start small);
                              * problem.atol goes before */
    const double *atol_each; /* n of them, or NULL */
    double step;             /* > 0: this fixed step, no error control; reversible: the first step */
    double first_step;       /* with error control; 0: estimated */
    double max_step;         /* none is longer; 0: any length */
    double manifold_units;   /* round-off units allowed on what is kept; 0: 4 */
    double gain;             /* baumgarte: what is off decays like exp(-gain t); 0: as fast as the motion */
    double theta;            /* theta, glnr, dso: f at (1 - theta) x + theta x1; 0: 1/2, the one of order 2 */
    int order;               /* of taylor, 2 .. 60; 0: as the tolerance asks for, with a fixed step 20 */
    int compensated;         /* 1: carry the rounding errors of the state sums along */
    int reversible;          /* 1: steps follow the motion, and the run back retraces them; for symmetric
                              * one-step methods, nothing projected but by the stabilizer symmetric */
    int check_jacobians;     /* 1: compare every given derivative with differences before the run */
    int defect_every;        /* one step of so many is sampled for the defect; 0: 4096; INT_MAX: none */
    long max_steps;          /* in one call; 0: 10 million, with a fixed step any number */
    long pause_steps;        /* keel_advance ends after so many steps, too, short of t_wake; 0: any number */
    void (*observe)(keel_solver *s, void *user); /* each step and nonterminal event; may only look */
    const volatile int *stop; /* calls end soon once this is not 0, see KEEL_STOPPED: a signal handler or
                               * another thread sets it, until the call has ended.  NULL: nobody stops them */
} keel_options;

/* The run ----------------------------------------------------------------------------------------------- */

/* Open, run, close.  keel_open gives NULL only when memory is out.  Every call takes NULL and a failed
 * solver; keel_message says in one sentence what was wrong. */
KEEL_API keel_solver *keel_open_abi(const keel_problem *problem, const keel_options *options, unsigned abi);
static inline keel_solver *keel_open(const keel_problem *p, const keel_options *o) {
    return keel_open_abi(p, o, KEEL_ABI);
}
KEEL_API keel_status keel_run(keel_solver *s, double t_end);  /* to t_end; the observer sees every step */
KEEL_API keel_status keel_step(keel_solver *s, double t_end); /* one accepted step */
/* Steps towards t_end, at least one, until one reaches t_wake: it lies inside the last step then, for
 * keel_eval.  The steps do not depend on t_wake.  Lands on t_end exactly, and ends at events.  The observer
 * sees events and the step that ends the call; a compiled model takes the others by its kernel. */
KEEL_API keel_status keel_advance(keel_solver *s, double t_wake, double t_end);
/* u, n + m, at t inside the last step: on the manifold. */
KEEL_API keel_status keel_eval(keel_solver *s, double t, double *u);
/* From (t, u), made consistent; clears failure. */
KEEL_API keel_status keel_restart(keel_solver *s, double t, const double *u);
/* Another mode: the other problem, at this time, from u (NULL: as it stands), made consistent.  The first
 * time it is entered its invariants are verified. */
KEEL_API keel_status keel_switch(keel_solver *s, const keel_problem *other, const double *u);
KEEL_API keel_solver *keel_fork(const keel_solver *s); /* a copy: the same bits from here on */
KEEL_API void keel_close(keel_solver *s);

/* Where it stands.  Pointers are valid until the next call that moves the solver. */
KEEL_API double keel_time(const keel_solver *s);
KEEL_API double keel_time_before(const keel_solver *s);    /* where the last step began */
KEEL_API const double *keel_state(const keel_solver *s);   /* n + m */
KEEL_API const double *keel_multipliers(keel_solver *s);   /* constraint, then rolling; NULL: none */
KEEL_API const double *keel_forces(keel_solver *s);        /* -G^T lambda, n/2; NULL: no constraints */
KEEL_API int keel_event(const keel_solver *s);             /* the event it stands on, or -1 */
KEEL_API keel_status keel_state_of(const keel_solver *s);  /* the status it is in */
KEEL_API const char *keel_message(const keel_solver *s);   /* one sentence; "": nothing to say */
KEEL_API const char *keel_status_name(keel_status status); /* "KEEL_OK" */
KEEL_API const char *keel_version(void);                   /* of the library */

/* The certificate --------------------------------------------------------------------------------------- */

/* One row of the certificate.  drift and units are the largest over all accepted steps. */
typedef struct keel_row {
    const char *name;             /* of the constraint or invariant */
    keel_row_kind kind;           /* constraint, velocity, rolling, algebraic, hidden, energy, invariant */
    keel_row_treatment treatment; /* kept by whom, or only watched */
    keel_verdict verdict;         /* conserved wherever constraints hold, or only with other invariants */
    double start;                 /* the value it is held at */
    double drift;                 /* largest |value - start| */
    double units;                 /* the same in round-off units of the moment */
    double last;                  /* value - start now */
    double unit;                  /* one round-off unit now: eps times the row's largest size so far */
} keel_row;
KEEL_API int keel_row_at(const keel_solver *s, int i, keel_row *row); /* 1; 0 past the last row */

#ifdef __cplusplus
}
#endif

#include <keel/diagnostics.h>
#include <keel/events.h>
#include <keel/list.h>
#include <keel/save.h>
#endif
