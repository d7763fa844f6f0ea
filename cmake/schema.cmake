# src/cli/schema/*.json as text inside the command: `keel schema NAME` prints it.
file(GLOB schemas CONFIGURE_DEPENDS src/cli/schema/*.json)
set(schema_declarations "")
set(schema_rows "")
foreach(schema ${schemas})
    cmake_path(GET schema STEM name)
    set(text "${PROJECT_BINARY_DIR}/schema_${name}.c")
    add_custom_command(OUTPUT "${text}"
        COMMAND ${CMAKE_COMMAND} -D "header=${schema}" -D name=schema_${name} -D "to=${text}"
                -P "${PROJECT_SOURCE_DIR}/cmake/header_text.cmake"
        DEPENDS "${schema}" cmake/header_text.cmake VERBATIM)
    target_sources(keel_command PRIVATE "${text}")
    string(APPEND schema_declarations "extern const char *const schema_${name}[];\n")
    string(APPEND schema_rows "    {\"${name}\", schema_${name}},\n")
endforeach()
file(CONFIGURE OUTPUT schema_table.c @ONLY CONTENT "/* Which schemas there are. */
#include \"cli/schema.h\"

@schema_declarations@
const struct schema schema_table[] = {
@schema_rows@    {0, 0}};
")
target_sources(keel_command PRIVATE "${PROJECT_BINARY_DIR}/schema_table.c")
