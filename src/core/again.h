/* again.h - one engine opened many times, with other numbers behind `user` and another start each time: the
 * memory stays, and nothing is asked twice that the numbers cannot change. */
#ifndef KEEL_CORE_AGAIN_H
#define KEEL_CORE_AGAIN_H

#include "core/engine.h"

struct again; /* an engine as it was laid out */
/* Of an engine that engine_carve has given, and nobody used; NULL: no memory. */
struct again *again_take(const struct engine *e);
void again_free(struct again *a);
/* The engine as engine_open would give it. */
keel_status again_open(const struct again *a, struct engine *e, double t0, const double *u0);
#endif
