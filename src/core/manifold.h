/* manifold.h - how a state is brought back to what must hold.
 *
 * Newton for the smallest weighted change, to round-off units that are measured, never assumed (design
 * rules 1 to 6). manifold_flat.c: any form, weights on each state.  manifold_mass.c: mechanics, weighted
 * by the mass matrix, positions first, then velocities with the same factorization, invariants joined by
 * bordering.  What a stabilizer wants of it its traits say (keel/stabilizer.h). */
#ifndef KEEL_CORE_MANIFOLD_H
#define KEEL_CORE_MANIFOLD_H

#include <keel/stabilizer.h>

#include "core/project.h"
#include "core/rows.h"

#include <math.h>

enum { MANIFOLD_STAGNANT = 50, MANIFOLD_SILENT = 16, MANIFOLD_ITERATIONS = 20 };
/* d/dt rows that are themselves differences of the user's functions carry their noise, and stop there. */
enum { MANIFOLD_STAGNANT_BY_DIFFERENCES = 5000 };

/* A motion with sensitivities: block 0 has the motion's states and rows, block 1 + k those of direction k. */
struct staggered {
    int blocks;
    int *state;                   /* n: by blocks */
    int *first_state, *first_row; /* blocks + 1: of the states, of the kept rows */
    double *part;                 /* width: what one block adds */
    int *constraint, *level;      /* of each row of a block: what it is of, -1: none; 0, or 1: its d/dt */
    int together; /* 1: at this point all rows were factored as one, and the other factors are gone */
};

struct manifold {
    keel_manifold view; /* as the stabilizer sees it */
    struct field *fd;
    struct rows *rows;
    const keel_stabilizer *stabilizer;
    unsigned traits; /* the stabilizer's, */
    int corrections; /* and its Newton steps; 0: until rows are at round-off */
    keel_norm norm;
    const double *given; /* weights of KEEL_GIVEN */
    double units;        /* allowed */
    double stagnant;     /* Newton that halves no more has arrived below this many */
    double nearly;       /* by mass: the least share of new direction that is corrected in full */
    double at_once;      /* by mass, of a compensated state: see manifold_part */
    int by_mass;         /* the structured way */
    int all_kept;        /* of all rows */
    int two_short;       /* flat, two rows, up to four states: the common case has straight code */
    int kept, *row;      /* rows the stabilizer corrects, in order */
    int by_pattern;      /* the first of them that are hidden rows, and go by their pattern */
    int stagger;         /* the motion first, then its sensitivities (manifold_staggered.c) */
    struct staggered staggered;
    int kept_kinds, kind[ROWS_KINDS];
    double *inverse_weight; /* n: 1 / weight: how far a state may be moved at unit cost */
    double *residual;       /* the rows' own: of the trial state, all rows */
    struct rowspace space;  /* flat: the other kept rows.  By mass: invariants, bordered, 2 x width of q */
    double *floor_of, *part, *c, *z, *d;
    double *dual;                  /* by mass, sparse: M times the rows of space */
    double *directions, *bordered; /* by mass: invariants' directions (dq, dv), and their matrix */
    int *pivot;
    double tau;           /* weight of velocities against positions: the step, or T */
    double *inverse_time; /* frozen: 1/T, T the time of the motion at the start */
    double aim_t;         /* where manifold_aim was called, */
    const double *aim;    /* with the velocity rows there */
    double *speed;
    int normal_known; /* space holds the normal directions of the last correction */
    int far;          /* before it a row was beyond rows->beyond; 1, too, where that is not looked at */
};

void manifold_init(struct manifold *m, struct field *fd, struct rows *rows, const keel_stabilizer *stabilizer,
                   keel_norm norm, double units);
void manifold_layout(struct manifold *m, struct arena *a);
void manifold_choose(
    struct manifold *m); /* after rows' treatment is decided: which rows, which of the two ways */
/* The weights, from the sizes so far; they change between steps only.  rate: x' there, for frozen ones. */
void manifold_weigh(struct manifold *m, const double *rate);

