/* test_orbit.c - periodic orbits: twelve digits from four, families, constraints as reduced coordinates,
 * limit cycles, forced motions, multipliers, refusals. */
#include "testing.h"

#include <keel/orbit.h>

#include <limits.h>

static keel_model *model; /* of the orbit at hand */

static keel_orbit *found(const char *text, double period, const char *hold) {
    model = keel_model_read("test.keel", text, strlen(text),
                            &(keel_model_options){.interpret = 1, .sensitivity = "*"});
    if (keel_model_status(model) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(model), text);
    return keel_orbit_find(model, NULL, &(keel_orbit_options){.period = period, .hold = hold});
}

static void done(keel_orbit *o) {
    keel_orbit_close(o);
    keel_model_close(model);
}

static keel_orbit_summary summary(const keel_orbit *o) {
    keel_orbit_summary s = {0};
    if (keel_orbit_status(o) != KEEL_OK) fail_msg("%s", keel_orbit_message(o));
    assert_true(keel_orbit_summarise(o, &s));
    return s;
}

static double start_of(const keel_orbit *o, const char *name) {
    const char *one;
    double value;
    for (int i = 0; keel_orbit_start(o, i, &one, &value); i++)
        if (strcmp(one, name) == 0) return value;
    fail_msg("there is no `%s`", name);
    return NAN;
}

static int trivial_of(const keel_orbit *o) {
    int count = 0;
    while (keel_orbit_trivial(o, count)) count++;
    return count;
}

/* From y' = -2.0016 and T = 17.07 to the digits of Hairer, Norsett and Wanner. */
static void arenstorf_closes(void **state) {
    (void)state;
    keel_orbit *o = found("param mu = 0.012277471, nu = 1 - mu\nvar x, y\n"
                          "let r1 = sqrt((x + mu)^2 + y^2), r2 = sqrt((x - nu)^2 + y^2)\n"
                          "x'' = x + 2*y' - nu*(x + mu)/r1^3 - mu*(x - nu)/r2^3\n"
                          "y'' = y - 2*x' - nu*y/r1^3 - mu*y/r2^3\n"
                          "invariant jacobi = x^2 + y^2 + 2*nu/r1 + 2*mu/r2 - x'^2 - y'^2\n"
                          "init x = 0.994, y = 0, x' = 0, y' = -2.0016\nrun 0 .. 17.07\n",
                          17.07, "x, y");
    keel_orbit_summary s = summary(o);
    keel_multiplier m[2];
    assert_below(fabs(s.period - 17.0652165601579625589), 1e-12);
    assert_below(fabs(start_of(o, "y'") + 2.00158510637908252240), 1e-12);
    assert_below(fabs(start_of(o, "x'")), 1e-12);
    assert_true(start_of(o, "x") == 0.994);
    assert_below(s.defect, 1e-11);
    assert_below(s.closing, 1e-9); /* 285 times the error of a run, twice near the moon */
    assert_int_equal(s.family, 0);
    assert_int_equal(trivial_of(o), 2);
    assert_true(keel_orbit_multiplier(o, 0, &m[0]) && keel_orbit_multiplier(o, 1, &m[1]));
    assert_false(keel_orbit_multiplier(o, 2, m));
    assert_below(fabs(m[0].real * m[1].real - 1), 1e-7);
    assert_below(fabs(s.product - 1), 1e-9);
    done(o);
}

