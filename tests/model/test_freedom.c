/* test_freedom.c - degrees of freedom as mechanicians count: the independent velocities of a mechanism, and
 * beside them the start values that are free; of equations these alone. */
#include "testing.h"

#include "model_run.h"

struct mechanism {
    const char *what, *text;
    int dof, freedom;
};

#define PLANE "lagrangian (x'^2 + y'^2)/2 - 9.81*y\n"
#define SPIN                                                                             \
    "coord q[0..3]\nlet w[1] = 2*(-q[1]*q[0]' + q[0]*q[1]' + q[3]*q[2]' - q[2]*q[3]')\n" \
    "let w[2] = 2*(-q[2]*q[0]' - q[3]*q[1]' + q[0]*q[2]' + q[1]*q[3]')\n"                \
    "let w[3] = 2*(-q[3]*q[0]' + q[2]*q[1]' - q[1]*q[2]' + q[0]*q[3]')\n"                \
    "let T = (w[1]^2 + 2*w[2]^2 + 3*w[3]^2)/2\nconstraint unit: dot(q, q) = 1\n"         \
    "init q = (1, 0, 0, 0), q[1]' = 0.1, q[2]' = 1, q[3]' = 0.2\n"

static const struct mechanism holonomic[] = {
    {"a point in the plane", "coord x, y\n" PLANE "init x = 0, y = 0, x' = 1, y' = 1\n", 2, 4},
    {"a pendulum by its angle", "coord a\nlagrangian a'^2/2 + cos(a)\ninit a = 1, a' = 0\n", 1, 2},
    {"a pendulum", "coord x, y\n" PLANE "constraint rod: x^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x = 1\n", 1,
     2},
    {"a bead on a wire", "coord x, y\n" PLANE "constraint wire: y = x^2 - x\ninit x = 1, x' = 0\n", 1, 2},
    {"a bead on a curve in space",
     "coord r[1..3]\nlagrangian dot(r', r')/2 - r[3]\nconstraint a: r[1] = cos(r[3])\n"
     "constraint b: r[2] = sin(r[3])\ninit r[3] = 1, r[3]' = 0\n",
     1, 2},
    {"a bead on a wire that turns",
     "coord x, y\n" PLANE "constraint wire: x*sin(t) = y*cos(t)\ninit x = 1, x' = 0\nguess y = 0\n", 1, 2},
    {"a point that is driven along one axis",
     "coord x, y\n" PLANE "constraint drive: x = sin(t)\ninit y = 0, y' = 0\n", 1, 2},
    {"a point that is driven along both",
     "coord x, y\n" PLANE "constraint a: x = sin(t)\nconstraint b: y = t^2\nguess x = 0\n", 0, 0},
    {"a double pendulum",
     "coord p[1..2], q[1..2]\nlagrangian (dot(p', p') + dot(q', q'))/2 - p[2] - q[2]\n"
     "constraint a: dot(p, p) = 1\nconstraint b: dot(q - p, q - p) = 1\n"
     "init p = (1, 0), q = (2, 0), p' = 0, q' = 0\n",
     2, 4},
    {"a four-bar linkage",
     "coord p[1..2], q[1..2]\nlagrangian (dot(p', p') + dot(q', q'))/2 - p[2] - q[2]\n"
     "constraint a: dot(p, p) = 0.25\nconstraint b: dot(q - p, q - p) = 1.21\n"
     "constraint c: (q[1] - 1)^2 + q[2]^2 = 0.81\ninit p[1] = 0.3, p[1]' = 0\n"
     "guess p[2] = 0.4, q = (1.2, 0.8)\n",
     1, 2},
    {"a slider-crank",
     "coord a, s\nlagrangian a'^2/2 + s'^2/2\nconstraint rod: (s - cos(a))^2 + sin(a)^2 = 9\n"
     "init a = 0.3, a' = 1\nguess s = 4\n",
     1, 2},
    {"a body that turns, by a quaternion", SPIN "lagrangian T\n", 3, 6},
    {"a body, by a quaternion",
     SPIN "coord r[1..3]\nlagrangian T + dot(r', r')/2 - r[3]\ninit r = 0, r' = 0\n", 6, 12},
    {"a body on a spherical joint",
     SPIN "coord r[1..3]\nlagrangian T + dot(r', r')/2 - r[3]\n"
          "constraint a: r[1] = 2*(q[1]*q[3] + q[0]*q[2])\nconstraint b: r[2] = 2*(q[2]*q[3] - q[0]*q[1])\n"
          "constraint c: r[3] = 1 - 2*(q[1]^2 + q[2]^2)\n",
     3, 6},
};

