/* syntax.h - the tree of a model file: what was written, where, and nothing about what it means.
 *
 * Every node knows its bytes in the source.  Lists are linked by `next`.  The tree and its strings live in
 * the pool it was parsed into.  Brackets that only group leave no node; the printer writes those that are
 * needed. */
#ifndef KEEL_LANG_SYNTAX_H
#define KEEL_LANG_SYNTAX_H

#include "base/pool.h"

#include <stdint.h>

enum { SYNTAX_DEEPEST = 200, SYNTAX_TALLEST = 1000 }; /* nesting as written; height of an expression's tree */
enum { SYNTAX_INDICES = 8 };                          /* of one name */

struct syntax_span {
    uint32_t offset, length;
};

/* Expressions -------------------------------------------------------------------------------------------- */

enum syntax_kind {
    SYNTAX_NUMBER,  /* text: the digits as written; value */
    SYNTAX_STRING,  /* text: without the quotes; options only */
    SYNTAX_REF,     /* text: the name, a.b[i] too as a.b; parts: all its indices; primes, multiplier, moment.
                    * t, pi and energy too */
    SYNTAX_UNARY,   /* op SYNTAX_NEG, SYNTAX_POS: parts: the operand */
    SYNTAX_BINARY,  /* op SYNTAX_ADD .. SYNTAX_POW; parts: left, right */
    SYNTAX_COMPARE, /* op SYNTAX_LT .. SYNTAX_NE; parts: left, right */
    SYNTAX_LOGIC,   /* op SYNTAX_AND, SYNTAX_OR: left, right; SYNTAX_NOT: the operand */
    SYNTAX_CALL,    /* text: the function's name, the user's or keel's, der too; parts: arguments, those of
                     * a[i].f(x) with the indices first */
    SYNTAX_IF,      /* parts: condition, then, else */
    SYNTAX_SUM,     /* ranges; parts: the summand */
    SYNTAX_ARRAY    /* parts: elements */
};

enum syntax_op {
    SYNTAX_NO_OP,
    SYNTAX_NEG,
    SYNTAX_POS,
    SYNTAX_ADD,
    SYNTAX_SUB,
    SYNTAX_MUL,
    SYNTAX_DIV,
    SYNTAX_POW,
    SYNTAX_LT,
    SYNTAX_LE,
    SYNTAX_GT,
    SYNTAX_GE,
    SYNTAX_EQ,
    SYNTAX_NE,
    SYNTAX_AND,
    SYNTAX_OR,
    SYNTAX_NOT
};

enum syntax_moment { SYNTAX_NOW, SYNTAX_ENTER, SYNTAX_START }; /* x, x.enter, x.start */

struct syntax_node {
    enum syntax_kind kind;
    enum syntax_op op;
    struct syntax_span span;
    uint32_t sign; /* offset of the operator */
    uint16_t height;
    uint16_t primes;
    unsigned char multiplier; /* lambda.NAME */
    unsigned char builtin;    /* a call of one of keel's own functions */
    enum syntax_moment moment;
    int count; /* of parts */
    const char *text;
    double value;
    struct syntax_node *parts, *next;
    struct syntax_range *ranges;
};

/* i in low..high if filter: of `for` and `sum`.  [low..high] or [low]: of a declaration (no name, no
 * filter). */
struct syntax_range {
    struct syntax_span span;
    const char *name;
    struct syntax_node *low, *high, *filter; /* high NULL: a single index */
    struct syntax_range *next;
};

/* Statements --------------------------------------------------------------------------------------------- */

