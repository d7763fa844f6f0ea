/* watch.c - is stability what bounds explicit steps, and would explicit steps be stable again?
 *
 * On x' = lambda x a step of an explicit method multiplies x by R(h lambda), the polynomial of its table; its
 * steps are stable where |R| <= 1.  stiffness.c tells h lambda of the fastest part of the motion.
 *
 * An explicit step counts as stiff if lambda is damped and h lambda lies at the end of the stability region,
 * as near as the control lets steps come to a bound: |R(h lambda / NEAR)| > 1.  FIRM of them without OTHERS
 * in a row that do not count are a finding (the rule of Hairer and Wanner's codes, Solving ODEs II, IV.2).
 *
 * Swings that are hardly damped count in long runs alone, which might have no end: what is slower may swing
 * as well, and then steps of radau are a few times as long and cost more.  Little damping suffices, since
 * nothing of the swing is followed any more: dop853 is stable on the imaginary axis up to 5.96, and from NEAR
 * of that on its error estimate is a third of the swing, or more.
 *
 * A step of a stiff method counts for the way back if explicit steps would be as good: their region holds
 * `longer` h lambda.  An explicit step of order 8 costs what one of Radau IIA does, and what some eight of a
 * multistep method do; the rest is the margin between the two ways.  A return that does not LAST doubles how
 * many in a row the next one takes, so that a motion which is stiff now and then does not pay for changes.
 *
 * Steps are looked at rarely once the run is long, and one after the other where one counts.  Looks depend on
 * the number of the step alone: runs that are saved, forked or sampled have the same bits. */
#include "core/engine.h"

#include "base/portable.h"
#include "core/step_control.h"

#include <limits.h>
#include <math.h>

enum { FIRM = 15, OTHERS = 6, BACK = 4, LAST = 256, MOST_DOUBLED = 8 };
enum {
    SELDOM = 256,
    SHARE = 8
}; /* explicit steps from look to look: a SHARE-th of those so far, seldom more */
enum { ONE_STEP = 16, MULTISTEP = 64 }; /* the same of stiff methods, whose steps cost more or less */
enum { STAGES = 32 };                   /* of a table, at most */
#define NEAR STEP_CONTROL_SAFETY
#define DAMPED 0.1
#define HARDLY_DAMPED 0.001
enum { LONG = 1000 }; /* steps of a long run */
#define USUAL_END 3   /* of a region of which nothing is known */

/* |R(z)| of the table, by its stages for x' = z x, h = 1. */
static double growth(const keel_rk *rk, double re, double im) {
    double k[STAGES][2], sum[2] = {1, 0};
    const double *a = rk->a;
    for (int i = 0; i < rk->stages; i++) {
        double x = 1, y = 0;
        for (int j = 0; j < i; j++, a++) x += *a * k[j][0], y += *a * k[j][1];
        k[i][0] = re * x - im * y;
        k[i][1] = re * y + im * x;
        sum[0] += rk->b[i] * k[i][0];
        sum[1] += rk->b[i] * k[i][1];
    }
    return portable_length(sum[0], sum[1]);
}

/* z = `times` h lambda; parts that grow are resolved as those that are damped. */
static double growth_of(const keel_rk *table, const keel_stiffness *s, double times) {
    double size = times * s->product, damping = fmin(fabs(s->damping), 1);
    return growth(table, -size * damping, size * sqrt(1 - damping * damping));
}

int watch_bounds(const struct engine *e, const keel_rk *table, const keel_stiffness *s) {
    double least = e->r->stats.steps - e->r->watch.since < LONG ? DAMPED : HARDLY_DAMPED;
    if (!table) return s->damping > DAMPED && s->product > USUAL_END;
    return s->damping > least && growth_of(table, s, 1 / NEAR) > 1;
}

/* On the whole way to `longer` h lambda; near the imaginary axis |R| is 1 but for its error. */
static int suits_explicit_steps(const struct engine *e, const keel_stiffness *s) {
    double longer = e->stepper->info.traits & KEEL_MULTISTEP ? 16 : 2;
    for (int part = 1; part <= 8; part++)
        if (growth_of(e->watched, s, longer * part / 8) > 1.01) return 0;
    return 1;
}

static long pause_of(const struct engine *e) {
    const struct watch *w = &e->r->watch;
    long so_far = e->r->stats.steps - w->since, steps = so_far / SHARE, most = SELDOM + so_far / SELDOM;
    if (e->stepper->info.traits & KEEL_IMPLICIT)
        return e->stepper->info.traits & KEEL_MULTISTEP ? MULTISTEP : ONE_STEP;
    return w->hits > 0 || steps < 1 ? 1 : steps < most ? steps : most;
}

void watch_step(struct engine *e) {
    struct watch *w = &e->r->watch;
    keel_stiffness now = {0};
    int stiff = (e->stepper->info.traits & KEEL_IMPLICIT) != 0, others = stiff ? 1 : OTHERS;
    int known = stiffness_find(e, &now) == KEEL_OK;
    int counts = known && (stiff ? suits_explicit_steps(e, &now) : watch_bounds(e, e->watched, &now));
    if (counts && w->hits == 0) w->from = e->r->t;
    w->others = counts ? 0 : w->others + 1;
    w->hits = counts ? w->hits + 1 : w->others >= others ? 0 : w->hits;
    w->wanted = w->hits >= (stiff ? BACK << w->doubled : FIRM);
    w->damping = now.damping;
    w->next = e->r->stats.steps + pause_of(e);
}

void watch_changed(struct engine *e) {
    struct watch *w = &e->r->watch;
    int back = !(e->stepper->info.traits & KEEL_IMPLICIT);
    keel_change *one = &w->change[w->changes < WATCH_CHANGES ? w->changes : WATCH_CHANGES - 1];
    one->t = e->r->t;
    text_set(one->method, sizeof one->method, "%s", e->stepper->info.name);
    w->changes++;
    w->hits = w->others = w->wanted = 0;
    if (!back && w->changes > 1) {
        int lasted = e->r->stats.steps - w->since >= LAST;
        w->doubled = lasted ? 0 : w->doubled < MOST_DOUBLED ? w->doubled + 1 : w->doubled;
    }
    w->since = e->r->stats.steps;
    w->next = w->since + pause_of(e);
}

void watch_give_up(struct engine *e) {
    e->r->watch.wanted = 0;
    e->r->watch.next = LONG_MAX;
}

int watch_is_sound(const struct watch *w) {
    for (int k = 0; k < WATCH_CHANGES; k++)
        if (!memchr(w->change[k].method, 0, sizeof w->change[k].method)) return 0;
    return w->hits >= 0 && w->hits < INT_MAX / 2 && w->others >= 0 && w->others < INT_MAX / 2 &&
           w->doubled >= 0 && w->doubled <= MOST_DOUBLED && (w->wanted == 0 || w->wanted == 1) &&
           w->changes >= 0 && w->changes < LONG_MAX / 2 && w->since >= 0;
}
