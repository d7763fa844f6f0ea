/* test_tolerances.c - tolerances and sizes of single unknowns: var x {atol = 1e-12, scale = 1}. */
#include "model_run.h"

/* What the problem of a mode says of a name. */
static double told(const keel_model *m, int number, const char *name, int scale) {
    keel_mode mode;
    assert_true(keel_model_mode(m, number, &mode));
    const keel_problem *p = mode.problem;
    for (int i = 0; i < p->n + p->m; i++)
        if (strcmp(p->names[i], name) == 0) {
            const double *list = scale ? p->scale : p->atol;
            return list ? list[i] : 0;
        }
    fail();
    return 0;
}

static void what_is_declared_stands_in_the_problem(void **unused) {
    (void)unused;
    keel_model *m = model_of("param s = 1e-9\nvar x {atol = s, atol' = 2*s}, y[1..2] {scale = 3}, z\n"
                             "x'' = -x\nfor i in 1..2: y[i]' = -i*y[i]\nz = x + y[1]\n"
                             "init x = 1, x' = 0, y = 1\nrun 0 .. 1\n");
    assert_near(told(m, 0, "x", 0), 1e-9, 0);
    assert_near(told(m, 0, "x'", 0), 2e-9, 0);
    assert_near(told(m, 0, "y[2]", 0), 0, 0);
    assert_near(told(m, 0, "y[1]", 1), 3, 0);
    assert_near(told(m, 0, "y[2]", 1), 3, 0);
    assert_near(told(m, 0, "x", 1), 0, 0);
    keel_model_close(m);
    m = model_of(
        "coord q {scale = 2, scale' = 5}\nlagrangian q'^2/2 - q^2/2\ninit q = 1, q' = 0\nrun 0 .. 1\n");
    assert_near(told(m, 0, "q", 1), 2, 0);
    assert_near(told(m, 0, "q'", 1), 5, 0);
    keel_model_close(m);
    m = model_of("canonical q {atol = 1e-3}, p {atol = 1e-4}\nhamiltonian p^2/2 + q^2/2\ninit q = 1, p = 0\n"
                 "run 0 .. 1\n");
    assert_near(told(m, 0, "q", 0), 1e-3, 0);
    assert_near(told(m, 0, "p", 0), 1e-4, 0);
    keel_model_close(m);
    m = model_of(
        "var x {scale = 7}, y {atol = 8}\nx' = -x\ninit x = 1\nrun 0 .. 1\nstart a\nmode a:\n    y = 2*x\n"
        "    event e: x - 0.5 falling -> mode b\nmode b:\n    y' = 1\n");
    assert_near(told(m, 0, "x", 1), 7, 0); /* y is 2*x there */
    assert_near(told(m, 1, "x", 1), 7, 0);
    assert_near(told(m, 1, "y", 0), 8, 0);
    keel_model_close(m);
}

static void another_value_is_another_tolerance(void **unused) {
    (void)unused;
    keel_model *m = model_of("param s = 1e-9, z = 3\nvar x {atol = s}, y {scale = z}\nx' = -x\ny' = -y\n"
                             "init x = 1, y = 1\nrun 0 .. 1\n");
    assert_int_equal(keel_model_set_all(m, (const char *const[]){"s=1e-7", "z=5"}, 2), KEEL_OK);
    assert_near(told(m, 0, "x", 0), 1e-7, 0);
    assert_near(told(m, 0, "y", 1), 5, 0);
    assert_int_equal(keel_model_set(m, "s=-1"), KEEL_EINVAL);
    assert_null(missing_word(keel_model_message(m), "atol of `x` must be a positive number"));
    keel_model_close(m);
}

/* A chain a -> b -> c of amounts about `size`, beside a state of size 1: the error of b at the end, in
 * sizes. */
static double error_of_chain(double size, const char *settings, double rtol, int modes) {
    char text[700];
    snprintf(text, sizeof text,
             "param s = %.17g\nvar a%s, b%s, x\na' = -3*a\nb' = 3*a - b\nx' = 40*cos(40*t)\n"
             "init a = s, b = 0, x = 0\nrun 0 .. 2\n%s",
             size, settings, settings,
             modes
                 ? "start one\nmode one:\n    event e: t - 0.5 rising -> mode two\nmode two:\n    let k = 1\n"
                 : "");
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = rtol});
    run_to(s, 2);
    double exact = 1.5 * (exp(-2) - exp(-6));
    double error = fabs(value_of(s, "b") / size - exact);
    keel_sim_close(s);
    keel_model_close(m);
    return error;
}

/* A species is as accurate as asked whatever its unit is, with one mode or several. */
static void a_scale_makes_units_irrelevant(void **unused) {
    (void)unused;
    for (int modes = 0; modes < 2; modes++)
        for (double size = 1e-30; size < 1e20; size *= 1e6)
            assert_true(error_of_chain(size, " {scale = s}", 1e-6, modes) < 1e-5);
}

/* Errors follow the tolerance of the variable: with x exact enough by itself, a and b decide the steps. */
static void an_own_atol_goes_before_the_common_one(void **unused) {
    (void)unused;
    char text[300];
    long before = 0;
    for (double atol = 1e-3; atol > 1e-13; atol *= 1e-3) {
        snprintf(text, sizeof text, "var x {atol = %.17g}\nx' = cos(5*t)*x\ninit x = 1\nrun 0 .. 20\n", atol);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-12, .atol = 1});
        run_to(s, 20);
        long steps = keel_statistics(keel_sim_solver(s)).steps;
        assert_true(steps > before);
        assert_near(value_of(s, "x"), exp(sin(100) / 5), 1e3 * atol);
        before = steps;
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_declared_stands_in_the_problem),
        cmocka_unit_test(another_value_is_another_tolerance),
        cmocka_unit_test(a_scale_makes_units_irrelevant),
        cmocka_unit_test(an_own_atol_goes_before_the_common_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
