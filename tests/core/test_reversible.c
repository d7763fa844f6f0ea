/* test_reversible.c - reversible steps: they follow the motion, retrace themselves, let no energy drift. */
#include "orbits.h"

#include <float.h>

#define PERIOD 6.283185307179586

static double away_from(const keel_solver *s, const double *u, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(keel_state(s)[i] - u[i]));
    return worst;
}

static keel_solver *open_orbit(problem *p, double eccentricity, const keel_options *o) {
    problem_kepler_hamiltonian(p, eccentricity);
    keel_solver *s = keel_open(&p->keel, o);
    if (keel_state_of(s) < 0) fail_msg("%s", keel_message(s));
    return s;
}

/* After `orbits` orbits with e = 0.9: the largest energy error, and how far the last state is off. */
static void measure(const keel_options *o, double orbits, double *energy, double *off, double *steps) {
    problem p;
    keel_row row;
    keel_solver *s = open_orbit(&p, 0.9, o);
    assert_ok(s, keel_run(s, orbits * PERIOD));
    assert_true(keel_row_at(s, 0, &row));
    *energy = row.drift;
    *off = away_from(s, p.u0, 4);
    *steps = (double)keel_statistics(s).steps;
    keel_close(s);
}

/* Fixed steps, five times as many, err more: in the energy, and in the state after a period. */
static void five_times_fewer_steps_than_fixed_ones(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step;
    } rows[] = {
        {"verlet", 2e-4}, {"midpoint", 2e-4}, {"gauss4", 2e-3}, {"gauss8", 8e-3}, {"kahan-li8", 4e-3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double energy[2], off[2], steps[2];
        keel_options o = {.method = rows[i].method, .step = rows[i].step, .reversible = 1};
        measure(&o, 1, &energy[0], &off[0], &steps[0]);
        o.reversible = 0;
        o.step = PERIOD / ceil(5 * steps[0]);
        measure(&o, 1, &energy[1], &off[1], &steps[1]);
        print_message("%-10s %5.0f reversible steps: energy %.1e, state %.1e; %6.0f fixed: %.1e, %.1e\n",
                      rows[i].method, steps[0], energy[0], off[0], steps[1], energy[1], off[1]);
        assert_below(off[0], off[1]);
        assert_below(energy[0], energy[1]);
    }
}

/* As long and as eccentric as that, ten blocks: no more error in the last than in the first. */
static void energy_errors_of_an_eccentric_orbit_are_bounded(void **state) {
    (void)state;
    orbit_reversible_energy_stays("verlet", 1e-3, 30);
    orbit_reversible_energy_stays("gauss8", 1e-2, 30);
}

static int is_taken(const keel_problem *p, const keel_options *o) {
    keel_solver *s = keel_open(p, o);
    int good = keel_state_of(s) >= 0;
    keel_close(s);
    return good;
}

/* There, with a stop on the way, and back: beyond the start, too.  Fixed steps show what rounding does. */
static void runs_retrace_themselves(void **state) {
    (void)state;
    const keel_method *method;
    int met = 0;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        double step = method->order > 4 ? 0.05 : 0.01, far[4], back[2];
        keel_options o = {.method = pair_of(method->name, "watch"), .step = step};
        if (!(method->traits & KEEL_SYMMETRIC_STEP)) continue;
        problem_kepler_hamiltonian(&p, 0.6);
        if (!is_taken(&p.keel, &o)) continue;
        met++;
        for (o.reversible = 0; o.reversible < 2; o.reversible++) {
            keel_solver *s = keel_open(&p.keel, &o);
            assert_ok(s, keel_run(s, 3.3));
            memcpy(far, keel_state(s), sizeof far);
            assert_ok(s, keel_run(s, 12.345));
            assert_ok(s, keel_run(s, 3.3));
            if (o.reversible) assert_below(away_from(s, far, 4), 2e-11);
            assert_ok(s, keel_run(s, 0));
            back[o.reversible] = away_from(s, p.u0, 4);
            assert_ok(s, keel_run(s, -2.5));
            assert_ok(s, keel_run(s, 0));
            if (o.reversible) assert_below(away_from(s, p.u0, 4), 2e-11);
            keel_close(s);
        }
        if (back[1] > 10 * back[0] + 1e-12)
            fail_msg("%s: %g away from the start, by fixed steps %g", method->name, back[1], back[0]);
    }
    assert_true(met > 20);
}

