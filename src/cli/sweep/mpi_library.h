/* mpi_library.h - MPI, loaded by a sweep that mpirun has started: no other run waits for it.  Calls have
 * their names without MPI_; of its objects only the world of all ranks and the type of bytes are needed. */
#ifndef KEEL_CLI_SWEEP_MPI_LIBRARY_H
#define KEEL_CLI_SWEEP_MPI_LIBRARY_H

#include <mpi.h>
#include <stddef.h>

#define MPI_CALLS(X) \
    X(Init_thread)   \
    X(Finalize)      \
    X(Comm_rank)     \
    X(Comm_size) X(Iprobe) X(Recv) X(Send)

struct mpi_library {
#define MPI_CALL(name) __typeof__(MPI_##name) *name;
    MPI_CALLS(MPI_CALL)
#undef MPI_CALL
    MPI_Comm world;
    MPI_Datatype byte;
};

/* 0, or -1 with a sentence: it is not there.  Once loaded it stays. */
int mpi_library_load(struct mpi_library *l, char *why, size_t capacity);
#endif
