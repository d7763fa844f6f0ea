/* events.c - sign changes of the event functions inside a step.
 *
 * Each step is sampled on its dense output, with the slopes at both ends, so that a pair of roots between
 * two samples shows as an extremum and is followed; where the samples are too few for what the functions
 * do, a shorter piece is sampled.  A bracketed root is refined on the manifold and then polished by stepping
 * again from the begin of the step, so that an event is as accurate as the method, not as its interpolant. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLURS = 8 };      /* in a step: pieces that nothing resolves */
enum { DISTINCT = 512 }; /* round-offs of t: in less the samples have times in common */
#define SHORTEST 0x1p-20 /* piece of a step */

/* The first and last pair give the end slopes. */
static const double share[EVENTS_SAMPLES] = {0,      1. / 256, 1. / 9, 2. / 9, 3. / 9,     4. / 9,
                                             5. / 9, 6. / 9,   7. / 9, 8. / 9, 255. / 256, 1};

static int sign_of(double value) {
    return (value > 0) - (value < 0);
}

void events_begin(struct engine *e) {
    for (int i = 0; i < e->field.p.event.count; i++) e->events.sign[i] = 0;
    e->r->just_begun = 1;
}

keel_status events_values(struct engine *e, double t, int projected, double *out) {
    struct field *fd = &e->field;
    double *u = e->events.trial;
    keel_status status = projected || fd->m ? dense_at(e, t, u) : dense_raw(e, t, u);
    return status == KEEL_OK ? events_at(e, t, u, out) : status;
}

static keel_status value_at(struct engine *e, int i, double t, double *out) {
    keel_status status = events_values(e, t, 1, e->events.here);
    *out = e->events.here[i];
    return status;
}

/* The root of event i in [a, b], with values of opposite sign at the ends: Illinois, never leaving the
 * bracket.  It is the first place on the far side; a itself only if its value says so. */
static keel_status refine(struct engine *e, int i, double a, double b, double at_a, double at_b,
                          double *root) {
    int side = 0;
    for (int iteration = 0; iteration < 100; iteration++) {
        double width = fabs(b - a), tiny = 2 * DBL_EPSILON * fmax(fabs(a), fabs(b)), at_c;
        if (width <= 2 * tiny || at_a == 0 || at_b == 0) break;
        double part = iteration > 40 ? 0.5 : at_a / (at_a - at_b);
        part = fmin(fmax(part, tiny / width), 1 - tiny / width); /* a root at one end draws the other to it */
        double c = a + part * (b - a);
        keel_status status = value_at(e, i, c, &at_c);
        if (status != KEEL_OK) return status;
        if (sign_of(at_c) == sign_of(at_a)) {
            a = c;
            at_a = at_c;
            if (side == -1) at_b *= 0.5;
            side = -1;
        } else {
            b = c;
            at_b = at_c;
            if (side == 1) at_a *= 0.5;
            side = 1;
        }
    }
    *root = at_a == 0 ? a : b;
    return KEEL_OK;
}

/* Follows |value| downhill from three samples with a low middle, until it crosses zero or clearly does
 * not. */
static keel_status dips_below(struct engine *e, int i, double a, double m, double b, int sign, double *at,
                              double *value) {
    double low = *value * sign; /* > 0, at m */
    for (int iteration = 0; iteration < 24 && fabs(b - a) > 1e-7 * fabs(e->r->h_taken); iteration++) {
        int left = fabs(m - a) > fabs(b - m);
        double c = left ? m + 0.381966 * (a - m) : m + 0.381966 * (b - m), at_c;
        keel_status status = value_at(e, i, c, &at_c);
        if (status != KEEL_OK) return status;
        if (at_c * sign <= 0) {
            *at = c;
            *value = at_c;
            return KEEL_EVENT;
        }
        if (at_c * sign < low) {
            *(left ? &b : &a) = m;
            m = c;
            low = at_c * sign;
        } else {
            *(left ? &a : &b) = c;
        }
    }
    return KEEL_OK;
}

/* d/dt of event i on the dense output near t. */
static double slope_at(struct engine *e, int i, double t) {
    const struct run_state *r = e->r;
    double low = fmin(r->t_before, r->t), high = fmax(r->t_before, r->t), delta = 1e-4 * fabs(r->h_taken);
    double from = fmax(t - delta, low), to = fmin(t + delta, high), at_from, at_to;
    if (value_at(e, i, from, &at_from) != KEEL_OK || value_at(e, i, to, &at_to) != KEEL_OK) return 0;
    return (at_to - at_from) / (to - from);
}

