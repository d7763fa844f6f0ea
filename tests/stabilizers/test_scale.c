/* test_scale.c - sets of states scaled to what is kept: the examples of the paper behind it, folds, sets.
 *
 * C.-S. Liu, Preserving constraints of differential equations by numerical methods based on integrating
 * factors (2006); Table 2 (example 8) is in test_papers.c, gps and hmgps alone on example 1 in
 * test_lie_papers.c, Kahan's method in test_kahan.c.  MRK4 is rk4+scale, MGPS gps+scale; gps differs from
 * Euler's method by O(h^3) a step.  Steps and spans that the paper does not give are chosen so that the
 * printed orders come out. */
#include "prey.h"
#include "testing.h"

#include <float.h>

static const char *const first_order[] = {"euler", "gps"};

/* A run to `end`: what is left of it. */
struct after {
    double x[8];
    keel_row row[3];
    keel_stats stats;
};

static struct after run(const keel_problem *p, keel_options o, double end) {
    struct after a = {0};
    keel_solver *s = keel_open(p, &o);
    assert_non_null(s);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, end));
    memcpy(a.x, keel_state(s), (size_t)p->n * sizeof *a.x);
    for (int i = 0; i < 3; i++) keel_row_at(s, i, &a.row[i]);
    a.stats = keel_statistics(s);
    keel_close(s);
    return a;
}

static struct after scaled(const keel_problem *p, const char *method, double step, const char *sets,
                           const char *keep, double end) {
    return run(
        p, (keel_options){.method = pair_of(method, "scale"), .step = step, .sets = sets, .keep = keep}, end);
}

static struct after plain(const keel_problem *p, const char *method, double step, double end) {
    return run(p, (keel_options){.method = pair_of(method, "watch"), .step = step}, end);
}

static void truth(const keel_problem *p, double end, double *x) {
    struct after a = run(p, (keel_options){.rtol = 1e-13, .method = "+project"}, end);
    memcpy(x, a.x, sizeof a.x);
}

