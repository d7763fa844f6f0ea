/* test_roundoff.c - what is kept stays at round-off for a million steps, without a trend, and the accuracy
 * asked for is met beside it: on orbits, a spinning body, at rest, and on mechanisms with
 * constraints.  Also the clock of fixed steps. */
#include "testing.h"

#include <float.h>

#include "jacobi.h"

enum { ROWS = 16, BLOCKS = 100 };
#ifdef __SANITIZE_ADDRESS__
static const long million = 10000;
static const double shorter = 0.02; /* of the spans of the mechanisms */
static const double flat = 1;       /* means of few steps are noisy */
#else
static const long million = 1000000;
static const double shorter = 1;
static const double flat = 0.1;
#endif

/* Residuals in units, step by step: the largest, and means over blocks of the run. */
struct history {
    int rows;
    double worst[ROWS], mean[ROWS][BLOCKS];
    long count[BLOCKS];
};

static void remember(struct history *h, const keel_solver *s, double share) {
    int block = (int)fmin(BLOCKS * share, BLOCKS - 1);
    keel_row row;
    h->count[block]++;
    for (int i = 0; i < ROWS && keel_row_at(s, i, &row); i++) {
        double units = row.last == 0 ? 0 : row.last / row.unit;
        h->rows = i + 1;
        h->worst[i] = fmax(h->worst[i], isfinite(units) ? fabs(units) : HUGE_VAL);
        h->mean[i][block] += (units - h->mean[i][block]) / (double)h->count[block];
    }
}

/* The certificate says what the invariants themselves say. */
static void assert_certificate(const problem *p, const keel_solver *s) {
    const keel_map *maps[] = {&p->keel.energy, &p->keel.invariant};
    int at = 2 * p->keel.constraint.count;
    for (int m = 0; m < 2; m++) {
        double value[ROWS];
        if (maps[m]->count) maps[m]->value(keel_time(s), keel_state(s), value, p->keel.user);
        for (int i = 0; i < maps[m]->count; i++) {
            keel_row row;
            assert_true(keel_row_at(s, at++, &row));
            assert_below(fabs(value[i] - row.start - row.last), 0.01 * row.unit);
        }
    }
}

/* `steps` steps, or, if that is 0, all steps to t_end. */
static void follow(const problem *p, keel_solver *s, double t_end, long steps, struct history *h) {
    *h = (struct history){0};
    for (long k = 1; steps ? k <= steps : keel_time(s) < t_end; k++) {
        assert_ok(s, keel_step(s, t_end));
        remember(h, s, steps ? (double)(k - 1) / (double)steps : keel_time(s) / t_end);
        if (k % 97 == 0) assert_certificate(p, s);
    }
}

/* Every row within `units` at all steps, and in the certificate too. */
static void assert_within_units(const keel_solver *s, const struct history *h, double units) {
    keel_row row;
    assert_true(h->rows > 0);
    for (int i = 0; i < h->rows; i++) {
        assert_true(keel_row_at(s, i, &row));
        assert_int_equal(row.treatment, KEEL_ROW_KEPT);
        assert_below(h->worst[i], units);
        assert_below(row.units, units);
    }
}

/* ... and no trend of a tenth of a unit over the run. */
static void assert_kept(const keel_solver *s, const struct history *h, double units) {
    assert_within_units(s, h, units);
    for (int i = 0; i < h->rows; i++) assert_below(fabs(trend(h->mean[i], BLOCKS)), flat);
}

static void million_steps(const problem *p, keel_options o) {
    struct history h;
    o.method = pair_of(o.method, "project");
    keel_solver *s = keel_open(&p->keel, &o);
    follow(p, s, 1e9, million, &h);
    assert_kept(s, &h, 8);
    keel_close(s);
}

static void kepler_keeps_energy_and_momentum(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    million_steps(&p, (keel_options){.rtol = 1e-6});
    million_steps(&p, (keel_options){.rtol = 1e-11});
}

static void triaxial_body_keeps_casimir_and_energy(void **state) {
    (void)state;
    problem p;
    problem_rigid_body(&p, 2, 1, 2. / 3);
    million_steps(&p, (keel_options){.rtol = 1e-6});
    million_steps(&p, (keel_options){.rtol = 1e-11});
}

/* On a circle the gradients of energy and momentum are parallel. */
static void circular_orbits_keep_dependent_invariants(void **state) {
    (void)state;
    static const double eccentricity[] = {0, 1e-8, 1e-6};
    for (int i = 0; i < 3; i++) {
        problem p;
        problem_kepler(&p, eccentricity[i], 1);
        million_steps(&p, (keel_options){.rtol = 1e-6});
    }
}

/* At the bottom the gradient of the energy is that of the constraint. */
static void pendulum_at_rest_stays_at_rest(void **state) {
    (void)state;
    problem p;
    problem_pendulum_at_rest(&p, 9.81);
    keel_options o = {.rtol = 1e-8, .max_step = 0.05};
    million_steps(&p, o);
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 1000));
    assert_true(error_to_exact(&p, s) == 0);
    keel_close(s);
}

