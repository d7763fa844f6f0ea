/* contact_run.c - see contact.h: what contacts do in a run.
 *
 * At an event of a contact all that touch are looked at together.  If some approach, impulses act on all of
 * them (contact_impact).  Those that then neither leave nor approach are at rest across their gaps, and the
 * accelerations tell which of them stay closed, stick or slide (contact_rest).  Impacts that come ever
 * faster (KEEL_REST of the core), or are lost in the round-off of the gap, are completed: one impact
 * without restitution has the momentum of all that are left, and what moves apart no faster than it came is
 * at rest. */
#include "model/contact.h"

#include "base/text.h"
#include "model/sim.h"

#include <keel/events.h>
#include <keel/extras.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOMENT 1e-10                  /* of t: contacts within it touch at one time */
#define RESOLVED (4096 * DBL_EPSILON) /* of the size of a gap: a flight from zero that events can tell */

int contact_begin(struct keel_sim *s) {
    const struct contact_model *c = &s->m->mode[s->mode]->contact;
    if (c->count == 0) return 1;
    struct contact_run *r = s->contact = calloc(1, sizeof *r);
    if (!r) return 0;
    size_t n = (size_t)c->count;
    *r = (struct contact_run){.c = c, .s = s, .plain = s->problem[s->mode]};
    r->plain.user = &s->bound[s->mode];
    r->gaps = s->m->mode[s->mode]->functions.call[functions_role_gap];
    r->whole = s->m->mode[s->mode]->functions.call[functions_role_contact];
    r->one = calloc(2 * n, sizeof *r->one);
    r->restitution = calloc(2 * n, sizeof *r->restitution);
    r->hit = calloc(n, 1);
    if (!r->one || !r->restitution || !r->hit || !contact_take_frame(r)) return 0;
    r->one_before = r->one + n;
    r->friction = r->restitution + n;
    return tape_call(&c->coefficient, s->span[0], NULL, s->parameter, r->restitution) == 0;
}

void contact_end(struct keel_sim *s) {
    struct contact_run *r = s->contact;
    if (!r) return;
    contact_sets_free(r);
    contact_give_frame(r);
    free(r->one < r->one_before ? r->one : r->one_before);
    free(r->restitution);
    free(r->hit);
    free(r);
    s->contact = NULL;
}

static const char *name_of(const struct contact_run *r, int i) {
    return r->c->name[i];
}

/* What touches --------------------------------------------------------------------------------------------
 * */

/* Sizes of gap, its rate and the sliding velocity, the largest so far. */
static void take_sizes(struct contact_run *r, const double *u) {
    const struct contact_model *c = r->c;
    const double *v = u + c->nq;
    for (int i = 0; i < c->count; i++) {
        struct contact_one *one = &r->one[i];
        double speed = fabs(r->now.shift[i]), rate = 0;
        for (int e = c->normal.row_start[i]; e < c->normal.row_start[i + 1]; e++)
            speed += fabs(r->now.normal[e] * v[c->normal.column[e]]);
        for (int e = c->tangent.row_start[i]; e < c->tangent.row_start[i + 1]; e++)
            rate += fabs(r->now.tangent[e] * v[c->tangent.column[e]]);
        one->size = fmax(one->size, r->now.terms[i]);
        one->speed = fmax(one->speed, speed);
        one->rate = fmax(one->rate, fmax(rate, fabs(r->now.slide[i])));
    }
}

static double rate_of_gap(const struct contact_run *r, int i, const double *u) {
    const struct contact_model *c = r->c;
    double rate = r->now.shift[i];
    for (int e = c->normal.row_start[i]; e < c->normal.row_start[i + 1]; e++)
        rate += r->now.normal[e] * u[c->nq + c->normal.column[e]];
    return rate;
}

