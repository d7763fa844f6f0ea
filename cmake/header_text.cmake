# header_text.cmake - a header without its #include lines as an array of C strings, `name`, one a line.
# cmake -D header=FILE -D name=NAME -D to=FILE -P header_text.cmake
file(READ "${header}" text)
string(REGEX REPLACE "(^|\n)#include[^\n]*" "\\1" text "${text}")
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REGEX REPLACE "\n$" "" text "${text}")
string(REPLACE "\n" "\\n\",\n    \"" text "${text}")
file(WRITE "${to}" "extern const char *const ${name}[];\nconst char *const ${name}[] = {\n    \"${text}\\n\",\n    0};\n")
