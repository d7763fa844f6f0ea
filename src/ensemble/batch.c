/* batch.c - members side by side: as many as the kernel has lanes, each in a lane that is filled again as
 * soon as its run is over.  Whatever runs beside a member, its results are those of a run alone. */
#include "ensemble/ensemble.h"

#include <stdlib.h>

int batch_open(struct batch *g, const struct keel_ensemble *e, int most) {
    *g = (struct batch){.e = e, .lanes = 1, .most = most};
    g->member = calloc((size_t)most + 1, sizeof *g->member);
    return g->member ? 0 : -1;
}

void batch_close(struct batch *g) {
    for (int i = 0; i <= g->most && g->member; i++) member_close(&g->member[i]);
    free(g->member);
    keel_lanes_close(g->way);
}

/* The defect of each member is sampled, or of large ensembles that of every 256th or 4096th: a sample costs
 * as much as dozens of compiled steps. */
enum { ALL_SAMPLED = 1024, MANY = 1 << 16, SAMPLED = 256, SAMPLED_OF_MANY = 4096 };

static int all_sampled(const struct batch *g) {
    return g->e->members <= ALL_SAMPLED;
}

int batch_samples(const struct batch *g, const struct block *b, int at) {
    return all_sampled(g) || (b->view.first + at) % (g->e->members > MANY ? SAMPLED_OF_MANY : SAMPLED) == 0;
}

struct member *batch_member(struct batch *g, int i) {
    struct member *m = &g->member[i];
    return m->all || member_open(m, g->e, all_sampled(g) || i == g->most) == 0 ? m : NULL;
}

static keel_status run_alone(struct batch *g, struct block *b, int from, int to) {
    keel_status status = KEEL_OK;
    for (int i = from; i < to && status == KEEL_OK; i++) {
        struct member *m = batch_member(g, batch_samples(g, b, i) ? g->most : 0);
        status = m ? member_run(m, b, i) : KEEL_ENOMEM;
    }
    return status;
}

/* A run that no lane takes goes on alone; 1: it is in its lane. */
static int send(struct batch *g, int lane, keel_status *status) {
    struct member *m = &g->member[lane];
    double wake;
    while (member_goes_on(m, &wake)) {
        if (m->lanes == g->lanes && keel_lanes_begin(g->way, lane, keel_sim_solver(m->sim), wake, m->to))
            return 1;
        m->status = keel_sim_advance(m->sim, wake, m->to);
    }
    *status = member_end(m);
    return 0;
}

/* The next members into a lane, until one of them runs there. */
static keel_status fill(struct batch *g, struct block *b, int lane, int *next, int to) {
    keel_status status = KEEL_OK;
    for (; *next < to && status == KEEL_OK; ++*next) {
        if (!all_sampled(g) && batch_samples(g, b, *next)) {
            status = run_alone(g, b, *next, *next + 1);
            continue;
        }
        status = member_begin(&g->member[lane], b, *next);
        if (status == KEEL_OK && g->member[lane].runs && send(g, lane, &status)) return ++*next, KEEL_OK;
    }
    return status;
}

static keel_status run_beside(struct batch *g, struct block *b, int from, int to) {
    keel_status status = KEEL_OK, ended;
    int next = from, lane;
    for (lane = 0; lane < g->lanes && status == KEEL_OK; lane++)
        status = batch_member(g, lane) ? fill(g, b, lane, &next, to) : KEEL_ENOMEM;
    while (status == KEEL_OK && (lane = keel_lanes_go(g->way, &ended)) >= 0) {
        g->member[lane].status = ended;
        if (!send(g, lane, &status) && status == KEEL_OK) status = fill(g, b, lane, &next, to);
    }
    if (status != KEEL_OK) keel_lanes_close(g->way), g->way = NULL; /* and what is under way with it */
    return status;
}

keel_status batch_run(struct batch *g, struct block *b, int from, int to) {
    const keel_sim *kernel = __atomic_load_n(&g->e->kernel, __ATOMIC_ACQUIRE);
    if (kernel && g->e->lanes > 1 && !g->way) {
        g->way = keel_lanes_open(g->e->lanes);
        if (!g->way) return KEEL_ENOMEM;
        g->lanes = g->e->lanes;
    }
    return g->way ? run_beside(g, b, from, to) : run_alone(g, b, from, to);
}
