/* sweep_reader.c - see sweep_reader.h. */
#ifdef KEEL_HDF5
#include "cli/files/sweep_reader.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names ------------------------------------------------------------------------------------------------- */

static int read_names(struct sweep_reader *r, struct reader_names *n, const char *attribute) {
    n->text = netcdf_read(&r->n, attribute, &n->count);
    n->name = n->text ? malloc(((size_t)n->count + 1) * sizeof *n->name) : NULL;
    char *at = n->text;
    for (int i = 0; i < n->count && n->name; i++, at += strlen(at) + 1) n->name[i] = at;
    return n->name ? 0 : -1;
}

static void free_names(struct reader_names *n) {
    free(n->text);
    free(n->name);
}

static hid_t find(struct sweep_reader *r, const char *prefix, const char *name) {
    char all[NETCDF_NAME];
    hsize_t size[NETCDF_RANK + 1];
    int rank;
    text_set(all, sizeof all, "%s%.200s", prefix, name);
    return netcdf_find(&r->n, all, &rank, size);
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int read_story(struct sweep_reader *r) {
    return read_names(r, &r->model, "model") || read_names(r, &r->model_text, "model_text") ||
           read_names(r, &r->method, "method") || read_names(r, &r->version, "version") ||
           read_names(r, &r->seed, "seed") || read_names(r, &r->command, "command") ||
           read_names(r, &r->axes, "axes") || read_names(r, &r->values, "values") ||
           read_names(r, &r->values_axis, "values_axis") || read_names(r, &r->columns, "columns") ||
           read_names(r, &r->rows, "rows") || r->values_axis.count != r->values.count;
}

/* The members are those of status; the first column tells whether there are times. */
static int read_sizes(struct sweep_reader *r) {
    hsize_t size[NETCDF_RANK + 1];
    int rank, axes = r->axes.count;
    r->status = netcdf_find(&r->n, "status", &rank, r->size);
    if (r->status < 0 || rank != axes) return -1;
    r->members = 1;
    for (int i = 0; i < axes; i++) r->members *= (int64_t)r->size[i];
    r->blocks = (r->members + KEEL_BLOCK - 1) / KEEL_BLOCK;
    hid_t column = netcdf_find(&r->n, r->columns.name[0], &rank, size);
    if (column < 0 || r->members < 1 || rank < axes || rank > axes + 1) return -1;
    r->n.h5.Dclose(column);
    r->timed = rank > axes;
    r->times = r->timed ? (int)size[axes] : 1;
    hid_t events = netcdf_find(&r->n, "event.t", &rank, size);
    r->events = events >= 0 ? (int64_t)size[0] : 0;
    r->event_t = events;
    return 0;
}

static int find_sets(struct sweep_reader *r) {
    static const char *const prefix[] = {"smallest.", "largest.", "mean."};
    int columns = r->columns.count;
    struct {
        hid_t *to;
        const char *name;
    } list[] = {{&r->steps, "steps"},           {&r->drift, "drift"},   {&r->row, "drift_row"},
                {&r->correction, "correction"}, {&r->defect, "defect"}, {&r->t_end, "t_end"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if ((*list[i].to = find(r, "", list[i].name)) < 0) return -1;
    r->sentence = find(r, "", "sentence");
    r->retry = find(r, "", "retry");
    if (r->retry >= 0 && read_names(r, &r->retries, "retries")) return -1;
    r->event_member = r->event_t < 0 ? -1 : find(r, "", "event.member");
    r->column = calloc((size_t)(5 * columns) + 1, sizeof *r->column);
    if (!r->column) return -1;
    r->event_column = r->column + columns;
    r->extremum = r->column + 2 * columns;
    for (int i = 0; i < columns; i++) {
        const char *name = r->columns.name[i];
        r->column[i] = find(r, "", name);
        r->event_column[i] = r->event_t < 0 ? -1 : find(r, "event.", name);
        for (int k = 0; k < 3; k++) r->extremum[k * columns + i] = find(r, prefix[k], name);
        if (r->column[i] < 0 || (r->event_t >= 0 && r->event_column[i] < 0)) return -1;
    }
    r->extrema = r->extremum[0] >= 0;
    return 0;
}

static int take_memory(struct sweep_reader *r) {
    size_t columns = (size_t)r->columns.count, all = KEEL_BLOCK, times = (size_t)r->times;
    r->numbers = malloc(all * (2 * sizeof(int32_t) + 7 * sizeof(double)) + sizeof(int64_t));
    r->value = malloc(all * columns * (times + 3) * sizeof *r->value);
    r->piece = malloc(all * times * sizeof *r->piece);
    r->said = calloc(all, sizeof *r->said);
    r->retry_of = calloc(all, sizeof *r->retry_of);
    return r->numbers && r->value && r->piece && r->said && r->retry_of ? 0 : -1;
}

int sweep_reader_open(struct sweep_reader *r, const char *path, char *why, size_t capacity) {
    *r = (struct sweep_reader){.n = {.id = -1}};
    if (access(path, R_OK) != 0) {
        text_set(why, capacity, "%.300s cannot be read: %s", path, strerror(errno));
        return -1;
    }
    if (hdf5_library_load(&r->n.h5, why, capacity)) return -1;
    if (netcdf_open(&r->n, path) == 0 && read_story(r) == 0 && read_sizes(r) == 0 && find_sets(r) == 0 &&
        take_memory(r) == 0)
        return 0;
    text_set(why, capacity, "%.300s is no HDF5 file of keel sweep, or one of another version", path);
    return -1;
}

void sweep_reader_close(struct sweep_reader *r) {
    struct reader_names *list[] = {&r->model,       &r->model_text, &r->method, &r->version,
                                   &r->seed,        &r->command,    &r->axes,   &r->values,
                                   &r->values_axis, &r->columns,    &r->rows,   &r->retries};
    hid_t sets[] = {r->retry,  r->status, r->steps,    r->drift,   r->row,         r->correction,
                    r->defect, r->t_end,  r->sentence, r->event_t, r->event_member};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) free_names(list[i]);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i] > 0) r->n.h5.Dclose(sets[i]);
    for (int i = 0; i < 5 * r->columns.count && r->column; i++)
        if (r->column[i] > 0) r->n.h5.Dclose(r->column[i]);
    if (r->n.id >= 0 || r->n.text > 0) netcdf_close(&r->n);
    for (int i = 0; i < KEEL_BLOCK && r->said; i++) free(r->said[i]);
    free(r->column);
    free(r->numbers);
    free(r->value);
    free(r->piece);
    free(r->said);
    free(r->retry_of);
    free(r->text);
    free(r->event);
    *r = (struct sweep_reader){.n = {.id = -1}};
}

