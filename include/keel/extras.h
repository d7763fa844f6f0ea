/* extras.h - what compiled models bring beyond a problem: kernels, series, the motion in other words.
 *
 * All of it may be absent; with it some methods are faster, or possible. */
#ifndef KEEL_EXTRAS_H
#define KEEL_EXTRAS_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fixed steps number first .. first + count - 1 of the grid base + k h in one go, by one method with F
 * compiled into it (keel_rk_fixed in keel/explicit.h), with the bits of that method's single steps.  t:
 * where they begin; x, f: the state and f there, then at the end, n rounded up to a multiple of 4.
 * Returns how often F was called; < 0: F failed. */
typedef long keel_kernel_fixed(double t, double base, double h, long first, long count, double *x, double *f,
                               void *user);

/* The same for steps by their error, and for steps of both kinds that are projected onto kept rows or have
 * watched ones, whose values and gradients are compiled in, too: what compiled models bring (core/kernel.h in
 * keel's source). */
struct keel_kernel_state;
typedef long keel_kernel_steps(struct keel_kernel_state *numbers, void *user);

/* MECHANICS of few coordinates: accelerations and multipliers, and the projection by masses onto constraints,
 * their d/dt, energy and invariants, with M, F, K and gamma compiled in; for every method, with the bits of
 * the problem's own functions (core/mechanism.h in keel's source).  0; else it is not done, and x stands. */
struct keel_mechanics_state;
typedef int keel_mechanics_rhs(struct keel_mechanics_state *numbers, double t, const double *x, double *dx,
                               void *user);
typedef int keel_mechanics_project(struct keel_mechanics_state *numbers, double t, double *x, void *user);
/* The same for accelerations of a long chain, roughly, with the order in which its rows are eliminated
 * (core/elimination.h in keel's source). */
struct keel_elimination_state;
typedef int keel_mechanics_elimination(struct keel_elimination_state *numbers, double t, const double *x,
                                       double *dx, void *user);
/* And its projection by masses onto constraints, their d/dt and the energy, with M, F, K and gamma compiled
 * in (core/elimination_project.h in keel's source). */
struct keel_restoration_state;
typedef int keel_mechanics_restoration(struct keel_restoration_state *numbers, double t, double *x,
                                       void *user);
/* And the stages of the method with these accelerations, the increment and error estimates, where they are
 * not NULL: k, one stage after the other, x, f and dx are padded to a multiple of 4. */
typedef int keel_mechanics_stages(struct keel_elimination_state *numbers, double t, double h, const double *x,
                                  const double *f, double *k, double *dx, double *const error[2], void *user);
/* Steps of several runs side by side, those of NULL left out: as long as each of them goes on (core/lanes.h).
 * taken: by each. */
typedef void keel_kernel_lanes(struct keel_kernel_state *const *numbers, void *const *user, long *taken);

/* The same on another processor, a GPU: any number of runs, each until it has taken its steps or wants
 * something of the core.  A queue has room for so many and serves one thread; NULL, or not 0: it failed, with
 * a sentence. */
typedef struct keel_device {
    void *(*open)(int runs, char *message, size_t capacity);
    void (*close)(void *queue);
    int (*steps)(void *queue, int plain, int count, struct keel_kernel_state *const *numbers,
                 void *const *user, long *taken, char *message, size_t capacity);
} keel_device;

/* Sums of values of the rows over places beside a start, several at a time (core/beside.h in
 * keel's source).  0, or there are none. */
struct keel_beside_state;
typedef int keel_kernel_beside(struct keel_beside_state *numbers, void *user);

/* Samples of a controller: the steps up to each, what it assigns, and the rate after it, in one loop
 * (core/kernel_samples.h in keel's source).  Returns how many there were. */
struct keel_sample_state;
typedef long keel_kernel_samples(struct keel_sample_state *numbers, void *user);

typedef struct keel_kernel {
    const char *method; /* of the next two; NULL: neither is there */
    keel_kernel_fixed *fixed;
    /* may be NULL; its rows are those of these two maps, all kept or watched, and constraints, all kept */
    keel_kernel_steps *kept;
    keel_fn *energy, *invariant; /* their values as the problem has them; NULL: not in it */
    keel_mechanics_rhs *accelerations;
    keel_mechanics_project *projection;          /* may be NULL, both */
    keel_mechanics_elimination *elimination;     /* may be NULL; in place of both */
    keel_mechanics_restoration *restoration;     /* with it; may be NULL, and so may be: */
    keel_mechanics_stages *stages;               /* of `method` */
    keel_fn *force, *constraint;                 /* f and the constraints that they have */
    int lanes;                                   /* runs side by side, by the next two; 0: there are none */
    keel_kernel_lanes *plain_lanes, *kept_lanes; /* as fixed and kept; may be NULL */
    keel_kernel_beside *beside;                  /* of the rows of kept_lanes; may be NULL */
    const keel_device *device;                   /* may be NULL */
    keel_kernel_samples *samples;                /* may be NULL */
} keel_kernel;

