/* sweep_hdf5.c - see sweep_hdf5.h.  Opening, the story, ending; blocks are written in sweep_hdf5_block.c. */
#include "cli/sweep/sweep_hdf5.h"

#ifdef KEEL_HDF5

#include "base/text.h"
#include "cli/run/run_json.h"
#include "cli/sweep/sweep_hdf5_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sweep_hdf5_failed(struct sweep_hdf5 *h) {
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

void sweep_hdf5_name(const struct sweep *s, int i, char out[NETCDF_NAME]) {
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
                sweep_hdf5_name(s, i, shown);
                along = values_along(h, i, k);
                if (!along) return errno = ENOMEM, -1;
            }
        int bad = netcdf_dimension(&h->n, shown, (hsize_t)length, along) < 0;
        free(along);
        if (bad) return -1;
        h->axes++;
    }
    h->t = s->times ? netcdf_dimension(&h->n, "t", (hsize_t)s->options.count, s->times) : -1;
    if (h->axes == 1 && keel_plan_members(s->plan) > KEEL_BLOCK) h->n.chunk = KEEL_BLOCK;
    return s->times && h->t < 0 ? -1 : 0;
}

hid_t sweep_hdf5_over(struct sweep_hdf5 *h, const char *name, hid_t type, int timed) {
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
        sweep_hdf5_name(s, i, name);
        h->value[i] = -1;
        if (axis >= 0) keel_plan_axis(s->plan, axis, &own);
        if (own) continue;
        hid_t set = axis < 0 ? sweep_hdf5_over(h, name, h->n.h5.T_IEEE_F64LE, 0)
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
        sweep_hdf5_name(s, i, name);
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
        h->column[i] = sweep_hdf5_over(h, column, h->n.h5.T_IEEE_F64LE, 1);
        text_set(name, sizeof name, "%.200s %s", column, s->times ? "at the output times" : "at the end");
        if (h->column[i] < 0 || put_coordinates(h, h->column[i]) ||
            netcdf_text(&h->n, h->column[i], "long_name", name))
            return -1;
        for (int k = 0; k < 3 && s->options.extrema; k++) {
            text_set(name, sizeof name, "%s%.200s", prefix[k], column);
            h->extremum[k][i] = sweep_hdf5_over(h, name, h->n.h5.T_IEEE_F64LE, 0);
            if (h->extremum[k][i] < 0) return -1;
        }
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
    int fixed = h->sweep->job.keel.step > 0;
    const char *corrected = fixed ? "errors of a step" : "tolerances",
               *defect = fixed ? "of the state" : "tolerances";
    struct {
        hid_t *set;
        const char *name, *about, *unit;
        hid_t type;
    } list[] = {
        {&h->status, "status", "0: done, > 0: stopped by an event or at rest, < 0: failed", NULL,
         h->n.h5.T_STD_I32LE},
        {&h->steps, "steps", "accepted steps", "1", h->n.h5.T_STD_I64LE},
        {&h->drift, "drift", "worst drift of all rows", "round-offs", h->n.h5.T_IEEE_F64LE},
        {&h->row, "drift_row", "the number of that row in the attribute rows; -1: none", NULL,
         h->n.h5.T_STD_I32LE},
        {&h->correction, "correction", "largest change of a state by a projection", corrected,
         h->n.h5.T_IEEE_F64LE},
        {&h->defect, "defect", "largest defect between the steps", defect, h->n.h5.T_IEEE_F64LE},
        {&h->t_end, "t_end", "where the member ended", NULL, h->n.h5.T_IEEE_F64LE},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *list[i].set = sweep_hdf5_over(h, list[i].name, list[i].type, 0);
        if (*list[i].set < 0 || netcdf_text(&h->n, *list[i].set, "long_name", list[i].about)) return -1;
        if (list[i].unit && netcdf_text(&h->n, *list[i].set, "units", list[i].unit)) return -1;
    }
    return 0;
}

/* The story --------------------------------------------------------------------------------------------- */

static int put_rows(struct sweep_hdf5 *h) {
    char text[4000] = "";
    const char *row;
    for (int i = 0; (row = keel_ensemble_row(h->sweep->ensemble, i)); i++)
        text_add(text, sizeof text, "%s%s", i ? "\n" : "", row);
    return netcdf_text(&h->n, h->n.id, "rows", text);
}

/* What varies and what is kept, by the names of their variables: who reads the file need not guess.  Of each
 * value the number of its axis, -1: it is drawn. */
static int put_names(struct sweep_hdf5 *h) {
    const struct sweep *s = h->sweep;
    int names = keel_plan_names(s->plan), count = names > h->columns ? names : h->columns, bad = 0;
    count = count > h->axes ? count : h->axes;
    char(*text)[NETCDF_NAME] = malloc(((size_t)count + 1) * sizeof *text);
    char **list = malloc(((size_t)count + 1) * sizeof *list);
    for (int i = 0; i < count && text && list; i++) list[i] = text[i];
    bad = !text || !list;
    for (int i = 0; i < h->axes && !bad; i++) text_set(text[i], NETCDF_NAME, "%s", h->n.dimension[i].name);
    bad = bad || netcdf_texts(&h->n, h->n.id, "axes", h->axes, list);
    for (int i = 0; i < names && !bad; i++) sweep_hdf5_name(s, i, text[i]);
    bad = bad || netcdf_texts(&h->n, h->n.id, "values", names, list);
    for (int i = 0; i < names && !bad; i++)
        text_set(text[i], NETCDF_NAME, "%d", keel_plan_axis_of(s->plan, i));
    bad = bad || netcdf_texts(&h->n, h->n.id, "values_axis", names, list);
    for (int i = 0; i < h->columns && !bad; i++)
        text_set(text[i], NETCDF_NAME, "%s", keel_ensemble_column(s->ensemble, i));
    bad = bad || netcdf_texts(&h->n, h->n.id, "columns", h->columns, list);
    free(text);
    free(list);
    return bad;
}

static int put_retries(struct sweep_hdf5 *h) {
    const struct sweep_retries *again = &h->sweep->retries;
    if (again->count == 0) return 0;
    h->retry = sweep_hdf5_over(h, "retry", h->n.h5.T_STD_I32LE, 0);
    return h->retry < 0 ||
           netcdf_text(&h->n, h->retry, "long_name", "0: as the sweep ran it, k: by retry k of `retries`") ||
           netcdf_texts(&h->n, h->n.id, "retries", again->count, again->words);
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
              netcdf_texts(&h->n, h->n.id, "command", count, word) || put_rows(h) || put_names(h) ||
              put_retries(h);
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
    for (int k = 0; k < 3; k++) h->extremum[k] = h->column + (size_t)(k + 1) * columns;
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
    h->n.id = h->event = h->sentence = h->event_t = h->event_member = -1;
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
            add_columns(h) == 0 && add_rest(h) == 0 && put_story(h, count, word) == 0)
            return h;
        sweep_hdf5_failed(h);
    }
    sweep_hdf5_drop(h);
    return NULL;
}

/* Ending ------------------------------------------------------------------------------------------------ */

static int close_sets(struct sweep_hdf5 *h) {
    hid_t list[] = {h->retry,  h->status, h->steps,    h->drift,   h->row,         h->correction,
                    h->defect, h->t_end,  h->sentence, h->event_t, h->event_member};
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
    int bad = add_summaries(h) || (h->event >= 0 && netcdf_grow(&h->n, h->event, h->events));
    int status = close_sets(h) || bad ? sweep_hdf5_failed(h) : 0;
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
