/* test_battery_runs.c - runs of every method there and back, restarted, split, forked and loaded; the rows of
 * every problem. */
#include "testing.h"
#include "battery.h"

#include <keel/stabilizer.h>

static void check_return(struct bout *b) {
    set_tolerance(b, 1e-8);
    keel_solver *s = bout_open(b);
    bout_run(b, s, b->end);
    bout_run(b, s, b->p.keel.t0);
    assert_true(keel_time(s) == b->p.keel.t0);
    if (away_from_start(b, s) > 5e-6)
        fail_bout(b, "returns to within %g of the start", away_from_start(b, s));
    if (b->stabilizer->traits & KEEL_TO_ROUND_OFF) assert_below(worst_units(s, NULL), 4);
    keel_close(s);
}

static void adaptive_runs_return_to_the_start_backward_in_time(void **state) {
    (void)state;
    for_all_bouts(KEEL_ADAPTIVE, check_return);
}

/* What a method remembers of the way out is of no use on the way back.  Short steps for implicit Euler, which
 * falls into the centre of an orbit both ways. */
static void check_turning(struct bout *b) {
    int falls = b->method->order == 1 && b->method->traits & KEEL_IMPLICIT;
    int steps = falls ? 4096 : steps_that_err(b);
    b->o.step = scenes[b->scene].span / steps;
    double error = error_with(b, steps);
    keel_solver *s = bout_open(b);
    bout_run(b, s, b->end);
    bout_run(b, s, b->p.keel.t0);
    if (away_from_start(b, s) > 8 * error + 1e-12)
        fail_bout(b, "returns to within %g of the start, and errs by %g on the way", away_from_start(b, s),
                  error);
    keel_close(s);
}

static void fixed_steps_turn_round_without_memory(void **state) {
    (void)state;
    for_all_bouts(0, check_turning);
}

/* Weights and units go on after a restart; without a stabilizer nothing may. */
static void check_restart(struct bout *b) {
    if (b->stabilizer->traits & (ACTS | KEEL_MEASURES)) return;
    double t0 = b->p.keel.t0;
    keel_solver *fresh = bout_open(b), *again = bout_open(b);
    bout_run(b, again, t0 + 40 * 0.01);
    assert_ok(again, keel_restart(again, t0, b->p.u0));
    bout_run(b, fresh, b->end);
    bout_run(b, again, b->end);
    if (memcmp(keel_state(fresh), keel_state(again), (size_t)b->p.keel.n * sizeof(double)) != 0)
        fail_bout(b, "a restarted run gives other bits than a fresh one");
    keel_close(fresh);
    keel_close(again);
}

static void restarts_begin_afresh(void **state) {
    (void)state;
    for_all_bouts(0, check_restart);
    for_all_bouts(KEEL_ADAPTIVE, check_restart);
}

/* State, time and certificate are the same bits. */
static void same_bits(const struct bout *b, const keel_solver *one, const keel_solver *other,
                      const char *what) {
    keel_row row, equivalent;
    size_t bytes = (size_t)(b->p.keel.n + b->p.keel.m) * sizeof(double);
    if (keel_time(one) != keel_time(other) || memcmp(keel_state(one), keel_state(other), bytes) != 0)
        fail_bout(b, "%s gives other bits", what);
    if (!(b->stabilizer->traits & ACTS))
        return; /* other rows are measured from time to time, and at the ends of runs */
    for (int i = 0; keel_row_at(one, i, &row) && keel_row_at(other, i, &equivalent); i++)
        if (row.drift != equivalent.drift || row.units != equivalent.units)
            fail_bout(b, "%s gives another certificate", what);
}

/* The same run in one call, step by step, through a fork half way, and saved and loaded half way. */
static void check_ways_through(struct bout *b) {
    double t0 = b->p.keel.t0, middle = t0 + 32 * b->o.step, end = t0 + 64 * b->o.step;
    int grid = b->o.step > 0 && !(b->stabilizer->traits & KEEL_OFF_GRID);
    if (b->o.step == 0) middle = t0 + 0.3 * scenes[b->scene].span, end = b->end;
    keel_solver *whole = bout_open(b), *steps = bout_open(b), *half = bout_open(b);
    if (grid) {
        bout_run(b, whole, end);
    } else { /* an end of a run ends a step */
        bout_run(b, whole, middle);
        bout_run(b, whole, end);
        while (keel_time(steps) != middle) assert_ok(steps, keel_step(steps, middle));
    }
    for (int k = 1; keel_time(steps) != end; k++) {
        assert_ok(steps, keel_step(steps, end));
        if (grid && keel_time(steps) != t0 + k * b->o.step) fail_bout(b, "step %d is off the grid", k);
    }
    bout_run(b, half, middle);
    keel_solver *fork = keel_fork(half);
    unsigned char bytes[1 << 16];
    size_t size = keel_save(half, bytes, sizeof bytes);
    assert_within((double)size, 1, sizeof bytes);
    bout_run(b, half, end);
    keel_solver *loaded = keel_load(&b->p.keel, &b->o, bytes, size);
    bout_run(b, fork, end);
    bout_run(b, loaded, end);
    same_bits(b, whole, steps, "a run step by step");
    same_bits(b, whole, half, "a run in two calls");
    same_bits(b, whole, fork, "a fork");
    same_bits(b, whole, loaded, "a loaded run");
    keel_close(whole);
    keel_close(steps);
    keel_close(half);
    keel_close(fork);
    keel_close(loaded);
}

