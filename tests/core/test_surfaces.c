/* test_surfaces.c - switching surfaces: frozen branches, sliding, what cannot go on, and the way from C. */
#include "testing.h"

#include "model_run.h"

static const struct {
    const char *name;
    double step, error; /* of fixed steps: what their order leaves on these problems */
} method[] = {{"dop853", 0, 0},        {"taylor", 0, 0},        {"radau", 0, 0},
              {"bs32", 0, 0},          {"rk4", 1. / 128, 1e-7}, {"gauss8", 1. / 64, 1e-9},
              {"ab4", 1. / 128, 1e-5}, {"bdf2", 1. / 512, 1e-3}};
enum { METHODS = sizeof method / sizeof *method };

static keel_options options_of(int k, double rtol) {
    keel_options o = {.method = method[k].name, .step = method[k].step};
    if (o.step == 0) o.rtol = rtol;
    return o;
}

static double bound_of(int k, double rtol) {
    return 1e-11 + 200 * (method[k].step > 0 ? method[k].error : rtol);
}

/* Models with a closed form; NULL closes a list of methods that say why they do not take it. */
static const struct {
    const char *text, *column;
    double exact;
    const char *refused; /* by which methods */
} closed[] = {
    {"var x\nx' = if(t > 3 and t < 4, 1, 0)\ninit x = 0\nrun 0..10", "x", 1, ""},
    {"var x\nx' = if(t > 3.3, 1, 0)\ninit x = 0\nrun 0..10", "x", 6.7, ""},
    {"var x\nx' = if(t > 2, if(t < 5, if(t > 3, 2, 1), -1), 0)\ninit x = 0\nrun 0..10", "x", 0, ""},
    {"var x\nx' = if(t < 2e3, 0, 1)\ninit x = 0\nrun 1995..2004", "x", 4, ""},
    {"var x\nx' = mod(t, 0.25)\ninit x = 0\nrun 0..20", "x", 2.5, ""},
    {"var x\nx' = floor(t)\ninit x = 0\nrun 0..10", "x", 45, ""},
    {"var x\nx' = if(x > 0, x, 0) + 1\ninit x = -1\nrun 0..3", "x", 6.38905609893065, ""}, /* e^2 - 1 */
    {"var x\nx' = if(x > 0, x, 0)\ninit x = -0.001\nrun 0..3", "x", -0.001, ""},
    {"var x, y\nx' = y\ny = if(x > 0.5, 1, 2)\ninit x = 0\nrun 0..1", "x", 1.25, ""},
    {"var x, y\nx' = y\ny + y^3 = if(x > 0.5, 2, 10)\ninit x = 0\nguess y = 1\nrun 0..1", "x", 1.25, ""},
    {"var x, y\nx' = 1\ny' = if(x > 0.5, 1, 0) + if(2*x > 1, 1, 0)\ninit x = 0, y = 0\nrun 0..1", "y", 1, ""},
    {"var v\nv' = 0.5 - sign(v)\ninit v = 2\nrun 0..10", "v", 0, "taylor, bdf2"},
    {"var x, v\nx' = v\nv' = -3*sign(v)\ninit x = 0, v = 3\nrun 0..4", "x", 1.5, "taylor, bdf2"},
    {"coord x\nlagrangian x'^2/2\nforce x: -sign(x')\ninit x = 0, x' = 2\nrun 0..5", "x", 2, "taylor, bdf2"},
    {"canonical q, p\nhamiltonian p^2/2 + abs(q)\n"
     "init q = 1, p = 0\nrun 0..10",
     "q", 0.13708498984760, "bdf2"},
    {"coord x\nlagrangian x'^2/2 - max(x, 0)^2/2\ninit x = 1, x' = 0\nrun 0..10", "x", -8.429203673205103,
     "bdf2"},
};

static int names(const char *list, const char *name) {
    return list[0] && strstr(list, name) != NULL;
}

