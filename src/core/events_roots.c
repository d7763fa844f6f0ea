/* events_roots.c - events of methods whose dense output is a polynomial: its event functions are polynomials,
 * too, and their roots are isolated (roots.h), so that no pair of them is too close to be seen.
 *
 * A polynomial is believed on a piece of the step where it meets the function at the end: its error grows
 * with the highest power of the way.  Pieces are halved until that is so.  All of the piece is searched each
 * time, from the signs at its begin, and the roots behind are counted: what is found depends on the step
 * alone. */
#include "core/engine.h"
#include "core/roots.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MET 1e-13        /* of the sum of |terms|: what the polynomial may be off by at the end of a piece */
#define NOISY 1e-6       /* the same, where shorter pieces do not help */
#define SHORTEST 0x1p-20 /* piece of a step */

_Static_assert(EVENTS_TERMS == ROOTS_DEGREE + 1, "a polynomial of events has its roots found");

/* (a - s) (s + 1 - a) in place of a staircase's own polynomial a: it changes sign where the side s ends. */
static int stairs(struct engine *e) {
    struct run_state *r = e->r;
    int degree = r->degree, any = 0;
    for (int k = 0; k < e->surfaces.count; k++)
        any |= e->field.p.event_kind[e->surfaces.event[k]] == KEEL_STAIRCASE;
    if (!any) return 1;
    if (2 * degree >= EVENTS_TERMS) return 0;
    for (int i = 0; i < e->field.p.event.count; i++) {
        double *a = e->events.polynomial + (long)i * EVENTS_TERMS, left[EVENTS_TERMS], right[EVENTS_TERMS];
        int surface = surfaces_of_event(e, i);
        for (int k = degree + 1; k <= 2 * degree; k++) a[k] = 0;
        if (surface < 0 || e->field.p.event_kind[i] != KEEL_STAIRCASE) continue;
        for (int k = 0; k <= degree; k++) {
            left[k] = k ? a[k] : a[0] - e->surfaces.side[surface];
            right[k] = k ? -a[k] : e->surfaces.side[surface] + 1 - a[0];
        }
        for (int k = 0; k <= 2 * degree; k++) a[k] = 0;
        for (int k = 0; k <= degree; k++)
            for (int l = 0; l <= degree; l++) a[k + l] += left[k] * right[l];
    }
    r->degree = 2 * degree;
    return 1;
}

/* The polynomials over from .. to, for a way of 1; 0: one of them is not there. */
static int expand(struct engine *e, double from, double to) {
    struct events *ev = &e->events;
    int count = e->field.p.event.count, degree = 0, good = 1;
    keel_segment step = dense_step(e);
    double way = to - from;
    e->work.code = 0;
    const double *c = e->stepper->events(&e->work, &step, dense_way(e, from), &degree);
    step_count(e);
    if (!c || degree < 1 || degree >= EVENTS_TERMS) return 0;
    for (int i = 0; i < count; i++) {
        double power = 1, *a = ev->polynomial + (long)i * EVENTS_TERMS;
        for (int k = 0; k <= degree; k++, power *= way) {
            a[k] = c[(long)k * count + i] * power;
            good &= isfinite(a[k]) != 0;
        }
    }
    e->r->degree = degree;
    return good && stairs(e);
}

static double sum_of_terms(int degree, const double *a) {
    double sum = 0;
    for (int k = 0; k <= degree; k++) sum += fabs(a[k]);
    return sum;
}

