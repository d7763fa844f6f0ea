/* test_columns.c - the columns of a model: names, outputs and references in every form of a problem. */
#include "model_run.h"

static void check_names(keel_model *m, const char *names) {
    keel_sim *s = keel_sim_open(m, NULL);
    char all[600] = "";
    for (int i = 0; i < keel_sim_columns(s); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", keel_sim_column(s, i));
    assert_string_equal(all, names);
    keel_sim_close(s);
    keel_model_close(m);
}

static void columns_have_the_names_of_the_file(void **unused) {
    (void)unused;
    check_names(model_example("pendulum"), "x y x' y' lambda.rod tension");
    check_names(model_example("henon"), "q[1] q[2] p[1] p[2]");
    check_names(model_example("slack_rod"), "x y x' y' lambda.string");
    check_names(model_example("vanderpol"), "x v");
    check_names(model_example("sand"), "u[1] u[2] lam u[1]' u[2]'");
    check_names(model_example("rc"), "u i");
    check_names(model_example("rolling_disk"), "x y a b x' y' a' b' lambda.forward lambda.sideways");
    check_names(model_example("plastic"), "eps sig epl");
}

/* Runs the model to 1 and compares every column with its closed form. */
static void check_exact(const char *text, double bound) {
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-12});
    double value[40], exact[40];
    int compared = 0;
    for (int stop = 0; stop <= 4; stop++) {
        run_to(s, 0.25 * stop);
        assert_int_equal(keel_sim_values(s, value), KEEL_OK);
        assert_int_equal(keel_sim_exact(s, 0.25 * stop, exact), KEEL_OK);
        for (int i = 0; i < keel_sim_columns(s); i++, compared++)
            if (!(fabs(value[i] - exact[i]) <= bound * (1 + fabs(exact[i]))))
                fail_msg("%s = %.17g, not %.17g", keel_sim_column(s, i), value[i], exact[i]);
    }
    assert_true(compared > 0);
    keel_sim_close(s);
    keel_model_close(m);
}

static void outputs_of_ordinary_equations(void **unused) {
    (void)unused;
    check_exact("var x\nx' = -x\ninit x = 2\nrun 0 .. 1\nlet X = x.start*exp(-t)\n"
                "output a = x', b = x'', c = x''', d = x.start, e = der(x^2), f = t\n"
                "exact x = X, a = -X, b = X, c = -X, d = 2, e = -2*X^2, f = t\n",
                1e-11);
}

static void outputs_of_mechanics(void **unused) {
    (void)unused;
    /* on a circle at a constant rate: the multiplier is that of the centripetal force */
    check_exact("param w = 3, m = 2\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2\n"
                "constraint ring: x^2 + y^2 = 1\ninit x = 1, y = 0, y' = w\nguess x' = 0\nrun 0 .. 1\n"
                "let X = cos(w*t), Y = sin(w*t)\n"
                "output a = x'', b = y'', c = x''', e = energy, f = 2*lambda.ring*x, g = lambda.ring', "
                "h = y''''\n"
                "exact x = X, y = Y, x' = X', y' = Y', lambda.ring = m*w^2/2, a = X'', b = Y'', c = X''', "
                "e = m*w^2/2, f = m*w^2*X, g = 0, h = w^4*Y\n",
                1e-9);
    check_exact("coord x\nlagrangian x'^2/2 - 2*x^2\ninit x = 1, x' = 0\nrun 0 .. 1\n"
                "output a = x'', b = x''', e = energy\nlet X = cos(2*t)\n"
                "exact x = X, x' = X', a = X'', b = X''', e = 2\n",
                1e-10);
}

