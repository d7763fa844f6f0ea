/* jump.h - the state of a differential-algebraic mode just after it is entered.
 *
 * What carries over need not meet the hidden constraints of the new mode: two capacitors that are joined have
 * two voltages.  The equations hold through the change, too.  With the offsets c, d of the structure
 * analysis, f_i^(c_i) = 0 is linear in the highest derivatives z_j = x_j^(d_j) as far as these may be
 * impulsive: J z + ..., J_ij = df_i/dx_j^(d_j - c_i).  Integrated over a vanishing time, with a_j the jump
 * of x_j^(d_j - 1), or the impulse of an unknown with d_j = 0 (a current, a multiplier),
 *
 *     sum_j J_ij a_j = 0               c_i = 0: what is bounded adds nothing (a balance: charge, momentum)
 *     f_i^(c_i - 1)(x + a) = 0         c_i > 0: a hidden constraint of the new mode
 *
 * n equations with the regular matrix J: a is unique, and lies in the directions B in which the impulsive
 * unknowns act.  Lower derivatives follow the same rule one level down: with a^q the jumps of x^(d - q),
 *
 *     J a^q + G_1 a^(q+1) + G_2 a^(q+2) + ... = 0     c_i < q,  (G_m)_ij = df_i^(c_i)/dx_j^(d_j - m)
 *     f_i^(c_i - q)(x + a) = 0                        c_i >= q
 *
 * from q = max c down to 1.  That is the coefficient of the (q-1)-th derivative of Dirac's impulse, and for
 * linear equations with constant coefficients the projector on the consistent states that the theory gives
 * (S. Trenn, Switched differential algebraic equations, in: Dynamics and Control of Switched Electronic
 * Systems, Springer 2012, 189-216).  Where J turns along the jump, or impulsive unknowns enter nonlinearly,
 * a product of an impulse and a jump has no value: this is refused, and an assignment asked for.
 *
 * What an event assigns stays.  Balances of the same block that contain its derivative are given up, since an
 * assignment stands for an impulse from outside; what is then free moves by the smallest change.  Of x' = y
 * that is this equation, and y stays impulsive. */
#ifndef KEEL_MODEL_JUMP_H
#define KEEL_MODEL_JUMP_H

#include "symbolic/tape.h"
#include "model/formulation.h"

struct jump {
    int there;
    int written; /* the equations are written down: no lagrangian or hamiltonian has its own impulses */
    const struct formulation *formulation;
    int n, levels, hiddens;
    const int *c;
    int *place;           /* [levels * n] of x_j^(d_j - q) among the states, at (q - 1) n + j; -1: none */
    int *hidden;          /* [levels * n] number of f_i^(c_i - q), at (q - 1) n + i; -1: c_i < q */
    unsigned char *named; /* by column: z_j is an unknown of the model by an equation x' = y */
    int *column, *below;  /* by state x_j^(l): j and d_j - l */
    int *row, *first, *number; /* blocks of J; number: of each column within its block */
    int blocks;
    const int *match;
    struct derive_sparse slope, lower; /* J; d top_i by all states */
    struct derive_sparse bend;         /* of the entries of J by z: what is there is nonlinear */
    struct tape slopes, lowers, value, terms;
};

/* A jump under way. */
struct jump_path {
    double *a;      /* [(levels + 1) * n] */
    double *before; /* the unknowns from which it begins */
    int moved;
    char why[400]; /* of a refusal */
};

/* 1; 0: memory is out.  jump_close in any case. */
int jump_open(struct jump *j, struct formulation *own);
void jump_close(struct jump *j);
/* Moves u, the unknowns of the mode's formulation.  assigned: by state, 1 where it stays.  KEEL_OK;
 * KEEL_ESTART with path->why; KEEL_ENOMEM.  jump_forget in any case. */
keel_status jump_apply(const struct jump *j, double t, const double *parameter, const unsigned char *assigned,
                       double *u, struct jump_path *path);
/* With the unknowns after it, all of them: did the directions stay?  The same. */
keel_status jump_check(const struct jump *j, double t, const double *parameter, const unsigned char *assigned,
                       const double *u, struct jump_path *path);
void jump_forget(struct jump_path *path);
#endif
