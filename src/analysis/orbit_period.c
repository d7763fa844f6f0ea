/* orbit_period.c - where the search for a periodic orbit begins: the period, if it is not given, the sizes
 * of the states, and the nodes' times; whether equations with t have the period that is given. */
#include "analysis/orbit.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1000000 }; /* steps of the run */

/* The times of steps. */
struct times {
    double *t;
    long count, room;
    int failed;
};

static int times_add(struct times *l, double t) {
    if (l->count == l->room) {
        long room = l->room ? 2 * l->room : 1024;
        double *wider = realloc(l->t, (size_t)room * sizeof *wider);
        l->failed = !wider;
        if (!wider) return 0;
        l->t = wider;
        l->room = room;
    }
    l->t[l->count++] = t;
    return 1;
}

static double largest_size(const keel_orbit *o) {
    double largest = 0;
    for (int j = 0; j < o->n; j++) largest = fmax(largest, o->size[j]);
    return largest;
}

/* How far x is from the start, in sizes; states that rest have none. */
static double way_from_start(const keel_orbit *o, const double *x) {
    double least = o->noise * largest_size(o), way = 0;
    for (int j = 0; j < o->n; j++) way = hypot(way, (x[j] - o->x[j]) / (o->size[j] > least ? o->size[j] : 1));
    return way;
}

/* The model's run: the sizes of its states, the times of its steps, and the first time at which it is
 * nearer to its start than before and after, and nearer than a fifth of the way it went; NAN: it does not
 * come back. */
static double first_return(keel_orbit *o, double *x, double to, int seek, struct times *times) {
    struct bundle *b = &o->bundle;
    double far = 0, before = 0, last = 0;
    for (int j = 0; j < o->n; j++) o->size[j] = fabs(o->x[j]);
    while (times->count < MOST) {
        if (!times_add(times, bundle_time(b))) return NAN;
        bundle_get(b, x, NULL);
        for (int j = 0; j < o->n; j++) o->size[j] = fmax(o->size[j], fabs(x[j]));
        double now = way_from_start(o, x);
        far = fmax(far, now);
        if (seek && times->count > 3 && last < before && last <= now && last < 0.2 * far)
            return times->t[--times->count - 1] - o->t0;
        before = last, last = now;
        if ((to - bundle_time(b)) * (to - o->t0) <= 0 || keel_sim_step(b->sim, to) < 0) break;
    }
    return NAN;
}

/* Nodes are as many steps apart, so that all segments are about as hard. */
static void place_parts(keel_orbit *o, const struct times *times) {
    for (int i = 0; i <= o->nodes; i++) {
        long k = (times->count - 1) * i / o->nodes;
        o->part[i] =
            times->count > 2 * o->nodes ? (times->t[k] - o->t0) / o->about.period : (double)i / o->nodes;
    }
    o->part[o->nodes] = 1;
}

keel_status orbit_find_period(keel_orbit *o, const keel_orbit_options *with) {
    struct times times = {0};
    double from, to, *x = malloc(((size_t)o->n + 1) * sizeof *x);
    if (!x) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    keel_model_span(o->bundle.model, &from, &to);
    if (with->period > 0) to = o->t0 + with->period;
    double found = first_return(o, x, to, !(with->period > 0), &times);
    free(x);
    o->about.guess = o->about.period = with->period > 0 ? with->period : found;
    if (times.failed) orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    else if (isnan(o->about.period))
        orbit_fail(
            o, KEEL_EINVAL,
            "the run from t = %g to %g does not come back near its start: say about how long the period is",
            from, to);
    else if (!(o->about.period > 0)) orbit_fail(o, KEEL_EINVAL, "orbits are sought forwards in time");
    else place_parts(o, &times);
    free(times.t);
    return o->status;
}

/* A state that rests along the run, but for the errors of the steps, has no size there: it is 1, or that
 * which balances its rates with the others. */
keel_status orbit_find_sizes(keel_orbit *o) {
    size_t n = (size_t)o->n, all = n * (size_t)o->r;
    double *known = malloc((2 * n + all + 1) * sizeof *known), *grown = known + n, *rate = grown + n;
    double least = o->noise * largest_size(o);
    int unknown = 0;
    if (!known) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    for (size_t j = 0; j < n; j++) {
        known[j] = o->size[j] > least;
        unknown += !(known[j] > 0);
        if (!(known[j] > 0)) o->size[j] = 1;
    }
    for (size_t k = 0; k < all; k++) o->q[k] /= o->size[k % n];
    if (unknown && orbit_go_to_node(o, 0) == KEEL_OK && bundle_rates(&o->bundle, NULL, rate) == KEEL_OK) {
        for (size_t k = 0; k < all; k++) rate[k] /= o->size[k % n];
        bundle_balance(o->n, o->r, rate, o->q, known, grown);
        for (size_t j = 0; j < n; j++) o->size[j] *= grown[j];
        for (size_t k = 0; k < all; k++) o->q[k] /= grown[k % n];
    }
    free(known);
    return o->bundle.status < 0 ? orbit_bundle_failed(o) : o->status;
}

/* x' at some times of the orbit, and at the same points a period later: are they the same?  A motion may come
 * back after a time that is none of the equations'. */
keel_status orbit_check_period(keel_orbit *o) {
    enum { LOOKS = 7 };
    size_t n = (size_t)o->n;
    double *x = malloc((3 * n + n * (size_t)o->r + 1) * sizeof *x), *q = x + 3 * n, *now = x + n,
           *then = now + n;
    struct bundle *b = &o->bundle;
    if (!x) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    for (int k = 0; k < LOOKS && o->status == KEEL_OK; k++) {
        double t = o->t0 + o->about.period * fmod(k * 0.6180339887498949, 1), off = 0, speed = 1;
        int good = orbit_go_to_node(o, 0) == KEEL_OK && (k == 0 || bundle_go(b, t) == KEEL_OK);
        if (good) bundle_get(b, x, q);
        for (size_t i = 0; i < n * (size_t)o->r && good; i++) q[i] /= o->size[i % n];
        good = good && bundle_rates(b, now, NULL) == KEEL_OK &&
               bundle_place(b, t + o->about.period, o->size, x, q) == KEEL_OK &&
               bundle_rates(b, then, NULL) == KEEL_OK;
        for (size_t j = 0; j < n && good; j++) {
            off = fmax(off, fabs(then[j] - now[j]) / o->size[j] * o->about.period);
            speed = fmax(speed, fabs(now[j]) / o->size[j] * o->about.period);
        }
        if (!good) orbit_bundle_failed(o);
        else if (!(off <= 1e-7 * speed))
            orbit_fail(
                o, KEEL_EINVAL,
                "the motion comes back after %.10g, and the equations, which depend on t, do not: give "
                "their own period, or a multiple of it",
                o->about.period);
    }
    free(x);
    return o->status;
}
