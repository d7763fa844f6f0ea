/* hdf5_library.h - HDF5, loaded by the run that writes such a file: it brings thirty libraries with it,
 * which no other run has to wait for.  Calls have their names without H5; types and classes are HDF5's
 * variables of these names. */
#ifndef KEEL_CLI_FILES_HDF5_LIBRARY_H
#define KEEL_CLI_FILES_HDF5_LIBRARY_H

#include <hdf5.h>
#include <stddef.h>

/* The header's constants call the library; here it is open when they are used. */
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

#define HDF5_CALLS(X)             \
    X(dont_atexit)                \
    X(open)                       \
    X(Aclose)                     \
    X(Aget_space)                 \
    X(Aopen)                      \
    X(Aread)                      \
    X(Acreate2)                   \
    X(Awrite)                     \
    X(Dclose)                     \
    X(Dcreate2)                   \
    X(Dopen2)                     \
    X(Dget_space)                 \
    X(Dset_extent)                \
    X(Dread)                      \
    X(Dvlen_reclaim)              \
    X(Dwrite)                     \
    X(Eset_auto2)                 \
    X(Fclose)                     \
    X(Gget_info)                  \
    X(Lget_name_by_idx)           \
    X(Fcreate)                    \
    X(Fopen)                      \
    X(Pclose)                     \
    X(Pcreate)                    \
    X(Pset_chunk)                 \
    X(Pset_libver_bounds)         \
    X(Pset_obj_track_times)       \
    X(Sclose)                     \
    X(Screate)                    \
    X(Sget_simple_extent_npoints) \
    X(Sget_simple_extent_ndims)   \
    X(Sget_simple_extent_dims)    \
    X(Sget_select_npoints)        \
    X(Rcreate)                    \
    X(Tvlen_create)               \
    X(Screate_simple) X(Sselect_hyperslab) X(Tclose) X(Tcopy) X(Tcreate) X(Tinsert) X(Tset_cset) X(Tset_size)
#define HDF5_VALUES(X) \
    X(T_C_S1)          \
    X(T_IEEE_F64LE)    \
    X(T_STD_I32LE)     \
    X(T_STD_I64LE)     \
    X(T_STD_REF_OBJ)   \
    X(T_NATIVE_INT64)  \
    X(T_NATIVE_DOUBLE) \
    X(T_NATIVE_INT) X(P_CLS_DATASET_CREATE_ID) X(P_CLS_FILE_CREATE_ID) X(P_CLS_FILE_ACCESS_ID)

struct hdf5_library {
#define HDF5_CALL(name) __typeof__(H5##name) *name;
    HDF5_CALLS(HDF5_CALL)
#undef HDF5_CALL
#define HDF5_VALUE(name) hid_t name;
    HDF5_VALUES(HDF5_VALUE)
#undef HDF5_VALUE
};

/* 0, or -1 with a sentence: it is not there.  Once loaded it stays. */
int hdf5_library_load(struct hdf5_library *l, char *why, size_t capacity);
#endif
