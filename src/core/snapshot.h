/* snapshot.h - one engine opened many times, with other numbers behind `user` and another start each time:
 * the memory stays, and nothing is asked twice that the numbers cannot change. */
#ifndef KEEL_CORE_SNAPSHOT_H
#define KEEL_CORE_SNAPSHOT_H

#include "core/engine.h"

struct snapshot; /* an engine as it was laid out */
/* Of an engine that engine_carve has given, and nobody used; NULL: no memory. */
struct snapshot *snapshot_take(const struct engine *e);
void snapshot_free(struct snapshot *a);
/* The engine as engine_open would give it. */
keel_status snapshot_open(const struct snapshot *a, struct engine *e, double t0, const double *u0);
#endif
