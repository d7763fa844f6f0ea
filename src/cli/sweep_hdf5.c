/* sweep_hdf5.c - see sweep_hdf5.h.  The members of a block are one range of each variable. */
#include "cli/sweep_hdf5.h"

#ifdef KEEL_HDF5

#include "base/text.h"
#include "cli/netcdf.h"
#include "cli/run_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sweep_hdf5 {
    struct sweep *sweep;
    struct netcdf n;
    struct file file;
    int axes, t, event; /* the first dimensions are axes; the numbers of these two, or -1 */
    hid_t *column, *fold[3], *event_column; /* [columns] */
    hid_t status, steps, drift, row, correction, defect, t_end, sentence, event_t, event_member;
    hid_t *value;       /* [names] those that are drawn */
    double *numbers;    /* of a block, by column */
    const char **texts; /* [KEEL_BLOCK] */
    hsize_t events;     /* written */
    int columns, failed;
};

static int failed(struct sweep_hdf5 *h) {
    struct job *j = &h->sweep->job;
    if (h->failed) return j->status;
    h->failed = 1;
    if (!h->file.error) h->file.error = errno ? errno : EIO;
    file_sentence(&h->file, j->sentence, sizeof j->sentence);
    return job_fail(j, EXIT_FAILED, "%s", j->sentence);
}

/* Dimensions and variables ------------------------------------------------------------------------------ */

/* The values along an axis of value i, the other axes at their first. */
static double *values_along(struct sweep_hdf5 *h, int i, int axis) {
    const keel_plan *p = h->sweep->plan;
    int64_t length = keel_plan_axis(p, axis, NULL), stride = 1, other;
    for (int k = axis + 1; (other = keel_plan_axis(p, k, NULL)); k++) stride *= other;
    double *along = malloc((size_t)(length + 1) * sizeof *along);
    double *all = malloc(((size_t)keel_plan_names(p) + 1) * sizeof *all);
    for (int64_t k = 0; k < length && along && all; k++) {
        keel_plan_values(p, k * stride, all);
        along[k] = all[i];
    }
    if (!all) free(along), along = NULL;
    free(all);
    return along;
}

/* The name of an axis that has no value of its own. */
static const char *nameless(const struct sweep *s, int axis) {
    if (!keel_plan_axis(s->plan, 1, NULL)) return "trajectory";
    if (s->draws.zip && axis == 0) return "zip";
    return s->draws.count > 0 && !keel_plan_axis(s->plan, axis + 1, NULL) ? "draw" : "table";
}

static void name_value(const struct sweep *s, int i, char *out) {
    int start = keel_vary_start(keel_ensemble_variation(s->ensemble), i);
    text_set(out, NETCDF_NAME, "%s%.200s", start ? "start." : "", keel_plan_name(s->plan, i));
}

static int add_axes(struct sweep_hdf5 *h) {
    struct sweep *s = h->sweep;
    const char *name;
    int64_t length;
    for (int k = 0; (length = keel_plan_axis(s->plan, k, &name)); k++) {
        char shown[NETCDF_NAME];
        double *along = NULL;
        text_set(shown, sizeof shown, "%s", name ? "" : nameless(s, k));
        for (int i = 0; i < keel_plan_names(s->plan) && name; i++)
            if (strcmp(keel_plan_name(s->plan, i), name) == 0) {
                name_value(s, i, shown);
                along = values_along(h, i, k);
                if (!along) return errno = ENOMEM, -1;
            }
        int bad = netcdf_dimension(&h->n, shown, (hsize_t)length, along) < 0;
        free(along);
        if (bad) return -1;
        h->axes++;
    }
    h->t = s->times ? netcdf_dimension(&h->n, "t", (hsize_t)s->options.count, s->times) : -1;
    h->event = s->options.event && s->tally.events
                   ? netcdf_dimension(&h->n, "event", (hsize_t)s->tally.events, NULL)
                   : -1;
    return (s->times && h->t < 0) || (s->options.event && s->tally.events && h->event < 0) ? -1 : 0;
}

/* Over all axes, and t if `timed`. */
static hid_t over_members(struct sweep_hdf5 *h, const char *name, hid_t type, int timed) {
    int dimension[NETCDF_RANK + 1], rank = h->axes;
    for (int i = 0; i < rank; i++) dimension[i] = i;
    if (timed && h->t >= 0) dimension[rank++] = h->t;
    return netcdf_variable(&h->n, name, type, rank, dimension);
}