/* Numbers ----------------------------------------------------------------------------------------------- */

int sweep_reader_value(const struct sweep_reader *r, int i, int64_t member, double *value) {
    int rank, axis = atoi(r->values_axis.name[i]), axes = r->axes.count;
    hsize_t size[NETCDF_RANK + 1], place = (hsize_t)member;
    hid_t set = netcdf_find(&r->n, r->values.name[i], &rank, size);
    for (int k = axes - 1; k > axis && axis >= 0; k--) place /= r->size[k];
    if (axis >= 0) place %= r->size[axis];
    int bad = set < 0 || rank != (axis < 0 ? axes : 1) ||
              netcdf_numbers(&r->n, set, r->n.h5.T_NATIVE_DOUBLE, rank, place, 1, value);
    if (set >= 0) r->n.h5.Dclose(set);
    return bad ? -1 : 0;
}

double *sweep_reader_numbers(const struct sweep_reader *r, const char *name, int64_t first, int64_t count,
                             int *each) {
    hsize_t size[NETCDF_RANK + 1];
    int rank, axes = r->axes.count;
    hid_t set = netcdf_find(&r->n, name, &rank, size);
    *each = rank == axes + 1 ? (int)size[axes] : 1;
    double *numbers = rank == axes || rank == axes + 1
                          ? malloc(((size_t)count * (size_t)*each + 1) * sizeof *numbers)
                          : NULL;
    if (numbers &&
        netcdf_numbers(&r->n, set, r->n.h5.T_NATIVE_DOUBLE, axes, (hsize_t)first, (hsize_t)count, numbers))
        free(numbers), numbers = NULL;
    if (set >= 0) r->n.h5.Dclose(set);
    return numbers;
}

