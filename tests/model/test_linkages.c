/* test_linkages.c - closed loops in space: linkages that move although they have more constraints than
 * coordinates, and one that does not; which rows carry the motion changes on the way. */
#include "linkages.h"

/* Bennett's linkage is flat at t = 0.208: there a choice of rows that is good at the start is dependent. */
static const struct {
    const char *name, *again;
    int dof, redundant;
    double t_end;
} linkages[] = {
    {"four_bar_3d", "", 1, 3, 2},
    {"cardan", "", 1, 3, 2},
    {"bennett", "", 1, 3, 3},
    {"stewart", "", 6, 0, 0.1},
    {"stewart", LINKAGE_AGAIN, 6, 30, 0.05},
};

static void linkages_move(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        linkage_moves(linkages[i].name, linkages[i].again, linkages[i].dof, linkages[i].redundant,
                      linkages[i].t_end, 1);
}

/* Of all multipliers with the same reactions the least: of two joints alike each carries half of the load. */
static void multipliers_are_the_least(void **state) {
    (void)state;
    static const char one[] =
        "library body2d\nuse Body a(1, 1)\nuse Slider s(ground, (0, 0), (1, 0), a, (0, 0))\n";
    static const char last[] = "init a.r[1] = 0, a.r[1]' = 1\nrun 0 .. 1\n";
    char text[400];
    snprintf(text, sizeof text, "%suse Slider u(ground, (0, 0), (1, 0), a, (0, 0))\n%s", one, last);
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    run_to(s, 0.5);
    assert_near(value_of(s, "lambda.s.line"), value_of(s, "lambda.u.line"), 1e-12);
    assert_near(value_of(s, "lambda.s.line"), -9.81 / 2, 1e-9);
    keel_sim_close(s);
    keel_model_close(m);
}

/* One length off by a millionth: it has no freedom. */
static void a_loop_that_does_not_fit_is_told(void **state) {
    (void)state;
    keel_model *m = linkage_example("bennett", "", "off=1e-6", 1);
    assert_int_equal(keel_model_status(m), KEEL_EINVAL);
    assert_non_null(
        strstr(keel_model_message(m), "23 constraints on 21 coordinates leave no degree of freedom"));
    assert_non_null(
        strstr(keel_model_message(m), "the loop of two, three, four, A, B, C and D is still off"));
    keel_model_close(m);
}

/* Two bars of 0.2 between hinges that are further apart, in any unit: no start is taken for one, from bars
 * that lie in a line either, and the loop is named.  Nearer hinges are found. */
static void a_loop_that_cannot_be_closed_is_told(void **state) {
    (void)state;
    static const char *const guess[] = {"a.phi = 0", "a.phi = 1, b.phi = -1"};
    static const double size[] = {1, 1e-3, 1e-7, 1e-8, 1e-9, 1e9}, apart[] = {5, 0.5, 0.41, 0.39};
    for (int k = 0; k < 6 * 4 * 2; k++) {
        char text[500];
        double far = apart[k / 6 % 4];
        snprintf(text, sizeof text,
                 "library body2d\nparam s = %g\nuse Body a(1, s^2), b(1, s^2)\n"
                 "use Hinge h(ground, (0, 0), a, (-0.1*s, 0)), i(a, (0.1*s, 0), b, (-0.1*s, 0))\n"
                 "use Hinge j(b, (0.1*s, 0), ground, (%g*s, 0))\nguess %s\nrun 0 .. 1\n",
                 size[k % 6], far, guess[k / 24]);
        keel_model *m = keel_model_read("open", text, strlen(text), &(keel_model_options){.interpret = 1});
        const char *said = keel_model_message(m);
        int good = far < 0.4 ? keel_model_status(m) == KEEL_OK
                             : keel_model_status(m) != KEEL_OK && strstr(said, "the loop of h, i and j is");
        if (!good) fail_msg("%s%s", text, said);
        keel_model_close(m);
    }
}

/* A top with axes that are turned by f against its principal ones moves as that with these; three numbers are
 * the diagonal of a matrix. */
static void inertia_is_a_matrix_too(void **state) {
    (void)state;
    static const char *const text[] = {
        "use Body b(m = 2, J = (.1, .3, .2))\n"
        "use Ball j(ground, (0, 0, 0), b, (.1, .2, -.5))\n"
        "init b.q = (1, 0, 0, 0), b.q' = (0, 1, .5, 2)\n",
        "use Body b(m = 2, J = ((.1, 0, 0), (0, .3, 0), (0, 0, .2)))\n"
        "use Ball j(ground, (0, 0, 0), b, (.1, .2, -.5))\n"
        "init b.q = (1, 0, 0, 0), b.q' = (0, 1, .5, 2)\n",
        "param f = 0.7, c = cos(f), s = sin(f), p = cos(f/2), q = sin(f/2)\n"
        "param J[1..3][1..3] = ((.1*c^2 + .3*s^2, .2*s*c, 0), (.2*s*c, .1*s^2 + .3*c^2, 0), (0, 0, .2))\n"
        "use Body b(m = 2, J = J)\n"
        "use Ball j(ground, (0, 0, 0), b, (.1*c + .2*s, .2*c - .1*s, -.5))\n"
        "init b.q = (p, 0, 0, q), b.q' = (-2*q, p + .5*q, .5*p - q, 2*p)\n"};
    double place[3][3];
    for (int k = 0; k < 3; k++) {
        char model[700];
        snprintf(model, sizeof model, "library body3d\n%srun 0 .. 1\n", text[k]);
        keel_model *m = model_of(model);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
        run_to(s, 1);
        for (int i = 0; i < 3; i++)
            place[k][i] = value_of(s, (const char *[]){"b.r[1]", "b.r[2]", "b.r[3]"}[i]);
        keel_sim_close(s);
        keel_model_close(m);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(place[1][i], place[0][i], 1e-8);
        assert_near(place[2][i], place[0][i], 1e-8);
    }
}

