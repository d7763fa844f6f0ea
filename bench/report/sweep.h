/* sweep.h - what an accuracy costs: each row of a case runs over a ladder of tolerances or steps. */
#ifndef KEEL_BENCH_SWEEP_H
#define KEEL_BENCH_SWEEP_H

#include "peers/peer.h"

enum { SWEEP_RUNGS = 64, SWEEP_ROWS = 64, SWEEP_TARGETS = 3 };
extern const double sweep_target[SWEEP_TARGETS]; /* 1e-6, 1e-9, 1e-12 */

struct sweep_rung {
    double setting, error;
    double seconds; /* the smallest of several runs */
    double drift;   /* round-off units, NAN: not looked at */
    long steps, evaluations;
    double bytes; /* of the solver's state; 0: not told */
};

struct sweep_row {
    const struct peer_row *row;
    struct sweep_rung rung[SWEEP_RUNGS];
    int rungs;
    double seconds[SWEEP_TARGETS]; /* at the errors of sweep_target; NAN: never reached */
    int tired;                     /* finer runs would take too long */
    int at;                        /* the rung whose drift and evaluations are told; -1: none */
    double a_step;                 /* seconds of the run that reaches the first error, or the last one */
};

struct sweep {
    struct bench_case bench_case;
    double unit; /* seconds */
    struct sweep_row row[SWEEP_ROWS];
    int rows;
    double *end; /* of a run */
};

struct sweep_effort {
    double patience; /* no run is begun that would take longer, in seconds; times that of the case */
    int rounds;      /* how often a run is repeated */
    int passes;      /* and short ones once more, with all other rows in between */
    double finest;   /* the smallest error wanted */
    long most;       /* steps */
};

/* The case is opened and closed by the caller; -1: no memory. */
int sweep_run(struct sweep *s, const struct sweep_effort *effort);
#endif
