/* panel.c - see panel.h. */
#include "cli/plots/panel.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { NAME = 256, MOST_DEFAULT = 8, MOST_OF_A_KIND = 3 };
static const double similar = 20; /* sizes within this factor are read well on one axis */

/* --axes ------------------------------------------------------------------------------------------------ */

/* Columns and t by name, drifts as drift.NAME, or as NAME where no column has it; -1: there is none. */
static int find(const struct store *s, const char *name) {
    char known[NAME];
    int units = store_units(s, 0);
    for (int i = 0; i < s->quantities; i++) {
        store_name(s, i, known, sizeof known);
        if (strcmp(known, name) == 0) return i < units ? i : i - s->rows;
    }
    return -1;
}

static int unknown(const struct store *s, struct job *j, const char *name) {
    char known[NAME], near[NAME] = "", all[200] = "";
    int least = 4;
    for (int i = 0; i < s->quantities; i++) {
        store_name(s, i, known, sizeof known);
        int distance = text_distance(name, known);
        if (distance < least) {
            least = distance;
            text_set(near, sizeof near, "%s", known);
        }
        if (i >= store_units(s, 0) || strlen(all) + strlen(known) + 8 > sizeof all) continue;
        text_add(all, sizeof all, "%s%s", i ? ", " : "", known);
    }
    if (near[0]) return job_fail(j, EXIT_USAGE, "--axes: there is no `%.60s`; did you mean %s?", name, near);
    return job_fail(j, EXIT_USAGE, "--axes: there is no `%.60s`; there are %s", name, all);
}

/* The next name of "q[1], drift.rod"; returns what is behind it. */
static const char *next_name(const char *text, char *name, size_t capacity) {
    size_t length = strcspn(text, ","), begin = strspn(text, " \t");
    size_t end = length;
    if (begin > length) begin = length;
    while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t')) end--;
    text_set(name, capacity, "%.*s", (int)(end - begin), text + begin);
    return text[length] ? text + length + 1 : NULL;
}

static int axes_of(struct panel *p, const struct store *s, struct job *j, const char *text) {
    char name[NAME];
    int given = 0;
    *p = (struct panel){0};
    for (const char *rest = text; rest; given++) {
        rest = next_name(rest, name, sizeof name);
        int quantity = find(s, name);
        if (name[0] == '\0')
            return job_fail(j, EXIT_USAGE, "--axes %.80s: a name is missing between the commas", text);
        if (quantity < 0) return unknown(s, j, name);
        if (given > PANEL_AXES)
            return job_fail(j, EXIT_USAGE, "--axes: one panel shows at most %d curves", PANEL_AXES);
        if (given == 0) p->x = quantity;
        else p->y[p->curves++] = quantity;
    }
    if (p->curves == 0)
        return job_fail(j, EXIT_USAGE, "--axes %.80s needs a second name: what is drawn over the first",
                        text);
    return 0;
}

/* The names if they are few, else the first ones, as long as the axis of a low panel. */
static void label_by_names(struct panel *p, const struct store *s) {
    enum { ROOM = 26 };
    char name[NAME];
    int shown = 0;
    p->label[0] = '\0';
    for (; shown < p->curves && shown < 3; shown++) {
        store_name(s, p->y[shown], name, sizeof name);
        if (shown > 0 && strlen(p->label) + strlen(name) > ROOM) break;
        text_add(p->label, sizeof p->label, "%s%.30s", shown ? ", " : "", name);
    }
    if (p->curves > shown) text_add(p->label, sizeof p->label, ", ...");
}

/* The unit that all curves share, behind the label. */
static void label_unit(struct panel *p, const struct store *s) {
    const char *unit = NULL;
    for (int i = 0; i < p->curves; i++) {
        int column = p->y[i] - store_column(s, 0);
        const char *own = column < s->columns ? keel_sim_column_unit(s->trace->sim, column) : NULL;
        if (!own || (unit && strcmp(unit, own) != 0)) return;
        unit = own;
    }
    if (unit && strcmp(unit, "1") != 0) text_add(p->label, sizeof p->label, " (%s)", unit);
}

int panel_axes(struct panels *p, const struct store *s, struct job *j) {
    const struct option_value *axes = &j->options.value[opt_axes];
    if (axes->count > PANEL_MOST - 2)
        return job_fail(j, EXIT_USAGE, "--axes: a plot has at most %d panels", PANEL_MOST - 2);
    for (int i = 0; i < axes->count; i++) {
        if (axes_of(&p->list[p->count], s, j, axes->text[i])) return j->status;
        label_by_names(&p->list[p->count], s);
        label_unit(&p->list[p->count++], s);
    }
    return 0;
}

/* States ------------------------------------------------------------------------------------------------ */

static size_t base_length(const char *name) {
    return strcspn(name, "['");
}

static int primes(const char *name) {
    size_t length = strlen(name);
    int count = 0;
    while (length > 0 && name[length - 1] == '\'') length--, count++;
    return count;
}

