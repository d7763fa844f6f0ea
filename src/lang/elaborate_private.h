/* elaborate_private.h - what the files of the elaboration share. */
#ifndef KEEL_LANG_ELABORATE_PRIVATE_H
#define KEEL_LANG_ELABORATE_PRIVATE_H

#include "lang/elaborate.h"

enum {
    ELABORATE_ELEMENTS = 500000000, /* of all arrays, so that numbers of unknowns are ints; memory is less */
    ELABORATE_COST = 1000,          /* of a node of the tree looked at, loops and calls counted each time */
    ELABORATE_DEEPEST = 1500,       /* expressions inside expressions, through lets and calls */
    ELABORATE_ORDER = 20            /* of a derivative */
};

/* A number or an array of them, row by row. */
struct elaborate_value {
    struct model_shape shape;
    expr one;      /* rank 0 */
    expr *element; /* otherwise */
};

/* What a name stands for inside a loop, a sum or a function. */
struct elaborate_frame {
    const char *name;
    struct elaborate_value value;
    const struct syntax_range *range; /* NULL: a function's argument */
    long index;
    const char *word; /* for, sum */
    const struct elaborate_frame *up;
};

enum elaborate_kind {
    ELABORATE_PARAMETER,
    ELABORATE_UNKNOWN,
    ELABORATE_LET,
    ELABORATE_FUNCTION,
    ELABORATE_TABLE
};
enum elaborate_state { ELABORATE_NEW, ELABORATE_BUSY, ELABORATE_READY, ELABORATE_FAILED };

/* One definition of a param or let; x[1] and x[2] may have two. */
struct elaborate_definition {
    const struct syntax_item *item; /* NULL: the lagrangian or hamiltonian */
    const struct syntax_node *node; /* the value */
    const struct elaborate_frame *frame;
    struct elaborate_name *name;
    struct syntax_span where;
    struct model_shape box; /* of the indices in the definition */
    enum elaborate_state state;
    unsigned stamp; /* the mode's pass in which `value` was found */
    struct elaborate_value value;
    struct elaborate_definition *next;
};

struct elaborate_setting;

struct elaborate_name {
    const char *text;
    enum elaborate_kind kind;
    enum model_role role;
    enum elaborate_state state; /* of box and table, or of an unknown's shape; a function under way is BUSY */
    struct syntax_span where;
    int mode;     /* as written, a block; -1: all */
    int number;   /* of a table */
    int repeated; /* defined inside a `for` */
    const struct syntax_item *item;
    struct elaborate_definition *first, *last;
    struct model_shape box;              /* around the definitions */
    struct elaborate_definition **table; /* per place of the box */
    struct elaborate_setting *setting;   /* --set, in their order */
    struct elaborate_value symbols;      /* of an unknown */
    struct elaborate_name *same;         /* of that text in another mode */
    struct elaborate_name *next;         /* in file order */
    struct elaborate_name *chain;        /* in the hash table */
};

/* A statement, with the values of the loops around it. */
struct elaborate_line {
    const struct syntax_statement *s;
    const struct elaborate_frame *frame;
    int mode; /* as written, a block; -1: all */
};

struct elaborate_setting {
    const char *text;
    const struct syntax_node *target, *value;
    struct elaborate_name *name;
    struct elaborate_setting *next; /* of the same name */
    int used;
};

enum { ELABORATE_BUCKETS = 1024 };

