/* agenda.c - see agenda.h. */
#include "cli/sweep/agenda.h"

#include <stdlib.h>

int agenda_open(struct agenda *l, int64_t blocks) {
    *l = (struct agenda){.taken = calloc((size_t)blocks + 1, 1), .blocks = blocks, .left = blocks};
    return l->taken ? 0 : -1;
}

void agenda_mark(struct agenda *l, int64_t block) {
    l->left -= !l->taken[block];
    l->taken[block] = 1;
}

int agenda_take(struct agenda *l, int64_t most, int64_t *from, int64_t *to) {
    while (l->next < l->blocks && l->taken[l->next]) l->next++;
    *from = l->next;
    while (l->next < l->blocks && !l->taken[l->next] && l->next - *from < most) agenda_mark(l, l->next++);
    *to = l->next;
    return *to > *from;
}

void agenda_close(struct agenda *l) {
    free(l->taken);
    *l = (struct agenda){0};
}
