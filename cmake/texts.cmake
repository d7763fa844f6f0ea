# Texts inside the command: src/cli/schema/*.json for `keel schema NAME`, docs/language.md for `keel help language`,
# src/cli/page/* for reports, examples/papers/* for `keel reproduce` and `keel run paper:NAME`.
file(GLOB schemas CONFIGURE_DEPENDS src/cli/schema/*.json)
set(schema_declarations "")
set(schema_rows "")
# keel_text(target file name): its lines as an array of strings, `name`, in the target.
function(keel_text target file name)
    set(text "${PROJECT_BINARY_DIR}/${name}.c")
    add_custom_command(OUTPUT "${text}"
        COMMAND ${CMAKE_COMMAND} -D "header=${file}" -D name=${name} -D "to=${text}"
                -P "${PROJECT_SOURCE_DIR}/cmake/header_text.cmake"
        DEPENDS "${file}" cmake/header_text.cmake VERBATIM)
    target_sources(${target} PRIVATE "${text}")
endfunction()

keel_text(keel_cli "${PROJECT_SOURCE_DIR}/docs/language.md" help_language)
foreach(script mechanism scene)
    keel_text(keel_cli "${PROJECT_SOURCE_DIR}/src/cli/page/${script}.js" page_${script})
endforeach()
keel_text(keel_cli "${PROJECT_SOURCE_DIR}/src/cli/page/report.css" page_report)
foreach(schema ${schemas})
    cmake_path(GET schema STEM name)
    keel_text(keel_cli "${schema}" schema_${name})
    string(APPEND schema_declarations "extern const char *const schema_${name}[];\n")
    string(APPEND schema_rows "    {\"${name}\", schema_${name}},\n")
endforeach()
file(CONFIGURE OUTPUT schema_table.c @ONLY CONTENT "/* Which schemas there are. */
#include \"cli/schema.h\"

@schema_declarations@
const struct schema schema_table[] = {
@schema_rows@    {0, 0}};
")
target_sources(keel_cli PRIVATE "${PROJECT_BINARY_DIR}/schema_table.c")

file(GLOB papers CONFIGURE_DEPENDS examples/papers/*)
set(paper_declarations "")
set(paper_rows "")
foreach(paper ${papers})
    cmake_path(GET paper FILENAME name)
    string(MAKE_C_IDENTIFIER "paper_${name}" identifier)
    keel_text(keel_cli "${paper}" ${identifier})
    string(APPEND paper_declarations "extern const char *const ${identifier}[];\n")
    string(APPEND paper_rows "    {\"${name}\", ${identifier}},\n")
endforeach()
file(CONFIGURE OUTPUT paper_table.c @ONLY CONTENT "/* Which models and claims of papers there are. */
#include \"cli/job/paper.h\"

@paper_declarations@
const struct paper_file paper_table[] = {
@paper_rows@    {0, 0}};
")
target_sources(keel_cli PRIVATE "${PROJECT_BINARY_DIR}/paper_table.c")
