/* method.h - what a method file fills in; installed for those who bring their own.
 *
 * A method proposes an increment; the core adds it (compensated if asked), brings the sum back to the
 * manifold, takes the norm of the error, and evaluates the right-hand side at the corrected end.  A method
 * therefore never sees an invariant, and any method works with any stabilizer. */
#ifndef KEEL_METHOD_H
#define KEEL_METHOD_H

#include <keel/explicit.h>
#include <keel/extras.h>
#include <keel/form.h>
#include <keel/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Traits. */
enum {
    KEEL_IMPLICIT = 1,
    KEEL_ADAPTIVE = 2, /* gives an error estimate */
    KEEL_SYMPLECTIC = 4,
    KEEL_SYMMETRIC_STEP = 8,
    KEEL_CONSTRAINED = 32,    /* keeps constraint and velocity rows natively */
    KEEL_MULTISTEP = 64,      /* with a memory; fixed steps are equal ones only */
    KEEL_QUADRATIC = 128,     /* keeps quadratic invariants */
    KEEL_RUNGE_KUTTA = 512,   /* h sum b_i k_i; explicit ones: so are dx - error[0], dx - error[1] */
    KEEL_KEEPS_ENERGY = 1024, /* H of a Hamiltonian problem, by itself */
    KEEL_AS_GIVEN = 2048, /* keeps constraint, rolling and algebraic rows natively, not what follows by d/dt:
                           * velocities are as far off as the rows d/dt g are */
    KEEL_KEEPS_LENGTH = 4096, /* |x| where f.x = 0, by moving x on its sphere; not linear invariants */
    KEEL_SPARSE = 8192, /* a native method that asks for no dense matrix where a problem with constraints has
                         * sparse ones (keel_native_sparse) */
    KEEL_SPARSE_FORCES = 16384 /* the same where the forces have a jacobian with a pattern, too, and nothing
                                * rolls */
};

/* Long work looks at options.stop here and gives up; what the step would have been is then forgotten. */
typedef struct keel_halt {
    const volatile int *asked;
    int given_up; /* someone saw it */
} keel_halt;
static inline int keel_halted(keel_halt *h) { /* NULL: nobody asks */
    if (!h || !__atomic_load_n(h->asked, __ATOMIC_RELAXED)) return 0;
    return h->given_up = 1;
}

/* What a method has to work with.  All vectors are `width` long: n rounded up to a multiple of 4, at least 4,
 * so that inner loops have no remainder; what f leaves in the padding is 0. */
struct keel_attempt;
typedef struct keel_work {
    keel_fn *rhs; /* x' = rhs(t, x): f itself, or the field on the manifold */
    void *context;
    int n, width;
    long calls;
    int code;                           /* what rhs returned last */
    const struct keel_stepper *stepper; /* its table, if the family has tables */
    void *method;                       /* the method's own struct of pointers, stepper->size bytes */
    double rtol;                        /* 0: fixed steps, and solves go to round-off */
    const double *atol;                 /* n */
    void *arena;
    keel_stats *stats;
    struct keel_native *native; /* the problem itself, for native methods (keel/native.h) */
    keel_halt *halt; /* for loops that take long beside calls of rhs: give up, with any status; or NULL */
    /* What an accepted step leaves for the next one beside the right-hand side at its end, where kernels go
     * on from it (keel/splitting.h); a layout sets it.  It begins with the step with which they may, or with
     * 0. */
    double *carried;
    /* The stages of an explicit method with rhs inside, as keel_rk_step leaves k and the increment, and the
     * estimates that are wanted; w->calls is left to the method.  Not 0: it is not done.  NULL: there is no
     * such thing. */
    int (*stages)(const struct keel_work *w, const struct keel_attempt *a, double *k);
} keel_work;

static inline keel_status keel_rhs(keel_work *w, double t, const double *x, double *dx) {
    if (keel_halted(w->halt)) return KEEL_RETRY;
    w->calls++;
    w->code = w->rhs(t, x, dx, w->context);
    return w->code == 0 ? KEEL_OK : w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
}

/* count doubles, zeroed once, saved and copied with the solver; for layout only.  NULL while sizes are
 * measured. */
KEEL_API double *keel_work_doubles(keel_work *w, size_t count);

/* d rhs / dx, n x n row by row, at (t, x) where rhs is f: from the problem's own jacobians if they
 * suffice and differences is 0.  For attempts only. */
KEEL_API keel_status keel_work_jacobian(keel_work *w, double t, const double *x, const double *f,
                                        int differences, double *jacobian);
/* What the solves of a method add to keel_stats. */
static inline void keel_work_count(keel_work *w, long factorizations, long newton) {
    w->stats->factorizations += factorizations;
    w->stats->newton += newton;
}

typedef struct keel_attempt {
    double t, h;
    const double *x, *f; /* the accepted state and f there: read only, so rejecting costs nothing */
    double *dx;          /* the increment */
    double
        *error[2]; /* estimates of the local error; the second only where `norm` uses it; NULL: not wanted */
    int first;     /* no earlier step is of use: after a start, a restart, an event that changed the state */
    int replay;    /* a part of the last step, taken again: must leave nothing behind */
    double *f_end; /* set it, and f_end_known, if f at x + dx comes out anyway */
    int f_end_known;
} keel_attempt;

typedef struct keel_segment { /* an accepted step, with the corrected end */
    double t, h;
    const double *x, *f, *x_end, *f_end;
} keel_segment;

typedef struct keel_stepper {
    keel_method info;
    int error_order; /* the estimate is O(h^error_order); 0: none */
    int no_rhs;      /* 1: it makes no use of f; 2: it calls f, but makes no use of attempt.f and f_end.  f is
                        * then evaluated only for samples between steps */
    const void *table; /* the family's data */
    size_t size;       /* of the method's own struct of pointers */
    const char *(*refuse)(const keel_problem *p,
                          const keel_options *o); /* NULL, or why it cannot take this */
    void (*layout)(const keel_problem *p, const keel_options *o,
                   keel_work *w); /* run twice: measure, then carve */
    keel_status (*attempt)(keel_work *w, keel_attempt *a);
    void (*accept)(keel_work *w, const keel_segment *step); /* remember; may be NULL */
    keel_status (*prepare)(keel_work *w,
                           const keel_segment *step); /* build the dense output, before `dense` */
    void (*dense)(const keel_work *w, const keel_segment *step, double theta,
                  double *x);    /* NULL: cubic Hermite */
    const keel_error_norm *norm; /* of the estimates, that of the table where there is one; NULL: FIRST */
    /* The next |h| after a step of |h| with this error, in tolerances; infinite: the attempt failed.
     * NULL: the core's controller. */
    double (*next)(keel_work *w, double h, double error, int rejected);
    /* The |h| to begin with at (t, u), where the place itself tells it; <= 0: not known.  NULL: `next` has
     * told it.  first: as in an attempt. */
    double (*aim)(keel_work *w, double t, const double *u, int first);
    /* The event functions along the dense output from step->t + from on, in powers of the time since:
     * degree + 1 times as many as there are events, degree at most 60; not finite where one has none.  NULL:
     * none has.  Without this they are sampled. */
    const double *(*events)(keel_work *w, const keel_segment *step, double from, int *degree);
} keel_stepper;

#ifdef __cplusplus
}
#endif
#endif
