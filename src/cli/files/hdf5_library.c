/* hdf5_library.c - see hdf5_library.h. */
#ifdef KEEL_HDF5
#include "cli/files/hdf5_library.h"

#include "base/text.h"

#include <dlfcn.h>
#include <string.h>

/* C knows no cast of data to functions. */
static int find(void *handle, const char *name, void *function) {
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static int find_value(void *handle, const char *name, hid_t *value) {
    const hid_t *address = dlsym(handle, name);
    if (address) *value = *address;
    return address != NULL;
}

int hdf5_library_load(struct hdf5_library *l, char *why, size_t capacity) {
    static int opened; /* as the library itself: once for the process */
    void *handle = dlopen(KEEL_HDF5, RTLD_NOW | RTLD_LOCAL);
    int good = handle != NULL;
#define HDF5_CALL(name) good = good && find(handle, "H5" #name, &l->name);
    HDF5_CALLS(HDF5_CALL)
#undef HDF5_CALL
    /* Where it has failed it would only fail again at the end of the program; H5open sets the values. */
    good = good && (opened || (l->dont_atexit() >= 0 && l->open() >= 0));
    opened |= good;
#define HDF5_VALUE(name) good = good && find_value(handle, "H5" #name "_g", &l->name);
    HDF5_VALUES(HDF5_VALUE)
#undef HDF5_VALUE
    if (good) return 0;
    text_set(why, capacity, "the HDF5 library, %s, %s: give a name that ends in .csv", KEEL_HDF5,
             handle ? "does not work here" : "is not installed");
    return -1;
}
#else
typedef int hdf5_library_is_missing;
#endif