/* x: n + m long, in place; low: the compensation of x, or NULL.  What iterates until round-off leaves the
 * residuals of the result in `residual`; a number of corrections does not. */
keel_status manifold_correct(struct manifold *m, double t, double *x, double *low);
keel_status manifold_shortest(struct manifold *m, double t, double *x,
                              double *low); /* by the smallest change */
/* Removes what the last correction takes care of from `count` errors, one or two. */
void manifold_tangents(struct manifold *m, int count, double *const e[2]);

/* Weights that stay as they are when a run begins: what is a function of the state alone is reversible, and a
 * term of the right-hand side is smooth. */
static inline int manifold_frozen(const struct manifold *m) {
    return (m->traits & KEEL_FROZEN_WEIGHTS) != 0;
}
/* The weight of velocities for a step of h; frozen ones do not know it: within |v| < h |v'| the direction of
 * the energy would turn from v to q in one step, and no mu would fit both ends. */
static inline void manifold_time(struct manifold *m, double h) {
    m->tau = !manifold_frozen(m) ? fabs(h) : m->inverse_time[0] > 0 ? 1 / m->inverse_time[0] : 1;
}
/* Is the state moved after a step, at all, and until it is at round-off, with the residuals left behind? */
static inline int manifold_corrects(const struct manifold *m) {
    return m->traits & KEEL_CORRECTS && m->kept > 0;
}
static inline int manifold_to_round_off(const struct manifold *m) {
    return m->corrections == 0 && manifold_corrects(m);
}
/* Is that all, by the smallest change and weights of the moment? */
static inline int manifold_projects(const struct manifold *m) {
    return manifold_to_round_off(m) && !(m->traits & (KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS));
}

/* Directions across the manifold at one point, one for each kept row: D = W^-1 G^T. */
struct normals {
    struct rowspace space; /* of the weighted rows G W^-1/2 */
    double *column;        /* kept x n: D, column by column */
    double *weighted, *z, *floor_of;
};
void manifold_normals_layout(struct normals *d, const struct manifold *m, struct arena *a);
/* At (t, u), u with y.  With the weights of the moment: inverse_weight, or the mass matrix there and tau. */
keel_status manifold_normals(struct manifold *m, struct normals *d, double t, const double *u);
/* What coefficients and shortest need, right after manifold_normals.  residual, of all rows: those within
 * their units are left out sooner (MANIFOLD_NEARLY); NULL: not so. */
void manifold_normals_factor(const struct manifold *m, struct normals *d, const double *residual);
/* out := out + factor D mu. */
void manifold_normals_add(const struct manifold *m, const struct normals *d, double factor, const double *mu,
                          double *out);
/* The mu for which D mu is nearest to the displacement; where D was taken, and nothing evaluated since. */
void manifold_normals_coefficients(const struct manifold *m, const struct normals *d, const double *move,
                                   double *mu);
/* The smallest displacement with G move = c. */
void manifold_normals_shortest(const struct manifold *m, const struct normals *d, const double *c,
                               double *move);

/* The part of a kept row's residual that is removed at once.  The value of an invariant is known to a unit or
 * so; where the sums of a state are compensated its true error changes by a hundredth of that in a step, and
 * what one sees of it is noise: removed in full, it would be written into the state with every step.  A part
 * of it each time leaves their mean. */
static inline double manifold_part(const struct manifold *m, int row, const double *low) {
    if (!low || row < m->rows->at[KEEL_ROW_ENERGY]) return 1;
    return rows_in_units(m->rows, row, m->residual[row]) <= 1 ? m->at_once : 1;
}

