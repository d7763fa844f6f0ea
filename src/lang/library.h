/* library.h - libraries that ship with keel, as text of the model language.
 *
 * `library NAME` is answered by writing the library behind the model, as the block `library NAME:`.  The text
 * then stands alone: it is what is kept of a run, and reads the same without the library at hand. */
#ifndef KEEL_LANG_LIBRARY_H
#define KEEL_LANG_LIBRARY_H

#include "lang/source.h"
#include "lang/syntax.h"

/* Writes out what `file` asks for and does not hold: 1 with a longer text in *s, 0 where nothing is
 * missing, or after a message. */
int library_append(struct source *s, const struct syntax_file *file, struct source_messages *m,
                   struct pool *pool);
const char *library_name(int i); /* NULL past the last */
#endif
