# bench/*.c: one executable each; table.c beside the cases it runs and the peers it measures.
if(PKG_CONFIG_FOUND)
    pkg_check_modules(GSL IMPORTED_TARGET gsl)
endif()
find_path(KEEL_ODEINT_DIR boost/numeric/odeint.hpp)
if(NOT GSL_FOUND OR NOT KEEL_ODEINT_DIR OR NOT CMAKE_CXX_COMPILER)
    message(STATUS "keel: benchmarks skipped: a C++ compiler, GSL (libgsl-dev) or Boost (libboost-dev) is missing")
    return()
endif()

# The same flags for all: keel compiles models with these where the processor has AVX, or AVX-512VL
# (src/codegen/compile.c).
include(CheckCSourceRuns)
check_c_source_runs("int main(void) { return !__builtin_cpu_supports(\"avx\"); }" KEEL_HAS_AVX)
check_c_source_runs("int main(void) { return !__builtin_cpu_supports(\"avx512vl\") ||
    !__builtin_cpu_supports(\"avx512dq\"); }" KEEL_HAS_AVX512VL)
set(flags $<$<BOOL:${KEEL_HAS_AVX}>:-mavx;-mprefer-vector-width=128>
    $<$<BOOL:${KEEL_HAS_AVX512VL}>:-mavx512vl;-mavx512dq;-fno-tree-vectorize>)

file(GLOB programs CONFIGURE_DEPENDS bench/*.c)
foreach(program ${programs})
    cmake_path(GET program STEM stem)
    keel_program(bench_${stem} ${program} keel_static keel_problems)
    target_compile_definitions(bench_${stem} PRIVATE "KEEL_EXAMPLES_DIR=\"${PROJECT_SOURCE_DIR}/examples\""
                               "KEEL_COMMAND=\"$<TARGET_FILE:keel_command>\"")
    target_compile_options(bench_${stem} PRIVATE "${flags}")
    target_include_directories(bench_${stem} PRIVATE bench)
endforeach()

file(GLOB sources CONFIGURE_DEPENDS bench/cases/*.c bench/peers/*.c bench/peers/*.cpp bench/report/*.c)
list(FILTER sources EXCLUDE REGEX "peers/(motion|cvode|ida.*)\\.c$")
target_sources(bench_table PRIVATE ${sources})
target_include_directories(bench_table SYSTEM PRIVATE ${KEEL_ODEINT_DIR})
target_link_libraries(bench_table PRIVATE PkgConfig::GSL)
if(KEEL_TESTS AND COMMAND keel_test)
    set(figures "${PROJECT_BINARY_DIR}/bench_quick.json")
    keel_test(bench_quick "unit;asan-skip" bench_table --quick --json "${figures}"
              steps kepler-25 pendulum-10 andrews chain-10 chain-100)
    set_tests_properties(bench_quick PROPERTIES FIXTURES_SETUP figures)
    if(KEEL_PYTHON)
        keel_test(bench_page "unit;asan-skip" ${KEEL_PYTHON} "${PROJECT_SOURCE_DIR}/tools/make_performance_page"
                  --to "${PROJECT_BINARY_DIR}" "${figures}")
        set_tests_properties(bench_page PROPERTIES FIXTURES_REQUIRED figures)
    endif()
endif()
file(GLOB cases CONFIGURE_DEPENDS bench/cases/*.c)
foreach(program taylor model_cost)
    target_sources(bench_${program} PRIVATE ${cases})
endforeach()

file(GLOB lines CONFIGURE_DEPENDS bench/lines/*.c)
target_sources(bench_large PRIVATE ${lines})
target_compile_options(bench_cluster PRIVATE -fno-math-errno -ffp-contract=off) # as models are compiled
file(GLOB planes CONFIGURE_DEPENDS bench/planes/*.c)
target_sources(bench_plane PRIVATE ${planes})

# Steppers of odeint are copied before they have values.
set_source_files_properties(bench/peers/odeint.cpp PROPERTIES COMPILE_OPTIONS "-Wno-maybe-uninitialized")

# SUNDIALS with optimization, as tools/build_sundials makes it; else the distribution's, which the table calls unfair.
set(KEEL_SUNDIALS "${PROJECT_SOURCE_DIR}/build/sundials" CACHE PATH "Where tools/build_sundials has put SUNDIALS")
set(parts ida cvode nvecserial sunlinsolband sunlinsoldense sunlinsolspgmr sunmatrixband sunmatrixdense sunmatrixsparse
    sunnonlinsolfixedpoint generic)
find_library(KEEL_SUNDIALS_PACKAGED sundials_ida)
if(EXISTS "${KEEL_SUNDIALS}/lib/libsundials_ida.a")
    foreach(program table large plane)
        target_include_directories(bench_${program} SYSTEM PRIVATE "${KEEL_SUNDIALS}/include")
    endforeach()
    list(TRANSFORM parts REPLACE "(.+)" "${KEEL_SUNDIALS}/lib/libsundials_\\1.a")
elseif(KEEL_SUNDIALS_PACKAGED)
    target_compile_definitions(bench_table PRIVATE KEEL_SUNDIALS_PACKAGED)
    list(TRANSFORM parts PREPEND sundials_)
else()
    return()
endif()
target_sources(bench_table PRIVATE bench/peers/motion.c bench/peers/cvode.c bench/peers/ida.c bench/peers/ida_motion.c
               bench/peers/ida_chain.c)
find_library(KEEL_KLU_LIBRARY klu)
foreach(program table large plane)
    if(NOT program STREQUAL table)
        if(NOT (KEEL_KLU_DIR AND KEEL_KLU_LIBRARY))
            continue()
        endif()
        target_include_directories(bench_${program} SYSTEM PRIVATE ${KEEL_KLU_DIR})
        target_link_libraries(bench_${program} PRIVATE ${KEEL_KLU_LIBRARY})
    endif()
    target_compile_definitions(bench_${program} PRIVATE KEEL_SUNDIALS)
    target_link_libraries(bench_${program} PRIVATE ${parts} m)
endforeach()
