/* long_switched.c - as test_switched.c, 10^5 problems. */
#define CASES 100000
#include "test_switched.c"
