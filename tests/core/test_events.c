/* test_events.c - crossings are found when they happen, in the direction asked for, all of them, and finding
 * them moves no step. */
#include "testing.h"

enum { EVENTS = 4, SEEN = 64 };

/* A point on the unit circle, x = (cos t, sin t), and up to four events on it. */
struct circle {
    keel_problem keel;
    double u0[2];
    int direction[EVENTS];
    unsigned char event_kind[EVENTS];
    int seen, which[SEEN];
    double when[SEEN];
    long steps;
};

static int turn(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -x[1];
    out[1] = x[0];
    return 0;
}

static int radius(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[0] * x[0] + x[1] * x[1];
    return 0;
}

static int ordinate(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[1];
    return 0;
}

/* Steps have no event of their own; events are told apart by keel_event. */
static void note(keel_solver *s, void *user) {
    struct circle *c = user;
    if (keel_event(s) < 0) {
        c->steps++;
        return;
    }
    assert_true(c->seen < SEEN);
    c->which[c->seen] = keel_event(s);
    c->when[c->seen++] = keel_time(s);
}

static void circle(struct circle *c, int events, keel_fn *value) {
    *c = (struct circle){.u0 = {1, 0}};
    c->keel = (keel_problem){.form = KEEL_ODE, .name = "circle", .n = 2, .u0 = c->u0, .user = c};
    c->keel.f = (keel_map){.count = 2, .value = turn};
    c->keel.invariant = (keel_map){.count = 1, .value = radius};
    c->keel.event = (keel_map){.count = events, .value = value};
    c->keel.event_direction = c->direction;
    c->keel.event_kind = c->event_kind;
}

static const double pi = 3.14159265358979323846;

/* The first `count` bottom crossings against the closed form. */
static double worst_crossing(keel_options o, int count) {
    problem p;
    double worst = 0;
    problem_pendulum_bottom(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &o);
    for (int k = 1; k <= count; k++) {
        assert_int_equal(keel_run(s, 100), KEEL_EVENT);
        assert_int_equal(keel_event(s), 0);
        worst = fmax(worst, fabs(keel_time(s) - problem_pendulum_bottom_time(&p, k)));
        assert_below(fabs(keel_state(s)[0]), 1e-13);
    }
    assert_int_equal(keel_statistics(s).events, count);
    keel_close(s);
    return worst;
}

static void pendulum_crosses_the_bottom_on_time(void **state) {
    (void)state;
    assert_below(worst_crossing((keel_options){.method = "dop853", .step = 1. / 256}, 20), 3e-13);
    assert_below(worst_crossing((keel_options){.method = "rkf78", .step = 1. / 128}, 20), 3e-13);
    assert_below(worst_crossing((keel_options){.method = "dop853", .rtol = 1e-12}, 20), 1e-10);
    assert_below(worst_crossing((keel_options){.method = "rkf78", .rtol = 1e-12}, 20), 1e-10);
    assert_below(worst_crossing((keel_options){.method = "dopri5", .rtol = 1e-12}, 20), 1e-9);
    assert_below(worst_crossing((keel_options){.method = "rk4", .step = 1e-3}, 20), 1e-9);
    assert_below(worst_crossing((keel_options){.method = "ab4", .step = 5e-4}, 20), 1e-8);
}

static void directions_choose_crossings(void **state) {
    (void)state;
    static const int direction[] = {0, 1, -1};
    static const double first[] = {1, 2, 1}, period[] = {1, 2, 2}; /* in half turns */
    for (int i = 0; i < 3; i++) {
        struct circle c;
        circle(&c, 1, ordinate);
        c.direction[0] = direction[i];
        keel_options o = {.rtol = 1e-12};
        keel_solver *s = keel_open(&c.keel, &o);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(keel_run(s, 100), KEEL_EVENT);
            assert_below(fabs(keel_time(s) - (first[i] + k * period[i]) * pi), 1e-11);
        }
        keel_close(s);
    }
}

static int levels(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(x[1]) - sin(0.3); /* at +-0.3, +-0.9 and +-0.5 */
    out[1] = fabs(x[1]) - sin(0.9);
    out[2] = fabs(x[1]) - sin(0.5);
    return 0;
}

/* One step holds three events; they fire in the order of the run, whatever their order in the list. */
static void several_events_in_one_step_fire_in_order(void **state) {
    (void)state;
    static const double when[] = {0.3, 0.5, 0.9};
    static const int which[] = {0, 2, 1};
    for (int direction = -1; direction <= 1; direction += 2) {
        struct circle c;
        circle(&c, 3, levels);
        keel_options o = {.method = "dop853", .step = 1};
        keel_solver *s = keel_open(&c.keel, &o);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(keel_run(s, direction), KEEL_EVENT);
            assert_int_equal(keel_event(s), which[k]);
            assert_below(fabs(keel_time(s) - direction * when[k]), 1e-7);
        }
        assert_int_equal(keel_run(s, direction), KEEL_OK);
        assert_int_equal(keel_event(s), -1);
        assert_int_equal(keel_statistics(s).steps, 1);
        keel_close(s);
    }
}

