/* query.h - single questions to a model in its own names. */
#ifndef KEEL_MODEL_QUERY_H
#define KEEL_MODEL_QUERY_H

#include "model/private.h"

/* An expression in the names of the model; EXPR_NONE with a sentence in `why`. */
expr query_expression(struct keel_model *m, const char *text, char *why, size_t capacity);
/* The symbol of an unknown or its derivative, "q[1]'"; EXPR_NONE with a sentence in `why`. */
expr query_symbol(struct keel_model *m, const char *name, char *why, size_t capacity);
#endif
