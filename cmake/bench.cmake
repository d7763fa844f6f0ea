# bench/*.c and bench/*.cpp: one executable each, beside the peers they are measured against.
if(PKG_CONFIG_FOUND)
    pkg_check_modules(GSL IMPORTED_TARGET gsl)
endif()
find_path(KEEL_ODEINT_DIR boost/numeric/odeint.hpp)
if(NOT GSL_FOUND OR NOT KEEL_ODEINT_DIR OR NOT CMAKE_CXX_COMPILER)
    message(STATUS "keel: benchmarks skipped: a C++ compiler, GSL (libgsl-dev) or Boost (libboost-dev) is missing")
    return()
endif()

# SUNDIALS with optimization, as tools/build_sundials makes it; without it mechanics is left out.
set(KEEL_SUNDIALS "${PROJECT_SOURCE_DIR}/build/sundials" CACHE PATH "Where tools/build_sundials has put SUNDIALS")

file(GLOB programs CONFIGURE_DEPENDS bench/*.c bench/*.cpp)
foreach(program ${programs})
    cmake_path(GET program STEM stem)
    if(stem STREQUAL "mechanics" AND NOT EXISTS "${KEEL_SUNDIALS}/lib/libsundials_ida.a")
        continue()
    endif()
    keel_program(bench_${stem} ${program} keel_static keel_problems PkgConfig::GSL)
    target_compile_definitions(bench_${stem} PRIVATE "KEEL_EXAMPLES_DIR=\"${PROJECT_SOURCE_DIR}/examples\""
                               "KEEL_COMMAND=\"$<TARGET_FILE:keel_command>\"")
    target_include_directories(bench_${stem} SYSTEM PRIVATE ${KEEL_ODEINT_DIR})
endforeach()

if(TARGET bench_mechanics)
    target_sources(bench_mechanics PRIVATE bench/peers/sundials.c)
    target_include_directories(bench_mechanics SYSTEM PRIVATE "${KEEL_SUNDIALS}/include")
    foreach(part ida cvode nvecserial sunlinsoldense sunmatrixdense generic)
        target_link_libraries(bench_mechanics PRIVATE "${KEEL_SUNDIALS}/lib/libsundials_${part}.a")
    endforeach()
    target_link_libraries(bench_mechanics PRIVATE m)
endif()
