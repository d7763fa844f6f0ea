/* test_pace.c - `clock = auto`, a clock that is read off the equations: that of the ellipse in all forms and
 * units, of bodies that attract and repel; and motions that have none go by t, with the reason. */
#include "testing.h"

#include "model_run.h"

#include <math.h>
#include <stdio.h>

static keel_model *timed(const char *text, const char *clock) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text),
                                    &(keel_model_options){.clock = clock, .interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static int has_clock(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    return mode.problem->clock;
}

/* The state at the end, and the evaluations of f. */
static long ended(const char *text, const char *clock, const keel_options *o, double end, double *value) {
    keel_model *m = timed(text, clock);
    keel_sim *s = keel_sim_open(m, o);
    if (keel_sim_status(s) < 0) fail_msg("%s", keel_sim_message(s));
    run_to(s, end);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    long calls = keel_statistics(keel_sim_solver(s)).calls;
    keel_sim_close(s);
    keel_model_close(m);
    return calls;
}

/* How far a place is off the ellipse of e = 0.99 at t, a = 1: by E - e sin E = t. */
static double off_ellipse(const double *q, double t) {
    double e = 0.99, E = t;
    for (int i = 0; i < 60; i++) E -= (E - e * sin(E) - t) / (1 - e * cos(E)) * (i < 4 ? 0.5 : 1);
    return fmax(fabs(q[0] - (cos(E) - e)), fabs(q[1] - sqrt(1 - e * e) * sin(E)));
}

/* The logarithm of the evaluations at an error of 1, for a method of order 8: the mean over three ends, with
 * the mean of the errors there, since an error at one time may be small by chance. */
static double work_at_error(const char *text, const char *clock, double length, double rtol) {
    double off = 0, calls = 0, value[8];
    for (int end = 14; end <= 18; end += 2) {
        keel_options o = {.method = "dop853", .rtol = rtol, .atol = 0.01 * rtol * length};
        calls += log((double)ended(text, clock, &o, end, value) / end) / 3;
        off += log(off_ellipse((double[]){value[0] / length, value[1] / length}, end)) / 3;
    }
    return calls + off / 8;
}

/* By a hamiltonian, equations, a lagrangian; the mean over three tolerances. */
static void the_ellipse_has_one_in_all_units(void **state) {
    (void)state;
    static const char *const form[] = {
        "param L = %.17g, m = L^3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - m/norm(q)\n"
        "init q = (0.01*L, 0), p = (0, L*sqrt(199))\nrun 0 .. 18\n",
        "param L = %.17g, m = L^3\nvar x, y, u, v\nlet r = sqrt(x^2 + y^2)\nx' = u\ny' = v\nu' = -m*x/r^3\n"
        "v' = -m*y/r^3\ninit x = 0.01*L, y = 0, u = 0, v = L*sqrt(199)\nrun 0 .. 18\n",
        "param L = %.17g, m = L^3\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + m/hypot(x, y)\n"
        "init x = 0.01*L, y = 0, x' = 0, y' = L*sqrt(199)\nrun 0 .. 18\n"};
    static const double length[] = {1e-9, 1, 1e9};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            char text[400];
            double gain = 0;
            snprintf(text, sizeof text, form[i], length[k]);
            for (int digits = 8; digits <= 10; digits++)
                gain += (work_at_error(text, "auto", length[k], pow(10, -digits)) -
                         work_at_error(text, "none", length[k], pow(10, -digits))) /
                        3;
            if (!(exp(gain) < 0.5))
                fail_msg("form %zu, length %g: %.2f of the evaluations by t", i, length[k], exp(gain));
        }
}

/* Between the two, what attracts and what repels cancels along a curve: a clock that added them with their
 * signs would leap there. */
static void attraction_and_repulsion_do_not_cancel(void **state) {
    (void)state;
    static const char text[] = "canonical q[1..2], p[1..2]\nlet a = q - (1, 0), b = q + (1, 0)\n"
                               "hamiltonian H = dot(p, p)/2 - 2/norm(a) + 1/norm(b)\ninvariant energy\n"
                               "init q = (1.5, 0.2), p = (0.3, 0.8)\nrun 0 .. 20\n";
    double value[2][8];
    keel_options o = {.method = "dop853+project", .rtol = 1e-11};
    long calls = ended(text, "auto", &o, 20, value[1]), plain = ended(text, "none", &o, 20, value[0]);
    assert_true((double)calls < 1.2 * (double)plain);
    for (int j = 0; j < 4; j++) assert_near(value[1][j], value[0][j], 1e-6);
}

