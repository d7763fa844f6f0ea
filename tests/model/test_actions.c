/* test_actions.c - events and actions of models: what acts when several meet, and runs that cannot go on. */
#include "model_run.h"
#include "modes.h"

#include <stdlib.h>

/* x = t: at the start those that move on act, in the order of the file, and those that fall away do not. */
static void events_at_the_start(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var x, n\nx' = 1\nn' = 0\ninit x = 0, n = 1\nrun 0 .. 2\n"
                         "event b: 2*x rising -> record\nevent no: x falling -> n := 100\n"
                         "event a: x rising -> n := 3*n\nevent c: x^3 rising -> n := n + 1\n"
                         "event far: x - 3 rising -> n := 100\n",
                         &m);
    assert_int_equal(keel_sim_run(s, 0), KEEL_OK); /* no direction yet */
    assert_int_equal(event_records(s), 0);
    run_to(s, 2);
    assert_string_equal(story(s), "b a c");
    assert_true(value_of(s, "n") == 4);
    finish(s, m);
}

/* A body that is thrown up leaves the ground, however long the run may be. */
static void the_start_knows_no_span(void **unused) {
    (void)unused;
    static const char *const end[] = {"10", "1e6", "1e12", "1e300"};
    for (int i = 0; i < 4; i++) {
        char text[200];
        keel_model *m;
        snprintf(text, sizeof text,
                 "var x, v\nx' = v\nv' = -10\ninit x = 0, v = 20\nrun 0 .. %s\n"
                 "event hit: x falling -> stop\n",
                 end[i]);
        keel_sim *s = sim_of(text, &m);
        assert_int_equal(keel_sim_run(s, strtod(end[i], NULL)), KEEL_EVENT);
        assert_near(keel_time(keel_sim_solver(s)), 4, 1e-12);
        finish(s, m);
    }
}

/* What happens at one time happens in the order of the file, once each. */
static void events_at_one_time(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var x, n\nx' = 1\nn' = 0\ninit x = 0, n = 1\nrun 0 .. 2\n"
                         "event a: x - 1 rising -> record\nevent b: x - 1 rising -> n := 3*n\n"
                         "event c: 3*x - 3 rising -> stop\nevent d: x - 1 rising -> n := n + 1\n"
                         "event no: x - 1 falling -> n := 100\n",
                         &m);
    assert_int_equal(keel_sim_run(s, 2), KEEL_EVENT);
    assert_near(keel_time(keel_sim_solver(s)), 1, 1e-14);
    run_to(s, 2);
    assert_string_equal(story(s), "a b c d");
    assert_true(value_of(s, "n") == 4);
    finish(s, m);
    s = sim_of("param N = 3\nvar x[1..N], y[1..N]\nx' = 1\ny' = 0\ninit x = 0, y = 0\nrun 0 .. 2\n"
               "for i in 1..N: event e[i]: x[i] - 1 rising -> y[i] := i\n",
               &m); /* one line, three events */
    run_to(s, 2);
    assert_string_equal(story(s), "e[1] e[2] e[3]");
    for (int i = 1; i <= 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "y[%d]", i);
        assert_true(value_of(s, name) == i);
    }
    finish(s, m);
}

/* An event that its own action does not touch acts once each time. */
static void clocks_tick_once(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var n, k\nn' = 0\nk' = 0\ninit n = 0, k = 0\nrun 0 .. 3.5\n"
                         "event tick: sin(2*pi*t) rising -> n := n + 1\n"
                         "event tock: sin(2*pi*t) rising -> k := k + n, record\n",
                         &m);
    run_to(s, 3.5);
    assert_string_equal(story(s), "tick tock tick tock tick tock tick tock");
    assert_true(value_of(s, "n") == 4 && value_of(s, "k") == 10);
    finish(s, m);
}

