/* panel_shapes.c - panels that are no curves over t: ways in a plane, and arrays along a line over t. */
#include "cli/plots/panel.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, MOST_PATHS = 2, LEAST_LINE = 12 };

static const char *name_of(const struct store *s, int column) {
    return keel_sim_column(s->trace->sim, column);
}

static int column_named(const struct store *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(name_of(s, i), name) == 0) return i;
    return -1;
}

/* Paths ------------------------------------------------------------------------------------------------- */

/* y of an x, r[2] of an r[1] that has no r[3]: the other coordinate of a point in a plane; -1: none. */
static int partner(const struct store *s, int column) {
    char name[NAME];
    const char *own = name_of(s, column);
    size_t length = strlen(own);
    if (strchr(own, '\'') || length + 2 > sizeof name) return -1;
    for (size_t i = 0; i < length; i++) {
        if (own[i] != 'x' && own[i] != 'X') continue;
        text_set(name, sizeof name, "%s", own);
        name[i] = (char)(own[i] + 2);
        if (column_named(s, name) >= 0) return -1; /* a point in space */
        name[i] = (char)(own[i] + 1);
        int found = column_named(s, name);
        if (found >= 0) return found;
    }
    if (length < 3 || strcmp(own + length - 3, "[1]") != 0) return -1;
    text_set(name, sizeof name, "%s", own);
    name[length - 2] = '3';
    if (column_named(s, name) >= 0) return -1;
    name[length - 2] = '2';
    return column_named(s, name);
}

/* A way along an axis, but for round-off, shows nothing that curves over t do not. */
static int is_way(const struct store *s, int column, int other) {
    double low[2], high[2];
    if (!store_range(s, store_column(s, column), &low[0], &high[0])) return 0;
    if (!store_range(s, store_column(s, other), &low[1], &high[1])) return 0;
    double a = high[0] - low[0], b = high[1] - low[1];
    return fmin(a, b) > 1e-6 * fmax(a, b);
}

void panel_paths(struct panels *p, const struct store *s) {
    keel_mode mode;
    const keel_model *model = s->trace->job->model;
    if (!keel_model_mode(model, keel_model_start(model), &mode) || mode.dof < 0) return;
    for (int i = 0, paths = 0; i < s->columns && paths < MOST_PATHS && p->count < PANEL_MOST; i++) {
        int other = keel_sim_column_kind(s->trace->sim, i) == KEEL_COLUMN_STATE ? partner(s, i) : -1;
        if (other < 0 || !is_way(s, i, other)) continue;
        struct panel *one = &p->list[p->count++];
        *one = (struct panel){.x = store_column(s, i), .y = {store_column(s, other)}, .curves = 1};
        store_name(s, one->y[0], one->label, sizeof one->label);
        paths++;
    }
}

/* Arrays of a line -------------------------------------------------------------------------------------- */

/* u[7]: the length of `u`, and 7; 0: it is no element of an array with one index. */
static size_t element(const char *name, long *index) {
    const char *open = strchr(name, '[');
    char *end = NULL;
    if (!open) return 0;
    *index = strtol(open + 1, &end, 10);
    return strcmp(end, "]") == 0 ? (size_t)(open - name) : 0;
}

/* How many columns from this one on are neighbours on a line. */
static int line_length(const struct store *s, int first) {
    long index, next;
    const char *name = name_of(s, first);
    size_t length = element(name, &index);
    int count = length > 0;
    while (count && first + count < s->columns) {
        const char *other = name_of(s, first + count);
        if (element(other, &next) != length || strncmp(name, other, length) != 0 || next != index + count)
            break;
        count++;
    }
    return count;
}

int panel_line(struct panels *p, const struct store *s, int column) {
    int count = line_length(s, column);
    if (count < LEAST_LINE || p->count >= PANEL_MOST - 1) return 0;
    struct panel *one = &p->list[p->count++];
    const char *name = name_of(s, column);
    *one = (struct panel){.y = {store_column(s, column)}, .curves = 1, .line = count};
    text_set(one->label, sizeof one->label, "%.*s", (int)strcspn(name, "["), name);
    return count;
}
