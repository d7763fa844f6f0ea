/* test_held.c - what an action leaves: motions that it holds are at rest, and what it assigns stays beside
 * constraints. */
#include "model_run.h"
#include "modes.h"

struct held {
    const char *text, *story, *where; /* where: the column that is then zero */
    double t;
};

#define FALLS "var y, v\ny' = v\nv' = -2\ninit y = 1, v = 0\nrun 0 .. 3\n"
#define TABLE "param A = 0.2, w = 3\nvar y, v, d\ny' = v\nv' = -9.81\nd = y - A*sin(w*t)\n"
static const struct held held[] = {
    {FALLS "event hit: y falling -> v := 0\n", "hit", "y", 1},
    {FALLS "param e = 0\nevent hit: y falling -> v := -e*v\n", "hit", "y", 1},
    {FALLS "event hit: y falling -> v := 0, record\n", "hit", "y", 1},
    {FALLS "var n\nn' = 0\ninit n = -1\nevent hit: y falling -> v := 0, n := n + 1\n", "hit", "n", 1},
    {FALLS "event a: y falling -> v := 0\nevent b: 2*y falling -> v := 0*v\n", "a", "y", 1},
    {FALLS "var x, u\nx' = u\nu' = -2\ninit x = 1, u = 0\nevent a: x falling -> u := 0\n"
           "event b: y falling -> v := 0\n",
     "a", "x", 1},
    {TABLE "init y = 0, v = 0\nevent hit: y - A*sin(w*t) falling -> v := A*w*cos(w*t)\nrun 0 .. 3\n", "hit",
     "d", 0},
    {"coord q, r\nlagrangian (q'^2 + r'^2)/2 - 2*q\ninit q = 1, r = 0, q' = 0, r' = 1\n"
     "event hit: q falling -> q' := 0\nrun 0 .. 3\n",
     "hit", "q", 1},
    {"canonical q, p\nhamiltonian p^2/2 + 2*q\ninit q = 1, p = 0\nevent hit: q falling -> p := 0\n"
     "run 0 .. 3\n",
     "hit", "q", 1},
    {"var y, v, f\ny' = v\nv' = f\nf = -2\ninit y = 1, v = 0\nevent hit: y falling -> v := 0\nrun 0 .. 3\n",
     "hit", "y", 1},
    {"var y, v\ny' = v\nv' = -2\ninit y = 0, v = 0\nevent hit: y falling -> v := -0.5*v\nrun 0 .. 3\n", "",
     "y", 0},
};

static keel_sim *held_sim(const struct held *h, const char *method, keel_model **m) {
    *m = model_of(h->text);
    return keel_sim_open(*m, &(keel_options){.method = method, .step = strcmp(method, "rk4") ? 0 : 0.01});
}

/* The run ends where the event holds it, each event has acted once, and going on leads nowhere. */
static void what_an_event_holds_is_at_rest(void **unused) {
    (void)unused;
    static const char *const method[] = {"dop853", "taylor", "radau", "rk4"};
    for (size_t k = 0; k < 4 * sizeof held / sizeof *held; k++) {
        const struct held *h = &held[k / 4];
        keel_model *m;
        keel_sim *s = held_sim(h, method[k % 4], &m);
        for (int again = 0; again < 2; again++) {
            double rest;
            if (keel_sim_run(s, 3) != KEEL_REST) fail_msg("%s\n%s", keel_sim_message(s), h->text);
            assert_int_equal(sscanf(keel_sim_message(s), "it comes to rest at t = %lf: `", &rest), 1);
            assert_near(rest, keel_time(keel_sim_solver(s)), 1e-9);
            if (h->t > 0) assert_near(rest, h->t, 1e-9);
            assert_near(value_of(s, h->where), 0, 1e-9);
            assert_int_equal(strncmp(story(s), h->story, strlen(h->story)), 0);
        }
        finish(s, m);
    }
}

/* A stop goes before; and a force that points the other way frees what was held. */
static void what_is_free_goes_on(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of(FALLS "event hit: y falling -> v := 0, stop\n", &m);
    assert_int_equal(keel_sim_run(s, 3), KEEL_EVENT);
    assert_int_equal(keel_sim_run(s, 3), KEEL_REST);
    finish(s, m);
    s = sim_of(
        "var y, v\ny' = v\nv' = -2\ninit y = 0, v = 2\nevent top: y - 1 rising -> v := 0\nrun 0 .. 3\n", &m);
    run_to(s, 3); /* thrown up to the ceiling, which it touches without speed */
    assert_near(value_of(s, "y"), 1 - 4, 1e-5);
    finish(s, m);
}

/* A state that an event leaves at nearly nothing is as large as it was: tolerances stay. */
static void what_an_event_leaves_small_is_not_followed_closer(void **unused) {
    (void)unused;
    static const char text[] =
        "var x\nx' = 1 - x\ninit x = 3\nrun 0 .. 3\nevent go: t - 1 rising -> x := %g\n";
    static const double left[] = {0, 1e-12, 1e-17, 1e-20, -1e-30, 1e-200};
    for (int k = 0; k < 24; k++) {
        static const char *const method[] = {"dop853", "taylor", "radau", "dopri5"};
        char own[200];
        snprintf(own, sizeof own, text, left[k % 6]);
        keel_model *m = model_of(own);
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = method[k / 6], .rtol = 1e-6});
        run_to(s, 3);
        assert_near(value_of(s, "x"), 1 - exp(-2), 1e-5);
        assert_true(keel_statistics(keel_sim_solver(s)).steps < 200);
        finish(s, m);
    }
}