/* From the begin of the step to the root itself: Newton on the method's own step, not beyond t_to, nor back
 * to where the step begins: time must pass.  Without a slope the root stays, and the step goes up to it. */
static void polish(struct engine *e, const struct events_root *f, double t_to, double *root, double *u) {
    const struct run_state *r = e->r;
    double t = f->t, slope = f->slope;
    int i = f->event;
    for (int iteration = 0; iteration < 6; iteration++) {
        if (step_again(e, t, e->events.trial) != KEEL_OK) return;
        if (events_at(e, t, e->events.trial, e->events.here) != KEEL_OK) return;
        memcpy(u, e->events.trial, (size_t)(e->field.n + e->field.m) * sizeof *u);
        *root = t;
        if (slope == 0) return;
        double change = -e->events.here[i] / slope;
        if (fabs(change) <= 2 * DBL_EPSILON * fabs(t) || fabs(t + change - f->t) > 0.1 * fabs(r->h_taken))
            return;
        t += change;
        if (!(t >= f->low && t <= f->high) || (t - r->t_before) * r->direction <= 0) return;
        if ((t - t_to) * r->direction > 0) t = t_to;
        if (t == *root) return;
    }
}

struct bracket {
    double a, b, at_a, at_b;
};

/* The sign of an event before its next crossing.  Where a run begins, values that are zero to round-off do
 * not tell. */
static int sign_known(const struct engine *e, double value, double largest) {
    return e->r->just_begun && fabs(value) <= EVENTS_NEGLIGIBLE * largest ? 0 : sign_of(value);
}

/* The sign event i takes when a run begins on it, seen on ways that grow eightfold: a ball that hops for a
 * millionth of the step is above the ground at first.  Round-off does not grow, so three values in a row do
 * tell, each four times the one before.  0: none up to t. */
static int sign_leaving(struct engine *e, int i, double from, double t) {
    double before = 0, shortest = 8 * DBL_EPSILON * fmax(fabs(from), fabs(t));
    int grown = 0;
    for (double way = ldexp(t - from, -42); fabs(way) < fabs(t - from); way *= 8) {
        double here;
        if (fabs(way) < shortest) continue;
        if (value_at(e, i, from + way, &here) != KEEL_OK) return 0;
        grown = before * here > 0 && fabs(here) >= 4 * fabs(before) ? grown + 1 : 0;
        if (grown == 2) return sign_of(here);
        before = here;
    }
    return 0;
}

/* On a crossing to `sign` at *a, and back on the other side at b: the way back lies beyond a place with this
 * sign.  If none is found both are at *a. */
static keel_status leave_crossing(struct engine *e, int i, int sign, double b, double *a, double *at_a) {
    double begin = *a, part = b - begin;
    *at_a = 0;
    for (int halvings = 0; halvings < 20; halvings++) {
        double value;
        part *= 0.5;
        keel_status status = value_at(e, i, begin + part, &value);
        if (status != KEEL_OK) return status;
        if (sign_of(value) != sign) continue;
        *a = begin + part;
        *at_a = value;
        break;
    }
    return KEEL_OK;
}

/* The first crossing of event i among the samples, in the wanted direction; signs on the way are kept in
 * *sign. */
