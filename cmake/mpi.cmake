# Ranks of `mpirun keel sweep`: headers when keel is built; the library is loaded by a sweep that mpirun has started.
# -DKEEL_MPI=OFF leaves it out; MPI_HOME or -DMPI_C_COMPILER chooses one of several.  Sets keel_mpi.
option(KEEL_MPI "Sweeps over the ranks of mpirun (needs MPI headers)" ON)
if(KEEL_MPI)
    find_package(MPI QUIET COMPONENTS C)
endif()
keel_soname(keel_mpi "/libmpi(ch)?\\.so" ${MPI_C_LIBRARIES})
if(keel_mpi)
    target_compile_definitions(keel_cli PRIVATE "KEEL_MPI=\"${keel_mpi}\"")
    target_include_directories(keel_cli SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
elseif(KEEL_MPI)
    message(STATUS "keel: sweeps know no ranks of mpirun: libopenmpi-dev is missing")
endif()
