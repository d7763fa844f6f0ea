/* test_bounces.c - a ball that bounces: fifty times on time, and without end where bounces accumulate. */
#include "testing.h"

static int fall(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[1];
    out[1] = -9.81;
    return 0;
}

static int height(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = x[0];
    return 0;
}

/* Dropped from height 1; each bounce keeps 0.9 of the speed: t_k = t_1 (1 + 2 (r + ... + r^(k-1))). */
static void a_ball_bounces_fifty_times(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step;
    } way[] = {{"dop853", 0}, {"dopri5", 0}, {"rk4", 0.01}, {"ab4", 1e-3}};
    for (int m = 0; m < 4; m++) {
        static const double u0[] = {1, 0};
        static const int down[] = {-1};
        const keel_problem ball = {.form = KEEL_ODE,
                                   .name = "ball",
                                   .n = 2,
                                   .u0 = u0,
                                   .f = {.count = 2, .value = fall},
                                   .event = {.count = 1, .value = height},
                                   .event_direction = down};
        keel_options o = {.method = way[m].method, .step = way[m].step, .rtol = 1e-10};
        keel_solver *s = keel_open(&ball, &o);
        double when = sqrt(2 / 9.81), flight = 2 * when, speed = 9.81 * when;
        for (int k = 0; k < 50; k++) {
            assert_int_equal(keel_run(s, keel_time(s) + 1), KEEL_EVENT);
            assert_below(fabs(keel_time(s) - when), 1e-11);
            assert_below(fabs(keel_state(s)[1] + speed), 1e-11);
            flight *= 0.9;
            speed *= 0.9;
            when += flight;
            const double up[] = {0, -0.9 * keel_state(s)[1]};
            assert_ok(s, keel_restart(s, keel_time(s), up));
        }
        keel_close(s);
    }
}

/* A ball that comes to rest by bouncing: each flight is `share` of the one before, until no time passes. */
static void an_accumulation_of_events_ends_where_it_is(void **state) {
    (void)state;
    static const double share[] = {0.05, 0.5, 0.8, 0.96}, u0[] = {1, 0};
    static const int down[] = {-1};
    static const char *const names[] = {"floor"};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = u0, .event_direction = down};
    p.f = (keel_map){.count = 2, .value = fall};
    p.event = (keel_map){.count = 1, .value = height, .names = names};
    for (int k = 0; k < 8; k++) {
        double e = share[k % 4], end = sqrt(2 / 9.81) * (1 + e) / (1 - e);
        keel_solver *s = keel_open(&p, NULL);
        keel_status status;
        while ((status = keel_run(s, 100)) == KEEL_EVENT) {
            double u[2] = {keel_state(s)[0], -e * keel_state(s)[1]};
            assert_ok(s, k < 4 ? keel_restart(s, keel_time(s), u) : keel_switch(s, &p, u));
        }
        assert_int_equal(status, KEEL_REST);
        assert_below(fabs(keel_time(s) - end), 1e-5);
        double rest;
        assert_int_equal(sscanf(keel_message(s), "it comes to rest at t = %lf: `floor`", &rest), 1);
        assert_below(fabs(rest - end), 1e-8);
        assert_below(fabs(keel_rest_time(s) - end), 1e-10 * end);
        assert_int_equal(keel_run(s, 100), KEEL_REST); /* and stays there */
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_fifty_times),
        cmocka_unit_test(an_accumulation_of_events_ends_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
