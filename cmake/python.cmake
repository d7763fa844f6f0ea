# python/: the extension is built with this library and tested with Debian's Python, where its packages are there.
# `./dev python` does the same.  Sanitizers would have to be loaded before the interpreter: the C tests have them.
if(NOT KEEL_PYTHON OR "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_DEBUG}" MATCHES "fsanitize")
    return()
endif()
execute_process(COMMAND ${KEEL_PYTHON} -c "import numpy, pytest, setuptools, sysconfig, os, sys
sys.exit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
if(lacking)
    message(STATUS "keel: tests of the Python package skipped: numpy, pytest, setuptools or Python's headers are missing")
    return()
endif()
keel_test(python "unit;asan-skip" "${PROJECT_SOURCE_DIR}/python/build_and_test" ${KEEL_PYTHON}
          "$<TARGET_FILE:keel_static>" "${PROJECT_BINARY_DIR}/python")
set_tests_properties(python PROPERTIES TIMEOUT 600)

# No leak in 10^5 runs of models, and as many of functions.
set(minutes_long_python 10)
keel_long_test(long_python ${CMAKE_COMMAND} -E env KEEL_PYTHON_TURNS=100000
               "${PROJECT_SOURCE_DIR}/python/build_and_test" ${KEEL_PYTHON} "$<TARGET_FILE:keel_static>"
               "${PROJECT_BINARY_DIR}/python_long" -k memory)
