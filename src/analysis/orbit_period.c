/* orbit_period.c - where the search for a periodic orbit begins: the period, if it is not given, the sizes
 * of the states, and the nodes' times. */
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

/* The model's run: the sizes of its states, the times of its steps, and the first time at which it is
 * nearer to its start than before and after, and nearer than a fifth of the way it went; NAN: it does not
 * come back. */
static double first_return(keel_orbit *o, double *x, double to, int seek, struct times *times) {
    struct bundle *b = &o->bundle;
    double *start = o->x, far = 0, before = 0, last = 0;
    for (int j = 0; j < o->n; j++) o->size[j] = fabs(start[j]);
    while (times->count < MOST) {
        double now = 0;
        if (!times_add(times, bundle_time(b))) return NAN;
        bundle_get(b, x, NULL);
        for (int j = 0; j < o->n; j++) o->size[j] = fmax(o->size[j], fabs(x[j]));
        for (int j = 0; j < o->n; j++)
            now = hypot(now, (x[j] - start[j]) / (o->size[j] > 0 ? o->size[j] : 1));
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
    for (int j = 0; j < o->n; j++)
        if (!(o->size[j] > 0)) o->size[j] = 1;
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