static void every_method_gives_the_closed_form(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof closed / sizeof *closed; c++) {
        keel_model *m = model_of(closed[c].text);
        double from, to;
        keel_model_span(m, &from, &to);
        for (int k = 0; k < METHODS; k++) {
            static const double rtol[] = {1e-5, 1e-9, 1e-12};
            for (int r = 0; r < (method[k].step > 0 ? 1 : 3); r++) {
                keel_options o = options_of(k, rtol[r]);
                keel_sim *s = keel_sim_open(m, &o);
                keel_status status = keel_sim_run(s, to);
                if (names(closed[c].refused, method[k].name)) {
                    assert_true(status < 0);
                    if (strcmp(method[k].name, "taylor") == 0)
                        assert_non_null(strstr(keel_sim_message(s), "slides along"));
                } else if (status != KEEL_OK) {
                    fail_msg("%s, rtol %g: %s\n%s", method[k].name, rtol[r], keel_sim_message(s),
                             closed[c].text);
                } else {
                    double error = fabs(value_of(s, closed[c].column) - closed[c].exact);
                    if (!(error <= bound_of(k, rtol[r])))
                        fail_msg("%s, rtol %g: off by %.3g\n%s", method[k].name, rtol[r], error,
                                 closed[c].text);
                }
                keel_sim_close(s);
            }
        }
        keel_model_close(m);
    }
}

/* Who cannot slide is named, be it the method, the stabilizer or an option, with what can. */
static void who_cannot_slide_says_why(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int reversible;
        const char *who, *instead;
    } way[] = {{"taylor", 0, "`taylor`", "dop853 or radau"},
               {"rattle", 0, "`rattle`", "dop853 or radau"},
               {"gauss4+symmetric", 0, "`symmetric`", "stabilizer project"},
               {"gauss4+coupled", 0, "`coupled`", "stabilizer project"},
               {"gauss4", 1, "`reversible`", "leave that option out"}};
    static const char *const text[] = {
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint r: x^2 + y^2 = 1\n"
        "force x: -3.5*sign(x' - 0.1)\ninit x = 0.8, x' = 0\nguess y = -0.6\nrun 0 .. 2",
        "coord x\nlagrangian x'^2/2\nforce x: -2*sign(x')\ninit x = 0, x' = 2\nrun 0 .. 2"};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        keel_model *m = model_of(text[way[k].reversible]);
        int adaptive = strcmp(way[k].method, "taylor") == 0;
        keel_options o = {
            .method = way[k].method, .step = adaptive ? 0 : 0.01, .reversible = way[k].reversible};
        keel_sim *s = keel_sim_open(m, &o);
        assert_int_equal(keel_sim_run(s, 2), KEEL_EINVAL);
        const char *message = keel_sim_message(s);
        if (!strstr(message, "slides along") || !strstr(message, way[k].who) ||
            !strstr(message, way[k].instead))
            fail_msg("%s: %s", way[k].method, message);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Stick and slip, forced; the pendulum with dry friction: no closed form, so method against method. */
static void methods_agree_where_motion_sticks_and_slips(void **state) {
    (void)state;
    static const char *const text[] = {
        "var v\nv' = 2*sin(t) - sign(v)\ninit v = 0\nrun 0..9",
        "var x, v\nx' = v\nv' = -10*x - 3*sign(v - 0.5)\ninit x = 0, v = 0.5\nrun 0..2",
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
        "force x: -0.5*sign(x')\ninit x = 0.6, y = -0.8, x' = 0\nguess y' = 0\nrun 0..2",
        "var x, v\nx' = v\nv' = -x - sign(x)\ninit x = 1, v = 0\nrun 0..20"};
    for (size_t c = 0; c < sizeof text / sizeof *text; c++) {
        keel_model *m = model_of(text[c]);
        double from, to;
        keel_model_span(m, &from, &to);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-12});
        run_to(s, to);
        double right = value_of(s, keel_sim_column(s, 0));
        keel_sim_close(s);
        for (int k = 0; k < METHODS - 1; k++) {
            keel_options o = options_of(k, 1e-8);
            s = keel_sim_open(m, &o);
            keel_status status = keel_sim_run(s, to);
            if (status < 0 && strcmp(method[k].name, "taylor") == 0 && strstr(keel_sim_message(s), "slides"))
                status = KEEL_OK;
            else assert_near(value_of(s, keel_sim_column(s, 0)), right, bound_of(k, 1e-8));
            assert_int_equal(status, KEEL_OK);
            keel_sim_close(s);
        }
        keel_model_close(m);
    }
}

