/* table_hdf5.c - see table_hdf5.h. */
#include "cli/job/table_hdf5.h"

#include <string.h>

int table_hdf5_is(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".nc") == 0);
}

#ifdef KEEL_HDF5

#include "base/text.h"
#include "cli/files/netcdf.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { COLUMNS = 1000 };

struct columns {
    struct job *job;
    struct netcdf n;
    char name[COLUMNS][NETCDF_NAME];
    double *value[COLUMNS];
    int count;
    hsize_t rows;
};

static int is_scale(struct columns *c, hid_t set) {
    hid_t attribute = c->n.h5.Aopen(set, "CLASS", H5P_DEFAULT);
    if (attribute >= 0) c->n.h5.Aclose(attribute);
    return attribute >= 0;
}

static int take_set(struct columns *c, const char *path, const char *name) {
    hsize_t size[NETCDF_RANK + 1];
    int rank;
    hid_t set = netcdf_find(&c->n, name, &rank, size);
    if (set < 0 || is_scale(c, set)) return set >= 0 ? c->n.h5.Dclose(set), 0 : 0; /* a folder, or a scale */
    const char *why = NULL;
    if (rank != 1) why = "is no list of numbers";
    else if (c->count && size[0] != c->rows) why = "is not as long as the others";
    else if (c->count == COLUMNS) why = "is one column too many";
    double *value = why ? NULL : malloc((size[0] + 1) * sizeof *value);
    if (value && netcdf_numbers(&c->n, set, c->n.h5.T_NATIVE_DOUBLE, 1, 0, size[0], value))
        why = "is no list of numbers", free(value);
    c->n.h5.Dclose(set);
    if (why) return job_fail(c->job, EXIT_USAGE, "--table: %.200s: `%.80s` %s", path, name, why);
    if (!value) return job_no_memory(c->job);
    text_set(c->name[c->count], NETCDF_NAME, "%s", strncmp(name, "start.", 6) == 0 ? name + 6 : name);
    c->rows = size[0];
    c->value[c->count++] = value;
    return 0;
}

static int take_all(struct columns *c, const char *path) {
    H5G_info_t about = {0};
    if (c->n.h5.Gget_info(c->n.id, &about) < 0) about.nlinks = 0;
    for (hsize_t i = 0; i < about.nlinks; i++) {
        char name[NETCDF_NAME];
        if (c->n.h5.Lget_name_by_idx(c->n.id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                                     H5P_DEFAULT) >= (ssize_t)sizeof name)
            continue;
        if (take_set(c, path, name)) return c->job->status;
    }
    if (c->count && c->rows) return 0;
    return job_fail(c->job, EXIT_USAGE, "--table: %.200s has no lists of numbers", path);
}

static int give(struct columns *c, keel_plan *p) {
    size_t count = (size_t)c->count;
    double *all = malloc((count * c->rows + 1) * sizeof *all);
    const char *name[COLUMNS];
    for (size_t i = 0; i < count && all; i++) {
        name[i] = c->name[i];
        for (hsize_t k = 0; k < c->rows; k++) all[k * count + i] = c->value[i][k];
    }
    keel_status status = all ? keel_plan_columns(p, c->count, name, (int64_t)c->rows, all) : KEEL_ENOMEM;
    free(all);
    if (status == KEEL_ENOMEM) return job_no_memory(c->job);
    return status < 0 ? job_fail(c->job, EXIT_USAGE, "--table: %s", keel_plan_message(p)) : 0;
}

int table_hdf5_read(struct job *j, keel_plan *p, const char *path) {
    char why[JOB_SENTENCE];
    struct columns *c = calloc(1, sizeof *c);
    if (!c) return job_no_memory(j);
    c->job = j;
    c->n.id = -1;
    int status = 0;
    if (access(path, R_OK) != 0)
        status = job_fail(j, EXIT_USAGE, "--table: %.300s cannot be read: %s", path, strerror(errno));
    else if (hdf5_library_load(&c->n.h5, why, sizeof why))
        status = job_fail(j, EXIT_FAILED, "--table: %s", why);
    else if (netcdf_open(&c->n, path))
        status = job_fail(j, EXIT_USAGE, "--table: %.300s is no HDF5 file", path);
    else status = take_all(c, path) || give(c, p) ? j->status : 0;
    if (c->n.text > 0) netcdf_close(&c->n);
    for (int i = 0; i < c->count; i++) free(c->value[i]);
    free(c);
    return status;
}

#else

int table_hdf5_read(struct job *j, keel_plan *p, const char *path) {
    (void)p;
    return job_fail(j, EXIT_FAILED, "--table %.200s: this build of keel has no HDF5; give a .csv", path);
}

#endif