/* Taylor coefficients of the solution through (t, u): out[k n + i] = x_i^(k) / k! for k = 0 .. orders, i < n.
 * work: workspace + per_order (orders + 1) doubles.  Switches stay on the side of (t, u).  Returns as a
 * keel_fn. */
typedef int keel_series_fn(double t, const double *u, int orders, double *out, double *work, void *user);
typedef struct keel_series {
    keel_series_fn *value;
    long workspace, per_order;
} keel_series;

/* Taylor coefficients of the event functions along a curve through (t, u), x_i(t + s) = sum of
 * c[k n + i] s^k for k = 0 .. orders: out[k count + i].  y, where they depend on it, follows from x; u
 * holds a starting guess.  Where an event is not smooth it has no series, and they are not finite.  work and
 * what it returns: as keel_series. */
typedef int keel_composed_fn(double t, const double *u, const double *c, int orders, double *out,
                             double *work, void *user);
typedef struct keel_composed {
    keel_composed_fn *value;
    long workspace, per_order;
} keel_composed;

/* Sensitivities among the unknowns: unknown i of n + m is the derivative of unknown of[i] by quantity number
 * direction[i], -1: of none.  Those of y stand behind y in blocks, one a direction, each in the order of y,
 * and so do their equations; or all of y has -1.  Where f changes at a switching surface e = 0 the time of
 * the crossing moves with the quantity by tau = -(D e)/e', D at a fixed time and ' along the motion before,
 * and they go on with S + (f- - f+) tau.  moments: tau by surface and direction, [surfaces, directions];
 * NULL: there is no surface.  Projections bring the motion back as without them, and then each direction.
 * matrix: F_y of the motion alone, the entries of the algebraic rows' pattern in the rows and columns of y;
 * NULL: it is taken from the jacobian of all.  The absolute tolerance of dx/dp is that of x, divided by |p|
 * at the start.  magnitudes: p by direction; NULL, or 0 for one: 1. */
typedef struct keel_variations {
    int directions;            /* 0: there are none */
    const int *direction, *of; /* n + m */
    keel_fn *moments, *magnitudes, *matrix;
    int linear; /* 1: F is linear in y, which has one branch */
} keel_variations;

/* Mechanics written as a DAE, with constraints of which some may follow from others wherever all hold.  F,
 * linear in y, has the equations of motion, M q'' + K^T lambda - force, and for each constraint with c = 1
 * its K_i q'' + gamma_i, with c = 0 its lambda_i.  The core chooses as many rows as are in force at first,
 * with independent K_i, wherever it solves F for y, and shows the least multipliers.  Places are among the
 * motion's own y and rows of F.  c_i stands in problem.side[first + i]; where all rows are in force at first
 * there is no c.  offset: the motion's rows of F with c = 1 at y = 0, -force and gamma; offsets: those of its
 * directions, with y as it stands and their own 0. */
typedef struct keel_choice {
    int rows, coordinates, first;       /* rows 0: there is none */
    const int *acceleration, *motion;   /* coordinates */
    const int *multiplier, *constraint; /* rows */
    const int *hidden;                  /* hidden rows: the constraint they are of, -1: none */
    const unsigned char *in_force;      /* rows: 1, 0 */
    keel_fn *offset, *offsets;
} keel_choice;

enum { KEEL_BEND_SHORT = 32 };

typedef struct keel_extras {
    /* ODE without mass, HAMILTONIAN with f: f in one method, for steps that need not be seen one by one.
     * MECHANICS: accelerations and projection in one function each */
    const keel_kernel *kernel;
    keel_series series;         /* for the method taylor */
    keel_composed event_series; /* the same: its events are then roots of polynomials, none missed */
    /* Canonical HAMILTONIAN, MECHANICS: pi(x), each of degree 2 at most, such as |q_i - q_j|^2, p_i . p_j;
     * and energy, then constraints, as functions of (t, pi): for methods that keep momenta.  Both with
     * jacobians, or both absent. */
    keel_map quadratic_forms, energy_of_forms;
    /* ODE, DAE: the equations as they were given, x' = f(t,x,z), n + k columns, and 0 = g(t,x), k rows of n
     * columns: for methods with multipliers z of their own.  Absent: f with y for z, and algebraic. */
    keel_map original_f, original_g;
    /* Of a mass matrix that changes, in large systems: d(M a)/du in the places of f's jacobian, by its
     * pattern; u is followed by a, as many numbers as M has rows.  NULL: differences of M */
    keel_fn *mass_change;
    keel_variations variations;
    keel_choice choice;
    /* Large systems where a constraint has more than KEEL_BEND_SHORT coordinates: which of them each entry of
     * the constraints' jacobian depends on, a row for each entry of its pattern.  Rows of shorter constraints
     * are not read.  NULL: on all of its constraint */
    const keel_pattern *constraint_bend;
} keel_extras;

