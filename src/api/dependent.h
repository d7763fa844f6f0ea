/* dependent.h - the rows of G that carry mechanics written in C, where some constraints follow from others.
 *
 * As in a plain run (core/redundant.c) they are chosen wherever forces are asked for: those of the start, or
 * others that are further from depending on each other there.  Multipliers are the least ones. */
#ifndef KEEL_API_DEPENDENT_H
#define KEEL_API_DEPENDENT_H

#include "core/field.h"

struct dependent {
    int nq, k, independent;  /* coordinates; constraints; as many carry the motion */
    double *mass;            /* L, M = L L^T; NULL: a unit matrix */
    struct rowspace space;   /* of G L^-T */
    struct redundant rows;   /* in force here */
    int *at_start;           /* k: in force there */
    double *floor_of;        /* k */
    double *matrix, *unseen; /* LU of what is in force; k - independent orthonormal n, n^T G = 0 */
    double *part;            /* k */
    int *pivot, *number;     /* k */
};

/* 1; 0 without memory. */
int dependent_open(struct dependent *d, int nq, int k);
void dependent_close(struct dependent *d);
/* Which follow from others, G as at the start of the problem; all others are in force. */
void dependent_find(struct dependent *d, const keel_problem *of, const double *jacobian);
/* The rows in force where G is this, and the factors of G M^-1 G^T, k x k; 1: it is singular. */
int dependent_factor(struct dependent *d, const double *jacobian, const double *matrix);
/* b := what solves the rows in force, 0 for the others. */
void dependent_solve(struct dependent *d, double *b);
/* lambda := lambda - N N^T (lambda - by), the part that G^T does not see; by: NULL for zeros. */
void dependent_trade(struct dependent *d, double *lambda, const double *by);
/* The largest part of c, sized by its entries, that no change of q brings back: N^T c. */
double dependent_contradiction(const struct dependent *d, const double *c);
#endif