/* What the event functions change by where t and x move by a round-off: below it they have no sign. */
static keel_status find_noise(struct engine *e, double t) {
    struct events *ev = &e->events;
    struct field *fd = &e->field;
    int count = fd->p.event.count;
    double *u = ev->trial;
    keel_status status = KEEL_OK;
    for (int i = 0; i < count; i++) ev->noise[i] = 0;
    for (int way = 0; way < 4 && status == KEEL_OK; way++) {
        double shift = way == 0 ? 0 : DBL_EPSILON;
        memcpy(u, e->x[e->r->current], (size_t)(fd->n + fd->m) * sizeof *u);
        for (int j = 0; j < fd->n + fd->m; j++) u[j] += ((j + way) % 3 == 1 ? -shift : shift) * u[j];
        status = events_at(e, t * (1 + shift), u, way == 0 ? ev->root : ev->here);
        for (int i = 0; i < count && way > 0 && status == KEEL_OK; i++)
            ev->noise[i] = fmax(ev->noise[i], 4 * fabs(ev->here[i] - ev->root[i]));
    }
    return status;
}

/* The largest miss of a function by its polynomial at `to`, in sums of |terms|; what is noise. */
static keel_status compare(struct engine *e, double to, double *worst) {
    struct events *ev = &e->events;
    int degree = e->r->degree;
    keel_status status = find_noise(e, e->r->t);
    if (status == KEEL_OK) status = events_values(e, to, 0, ev->here);
    *worst = 0;
    for (int i = 0; i < e->field.p.event.count && status == KEEL_OK; i++) {
        const double *a = ev->polynomial + (long)i * EVENTS_TERMS;
        double terms = sum_of_terms(degree, a), miss = fabs(ev->here[i] - roots_value(degree, a, 1));
        ev->noise[i] = fmax(fmax(ev->noise[i], 4 * DBL_EPSILON * (degree + 4) * terms), 4 * miss);
        if (!(miss <= MET * terms)) *worst = fmax(*worst, miss < HUGE_VAL ? miss / terms : HUGE_VAL);
    }
    return status;
}

/* Zero to round-off, of the values and of the clock, where the piece begins: the sign is that on the way.  A
 * run may begin on an event with slopes that are zero, too: a string that has just become slack. */
static void settle_begin(struct engine *e) {
    const struct run_state *r = e->r;
    double way = fabs(r->piece_to - r->piece_from), clock = 8 * DBL_EPSILON * fabs(r->piece_from) / way;
    for (int i = 0; i < e->field.p.event.count; i++) {
        double *a = e->events.polynomial + (long)i * EVENTS_TERMS, terms = sum_of_terms(r->degree, a);
        int begins = r->just_begun || r->left == i;
        double zero = fmax(e->events.noise[i], clock * fabs(a[1]));
        if (begins) zero = fmax(zero, EVENTS_NEGLIGIBLE * terms);
        for (int k = 0; k <= (begins ? r->degree : 0) && fabs(a[k]) <= zero; k++) a[k] = 0;
    }
}

/* The piece from where events have been looked for on.  0: polynomials do not serve. */
static int open_piece(struct engine *e, keel_status *status) {
    struct run_state *r = e->r;
    double rest = r->t - r->scanned, shortest = fmax(SHORTEST * fabs(r->h_taken), 1e-12 * fabs(r->t));
    double piece = r->piece > 0 && r->piece < fabs(rest) ? copysign(r->piece, rest) : rest, before = HUGE_VAL;
    for (;; piece *= 0.5) {
        double to = piece == rest ? r->t : r->scanned + piece, worst;
        if (!expand(e, r->scanned, to)) return 0;
        *status = compare(e, to, &worst);
        if (*status != KEEL_OK) return 0;
        r->piece_from = r->scanned;
        r->piece_to = to;
        r->piece = 2 * fabs(piece);
        if (worst == 0 || (worst <= NOISY && worst > 0.25 * before)) break;
        if (fabs(piece) <= shortest) return 0;
        before = worst;
    }
    settle_begin(e);
    for (int i = 0; i < e->field.p.event.count; i++) {
        e->events.sign_before[i] = e->events.sign[i];
        e->events.passed[i] = 0;
    }
    return 1;
}

