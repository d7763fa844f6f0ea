/* save.h - the complete state as bytes, and back. */
#ifndef KEEL_CORE_SAVE_H
#define KEEL_CORE_SAVE_H

#include "core/engine.h"

size_t save_size(const struct engine *e);
void save_write(const struct engine *e, void *bytes);
/* Fills an engine that was opened without a begin; 0 with the reason in the message if the bytes do not
 * fit. */
int save_read(struct engine *e, const void *bytes, size_t count);
#endif
