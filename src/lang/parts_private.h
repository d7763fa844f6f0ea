/* parts_private.h - what the files of parts share. */
#ifndef KEEL_LANG_PARTS_PRIVATE_H
#define KEEL_LANG_PARTS_PRIVATE_H

#include "lang/parts.h"

enum { PARTS_BUCKETS = 4096, PARTS_DEEPEST = 50 };

/* A part that is used, or a node, by its whole name. */
struct parts_instance {
    const char *name;
    int node;
    struct syntax_span where;
    struct parts_instance *chain;
};

/* What stands for an argument: a part or node; NULL: the `let` of its name.  The `let` of a loop decides no
 * range: there the value stands for itself. */
struct parts_binding {
    const char *name;
    const struct syntax_node *alias, *value;
    struct parts_binding *next;
};

/* A loop's index or a function's argument: its name in the part, and in the flat model. */
struct parts_local {
    const char *name, *flat;
    const struct syntax_range *range; /* flat; NULL: an argument, or the index of a sum */
    const struct parts_local *up;
};

/* A table of a part is written once, for all its instances: PART.load. */
struct parts_tables {
    const struct syntax_statement *table;
    struct parts_tables *next;
};

/* Of an instance in loops: a reference to the loop's index, and its range, outermost first. */
struct parts_indices {
    int count;
    const struct syntax_node *node[SYNTAX_INDICES];
    const struct syntax_range *range[SYNTAX_INDICES];
};

struct parts_scope {
    const struct syntax_statement *part;    /* NULL: the model */
    const struct syntax_statement *library; /* its lines; NULL: the model's */
    const char *prefix;                     /* "arm.upper" */
    struct parts_indices index;
    struct parts_binding *bindings;
    const struct syntax_use *use;
    const struct parts_scope *up;
};

struct parts {
    const struct source *source;
    struct source_messages *messages;
    struct pool *pool;
    const struct syntax_file *file;
    struct parts_instance *bucket[PARTS_BUCKETS];
    struct syntax_statement ***hoist; /* inside a loop: where its declarations go, before it; NULL: outside */
    int in_mode;
    int in_range;                /* its ends are copied */
    struct parts_tables *tables; /* of parts that were used */
    union {
        struct syntax_node node;
        struct syntax_item item;
        struct syntax_range range;
        struct syntax_statement statement;
        struct parts_binding binding;
        struct syntax_use use;
        struct parts_local local;
        struct parts_instance instance;
        struct parts_tables tables;
    } spare; /* handed out when memory is exhausted */
};

typedef struct syntax_statement **parts_tail; /* where the next statement goes */

/* parts.c */
unsigned parts_hash(const char *text);
/* A copy of the statement at the end of a list. */
struct syntax_statement *parts_append(struct parts *x, const struct parts_scope *scope, parts_tail *out,
                                      const struct syntax_statement *s);
/* A list of statements written out. */
void parts_write(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                 const struct syntax_statement *s, parts_tail *out);
struct source_message *parts_error(struct parts *x, struct syntax_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* " (In `r`, a `Resistor`, line 3.)", for what the use of a part has made wrong in its lines; "" of the
 * model's own. */
const char *parts_used(struct parts *x, const struct parts_scope *scope, char *out, size_t capacity);
void *parts_take(struct parts *x, size_t bytes);
const char *parts_join(struct parts *x, const char *a, const char *between, const char *b);
const struct parts_instance *parts_instance(const struct parts *x, const char *name);
/* Does a list of statements declare the name: in any way a part can; as what a library shows; as what the
 * model shows to its parts, parameters and functions? */
enum parts_sight { PARTS_OWN, PARTS_LIBRARY, PARTS_MODEL };
int parts_declares(const struct syntax_statement *s, const char *name, size_t length, enum parts_sight sight);
int parts_has_table(const struct syntax_statement *part, const char *name);

/* parts_use.c */
void parts_use(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
               const struct syntax_statement *s, parts_tail *out);
/* The parts and nodes of a list, so that their order does not matter. */
void parts_enter(struct parts *x, const struct parts_scope *scope, const struct syntax_statement *s);

/* parts_copy.c: trees under the names that they have in a scope */
struct syntax_node *parts_copy(struct parts *x, const struct parts_scope *scope,
                               const struct parts_local *local, const struct syntax_node *node);
/* The same, where it may name a part or node. */
struct syntax_node *parts_copy_argument(struct parts *x, const struct parts_scope *scope,
                                        const struct parts_local *local, const struct syntax_node *node);
struct syntax_range *parts_copy_range(struct parts *x, const struct parts_scope *scope,
                                      const struct parts_local *local, const struct syntax_range *range);
struct syntax_item *parts_copy_item(struct parts *x, const struct parts_scope *scope,
                                    const struct parts_local *local, const struct syntax_item *item);
/* [i] for each index of the instance, or [1..N] for the whole arrays; before `more`. */
struct syntax_range *parts_bounds(struct parts *x, const struct parts_scope *scope, int whole,
                                  struct syntax_range *more);
const char *parts_name(struct parts *x, const struct parts_scope *scope, const char *name);
#endif
