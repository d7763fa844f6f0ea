/* expr.h - one hash-consed graph of expressions.
 *
 * A node is an operation on earlier nodes, a number or a symbol; equal expressions are one node, so
 * nothing is ever computed twice.  The order of the operations is the one written: nothing is
 * reassociated, and the rules of expr_simplify.c keep every bit of the value.  Symbols are small integers;
 * their names live elsewhere. */
#ifndef KEEL_SYMBOLIC_EXPR_H
#define KEEL_SYMBOLIC_EXPR_H

#include <stddef.h>
#include <stdint.h>

/* A node's place in its graph.  EXPR_NONE comes back when memory or the budget ran out, and passes through
 * everything. */
typedef uint32_t expr;
enum { EXPR_NONE = 0 };

/* Truths are the numbers 1 and 0.  a > b is stored as b < a, which is the same for every pair of numbers. */
enum expr_op {
    EXPR_CONSTANT = 1,
    EXPR_SYMBOL,
    EXPR_NEG,
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_POWI, /* a to an integer power, by one fixed chain of products */
    EXPR_POW,
    EXPR_SQRT,
    EXPR_CBRT,
    EXPR_EXP,
    EXPR_EXPM1,
    EXPR_LOG,
    EXPR_LOG1P,
    EXPR_LOG10,
    EXPR_SIN,
    EXPR_COS,
    EXPR_TAN,
    EXPR_ASIN,
    EXPR_ACOS,
    EXPR_ATAN,
    EXPR_ATAN2,
    EXPR_SINH,
    EXPR_COSH,
    EXPR_TANH,
    EXPR_ASINH,
    EXPR_ACOSH,
    EXPR_ATANH,
    EXPR_ABS,
    EXPR_SIGN,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_FLOOR,
    EXPR_MOD, /* the sign of the divisor, as in a - b*floor(a/b) */
    EXPR_HYPOT,
    EXPR_SN, /* of (u, m) */
    EXPR_CN,
    EXPR_DN,
    EXPR_ELLIPK,    /* K of m */
    EXPR_ELLIPE,    /* E of m */
    EXPR_JACOBIEPS, /* of (u, m): the integral of dn^2 from 0 to u, that is E(am(u)) */
    EXPR_JACOBISD2, /* of (u, m): that of (sn/dn)^2; m <= 1 for all three */
    EXPR_LOOK,      /* of (x, table): see table.h; the two below, too */
    EXPR_ENTRY,
    EXPR_POSITION,
    EXPR_LT,
    EXPR_LE,
    EXPR_EQ,
    EXPR_NE,
    EXPR_AND,
    EXPR_OR,
    EXPR_NOT,
    EXPR_IF, /* a ? b : c */
    EXPR_OPS
};

/* SIDE: of a switching surface, a number that stays while a branch does. */
enum expr_kind { EXPR_TIME, EXPR_PARAMETER, EXPR_UNKNOWN, EXPR_MULTIPLIER, EXPR_HELD, EXPR_SIDE };

/* CONSTANT: a and b hold the bits of a double, c how many binary digits were lost where it was summed up
 * (expr_lost).  SYMBOL: a kind, b index, c order of the time derivative.
 * POWI: b the exponent as an int32_t.  Otherwise a, b, c are operands, EXPR_NONE where there is none. */
struct expr_node {
    uint32_t op, a, b, c;
};

/* One budget for all work on a model, in operations of about a nanosecond: what is looked at costs its time,
 * what is kept its memory (a node with all that hangs on it takes some 100 bytes). */
#define EXPR_WORK 3e10
enum { EXPR_COST_NODE = 3000, EXPR_COST_VISIT = 8, EXPR_COST_BYTE = 25 };

/* Users of a node that is the latest of their operands: the last of them, and of each the one before. */
struct expr_link {
    expr user, next;
};

struct graph {
    struct expr_node *node; /* operands come before their users; 0 is unused */
    struct expr_link *link;
    uint32_t count, capacity;
    expr *table; /* of nodes in no list; open addressing, mask + 1 places */
    uint32_t mask, listed;
    uint32_t *mark; /* scratch of the walks, one stamp a node */
    uint32_t stamp;
    expr zero, one;            /* half of all numbers that are asked for; EXPR_NONE: not yet */
    expr *image;               /* scratch of one walk, zero between calls */
    int failed;                /* memory or the budget ran out: some result was EXPR_NONE */
    int exhausted;             /* it was the budget */
    double work, spent;        /* the budget, and what of it is gone */
    const volatile int *stop;  /* not 0: nothing is left of it; NULL: nobody asks */
    const double *const *rows; /* those of the model, and their names (table.h) */
    const char *const *table_name;
    int tables;
};

