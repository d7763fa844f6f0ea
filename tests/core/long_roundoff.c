/* long_roundoff.c - what test_roundoff.c checks for a million steps, for a hundred million; what an
 * explicit method does with a stiff system of index 1; RATTLE's energy over ten million steps. */
#include "testing.h"

enum { ROWS = 16, BLOCKS = 100 };
#ifdef __SANITIZE_ADDRESS__
static const long block = 1000;
static const double flat = 1; /* means of few steps are noisy */
#else
static const long block = 1000000;
static const double flat = 0.1;
#endif

/* BLOCKS blocks of `length` steps: every row within `units` at each step, means without a trend of a
 * tenth. */
static void assert_kept(const problem *p, keel_options o, long length, double units) {
    static double mean[ROWS][BLOCKS];
    double worst[ROWS] = {0};
    keel_row row;
    int rows = 0;
    memset(mean, 0, sizeof mean);
    keel_solver *s = keel_open(&p->keel, &o);
    for (int b = 0; b < BLOCKS; b++)
        for (long k = 0; k < length; k++) {
            assert_ok(s, keel_step(s, 1e15));
            for (rows = 0; keel_row_at(s, rows, &row); rows++) {
                double now = row.last == 0 ? 0 : row.last / row.unit;
                worst[rows] = fmax(worst[rows], fabs(now));
                mean[rows][b] += now / (double)length;
            }
        }
    assert_true(rows > 0 && rows <= ROWS);
    for (int i = 0; i < rows; i++) {
        assert_below(worst[i], units);
        assert_below(fabs(trend(mean[i], BLOCKS)), flat);
    }
    keel_close(s);
}

static void orbits_and_bodies_keep_their_invariants(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block, 8);
    problem_rigid_body(&p, 2, 1, 2. / 3);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block, 8);
    problem_kepler(&p, 0, 1);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 10, 8);
    problem_kepler(&p, 1e-6, 1);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 10, 8);
}

static void mechanisms_keep_their_rows(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 10, 16);
    problem_spherical_pendulum(&p);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 10, 16);
    problem_four_bar(&p);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 50, 16);
    problem_five_link(&p);
    assert_kept(&p, (keel_options){.rtol = 1e-6}, block / 50, 16);
}

/* An explicit method takes steps of the fastest time, about 1400 for each unit of time: 57 million to t =
 * 4e4. It gets there; y2 has fallen to 2e-7 by then, and atol leaves it eight digits. */
static void robertson_is_reached_by_many_steps(void **state) {
    (void)state;
    problem p;
    problem_robertson(&p);
    keel_options o = {.rtol = 1e-12, .max_steps = 200000000};
    keel_solver *s = keel_open(&p.keel, &o);
#ifdef __SANITIZE_ADDRESS__
    const int last = 2;
#else
    const int last = 3;
#endif
    for (int i = 0; i < last; i++) {
        double worst = 0;
        assert_ok(s, keel_run(s, p.reference[i].t));
        for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(keel_state(s)[j] / p.reference[i].u[j] - 1));
        assert_below(worst, i < 2 ? 1e-9 : 1e-8);
    }
    assert_below(worst_units(s, NULL), 8);
    keel_close(s);
}

static void rattle_does_not_drift(void **state) {
    (void)state;
    void (*const fill[])(problem *) = {problem_spherical_pendulum, problem_four_bar};
    static const double step[] = {1. / 64, 1. / 256};
    for (int m = 0; m < 2; m++) {
        problem p;
        keel_row row = {0};
        double mean[BLOCKS];
        fill[m](&p);
        keel_options o = {.method = "rattle", .step = step[m]};
        keel_solver *s = keel_open(&p.keel, &o);
        for (int b = 0; b < BLOCKS; b++) {
            mean[b] = 0;
            for (long k = 0; k < block / 10; k++) {
                assert_ok(s, keel_step(s, 1e15));
                assert_true(keel_row_at(s, 2 * p.keel.constraint.count, &row));
                mean[b] += row.last / (double)(block / 10);
            }
        }
        assert_int_equal(row.kind, KEEL_ROW_ENERGY);
        assert_below(fabs(trend(mean, BLOCKS)), 0.1 * flat * row.drift);
        assert_below(row.drift / fabs(row.start), 0.05);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbits_and_bodies_keep_their_invariants),
        cmocka_unit_test(mechanisms_keep_their_rows),
        cmocka_unit_test(robertson_is_reached_by_many_steps),
        cmocka_unit_test(rattle_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
