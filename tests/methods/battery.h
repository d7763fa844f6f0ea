/* battery.h - one battery over every registered method and every stabilizer it goes with: scenes, and bouts
 * of a pair in a scene.
 *
 * Nothing here knows a method by name: what is expected follows from order and traits alone, so that a method
 * is tested by being listed.  A pair that is refused must say why, and at least one problem must accept each
 * method. */
#ifndef KEEL_TESTS_BATTERY_H
#define KEEL_TESTS_BATTERY_H

#include "testing.h"

#include <keel/stabilizer.h>

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

static inline void scene_fill(int i, problem *p) {
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
static inline keel_solver *open_if_accepted(const problem *p, const keel_options *o) {
    keel_solver *s = keel_open(&p->keel, o);
    assert_non_null(s);
    if (keel_state_of(s) == KEEL_OK) return s;
    if (keel_state_of(s) != KEEL_EINVAL) fail_msg("%s with %s: %s", p->keel.name, o->method, keel_message(s));
    assert_true(strlen(keel_message(s)) > 20);
    keel_close(s);
    return NULL;
}

static inline int accepted(const problem *p, const keel_options *o) {
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
 * nothing for the others; long_battery*.c show them all. */
static inline int sits_out(const struct bout *b) {
#ifdef BATTERY_WHOLE
    return b->scene == SCENES;
#else
    unsigned hash = 2166136261u;
    for (const char *c = b->o.method; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    return b->stabilizer->traits & DEAR && (hash >> 8) % SCENES != (unsigned)b->scene;
#endif
}

/* Calls check for all pairs that are accepted, of methods with all of `traits`. */
static inline void for_all_bouts(unsigned traits, bout_check *check) {
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

static inline keel_solver *bout_open(const struct bout *b) {
    keel_solver *s = keel_open(&b->p.keel, &b->o);
    if (!s || keel_state_of(s) != KEEL_OK) fail_bout(b, "%s", keel_message(s));
    return s;
}

static inline void bout_run(const struct bout *b, keel_solver *s, double t) {
    keel_status status = keel_run(s, t);
    if (status != KEEL_OK) fail_bout(b, "%s", keel_message(s));
}

/* Largest error over the span with `steps` equal steps (a multiple of POINTS); infinite: broke down. */
static inline double error_with(const struct bout *b, long steps) {
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

/* In a span: long ones for high orders, so that there is an error to see. */
static inline int steps_that_err(const struct bout *b) {
    return b->method->order > 4 && !(b->method->traits & KEEL_MULTISTEP) ? 128 : 512;
}

static inline void set_tolerance(struct bout *b, double rtol) {
    b->o.rtol = rtol;
    b->o.atol = 1e-3 * rtol;
}

/* |state - start|, largest component. */
static inline double away_from_start(const struct bout *b, const keel_solver *s) {
    double worst = 0;
    for (int i = 0; i < b->p.keel.n; i++) worst = fmax(worst, fabs(keel_state(s)[i] - b->p.u0[i]));
    return worst;
}
#endif