static const struct mechanism rolling[] = {
    {"a sledge",
     "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nrolling edge: x'*sin(a) = y'*cos(a)\n"
     "init x = 0, y = 0, a = 0, x' = 1, a' = 2\n",
     2, 5},
    {"an upright disk",
     "coord x, y, a, b\nlagrangian (x'^2 + y'^2 + a'^2 + b'^2)/2\nrolling f: x' = cos(a)*b'\n"
     "rolling s: y' = sin(a)*b'\ninit x = 0, y = 0, a = 0, b = 0, a' = 1, b' = 2\n",
     2, 6},
    {"a wheel on a line: its rolling could be integrated",
     "coord x, b\nlagrangian x'^2/2 + b'^2/4 - x\nrolling f: x' = 2*b'\ninit x = 0, b = 0, b' = 1\n", 1, 3},
    {"a sledge on a rail",
     "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nrolling edge: x'*sin(a) = y'*cos(a)\n"
     "constraint rail: y = x^3/3\ninit x = 0.5, a = 0.2, a' = 0\nguess y = 0, x' = 0\n",
     1, 3},
};

static const struct mechanism redundant[] = {
    {"a plate on three parallel rods",
     "coord x, y, a\nlagrangian (x'^2 + y'^2)/2 + a'^2/6 - 9.81*y\nfor i in 1..3:\n"
     "    constraint rod[i]: (x + i*cos(a) - i)^2 + (y + i*sin(a))^2 = 1\n"
     "init x = 0.6, x' = 0, a = 0\nguess y = -0.8\n",
     1, 2},
    {"two rods in one place",
     "coord x, y\n" PLANE "constraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\n"
     "init y = 0, y' = 0\nguess x = 1\n",
     1, 2},
    {"two edges in one place",
     "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nrolling e: x'*sin(a) = y'*cos(a)\n"
     "rolling f: 3*x'*sin(a) = 3*y'*cos(a)\ninit x = 0, y = 0, a = 0, x' = 1, a' = 2\n",
     2, 5},
};

static const struct mechanism canonical[] = {
    {"three pairs",
     "canonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 + dot(q, q)/2\ninit q = (1, 0, 0), p = (0, 1, 2)\n",
     3, 6},
    {"a pendulum",
     "param m = 2\ncanonical x, px\ncanonical y, py\nhamiltonian (px^2 + py^2)/(2*m) + y\n"
     "constraint rod: x^2 + y^2 = 1\ninit y = 0, py = 0\nguess x = 1\n",
     1, 2},
    {"a spherical pendulum",
     "canonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 + q[3]\nconstraint s: dot(q, q) = 1\n"
     "init q = (0.6, 0, -0.8), p = (0, 1, 0)\n",
     2, 4},
    {"a double pendulum",
     "canonical q[1..4], p[1..4]\nhamiltonian dot(p, p)/2 + q[2] + q[4]\nconstraint a: q[1]^2 + q[2]^2 = 1\n"
     "constraint b: (q[3] - q[1])^2 + (q[4] - q[2])^2 = 1\ninit q = (1, 0, 2, 0), p = 0\n",
     2, 4},
    {"with a heat of its own",
     "canonical q, p\nvar h\nhamiltonian p^2/2 + q^2/2\nh' = p^2\ninit q = 1, p = 0, h = 0\n", 1, 3},
};

static const struct mechanism mixed[] = {
    {"a motor with its current",
     "coord a\nvar i\nlagrangian a'^2/2\nforce a: i\ni' = 1 - i - a'\ninit a = 0, a' = 0, i = 0\n", 1, 3},
    {"a joint without mass", "coord x, y\nlagrangian x'^2/2 - (x - y)^2/2 - y^2\ninit x = 1, x' = 0\n", 1, 2},
    {"a flexible arm on a prescribed path",
     "coord a, b\nvar u, w\nlagrangian (a'^2 + b'^2)/2 - 5*(a - b)^2\nforce b: u\nw = a\nw = sin(t)\nguess a "
     "= 0\n",
     0, 0},
    {"a name for a velocity",
     "coord x, y\nvar v\n" PLANE "constraint rod: x^2 + y^2 = 1\nv = x'\ninit y = 0, y' = 0\nguess x = 1\n",
     1, 2},
};

static const struct mechanism equations[] = {
    {"an oscillator", "var x\nx'' = -x\ninit x = 1, x' = 0\n", -1, 2},
    {"a pendulum by hand",
     "var x, y, l\nx'' = -l*x\ny'' = -l*y - 9.81\nx^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x = 1\n", -1, 2},
    {"Euler's equations",
     "var y[1..3]\nstructure y: ((0, -y[3], y[2]), (y[3], 0, -y[1]), (-y[2], y[1], 0))\n"
     "hamiltonian y[1]^2/2 + y[2]^2/4 + y[3]^2/6\ninit y = (1, 0.2, 0.3)\n",
     -1, 3},
};

#define ROD "var x, y, u, v, s\nx' = u\ny' = v\nu' = -s*x\nv' = -s*y - 9.81\n"
#define ROD_START "init x = 0.6, u = 0\nguess y = -0.8, v = 0, s = 1\n"

