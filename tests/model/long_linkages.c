/* long_linkages.c - sensitivities of random mechanisms with more constraints than they need (linkages.h), and
 * the linkages among the examples for a minute. */
#include "linkages.h"

#include "cases.h"

enum { CASES = 120, STEWART = 20 }; /* one platform in so many: it takes half a minute */

static void random_linkages(void **state) {
    (void)state;
    struct cases cases = cases_of(CASES, "KEEL_LINKAGES");
    for (long k = cases.first; k < cases.end; k += cases.stride) {
        static struct linkage l;
        enum linkage_kind kind = k % STEWART == 19 ? LINKAGE_STEWART : (enum linkage_kind)(k % 3);
        linkage_make(&l, kind, (uint64_t)(k / 3), kind == LINKAGE_STEWART ? 0.05 : 0.3);
        linkage_check(&l);
    }
}

static void linkages_move_for_a_minute(void **state) {
    (void)state;
    enum { SECONDS = 60 };
    linkage_moves("four_bar_3d", "", 1, 3, SECONDS, SECONDS);
    linkage_moves("bennett", "", 1, 3, SECONDS, SECONDS);
    linkage_moves("stewart", "", 6, 0, SECONDS, SECONDS);
    linkage_moves("stewart", LINKAGE_AGAIN, 6, 30, SECONDS, SECONDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_linkages),
                                       cmocka_unit_test(linkages_move_for_a_minute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
