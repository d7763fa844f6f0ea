/* arena.h - memory sized first and taken once.
 *
 * A layout function runs twice over the same arena: with base NULL it only measures, then it carves.  What
 * is carved holds plain numbers, so copying the block copies everything. */
#ifndef KEEL_BASE_ARENA_H
#define KEEL_BASE_ARENA_H

#include <stddef.h>

struct arena {
    unsigned char *base; /* NULL: measuring */
    size_t used;
};

void *arena_take(struct arena *a, size_t bytes); /* 32-byte aligned; NULL while measuring */
double *arena_doubles(struct arena *a, size_t count);
int *arena_ints(struct arena *a, size_t count);
#endif
