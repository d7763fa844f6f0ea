/* diagnostics.h - what there is to say about a model whose text is right and whose equations are not.
 *
 * Each adds one message and returns 0, so that a caller can `return diagnostics_...`. */
#ifndef KEEL_MODEL_DIAGNOSTICS_H
#define KEEL_MODEL_DIAGNOSTICS_H

#include "model/formulation.h"

int diagnostics_memory(struct source_messages *messages);
/* The matrices of the problem are too large. */
int diagnostics_dense(const struct formulation *r, struct source_messages *messages);
/* The verdict of the analysis, where it is not OK. */
int diagnostics_structure(const struct system *y, struct source_messages *messages);
/* Constraints of parts that no point near the guesses meets: the loop that does not close.  0: nothing said,
 * there is no gap. */
int diagnostics_open_loop(const struct system *y, const struct loops_gap *gap,
                          struct source_messages *messages);
/* A warning: the constraint follows from others and was left out. */
int diagnostics_redundant(const struct system *y, struct source_messages *messages,
                          const struct structure_equivalent *equivalent);
/* A warning: equation i is a product, and the factor that is zero at the start stands for it. */
void diagnostics_factor(const struct system *y, struct source_messages *messages, int i, expr factor);
/* A factor of the i-th equation that is zero at the start, where another may be, too. */
void diagnostics_factor_in_doubt(const struct system *y, struct source_messages *messages, int i,
                                 expr factor);
/* An expression of a row needs what has no value here: `lam` in an invariant. */
int diagnostics_no_value(const struct system *y, struct source_messages *messages, struct syntax_span where,
                         const char *what, expr symbol);
/* An event assigns to what the equations, perhaps of the mode that follows, determine. */
int diagnostics_not_assigned(const struct system *y, struct source_messages *messages,
                             struct syntax_span where, expr symbol, int elsewhere);
/* A derivative beyond those that are derived for outputs. */
int diagnostics_high_derivative(const struct system *y, struct source_messages *messages,
                                struct syntax_span where, const char *what, expr symbol);
/* abs and the like where a derivative is needed. */
int diagnostics_nonsmooth(const struct system *y, struct source_messages *messages, struct syntax_span where,
                          const char *what, expr obstacle);
/* An expression as people would write it, with the model's names. */
void diagnostics_print(const struct system *y, expr e, char *out, size_t capacity);
#endif