/* Values that are no dimensions themselves: along one axis, or drawn for each member. */
static int add_values(struct sweep_hdf5 *h) {
    struct sweep *s = h->sweep;
    for (int i = 0; i < keel_plan_names(s->plan); i++) {
        char name[NETCDF_NAME];
        const char *own = NULL;
        int axis = keel_plan_axis_of(s->plan, i);
        name_value(s, i, name);
        h->value[i] = -1;
        if (axis >= 0) keel_plan_axis(s->plan, axis, &own);
        if (own) continue;
        hid_t set = axis < 0 ? over_members(h, name, h->n.h5.T_IEEE_F64LE, 0)
                             : netcdf_variable(&h->n, name, h->n.h5.T_IEEE_F64LE, 1, &axis);
        if (set < 0) return -1;
        if (axis < 0) h->value[i] = set;
        double *along = axis < 0 ? NULL : values_along(h, i, axis);
        int bad = axis >= 0 && (!along || h->n.h5.Dwrite(set, h->n.h5.T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                         H5P_DEFAULT, along) < 0);
        if (axis >= 0) h->n.h5.Dclose(set);
        free(along);
        if (bad) return -1;
    }
    return 0;
}

/* "e start.x": what xarray is to take as coordinates. */
static int put_coordinates(struct sweep_hdf5 *h, hid_t set) {
    const struct sweep *s = h->sweep;
    char text[4000] = "";
    for (int i = 0; i < keel_plan_names(s->plan); i++) {
        char name[NETCDF_NAME];
        const char *own = NULL;
        int axis = keel_plan_axis_of(s->plan, i);
        if (axis >= 0) keel_plan_axis(s->plan, axis, &own);
        if (own) continue;
        name_value(s, i, name);
        text_add(text, sizeof text, "%s%s", text[0] ? " " : "", name);
    }
    return text[0] && netcdf_text(&h->n, set, "coordinates", text);
}

static int add_columns(struct sweep_hdf5 *h) {
    static const char *const prefix[] = {"smallest.", "largest.", "mean."};
    const struct sweep *s = h->sweep;
    for (int i = 0; i < h->columns; i++) {
        char name[NETCDF_NAME];
        const char *column = keel_ensemble_column(s->ensemble, i);
        h->column[i] = over_members(h, column, h->n.h5.T_IEEE_F64LE, 1);
        if (h->column[i] < 0 || put_coordinates(h, h->column[i])) return -1;
        for (int k = 0; k < 3 && s->options.folds; k++) {
            text_set(name, sizeof name, "%s%.200s", prefix[k], column);
            h->fold[k][i] = over_members(h, name, h->n.h5.T_IEEE_F64LE, 0);
            if (h->fold[k][i] < 0) return -1;
        }
        if (h->event < 0) continue;
        text_set(name, sizeof name, "event.%.200s", column);
        h->event_column[i] = netcdf_variable(&h->n, name, h->n.h5.T_IEEE_F64LE, 1, &h->event);
        if (h->event_column[i] < 0) return -1;
    }
    return 0;
}

/* summary.mean.x over t, or one number. */
static int add_summaries(struct sweep_hdf5 *h) {
    const struct sweep *s = h->sweep;
    int times = keel_ensemble_times(s->ensemble);
    for (int k = 0; k < s->statistics; k++)
        for (int i = 0; i < h->columns; i++) {
            char name[NETCDF_NAME];
            text_set(name, sizeof name, "summary.%s.%.200s", s->statistic[k],
                     keel_ensemble_column(s->ensemble, i));
            hid_t set = netcdf_variable(&h->n, name, h->n.h5.T_IEEE_F64LE, h->t >= 0, &h->t);
            for (int t = 0; t < times; t++) h->numbers[t] = sweep_summary_value(s, k, t * h->columns + i);
            int bad = set < 0 || h->n.h5.Dwrite(set, h->n.h5.T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                                h->numbers) < 0;
            if (set >= 0) h->n.h5.Dclose(set);
            if (bad) return -1;
        }
    return 0;
}

