# tests/ROOM/test_*.c: unit tests, in the rooms of src.  tests/ROOM/long_*.c: longer checks, run by `./dev long`.  One executable each.
if(PKG_CONFIG_FOUND)
    pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
endif()
if(NOT CMOCKA_FOUND)
    message(STATUS "keel: tests skipped: pkg-config or cmocka (libcmocka-dev) is missing")
    return()
endif()
find_package(Threads REQUIRED)
enable_testing()

# keel_test(name label command...) registers one test.
function(keel_test name labels)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 280)
endfunction()

file(GLOB programs CONFIGURE_DEPENDS tests/*/test_*.c tests/*/long_*.c)
foreach(program ${programs})
    cmake_path(GET program STEM name)
    keel_program(${name} ${program} keel_static keel_problems PkgConfig::CMOCKA Threads::Threads)
    target_include_directories(${name} PRIVATE src tests)
    target_compile_definitions(${name} PRIVATE "KEEL_EXAMPLES_DIR=\"${PROJECT_SOURCE_DIR}/examples\"")
    if(name MATCHES "^long_")
        keel_test(${name} long ${name})
        set_tests_properties(${name} PROPERTIES TIMEOUT 7200)
    else()
        keel_test(${name} unit ${name})
    endif()
endforeach()

include(cmake/sound.cmake)

# tests/starve: the calls of keel's own objects to what may run out of memory are led through there.
set(starved malloc calloc realloc aligned_alloc strdup strndup realpath fopen fdopen tmpfile open_memstream opendir
    vasprintf asprintf getline pool_take pool_copy expr_intern)
list(TRANSFORM starved PREPEND -Wl,--wrap=)
target_sources(test_starve PRIVATE tests/starve/starve.c)
target_link_options(test_starve PRIVATE ${starved})
add_executable(keel_starved src/cli/main.c tests/starve/server.c tests/starve/starve.c)
target_include_directories(keel_starved PRIVATE src tests)
target_compile_definitions(keel_starved PRIVATE _DEFAULT_SOURCE)
target_link_libraries(keel_starved PRIVATE keel_flags keel_cli keel_static m)
target_link_options(keel_starved PRIVATE ${starved} -Wl,--wrap=main)

# The public headers, compiled strictly in both languages and linked with the shared library.
set(header_checks tests/header_c11.c)
if(CMAKE_CXX_COMPILER)
    list(APPEND header_checks tests/header_cxx17.cpp)
else()
    message(STATUS "keel: the C++17 check of the headers skipped: no C++ compiler")
endif()
foreach(program ${header_checks})
    cmake_path(GET program STEM name)
    add_executable(${name} ${program})
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
    target_link_libraries(${name} PRIVATE keel)
    keel_test(${name} unit ${name})
endforeach()

# tests/cli/test_*: the command as users call it; 77: something it needs is not installed.  tests/cli/long_*: the
# same for hours, by `./dev long`.
find_program(KEEL_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH) # Debian's own has h5py
find_program(KEEL_PYTHON python3)
file(GLOB scripts CONFIGURE_DEPENDS tests/cli/test_*.sh tests/cli/test_*.py tests/cli/long_*.py)
foreach(script ${scripts})
    cmake_path(GET script STEM name)
    cmake_path(GET script EXTENSION ending)
    set(labels unit)
    set(seconds 280)
    if(name MATCHES "^long_")
        set(labels long)
        set(seconds 7200)
    elseif(name MATCHES "_browser$")
        set(labels "unit;asan-skip")
    endif()
    if(ending STREQUAL ".py" AND KEEL_PYTHON)
        keel_test(cli_${name} "${labels}" ${KEEL_PYTHON} -B ${script})
    elseif(ending STREQUAL ".sh")
        keel_test(cli_${name} "${labels}" ${script})
    else()
        continue()
    endif()
    set_tests_properties(cli_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${seconds} ENVIRONMENT
        "KEEL=$<TARGET_FILE:keel_command>;KEEL_STARVED=$<TARGET_FILE:keel_starved>;KEEL_SOURCE=${PROJECT_SOURCE_DIR};KEEL_BUILD=${PROJECT_BINARY_DIR};KEEL_EXAMPLES=${PROJECT_SOURCE_DIR}/examples;KEEL_HDF5=$<BOOL:${keel_hdf5}>")
endforeach()
if(NOT KEEL_PYTHON)
    message(STATUS "keel: tests of the command skipped: no python3")
endif()

# The papers are as good as recorded; the long test has the long tables, too.
keel_test(reproduce "unit;asan-skip" keel_command reproduce --quiet)
keel_test(reproduce_full long keel_command reproduce --full --quiet)
set_tests_properties(reproduce_full PROPERTIES TIMEOUT 7200)

# What users do: install, then build a program with pkg-config alone and with find_package.
keel_test(install "unit;asan-skip" "${PROJECT_SOURCE_DIR}/tests/user/install_test.sh" "${PROJECT_BINARY_DIR}")
