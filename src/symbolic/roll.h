/* roll.h - expressions that repeat, as loops: the graph is scalar, its code need not be.
 *
 * The graph is cut at nodes that more than one expression uses, into items.  Items that are equal up to their
 * leaves (t, states, parameters, numbers, values of other items) are of one class.  A class has its body once
 * and an index of every leaf and every result for each item.  A long sum is cut, too: its terms are items
 * that add to it, in the order of the sum.  Terms that share what nothing else uses are one item.
 *
 * The order of operations within an item and of the terms of a sum is that of the graph, so a rolled program
 * has the bits of the straight one. */
#ifndef KEEL_SYMBOLIC_ROLL_H
#define KEEL_SYMBOLIC_ROLL_H

#include "symbolic/tape.h"

/* Where a leaf comes from; where a result goes: a value, an output, a sum that it is added to or taken
 * from. */
enum roll_place {
    ROLL_TIME,
    ROLL_STATE,
    ROLL_PARAMETER,
    ROLL_NUMBER,
    ROLL_VALUE,
    ROLL_STORE,
    ROLL_OUT,
    ROLL_ADD,
    ROLL_LESS
};

/* Items in the order of their evaluation, in runs: within a run each index grows by the stride of its
 * column.  Columns are the leaves, then the results. */
struct roll_class {
    struct tape body; /* leaf k is the state k; output k the result k */
    uint32_t leaves, columns;
    unsigned char *place; /* per column, enum roll_place */
    unsigned char *held;  /* per column: a sum that no other column adds to within a run of stride 0 */
    int32_t *stride;      /* per column */
    uint32_t runs;
    uint32_t *length; /* per run */
    uint32_t *base;   /* runs x columns: the index of the first item */
    int branches;     /* the body has an `if` */
};

/* Runs first .. last - 1 of a class.  serial: an item needs what an earlier one of the same step stores. */
struct roll_step {
    uint32_t class, first, last;
    int serial;
};

struct roll {
    struct roll_class *class;
    struct roll_step *step;
    double *number;
    uint32_t classes, steps, numbers;
    uint32_t sums, values; /* values in all; the first of them are sums, which begin at -0 */
    double operations;     /* of one evaluation */
    uint32_t widest;       /* most registers of a body */
};

/* What tape_build knows: nodes with operands first, and per node of the graph one more than its input. */
struct roll_request {
    struct graph *g;
    const struct expr_list *list;
    size_t outputs;
    const expr *output;
    const struct tape_input *input;
    const uint32_t *where;
};

enum { ROLL_LEAST = 1000 }; /* nodes or outputs: shorter programs stay straight */

/* 0; -1 without memory; 1 if too little repeats: *out is NULL then. */
int roll_build(const struct roll_request *q, struct roll **out);
/* The same program with output i at to[i], each place taken once, and with the other sign if minus[i].
 * 0; -1 without memory; 1 if its loops do not serve: *out is NULL then. */
int roll_turn(const struct roll *of, const uint32_t *to, const unsigned char *minus, struct roll **out);
void roll_free(struct roll *r);
/* As tape_run; work: roll_capacity(r) doubles. */
void roll_run(const struct roll *r, double time, const double *u, const double *p, double *out, double *work);
size_t roll_capacity(const struct roll *r);
#endif
