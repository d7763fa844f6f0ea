/* test_battery.c - every method with every stabilizer: descriptors, refusals, order, projection, errors that
 * follow the tolerance. */
#include "testing.h"
#include "battery.h"

#include "methods/registry.h"

#include <keel/stabilizer.h>

static void descriptors_are_complete_and_names_unique(void **state) {
    (void)state;
    const keel_method *method, *other;
    assert_null(keel_method_at(-1));
    assert_non_null(keel_method_at(0));
    for (int i = 0; (method = keel_method_at(i)); i++) {
        assert_true(method->name && method->name[0] && strlen(method->name) < 40);
        assert_true(method->about && strlen(method->about) > 5);
        assert_true(method->reference && strlen(method->reference) > 5);
        assert_within(method->order, 1, 20);
        for (int j = 0; j < i && (other = keel_method_at(j)); j++)
            assert_string_not_equal(method->name, other->name);
    }
}

#define FLOOR 5e-14 /* sums are compensated: an order of magnitude above round-off */
enum { FITTED = 3, MOST_STEPS = 40000, MOST_SOLVES = 5000, MOST_ITERATED = 4000 }; /* by cost */

/* 5 percent: the window between the first useful step and round-off is narrow for high orders. */
static double least_order(const struct bout *b) {
    return b->method->order - fmax(0.25, 0.05 * b->method->order);
}

/* The order seen in the last step sizes above the floor, each 3/4 or 2/3 of the one before.  Where the next
 * term of the error has the other sign and is larger at first, both cancel on the way: the error falls too
 * fast there, by more than half an order, and then too slowly.  The order is that of both parts together. */
static double observed_order(const struct bout *b) {
    enum { KEPT = 2 * FITTED };
    double error[KEPT] = {0}, size[KEPT] = {0};
    int seen = 0;
    long most = b->method->traits & KEEL_KEEPS_ENERGY ? MOST_ITERATED
                : b->method->traits & KEEL_IMPLICIT   ? MOST_SOLVES
                                                      : MOST_STEPS;
    for (long steps = 2 * POINTS; steps < most; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
        double now = error_with(b, steps);
        if (!(now < 1)) continue;
        if (now < FLOOR) break;
        for (int k = 1; k < KEPT; k++) error[k - 1] = error[k], size[k - 1] = size[k];
        error[KEPT - 1] = log(now);
        size[KEPT - 1] = -log((double)steps);
        seen++;
    }
    if (seen < FITTED) fail_bout(b, "only %d step sizes between breakdown and round-off", seen);
    double before = (error[0] - error[FITTED - 1]) / (size[0] - size[FITTED - 1]);
    double last = (error[FITTED] - error[KEPT - 1]) / (size[FITTED] - size[KEPT - 1]);
    return seen < KEPT || before < b->method->order + 0.5 || last > least_order(b)
               ? last
               : (error[0] - error[KEPT - 1]) / (size[0] - size[KEPT - 1]);
}

/* Above order 8 there is no window: those tables are judged by their simplifying assumptions
 * (test_implicit.c). */
static void check_order(struct bout *b) {
    if (b->method->order > 8) return;
    double seen = observed_order(b), order = b->method->order;
    if (getenv("KEEL_ORDERS")) /* a table for the curious */
        printf("%-8s %d %-8s %-20s %.2f\n", b->method->name, b->method->order, b->stabilizer->name,
               scenes[b->scene].name, seen);
    /* a term of the right-hand side has errors of its own, which fall faster; both are seen together */
    double damped = b->stabilizer->traits & KEEL_DAMPS ? 0.1 * order : 0;
    /* a correction may take the leading term of the error away; where nothing acts the order is not more */
    int beyond = seen > order + 1 && !(b->stabilizer->traits & ACTS);
    if (beyond || seen < least_order(b) - scenes[b->scene].slack - damped)
        fail_bout(b, "order %.2f is seen, %d is claimed", seen, b->method->order);
}

static void order_is_what_the_descriptor_says_with_every_stabilizer(void **state) {
    (void)state;
    for_all_bouts(0, check_order);
}

/* Watching must not touch the numbers. */
static void check_watching(struct bout *b) {
    if (b->stabilizer->traits & ACTS || !(b->stabilizer->traits & KEEL_MEASURES)) return;
    keel_solver *watched = bout_open(b);
    b->o.method = pair_of(b->method->name, "none");
    keel_solver *alone = bout_open(b);
    bout_run(b, watched, b->end);
    bout_run(b, alone, b->end);
    if (memcmp(keel_state(watched), keel_state(alone), (size_t)b->p.keel.n * sizeof(double)) != 0)
        fail_bout(b, "watching changes the state");
    keel_close(watched);
    keel_close(alone);
}

