# Texts inside the command: src/cli/schema/*.json for `keel schema NAME`, docs/language.md for `keel help language`.
file(GLOB schemas CONFIGURE_DEPENDS src/cli/schema/*.json)
set(schema_declarations "")
set(schema_rows "")
# keel_text(file name): its lines as an array of strings, `name`.
function(keel_text file name)
    set(text "${PROJECT_BINARY_DIR}/${name}.c")
    add_custom_command(OUTPUT "${text}"
        COMMAND ${CMAKE_COMMAND} -D "header=${file}" -D name=${name} -D "to=${text}"
                -P "${PROJECT_SOURCE_DIR}/cmake/header_text.cmake"
        DEPENDS "${file}" cmake/header_text.cmake VERBATIM)
    target_sources(keel_command PRIVATE "${text}")
endfunction()

keel_text("${PROJECT_SOURCE_DIR}/docs/language.md" help_language)
foreach(schema ${schemas})
    cmake_path(GET schema STEM name)
    keel_text("${schema}" schema_${name})
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
