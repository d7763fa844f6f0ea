/* long_lanes.c - the bits of members do not depend on lanes (lanes.h): all cases, 2, 4 and 8 lanes. */
#include "lanes.h"

static void bits_are_the_same(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) bits_do_not_depend_on_lanes(k, 2, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_same)};
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
