/* long_lanes.c - the bits of members do not depend on lanes (lanes.h): all cases, 2, 4 and 8 lanes; and seven
 * bodies with six constraints, in steps of which many are rejected. */
#include "lanes.h"

static void bits_are_the_same(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) bits_do_not_depend_on_lanes(k, 2, 8);
}

static int hash_and_look_at_drift(void *user, const keel_block *b) {
    for (int i = 0; i < b->count; i++)
        if (!(b->drift[i] <= 16)) fail_msg("a member drifts by %g units", b->drift[i]);
    return hash_block(user, b);
}

/* A run that must repeat rejected attempts, because of itself or because of one beside it, repeats them with
 * the sizes of rows that it had before: of these members one showed it. */
static void mechanism_has_the_same_bits(void **state) {
    double span[2] = {0, 0.15};
    struct hashed h[2] = {{14695981039346656037u, 0, 0}, {14695981039346656037u, 0, 0}};
    (void)state;
    keel_model *m = keel_model_load(KEEL_EXAMPLES_DIR "/andrews.keel", NULL);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    for (int k = 0; k < 2; k++) {
        keel_plan *p = keel_plan_open(m);
        keel_ensemble_options o = {
            .run = {.method = "dop853+project"}, .lanes = k ? 8 : 1, .workers = 2, .span = span};
        assert_int_equal(keel_plan_over(p, "mom=0.02:0.04:1100"), KEEL_OK);
        assert_int_equal(keel_plan_settle(p, NULL), KEEL_OK);
        keel_ensemble *e = keel_ensemble_open(m, p, &o);
        if (keel_ensemble_status(e) < 0) fail_msg("%s", keel_ensemble_message(e));
        assert_int_equal(keel_ensemble_lanes(e) > 1, k);
        assert_int_equal(keel_ensemble_run(e, 0, keel_ensemble_blocks(e), hash_and_look_at_drift, &h[k]),
                         KEEL_OK);
        keel_ensemble_close(e);
        keel_plan_close(p);
    }
    keel_model_close(m);
    assert_true(h[0].members == 1100 && h[0].failed == 0 && h[0].hash == h[1].hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(mechanism_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
