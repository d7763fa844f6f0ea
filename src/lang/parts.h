/* parts.h - a model of parts as a flat one: every `use` becomes the lines of its part under names of its own.
 *
 * A member x of `use P a(...)` is named a.x; in a loop, `for i in 1..N: use P a[i](...)`, it is the array
 * a.x, and a[i].x is written a.x[i].  An argument is a `let` of that name, or, where it is a part or a node,
 * another name for it.  The result has no SYNTAX_PART, SYNTAX_USE and SYNTAX_LIBRARY: nothing that comes
 * later knows of parts, so a model by parts costs what the same model written flat does. */
#ifndef KEEL_LANG_PARTS_H
#define KEEL_LANG_PARTS_H

#include "lang/source.h"
#include "lang/syntax.h"

/* The flat tree, or the same one where there is nothing to write out.  NULL after a message. */
struct syntax_file *parts_expand(const struct source *s, struct syntax_file *file, struct source_messages *m,
                                 struct pool *pool);
#endif
