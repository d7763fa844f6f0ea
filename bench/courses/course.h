/* course.h - what is run: a problem with the answer at its end, what it costs when it is written by hand, and
 * the unit that all its times are told in.
 *
 * Every peer integrates the same right-hand side: `rate` through a pointer, or the inline function of the
 * course's header.  keel and IDA take mechanics as it is, from the callbacks in `p`; the others need the
 * multipliers eliminated by hand, as the headers have it. */
#ifndef KEEL_BENCH_COURSE_H
#define KEEL_BENCH_COURSE_H

#ifdef __cplusplus
extern "C" {
#endif
#include "problems.h"

enum course_name { COURSE_KEPLER, COURSE_HENON_HEILES, COURSE_RIGID_BODY, COURSE_PENDULUM, COURSE_ANDREWS };
enum course_kind { /* which rows there are */
                   COURSE_ODE = 1,
                   COURSE_MECHANICS = 2,
                   COURSE_STEPS = 4 /* what one step costs; no answer */
};

/* `count` steps of h, u is changed. */
typedef void course_march(double *u, double h, long count);

struct course_hand {
    const char *method;
    int order;
    course_march *march;
};

struct course {
    const char *name, *about;
    const char *model, *text; /* examples/MODEL.keel, or its text where the example has other terms */
    enum course_name right;   /* the right-hand side, for peers that have it inlined */
    enum course_kind kind;
    problem p;
    keel_fn *rate;
    double t_end, answer[PROBLEM_UNKNOWNS];
    int judged;                     /* the error is that of the first ones, their largest */
    const struct course_hand *hand; /* ends with a nameless one */
    const char *unit;               /* the unit of time in words */
    void (*work)(long count);       /* so many units of work */
    double coarsest;                /* steps of the first run with fixed steps */
    int heavy;                      /* runs are long: not with --quick, and less often repeated */
    long most;                      /* steps by tolerance: orbits that fell into the centre end here */
};

/* The i-th course, filled in place (it points into itself); 0: there is none. */
int course_at(int i, struct course *c);

/* One file a problem. */
void course_kepler(struct course *c, int periods);
void course_kepler_steps(struct course *c);
void course_henon_heiles(struct course *c);
void course_rigid_body(struct course *c);
void course_pendulum(struct course *c, double t_end);
void course_andrews(struct course *c);

/* How far a run is off what its motion keeps, in round-off units; the largest of all rows and steps. */
enum { COURSE_ROWS = 16 };
struct course_drift {
    const struct course *c;
    int begun;
    double start[COURSE_ROWS], size[COURSE_ROWS], off[COURSE_ROWS];
};
void course_drift_look(void *drift, double t, const double *u);
double course_drift_units(const struct course_drift *d);

#ifdef __cplusplus
}
#endif
#endif
