/* dictionary.h - numbers by text, found by hashing. */
#ifndef KEEL_BASE_DICTIONARY_H
#define KEEL_BASE_DICTIONARY_H

#include "base/pool.h"

struct dictionary {
    struct pool *pool; /* where it lives; all else 0 at the beginning */
    const char **text;
    int *number;
    int capacity, count; /* capacity: a power of two */
};

/* The number of this text, -1 where it is new: to be set by whoever asks.  NULL without memory. */
int *dictionary_at(struct dictionary *d, const char *text);
int dictionary_has(const struct dictionary *d, const char *text);
#endif