struct elaborate {
    const struct source *source;
    struct source_messages *messages;
    struct pool *pool;
    struct model *model;
    struct graph *graph;
    struct derive derive;
    const struct elaborate_request *request;
    struct elaborate_name *bucket[ELABORATE_BUCKETS], *names, *last_name;
    struct elaborate_line *line;
    int lines, line_capacity;
    struct elaborate_setting *setting;
    int settings;
    const struct syntax_use *use; /* of the line under way; NULL: the model's own */
    int mode;                     /* under way */
    const int *combination;       /* its; NULL: loops are being written out */
    int block;                    /* then: the mode around them; -1: none */
    int only;                     /* lines of this mode alone; -1: all that are in force */
    int group;                    /* of modes around the line under way; -1: none */
    unsigned stamp;               /* of its pass */
    int unrolling;                /* loops are being written out, so that not all definitions are known */
    int multipliers_known;
    int without_force; /* a contact has a mistake, which was said: nobody asks for its forces */
    int misfit;        /* declarations and energy function do not belong together, which was said */
    int energy_busy;
    long elements;
    struct syntax_span grown; /* where the budget was used up; length 0: nowhere */
    int depth, stopped;
    double *number; /* scratch: values of nodes */
    size_t numbers;
};

/* elaborate.c */
void *elaborate_take(struct elaborate *e, size_t bytes); /* NULL: the model is given up */
/* Room for one more in a list in the pool; 0 without memory. */
int elaborate_grow(struct elaborate *e, void *list, int count, int *capacity, size_t size);
const char *elaborate_format(struct elaborate *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int elaborate_unroll(struct elaborate *e, const struct syntax_statement *s,
                     const struct elaborate_frame *frame, int mode);

/* All lines of a mode, or a combination of modes, under its number. */
void elaborate_one_mode(struct elaborate *e, int mode);

/* elaborate_mode.c: modes as they are written, blocks, their groups and combinations */
int elaborate_in_force(const struct elaborate *e, int block);
void elaborate_blocks(struct elaborate *e, const struct syntax_statement *s); /* those outside of loops */
/* The number of a block, where its lines are met; of one that is named.  -1 after a message. */
int elaborate_block(struct elaborate *e, const struct syntax_statement *s,
                    const struct elaborate_frame *frame);
int elaborate_named_mode(struct elaborate *e, const struct syntax_node *ref,
                         const struct elaborate_frame *frame);
/* The group of a block; of lines outside, the only one.  -1: none, or several. */
int elaborate_group(const struct elaborate *e, int block);
void elaborate_start(struct elaborate *e); /* the first modes, and the combinations to elaborate */
void elaborate_enter_mode(struct elaborate *e, int mode);
typedef void elaborate_pass(struct elaborate *e);
/* A pass over the lines of each mode that is in no combination, that the lines are known. */
void elaborate_survey(struct elaborate *e, elaborate_pass *pass);

/* elaborate_message.c */
struct source_message *elaborate_error(struct elaborate *e, struct syntax_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *elaborate_line_of(struct elaborate *e, struct syntax_span span); /* as source_line */
/* Is `inner` the use of a part within that of the other?  NULL: the model itself. */
int elaborate_is_around(const struct syntax_use *outer, const struct syntax_use *inner);
/* The obstacle of the last derivative: `abs(x)` must be differentiated [twice ]here[ (constraint `a`)]. */
void elaborate_error_nonsmooth(struct elaborate *e, struct syntax_span where, const char *times,
                               const char *what);
/* "Here i = 1, from `for i in 1..N` (line 8)." */
void elaborate_error_loops(struct elaborate *e, struct source_message *one,
                           const struct elaborate_frame *frame);
void elaborate_unknown(struct elaborate *e, const struct syntax_node *ref,
                       const struct elaborate_frame *frame);
void elaborate_unknown_label(struct elaborate *e, const struct syntax_node *ref, const char *what,
                             const struct model_label *label, int count, size_t stride);
void elaborate_shape_text(const struct model_shape *shape, char *out,
                          size_t capacity); /* [1..3][1..2]; a number */
void elaborate_stop(struct elaborate *e);
/* Says so once; 0, so that a function may end with it. */
static inline int elaborate_out_of_memory(struct elaborate *e) {
    elaborate_stop(e);
    return 0;
}
void elaborate_error_grown(struct elaborate *e);

/* elaborate_name.c: declarations */
struct elaborate_name *elaborate_find(const struct elaborate *e, const char *text);
int elaborate_declare(struct elaborate *e, const struct syntax_statement *s, int mode, int repeated);
int elaborate_define(struct elaborate *e, const struct elaborate_line *line);
void elaborate_unknowns(struct elaborate *e, const struct elaborate_line *line);
/* elaborate_memory.c: beside contacts every `var` becomes one; u^2/2 of them all, EXPR_NONE: there is
 * none. */
void elaborate_memories(struct elaborate *e);
expr elaborate_of_memories(struct elaborate *e);
/* Is the lagrangian without them?  1, or 0 with a message. */
int elaborate_memory_free(struct elaborate *e, struct syntax_span where, expr function);
/* The coordinate and the rate of an equation value = 0; EXPR_NONE: it is about none of them.  1, or 0 with a
 * message. */
int elaborate_memory_rate(struct elaborate *e, const struct elaborate_line *line, expr value, expr *target,
                          expr *rate);
void elaborate_memories_begin(struct elaborate *e); /* their integrals, at 0; do all have an equation? */
/* elaborate_given.c: this symbol begins at 0. */
void elaborate_begin_at(struct elaborate *e, expr symbol, struct syntax_span where);
int elaborate_bounds(struct elaborate *e, const struct syntax_range *bounds,
                     const struct elaborate_frame *frame, struct model_shape *out);
void elaborate_label(struct elaborate *e, const char *base, int rank, const int *index,
                     struct model_label *out);

/* elaborate_table.c: tables from their files, or from the rows in the text; as functions of one argument */
void elaborate_tables(struct elaborate *e, const struct syntax_file *file);
int elaborate_look(struct elaborate *e, const struct elaborate_name *name, const struct syntax_node *node,
                   const struct elaborate_value *a, struct elaborate_value *out);

/* elaborate_unit.c: are units consistent?  A value in SI units, or in those of an item. */
void elaborate_units(struct elaborate *e);
expr elaborate_scaled(struct elaborate *e, const struct syntax_item *item, expr value, int inverse);

/* elaborate_let.c: definitions on demand */
int elaborate_definition_value(struct elaborate *e, struct elaborate_definition *one);
int elaborate_let(struct elaborate *e, struct elaborate_name *name, const struct syntax_node *ref,
                  const struct elaborate_frame *frame, int count, const int *index,
                  struct elaborate_value *out);

/* elaborate_parameter.c */
int elaborate_parameter(struct elaborate *e, struct elaborate_definition *one);
double elaborate_number(struct elaborate *e, expr value);   /* with the parameters' numbers */
void elaborate_structural(struct elaborate *e, expr value); /* its parameters are */
int elaborate_is_constant(struct elaborate *e, expr value, int time_too, expr *other); /* of parameters */
int elaborate_settings(struct elaborate *e, int count, const char *const *set, char *message,
                       size_t capacity);

/* elaborate_value.c: arrays */
struct elaborate_value elaborate_scalar(expr one);
expr elaborate_at(const struct elaborate_value *v, long i); /* a number fills */
long elaborate_count(const struct elaborate_value *v);      /* elements; 1 for a number */
int elaborate_same_extent(const struct model_shape *a, const struct model_shape *b);
int elaborate_new(struct elaborate *e, const struct model_shape *shape, struct elaborate_value *out);
int elaborate_index(struct elaborate *e, const struct elaborate_value *from, int count, const int *index,
                    struct elaborate_value *out); /* indices are inside */
int elaborate_prime(struct elaborate *e, struct syntax_span span, struct elaborate_value *v, int primes);
int elaborate_binary(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                     const struct elaborate_value *b, struct elaborate_value *out);
int elaborate_call(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out);
int elaborate_place(const struct model_shape *shape, int count, const int *index, long *place); /* inside? */
void elaborate_next(const struct model_shape *shape, int from, int *index); /* the next indices, row by row */

/* elaborate_expression.c */
int elaborate_node(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out);
int elaborate_one(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                  const char *what, expr *out); /* a number is due */
int elaborate_integer(struct elaborate *e, const struct syntax_node *node,
                      const struct elaborate_frame *frame, const char *what, long *out);
typedef int elaborate_visit(struct elaborate *e, const struct elaborate_frame *frame, void *data);
/* visit for each value of the ranges that passes its filter. */
int elaborate_ranges(struct elaborate *e, const struct syntax_range *range,
                     const struct elaborate_frame *frame, const char *word, int keep, elaborate_visit *visit,
                     void *data);

/* elaborate_reference.c: names in expressions */
int elaborate_reference(struct elaborate *e, const struct syntax_node *ref,
                        const struct elaborate_frame *frame, struct elaborate_value *out);
int elaborate_indices(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                      int *index);
expr elaborate_energy(struct elaborate *e, struct syntax_span span);
int elaborate_derives_energy(struct elaborate *e); /* there is a lagrangian or hamiltonian */
/* All that is labelled like the reference: positions in the list, or -1 each.  0 after a message. */
int elaborate_gather(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                     const char *what, const struct model_label *label, int count, size_t stride,
                     struct model_shape *shape, int **found);

/* elaborate_row.c, elaborate_event.c, elaborate_given.c: statements */
void elaborate_equation(struct elaborate *e, const struct elaborate_line *line);
void elaborate_constraint(struct elaborate *e, const struct elaborate_line *line);
void elaborate_invariant(struct elaborate *e, const struct elaborate_line *line);
void elaborate_output(struct elaborate *e, const struct elaborate_line *line);
void elaborate_force(struct elaborate *e, const struct elaborate_line *line);
/* elaborate_contact.c: rigid contacts, and their forces in the motion */
void elaborate_contact(struct elaborate *e, const struct elaborate_line *line);
void elaborate_contact_forces(struct elaborate *e, struct model_mode *mode);
/* A multiplier of that name, found or made: its number, or -1. */
int elaborate_multiplier(struct elaborate *e, const struct model_label *label, int rolling);
/* elaborate_flow.c: what flows out of the nodes, and their balances */
void elaborate_flow(struct elaborate *e, const struct elaborate_line *line);
void elaborate_balance(struct elaborate *e, const struct elaborate_line *line);
/* A row that an equation states, without a name. */
/* place: "in PART", "at NODE.v" or "".  NULL without memory. */
struct model_row *elaborate_add_equation(struct elaborate *e, expr value, const char *place,
                                         struct syntax_span where, int common);
const char *elaborate_text(struct elaborate *e, const char *head, const char *tail); /* NULL: no memory */
void elaborate_event(struct elaborate *e, const struct elaborate_line *line);
void elaborate_timed_event(struct elaborate *e, const struct elaborate_line *line); /* behind all others */
void elaborate_given(struct elaborate *e, const struct elaborate_line *line, struct model_givens *list);
void elaborate_resolve(struct elaborate *e); /* init and guess values of parameters and t alone */
void elaborate_run_span(struct elaborate *e, const struct elaborate_line *line);
void elaborate_options(struct elaborate *e, const struct elaborate_line *line);
/* elaborate_labels.c: the number of the entry of this name, or -1; enters the last of count entries, 1 or
 * 0. */
int elaborate_find_label(const struct model_index *x, const void *list, size_t size,
                         const struct model_label *label);
int elaborate_enter_label(struct elaborate *e, struct model_index *x, const void *list, size_t size,
                          int count);
void elaborate_reference_values(struct elaborate *e, const struct elaborate_line *line);
void elaborate_unknown_settings(struct elaborate *e, const struct elaborate_line *line);

/* elaborate_form.c: lagrangian, hamiltonian or equations */
void elaborate_form(struct elaborate *e); /* which, and does it fit the declarations */
void elaborate_motion(struct elaborate *e);
/* Forces into the motion, and the gradients of the constraints. */
void elaborate_finish_motion(struct elaborate *e, int mode);
void elaborate_check(struct elaborate *e);
#endif
