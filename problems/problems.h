/* problems.h - test problems with exact or trusted answers, shared by tests, examples and benchmarks.
 *
 * Each function fills a `problem` in place (it points into itself: do not copy it).  Angles in radians; units
 * as in the sources named beside each definition.  Every derivative is analytic. */
#ifndef KEEL_PROBLEMS_H
#define KEEL_PROBLEMS_H

#include <keel/extras.h>

enum { PROBLEM_UNKNOWNS = 40, PROBLEM_PARAMETERS = 16, PROBLEM_REFERENCES = 6 };

typedef struct problem_reference {
    double t;
    double trust;              /* accuracy relative to the largest value, parameters and start rounded */
    const double *u;           /* n + m values, or NULL */
    const double *multipliers; /* of the form M a = F - G^T lambda; or NULL */
} problem_reference;

typedef struct problem {
    keel_problem keel;
    double u0[PROBLEM_UNKNOWNS];
    double parameter[PROBLEM_PARAMETERS]; /* keel.user */
    double t_end;                         /* a natural span: a period, the end of the published test */
    int (*exact)(const struct problem *p, double t, double *u); /* closed form, n + m values; or NULL */
    problem_reference reference[PROBLEM_REFERENCES];
    int references;
} problem;

/* Ordinary differential equations and Hamiltonian systems. */
void problem_kepler(problem *p, double e, double a);       /* invariants energy, momentum */
void problem_kepler_hamiltonian(problem *p, double e);     /* a = 1; H, invariant momentum */
void problem_kepler_space(problem *p, double e, double a); /* invariants energy, momentum = |q x p| */
void problem_rigid_body(problem *p, double i1, double i2, double i3); /* invariants casimir, energy */
/* H, structure; invariant casimir */
void problem_rigid_body_hamiltonian(problem *p, double i1, double i2, double i3);
void problem_lotka_volterra(problem *p);         /* invariant I */
void problem_henon_heiles(problem *p);           /* invariant energy */
void problem_oscillator(problem *p);             /* invariants H, F */
void problem_pendulum_ode(problem *p, double g); /* tension eliminated; invariants length, tangency, energy */
void problem_van_der_pol(problem *p);            /* too stiff for explicit methods: not in the list below */

/* Mechanics with constraints; all but the circular track and the car axis with an energy. */
void problem_pendulum(problem *p, double g); /* released at (1,0) */
void problem_pendulum_at_rest(problem *p, double g);
void problem_pendulum_bottom(problem *p, double g);           /* with event 0: x = 0 */
double problem_pendulum_bottom_time(const problem *p, int k); /* of its k-th event, k = 1, 2, ... */
void problem_spherical_pendulum(problem *p);                  /* invariant momentum */
void problem_circular_track(problem *p);
void problem_car_axis(problem *p); /* constraint moves in time */
void problem_andrews(problem *p);  /* mass depends on q */
void problem_four_bar(problem *p);
void problem_five_link(problem *p);
void problem_parallelogram(problem *p); /* meets the configuration where its constraints lose rank */
double problem_parallelogram_flat_time(const problem *p); /* ... for the first time */
void problem_twin_rods(problem *p, double l1, double l2); /* redundant if l1 = l2, contradictory if not */
void problem_knife_edge(problem *p);                      /* rolling constraint */

/* Differential-algebraic equations. */
void problem_chemakzo(problem *p);               /* index 1 */
void problem_robertson(problem *p);              /* index 1, stiff */
void problem_pendulum_dae(problem *p, double g); /* index 3; hidden tangency, invariant energy */

/* A chain of any number of rods, with patterns; not in the list below.  NULL: no memory. */
typedef struct problem_chain {
    keel_problem keel;
    int links;
    double *u0;
    int *rod_start, *rod_column, *diagonal;
    keel_pattern rod_pattern, mass_pattern;
} problem_chain;
problem_chain *problem_chain_open(int links, double bend); /* rod i starts at the angle -bend i / links */
void problem_chain_close(problem_chain *p);

/* All of the above with default parameters. */
int problem_count(void);
const char *problem_name(int i); /* NULL past the last */
void problem_at(int i, problem *p);
#endif
