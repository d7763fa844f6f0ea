/* test_switching.c - models that go back and forth between modes, beside a reference of their own
 * (switching.h); ten thousand switches each are in long_modes.c. */
#include "switching.h"

static void two_dimensional_plasticity(void **unused) {
    (void)unused;
    switching_check(&switching_path, 200);
}

static void a_mass_that_sticks_slips_and_turns(void **unused) {
    (void)unused;
    switching_check(&switching_mass, 200);
}

static void a_mass_in_the_plane_that_grips_and_slips(void **unused) {
    (void)unused;
    switching_check(&switching_plane, 200);
}

/* The same from C: one problem for each mode, and keel_switch where the run stops. ---------------------- */

static int flow(double t, const double *u, double *out, void *user) { /* Q, work, loss; lam */
    const double v[2] = SWITCHING_STRAIN(t);
    (void)user;
    for (int i = 0; i < 2; i++) out[i] = switching_ke * (v[i] - u[4] / switching_Q0 * u[i]);
    out[2] = u[0] * v[0] + u[1] * v[1];
    out[3] = u[4] / switching_Q0 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static int multiplier(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[4];
    return 0;
}

static int surface(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - switching_Q0 * switching_Q0;
    return 0;
}

static int stored(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = (u[0] * u[0] + u[1] * u[1]) / (2 * switching_ke) + u[3] - u[2];
    return 0;
}

static int slide(double t, const double *u, double *out, void *user) { /* x, v, work, loss */
    out[0] = u[1];
    out[1] = switching_shake(t) - u[0] - *(double *)user;
    out[2] = switching_shake(t) * u[1];
    out[3] = *(double *)user * u[1];
    return 0;
}

static int held(double t, const double *u, double *out, void *user) { /* and the friction */
    slide(t, u, out, user);
    out[1] = switching_shake(t) - u[0] - u[4];
    out[3] = u[4] * u[1];
    return 0;
}

static int at_rest(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    return 0;
}

static int beyond(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(u[4]) - 1;
    return 0;
}

static int onwards(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = *(double *)user * u[1];
    return 0;
}

static int account(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = (u[0] * u[0] + u[1] * u[1]) / 2 + u[3] - u[2];
    return 0;
}

/* next: the mode that follows, with its values in u, which has room for y. */
static void check_by_hand(const struct switching *w, const keel_problem *mode,
                          int (*next)(int, double, double *), keel_fn *balance) {
    struct switching_walk at = {0, {0}, 0, NULL};
    keel_solver *s = keel_open(&mode[0], &(keel_options){.rtol = w->rtol, .max_step = 1});
    double first, last, u[5] = {0};
    int now = 0;
    memcpy(at.x, w->start, sizeof at.x);
    assert_int_equal(keel_state_of(s), KEEL_OK);
    assert_int_equal(balance(0, keel_state(s), &first, NULL), 0);
    for (int k = 0; k < 200; k++) {
        assert_true(switching_next(w, &at, HUGE_VAL));
        keel_status status = keel_run(s, at.t + 1e-5);
        if (status != KEEL_EVENT) fail_msg("no switch at t = %.10g: %s", at.t, keel_message(s));
        assert_near(keel_time(s), at.t, w->near);
        assert_below(worst_units(s, NULL), 16);
        memcpy(u, keel_state(s), (size_t)(mode[now].n + mode[now].m) * sizeof *u);
        now = next(now, keel_time(s), u);
        assert_int_equal(now, at.mode);
        assert_ok(s, keel_switch(s, &mode[now], u));
        assert_below(worst_units(s, NULL), 16);
    }
    assert_int_equal(balance(keel_time(s), keel_state(s), &last, NULL), 0);
    assert_near(last, first, w->rtol * keel_state(s)[3]);
    assert_near(keel_state(s)[3], at.x[3], w->near * at.x[3]);
    keel_close(s);
}

static int other_branch(int mode, double t, double *u) {
    (void)t, (void)u;
    return 1 - mode;
}

static void plasticity_from_c(void **unused) {
    (void)unused;
    static const double u0[5] = {0};
    static const int up[] = {1}, down[] = {-1};
    keel_problem mode[2];
    mode[0] = (keel_problem){.form = KEEL_DAE, .n = 4, .m = 1, .u0 = u0, .f = {4, flow}};
    mode[0].invariant = (keel_map){.count = 1, .value = stored};
    mode[1] = mode[0];
    mode[0].algebraic = (keel_map){.count = 1, .value = multiplier};
    mode[0].event = (keel_map){.count = 1, .value = surface};
    mode[0].event_direction = up;
    mode[1].algebraic = (keel_map){.count = 1, .value = surface};
    mode[1].event = (keel_map){.count = 1, .value = multiplier};
    mode[1].event_direction = down;
    check_by_hand(&switching_path, mode, other_branch, stored);
}

static double side;

static int stick_or_turn(int mode, double t, double *u) {
    double pull = switching_shake(t) - u[0];
    side = mode == 1 && fabs(pull) < 1 ? 0 : pull > 0 ? 1 : -1;
    u[4] = pull;
    return side != 0;
}

static void stick_and_slip_from_c(void **unused) {
    (void)unused;
    static const double u0[5] = {0.8};
    static const int up[] = {1}, down[] = {-1};
    keel_problem mode[2] = {{.form = KEEL_DAE, .n = 4, .m = 1, .u0 = u0, .f = {4, held}, .user = &side},
                            {.form = KEEL_ODE, .n = 4, .f = {4, slide}, .user = &side}};
    side = 0;
    mode[0].algebraic = (keel_map){.count = 1, .value = at_rest};
    mode[0].event = (keel_map){.count = 1, .value = beyond};
    mode[0].event_direction = up;
    mode[1].event = (keel_map){.count = 1, .value = onwards};
    mode[1].event_direction = down;
    mode[0].invariant = mode[1].invariant = (keel_map){.count = 1, .value = account};
    check_by_hand(&switching_mass, mode, stick_or_turn, account);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensional_plasticity),
        cmocka_unit_test(a_mass_that_sticks_slips_and_turns),
        cmocka_unit_test(a_mass_in_the_plane_that_grips_and_slips),
        cmocka_unit_test(plasticity_from_c),
        cmocka_unit_test(stick_and_slip_from_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
