/* arena.c - see arena.h. */
#include "base/arena.h"

enum { ALIGNMENT = 32 };

void *arena_take(struct arena *a, size_t bytes) {
    void *piece = a->base ? a->base + a->used : NULL;
    a->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

double *arena_doubles(struct arena *a, size_t count) {
    return arena_take(a, count * sizeof(double));
}

int *arena_ints(struct arena *a, size_t count) {
    return arena_take(a, count * sizeof(int));
}