static int add_rest(struct sweep_hdf5 *h) {
    struct {
        hid_t *set;
        const char *name, *about;
        hid_t type;
    } list[] = {
        {&h->status, "status", "0: done, > 0: stopped by an event or at rest, < 0: failed",
         h->n.h5.T_STD_I32LE},
        {&h->steps, "steps", "accepted steps", h->n.h5.T_STD_I64LE},
        {&h->drift, "drift", "worst drift of all rows, in round-off units", h->n.h5.T_IEEE_F64LE},
        {&h->row, "drift_row", "the number of that row in the attribute rows; -1: none", h->n.h5.T_STD_I32LE},
        {&h->correction, "correction", "largest change of a state by a projection", h->n.h5.T_IEEE_F64LE},
        {&h->defect, "defect", "largest defect between the steps", h->n.h5.T_IEEE_F64LE},
        {&h->t_end, "t_end", "where the member ended", h->n.h5.T_IEEE_F64LE},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *list[i].set = over_members(h, list[i].name, list[i].type, 0);
        if (*list[i].set < 0 || netcdf_text(&h->n, *list[i].set, "long_name", list[i].about)) return -1;
    }
    h->sentence = h->sweep->tally.failed ? over_members(h, "sentence", h->n.text, 0) : -1;
    if (h->sweep->tally.failed && h->sentence < 0) return -1;
    if (h->event < 0) return 0;
    h->event_t = netcdf_variable(&h->n, "event.t", h->n.h5.T_IEEE_F64LE, 1, &h->event);
    h->event_member = netcdf_variable(&h->n, "event.member", h->n.h5.T_STD_I64LE, 1, &h->event);
    return h->event_t < 0 || h->event_member < 0 ? -1 : 0;
}

/* The story --------------------------------------------------------------------------------------------- */

static int put_rows(struct sweep_hdf5 *h) {
    char text[4000] = "";
    const char *row;
    for (int i = 0; (row = keel_ensemble_row(h->sweep->ensemble, i)); i++)
        text_add(text, sizeof text, "%s%s", i ? "\n" : "", row);
    return netcdf_text(&h->n, h->n.id, "rows", text);
}

static int put_story(struct sweep_hdf5 *h, int count, char **word) {
    const struct sweep *s = h->sweep;
    const struct job *j = &s->job;
    struct json options = {0};
    char seed[32], method[JOB_PAIR];
    run_json_options(&options, NULL, j, 1);
    text_set(seed, sizeof seed, "%llu", (unsigned long long)s->draws.seed);
    text_set(method, sizeof method, "%s+%s", j->method, j->stabilizer);
    int bad = options.failed || netcdf_text(&h->n, h->n.id, "Conventions", "CF-1.8") ||
              netcdf_text(&h->n, h->n.id, "schema", "keel.sweep-hdf5/1") ||
              netcdf_text(&h->n, h->n.id, "version", keel_version()) ||
              netcdf_text(&h->n, h->n.id, "model", keel_model_name(j->model)) ||
              netcdf_text(&h->n, h->n.id, "model_text", keel_model_text(j->model)) ||
              netcdf_text(&h->n, h->n.id, "method", method) || netcdf_text(&h->n, h->n.id, "seed", seed) ||
              netcdf_text(&h->n, h->n.id, "options_json", options.text) ||
              netcdf_texts(&h->n, h->n.id, "command", count, word) || put_rows(h);
    json_release(&options);
    return bad;
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int take_memory(struct sweep_hdf5 *h) {
    struct sweep *s = h->sweep;
    size_t columns = (size_t)keel_ensemble_columns(s->ensemble), names = (size_t)keel_plan_names(s->plan);
    size_t times = (size_t)keel_ensemble_times(s->ensemble);
    h->columns = (int)columns;
    h->column = calloc(5 * columns + names + 1, sizeof *h->column);
    h->numbers = malloc(((size_t)KEEL_BLOCK * (times + names) + 1) * sizeof *h->numbers);
    h->texts = malloc((size_t)KEEL_BLOCK * sizeof *h->texts);
    if (!h->column || !h->numbers || !h->texts) return -1;
    for (int k = 0; k < 3; k++) h->fold[k] = h->column + (size_t)(k + 1) * columns;
    h->event_column = h->column + 4 * columns;
    h->value = h->column + 5 * columns;
    return 0;
}

struct sweep_hdf5 *sweep_hdf5_open(struct sweep *s, struct claim *claim, int count, char **word) {
    char why[JOB_SENTENCE];
    struct job *j = &s->job;
    struct sweep_hdf5 *h = calloc(1, sizeof *h);
    if (!h) return job_no_memory(j), NULL;
    h->sweep = s;
    h->n.id = -1;
    int axes = 0;
    while (keel_plan_axis(s->plan, axes, NULL)) axes++;
    if (hdf5_library_load(&h->n.h5, why, sizeof why) || file_open(&h->file, claim, 1, why, sizeof why))
        job_fail(j, EXIT_FAILED, "%s", why);
    else if (axes > NETCDF_RANK - 1)
        job_fail(j, EXIT_USAGE, "HDF5 has room for %d axes: let lists go side by side", NETCDF_RANK - 1);
    else if (take_memory(h)) job_no_memory(j);
    else {
        errno = 0;
        if (netcdf_create(&h->n, h->file.part) == 0 && add_axes(h) == 0 && add_values(h) == 0 &&
            add_columns(h) == 0 && add_summaries(h) == 0 && add_rest(h) == 0 &&
            put_story(h, count, word) == 0)
            return h;
        failed(h);
    }
    sweep_hdf5_drop(h);
    return NULL;
}

/* Blocks ------------------------------------------------------------------------------------------------ */

/* Members first .. first + count - 1 of a dataset over the axes are one range of it in row order: at most
 * two slabs for each axis but the first. */
static int select_members(struct sweep_hdf5 *h, hid_t space, hsize_t first, hsize_t count, int timed) {
    hsize_t end = first + count, at[NETCDF_RANK + 1] = {0}, size[NETCDF_RANK + 1];
    H5S_seloper_t how = H5S_SELECT_SET;
    if (timed) size[h->axes] = h->n.dimension[h->t].size;
    while (first < end) {
        hsize_t stride = 1;
        int k = h->axes - 1;
        for (; k > 0; k--) { /* the outermost axis whose next piece is whole */
            hsize_t wider = stride * h->n.dimension[k].size;
            if (first % wider || first + wider > end) break;
            stride = wider;
        }
        hsize_t rest = first / stride, place = rest % h->n.dimension[k].size, left = (end - first) / stride;
        for (int i = 0; i < h->axes; i++) at[i] = 0, size[i] = h->n.dimension[i].size;
        at[k] = place;
        size[k] = h->n.dimension[k].size - place < left ? h->n.dimension[k].size - place : left;
        rest /= h->n.dimension[k].size;
        for (int i = k - 1; i >= 0; i--) {
            at[i] = rest % h->n.dimension[i].size, size[i] = 1;
            rest /= h->n.dimension[i].size;
        }
        if (h->n.h5.Sselect_hyperslab(space, how, at, NULL, size, NULL) < 0) return -1;
        how = H5S_SELECT_OR;
        first += size[k] * stride;
    }
    return 0;
}

static int put_members(struct sweep_hdf5 *h, hid_t set, hid_t type, const keel_block *b, int timed,
                       const void *numbers) {
    timed = timed && h->t >= 0;
    hsize_t count = (hsize_t)b->count * (timed ? h->n.dimension[h->t].size : 1);
    hid_t space = h->n.h5.Dget_space(set), memory = h->n.h5.Screate_simple(1, &count, NULL);
    int bad = select_members(h, space, (hsize_t)b->first, (hsize_t)b->count, timed) ||
              h->n.h5.Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) < 0;
    h->n.h5.Sclose(memory);
    h->n.h5.Sclose(space);
    return bad;
}