static void close_encounters_of_three(void **state) {
    (void)state;
    static const char text[] =
        "param m[1..3] = (3, 4, 5)\ncanonical q[1..3][1..2], p[1..3][1..2]\n"
        "hamiltonian H = sum(i in 1..3, dot(p[i], p[i])/(2*m[i])) "
        "- sum(i in 1..2, sum(j in i+1..3, m[i]*m[j]/norm(q[i] - q[j])))\ninvariant energy\n"
        "init q = ((1, 3), (-2, -1), (1, -1)), p = 0\nrun 0 .. 10\n";
    double value[2][16];
    keel_options o = {.method = "dop853+project", .rtol = 1e-11};
    long calls = ended(text, "auto", &o, 10, value[1]), plain = ended(text, "none", &o, 10, value[0]);
    assert_true((double)calls < 0.6 * (double)plain);
    for (int j = 0; j < 12; j++) assert_near(value[1][j], value[0][j], 1e-5);
}

/* Divisors that set no pace where x is 0, on the way or at the start, or by their numbers. */
static void where_nothing_sets_a_pace(void **state) {
    (void)state;
    static const char *const text[] = {
        "var x, v\nx' = v\nv' = -x^3/(1 + x^2)\ninit x = 1, v = 0\nrun 0 .. 30\n",
        "var x, v\nx' = v\nv' = -x^3/(1 + x^2)\ninit x = 0, v = 1\nrun 0 .. -30\n",
        "param m = 0\nvar x, v\nx' = v\nv' = -x - m/x^3*x\ninit x = 1, v = 0\nrun 0 .. 1\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        double value[2][8], end = i == 0 ? 30 : i == 1 ? -30 : 1;
        keel_options o = {.method = "dop853", .rtol = 1e-10};
        ended(text[i], "auto", &o, end, value[1]);
        ended(text[i], "none", &o, end, value[0]);
        for (int j = 0; j < 2; j++) assert_near(value[1][j], value[0][j], 1e-7);
    }
}

/* Nothing to read off, or nothing that may go by another variable: the run by t, and a warning. */
static void others_go_by_t(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } row[] = {
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 10\n", "divide by nothing"},
        {"coord a\nlagrangian a'^2/2 + cos(a)\ninvariant energy\ninit a = 1, a' = 0\nrun 0 .. 10\n",
         "divide by nothing"},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
         "init x = 1, x' = 0, y' = 0\nguess y = 0\nrun 0 .. 10\n",
         "ordinary differential equations"},
        {"var x, v\nx' = v\nv' = -x/(1 + x^2) - abs(v)\ninit x = 1, v = 0\nrun 0 .. 0.5\n",
         "functions that switch"},
        {"var x, v\nmode a:\n    x' = v\n    v' = -1/x^2\nmode b:\n    x' = 0\n    v' = 0\n"
         "event e: t - 0.3 rising -> mode b\nstart a\ninit x = 1, v = 0\nrun 0 .. 0.5\n",
         "without modes"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double value[2][8];
        keel_options o = {.rtol = 1e-8};
        keel_model *m = timed(row[i].text, "auto");
        keel_diagnostic said;
        if (!keel_model_diagnostic(m, 0, &said) || said.error || !strstr(said.sentence, row[i].reason))
            fail_msg("%s is told: %s", row[i].text, keel_model_message(m));
        assert_false(keel_model_diagnostic(m, 1, &said));
        assert_false(has_clock(m));
        keel_model_close(m);
        double end = i < 3 ? 10 : 0.5;
        assert_int_equal(ended(row[i].text, "auto", &o, end, value[1]),
                         ended(row[i].text, "none", &o, end, value[0]));
        assert_memory_equal(value[0], value[1], 2 * sizeof **value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ellipse_has_one_in_all_units),
        cmocka_unit_test(attraction_and_repulsion_do_not_cancel),
        cmocka_unit_test(close_encounters_of_three),
        cmocka_unit_test(where_nothing_sets_a_pace),
        cmocka_unit_test(others_go_by_t),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
