/* elaborate_labels.c - rows and multipliers found by their names: an index by hashing over a list whose
 * entries begin with a label. */
#include "lang/elaborate_private.h"

#include <string.h>

static unsigned hash(const struct model_label *label) {
    unsigned h = 2166136261u;
    for (const char *at = label->base; *at; at++) h = (h ^ (unsigned char)*at) * 16777619u;
    for (int i = 0; i < label->rank; i++) h = (h ^ (unsigned)label->index[i]) * 16777619u;
    return h ^ h >> 15;
}

static int same(const struct model_label *a, const struct model_label *b) {
    if (a->rank != b->rank || memcmp(a->index, b->index, (size_t)a->rank * sizeof *a->index) != 0) return 0;
    return strcmp(a->base, b->base) == 0;
}

static const struct model_label *label_at(const void *list, size_t size, int i) {
    return (const struct model_label *)((const char *)list + (size_t)i * size);
}

/* Where the label stands, or the free slot it would take. */
static unsigned slot_of(const struct model_index *x, const void *list, size_t size,
                        const struct model_label *label) {
    unsigned mask = (unsigned)x->capacity - 1, at = hash(label) & mask;
    while (x->slot[at] && !same(label_at(list, size, x->slot[at] - 1), label)) at = (at + 1) & mask;
    return at;
}

int elaborate_find_label(const struct model_index *x, const void *list, size_t size,
                         const struct model_label *label) {
    return x->capacity ? x->slot[slot_of(x, list, size, label)] - 1 : -1;
}

/* At most half of the slots are taken. */
int elaborate_enter_label(struct elaborate *e, struct model_index *x, const void *list, size_t size,
                          int count) {
    int first = count - 1;
    if (2 * count > x->capacity) {
        x->capacity = x->capacity ? 2 * x->capacity : 16;
        x->slot = elaborate_take(e, (size_t)x->capacity * sizeof *x->slot);
        if (!x->slot) return x->capacity = 0;
        first = 0;
    }
    for (int i = first; i < count; i++) x->slot[slot_of(x, list, size, label_at(list, size, i))] = i + 1;
    return 1;
}
