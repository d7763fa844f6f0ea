/* test_clock.c - time in long runs: the steps of a run add up to what its clock shows, to a part of one
 * tick, wherever the clock stands.  A run that begins at t = 2^27, where the clock ticks in 3e-8, is compared
 * with one that begins at 0. */
#include "testing.h"

#include "methods/splitting_tables.h"

#include <float.h>

#define LATE 0x1p27
#define TICK 0x1p-25

static keel_solver *opened(problem *p, double t0, keel_options o) {
    p->keel.t0 = t0;
    keel_solver *s = keel_open(&p->keel, &o);
    assert_non_null(s);
    assert_ok(s, keel_state_of(s));
    return s;
}

static double apart(const keel_solver *a, const keel_solver *b, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(keel_state(a)[i] - keel_state(b)[i]));
    return worst;
}

static const keel_options relaxed[] = {
    {.method = "rk4+relax", .step = 0.0625, .keep = "energy"},
    {.method = "dopri5+relax", .rtol = 1e-7, .max_step = 0.07, .keep = "energy"},
};

/* No step of these has a length that the clock could show; the same steps are taken, and none of them moves
 * the clock away.  Then a look between the steps, and an end. */
static void relaxed_steps_add_up(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p, q;
        double far = 3000, u[4], v[4], worst = 0;
        problem_kepler(&p, 0.6, 1);
        problem_kepler(&q, 0.6, 1);
        keel_solver *early = opened(&p, 0, relaxed[k]), *late = opened(&q, LATE, relaxed[k]);
        for (int i = 0; i < 5000; i++) {
            assert_ok(early, keel_step(early, far));
            assert_ok(late, keel_step(late, LATE + far));
            worst = fmax(worst, fabs((keel_time(late) - LATE) - keel_time(early)));
        }
        assert_below(worst, 0.5001 * TICK);
        assert_true(keel_time(late) < LATE + far);
        assert_memory_equal(keel_state(early), keel_state(late), 4 * sizeof(double));
        double look = keel_time(late) - 0.0125;
        look = floor(look / TICK) * TICK;
        assert_ok(early, keel_eval(early, look - LATE, u));
        assert_ok(late, keel_eval(late, look, v));
        for (int i = 0; i < 4; i++) assert_below(fabs(u[i] - v[i]), 1e-13);
        double end = floor(keel_time(late)) + 5;
        assert_ok(early, keel_run(early, end - LATE));
        assert_ok(late, keel_run(late, end));
        assert_true(keel_time(late) == end && keel_time(early) == end - LATE);
        assert_below(apart(early, late, 4), 1e-12);
        keel_close(early);
        keel_close(late);
    }
}

/* What the clock does not show is part of the state. */
static void saved_and_forked_runs_have_the_same_clock(void **state) {
    (void)state;
    static unsigned char bytes[1 << 16], equivalents[1 << 16];
    for (int k = 0; k < 2; k++) {
        problem p;
        problem_kepler(&p, 0.6, 1);
        keel_solver *s = opened(&p, LATE, relaxed[k]);
        for (int i = 0; i < 30; i++) {
            for (int step = 0; step < 5; step++) assert_ok(s, keel_step(s, LATE + 3000));
            size_t size = keel_save(s, bytes, sizeof bytes);
            assert_true(size > 0 && size <= sizeof bytes);
            keel_solver *loaded = keel_load(&p.keel, &relaxed[k], bytes, size), *forked = keel_fork(s);
            for (int step = 0; step < 5; step++) {
                assert_ok(s, keel_step(s, LATE + 3000));
                assert_ok(loaded, keel_step(loaded, LATE + 3000));
                assert_ok(forked, keel_step(forked, LATE + 3000));
                assert_true(keel_time(loaded) == keel_time(s) && keel_time(forked) == keel_time(s));
            }
            assert_true(keel_save(s, bytes, sizeof bytes) == size);
            assert_true(keel_save(loaded, equivalents, sizeof equivalents) == size);
            assert_memory_equal(bytes, equivalents, size);
            assert_true(keel_save(forked, equivalents, sizeof equivalents) == size);
            assert_memory_equal(bytes, equivalents, size);
            keel_close(loaded);
            keel_close(forked);
        }
        keel_close(s);
    }
}

/* Ends between the grid points of fixed steps that the clock does not have: the last step is as long as the
 * grid point lies away, not the number that the clock shows there. */
static void ends_off_the_grid_leave_nothing_behind(void **state) {
    (void)state;
    static const keel_options options[] = {{.method = "gauss8", .step = 0.1, .compensated = 1},
                                           {.method = "kahan-li8", .step = 0.1, .compensated = 1}};
    for (int k = 0; k < 2; k++) {
        problem p, q;
        problem_kepler_hamiltonian(&p, 0.1);
        problem_kepler_hamiltonian(&q, 0.1);
        keel_solver *early = opened(&p, 0, options[k]), *late = opened(&q, LATE, options[k]);
        for (int i = 1; i <= 150; i++) {
            double end = i * 0.71875;
            assert_ok(early, keel_run(early, end));
            assert_ok(late, keel_run(late, LATE + end));
        }
        assert_below(apart(early, late, 4), 1e-12);
        keel_close(early);
        keel_close(late);
    }
}

