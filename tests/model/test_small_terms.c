/* test_small_terms.c - terms that cancel to round-off near the start belong to the equations all the same.
 *
 * r - sin(r), r = (a x)^k, is known to no digit where r is small, and at a start there its slope is
 * indistinguishable from zero.  Each force below is one of these or its square: motions that begin there feel
 * it later, however the model is written. */
#include "testing.h"

#include <keel/model.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static double of_sin(double r) {
    return r - sin(r);
}
static double of_cos(double r) {
    return 1 - cos(r);
}
static double of_cosh(double r) {
    return cosh(r) - 1;
}
static double of_exp(double r) {
    return exp(r) - 1 - r;
}
static double of_sqrt(double r) {
    return sqrt(1 + r * r) - 1;
}
static double of_log(double r) {
    return log(1 + r * r) - r * r;
}
static double of_atan(double r) {
    return r - atan(r);
}
static double of_tanh(double r) {
    return r - tanh(r);
}
static const struct cancelling {
    const char *text;
    double (*value)(double r);
} cancelling[] = {{"(r - sin(r))", of_sin},         {"(1 - cos(r))", of_cos},
                  {"(cosh(r) - 1)", of_cosh},       {"(exp(r) - 1 - r)", of_exp},
                  {"(sqrt(1 + r^2) - 1)", of_sqrt}, {"(log(1 + r^2) - r^2)", of_log},
                  {"(r - atan(r))", of_atan},       {"(r - tanh(r))", of_tanh}};
enum { CANCELLING = sizeof cancelling / sizeof *cancelling };

/* x'' = -F(x), in several words. */
static const char *const writings[] = {
    "var x, v\nlet r = (%g*x)^%d\nx' = v\nv' = -%s^%d\ninit x = 0.1, v = 2\nrun 0 .. 2\n",
    "var x, v, f\nlet r = (%g*x)^%d\nx' = v\nv' = -f\nf = %s^%d\ninit x = 0.1, v = 2\nrun 0 .. 2\n",
    "var x, v\nlet r = (%g*x)^%d\nx' - v = 0\n2*v' + x' + 2*%s^%d = v\ninit x = 0.1, v = 2\nrun 0 .. 2\n",
    "coord x\nlet r = (%g*x)^%d\nlagrangian x'^2/2\nforce x: -%s^%d\ninit x = 0.1, x' = 2\nrun 0 .. 2\n",
};
enum { WRITINGS = sizeof writings / sizeof *writings };

struct force {
    double (*value)(double r);
    double a;
    int k, power;
};

static int moving(double t, const double *x, double *out, void *user) {
    const struct force *f = user;
    (void)t;
    out[0] = x[1];
    out[1] = -pow(f->value(pow(f->a * x[0], f->k)), f->power);
    return 0;
}

/* x at the end of the run, from the equations as they stand. */
static double by_hand(struct force f, double t_end) {
    const double start[] = {0.1, 2};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = moving}, .user = &f};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-11});
    assert_ok(s, keel_run(s, t_end));
    double x = keel_state(s)[0];
    keel_close(s);
    return x;
}