/* Each is a rod by hand, its last line written in another way; or a line on which x and y stay. */
static const struct mechanism products[] = {
    {"plain", ROD "x^2 + y^2 - 1 = 0\n" ROD_START, -1, 2},
    {"a factor without zeros", ROD "(2 + sin(x*y))*(x^2 + y^2 - 1) = 0\n" ROD_START, -1, 2},
    {"a factor that vanishes on the way", ROD "x*(x^2 + y^2 - 1) = 0\n" ROD_START, -1, 2},
    {"a factor with what the equation determines", ROD "(2 + u*v + s)*(x^2 + y^2 - 1) = 0\n" ROD_START, -1,
     2},
    {"three factors", ROD "-(1 + v^2)*(x^2 + y^2 - 1)*exp(s) = 0\n" ROD_START, -1, 2},
    {"a square", ROD "(x^2 + y^2 - 1)^2 = 0\n" ROD_START, -1, 2},
    {"a quotient", ROD "x*(x^2 + y^2 - 1)/(3 + u) = 0\n" ROD_START, -1, 2},
};

static double x_at_the_end(const char *text, double t) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    if (keel_sim_run(s, t) != KEEL_OK) fail_msg("%s\n%s", keel_sim_message(s), text);
    double x = value_of(s, "x");
    keel_sim_close(s);
    keel_model_close(m);
    return x;
}

/* The factor that is zero at the start stands for the product: the motion is that of the rod, through x = 0,
 * too. */
static void products_are_what_is_zero_at_the_start(void **state) {
    (void)state;
    char text[600];
    snprintf(text, sizeof text, "%srun 0 .. 1\n", products[0].text);
    double right = x_at_the_end(text, 1);
    for (size_t i = 1; i < sizeof products / sizeof *products; i++) {
        snprintf(text, sizeof text, "%srun 0 .. 1\n", products[i].text);
        keel_model *m =
            keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        keel_mode mode;
        keel_model_mode(m, 0, &mode);
        if (mode.freedom != products[i].freedom || mode.index != 3)
            fail_msg("%s: index %d, %d start values free", products[i].what, mode.index, mode.freedom);
        if (!strstr(keel_model_message(m), "this is a product")) fail_msg("%s: no word", products[i].what);
        keel_model_close(m);
        assert_near(x_at_the_end(text, 1), right, 1e-7);
    }
}

/* One factor is zero at the start, another open or zero, too: x stays 1, or x' = t - x. */
static void products_in_doubt_are_told(void **state) {
    (void)state;
    static const char *const begin[] = {"init x = 1\n", "init x = 1\nguess y = -1\n", "init x = 2\n"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "var x, y\nx' = y\n(x - 1)*(x + y - t) = 0\n%srun 0 .. 1\n", begin[i]);
        keel_model *m =
            keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        int told = strstr(keel_model_message(m), "two solutions begin there") != NULL;
        if (told != (i < 2)) fail_msg("%s: %s", begin[i], keel_model_message(m));
        keel_model_close(m);
    }
}

static void count(const struct mechanism *list, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof *list; i++) {
        char text[1600];
        keel_mode mode;
        snprintf(text, sizeof text, "%srun 0 .. 1\n", list[i].text);
        keel_model *m =
            keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        assert_non_null(m);
        if (!keel_model_mode(m, 0, &mode)) fail_msg("%s: %s", list[i].what, keel_model_message(m));
        if (mode.dof != list[i].dof || mode.freedom != list[i].freedom)
            fail_msg("%s: %d degrees of freedom, not %d; %d start values free, not %d", list[i].what,
                     mode.dof, list[i].dof, mode.freedom, list[i].freedom);
        keel_model_close(m);
    }
}

static void constraints_take_one_each(void **state) {
    (void)state;
    count(holonomic, sizeof holonomic);
}

static void rolling_takes_velocities_alone(void **state) {
    (void)state;
    count(rolling, sizeof rolling);
}

static void redundant_constraints_take_none(void **state) {
    (void)state;
    count(redundant, sizeof redundant);
}

static void canonical_pairs_count_by_momenta(void **state) {
    (void)state;
    count(canonical, sizeof canonical);
}

static void other_unknowns_do_not_count(void **state) {
    (void)state;
    count(mixed, sizeof mixed);
}

static void equations_have_free_start_values_alone(void **state) {
    (void)state;
    count(equations, sizeof equations);
}

static void modes_count_for_themselves(void **state) {
    (void)state;
    keel_model *m = model_example("slack_rod");
    keel_mode mode;
    int seen[3] = {0};
    for (int i = 0; keel_model_mode(m, i, &mode); i++) {
        assert_int_equal(mode.freedom, 2 * mode.dof);
        seen[mode.dof]++;
    }
    assert_true(seen[1] == 1 && seen[2] == 1);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_take_one_each),
        cmocka_unit_test(rolling_takes_velocities_alone),
        cmocka_unit_test(redundant_constraints_take_none),
        cmocka_unit_test(canonical_pairs_count_by_momenta),
        cmocka_unit_test(other_unknowns_do_not_count),
        cmocka_unit_test(equations_have_free_start_values_alone),
        cmocka_unit_test(products_are_what_is_zero_at_the_start),
        cmocka_unit_test(products_in_doubt_are_told),
        cmocka_unit_test(modes_count_for_themselves),
    };
    return cmocka_run_group_tests_name("freedom", tests, NULL, NULL);
}
