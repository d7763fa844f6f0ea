/* test_battery.c - one battery over every registered method and every stabilizer it goes with.
 *
 * Nothing here knows a method by name: what is expected follows from order and traits alone, so that a
 * method is tested by being listed.  A pair that is refused must say why, and at least one problem must
 * accept each method. */
#include "testing.h"

#include "methods/registry.h"

#include <keel/stabilizer.h>

#include <float.h>

enum { SCENES = 5, POINTS = 8 };
/* Stabilizers that hold nothing; that ask for more work, or for a kind of method. */
enum { ACTS = KEEL_CORRECTS | KEEL_DAMPS, DEAR = KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS };

/* Problems with closed forms: not over a period, so that no symmetry helps.  From rest the smallest change
 * in dq M dq + h^2 dv M dv turns from q to v within the first steps, which costs a factor log(1/h) in the
 * error: orders of 4.7 are seen for 5. */
static const struct scene {
    const char *name;
    double start, span, slack;
    const char *keep, *sets; /* for scale and relax: orbits have folds with two sets, see test_scale.c */
} scenes[SCENES] = {{"orbit", 0, 8, 0, "energy", NULL},
                    {"hamiltonian orbit", 0, 8, 0, "energy", NULL},
                    {"body", 0, 10, 0, NULL, "y1 y2; y3"},
                    {"pendulum", 0.4, 5, 0, NULL, NULL},
                    {"pendulum from rest", 0, 5, 0.15, NULL, NULL}};

static void scene_fill(int i, problem *p) {
    switch (i) {
    case 0:
        problem_kepler(p, 0.2, 1.0);
        break;
    case 1:
        problem_kepler_hamiltonian(p, 0.2);
        break;
    case 2:
        problem_rigid_body(p, 2.0, 1.0, 2.0 / 3.0);
        break;
    default:
        problem_pendulum(p, 1.0);
    }
    p->exact(p, scenes[i].start, p->u0);
    p->keel.t0 = scenes[i].start;
}