static void check_split_at_grid_points(struct bout *b) {
    if (b->stabilizer->traits & KEEL_OFF_GRID) return; /* there is no grid */
    keel_solver *whole = bout_open(b), *split = bout_open(b);
    double t0 = b->p.keel.t0, h = b->o.step;
    bout_run(b, whole, t0 + 96 * h);
    for (int k = 0; k < 96;) {
        k += 1 + k % 7;
        if (k > 96) k = 96;
        bout_run(b, split, t0 + k * h);
    }
    same_bits(b, whole, split, "a run split at grid points");
    keel_close(whole);
    keel_close(split);
}

static void one_run_gives_the_bits_of_steps_forks_and_loads(void **state) {
    (void)state;
    for_all_bouts(0, check_ways_through);
    for_all_bouts(KEEL_ADAPTIVE, check_ways_through);
}

static void runs_split_at_grid_points_give_the_same_bits(void **state) {
    (void)state;
    for_all_bouts(0, check_split_at_grid_points);
}

static void check_units(const problem *p, const keel_method *method, const keel_solver *s) {
    const char *row = "";
    double units = worst_units(s, &row);
    if (units > 16) fail_msg("%s with %s: `%s` is off by %g units", p->keel.name, method->name, row, units);
}

/* At most `count` steps, or to the end. */
static void take_steps(const problem *p, const keel_method *method, keel_solver *s, int count) {
    for (int step = 0; step < count && keel_time(s) != p->t_end; step++)
        if (keel_step(s, p->t_end) < 0)
            fail_msg("%s with %s: %s", p->keel.name, method->name, keel_message(s));
}

static void every_problem_keeps_its_rows_with_every_adaptive_method(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++)
        for (int k = 0; k < problem_count(); k++) {
            problem p;
            problem_at(k, &p);
            keel_solver *s =
                open_if_accepted(&p, &(keel_options){.method = pair_of(method->name, "project")});
            if (!s) continue;
            take_steps(&p, method, s, 200);
            check_units(&p, method, s);
            keel_close(s);
        }
}

/* A fixed step far below what the default method takes. */
static double cautious_step(const problem *p) {
    keel_solver *s = keel_open(&p->keel, NULL);
    for (int step = 0; step < 20; step++) assert_ok(s, keel_step(s, p->t_end));
    double span = keel_time(s) - p->keel.t0;
    keel_close(s);
    return span / 1024;
}

static void every_problem_keeps_its_rows_with_fixed_steps(void **state) {
    (void)state;
    const keel_method *method;
    for (int k = 0; k < problem_count(); k++) {
        problem p;
        problem_at(k, &p);
        double step = cautious_step(&p);
        p.t_end = p.keel.t0 + 96 * step;
        for (int i = 0; (method = keel_method_at(i)); i++) {
            keel_options o = {.method = pair_of(method->name, "project"), .step = step};
            if (method->traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)) o.method = method->name;
            keel_solver *s = open_if_accepted(&p, &o);
            if (!s) continue;
            take_steps(&p, method, s, 1000);
            check_units(&p, method, s);
            keel_close(s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_runs_return_to_the_start_backward_in_time),
        cmocka_unit_test(fixed_steps_turn_round_without_memory),
        cmocka_unit_test(restarts_begin_afresh),
        cmocka_unit_test(one_run_gives_the_bits_of_steps_forks_and_loads),
        cmocka_unit_test(runs_split_at_grid_points_give_the_same_bits),
        cmocka_unit_test(every_problem_keeps_its_rows_with_every_adaptive_method),
        cmocka_unit_test(every_problem_keeps_its_rows_with_fixed_steps),
    };
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
