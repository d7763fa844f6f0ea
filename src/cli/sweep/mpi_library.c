/* mpi_library.c - see mpi_library.h. */
#ifdef KEEL_MPI
#include "cli/sweep/mpi_library.h"

#include "base/text.h"

#include <dlfcn.h>
#include <string.h>

/* C knows no cast of data to functions. */
static int find(void *handle, const char *name, void *function) {
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Open MPI's objects are variables of the library; those of MPICH are numbers in the header. */
static int find_objects(void *handle, struct mpi_library *l) {
#ifdef OPEN_MPI
    l->world = dlsym(handle, "ompi_mpi_comm_world");
    l->byte = dlsym(handle, "ompi_mpi_byte");
    return l->world && l->byte;
#else
    (void)handle;
    l->world = MPI_COMM_WORLD;
    l->byte = MPI_BYTE;
    return 1;
#endif
}

int mpi_library_load(struct mpi_library *l, char *why, size_t capacity) {
    void *handle = dlopen(KEEL_MPI, RTLD_NOW | RTLD_GLOBAL); /* its own parts look for its symbols */
    int good = handle && find_objects(handle, l);
#define MPI_CALL(name) good = good && find(handle, "MPI_" #name, &l->name);
    MPI_CALLS(MPI_CALL)
#undef MPI_CALL
    if (good) return 0;
    text_set(why, capacity, "the MPI library, %s, %s", KEEL_MPI,
             handle ? "does not work here" : "is not installed");
    return -1;
}
#else
typedef int mpi_library_is_missing;
#endif