static int together(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[1];
    out[1] = -3 * x[1] * x[0];
    out[2] = x[1] * (2 + x[0]);
    return 0;
}

static void events_at_the_same_time_all_fire(void **state) {
    (void)state;
    for (int event_kind = 0; event_kind < 2; event_kind++) {
        struct circle c;
        int fired[3] = {0};
        circle(&c, 3, together);
        for (int i = 0; i < 3; i++) c.event_kind[i] = (unsigned char)event_kind;
        keel_options o = {.rtol = 1e-9, .observe = note};
        keel_solver *s = keel_open(&c.keel, &o);
        if (event_kind) {
            assert_int_equal(keel_run(s, 4), KEEL_OK);
            for (int k = 0; k < c.seen; k++) {
                if (fabs(c.when[k] - pi) < 1e-6) fired[c.which[k]]++;
            }
        } else {
            for (int k = 0; k < 10 && keel_run(s, 4) == KEEL_EVENT; k++)
                if (fabs(keel_time(s) - pi) < 1e-6) fired[keel_event(s)]++;
        }
        for (int i = 0; i < 3; i++) assert_int_equal(fired[i], 1);
        keel_close(s);
    }
}

static void nonterminal_events_tell_and_go_on(void **state) {
    (void)state;
    struct circle c;
    circle(&c, 1, ordinate);
    c.event_kind[0] = 1;
    keel_options o = {.rtol = 1e-12, .observe = note};
    keel_solver *s = keel_open(&c.keel, &o);
    assert_int_equal(keel_run(s, 20), KEEL_OK);
    assert_true(keel_time(s) == 20);
    assert_int_equal(c.seen, 6);
    for (int k = 0; k < 6; k++) assert_below(fabs(c.when[k] - (k + 1) * pi), 1e-11);
    assert_int_equal(c.steps, keel_statistics(s).steps);
    assert_int_equal(keel_statistics(s).events, 6);
    keel_close(s);
}

/* With long steps the dense output and the method's own step cross at different times: that is still one
 * crossing. */
static void each_crossing_fires_once(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853", "dopri5", "rkf78"};
    for (int m = 0; m < 3; m++)
        for (int digits = 2; digits <= 9; digits++)
            for (int direction = -1; direction <= 1; direction++) {
                struct circle c;
                int count = 0;
                double before = direction == 1 ? 0 : direction ? -pi : 0, gap = direction ? 2 * pi : pi;
                circle(&c, 1, ordinate);
                c.direction[0] = direction;
                keel_options o = {.method = methods[m], .rtol = pow(10, -digits)};
                keel_solver *s = keel_open(&c.keel, &o);
                while (count < 100 && keel_run(s, 100) == KEEL_EVENT) {
                    assert_within(keel_time(s) - before, 0.8 * gap, 1.2 * gap);
                    before = keel_time(s);
                    count++;
                }
                assert_true(keel_time(s) == 100);
                assert_within(count, direction ? 15 : 31, direction ? 16 : 32);
                keel_close(s);
            }
}

static int cap(double t, const double *x, double *out, void *user) {
    (void)t;
    const struct circle *c = user;
    out[0] =
        x[1] - cos(c->u0[1]); /* u0 is (1, 0) in the run; the depth of the cap is kept in u0[1] afterwards */
    return 0;
}

/* x2 rises above the level for 2 depth around pi/2 only: between two samples of a step of 2, for a small
 * depth. */
static void pairs_of_crossings_between_samples_are_seen(void **state) {
    (void)state;
    static const double depth[] = {0.3, 0.1, 0.03, 0.01, 0.001};
    static const double step[] = {0.8, 0.9, 1, 1.1};
    for (int d = 0; d < 5; d++)
        for (int k = 0; k < 4; k++)
            for (int direction = -1; direction <= 1; direction++) {
                struct circle c;
                circle(&c, 1, cap);
                c.direction[0] = direction;
                keel_options o = {.method = "dop853", .step = step[k]};
                keel_solver *s = keel_open(&c.keel, &o);
                c.u0[1] = depth[d];
                int expected = direction == 0 ? 2 : 1, found = 0;
                while (found < 4 && keel_run(s, 3 * step[k]) == KEEL_EVENT) {
                    int later = direction == -1 || (direction == 0 && found == 1);
                    assert_below(fabs(keel_time(s) - (pi / 2 + (later ? 1 : -1) * depth[d])), 0.1 * depth[d]);
                    found++;
                }
                assert_int_equal(found, expected);
                keel_close(s);
            }
}

