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

/* A rectifier: (v - b)/R = Is (exp((b - u)/Vt) - 1) + G (b - u) has one b for each u, and the way to it leads
 * through exponentials of thousands: at all times, between the steps too, it is found, and solves it. */
static void rectifiers_have_all_their_values(void **unused) {
    (void)unused;
    static const double stage[][4] = {/* R, Is, Vt, frequency */
                                      {1, 1e-12, 0.02585, 50},
                                      {10, 1e-9, 0.05, 50},
                                      {0.3, 1e-14, 0.02585, 50},
                                      {1, 1e-12, 0.02585, 7},
                                      {3, 1e-15, 0.026, 120}};
    for (size_t k = 0; k < sizeof stage / sizeof *stage; k++) {
        const double *c = stage[k];
        char text[400];
        snprintf(text, sizeof text,
                 "var u, b\nlet i = %g*expm1((b - u)/%g) + 1e-9*(b - u)\n1e-3*u' = i - u/100\n"
                 "(10*sin(2*pi*%g*t) - b)/%g = i\ninit u = 0\nrun 0 .. 0.05\n",
                 c[1], c[2], c[3], c[0]);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, NULL);
        double t = 0, value[8];
        int u = column_named(s, "u"), b = column_named(s, "b");
        for (int j = 1; j <= 400; j++) {
            for (t = 0.05 * j / 400; keel_time(keel_sim_solver(s)) < t;)
                if (keel_sim_step(s, 0.05) != KEEL_OK) fail_msg("%s\n%s", keel_sim_message(s), text);
            assert_int_equal(keel_sim_sample(s, t, value, NULL), KEEL_OK);
            double through = c[1] * expm1((value[b] - value[u]) / c[2]) + 1e-9 * (value[b] - value[u]);
            assert_near((10 * sin(2 * 3.14159265358979323846 * c[3] * t) - value[b]) / c[0], through, 1e-9);
        }
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_value_is_no_number_and_nothing_else_is_lost),
        cmocka_unit_test(rectifiers_have_all_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