static double distance(int n, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Example 1: predator and prey.  The origin is outside of the orbit, so a ray from it touches the orbit twice
 * a turn; there the field points along the ray, and a step of first order leaves the ray as it is. */
static void predator_and_prey_keep_their_level(void **state) {
    (void)state;
    static const double step[3] = {0.02, 0.01, 0.0025};
    double x[8], error[3];
    truth(&prey_problem, 50, x);
    for (int k = 0; k < 3; k++) {
        struct after a = scaled(&prey_problem, "rk4", step[k], NULL, NULL, 50);
        assert_below(a.row[0].units, 4);
        assert_int_equal(a.stats.unresolved, 0);
        error[k] = distance(2, a.x, x);
    }
    assert_below(error[0], 1e-6);
    assert_below(error[1], 5e-8);
    assert_below(error[2],
                 1e-10); /* order 4 in all, not from one step to the next: near tangents it is rough */
}

static void tangent_rays_are_passed_and_counted(void **state) {
    (void)state;
    double x[8];
    truth(&prey_problem, 50, x);
    for (int m = 0; m < 2; m++) {
        struct after coarse = scaled(&prey_problem, first_order[m], 0.01, NULL, NULL, 50);
        struct after fine = scaled(&prey_problem, first_order[m], 0.001, NULL, NULL, 50);
        struct after loose = plain(&prey_problem, first_order[m], 0.001, 50);
        assert_within((double)coarse.stats.unresolved, 7, 100); /* of 5000: seven turns */
        assert_within((double)fine.stats.unresolved, 7, 100);
        assert_within(coarse.row[0].drift / fine.row[0].drift, 30, 300); /* O(h^2) */
        assert_below(fine.row[0].drift, 1e-5);
        assert_within(loose.row[0].drift, 1e-2, 3e-2);
        assert_below(distance(2, fine.x, x), 0.15);
    }
}

/* At a fold the state is the point of its ray nearest to the level, where x . grad H = 0; or it is left where
 * the step took it. */
static void a_fold_is_the_point_of_smallest_residual(void **state) {
    (void)state;
    const double h = 0.01;
    keel_options o = {.method = "euler+scale", .step = h};
    keel_solver *s = keel_open(&prey_problem, &o);
    int nearest = 0, left = 0;
    for (int step = 1; step <= 5000; step++) {
        double before[2], f[2], slope[2];
        long folds = keel_statistics(s).unresolved;
        memcpy(before, keel_state(s), sizeof before);
        assert_ok(s, keel_step(s, 50));
        if (keel_statistics(s).unresolved == folds) continue;
        const double *x = keel_state(s);
        prey(0, before, f, NULL);
        prey_gradient(0, x, slope, NULL);
        if (x[0] == before[0] + h * f[0] && x[1] == before[1] + h * f[1]) left++;
        else if (fabs(x[0] * slope[0] + x[1] * slope[1]) < 1e-4 * h) nearest++;
        else fail_msg("step %d: x . grad H = %g", step, x[0] * slope[0] + x[1] * slope[1]);
    }
    assert_true(nearest > 0 && left > 0);
    keel_close(s);
}

/* Saved half way, a run with folds goes on with the same bits. */
static void runs_with_folds_are_saved_and_forked(void **state) {
    (void)state;
    keel_options o = {.method = "euler+scale", .step = 1. / 128};
    keel_solver *whole = keel_open(&prey_problem, &o), *half = keel_open(&prey_problem, &o);
    unsigned char bytes[1 << 14];
    assert_ok(whole, keel_run(whole, 20));
    assert_ok(half, keel_run(half, 9));
    keel_solver *fork = keel_fork(half);
    keel_solver *loaded = keel_load(&prey_problem, &o, bytes, keel_save(half, bytes, sizeof bytes));
    keel_solver *ways[2] = {fork, loaded};
    for (int k = 0; k < 2; k++) {
        assert_ok(ways[k], keel_run(ways[k], 20));
        assert_memory_equal(keel_state(whole), keel_state(ways[k]), 2 * sizeof(double));
        assert_int_equal(keel_statistics(whole).unresolved, keel_statistics(ways[k]).unresolved);
        keel_close(ways[k]);
    }
    assert_true(keel_statistics(whole).unresolved > 0);
    o.sets = "u[0] u[1]"; /* what is the default is not what was saved */
    keel_solver *other = keel_load(&prey_problem, &o, bytes, keel_save(half, bytes, sizeof bytes));
    assert_non_null(strstr(keel_message(other), "another problem, method, options"));
    keel_close(other);
    keel_close(whole);
    keel_close(half);
}

/* Example 2. */
static int around(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -2 * u[1] - u[0] * sin(u[0] * u[1]);
    out[1] = 2 * u[0] + u[1] * sin(u[0] * u[1]);
    return 0;
}

static int around_level(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - cos(u[0] * u[1]);
    return 0;
}

static void a_closed_orbit_about_the_origin_is_kept(void **state) {
    (void)state;
    static const double start[2] = {2, 0};
    const keel_problem p = {.n = 2,
                            .u0 = start,
                            .f = {.count = 2, .value = around},
                            .invariant = {.count = 1, .value = around_level}};
    double x[8];
    truth(&p, 10, x);
    struct after mrk4 = scaled(&p, "rk4", 0.005, NULL, NULL, 10), rk4 = plain(&p, "rk4", 0.005, 10);
    assert_below(mrk4.row[0].drift, 4e-15); /* at 3: the paper's tolerance gives 2e-15 */
    assert_within(rk4.row[0].drift, 8.5e-9, 8.7e-9);
    assert_within(distance(2, mrk4.x, x), 2.2e-8, 2.6e-8);
    assert_within(distance(2, rk4.x, x), 2.6e-8, 3.0e-8);
    for (int m = 0; m < 2; m++) {
        struct after mgps = scaled(&p, first_order[m], 0.005, NULL, NULL, 10);
        assert_below(mgps.row[0].drift, 4e-15);
        assert_int_equal(mgps.stats.unresolved, 0);
        assert_within(distance(2, mgps.x, x), 5e-4, 5e-3);
    }
}

/* Example 3: sliding on dry friction in the plane; |r| = 50, and r alone is scaled. */
static int sliding(double t, const double *u, double *out, void *user) {
    (void)user;
    const double pi = 3.14159265358979323846, m = 22500 / (pi * pi), c = 600 / pi, kd = 50000, k = 10000;
    double push[2] = {500 * cos(4 * pi * t), 500 * sin(4 * pi * t)}, slip = u[4] * u[2] + u[5] * u[3];
    for (int i = 0; i < 2; i++) {
        out[i] = u[2 + i];
        out[2 + i] = (push[i] - k * u[i] - c * u[2 + i] - u[4 + i]) / m;
        out[4 + i] = kd * (u[2 + i] - slip * u[4 + i] / 2500);
    }
    return 0;
}

static int sliding_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[4] * u[4] + u[5] * u[5] - 2500;
    return 0;
}