/* All right-hand sides are those from before. */
static void assignments_are_simultaneous(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("coord x, y\nlagrangian (x'^2 + y'^2)/2\ninit x = 0, y = 5, x' = 1, y' = 0\n"
                         "run 0 .. 3\nevent swap: x - 1 rising -> x := y, y := x + y, x' := y', y' := -x'\n",
                         &m);
    run_to(s, 2);
    assert_near(value_of(s, "x"), 5, 1e-12);
    assert_near(value_of(s, "y"), 5, 1e-12); /* 1 + 5 at t = 1, falling by 1 */
    assert_near(value_of(s, "x'"), 0, 1e-12);
    assert_near(value_of(s, "y'"), -1, 1e-12);
    finish(s, m);
}

/* A kick at a crossing is part of that crossing: the pendulum of a clock gets one each time it passes. */
static void an_event_passes_its_own_action(void **unused) {
    (void)unused;
    keel_model *m;
    keel_event_record one;
    keel_sim *s = sim_of("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 20\n"
                         "event k: x rising -> v := v + 0.5\n",
                         &m);
    run_to(s, 20);
    double speed = 1;
    for (int i = 0; i < 3; i++) {
        assert_true(keel_sim_event(s, i, &one));
        assert_near(one.t, (2 * i + 1.5) * 3.14159265358979, 1e-9);
        speed += 0.5;
    }
    assert_false(keel_sim_event(s, 3, &one));
    assert_near(hypot(value_of(s, "x"), value_of(s, "v")), speed, 1e-8);
    finish(s, m);
    s = sim_of("var x\nx' = 1\ninit x = 0\nrun 0 .. 3\nevent a: x - 1 rising -> x := 1\n", &m);
    run_to(s, 3);
    assert_near(value_of(s, "x"), 3, 1e-12);
    assert_false(keel_sim_event(s, 1, &one));
    finish(s, m);
}

static void assert_named(const char *text, const char *names) {
    keel_model *m;
    keel_sim *s = sim_of(text, &m);
    assert_int_equal(keel_sim_run(s, 3), KEEL_ELIMIT);
    if (!strstr(keel_sim_message(s), "more than 100 events") || !strstr(keel_sim_message(s), names))
        fail_msg("no `%s` in: %s", names, keel_sim_message(s));
    assert_int_equal(keel_sim_run(s, 3), KEEL_ELIMIT); /* and so it stays */
    finish(s, m);
}

#define BALL "coord y\nlagrangian y'^2/2 - 9.81*y\ninit y = 1, y' = 0\nrun 0 .. 3\n"
static void events_without_end_are_named(void **unused) {
    (void)unused;
    assert_named(BALL
                 "event hit: y falling -> y := -y, y' := 0, go := go + 1\nvar go\ngo' = -go\ninit go = 0\n",
                 ": `hit` sets itself off");
    static const char turns[] = "var x\nmode up:\n    x' = 1\nmode down:\n    x' = -1\nstart up\n"
                                "init x = -1\nrun 0 .. 3\nevent b: x falling -> mode up\n"
                                "event a: x rising -> mode down\n";
    assert_named(turns, "`a`, `b` set each other off");
    assert_named("var x\nmode up:\n    x' = 1\n    event a: x rising -> mode down\nmode down:\n    x' = -1\n"
                 "    event b: x falling -> mode up\nstart up\ninit x = -1\nrun 0 .. 3\n",
                 "`a`, `b` set each other off");
}

/* A ball that bounces ever faster comes to rest, where the sum of its flights says; it falls through no
 * floor, however high that is, and stays at rest. */
static void a_bouncing_ball_comes_to_rest(void **unused) {
    (void)unused;
    static const double share[] = {0.01, 0.3, 0.5, 0.7, 0.9, 0.97}, floor_at[] = {0, 0.1, -5, 1e3, 1e-3};
    static const char *const method[] = {"dop853", "taylor", "radau", "bs32"};
    for (int k = 0; k < 120; k++) {
        double e = share[k % 6], low = floor_at[k / 6 % 5], rest, flight = sqrt(2 / 9.81);
        char text[400];
        keel_model *m;
        snprintf(text, sizeof text,
                 "coord y\nlagrangian y'^2/2 - 9.81*y\ninit y = %.17g, y' = 0\nrun 0 .. 50\n"
                 "event hit: y - %.17g falling -> y' := -%g*y'\n",
                 low + 1, low, e);
        m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = method[k / 30], .rtol = 1e-8});
        if (keel_sim_run(s, 50) != KEEL_REST) fail_msg("%s\n%s", keel_sim_message(s), text);
        assert_int_equal(sscanf(keel_sim_message(s), "it comes to rest at t = %lf: `hit`", &rest), 1);
        assert_near(rest, flight * (1 + e) / (1 - e), 1e-6 * rest * (1 + 1e-3 * fabs(low)));
        assert_true(value_of(s, "y") > low - 1e-6);
        assert_int_equal(keel_sim_run(s, 50), KEEL_REST);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* What an action moves across zero acts, in its direction; what it leaves on its side does not. */
