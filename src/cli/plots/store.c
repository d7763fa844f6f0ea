/* store.c - see store.h. */
#include "cli/plots/store.h"

#include "base/text.h"
#include "cli/terminal/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 6, MOST_ROWS = 10000, LEAST_ROWS = 512, MOST_NUMBERS = 4000000 }; /* PLACES of a step */

int store_open(struct store *s, const struct trace *t, int by_rows) {
    *s = (struct store){.trace = t, .columns = t->columns, .rows = t->rows, .by_rows = by_rows};
    s->stride = s->event_stride = 1;
    s->quantities = 1 + s->columns + 2 * s->rows;
    s->capacity = MOST_NUMBERS / s->quantities;
    if (s->capacity > MOST_ROWS) s->capacity = MOST_ROWS;
    if (s->capacity < LEAST_ROWS) s->capacity = LEAST_ROWS;
    size_t width = (size_t)s->quantities;
    s->data = malloc(((size_t)s->capacity + 1) * width * sizeof *s->data);
    s->kind = malloc((size_t)s->capacity + 1);
    return s->data && s->kind ? 0 : -1;
}

void store_close(struct store *s) {
    free(s->data);
    free(s->kind);
    *s = (struct store){0};
}

/* Thinning ---------------------------------------------------------------------------------------------- */

static int of_event(enum trace_kind kind) {
    return kind != TRACE_OUTPUT;
}

/* Keeps what lies on even places: of output times, or of the groups of events. */
static void halve(struct store *s, int events) {
    size_t width = (size_t)s->quantities;
    long to = 0, place = 0;
    int stays = 1;
    for (long i = 0; i < s->count; i++) {
        enum trace_kind kind = (enum trace_kind)s->kind[i];
        int concerned = of_event(kind) == events;
        if (concerned && kind != TRACE_AFTER) stays = place++ % 2 == 0;
        if (concerned && !stays) continue;
        if (to < i)
            memcpy(s->data + (size_t)to * width, s->data + (size_t)i * width, width * sizeof *s->data);
        s->kind[to++] = (unsigned char)kind;
    }
    s->count = to;
    if (events) s->event_stride *= 2;
    else s->stride *= 2;
}

static void reserve(struct store *s) {
    if (s->count < s->capacity) return;
    halve(s, 0);
    if (s->count > s->capacity / 2) halve(s, 1);
}

/* Rows -------------------------------------------------------------------------------------------------- */

/* |drift| / unit; a row without a unit is at rest or not there. */
static void measure_units(struct store *s, double *numbers, int mode) {
    const double *drift = numbers + store_drift(s, 0);
    double *units = numbers + store_units(s, 0);
    keel_row row;
    for (int i = 0; i < s->rows; i++) {
        units[i] = NAN;
        if (!keel_sim_row_in(s->trace->sim, i, mode) || !keel_sim_row_at(s->trace->sim, i, &row)) continue;
        units[i] = drift[i] == 0 ? 0 : row.unit > 0 ? fabs(drift[i]) / row.unit : NAN;
    }
}

static double *next_row(struct store *s, enum trace_kind kind, double t) {
    double *numbers = s->data + (size_t)s->count * (size_t)s->quantities;
    s->kind[s->count] = (unsigned char)kind;
    numbers[0] = t;
    return numbers;
}

/* A place inside the last step. */
static void take(struct store *s, double t) {
    keel_sim *sim = s->trace->sim;
    double *numbers = next_row(s, TRACE_OUTPUT, t);
    keel_status status = keel_sim_sample(sim, t, numbers + 1, numbers + store_drift(s, 0));
    if (status == KEEL_ENOMEM) memory_out();
    if (status != KEEL_OK) return;
    measure_units(s, numbers, keel_sim_mode(sim));
    s->count++;
}

void store_sample(struct store *s) {
    double now = keel_time(keel_sim_solver(s->trace->sim));
    long begin = s->seen;
    if (begin == 0 && !s->by_rows) {
        take(s, now);
        s->seen = 1;
    } else if (now != s->then && !s->by_rows) {
        s->seen += PLACES;
        for (long k = begin; k < begin + PLACES; k++) {
            if (k % s->stride != 0) continue;
            reserve(s);
            double part = (double)(k - begin + 1) / PLACES;
            if (k % s->stride == 0) take(s, k == begin + PLACES - 1 ? now : s->then + part * (now - s->then));
        }
    }
    s->then = now;
}

int store_row(void *store, const struct trace_row *row) {
    struct store *s = store;
    if (row->kind == TRACE_OUTPUT && (!s->by_rows || s->seen++ % s->stride != 0)) return 0;
    if (row->kind == TRACE_BEFORE || row->kind == TRACE_RECORD)
        s->with_group = s->groups++ % s->event_stride == 0;
    if (row->kind != TRACE_OUTPUT && !s->with_group) return 0;
    reserve(s);
    double *numbers = next_row(s, row->kind, row->t);
    memcpy(numbers + 1, row->value, (size_t)s->columns * sizeof *numbers);
    memcpy(numbers + store_drift(s, 0), row->drift, (size_t)s->rows * sizeof *numbers);
    measure_units(s, numbers, row->mode);
    s->count++;
    return 0;
}

void store_finish(struct store *s) {
    if (s->count == 0 || store_at(s, s->count - 1, 0) == s->then) return;
    reserve(s);
    take(s, s->then);
}

/* Looking ----------------------------------------------------------------------------------------------- */

double store_at(const struct store *s, long row, int quantity) {
    return s->data[(size_t)row * (size_t)s->quantities + (size_t)quantity];
}

int store_column(const struct store *s, int column) {
    (void)s;
    return 1 + column;
}

int store_drift(const struct store *s, int row) {
    return 1 + s->columns + row;
}

int store_units(const struct store *s, int row) {
    return 1 + s->columns + s->rows + row;
}

void store_name(const struct store *s, int quantity, char *out, size_t capacity) {
    int units = quantity >= store_units(s, 0), drift = quantity >= store_drift(s, 0);
    if (quantity == 0) text_set(out, capacity, "t");
    else if (units) text_set(out, capacity, "%s", keel_sim_row(s->trace->sim, quantity - store_units(s, 0)));
    else if (drift)
        text_set(out, capacity, "drift.%s", keel_sim_row(s->trace->sim, quantity - store_drift(s, 0)));
    else text_set(out, capacity, "%s", keel_sim_column(s->trace->sim, quantity - 1));
}

int store_range(const struct store *s, int quantity, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (long i = 0; i < s->count; i++) {
        double value = store_at(s, i, quantity);
        if (!isfinite(value)) continue;
        *low = fmin(*low, value), *high = fmax(*high, value);
    }
    return *low <= *high;
}