static void a_run_back_passes_the_same_switches(void **state) {
    (void)state;
    keel_model *m = model_of("var x, v\nx' = v\nv' = -x - sign(x)\ninit x = 1, v = 0\nrun 0..10");
    for (int k = 0; k < 4; k++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = method[k].name, .rtol = 1e-10});
        run_to(s, 10);
        long there = keel_statistics(keel_sim_solver(s)).switches;
        run_to(s, 0);
        assert_int_equal(keel_statistics(keel_sim_solver(s)).switches, 2 * there);
        assert_near(value_of(s, "x"), 1, 1e-7);
        assert_near(value_of(s, "v"), 0, 1e-7);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* Sides are part of the state: saved between any two steps and loaded, a run goes on with the same bits. */
static void a_saved_run_goes_on_with_the_same_bits(void **state) {
    (void)state;
    static const char text[] = "var x, v\nx' = v\nv' = 1.2*sin(t) - 0.7*sign(v) - if(mod(t, 2) < 1, x, 0)\n"
                               "init x = 0, v = 0.3\nrun 0..12";
    keel_model *m = model_of(text);
    keel_options o = {.rtol = 1e-8};
    keel_sim *whole = keel_sim_open(m, &o), *broken = keel_sim_open(m, &o);
    for (long steps = 1; keel_time(keel_sim_solver(broken)) != 12; steps++) {
        assert_true(keel_sim_step(whole, 12) >= 0);
        assert_true(keel_sim_step(broken, 12) >= 0);
        assert_true(keel_time(keel_sim_solver(whole)) == keel_time(keel_sim_solver(broken)));
        assert_true(value_of(whole, "x") == value_of(broken, "x"));
        if (steps % 3) continue;
        size_t count = keel_sim_save(broken, NULL, 0);
        void *bytes = malloc(count);
        assert_int_equal(keel_sim_save(broken, bytes, count), count);
        keel_sim_close(broken);
        broken = keel_sim_load(m, &o, bytes, count);
        free(bytes);
    }
    assert_true(keel_statistics(keel_sim_solver(whole)).slides > 0);
    keel_sim_close(whole);
    keel_sim_close(broken);
    keel_model_close(m);
}

struct seen {
    double next, apart, worst;
    long rows;
};

static void sample(keel_solver *solver, void *user) {
    (void)solver;
    struct seen *seen = keel_sim_attached(user);
    double now = keel_time(keel_sim_solver(user)), value[10];
    for (; seen->next <= now; seen->next += seen->apart, seen->rows++) {
        assert_int_equal(keel_sim_values_at(user, seen->next, value), KEEL_OK);
        /* x = the integral of floor(t) */
        double whole = floor(seen->next), exact = whole * (whole - 1) / 2 + whole * (seen->next - whole);
        seen->worst = fmax(seen->worst, fabs(value[0] - exact));
    }
}

