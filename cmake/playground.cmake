# The playground: keel as WebAssembly with the command's own code, for a page (./dev playground puts it together).
add_executable(playground playground/entry.c)
set_target_properties(playground PROPERTIES SUFFIX .js LINKER_LANGUAGE C)
target_compile_definitions(playground PRIVATE _GNU_SOURCE)
target_include_directories(playground PRIVATE src)
target_link_libraries(playground PRIVATE keel_flags keel_cli keel_static m)
target_link_options(playground PRIVATE -O2
    "SHELL:-s MODULARIZE=1" "SHELL:-s EXPORT_NAME=createKeel" "SHELL:-s ENVIRONMENT=worker,node"
    "SHELL:-s EXPORTED_FUNCTIONS=_playground_command,_malloc,_free"
    "SHELL:-s EXPORTED_RUNTIME_METHODS=FS,TTY,allocateUTF8,HEAP32"
    "SHELL:-s ALLOW_MEMORY_GROWTH=1" "SHELL:-s INITIAL_MEMORY=33554432" "SHELL:-s MAXIMUM_MEMORY=2147483648"
    "SHELL:-s FILESYSTEM=1" "SHELL:-s EXIT_RUNTIME=0" --no-entry)