/* The way back takes the steps of the way there. */
static void nodes_are_met_again(void **state) {
    (void)state;
    enum { MOST = 200 };
    problem p;
    double t[MOST];
    int count = 0;
    keel_solver *s = open_orbit(&p, 0.9, &(keel_options){.method = "gauss8", .step = 0.01, .reversible = 1});
    while (keel_time(s) < 11 && count < MOST) {
        t[count++] = keel_time(s);
        assert_ok(s, keel_step(s, 11));
    }
    assert_true(count > 20 && count < MOST);
    while (keel_time(s) > 0) {
        assert_ok(s, keel_step(s, 0));
        assert_below(fabs(keel_time(s) - t[--count]), 1e-9);
    }
    assert_int_equal(count, 0);
    keel_close(s);
}

/* From a start that is nothing special to the orbit, back: at once, or after a way there and back again. */
static void the_first_step_belongs_to_both_ways(void **state) {
    (void)state;
    problem p;
    double u0[PROBLEM_UNKNOWNS], at_once[4];
    problem_kepler_hamiltonian(&p, 0.6);
    p.exact(&p, 1, u0);
    p.keel.u0 = u0;
    keel_options o = {.method = "verlet", .step = 0.02, .reversible = 1};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, -3));
    memcpy(at_once, keel_state(s), sizeof at_once);
    keel_close(s);
    s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 2));
    assert_ok(s, keel_run(s, -3));
    assert_below(away_from(s, at_once, 4), 1e-11);
    keel_close(s);
}

static void order_is_that_of_the_method(void **state) {
    (void)state;
    static const char *const methods[] = {"verlet",   "midpoint",   "gauss4",
                                          "yoshida6", "lobatto3a4", "gonzalez4"};
    static const int order[] = {2, 2, 4, 6, 4, 4};
    for (int i = 0; i < 6; i++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            problem p;
            keel_options o = {
                .method = methods[i], .step = (order[i] > 4 ? 0.02 : 0.01) / (1 << k), .reversible = 1};
            keel_solver *s = open_orbit(&p, 0.6, &o);
            assert_ok(s, keel_run(s, 4));
            error[k] = error_to_exact(&p, s);
            keel_close(s);
        }
        for (int k = 0; k < 2; k++)
            if (fabs(log2(error[k] / error[k + 1]) - order[i]) > 0.25)
                fail_msg("%s: errors %g, %g of order %g", methods[i], error[k], error[k + 1],
                         log2(error[k] / error[k + 1]));
    }
}

/* ---- Saved, forked, split, looked into. ---- */