/* Contacts that touch, into the frame. */
static void find_touching(struct contact_run *r, double t, const double *u, int event) {
    double moment = MOMENT * fmax(fabs(t), fabs(t - r->s->span[0]));
    r->frame.count = 0;
    for (int i = 0; i < r->c->count; i++) {
        double near = CONTACT_NEAR * r->one[i].size + moment * fmax(-rate_of_gap(r, i, u), 0);
        if (i == event || r->one[i].state >= CONTACT_SLIDES || r->now.gap[i] <= near)
            r->frame.of[r->frame.count++] = i;
        else r->one[i].state = CONTACT_OPEN;
    }
}

static double sum_of_terms(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(a[i] * b[i]);
    return sum;
}

static double product(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The speed below which an approach, or a flight, is none: round-off of it, or no higher than what is
 * resolved of the gap where forces bring it back, whichever they are. */
static double slowest(const struct contact_run *r, int k) {
    const struct contact_frame *f = &r->frame;
    int nq = r->c->nq;
    double back = sum_of_terms(nq, f->row[0] + (long)k * nq, f->alpha) + fabs(f->bend[0][k]);
    const struct contact_one *one = &r->one[f->of[k]];
    return fmax(CONTACT_REST * fmax(one->speed, one->rate), sqrt(2 * back * RESOLVED * one->size));
}

/* Impacts ----------------------------------------------------------------------------------------------- */

static keel_status jammed(struct contact_run *r, double t, int contact) {
    return sim_fail(
        r->s, KEEL_ESINGULAR,
        "at t = %.10g the contact `%.80s` slides with so much friction that rigid bodies have no "
        "motion there, or several (Painleve); lessen the friction, or let something give: a Spring "
        "instead of the contact",
        t, name_of(r, contact));
}

static keel_status no_frame(struct contact_run *r, double t) {
    return sim_fail(r->s, KEEL_EUSER, "the contacts could not be evaluated at t = %.10g", t);
}

/* An idle contact is noticed when it has gone below zero by what events need.  Is its speed no more than
 * what it has gained on that way? */
static int is_idle(const struct contact_run *r, int event, double speed) {
    const struct contact_frame *f = &r->frame;
    int nq = r->c->nq;
    for (int k = 0; k < f->count && event >= 0; k++) {
        const double *row = f->row[0] + (long)k * nq;
        if (f->of[k] != event || r->one[event].state != CONTACT_IDLE) continue;
        double most = sqrt(product(nq, row, row) * product(nq, f->alpha, f->alpha)) + fabs(f->bend[0][k]);
        return speed * speed <= 2 * most * CONTACT_NEAR * r->one[event].size;
    }
    return 0;
}

/* Impulses on all that touch, u becomes the state after them.  *slow: what leaves more slowly is at rest. */
static keel_status collide(struct contact_run *r, double t, double *u, int event, int complete,
                           double *slow) {
    struct contact_frame *f = &r->frame;
    double fastest = 0;
    int approach = 0;
    if (contact_frame_at(r, t, u, 1)) return no_frame(r, t);
    for (int k = 0; k < f->count; k++) {
        double speed = -f->rate[0][k];
        approach |= speed > 1e-3 * slowest(r, k);
        fastest = fmax(fastest, speed);
    }
    if (!approach) return KEEL_OK;
    int blurred = 1;
    for (int k = 0; k < f->count; k++) blurred &= -f->rate[0][k] <= slowest(r, k);
    blurred |= complete || is_idle(r, event, fastest);
    if (blurred) *slow = 2 * fastest;
    struct contact_verdict *verdict = malloc((size_t)f->count * sizeof *verdict);
    int status = verdict ? contact_impact(r, blurred, verdict) : -1;
    double *push = r->push, *drag = r->push + r->c->count, most = 0;
    for (int k = 0; k < f->count && status == 0; k++) {
        push[k] = verdict[k].push;
        drag[k] = verdict[k].drag;
        most = fmax(most, push[k]);
    }
    for (int k = 0; k < f->count && status == 0; k++) r->hit[f->of[k]] = push[k] > CONTACT_REST * most;
    if (status == 0) contact_kick(r, push, drag, u + r->c->nq);
    free(verdict);
    if (status < 0) return sim_no_memory(r->s);
    return status
               ? sim_fail(r->s, KEEL_ESINGULAR,
                          "no impulses were found for the impact of `%.80s` at t = %.10g: bodies are jammed",
                          name_of(r, f->of[0]), t)
               : KEEL_OK;
}

/* Rest -------------------------------------------------------------------------------------------------- */

/* Rows that are in the set already, as an orthogonal basis in r->matrix; is this one new? */
static int is_new(struct contact_run *r, int *count, const double *row, const double *whole) {
    int nq = r->c->nq;
    if (*count >= nq) return 0;
    double *q = r->basis + (long)*count * nq, size = sqrt(product(nq, whole, whole));
    memcpy(q, row, (size_t)nq * sizeof *q);
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < *count; j++) {
            double share = product(nq, r->basis + (long)j * nq, q);
            for (int i = 0; i < nq; i++) q[i] -= share * r->basis[(long)j * nq + i];
        }
    double left = sqrt(product(nq, q, q));
    if (!(left > 1e-7 * size)) return 0;
    for (int i = 0; i < nq; i++) q[i] /= left;
    ++*count;
    return 1;
}

