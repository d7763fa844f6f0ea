/* failing_memory.h - counts the allocations of a program, and lets one of them fail. */
#ifndef KEEL_TESTS_FAILING_MEMORY_H
#define KEEL_TESTS_FAILING_MEMORY_H

#include <stddef.h>

/* Allocations are counted where the C library lets a program stand in front of its own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTED 1
static long allocations, frees, failing_at; /* the allocation with this number fails; 0: none */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static int fails(void) {
    return ++allocations == failing_at;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (fails()) return NULL;
    frees += old != NULL;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void free(void *block) {
    frees += block != NULL;
    __libc_free(block);
}
#endif
#endif