enum syntax_statement_kind {
    SYNTAX_MODEL,       /* name */
    SYNTAX_PARAM,       /* items: name, bounds, value */
    SYNTAX_VAR,         /* items: name, bounds, settings */
    SYNTAX_COORD,       /* items: name, bounds, settings */
    SYNTAX_CANONICAL,   /* two items: name, bounds, settings */
    SYNTAX_LET,         /* items: name, bounds or parameters, value */
    SYNTAX_EQUATION,    /* left = right */
    SYNTAX_LAGRANGIAN,  /* name or NULL, right */
    SYNTAX_HAMILTONIAN, /* name or NULL, right */
    SYNTAX_FORCE,       /* one item: target, value */
    SYNTAX_STRUCTURE,   /* items: targets; right */
    SYNTAX_CONSTRAINT,  /* one item: name, bounds; left = right */
    SYNTAX_ROLLING,     /* one item: name, bounds; left = right */
    SYNTAX_INVARIANT,   /* one item: name, bounds, value; `energy` has no value */
    SYNTAX_INIT,        /* items: target, value */
    SYNTAX_GUESS,       /* items: target, value */
    SYNTAX_EVENT, /* name, bounds; left: what is watched, the period or the time; direction; items: actions */
    SYNTAX_MODE,  /* left: its name, group.name with indices; body */
    SYNTAX_BEGIN, /* `start`: items: targets, names of modes */
    SYNTAX_OUTPUT,    /* items: name, bounds, value */
    SYNTAX_EXACT,     /* items: target, value */
    SYNTAX_REFERENCE, /* left: the time; items: target, value */
    SYNTAX_RUN,       /* left .. right; one item or none: the unit of both */
    SYNTAX_OPTIONS,   /* items: name, value (string, words joined by +, or an expression) */
    SYNTAX_FOR,       /* ranges; body */
    SYNTAX_PART,      /* name; items: arguments, with their defaults as values; body */
    SYNTAX_USE,       /* name of the part; items: name, bounds, settings: name or NULL, value */
    SYNTAX_NODE,      /* items: name, bounds, value or NULL: a potential that is given */
    SYNTAX_FLOW,      /* one item: target, value */
    SYNTAX_CONTACT,   /* one item: name, bounds, settings: name, value; left: the gap */
    SYNTAX_LIBRARY,   /* name; body or NULL: to be loaded; left: the file of `import`, a string */
    SYNTAX_TABLE      /* name; left: its file; items: name, value, as column = "kN".  No name: the rows of
                       * that file, values of the items, each a string */
};

/* Where a copy of a part's line comes from (lang/parts). */
struct syntax_use {
    const char *instance, *part;
    struct syntax_span where;
};

/* How an event is set off: an expression goes through zero; at whole multiples of a period; at one time. */
enum syntax_direction { SYNTAX_CROSSING, SYNTAX_RISING, SYNTAX_FALLING, SYNTAX_EVERY, SYNTAX_AT };
enum syntax_action {
    SYNTAX_ASSIGN,
    SYNTAX_RECORD,
    SYNTAX_STOP,
    SYNTAX_SWITCH
}; /* target := value; mode target */

/* {m/s^2}: as written, its factor to SI units, and the powers of m, kg, s, A, K, mol and cd in sixtieths. */
enum { SYNTAX_BASES = 7, SYNTAX_SECOND = 2, SYNTAX_WHOLE = 60 };
struct syntax_unit {
    const struct syntax_node *node;
    double factor;
    int power[SYNTAX_BASES];
};

/* One entry of a statement's list. */
struct syntax_item {
    struct syntax_span span;
    const char *name;
    struct syntax_span name_span;
    struct syntax_range *bounds;
    struct syntax_node *parameters; /* of let g(x, y): refs */
    struct syntax_node *target;
    struct syntax_node *value;
    const struct syntax_unit *unit; /* of what is declared, or of the value; NULL: none */
    struct syntax_item *settings;   /* {atol' = 1}: name; the unknown with its primes as target; value */
    enum syntax_action action;      /* of an event */
    const struct syntax_use *use;   /* of a line of a part; NULL: the model's own */
    struct syntax_item *next;
};

struct syntax_statement {
    enum syntax_statement_kind kind;
    struct syntax_span span;
    const char *name;
    struct syntax_span name_span;
    struct syntax_range *bounds; /* of an event's name */
    struct syntax_item *items;
    struct syntax_node *left, *right;
    struct syntax_range *ranges;
    enum syntax_direction direction;
    const struct syntax_use *use; /* as of an item */
    struct syntax_statement *body, *next;
};

struct syntax_file {
    struct syntax_statement *statements;
};

/* The same model?  Places do not count, digits of numbers do. */
int syntax_equal(const struct syntax_file *a, const struct syntax_file *b);
int syntax_equal_nodes(const struct syntax_node *a, const struct syntax_node *b);
/* The model in canonical layout, which parses to an equal tree; NULL when the pool is exhausted. */
char *syntax_print(const struct syntax_file *file, struct pool *pool);
char *syntax_print_node(const struct syntax_node *node, struct pool *pool);
/* An option's value as words: "rk4+scale" from strings and plain names joined by +.  0 if it is an
 * expression. */
int syntax_words(const struct syntax_node *value, char *out, size_t capacity);
const char *syntax_statement_word(enum syntax_statement_kind kind); /* "param"; an equation has none: "" */
const char *syntax_op_text(enum syntax_op op);
#endif
