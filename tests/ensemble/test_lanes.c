/* test_lanes.c - the bits of members do not depend on lanes (lanes.h): what is quick to compile. */
#include "lanes.h"

static void bits_are_the_same(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++)
        if (cases[k].least) bits_do_not_depend_on_lanes(k, cases[k].least, cases[k].most);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_same)};
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
