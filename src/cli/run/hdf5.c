/* hdf5.c - see hdf5.h.  Rows are gathered in a block and appended to chunked, extendible datasets. */
#include "cli/run/hdf5.h"

#include "base/text.h"
#include "cli/job/output.h"
#include "cli/run/run_json.h"

#ifdef KEEL_HDF5

#include "cli/files/hdf5_library.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6, BLOCK_ROWS = 1024, BLOCK_NUMBERS = 1 << 17 };
static const char *const part_name[PARTS] = {"t", "state", "multipliers", "outputs", "drift", "error"};

/* A dataset with a row for each row of the results. */
struct part {
    hid_t set;
    int width, *column;
    double *block;
};

struct event {
    double t;
    const char *name;
    int from, to;
};

struct hdf5 {
    struct hdf5_library h5;
    struct file file;
    struct job *job;
    const struct trace *trace;
    hid_t id, text, event_type, mode_set, event_set;
    struct part part[PARTS];
    int *mode;
    struct event *event;
    hsize_t rows, block, held, events, held_events; /* written; room; waiting */
    long events_seen;
    int failed;
};

static int fail(struct hdf5 *h) {
    if (!h->file.error) h->file.error = errno ? errno : EIO;
    h->failed = 1;
    file_sentence(&h->file, h->job->sentence, sizeof h->job->sentence);
    return -1;
}

/* Making ------------------------------------------------------------------------------------------------ */

