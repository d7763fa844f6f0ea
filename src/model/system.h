/* system.h - one mode of a model as n equations for n unknowns, and what the structure analysis says of
 * them.
 *
 * Unknown j is the model's unknown j for j < m->unknowns, then come the multipliers of the mode's
 * constraints.  A constraint that says nothing new is left out together with its multiplier, and named. */
#ifndef KEEL_MODEL_SYSTEM_H
#define KEEL_MODEL_SYSTEM_H

#include "base/pool.h"
#include "lang/model.h"
#include "lang/source.h"
#include "structure/structure.h"

enum system_kind {
    SYSTEM_EQUATION,
    SYSTEM_MOTION,
    SYSTEM_MOMENTUM,
    SYSTEM_CONSTRAINT,
    SYSTEM_ROLLING,
    SYSTEM_TANGENT
};

/* Where an equation comes from: its number among those of its kind, and which of a line's equations.  A
 * linearised one: the equation it was made of, or -1, and the number of its direction, from 1. */
struct system_origin {
    enum system_kind kind;
    int number, copy, copies;
    const char *place; /* of an equation: "in PART", "at NODE.v" or "" */
    struct syntax_span where;
};

/* How near to each other the ends of a loop come that cannot be closed. */
struct loops_gap {
    int row; /* the constraint that is off most, by its place in the mode's list; -1: there is no gap */
    double off;
    const unsigned char *of; /* the mode's constraints that are off there: those of the loop */
};

struct system {
    struct model *m;
    const struct source *source;
    int mode;
    double t0;
    int equations, unknowns;
    expr *equation, *unknown;
    struct system_origin *origin;
    expr *multiplier;         /* [m->multipliers] the symbol, or 0 where its constraint is not there */
    int *number_of;           /* [m->multipliers] 1 + its number among the unknowns, or 0 */
    unsigned char *there;     /* [m->multipliers] of a constraint of this mode */
    unsigned char *left_out;  /* [m->multipliers] of a redundant constraint */
    int redundants;           /* constraints left out */
    const char **superfluous; /* [2 * redundants] the name of each, and of what it follows from */
    struct loops_gap gap;     /* of constraints that are too many and cannot all hold */
    struct structure s;
    int *alias_of; /* [unknowns] 1 + the first whose alias is a derivative of this one; 0: none */
    int *alias_next;
};

/* 1; 0 with at least one error in `messages`.  system_close in any case. */
int system_open(struct system *y, struct model *m, int mode, double t0, const struct source *source,
                struct source_messages *messages, struct pool *pool);
void system_close(struct system *y);

/* "rod[2]", "d/dt rod[2]", "line 7", "line 7 (2)": the order-th derivative of equation i.  Cut to capacity.
 * */
void system_label(const struct system *y, int i, int order, char *out, size_t capacity);
/* The user's name of a symbol: that of an alias where there is one, so that v does not become x'. */
void system_name(const struct system *y, expr symbol, char *out, size_t capacity);
int system_line(const struct system *y, struct syntax_span where); /* from 1; 0: nowhere */
/* The number of a symbol (an unknown or multiplier, any derivative) among the unknowns; -1: none of them. */
int system_unknown(const struct system *y, expr symbol);
/* e with the multipliers whose constraint this mode lacks put to 0; EXPR_NONE without memory. */
expr system_expression(const struct system *y, expr e);
#endif
