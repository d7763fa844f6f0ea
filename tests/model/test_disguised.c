/* test_disguised.c - nonsmooth functions and jumps that are written without abs, floor or if: they are
 * switching surfaces, or refused where those are. */
#include "testing.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The integral of `rate` over x = 0 .. end, by corners and pieces that are polynomials. */
static const struct {
    const char *rate;
    double end, integral;
} integrals[] = {
    {"sqrt((x - 1.3)^2)", 3, (1.3 * 1.3 + 1.7 * 1.7) / 2},
    {"sqrt(4*(x - 0.7)*(x - 0.7))", 2, 0.7 * 0.7 + 1.3 * 1.3},
    {"((x - 2)^2)^0.5", 3, 2.5},
    {"((x - 2)^4)^0.25", 3, 2.5},
    {"((x - 2)^6)^(1/6)", 3, 2.5},
    {"sqrt(sqrt((x - 2)^4))", 3, 2.5},
    {"((x - 2)^4)^0.75", 3, 4.25},
    {"(x - 1)*sqrt((x - 1)^2)/(1 + 0*x)", 2, 0},
    {"sqrt((x - 1)^6)", 3, (1. + 16) / 4},
    {"hypot(x - 1.1, 0)", 2, (1.1 * 1.1 + 0.9 * 0.9) / 2},
    {"hypot(0, x - 0.3)", 2, (0.3 * 0.3 + 1.7 * 1.7) / 2},
    {"acos(cos(x))", 6.5, 9.869604401089358 + 0.5 * (6.5 - 6.283185307179586) * (6.5 - 6.283185307179586)},
    {"acos(cos(2*x))", 3.14159265358979323846, 9.869604401089358 / 2},
    {"asin(sin(x))", 3.14159265358979323846, 9.869604401089358 / 4},
    {"asin(sin(x)) + asin(cos(x))", 1.5707963267948966, 9.869604401089358 / 4},
    {"asin(cos(3*x))", 3.14159265358979323846, 0},
    {"acos(sin(x))", 3.14159265358979323846, 9.869604401089358 / 4},
    {"atan(tan(x))", 3.14159265358979323846, 0},
    {"atan2(sin(x), cos(x))", 6.283185307179586, 0},
    {"atan2(x - 2, -1)", 4, 0},
};

static const char *const methods[] = {"dop853", "taylor", "radau", "rk4"};

static void corners_are_located(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof integrals / sizeof *integrals; k++)
        for (int i = 0; i < 4; i++) {
            char text[300];
            double end = integrals[k].end, exact = integrals[k].integral;
            snprintf(text, sizeof text, "var x, a\nx' = 1\na' = %s\ninit x = 0, a = 0\nrun 0 .. 9\n",
                     integrals[k].rate);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[i],
                                                           .step = i == 3 ? end / 37 : 0,
                                                           .rtol = i == 3 ? 0 : 1e-9});
            run_to(s, end);
            double off = fabs(value_of(s, "a") - exact);
            if (!(off < (i == 3 ? 1e-5 : 1e-7)))
                fail_msg("%s by %s: off by %g", integrals[k].rate, methods[i], off);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* A turning vector: its angle falls by 2 pi once a turn, and the integral over a whole one is zero. */
static void the_cut_of_atan2_is_located(void **state) {
    (void)state;
    static const char *const starts[] = {"x = 1, y = 0", "x = 0.6, y = 0.8", "x = -0.6, y = -0.8",
                                         "x = 0, y = -2", "x = 3, y = -4"};
    static const double angle[] = {0, 0.9272952180016122, -2.214297435588181, -1.5707963267948966,
                                   -0.9272952180016122};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 4; i++) {
            char text[300];
            snprintf(text, sizeof text,
                     "var x, y, a\nx' = -y\ny' = x\na' = atan2(y, x)\ninit %s, a = 0\nrun 0 .. 9\n",
                     starts[k]);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[i],
                                                           .step = i == 3 ? 2 * pi / 200 : 0,
                                                           .rtol = i == 3 ? 0 : 1e-9});
            run_to(s, 6);
            double phi = angle[k], after = 6 - (pi - phi); /* beyond the cut */
            double exact = phi * (pi - phi) + (pi - phi) * (pi - phi) / 2 - pi * after + after * after / 2;
            double off = fabs(value_of(s, "a") - exact);
            if (!(off < 2e-6)) fail_msg("%s by %s: off by %g", starts[k], methods[i], off);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

static void constraints_with_corners_are_refused(void **state) {
    (void)state;
    static const char *const rows[] = {
        "y = sqrt(x^2)",       "y = acos(cos(x))",          "y = asin(sin(x)) + 2", "y = hypot(x, 0)",
        "y = ((x - 1)^2)^0.5", "y = atan2(sin(x), cos(x))", "y = 1 + atan(tan(x))"};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint c: %s\ninit x = 1, x' = 3\n"
                 "guess y = 1\nrun 0 .. 3\n",
                 rows[k]);
        keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), "is not smooth"))
            fail_msg("%s: %s", rows[k], keel_model_message(m));
        keel_model_close(m);
    }
}

/* A bead on a spiral that is written with atan2 comes to the cut, where its wire ends. */
static void a_constraint_ends_at_the_cut(void **state) {
    (void)state;
    static const double pitch[] = {0.1, 0.2, -0.1, 0.05, 0.3};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 3; i++) {
            char text[400];
            snprintf(text, sizeof text,
                     "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: hypot(x, y) = 1 + "
                     "%.17g*atan2(y, x)\n"
                     "init x = 0, x' = -1\nguess y = 1.2, y' = 0\nrun 0 .. 9\n",
                     pitch[k]);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[i], .rtol = 1e-8});
            keel_status status;
            while ((status = keel_sim_run(s, 9)) > 0) {}
            if (status != KEEL_EINVAL || !strstr(keel_sim_message(s), "`wire` jumps by"))
                fail_msg("%g by %s: %d %s", pitch[k], methods[i], status, keel_sim_message(s));
            assert_below(fabs(value_of(s, "y")), 1e-6);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* What never leaves its branch is smooth, wherever it stands. */
static void what_stays_on_its_branch_is_smooth(void **state) {
    (void)state;
    static const char *const angles[] = {"0.5*tanh(q)", "sin(q)/2 - 0.4*cos(q)", "-atan(q)*0.9",
                                         "abs(tanh(q))*1.5", "0.2 + sin(q)*cos(p/7)"};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "canonical q, p\nhamiltonian p^2/2 + q^2/2 + 0.1*atan(tan(%s))\ninit q = 1, p = 0\nrun 0 .. 1\n",
            angles[k]);
        keel_model *m =
            keel_model_read("smooth.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        int own = strstr(angles[k], "abs") != NULL; /* a switch of its own, but none by atan */
        if (own) assert_null(strstr(keel_model_message(m), "floor"));
        else if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", angles[k], keel_model_message(m));
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_located),
        cmocka_unit_test(the_cut_of_atan2_is_located),
        cmocka_unit_test(constraints_with_corners_are_refused),
        cmocka_unit_test(a_constraint_ends_at_the_cut),
        cmocka_unit_test(what_stays_on_its_branch_is_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
