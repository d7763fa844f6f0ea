/* pool.c - see pool.h. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct pool_block {
    struct pool_block *older;
    size_t size, used; /* of what follows the header */
};

enum { HEADER = (sizeof(struct pool_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

/* Blocks double, so that a pool holds at most about twice what was asked for. */
static struct pool_block *block_new(struct pool *p, size_t bytes) {
    size_t size = p->block ? p->bytes : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < bytes) size = bytes;
    size_t left = p->limit ? p->limit - p->bytes : size;
    if (size > left) size = left;
    if (size < bytes) return NULL;
    struct pool_block *block = calloc(1, HEADER + size);
    p->starved |= !block;
    if (!block) return NULL;
    block->size = size;
    block->older = p->block;
    p->block = block;
    p->bytes += size;
    return block;
}

void *pool_take(struct pool *p, size_t bytes) {
    if (p->refused || bytes > (size_t)-1 / 2) {
        p->refused = 1;
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct pool_block *block = p->block;
    if (!block || block->size - block->used < bytes) block = block_new(p, bytes);
    if (!block) {
        p->refused = 1;
        return NULL;
    }
    void *piece = (unsigned char *)block + HEADER + block->used;
    block->used += bytes;
    return piece;
}

char *pool_copy(struct pool *p, const char *text, size_t length) {
    char *copy = pool_take(p, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void pool_release(struct pool *p) {
    while (p->block) {
        struct pool_block *older = p->block->older;
        free(p->block);
        p->block = older;
    }
    p->bytes = 0;
    p->refused = p->starved = 0;
}
