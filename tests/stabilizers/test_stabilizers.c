/* test_stabilizers.c - symmetric, coupled and baumgarte: what each is for, beside what the battery asks.
 *
 * symmetric: there and back to round-off, and no trend in what is not kept where a projection has one.
 * coupled: the same answers as other ways, with adaptive steps too.  baumgarte: rows as small as the errors,
 * a certificate that says so, and a gain that is best where it is. */
#include "testing.h"

#include <keel/method.h>

#include <float.h>

/* Opens or fails. */
static keel_solver *opened(const problem *p, const keel_options *o) {
    keel_solver *s = keel_open(&p->keel, o);
    if (!s || keel_state_of(s) != KEEL_OK) fail_msg("%s: %s", p->keel.name, keel_message(s));
    return s;
}

/* How far from the start a run of so many steps there and back ends; *error: its error where it turns. */
static double there_and_back(const problem *p, const char *method, const char *stabilizer, double step,
                             int steps, double *error) {
    keel_options o = {.method = pair_of(method, stabilizer), .step = step, .compensated = 1};
    keel_solver *s = opened(p, &o);
    double away = 0, end = p->keel.t0 + steps * step;
    assert_ok(s, keel_run(s, end));
    *error = error_to_exact(p, s);
    assert_ok(s, keel_run(s, p->keel.t0));
    for (int i = 0; i < p->keel.n; i++) away = fmax(away, fabs(keel_state(s)[i] - p->u0[i]));
    keel_close(s);
    return away;
}

/* With steps whose error is seen, symmetric and coupled retrace them, and project does not. */
static void symmetric_projection_is_reversible(void **state) {
    (void)state;
    static const char *const methods[] = {"midpoint", "trapezoid", "gauss4", "lobatto3b4"};
    for (int k = 0; k < 4; k++)
        for (int scene = 0; scene < 3; scene++) {
            problem p;
            double error, kept;
            if (scene == 0) problem_kepler(&p, 0.3, 1.0);
            if (scene == 1) problem_pendulum(&p, 1.0);
            if (scene == 2) problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
            double step = k < 2 ? 0.05 : 0.2;
            kept = there_and_back(&p, methods[k], "symmetric", step, 100, &error);
            if (kept > 1e-12) fail_msg("%s, %s: %g from the start", p.keel.name, methods[k], kept);
            assert_true(error > 1e-6);
            kept = there_and_back(&p, methods[k], "coupled", step, 100, &error);
            if (kept > 1e-12) fail_msg("%s, %s, coupled: %g", p.keel.name, methods[k], kept);
            if (scene == 0 && k > 0)
                assert_true(there_and_back(&p, methods[k], "project", step, 100, &error) > 1e-9);
        }
}

/* Weights are taken where a run begins and stay.  Where a state happens to be small there, it is not for
 * long: at any place of a swing, in three forms, a run with long steps goes there and back. */
static void any_start_will_do(void **state) {
    (void)state;
    static const double starts[] = {0, 0.4, 0.8, 1.3, 1.854, 2.5};
    static const char *const methods[] = {"trapezoid", "gauss4", "gauss6"};
    for (int form = 0; form < 3; form++)
        for (int at = form == 2 ? 1 : 0; at < 6; at++)
            for (int k = 0; k < 6; k++) {
                problem p;
                double error;
                if (form == 0) problem_pendulum(&p, 1.0);
                if (form == 1) problem_pendulum_ode(&p, 1.0);
                if (form == 2) problem_pendulum_dae(&p, 1.0);
                p.exact(&p, starts[at], p.u0);
                p.keel.t0 = starts[at];
                double back =
                    there_and_back(&p, methods[k / 2], k % 2 ? "coupled" : "symmetric", 0.2, 30, &error);
                if (back > 2e-12)
                    fail_msg("%s from t = %g with %s: %g from the start", p.keel.name, starts[at],
                             methods[k / 2], back);
            }
}