/* Started at the bottom with velocity v: sin(angle / 2) = k sn(w t | k^2), angular velocity 2 k w cn. */
static int exact_from_bottom(const problem *p, double t, double *u) {
    long double w = sqrtl(p->parameter[0]), k = p->u0[2] / (2 * w);
    double sn, cn, dn;
    problem_jacobi(w * t, k * k, &sn, &cn, &dn);
    double half = (double)k * sn, spin = (double)(2 * k * w) * cn;
    u[0] = 2 * half * dn;
    u[1] = 2 * half * half - 1;
    u[2] = -spin * u[1];
    u[3] = spin * u[0];
    return 0;
}

static void problem_near_rest(problem *p, double velocity) {
    problem_pendulum_at_rest(p, 9.81);
    long double k = velocity / (2 * sqrtl(9.81L));
    p->u0[2] = velocity;
    p->exact = exact_from_bottom;
    p->t_end = (double)(4 * problem_ellipk(k * k) / sqrtl(9.81L));
}

/* With v = 1e-6 a unit of energy is a hundredth of what moves: there it may wander within the units. */
static void pendulum_near_rest_keeps_its_energy(void **state) {
    (void)state;
    static const double velocity[] = {1e-8, 1e-6, 1e-4, 1e-2}, rtol[] = {1e-4, 1e-7, 1e-10};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            problem p;
            struct history h;
            problem_near_rest(&p, velocity[i]);
            keel_options o = {.rtol = rtol[k]};
            keel_solver *s = keel_open(&p.keel, &o);
            follow(&p, s, 1e9, million / 20, &h);
            if (velocity[i] < 1e-5) assert_within_units(s, &h, 8);
            else assert_kept(s, &h, 8);
            keel_close(s);
        }
}

/* The error after one period, over rtol. */
static double error_of_a_period(const problem *p, double rtol) {
    keel_options o = {.rtol = rtol, .method = "+project"};
    double returns = 0, u[PROBLEM_UNKNOWNS];
    p->exact(p, p->t_end, u);
    for (int i = 0; i < p->keel.n; i++) returns = fmax(returns, fabs(u[i] - p->u0[i]));
    assert_below(returns, 4e-15); /* it is the period */
    keel_solver *s = keel_open(&p->keel, &o);
    assert_ok(s, keel_run(s, p->t_end));
    double error = error_to_exact(p, s);
    keel_close(s);
    return error / rtol;
}

static void tolerances_are_met_over_a_period(void **state) {
    (void)state;
    for (int digits = 4; digits <= 12; digits++) {
        static const double eccentricity[] = {0.6, 0, 1e-8, 1e-6};
        double rtol = pow(10, -digits);
        problem p;
        for (int i = 0; i < 4; i++) {
            /* near the circle momentum hardly says more than the energy does: a step that brings it back from
             * 4 round-offs changes the eccentricity by 4 eps / e, until the row is left out */
            double e = eccentricity[i], moved = e > sqrt(DBL_EPSILON) ? 4 * DBL_EPSILON / e : 0;
            problem_kepler(&p, e, 1);
            assert_below(error_of_a_period(&p, rtol), 10 + moved / rtol);
        }
        problem_rigid_body(&p, 2, 1, 2. / 3);
        long double a1 = p.parameter[3], a2 = p.parameter[4], a3 = p.parameter[5], c = cosl(1.1L),
                    b = sinl(1.1L);
        p.t_end = (double)(4 * problem_ellipk(c * c * a3 / (b * b * a1)) / (b * sqrtl(fabsl(a1 * a2))));
        assert_below(error_of_a_period(&p, rtol), 10);
        problem_pendulum_at_rest(&p, 9.81);
        p.t_end = 2;
        assert_below(error_of_a_period(&p, rtol), 0);
        problem_near_rest(&p, 0.1);
        assert_below(error_of_a_period(&p, rtol), 1); /* a tenth of the size, ten times the tolerance */
    }
}

/* All steps to t_end with the default options. */
static void runs_to(problem *p, double t_end, double rtol) {
    struct history h;
    keel_options o = {.rtol = rtol};
    keel_solver *s = keel_open(&p->keel, &o);
    follow(p, s, t_end * shorter, 0, &h);
    assert_true(keel_time(s) == t_end * shorter);
    assert_kept(s, &h, 16);
    keel_close(s);
}

static void pendulums_keep_rod_and_energy(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    runs_to(&p, 1000, 1e-6);
    runs_to(&p, 1000, 1e-10);
    problem_spherical_pendulum(&p);
    runs_to(&p, 1000, 1e-6);
    runs_to(&p, 1000, 1e-10);
}

static void closed_chains_keep_rods_and_energy(void **state) {
    (void)state;
    problem p;
    problem_four_bar(&p);
    runs_to(&p, 60, 1e-8);
    runs_to(&p, 60, 1e-11);
    problem_five_link(&p);
    runs_to(&p, 60, 1e-8);
    runs_to(&p, 60, 1e-11);
}

