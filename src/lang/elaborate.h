/* elaborate.h - the tree of a model file to a flat model: arrays and loops written out, names looked up,
 * functions inserted, equations of motion derived.  Whether the equations determine the unknowns is not asked
 * here. */
#ifndef KEEL_LANG_ELABORATE_H
#define KEEL_LANG_ELABORATE_H

#include "lang/model.h"
#include "lang/source.h"

/* A file of rows beside the model. */
struct elaborate_file {
    const char *name, *text;
    size_t length;
};

struct elaborate_request {
    const char *const *set; /* "a=3", "m[2] = 2*pi": parameters to replace */
    int sets;
    int span_given;                    /* a model without `run` is no mistake */
    double work;                       /* the budget of the graph; 0: EXPR_WORK */
    const volatile int *stop;          /* of the graph */
    const struct elaborate_file *file; /* what was read for tables */
    int files;
};

/* The model, in the pool, with at most warnings in m; or NULL with at least one error there.  The source, the
 * tree and the pool must outlive it; request may be NULL.  model_release gives back the rest. */
struct model *elaborate_run(const struct source *s, const struct syntax_file *file,
                            const struct elaborate_request *request, struct source_messages *m,
                            struct pool *pool);

enum elaborate_change { ELABORATE_DONE, ELABORATE_AGAIN, ELABORATE_REFUSED };
/* Parameters replaced, all others as written, what is computed from them renewed.  AGAIN: a structural one
 * would change; nothing was done: run elaborate_run with the same texts.  REFUSED: a sentence in message. */
enum elaborate_change elaborate_set(struct model *model, int count, const char *const *set, char *message,
                                    size_t capacity);
/* One expression, a number, in the names of the model, as in --step T/25; EXPR_NONE with an error in m.
 * `node` belongs to the text s. */
expr elaborate_expression(struct model *model, const struct source *s, const struct syntax_node *node,
                          struct source_messages *m);
/* One more combination of modes, [groups], as the last of model->mode: 1, or 0 with an error in m. */
int elaborate_combination(struct model *model, const struct source *s, const int *combination,
                          struct source_messages *m);
/* The error that memory, or the budget of the graph, is used up. */
void elaborate_exhausted(struct source_messages *m, const struct graph *g);
#endif