/* Nodes in an order in which operands come first; free(item) when done. */
struct expr_list {
    expr *item;
    size_t count;
};

int expr_open(struct graph *g); /* 0, or -1 without memory */
void expr_close(struct graph *g);
void expr_allow(struct graph *g, double work); /* a budget anew, 0: EXPR_WORK; past failures are forgotten */
/* 1 if memory ran out, not the budget: an explanation for all else that is wrong. */
int expr_starved(const struct graph *g);
/* Memory for what is made of the graph, zeroed; the same memory, wider.  NULL: the graph has failed. */
void *expr_take(struct graph *g, size_t count, size_t size);
void *expr_widen(struct graph *g, void *old, size_t count, size_t size);
/* Takes it from the budget.  1, or 0 with the graph failed. */
int expr_spend(struct graph *g, double operations);

expr expr_constant(struct graph *g, double value);
/* A number that is left of larger ones: 0.1 + 0.2 - 0.3, of which 2^-lost of the terms remains.  Whoever asks
 * whether it is zero must know (lang/structure_sample).  Few lost digits count as none. */
expr expr_remainder(struct graph *g, double value, int lost);
int expr_lost(const struct graph *g, expr e); /* 0: none, or no number */
expr expr_symbol(struct graph *g, enum expr_kind kind, uint32_t index, uint32_t order);
/* op of its operands, simplified; the operands beyond the operation's count are not looked at. */
expr expr_make(struct graph *g, enum expr_op op, expr a, expr b, expr c);
expr expr_power(struct graph *g, expr base, expr exponent); /* POWI where the exponent is a small integer */
expr expr_powi(struct graph *g, expr base, int32_t exponent);
expr expr_greater(struct graph *g, expr a, expr b);          /* a > b */
expr expr_greater_or_equal(struct graph *g, expr a, expr b); /* a >= b */
/* The factors of a product, from the left; how many, EXPR_FACTORS + 1: too many. */
enum { EXPR_FACTORS = 16 };
int expr_factors(const struct graph *g, expr e, expr factor[EXPR_FACTORS]);
/* The node as it stands, without a rule applied: for expr_simplify.c. */
expr expr_intern(struct graph *g, struct expr_node node);

extern const struct expr_operation {
    const char *name;
    int operands;
} expr_operation[EXPR_OPS];
/* How many: 0 to 3; the mask says so to the compiler. */
static inline int expr_operands(enum expr_op op) {
    return expr_operation[op].operands & 3;
}
int expr_is_constant(const struct graph *g, expr e, double *value);
int expr_is_truth(const struct graph *g, expr e); /* a comparison, and, or, not: never anything but 1 or 0 */
/* The function of that name in the model language; 0: none.  Its operands are counted by expr_operands. */
enum expr_op expr_function(const char *name);
const char *expr_name(enum expr_op op); /* as the language writes it */

/* The value of an operation on numbers: what folding, the interpreter and the emitted C share. */
double expr_value(enum expr_op op, double a, double b);
double expr_integer_power(double a, int32_t exponent);
extern const char *const expr_source[]; /* the C of the functions that libm lacks; ends with NULL */

/* All that the roots reach.  0, or -1 without memory. */
int expr_order(struct graph *g, size_t roots, const expr *root, struct expr_list *out);
/* The same, operands first, in an order of its own: quicker where the roots reach much of the graph. */
int expr_reach(struct graph *g, size_t roots, const expr *root, struct expr_list *out);
/* The nodes with among[e] alone, through such nodes alone: a long expression costs what counts of it. */
int expr_order_among(struct graph *g, size_t roots, const expr *root, const unsigned char *among,
                     struct expr_list *out);
/* The symbols among it, in the order of their creation. */
int expr_symbols(struct graph *g, size_t roots, const expr *root, struct expr_list *out);
int expr_depends(struct graph *g, expr e, size_t count, const expr *symbol);
int expr_any_depends(struct graph *g, size_t roots, const expr *root, size_t count, const expr *symbol);
/* e with each from[i] (any node) replaced by to[i], all at once; written to out[].  0 or -1. */
int expr_substitute(struct graph *g, size_t roots, const expr *root, size_t count, const expr *from,
                    const expr *to, expr *out);
#endif