/* Without a stabilizer the same measures see a drift and a trend: they can fail. */
static void the_measures_see_a_drift(void **state) {
    (void)state;
    problem p;
    struct history h;
    problem_kepler(&p, 0.6, 1);
    keel_options o = {.rtol = 1e-8, .method = "+watch"};
    keel_solver *s = keel_open(&p.keel, &o);
    follow(&p, s, 1e9, 10000, &h);
    assert_true(h.worst[0] > 1000);
    assert_true(fabs(trend(h.mean[0], BLOCKS)) > 1000);
    keel_close(s);
}

struct clock {
    problem p;
    double t0, h;
    long steps, off;
};

static void read_clock(keel_solver *s, void *user) {
    struct clock *c = (struct clock *)((char *)user - offsetof(struct clock, p.parameter));
    c->steps++;
    if (keel_time(s) != c->t0 + (double)c->steps * c->h) c->off++;
}

static void fixed_steps_count_time(void **state) {
    (void)state;
    struct clock c = {.t0 = 0.1, .h = 1. / 300};
    problem_kepler(&c.p, 0.6, 1);
    c.p.keel.t0 = c.t0;
    keel_options o = {.method = "rk4", .step = c.h, .observe = read_clock};
    keel_solver *s = keel_open(&c.p.keel, &o);
    double end = c.t0 + 100000 * c.h;
    assert_ok(s, keel_run(s, end));
    assert_int_equal(c.steps, 100000);
    assert_int_equal(c.off, 0);
    assert_true(keel_time(s) == end);
    keel_close(s);
}

/* 0.1 and 0.7 are not multiples of each other in binary; a sum of seven 0.1 misses 0.7. */
static void an_end_within_round_off_of_the_grid_is_on_it(void **state) {
    (void)state;
    static const char *const methods[] = {"rk4", "ab4"};
    for (int i = 0; i < 2; i++) {
        problem p;
        problem_kepler(&p, 0.6, 1);
        keel_options o = {.method = methods[i], .step = 0.1};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 0.7));
        assert_true(keel_time(s) == 0.7);
        assert_int_equal(keel_statistics(s).steps, 7);
        assert_ok(s, keel_run(s, nextafter(2.4, 3)));
        assert_true(keel_time(s) == nextafter(2.4, 3));
        assert_int_equal(keel_statistics(s).steps, 24);
        keel_close(s);
    }
}

static void an_end_off_the_grid_takes_no_sliver(void **state) {
    (void)state;
    static const double end[] = {1.001, 1.049, 1.051, 1.099};
    static const long steps[] = {10, 10, 11, 11};
    for (int i = 0; i < 4; i++) {
        problem p;
        double before = 0, last = 0;
        problem_kepler(&p, 0.6, 1);
        keel_options o = {.method = "rk4", .step = 0.1};
        keel_solver *s = keel_open(&p.keel, &o);
        while (keel_time(s) < end[i]) {
            before = keel_time(s);
            assert_ok(s, keel_step(s, end[i]));
            last = keel_time(s) - before;
        }
        assert_true(keel_time(s) == end[i]);
        assert_int_equal(keel_statistics(s).steps, steps[i]);
        assert_within(last, 0.05, 0.15);
        keel_close(s);
    }
}

static void equal_step_methods_refuse_an_end_off_the_grid(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    keel_options o = {.method = "ab4", .step = 0.1};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_int_equal(keel_run(s, 1.03), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "equal steps"));
    assert_ok(s, keel_run(s, 1.1));
    assert_true(keel_time(s) == 1.1);
    keel_close(s);
}

static void forward_and_back_returns(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step, bound;
    } way[] = {{"dop853", 0, 1e-11}, {"rk4", 1e-3, 1e-10}, {"ab4", 1e-3, 1e-8}, {"rkf78", 1e-2, 1e-12}};
    for (int i = 0; i < 4; i++) {
        problem p;
        problem_kepler(&p, 0.6, 1);
        keel_options o = {.method = way[i].method, .step = way[i].step, .rtol = 1e-12};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 5));
        assert_ok(s, keel_run(s, 0));
        assert_true(keel_time(s) == 0);
        assert_below(error_to_exact(&p, s), way[i].bound);
        assert_below(worst_units(s, NULL), 8);
        assert_ok(s, keel_run(s, -2));
        assert_below(error_to_exact(&p, s), way[i].bound);
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_keeps_energy_and_momentum),
        cmocka_unit_test(triaxial_body_keeps_casimir_and_energy),
        cmocka_unit_test(circular_orbits_keep_dependent_invariants),
        cmocka_unit_test(pendulum_at_rest_stays_at_rest),
        cmocka_unit_test(pendulum_near_rest_keeps_its_energy),
        cmocka_unit_test(tolerances_are_met_over_a_period),
        cmocka_unit_test(pendulums_keep_rod_and_energy),
        cmocka_unit_test(closed_chains_keep_rods_and_energy),
        cmocka_unit_test(the_measures_see_a_drift),
        cmocka_unit_test(fixed_steps_count_time),
        cmocka_unit_test(an_end_within_round_off_of_the_grid_is_on_it),
        cmocka_unit_test(an_end_off_the_grid_takes_no_sliver),
        cmocka_unit_test(equal_step_methods_refuse_an_end_off_the_grid),
        cmocka_unit_test(forward_and_back_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
