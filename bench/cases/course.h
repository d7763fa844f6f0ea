/* course.h - what is run: a problem with the answer at its end, what it costs when it is written by hand, and
 * the unit that all its times are told in.
 *
 * Every peer integrates the same right-hand side: `rate` through a pointer, or the inline function of the
 * course's header.  keel and IDA take mechanics as it is, from the callbacks of the problem; the others need
 * the multipliers eliminated by hand, as the headers have it. */
#ifndef KEEL_BENCH_COURSE_H
#define KEEL_BENCH_COURSE_H

#ifdef __cplusplus
extern "C" {
#endif
#include "problems.h"

enum course_name {
    COURSE_KEPLER,
    COURSE_HENON_HEILES,
    COURSE_RIGID_BODY,
    COURSE_PENDULUM,
    COURSE_ANDREWS,
    COURSE_CHAIN
};
enum course_kind { /* which rows there are */
                   COURSE_ODE = 1,
                   COURSE_MECHANICS = 2,
                   COURSE_STEPS = 4, /* what one step costs; no answer */
                   COURSE_LARGE = 8  /* mechanics of any size, by sparse matrices */
};

/* `count` steps of h, u is changed; user: of the course. */
typedef void course_march(double *u, double h, long count, void *user);

struct course_hand {
    const char *method;
    int order;
    course_march *march;
};

struct course {
    const char *name, *about;
    const char *model, *text; /* examples/MODEL.keel, or its text where the example has other terms */
    const char *set;          /* a parameter of the model, "N=10"; or NULL */
    enum course_name right;   /* the right-hand side, for peers that have it inlined */
    enum course_kind kind;
    const keel_problem *keel; /* NULL: not before it is opened */
    keel_fn *rate;
    void *user; /* of `rate` and the loops by hand */
    double t_end;
    const double *answer;
    int judged;                     /* the error is that of the first ones, their largest */
    const struct course_hand *hand; /* ends with a nameless one */
    const char *unit;               /* the unit of time in words */
    double unit_step;               /* it is a step of this length of the first loop by hand ... */
    void (*work)(long count);       /* ... unless this does so many units of work */
    long units;                     /* how many are measured at a time */
    double coarsest;                /* steps of the first run with fixed steps */
    double loosest;                 /* tolerance of the first run by tolerance; 0: 1e-3 */
    double finest;                  /* the smallest error that is sought; 0: as small as any */
    double patience; /* how long a run may take; from 1 on: not with --quick, and less often repeated */
    int size;        /* of one that comes in sizes; 0: it does not */
    long most;       /* steps by tolerance: orbits that fell into the centre end here */
    int (*open)(struct course *c); /* what takes memory or a run: 0, or -1; NULL: nothing does */
    void (*close)(struct course *c);
    problem p; /* most have their problem and the answer here */
    double end[PROBLEM_UNKNOWNS];
};

/* The i-th course, filled in place (it points into itself); 0: there is none. */
int course_at(int i, struct course *c);
/* Between these it can be run; -1: it cannot. */
int course_open(struct course *c);
void course_close(struct course *c);
/* Seconds that a unit takes, measured now. */
double course_unit(const struct course *c);
/* Its model; to be closed by the caller. */
struct keel_model *course_model(const struct course *c, const char *method, int interpret);

/* One file a problem. */
void course_kepler(struct course *c, int periods);
void course_kepler_steps(struct course *c);
void course_henon_heiles(struct course *c);
void course_rigid_body(struct course *c);
void course_pendulum(struct course *c, double t_end);
void course_andrews(struct course *c);
void course_chain(struct course *c, int links);

/* How far a run is off what its motion keeps, in round-off units; the largest of all rows and steps. */
struct course_drift;
struct course_drift *course_drift_open(const struct course *c); /* NULL: no memory */
void course_drift_look(void *drift, double t, const double *u);
double course_drift_units(const struct course_drift *d);
void course_drift_close(struct course_drift *d);

#ifdef __cplusplus
}
#endif
#endif