/* What the method keeps by itself mu does not move: it is found without that row. */
static void rows_that_the_method_keeps_are_no_hindrance(void **state) {
    (void)state;
    for (int steps = 128; steps <= 4096; steps *= 2) {
        problem p;
        double error;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        there_and_back(&p, "hmgps", "coupled", 10. / steps, steps, &error);
        if (error > 0.6 / steps) fail_msg("%d steps err by %g", steps, error);
    }
}

/* The largest drift of a row in each half of a run of so many steps. */
static void drift_by_halves(const problem *p, keel_options o, const char *stabilizer, const char *name,
                            int steps, double drift[2]) {
    keel_row row;
    o.method = pair_of(o.method, stabilizer);
    keel_solver *s = opened(p, &o);
    drift[0] = drift[1] = 0;
    for (int k = 0; k < steps; k++) {
        assert_ok(s, keel_step(s, 1e9));
        for (int i = 0; keel_row_at(s, i, &row); i++)
            if (strcmp(row.name, name) == 0)
                drift[2 * k >= steps] = fmax(drift[2 * k >= steps], fabs(row.last));
    }
    keel_close(s);
}

/* One of two rows is kept; the other swings and stays with symmetric, and goes away with project. */
static void symmetric_projection_leaves_no_trend(void **state) {
    (void)state;
    problem orbit, body;
    double with[2], without[2];
    problem_kepler(&orbit, 0.4, 1.0);
    problem_rigid_body(&body, 2.0, 1.0, 2.0 / 3.0);
    const struct {
        const problem *p;
        keel_options o;
        const char *row;
    } runs[] = {
        {&orbit, {.method = "trapezoid", .step = M_PI / 32, .keep = "momentum", .norm = KEEL_UNIT}, "energy"},
        {&orbit, {.method = "midpoint", .step = M_PI / 32, .keep = "energy", .norm = KEEL_UNIT}, "momentum"},
        {&body, {.method = "trapezoid", .step = 0.2, .keep = "casimir"}, "energy"},
    };
    for (int k = 0; k < 3; k++) {
        drift_by_halves(runs[k].p, runs[k].o, "project", runs[k].row, 8000, without);
        drift_by_halves(runs[k].p, runs[k].o, "symmetric", runs[k].row, 8000, with);
        assert_true(without[1] > 1.4 * without[0]);
        assert_true(with[0] < 0.5 * without[1] && with[1] < 1.01 * with[0]);
    }
}

/* Radau with multipliers in its stages and a projection after each step: two ways to one motion, and rows at
 * round-off on both; the same for energy and momentum of an orbit, where nothing is constrained. */
static void coupled_radau_agrees_with_the_projected_one(void **state) {
    (void)state;
    for (int scene = 0; scene < 3; scene++) {
        problem p;
        if (scene == 0) problem_pendulum(&p, 1.0);
        if (scene == 1) problem_kepler(&p, 0.3, 1.0);
        if (scene == 2) problem_car_axis(&p);
        double end = scene == 2 ? 0.5 : 5;
        keel_options o = {.method = "radau+coupled", .rtol = 1e-9};
        keel_solver *s = opened(&p, &o);
        o.method = pair_of(o.method, "project");
        keel_solver *other = opened(&p, &o);
        while (keel_time(s) != end) assert_ok(s, keel_step(s, end));
        assert_below(worst_units(s, NULL), 4);
        assert_ok(other, keel_run(other, end));
        for (int i = 0; i < p.keel.n; i++)
            assert_below(fabs(keel_state(s)[i] - keel_state(other)[i]), 1e-7 * (1 + fabs(keel_state(s)[i])));
        keel_close(s);
        keel_close(other);
    }
}

/* The largest drift of a row of the pendulum with this gain; 0: the default. */
static double damped_drift(double gain, double step, const char *stabilizer) {
    problem p;
    keel_row row;
    double drift = 0;
    problem_pendulum(&p, 1.0);
    keel_options o = {.method = pair_of("rk4", stabilizer), .step = step, .gain = gain};
    keel_solver *s = opened(&p, &o);
    assert_ok(s, keel_run(s, 40));
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        int treatment = strcmp(stabilizer, "baumgarte") == 0 ? KEEL_ROW_DAMPED : KEEL_ROW_WATCHED;
        assert_int_equal(row.treatment, treatment); /* nobody claims round-off */
        assert_true(strcmp(stabilizer, "baumgarte") != 0 || row.units > 50);
        drift = fmax(drift, row.drift);
    }
    keel_close(s);
    return drift;
}

