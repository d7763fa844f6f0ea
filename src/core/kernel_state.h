/* kernel_state.h - what a solver and its kernel tell each other. */
#ifndef KEEL_CORE_KERNEL_STATE_H
#define KEEL_CORE_KERNEL_STATE_H

struct rowspace;

/* What is done with the rows. */
enum kernel_treatment { KERNEL_FREE, KERNEL_WATCHED, KERNEL_KEPT };

/* The numbers of a solver that such steps read and change. */
struct keel_kernel_state {
    enum kernel_treatment treatment;
    double t, base, h; /* as of a keel_kernel_fixed; t is where the steps end, afterwards */
    long first, count;
    int adaptive; /* steps by their error, from h_next on, and before the last two to t_end: */
    double h_next, error_before, longest, t_end, direction, rtol, order;
    double wake;        /* by a clock (KERNEL_CLOCK): steps stay before that time; t_end is infinite */
    const double *atol; /* n */
    const struct rowspace *space; /* of the core's projections */
    double *x, *f;
    double
        *carried; /* keel_work.carried: in place of f, for splittings and series; of implicit methods, too */
    /* The coefficients of the latter, as keel_series_fn. */
    int (*series)(double t, const double *x, int orders, double *out, double *work, void *user);
    double *largest; /* n: sizes of the states so far */
    const double *reference;
    double *inverse_weight; /* n, and sizes of the rows: lanes let them grow themselves */
    double *size, *drift, *units;
    /* Lanes: sizes up to these say nothing; shares n x n of one state's size in the weight of another; do
     * weights follow sizes? */
    const double *least, *spread;
    int weighs;
    double *residual;
    double *worst; /* largest residuals that are not in the certificate yet: while sizes stay, they say all */
    double allowed; /* units */
    double nearly;  /* mechanics: as a manifold by mass has it */
    /* The largest correction so far (core/correction.c), in tolerances, of steps by their error.  Larger ones
     * up to a tolerance are entered here, with their time and state (-1: none); others are for the core. */
    double moved, moved_t;
    int moved_state;
    const double *beyond; /* fixed: residuals before the correction, kept: larger ones are for the core */
    const double *share;  /* of each row, for project_rests; NULL: the core looks at their rates */
    long steps;           /* of the run so far, as its statistics have them; and after */
    /* Sizes of the rows are due: lets them grow to those at trial, where jacobian has their gradients; 0. */
    int (*grow)(struct keel_kernel_state *k, double t);
    double *jacobian;
    /* Where gradients are needed anew: brings trial to the manifold and leaves its residuals; 0. */
    int (*again)(struct keel_kernel_state *k, double t);
    double *trial;
    /* Lanes: looks at the correction of the fixed step from x, f by trial, from t to t_new = next, where the
     * rows were off by `part`; beyond grows. */
    void (*note)(struct keel_kernel_state *k, double t, double t_new);
    double *next, *part;
    /* After the steps: */
    long corrections, newton;       /* projections by the kernel; their iterations */
    long factorizations, jacobians; /* the same, of mechanics */
    long calls, rejected;           /* of the right-hand side; attempts */
    long verifications;             /* of the rates of the rows */
    int unseen;                     /* such a verification is due after the last step, by the core */
    int due; /* the next step alone is for core/step.c: sizes of watched rows, a correction for the record */
    int outgrown; /* a state has outgrown its size in the last step */
    int held;     /* lanes: the run in another lane ended the steps, not this one */
};

/* The same for samples of a controller (kernel_samples.h): cycles of steps up to the next one, what it
 * assigns, and the rate after it. */
struct keel_sample_state {
    struct keel_kernel_state k; /* as of steps by their error without rows; count: at most */
    double period, next;        /* the next one is at next period */
    double familiar;            /* the first step may be as long as this; 0: as it likes */
    double taken;               /* the last step before the last sample */
    long most;                  /* samples */
};
#endif