static keel_solver *reload(keel_solver *s, const keel_problem *p, const keel_options *o) {
    size_t size = keel_save(s, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(keel_save(s, bytes, size), size);
    keel_close(s);
    s = keel_load(p, o, bytes, size);
    free(bytes);
    assert_int_equal(keel_state_of(s), KEEL_OK);
    return s;
}

static void bits_do_not_depend_on_the_way(void **state) {
    (void)state;
    static const char *const methods[] = {"verlet", "gauss6", "gonzalez", "yoshida4"};
    for (int i = 0; i < 4; i++) {
        problem p;
        double there[4], u[4];
        keel_options o = {.method = methods[i], .step = 0.01, .reversible = 1};
        keel_solver *s = open_orbit(&p, 0.7, &o), *other;
        assert_ok(s, keel_run(s, 2));
        assert_ok(s, keel_run(s, 9));
        memcpy(there, keel_state(s), sizeof there);
        keel_close(s);
        s = open_orbit(&p, 0.7, &o);
        assert_ok(s, keel_run(s, 2)); /* inside of an interval */
        s = reload(s, &p.keel, &o);
        while (keel_time(s) < 7) {
            assert_ok(s, keel_step(s, 9));
            assert_ok(s, keel_eval(s, keel_time(s) - 1e-4, u));
        }
        other = keel_fork(s);
        assert_ok(s, keel_run(s, 9));
        assert_memory_equal(keel_state(s), there, sizeof there);
        assert_ok(other, keel_run(other, 9));
        assert_memory_equal(keel_state(other), there, sizeof there);
        keel_close(s);
        keel_close(other);
    }
}

static int crossing(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    return 0;
}

/* Twice a period, where it should; from there back and on again. */
static void events_are_found_and_turned_at(void **state) {
    (void)state;
    problem p;
    int direction = 0, found = 0;
    problem_kepler_hamiltonian(&p, 0.9);
    p.keel.event = (keel_map){.count = 1, .value = crossing};
    p.keel.event_direction = &direction;
    keel_options o = {.method = "gauss8", .step = 4e-3, .reversible = 1};
    keel_solver *s = keel_open(&p.keel, &o);
    while (keel_run(s, 5 * PERIOD + 1) == KEEL_EVENT) {
        found++;
        assert_below(fabs(keel_time(s) - found * PERIOD / 2), 1e-4);
        assert_below(fabs(keel_state(s)[1]), 1e-12);
    }
    assert_int_equal(found, 10);
    keel_close(s);
    s = keel_open(&p.keel, &o);
    assert_int_equal(keel_run(s, 10), KEEL_EVENT); /* farthest away, inside of a step */
    assert_ok(s, keel_run(s, 1e-3));
    assert_ok(s, keel_run(s, 0));
    assert_below(away_from(s, p.u0, 4), 1e-9);
    keel_close(s);
}

/* ---- The density. ---- */

/* A new start somewhere else takes steps as long as a run that comes there. */
static void restarts_keep_the_measure(void **state) {
    (void)state;
    problem p;
    double before, length = 0;
    keel_solver *s = open_orbit(&p, 0.9, &(keel_options){.method = "gauss8", .step = 2e-3, .reversible = 1});
    while (keel_time(s) < 3) {
        before = keel_time(s);
        assert_ok(s, keel_step(s, 1e9));
        length = keel_time(s) - before;
    }
    assert_true(length > 20 * 2e-3);
    before = keel_time(s);
    assert_ok(s, keel_restart(s, before, NULL));
    assert_ok(s, keel_step(s, 1e9));
    assert_within((keel_time(s) - before) / length, 0.9, 1.1);
    before = keel_time(s);
    assert_ok(s, keel_switch(s, &p.keel, NULL));
    assert_ok(s, keel_step(s, 1e9));
    assert_within((keel_time(s) - before) / length, 0.8, 1.2);
    keel_close(s);
}

static void no_step_is_longer_than_the_longest(void **state) {
    (void)state;
    problem p;
    double longest = 0, most = 0.02;
    keel_options o = {.method = "verlet", .step = 1e-3, .max_step = most, .reversible = 1};
    keel_solver *s = open_orbit(&p, 0.9, &o);
    while (keel_time(s) < PERIOD) {
        double before = keel_time(s);
        assert_ok(s, keel_step(s, 1e9));
        longest = fmax(longest, keel_time(s) - before);
    }
    assert_within(longest, 0.5 * most, 1.01 * most);
    keel_close(s);
}

static int swing(double t, const double *x, double *out, void *user) { /* a pendulum */
    (void)t, (void)user;
    out[0] = x[1];
    out[1] = -sin(x[0]);
    return 0;
}
static int wave(double t, const double *x, double *out, void *user) { /* x' is zero now and then */
    (void)x, (void)user;
    out[0] = cos(t);
    return 0;
}
static int drift(double t, const double *x, double *out, void *user) { /* free, then a wall */
    (void)t, (void)user;
    out[0] = x[1];
    out[1] = x[0] > 0 ? -100 * x[0] * x[0] * x[0] : 0;
    return 0;
}
static int nothing(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    out[0] = out[1] = 0;
    return 0;
}

/* Starts at rest, straight lines, rates that vanish, equilibria; the way back meets the start. */
static void any_motion_has_a_time_scale(void **state) {
    (void)state;
    static const double rest[] = {2, 0}, away[] = {-3, 1}, zero[] = {0, 0};
    const struct {
        keel_fn *f;
        const double *u0;
        int n;
        double end, step;
        long steps; /* at most */
    } rows[] = {{swing, rest, 2, 40, 0.05, 3200},
                {wave, zero, 1, 10, 0.01, 20000},
                {drift, away, 2, 8, 0.02, 8000},
                {nothing, zero, 2, 5, 0.1, 51}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        keel_problem p = {.n = rows[i].n, .u0 = rows[i].u0, .f = {.count = rows[i].n, .value = rows[i].f}};
        keel_solver *s =
            keel_open(&p, &(keel_options){.method = "gauss4", .step = rows[i].step, .reversible = 1});
        assert_ok(s, keel_run(s, rows[i].end));
        assert_below((double)keel_statistics(s).steps, (double)rows[i].steps);
        assert_ok(s, keel_run(s, 0));
        assert_below(away_from(s, rows[i].u0, rows[i].n), 1e-10);
        keel_close(s);
    }
}

static void constraints_and_algebraic_variables_are_no_hindrance(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81); /* from rest */
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rattle4", .step = 0.01, .reversible = 1});
    assert_ok(s, keel_run(s, 5.5));
    assert_below(worst_units(s, NULL), 8);
    assert_ok(s, keel_run(s, p.keel.t0));
    assert_below(away_from(s, p.u0, p.keel.n), 1e-10);
    keel_close(s);
}