static hid_t text_type(struct hdf5 *h) {
    hid_t type = h->h5.Tcopy(h->h5.T_C_S1);
    h->h5.Tset_size(type, H5T_VARIABLE);
    h->h5.Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* An attribute of texts: one, or a list of `count`. */
static int put_texts(struct hdf5 *h, hid_t at, const char *name, int count, const char *const *text) {
    hsize_t size = (hsize_t)count;
    hid_t space = count < 0 ? h->h5.Screate(H5S_SCALAR) : h->h5.Screate_simple(1, &size, NULL);
    hid_t attribute = h->h5.Acreate2(at, name, h->text, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = attribute < 0 || (count != 0 && h->h5.Awrite(attribute, h->text, text) < 0);
    h->h5.Aclose(attribute);
    h->h5.Sclose(space);
    return bad;
}

static int put_text(struct hdf5 *h, const char *name, const char *text) {
    return put_texts(h, h->id, name, -1, &text);
}

/* No times of creation: the same run gives the same bytes. */
static hid_t make_set(struct hdf5 *h, const char *name, hid_t type, int rank, int width) {
    hsize_t size[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width};
    hsize_t chunk[2] = {h->block, (hsize_t)width};
    hid_t space = h->h5.Screate_simple(rank, size, most), how = h->h5.Pcreate(h->h5.P_CLS_DATASET_CREATE_ID);
    h->h5.Pset_obj_track_times(how, 0);
    h->h5.Pset_chunk(how, rank, chunk);
    hid_t set = h->h5.Dcreate2(h->id, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    h->h5.Pclose(how);
    h->h5.Sclose(space);
    return set;
}

/* Nothing fits into no columns, but it has its name and as many rows. */
static int make_empty(struct hdf5 *h, const char *name) {
    hsize_t size[2] = {h->rows, 0};
    hid_t space = h->h5.Screate_simple(2, size, NULL), how = h->h5.Pcreate(h->h5.P_CLS_DATASET_CREATE_ID);
    h->h5.Pset_obj_track_times(how, 0);
    hid_t set = h->h5.Dcreate2(h->id, name, h->h5.T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    int bad = set < 0 || put_texts(h, set, "names", 0, NULL);
    h->h5.Dclose(set);
    h->h5.Pclose(how);
    h->h5.Sclose(space);
    return bad;
}

static hid_t event_type(struct hdf5 *h, int in_file) {
    hid_t type = h->h5.Tcreate(H5T_COMPOUND, sizeof(struct event));
    h->h5.Tinsert(type, "t", HOFFSET(struct event, t), in_file ? h->h5.T_IEEE_F64LE : h->h5.T_NATIVE_DOUBLE);
    h->h5.Tinsert(type, "name", HOFFSET(struct event, name), h->text);
    h->h5.Tinsert(type, "from", HOFFSET(struct event, from),
                  in_file ? h->h5.T_STD_I32LE : h->h5.T_NATIVE_INT);
    h->h5.Tinsert(type, "to", HOFFSET(struct event, to), in_file ? h->h5.T_STD_I32LE : h->h5.T_NATIVE_INT);
    return type;
}

struct hdf5 *hdf5_open(struct job *j, const char *path) {
    char why[JOB_SENTENCE];
    struct hdf5 *h = calloc(1, sizeof *h);
    if (!h) return job_no_memory(j), NULL;
    h->job = j;
    h->id = -1;
    if (hdf5_library_load(&h->h5, why, sizeof why)) job_fail(j, EXIT_FAILED, "--out %.200s: %s", path, why);
    else if (output_open(j, &h->file, path, KIND_HDF5) == 0) {
        if (h->file.part) return h;
        job_fail(j, EXIT_FAILED, "%.300s cannot be written: it is no regular file", path);
    }
    hdf5_drop(h);
    return NULL;
}

/* Which columns a part shows. */
static int belongs(const struct trace *t, int part, int column) {
    if (part == PARTS - 1) return t->closed[column];
    return part >= 1 && part <= 3 && (int)keel_sim_column_kind(t->sim, column) == part - 1;
}

static int take_columns(struct hdf5 *h) {
    const struct trace *t = h->trace;
    int total = 0;
    for (int k = 0; k < PARTS; k++) {
        struct part *p = &h->part[k];
        p->column = malloc(((size_t)(k == 4 ? t->rows : t->columns) + 1) * sizeof *p->column);
        if (!p->column) return -1;
        if (k == 0) p->column[p->width++] = 0;
        for (int i = 0; i < t->rows && k == 4; i++) p->column[p->width++] = i;
        for (int i = 0; i < t->columns; i++)
            if (belongs(t, k, i)) p->column[p->width++] = i;
        total += p->width;
    }
    long most = t->every_step || t->count > BLOCK_ROWS ? BLOCK_ROWS : t->count + 1,
         fit = BLOCK_NUMBERS / total;
    h->block = (hsize_t)(fit < 1 ? 1 : fit < most ? fit : most);
    h->mode = malloc(h->block * sizeof *h->mode);
    h->event = malloc(h->block * sizeof *h->event);
    int good = h->mode && h->event;
    for (int k = 0; k < PARTS; k++) {
        h->part[k].block = malloc((h->block * (hsize_t)h->part[k].width + 1) * sizeof(double));
        good &= h->part[k].block != NULL;
    }
    return good ? 0 : -1;
}

static int name_columns(struct hdf5 *h, int part) {
    const struct part *p = &h->part[part];
    const char **names = malloc(((size_t)p->width + 1) * sizeof *names);
    for (int i = 0; i < p->width && names; i++)
        names[i] = part == 4 ? keel_sim_row(h->trace->sim, p->column[i])
                             : keel_sim_column(h->trace->sim, p->column[i]);
    int bad = !names || put_texts(h, p->set, "names", p->width, names), any = 0;
    for (int i = 0; i < p->width && names && part != 4; i++) {
        const char *unit = keel_sim_column_unit(h->trace->sim, p->column[i]);
        names[i] = unit ? unit : "";
        any |= unit != NULL;
    }
    if (any && !bad) bad = put_texts(h, p->set, "units", p->width, names);
    free(names);
    return bad;
}

/* At the end: a run may enter others than those it began with. */
static int name_modes(struct hdf5 *h) {
    const keel_model *m = keel_sim_model(h->trace->sim);
    int count = keel_model_modes(m);
    const char **names = malloc(((size_t)count + 1) * sizeof *names);
    for (int i = 0; i < count && names; i++) {
        keel_mode mode = {0};
        keel_model_mode(m, i, &mode);
        names[i] = mode.name ? mode.name : "";
    }
    int bad = !names || put_texts(h, h->mode_set, "names", count, names);
    free(names);
    return bad;
}

static hid_t make_file(struct hdf5 *h) {
    hid_t how = h->h5.Pcreate(h->h5.P_CLS_FILE_CREATE_ID), access = h->h5.Pcreate(h->h5.P_CLS_FILE_ACCESS_ID);
    h->h5.Pset_obj_track_times(how, 0);
    h->h5.Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110); /* attributes of any length */
    hid_t id = h->h5.Fcreate(h->file.part, H5F_ACC_TRUNC, how, access);
    h->h5.Pclose(how);
    h->h5.Pclose(access);
    return id;
}

int hdf5_begin(struct hdf5 *h, const struct trace *t) {
    h->h5.Eset_auto2(H5E_DEFAULT, NULL, NULL);
    h->trace = t;
    if (take_columns(h)) return job_no_memory(h->job);
    errno = 0;
    h->text = text_type(h);
    h->event_type = event_type(h, 0);
    h->id = make_file(h);
    int bad = h->id < 0;
    for (int k = 0; k < PARTS && !bad; k++) {
        struct part *p = &h->part[k];
        if (p->width == 0) continue;
        p->set = make_set(h, part_name[k], h->h5.T_IEEE_F64LE, k == 0 ? 1 : 2, p->width);
        bad = p->set < 0 || (k > 0 && name_columns(h, k));
    }
    if (!bad) h->mode_set = make_set(h, "mode", h->h5.T_STD_I32LE, 1, 1);
    hid_t type = event_type(h, 1);
    if (!bad) h->event_set = make_set(h, "events", type, 1, 1);
    h->h5.Tclose(type);
    if (!bad && h->mode_set >= 0 && h->event_set >= 0) return 0;
    fail(h);
    return job_fail(h->job, EXIT_FAILED, "%s", h->job->sentence);
}

/* Rows -------------------------------------------------------------------------------------------------- */

static int append(struct hdf5 *h, hid_t set, hid_t type, int rank, int width, hsize_t from, hsize_t count,
                  const void *numbers) {
    hsize_t size[2] = {from + count, (hsize_t)width}, first[2] = {from, 0},
            piece[2] = {count, (hsize_t)width};
    if (h->h5.Dset_extent(set, size) < 0) return -1;
    hid_t space = h->h5.Dget_space(set), memory = h->h5.Screate_simple(rank, piece, NULL);
    int bad = h->h5.Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, piece, NULL) < 0 ||
              h->h5.Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) < 0;
    h->h5.Sclose(memory);
    h->h5.Sclose(space);
    return bad ? -1 : 0;
}

static int write_rows(struct hdf5 *h) {
    int bad = 0;
    errno = 0;
    for (int k = 0; k < PARTS && h->held && !bad; k++)
        if (h->part[k].width)
            bad = append(h, h->part[k].set, h->h5.T_NATIVE_DOUBLE, k == 0 ? 1 : 2, h->part[k].width, h->rows,
                         h->held, h->part[k].block);
    if (h->held && !bad) bad = append(h, h->mode_set, h->h5.T_NATIVE_INT, 1, 1, h->rows, h->held, h->mode);
    h->rows += h->held;
    h->held = 0;
    return bad ? fail(h) : 0;
}

static int write_events(struct hdf5 *h) {
    errno = 0;
    int bad = h->held_events &&
              append(h, h->event_set, h->event_type, 1, 1, h->events, h->held_events, h->event) != 0;
    h->events += h->held_events;
    h->held_events = 0;
    return bad ? fail(h) : 0;
}

static int take_event(struct hdf5 *h, const struct trace_row *row) {
    keel_event_record one = {.from = row->mode, .to = row->mode};
    keel_sim_event(h->trace->sim, h->events_seen++, &one);
    h->event[h->held_events++] = (struct event){row->t, row->event, one.from, one.to};
    return h->held_events == h->block ? write_events(h) : 0;
}

int hdf5_row(void *hdf5, const struct trace_row *row) {
    struct hdf5 *h = hdf5;
    const double *source[PARTS] = {&row->t, row->value, row->value, row->value, row->drift, row->error};
    if (row->event && take_event(h, row)) return -1;
    if (row->kind == TRACE_RECORD) return 0;
    for (int k = 0; k < PARTS; k++) {
        const struct part *p = &h->part[k];
        double *to = p->block + h->held * (hsize_t)p->width;
        for (int i = 0; i < p->width; i++) to[i] = source[k][p->column[i]];
    }
    h->mode[h->held++] = row->mode;
    return h->held == h->block ? write_rows(h) : 0;
}

/* Ending ------------------------------------------------------------------------------------------------ */

static int put_story(struct hdf5 *h, const struct outcome *o) {
    struct json result = {0}, options = {0};
    run_json_build(&result, o, h->job, 1);
    run_json_options(&options, NULL, h->job, 1);
    const char *text = keel_model_text(h->job->model);
    int bad = result.failed || options.failed || put_text(h, "model_text", text ? text : "") ||
              put_text(h, "options_json", options.text) || put_text(h, "result_json", result.text) ||
              put_text(h, "version", keel_version()) || put_text(h, "status", outcome_word(o->status));
    json_release(&result);
    json_release(&options);
    return bad;
}

static int close_sets(struct hdf5 *h) {
    int bad = 0;
    for (int k = 0; k < PARTS; k++) {
        if (h->part[k].set > 0) bad |= h->h5.Dclose(h->part[k].set) < 0;
        h->part[k].set = 0;
    }
    if (h->mode_set > 0) bad |= h->h5.Dclose(h->mode_set) < 0;
    if (h->event_set > 0) bad |= h->h5.Dclose(h->event_set) < 0;
    if (h->event_type > 0) h->h5.Tclose(h->event_type);
    if (h->text > 0) h->h5.Tclose(h->text);
    if (h->id >= 0) bad |= h->h5.Fclose(h->id) < 0;
    h->mode_set = h->event_set = h->event_type = h->text = 0;
    h->id = -1;
    return bad;
}

int hdf5_end(struct hdf5 *h, const struct outcome *o) {
    char why[JOB_SENTENCE];
    struct job *j = h->job;
    if (!h->failed && (write_rows(h) || write_events(h))) h->failed = 1;
    errno = 0;
    for (int k = 1; k < PARTS && !h->failed; k++)
        if (h->part[k].width == 0 && make_empty(h, part_name[k])) fail(h);
    if (!h->failed && (name_modes(h) || put_story(h, o))) fail(h);
    if (close_sets(h) && !h->failed) fail(h);
    int wrong = file_keep(&h->file, why, sizeof why);
    hdf5_drop(h);
    return wrong ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

void hdf5_drop(struct hdf5 *h) {
    if (!h) return;
    close_sets(h);
    file_drop(&h->file);
    for (int k = 0; k < PARTS; k++) {
        free(h->part[k].column);
        free(h->part[k].block);
    }
    free(h->mode);
    free(h->event);
    free(h);
}

#else

struct hdf5 *hdf5_open(struct job *j, const char *path) {
    job_fail(j, EXIT_FAILED, "--out %.200s: this build of keel has no HDF5; give a name that ends in .csv",
             path);
    return NULL;
}

int hdf5_begin(struct hdf5 *h, const struct trace *t) {
    (void)h, (void)t;
    return 0;
}

int hdf5_row(void *hdf5, const struct trace_row *row) {
    (void)hdf5, (void)row;
    return 0;
}

int hdf5_end(struct hdf5 *h, const struct outcome *o) {
    (void)h, (void)o;
    return 0;
}

void hdf5_drop(struct hdf5 *h) {
    (void)h;
}

#endif
