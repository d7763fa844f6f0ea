/* syntax_find.h - where in a text something stands that only its meaning led to. */
#ifndef KEEL_LANG_SYNTAX_FIND_H
#define KEEL_LANG_SYNTAX_FIND_H

#include "lang/syntax.h"

/* The first call of `function` ("abs", "if") in the statement around `where`, or else in the `let`s that it
 * uses; `where` itself if there is none. */
struct syntax_span syntax_find_call(const struct syntax_file *file, struct syntax_span where,
                                    const char *function);
/* The first statement of a kind that gives `name` something (NULL: whatever it gives); length 0: none. */
struct syntax_span syntax_find_statement(const struct syntax_file *file, enum syntax_statement_kind kind,
                                         const char *name);
#endif