static void an_action_sets_off_others(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var x, n, k\nx' = 1\nn' = 0\nk' = 0\ninit x = 0, n = -1, k = 0\nrun 0 .. 3\n"
                         "event down: n falling -> k := k + 100\nevent up: n rising -> k := k + 1, x := 1.5\n"
                         "event any: n crossing -> k := 2*k\nevent far: x - 1.2 rising -> record\n"
                         "event go: x - 1 rising -> n := 1\nevent back: x - 2 rising -> n := 0.5\n",
                         &m);
    run_to(s, 3);
    assert_string_equal(story(s), "go up any far back");
    assert_true(value_of(s, "k") == 2 && value_of(s, "n") == 0.5);
    assert_near(event_record(s, 4).t, 1.5, 1e-12); /* x was 1, then 1.5 */
    finish(s, m);
}

/* Steps without an error, each as long as many periods of the strain: every switch counts. */
static void switches_faster_than_the_steps_are_found(void **unused) {
    (void)unused;
    keel_model *m = model_example("plastic");
    keel_sim *s = keel_sim_open(m, &(keel_options){.max_step = 100});
    run_to(s, 1000);
    assert_int_equal(event_records(s), 1 + (int)(1000 / (pi / 2)));
    for (int k = 1; k < event_records(s); k++) assert_near(event_record(s, k).t, k * pi / 2, 1e-10);
    finish(s, m);
}

/* A start, or a mode, or a place on the way that the equations do not allow.  wanted: KEEL_OK where it
 * may not end at all. */
static void assert_ends_with(const char *text, keel_options o, keel_status wanted, const char *words) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
    keel_sim *s = keel_sim_open(m, &o);
    keel_status status = keel_model_status(m) ? keel_model_status(m) : keel_sim_run(s, 5);
    char all[200] = "", *rest = all;
    if (wanted || status) snprintf(all, sizeof all, "%s", words);
    if (wanted && status != wanted)
        fail_msg("%s instead of %s: %s", keel_status_name(status), keel_status_name(wanted),
                 keel_sim_message(s));
    for (char *word; (word = strtok_r(rest, "|", &rest)) != NULL;)
        if (!strstr(keel_sim_message(s), word)) fail_msg("no `%s` in: %s", word, keel_sim_message(s));
    finish(s, m);
}

static void assert_ends(const char *text, keel_status wanted, const char *words) {
    assert_ends_with(text, (keel_options){.rtol = 1e-8}, wanted, words);
}

#define PARALLELOGRAM                                                                              \
    "coord a, b, c, d\nlagrangian (a'^2 + b'^2 + c'^2 + d'^2)/2\nconstraint left: a^2 + b^2 = 1\n" \
    "constraint right: (c - 2)^2 + d^2 = 1\nconstraint bar: (c - a)^2 + (d - b)^2 = 4\nrun 0 .. 5\n"
#define FALLS                                                                                          \
    "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ninit x = 0, y = 0, x' = 1, y' = 0\nrun 0 .. 5\n" \
    "start free\nmode free:\n    event catch: y + 1 falling -> mode held\nmode held:\n"
#define WIRE /* its direction fades at the origin */                                                    \
    "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint wire: x^2 = y^3\ninit y = 1, y' = 0\n" \
    "guess x = 1\nrun 0 .. 5\n"
