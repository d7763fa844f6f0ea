/* test_lyapunov.c - Lyapunov exponents: those of linear equations, the trace, chaos, pairs of Hamiltonians,
 * constraints, invariants left out, refusals. */
#include "testing.h"

#include "model_run.h"

#include <keel/lyapunov.h>

static keel_model *read_it(const char *text, const char *sensitivity) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text),
                                    &(keel_model_options){.interpret = 1, .sensitivity = sensitivity});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

/* How many; the exponents in e. */
static int exponents_of(const char *text, double rtol, keel_exponent *e, keel_exponent *sum, char *left_out,
                        size_t room) {
    keel_model *m = read_it(text, "*");
    keel_lyapunov *l = keel_lyapunov_run(m, &(keel_options){.rtol = rtol}, NULL);
    int count = 0;
    if (keel_lyapunov_status(l) != KEEL_OK) fail_msg("%s\n%s", keel_lyapunov_message(l), text);
    for (double t, value; keel_lyapunov_at(l, count, &e[count]); count++) { /* the last mean is the whole */
        int blocks = 0;
        while (keel_lyapunov_course(l, count, blocks, &t, &value)) blocks++;
        assert_true(blocks > 1 && fabs(value - e[count].value) <= 1e-12 * (1 + fabs(value)));
    }
    if (sum) assert_true(keel_lyapunov_sum(l, sum));
    left_out[0] = '\0';
    for (int i = 0; keel_lyapunov_left_out(l, i); i++)
        snprintf(left_out + strlen(left_out), room - strlen(left_out), "%s ", keel_lyapunov_left_out(l, i));
    keel_lyapunov_close(l);
    keel_model_close(m);
    return count;
}

/* x' = A x with eigenvalues 0.3, -0.2, -1: the exponents; as written, as a DAE, under another name of x'. */
static void linear_equations_have_their_eigenvalues(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int count;
        double value[3];
    } row[] = {
        {"var x, y, z\nx' = 0.3*x + y\ny' = -0.2*y + 2*z\nz' = -z\ninit x = 0, y = 0, z = 0\nrun 0 .. 60\n",
         3,
         {0.3, -0.2, -1}},
        {"var x, y, w\nx' = 0.3*x + w\ny' = -0.2*y\nw = y\ninit x = 0, y = 0\nrun 0 .. 60\n", 2, {0.3, -0.2}},
        {"var x, v\nx' = v\nv' = 0.06*x - 0.1*v\ninit x = 0, v = 0\nrun 0 .. 200\n", 2, {0.2, -0.3}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_exponent e[8];
        char names[100];
        assert_int_equal(exponents_of(row[i].text, 1e-9, e, NULL, names, sizeof names), row[i].count);
        for (int k = 0; k < row[i].count; k++)
            if (!(fabs(e[k].value - row[i].value[k]) < 1e-3)) fail_msg("%g\n%s", e[k].value, row[i].text);
    }
}

/* The errors that are told hold: where the steps err by more than the scatter of blocks shows, where motions
 * part as t and not as e^t, where an event acts at once. */
static void errors_hold(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int count;
        double value[3], most; /* the error is no more than that */
    } row[] = {
        {"var x, y\nx' = 50*x + 1625/3*y\ny' = -300*x - 50*y\ninit x = 0.1, y = 0.2\nrun 0 .. 50\n",
         2,
         {0, 0},
         0.2},
        {"var x, y\nx' = 0.3*x + y\ny' = 0.3*y\ninit x = 0, y = 0\nrun 0 .. 100\n", 2, {0.3, 0.3}, 0.1},
        {"var x, v\nx' = v\nv' = -9.81\nevent e: x falling -> v := -v\ninit x = 1, v = 0\nrun 0 .. 100\n",
         2,
         {0, 0},
         0.1},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\n"
         "init x = 1, y = 0, x' = 0, y' = 1.1\nrun 0 .. 300\n",
         4,
         {0, 0, 0},
         0.03},
        {"var x\nx' = x\nevent e: every 1 -> x := x/2\ninit x = 1\nrun 0 .. 100\n",
         1,
         {1 - 0.69314718056},
         0.1},
        {"var x\nx' = 2*x\ninit x = 0\nrun 0 .. 100\n", 1, {2}, 1e-6},
        /* steps that the end of what is looked at would make much shorter */
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 500\n", 2, {0, 0}, 1e-7},
        /* an event at the very time at which counting begins, and again and again at that of a block */
        {"var x, y\nx' = 1.03\ny' = -0.57*y\nevent e: x - 1 rising -> x := 0, y := 0.712*y\n"
         "init x = 0.1, y = 0\nrun 0 .. 300\n",
         2,
         {0, -0.57 + 1.03 * -0.33967736751},
         0.02},
        /* growth that swings, with periods of which a block has 25.02 or 2.0008 */
        {"var x, y\nx' = 2.965\ny' = 0.319*y\nevent e: x - 1 rising -> x := 0, y := 0.882*y\n"
         "init x = 0.1, y = 0\nrun 0 .. 300\n",
         2,
         {0, 0.319 - 2.965 * 0.12556322297},
         2e-3},
        {"var x\nx' = (-0.724 + 2.433*cos(0.894*t))*x\ninit x = 0\nrun 0 .. 500\n", 1, {-0.724}, 0.02},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_exponent e[8], sum;
        char names[100];
        double trace = 0;
        assert_int_equal(exponents_of(row[i].text, 1e-6, e, &sum, names, sizeof names), row[i].count);
        for (int k = 0; k < row[i].count; k++) {
            double value = k < 3 ? row[i].value[k] : 0;
            trace += value;
            if (!(fabs(e[k].value - value) <= 2 * e[k].error && e[k].error <= row[i].most))
                fail_msg("%g +- %g\n%s", e[k].value, e[k].error, row[i].text);
        }
        if (!(fabs(sum.value - trace) <= 3 * sum.error))
            fail_msg("sum %g +- %g\n%s", sum.value, sum.error, row[i].text);
    }
}

