/* test_event_roots.c - events as roots of polynomials (core/roots, core/events_roots): pairs closer than any
 * sampling are found wherever they lie in a step, none is invented, and each fires once. */
#include "extras.h"
#include "model_run.h"

#include "core/roots.h"

#include <float.h>

static double random_unit(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 2147483648.0;
}

/* The polynomial with these roots, in powers of s. */
static void expand(int count, const double *root, double *a) {
    a[0] = 1;
    for (int i = 0; i < count; i++) {
        a[i + 1] = 0;
        for (int k = i + 1; k > 0; k--) a[k] = a[k - 1] - root[i] * a[k];
        a[0] *= -root[i];
    }
}

static double sum_of_terms(int degree, const double *a) {
    double sum = 0;
    for (int k = 0; k <= degree; k++) sum += fabs(a[k]);
    return sum;
}

static void roots_inside_are_found_and_no_others(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 2000; trial++) {
        double root[8], a[9], at[ROOTS_DEGREE];
        int count = 1 + trial % 6, sign, inside = 0;
        double from = 1.5 * random_unit(&seed) - 0.5;
        for (int i = 0; i < count; i++, from += 0.05 + 0.2 * random_unit(&seed)) root[i] = from;
        assert_true(count < 8);
        expand(count, root, a);
        sign = count % 2 ? -1 : 1; /* of s far to the left */
        for (int i = 0; i < count && root[i] < 0; i++) sign = -sign;
        int found = roots_find(count, a, 1e-14 * sum_of_terms(count, a), 1e-15, &sign, at);
        for (int i = 0; i < count; i++) {
            if (root[i] < 0 || root[i] > 1) continue;
            assert_true(inside < found);
            assert_near(at[inside], root[i], 1e-9);
            inside++;
        }
        assert_int_equal(found, inside);
    }
}

/* A double root is none; with a gap of 1e-5 it is two, with one of the same depth the other way none. */
static void double_roots_are_none_and_close_pairs_two(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 1000; trial++) {
        double b = 0.001 + 0.998 * random_unit(&seed), a[3] = {b * b, -2 * b, 1}, at[ROOTS_DEGREE];
        static const double depth[] = {0, 2.5e-11, -2.5e-11};
        for (int k = 0; k < 3; k++) {
            int sign = 1;
            a[0] = b * b - depth[k];
            int found = roots_find(2, a, 32 * DBL_EPSILON * sum_of_terms(2, a), 1e-15, &sign, at);
            assert_int_equal(found, k == 1 ? 2 : 0);
            if (found) assert_near(at[1] - at[0], 1e-5, 1e-9);
            assert_int_equal(sign, 1);
        }
    }
}

struct turning {
    keel_model *m;
    keel_problem problem;
    unsigned char event_kind[4];
};

/* x = sin t, y = cos t, and one event, which stops the run. */
static void turning_open(struct turning *c, const char *event, double a, double d) {
    char text[400];
    keel_mode mode;
    snprintf(text, sizeof text,
             "model m\nparam a = %.17g, d = %.17g\nvar x, y\nx' = y\ny' = -x\ninit x = 0\ninit y = 1\n"
             "event hit: %s crossing -> record\nrun 0 .. 9\n",
             a, d, event);
    c->m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(c->m) != KEEL_OK) fail_msg("%s", keel_model_message(c->m));
    assert_true(keel_model_mode(c->m, 0, &mode));
    c->problem = *mode.problem;
    memcpy(c->event_kind, c->problem.event_kind, (size_t)c->problem.event.count);
    c->event_kind[0] = KEEL_TERMINAL;
    c->problem.event_kind = c->event_kind;
}

/* Events of a run from 0 to t_end at these places, and no others. */
static void assert_events(const struct turning *c, keel_options o, double t_end, int count, const double *at,
                          double bound) {
    keel_solver *s = keel_open(&c->problem, &o);
    for (int k = 0; k < count; k++) {
        keel_status status = keel_run(s, t_end);
        if (status != KEEL_EVENT) fail_msg("%s: event %d at %.17g is missed", keel_message(s), k, at[k]);
        assert_near(keel_time(s), at[k], bound);
    }
    assert_int_equal(keel_run(s, t_end), KEEL_OK);
    keel_close(s);
}