static int put_columns(struct sweep_hdf5 *h, const keel_block *b) {
    size_t rows = (size_t)b->count * (size_t)b->times, columns = (size_t)h->columns;
    const double *folds[] = {b->low, b->high, b->mean};
    for (size_t i = 0; i < columns; i++) {
        for (size_t k = 0; k < rows; k++) h->numbers[k] = b->value[k * columns + i];
        if (put_members(h, h->column[i], h->n.h5.T_NATIVE_DOUBLE, b, 1, h->numbers)) return -1;
        for (int f = 0; f < 3 && b->low; f++) {
            for (size_t k = 0; k < (size_t)b->count; k++) h->numbers[k] = folds[f][k * columns + i];
            if (put_members(h, h->fold[f][i], h->n.h5.T_NATIVE_DOUBLE, b, 0, h->numbers)) return -1;
        }
    }
    return 0;
}

static int put_values(struct sweep_hdf5 *h, const keel_block *b) {
    size_t names = (size_t)keel_plan_names(h->sweep->plan), count = (size_t)b->count;
    double *all = h->numbers + KEEL_BLOCK;
    for (size_t i = 0; i < names; i++) {
        if (h->value[i] < 0) continue;
        for (size_t k = 0; k < count; k++) {
            keel_plan_values(h->sweep->plan, b->first + (int64_t)k, all);
            h->numbers[k] = all[i];
        }
        if (put_members(h, h->value[i], h->n.h5.T_NATIVE_DOUBLE, b, 0, h->numbers)) return -1;
    }
    return 0;
}

/* A piece of a list along `event`. */
static int put_list(struct sweep_hdf5 *h, hid_t set, hid_t type, hsize_t count, const void *numbers) {
    hid_t space = h->n.h5.Dget_space(set), memory = h->n.h5.Screate_simple(1, &count, NULL);
    int bad = h->n.h5.Sselect_hyperslab(space, H5S_SELECT_SET, &h->events, NULL, &count, NULL) < 0 ||
              h->n.h5.Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) < 0;
    h->n.h5.Sclose(memory);
    h->n.h5.Sclose(space);
    return bad;
}

