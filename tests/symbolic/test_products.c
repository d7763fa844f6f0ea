/* test_products.c - Taylor series of products of numbers, parameters and moving factors, in every order and
 * form, and of powers of powers: what is regrouped moves as what was written. */
#include "model_run.h"

/* Each with k = 1.7, J = 0.8, z = 0 and n = -0.6 at hand, beside what it declares. */
static const char *const models[] = {
    "canonical q, p\nhamiltonian p^2/2 + 3*k*q^2\ninit q = 1, p = 0.2\n",
    "canonical q, p\nhamiltonian p^2/(2*J) + k*3*q^2/2 + 0.3*n*q^4\ninit q = 0.6, p = 0.2\n",
    "canonical q, p\nhamiltonian J*p^2/2 + (q*0.3)*k*q + z*q^3\ninit q = 1, p = 0.2\n",
    "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/(2*J) + 0.7*(k*(q[1]*q[2])^2)*3\n"
    "init q = (1, 0.5), p = (0, 0.3)\n",
    "coord x\nlagrangian x'^2/2 - 0.3*k*x^2\ninit x = 1, x' = 0\n",
    "coord x\nlagrangian J*x'^2/2 - (k*J)*(3*x^2)\ninit x = 1, x' = 0\n",
    "coord a, b\nlagrangian J*(a' + b')^2/2 + 2*k*(a' - 0.5*b')^2 - 0.3*J*k*cos(a)*3\n"
    "init a = 1, b = 0, a' = 0, b' = 1\n",
    "coord a, b\nlagrangian k*(J*a'^2/2)*3 + J*b'^2/2 + n*J*a'*b' + 0.3*n*a*b*k\n"
    "init a = 1, b = 0.3, a' = 0, b' = 1\n",
    "coord x, y\nlagrangian J*(x'^2 + y'^2)/2 - 3*J*k*y\nconstraint rod: 0.5*k*(x^2 + y^2)*2 = k\n"
    "init y = 0, y' = 0\nguess x = 1\n",
    "coord x, y, a\nlagrangian J*(x'^2 + y'^2)/2 + 0.3*k*a'^2 + 0.7*J*k*x\n"
    "rolling edge: 2*k*x'*sin(a) = k*2*y'*cos(a)\ninit x = 0, y = 0, a = 0, x' = 0, a' = 2\n",
    "var x, y\nx' = 3*k*y\ny' = -0.3*(J*(k*(2*x)))\ninit x = 1, y = 0\n",
    "var x, y\nx' = 3*(y*k)*0.1\ny' = -(0.3*J)*((k*2)*x)*n*n\ninit x = 1, y = 0\n",
    "var x, y\nx' = z*(3*k*y)*y + y\ny' = -3*(z*x) - x\ninit x = 1, y = 0\n",
    "var x, y\nx' = -n*(3*n*y)\ny' = n*(n*(n*(2*x)))\ninit x = 1, y = 0\n",
    "var x, y\nx' = sin(3*k*y)*0.25*J\ny' = -k*(0.5*exp(-0.3*J*x))*x\ninit x = 1, y = 0\n",
    "var x, y\nx' = 3*k*y/(2*J)\ny' = -4*(J*x)/3/k*0.5\ninit x = 1, y = 0\n",
    "var x, y\nx' = (k*y)*y*2\ny' = -(2*(k*(x*y)))*y*0.3\ninit x = 1, y = 0.4\n",
    "var x, w\nx' = 3*k*w\nw + 0.2*J*w^3*2 = -0.3*(k*(2*x))\ninit x = 1\n",
    "var x, y, w\nx'' = -2*(k*(w*x))\ny'' = -2*k*w*y - 3*J*k\n0.5*(x^2 + y^2)*k*2 = k\n"
    "init y = 0, y' = 0\nguess x = 1\n",
    "var u, v\nhamiltonian 3*k*u^2 + 0.3*J*v^2\nstructure u, v: ((0, 0.5*k), (-0.5*k, 0))\n"
    "init u = 1, v = 0.4\n",
    "let c[0] = 1\nlet f(y) = 3*k*y\nvar x\nfor i in 1..6: let c[i] = 0.5*(J*(3*c[i-1]))\n"
    "x' = -c[6]*(0.25*f(x))\ninit x = 1\n",
    /* powers of powers */
    "var x\nx' = -(x^(-2))^(-3)\ninit x = 0.9\n",
    "var x\nx' = (x^(-1))^(-5)*k\ninit x = 0.4\n",
    "var x\nx' = 1/(x^(-2))^2 - ((1/x)^3)^(-4)\ninit x = 0.5\n",
    "var x\nx' = -1/((x^(-3))^(-1))^2\ninit x = 2\n",
    "var x\nx' = (sqrt(x)^(-3))^(-4)*0.2 + 1/(sqrt(x)^(-1))\ninit x = 0.7\n",
    "var x\nx' = ((x^64)^64)^64 + 1\ninit x = -0.99\n",
    "var x\nx' = ((((((x^64)^64)^64)^64)^64)^64)^(1/64^6) - x\ninit x = 1.0000000000001\n",
    "var x\nx' = 1/((((((x^64)^64)^64)^64)^64)^64 + 1)\ninit x = 0\n",
};

static keel_sim *sim_with(keel_model *m, const char *method) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = method, .rtol = 1e-12, .atol = 1e-14});
    assert_non_null(s);
    return s;
}

/* Two methods that have nothing in common but the model: taylor reads its series, dop853 its functions. */
static void series_move_as_the_functions_do(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[800];
        double by_series[20], by_functions[20];
        snprintf(text, sizeof text, "param k = 1.7, J = 0.8, z = 0, n = -0.6\n%srun 0 .. 0.5\n", models[i]);
        keel_model *m =
            keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s%s", models[i], keel_model_message(m));
        keel_sim *taylor = sim_with(m, "taylor"), *dop853 = sim_with(m, "dop853");
        run_to(taylor, 0.5);
        run_to(dop853, 0.5);
        assert_true(keel_sim_columns(taylor) <= 20);
        assert_int_equal(keel_sim_values(taylor, by_series), KEEL_OK);
        assert_int_equal(keel_sim_values(dop853, by_functions), KEEL_OK);
        for (int k = 0; k < keel_sim_columns(taylor); k++)
            if (!(fabs(by_series[k] - by_functions[k]) <= 1e-9 * fmax(1, fabs(by_functions[k]))))
                fail_msg("%s%s = %.15g by taylor, %.15g by dop853", models[i], keel_sim_column(taylor, k),
                         by_series[k], by_functions[k]);
        keel_sim_close(taylor);
        keel_sim_close(dop853);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_move_as_the_functions_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