/* Everything the battery runs over: one method, one stabilizer, one scene. */
struct bout {
    const keel_method *method, *stabilizer;
    int scene;
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

static int takes(const keel_method *m, size_t option) {
    const keel_field *f = m->fields;
    while (f && f->name && f->offset != option) f++;
    return f && f->name;
}

/* The sanitizers look for errors of memory, which every method shows in one bout as in ten: they see the
 * first of each method and some of the others. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 16 };
#else
enum { SHARE = 1 };
#endif

/* The dear ones see one scene with each method, by the pair's name, so that a newcomer in the lists changes
 * nothing for the others; long_battery.c shows them all. */
static int sits_out(const struct bout *b) {
#ifdef BATTERY_WHOLE
    return b->scene == SCENES;
#else
    unsigned hash = 2166136261u;
    for (const char *c = b->o.method; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    return b->stabilizer->traits & DEAR && (hash >> 8) % SCENES != (unsigned)b->scene;
#endif
}

/* Calls check for all pairs that are accepted, of methods with all of `traits`. */
static void for_all_bouts(unsigned traits, bout_check *check) {
    static int turn;
    struct bout b;
    for (int i = 0; (b.method = keel_method_at(i)); i++) {
        int met = 0;
        if ((b.method->traits & traits) != traits) continue;
        for (b.scene = 0; b.scene < SCENES; b.scene++)
            for (int k = 0; (b.stabilizer = keel_stabilizer_at(k)); k++) {
                scene_fill(b.scene, &b.p);
                b.end = scenes[b.scene].start + scenes[b.scene].span;
                b.o = (keel_options){.method = pair_of(b.method->name, b.stabilizer->name), .step = 0.01};
                int partial = (b.stabilizer->traits & KEEL_OWN_DIRECTIONS) != 0;
                if (partial && b.scene == 1) continue; /* the orbit once more */
                if (partial) b.o.keep = scenes[b.scene].keep;
                if (takes(b.stabilizer, offsetof(keel_options, sets))) b.o.sets = scenes[b.scene].sets;
                if (traits & KEEL_ADAPTIVE && b.stabilizer->traits & KEEL_KEEPS_REVERSIBLE) continue;
                if (sits_out(&b) || !accepted(&b.p, &b.o)) continue;
                if (traits & KEEL_ADAPTIVE) b.o.step = 0;
                if (met++ == 0 || turn++ % SHARE == 0) check(&b);
            }
        if (met == 0) fail_msg("no scene accepts %s", b.method->name);
    }
}

#define fail_bout(b, ...)                                                                               \
    do {                                                                                                \
        print_error("%s, %s, %s: ", (b)->method->name, (b)->stabilizer->name, scenes[(b)->scene].name); \
        fail_msg(__VA_ARGS__);                                                                          \
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
        for (int j = 0; j < i && (other = keel_method_at(j)); j++)
            assert_string_not_equal(method->name, other->name);
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
enum { FITTED = 3, MOST_STEPS = 40000, MOST_SOLVES = 5000, MOST_ITERATED = 4000 }; /* by cost */

/* The order seen in the last step sizes above the floor, each 3/4 or 2/3 of the one before. */
static double observed_order(const struct bout *b) {
    double error[FITTED] = {0}, size[FITTED] = {0};
    int seen = 0;
    long most = b->method->traits & KEEL_KEEPS_ENERGY ? MOST_ITERATED
                : b->method->traits & KEEL_IMPLICIT   ? MOST_SOLVES
                                                      : MOST_STEPS;
    for (long steps = 2 * POINTS; steps < most; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
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

/* 5 percent: the window between the first useful step and round-off is narrow for high orders.  Above order 8
 * there is none: those tables are judged by their simplifying assumptions (test_implicit.c). */
static void check_order(struct bout *b) {
    if (b->method->order > 8) return;
    double seen = observed_order(b), order = b->method->order;
    if (getenv("KEEL_ORDERS")) /* a table for the curious */
        printf("%-8s %d %-8s %-20s %.2f\n", b->method->name, b->method->order, b->stabilizer->name,
               scenes[b->scene].name, seen);
    /* a term of the right-hand side has errors of its own, which fall faster; both are seen together */
    double damped = b->stabilizer->traits & KEEL_DAMPS ? 0.1 * order : 0;
    if (seen < order - fmax(0.25, 0.05 * order) - scenes[b->scene].slack - damped ||
        (seen > order + 1 && !damped))
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
        assert_int_equal(keel_statistics(s).unresolved, 0);
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
            int calls_f = !registry_find(method->name)->no_rate;
            if (!accepted(&p, &o) && taken && calls_f && !(method->traits & ~KEEL_ADAPTIVE))
                fail_msg("baumgarte is refused to %s", method->name);
        }
}

/* In a span: long ones for high orders, so that there is an error to see. */
static int steps_that_err(const struct bout *b) {
    return b->method->order > 4 && !(b->method->traits & KEEL_MULTISTEP) ? 128 : 512;
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

static void set_tolerance(struct bout *b, double rtol) {
    b->o.rtol = rtol;
    b->o.atol = 1e-3 * rtol;
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
 * tolerance a hundredth as large; what follows the root stays below it and falls at least threefold. */
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
        before = e;
    }
}

static void errors_follow_the_tolerance(void **state) {
    (void)state;
    for_all_bouts(KEEL_ADAPTIVE, check_tolerances);
}

/* |state - start|, largest component. */
static double away_from_start(const struct bout *b, const keel_solver *s) {
    double worst = 0;
    for (int i = 0; i < b->p.keel.n; i++) worst = fmax(worst, fabs(keel_state(s)[i] - b->p.u0[i]));
    return worst;
}

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

/* Phi_-h after Phi_h is the identity for a symmetric step; for others the mismatch is of the size of the
 * error. */
static void check_symmetry(struct bout *b) {
    int acts = (b->stabilizer->traits & ACTS) != 0,
        frozen = (b->stabilizer->traits & KEEL_FROZEN_WEIGHTS) != 0;
    if (acts && (!frozen || b->stabilizer->traits & KEEL_DAMPS)) return;
    keel_solver *s = NULL;
    double error = 0, enough = b->method->order > 6 ? 1e-6 : 1e-4;
    if (b->method->order > 8) return; /* errs too little: see test_implicit.c */
    int fewest = acts ? 20 : 4;       /* multipliers are not found for any length of step */
    for (int steps = 64; steps >= fewest && error < enough;
         steps -= steps / 4) { /* long ones for high orders */
        keel_close(s);
        b->o.step = scenes[b->scene].span / steps;
        s = bout_open(b);
        bout_run(b, s, b->end);
        error = error_to_exact(&b->p, s);
    }
    bout_run(b, s, b->p.keel.t0);
    if (error < enough && !acts) fail_bout(b, "the error %g is too small for a test of symmetry", error);
    if (away_from_start(b, s) > 1e-12)
        fail_bout(b, "returns to within %g of the start", away_from_start(b, s));
    keel_close(s);
}

static void symmetric_steps_retrace_themselves(void **state) {
    (void)state;
    for_all_bouts(KEEL_SYMMETRIC_STEP, check_symmetry);
}

/* Start and end of some steps from the point of the manifold nearest to u0 + d; mass matrices are 1 here. */
struct orbit {
    double start[PROBLEM_UNKNOWNS], end[PROBLEM_UNKNOWNS];
};

static void orbit_from(const struct bout *b, const double *direction, double length, struct orbit *out) {
    int n = b->p.keel.n;
    double u[PROBLEM_UNKNOWNS], t0 = b->p.keel.t0;
    keel_solver *s = bout_open(b);
    for (int j = 0; j < n; j++) u[j] = b->p.u0[j] + length * direction[j];
    assert_ok(s, keel_restart(s, t0, u));
    memcpy(out->start, keel_state(s), (size_t)n * sizeof *u);
    bout_run(b, s, t0 + 4 * b->o.step);
    memcpy(out->end, keel_state(s), (size_t)n * sizeof *u);
    keel_close(s);
}

static double two_form(int n, const double *a, const double *b) { /* dq wedge dp */
    double sum = 0;
    for (int j = 0; j < n / 2; j++) sum += a[j] * b[n / 2 + j] - a[n / 2 + j] * b[j];
    return sum;
}

/* Tangents at start and end of the orbits through u0 along `direction`, to fourth order in the length. */
static void tangent_orbit(const struct bout *b, const double *direction, struct orbit *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    double length = 1e-3;
    struct orbit orbits[4];
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) orbit_from(b, direction, at[k] * length, &orbits[k]);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < b->p.keel.n; j++) {
            out->start[j] += weight[k] * orbits[k].start[j] / length;
            out->end[j] += weight[k] * orbits[k].end[j] / length;
        }
}

/* The two-form of all pairs of tangents must be what it was; returns the largest two-form seen. */
static double check_two_form(const struct bout *b) {
    struct orbit tangent[PROBLEM_UNKNOWNS];
    int n = b->p.keel.n;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double direction[PROBLEM_UNKNOWNS] = {0};
        direction[i] = 1;
        tangent_orbit(b, direction, &tangent[i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double before = two_form(n, tangent[i].start, tangent[j].start);
            double after = two_form(n, tangent[i].end, tangent[j].end);
            if (fabs(after - before) > 1e-7)
                fail_bout(b, "dq wedge dp goes from %.10g to %.10g", before, after);
            largest = fmax(largest, fabs(before));
        }
    return largest;
}

static void check_symplecticity(struct bout *b) {
    if (b->stabilizer->traits & ACTS || b->p.keel.form == KEEL_ODE) return;
    if (b->p.keel.constraint.count && !(b->method->traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)))
        return; /* the field off the constraints is no Hamiltonian one */
    b->o.step = 0.25;
    if (check_two_form(b) < 0.1) fail_bout(b, "there is no two-form to keep");
    if (b->p.keel.form != KEEL_MECHANICS) return;
    problem_spherical_pendulum(&b->p); /* with more than one degree of freedom */
    if (check_two_form(b) < 0.1) fail_bout(b, "there is no two-form to keep");
}

static void symplectic_methods_keep_the_two_form(void **state) {
    (void)state;
    for_all_bouts(KEEL_SYMPLECTIC, check_symplecticity);
}

/* H within a few units, with steps so long that the error of the state is seen. */
static void check_energy(struct bout *b) {
    keel_row row;
    if (b->stabilizer->traits & ACTS || !(b->stabilizer->traits & KEEL_MEASURES)) return;
    keel_solver *s = NULL;
    double error = 0;
    for (int steps = 256; steps >= 32 && error < 1e-9; steps -= steps / 4) { /* long ones for high orders */
        keel_close(s);
        b->o.step = scenes[b->scene].span / steps;
        s = bout_open(b);
        bout_run(b, s, b->end);
        error = error_to_exact(&b->p, s);
    }
    if (error < 1e-9) fail_bout(b, "the error is too small for a test of the energy");
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (row.kind == KEEL_ROW_ENERGY && row.units > 24)
            fail_bout(b, "the energy is off by %g units", row.units);
    keel_close(s);
}

static void methods_that_keep_the_energy_do(void **state) {
    (void)state;
    for_all_bouts(KEEL_KEEPS_ENERGY, check_energy);
}

/* Linear invariants: a + c and b + 2 c of the reaction a + 2 b <-> c; momentum of two bodies of mass 1 and
 * 3; a + c and b + c of a + b <-> c, a quadratic field. */
static int reaction(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double rate = 1.3 * u[0] * u[1] - 0.7 * u[2] + 0.1 * sin(u[1]);
    out[0] = -rate;
    out[1] = -2 * rate;
    out[2] = rate;
    return 0;
}

static int reaction_sums(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[2];
    out[1] = u[1] + 2 * u[2];
    return 0;
}

static int pull(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double stretch = u[1] - u[0] - 1;
    out[0] = stretch + stretch * stretch * stretch;
    out[1] = -out[0];
    return 0;
}

static int two_masses(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 1;
    out[1] = out[2] = 0;
    out[3] = 3;
    return 0;
}

static int momentum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[2] + 3 * u[3];
    return 0;
}

static int pairing(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[2] = 1.3 * u[0] * u[1] - 0.7 * u[2];
    out[0] = out[1] = -out[2];
    return 0;
}

static int pairing_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t, (void)work, (void)user;
    memcpy(out, u, 3 * sizeof *out);
    for (int k = 0; k < orders; k++) {
        double sum = -0.7 * out[3 * k + 2];
        for (int j = 0; j <= k; j++) sum += 1.3 * out[3 * j] * out[3 * (k - j) + 1];
        out[3 * k + 5] = sum / (k + 1);
        out[3 * k + 3] = out[3 * k + 4] = -out[3 * k + 5];
    }
    return 0;
}