/* What keeps rows and retraces steps long and short: a symmetric method, projected symmetrically.  Rows stay
 * within their units at every step, the way back meets the start, and the steps do differ. */
static void symmetric_projection_goes_with_them(void **state) {
    (void)state;
    static const char *const methods[] = {"midpoint", "gauss4", "lobatto3b4"};
    for (int k = 0; k < 3; k++)
        for (int scene = 0; scene < 3; scene++) {
            problem p;
            if (scene == 0) problem_kepler(&p, 0.6, 1.0);
            if (scene == 1) problem_kepler_hamiltonian(&p, 0.6);
            if (scene == 2) problem_pendulum(&p, 1.0);
            keel_options o = {.method = pair_of(methods[k], "symmetric"),
                              .step = scene == 2 ? 0.1 : 0.005,
                              .reversible = 1,
                              .compensated = 1,
                              .keep = scene == 0 ? "momentum" : NULL};
            double end = p.keel.t0 + 17.3, shortest = HUGE_VAL, longest = 0;
            keel_solver *s = keel_open(&p.keel, &o);
            while (keel_time(s) != end) {
                double before = keel_time(s);
                assert_ok(s, keel_step(s, end));
                assert_below(worst_units(s, NULL), 4);
                if (keel_time(s) == end) break;
                shortest = fmin(shortest, keel_time(s) - before);
                longest = fmax(longest, keel_time(s) - before);
            }
            assert_true(longest > 1.4 * shortest);
            assert_ok(s, keel_run(s, p.keel.t0));
            if (away_from(s, p.u0, p.keel.n) > 2e-12)
                fail_msg("%s, %s: %g from the start", methods[k], p.keel.name, away_from(s, p.u0, p.keel.n));
            keel_close(s);
        }
}

/* ---- What ends a run. ---- */

static void expect_end(keel_fn *f, const double *u0, double t0, double step, keel_status status,
                       const char *words) {
    keel_problem p = {.n = 2, .t0 = t0, .u0 = u0, .f = {.count = 2, .value = f}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "midpoint", .step = step, .reversible = 1});
    assert_int_equal(keel_run(s, t0 + 100), status);
    expect_words(s, words);
    keel_close(s);
}

static int half_plane(double t, const double *x, double *out, void *user) {
    if (x[0] < 0) return 1;
    return swing(t, x, out, user);
}

static int no_past(double t, const double *x, double *out, void *user) {
    return t < 0 ? 1 : swing(t, x, out, user);
}

static void ends_are_told(void **state) {
    (void)state;
    static const double u0[] = {2, 0};
    expect_end(swing, u0, 1e12, 1e-9, KEEL_ESTEP, "reversible step of 1e-09|clock|t = 1e+12");
    expect_end(half_plane, u0, 0, 0.07, KEEL_EUSER, "shorter step|reversible, so it cannot be shortened");
    expect_end(no_past, u0, 0, 0.07, KEEL_EUSER, "shorter step at t = -");
    problem p;
    problem_kepler_hamiltonian(&p, 0.9);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "kahan-li8", .step = 0.1, .reversible = 1});
    assert_int_equal(keel_run(s, 100), KEEL_ESTEP);
    assert_non_null(strstr(keel_message(s), "do not follow the motion at t = "));
    assert_non_null(strstr(keel_message(s), "give a shorter step, or options.max_step"));
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_times_fewer_steps_than_fixed_ones),
        cmocka_unit_test(energy_errors_of_an_eccentric_orbit_are_bounded),
        cmocka_unit_test(runs_retrace_themselves),
        cmocka_unit_test(nodes_are_met_again),
        cmocka_unit_test(the_first_step_belongs_to_both_ways),
        cmocka_unit_test(order_is_that_of_the_method),
        cmocka_unit_test(bits_do_not_depend_on_the_way),
        cmocka_unit_test(events_are_found_and_turned_at),
        cmocka_unit_test(restarts_keep_the_measure),
        cmocka_unit_test(no_step_is_longer_than_the_longest),
        cmocka_unit_test(any_motion_has_a_time_scale),
        cmocka_unit_test(constraints_and_algebraic_variables_are_no_hindrance),
        cmocka_unit_test(symmetric_projection_goes_with_them),
        cmocka_unit_test(ends_are_told),
    };
    return cmocka_run_group_tests_name("reversible", tests, NULL, NULL);
}
