/* long_pencils.c - as test_pencils.c, 10^4 and more problems. */
#define CASES 20000
#include "test_pencils.c"