/* Every time between two steps has its row, the switches among them. */
static void no_time_is_lost_between_a_step_and_a_switch(void **state) {
    (void)state;
    keel_model *m = model_of("var x\nx' = floor(t)\ninit x = 0\nrun 0..20");
    for (int k = 0; k < METHODS; k++) {
        keel_options o = options_of(k, 1e-9);
        o.observe = sample;
        keel_sim *s = keel_sim_open(m, &o);
        struct seen seen = {0.0625, 0.0625, 0, 0};
        keel_sim_attach(s, &seen);
        run_to(s, 20);
        assert_int_equal(seen.rows, 320);
        assert_below(seen.worst, bound_of(k, 1e-9));
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* An event function that jumps acts where it does, to the last bits, whatever the surfaces around it. */
static void events_through_jumps_are_where_the_jumps_are(void **state) {
    (void)state;
    keel_model *m = model_of("var x\nx' = 1 + if(x > 0.5, 1, 0)\nevent a: sign(x - 0.5) crossing -> record\n"
                             "event b: floor(t) - 6.5 rising -> record\nevent c: x - 0.5 rising -> record\n"
                             "event d: x - 2.5 rising -> record\ninit x = 0\nrun 0..10");
    for (int k = 0; k < METHODS; k++) {
        keel_options o = options_of(k, 1e-6);
        keel_sim *s = keel_sim_open(m, &o);
        keel_event_record h;
        run_to(s, 10);
        assert_int_equal(event_records(s), 4);
        double at[4] = {0.5, 0.5, 1.5, 7};
        for (int i = 0; i < 4; i++) {
            assert_true(keel_sim_event(s, i, &h));
            assert_near(h.t, at[i], 1e-12);
        }
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* What has no continuation ends with its sentence, soon. */
static void what_cannot_go_on_says_so(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
    } ends[] = {
        {"var x, y\nx' = -sign(y)\ny' = sign(x) - 0.2*sign(y)\ninit x = 1, y = 0\nrun 0..100",
         "faster and faster"},
        {"var x, y\nx' = -sign(y)\ny' = sign(x) - 0.01*sign(y)\ninit x = 1, y = 0\nrun 0..1000",
         "faster and faster"},
        {"var x, y\nx' = 0.3 - sign(x)\ny' = 0.2 - sign(y)\ninit x = 1, y = 2\nrun 0..5", "meet"},
        {"var x, v\nx' = v\nv' = -sign(x)\ninvariant E = v^2/2 + if(x > 0, x, 1 - x)\ninit x = 1, v = 0\nrun "
         "0..5",
         "jumps by"},
        {"var x\nx' = sign(x)\ninit x = 0\nrun 0..1", "several motions begin"},
        {"var x, v\nx' = v\nv' = -sign(x)\ninit x = 0, v = 0\nrun 0..1", "stays on the switching surface"},
    };
    for (size_t c = 0; c < sizeof ends / sizeof *ends; c++) {
        keel_model *m = model_of(ends[c].text);
        double from, to;
        keel_model_span(m, &from, &to);
        keel_sim *s = keel_sim_open(m, NULL);
        keel_status status = keel_sim_run(s, to);
        if (status >= 0 || !strstr(keel_sim_message(s), ends[c].sentence))
            fail_msg("%s\n%s", keel_sim_message(s), ends[c].text);
        assert_true(keel_statistics(keel_sim_solver(s)).switches < 1000);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Twenty surfaces where the run begins: more than can be tried in all combinations. */
static void many_surfaces_are_met_at_once(void **state) {
    (void)state;
    keel_model *m = model_of(
        "var x[1..20]\nfor i in 1..20:\n    x[i]' = (i - 10.5) + abs(x[i])\n    init x[i] = 0\nrun 0..1");
    for (int k = 0; k < 4; k++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = method[k].name, .rtol = 1e-9});
        run_to(s, 1);
        assert_near(value_of(s, "x[20]"), 9.5 * (exp(1) - 1), 1e-6);
        assert_near(value_of(s, "x[1]"), -9.5 * (1 - exp(-1)), 1e-6);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* From C: x' = -side, |x| falls to 0 and stays; y' = 1 where floor(t) is odd. */
static double sides[2];

static int relay(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0.5 - sides[0];
    out[1] = fmod(sides[1], 2) != 0;
    return 0;
}

static int surfaces(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0];
    out[1] = t;
    return 0;
}

static void callbacks_see_the_side_in_force(void **state) {
    (void)state;
    static const double start[] = {1, 0};
    static const unsigned char event_kinds[] = {KEEL_SURFACE, KEEL_STAIRCASE};
    keel_problem p = {.n = 2,
                      .u0 = start,
                      .f = {.count = 2, .value = relay},
                      .event = {.count = 2, .value = surfaces},
                      .event_kind = event_kinds};
    keel_solver *s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL); /* nowhere to write the sides */
    assert_non_null(strstr(keel_message(s), "side"));
    keel_close(s);
    p.side = sides;
    s = keel_open(&p, &(keel_options){.rtol = 1e-9});
    assert_ok(s, keel_run(s, 5.5));
    keel_solver *equivalent = keel_fork(s);
    assert_near(keel_state(s)[0], 0, 1e-14);
    assert_near(keel_state(s)[1], 2.5, 1e-12);
    assert_ok(s, keel_run(s, 8));
    assert_ok(equivalent, keel_run(equivalent, 8)); /* with sides of its own */
    assert_true(keel_state(s)[1] == keel_state(equivalent)[1]);
    assert_near(keel_state(equivalent)[1], 4, 1e-12);
    keel_close(s);
    keel_close(equivalent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_gives_the_closed_form),
        cmocka_unit_test(who_cannot_slide_says_why),
        cmocka_unit_test(methods_agree_where_motion_sticks_and_slips),
        cmocka_unit_test(a_run_back_passes_the_same_switches),
        cmocka_unit_test(a_saved_run_goes_on_with_the_same_bits),
        cmocka_unit_test(no_time_is_lost_between_a_step_and_a_switch),
        cmocka_unit_test(events_through_jumps_are_where_the_jumps_are),
        cmocka_unit_test(what_cannot_go_on_says_so),
        cmocka_unit_test(many_surfaces_are_met_at_once),
        cmocka_unit_test(callbacks_see_the_side_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
