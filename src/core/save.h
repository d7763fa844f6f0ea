/* save.h - the complete state as bytes, and back. */
#ifndef KEEL_CORE_SAVE_H
#define KEEL_CORE_SAVE_H

#include "core/engine.h"

enum { SAVE_NAME = 32 };

size_t save_size(const struct engine *e);
void save_write(const struct engine *e, void *bytes);
/* Fills an engine that was opened without a begin; 0 with the reason in the message if the bytes do not
 * fit. */
int save_read(struct engine *e, const void *bytes, size_t count);
/* The name of the method that was in force, as these bytes have it; NULL: they are none. */
const char *save_method(const void *bytes, size_t count, char name[SAVE_NAME]);
/* What follows from the numbers, once they are in the block. */
void save_tie(struct engine *e, const struct field_facts *facts);
#endif
