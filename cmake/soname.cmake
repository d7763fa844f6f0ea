# keel_soname(NAME PATTERN LIBRARY...) sets NAME to the name under which the loader knows the first library whose path
# matches: libhdf5_serial.so.103, for example; "" where there is none.
function(keel_soname name pattern)
    set(found "")
    foreach(library ${ARGN})
        if(NOT found AND library MATCHES "${pattern}" AND CMAKE_READELF)
            execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${CMAKE_READELF} -d ${library}
                            OUTPUT_VARIABLE about ERROR_QUIET)
            if(about MATCHES "SONAME[^\n]*\\[([^]\n]+)\\]")
                set(found ${CMAKE_MATCH_1})
            endif()
        endif()
    endforeach()
    set(${name} "${found}" PARENT_SCOPE)
endfunction()