static int sign_of_sliding(const struct contact_run *r, int k) {
    int i = r->frame.of[k];
    double rate = r->frame.rate[1][k];
    return r->friction[i] == 0 || fabs(rate) <= 2 * CONTACT_REST * r->one[i].rate ? 0 : rate > 0 ? 1 : -1;
}

/* The states of contacts at rest from their forces and accelerations: pushes first, then what sticks within
 * its cone, then the rest, each where its row is new. */
static void choose_states(struct contact_run *r, const int *sign, const struct contact_verdict *v) {
    struct contact_frame *f = &r->frame;
    int nq = r->c->nq, rows = 0;
    for (int pass = 0; pass < 4; pass++)
        for (int k = 0; k < f->count; k++) {
            struct contact_one *one = &r->one[f->of[k]];
            double mu = r->friction[f->of[k]];
            if (sign[k] == CONTACT_LEAVES) {
                one->state = CONTACT_OPEN;
                continue;
            }
            const double *across = f->row[0] + (long)k * nq, *along = f->row[1] + (long)k * nq;
            const double *free_across = f->free[0] + (long)k * nq, *free_along = f->free[1] + (long)k * nq;
            double terms = sum_of_terms(nq, across, f->alpha) + fabs(f->bend[0][k]),
                   stiff = product(nq, free_across, free_across);
            double least = stiff > 0 ? CONTACT_REST * terms / stiff : 0;
            if (pass == 0) {
                one->least = least;
                one->share = 0;
                one->sign = sign[k];
                one->state =
                    v[k].push > least || v[k].departs <= CONTACT_REST * terms ? CONTACT_IDLE : CONTACT_OPEN;
            }
            if (one->state == CONTACT_OPEN) continue;
            if (pass < 2 && one->state == CONTACT_IDLE && v[k].push > least &&
                is_new(r, &rows, free_across, across))
                one->state = CONTACT_SLIDES;
            if (pass < 2 || one->state != CONTACT_SLIDES) continue;
            double drift = CONTACT_REST * (sum_of_terms(nq, along, f->alpha) + fabs(f->bend[1][k]) +
                                           v[k].push * sum_of_terms(nq, along, along));
            int inside = fabs(v[k].drag) < (1 - 1e-9) * mu * v[k].push;
            if (mu == 0) one->sign = 0;
            else if (sign[k] == 0 && fabs(v[k].drifts) > drift && !inside)
                one->sign = v[k].drifts > 0 ? 1 : -1;
            else if (sign[k] == 0) {
                if (pass == 2 && !inside) continue;
                int before = rows, holds = is_new(r, &rows, free_along, along);
                if (holds && !inside && r->at_cone) { /* nothing else holds it, and it cannot do more */
                    rows = before;
                    one->sign = v[k].drag > 0 ? -1 : 1;
                    one->share = -mu * one->sign;
                } else if (holds) one->state = CONTACT_STICKS;
                else if (pass == 3) {
                    one->state = CONTACT_HELD;
                    one->share = v[k].push > 0 ? fmax(fmin(v[k].drag / v[k].push, mu), -mu) : 0;
                }
                continue;
            }
            one->share = -mu * one->sign;
        }
    for (int k = 0; k < f->count; k++) /* it leaves from rest */
        if (sign[k] != CONTACT_LEAVES && r->one[f->of[k]].state == CONTACT_OPEN)
            r->one[f->of[k]].state = CONTACT_IDLE;
}

