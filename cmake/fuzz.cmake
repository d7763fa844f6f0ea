# The fuzz target with libFuzzer, and the program that writes its seeds and words.
add_executable(fuzz tests/fuzz/target.c tests/fuzz/mutate.c)
target_include_directories(fuzz PRIVATE src)
target_link_libraries(fuzz PRIVATE keel_flags keel_static m)
target_link_options(fuzz PRIVATE -fsanitize=fuzzer)

add_executable(fuzz_seeds tests/fuzz/seeds.c)
target_include_directories(fuzz_seeds PRIVATE src)
target_link_libraries(fuzz_seeds PRIVATE keel_flags keel_static m)
