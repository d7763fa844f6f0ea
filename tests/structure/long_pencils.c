/* long_pencils.c - as test_pencils.c, 10^4 problems, or KEEL_PENCIL_CASES (cases.h). */
#define CASES 10000
#include "test_pencils.c"