static void lorenz_parts_and_shrinks(void **state) {
    (void)state;
    const char *text = "var x, y, z\nx' = 10*(y - x)\ny' = x*(28 - z) - y\nz' = x*y - 8/3*z\n"
                       "init x = 1, y = 1, z = 1\nrun 0 .. 400\n";
    keel_exponent e[8], sum;
    char names[100];
    assert_int_equal(exponents_of(text, 1e-8, e, &sum, names, sizeof names), 3);
    assert_true(fabs(e[0].value - 0.9056) <= 4 * e[0].error && e[0].error < 0.05);
    assert_true(fabs(e[1].value) <= 4 * e[1].error + 1e-3);
    assert_true(fabs(sum.value + 41.0 / 3) < 1e-6); /* div f = -(10 + 1 + 8/3) everywhere */
}

/* The exponents of a Hamiltonian come in pairs; its energy and momentum are left out, with their zeros. */
static void hamiltonians_have_pairs(void **state) {
    (void)state;
    static const struct {
        const char *text, *left_out;
        int count;
        double chaos; /* the largest is at least that */
    } row[] = {
        {"canonical q[1..2], p[1..2]\nhamiltonian (dot(p, p) + dot(q, q))/2 + q[1]^2*q[2] - q[2]^3/3\n"
         "invariant energy\ninit q = (0, -0.15), p = (0.54, 0.1)\nrun 0 .. 1500\n",
         "energy ", 3, 0.03},
        {"coord a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)\n"
         "invariant energy\ninit a = 2, a' = 0, b = 2.5, b' = 0\nrun 0 .. 100\n",
         "energy ", 3, 0.8},
        {"canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/sqrt(dot(q, q))\ninvariant energy\n"
         "invariant spin = q[1]*p[2] - q[2]*p[1]\ninit q = (1, 0), p = (0, 1.1)\nrun 0 .. 500\n",
         "energy spin ", 2, 0},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninvariant energy\n"
         "init y = -0.5, y' = 0\nguess x = 1\nrun 0 .. 300\n",
         "energy ", 1, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_exponent e[8], sum;
        char names[100];
        assert_int_equal(exponents_of(row[i].text, 1e-8, e, &sum, names, sizeof names), row[i].count);
        assert_string_equal(names, row[i].left_out);
        if (!(e[0].value > row[i].chaos - 0.02)) fail_msg("%g\n%s", e[0].value, row[i].text);
        double pair = fabs(e[0].value + e[row[i].count - 1].value);
        if (!(pair <= 4 * e[0].error + 0.02)) fail_msg("%g\n%s", pair, row[i].text);
        if (!(fabs(sum.value) <= 4 * sum.error + 0.02)) fail_msg("%g\n%s", sum.value, row[i].text);
    }
}

static void refusals_say_why(void **state) {
    (void)state;
    static const struct {
        const char *text, *sensitivity;
        double transient;
        const char *sentence;
    } row[] = {
        {"var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n", NULL, 0, "no start value is free"},
        {"var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n", "*", 2, "as long as the run"},
        {"var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n", "*", -1, "must not be negative"},
        {"var x\nmode a:\n    x' = 1\n    event e: x - 2 rising -> mode b\nmode b:\n    x' = 2\nstart a\n"
         "init x = 1\nrun 0 .. 2\n",
         "*", 0, "with modes"},
        {"var x, u\nx' = u - x\nu' = 0\nevent s: sin(10*t) rising -> u := 0.5*x\ninit x = 1, u = 0\n"
         "run 0 .. 9\n",
         "*", 0, "a direction ends"},
        {"var x\nx' = x^2\ninit x = 1\nrun 0 .. 2\n", "*", 0, "t = 1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = read_it(row[i].text, row[i].sensitivity);
        keel_lyapunov *l =
            keel_lyapunov_run(m, NULL, &(keel_lyapunov_options){.transient = row[i].transient});
        keel_exponent e;
        assert_true(keel_lyapunov_status(l) < 0);
        assert_false(keel_lyapunov_at(l, 0, &e));
        assert_false(keel_lyapunov_sum(l, &e));
        if (!strstr(keel_lyapunov_message(l), row[i].sentence)) fail_msg("%s", keel_lyapunov_message(l));
        keel_lyapunov_close(l);
        keel_model_close(m);
    }
}

/* max_steps counts the steps of all stretches together. */
static void steps_have_a_limit(void **state) {
    (void)state;
    keel_model *m = read_it("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 500\n", "*");
    keel_lyapunov *l = keel_lyapunov_run(m, &(keel_options){.max_steps = 20}, NULL);
    assert_int_equal(keel_lyapunov_status(l), KEEL_ELIMIT);
    assert_non_null(strstr(keel_lyapunov_message(l), "20 steps, options.max_steps, lead to"));
    keel_lyapunov_close(l);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_equations_have_their_eigenvalues),
        cmocka_unit_test(errors_hold),
        cmocka_unit_test(lorenz_parts_and_shrinks),
        cmocka_unit_test(hamiltonians_have_pairs),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(steps_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
