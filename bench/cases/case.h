/* case.h - what is run: a problem with the answer at its end, what it costs when it is written by hand, and
 * the unit that all its times are told in.
 *
 * Every peer integrates the same right-hand side: `rate` through a pointer, or the inline function of the
 * case's header.  keel and IDA take mechanics as it is, from the callbacks of the problem; the others need
 * the multipliers eliminated by hand, as the headers have it. */
#ifndef KEEL_BENCH_CASE_H
#define KEEL_BENCH_CASE_H

#ifdef __cplusplus
extern "C" {
#endif
#include "problems.h"

enum case_name { CASE_KEPLER, CASE_HENON_HEILES, CASE_RIGID_BODY, CASE_PENDULUM, CASE_ANDREWS, CASE_CHAIN };
enum case_kind { /* which rows there are */
                 CASE_ODE = 1,
                 CASE_MECHANICS = 2,
                 CASE_STEPS = 4, /* what one step costs; no answer */
                 CASE_LARGE = 8  /* mechanics of any size, by sparse matrices */
};

/* `count` steps of h, u is changed; user: of the case. */
typedef void case_steps(double *u, double h, long count, void *user);

struct case_hand {
    const char *method;
    int order;
    case_steps *fixed;
};

struct bench_case {
    const char *name, *about;
    const char *model, *text; /* examples/MODEL.keel, or its text where the example has other terms */
    const char *set;          /* a parameter of the model, "N=10"; or NULL */
    enum case_name right;     /* the right-hand side, for peers that have it inlined */
    enum case_kind kind;
    const keel_problem *keel; /* NULL: not before it is opened */
    keel_fn *rate;
    void *user; /* of `rate` and the loops by hand */
    double t_end;
    const double *answer;
    int compared;                 /* the error is that of the first ones, their largest */
    const struct case_hand *hand; /* ends with a nameless one */
    const char *unit;             /* the unit of time in words */
    double unit_step;             /* it is a step of this length of the first loop by hand ... */
    void (*work)(long count);     /* ... unless this does so many units of work */
    long units;                   /* how many are measured at a time */
    double coarsest;              /* steps of the first run with fixed steps */
    double loosest;               /* tolerance of the first run by tolerance; 0: 1e-3 */
    double finest;                /* the smallest error that is sought; 0: as small as any */
    double patience; /* how long a run may take; from 1 on: not with --quick, and less often repeated */
    int size;        /* of one that comes in sizes; 0: it does not */
    long most;       /* steps by tolerance: orbits that fell into the centre end here */
    int (*open)(struct bench_case *c); /* what takes memory or a run: 0, or -1; NULL: nothing does */
    void (*close)(struct bench_case *c);
    problem p; /* most have their problem and the answer here */
    double end[PROBLEM_UNKNOWNS];
};

/* The i-th case, filled in place (it points into itself); 0: there is none. */
int case_at(int i, struct bench_case *c);
/* Between these it can be run; -1: it cannot. */
int case_open(struct bench_case *c);
void case_close(struct bench_case *c);
/* Seconds that a unit takes, measured now. */
double case_unit(const struct bench_case *c);
/* Its model; to be closed by the caller. */
struct keel_model *case_model(const struct bench_case *c, const char *method, int interpret);

/* One file a problem. */
void case_kepler(struct bench_case *c, int periods);
void case_kepler_steps(struct bench_case *c);
void case_henon_heiles(struct bench_case *c);
void case_rigid_body(struct bench_case *c);
void case_pendulum(struct bench_case *c, double t_end);
void case_andrews(struct bench_case *c);
void case_chain(struct bench_case *c, int links);
void case_outer(struct bench_case *c); /* a model and its answer, for bench/taylor.c alone */

/* How far a run is off what its motion keeps, in round-off units; the largest of all rows and steps. */
struct case_drift;
struct case_drift *case_drift_open(const struct bench_case *c); /* NULL: no memory */
void case_drift_observe(void *drift, double t, const double *u);
double case_drift_units(const struct case_drift *d);
void case_drift_close(struct case_drift *d);

#ifdef __cplusplus
}
#endif
#endif