/* sin(w t): the circle is exact enough for steps of many periods of it. */
static int fast(double t, const double *x, double *out, void *user) {
    (void)x;
    out[0] = sin(((const struct circle *)user)->u0[1] * t);
    return 0;
}

static void functions_faster_than_the_steps_are_followed(void **state) {
    (void)state;
    static const double w[] = {30, 300, 9 * 2 * 3.14159265358979323846, 1000};
    for (int k = 0; k < 4; k++) {
        struct circle c;
        circle(&c, 1, fast);
        c.direction[0] = 1;
        keel_solver *s = keel_open(&c.keel, &(keel_options){.method = "dop853", .step = 1});
        c.u0[1] = w[k];
        int found = 0;
        while (keel_run(s, 5.001) == KEEL_EVENT)
            assert_below(fabs(keel_time(s) - ++found * 2 * pi / w[k]), 1e-10);
        assert_int_equal(found, (int)(5.001 * w[k] / (2 * pi)));
        keel_close(s);
    }
}

/* Started on the event, moving away: it fires when it comes back, not at once. */
static void an_event_at_the_start_does_not_fire(void **state) {
    (void)state;
    for (int backward = 0; backward < 2; backward++) {
        struct circle c;
        circle(&c, 1, ordinate);
        keel_options o = {.rtol = 1e-12};
        keel_solver *s = keel_open(&c.keel, &o);
        assert_int_equal(keel_run(s, backward ? -10 : 10), KEEL_EVENT);
        assert_below(fabs(fabs(keel_time(s)) - pi), 1e-11);
        double t = keel_time(s);
        assert_ok(s, keel_restart(s, t, NULL));
        assert_int_equal(keel_run(s, backward ? -10 : 10), KEEL_EVENT);
        assert_below(fabs(keel_time(s) - 2 * t), 2e-11);
        keel_close(s);
    }
}

/* Directions are along the run: backward in time a fall of x2 is a rise. */
static void events_fire_while_running_backward(void **state) {
    (void)state;
    static const double first[] = {-pi, -2 * pi, -pi}, period[] = {-pi, -2 * pi, -2 * pi};
    static const int direction[] = {0, 1, -1};
    for (int i = 0; i < 3; i++) {
        struct circle c;
        circle(&c, 1, ordinate);
        c.direction[0] = -direction[i];
        keel_options o = {.rtol = 1e-12};
        keel_solver *s = keel_open(&c.keel, &o);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(keel_run(s, -30), KEEL_EVENT);
            assert_below(fabs(keel_time(s) - (first[i] + k * period[i])), 1e-11);
        }
        keel_close(s);
    }
}

/* The end state with and without events that only tell. */
static void events_do_not_move_the_steps(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step;
    } way[] = {{"ab4", 1. / 256}, {"abm6", 1. / 128}, {"rk4", 1. / 128},
               {"rkf78", 0},      {"dop853", 0},      {"dopri5", 0}};
    for (int m = 0; m < 6; m++) {
        double end[3][4];
        long steps[3];
        for (int kind = 0; kind < 3; kind++) { /* none, event_kind, stopping */
            problem p;
            unsigned char event_kind[] = {1};
            problem_pendulum_bottom(&p, 9.81);
            if (kind == 0) p.keel.event = (keel_map){.count = 0};
            if (kind == 1) p.keel.event_kind = event_kind;
            keel_options o = {.method = way[m].method, .step = way[m].step, .rtol = 1e-9};
            keel_solver *s = keel_open(&p.keel, &o);
            keel_status status = KEEL_OK;
            for (int k = 0; k < 10 && (status = keel_run(s, 8)) == KEEL_EVENT; k++) assert_int_equal(kind, 2);
            assert_ok(s, status);
            assert_int_equal(keel_statistics(s).events, kind ? 7 : 0);
            memcpy(end[kind], keel_state(s), sizeof end[kind]);
            steps[kind] = keel_statistics(s).steps;
            keel_close(s);
        }
        assert_memory_equal(end[0], end[1], sizeof end[0]);
        assert_memory_equal(end[0], end[2], sizeof end[0]);
        assert_int_equal(steps[0], steps[1]);
        assert_int_equal(steps[0], steps[2]);
    }
}