/* From four digits of start and period.  Its sizes are free, but T^2 |E|^3 is not: two starts agree on it. */
static void figure_eight_closes(void **state) {
    (void)state;
    static const char *const digits[] = {"let a = (0.9700, -0.2431), b = (-0.9324, -0.8647)\n",
                                         "let a = (0.9701, -0.2430), b = (-0.9323, -0.8648)\n"};
    double invariant[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "canonical q[1..3][1..2], p[1..3][1..2]\n"
                 "hamiltonian sum(i in 1..3, dot(p[i], p[i])/2) - sum(i in 1..3, j in i+1..3, 1/norm(q[i] - "
                 "q[j]))\n"
                 "invariant energy\ninvariant P = sum(i in 1..3, p[i])\n"
                 "invariant J = sum(i in 1..3, q[i][1]*p[i][2] - q[i][2]*p[i][1])\n%s"
                 "init q = (a, -a, (0, 0)), p = (-b/2, -b/2, b)\nrun 0 .. 7\n",
                 digits[k]);
        keel_orbit *o = found(text, 6.326, NULL);
        keel_orbit_summary s = summary(o);
        double q[3][2], p[3][2], energy = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++) {
                char name[40];
                snprintf(name, sizeof name, "q[%d][%d]", i + 1, j + 1);
                q[i][j] = start_of(o, name);
                name[0] = 'p';
                p[i][j] = start_of(o, name);
                energy += p[i][j] * p[i][j] / 2;
            }
        for (int i = 0; i < 3; i++)
            energy -= 1 / hypot(q[i][0] - q[(i + 1) % 3][0], q[i][1] - q[(i + 1) % 3][1]);
        double total[2] = {p[0][0] + p[1][0] + p[2][0], p[0][1] + p[1][1] + p[2][1]};
        energy -= (total[0] * total[0] + total[1] * total[1]) / 6;
        invariant[k] = s.period * pow(-energy, 1.5);
        assert_below(s.closing, 1e-12);
        assert_below(s.error, 1e-11);
        assert_int_equal(s.family, 4); /* translations, rotation, size */
        assert_int_equal(trivial_of(o), 5);
        assert_below(fabs(s.product - 1), 1e-11);
        keel_multiplier m;
        int ones = 0, others = 0;
        for (int i = 0; keel_orbit_multiplier(o, i, &m); i++) { /* stable, as Simo found */
            assert_below(fabs(m.size - 1), 1e-8);
            ones += m.one, others += !m.one;
        }
        assert_true(ones == 3 && others == 4);
        done(o);
    }
    assert_below(fabs(invariant[0] / invariant[1] - 1), 1e-12);
    assert_below(fabs(invariant[0] - 6.32591398 * pow(1.28714199, 1.5)), 1e-6);
}

/* The rod and the angle have one period, Gauss' 4 K(1/2) sqrt(l/g), and one family. */
static void a_rod_is_as_its_angle(void **state) {
    (void)state;
    static const char *const text[] = {
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninvariant energy\n"
        "init y = 0, y' = 0\nguess x = 1\nrun 0 .. 5\n",
        "coord a\nlagrangian a'^2/2 + 9.81*cos(a)\ninvariant energy\ninit a = pi/2, a' = 0\nrun 0 .. 5\n"};
    for (int k = 0; k < 2; k++) {
        keel_orbit *o = found(text[k], 0, "energy");
        keel_orbit_summary s = summary(o);
        assert_below(fabs(s.period - 4 * 1.85407467730137191843 / sqrt(9.81)), 1e-11);
        assert_int_equal(s.family, 0);
        assert_int_equal(trivial_of(o), 2);
        assert_below(s.closing, 1e-11);
        done(o);
        o = found(text[k], 0, NULL);
        assert_int_equal(summary(o).family, 1);
        done(o);
    }
}

/* Two rods and two angles: the same period and the same multipliers. */
static void two_rods_are_as_their_angles(void **state) {
    (void)state;
    static const char *const text[] = {
        "coord x1, y1, x2, y2\nlagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - 9.81*(y1 + y2)\n"
        "constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - x1)^2 + (y2 - y1)^2 = 1\ninvariant energy\n"
        "init x1 = sin(0.3), x2 = sin(0.3) + sin(0.42), x1' = 0, x2' = 0\n"
        "guess y1 = -1, y2 = -2, y1' = 0, y2' = 0\nrun 0 .. 5\n",
        "coord a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 9.81*(2*cos(a) + cos(b))\ninvariant "
        "energy\n"
        "init a = 0.3, b = 0.42, a' = 0, b' = 0\nrun 0 .. 5\n"};
    keel_multiplier m[2];
    double period[2];
    for (int k = 0; k < 2; k++) {
        keel_orbit *o = found(text[k], 0, "energy");
        period[k] = summary(o).period;
        assert_false(keel_orbit_multiplier(o, 2, &m[k]));
        assert_true(keel_orbit_multiplier(o, 0, &m[k]));
        done(o);
    }
    assert_below(fabs(period[0] - period[1]), 1e-11);
    assert_below(fabs(m[0].real - m[1].real) + fabs(fabs(m[0].imaginary) - fabs(m[1].imaginary)), 1e-8);
}