static double by_model(const char *text, double t_end) {
    keel_model *m = keel_model_read("small.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", text, keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    if (keel_sim_run(s, t_end) != KEEL_OK) fail_msg("%s\n%s", text, keel_sim_message(s));
    double x = keel_state(keel_sim_solver(s))[0];
    keel_sim_close(s);
    keel_model_close(m);
    return x;
}

static void what_cancels_near_the_start_acts_far_from_it(void **state) {
    (void)state;
    for (int i = 0; i < CANCELLING; i++)
        for (int k = 3; k <= 5; k += 2)
            for (int power = 1; power <= 2; power++) {
                struct force f = {cancelling[i].value, k == 3 ? 0.2 : 0.6, k, power};
                double exact = by_hand(f, 1.2);
                for (int w = 0; w < WRITINGS; w++) {
                    char text[400];
                    snprintf(text, sizeof text, writings[w], f.a, k, cancelling[i].text, power);
                    double found = by_model(text, 1.2);
                    if (!(fabs(found - exact) < 1e-9)) fail_msg("%s\n%.12g for %.12g", text, found, exact);
                }
            }
}

/* The same in other units. */
static void sizes_do_not_matter(void **state) {
    (void)state;
    static const double sizes[] = {1e-12, 1e-4, 1e4, 1e9, 1e12, 1e20};
    for (int i = 0; i < CANCELLING; i++)
        for (int k = 0; k < 6; k++) {
            char text[400];
            double size = sizes[k], exact = by_hand((struct force){cancelling[i].value, 0.6, 5, 1}, 1.2);
            snprintf(text, sizeof text,
                     "var x, v\nlet r = (%g*x)^5\nx' = v\nv' = -%g*%s\ninit x = %g, v = %g\nrun 0 .. 2\n",
                     0.6 / size, size, cancelling[i].text, 0.1 * size, 2 * size);
            double found = by_model(text, 1.2) / size;
            if (!(fabs(found - exact) < 1e-8)) fail_msg("%s\n%.12g for %.12g", text, found, exact);
            snprintf(
                text, sizeof text, /* from zero, which has no size */
                "var x, v\nlet r = (%g*(x + %g))^5\nx' = v\nv' = -%g*%s\ninit x = 0, v = %g\nrun 0 .. 2\n",
                0.6 / size, 0.1 * size, size, cancelling[i].text, 2 * size);
            found = by_model(text, 1.2) / size + 0.1;
            if (!(fabs(found - exact) < 1e-8)) fail_msg("%s\n%.12g for %.12g", text, found, exact);
        }
}

/* With k = (a + m)/(c m) the constraint's d/dt has no p_1 left, though both of its velocities have: so p_2 is
 * zero, and the row is known to the round-off of terms that are not in its derivative. */
static void momenta_that_cancel_in_a_row_are_its_size(void **state) {
    (void)state;
    static const keel_options ways[] = {{.method = "dop853", .rtol = 1e-10},
                                        {.method = "taylor", .rtol = 1e-10},
                                        {.method = "radau", .rtol = 1e-10},
                                        {.method = "rkf78", .rtol = 1e-11},
                                        {.method = "rk4", .step = 5e-4}};
    for (int i = 0; i < 12; i++) {
        double a = 0.3 + 0.11 * i, m = 0.5 + 0.07 * i, c = i % 2 ? 0.5 : 1.7, ends[5];
        char text[500];
        snprintf(
            text, sizeof text,
            "param a = %g, m = %g, c = %g\ncanonical q1, p1\ncanonical q2, p2\ncanonical q3, p3\n"
            "hamiltonian a*p1^2/2 + p2^2/2 + (1 + 0.3*cos(q3)^2)*p3^2/2 + m*(p1 - (a + m)/(c*m)*p2)^2/2 + "
            "q2^2 + 0.4*expm1(-(3*q2)^2)\nconstraint g: q1 + c*q2 = 0.5\n"
            "init q2 = 0.3, q2' = -0.5, q3 = 0.3, p3 = 0.7\ninvariant energy\nrun 0 .. 1\n",
            a, m, c);
        keel_model *read =
            keel_model_read("row.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        if (keel_model_status(read) != KEEL_OK) fail_msg("%s\n%s", text, keel_model_message(read));
        for (int w = 0; w < 5; w++) {
            keel_row row;
            keel_sim *s = keel_sim_open(read, &ways[w]);
            if (keel_sim_run(s, 1) != KEEL_OK)
                fail_msg("%s: %s\n%s", ways[w].method, keel_sim_message(s), text);
            ends[w] = keel_state(keel_sim_solver(s))[1];
            for (int k = 0; keel_row_at(keel_sim_solver(s), k, &row); k++)
                if (!(row.units < 16)) fail_msg("%s: %s, %g", ways[w].method, row.name, row.units);
            keel_sim_close(s);
            if (!(fabs(ends[w] - ends[0]) < 1e-8))
                fail_msg("%s: %.12g for %.12g\n%s", ways[w].method, ends[w], ends[0], text);
        }
        keel_model_close(read);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cancels_near_the_start_acts_far_from_it),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(momenta_that_cancel_in_a_row_are_its_size),
    };
    return cmocka_run_group_tests_name("small_terms", tests, NULL, NULL);
}
