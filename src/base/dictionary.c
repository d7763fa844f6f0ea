/* dictionary.c - see dictionary.h. */
#include "base/dictionary.h"

#include <string.h>

static unsigned hash(const char *text) {
    unsigned h = 2166136261u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h ^ h >> 15;
}

/* Where the text stands, or the free slot it would take. */
static int slot_of(const struct dictionary *d, const char *text) {
    unsigned mask = (unsigned)d->capacity - 1, at = hash(text) & mask;
    while (d->text[at] && strcmp(d->text[at], text) != 0) at = (at + 1) & mask;
    return (int)at;
}

/* At most half of the slots are taken. */
static int widen(struct dictionary *d) {
    struct dictionary wider = {
        .pool = d->pool, .capacity = d->capacity ? 2 * d->capacity : 16, .count = d->count};
    wider.text = pool_take(d->pool, (size_t)wider.capacity * sizeof *wider.text);
    wider.number = pool_take(d->pool, (size_t)wider.capacity * sizeof *wider.number);
    if (!wider.text || !wider.number) return 0;
    for (int i = 0; i < d->capacity; i++) {
        if (!d->text[i]) continue;
        int at = slot_of(&wider, d->text[i]);
        wider.text[at] = d->text[i];
        wider.number[at] = d->number[i];
    }
    *d = wider;
    return 1;
}

int *dictionary_at(struct dictionary *d, const char *text) {
    if (2 * d->count >= d->capacity && !widen(d)) return NULL;
    int at = slot_of(d, text);
    if (d->text[at]) return &d->number[at];
    d->text[at] = pool_copy(d->pool, text, strlen(text));
    if (!d->text[at]) return NULL;
    d->count++;
    d->number[at] = -1;
    return &d->number[at];
}

int dictionary_has(const struct dictionary *d, const char *text) {
    return d->count && d->text[slot_of(d, text)];
}
