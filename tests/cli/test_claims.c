/* test_claims.c - what a run claims: the index, invariants that hold all the way, impulses at constraints,
 * the branch a guess picks; and that a run which cannot go on says so. */
#include "model_run.h"

static double end_of(const char *text, const char *column) {
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    double from, to;
    keel_model_span(m, &from, &to);
    run_to(s, to);
    double value = value_of(s, column);
    keel_sim_close(s);
    keel_model_close(m);
    return value;
}

static void ends_with(const char *text, const char *sentence) {
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    double from, to;
    keel_model_span(m, &from, &to);
    assert_true(keel_sim_run(s, to) < 0);
    if (!strstr(keel_sim_message(s), sentence)) fail_msg("%s", keel_sim_message(s));
    keel_sim_close(s);
    keel_model_close(m);
}

/* Index ------------------------------------------------------------------------------------------------- */

/* A factor before an equation, or another name, must not change it. */
static void a_name_for_a_derivative_counts(void **unused) {
    (void)unused;
    static const struct {
        int index;
        const char *text;
    } row[] = {
        {0, "var x, u\nx' = u\nu' = -x\ninit x = 1, u = 0\nrun 0 .. 1"},
        {1, "var x, u\nx' = u\nu = -x\ninit x = 1\nrun 0 .. 1"},
        {2, "param L = 2\nvar i, u\nL*i' = u\ni = sin(t)\nrun 0 .. 1"},
        {2, "var i, u\ni' = u\ni = sin(t)\nrun 0 .. 1"},
        {2, "var u, v, i\nu' = i\n2*v' = i\nu + v = sin(t)\ninit u = 0.5\nrun 0 .. 1"},
        {3, "var x, y, z\nx = sin(t)\ny = x'\nz = y'\nrun 0 .. 1"},
        {3, "var x, y, p, q, l\nx' = p/2\ny' = q/2\np' = -l\nq' = l\nx = y\ninit x = 0, p = 2\nrun 0 .. 1"},
        {3, "var c, x, y, p, q, l\nc' = x\nx' = p/2\ny' = q/2\np' = -l\nq' = l\nx = y\n"
            "init c = 0, x = 0, p = 2\nrun 0 .. 1"},
        {3, "canonical x, p\ncanonical y, q\nhamiltonian p^2/4 + q^2/4\nconstraint s: x = y\n"
            "init x = 0, p = 2\nrun 0 .. 1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = model_of(row[i].text);
        keel_mode mode;
        assert_true(keel_model_mode(m, 0, &mode));
        if (mode.index != row[i].index) fail_msg("index %d of\n%s", mode.index, row[i].text);
        keel_model_close(m);
    }
}

/* Invariants -------------------------------------------------------------------------------------------- */

/* At the start all of these have a rate of 0, at every point there. */
static void an_invariant_that_fails_later_is_refused_there(void **unused) {
    (void)unused;
    static const char *const text[] = {
        "coord x\nlagrangian x'^2/2 - x^2/2\nforce x: -0.1*t*x'\ninvariant energy\n",
        "coord x\nlagrangian x'^2/2 - x^2/2\nforce x: if(t < 2, 0, -x')\ninvariant energy\n",
        "var x, y\nx' = y\ny' = -x - sin(3*t)^2*y\ninvariant e = x^2 + y^2\ninit y = 0\n",
        "var x, y\nx' = y\ny' = -x\ninvariant e = x^2 + y^2 + max(0, -x - 0.9)^3\ninit y = 0\n"};
    for (int i = 0; i < 4; i++) {
        char all[400];
        snprintf(all, sizeof all, "%sinit x = 1%s\nrun 0 .. 4", text[i], i < 2 ? ", x' = 0" : "");
        ends_with(all, "is not conserved");
    }
}

/* Impulses ---------------------------------------------------------------------------------------------- */

#define COLLIDE                                                                                     \
    "mode free:\n    event hit: x - y rising -> mode stuck\nmode stuck:\n    constraint s: x = y\n" \
    "start free\nrun 0 .. 2\n"

/* Masses 1 and 3, the first with velocity 2, the second at rest: both go on with 1/2. */
static void momentum_is_kept_where_masses_stick_together(void **unused) {
    (void)unused;
    static const char lagrangian[] =
        "coord x, y\nlagrangian x'^2/2 + 3*y'^2/2\ninit x = 0, x' = 2, y = 1, y' = 0\n";
    static const char hamiltonian[] =
        "canonical x, p\ncanonical y, q\nhamiltonian p^2/2 + q^2/6\ninit x = 0, p = 2, y = 1, q = 0\n";
    static const char *const beside[] = {"", "var c\nc' = 1\ninit c = 0\n", "var c\nc' = x\ninit c = 0\n"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s" COLLIDE, lagrangian, beside[i]);
        assert_near(end_of(text, "x'"), 0.5, 1e-12);
        assert_near(end_of(text, "y"), 1.75, 1e-9);
        snprintf(text, sizeof text, "%s%s" COLLIDE, hamiltonian, beside[i]);
        assert_near(end_of(text, "p"), 0.5, 1e-12);
        assert_near(end_of(text, "q"), 1.5, 1e-12);
    }
}

/* p = v / sqrt(1 - v^2) = 3/4 is shared by two equal masses. */
static void relativistic_momentum_is_kept(void **unused) {
    (void)unused;
    double v = end_of("coord x, y\nlagrangian -sqrt(1 - x'^2) - sqrt(1 - y'^2)\n"
                      "init x = 0, x' = 0.6, y = 0.6, y' = 0\n" COLLIDE,
                      "x'");
    assert_near(v, 0.375 / sqrt(1 + 0.375 * 0.375), 1e-12);
}

static void a_rolling_constraint_gives_its_impulse(void **unused) {
    (void)unused;
    double v = end_of(
        "coord x, y\nvar c\nc' = x\nlagrangian x'^2/2 + 3*y'^2/2\nmode free:\n"
        "    event hit: x - y rising -> mode geared\nmode geared:\n    rolling s: x' = 2*y'\nstart free\n"
        "init x = 0, x' = 2, y = 1, y' = 0, c = 0\nrun 0 .. 2",
        "y'");
    assert_near(v, 4. / 7, 1e-12);
}

/* Algebraic equations ----------------------------------------------------------------------------------- */

static void a_start_is_found_on_the_side_of_the_guess(void **unused) {
    (void)unused;
    assert_near(end_of("var x, y\nx' = -x\ny^2 = x\ninit x = 1\nguess y = 0.01\nrun 0 .. 1", "y"), exp(-0.5),
                1e-9);
    assert_near(end_of("var x, y\nx' = -x\ny^2 = x\ninit x = 1\nguess y = -9\nrun 0 .. 1", "y"), -exp(-0.5),
                1e-9);
    /* Newton from 0 with one matrix comes back to 0 every second time. */
    double x = end_of("var x\nx'^3 + x' = -x\ninit x = 1\noutput v = x'\nrun 0 .. 1", "x");
    double v = end_of("var x\nx'^3 + x' = -x\ninit x = 1\noutput v = x'\nrun 0 .. 1", "v");
    assert_near(v * v * v + v, -x, 1e-12);
    /* The first step leads to where there is no logarithm. */
    double y = end_of("var x, y\nx' = -x\nlog(y) + y = x\ninit x = 1\nguess y = 10\nrun 0 .. 1", "y");
    assert_near(log(y) + y, exp(-1), 1e-9);
}

/* z is 0 throughout: its own size is no measure of what can be had. */
static void an_algebraic_variable_may_be_zero(void **unused) {
    (void)unused;
    static const char text[] =
        "var x, y, z\nx' = y + z\ny' = -x + z*x\nx^2 + y^2 = 1\ninit y = 0\nguess x = 1\nrun 0 .. 1.5";
    assert_near(end_of(text, "x"), cos(1.5), 1e-8);
}

/* Sliding ----------------------------------------------------------------------------------------------- */

/* Filippov's solution: at rest from t = 1 on; from 0.9403 on, where 2 - cos t - 1.5 t = 0. */
static void a_solution_slides_along_a_switching_surface(void **unused) {
    (void)unused;
    assert_near(end_of("var x\nx' = -sign(x)\ninit x = 1\nrun 0 .. 2", "x"), 0, 1e-15);
    static const char rubbing[] =
        "var x, v\nx' = v\nv' = sin(t) - 1.5*sign(v)\ninit x = 0, v = 1\nrun 0 .. 20";
    assert_near(end_of(rubbing, "v"), 0, 1e-15);
    assert_near(end_of(rubbing, "x"), 0.4097419320, 1e-7);
    assert_near(end_of("var x\nx' = abs(sin(t))\ninit x = 0\nrun 0 .. 10", "x"), 7 + cos(10), 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_for_a_derivative_counts),
        cmocka_unit_test(an_invariant_that_fails_later_is_refused_there),
        cmocka_unit_test(momentum_is_kept_where_masses_stick_together),
        cmocka_unit_test(relativistic_momentum_is_kept),
        cmocka_unit_test(a_rolling_constraint_gives_its_impulse),
        cmocka_unit_test(a_start_is_found_on_the_side_of_the_guess),
        cmocka_unit_test(an_algebraic_variable_may_be_zero),
        cmocka_unit_test(a_solution_slides_along_a_switching_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
