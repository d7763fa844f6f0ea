/* ida.h - what IDA solves: constrained mechanics in the form stabilised after Gear, Gupta and Leimkuhler,
 *     q' = v - G^T mu,  M v' = F - G^T lambda,  0 = g,  0 = G v,
 * with dense matrices from the callbacks that keel is given, or with bands for the chain. */
#ifndef KEEL_BENCH_IDA_H
#define KEEL_BENCH_IDA_H

#include "cases/case.h"

#include <ida/ida.h>

struct ida_form {
    int all;   /* unknowns */
    int bands; /* on each side of the diagonal; 0: dense */
    IDAResFn residual;
    IDALsJacFn jacobian; /* d residual / d y + c d residual / d y' */
    /* Values and rates at the start; what: 1 for positions and velocities, 0 for multipliers. */
    int (*start)(void *data, double *y, double *dy, double *what);
    void (*state)(void *data, const double *y, double *u); /* positions and velocities as keel has them */
    long (*evaluations)(void *data);                       /* of the residual, since the start */
    void *data;                                            /* one block, freed by the caller */
};

/* 0, or -1: not their problem. */
int ida_motion_form(struct ida_form *f, const struct bench_case *c);
int ida_chain_form(struct ida_form *f, const struct bench_case *c);
#endif
