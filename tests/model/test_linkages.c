/* test_linkages.c - closed loops in space: linkages that move although they have more constraints than
 * coordinates, and one that does not; which rows carry the motion changes on the way. */
#include "testing.h"

#include "model_run.h"

#define FOUR_BAR                                                                                           \
    "library body3d\nparam gravity = (0, -9.81, 0), z = (0, 0, 1)\n"                                       \
    "use Body crank(m = 1, J = (.001, .01, .01)), coupler(m = 2, J = (.02, .2, .2)), rocker(m = 1.5, J = " \
    "(.01, .1, .1))\n"                                                                                     \
    "use Hinge A(ground, (0, 0, 0), crank, (-.25, 0, 0), z)\n"                                             \
    "use Hinge B(crank, (.25, 0, 0), coupler, (-.55, 0, 0), z)\n"                                          \
    "use Hinge C(coupler, (.55, 0, 0), rocker, (.45, 0, 0), z)\n"                                          \
    "use Hinge D(ground, (1, 0, 0), rocker, (-.45, 0, 0), z)\n"                                            \
    "init crank.q = (cos(.5), 0, 0, sin(.5)), crank.q[4]' = 3*cos(.5)\n"                                   \
    "guess coupler.r = (.77, .64, 0), rocker.r = (1.14, .43, 0)\ninvariant energy\nrun 0 .. 5\n"

/* Opposite bars alike, a/sin(alpha) = b/sin(beta).  It is flat at t = 0.208: there a choice of rows that is
 * good at the start is dependent. */
#define BENNETT(off)                                                                                       \
    "library body3d\nparam z = (0, 0, 1), gravity = (0, 0, 0), a = 1, b = 0.7, alpha = 1, off = " off "\n" \
    "param beta = asin(b*sin(alpha)/a)\nlet far(twist) = (0, -sin(twist), cos(twist))\n"                   \
    "use Body two(1, (.01, .1, .1)), three(1, (.01, .1, .1)), four(1, (.01, .1, .1))\n"                    \
    "use Hinge A(ground, (a, 0, 0), two, (-b/2, 0, 0), far(alpha), z)\n"                                   \
    "use Hinge B(two, (b/2, 0, 0), three, (-a/2, 0, 0), far(beta), z)\n"                                   \
    "use Hinge C(three, (a/2, 0, 0), four, (-(b + off)/2, 0, 0), far(alpha), z)\n"                         \
    "use Hinge D(four, ((b + off)/2, 0, 0), ground, (0, 0, 0), far(beta), z)\n"                            \
    "guess two.r = (1.094, .182, .284), two.q = (.699, .382, -.29, .531)\n"                                \
    "guess three.r = (.919, .052, .284), three.q = (.481, 0, .59, -.649)\n"                                \
    "guess four.r = (.325, -.13, 0), four.q = (.18, -.058, -.304, .934)\n"                                 \
    "init four.r[1]' = 0.3\ninvariant energy\nrun 0 .. 60\n"

/* Six legs of two tubes that slide in each other; `more` goes to each leg. */
#define STEWART(more)                                                                                \
    "library body3d\nparam base[1..6] = (0.1, 1.99, 2.19, 4.09, 4.29, 6.18)\n"                       \
    "param top[1..6] = (0.95, 1.15, 3.04, 3.24, 5.14, 5.34)\n"                                       \
    "let foot(i) = (cos(base[i]), sin(base[i]), 0), head(i) = (.5*cos(top[i]), .5*sin(top[i]), 0)\n" \
    "use Body plate(m = 10, J = (.4, .4, .8))\nfor i in 1..6:\n"                                     \
    "    use Body tube[i](m = 1, J = (.02, .02, .001)), rod[i](m = .5, J = (.01, .01, .0005))\n"     \
    "    use Universal below[i](ground, foot(i), tube[i], (0, 0, -.25), (1, 0, 0), (0, 1, 0))\n"     \
    "    use Slider along[i](tube[i], (0, 0, 0), rod[i], (0, 0, 0), (0, 0, 1))\n" more               \
    "    use Ball above[i](rod[i], (0, 0, .35), plate, head(i))\n"                                   \
    "    use Spring strut[i](tube[i], (0, 0, -.25), rod[i], (0, 0, .35), 2000, 1.1)\n"               \
    "    guess tube[i].r = foot(i) + (0, 0, .25), rod[i].r = foot(i) + (0, 0, .6)\n"                 \
    "init plate.r = (0, 0, 1), plate.q[2] = 0, plate.q[3] = 0, plate.q[4] = 0\n"                     \
    "init plate.r' = (.1, 0, 0), plate.q[2]' = .1, plate.q[3]' = 0, plate.q[4]' = 0\n"               \
    "invariant energy\nrun 0 .. 60\n"

