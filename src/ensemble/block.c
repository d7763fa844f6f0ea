/* block.c - the memory of a block: one piece for what has a fixed size; sentences and events grow. */
#include "ensemble/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arrays one behind the other, those of 8 bytes first; run twice: measure, carve. */
static size_t lay_out(struct block *b, const struct keel_ensemble *e, unsigned char *base) {
    size_t columns = (size_t)e->columns, all = KEEL_BLOCK, at = 0;
    struct {
        void **to;
        size_t bytes;
    } part[] = {
        {(void **)&b->sentence, all * sizeof *b->sentence},
        {(void **)&b->steps, all * sizeof *b->steps},
        {(void **)&b->event_first, (all + 1) * sizeof *b->event_first},
        {(void **)&b->t, all * sizeof *b->t},
        {(void **)&b->drift, all * sizeof *b->drift},
        {(void **)&b->correction, all * sizeof *b->correction},
        {(void **)&b->defect, all * sizeof *b->defect},
        {(void **)&b->value, all * (size_t)e->times_kept * columns * sizeof *b->value},
        {(void **)&b->low, e->o.extrema ? all * columns * sizeof *b->low : 0},
        {(void **)&b->high, e->o.extrema ? all * columns * sizeof *b->high : 0},
        {(void **)&b->mean, e->o.extrema ? all * columns * sizeof *b->mean : 0},
        {(void **)&b->status, all * sizeof *b->status},
        {(void **)&b->row, all * sizeof *b->row},
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (base && part[i].bytes) memcpy(part[i].to, &(void *){base + at}, sizeof(void *));
        at += part[i].bytes;
    }
    return at;
}

int block_open(struct block *b, const struct keel_ensemble *e) {
    *b = (struct block){0};
    b->numbers = malloc(lay_out(b, e, NULL) + 1);
    if (!b->numbers) return -1;
    lay_out(b, e, b->numbers);
    return 0;
}

void block_close(struct block *b) {
    for (int k = 0; k < SLICES; k++) {
        free(b->slice[k].text);
        free(b->slice[k].event);
    }
    free(b->numbers);
    free(b->text);
    free(b->event_t);
    *b = (struct block){0};
}

void block_begin(struct block *b, const struct keel_ensemble *e, int64_t index) {
    int64_t first = index * KEEL_BLOCK, left = e->members - first;
    b->view = (keel_block){.index = index,
                           .first = first,
                           .count = (int)(left < KEEL_BLOCK ? left : KEEL_BLOCK),
                           .columns = e->columns,
                           .times = e->times_kept};
    b->slices_left = (b->view.count + SLICE - 1) / SLICE;
    for (int k = 0; k < SLICES; k++) {
        b->slice[k].text_length = b->slice[k].events = 0;
        memset(b->slice[k].event_count, 0, sizeof b->slice[k].event_count);
    }
}

int block_message(struct slice *s, const char *sentence, int64_t *at) {
    size_t length = strlen(sentence) + 1;
    if (s->text_length + length > s->text_capacity) {
        size_t capacity = 2 * s->text_capacity + length + 200;
        char *wider = realloc(s->text, capacity);
        if (!wider) return -1;
        s->text = wider;
        s->text_capacity = capacity;
    }
    memcpy(s->text + s->text_length, sentence, length);
    *at = (int64_t)s->text_length;
    s->text_length += length;
    return 0;
}

double *block_event(struct slice *s, int columns, int member) {
    size_t width = (size_t)columns + 1;
    if (s->events == s->event_capacity) {
        size_t capacity = 2 * s->event_capacity + 64;
        double *wider = realloc(s->event, capacity * width * sizeof *wider);
        if (!wider) return NULL;
        s->event = wider;
        s->event_capacity = capacity;
    }
    s->event_count[member % SLICE]++;
    return s->event + s->events++ * width;
}

/* The sentences of all slices in one text, in the order of the members. */
static int join_text(struct block *b) {
    size_t length = 0;
    for (int k = 0; k < SLICES; k++) length += b->slice[k].text_length;
    free(b->text);
    b->text = malloc(length + 1);
    if (!b->text) return -1;
    length = 0;
    for (int i = 0; i < b->view.count; i++) { /* in lanes, members do not end in their order */
        if (b->sentence[i] < 0) continue;
        const char *sentence = b->slice[i / SLICE].text + b->sentence[i];
        size_t bytes = strlen(sentence) + 1;
        memcpy(b->text + length, sentence, bytes);
        b->sentence[i] = (int64_t)length;
        length += bytes;
    }
    b->view.text_length = (int64_t)length;
    return 0;
}

static int join_events(struct block *b, int columns) {
    size_t count = 0, width = (size_t)columns, at = 0;
    for (int k = 0; k < SLICES; k++) count += b->slice[k].events;
    free(b->event_t);
    b->event_t = malloc((count * (width + 1) + 1) * sizeof *b->event_t);
    if (!b->event_t) return -1;
    b->event_value = b->event_t + count;
    for (int k = 0; k < SLICES; k++)
        for (size_t i = 0; i < b->slice[k].events; i++, at++) {
            const double *from = b->slice[k].event + i * (width + 1);
            b->event_t[at] = from[0];
            memcpy(b->event_value + at * width, from + 1, width * sizeof *from);
        }
    b->event_first[0] = 0;
    for (int i = 0; i < b->view.count; i++)
        b->event_first[i + 1] = b->event_first[i] + b->slice[i / SLICE].event_count[i % SLICE];
    return 0;
}

int block_end(struct block *b, const struct keel_ensemble *e) {
    keel_block *v = &b->view;
    if (join_text(b) || (e->event && join_events(b, e->columns))) return -1;
    v->status = b->status, v->row = b->row, v->sentence = b->sentence, v->text = b->text;
    v->steps = b->steps, v->t = b->t, v->drift = b->drift;
    v->correction = b->correction, v->defect = b->defect, v->value = b->value;
    v->low = b->low, v->high = b->high, v->mean = b->mean;
    if (e->event) v->event_first = b->event_first, v->event_t = b->event_t, v->event_value = b->event_value;
    return 0;
}