/* Weights are chosen at the start, where the velocities may be a hundredth of what they become. */
static void starts_near_rest_are_as_good_as_others(void **state) {
    (void)state;
    static const char *const methods[] = {"midpoint", "trapezoid", "gauss6", "lobatto3c2", "radau5", "glnr"};
    static const double start[] = {1e-6, 1e-4, 0.01, 0.4};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < sizeof start / sizeof *start; k++)
            for (int steps = 64; steps <= 256; steps *= 2) {
                problem p;
                problem_pendulum(&p, 1);
                p.exact(&p, start[k], p.u0);
                p.keel.t0 = start[k];
                keel_options o = {.method = pair_of(methods[m], "coupled"), .step = 5. / steps};
                keel_solver *s = opened(&p, &o);
                assert_ok(s, keel_run(s, start[k] + 5));
                assert_below(worst_units(s, NULL), 4);
                keel_close(s);
            }
}

/* Twenty times less than without, of the method's order, and no other gain is much better. */
static void the_gain_is_best_where_it_is(void **state) {
    (void)state;
    double own = damped_drift(0, 0.02, "baumgarte"), finer = damped_drift(0, 0.01, "baumgarte");
    double best = own;
    assert_true(own < 0.05 * damped_drift(0, 0.02, "watch"));
    assert_within(own / finer, 12, 40);
    for (double gain = 0.05; gain < 200; gain *= 2) best = fmin(best, damped_drift(gain, 0.02, "baumgarte"));
    assert_true(own < 4 * best);
    assert_true(damped_drift(1 / 0.02, 0.02, "baumgarte") > 10 * own);
}

/* Backward in time the term has the other sign: with the same one what is off would grow like exp(gain t). */
static void dampers_work_in_both_directions(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_kepler(&p, 0.3, 1.0);
    keel_options o = {.method = "rk4+baumgarte", .step = 0.05};
    keel_solver *s = opened(&p, &o);
    assert_ok(s, keel_run(s, 50));
    assert_ok(s, keel_run(s, -50));
    for (int i = 0; keel_row_at(s, i, &row); i++) assert_below(row.drift, 1e-4);
    keel_close(s);
}

/* Events and values between the steps are those of the steps, with rows at round-off. */
static int level(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    return 0;
}

static void looks_and_events_meet_the_steps(void **state) {
    (void)state;
    static const struct {
        const char *method;
        const char *stabilizer;
        double step;
    } runs[] = {{"midpoint", "symmetric", 0.02},
                {"gauss6", "symmetric", 0.1},
                {"gauss6", "coupled", 0.1},
                {"radau", "coupled", 0},
                {"rk4", "baumgarte", 0.02}};
    for (int k = 0; k < 5; k++) {
        problem p;
        double before[PROBLEM_UNKNOWNS], inside[PROBLEM_UNKNOWNS];
        problem_kepler(&p, 0.3, 1.0);
        p.keel.event = (keel_map){.count = 1, .value = level};
        keel_options o = {.method = pair_of(runs[k].method, runs[k].stabilizer), .step = runs[k].step};
        keel_solver *s = opened(&p, &o), *quiet = opened(&p, &o);
        assert_int_equal(keel_run(s, 20), KEEL_EVENT);
        assert_within(fabs(keel_time(s) - M_PI), 0, 2e-2);
        assert_below(fabs(keel_state(s)[1]), 1e-12);
        assert_ok(quiet, keel_step(quiet, 20));
        assert_ok(quiet, keel_step(quiet, 20));
        memcpy(before, keel_state(quiet), sizeof(double) * 4);
        assert_ok(quiet, keel_eval(quiet, keel_time(quiet) * (1 - 1e-9), inside));
        for (int i = 0; i < 4; i++) assert_below(fabs(inside[i] - before[i]), 1e-8);
        keel_close(s);
        keel_close(quiet);
    }
}

