/* generic.h - expressions at a generic point, modulo a prime.
 *
 * A point gives a random residue to every coordinate: each unknown with its derivatives, and each function of
 * them that is no algebraic one: exp(q), log(q), the half-angle tangent of q, ... .  So sin(q) and cos(q) are
 * a point of the circle that has nothing to do with q.  What is an identity in independent coordinates holds
 * for the functions themselves: nothing wrong can come of it.  Sums in arguments are taken apart, so that
 * exp(a - b) exp(b - c) exp(c - a) = 1 is seen; square roots are true ones, and a point at which there is
 * none is drawn anew. */
#ifndef KEEL_DISCOVER_GENERIC_H
#define KEEL_DISCOVER_GENERIC_H

#include "discover/residue.h"
#include "model/system.h"

/* What a coordinate is the value of.  PLAIN: a symbol, or a function that is independent of all else; ANGLE:
 * tan(node/2). */
enum generic_kind { GENERIC_PLAIN, GENERIC_ANGLE, GENERIC_EXP, GENERIC_LOG, GENERIC_KINDS };

struct generic_coordinate {
    enum generic_kind kind;
    expr node;
};

struct generic {
    const struct system *y;
    const struct graph *g;
    uint32_t nodes;                /* the graph must not grow any more */
    residue *value;                /* [nodes] at the point */
    residue *number;               /* [nodes] of constants */
    unsigned char *rests;          /* [nodes] 1: of numbers and parameters alone */
    unsigned char *odd;            /* [nodes] 1: a number that is no plain fraction; 2: and it was met */
    residue *fixed[GENERIC_KINDS]; /* [nodes] coordinates that are not random, */
    uint32_t *when[GENERIC_KINDS]; /* if this is the number of the point */
    unsigned char *met[GENERIC_KINDS];
    struct generic_coordinate *coordinate; /* angles and exponentials that were met */
    int coordinates, capacity;
    residue *parameter; /* [parameters] */
    uint64_t seed;      /* of the point */
    uint32_t point;
    int failed; /* without memory */
};

/* A list of expressions with all that they are made of. */
struct generic_list {
    struct expr_list order;
};

int generic_open(struct generic *v, const struct system *y); /* 1; 0 without memory */
void generic_close(struct generic *v);
int generic_list(struct generic_list *list, struct graph *g, int count, const expr *of);
void generic_list_close(struct generic_list *list);
/* A new point; all coordinates are random again. */
void generic_begin(struct generic *v, uint64_t seed);
void generic_fix(struct generic *v, struct generic_coordinate c, residue value);
residue generic_coordinate(struct generic *v, struct generic_coordinate c);
/* The values of the list into value[].  1; 0: there is none at this point. */
int generic_values(struct generic *v, const struct generic_list *list);
/* How many numbers that are no plain fractions were met, the first of them. */
int generic_odd_numbers(const struct generic *v, double *first);
/* The parameters as the model has them; vary[i]: a random one instead.  Those that depend on others follow.
 * A number that is no fraction counts as a random one, always the same. */
void generic_parameters(struct generic *v, const unsigned char *vary, uint64_t seed);
#endif