/* x'' + 0.2 x' + x = cos 2t: the answer is known, and the multipliers are exp(lambda pi). */
static void a_forced_motion_has_the_given_period(void **state) {
    (void)state;
    keel_orbit *o =
        found("var x\nx'' = -x - 0.2*x' + cos(2*t)\ninit x = 0.5, x' = 0\nrun 0 .. 9\n", acos(-1), NULL);
    keel_orbit_summary s = summary(o);
    keel_multiplier m;
    double det = 9 + 0.16; /* (1 - 4)^2 + (0.2 2)^2 */
    assert_false(s.autonomous);
    assert_true(s.period == acos(-1));
    assert_below(fabs(start_of(o, "x") + 3 / det), 1e-11);
    assert_below(fabs(start_of(o, "x'") - 2 * 0.4 / det), 1e-11);
    assert_int_equal(trivial_of(o), 0);
    assert_true(keel_orbit_multiplier(o, 0, &m));
    assert_below(fabs(m.size - exp(-0.1 * acos(-1))), 1e-10);
    assert_below(fabs(s.product - exp(-0.2 * acos(-1))), 1e-10);
    done(o);
}

/* r' = r (1 - r^2): the multiplier of the circle is exp(-2 T), T = 2 pi; twice around is told. */
static void a_limit_cycle_attracts(void **state) {
    (void)state;
    const char *text = "var x, y\nx' = x*(1 - x^2 - y^2) - y\ny' = y*(1 - x^2 - y^2) + x\n"
                       "init x = 1.05, y = 0\nrun 0 .. 20\n";
    for (int turns = 1; turns <= 3; turns++) {
        keel_orbit *o = found(text, 6.3 * turns, NULL);
        keel_orbit_summary s = summary(o);
        keel_multiplier m;
        assert_below(fabs(s.period - 2 * acos(-1) * turns), 1e-10);
        assert_int_equal(s.turns, turns);
        assert_int_equal(s.family, 0);
        assert_true(keel_orbit_multiplier(o, 0, &m));
        assert_below(fabs(m.small ? 0 : m.size - exp(-4 * acos(-1) * turns)), 1e-11);
        done(o);
    }
}

/* A conical pendulum: the height rests, and what rounding leaves of its velocity is no size.  Small swings
 * about it have the frequency w sqrt(1 + 3 cos^2 a). */
static void a_state_at_rest_has_no_size(void **state) {
    (void)state;
    const double l = 1.42, r = 1.2872785276493162, v = 5.207610528627185, c = sqrt(1 - r * r / l / l);
    static const double period[] = {1.5531, 0};
    char text[500];
    snprintf(text, sizeof text,
             "param l = %.17g\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - %.17g*z\n"
             "constraint r: x^2 + y^2 + z^2 = l^2\ninvariant energy\ninvariant m = x*y' - y*x'\n"
             "init x = %.17g, y = 0, x' = 0, y' = %.17g\nguess z = -l\nrun 0 .. 20\n",
             l, v * v / r / r * l * c, r, v);
    for (int k = 0; k < 2; k++) {
        keel_orbit *o = found(text, period[k], "energy, m");
        keel_orbit_summary s = summary(o);
        keel_multiplier m;
        assert_below(fabs(s.period - 2 * 3.14159265358979 * r / v), 1e-9);
        assert_true(keel_orbit_multiplier(o, 0, &m));
        assert_below(fabs(m.real - cos(2 * 3.14159265358979 * sqrt(1 + 3 * c * c))), 1e-6);
        done(o);
    }
}

static void points_go_once_around(void **state) {
    (void)state;
    keel_orbit *o = found("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 20\n", 0, NULL);
    double value[5 * 2];
    assert_int_equal(summary(o).family, 1); /* all sizes have one period */
    assert_int_equal(keel_orbit_points(o, 5, value), KEEL_OK);
    for (int i = 0; i < 5; i++)
        assert_below(fabs(value[2 * i] - value[0] * cos(i * acos(-1) / 2) - value[1] * sin(i * acos(-1) / 2)),
                     1e-9);
    done(o);
}