static void refused(const char *method, const char *stabilizer, double step, double gain, const char *why) {
    problem p;
    problem_kepler_hamiltonian(&p, 0.2);
    keel_options o = {.method = pair_of(method, stabilizer), .step = step, .gain = gain};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), why)) fail_msg("%s: %s", method, keel_message(s));
    keel_close(s);
}

/* Is the problem of `refused` one for this method at all? */
static int takes_the_orbit(const char *method) {
    problem p;
    problem_kepler_hamiltonian(&p, 0.2);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = pair_of(method, "watch"), .step = 0.1});
    int taken = keel_state_of(s) == KEEL_OK;
    keel_close(s);
    return taken;
}

static void pairs_without_sense_are_refused_with_the_reason(void **state) {
    (void)state;
    refused("rk4", "symmetric", 0.1, 0, "needs a symmetric one-step method");
    refused("ab4", "symmetric", 0.1, 0, "needs a symmetric one-step method");
    refused("rk4", "coupled", 0.1, 0, "no stages to solve for");
    refused("ab4", "coupled", 0.1, 0, "no stages to solve for");
    refused("verlet", "coupled", 0.1, 0, "no stages to solve for");
    refused("verlet", "baumgarte", 0.1, 0, "other parts of the problem");
    refused("rk4", "project", 0.1, 3, "gain belongs to the stabilizer baumgarte");
    refused("rk4", "baumgarte", 0.1, -3, "gain = -3: it must be finite and not negative");
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        int native = (method->traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)) != 0;
        if (method->traits & KEEL_KEEPS_ENERGY && !native && takes_the_orbit(method->name)) {
            refused(method->name, "coupled", 0.1, 0, "equations of its own");
            refused(method->name, "baumgarte", 0.1, 0, "other parts of the problem");
        }
        if (native) refused(method->name, "symmetric", 0.1, 0, "keeps the constraints by itself");
    }
}

/* A symmetric method with an estimate is nobody's yet: one of one's own. */
static keel_status stand(keel_work *w, keel_attempt *a) {
    memset(a->dx, 0, (size_t)w->width * sizeof(double));
    return KEEL_OK;
}

static void lay_out(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o, (void)w;
}

static void symmetric_needs_fixed_steps(void **state) {
    (void)state;
    static const keel_stepper own = {.info = {.name = "own",
                                              .about = "stands still",
                                              .reference = "none",
                                              .order = 1,
                                              .traits = KEEL_SYMMETRIC_STEP | KEEL_ADAPTIVE},
                                     .error_order = 2,
                                     .layout = lay_out,
                                     .attempt = stand};
    problem p;
    problem_kepler(&p, 0.2, 1.0);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.own_method = &own, .method = "+symmetric"});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "symmetric needs a fixed step"));
    keel_close(s);
}

/* Steps far too long: the run ends with a sentence, at the last good state. */
static void multipliers_that_do_not_settle_are_told(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1.0);
    keel_options o = {.method = "midpoint+symmetric", .step = 1.5};
    keel_solver *s = opened(&p, &o);
    keel_status status = keel_run(s, 150);
    assert_true(status == KEEL_EPROJECT || status == KEEL_ENEWTON);
    assert_non_null(strstr(keel_message(s), "the step is fixed"));
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_projection_is_reversible),
        cmocka_unit_test(any_start_will_do),
        cmocka_unit_test(rows_that_the_method_keeps_are_no_hindrance),
        cmocka_unit_test(symmetric_projection_leaves_no_trend),
        cmocka_unit_test(coupled_radau_agrees_with_the_projected_one),
        cmocka_unit_test(starts_near_rest_are_as_good_as_others),
        cmocka_unit_test(the_gain_is_best_where_it_is),
        cmocka_unit_test(dampers_work_in_both_directions),
        cmocka_unit_test(looks_and_events_meet_the_steps),
        cmocka_unit_test(pairs_without_sense_are_refused_with_the_reason),
        cmocka_unit_test(symmetric_needs_fixed_steps),
        cmocka_unit_test(multipliers_that_do_not_settle_are_told),
    };
    return cmocka_run_group_tests_name("stabilizers", tests, NULL, NULL);
}
