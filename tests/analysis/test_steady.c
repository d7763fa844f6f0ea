/* test_steady.c - equilibria: eigenvalues of linear equations and of constraints as of reduced
 * coordinates, families, what is held, degenerate ones, refusals. */
#include "testing.h"

#include <keel/steady.h>

static keel_model *model; /* of the equilibrium at hand */

static keel_steady *found(const char *text, const char *hold) {
    model = keel_model_read("test.keel", text, strlen(text),
                            &(keel_model_options){.interpret = 1, .sensitivity = "*"});
    if (keel_model_status(model) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(model), text);
    return keel_steady_find(model, NULL, &(keel_steady_options){.hold = hold});
}

static void done(keel_steady *s) {
    keel_steady_close(s);
    keel_model_close(model);
}

static double state_of(const keel_steady *s, const char *name) {
    const char *one;
    double value;
    for (int i = 0; keel_steady_state(s, i, &one, &value); i++)
        if (strcmp(one, name) == 0) return value;
    fail_msg("there is no `%s`", name);
    return NAN;
}

/* The eigenvalues, the equilibrium and its stability are known in closed form. */
static void closed_forms_are_found(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *state;
        double value;
        keel_stability stability;
        int count;
        double real[4], imaginary[4];
    } row[] = {
        {"var x, y\nx' = -x + 2*y - 3\ny' = -2*x - y\ninit x = 5, y = 7\nrun 0 .. 1\n",
         "x",
         -0.6,
         KEEL_STABLE,
         2,
         {-1, -1},
         {2, -2}},
        {"var x, y, z\nx' = 10*(y - x)\ny' = x*(28 - z) - y\nz' = x*y - 8/3*z\ninit x = 8, y = 8, z = "
         "26\nrun 0 .. 1\n",
         "z",
         27,
         KEEL_UNSTABLE,
         3,
         {0.0939556, 0.0939556, -13.8545779},
         {10.1945052, -10.1945052, 0}},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9*y\nconstraint rod: x^2 + y^2 = 1\ninvariant energy\n"
         "init y = -0.9, y' = 0\nguess x = 1\nrun 0 .. 1\n",
         "y",
         -1,
         KEEL_UNDECIDED,
         2,
         {0, 0},
         {3, -3}},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9*y\nconstraint rod: x^2 + y^2 = 1\ninvariant energy\n"
         "init y = 0.9, y' = 0\nguess x = 1\nrun 0 .. 1\n",
         "y",
         1,
         KEEL_UNSTABLE,
         2,
         {3, -3},
         {0, 0}},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9*y\nforce x: -0.2*x'\nforce y: -0.2*y'\n"
         "constraint rod: x^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x = 1\nrun 0 .. 1\n",
         "y",
         NAN,
         KEEL_STABLE,
         2,
         {-0.1, -0.1},
         {2.99833287, -2.99833287}},
        {"var x, w, z\nx' = w\nw = 2*z - x\nz + w = x^2\ninit x = 0.7\nrun 0 .. 1\n",
         "x",
         0.5,
         KEEL_UNSTABLE,
         1,
         {1.0 / 3},
         {0}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_steady *s = found(row[i].text, NULL);
        keel_steady_summary about;
        keel_eigenvalue e;
        if (keel_steady_status(s) != KEEL_OK) fail_msg("%s\n%s", keel_steady_message(s), row[i].text);
        assert_true(keel_steady_summarise(s, &about));
        if (!isnan(row[i].value)) assert_below(fabs(state_of(s, row[i].state) - row[i].value), 1e-9);
        int lower = isnan(row[i].value) && state_of(s, row[i].state) < 0;
        for (int k = 0; k < row[i].count && (lower || !isnan(row[i].value)); k++) {
            assert_true(keel_steady_eigenvalue(s, k, &e));
            if (!(hypot(e.real - row[i].real[k], e.imaginary - row[i].imaginary[k]) < 1e-7))
                fail_msg("%g + %g i\n%s", e.real, e.imaginary, row[i].text);
        }
        assert_false(keel_steady_eigenvalue(s, row[i].count, &e));
        if (lower || !isnan(row[i].value)) assert_int_equal(about.stability, row[i].stability);
        assert_int_equal(about.family, 0);
        done(s);
    }
}

/* a <-> b: the sum stays; with it held there is one equilibrium, without a line of them. */
static void families_are_told_and_held(void **unused) {
    (void)unused;
    const char *text =
        "var a, b\na' = -2*a + 3*b\nb' = 2*a - 3*b\ninvariant total = a + b\ninit a = 4, b = 1\nrun 0 .. 1\n";
    keel_steady_summary about;
    keel_steady *s = found(text, NULL);
    assert_true(keel_steady_summarise(s, &about) && about.family == 1 && about.stability == KEEL_UNDECIDED);
    done(s);
    s = found(text, "total");
    assert_true(keel_steady_summarise(s, &about) && about.family == 0);
    assert_below(fabs(state_of(s, "a") - 3) + fabs(state_of(s, "b") - 2), 1e-11);
    done(s);
    s = found(text, "b");
    assert_true(keel_steady_summarise(s, &about));
    assert_below(fabs(state_of(s, "a") - 1.5) + fabs(state_of(s, "b") - 1), 1e-11);
    done(s);
}

