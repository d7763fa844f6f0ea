/* measure.h - the runs that claims speak of, and what is measured in them. */
#ifndef KEEL_CLI_PAPERS_MEASURE_H
#define KEEL_CLI_PAPERS_MEASURE_H

#include "cli/papers/claims.h"

#include <keel/model.h>

/* The command line of a run, or of a figure, as words behind the command. */
struct measure_words {
    char *text;
    char **word;
    int count;
};
int measure_words_open(struct measure_words *w, const char *model, const char *options,
                       const char *const *more); /* more: further words, or NULL.  0, or -1 without memory */
void measure_words_close(struct measure_words *w);
/* "paper:kepler" for a model that is inside the command, else the word itself. */
void measure_model(const char *model, char *out, size_t capacity);

/* Where a run has this quantity: a column, error.COLUMN or drift.ROW. */
enum measure_place { MEASURE_COLUMN, MEASURE_ERROR, MEASURE_DRIFT, MEASURE_NONE };
enum measure_place measure_find(const keel_sim *sim, const char *name, int *index);

/* Runs it and fills the lines that belong to it.  A run that fails fills them with its sentence. */
void measure_run(struct claims *c, int run);
/* The lines whose value is an expression of the lets of an item. */
void measure_values(struct claims *c, int item);
/* An expression of all lets of an item.  0, or -1 with a sentence. */
int measure_value(const struct claims *c, int item, const char *expression, double *value, char *why,
                  size_t capacity);
#endif