#define ARC                                                                                            \
    "init x = 0.8, %s = 0\nguess y = -0.6\nrun 0 .. 1\nevent wall: x - 0.3 falling -> %s := -0.5*%s, " \
    "record\n"
#define ROD                                                                                           \
    "coord a, b, c, d\nlagrangian (a'^2 + b'^2)/2 - 9.81*b + 3*(c'^2 + d'^2)/2 - 3*9.81*d\n"          \
    "constraint rod: (a - c)^2 + (b - d)^2 = 1\ninit a = 0, b = 1, c = 0.6, a' = 0, b' = 0, c' = 0\n" \
    "guess d = 1.8, d' = 0\nrun 0 .. 0.6\nevent hit: b falling -> b' := -0.5*b', stop\n"
/* A pendulum against a wall, in four forms: the constraint moves what was not assigned. */
static void what_is_assigned_stays_beside_constraints(void **unused) {
    (void)unused;
    static const char *const form[][3] = {
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint c: x^2 + y^2 = 1\n", "x'", "y'"},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint c: x^2 + y^2 = 1\n"
         "event far: lambda.c - 1e9 rising -> record\n",
         "x'", "y'"},
        {"canonical x, p\ncanonical y, r\nhamiltonian (p^2 + r^2)/2 + 9.81*y\nconstraint c: x^2 + y^2 = 1\n",
         "p", "r"},
        {"var x, y, u, v, l\nx' = u\ny' = v\nu' = -2*x*l\nv' = -9.81 - 2*y*l\nx^2 + y^2 = 1\n", "u", "v"}};
    double fast = sqrt(2 * 9.81 * (sqrt(0.91) - 0.6)), along = fast * sqrt(0.91);
    for (int k = 0; k < 4; k++) {
        char text[600], rest[300];
        keel_model *m;
        snprintf(rest, sizeof rest, ARC, form[k][1], form[k][1], form[k][1]);
        snprintf(text, sizeof text, "%s%s", form[k][0], rest);
        keel_sim *s = sim_of(text, &m);
        while (event_records(s) == 0) assert_true(keel_sim_step(s, 1) >= 0);
        assert_near(value_of(s, "x"), 0.3, 1e-9);
        assert_near(value_of(s, form[k][1]), 0.5 * along, 1e-8);
        assert_near(value_of(s, form[k][2]), 0.5 * fast * 0.3, 1e-8);
        finish(s, m);
    }
    keel_model
        *m; /* one end of a rod bounces: momentum along the floor stays, the other end is hit along the rod */
    keel_sim *s = sim_of(ROD, &m);
    assert_int_equal(keel_sim_run(s, 0.6), KEEL_EVENT);
    double fall = sqrt(2 * 9.81);
    assert_near(value_of(s, "b'"), 0.5 * fall, 1e-8);
    assert_near(value_of(s, "a'") + 3 * value_of(s, "c'"), 0, 1e-8);
    assert_near(0.8 * value_of(s, "c'") - 0.6 * (value_of(s, "d'") + fall), 0, 1e-8);
    finish(s, m);
}

/* Values that the constraints do not allow are refused, whatever the form. */
static void what_cannot_hold_is_not_assigned(void **unused) {
    (void)unused;
    static const char *const text[] = {
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint c: x^2 + y^2 = 1\ninit x = 0.8, x' = 0\n"
        "guess y = -0.6\nrun 0 .. 1\nevent wall: x - 0.3 falling -> x' := -0.5*x', y' := 0.5*y'\n",
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ninit x = 0, y = 1, x' = 1, y' = 0\nrun 0 .. 1\n"
        "mode fly:\n    event wall: y falling -> y' := -0.5*y', mode slide\nmode slide:\n    constraint c: y "
        "= 0\n"
        "start fly\n"};
    for (int k = 0; k < 2; k++) {
        keel_model *m;
        keel_sim *s = sim_of(text[k], &m);
        assert_int_equal(keel_sim_run(s, 1), KEEL_ESTART);
        if (!strstr(keel_sim_message(s), "does not fit the constraints there"))
            fail_msg("%s", keel_sim_message(s));
        finish(s, m);
    }
}

/* A run that was saved at rest is at rest. */
static void rest_is_saved(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of(held[0].text, &m);
    assert_int_equal(keel_sim_run(s, 3), KEEL_REST);
    size_t size = keel_sim_save(s, NULL, 0);
    void *capacity = malloc(size);
    assert_int_equal(keel_sim_save(s, capacity, size), size);
    keel_sim *copy = keel_sim_load(m, &(keel_options){.rtol = 1e-11}, capacity, size);
    if (keel_sim_run(copy, 3) != KEEL_REST) fail_msg("%s", keel_sim_message(copy));
    assert_near(value_of(copy, "y"), 0, 1e-9);
    assert_string_equal(story(copy), "hit");
    free(capacity);
    keel_sim_close(copy);
    finish(s, m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_event_holds_is_at_rest),
        cmocka_unit_test(what_is_free_goes_on),
        cmocka_unit_test(what_an_event_leaves_small_is_not_followed_closer),
        cmocka_unit_test(what_is_assigned_stays_beside_constraints),
        cmocka_unit_test(what_cannot_hold_is_not_assigned),
        cmocka_unit_test(rest_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
