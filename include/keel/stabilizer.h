/* stabilizer.h - what a stabilizer file fills in; installed for those who bring their own.
 *
 * A stepper proposes a state; a stabilizer brings it to what must hold.  The core asks for traits and calls
 * what is there; it knows no stabilizer by name.  See docs/adding-a-stabilizer.md. */
#ifndef KEEL_STABILIZER_H
#define KEEL_STABILIZER_H

#include <keel/method.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Traits. */
enum {
    KEEL_MEASURES = 1,        /* rows are evaluated at every step, for the certificate */
    KEEL_CORRECTS = 2,        /* the end of a step is moved until kept rows hold */
    KEEL_TO_ROUND_OFF = 2048, /* ... to round-off, and their residuals are those of the end */
    KEEL_DAMPS = 4,     /* a term in the right-hand side pulls back instead, to the level of the errors */
    KEEL_FIRST_ROW = 8, /* keeps only the first row of those that could be kept */
    KEEL_FROZEN_WEIGHTS =
        16, /* weights stay as they are when a run begins: reversible, and smooth in a rhs */
    KEEL_KEEPS_REVERSIBLE = 32, /* a reversible step stays reversible */
    KEEL_OWN_DIRECTIONS = 64,   /* moves along directions of its own, not by the smallest weighted change */
    KEEL_OFF_GRID = 128,        /* makes steps longer or shorter, so that they are on no grid */
    KEEL_DEFAULT = 256,         /* the one that is taken where rows are to be kept; one of the registry */
    KEEL_SPARSE_ROWS = 1024,    /* asks for no full rows where a large problem has patterns */
    KEEL_IN_STEP = 512          /* corrects inside the step: its end shows no correction */
};

/* What a stabilizer has to work with: the kept rows of a run, 0 = c(t, u). */
typedef struct keel_manifold {
    int n, m, width;    /* states, algebraic variables; vectors of states are `width` long */
    int kept;           /* rows; in layout: the most there can be */
    const double *from; /* the state where the step begins whose end is corrected */
    int unresolved;     /* set it where rows are left off, or were met in another way: it is counted */
    void *own;          /* the stabilizer's own struct of pointers, `size` bytes */
    void *arena, *core;
} keel_manifold;

/* count doubles, zeroed once, saved and copied with the solver; for layout only.  NULL while sizes are
 * measured. */
KEEL_API double *keel_manifold_doubles(keel_manifold *m, size_t count);
/* c, kept values; one round-off unit of a row; d c / d x, kept rows of n. */
KEEL_API keel_status keel_manifold_residual(keel_manifold *m, double t, const double *u, double *c);
KEEL_API double keel_manifold_unit(const keel_manifold *m, int row);
KEEL_API keel_status keel_manifold_jacobian(keel_manifold *m, double t, const double *u, double *jacobian);
/* Moves x, n + m long, by the smallest weighted change: so many Newton steps; 0: until rows are at round-off.
 * low: the compensation of x, or NULL. */
KEEL_API keel_status keel_manifold_correct(keel_manifold *m, int corrections, double t, double *x,
                                           double *low);
/* x, n long, becomes x + d; what that loses to rounding goes to low, if not NULL: the state is x + low. */
KEEL_API void keel_manifold_move(const keel_manifold *m, const double *d, double *x, double *low);
/* The stepper's attempt, summed into x_new; shift, if not NULL, is added to its increment. */
KEEL_API keel_status keel_manifold_propose(keel_manifold *m, keel_attempt *a, const double *shift,
                                           double *x_new, double *low_new);
/* Gives up with one sentence. */
KEEL_API keel_status keel_manifold_fail(keel_manifold *m, keel_status status, const char *sentence);

typedef struct keel_length { /* of a step off the grid */
    double h, t, t_low;      /* it ends at t + t_low */
} keel_length;

typedef struct keel_stabilizer {
    keel_method info;  /* order: 0 */
    int corrections;   /* by the smallest change, not KEEL_TO_ROUND_OFF: so many Newton steps */
    const void *table; /* the family's data */
    size_t size;       /* of its own struct of pointers */
    /* 1: it cannot take these together, with the reason. */
    int (*refuse)(const keel_problem *p, const keel_options *o, const keel_stepper *stepper, char *why,
                  size_t capacity);
    void (*layout)(keel_manifold *m); /* run twice: measure, then carve */
    /* A run begins at (t, u), or begins anew. */
    keel_status (*begin)(keel_manifold *m, double t, const double *u);
    /* In place of the stepper's attempt and of the correction after it. */
    keel_status (*attempt)(keel_manifold *m, keel_attempt *a, double t_new, double *x_new, double *low_new);
    void (*accept)(keel_manifold *m, double h); /* the attempt of h is taken */
    /* In place of the smallest change, at t. */
    keel_status (*correct)(keel_manifold *m, double t, double *x, double *low);
    /* KEEL_OFF_GRID: the attempt at h becomes one of another length. */
    keel_status (*lengthen)(keel_manifold *m, double h, keel_length *end, double *x_new, double *low_new);
    /* Adds to dx, which has x' already. */
    keel_status (*rhs)(keel_manifold *m, double t, const double *x, double *dx);
} keel_stabilizer;

#ifdef __cplusplus
}
#endif
#endif
