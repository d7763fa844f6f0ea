/* record.c - see record.h. */
#include "cli/run/record.h"

#include "cli/terminal/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 16, LEAST_ROWS = 64, MOST_NUMBERS = 1 << 22 };

static const double apart = 0.01;

int record_open(struct record *r, const keel_sim *sim) {
    int columns = keel_sim_columns(sim);
    long most = MOST_NUMBERS / (columns + 1);
    *r = (struct record){.columns = columns, .stride = 1};
    r->most = most > MOST_ROWS ? MOST_ROWS : most < LEAST_ROWS ? LEAST_ROWS : most;
    r->largest = calloc((size_t)columns + 1, sizeof *r->largest);
    r->scale = r->largest;
    return r->largest ? 0 : -1;
}

static int grow(struct record *r) {
    long capacity = r->capacity ? 2 * r->capacity : 256;
    if (capacity > r->most) capacity = r->most;
    struct record_place *place = realloc(r->place, (size_t)capacity * sizeof *place);
    if (place) r->place = place;
    double *value = realloc(r->value, ((size_t)capacity * (size_t)r->columns + 1) * sizeof *value);
    if (value) r->value = value;
    if (!place || !value) return -1;
    r->capacity = capacity;
    return 0;
}

/* Half of the rows go: those with an odd number. */
static void thin(struct record *r) {
    size_t columns = (size_t)r->columns;
    long kept = 0;
    for (long k = 0; k < r->count; k += 2, kept++) {
        r->place[kept] = r->place[k];
        memmove(r->value + (size_t)kept * columns, r->value + (size_t)k * columns,
                columns * sizeof *r->value);
    }
    r->count = kept;
    r->stride *= 2;
}

/* Of what is finite: an infinite value is no size. */
static void take_largest(int columns, const double *value, double *largest) {
    for (int i = 0; i < columns; i++)
        if (isfinite(value[i])) largest[i] = fmax(largest[i], fabs(value[i]));
}

static void pass(struct record_passed *p, const char *event) {
    static const char closes[] = " closes"; /* no name of an event has a blank, but those of contacts */
    size_t length = event ? strlen(event) : 0, last = sizeof closes - 1;
    if (!event) return;
    if (length > last && strcmp(event + length - last, closes) == 0)
        *p = (struct record_passed){p->rests + 1, 0};
    else p->events++;
}

int record_apart(const struct record_place *a, const struct record_place *b) {
    return a->mode != b->mode || a->passed.rests != b->passed.rests || a->passed.events != b->passed.events;
}

int record_row(void *record, const struct trace_row *row) {
    struct record *r = record;
    take_largest(r->columns, row->value, r->largest);
    pass(&r->passed, row->event);
    if (row->kind != TRACE_OUTPUT || r->seen++ % r->stride) return 0;
    if (r->count == r->most) {
        thin(r);
        if ((r->seen - 1) % r->stride) return 0;
    }
    if (r->count == r->capacity && grow(r)) return memory_out(), -1;
    r->place[r->count] = (struct record_place){row->t, row->mode, r->passed};
    memcpy(r->value + (size_t)r->count++ * (size_t)r->columns, row->value,
           (size_t)r->columns * sizeof *r->value);
    return 0;
}

double *record_times(const struct record *r) {
    double *times = malloc(((size_t)r->count + 1) * sizeof *times);
    for (long k = 0; times && k < r->count; k++) times[k] = r->place[k].t;
    return times;
}

void record_close(struct record *r) {
    free(r->place);
    free(r->value);
    free(r->largest);
    *r = (struct record){0};
}

/* Beside another run ------------------------------------------------------------------------------------ */

int record_match_open(struct record_match *m, const struct record *with, double direction) {
    size_t columns = (size_t)with->columns;
    *m = (struct record_match){.with = with, .direction = direction};
    m->error = m->apart_t = m->stray_t = m->other_t = NAN;
    m->each = malloc((2 * columns + 1) * sizeof *m->each);
    if (!m->each) return -1;
    m->largest = m->each + columns;
    for (size_t i = 0; i < columns; i++) m->each[i] = NAN, m->largest[i] = 0;
    return 0;
}

static void differ(struct record_match *m, int column, double t, double difference) {
    if (isnan(difference)) return;
    m->each[column] = fmax(m->each[column], difference);
    if (isnan(m->error) || difference > m->error) m->error = difference, m->worst = column, m->worst_t = t;
    if (!(difference > apart * m->with->scale[column])) return;
    if (isnan(m->apart_t)) m->apart_t = t;
    m->off_now = 1;
}

/* Between the moments at which two runs see the same event they differ by the jump; not for long. */
static void stray(struct record_match *m, double t) {
    const struct record *r = m->with;
    double length = fabs(r->place[r->count - 1].t - r->place[0].t);
    if (isnan(m->stray_t)) m->stray_t = t;
    if (isnan(m->other_t) && fabs(t - m->stray_t) > apart * length) m->other_t = m->stray_t;
}

int record_match_row(void *match, const struct trace_row *row) {
    struct record_match *m = match;
    const struct record *r = m->with;
    take_largest(r->columns, row->value, m->largest);
    pass(&m->passed, row->event);
    if (row->kind != TRACE_OUTPUT) return 0;
    while (m->at < r->count && (r->place[m->at].t - row->t) * m->direction < 0) m->at++;
    if (m->at == r->count || r->place[m->at].t != row->t) return 0;
    const struct record_place here = {row->t, row->mode, m->passed};
    const double *other = r->value + (size_t)m->at * (size_t)r->columns;
    if (record_apart(&r->place[m->at], &here)) return stray(m, row->t), 0;
    m->stray_t = NAN;
    m->off_now = 0;
    for (int i = 0; i < r->columns; i++) differ(m, i, row->t, fabs(row->value[i] - other[i]));
    m->after += !isnan(m->apart_t);
    m->off += m->off_now;
    return 0;
}

void record_match_close(struct record_match *m) {
    free(m->each);
    *m = (struct record_match){0};
}
