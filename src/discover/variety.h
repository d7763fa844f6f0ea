/* variety.h - random points of a model's manifold, modulo a prime, with the derivatives of the motion.
 *
 * The hidden rows of the structure analysis are equations between states.  Each is solved for a coordinate in
 * which it is linear or quadratic and which the rows solved before do not contain; all others are random.
 * Where there is none, as for the velocities of a loop, all rows with the highest derivatives are solved
 * together, as linear equations.
 * The highest derivatives then follow from linear equations.  Equations that are not linear in them are
 * solved like the hidden rows, with these derivatives as coordinates. */
#ifndef KEEL_DISCOVER_VARIETY_H
#define KEEL_DISCOVER_VARIETY_H

#include "discover/generic.h"

struct variety_row {
    expr f;
    struct generic_list list;
    struct generic_coordinate by; /* the coordinate it is solved for; no node: with its block */
    int block;                    /* rows that are solved together, this one being the first; 0: none */
    int order;                    /* then: of the derivatives that they are solved for */
};

struct variety {
    struct system *y;
    struct graph *g;
    struct generic v;
    int opened, rows, states, unknowns, equations, entries;
    struct variety_row *row; /* in the order in which they are solved */
    expr *state;             /* [states] x_j^(l), l < d_j */
    expr *unknown;           /* [unknowns] highest derivatives, from as many linear equations */
    expr *equation, *entry;  /* [equations]; of their Jacobian: [entries] */
    int *entry_row, *entry_column;
    struct generic_list linear;
    residue *matrix; /* [equations * (unknowns + 1)] */
    uint64_t world;  /* not 0: parameters that vary have the same random values at all points */
    int released;    /* parameters that are solved for: they are not the model's own values */
    char why[300];   /* why there are no points */
};

/* Which equations are to be solved for what.  The graph may grow still.  1; 0: see why, "" without memory. */
int variety_plan(struct variety *w, struct system *y);
/* The graph must not grow from here on until variety_rest.  1; 0: see why, "" without memory. */
int variety_open(struct variety *w, uint64_t seed);
void variety_rest(struct variety *w); /* the graph may grow again */
void variety_close(struct variety *w);
/* A point at which all of the list has a value, with the parameters that vary (NULL: none) at random: 1; 0:
 * there is none, or no memory (v.failed). */
int variety_point(struct variety *w, uint64_t seed, const unsigned char *vary,
                  const struct generic_list *list);
/* For its parts: the order in which the rows are solved, and for what; one attempt to solve them.  1 or 0. */
int variety_order_rows(struct variety *w, uint64_t seed);
int variety_solve_rows(struct variety *w);
/* The rows among the first `left` with the highest derivatives there, brought to their end, if they are
 * linear in them: how many; 0: they are not, or need not be; -1 without memory. */
int variety_block_find(struct variety *w, int left, uint64_t seed);
int variety_block_solve(struct variety *w, const struct variety_row *first);
/* One attempt, with the coordinates that were fixed since generic_begin. */
int variety_try(struct variety *w);
#endif
