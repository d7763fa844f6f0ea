/* roll_private.h - what the passes of roll_build.c share: items, groups of items, classes of groups. */
#ifndef KEEL_SYMBOLIC_ROLL_PRIVATE_H
#define KEEL_SYMBOLIC_ROLL_PRIVATE_H

#include "symbolic/roll.h"

#define ROLL_NONE UINT32_MAX
#define ROLL_MANY (UINT32_MAX - 1)

/* VALUE: a node that several use, or an output.  TERM: a node that one long sum alone uses.  COPY: of a leaf
 * or a value to an output, or as a term of a sum. */
enum item_kind { ITEM_VALUE, ITEM_TERM, ITEM_COPY };

struct roll_item {
    uint32_t node;                          /* its root; COPY: the leaf */
    uint32_t sum;                           /* the sum it is a term of; ROLL_NONE */
    uint32_t output;                        /* where it goes; ROLL_NONE: to no output */
    uint32_t key;                           /* items in their natural order */
    unsigned char kind, less, used, inside; /* used by other items; by those of its group alone */
    uint32_t next;                          /* of its group, in the order of the sums */
};

struct roll_sum {
    uint32_t root, first, count; /* a node; its terms, in order, are items first, first + 1, .. */
};

/* A group: items that are evaluated together.  Its leaves and results stand one after the other. */
struct roll_group {
    uint32_t first; /* item */
    uint32_t class, key, leaf, result;
};

/* The program of a class, as words that are equal for equal groups. */
struct roll_word_list {
    uint32_t *word;
    size_t count, capacity;
};

struct roll_result {
    uint32_t item;
    unsigned char place;
};

/* A node with its operands by their places here, as the tape has it: sqrt(s)^3 is s sqrt(s).  The graph has
 * its nodes elsewhere, and operands at other places: all passes together read each node some twenty times. */
struct roll_node {
    uint32_t operand[3], power;
    unsigned char op, count, source; /* source: of a symbol */
};

struct roller {
    const struct roll_request *q;
    struct graph *g;
    uint32_t nodes;
    size_t length;          /* of the straight program: nodes and outputs */
    struct roll_node *node; /* per node: what the passes read of it */
    uint32_t *place_of;     /* per node of the graph: its place among the nodes here */
    uint32_t *uses;         /* per node */
    uint32_t *owner;        /* per node: its item, ROLL_NONE: a leaf, or part of a sum */
    uint32_t *sum_of;       /* per node: the sum of which it is the root */
    uint32_t *spine;        /* per node: how many additions a sum has that ends here */
    unsigned char *part;    /* per node: an inner addition of a long sum */
    unsigned char *inner;   /* per node: a sum that is a term of a long sum */
    uint32_t *first_output, *next_output;
    struct roll_item *item;
    size_t items, item_capacity;
    struct roll_sum *sum;
    size_t sums, sum_capacity;
    uint32_t *group_of; /* per item: its group; before that, its parent in the union of items */
    struct roll_group *group;
    size_t groups;
    uint32_t *leaf; /* per group: nodes */
    size_t leaves, leaf_capacity;
    struct roll_result *result;
    size_t results, result_capacity;
    struct roll_word_list *class; /* per class; and its hash table */
    size_t classes, class_capacity;
    uint32_t *table;
    size_t table_capacity;
    uint32_t *size_of_class; /* per class: its groups */
    size_t words;            /* of all classes */
    void *owned[40];
    int owns, failed;
    int apart; /* terms of sums are values, which the sums then read */
};

static inline int roll_is_leaf(const struct roller *b, uint32_t node) {
    return b->node[node].op == EXPR_CONSTANT || b->node[node].op == EXPR_SYMBOL;
}

void *roll_take(struct roller *b, size_t count, size_t size); /* zeroed, freed at the end */
void *roll_widen(struct roller *b, void *list, size_t count, size_t *capacity, size_t size);

int roll_items(struct roller *b);                 /* roll_items.c: the graph is cut; 0 or -1 */
int roll_fuse(struct roller *b);                  /* roll_fuse.c: terms that share are brought together */
int roll_classes(struct roller *b);               /* roll_classes.c: 0, -1, or 1 where too little repeats */
int roll_order(struct roller *b, struct roll *r); /* roll_order.c: 0, -1, or 1 where no order serves */
#endif
