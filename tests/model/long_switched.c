/* long_switched.c - as test_switched.c, 10^5 problems, or KEEL_SWITCHED_CASES (cases.h). */
#define CASES 100000
#include "test_switched.c"