static void outputs_of_hamiltonians(void **unused) {
    (void)unused;
    check_exact("canonical q, p\nhamiltonian H = p^2/2 + 2*q^2\ninit q = 1, p = 0\nrun 0 .. 1\n"
                "output v = q', a = q'', f = p', j = p'', e = energy, h = H\nlet Q = cos(2*t)\n"
                "exact q = Q, p = Q', v = Q', a = Q'', f = Q'', j = Q''', e = 2, h = 2\n",
                1e-10);
    check_exact("param w = 3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2\n"
                "constraint ring: dot(q, q) = 1\ninit q = (1, 0), p = (0, w)\nrun 0 .. 1\n"
                "output v = q[1]', a = q[1]'', f = p[2]', j = p[2]'', e = energy, l = lambda.ring'\n"
                "let Q = (cos(w*t), sin(w*t))\n"
                "exact q = Q, p = Q', v = Q[1]', a = Q[1]'', f = Q[2]'', j = Q[2]''', e = w^2/2, l = 0, "
                "lambda.ring = w^2/2\n",
                1e-9);
    check_exact("var u, v\nhamiltonian (u^2 + v^2)/2\nstructure u, v: ((0, 2), (-2, 0))\n"
                "init u = 1, v = 0\nrun 0 .. 1\noutput a = u', b = u'', c = v''', e = energy\n"
                "let U = cos(2*t), V = -sin(2*t)\n"
                "exact u = U, v = V, a = U', b = U'', c = V''', e = 1/2\n",
                1e-10);
}

/* y is the root of a cubic, z one of an equation without a closed inverse: both are torn. */
static void outputs_of_algebraic_equations(void **unused) {
    (void)unused;
    check_exact("var x, y, z\nx' = -x\ny^3 + y + x = z + x\nz + exp(z) = x + x^3 + exp(x + x^3)\n"
                "init x = 1\nguess y = 0.9, z = 1.9\nrun 0 .. 1\nlet X = exp(-t), Z = X + X^3\n"
                "output a = y', b = y'', c = z', d = z''', e = y'''\n"
                "exact x = X, y = X, z = Z, a = -X, b = X, c = Z', d = Z''', e = -X\n",
                1e-9);
    check_exact("var x, y, l\nx'' = -l*x\ny'' = -l*y\nx^2 + y^2 = 1\ninit x = 1, y = 0, y' = 3\n"
                "guess x' = 0\nrun 0 .. 1\nlet X = cos(3*t), Y = sin(3*t)\n"
                "output a = x'', b = y''', c = l', d = der(x*y)\n"
                "exact x = X, y = Y, x' = X', y' = Y', l = 9, a = X'', b = Y''', c = 0, d = X'*Y + X*Y'\n",
                1e-9);
}

static void references_by_column(void **unused) {
    (void)unused;
    keel_model *m = model_example("caraxis");
    keel_sim *s = keel_sim_open(m, NULL);
    double t, value[20];
    assert_int_equal(keel_sim_reference(s, 1, &t, value), 1);
    assert_true(t == 3);
    assert_true(value[column_named(s, "xl")] == 0.0493455784275240921315267927637);
    assert_true(value[column_named(s, "lambda.axle")] == -0.00110468033125956583986060072931);
    assert_int_equal(keel_sim_reference(s, 2, &t, value), 0);
    assert_int_equal(keel_sim_reference(s, -1, &t, value), 0);
    keel_sim_close(s);
    keel_model_close(m);
    m = model_of("var x, y\nx' = 1\ny' = 2\ninit x = 0, y = 0\nreference t = 1/2: y = 1\nrun 0 .. 1\n");
    s = keel_sim_open(m, NULL);
    assert_int_equal(keel_sim_reference(s, 0, &t, value), 1);
    assert_true(t == 0.5 && isnan(value[0]) && value[1] == 1);
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_the_names_of_the_file),
        cmocka_unit_test(outputs_of_ordinary_equations),
        cmocka_unit_test(outputs_of_mechanics),
        cmocka_unit_test(outputs_of_hamiltonians),
        cmocka_unit_test(outputs_of_algebraic_equations),
        cmocka_unit_test(references_by_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