KEEL_API const keel_extras *keel_extras_of(const keel_problem *p); /* never NULL: all of it may be absent */

/* The problem of `like`, whose functions must be the same, with other numbers behind `user` or another start.
 * The verdicts on its invariants are taken over, looked at again near the start, as on the way, and verified
 * in full where that leaves a doubt.  The bits of the run are those after keel_open. */
KEEL_API keel_solver *keel_open_alike(const keel_solver *like, const keel_problem *problem,
                                      const keel_options *options);

/* A problem whose invariants were verified with these numbers behind `user` and this start: verdict[i] is a
 * keel_verdict, that on row i as keel_row_at tells it, and nothing is verified again.  With another number of
 * rows than the problem has, or with NULL, it is keel_open. */
KEEL_API keel_solver *keel_open_verified(const keel_problem *problem, const keel_options *options, int rows,
                                         const int *verdict);

/* The solver opened anew, with what stands behind `user` now and another start, in the memory that it has:
 * the bits of the run are those after keel_open_alike, at a tenth of the cost.  KEEL_OK; what the start
 * makes of it; KEEL_EINVAL: it cannot be had so, and the solver is as before. */
KEEL_API keel_status keel_open_again(keel_solver *s, double t0, const double *u0);
/* Do energy and invariants of a solver that was opened hold at another start, too, with what stands behind
 * `user` now?  0: there is a doubt, and keel_open_again tells. */
KEEL_API int keel_rests_at(keel_solver *s, double t0, const double *u0);
/* Are the rows of two solvers of the same problem kept, watched or left out alike? */
KEEL_API int keel_treats_alike(const keel_solver *a, const keel_solver *b);

/* Several runs of one compiled problem side by side, each a solver of its own, in lanes of its kernel.  Bits
 * and sentences are those of keel_advance. */
enum { KEEL_MOST_LANES = 8 };
typedef struct keel_lanes keel_lanes;
KEEL_API keel_lanes *keel_lanes_open(int count); /* NULL: no memory, or no such number */
/* The same on the device of a kernel, for any number of runs.  NULL: without memory alone. */
KEEL_API keel_lanes *keel_lanes_open_device(int count, const keel_kernel *kernel);
KEEL_API const char *keel_lanes_message(const keel_lanes *l); /* what is wrong with the device; "" */
KEEL_API void keel_lanes_close(keel_lanes *l);
/* A call of keel_advance begins in lane i, which is free.  1; 0: it cannot go so, and nothing has begun. */
KEEL_API int keel_lanes_begin(keel_lanes *l, int i, keel_solver *s, double t_wake, double t_end);
/* Goes on until one of these calls is over: its lane, which is free then, and what it returns; -1: none is
 * under way, or the device has failed; -2, with a device: all have taken steps, and free lanes can be
 * filled. */
KEEL_API int keel_lanes_go(keel_lanes *l, keel_status *status);

/* The consistent start that keel_open would find, into u[n + m]: the invariants are not verified. */
KEEL_API keel_status keel_find_start(const keel_problem *problem, const keel_options *options, double *u);

/* A function of an emitted model by its name there: keel_model_link. */
typedef struct keel_linked {
    const char *name;
    void (*function)(void);
} keel_linked;

/* A kernel that was compiled after the solver was opened, in place of extras.kernel; NULL: none any more. */
KEEL_API keel_status keel_use_kernel(keel_solver *s, const keel_kernel *kernel);
/* As keel_restart where the solver stands, for values that were assigned to a few states: steps go on in the
 * same direction, and about as long as they were. */
KEEL_API keel_status keel_go_on(keel_solver *s, const double *u);
/* Where keel_go_on has left the solver: the samples at next period, (next +- 1) period, .., up to `most` of
 * them in fewer than `steps` steps, by keel_kernel.samples, with the bits of keel_run to each and keel_go_on.
 * Returns how many; the solver stands behind the last one, or on the way to the next, which is for keel_run.
 * 0: nothing has moved. */
KEEL_API long keel_run_samples(keel_solver *s, double period, double next, long most, long steps);

#ifdef __cplusplus
}
#endif
#endif
