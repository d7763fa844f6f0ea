/* netcdf.c - see netcdf.h. */
#ifdef KEEL_HDF5
#include "cli/files/netcdf.h"

#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GROWTH = 1024 }; /* numbers of a chunk of what grows */

static void make_types(struct netcdf *n) {
    const struct hdf5_library *h5 = &n->h5;
    h5->Eset_auto2(H5E_DEFAULT, NULL, NULL);
    n->text = h5->Tcopy(h5->T_C_S1);
    h5->Tset_size(n->text, H5T_VARIABLE);
    h5->Tset_cset(n->text, H5T_CSET_UTF8);
    n->references = h5->Tvlen_create(h5->T_STD_REF_OBJ);
}

int netcdf_open(struct netcdf *n, const char *path) {
    make_types(n);
    n->id = n->h5.Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return n->id < 0 ? -1 : 0;
}

int netcdf_create(struct netcdf *n, const char *path) {
    const struct hdf5_library *h5 = &n->h5;
    make_types(n);
    hid_t how = h5->Pcreate(h5->P_CLS_FILE_CREATE_ID), access = h5->Pcreate(h5->P_CLS_FILE_ACCESS_ID);
    h5->Pset_obj_track_times(how, 0);
    h5->Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110); /* attributes of any length */
    n->id = h5->Fcreate(path, H5F_ACC_TRUNC, how, access);
    h5->Pclose(how);
    h5->Pclose(access);
    return n->id < 0 ? -1 : 0;
}

/* Attributes -------------------------------------------------------------------------------------------- */

/* count 0: one value, not a list. */
static int put_attribute(struct netcdf *n, hid_t at, const char *name, hid_t type, hsize_t count,
                         const void *value) {
    hid_t space = count ? n->h5.Screate_simple(1, &count, NULL) : n->h5.Screate(H5S_SCALAR);
    hid_t attribute = n->h5.Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = attribute < 0 || n->h5.Awrite(attribute, type, value) < 0;
    n->h5.Aclose(attribute);
    n->h5.Sclose(space);
    return bad ? -1 : 0;
}

int netcdf_text(struct netcdf *n, hid_t at, const char *name, const char *text) {
    return put_attribute(n, at, name, n->text, 0, &text);
}

int netcdf_texts(struct netcdf *n, hid_t at, const char *name, int count, char **text) {
    return put_attribute(n, at, name, n->text, (hsize_t)count, text);
}

/* A text of fixed length, as dimension scales want it. */
static int put_word(struct netcdf *n, hid_t at, const char *name, const char *text) {
    hid_t type = n->h5.Tcopy(n->h5.T_C_S1);
    n->h5.Tset_size(type, strlen(text) + 1);
    int bad = put_attribute(n, at, name, type, 0, text);
    n->h5.Tclose(type);
    return bad;
}

/* Datasets ---------------------------------------------------------------------------------------------- */

/* In chunks of GROWTH numbers if it grows, of `rows` rows if that is not 0, else contiguous.  No times of
 * creation: the same numbers give the same bytes. */
static hid_t make_set(struct netcdf *n, const char *name, hid_t type, int rank, const hsize_t *size,
                      hsize_t rows) {
    hsize_t most = H5S_UNLIMITED, chunk[NETCDF_RANK + 1] = {GROWTH}, bytes = 8 * rows;
    int grows = rank == 1 && size[0] == 0;
    for (int i = 1; i < rank && rows; i++) chunk[i] = size[i], bytes *= size[i];
    if (rows) chunk[0] = rows;
    hid_t space = n->h5.Screate_simple(rank, size, grows ? &most : NULL);
    hid_t how = n->h5.Pcreate(n->h5.P_CLS_DATASET_CREATE_ID);
    n->h5.Pset_obj_track_times(how, 0);
    if (grows || (rows && bytes < UINT32_MAX)) n->h5.Pset_chunk(how, rank, chunk);
    hid_t set = n->h5.Dcreate2(n->id, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    n->h5.Pclose(how);
    n->h5.Sclose(space);
    return set;
}

/* 0, 1, 2, ... piece by piece. */
static int write_counts(struct netcdf *n, hid_t set, hsize_t size) {
    int64_t count[GROWTH];
    int bad = 0;
    hid_t space = n->h5.Dget_space(set);
    for (hsize_t at = 0; at < size && !bad; at += GROWTH) {
        hsize_t some = size - at < GROWTH ? size - at : GROWTH;
        for (hsize_t k = 0; k < some; k++) count[k] = (int64_t)(at + k);
        hid_t memory = n->h5.Screate_simple(1, &some, NULL);
        bad = n->h5.Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &some, NULL) < 0 ||
              n->h5.Dwrite(set, n->h5.T_NATIVE_INT64, memory, space, H5P_DEFAULT, count) < 0;
        n->h5.Sclose(memory);
    }
    n->h5.Sclose(space);
    return bad ? -1 : 0;
}

