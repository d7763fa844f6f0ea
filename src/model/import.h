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
/* The whole file, SOURCE_LONGEST bytes and a few at most; NULL with errno. */
char *import_read(const char *path, size_t *length);
#endif