static void degenerate_ones_are_told(void **unused) {
    (void)unused;
    keel_steady *s = found("var x\nx' = -x^2\ninit x = 1\nrun 0 .. 1\n", NULL);
    keel_steady_summary about;
    assert_true(keel_steady_summarise(s, &about));
    assert_true(about.stability == KEEL_UNDECIDED && about.rate < 1e-9 && fabs(state_of(s, "x")) < 1e-4);
    assert_int_equal(about.family, 1);
    done(s);
}

static const keel_eigenvalue *eigenvalues_of(const keel_steady *s, int count) {
    static keel_eigenvalue e[8];
    for (int i = 0; i < count; i++) assert_true(keel_steady_eigenvalue(s, i, &e[i]));
    return e;
}

/* x' says little where it is of another size than elsewhere: beside fast motions, far away, at the start. */
static void sizes_of_rates_do_not_mislead(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double x, eigenvalue;
    } row[] = {
        {"var x\nx' = 1 - exp(20*x)\ninit x = 3\nrun 0 .. 1\n", 0, -20},
        {"var x\nx' = 1 - 1e-12*(exp(x/0.025) - 1)\ninit x = 1\nrun 0 .. 1\n", 0.69077552789823867, -40},
        {"var x, y\nx' = -0.5*(x - 2)\ny' = -1e11*(y - 1)\ninit x = 1, y = 1.1\nrun 0 .. 1\n", 2, -0.5},
        {"var x\nx' = 1 - x^3\ninit x = 1e9\nrun 0 .. 1\n", 1, -3},
        {"var x\nx' = 1 - x\ninit x = 1e-9\nrun 0 .. 1\n", 1, -1},
        {"var x, y\nx' = y\ny' = -x - 1e-8*y\ninit x = 1, y = 1\nrun 0 .. 1\n", 0, -5e-9},
        {"var x, v\nx' = v\nv' = 1e-9 - x - v\ninit x = 3e-9, v = 0\nrun 0 .. 1\n", 1e-9, -0.5},
        {"var x, v\nx' = v\nv' = 1e9 - x - v\ninit x = 3e9, v = 0\nrun 0 .. 1\n", 1e9, -0.5},
        {"var x, v\nx' = v\nv' = 1e-18 - x - v\ninit x = 3e-18, v = 0\nrun 0 .. 1\n", 1e-18, -0.5},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_steady *s = found(row[i].text, NULL);
        if (keel_steady_status(s) != KEEL_OK) fail_msg("%s\n%s", keel_steady_message(s), row[i].text);
        double off = fabs(state_of(s, "x") - row[i].x);
        if (!(off <= 1e-10 * (row[i].x == 0 ? 1 : row[i].x))) fail_msg("%g\n%s", off, row[i].text);
        double real = eigenvalues_of(s, 1)->real;
        if (!(fabs(real / row[i].eigenvalue - 1) <= 1e-6)) fail_msg("%g\n%s", real, row[i].text);
        done(s);
    }
}

/* What is told apart from zero does not depend on where the search came from: coupled carts drift at an
 * eigenvalue 0 that is double, with one eigenvector. */
static void double_zeros_stay_zeros(void **unused) {
    (void)unused;
    keel_steady *s = found("coord a, b\nlagrangian a'^2/2 + b'^2/2 + 0.3*a'*b' - (a - b)^2/2\n"
                           "init a = 1, b = 0.3, a' = 0.1, b' = 0.2\nrun 0 .. 1\n",
                           NULL);
    keel_steady_summary about;
    assert_true(keel_steady_summarise(s, &about) && about.stability == KEEL_UNDECIDED && about.family == 1);
    const keel_eigenvalue *e = eigenvalues_of(s, 4);
    for (int i = 0; i < 4; i++) assert_true(e[i].real == 0);
    assert_below(fabs(e[0].imaginary - sqrt(2 / 0.7)), 1e-9);
    assert_true(e[1].imaginary == 0 && e[2].imaginary == 0);
    done(s);
}

