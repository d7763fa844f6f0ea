/* pool.h - memory that grows piece by piece and is given back at once: for trees whose size nobody knows
 * beforehand.
 *
 * An all-zero pool is empty and ready.  Pieces never move.  What is taken after a refusal is refused too, so
 * that one look at `refused` at the end suffices. */
#ifndef KEEL_BASE_POOL_H
#define KEEL_BASE_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
    struct pool_block *block; /* the newest; older ones behind it */
    size_t bytes;             /* taken from the system so far */
    size_t limit;             /* on bytes; 0: none */
    int refused;
    int starved; /* by the system, not by the limit */
};

void *pool_take(struct pool *p,
                size_t bytes); /* zeroed, 16-byte aligned; NULL when memory or the limit is exhausted */
char *pool_copy(struct pool *p, const char *text, size_t length); /* ended by a zero */
void pool_release(struct pool *p);                                /* empty again, the limit stays */
#endif
