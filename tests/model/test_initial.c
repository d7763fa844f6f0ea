/* test_initial.c - where models begin: at rest, near it, at singular guesses, with more rows than are needed.
 *
 * What is told of a model (index, free start values) does not depend on accidental start values, a right
 * start is found, `init` is kept, and the run that follows has the closed form or that of another
 * notation. */
#include "testing.h"

#include "model_run.h"

static keel_model *read_text(const char *text) {
    return keel_model_read("begin.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

static keel_model *sound(const char *text) {
    keel_model *m = read_text(text);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

static const struct {
    const char *name;
    double step, error;
} methods[] = {{"dop853", 0, 1e-7}, {"taylor", 0, 1e-7}, {"radau", 0, 1e-7}, {"rk4", 1. / 512, 1e-6}};
enum { METHODS = 4 };

static keel_sim *run_by(const keel_model *m, int method, double t) {
    keel_options o = {.method = methods[method].name, .step = methods[method].step};
    if (o.step == 0) o.rtol = 1e-9;
    keel_sim *s = keel_sim_open(m, &o);
    run_to(s, t);
    return s;
}

/* All columns that have an `exact`, by every method. */
static void runs_exactly(const char *text, double t) {
    keel_model *m = sound(text);
    for (int k = 0; k < METHODS; k++) {
        double value[40], exact[40];
        keel_sim *s = run_by(m, k, t);
        assert_true(keel_sim_columns(s) <= 40);
        assert_int_equal(keel_sim_values(s, value), KEEL_OK);
        assert_int_equal(keel_sim_exact(s, t, exact), KEEL_OK);
        for (int c = 0; c < keel_sim_columns(s); c++)
            if (keel_sim_has_exact(s, c) && !(fabs(value[c] - exact[c]) <= methods[k].error))
                fail_msg("%s = %.17g by %s, not %.17g\n%s", keel_sim_column(s, c), value[c], methods[k].name,
                         exact[c], text);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* At rest: the rates u', v' vanish, or nearly, and their equations are there all the same. */
static void equations_whose_rates_vanish_at_the_start_hold(void **state) {
    (void)state;
    static const double a[] = {3, 1, 0.5, 7, 2, 3}, b[] = {0.3, 0.1, 0.7, 0.35, 1e-3, 0},
                        off[] = {0, 0, 1e-14, 0, 1e-17, 0};
    for (int k = 0; k < 6; k++) {
        char text[600];
        double w0 = b[k] / a[k] + off[k];
        snprintf(text, sizeof text,
                 "var u, v, w\nu' + v' + %.17g*w = %.17g\n-3*u' - 2*v' + w' = 1\n-2*u' + w' = 1\n"
                 "init u = 0, v = 0, w = %.17g\nexact w = %.17g + (%.17g)*exp(-%.17g*t)\nrun 0 .. 0.5\n",
                 a[k], b[k], w0, (1 + 4 * b[k]) / (4 * a[k]), w0 - (1 + 4 * b[k]) / (4 * a[k]), 4 * a[k]);
        runs_exactly(text, 0.5);
    }
}

static const char *const at_rest[] = {
    "param m[1..2] = (1, 2), l[1..2] = (1, 0.5), g = 9.81\ncoord a, b\nvar loss\n"
    "let x1 = l[1]*sin(a), y1 = -l[1]*cos(a), x2 = x1 + l[2]*sin(b), y2 = y1 - l[2]*cos(b)\n"
    "lagrangian m[1]*(x1'^2 + y1'^2)/2 + m[2]*(x2'^2 + y2'^2)/2 - g*(m[1]*y1 + m[2]*y2)\n"
    "force a: -0.1*a'\nloss' = 0.1*a'^2\ninvariant balance = energy + loss\n"
    "init a = pi, b = pi, a' = 0, b' = 0, loss = 0\nexact a = pi, b = pi, loss = 0\n",
    "param m[1..2] = (1, 2), l[1..2] = (1, 0.5), g = 9.81\ncoord a, b\nvar loss\n"
    "let x1 = l[1]*sin(a), y1 = -l[1]*cos(a), x2 = x1 + l[2]*sin(b), y2 = y1 - l[2]*cos(b)\n"
    "lagrangian m[1]*(x1'^2 + y1'^2)/2 + m[2]*(x2'^2 + y2'^2)/2 - g*(m[1]*y1 + m[2]*y2)\n"
    "force a: -0.1*a'\nloss' = 0.1*a'^2\ninit a = 0, b = pi, a' = 0, b' = 0, loss = 0\n"
    "exact a = 0, b = pi, loss = 0\n",
    "var x, v, th, w\nx' = v\nth' = w\n1.1*v' + 0.05*w'*cos(th) - 0.05*w^2*sin(th) = 0\n"
    "0.5*w' + v'*cos(th) - 9.81*sin(th) = 0\ninit x = 0, v = 0, th = pi, w = 0\n"
    "exact x = 0, th = pi\n",
    "var x, v, th, w, F\nx' = v\nth' = w\n1.1*v' + 0.05*w'*cos(th) - 0.05*w^2*sin(th) = F\n"
    "0.5*w' + v'*cos(th) - 9.81*sin(th) = 0\nF = -x - v + 30*sin(th) + 5*w\n"
    "init x = 0, v = 0, th = 0, w = 0\nexact x = 0, th = 0\n",
    "var i1, i2\ni1' + 0.5*i2' + i1 = 2\n0.5*i1' + 2*i2' + 3*i2 = 0\ninit i1 = 2, i2 = 0\n"
    "exact i1 = 2, i2 = 0\n",
    "var i[1..3], u\n0.5*i[1]' + 0.1*i[2]' + 0.05*i[3]' = 4 - 2*i[1]\n"
    "0.1*i[1]' + 0.7*i[2]' + 0.2*i[3]' = -2*i[2]\n0.05*i[1]' + 0.2*i[2]' + 0.9*i[3]' = u - 2*i[3]\n"
    "0.1*u' = -u - i[3] + i[2]*i[1]'\ninit i = (2, 0, 0), u = 0\nexact i = (2, 0, 0), u = 0\n",
    "var a, b, c, n, i[1..3], q\na = 5*cos(t)\nb = 5*cos(t - 2*pi/3)\nc = 5*cos(t + 2*pi/3)\n"
    "i[1] = (a - n)/10\ni[2] = (b - n)/10\ni[3] = (c - n)/10\ni[1] + i[2] + i[3] = 0\nq' = n\n"
    "init q = 0\nexact q = 0, n = 0, i[1] = 0.5*cos(t)\n",
    "var u[1..3], n, q\n(u[1] - n)/7 + (u[2] - n)/7 + (u[3] - n)/7 = 0\nu = (1, 1, 1)\nq' + q'^3 = u[1] - n\n"
    "init q = 0\nexact q = 0, n = 1\n",
};

static void models_at_rest_stay_there(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof at_rest / sizeof *at_rest; i++) {
        char text[1200];
        snprintf(text, sizeof text, "%srun 0 .. 0.5\n", at_rest[i]);
        runs_exactly(text, 0.5);
    }
}

/* Two models of one motion: by all methods the first ends where the second does by the first method, to so
 * many of the method's errors. */
static void assert_same_motion(const char *text, const char *other, double t_end, double errors, int names,
                               const char *const *name) {
    keel_model *here = sound(text), *there = sound(other);
    keel_sim *right = run_by(there, 0, t_end);
    for (int i = 0; i < METHODS; i++) {
        keel_sim *s = run_by(here, i, t_end);
        for (int k = 0; k < names; k++)
            assert_near(value_of(s, name[k]), value_of(right, name[k]), errors * methods[i].error);
        keel_sim_close(s);
    }
    keel_sim_close(right);
    keel_model_close(here);
    keel_model_close(there);
}

/* A cart with a pole, pushed from rest: implicit equations, and a lagrangian. */
static void a_push_from_rest_is_the_same_in_two_notations(void **state) {
    (void)state;
    static const double mass[] = {0.1, 0.5, 1, 2, 0.01}, length[] = {0.5, 1, 0.3, 2, 0.5},
                        angle[] = {0, 180, 0, 90, 270};
    for (int k = 0; k < 5; k++) {
        char one[500], other[500];
        double m = mass[k], l = length[k];
        snprintf(
            one, sizeof one,
            "param m = %g, l = %g\nvar x, v, a, w\nx' = v\na' = w\n"
            "(1 + m)*v' + m*l*w'*cos(a) - m*l*w^2*sin(a) = sin(t)^2\nl*w' + v'*cos(a) - 9.81*sin(a) = 0\n"
            "init x = 0, v = 0, a = %g*pi/180, w = 0\nrun 0 .. 0.5\n",
            m, l, angle[k]);
        snprintf(other, sizeof other,
                 "param m = %g, l = %g\ncoord x, a\nlagrangian x'^2/2 + m*((x' + l*a'*cos(a))^2 + "
                 "(l*a'*sin(a))^2)/2 - m*9.81*l*cos(a)\nforce x: sin(t)^2\n"
                 "init x = 0, x' = 0, a = %g*pi/180, a' = 0\nrun 0 .. 0.5\n",
                 m, l, angle[k]);
        assert_same_motion(one, other, 0.5, 2, 2, (const char *[]){"x", "a"});
    }
}

/* The way back to rest from nearby is the scaled way, at 0 and beside other numbers, down to where the cube
 * of the rate is far below round-off. */
static void implicit_equations_near_rest_are_those_of_any_size(void **state) {
    (void)state;
    static const double sizes[] = {1e-6, 1e-9, 1e-13, 1e-16, 1e-25}, rests[] = {0, 1, -3.5};
    for (int k = 0; k < METHODS; k++) {
        double wanted = 0;
        for (int i = 0; i < 15; i++) {
            char text[300];
            double size = sizes[i % 5], rest = rests[i / 5];
            snprintf(text, sizeof text,
                     "var x, y\nx' + 0.5*y' = %g - x\n0.3*x' + y' + 0.1*y'^3 = %g - y\n"
                     "init x = %.17g, y = %.17g\nrun 0 .. 1\n",
                     rest, -rest, rest + size, -rest - size);
            keel_model *m = sound(text);
            keel_sim *s = run_by(m, k, 1);
            double left = value_of(s, "x") - rest;
            if (i == 0) wanted = left / size;
            assert_near(left, wanted * size, methods[k].error * (3 * size + 0.01 * fabs(rest)));
            keel_sim_close(s);
            keel_model_close(m);
        }
    }
}

/* `init` has its last bit, however near the guess is to what is right. */
static void init_values_are_never_moved(void **state) {
    (void)state;
    static const char *const texts[] = {
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\ninit x = 0.6, x' = 0\n"
        "guess y = -0.8 + %g, y' = %g\n",
        "var x, y, f\nx'' = -f*x\ny'' = -f*y - 1\nx^2 + y^2 = 1\ninit x = 0.6, x' = 0\n"
        "guess y = -0.8 + %g, y' = %g\n",
        "canonical x, px\ncanonical y, py\nhamiltonian (px^2 + py^2)/2 + y\nconstraint rod: x^2 + y^2 = 1\n"
        "init x = 0.6, px = 0\nguess y = -0.8 + %g, py = %g\n",
        "var x, y\nx' = -x + y\nx^2 + y^2 = 1\ninit x = 0.6\nguess y = 0.8 + %g + 0*%g\n",
        "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nrolling edge: x'*sin(a) = y'*cos(a)\n"
        "init x = 0.6, y = 0, a = 0.5, a' = 1, x' = 0.6\nguess y' = 0.6*tan(0.5) + %g + 0*%g\n",
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint bar: x*y = 0.48\ninit x = 0.6, x' = 0.1\n"
        "guess y = 0.8 + %g, y' = -0.4/3 + %g\n",
    };
    static const double misses[] = {0, 1e-16, 1e-12, 1e-10, 7e-10, 1e-8, 1e-4};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int k = 0; k < 7; k++) {
            char text[500];
            snprintf(text, sizeof text, texts[i], misses[k], misses[k]);
            strcat(text, "run 0 .. 1\n");
            keel_model *m = sound(text);
            keel_sim *s = keel_sim_open(m, NULL);
            if (value_of(s, "x") != 0.6) fail_msg("x = %.17g\n%s", value_of(s, "x"), text);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* Values that contradict each other in their last digits alone are polished, and that is told. */
static void polished_values_are_told(void **state) {
    (void)state;
    static const double off[] = {0, 1e-16, 1e-11, 1e-10, 3e-10};
    for (int k = 0; k < 5; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
                 "init x = %.17g, y = -0.8, x' = 0\nrun 0 .. 1\n",
                 0.6 + off[k]);
        keel_model *m = sound(text);
        int told = strstr(keel_model_message(m), "fits the equations to some digits alone") != NULL;
        assert_int_equal(told, k > 1);
        keel_model_close(m);
    }
    /* what the states determine is never what was given, if it differs */
    static const char *const implied[] = {"y + %g = x", "y = x*(1 - %g)", "2*y - x = y - %g", "x - y^3 = %g",
                                          "w = y + %g\nw = x"};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 5; i++) {
            char line[60], text[200];
            snprintf(line, sizeof line, implied[k], off[i]);
            snprintf(text, sizeof text, "var x, y%s\nx' = -x\n%s\ninit x = 1, y = 1\nrun 0 .. 1\n",
                     k == 4 ? ", w" : "", line);
            keel_model *m = sound(text);
            int told = strstr(keel_model_message(m), "fits the equations to some digits alone") != NULL;
            assert_int_equal(told, i > 1);
            keel_model_close(m);
        }
}

/* The guess 0, 0 of the elbow is where both of its circles have no direction. */
static void a_start_is_found_beside_a_singular_guess(void **state) {
    (void)state;
    static const double x[] = {1, 0.3, -1.2, 0.01, 1.9}, y[] = {0.5, 0.2, 1.1, 0, 0.1};
    static const char *const texts[] = {
        "coord x1, y1, x2, y2\nlagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - y1 - y2\n"
        "constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
        "init x2 = %.17g, y2 = %.17g, x2' = 0, y2' = 0\nguess x1 = 0, y1 = 0\n",
        "var x1, y1, x2, y2\nx1^2 + y1^2 = 1\n(x2 - x1)^2 + (y2 - y1)^2 = 1\nx2 = %.17g + t^2/100\n"
        "y2 = %.17g\n",
        "var x1, y1, x2, y2\nx1^2 + y1^2 = 1\n(x2 - x1)^2 + (y2 - y1)^2 = 1\nx2' = 0*x1\ny2' = 0*x1\n"
        "init x2 = %.17g, y2 = %.17g\nguess x1 = 0, y1 = 0\n",
    };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) {
            char text[500];
            snprintf(text, sizeof text, texts[i], x[k], y[k]);
            strcat(text, "run 0 .. 0.1\n");
            keel_model *m = sound(text);
            keel_sim *s = keel_sim_open(m, NULL);
            double x1 = value_of(s, "x1"), y1 = value_of(s, "y1");
            assert_near(value_of(s, "x2"), x[k], 0);
            assert_near(value_of(s, "y2"), y[k], 0);
            assert_near(x1 * x1 + y1 * y1, 1, 1e-14);
            assert_near(pow(x[k] - x1, 2) + pow(y[k] - y1, 2), 1, 1e-14);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

static void expect_counts(const char *text, int index, int freedom) {
    keel_mode mode;
    keel_model *m = sound(text);
    keel_model_mode(m, 0, &mode);
    if (mode.index != index || mode.freedom != freedom)
        fail_msg("index %d, not %d; freedom %d, not %d\n%s", mode.index, index, mode.freedom, freedom, text);
    int choices = 0;
    for (char name[KEEL_NAME]; keel_model_free_state(m, 0, choices, name);) choices++;
    assert_int_equal(choices, freedom);
    keel_model_close(m);
}

/* s = x + y and d = x - y: (2 - e) s' = -s, e d' = -d. */
static void nearly_singular_is_not_singular(void **state) {
    (void)state;
    static const double e[] = {1e-3, 1e-6, 1e-9, 1e-10, 1e-11};
    for (int k = 0; k < 5; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "param e = %g\nvar x, y\nx' + (1 - e)*y' = -x\n(1 - e)*x' + y' = -y\ninit x = 1, y = 1\nrun "
                 "0 .. 1\n",
                 e[k]);
        expect_counts(text, 0, 2);
        keel_model *m = sound(text);
        keel_sim *s = run_by(m, 2, 1);
        assert_near(value_of(s, "x"), exp(-1 / (2 - e[k])), 1e-6);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Rows that follow from others only where these hold: the mechanism moves. */
static void redundant_rows_do_not_count(void **state) {
    (void)state;
    char text[700];
    for (int rods = 2; rods <= 5; rods++) { /* a plate on parallel rods */
        snprintf(text, sizeof text,
                 "coord x, y, a\nlagrangian (x'^2 + y'^2)/2 + a'^2/6 - 9.81*y\nfor i in 1..%d:\n"
                 "    constraint rod[i]: (x + i*cos(a) - i)^2 + (y + i*sin(a))^2 = 1\n"
                 "init x = 0.6, x' = 0, a = 0\nguess y = -0.8\nrun 0 .. 1\n",
                 rods);
        expect_counts(text, 3, 2);
    }
    expect_counts(
        "coord x1, y1, x2, y2\nlagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - y1 - y2\n"
        "constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - 2)^2 + y2^2 = 1\n"
        "constraint c: (x2 - x1)^2 + (y2 - y1)^2 = 4\nconstraint d: (x1 + x2 - 2)^2 + (y1 + y2)^2 = 4\n"
        "init x1 = 0.6, x1' = 0\nguess y1 = -0.8, x2 = 2.6, y2 = -0.8\nrun 0 .. 1\n",
        3, 2);
    expect_counts("coord x1, y1, x2, y2\nlagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - y1 - y2\n"
                  "constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - 3)^2 + y2^2 = 4\n"
                  "constraint c: (x2 - x1)^2 + (y2 - y1)^2 = 9\ninit x1 = 0.6, x1' = 0\n"
                  "guess y1 = 0.8, x2 = 3, y2 = 2\nrun 0 .. 1\n",
                  3, 2);
}

static const char robot_lets[] = "let a(s) = 2/(2 - cos(s)^2), b(s) = cos(s)/(2 - cos(s)^2)\n"
                                 "let c(s) = sin(s)/(2 - cos(s)^2), d(s) = cos(s)*sin(s)/(2 - cos(s)^2)\n"
                                 "cos(x1) + cos(x1 + x3) = cos(exp(t) - 1) + cos(t - 1)\n"
                                 "sin(x1) + sin(x1 + x3) = sin(1 - exp(t)) + sin(1 - t)\n"
                                 "guess x1 = 0, x3 = 1, x2 = 2\nrun 0 .. 0.1\n";

/* Campbell and Griepentrog's arm with a flexible joint on a prescribed path: index 5. */
static void the_index_does_not_depend_on_the_notation(void **state) {
    (void)state;
    static const char *const begin[] = {
        "var x1, x2, x3, u1, u2\nlet v1 = x1', v2 = x2', v3 = x3'\n",
        "var x1, x2, x3, v1, v2, v3, u1, u2\nx1' = v1\nx2' = v2\nx3' = v3\n",
        "var x1, x2, x3, v1, v2, v3, u1, u2\n2*x1' = 2*v1\nv2 - x2' = 0\nx3' + x2' = v3 + v2\n",
    };
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "%slet S = 2*c(x3)*(v1 + v3)^2 + v1^2*d(x3)\n"
                 "v1' = S + (2*x3 - x2)*(a(x3) + 2*b(x3)) + a(x3)*(u1 - u2)\n"
                 "v2' = -S + (2*x3 - x2)*(1 - 3*a(x3) - 2*b(x3)) - a(x3)*u1 + (a(x3) + 1)*u2\n"
                 "v3' = -S + (2*x3 - x2)*(a(x3) - 9*b(x3)) - 2*v1^2*c(x3) - d(x3)*(v1 + v3)^2 - "
                 "(a(x3) + b(x3))*(u1 - u2)\n%s",
                 begin[k], robot_lets);
        expect_counts(text, 5, 0);
    }
}

static void the_index_of_a_bridge_does_not_depend_on_its_diodes(void **state) {
    (void)state;
    static const double d[] = {1, 5, 20, 38.5, 60, 100, 200}, saturation[] = {1e-14, 1e-9, 1e-6};
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < 3; i++) {
            char text[600];
            snprintf(text, sizeof text,
                     "var a, b, p, m\nlet D(u) = %g*(exp(%g*u) - 1)\na - b = sin(t)\n"
                     "D(a - p) + D(b - p) - (p - m)/1000 = 1e-5*(p' - m')\n"
                     "1e-5*(m' - p') + (m - p)/1000 + D(m - a) + D(m - b) + m/1000 = 0\n"
                     "D(a - p) - D(m - a) + D(b - p) - D(m - b) + a/1000 = 0\ninit p = 0\nrun 0 .. 0.1\n",
                     saturation[i], d[k]);
            expect_counts(text, 1, 1);
        }
}

/* T of rank 3 in four coordinates; Euler's equations have the same angular velocities. */
static void a_unit_quaternion_needs_no_energy_of_its_length(void **state) {
    (void)state;
    static const double inertia[][3] = {{1, 2, 3}, {1, 1, 2}, {0.2, 5, 5.1}, {3, 2, 1.5}, {1, 1, 1}},
                        w[][3] = {{0.1, 1, 0.2}, {0.5, 0.2, 2}, {1, 0.3, 0.3}, {0, 0, 1}, {0.3, -0.2, 0.4}};
    for (int k = 0; k < 5; k++) {
        char text[1200], euler[400];
        const double *I = inertia[k], *v = w[k];
        snprintf(text, sizeof text,
                 "param I[1..3] = (%g, %g, %g)\ncoord q[0..3]\n"
                 "let w[1] = 2*(-q[1]*q[0]' + q[0]*q[1]' + q[3]*q[2]' - q[2]*q[3]')\n"
                 "let w[2] = 2*(-q[2]*q[0]' - q[3]*q[1]' + q[0]*q[2]' + q[1]*q[3]')\n"
                 "let w[3] = 2*(-q[3]*q[0]' + q[2]*q[1]' - q[1]*q[2]' + q[0]*q[3]')\n"
                 "lagrangian (I[1]*w[1]^2 + I[2]*w[2]^2 + I[3]*w[3]^2)/2\n"
                 "constraint unit: dot(q, q) = 1\ninvariant energy\n"
                 "init q = (1, 0, 0, 0), q[1]' = %g, q[2]' = %g, q[3]' = %g\n"
                 "output w1 = w[1], w2 = w[2], w3 = w[3], n = dot(q, q)\nrun 0 .. 3\n",
                 I[0], I[1], I[2], v[0] / 2, v[1] / 2, v[2] / 2);
        snprintf(euler, sizeof euler,
                 "var w1, w2, w3\n%g*w1' = (%g)*w2*w3\n%g*w2' = (%g)*w3*w1\n%g*w3' = (%g)*w1*w2\n"
                 "init w1 = %g, w2 = %g, w3 = %g\nrun 0 .. 3\n",
                 I[0], I[1] - I[2], I[1], I[2] - I[0], I[2], I[0] - I[1], v[0], v[1], v[2]);
        assert_same_motion(text, euler, 3, 10, 3, (const char *[]){"w1", "w2", "w3"});
        keel_model *m = sound(text);
        for (int i = 0; i < METHODS; i++) {
            keel_sim *s = run_by(m, i, 3);
            assert_near(value_of(s, "n"), 1, 1e-15);
            keel_sim_close(s);
        }
        keel_model_close(m);
    }
}

/* x = y^2/4 from x = 0 has the double solution y = 0, where the row loses its direction: y comes near it from
 * any guess, and x stays where `init` has it. */
static void a_double_solution_moves_no_init(void **state) {
    static const double guess[] = {0.01, -0.01, 0.3, 1e-3};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "var x, y, z\nx' + y' = -x - y*z\nz' = -z\n%sx = %sy^2/4\ninit x = 0, z = 1\nguess y = "
                 "%.17g\nrun 0 .. 1\n",
                 k % 2 ? "0.7*" : "", k % 2 ? "0.7*" : "", guess[k]);
        keel_model *m = sound(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
        assert_near(value_of(s, "x"), 0, 1e-15);
        assert_near(value_of(s, "y"), 0, 1e-6);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Guesses that come to 0 leave some of their round-offs, and these are no sizes: neither a start that does
 * not fit at 1e-17 nor ever shorter steps may come of them. */
static void zeros_of_round_off_have_no_size(void **state) {
    (void)state;
    runs_exactly(
        "var x[1..4]\n"
        "-3*x[1]' + x[1] + 0.890625 - x[2]' - 2*x[2] + x[3]' - 3*x[3] - 3*x[4]' + 2*(x[4] + 0.78125) = 0\n"
        "3*(x[1] + 0.890625) + x[2] - 2*x[3]' + 3*x[3] + 9*(x[4] + 0.78125) = 0\n"
        "-6*x[1]' + 2*(x[1] + 0.890625) - 2*x[2]' - 4*x[2] + 2*x[3]' - 4*x[3] - 6*x[4]'\n"
        "    + 4*(x[4] + 0.78125) = 0\n-6*(x[4] + 0.78125) = 0\n"
        "guess x[1] = -0.880625, x[2] = 0.02, x[3] = 0.03, x[4] = -0.77125\n"
        "exact x[1] = -0.890625, x[2] = 0, x[3] = 0, x[4] = -0.78125\nrun 0 .. 1.5\n",
        1.5);
    keel_model *m = sound("var w[1..3]\nlet s = sin(2*t + 1)\n"
                          "51*sinh(w[1]) + 20*(sinh(w[2]) - s) + 31*(sinh(w[3]) - s) = 0\n"
                          "49*sinh(w[1]) + 30*(sinh(w[2]) - s) + 19*(sinh(w[3]) - s) = 0\n"
                          "17*sinh(w[1]) - 20*(sinh(w[2]) - s) + 37.001*(sinh(w[3]) - s) = 0\n"
                          "guess w[1] = 0.01, w[2] = 0.8, w[3] = 0.8\nrun 0 .. 2\n");
    for (int k = 0; k < 3; k += 2) {
        keel_sim *s =
            keel_sim_open(m, &(keel_options){.method = methods[k].name, .rtol = 1e-9, .max_steps = 500});
        run_to(s, 2);
        assert_near(value_of(s, "w[1]"), 0, 1e-9);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* A guess of 0 has no size.  It gives way as much as the others do, and does not hold them near 0. */
static void a_guess_of_zero_gives_way(void **state) {
    (void)state;
    keel_model *m = sound("coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint tie: x = 2*y\n"
                          "init x = 0, z = 0, z' = 0\nguess y = 0, x' = 1, y' = 0\nrun 0 .. 1\n");
    keel_sim *s = keel_sim_open(m, NULL);
    assert_near(value_of(s, "x'"), 0.8, 1e-12);
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_whose_rates_vanish_at_the_start_hold),
        cmocka_unit_test(models_at_rest_stay_there),
        cmocka_unit_test(a_push_from_rest_is_the_same_in_two_notations),
        cmocka_unit_test(implicit_equations_near_rest_are_those_of_any_size),
        cmocka_unit_test(init_values_are_never_moved),
        cmocka_unit_test(polished_values_are_told),
        cmocka_unit_test(a_start_is_found_beside_a_singular_guess),
        cmocka_unit_test(nearly_singular_is_not_singular),
        cmocka_unit_test(redundant_rows_do_not_count),
        cmocka_unit_test(the_index_does_not_depend_on_the_notation),
        cmocka_unit_test(the_index_of_a_bridge_does_not_depend_on_its_diodes),
        cmocka_unit_test(a_unit_quaternion_needs_no_energy_of_its_length),
        cmocka_unit_test(a_double_solution_moves_no_init),
        cmocka_unit_test(zeros_of_round_off_have_no_size),
        cmocka_unit_test(a_guess_of_zero_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