/* A flight that is no higher than what is resolved of its gap is none.  Are there such among those that
 * leave? They are at rest. */
static int adds_flights(const struct contact_run *r, const struct contact_verdict *v, int *sign) {
    const struct contact_frame *f = &r->frame;
    int added = 0;
    for (int k = 0; k < f->count; k++) {
        double rate = f->rate[0][k], height = RESOLVED * r->one[f->of[k]].size;
        if (sign[k] != CONTACT_LEAVES || !(rate * rate <= -2 * v[k].departs * height)) continue;
        sign[k] = sign_of_sliding(r, k);
        added = 1;
    }
    return added;
}

/* Those of the frame that do not leave faster than `slow` are at rest, the others open. */
static keel_status rest(struct contact_run *r, double t, const double *u, double slow) {
    struct contact_frame *f = &r->frame;
    if (contact_frame_at(r, t, u, 1)) return no_frame(r, t);
    int *sign = malloc(((size_t)f->count + 1) * sizeof *sign), status = -1;
    struct contact_verdict *verdict = malloc(((size_t)f->count + 1) * sizeof *verdict);
    for (int k = 0; k < f->count && sign; k++) {
        const struct contact_one *one = &r->one[f->of[k]];
        double least = fmax(slow, CONTACT_REST * fmax(one->speed, one->rate));
        sign[k] = f->rate[0][k] > least ? CONTACT_LEAVES : sign_of_sliding(r, k);
    }
    if (sign && verdict) do
            status = contact_rest(r, sign, verdict);
        while (status == 0 && adds_flights(r, verdict, sign));
    if (status == 0) choose_states(r, sign, verdict);
    free(sign);
    free(verdict);
    if (status < 0) return sim_no_memory(r->s);
    return status ? jammed(r, t, f->of[status > 1 ? status - 2 : 0]) : KEEL_OK;
}

/* Settling ---------------------------------------------------------------------------------------------- */

/* A gap that begins at zero to what is resolved of it is counted from there: what leaves comes back to it. */
static void take_offsets(struct contact_run *r) {
    if (contact_numbers_at(r, keel_time(r->s->solver), keel_state(r->s->solver))) return;
    for (int i = 0; i < r->c->count; i++)
        r->one[i].offset = r->now.gap[i] < CONTACT_NEAR * r->one[i].size ? r->now.gap[i] : 0;
}

/* The problem of the active set, from u on. */
static keel_status enter(struct contact_run *r, const double *u) {
    struct keel_sim *s = r->s;
    keel_status status = KEEL_OK;
    for (int bare = 0; bare < 2; bare++) {
        struct contact_set *set = contact_set_of(r, bare);
        if (!set) return sim_no_memory(s);
        status = keel_switch(s->solver, &set->problem, u);
        if (status == KEEL_EINVAL && !bare && set->problem.energy.count) continue;
        if (status < 0) break;
        r->set = set;
        s->problem[s->mode] = set->problem;
        take_offsets(r);
        return KEEL_OK;
    }
    return sim_fail(s, status, "with the contacts at t = %.10g: %.400s", keel_time(s->solver),
                    sim_said_by(s->solver));
}