double *sweep_reader_line(const struct sweep_reader *r, const char *name, int64_t *count) {
    hsize_t size[NETCDF_RANK + 1];
    int rank;
    hid_t set = netcdf_find(&r->n, name, &rank, size);
    double *numbers = rank == 1 ? malloc((size[0] + 1) * sizeof *numbers) : NULL;
    if (numbers && netcdf_numbers(&r->n, set, r->n.h5.T_NATIVE_DOUBLE, 1, 0, size[0], numbers))
        free(numbers), numbers = NULL;
    *count = numbers ? (int64_t)size[0] : 0;
    if (set >= 0) r->n.h5.Dclose(set);
    return numbers;
}

char *sweep_reader_unit(struct sweep_reader *r, const char *name) {
    hsize_t size[NETCDF_RANK + 1];
    int rank, count;
    hid_t file = r->n.id, set = netcdf_find(&r->n, name, &rank, size);
    if (set < 0) return NULL;
    r->n.id = set; /* an attribute of the variable */
    char *unit = netcdf_read(&r->n, "units", &count);
    r->n.id = file;
    r->n.h5.Dclose(set);
    return unit;
}

/* Blocks ------------------------------------------------------------------------------------------------ */

/* The place of the first event of a member or a later one: they stand in the order of the members. */
static int64_t event_place(const struct sweep_reader *r, int64_t member) {
    int64_t low = 0, high = r->events;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, found = 0;
        netcdf_numbers(&r->n, r->event_member, r->n.h5.T_NATIVE_INT64, 1, (hsize_t)middle, 1, &found);
        if (found < member) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int read_events(struct sweep_reader *r, keel_block *b, int64_t *first) {
    int64_t from = event_place(r, b->first), count = event_place(r, b->first + b->count) - from;
    size_t columns = (size_t)r->columns.count, all = (size_t)count;
    free(r->event);
    r->event = malloc((all * (columns + 3) + 1) * sizeof *r->event);
    if (!r->event) return -1;
    double *t = r->event, *value = t + all, *piece = value + all * columns;
    int64_t *member = (int64_t *)(void *)(piece + all);
    int bad = 0;
    if (count) {
        hid_t real = r->n.h5.T_NATIVE_DOUBLE;
        bad = netcdf_numbers(&r->n, r->event_t, real, 1, (hsize_t)from, (hsize_t)count, t) ||
              netcdf_numbers(&r->n, r->event_member, r->n.h5.T_NATIVE_INT64, 1, (hsize_t)from, (hsize_t)count,
                             member);
        for (size_t i = 0; i < columns && !bad; i++) {
            bad = netcdf_numbers(&r->n, r->event_column[i], real, 1, (hsize_t)from, (hsize_t)count, piece);
            for (size_t k = 0; k < all; k++) value[k * columns + i] = piece[k];
        }
    }
    int64_t at = 0;
    for (int i = 0; i <= b->count && !bad; i++) {
        while (at < count && member[at] < b->first + i) at++;
        first[i] = at;
    }
    b->event_first = first, b->event_t = t, b->event_value = value;
    return bad;
}

static int read_columns(struct sweep_reader *r, keel_block *b) {
    size_t columns = (size_t)b->columns, rows = (size_t)b->count * (size_t)b->times, all = (size_t)b->count;
    double *extremum = r->value + rows * columns;
    hid_t real = r->n.h5.T_NATIVE_DOUBLE;
    for (size_t i = 0; i < columns; i++) {
        if (netcdf_numbers(&r->n, r->column[i], real, r->axes.count, (hsize_t)b->first, (hsize_t)b->count,
                           r->piece))
            return -1;
        for (size_t k = 0; k < rows; k++) r->value[k * columns + i] = r->piece[k];
        for (size_t f = 0; f < 3 && r->extrema; f++) {
            if (netcdf_numbers(&r->n, r->extremum[f * columns + i], real, r->axes.count, (hsize_t)b->first,
                               (hsize_t)b->count, r->piece))
                return -1;
            for (size_t k = 0; k < all; k++) extremum[(f * all + k) * columns + i] = r->piece[k];
        }
    }
    b->value = r->value;
    if (r->extrema)
        b->low = extremum, b->high = extremum + all * columns, b->mean = extremum + 2 * all * columns;
    return 0;
}

/* The sentences one behind the other, as a block has them. */
static int read_sentences(struct sweep_reader *r, keel_block *b, int64_t *sentence) {
    size_t length = 0;
    for (int i = 0; i < b->count; i++) free(r->said[i]), r->said[i] = NULL;
    if (r->sentence >= 0 && netcdf_numbers(&r->n, r->sentence, r->n.text, r->axes.count, (hsize_t)b->first,
                                           (hsize_t)b->count, r->said))
        return -1;
    for (int i = 0; i < b->count; i++) length += r->said[i] ? strlen(r->said[i]) + 1 : 0;
    free(r->text);
    r->text = malloc(length + 1);
    if (!r->text) return -1;
    size_t at = 0;
    for (int i = 0; i < b->count; i++) {
        size_t bytes = r->said[i] ? strlen(r->said[i]) : 0;
        sentence[i] = bytes ? (int64_t)at : -1;
        if (!bytes) continue;
        memcpy(r->text + at, r->said[i], bytes + 1);
        at += bytes + 1;
    }
    b->sentence = sentence;
    b->text = r->text;
    b->text_length = (int64_t)at;
    return 0;
}

int sweep_reader_block(struct sweep_reader *r, int64_t index, keel_block *b) {
    int64_t first = index * KEEL_BLOCK, left = r->members - first;
    *b = (keel_block){.index = index, .first = first, .columns = r->columns.count, .times = r->times};
    b->count = left < KEEL_BLOCK ? (int)left : KEEL_BLOCK;
    unsigned char *at = r->numbers;
    const void *array[9];
    struct {
        hid_t set, type;
        size_t bytes;
    } list[] = {{r->steps, r->n.h5.T_NATIVE_INT64, 8},   {r->t_end, r->n.h5.T_NATIVE_DOUBLE, 8},
                {r->drift, r->n.h5.T_NATIVE_DOUBLE, 8},  {r->correction, r->n.h5.T_NATIVE_DOUBLE, 8},
                {r->defect, r->n.h5.T_NATIVE_DOUBLE, 8}, {r->status, r->n.h5.T_NATIVE_INT, 4},
                {r->row, r->n.h5.T_NATIVE_INT, 4}};
    int64_t *sentence = (int64_t *)(void *)at, *events = sentence + KEEL_BLOCK;
    at = (unsigned char *)(events + KEEL_BLOCK + 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        array[i] = at;
        if (netcdf_numbers(&r->n, list[i].set, list[i].type, r->axes.count, (hsize_t)first, (hsize_t)b->count,
                           at))
            return -1;
        at += list[i].bytes * KEEL_BLOCK;
    }
    b->steps = array[0], b->t = array[1], b->drift = array[2], b->correction = array[3];
    b->defect = array[4], b->status = array[5], b->row = array[6];
    if (r->retry >= 0 && netcdf_numbers(&r->n, r->retry, r->n.h5.T_NATIVE_INT, r->axes.count, (hsize_t)first,
                                        (hsize_t)b->count, r->retry_of))
        return -1;
    if (r->event_t >= 0 && read_events(r, b, events)) return -1;
    return read_columns(r, b) || read_sentences(r, b, sentence) ? -1 : 0;
}
#else
typedef int sweep_reader_is_missing;
#endif