/* Elements of one array, or plain variables, both differentiated as often. */
static int same_kind(const struct store *s, int a, int b) {
    const keel_sim *sim = s->trace->sim;
    const char *x = keel_sim_column(sim, a), *y = keel_sim_column(sim, b);
    int arrays = strchr(x, '[') != NULL;
    if (keel_sim_column_kind(sim, a) != keel_sim_column_kind(sim, b) || primes(x) != primes(y)) return 0;
    const char *one = keel_sim_column_unit(sim, a), *other = keel_sim_column_unit(sim, b);
    if (one && other && strcmp(one, other) != 0) return 0;
    if (arrays != (strchr(y, '[') != NULL)) return 0;
    return !arrays || (base_length(x) == base_length(y) && strncmp(x, y, base_length(x)) == 0);
}

static double size_of(const struct store *s, int quantity) {
    double low, high;
    return store_range(s, quantity, &low, &high) ? fmax(fabs(low), fabs(high)) : 0;
}

/* r[1], r[2] and r[3], or x[2][1] and x[2][2]: elements of one short vector. */
static int same_vector(const struct store *s, int a, int b) {
    const char *x = keel_sim_column(s->trace->sim, a), *y = keel_sim_column(s->trace->sim, b);
    const char *p = strrchr(x, '['), *q = strrchr(y, '[');
    return p && q && p - x == q - y && strncmp(x, y, (size_t)(p - x)) == 0;
}

/* Does a curve of this size go with those of the panel?  What is zero goes with everything; a vector stays
 * together. */
static int fits(const struct store *s, const struct panel *p, int column, double size) {
    if (p->curves < PANEL_CURVES && same_vector(s, p->y[p->curves - 1] - store_column(s, 0), column))
        return 1;
    for (int i = 0; i < p->curves; i++) {
        double other = size_of(s, p->y[i]);
        if (size > 0 && other > 0 && (size > similar * other || other > similar * size)) return 0;
    }
    return p->curves < PANEL_CURVES;
}

static void place(struct panels *p, const struct store *s, int column) {
    double low, high;
    int quantity = store_column(s, column), of_kind = 0;
    if (!store_range(s, quantity, &low, &high)) return;
    for (int k = 0; k < p->count; k++) {
        struct panel *one = &p->list[k];
        if (one->x != 0 || one->drift || one->line || !same_kind(s, one->y[0] - store_column(s, 0), column))
            continue;
        of_kind++;
        if (!fits(s, one, column, fmax(fabs(low), fabs(high)))) continue;
        one->y[one->curves++] = quantity;
        return;
    }
    if (of_kind >= MOST_OF_A_KIND || p->count >= MOST_DEFAULT) {
        p->left_out++;
        return;
    }
    p->list[p->count++] = (struct panel){.y = {quantity}, .curves = 1};
}

/* Elements of one array have its name. */
static void label_by_kind(struct panel *p, const struct store *s) {
    const char *first = keel_sim_column(s->trace->sim, p->y[0] - store_column(s, 0));
    label_by_names(p, s);
    if (p->curves <= 3 || !strchr(first, '[')) return;
    text_set(p->label, sizeof p->label, "%.*s%.*s", (int)base_length(first), first, primes(first), "''''");
}

void panel_states(struct panels *p, const struct store *s, int maps) {
    const keel_sim *sim = s->trace->sim;
    for (int kind = KEEL_COLUMN_STATE; kind <= KEEL_COLUMN_OUTPUT; kind++)
        for (int i = 0, mapped = 0; i < s->columns && kind != KEEL_COLUMN_MULTIPLIER;
             i += mapped ? mapped : 1) {
            mapped = 0;
            if ((int)keel_sim_column_kind(sim, i) != kind) continue;
            if (maps) mapped = panel_line(p, s, i);
            if (!mapped) place(p, s, i);
        }
    for (int k = 0; k < p->count; k++)
        if (!p->list[k].line) {
            label_by_kind(&p->list[k], s);
            label_unit(&p->list[k], s);
        }
    if (maps) panel_paths(p, s);
}

/* Drifts ------------------------------------------------------------------------------------------------ */

void panel_drifts(struct panels *p, const struct store *s) {
    struct panel drift = {.drift = 1, .label = "|drift| in round-offs"};
    unsigned char taken[1024] = {0};
    int there = 0, rows = s->rows < (int)sizeof taken ? s->rows : (int)sizeof taken;
    for (int i = 0; i < rows; i++) {
        double low, high;
        there += store_range(s, store_units(s, i), &low, &high);
    }
    for (int left = PANEL_CURVES; left > 0; left--) {
        int most = -1;
        double most_high = -1;
        for (int i = 0; i < rows; i++) {
            double low, high;
            if (taken[i] || !store_range(s, store_units(s, i), &low, &high) || high <= most_high) continue;
            most = i, most_high = high;
        }
        if (most >= 0) taken[most] = 1;
    }
    for (int i = 0; i < rows; i++)
        if (taken[i]) drift.y[drift.curves++] = store_units(s, i);
    if (drift.curves == 0 || p->count == PANEL_MOST) return;
    if (there > drift.curves)
        text_set(drift.label, sizeof drift.label, "|drift|, the %d largest of %d rows", drift.curves, there);
    p->list[p->count++] = drift;
}
