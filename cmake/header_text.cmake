# header_text.cmake - a header without its #include lines, and a text of C without its comments and indents, as
# an array of C strings, `name`, one a line.  Compilers read it, and its check sums are taken, again and again.
# cmake -D header=FILE -D name=NAME -D to=FILE -P header_text.cmake
file(READ "${header}" text)
string(REGEX REPLACE "(^|\n)#include[^\n]*" "\\1" text "${text}")
if(header MATCHES "\\.h$")
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
    string(REGEX REPLACE "[ \n]*\n *" "\n" text "${text}")
endif()
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REGEX REPLACE "\n$" "" text "${text}")
string(REPLACE "\n" "\\n\",\n    \"" text "${text}")
file(WRITE "${to}" "extern const char *const ${name}[];\nconst char *const ${name}[] = {\n    \"${text}\\n\",\n    0};\n")