/* Lengths stand beside quaternions: in any unit the loop is found to move, closed, and moves alike; so do
 * bodies whose places nobody has guessed. */
static void linkages_of_any_size_move_alike(void **state) {
    (void)state;
    static const char *const text[][2] = {
        {"library body3d\nparam s = 1, gravity = (0, -9.81*s, 0), z = (0, 0, 1)\n"
         "use Body crank(m = 1, J = s^2*(.001, .01, .01)), coupler(m = 2, J = s^2*(.02, .2, .2))\n"
         "use Body rocker(m = 1.5, J = s^2*(.01, .1, .1))\n"
         "use Hinge A(ground, (0, 0, 0), crank, s*(-.25, 0, 0), z)\n"
         "use Hinge B(crank, s*(.25, 0, 0), coupler, s*(-.55, 0, 0), z)\n"
         "use Hinge C(coupler, s*(.55, 0, 0), rocker, s*(.45, 0, 0), z)\n"
         "use Hinge D(ground, s*(1, 0, 0), rocker, s*(-.45, 0, 0), z)\n"
         "init crank.q = (cos(.5), 0, 0, sin(.5)), crank.q[4]' = 0\n"
         "guess coupler.r = s*(.77, .64, 0), rocker.r = s*(1.14, .43, 0)\nrun 0 .. 1\n",
         "crank.q[4]"},
        {"library body3d\nparam s = 1, gravity = (0, 0, -9.81*s)\n"
         "use Body a(m = 1, J = s^2*(.01, .02, .03)), b(m = 2, J = s^2*(.1, .1, .05))\n"
         "use Hinge h(ground, (0, 0, 0), a, s*(0, 0, .5), (1, 0, 0))\n"
         "use Weld w(a, s*(0, 0, -.5), b, s*(0, 0, .7))\n"
         "init a.q[2] = 0.2, a.q[2]' = 0\nrun 0 .. 1\n",
         "a.q[2]"},
        {"library body2d\nparam s = 1, gravity = (0, -9.81*s)\n"
         "use Body crank(m = 1, J = 0.02*s^2), rod(m = 2, J = 0.1*s^2)\n"
         "use Hinge A(ground, (0, 0), crank, s*(-0.1, 0))\n"
         "use Hinge B(crank, s*(0.1, 0), rod, s*(-0.3, 0))\n"
         "use Slot C(ground, (0, 0), (1, 0), rod, s*(0.3, 0))\n"
         "init crank.phi = 0.3, crank.phi' = 0\nguess rod.phi = 0\nrun 0 .. 1\n",
         "crank.phi"},
    };
    const char *size[] = {"s=1", "s=1e-9", "s=1e9"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        double turned[3];
        for (int k = 0; k < 3; k++) {
            keel_model_options o = {.interpret = 1, .set = &size[k], .sets = 1};
            keel_model *m = keel_model_read("sized", text[i][0], strlen(text[i][0]), &o);
            if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", size[k], keel_model_message(m));
            keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
            double start = value_of(s, text[i][1]);
            run_to(s, 0.3);
            turned[k] = value_of(s, text[i][1]);
            assert_near(turned[k], turned[0], 1e-6);
            assert_true(fabs(turned[k] - start) > 1e-2);
            keel_sim_close(s);
            keel_model_close(m);
        }
    }
}

/* Loops of a rolled program have strides of their own: compiled they give the same bits. */
static void compiled_linkages_have_the_same_bits(void **state) {
    (void)state;
    double value[2][200];
    for (int interpret = 0; interpret < 2; interpret++) {
        keel_model *m = linkage_example("four_bar_3d", "", NULL, interpret);
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        keel_sim *s = keel_sim_open(m, NULL);
        run_to(s, 0.2);
        assert_true(keel_sim_columns(s) <= 200);
        assert_int_equal(keel_sim_values(s, value[interpret]), KEEL_OK);
        if (interpret) assert_memory_equal(value[0], value[1], (size_t)keel_sim_columns(s) * sizeof(double));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkages_move),
        cmocka_unit_test(multipliers_are_the_least),
        cmocka_unit_test(a_loop_that_does_not_fit_is_told),
        cmocka_unit_test(a_loop_that_cannot_be_closed_is_told),
        cmocka_unit_test(inertia_is_a_matrix_too),
        cmocka_unit_test(linkages_of_any_size_move_alike),
        cmocka_unit_test(compiled_linkages_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