static void runs_that_cannot_go_on_say_what_and_when(void **unused) {
    (void)unused;
    assert_ends(PARALLELOGRAM "init a = 1, b = 0, c = 3, d = 0, b' = 1\nguess a' = 0, c' = 0, d' = 1\n",
                KEEL_EINVAL, "`bar` loses its own direction at t = 0|dead centre");
    assert_ends(WIRE, KEEL_ESTEP, "the step size fell|at t = 0.7064|the multiplier of `wire` is -");
    assert_ends("var x, lam\nx' = lam\n(1 - t)^2*lam = 1\ninit x = 0\nrun 0 .. 5\n", KEEL_ESTEP,
                "the step size fell|at t = 1|d/dt of `x` is ");
    assert_ends("var x, z\nx' = z\nz + z^3*(1 - t)^6 = 1/(1 - t)^2\ninit x = 0\nrun 0 .. 5\n", KEEL_ESTEP,
                "the step size fell|at t = 1|`z` is ");
    assert_ends("var x, y\nx' = 1\ny^2 = 1 - x\ninit x = 0\nguess y = 1\nrun 0 .. 5\n", KEEL_ESINGULAR,
                "`y` cannot be followed beyond t = 1: |two solutions");
    assert_ends(
        FALLS "    constraint string: x^2 + y^2 = -1\n", KEEL_ESTART,
        "after event `catch`, in mode `held`|do not fit `string`|at t = 0.4515236|no consistent values");
    assert_ends(FALLS "    constraint p: x^2 + y^2 = 2\n    constraint q: (x - 9)^2 + y^2 = 1\n", KEEL_ESTART,
                "after event `catch`, in mode `held`|at t = 0.4515236|no consistent values");
    assert_ends("var x, y\nx' = 1\nmode a:\n    y = 2*x\n    event e: x - 1 rising -> mode b\nmode b:\n"
                "    y^2 + x = 0.5\nstart a\ninit x = 0\nrun 0 .. 5\n",
                KEEL_ENEWTON, "after event `e`, in mode `b`|at t = 1|`y` does not settle");
}

/* The formulations that have constraints in their own equations. */
static void native_formulations_say_what_and_when(void **unused) {
    (void)unused;
    static const char *const fixed[] = {"rattle", "rattle4", "shake", "rolling-midpoint"};
    static const char *const radau[] = {"radau", "radau-ggl", "radau-index3"};
    for (int k = 0; k < 4; k++)
        assert_ends_with(WIRE, (keel_options){.method = fixed[k], .step = 0.01}, KEEL_ENEWTON,
                         "found from t = 0.|the multiplier of `wire` is -|the step is fixed");
    for (int k = 0; k < 3; k++)
        assert_ends_with(WIRE, (keel_options){.method = radau[k], .rtol = 1e-8}, KEEL_ENEWTON,
                         "could not make a step from t = 0.7064959|the multiplier of `wire` is -");
    for (int k = 1; k < 3; k++) /* at pi/2 or 3 pi/2, unless a step leaps over them: round-off decides */
        assert_ends_with(PARALLELOGRAM
                         "init a = 0, b = 1, c = 2, d = 1, a' = 1\nguess b' = 0, c' = 1, d' = 0\n",
                         (keel_options){.method = radau[k], .rtol = 1e-10}, KEEL_OK,
                         "t = |the constraint `bar` has 0.00|a dead centre is near");
}

static void a_stop_is_no_end(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var x, n\nx' = 1\nn' = 0\ninit x = 0, n = 0\nrun 0 .. 5.5\n"
                         "event full: x - 1 rising -> x := 0, n := n + 1, stop\n",
                         &m);
    for (int k = 1; k <= 5; k++) {
        assert_int_equal(keel_sim_run(s, 5.5), KEEL_EVENT);
        assert_near(keel_time(keel_sim_solver(s)), k, 1e-12);
        assert_true(value_of(s, "n") == k && value_of(s, "x") == 0); /* after its action */
    }
    assert_int_equal(keel_sim_run(s, 5.5), KEEL_OK);
    assert_near(value_of(s, "x"), 0.5, 1e-12);
    finish(s, m);
}

