/* contact_tell.c - see contact.h: what is told of contacts, as events of the run.
 *
 * The observer is called at each of them, and once more behind those of one moment, as at any event that
 * changes something.  That a contact has closed after ever shorter flights is told at their limit. */
#include "model/contact.h"

#include "model/sim_record.h"

#include <keel/events.h>
#include <keel/extras.h>

#include <float.h>
#include <math.h>

int contact_is_closed(const struct contact_one *one) {
    return one->state >= CONTACT_SLIDES;
}

static keel_status tell(struct contact_run *r, int i, enum contact_word word) {
    struct keel_sim *s = r->s;
    keel_status status =
        sim_record(s, (keel_event_record){keel_time(s->solver), r->c->event_name[CONTACT_WORDS * i + word],
                                          s->mode, s->mode, 1});
    if (status == KEEL_OK && s->observe) s->observe(s->solver, s);
    return status;
}

void contact_tell_end(struct keel_sim *s, long before) {
    if (s->event_records > before && s->observe) s->observe(s->solver, s);
}

static void swap(struct contact_run *r) {
    struct contact_one *other = r->one;
    r->one = r->one_before;
    r->one_before = other;
}

static keel_status tell_closed(struct contact_run *r, int i) {
    keel_status status = tell(r, i, CONTACT_CLOSES);
    if (status != KEEL_OK || r->friction[i] == 0) return status;
    return tell(r, i, r->one[i].state == CONTACT_SLIDES ? CONTACT_SLIP : CONTACT_STICK);
}

/* The limit of the impacts that the last one stands for; NAN: it cannot be told. */
static double limit_of(const struct keel_sim *s) {
    double t = keel_time(s->solver), limit = keel_rest_time(s->solver);
    return limit - t <= 1e-5 * fmax(fabs(t), fabs(t - s->span[0])) ? limit : NAN;
}

double contact_next_rest(const struct keel_sim *s) {
    double next = HUGE_VAL;
    for (int i = 0; s->contact && i < s->contact->c->count; i++)
        if (s->contact->one[i].rests != 0) next = fmin(next, s->contact->one[i].rests);
    return next;
}

keel_status contact_tell_rests(struct contact_run *r, double t) {
    keel_status status = KEEL_OK;
    for (int i = 0; i < r->c->count && status == KEEL_OK; i++) {
        struct contact_one *one = &r->one[i];
        if (one->rests == 0 || one->rests > t) continue;
        one->rests = 0;
        status = tell_closed(r, i);
    }
    return status;
}

keel_status contact_tell_rest(struct keel_sim *s) {
    double t = keel_time(s->solver);
    long before = s->event_records;
    keel_status status = s->contact ? contact_tell_rests(s->contact, t + 4 * DBL_EPSILON * fabs(t)) : KEEL_OK;
    if (status == KEEL_OK) contact_tell_end(s, before);
    return status;
}

/* Who observes sees the states before. */
keel_status contact_tell_changes(struct contact_run *r) {
    double rests = limit_of(r->s);
    keel_status status = KEEL_OK;
    swap(r);
    for (int i = 0; i < r->c->count && status == KEEL_OK; i++) {
        struct contact_one *now = &r->one_before[i];
        const struct contact_one *before = &r->one[i];
        if (r->hit[i]) status = tell(r, i, CONTACT_IMPACT);
        if (contact_is_closed(now) && !contact_is_closed(before) && rests > keel_time(r->s->solver)) {
            now->rests = rests;
            continue;
        }
        if (status == KEEL_OK && contact_is_closed(now) && !contact_is_closed(before))
            status = tell(r, i, CONTACT_CLOSES);
        if (status == KEEL_OK && !contact_is_closed(now) && contact_is_closed(before))
            status = tell(r, i, CONTACT_OPENS);
        if (status != KEEL_OK || !contact_is_closed(now) || r->friction[i] == 0) continue;
        int slips = now->state == CONTACT_SLIDES, slipped = before->state == CONTACT_SLIDES;
        if (!contact_is_closed(before) || slips != slipped || (slips && now->sign != before->sign))
            status = tell(r, i, slips ? CONTACT_SLIP : CONTACT_STICK);
    }
    swap(r);
    return status;
}
