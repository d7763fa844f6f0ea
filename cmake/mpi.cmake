# Ranks of `mpirun keel sweep`: headers when keel is built; the library is loaded by a sweep that mpirun has started.
# -DKEEL_MPI=OFF leaves it out; MPI_HOME or -DMPI_C_COMPILER chooses one of several.  Sets keel_mpi.
option(KEEL_MPI "Sweeps over the ranks of mpirun (needs MPI headers)" ON)
set(keel_mpi "")
if(KEEL_MPI)
    find_package(MPI QUIET COMPONENTS C)
endif()
# The name under which the loader knows the library that fits the headers: libmpi.so.40, libmpich.so.12.
foreach(library ${MPI_C_LIBRARIES})
    if(NOT keel_mpi AND library MATCHES "/libmpi(ch)?\\.so" AND CMAKE_READELF)
        execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${CMAKE_READELF} -d ${library}
                        OUTPUT_VARIABLE about ERROR_QUIET)
        if(about MATCHES "SONAME[^\n]*\\[([^]\n]+)\\]")
            set(keel_mpi ${CMAKE_MATCH_1})
        endif()
    endif()
endforeach()
if(keel_mpi)
    target_compile_definitions(keel_cli PRIVATE "KEEL_MPI=\"${keel_mpi}\"")
    target_include_directories(keel_cli SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
elseif(KEEL_MPI)
    message(STATUS "keel: sweeps know no ranks of mpirun: libopenmpi-dev is missing")
endif()