/* All of the piece is behind. */
static void close_piece(struct engine *e) {
    struct run_state *r = e->r;
    for (int i = 0; i < e->field.p.event.count; i++) e->events.sign[i] = e->events.crossing[i];
    r->scanned = r->piece_to;
    r->degree = r->just_begun = 0;
    r->left = -1;
}

/* Roots of event i in the piece, in shares of it; the sign before the first, and behind the last. */
static int list_roots(const struct engine *e, int i, int *first, int *last, double *at) {
    const struct run_state *r = e->r;
    const double *a = e->events.polynomial + (long)i * EVENTS_TERMS;
    double least = 2 * DBL_EPSILON * fabs(r->piece_to) / fabs(r->piece_to - r->piece_from);
    *last = e->events.sign_before[i];
    int count = roots_find(r->degree, a, e->events.noise[i], fmin(least, 0.25), last, at);
    *first = count % 2 ? -*last : *last;
    return count;
}

static double time_of(const struct run_state *r, double share) {
    return share == 1 ? r->piece_to : r->piece_from + share * (r->piece_to - r->piece_from);
}

/* The first root of event i that is not behind and goes the way wanted, if it comes before found->t. */
static void look_at(struct engine *e, int i, struct events_root *found) {
    const struct run_state *r = e->r;
    const double *a = e->events.polynomial + (long)i * EVENTS_TERMS;
    double at[ROOTS_DEGREE], way = r->piece_to - r->piece_from;
    int wanted = e->field.p.event_direction ? e->field.p.event_direction[i] : 0, sign, last;
    int count = list_roots(e, i, &sign, &last, at);
    e->events.crossing[i] = last;
    for (int k = 0; k < count; k++, sign = -sign) {
        double t = time_of(r, at[k]);
        if (k < e->events.passed[i] || (wanted != 0 && wanted != -sign)) continue;
        if ((t - found->t) * r->direction > 0 || (t == found->t && found->event >= 0)) return;
        double from = k > 0 ? time_of(r, 0.5 * (at[k] + at[k - 1])) : r->t_before;
        double to = k + 1 < count ? time_of(r, 0.5 * (at[k] + at[k + 1])) : r->t;
        *found = (struct events_root){i, t, roots_slope(r->degree, a, at[k]) / way, fmin(from, to),
                                      fmax(from, to)};
        e->events.root[i] = k;
        return;
    }
}

/* Every event has the sign it has just before the root found, and that one will be behind. */
static void stop_before(struct engine *e, const struct events_root *found) {
    struct events *ev = &e->events;
    for (int i = 0; i < e->field.p.event.count; i++) {
        double at[ROOTS_DEGREE];
        int sign, last, count = list_roots(e, i, &sign, &last, at), own = i == found->event;
        int behind = own ? (int)ev->root[i] : ev->passed[i];
        for (int k = 0; k < count; k++)
            if (k < behind || (!own && (time_of(e->r, at[k]) - found->t) * e->r->direction < 0)) sign = -sign;
        ev->sign[i] = sign;
        if (own) ev->passed[i] = behind + 1;
    }
}

int events_next_root(struct engine *e, double t_to, struct events_root *found, keel_status *status) {
    struct run_state *r = e->r;
    if (!e->stepper->events || !e->field.p.extras->event_series.value) return 0;
    while (!r->sampled && (r->degree || (t_to - r->scanned) * r->direction > 0)) {
        if (r->degree == 0 && !open_piece(e, status)) {
            r->sampled = *status == KEEL_OK;
            r->degree = 0;
            return 0;
        }
        *found = (struct events_root){.event = -1, .t = t_to};
        for (int i = 0; i < e->field.p.event.count; i++) {
            e->events.crossing[i] = e->events.sign[i];
            look_at(e, i, found);
        }
        if (found->event >= 0) {
            stop_before(e, found);
            return 1;
        }
        if ((r->piece_to - t_to) * r->direction > 0) {
            r->scanned = t_to;
            return 1;
        }
        close_piece(e);
    }
    return !r->sampled;
}
