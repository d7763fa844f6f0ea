/* library.h - libraries that ship with keel, as text of the model language.
 *
 * `library NAME` is answered by writing the library behind the model, as the block `library NAME:`.  The text
 * then stands alone: it is what is kept of a run, and reads the same without the library at hand. */
#ifndef KEEL_LANG_LIBRARY_H
#define KEEL_LANG_LIBRARY_H

#include "lang/source.h"
#include "lang/syntax.h"

/* Does the file ask for a library, or a file of parts, that it does not hold? */
int library_missing(const struct syntax_file *file);
/* Writes out what `file` asks for and does not hold: 1 with a longer text in *s, 0 where nothing is
 * missing, or after a message.  Files are left to model/import. */
int library_append(struct source *s, const struct syntax_file *file, struct source_messages *m,
                   struct pool *pool);
/* A line that asks for what the file does not hold, the first one of that name. */
int library_asks(const struct syntax_file *file, const struct syntax_statement *s);
/* A text as the block of a library: its length, and the block itself where there is room for it. */
size_t library_block(const char *name, const char *text, size_t length, char *out);
const char *library_name(int i); /* NULL past the last */
#endif