static int turns(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static int passes(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    return 0;
}

/* x'' = -x is stopped at x = 0 and begun anew there with the state it has, again and again: it stays on the
 * phase that the clock shows. */
static void restarts_at_events_leave_nothing_behind(void **state) {
    (void)state;
    static const double start[2] = {0, 1}, turn = 2 * 3.14159265358979323846;
    const keel_problem p = {.n = 2,
                            .t0 = LATE,
                            .u0 = start,
                            .f = {.count = 2, .value = turns},
                            .event = {.count = 1, .value = passes}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "gauss12", .step = 0.1, .compensated = 1});
    for (int k = 1; k <= 200; k++) {
        double u[2];
        assert_int_equal(keel_run(s, LATE + 1e6), KEEL_EVENT);
        memcpy(u, keel_state(s), sizeof u);
        assert_below(fabs(u[0]), 3 * TICK);
        assert_ok(s, keel_restart(s, keel_time(s), u));
        assert_below(fabs(remainder(atan2(u[0], u[1]) - (keel_time(s) - LATE), turn)), 0.01 * TICK);
    }
    keel_close(s);
}

/* Pieces and kicks of a step of any length, summed with ten bits to spare. */
static void pieces_of_a_step_add_up_to_it(void **state) {
    (void)state;
    static const struct composition_weights *const tables[] = {
        &composition_single, &composition_suzuki4, &composition_kahan_li6, &composition_kahan_li8};
    uint64_t seed = 3;
    for (int trial = 0; trial < 4000; trial++) {
        const struct composition_weights *w = tables[trial % 4];
        double piece[COMPOSITION_MOST];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double h = ldexp((double)(seed >> 11), trial % 40 - 60);
        long double sum = 0, kicks = 0;
        for (int i = 0; i < w->count; i++) piece[i] = composition_weight(w, i);
        composition_cut(h, w->count, piece);
        for (int i = 0; i < w->count; i++) {
            sum += piece[i];
            assert_true(piece[i] == piece[w->count - 1 - i]);
            assert_below(fabs(piece[i] / h - composition_weight(w, i)), 12 * DBL_EPSILON);
        }
        for (int i = 0; i <= w->count; i++)
            kicks += 0.5 * ((i > 0 ? piece[i - 1] : 0) + (i < w->count ? piece[i] : 0));
        assert_true(sum == (long double)h && kicks == (long double)h);
    }
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static int slope(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    out[1] = u[1];
    return 0;
}

static int series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t, (void)work, (void)user;
    out[0] = u[0];
    out[1] = u[1];
    for (int k = 1; k <= orders; k++) {
        out[2 * k] = out[2 * k - 1] / k;
        out[2 * k + 1] = -out[2 * k - 2] / k;
    }
    return 0;
}

/* What one step of the s-stage Gauss method turns by: twice the argument of sum_j c_j (ih)^j with the
 * coefficients of the diagonal Pade approximation. */
static long double gauss_angle(int s, double h) {
    long double part[2] = {0, 0}, term = 1;
    for (int j = 0; j <= s; j++) {
        part[j % 2] += j % 4 < 2 ? term : -term;
        term *= (long double)h * (s - j) / ((2 * s - j) * (j + 1.0L));
    }
    return 2 * atan2l(part[1], part[0]);
}

/* x'' = -x in steps that neither the clock nor the weights can show: against the angle that all steps
 * together turn by, the phase errs by a small part of what one round-off of t is.  Pieces that do not add up
 * to their step turn by a round-off too much or too little. */
static void phases_do_not_walk(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int stages; /* of Gauss; 0: what the steps err by is below round-off */
        double h;
        int steps;
    } runs[] = {{"taylor", 0, 0.1, 20000},      {"gauss4", 2, 0.1, 20000},       {"gauss6", 3, 0.1, 20000},
                {"gauss12", 6, 0.1, 20000},     {"kahan-li8", 0, 0.0061, 20000}, {"rattle8", 0, 0.0061, 5000},
                {"midpoint8", 0, 0.0061, 5000}, {"kahan-li6", 0, 0.001, 20000}};
    static const double start[2] = {1, 0};
    static const keel_extras extras = {.series = {series, 0, 0}};
    const keel_problem p = {.form = KEEL_HAMILTONIAN,
                            .n = 2,
                            .u0 = start,
                            .energy = {.count = 1, .value = energy, .jacobian = slope},
                            .extras = &extras};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double h = runs[i].h;
        keel_solver *s = keel_open(
            &p, &(keel_options){.method = pair_of(runs[i].method, "none"), .step = h, .compensated = 1});
        assert_ok(s, keel_run(s, runs[i].steps * h));
        assert_int_equal(keel_statistics(s).steps, runs[i].steps);
        long double t = (long double)h * runs[i].steps, turned = t;
        if (runs[i].stages) turned = runs[i].steps * gauss_angle(runs[i].stages, h);
        const double *x = keel_state(s);
        double phase = (double)fabsl(x[0] * sinl(turned) + x[1] * cosl(turned));
        if (!(phase <= 0.05 * DBL_EPSILON * t))
            fail_msg("%s: the phase is off by %.3g round-offs of t", runs[i].method,
                     phase / (DBL_EPSILON * (double)t));
        assert_below(fabs((double)(keel_time(s) - t)), 0.51 * DBL_EPSILON * (double)t);
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relaxed_steps_add_up),
        cmocka_unit_test(saved_and_forked_runs_have_the_same_clock),
        cmocka_unit_test(ends_off_the_grid_leave_nothing_behind),
        cmocka_unit_test(restarts_at_events_leave_nothing_behind),
        cmocka_unit_test(pieces_of_a_step_add_up_to_it),
        cmocka_unit_test(phases_do_not_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
