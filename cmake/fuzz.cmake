# tests/fuzz: every target_NAME.c is a program fuzz_NAME with libFuzzer (KEEL_FUZZ, `./dev fuzz`), with mutate_NAME.c
# where there is one, and a unit test fuzz_replay_NAME over what is kept in corpus/NAME.  Every other file there, but
# replay.c and seeds.c, is shared by all targets.
file(GLOB fuzz_targets CONFIGURE_DEPENDS tests/fuzz/target_*.c)
file(GLOB fuzz_parts CONFIGURE_DEPENDS tests/fuzz/*.c)
list(FILTER fuzz_parts EXCLUDE REGEX "/((target|mutate)_.*|replay|seeds)\\.c$")
add_library(keel_fuzz STATIC EXCLUDE_FROM_ALL ${fuzz_parts})
target_compile_definitions(keel_fuzz PRIVATE _DEFAULT_SOURCE)
target_include_directories(keel_fuzz PRIVATE src)
target_link_libraries(keel_fuzz PRIVATE keel_flags keel_static m)

# keel_fuzz_program(name source...)
function(keel_fuzz_program name)
    add_executable(${name} ${ARGN})
    target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE)
    target_include_directories(${name} PRIVATE src)
    target_link_libraries(${name} PRIVATE keel_flags keel_fuzz keel_cli keel_static m)
endfunction()

# Sound models: those of the targets whose input is the text of one.
file(GLOB fuzz_models CONFIGURE_DEPENDS examples/*.keel examples/papers/*.keel)
file(GLOB fuzz_claims CONFIGURE_DEPENDS examples/papers/*.claims)
set(fuzz_seeds_text ${fuzz_models})
set(fuzz_seeds_claims ${fuzz_claims})

if(COMMAND keel_test)
    foreach(target ${fuzz_targets})
        string(REGEX REPLACE ".*/target_(.*)\\.c$" "\\1" name "${target}")
        keel_fuzz_program(fuzz_replay_${name} ${target} tests/fuzz/replay.c)
        file(GLOB kept CONFIGURE_DEPENDS tests/fuzz/corpus/${name}/*)
        keel_test(fuzz_replay_${name} unit fuzz_replay_${name} ${kept} ${fuzz_seeds_${name}})
    endforeach()
endif()
if(NOT KEEL_FUZZ)
    return()
endif()

# Numbers are computed without a look at their ways: it is texts that are sought, and those that are run would take
# ten times as long.
file(GLOB numbers CONFIGURE_DEPENDS src/core/*.c src/linalg/*.c src/methods/*.c src/stabilizers/*.c src/symbolic/tape.c src/symbolic/roll.c)
set_property(SOURCE ${numbers} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)

# The models that the mutator takes statements from.
set(model_declarations "")
set(model_names "")
foreach(model ${fuzz_models})
    cmake_path(GET model STEM name)
    keel_text(keel_fuzz "${model}" model_${name})
    string(APPEND model_declarations "extern const char *const model_${name}[];\n")
    string(APPEND model_names "    model_${name},\n")
endforeach()
file(CONFIGURE OUTPUT mutate_models.c @ONLY CONTENT "/* Sound models, line by line. */
#include \"mutate.h\"

@model_declarations@
const char *const *const mutate_models[] = {
@model_names@    0};
")
target_sources(keel_fuzz PRIVATE "${PROJECT_BINARY_DIR}/mutate_models.c")
target_include_directories(keel_fuzz PRIVATE tests/fuzz)

keel_fuzz_program(fuzz_seeds tests/fuzz/seeds.c)
add_custom_target(fuzz DEPENDS fuzz_seeds)
foreach(target ${fuzz_targets})
    string(REGEX REPLACE ".*/target_(.*)\\.c$" "\\1" name "${target}")
    file(GLOB mutator CONFIGURE_DEPENDS tests/fuzz/mutate_${name}.c)
    keel_fuzz_program(fuzz_${name} ${target} ${mutator})
    target_compile_definitions(fuzz_${name} PRIVATE KEEL_FUZZ_SECONDS=10)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz fuzz_${name})
endforeach()
