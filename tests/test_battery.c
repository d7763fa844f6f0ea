/* test_battery.c - one battery over every registered method and every stabilizer it goes with.
 *
 * Nothing here knows a method by name: what is expected follows from order and traits alone, so that a method is tested
 * by being listed.  A pair that is refused must say why, and at least one problem must accept each method. */
#include "testing.h"

#include <keel/method.h>

#include <float.h>

enum { STABILIZERS = 5, SCENES = 5, POINTS = 8 };
static const keel_preserve stabilizers[STABILIZERS] = {KEEL_NONE, KEEL_WATCH, KEEL_POST, KEEL_ADJUST, KEEL_PROJECT};
static const char *const stabilizer_names[STABILIZERS] = {"none", "watch", "post", "adjust", "project"};

/* Problems with closed forms: not over a period, so that no symmetry helps.  From rest the smallest change in
 * dq M dq + h^2 dv M dv turns from q to v within the first steps, which costs a factor log(1/h) in the error: orders of
 * 4.7 are seen for 5. */
static const struct scene {
    const char *name;
    double start, span, slack;
} scenes[SCENES] = {{"orbit", 0, 8, 0},
                    {"hamiltonian orbit", 0, 8, 0},
                    {"body", 0, 10, 0},
                    {"pendulum", 0.4, 5, 0},
                    {"pendulum from rest", 0, 5, 0.15}};

static void scene_fill(int i, problem *p) {
    switch (i) {
    case 0: problem_kepler(p, 0.2, 1.0); break;
    case 1: problem_kepler_hamiltonian(p, 0.2); break;
    case 2: problem_rigid_body(p, 2.0, 1.0, 2.0 / 3.0); break;
    default: problem_pendulum(p, 1.0);
    }
    p->exact(p, scenes[i].start, p->u0);
    p->keel.t0 = scenes[i].start;
}

/* Everything the battery runs over: one method, one stabilizer, one scene. */
struct bout {
    const keel_method *method;
    int stabilizer, scene;
    problem p;
    keel_options o;
    double end;
};
typedef void bout_check(struct bout *b);

/* Opens; NULL if refused, which must come with a sentence. */
static keel_solver *open_if_accepted(const problem *p, const keel_options *o) {
    keel_solver *s = keel_open(&p->keel, o);
    assert_non_null(s);
    if (keel_state_of(s) == KEEL_OK) return s;
    if (keel_state_of(s) != KEEL_EINVAL) fail_msg("%s with %s: %s", p->keel.name, o->method, keel_message(s));
    assert_true(strlen(keel_message(s)) > 20);
    keel_close(s);
    return NULL;
}

static int accepted(const problem *p, const keel_options *o) {
    keel_solver *s = open_if_accepted(p, o);
    keel_close(s);
    return s != NULL;
}

/* Calls check for all pairs that are accepted, of methods with all of `traits`. */
static void for_all_bouts(unsigned traits, bout_check *check) {
    struct bout b;
    for (int i = 0; (b.method = keel_method_at(i)); i++) {
        int met = 0;
        if ((b.method->traits & traits) != traits) continue;
        for (b.scene = 0; b.scene < SCENES; b.scene++)
            for (b.stabilizer = 0; b.stabilizer < STABILIZERS; b.stabilizer++) {
                scene_fill(b.scene, &b.p);
                b.end = scenes[b.scene].start + scenes[b.scene].span;
                b.o = (keel_options){.method = b.method->name, .preserve = stabilizers[b.stabilizer], .step = 0.01};
                if (!accepted(&b.p, &b.o)) continue;
                if (traits & KEEL_ADAPTIVE) b.o.step = 0;
                check(&b);
                met++;
            }
        if (met == 0) fail_msg("no scene accepts %s", b.method->name);
    }
}

#define fail_bout(b, ...)                                                                                              \
    do {                                                                                                               \
        print_error("%s, %s, %s: ", (b)->method->name, stabilizer_names[(b)->stabilizer], scenes[(b)->scene].name);   \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

static keel_solver *bout_open(const struct bout *b) {
    keel_solver *s = keel_open(&b->p.keel, &b->o);
    if (!s || keel_state_of(s) != KEEL_OK) fail_bout(b, "%s", keel_message(s));
    return s;
}

static void bout_run(const struct bout *b, keel_solver *s, double t) {
    keel_status status = keel_run(s, t);
    if (status != KEEL_OK) fail_bout(b, "%s", keel_message(s));
}

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
        for (int j = 0; j < i && (other = keel_method_at(j)); j++) assert_string_not_equal(method->name, other->name);
    }
}

/* Largest error over the span with `steps` equal steps (a multiple of POINTS); infinite: broke down. */
static double error_with(const struct bout *b, long steps) {
    keel_options fixed = b->o;
    double span = scenes[b->scene].span, error = 0;
    fixed.step = span / (double)steps;
    fixed.compensated = 1;
    keel_solver *s = keel_open(&b->p.keel, &fixed);
    for (int i = 1; i <= POINTS && isfinite(error); i++) {
        keel_status status = keel_run(s, b->p.keel.t0 + i * span / POINTS);
        error = status == KEEL_OK ? fmax(error, error_to_exact(&b->p, s)) : HUGE_VAL;
    }
    keel_close(s);
    return error;
}

#define FLOOR 5e-14 /* sums are compensated: an order of magnitude above round-off */
enum { FITTED = 3, MOST_STEPS = 40000 };