static int pairing_sums(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[2];
    out[1] = u[1] + u[2];
    return 0;
}

enum { LINEAR = 3 };
static const double reaction_start[3] = {0.8, 1.1, 0.3}, bodies_start[4] = {0, 1.4, 0.3, -0.2};
static const keel_extras pairing_extras = {.series = {.value = pairing_series}};
static const keel_problem linear[LINEAR] = {
    {.form = KEEL_ODE,
     .name = "reaction",
     .n = 3,
     .u0 = reaction_start,
     .f = {.count = 3, .value = reaction},
     .invariant = {.count = 2, .value = reaction_sums}},
    {.form = KEEL_MECHANICS,
     .name = "two bodies",
     .n = 4,
     .u0 = bodies_start,
     .f = {.count = 2, .value = pull},
     .mass = {.value = two_masses, .constant = 1},
     .invariant = {.count = 1, .value = momentum}},
    {.form = KEEL_ODE,
     .name = "pairing",
     .n = 3,
     .u0 = reaction_start,
     .f = {.count = 3, .value = pairing},
     .extras = &pairing_extras,
     .invariant = {.count = 2, .value = pairing_sums}},
};

static void linear_invariants_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        int met = 0;
        if (method->traits & KEEL_KEEPS_LENGTH) continue; /* rotations lose them: the next but one test */
        for (int k = 0; k < LINEAR; k++) {
            problem p = {.keel = linear[k]};
            keel_row row;
            keel_solver *s = open_if_accepted(
                &p, &(keel_options){.method = pair_of(method->name, "watch"), .step = 1. / 16});
            if (!s) continue;
            assert_ok(s, keel_run(s, 16));
            for (int j = 0; keel_row_at(s, j, &row); j++)
                if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
            keel_close(s);
            met++;
        }
        if (!(method->traits & KEEL_KEEPS_ENERGY))
            assert_true(met > 0); /* a discrete gradient may lose them */
    }
}