static void a_constraint_on_some_variables_scales_those(void **state) {
    (void)state;
    static const double start[6] = {0, 0, 0, 0, 50, 0};
    static const char *const names[6] = {"x1", "x2", "y1", "y2", "r[1]", "r[2]"};
    const keel_problem p = {.form = KEEL_DAE,
                            .n = 6,
                            .u0 = start,
                            .names = names,
                            .f = {.count = 6, .value = sliding},
                            .hidden = {.count = 1, .value = sliding_force}};
    struct after mrk4 = scaled(&p, "rk4", 0.001, "r", NULL, 5), rk4 = plain(&p, "rk4", 0.001, 5);
    struct after coarse = plain(&p, "rk4", 0.005, 5), mgps = scaled(&p, "gps", 0.001, "r", NULL, 5);
    double x[8];
    truth(&p, 5, x);
    assert_below(mrk4.row[0].drift, 5e-12); /* the paper: < 1e-12, two last bits of 2500 */
    assert_below(fmax(mrk4.row[0].units, mgps.row[0].units), 4);
    assert_within(rk4.row[0].drift, 4.8e-5, 5e-5);
    assert_within(coarse.row[0].drift, 3.4e-2, 3.6e-2);
    assert_within(distance(2, mrk4.x + 4, x + 4), 1e-8, 2e-8);
    assert_within(distance(2, rk4.x + 4, x + 4), 7e-8, 9e-8);
    assert_within(distance(2, mgps.x + 4, x + 4), 0.1, 1);
    assert_int_equal(mrk4.stats.unresolved + mgps.stats.unresolved, 0);
}

/* Example 5: a particle on a circular track; the track alone is kept, though its d/dt is not. */
static int track(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double speed = u[1] * u[1] + u[3] * u[3];
    out[0] = u[1];
    out[1] = 2 * u[2] - u[0] * speed;
    out[2] = u[3];
    out[3] = -2 * u[0] - u[2] * speed;
    return 0;
}

static int track_rows(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[2] * u[2];
    out[1] = u[0] * u[1] + u[2] * u[3];
    return 0;
}

/* Largest errors of u1, u2 and lambda so far at each of three times. */
static void track_errors(const keel_problem *p, const keel_options *o, const double *times,
                         double error[3][3]) {
    keel_solver *s = keel_open(p, o);
    keel_row row;
    double worst[3] = {0};
    for (int k = 0; k < 3; k++) {
        while (keel_time(s) != times[k]) {
            assert_ok(s, keel_step(s, times[k]));
            const double *x = keel_state(s);
            double t2 = keel_time(s) * keel_time(s);
            worst[0] = fmax(worst[0], fabs(x[0] - sin(t2)));
            worst[1] = fmax(worst[1], fabs(x[2] - cos(t2)));
            worst[2] = fmax(worst[2], fabs(4 * t2 - x[1] * x[1] - x[3] * x[3]));
        }
        memcpy(error[k], worst, sizeof worst);
    }
    assert_true(keel_row_at(s, 0, &row));
    if (stabilized_by(o, "scale")) assert_below(row.units, 4);
    assert_true(keel_row_at(s, 1, &row));
    assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
    keel_close(s);
}

static void errors_on_the_track_are_as_measured(void **state) {
    (void)state;
    static const double start[4] = {0, 0, 1, 0}, times[3] = {1, 2, 5};
    static const char *const names[2] = {"track", "tangent"};
    const keel_problem p = {.n = 4,
                            .u0 = start,
                            .f = {.count = 4, .value = track},
                            .invariant = {.count = 2, .value = track_rows, .names = names}};
    static const double mrk4[3][3] = {
        {5.5e-11, 7.8e-11, 2.4e-10}, {5.1e-9, 5.9e-9, 2.8e-7}, {6.7e-5, 5.2e-5, 2.6e-3}};
    static const double rk4[3][3] = {
        {3.6e-11, 1.7e-10, 1.6e-10}, {4.2e-9, 1.0e-8, 1.5e-7}, {3.6e-6, 3.0e-6, 3.9e-5}};
    static const double mgps[3][3] = {{1.6e-3, 9.3e-4, 1.6e-2}, {3.1e-3, 3.2e-3, 8.1e-2}, {0.97, 0.77, 39}};
    keel_options o = {.method = "rk4+scale", .step = 0.005, .keep = "track", .sets = "u[0] u[2]"};
    double error[3][3];
    track_errors(&p, &o, times, error);
    for (int k = 0; k < 9; k++) assert_within(error[k / 3][k % 3] / mrk4[k / 3][k % 3], 0.95, 1.05);
    o = (keel_options){.method = "rk4+watch", .step = 0.005};
    track_errors(&p, &o, times, error);
    for (int k = 0; k < 9; k++) assert_within(error[k / 3][k % 3] / rk4[k / 3][k % 3], 0.95, 1.05);
    o = (keel_options){.method = "gps+scale", .step = 0.005, .keep = "track", .sets = "u[0] u[2]"};
    track_errors(&p, &o, times, error);
    for (int k = 0; k < 9; k++) assert_within(error[k / 3][k % 3] / mgps[k / 3][k % 3], 0.95, 1.05);
}

