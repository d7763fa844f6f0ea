/* same.h - two solvers that must not differ in a bit. */
#ifndef KEEL_TESTS_SAME_H
#define KEEL_TESTS_SAME_H

#include "testing.h"

static inline void same_doubles(const double *a, const double *b, int n) {
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

/* What can be seen of a solver, alive or not. */
static inline void same_sight(keel_solver *a, keel_solver *b, int n) {
    keel_stats s = keel_statistics(a), t = keel_statistics(b);
    keel_row row, other;
    assert_int_equal(keel_state_of(a), keel_state_of(b));
    assert_string_equal(keel_message(a), keel_message(b));
    assert_true(keel_time(a) == keel_time(b));
    same_doubles(keel_state(a), keel_state(b), n);
    assert_memory_equal(&s, &t, sizeof s);
    keel_correction c = keel_correction_of(a), d = keel_correction_of(b);
    assert_true(c.largest == d.largest && c.t == d.t && c.finding == d.finding && c.finding_t == d.finding_t);
    assert_string_equal(c.state, d.state);
    for (int i = 0; keel_row_at(a, i, &row); i++) {
        assert_true(keel_row_at(b, i, &other));
        assert_true(row.drift == other.drift && row.units == other.units && row.unit == other.unit &&
                    row.last == other.last && row.start == other.start);
    }
}

/* Everything a solver is: its saved bytes, and what it shows. */
static inline void same_solver(keel_solver *a, keel_solver *b, int n) {
    size_t size = keel_save(a, NULL, 0);
    assert_int_equal(size, keel_save(b, NULL, 0));
    unsigned char *one = malloc(size), *other = malloc(size);
    keel_save(a, one, size);
    keel_save(b, other, size);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
    same_sight(a, b, n);
}

/* Between steps; 1 where there is something to see. */
static inline int same_sample(keel_solver *a, keel_solver *b, double t, int n) {
    double u[8], v[8];
    assert_true(n <= 8);
    keel_status seen = keel_eval(a, t, u);
    assert_int_equal(keel_eval(b, t, v), seen);
    if (seen == KEEL_OK) same_doubles(u, v, n);
    return seen == KEEL_OK;
}

/* Fixed steps on the grid and off it, odd and even, short and long, once more back; with samples in between,
 * every time or every other time: they cut another step. */
static inline void same_fixed_run(const keel_problem *called, const keel_problem *fused,
                                  const keel_options *o, size_t samples_every) {
    static const double ends[] = {1, 3, 64.5, 66, 97, 131, 132, 1011.25, 2017.95, 2017.95 + 254, 2000, 17.5};
    keel_solver *a = keel_open(called, o), *b = keel_open(fused, o);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double t = nextafter(ends[i] * o->step, HUGE_VAL); /* near enough to be on the grid */
        assert_ok(a, keel_run(a, t));
        assert_ok(b, keel_run(b, t));
        same_solver(a, b, called->n);
        if ((i + 1) % samples_every == 0) same_sample(a, b, t - (i >= 10 ? -0.3 : 0.3) * o->step, called->n);
        if (i != 8) continue; /* where the one stands, the other goes on */
        assert_ok(a, keel_step(a, 1e3));
        assert_ok(b, keel_step(b, 1e3));
        same_solver(a, b, called->n);
    }
    keel_close(a);
    keel_close(b);
}

/* Saved, loaded and forked at t, from one kind of a problem to the other. */
static inline void same_after_a_save(const keel_problem *called, const keel_problem *fused,
                                     const keel_options *o, double t, double to) {
    keel_solver *a = keel_open(fused, o);
    assert_ok(a, keel_run(a, t));
    size_t size = keel_save(a, NULL, 0);
    void *bytes = malloc(size);
    keel_save(a, bytes, size);
    keel_solver *all[] = {a, keel_load(called, o, bytes, size), keel_fork(a),
                          keel_load(fused, o, bytes, size)};
    for (int i = 0; i < 4; i++) assert_ok(all[i], keel_run(all[i], to));
    for (int i = 1; i < 4; i++) same_solver(a, all[i], called->n);
    for (int i = 0; i < 4; i++) keel_close(all[i]);
    free(bytes);
}

/* Both end with the same status, which comes back, at the same place; with all they are where they can go on.
 */
static inline keel_status same_end(const keel_problem *called, const keel_problem *fused,
                                   const keel_options *o, double to) {
    keel_solver *a = keel_open(called, o), *b = keel_open(fused, o);
    keel_status status = keel_run(a, to);
    assert_int_equal(keel_run(b, to), status);
    same_sight(a, b, called->n);
    if (status >= 0 || status == KEEL_ELIMIT) same_solver(a, b, called->n);
    keel_close(a);
    keel_close(b);
    return status;
}
#endif
