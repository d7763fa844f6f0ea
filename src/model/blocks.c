/* blocks.c - see blocks.h.  Without recursion: a chain of a million rows must not exhaust the stack. */
#include "model/blocks.h"

#include <stdlib.h>

struct search {
    const int *start, *column;
    int *owner;             /* by column: the row that determines it */
    int *seen, *low, *next; /* by row: order of discovery (0: not yet), lowest reachable, next entry */
    int *path, *stack;      /* rows under way; rows not yet in a block */
    int paths, stacked, seens;
    int *row, *first;
    int rows, blocks;
};

static void enter(struct search *s, int i) {
    s->seen[i] = s->low[i] = ++s->seens;
    s->next[i] = s->start[i];
    s->path[s->paths++] = i;
    s->stack[s->stacked++] = i;
}

/* Row i is done: if nothing before it was reached, what lies above it on the stack is a block. */
static void leave(struct search *s, int i) {
    int above;
    s->paths--;
    if (s->paths && s->low[i] < s->low[s->path[s->paths - 1]]) s->low[s->path[s->paths - 1]] = s->low[i];
    if (s->low[i] != s->seen[i]) return;
    s->first[s->blocks++] = s->rows;
    do {
        above = s->stack[--s->stacked];
        s->low[above] = 0; /* in a block: no way back */
        s->row[s->rows++] = above;
    } while (above != i);
}

static void walk(struct search *s, int root) {
    enter(s, root);
    while (s->paths) {
        int i = s->path[s->paths - 1];
        if (s->next[i] == s->start[i + 1]) {
            leave(s, i);
            continue;
        }
        int to = s->owner[s->column[s->next[i]++]];
        if (!s->seen[to]) enter(s, to);
        else if (s->low[to] && s->seen[to] < s->low[i]) s->low[i] = s->seen[to];
    }
}

int blocks_find(int n, const int *start, const int *column, const int *match, int *row, int *first) {
    int *memory = calloc(6 * (size_t)n + 1, sizeof *memory);
    if (!memory) return -1;
    struct search s = {.start = start, .column = column, .row = row, .first = first};
    s.owner = memory, s.seen = s.owner + n, s.low = s.seen + n, s.next = s.low + n;
    s.path = s.next + n, s.stack = s.path + n;
    for (int i = 0; i < n; i++) s.owner[match[i]] = i;
    for (int i = 0; i < n; i++)
        if (!s.seen[i]) walk(&s, i);
    first[s.blocks] = n;
    free(memory);
    return s.blocks;
}