static void watching_gives_the_bits_of_not_watching(void **state) {
    (void)state;
    for_all_bouts(0, check_watching);
    for_all_bouts(KEEL_ADAPTIVE, check_watching);
}

/* With steps so long that each one errs visibly. */
static void check_projection(struct bout *b) {
    if (!(b->stabilizer->traits & KEEL_TO_ROUND_OFF)) return;
    if (b->o.step > 0) b->o.step = scenes[b->scene].span / 512;
    keel_solver *s = bout_open(b);
    while (keel_time(s) != b->end) {
        if (keel_step(s, b->end) != KEEL_OK) fail_bout(b, "%s", keel_message(s));
        const char *row = "";
        double units = worst_units(s, &row);
        if (units > 4) fail_bout(b, "`%s` is off by %.3g units at t = %g", row, units, keel_time(s));
    }
    keel_row row;
    for (int i = 0; !b->o.keep && keel_row_at(s, i, &row); i++)
        if (row.treatment != KEEL_ROW_KEPT && row.treatment != KEEL_ROW_NATIVE)
            fail_bout(b, "`%s` is not kept", row.name);
    if (!(b->stabilizer->traits & KEEL_OFF_GRID) || b->o.keep)
        if (keel_statistics(s).unresolved)
            fail_bout(b, "%ld steps are unresolved", keel_statistics(s).unresolved);
    keel_close(s);
}

static void projection_keeps_every_row_to_round_off_at_every_step(void **state) {
    (void)state;
    for_all_bouts(0, check_projection);
    for_all_bouts(KEEL_ADAPTIVE, check_projection);
}

/* Which stabilizers go with which methods follows from the traits, where a method takes the problem. */
static void pairs_are_accepted_by_their_traits(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++)
        for (int scene = 0; scene < SCENES; scene++) {
            problem p;
            scene_fill(scene, &p);
            keel_options o = {.method = pair_of(method->name, "project"), .step = 0.01};
            int taken = accepted(&p, &o), one_step = !(method->traits & KEEL_MULTISTEP);
            o.method = pair_of(method->name, "symmetric");
            if (accepted(&p, &o) != (taken && one_step && method->traits & KEEL_SYMMETRIC_STEP))
                fail_msg("symmetric with %s", method->name);
            o.method = pair_of(method->name, "coupled");
            if (accepted(&p, &o) && !(taken && one_step && method->traits & KEEL_IMPLICIT))
                fail_msg("coupled with %s", method->name);
            o.method = pair_of(method->name, "baumgarte");
            if (accepted(&p, &o) && !taken) fail_msg("baumgarte with %s", method->name);
            int calls_f = !registry_find(method->name)->no_rhs;
            if (!accepted(&p, &o) && taken && calls_f && !(method->traits & ~KEEL_ADAPTIVE))
                fail_msg("baumgarte is refused to %s", method->name);
        }
}

/* The row's drift over the span, in units that have grown with the run. */
static keel_row row_after(const struct bout *b, const char *stabilizer, int number) {
    keel_options o = b->o;
    keel_row row = {0};
    o.method = pair_of(o.method, stabilizer);
    keel_solver *s = keel_open(&b->p.keel, &o);
    bout_run(b, s, b->end);
    keel_row_at(s, number, &row);
    keel_close(s);
    return row;
}

/* The largest drift of any row without a stabilizer. */
static double largest_drift(const struct bout *b, int rows) {
    double largest = 0;
    for (int i = 0; i < rows; i++) largest = fmax(largest, row_after(b, "watch", i).drift);
    return largest;
}

/* One correction leaves what is quadratic in the error: post in the first row, adjust in all.  A row that the
 * method itself keeps is disturbed by the corrections of the others. */
static void check_one_correction(struct bout *b) {
    keel_row row;
    int rows = 0;
    unsigned traits = b->stabilizer->traits;
    if (!(traits & KEEL_CORRECTS) || traits & KEEL_TO_ROUND_OFF) return;
    b->o.step = scenes[b->scene].span / steps_that_err(b);
    keel_solver *s = bout_open(b);
    while (keel_row_at(s, rows, &row)) rows++;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        if (i > 0 && traits & KEEL_FIRST_ROW) {
            if (row.treatment != KEEL_ROW_WATCHED) fail_bout(b, "it keeps `%s` too", row.name);
            continue;
        }
        keel_row without = row_after(b, "watch", i), with = row_after(b, b->stabilizer->name, i);
        double drift = without.drift > 16 * without.unit ? without.drift : largest_drift(b, rows);
        for (int j = 0; b->method->traits & KEEL_QUADRATIC && keel_row_at(s, j, &row); j++)
            drift = fmax(drift, row_after(b, "watch", j).drift); /* a kept row feels the others' correction */
        if (with.drift > fmax(0.03 * drift, 16 * with.unit))
            fail_bout(b, "`%s` drifts by %g with, %g without", with.name, with.drift, without.drift);
    }
    keel_close(s);
}