/* Rates that are differences of larger terms are wrong by the rounding of these: eigenvalues 0 stay 0. */
static void rounding_is_that_of_the_terms(void **unused) {
    (void)unused;
    keel_steady *s =
        found("var x, y\n2*x' - y' = x - 0.5 - y\n0 = y - x + 0.5\nguess x = 0.7272, y = -0.1118\n"
              "run 0 .. 10\n",
              NULL);
    keel_steady_summary about;
    assert_true(keel_steady_summarise(s, &about) && about.stability == KEEL_UNDECIDED && about.family == 1);
    assert_true(eigenvalues_of(s, 1)->real == 0);
    done(s);
}

/* A branch is the one of where the search stands, not of where it began. */
static void branches_follow_the_search(void **unused) {
    (void)unused;
    keel_steady *s = found("var x\nx' = 0.5 - abs(x - 1)\ninit x = 1.3\nrun 0 .. 1\n", NULL);
    assert_below(fabs(state_of(s, "x") - 1.5), 1e-12);
    assert_below(fabs(eigenvalues_of(s, 1)->real + 1), 1e-9);
    done(s);
    s = found("var x, v\nx' = v\nv' = -x - 0.1*abs(v)*v\ninit x = 1, v = 1\nrun 0 .. 1\n", NULL);
    assert_below(fabs(eigenvalues_of(s, 1)->imaginary - 1), 1e-9); /* no kink in the first derivative */
    done(s);
}

/* `init` may say more than is free: what follows is consistent all the same. */
static void inits_that_follow_are_taken_along(void **unused) {
    (void)unused;
    keel_steady *s = found("var x, y\nx' = 1 - x\nx + y = 3\ninit x = 2, y = 1\nrun 0 .. 1\n", NULL);
    assert_int_equal(keel_steady_status(s), KEEL_OK);
    assert_below(fabs(state_of(s, "x") - 1), 1e-12);
    done(s);
}

static void refusals_say_why(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *hold, *words;
    } row[] = {
        {"var x\nx' = 1 + x^2\ninit x = 1\nrun 0 .. 1\n", NULL, "no equilibrium was found"},
        {"var x\nx' = exp(-x)\ninit x = 1\nrun 0 .. 1\n", NULL, "no equilibrium was found"},
        {"var x, y\nx' = exp(-x)\ny' = -y\ninit x = 1, y = 1\nrun 0 .. 1\n", NULL,
         "no equilibrium was found"},
        {"var x\nx' = 1 + abs(x)\ninit x = -1\nrun 0 .. 1\n", NULL, "no equilibrium was found"},
        /* a slow motion that goes on for ever beside a fast one that is at rest */
        {"var x, y\nx' = 1e-9*(2 + sin(x))\ny' = -1e4*y\ninit x = 0.5, y = 1\nrun 0 .. 1\n", NULL,
         "no equilibrium was found"},
        {"var x, y\nx' = 1e-8 + x^2\ny' = -1e6*y\ninit x = 0.5, y = 1\nrun 0 .. 1\n", NULL,
         "no equilibrium was found"},
        {"var x, v\nx' = v\nv' = -x - 0.1*sign(v)\ninit x = 1, v = 1\nrun 0 .. 1\n", NULL,
         "where the equations switch"},
        {"var x, u\nx' = u + 1 - x\nu' = 0\nevent e: every 0.1 -> u := -x\ninit x = 1, u = 0\nrun 0 .. 9\n",
         NULL, "`e` acts there at t = 0.1"},
        {"var x\nx' = cos(t)\ninit x = 1\nrun 0 .. 1\n", NULL, "depend on t"},
        {"var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n", "zz", "`zz` cannot be held"},
        {"var x, y\nx' = -x\ny' = -y\ninit x = 1, y = 1\nrun 0 .. 1\n", "y, x, y", "`y` is held twice"},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
         "init y = 0.9, y' = 0\nguess x = 1\nrun 0 .. 1\n",
         "y", "what is held is not what it was"},
        {"var x\nmode a:\n    x' = 1\n    event e: x - 2 rising -> mode b\nmode b:\n    x' = 2\nstart a\n"
         "init x = 1\nrun 0 .. 2\n",
         NULL, "with modes"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_steady *s = found(row[i].text, row[i].hold);
        keel_steady_summary about;
        keel_eigenvalue e;
        assert_true(keel_steady_status(s) < 0);
        if (!strstr(keel_steady_message(s), row[i].words)) fail_msg("%s", keel_steady_message(s));
        assert_false(keel_steady_summarise(s, &about) || keel_steady_eigenvalue(s, 0, &e));
        done(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_found),
        cmocka_unit_test(families_are_told_and_held),
        cmocka_unit_test(degenerate_ones_are_told),
        cmocka_unit_test(inits_that_follow_are_taken_along),
        cmocka_unit_test(sizes_of_rates_do_not_mislead),
        cmocka_unit_test(double_zeros_stay_zeros),
        cmocka_unit_test(branches_follow_the_search),
        cmocka_unit_test(rounding_is_that_of_the_terms),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
