/* patch.c - see patch.h. */
#include "cli/sweep/patch.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct patch *p, int at) {
    free(p->said[at]);
    free(p->event[at]);
    p->said[at] = NULL;
    p->event[at] = NULL;
    p->events[at] = 0;
}

static int put_sentence(struct patch *p, int at, const keel_block *b, int i) {
    if (b->sentence[i] < 0) return 0;
    p->said[at] = strdup(b->text + b->sentence[i]);
    return p->said[at] ? 0 : -1;
}

static int put_events(struct patch *p, int at, const keel_block *b, int i) {
    if (!b->event_first) return 0;
    size_t columns = (size_t)b->columns, first = (size_t)b->event_first[i],
           count = (size_t)b->event_first[i + 1] - first;
    if (count == 0) return 0;
    double *to = p->event[at] = malloc(count * (columns + 1) * sizeof *to);
    if (!to) return -1;
    for (size_t k = 0; k < count; k++, to += columns + 1) {
        to[0] = b->event_t[first + k];
        memcpy(to + 1, b->event_value + (first + k) * columns, columns * sizeof *to);
    }
    p->events[at] = (int64_t)count;
    return 0;
}

int patch_put(struct patch *p, int at, const keel_block *b, int i) {
    size_t columns = (size_t)b->columns, numbers = columns * (size_t)b->times, to = (size_t)at,
           from = (size_t)i;
    const double *extremum[] = {b->low, b->high, b->mean};
    forget(p, at);
    p->status[at] = b->status[i];
    p->row[at] = b->row[i];
    p->steps[at] = b->steps[i];
    p->t[at] = b->t[i];
    p->drift[at] = b->drift[i];
    p->correction[at] = b->correction[i];
    p->defect[at] = b->defect[i];
    memcpy(p->value + to * numbers, b->value + from * numbers, numbers * sizeof *p->value);
    for (size_t k = 0; k < 3 && p->view.low && b->low; k++)
        memcpy(p->extremum + (k * KEEL_BLOCK + to) * columns, extremum[k] + from * columns,
               columns * sizeof *p->extremum);
    return put_sentence(p, at, b, i) || put_events(p, at, b, i) ? -1 : 0;
}

int patch_load(struct patch *p, const keel_block *b, int extrema, int events) {
    size_t columns = (size_t)b->columns, block = (size_t)KEEL_BLOCK * columns;
    if (!p->value) p->value = malloc(block * (size_t)b->times * sizeof *p->value);
    if (!p->extremum) p->extremum = malloc(3 * block * sizeof *p->extremum);
    if (!p->value || !p->extremum) return -1;
    p->view = (keel_block){.index = b->index,
                           .first = b->first,
                           .count = b->count,
                           .columns = b->columns,
                           .times = b->times,
                           .status = p->status,
                           .sentence = p->sentence,
                           .steps = p->steps,
                           .t = p->t,
                           .drift = p->drift,
                           .row = p->row,
                           .correction = p->correction,
                           .defect = p->defect,
                           .value = p->value};
    if (extrema)
        p->view.low = p->extremum, p->view.high = p->extremum + block, p->view.mean = p->extremum + 2 * block;
    if (events) p->view.event_first = p->event_first;
    int bad = 0;
    for (int i = 0; i < b->count && !bad; i++) bad = patch_put(p, i, b, i);
    return bad;
}

int patch_end(struct patch *p) {
    size_t length = 0, count = 0, columns = (size_t)p->view.columns;
    for (int i = 0; i < p->view.count; i++) {
        length += p->said[i] ? strlen(p->said[i]) + 1 : 0;
        count += (size_t)p->events[i];
    }
    free(p->text);
    free(p->event_t);
    p->text = malloc(length + 1);
    p->event_t = malloc((count * (columns + 1) + 1) * sizeof *p->event_t);
    if (!p->text || !p->event_t) return -1;
    double *t = p->event_t, *value = p->event_t + count;
    char *at = p->text;
    p->event_first[0] = 0;
    for (int i = 0; i < p->view.count; i++) {
        size_t bytes = p->said[i] ? strlen(p->said[i]) + 1 : 0;
        p->sentence[i] = bytes ? at - p->text : -1;
        if (bytes) memcpy(at, p->said[i], bytes);
        at += bytes;
        for (int64_t k = 0; k < p->events[i]; k++, value += columns) {
            const double *one = p->event[i] + (size_t)k * (columns + 1);
            *t++ = one[0];
            memcpy(value, one + 1, columns * sizeof *value);
        }
        p->event_first[i + 1] = p->event_first[i] + p->events[i];
    }
    p->view.text = p->text;
    p->view.text_length = at - p->text;
    p->view.event_t = p->event_t;
    p->view.event_value = p->event_t + count;
    return 0;
}

void patch_close(struct patch *p) {
    for (int i = 0; i < KEEL_BLOCK; i++) forget(p, i);
    free(p->value);
    free(p->extremum);
    free(p->text);
    free(p->event_t);
}
