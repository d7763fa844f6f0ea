/* contact_save.c - see contact.h: the states of contacts in a saved run. */
#include "model/contact.h"

#include "model/sim.h"

#include <math.h>
#include <string.h>

size_t contact_bytes(const struct keel_sim *s) {
    return s->contact ? (size_t)s->contact->c->count * sizeof *s->contact->one + sizeof(int32_t) : 0;
}

void contact_save(const struct keel_sim *s, unsigned char *bytes) {
    const struct contact_run *r = s->contact;
    if (!r) return;
    int32_t bare = r->set && r->set->key[r->c->count];
    memcpy(bytes, &bare, sizeof bare);
    memcpy(bytes + sizeof bare, r->one, (size_t)r->c->count * sizeof *r->one);
}

int contact_load(struct keel_sim *s, const unsigned char *bytes) {
    struct contact_run *r = s->contact;
    int32_t bare;
    if (!r) return 1;
    memcpy(&bare, bytes, sizeof bare);
    memcpy(r->one, bytes + sizeof bare, (size_t)r->c->count * sizeof *r->one);
    for (int i = 0; i < r->c->count; i++) {
        const struct contact_one *one = &r->one[i];
        if (one->state < CONTACT_OPEN || one->state > CONTACT_HELD || one->sign < -1 || one->sign > 1 ||
            !isfinite(one->share) || !isfinite(one->size) || !isfinite(one->speed) || !isfinite(one->rate) ||
            !isfinite(one->least) || !isfinite(one->offset) || !isfinite(one->rests))
            return 0;
    }
    r->set = contact_set_of(r, bare != 0);
    if (!r->set) return -1;
    s->problem[s->mode] = r->set->problem;
    return 1;
}
