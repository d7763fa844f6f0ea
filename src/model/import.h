/* import.h - import "mine.keel": a file of parts beside the model, written behind it as the block of a
 * library.
 *
 * Only a model that was read from a file may name one, only by a path below its own folder, and only files
 * that lie there in truth: no link leads out. */
#ifndef KEEL_MODEL_IMPORT_H
#define KEEL_MODEL_IMPORT_H

#include "model/private.h"

/* 1 with a longer text in m->source; 0 where nothing is asked for; -1 after a message. */
int import_append(struct keel_model *m);
/* import_table.c: the same with the rows of tables, which m keeps.  A short file goes behind the text line by
 * line, of a long one its fingerprint: it must lie beside the model wherever that is read. */
int import_tables(struct keel_model *m);
/* The whole file, `longest` bytes and a few at most; NULL with errno. */
char *import_read(const char *path, size_t longest, size_t *length);
/* The text of a file that a string of the model names, if it lies below the folder of the model; NULL after a
 * message: it is not `done`, read or imported. */
char *import_text(struct keel_model *m, const struct syntax_node *file, const char *done, size_t longest,
                  size_t *length);
/* Room for a block of that length behind the text, to be written there; NULL after a message. */
char *import_extend(struct keel_model *m, size_t block);
int import_carries(const struct keel_model *m); /* does its text have the rows of all its tables? */
#endif