/* x.enter and t.enter are those of the mode, x.start those of the run. */
static void values_are_held(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("var x\ninit x = 1\nrun 0 .. 3\nmode slow:\n    x' = x.start\n"
                         "    event a: x - 2 rising -> x := 5, mode fast\n"
                         "mode fast:\n    x' = 2*x.enter + (t - t.enter)\nstart slow\n"
                         "output e = x.enter, u = t.enter, s = x.start\n",
                         &m);
    assert_true(value_of(s, "e") == 1 && value_of(s, "u") == 0 && value_of(s, "s") == 1);
    run_to(s, 2);
    assert_near(value_of(s, "x"), 5 + 10 + 0.5, 1e-11);
    assert_true(value_of(s, "e") == 5 && value_of(s, "s") == 1);
    assert_near(value_of(s, "u"), 1, 1e-12);
    finish(s, m);
}

/* Directions are along the run: backwards a quantity that grows with t falls. */
static void events_backwards(void **unused) {
    (void)unused;
    static const char text[] = "var x, n\nx' = 1\nn' = 0\ninit x = 0, n = 0\nrun 0 .. 2\n"
                               "event a: x rising -> record\nevent b: x falling -> record\n"
                               "event c: x + 1 falling -> n := 1\nevent d: x + 1 rising -> n := 2\n";
    keel_model *m;
    keel_sim *s = sim_of(text, &m);
    run_to(s, -2);
    assert_string_equal(story(s), "b c");
    assert_near(event_record(s, 1).t, -1, 1e-12);
    assert_true(value_of(s, "n") == 1);
    finish(s, m);
    s = sim_of(text, &m);
    run_to(s, 2);
    assert_string_equal(story(s), "a");
    finish(s, m);
    s = sim_of("coord y\nlagrangian y'^2/2 - 2*y\ninit y = 0, y' = -2\nrun 1 .. 0\n"
               "event top: y' rising -> record\nevent low: y - 0.75 falling -> stop\n",
               &m); /* thrown upwards at t = -1 it lands at t = 1; backwards it climbs and falls */
    assert_int_equal(keel_sim_run(s, -1), KEEL_EVENT);
    assert_string_equal(story(s), "top low");
    assert_near(event_record(s, 0).t, 0, 1e-12);
    assert_near(event_record(s, 1).t, -0.5, 1e-12);
    finish(s, m);
}

static void wrong_values_end_the_run(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s =
        sim_of("var x\nx' = 1\ninit x = 0\nrun 0 .. 2\nevent a: x - 1 rising -> x := log(-x)\n", &m);
    assert_int_equal(keel_sim_run(s, 2), KEEL_EUSER);
    assert_true(strstr(keel_sim_message(s), "event `a` at t = 1 assigns") != NULL);
    finish(s, m);
    static const char text[] =
        "var x, y\nx' = 1\ny = 2*x\ninit x = 0\nrun 0 .. 2\nevent a: x - 1 rising -> y := 1\n";
    m = keel_model_read("a.keel", text, sizeof text - 1, NULL);
    assert_int_equal(keel_model_status(m), KEEL_EINVAL);
    assert_true(strstr(keel_model_message(m), "`y` cannot be assigned") != NULL);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_start),
        cmocka_unit_test(the_start_knows_no_span),
        cmocka_unit_test(events_at_one_time),
        cmocka_unit_test(clocks_tick_once),
        cmocka_unit_test(assignments_are_simultaneous),
        cmocka_unit_test(an_event_passes_its_own_action),
        cmocka_unit_test(events_without_end_are_named),
        cmocka_unit_test(a_bouncing_ball_comes_to_rest),
        cmocka_unit_test(an_action_sets_off_others),
        cmocka_unit_test(switches_faster_than_the_steps_are_found),
        cmocka_unit_test(runs_that_cannot_go_on_say_what_and_when),
        cmocka_unit_test(native_formulations_say_what_and_when),
        cmocka_unit_test(a_stop_is_no_end),
        cmocka_unit_test(values_are_held),
        cmocka_unit_test(events_backwards),
        cmocka_unit_test(wrong_values_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