static int put_events(struct sweep_hdf5 *h, const keel_block *b) {
    size_t count = (size_t)b->event_first[b->count], columns = (size_t)h->columns;
    if (count == 0 || h->event < 0) return 0;
    int64_t *member = malloc(count * sizeof *member);
    double *numbers = malloc(count * sizeof *numbers);
    int bad = !member || !numbers;
    for (int i = 0; i < b->count && !bad; i++)
        for (int64_t k = b->event_first[i]; k < b->event_first[i + 1]; k++) member[k] = b->first + i;
    bad = bad || put_list(h, h->event_member, h->n.h5.T_NATIVE_INT64, count, member) ||
          put_list(h, h->event_t, h->n.h5.T_NATIVE_DOUBLE, count, b->event_t);
    for (size_t i = 0; i < columns && !bad; i++) {
        for (size_t k = 0; k < count; k++) numbers[k] = b->event_value[k * columns + i];
        bad = put_list(h, h->event_column[i], h->n.h5.T_NATIVE_DOUBLE, count, numbers);
    }
    free(member);
    free(numbers);
    h->events += count;
    return bad;
}

static int put_sentences(struct sweep_hdf5 *h, const keel_block *b) {
    for (int i = 0; i < b->count; i++) h->texts[i] = b->sentence[i] < 0 ? "" : b->text + b->sentence[i];
    return h->sentence >= 0 && put_members(h, h->sentence, h->n.text, b, 0, h->texts);
}

int sweep_hdf5_block(struct sweep_hdf5 *h, const keel_block *b) {
    hid_t real = h->n.h5.T_NATIVE_DOUBLE;
    errno = 0;
    int bad = put_columns(h, b) || put_values(h, b) ||
              put_members(h, h->status, h->n.h5.T_NATIVE_INT, b, 0, b->status) ||
              put_members(h, h->row, h->n.h5.T_NATIVE_INT, b, 0, b->row) ||
              put_members(h, h->steps, h->n.h5.T_NATIVE_INT64, b, 0, b->steps) ||
              put_members(h, h->drift, real, b, 0, b->drift) ||
              put_members(h, h->correction, real, b, 0, b->correction) ||
              put_members(h, h->defect, real, b, 0, b->defect) ||
              put_members(h, h->t_end, real, b, 0, b->t) || put_sentences(h, b) ||
              (b->event_first && put_events(h, b));
    return bad ? failed(h) : 0;
}

/* Ending ------------------------------------------------------------------------------------------------ */

static int close_sets(struct sweep_hdf5 *h) {
    hid_t list[] = {h->status, h->steps, h->drift,    h->row,     h->correction,
                    h->defect, h->t_end, h->sentence, h->event_t, h->event_member};
    size_t many = h->column ? 5 * (size_t)h->columns + (size_t)keel_plan_names(h->sweep->plan) : 0;
    int bad = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i] > 0) bad |= h->n.h5.Dclose(list[i]) < 0;
    for (size_t i = 0; i < many; i++)
        if (h->column[i] > 0) bad |= h->n.h5.Dclose(h->column[i]) < 0;
    bad |= netcdf_close(&h->n);
    return bad;
}

int sweep_hdf5_end(struct sweep_hdf5 *h) {
    char why[JOB_SENTENCE];
    struct job *j = &h->sweep->job;
    errno = 0;
    int status = close_sets(h) ? failed(h) : 0;
    free(h->column);
    h->column = NULL;
    if (status == 0 && file_keep(&h->file, why, sizeof why)) status = job_fail(j, EXIT_FAILED, "%s", why);
    sweep_hdf5_drop(h);
    return status;
}

void sweep_hdf5_drop(struct sweep_hdf5 *h) {
    if (!h) return;
    if (h->n.id >= 0) close_sets(h);
    file_drop(&h->file);
    free(h->column);
    free(h->numbers);
    free(h->texts);
    free(h);
}

#else

struct sweep_hdf5 *sweep_hdf5_open(struct sweep *s, struct claim *claim, int count, char **word) {
    (void)claim, (void)count, (void)word;
    job_fail(&s->job, EXIT_FAILED, "this build of keel has no HDF5; give --out a name that ends in .csv");
    return NULL;
}

int sweep_hdf5_block(struct sweep_hdf5 *h, const keel_block *b) {
    (void)h, (void)b;
    return 0;
}

int sweep_hdf5_end(struct sweep_hdf5 *h) {
    (void)h;
    return 0;
}

void sweep_hdf5_drop(struct sweep_hdf5 *h) {
    (void)h;
}

#endif
