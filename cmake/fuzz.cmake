# Numbers are computed without a look at their ways: it is texts that are sought, and those that are run would take
# ten times as long.
file(GLOB numbers CONFIGURE_DEPENDS src/core/*.c src/linalg/*.c src/methods/*.c src/lang/tape.c)
set_property(SOURCE ${numbers} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)

# The fuzz target with libFuzzer, and the program that writes its seeds and words.
add_executable(fuzz tests/fuzz/target.c tests/fuzz/mutate.c)
target_include_directories(fuzz PRIVATE src)
target_link_libraries(fuzz PRIVATE keel_flags keel_static m)
target_compile_definitions(fuzz PRIVATE KEEL_FUZZ_SECONDS=10)
target_link_options(fuzz PRIVATE -fsanitize=fuzzer)

add_executable(fuzz_seeds tests/fuzz/seeds.c)
target_include_directories(fuzz_seeds PRIVATE src)
target_link_libraries(fuzz_seeds PRIVATE keel_flags keel_static m)