static keel_status first_crossing(struct engine *e, int i, const double *t, int *sign,
                                  struct bracket *found) {
    int count = e->field.p.event.count;
    int wanted = e->field.p.event_direction ? e->field.p.event_direction[i] : 0;
    const double *v = e->events.samples + i;
    double largest = 0;
    for (int k = 0; k < EVENTS_SAMPLES; k++) largest = fmax(largest, fabs(v[(long)k * count]));
    double noise = surfaces_noise(e, i, largest);
    if (*sign == 0) *sign = sign_known(e, v[0], largest);
    if (*sign == 0 && largest > 0 && e->r->just_begun)
        *sign = sign_leaving(e, i, t[0], t[EVENTS_SAMPLES - 1]);
    for (int k = 1; k < EVENTS_SAMPLES; k++) {
        double before = v[(long)(k - 1) * count], here = v[(long)k * count];
        if (*sign == 0) {
            *sign = sign_known(e, here, largest);
            continue;
        }
        if (fabs(here) <= noise) continue;
        if (sign_of(here) != *sign) {
            if (wanted == 0 || wanted == -*sign) {
                *found = (struct bracket){t[k - 1], t[k], before, here};
                if (sign_of(before) == *sign) return KEEL_EVENT;
                keel_status status = leave_crossing(e, i, *sign, t[k], &found->a, &found->at_a);
                return status == KEEL_OK ? KEEL_EVENT : status;
            }
            *sign = -*sign;
            continue;
        }
        if (k + 1 == EVENTS_SAMPLES || sign_of(before) != *sign) continue;
        double next = v[(long)(k + 1) * count], at = t[k], value = here;
        if (!(here * *sign <= before * *sign && here * *sign < next * *sign)) continue;
        keel_status status = dips_below(e, i, t[k - 1], t[k], t[k + 1], *sign, &at, &value);
        if (status < 0 || status == KEEL_RETRY) return status;
        if (status == KEEL_OK) continue;
        int early = fabs(at - t[k - 1]) < fabs(t[k] - t[k - 1]); /* below zero before or after sample k */
        if (wanted == 0 || wanted == -*sign) {
            *found = (struct bracket){t[early ? k - 1 : k], at, early ? before : here, value};
        } else { /* the way back is the event */
            *found = (struct bracket){at, t[early ? k : k + 1], value, early ? here : next};
            *sign = -*sign;
        }
        return KEEL_EVENT;
    }
    return KEEL_OK;
}

static keel_status sample(struct engine *e, double from, double to, double *t) {
    int count = e->field.p.event.count;
    keel_status status = KEEL_OK;
    for (int k = 0; k < EVENTS_SAMPLES && status == KEEL_OK; k++) {
        t[k] = k == 0 ? from : k == EVENTS_SAMPLES - 1 ? to : from + share[k] * (to - from);
        status =
            events_values(e, t[k], k == 0 || k == EVENTS_SAMPLES - 1, e->events.samples + (long)k * count);
    }
    return status;
}

/* Do the samples show what event i does?  Each inner one is compared with the cubic through its four
 * neighbours: where the two differ by more than a quarter of the values around, the function may go through
 * zero and back unseen.  sin(w t) passes with five samples a period; the samples close to the ends give away
 * functions so fast that the others lie on a slow one by chance. */
static int resolved(const struct engine *e, int i) {
    int count = e->field.p.event.count;
    const double *v = e->events.samples + i;
    double largest = 0;
    for (int k = 0; k < EVENTS_SAMPLES; k++) largest = fmax(largest, fabs(v[(long)k * count]));
    for (int k = 2; k < EVENTS_SAMPLES - 2; k++) {
        double cubic = 0, around = fabs(v[(long)k * count]);
        for (int j = k - 2; j <= k + 2; j++) {
            double weight = 1;
            if (j == k) continue;
            for (int l = k - 2; l <= k + 2; l++)
                if (l != j && l != k) weight *= (share[k] - share[l]) / (share[j] - share[l]);
            cubic += weight * v[(long)j * count];
            if (j == k - 1 || j == k + 1) around = fmax(around, fabs(v[(long)j * count]));
        }
        if (fabs(cubic - v[(long)k * count]) > fmax(0.25 * around, EVENTS_NEGLIGIBLE * largest)) return 0;
    }
    return 1;
}

static int all_resolved(const struct engine *e) {
    for (int i = 0; i < e->field.p.event.count; i++)
        if (!resolved(e, i)) return 0;
    return 1;
}

/* Samples of a piece of the step, from where events have been looked for towards t_to; t has their times.
 * Pieces are halved until they are resolved, and the next one begins with twice the length.  A nonsmooth zero
 * is resolved by no length, noise nowhere: after a few such pieces the step is taken as it is. */
static keel_status sample_piece(struct engine *e, double t_to, double *t) {
    struct run_state *r = e->r;
    double rest = t_to - r->scanned, shortest = fmax(SHORTEST * fabs(r->h_taken), 1e-12 * fabs(t_to));
    double piece =
        r->piece > 0 && r->piece < fabs(rest) && r->blurs <= BLURS ? copysign(r->piece, rest) : rest;
    for (;; piece *= 0.5) {
        keel_status status = sample(e, r->scanned, piece == rest ? t_to : r->scanned + piece, t);
        if (status != KEEL_OK) return status;
        r->piece = 2 * fabs(piece);
        if (r->blurs > BLURS || all_resolved(e)) return KEEL_OK;
        if (fabs(piece) > shortest) continue;
        r->blurs++;
        return KEEL_OK;
    }
}

