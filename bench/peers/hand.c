/* hand.c - the loops by hand that a case brings. */
#include "peers/peer.h"

#include <stdlib.h>
#include <string.h>

struct opened {
    const struct bench_case *c;
    const struct case_hand *hand;
    long steps;
};

static void *open_hand(const struct bench_case *c, const struct peer_row *row, double setting) {
    const struct case_hand *h = c->hand;
    while (h->method && strcmp(h->method, row->method) != 0) h++;
    struct opened *o = h->method ? calloc(1, sizeof *o) : NULL;
    if (o) *o = (struct opened){c, h, (long)setting};
    return o;
}

static int run_hand(void *opened, struct peer_run *r) {
    struct opened *o = opened;
    double t0 = o->c->keel->t0, h = (o->c->t_end - t0) / (double)o->steps;
    memcpy(r->u, o->c->keel->u0, (size_t)o->c->keel->n * sizeof *r->u);
    r->steps = o->steps;
    r->evaluations = o->steps * (o->hand->order == 4 ? 4 : 17);
    if (!r->observe) {
        o->hand->fixed(r->u, h, o->steps, o->c->user);
        return 0;
    }
    r->observe(r->to, t0, r->u);
    for (long k = 0; k < o->steps; k++) {
        o->hand->fixed(r->u, h, 1, o->c->user);
        r->observe(r->to, t0 + (double)(k + 1) * h, r->u);
    }
    return 0;
}

const struct peer peer_hand = {"by hand", open_hand, run_hand, free};
