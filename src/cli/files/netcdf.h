/* netcdf.h - an HDF5 file of variables over named dimensions, as netCDF-4 has them: each dimension is a
 * dataset of its name, a dimension scale.  These are attributes, as the specification of H5DS describes them.
 * Where sizes are known before datasets are contiguous, or chunks of some rows along the first dimension. */
#ifndef KEEL_CLI_FILES_NETCDF_H
#define KEEL_CLI_FILES_NETCDF_H

#include "cli/files/hdf5_library.h"

enum { NETCDF_RANK = 31, NETCDF_NAME = 240, NETCDF_DIMENSIONS = 34 };

/* Who has a dimension, and at which place. */
struct netcdf_user {
    hobj_ref_t set;
    unsigned place;
};

struct netcdf_dimension {
    char name[NETCDF_NAME];
    hsize_t size; /* 0: it grows */
    struct netcdf_user *user;
    size_t users, capacity;
};

struct netcdf {
    struct hdf5_library h5;
    hid_t id, text, references; /* the file; types: texts, lists of references */
    struct netcdf_dimension dimension[NETCDF_DIMENSIONS];
    int dimensions;
    hsize_t chunk; /* rows of a chunk along the first dimension; 0: variables over it are contiguous */
};

/* All give 0 or -1, but for those that make something: its number, or -1. */
int netcdf_create(struct netcdf *n, const char *path); /* the library is loaded */
/* A dimension with its scale; numbers NULL: 0, 1, 2, ...; size 0: it grows, as variables over it alone do. */
int netcdf_dimension(struct netcdf *n, const char *name, hsize_t size, const double *numbers);
int netcdf_grow(struct netcdf *n, int dimension, hsize_t size); /* its scale, once all is written */
/* Names of variables may have slashes, which the file has as `_`. */
hid_t netcdf_variable(struct netcdf *n, const char *column, hid_t type, int rank, const int *dimension);
int netcdf_text(struct netcdf *n, hid_t at, const char *name, const char *text);        /* an attribute */
int netcdf_texts(struct netcdf *n, hid_t at, const char *name, int count, char **text); /* a list of them */
/* A file that is there, to be read. */
int netcdf_open(struct netcdf *n, const char *path);
/* The texts of an attribute of the file, each ended by a zero, one behind the other; to be freed; NULL. */
char *netcdf_read(struct netcdf *n, const char *name, int *count);
/* Selects the members first .. first + count - 1 of a dataset whose first `axes` dimensions are axes: one
 * range of it in row order, at most two slabs for each axis but the first; further dimensions are whole. */
int netcdf_range(const struct netcdf *n, hid_t space, int axes, hsize_t first, hsize_t count);
/* Reads them. */
int netcdf_numbers(const struct netcdf *n, hid_t set, hid_t type, int axes, hsize_t first, hsize_t count,
                   void *out);
/* A dataset and its sizes; -1: there is none. */
hid_t netcdf_find(const struct netcdf *n, const char *name, int *rank, hsize_t size[NETCDF_RANK + 1]);
int netcdf_close(struct netcdf *n); /* once all variables are closed */
#endif