static keel_model *read_it(const char *text, int interpret) {
    keel_model *m =
        keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = interpret});
    assert_non_null(m);
    return m;
}

static const struct {
    const char *what, *text;
    int dof, redundant;
    double t_end;
} linkages[] = {
    {"four-bar", FOUR_BAR, 1, 3, 2},
    {"Bennett's linkage", BENNETT("0"), 1, 3, 3},
    {"Stewart platform", STEWART(""), 6, 0, 0.1},
    {"Stewart platform with two sliders a leg",
     STEWART("    use Slider again[i](tube[i], (0, 0, .1), rod[i], (0, 0, .1), (0, 0, 1))\n"), 6, 30, 0.05},
};

/* All rows, those that follow from others too, stay at round-off; multipliers are finite. */
static void linkages_move(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++) {
        keel_model *m = read_it(linkages[i].text, 1);
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", linkages[i].what, keel_model_message(m));
        keel_mode mode;
        keel_model_mode(m, 0, &mode);
        if (mode.dof != linkages[i].dof || mode.redundant != linkages[i].redundant)
            fail_msg("%s: %d degrees of freedom, %d redundant", linkages[i].what, mode.dof, mode.redundant);
        keel_sim *s = keel_sim_open(m, NULL);
        run_to(s, linkages[i].t_end);
        keel_row row;
        for (int k = 0; keel_sim_row_at(s, k, &row); k++)
            if (!(row.units <= 16))
                fail_msg("%s: %s has %g units", linkages[i].what, keel_sim_row(s, k), row.units);
        double value[1000];
        assert_true(keel_sim_columns(s) <= 1000);
        assert_int_equal(keel_sim_values(s, value), KEEL_OK);
        for (int k = 0; k < keel_sim_columns(s); k++) assert_true(isfinite(value[k]));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Of all multipliers with the same reactions the least: of two joints alike each carries half of the load. */
static void multipliers_are_the_least(void **state) {
    (void)state;
    static const char one[] =
        "library body2d\nuse Body a(1, 1)\nuse Slider s(ground, (0, 0), (1, 0), a, (0, 0))\n";
    static const char last[] = "init a.r[1] = 0, a.r[1]' = 1\nrun 0 .. 1\n";
    char text[400];
    snprintf(text, sizeof text, "%suse Slider u(ground, (0, 0), (1, 0), a, (0, 0))\n%s", one, last);
    keel_model *m = read_it(text, 1);
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
    keel_model *m = read_it(BENNETT("1e-6"), 1);
    assert_int_equal(keel_model_status(m), KEEL_EINVAL);
    assert_non_null(
        strstr(keel_model_message(m), "23 constraints on 21 coordinates leave no degree of freedom"));
    keel_model_close(m);
}

/* Loops of a rolled program have strides of their own: compiled they give the same bits. */
static void compiled_linkages_have_the_same_bits(void **state) {
    (void)state;
    double value[2][200];
    for (int interpret = 0; interpret < 2; interpret++) {
        keel_model *m = read_it(FOUR_BAR, interpret);
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
        cmocka_unit_test(compiled_linkages_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