/* Example 6: a body with two equal moments of inertia.  One factor for the energy leaves the momentum
 * drifting; two keep both. */
static void one_factor_for_each_invariant_of_a_body(void **state) {
    (void)state;
    problem p;
    problem_rigid_body(&p, 1.5, 1.5, 1);
    p.u0[0] = p.u0[1] = p.u0[2] = 0.5;
    double a = 0.5 * (1 - 1 / 1.5) * 10, exact[3] = {(cos(a) + sin(a)) / 2, (cos(a) - sin(a)) / 2, 0.5};
    static const char sets[] = "y1 y2; y3";
    struct after mrk4 = scaled(&p.keel, "rk4", 0.01, sets, NULL, 10);
    assert_below(mrk4.row[0].units, 4);
    assert_below(mrk4.row[1].units, 4);
    assert_below(distance(3, mrk4.x, exact), 2e-13); /* measured before: 5.9e-14 */
    for (int m = 0; m < 2; m++) {
        struct after both = scaled(&p.keel, first_order[m], 0.01, sets, NULL, 10);
        struct after one = scaled(&p.keel, first_order[m], 0.01, NULL, "energy", 10);
        assert_below(fmax(both.row[0].units, both.row[1].units), 4);
        assert_within(distance(3, both.x, exact), 1e-7, 2e-6);
        assert_below(one.row[1].units, 4);
        assert_within(one.row[0].drift, 3e-5, 4e-4); /* twice the paper's: its C has a half */
    }
}

/* Example 8: with the sets q and p the map of factors folds where r = a, at both ends of the minor axis. */
static void folds_of_an_orbit_are_passed_and_counted(void **state) {
    (void)state;
    const double turn = 2 * 3.14159265358979323846;
    static const char sets[] = "q1 q2; p1 p2";
    problem p;
    problem_kepler(&p, 0.6, 1);
    struct after a = scaled(&p.keel, "midpoint", turn / 200, sets, NULL, 25 * turn);
    assert_within((double)a.stats.unresolved, 1, 50); /* measured before: 6 of 5000, 1.5e-6 */
    assert_within(a.row[0].drift, 1e-7, 1e-5);
    problem_kepler(&p, 0, 1); /* a circle is nothing but folds */
    struct after circle = scaled(&p.keel, "rk4", turn / 200, sets, NULL, 25 * turn);
    struct after held = run(&p.keel, (keel_options){.method = "rk4", .step = turn / 200}, 25 * turn);
    double x[4];
    p.exact(&p, 25 * turn, x);
    assert_within((double)circle.stats.unresolved, 100, 5000);
    assert_below(circle.row[0].drift, 1e-12);
    assert_below(distance(4, circle.x, x), 2 * distance(4, held.x, x));
    problem_kepler_hamiltonian(&p, 0.3); /* q and p are what is scaled by default */
    struct after usual = scaled(&p.keel, "rk4", turn / 100, NULL, NULL, turn);
    struct after named = scaled(&p.keel, "rk4", turn / 100, sets, NULL, turn);
    assert_memory_equal(usual.x, named.x, 4 * sizeof(double));
    assert_below(fmax(usual.row[0].units, usual.row[1].units), 4);
}