static void pairs_anywhere_in_a_step_are_found(void **state) {
    (void)state;
    uint64_t seed = 3;
    static const double gap[] = {1e-3, 1e-5};
    static const char *const event[] = {"(t - a)^2 - d^2", "(x - sin(a))^2 - (d*cos(a))^2",
                                        "cos(d) - cos(t - a)", "cos(d) - (y*cos(a) + x*sin(a))"};
    for (int trial = 0; trial < 40; trial++)
        for (int k = 0; k < 2; k++)
            for (int e = 0; e < 4; e++) {
                struct turning c;
                double span = e == 1 ? 1.3 : 5, a = 0.01 + span * random_unit(&seed), d = 0.5 * gap[k];
                const double at[] = {a - d, a + d};
                turning_open(&c, event[e], a, d);
                keel_options o = {.method = "taylor", .rtol = 1e-14};
                if (trial % 2) o = (keel_options){.method = "taylor", .step = 0.4, .order = 20};
                assert_events(&c, o, span + 0.2, 2, at, e == 1 ? 0.02 * d + d * d : 0.02 * d);
                keel_model_close(c.m);
            }
}

/* Two pairs with a twentieth of a step between them, and a pair whose gap is a millionth of a step: samples
 * that follow one low place do not see these. */
static void crowded_and_very_close_pairs_are_found(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 60; trial++) {
        struct turning c;
        double a = 0.05 + 5 * random_unit(&seed), d = 1e-4, b = a + 0.02;
        const double at[] = {a - d, a + d, b - d, b + d}, close[] = {a - 2e-7, a + 2e-7};
        keel_options o = {.method = "taylor", .step = 0.4, .order = 20};
        turning_open(&c, "((t - a)^2 - d^2)*((t - a - 0.02)^2 - d^2)", a, d);
        assert_events(&c, o, 5.4, 4, at, 1e-9);
        keel_model_close(c.m);
        turning_open(&c, "(t - a)^2 - d^2", a, 2e-7);
        assert_events(&c, o, 5.4, 2, close, 1e-8);
        keel_model_close(c.m);
    }
}

/* The same functions without their roots: as near to zero, and no event. */
static void what_does_not_cross_is_no_event(void **state) {
    (void)state;
    uint64_t seed = 4;
    static const char *const event[] = {"(t - a)^2 + d^2", "1/cos(d) - (y*cos(a) + x*sin(a))"};
    for (int trial = 0; trial < 40; trial++)
        for (int e = 0; e < 2; e++) {
            struct turning c;
            turning_open(&c, event[e], 0.01 + 5 * random_unit(&seed), 0.5e-5);
            assert_events(&c, (keel_options){.method = "taylor", .rtol = 1e-14}, 6, 0, NULL, 0);
            keel_model_close(c.m);
        }
}

/* A fast function is met by shorter pieces; an odd nonsmooth one by samples. */
static void all_zeros_of_fast_and_nonsmooth_functions_are_found(void **state) {
    (void)state;
    static const double pi = 3.14159265358979323846;
    double at[400];
    struct turning c;
    int count = 0;
    turning_open(&c, "sin(a*t)", 300, 0);
    while (++count * pi / 300 < 4) at[count - 1] = count * pi / 300;
    assert_events(&c, (keel_options){.method = "taylor", .step = 1}, 4, count - 1, at, 1e-12);
    keel_model_close(c.m);
    turning_open(&c, "abs(x) - a", 0.5, 0);
    for (int k = 0; k < 6; k++) at[k] = (k / 2 + (k % 2 ? 5. : 1.) / 6) * pi;
    assert_events(&c, (keel_options){.method = "taylor", .rtol = 1e-12}, 9.2, 6, at, 1e-10);
    keel_model_close(c.m);
}

static const char same_time[] =
    "model m\nvar x, y\nx' = y\ny' = -x\ninit x = 0\ninit y = 1\nevent one: x crossing -> record\n"
    "event two: x*(2 + y) crossing -> record\nevent three: y crossing -> record\nrun 0 .. 8\n";