/* A pendulum of amplitude a has the period 4 K(sin a/2): what is held stays as it was. */
static void a_period_is_held(void **state) {
    (void)state;
    keel_orbit *o = found("var x, v\nx' = v\nv' = -sin(x)\ninit x = 1, v = 0\nrun 0 .. 30\n", 7, "period");
    keel_orbit_summary s = summary(o);
    double x = start_of(o, "x"), v = start_of(o, "v"), a = 1, b = sqrt((cos(x) + 1 - v * v / 2) / 2);
    for (int k = 0; k < 8; k++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    assert_below(fabs(s.period - 7), 1e-9);
    assert_below(fabs(2 * acos(-1) / a - 7), 1e-9);
    done(o);
}

/* As many unknowns as an int does not hold. */
static void segments_beyond_memory_are_refused(void **state) {
    (void)state;
    keel_orbit_close(found("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", 6, NULL));
    keel_orbit *o = keel_orbit_find(model, NULL, &(keel_orbit_options){.period = 6, .segments = INT_MAX});
    assert_int_equal(keel_orbit_status(o), KEEL_ENOMEM);
    done(o);
}

static void refusals_say_why(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double period;
        const char *hold, *words;
    } row[] = {
        {"var x\nx' = 1\ninit x = 0\nrun 0 .. 3\n", 0, NULL, "does not come back"},
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", 0, "energy",
         "`energy` cannot be held"},
        {"var x\nx'' = -x - x' + cos(t)\ninit x = 0.5, x' = 0\nrun 0 .. 20\n", 0, NULL, "depend on t"},
        {"var x, y\nx' = -x\ny' = -2*y\ninit x = 1e-9, y = 0\nrun 0 .. 2\n", 1, NULL, "equilibrium"},
        {"var x, y\nx' = 1 + x^2\ny' = 1\ninit x = 0, y = 0\nrun 0 .. 1\n", 1, NULL, "period of zero"},
        {"var x\nmode a:\n    x' = 1\n    event e: x - 2 rising -> mode b\nmode b:\n    x' = 2\nstart a\n"
         "init x = 1\nrun 0 .. 2\n",
         1, NULL, "with modes"},
        {"var x, u\nx' = u - 0.1*x\nu' = 0\nevent e: every 1 -> u := -u\ninit x = -0.5, u = 1\nrun 0 .. 9\n",
         2, NULL, "an event assigns values"},
        {"var x, y\nx' = y\ny' = -x + (1 - x^2)*y\ninit x = 2, y = 0\nrun 0 .. 30\n", 7, "period",
         "did not converge"},
        /* it comes back after any time, the equations do not */
        {"var x\nx' = -x + cos(2*t)\ninit x = 0\nrun 0 .. 9\n", 3.5, NULL,
         "the equations, which depend on t, do not"},
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", 6, "x, x", "`x` is held twice"},
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", -6, NULL,
         "positive and finite, it is -6"},
        {"var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", INFINITY, NULL, "it is inf"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_orbit *o = found(row[i].text, row[i].period, row[i].hold);
        keel_orbit_summary s;
        keel_multiplier m;
        if (keel_orbit_status(o) >= 0) fail_msg("found: %s", row[i].text);
        if (!strstr(keel_orbit_message(o), row[i].words))
            fail_msg("%s\n%s", keel_orbit_message(o), row[i].text);
        assert_false(keel_orbit_summarise(o, &s) || keel_orbit_multiplier(o, 0, &m));
        done(o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenstorf_closes),
        cmocka_unit_test(figure_eight_closes),
        cmocka_unit_test(a_rod_is_as_its_angle),
        cmocka_unit_test(two_rods_are_as_their_angles),
        cmocka_unit_test(a_forced_motion_has_the_given_period),
        cmocka_unit_test(a_limit_cycle_attracts),
        cmocka_unit_test(a_state_at_rest_has_no_size),
        cmocka_unit_test(points_go_once_around),
        cmocka_unit_test(a_period_is_held),
        cmocka_unit_test(segments_beyond_memory_are_refused),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