/* With error control, and with compensated sums. */
static void adaptive_and_compensated_steps_are_scaled(void **state) {
    (void)state;
    problem p;
    for (int compensated = 0; compensated < 2; compensated++) {
        problem_kepler(&p, 0.2, 1);
        keel_options o = {.rtol = 1e-9, .method = "+scale", .keep = "energy", .compensated = compensated};
        struct after a = run(&p.keel, o, 8);
        double x[4];
        p.exact(&p, 8, x);
        assert_below(a.row[0].units, 4);
        assert_below(distance(4, a.x, x), 1e-7);
    }
}

/* What holds to one unit is left alone: some steps of a rotation get the bits of a run without scaling. */
static int rotation(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static int circle(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    return 0;
}

static void what_holds_is_left_alone(void **state) {
    (void)state;
    static const double start[2] = {1, 0.3};
    const keel_problem p = {.n = 2,
                            .u0 = start,
                            .f = {.count = 2, .value = rotation},
                            .invariant = {.count = 1, .value = circle}};
    struct after a = scaled(&p, "rk4", 0.001, NULL, NULL, 0.006), b = plain(&p, "rk4", 0.001, 0.006);
    assert_within(b.row[0].units, 0.01, 1);
    assert_memory_equal(a.x, b.x, 2 * sizeof(double));
}

/* Sentences ---------------------------------------------------------------------------------------------- */

static void refused(const keel_problem *p, keel_options o, const char *words) {
    o.method = pair_of(o.method, "scale");
    o.step = 0.01;
    keel_solver *s = keel_open(p, &o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), words)) fail_msg("\"%s\" is not in \"%s\"", words, keel_message(s));
    keel_close(s);
}

static void sets_that_do_not_fit_are_refused(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    const keel_problem *k = &p.keel;
    refused(k, (keel_options){.sets = "q1 q3; p1 p2"}, "sets: `q3` is no state and no array of states");
    refused(k, (keel_options){.sets = "q1, q2; q1 p1"}, "sets: `q1` stands in two sets, or twice in one");
    refused(k, (keel_options){.sets = "q1 q2;; p1"}, "sets: `q1 q2;; p1` has a set without a state");
    refused(k, (keel_options){.sets = "q1 q2; p1; p2"}, "there are 3 sets and 2 kept rows; name the sets");
    refused(k, (keel_options){.sets = "q1"}, "there is 1 set and 2 kept rows");
    refused(k, (keel_options){0}, "there is 1 set and 2 kept rows"); /* an ODE has no q and p of its own */
    refused(k, (keel_options){.sets = "q1 p2; q2 p1"}, "all states of the set of `q2` are 0 at t = 0");
    problem_pendulum(&p, 1);
    refused(&p.keel, (keel_options){0}, "there is 1 set and 3 kept rows");
}

/* z goes through 0 at t = 1, and what is kept is then off. */
static int falling(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    out[2] = -1;
    return 0;
}

static void a_set_that_becomes_zero_ends_the_run(void **state) {
    (void)state;
    static const double start[3] = {1, 0, 1};
    const keel_problem p = {
        .n = 3, .u0 = start, .f = {.count = 3, .value = falling}, .invariant = {.count = 1, .value = circle}};
    keel_options o = {.method = "euler+scale", .step = 0.25, .sets = "u[2]"};
    keel_solver *s = keel_open(&p, &o);
    assert_int_equal(keel_run(s, 2), KEEL_EPROJECT);
    assert_non_null(strstr(keel_message(s), "all states of the set of u[2] are 0 at t = 1"));
    assert_true(keel_time(s) == 0.75);
    assert_int_equal(keel_statistics(s).unresolved, 3); /* u[2] is of no use to the circle */
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predator_and_prey_keep_their_level),
        cmocka_unit_test(tangent_rays_are_passed_and_counted),
        cmocka_unit_test(a_fold_is_the_point_of_smallest_residual),
        cmocka_unit_test(runs_with_folds_are_saved_and_forked),
        cmocka_unit_test(a_closed_orbit_about_the_origin_is_kept),
        cmocka_unit_test(a_constraint_on_some_variables_scales_those),
        cmocka_unit_test(errors_on_the_track_are_as_measured),
        cmocka_unit_test(one_factor_for_each_invariant_of_a_body),
        cmocka_unit_test(folds_of_an_orbit_are_passed_and_counted),
        cmocka_unit_test(adaptive_and_compensated_steps_are_scaled),
        cmocka_unit_test(what_holds_is_left_alone),
        cmocka_unit_test(sets_that_do_not_fit_are_refused),
        cmocka_unit_test(a_set_that_becomes_zero_ends_the_run),
    };
    return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