/* Three events at one time, and others between them; forward, and back again from the end. */
static void events_at_the_same_time_all_fire_both_ways(void **state) {
    (void)state;
    enum { FIRED = 7 }; /* x = 0 at pi, 2 pi; x (2 + y) the same; y = 0 at pi/2 and twice more */
    keel_model *m =
        keel_model_read("test.keel", same_time, strlen(same_time), &(keel_model_options){.interpret = 1});
    double there[20], back[20];
    for (int way = 0; way < 2; way++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-12});
        keel_event_record h;
        double *t = way ? back : there;
        run_to(s, way ? -8 : 8);
        assert_int_equal(event_records(s), FIRED);
        for (int k = 0; k < FIRED; k++) {
            assert_true(keel_sim_event(s, k, &h));
            t[k] = h.t;
            assert_true(k == 0 || fabs(t[k]) >= fabs(t[k - 1]));
        }
        keel_sim_close(s);
    }
    for (int k = 0; k < FIRED; k++) assert_near(there[k], -back[k], 1e-11);
    keel_model_close(m);
}

/* A run that is looked into and saved at each event goes on with the same bits. */
static void saved_runs_find_the_same_events(void **state) {
    (void)state;
    static unsigned char bytes[1 << 16];
    struct turning c;
    turning_open(&c, "sin(7*t + x)*(x - 0.3)", 0, 0);
    keel_options o = {.method = "taylor", .rtol = 1e-10};
    keel_solver *s = keel_open(&c.problem, &o), *other = keel_open(&c.problem, &o);
    keel_status status = KEEL_EVENT;
    while (status == KEEL_EVENT) {
        double u[2];
        status = keel_run(s, 8);
        assert_int_equal(keel_run(other, 8), status);
        assert_true(keel_time(s) == keel_time(other));
        assert_memory_equal(keel_state(s), keel_state(other), 2 * sizeof(double));
        keel_eval(other, keel_time(other) - 1e-3, u);
        size_t size = keel_save(other, bytes, sizeof bytes);
        assert_true(size <= sizeof bytes);
        keel_close(other);
        other = keel_load(&c.problem, &o, bytes, size);
    }
    assert_int_equal(status, KEEL_OK);
    assert_true(keel_statistics(s).events > 15);
    assert_int_equal(keel_statistics(s).events, keel_statistics(other).events);
    keel_close(s);
    keel_close(other);
    keel_model_close(c.m);
}

/* y follows from an equation, and has a series like x. */
static void events_of_algebraic_variables_are_found(void **state) {
    (void)state;
    static const char text[] =
        "model m\nvar x, y, z\nx' = cos(z)\nz' = 1\ny + y^3/3 + x = 0.2\n"
        "event hit: y crossing -> record\nevent near: (y + 0.1)^2 - 1e-10 crossing -> record\n"
        "init x = 0\ninit z = 0\nrun 0 .. 3\n";
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-13});
    run_to(s, 3);
    assert_string_equal(story(s), "hit near near near near hit");
    keel_event_record h;
    assert_true(keel_sim_event(s, 0, &h));
    assert_near(h.t, asin(0.2), 1e-11);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Free flight is a polynomial and takes few steps; where it begins, the string is slack to third order. */
static void a_string_goes_slack_and_catches(void **state) {
    (void)state;
    keel_model *m = model_example("slack_rod");
    for (double rtol = 1e-4; rtol > 1e-13; rtol /= 100) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = rtol});
        run_to(s, 2);
        assert_string_equal(story(s), "slack catch");
        assert_below(keel_statistics(keel_sim_solver(s)).steps, 200);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

static void what_has_no_room_is_said(void **state) {
    (void)state;
    struct turning c;
    turning_open(&c, "x", 0, 0);
    own_extras(&c.problem)->event_series.per_order = -1;
    keel_solver *s = keel_open(&c.problem, &(keel_options){.method = "taylor"});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "event_series.per_order = -1: they must be 0 .. "));
    keel_close(s);
    keel_model_close(c.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_inside_are_found_and_no_others),
        cmocka_unit_test(double_roots_are_none_and_close_pairs_two),
        cmocka_unit_test(pairs_anywhere_in_a_step_are_found),
        cmocka_unit_test(crowded_and_very_close_pairs_are_found),
        cmocka_unit_test(what_does_not_cross_is_no_event),
        cmocka_unit_test(events_at_the_same_time_all_fire_both_ways),
        cmocka_unit_test(saved_runs_find_the_same_events),
        cmocka_unit_test(events_of_algebraic_variables_are_found),
        cmocka_unit_test(a_string_goes_slack_and_catches),
        cmocka_unit_test(what_has_no_room_is_said),
        cmocka_unit_test(all_zeros_of_fast_and_nonsmooth_functions_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