/* Quadratic invariants: both of the rigid body, with steps so long that others lose them. */
static void quadratic_invariants_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_options o = {.method = pair_of(method->name, "watch"), .step = 0.25, .compensated = 1};
        keel_solver *s = open_if_accepted(&p, &o);
        if (!s || !(method->traits & KEEL_QUADRATIC)) {
            keel_close(s);
            continue;
        }
        assert_ok(s, keel_run(s, 250));
        for (int j = 0; keel_row_at(s, j, &row); j++)
            if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

/* |y| of the rigid body, which any motion on the sphere keeps, with long steps. */
static void lengths_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        if (!(method->traits & KEEL_KEEPS_LENGTH)) continue;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_solver *s = open_if_accepted(
            &p, &(keel_options){.method = pair_of(method->name, "watch"), .step = 0.25, .compensated = 1});
        assert_non_null(s);
        assert_ok(s, keel_run(s, 250));
        assert_true(keel_row_at(s, 0, &row));
        assert_string_equal(row.name, "casimir");
        if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

/* Whatever the geometry of a method: equations of the problem are kept when nothing is said about it.  Those
 * that keep the equations as given say that they do not keep the rates. */
static void constraints_are_kept_by_default(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        problem_pendulum(&p, 1.0);
        keel_solver *s = open_if_accepted(&p, &(keel_options){.method = method->name, .step = 1. / 128});
        if (!s) continue;
        assert_ok(s, keel_run(s, 2));
        for (int j = 0; keel_row_at(s, j, &row) && row.kind <= KEEL_ROW_VELOCITY; j++)
            if (row.kind == KEEL_ROW_VELOCITY && method->traits & KEEL_AS_GIVEN)
                assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
            else if (row.treatment == KEEL_ROW_WATCHED || row.units > 16)
                fail_msg("%s: %s is off by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

/* State, time and certificate are the same bits. */
static void same_bits(const struct bout *b, const keel_solver *one, const keel_solver *other,
                      const char *what) {
    keel_row row, twin;
    size_t bytes = (size_t)(b->p.keel.n + b->p.keel.m) * sizeof(double);
    if (keel_time(one) != keel_time(other) || memcmp(keel_state(one), keel_state(other), bytes) != 0)
        fail_bout(b, "%s gives other bits", what);
    if (!(b->stabilizer->traits & ACTS))
        return; /* other rows are measured from time to time, and at the ends of runs */
    for (int i = 0; keel_row_at(one, i, &row) && keel_row_at(other, i, &twin); i++)
        if (row.drift != twin.drift || row.units != twin.units)
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
        cmocka_unit_test(descriptors_are_complete_and_names_unique),
        cmocka_unit_test(order_is_what_the_descriptor_says_with_every_stabilizer),
        cmocka_unit_test(watching_gives_the_bits_of_not_watching),
        cmocka_unit_test(pairs_are_accepted_by_their_traits),
        cmocka_unit_test(projection_keeps_every_row_to_round_off_at_every_step),
        cmocka_unit_test(one_correction_removes_what_is_linear_in_the_drift),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(adaptive_runs_return_to_the_start_backward_in_time),
        cmocka_unit_test(fixed_steps_turn_round_without_memory),
        cmocka_unit_test(restarts_begin_afresh),
        cmocka_unit_test(symmetric_steps_retrace_themselves),
        cmocka_unit_test(symplectic_methods_keep_the_two_form),
        cmocka_unit_test(methods_that_keep_the_energy_do),
        cmocka_unit_test(linear_invariants_are_kept_without_a_stabilizer),
        cmocka_unit_test(quadratic_invariants_are_kept_without_a_stabilizer),
        cmocka_unit_test(lengths_are_kept_without_a_stabilizer),
        cmocka_unit_test(constraints_are_kept_by_default),
        cmocka_unit_test(one_run_gives_the_bits_of_steps_forks_and_loads),
        cmocka_unit_test(runs_split_at_grid_points_give_the_same_bits),
        cmocka_unit_test(every_problem_keeps_its_rows_with_every_adaptive_method),
        cmocka_unit_test(every_problem_keeps_its_rows_with_fixed_steps),
    };
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
