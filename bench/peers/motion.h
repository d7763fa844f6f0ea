/* motion.h - constrained mechanics for SUNDIALS, from the callbacks that keel is given; constraints may not
 * move in time. */
#ifndef KEEL_BENCH_MOTION_H
#define KEEL_BENCH_MOTION_H

#include "cases/case.h"

enum { MOTION_Q = 10, MOTION_K = 10, MOTION_ALL = 2 * MOTION_Q + 2 * MOTION_K };

struct motion {
    const struct bench_case *c;
    const keel_problem *p;
    int nq, k;
    double mass[MOTION_Q * MOTION_Q], rows[MOTION_K * MOTION_Q], force[MOTION_Q];
    double plain[MOTION_ALL], moved[MOTION_ALL];
    long evaluations; /* of IDA's residual */
};

/* 0, or -1: not mechanics, sparse, or too large */
int motion_begin(struct motion *m, const struct bench_case *c);
int motion_mass(struct motion *m, double t, const double *u);
int motion_rows(struct motion *m, double t, const double *u);
/* a x = b by elimination with row exchanges, a and b overwritten. */
int motion_eliminate(int n, double *a, double *b);
/* M a + G^T lambda = F, G a = -gamma */
int motion_accelerations(struct motion *m, double t, const double *u, double *a_lambda);
/* x -= G^T (G G^T)^-1 residual, with the rows as they were found last */
int motion_shorten(const struct motion *m, double *residual, double *x);
/* The same with the residual G v. */
int motion_shorten_rate(const struct motion *m, double *v);
#endif