/* Shared by the two ways; the flat way's numbers first. */
static inline struct project manifold_project(struct manifold *m) {
    return (struct project){.n = m->fd->n,
                            .width = m->fd->width,
                            .kept = m->kept,
                            .two_short = m->two_short,
                            .stride = m->fd->n + m->fd->m,
                            .row = m->row,
                            .units = m->units,
                            .inverse_weight = m->inverse_weight,
                            .jacobian = rows_gradient(m->rows, m->fd, 0),
                            .size = m->rows->size,
                            .residual = m->residual,
                            .space = &m->space,
                            .floor_of = m->floor_of,
                            .c = m->c,
                            .z = m->z,
                            .d = m->d};
}
void manifold_move(double *x, double *low, int n, const double *d);
double manifold_worst(const struct manifold *m, int *row); /* of all kept rows, in units */
int manifold_holds(struct manifold *m);                    /* are all kept rows within the allowed units? */
int manifold_settled(const struct manifold *m);            /* Newton halves no more: is that near enough? */
keel_status manifold_refuse(const struct manifold *m, double t, int row);
/* Rows (from the first-th kept on) without a direction of their own could not be corrected: silent while
 * small. */
keel_status manifold_left_out(const struct manifold *m, double t, int first);
keel_status manifold_flat(struct manifold *m, double t, double *x, double *low);
/* m->space from the jacobians that stand; flat. */
void manifold_factor(struct manifold *m);
keel_status manifold_mass(struct manifold *m, double t, double *x, double *low);
/* mechanism.c: the same by the kernel of a compiled model, which must be that of these rows.  0: it is not
 * done. */
int mechanism_fits(const struct manifold *m);
int mechanism_projects(struct manifold *m, double t, double *x);
/* One step for the kept rows from the first_kept-th on, at a factored place with known residuals. */
keel_status manifold_mass_invariants(struct manifold *m, double t, double *x, double *low, int first_kept);
void manifold_mass_tangent(const struct manifold *m, double *e);
/* manifold_hidden.c: one Newton step of the flat way, and its tangent, with hidden rows by their pattern. */
keel_status manifold_hidden_correct(struct manifold *m, double t, double *x, double *low, int fresh);
void manifold_hidden_tangents(struct manifold *m, int count, double *const e[2]);
int manifold_hidden_factor(struct manifold *m); /* 0: they depend on each other */
/* a := the smallest change by which the rows change as wanted, of all rows. */
void manifold_hidden_shortest(struct manifold *m, const double *wanted, double *a);
/* manifold_hidden_staggered.c: the same, the motion first and then its sensitivities.  factor 0: they go
 * together at this point. */
void manifold_directions_choose(struct manifold *m);
int manifold_directions_factor(struct manifold *m);
void manifold_directions_shortest(struct manifold *m, const double *wanted, double *a);
void manifold_directions_tangent(struct manifold *m, double *e);
int manifold_directions_tangents(struct manifold *m, double *const e[2]); /* of two.  1: one by one */
/* manifold_pull.c: rows go by sparse matrices.  At (t, u), which stays there: the smallest displacement with
 * G move = c, G v (all rows).  manifold_rates_at serves full rows, too. */
int manifold_pulls_sparse(const struct manifold *m);
keel_status manifold_aim(struct manifold *m, double t, const double *u);
keel_status manifold_shortest_at(struct manifold *m, const double *c, double *move);
keel_status manifold_rates_at(struct manifold *m, const double *v, double *c);
/* manifold_staggered.c: the same for a motion with sensitivities; which rows and states belong together. */
int manifold_goes_staggered(const struct field *fd, const keel_stabilizer *stabilizer);
void manifold_staggered_layout(struct manifold *m, struct arena *a);
void manifold_staggered_choose(struct manifold *m);
keel_status manifold_staggered_correct(struct manifold *m, double t, double *x, double *low, int fresh);
void manifold_staggered_tangent(struct manifold *m, double *e);
/* The sizes of rows that others carry where y was solved for last (choice.c). */
void manifold_grow_carried(struct manifold *m);
/* The two by mass with a sparse K (manifold_sparse.c): space holds the directions themselves. */
void manifold_sparse_border(struct manifold *m, int first_kept);
void manifold_sparse_tangents(const struct manifold *m, int count, double *const e[2]);
#endif