static int write_scale(struct netcdf *n, hid_t set, hsize_t size, const double *numbers) {
    if (!numbers) return write_counts(n, set, size);
    return n->h5.Dwrite(set, n->h5.T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0 ? -1 : 0;
}

int netcdf_dimension(struct netcdf *n, const char *name, hsize_t size, const double *numbers) {
    if (n->dimensions == NETCDF_DIMENSIONS) return errno = EINVAL, -1;
    struct netcdf_dimension *d = &n->dimension[n->dimensions];
    text_set(d->name, sizeof d->name, "%s", name);
    d->size = size;
    hid_t set = make_set(n, d->name, numbers ? n->h5.T_IEEE_F64LE : n->h5.T_STD_I64LE, 1, &size, 0);
    int bad = set < 0 || write_scale(n, set, size, numbers) || put_word(n, set, "CLASS", "DIMENSION_SCALE") ||
              put_word(n, set, "NAME", d->name);
    if (set >= 0) n->h5.Dclose(set);
    return bad ? -1 : n->dimensions++;
}

int netcdf_grow(struct netcdf *n, int dimension, hsize_t size) {
    hid_t set = n->h5.Dopen2(n->id, n->dimension[dimension].name, H5P_DEFAULT);
    int bad = set < 0 || n->h5.Dset_extent(set, &size) < 0 || write_counts(n, set, size);
    if (set >= 0) n->h5.Dclose(set);
    return bad ? -1 : 0;
}

static int note_user(struct netcdf *n, int dimension, const char *name, unsigned place) {
    struct netcdf_dimension *d = &n->dimension[dimension];
    if (d->users == d->capacity) {
        size_t capacity = 2 * d->capacity + 8;
        struct netcdf_user *wider = realloc(d->user, capacity * sizeof *wider);
        if (!wider) return errno = ENOMEM, -1;
        d->user = wider;
        d->capacity = capacity;
    }
    struct netcdf_user *u = &d->user[d->users++];
    u->place = place;
    return n->h5.Rcreate(&u->set, n->id, name, H5R_OBJECT, -1) < 0 ? -1 : 0;
}

/* A slash would make groups of it: `d/dg x` is the dataset `d_dg x`. */
static const char *name_in_file(const char *name, char out[NETCDF_NAME]) {
    text_set(out, NETCDF_NAME, "%s", name);
    for (char *at = out; (at = strchr(at, '/'));) *at = '_';
    return out;
}

hid_t netcdf_variable(struct netcdf *n, const char *column, hid_t type, int rank, const int *dimension) {
    char name[NETCDF_NAME];
    name_in_file(column, name);
    hsize_t size[NETCDF_RANK + 1] = {0};
    hobj_ref_t scale[NETCDF_RANK + 1];
    hvl_t list[NETCDF_RANK + 1];
    for (int i = 0; i < rank; i++) size[i] = n->dimension[dimension[i]].size;
    hid_t set = make_set(n, name, type, rank, size, rank && dimension[0] == 0 ? n->chunk : 0);
    int bad = set < 0;
    for (int i = 0; i < rank && !bad; i++) {
        list[i] = (hvl_t){1, &scale[i]};
        bad = n->h5.Rcreate(&scale[i], n->id, n->dimension[dimension[i]].name, H5R_OBJECT, -1) < 0 ||
              note_user(n, dimension[i], name, (unsigned)i);
    }
    if (!bad && rank) bad = put_attribute(n, set, "DIMENSION_LIST", n->references, (hsize_t)rank, list);
    if (bad && set >= 0) n->h5.Dclose(set);
    return bad ? -1 : set;
}

int netcdf_range(const struct netcdf *n, hid_t space, int axes, hsize_t first, hsize_t count) {
    hsize_t end = first + count, length[NETCDF_RANK + 1], at[NETCDF_RANK + 1] = {0}, size[NETCDF_RANK + 1];
    H5S_seloper_t how = H5S_SELECT_SET;
    int rank = n->h5.Sget_simple_extent_ndims(space);
    if (rank < axes || rank > NETCDF_RANK) return -1;
    n->h5.Sget_simple_extent_dims(space, length, NULL);
    memcpy(size, length, sizeof size);
    while (first < end) {
        hsize_t stride = 1;
        int k = axes - 1;
        for (; k > 0; k--) { /* the outermost axis whose next piece is whole */
            hsize_t wider = stride * length[k];
            if (first % wider || first + wider > end) break;
            stride = wider;
        }
        hsize_t rest = first / stride, left = (end - first) / stride;
        for (int i = 0; i < axes; i++) at[i] = 0, size[i] = length[i];
        at[k] = rest % length[k];
        size[k] = length[k] - at[k] < left ? length[k] - at[k] : left;
        rest /= length[k];
        for (int i = k - 1; i >= 0; i--) {
            at[i] = rest % length[i], size[i] = 1;
            rest /= length[i];
        }
        if (n->h5.Sselect_hyperslab(space, how, at, NULL, size, NULL) < 0) return -1;
        how = H5S_SELECT_OR;
        first += size[k] * stride;
    }
    return 0;
}

int netcdf_numbers(const struct netcdf *n, hid_t set, hid_t type, int axes, hsize_t first, hsize_t count,
                   void *out) {
    hid_t space = n->h5.Dget_space(set);
    int bad = space < 0 || netcdf_range(n, space, axes, first, count);
    hssize_t points = bad ? 0 : n->h5.Sget_select_npoints(space);
    hsize_t all = (hsize_t)points;
    hid_t memory = n->h5.Screate_simple(1, &all, NULL);
    bad = bad || n->h5.Dread(set, type, memory, space, H5P_DEFAULT, out) < 0;
    n->h5.Sclose(memory);
    if (space >= 0) n->h5.Sclose(space);
    return bad ? -1 : 0;
}

hid_t netcdf_find(const struct netcdf *n, const char *name, int *rank, hsize_t size[NETCDF_RANK + 1]) {
    char in_file[NETCDF_NAME];
    hid_t set = n->h5.Dopen2(n->id, name_in_file(name, in_file), H5P_DEFAULT);
    hid_t space = set < 0 ? -1 : n->h5.Dget_space(set);
    *rank = space < 0 ? -1 : n->h5.Sget_simple_extent_ndims(space);
    if (*rank >= 0 && *rank <= NETCDF_RANK) n->h5.Sget_simple_extent_dims(space, size, NULL);
    if (space >= 0) n->h5.Sclose(space);
    return set;
}

/* Who has each dimension. */
static int put_users(struct netcdf *n) {
    hid_t type = n->h5.Tcreate(H5T_COMPOUND, sizeof(struct netcdf_user));
    n->h5.Tinsert(type, "dataset", HOFFSET(struct netcdf_user, set), n->h5.T_STD_REF_OBJ);
    n->h5.Tinsert(type, "dimension", HOFFSET(struct netcdf_user, place), n->h5.T_NATIVE_INT);
    int bad = 0;
    for (int i = 0; i < n->dimensions && !bad; i++) {
        const struct netcdf_dimension *d = &n->dimension[i];
        hid_t set = n->h5.Dopen2(n->id, d->name, H5P_DEFAULT);
        bad = set < 0 || (d->users && put_attribute(n, set, "REFERENCE_LIST", type, d->users, d->user));
        if (set >= 0) n->h5.Dclose(set);
    }
    n->h5.Tclose(type);
    return bad ? -1 : 0;
}

/* The texts one behind the other; NULL without memory. */
static char *joined(char *const *text, size_t count) {
    size_t length = 1;
    for (size_t i = 0; i < count; i++) length += (text[i] ? strlen(text[i]) : 0) + 1;
    char *all = malloc(length), *at = all;
    for (size_t i = 0; i < count && all; i++) {
        size_t bytes = text[i] ? strlen(text[i]) : 0;
        if (bytes) memcpy(at, text[i], bytes);
        at[bytes] = '\0';
        at += bytes + 1;
    }
    return all;
}

char *netcdf_read(struct netcdf *n, const char *name, int *count) {
    hid_t attribute = n->h5.Aopen(n->id, name, H5P_DEFAULT);
    hid_t space = attribute < 0 ? -1 : n->h5.Aget_space(attribute);
    hssize_t points = space < 0 ? 0 : n->h5.Sget_simple_extent_npoints(space);
    char **text = points > 0 && points < 100000 ? calloc((size_t)points, sizeof *text) : NULL, *all = NULL;
    if (text && n->h5.Aread(attribute, n->text, text) >= 0) {
        all = joined(text, (size_t)points);
        n->h5.Dvlen_reclaim(n->text, space, H5P_DEFAULT, text);
    }
    free(text);
    if (space >= 0) n->h5.Sclose(space);
    if (attribute >= 0) n->h5.Aclose(attribute);
    *count = (int)points;
    return all;
}

int netcdf_close(struct netcdf *n) {
    int bad = n->id >= 0 && n->dimensions && put_users(n);
    for (int i = 0; i < n->dimensions; i++) free(n->dimension[i].user);
    n->dimensions = 0;
    if (n->text > 0) n->h5.Tclose(n->text);
    if (n->references > 0) n->h5.Tclose(n->references);
    if (n->id >= 0) bad |= n->h5.Fclose(n->id) < 0;
    n->id = -1;
    n->text = n->references = 0;
    return bad ? -1 : 0;
}
#else
typedef int netcdf_is_missing;
#endif
