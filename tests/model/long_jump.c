/* long_jump.c - as test_jump.c, 10^5 random changes, or KEEL_JUMP_CASES (cases.h). */
#define CASES 100000
#define ONLY_RANDOM
#include "test_jump.c"