keel_status contact_settle(struct keel_sim *s, int event, int complete) {
    struct contact_run *r = s->contact;
    double t = keel_time(s->solver), slow = 0, *u = s->work;
    int n = r->c->count;
    long first = s->event_records;
    keel_status status = contact_tell_rests(r, HUGE_VAL);
    if (status != KEEL_OK) return status;
    memcpy(u, keel_state(s->solver), (size_t)s->problem[s->mode].n * sizeof *u);
    memcpy(r->one_before, r->one, (size_t)n * sizeof *r->one);
    memset(r->hit, 0, (size_t)n);
    if (contact_numbers_at(r, t, u)) return no_frame(r, t);
    take_sizes(r, u);
    find_touching(r, t, u, event);
    status = sim_rows_before(s);
    if (status == KEEL_OK) status = collide(r, t, u, event, complete, &slow);
    if (status == KEEL_OK) status = rest(r, t, u, slow);
    memcpy(s->entry, u, (size_t)s->problem[s->mode].n * sizeof *u); /* who observes writes to s->work */
    long before = s->event_records;
    if (status == KEEL_OK && s->direction != 0) status = contact_tell_changes(r);
    if (status != KEEL_OK) return status;
    ledger_leave(s);
    status = enter(r, s->entry);
    if (status != KEEL_OK) return status;
    ledger_enter(s);
    if (s->event_records > before) status = sim_rows_after(s);
    if (status == KEEL_OK) contact_tell_end(s, first);
    return status;
}

keel_status contact_act(struct keel_sim *s, int number, int complete) {
    int friction, contact = contact_of_event(s->contact->set, number, &friction);
    keel_status status = sim_count_simultaneous(s, keel_time(s->solver));
    s->contact->at_cone = friction && s->contact->one[contact].state == CONTACT_STICKS;
    if (status == KEEL_OK) status = contact_settle(s, contact, complete && !friction);
    s->contact->at_cone = 0;
    return status == KEEL_OK ? sim_enter(s) : status;
}

/* The start: no gap may be negative. */
keel_status contact_start(struct keel_sim *s) {
    struct contact_run *r = s->contact;
    if (!r || keel_state_of(s->solver) < 0) return KEEL_OK;
    double t = keel_time(s->solver);
    for (int i = 0; i < r->c->count; i++) {
        double e = r->restitution[i], mu = r->friction[i];
        if (!(e >= 0 && e <= 1) || !(mu >= 0 && mu <= DBL_MAX))
            return sim_fail(s, KEEL_EINVAL, "the contact `%.80s` has restitution %g and friction %g",
                            name_of(r, i), e, mu);
    }
    if (contact_numbers_at(r, t, keel_state(s->solver))) return no_frame(r, t);
    for (int i = 0; i < r->c->count; i++)
        if (!(r->now.gap[i] >= -1e-9 * r->now.terms[i]))
            return sim_fail(
                s, KEEL_ESTART,
                "at the start the bodies of the contact `%.80s` overlap: its gap is %.6g; start them "
                "apart",
                name_of(r, i), r->now.gap[i]);
    for (int i = 0; i < r->c->count; i++) {
        double rate = rate_of_gap(r, i, keel_state(s->solver));
        if (r->now.gap[i] <= 1e-9 * r->now.terms[i] && rate < -1e-9 * (fabs(r->now.shift[i]) - rate))
            return sim_fail(
                s, KEEL_ESTART,
                "at the start the bodies of the contact `%.80s` touch and approach each other, at %.6g; "
                "start with the velocities after the impact",
                name_of(r, i), -rate);
    }
    return contact_settle(s, -1, 0);
}

keel_status contact_failed(struct keel_sim *s, keel_status status) {
    struct contact_run *r = s->contact;
    if (!r || !r->jammed || status >= 0) return status;
    return jammed(r, keel_time(s->solver), r->jammed - 1);
}

int keel_sim_contact(const keel_sim *s, int i, const char **name, double *restitution, double *friction,
                     int *closed) {
    const struct contact_run *r = s ? s->contact : NULL;
    if (!r || i < 0 || i >= r->c->count) return 0;
    if (name) *name = name_of(r, i);
    if (restitution) *restitution = r->restitution[i];
    if (friction) *friction = r->friction[i];
    if (closed) *closed = contact_is_closed(&r->one[i]);
    return 1;
}
