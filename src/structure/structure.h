/* structure.h - what a system f_i(t, x_j and derivatives) = 0 hides: Pryce's Sigma-method with every hidden
 * constraint kept.
 *
 * J. D. Pryce, A simple structural analysis method for DAEs, BIT 41 (2001) 364-394; the remedy for a
 * system Jacobian that is singular everywhere: G. Tan, N. S. Nedialkov, J. D. Pryce, Conversion methods
 * for improving structural analysis of differential-algebraic equation systems, BIT 57 (2017) 845-865.
 * Equations and unknowns are numbers here; their names live elsewhere. */
#ifndef KEEL_STRUCTURE_STRUCTURE_H
#define KEEL_STRUCTURE_STRUCTURE_H

#include "symbolic/derive.h"

enum structure_verdict {
    STRUCTURE_OK,
    STRUCTURE_SINGULAR,      /* no unknown for some equation or the reverse: see over and under */
    STRUCTURE_DEGENERATE,    /* J is singular everywhere and no combination helps: see culprit */
    STRUCTURE_CONTRADICTION, /* equations that cannot hold together: see redundant */
    STRUCTURE_OBSTACLE,      /* what cannot be differentiated: see obstacle and culprit[0] */
    STRUCTURE_MEMORY         /* or the budget of the graph */
};

/* A derivative of an unknown: x^(order). */
struct structure_value {
    int unknown, order;
};

struct structure_problem {
    struct graph *g;
    int equations, unknowns;
    const expr *equation; /* f_i, which is to vanish */
    const expr *unknown;  /* symbols of order 0 */
    int parameters;
    const double *parameter; /* parameter values by index; beyond them: random numbers */
    const double *nominal;   /* a typical value of each unknown, or NULL: random points are taken near it */
    const int *like; /* x' = u goes if this equation does, which stands before it; its own number: it stays;
                      * -1: it goes of itself; NULL: all do */
    int chosens;
    const struct structure_value *chosen; /* initial values that are given, or NULL */
};

/* The l-th total derivative of an equation. */
struct structure_row {
    int equation, order;
    expr f;
};

struct structure_part {
    int equations, unknowns;
    int *equation, *unknown; /* numbers of the problem, ascending */
};

/* Equation `replaced` became the sum of weight[k] times the order[k]-th derivative of equation[k].  apart:
 * the coefficients that cancel do so to this part of them, here and in the steps before. */
struct structure_step {
    int replaced, count;
    int *equation, *order;
    expr *weight;
    double apart;
};

/* Equation `equation` follows from its equivalents (their order[k]-th derivatives), or, with contradicts set,
 * cannot hold beside them.  apart, as above: more than some round-offs says that coefficients agree to the
 * digits that count, and not to the last. */
struct structure_equivalent {
    int equation, equivalents, contradicts;
    int *equivalent, *order;
    double apart;
};

/* sum weight[k] * equation[k] is the time derivative of `value`: a linear combination of unknowns that
 * rests. */
struct structure_invariant {
    expr value;
    int count;
    int *equation;
    double *weight;
};

/* All numbers of equations and unknowns are those of the problem, but for the rows and columns of the
 * reduced system: row i is equation row[i], column j unknown column[j].  Arrays have the shapes written
 * beside them. */
struct structure {
    struct graph *g; /* its budget pays for work and memory */
    enum structure_verdict verdict;
    int n;                         /* rows and columns that are left */
    int *row, *column;             /* n */
    expr *equation;                /* n: as analysed, after aliases and combinations */
    struct structure_value *alias; /* unknowns: x_j is alias[j].order-th derivative of alias[j].unknown */
    int *c, *d;                    /* n: offsets of rows and columns */
    int *match;                    /* n: the column that the transversal gives row i */
    int index, freedom;            /* differentiation index; initial values that may be chosen */
    struct derive_sparse jacobian; /* n by n: df_i/dx_j^(d_j - c_i) */
    int rank, structural_rank;     /* of it, at random points and of its pattern */
    int hiddens;                   /* sum of c */
    struct structure_row *hidden;  /* f_i^(l), l < c_i: the manifold */
    expr *top;                     /* n: f_i^(c_i), which give x_j^(d_j) */
    int states;                    /* sum of d */
    struct structure_value *state; /* x_j^(l), l < d_j, in the order of the columns */
    unsigned char *free;           /* states: 1 where the initial value may be chosen; `freedom` of them */
    int surpluses;
    struct structure_value *surplus; /* chosen values that the equations determine, or that are no state */
    struct structure_part over, under, well; /* Dulmage-Mendelsohn */
    int special; /* 1: rests on coefficients that are 0 for these parameter values; others: analyse anew */
    int steps;   /* combinations that were needed */
    struct structure_step *step;
    int redundants;
    struct structure_equivalent *redundant;
    int invariants;
    struct structure_invariant *invariant;
    int culprits;
    int *culprit; /* equations that the verdict is about */
    expr obstacle;
    struct structure_block *kept, *scratch; /* the memory of all this */
};

/* The verdict; structure_close in any case. */
enum structure_verdict structure_analyse(struct structure *s, const struct structure_problem *p);
void structure_close(struct structure *s);
#endif
