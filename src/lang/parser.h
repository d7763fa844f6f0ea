/* parser.h - a model's text to its tree (recursive descent; the grammar is in the language's description).
 *
 * All errors of a text are found in one go: after an error the parser goes on with the next statement. */
#ifndef KEEL_LANG_PARSER_H
#define KEEL_LANG_PARSER_H

#include "lang/source.h"
#include "lang/syntax.h"

/* The tree, in the pool, with at most warnings in m; or NULL with at least one error there.  m must be
 * zeroed or hold earlier messages, and is sorted by place.  Memory is bounded by a multiple of the text's
 * length. */
struct syntax_file *parser_run(const struct source *s, struct source_messages *m, struct pool *pool);
/* One expression alone, as in --step 0.01*pi; NULL with an error. */
struct syntax_node *parser_run_expression(const struct source *s, struct source_messages *m,
                                          struct pool *pool);
#endif