/* The dense output crosses at `root`, the method's own step at t: the search goes on from the root, so that a
 * crossing is found once wherever the two lie. */
static void stand_on(struct engine *e, int i, double root, double t, const double *u) {
    struct run_state *r = e->r;
    memcpy(e->x_now, u, (size_t)(e->field.n + e->field.m) * sizeof *u);
    r->t_now = t;
    r->scanned = root;
    r->inside = 1;
    if (surfaces_of_event(e, i) >= 0) {
        r->surface = i;
        r->event = -1;
        return;
    }
    r->event = i;
    r->stats.events++;
    e->events.sign[i] = -e->events.sign[i];
}

/* The first root of all events among the samples at t: its event, or -1.  The signs on the way are those of
 * the end of the piece, or those before the root. */
static int first_root(struct engine *e, const double *t, keel_status *status) {
    struct events *ev = &e->events;
    int count = e->field.p.event.count, best = -1;
    for (int i = 0; i < count && *status == KEEL_OK; i++) {
        struct bracket found = {0};
        int sign = ev->sign[i];
        ev->root[i] = HUGE_VAL;
        ev->crossing[i] = sign;
        keel_status crossing = first_crossing(e, i, t, &sign, &found);
        ev->crossing[i] = sign;
        if (crossing == KEEL_OK) continue;
        *status = crossing == KEEL_EVENT
                      ? refine(e, i, found.a, found.b, found.at_a, found.at_b, &ev->root[i])
                      : crossing;
        ev->sign[i] = sign; /* before the root */
        if (*status == KEEL_OK && (best < 0 || (ev->root[i] - ev->root[best]) * e->r->direction < 0))
            best = i;
    }
    if (*status != KEEL_OK || best >= 0) return best;
    memcpy(ev->sign, ev->crossing, (size_t)count * sizeof *ev->sign);
    e->r->scanned = t[EVENTS_SAMPLES - 1];
    e->r->just_begun = 0;
    surfaces_scanned(e, ev->samples + (long)(EVENTS_SAMPLES - 1) * count);
    return -1;
}

/* The first root up to t_to by samples. */
static keel_status find_by_samples(struct engine *e, double t_to, struct events_root *found) {
    struct run_state *r = e->r;
    double t[EVENTS_SAMPLES];
    int best = -1;
    *found = (struct events_root){.event = -1};
    while (best < 0 && r->scanned != t_to) {
        if (fabs(t_to - r->scanned) <= DISTINCT * DBL_EPSILON * fabs(t_to)) {
            r->scanned = t_to; /* too short to tell signs: with what follows */
            return KEEL_OK;
        }
        keel_status status = sample_piece(e, t_to, t);
        if (status == KEEL_OK) best = first_root(e, t, &status);
        if (status != KEEL_OK) return status;
    }
    if (best < 0) return KEEL_OK;
    double at = e->events.root[best];
    int one_step = !(e->stepper->info.traits & KEEL_MULTISTEP);
    *found = (struct events_root){best, at, one_step ? slope_at(e, best, at) : 0, -HUGE_VAL, HUGE_VAL};
    return KEEL_OK;
}

int events_scan(struct engine *e, double t_to, keel_status *status) {
    struct run_state *r = e->r;
    struct events_root found = {.event = -1};
    *status = KEEL_OK;
    if (!events_next_root(e, t_to, &found, status) && *status == KEEL_OK)
        *status = find_by_samples(e, t_to, &found);
    if (*status != KEEL_OK || found.event < 0) return 0;
    double at = found.t, *u = e->events.at_root;
    int one_step = !(e->stepper->info.traits & KEEL_MULTISTEP);
    *status = dense_at(e, at, u);
    if (*status == KEEL_OK && one_step) polish(e, &found, t_to, &at, u);
    if (*status == KEEL_OK && r->inside && (at - r->t_now) * r->direction < 0) { /* time never goes back */
        at = r->t_now;
        *status = one_step ? step_again(e, at, u) : dense_at(e, at, u);
    }
    if (*status != KEEL_OK) return 0;
    stand_on(e, found.event, found.t, at, u);
    return 1;
}