/* The order seen in the last step sizes above the floor, each 3/4 or 2/3 of the one before. */
static double observed_order(const struct bout *b) {
    double error[FITTED] = {0}, size[FITTED] = {0};
    int seen = 0;
    for (long steps = 2 * POINTS; steps < MOST_STEPS; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
        double now = error_with(b, steps);
        if (!(now < 1)) continue;
        if (now < FLOOR) break;
        for (int k = 1; k < FITTED; k++) error[k - 1] = error[k], size[k - 1] = size[k];
        error[FITTED - 1] = log(now);
        size[FITTED - 1] = -log((double)steps);
        seen++;
    }
    if (seen < FITTED) fail_bout(b, "only %d step sizes between breakdown and round-off", seen);
    return (error[0] - error[FITTED - 1]) / (size[0] - size[FITTED - 1]);
}

/* 5 percent: the window between the first useful step and round-off is narrow for high orders. */
static void check_order(struct bout *b) {
    double seen = observed_order(b), order = b->method->order;
    if (getenv("KEEL_ORDERS")) /* a table for the curious */
        printf("%-8s %d %-8s %-20s %.2f\n", b->method->name, b->method->order, stabilizer_names[b->stabilizer],
               scenes[b->scene].name, seen);
    if (seen < order - fmax(0.25, 0.05 * order) - scenes[b->scene].slack || seen > order + 1)
        fail_bout(b, "order %.2f is seen, %d is claimed", seen, b->method->order);
}

static void order_is_what_the_descriptor_says_with_every_stabilizer(void **state) {
    (void)state;
    for_all_bouts(0, check_order);
}

/* Watching must not touch the numbers. */
static void check_watching(struct bout *b) {
    if (stabilizers[b->stabilizer] != KEEL_WATCH) return;
    keel_solver *watched = bout_open(b);
    b->o.preserve = KEEL_NONE;
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
    if (stabilizers[b->stabilizer] != KEEL_PROJECT) return;
    if (b->o.step > 0) b->o.step = scenes[b->scene].span / 512;
    keel_solver *s = bout_open(b);
    while (keel_time(s) != b->end) {
        if (keel_step(s, b->end) != KEEL_OK) fail_bout(b, "%s", keel_message(s));
        const char *row = "";
        double units = worst_units(s, &row);
        if (units > 4) fail_bout(b, "`%s` is off by %.3g units at t = %g", row, units, keel_time(s));
    }
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++)
        if (row.care != KEEL_ROW_KEPT && row.care != KEEL_ROW_NATIVE) fail_bout(b, "`%s` is not kept", row.name);
    keel_close(s);
}

static void projection_keeps_every_row_to_round_off_at_every_step(void **state) {
    (void)state;
    for_all_bouts(0, check_projection);
    for_all_bouts(KEEL_ADAPTIVE, check_projection);
}

static double drift_of(const struct bout *b, keel_preserve preserve, int row_number) {
    keel_options o = b->o;
    keel_kept row;
    o.preserve = preserve;
    keel_solver *s = keel_open(&b->p.keel, &o);
    if (keel_run(s, b->end) != KEEL_OK || !keel_kept_at(s, row_number, &row)) fail_bout(b, "%s", keel_message(s));
    keel_close(s);
    return row.drift;
}

/* One correction leaves what is quadratic in the error: post in the first row, adjust in all. */
static void check_one_correction(struct bout *b) {
    keel_preserve preserve = stabilizers[b->stabilizer];
    keel_kept row;
    if (preserve != KEEL_POST && preserve != KEEL_ADJUST) return;
    b->o.step = scenes[b->scene].span / 512;
    keel_solver *s = bout_open(b);
    for (int i = 0; keel_kept_at(s, i, &row); i++) {
        if (i > 0 && preserve == KEEL_POST) {
            if (row.care != KEEL_ROW_WATCHED) fail_bout(b, "post keeps `%s` too", row.name);
            continue;
        }
        double without = drift_of(b, KEEL_WATCH, i), with = drift_of(b, preserve, i);
        if (with > fmax(0.03 * without, 16 * row.unit))
            fail_bout(b, "`%s` drifts by %g with, %g without", row.name, with, without);
    }
    keel_close(s);
}

static void one_correction_removes_what_is_linear_in_the_drift(void **state) {
    (void)state;
    for_all_bouts(0, check_one_correction);
}

static double adaptive_error(struct bout *b, double rtol) {
    b->o.rtol = rtol;
    b->o.atol = 1e-3 * rtol;
    keel_solver *s = bout_open(b);
    bout_run(b, s, b->end);
    double error = error_to_exact(&b->p, s);
    keel_close(s);
    return error;
}

static void check_tolerances(struct bout *b) {
    double before = HUGE_VAL;
    printf("%-8s %-8s %-20s", b->method->name, stabilizer_names[b->stabilizer], scenes[b->scene].name);
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
        double error = adaptive_error(b, rtol);
        printf(" %.1e:%.2g", rtol, error / rtol);
        before = error;
    }
    (void)before;
    printf("\n");
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
        cmocka_unit_test(projection_keeps_every_row_to_round_off_at_every_step),
        cmocka_unit_test(one_correction_removes_what_is_linear_in_the_drift),
        cmocka_unit_test(errors_follow_the_tolerance),
    };
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