static void one_correction_removes_what_is_linear_in_the_drift(void **state) {
    (void)state;
    for_all_bouts(0, check_one_correction);
}

/* The part of a velocity that the constraint's gradient sees; masses are 1 in all scenes. */
static void take_across(const problem *p, const double *u, double *velocity, double *across) {
    double gradient[PROBLEM_UNKNOWNS], product = 0, square = 0;
    int nq = p->keel.n / 2;
    assert_int_equal(p->keel.constraint.count, 1);
    assert_int_equal(p->keel.constraint.jacobian(0, u, gradient, p->keel.user), 0);
    for (int i = 0; i < nq; i++) product += gradient[i] * velocity[i], square += gradient[i] * gradient[i];
    for (int i = 0; i < nq; i++) {
        across[i] = product / square * gradient[i];
        velocity[i] -= across[i];
    }
}

static double largest_of(int count, const double *value) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(value[i]));
    return largest;
}

/* What follows the tolerance, and what follows its root.  A method that keeps constraints as given, and not
 * their d/dt, has velocities across them, and multipliers by them, that err by h^3 where a step errs by h^6:
 * its tolerance is one of positions and of velocities along the constraints. */
struct errors {
    double plain, root;
};

static void add_errors(const struct bout *b, keel_solver *s, struct errors *e) {
    const problem *p = &b->p;
    int n = p->keel.n, count = p->keel.constraint.count;
    double exact[PROBLEM_UNKNOWNS], error[PROBLEM_UNKNOWNS], across[PROBLEM_UNKNOWNS], lambda[4] = {0};
    p->exact(p, keel_time(s), exact);
    for (int i = 0; i < n; i++) error[i] = keel_state(s)[i] - exact[i];
    if (p->keel.form == KEEL_MECHANICS) {
        memcpy(lambda, keel_multipliers(s), (size_t)count * sizeof *lambda);
        const double *wanted = keel_multipliers_at(s, keel_time(s), exact);
        for (int i = 0; i < count; i++) lambda[i] -= wanted[i];
        if (b->method->traits & KEEL_AS_GIVEN) {
            take_across(p, exact, error + n / 2, across);
            e->root = fmax(e->root, fmax(largest_of(n / 2, across), largest_of(count, lambda)));
        } else e->plain = fmax(e->plain, largest_of(count, lambda));
    }
    e->plain = fmax(e->plain, largest_of(n, error));
}

static struct errors adaptive_errors(struct bout *b, double rtol) {
    set_tolerance(b, rtol);
    keel_solver *s = bout_open(b);
    struct errors e = {0};
    while (keel_time(s) != b->end) {
        if (keel_step(s, b->end) != KEEL_OK) fail_bout(b, "%s", keel_message(s));
        add_errors(b, s, &e);
    }
    keel_close(s);
    return e;
}

/* Errors of states and multipliers stay within 1/1000 and 100 tolerances, and fall at least fivefold with a
 * tolerance a hundredth as large, where one that is far below its tolerance, as of a few steps that err in
 * opposite directions, counts as a tenth of it; what follows the root stays below it and falls at least
 * threefold. */
static void check_tolerances(struct bout *b) {
    struct errors before = {HUGE_VAL, HUGE_VAL};
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
        struct errors e = adaptive_errors(b, rtol);
        if (!(e.plain > 1e-3 * rtol && e.plain < 100 * rtol))
            fail_bout(b, "error %g with rtol %g", e.plain, rtol);
        if (!(e.plain < 0.2 * before.plain))
            fail_bout(b, "error %g with rtol %g, %g with a larger one", e.plain, rtol, before.plain);
        if (!(e.root < sqrt(rtol))) fail_bout(b, "error %g across with rtol %g", e.root, rtol);
        if (e.root > 0 && !(e.root < before.root / 3))
            fail_bout(b, "error %g across with rtol %g, %g with a larger one", e.root, rtol, before.root);
        before = (struct errors){fmax(e.plain, 0.1 * rtol), e.root};
    }
}

static void errors_follow_the_tolerance(void **state) {
    (void)state;
    for_all_bouts(KEEL_ADAPTIVE, check_tolerances);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_complete_and_names_unique),
        cmocka_unit_test(order_is_what_the_descriptor_says_with_every_stabilizer),
        cmocka_unit_test(watching_gives_the_bits_of_not_watching),
        cmocka_unit_test(pairs_are_accepted_by_their_traits),
        cmocka_unit_test(projection_keeps_every_row_to_round_off_at_every_step),
        cmocka_unit_test(one_correction_removes_what_is_linear_in_the_drift),
        cmocka_unit_test(errors_follow_the_tolerance),
    };
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
