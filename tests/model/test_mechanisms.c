/* test_mechanisms.c - mechanisms of body2d and body3d against models of another kind for the same machine:
 * minimal coordinates, or loops of their own, written by hand. */
#include "testing.h"

#include "model_run.h"

/* The examples, and the same machine in by_hand/: columns of both, and how long. */
static const struct {
    const char *name, *column, *other;
    double t_end;
} mechanisms[] = {
    {"mechanisms/two_rods", "lower.phi", "q", 3},      {"slider_crank", "piston.r[1]", "s", 2},
    {"mechanisms/crane", "trolley.r[1]", "x", 4},      {"mechanisms/four_bar_3d", "coupler.r[1]", "x", 2},
    {"mechanisms/cardan", "one.q[2]", "q", 2},         {"mechanisms/watt", "middle.r[2]", "y", 2},
    {"mechanisms/gyroscope", "wheel.r[3]", "h", 1},    {"mechanisms/wishbone", "knuckle.r[3]", "z", 0.5},
    {"mechanisms/stewart", "plate.r[2]", "r[2]", 0.3}, {"mechanisms/robot_arm", "hand.r[3]", "z", 0.3},
};

/* Parts that none of them has. */
static const struct {
    const char *what, *parts, *column, *by_hand, *other;
    double t_end;
} others[] = {
    {"spring, damper, torsion spring on two carts",
     "library body2d\nparam gravity = (0, 0)\nuse Body a(1, 1), b(2, 1)\n"
     "use Slider left(ground, (0, 0), (1, 0), a, (0, 0)), right(ground, (0, 0), (1, 0), b, (0, 0))\n"
     "use Spring k(a, (0, 0), b, (0, 0), 30, 1)\nuse Damper c(a, (0, 0), b, (0, 0), .4)\n"
     "use Spring wall(ground, (-1, 0), a, (0, 0), 10, 1)\n"
     "init a.r[1] = 0, a.r[1]' = 0, b.r[1] = 1.3, b.r[1]' = 0\nrun 0 .. 4\n",
     "b.r[1]",
     "coord x, y\nlagrangian x'^2/2 + y'^2 - 15*(y - x - 1)^2 - 5*x^2\nforce x: .4*(y' - x')\n"
     "force y: -.4*(y' - x')\ninit x = 0, x' = 0, y = 1.3, y' = 0\nrun 0 .. 4\n",
     "y", 4},
    {"a top on a ball, against its angles",
     "library body3d\nuse Body top(m = 1, J = (.1, .1, .2))\n"
     "use Ball foot(ground, (0, 0, 0), top, (0, 0, -1))\n"
     "init top.q = (cos(.2), sin(.2), 0, 0), top.q[1]' = 0, top.q[2]' = 0, top.q[3]' = -10*sin(.2), "
     "top.q[4]' = "
     "10*cos(.2)\nguess top.r = (0, -.4, .9)\ninvariant energy\nrun 0 .. 2\n",
     "top.r[3]",
     "coord th, ph, ps\nlet w = ps' + ph'*cos(th)\n"
     "lagrangian 1.1*(th'^2 + ph'^2*sin(th)^2)/2 + .2*w^2/2 - 9.81*cos(th)\noutput z = cos(th)\n"
     "init th = .4, ph = 0, ps = 0, th' = 0, ph' = 0, ps' = 20\ninvariant energy\nrun 0 .. 2\n",
     "z", 2},
    {"a damper and a push in space, against the plane",
     "library body3d\nparam gravity = (0, -9.81, 0)\nuse Body a(2, (.1, .2, .3))\n"
     "use Hinge h(ground, (0, 0, 0), a, (0, .5, 0), (0, 0, 1))\n"
     "use Damper d(ground, (1, 0, 0), a, (.2, -.1, 0), 3)\nuse Push p(a, (.1, .3, 0), (5*sin(t), 2, 0))\n"
     "init a.q[4] = 0, a.q[4]' = .5\nguess a.r = (0, -.5, 0)\nrun 0 .. 2\n",
     "a.r[1]",
     "library body2d\nuse Body a(2, .3)\nuse Hinge h(ground, (0, 0), a, (0, .5))\n"
     "use Damper d(ground, (1, 0), a, (.2, -.1), 3)\nuse Push p(a, (.1, .3), (5*sin(t), 2))\n"
     "init a.phi = 0, a.phi' = 1\nguess a.r = (0, -.5)\nrun 0 .. 2\n",
     "a.r[1]", 2},
};

static double end_of(const char *what, keel_model *m, const char *column, double t_end) {
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", what, keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
    run_to(s, t_end);
    double *value = malloc((size_t)keel_sim_columns(s) * sizeof *value);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    double found = value[column_named(s, column)];
    free(value);
    keel_sim_close(s);
    keel_model_close(m);
    return found;
}

static void assert_agree(const char *what, double parts, double by_hand) {
    if (!(fabs(parts - by_hand) <= 1e-8 * fmax(1, fabs(by_hand))))
        fail_msg("%s: %.12g by parts, %.12g by hand", what, parts, by_hand);
}

static void examples_are_those_written_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        const char *name = mechanisms[i].name, *slash = strrchr(name, '/');
        keel_model_options interpreted = {.interpret = 1};
        char path[2][600];
        snprintf(path[0], sizeof path[0], "%s/%s.keel", KEEL_EXAMPLES_DIR, name);
        snprintf(path[1], sizeof path[1], "%s/../tests/model/by_hand/%s.keel", KEEL_EXAMPLES_DIR,
                 slash ? slash + 1 : name);
        assert_agree(
            name,
            end_of(name, keel_model_load(path[0], &interpreted), mechanisms[i].column, mechanisms[i].t_end),
            end_of(name, keel_model_load(path[1], &interpreted), mechanisms[i].other, mechanisms[i].t_end));
    }
}

static double end_of_text(const char *what, const char *text, const char *column, double t_end) {
    return end_of(what, keel_model_read(what, text, strlen(text), &(keel_model_options){.interpret = 1}),
                  column, t_end);
}

static void other_parts_too(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_agree(others[i].what,
                     end_of_text(others[i].what, others[i].parts, others[i].column, others[i].t_end),
                     end_of_text(others[i].what, others[i].by_hand, others[i].other, others[i].t_end));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_those_written_by_hand),
        cmocka_unit_test(other_parts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
