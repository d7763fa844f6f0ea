/* test_no_value.c - quantities without a value, rows and closed forms that are not there, as C callers see
 * them. */
#include "model_run.h"

/* What a run cannot show: a value that does not exist, a row that the mode lacks, a closed form there is none
 * of. */
static void what_has_no_value_is_no_number_and_nothing_else_is_lost(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("var x, z, w\nx' = -1\nz = sqrt(x)\nw' = z'\ninit x = 1, w = 0\nexact x = 1 - t\n"
                 "run 0 .. 1\noutput u = 1/x\n");
    keel_sim *s = keel_sim_open(m, NULL);
    assert_true(keel_sim_has_exact(s, column_named(s, "x")));
    assert_false(keel_sim_has_exact(s, column_named(s, "z")));
    assert_false(keel_sim_has_exact(s, -1) || keel_sim_has_exact(s, 99) || keel_sim_has_exact(NULL, 0));
    keel_sim_close(s);
    keel_model_close(m);
    m = model_of("var x, z\nx' = -1\nz = sqrt(x)\ninit x = 1\nrun 0 .. 2\n");
    s = keel_sim_open(m, NULL);
    run_to(s, 2);
    assert_near(value_of(s, "x"), -1, 1e-9);
    assert_true(isnan(value_of(s, "z")));
    keel_sim_close(s);
    keel_model_close(m);
    m = model_of(
        "coord x, y\nlagrangian (x'^2 + y'^2)/2\ninit x = 1, y = 0, x' = 0, y' = 1\nrun 0 .. 2\nstart a\n"
        "mode a:\n    event e: y - 1 rising -> mode b\nmode b:\n    constraint c: y = 1\n");
    s = keel_sim_open(m, NULL);
    assert_true(keel_sim_rows(s) > 0);
    for (int i = 0; i < keel_sim_rows(s); i++)
        assert_true(!keel_sim_row_in(s, i, 0) == (strstr(keel_sim_row(s, i), "c") != NULL) &&
                    keel_sim_row_in(s, i, 1) == !keel_sim_row_in(s, i, 0));
    assert_false(keel_sim_row_in(s, 0, 2) || keel_sim_row_in(s, 0, -1) || keel_sim_row_in(s, -1, 0));
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_value_is_no_number_and_nothing_else_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