/* What is kept holds at the events as it does at the steps. */
static void rows_hold_at_events(void **state) {
    (void)state;
    problem p;
    problem_pendulum_bottom(&p, 9.81);
    keel_options o = {.rtol = 1e-7};
    keel_solver *s = keel_open(&p.keel, &o);
    double unit[3], start[3];
    for (int k = 0; k < 20; k++) {
        assert_int_equal(keel_run(s, 100), KEEL_EVENT);
        const double *u = keel_state(s);
        keel_row row;
        for (int i = 0; i < 3; i++) {
            assert_true(keel_row_at(s, i, &row));
            unit[i] = row.unit;
            start[i] = row.start;
        }
        double energy = 0.5 * (u[2] * u[2] + u[3] * u[3]) + 9.81 * u[1];
        assert_below(fabs(u[0] * u[0] + u[1] * u[1] - 1) / unit[0], 16);
        assert_below(fabs(2 * u[0] * u[2] + 2 * u[1] * u[3]) / unit[1], 16);
        assert_below(fabs(energy - start[2]) / unit[2], 16);
    }
    keel_close(s);
}

/* From an event to an end inside the same step, short of the next event: that one waits for the next call. */
static void an_event_beyond_the_end_waits(void **state) {
    (void)state;
    struct circle c;
    circle(&c, 3, levels);
    keel_options o = {.method = "dop853", .step = 1};
    keel_solver *s = keel_open(&c.keel, &o);
    assert_int_equal(keel_run(s, 1), KEEL_EVENT);
    for (int k = 0; k < 5; k++) {
        double t = 0.31 + 0.04 * k;
        assert_int_equal(keel_run(s, t), KEEL_OK);
        assert_true(keel_time(s) == t);
        assert_int_equal(keel_event(s), -1);
        assert_below(fabs(keel_state(s)[1] - sin(t)), 1e-6);
    }
    assert_int_equal(keel_run(s, 1), KEEL_EVENT);
    assert_below(fabs(keel_time(s) - 0.5), 1e-7);
    assert_int_equal(keel_statistics(s).steps, 1);
    keel_close(s);
}

/* An event function without a clear sign: another one at every call. */
static int restless(double t, const double *u, double *out, void *user) {
    static int calls;
    (void)t, (void)u, (void)user;
    out[0] = ++calls % 2 ? 1 : -1;
    return 0;
}

static void an_event_without_a_clear_sign_ends_the_run_with_a_sentence(void **state) {
    (void)state;
    static const unsigned char event_kind[] = {1};
    static const char *const names[] = {"restless"};
    problem p;
    problem_kepler(&p, 0.3, 1);
    p.keel.event = (keel_map){.count = 1, .value = restless, .names = names};
    p.keel.event_kind = event_kind;
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_run(s, 100), KEEL_ELIMIT);
    assert_non_null(strstr(keel_message(s), "`restless`"));
    assert_non_null(strstr(keel_message(s), "no clear sign"));
    keel_close(s);
}

static int steadily(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    out[0] = 1;
    return 0;
}

static int above_level(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[0] - 0.7;
    return 0;
}

/* The 64th step ends 3e-15 below the level, where the sums of its stages meet it: what is left of the step
 * behind the crossing is too short for samples that differ. */
static void a_crossing_at_the_end_of_a_step_is_one(void **state) {
    (void)state;
    struct circle c = {.u0 = {0.5}, .event_kind = {1}, .direction = {1}};
    c.keel = (keel_problem){.form = KEEL_ODE, .name = "line", .n = 1, .u0 = c.u0, .user = &c};
    c.keel.f = (keel_map){.count = 1, .value = steadily};
    c.keel.event = (keel_map){.count = 1, .value = above_level};
    c.keel.event_direction = c.direction;
    c.keel.event_kind = c.event_kind;
    keel_solver *s = keel_open(&c.keel, &(keel_options){.method = "rk4", .step = 0.003125, .observe = note});
    assert_int_equal(keel_run(s, 1), KEEL_OK);
    assert_int_equal(c.seen, 1);
    assert_true(fabs(c.when[0] - 0.2) < 1e-13);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_crosses_the_bottom_on_time),
        cmocka_unit_test(directions_choose_crossings),
        cmocka_unit_test(several_events_in_one_step_fire_in_order),
        cmocka_unit_test(events_at_the_same_time_all_fire),
        cmocka_unit_test(nonterminal_events_tell_and_go_on),
        cmocka_unit_test(each_crossing_fires_once),
        cmocka_unit_test(pairs_of_crossings_between_samples_are_seen),
        cmocka_unit_test(functions_faster_than_the_steps_are_followed),
        cmocka_unit_test(an_event_at_the_start_does_not_fire),
        cmocka_unit_test(events_fire_while_running_backward),
        cmocka_unit_test(events_do_not_move_the_steps),
        cmocka_unit_test(rows_hold_at_events),
        cmocka_unit_test(an_event_beyond_the_end_waits),
        cmocka_unit_test(an_event_without_a_clear_sign_ends_the_run_with_a_sentence),
        cmocka_unit_test(a_crossing_at_the_end_of_a_step_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
