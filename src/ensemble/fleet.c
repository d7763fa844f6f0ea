/* fleet.c - members on a GPU: a worker has thousands of them under way, takes slices as members end, and
 * leaves to the cores what the kernel does not do: starts, last steps, failures, the members whose defect is
 * sampled.  Several workers keep the GPU busy while each prepares its next members. */
#include "ensemble/ensemble.h"

#include "base/machine.h"

#include <stdlib.h>

/* Members under way, of all workers: twice what a large GPU has threads for, and a quarter of the memory. */
enum { RUNS = 1 << 18, RUN_BYTES = 1 << 16, LEAST_RUNS = 256 };
enum { BYTES = 1 << 30 }; /* at most, of blocks under way */
enum { MORE_BLOCKS = 4 }; /* than runs under way fill */
enum { PORTIONS = 8 };    /* in which lanes are filled, one a launch */

struct fleet {
    struct team *c;
    struct batch g;
    struct block *block; /* the slice that members come from now; NULL: none */
    int at, end;         /* of its members */
    int *idle, idles;    /* lanes without a member */
    int over;            /* there are no more slices, or the ensemble ends */
    keel_status status;
};

static int runs_of(const struct keel_ensemble *e) {
    int64_t each = (e->members + e->workers - 1) / e->workers, most = RUNS / e->workers;
    double fit = machine_memory() / 4 / RUN_BYTES / (double)e->workers;
    if (fit < (double)most) most = (int64_t)fit;
    if (most < LEAST_RUNS) most = LEAST_RUNS;
    return (int)(each < most ? each : most);
}

int fleet_window(const struct keel_ensemble *e) {
    int64_t blocks = MORE_BLOCKS + (int64_t)e->workers * runs_of(e) / KEEL_BLOCK;
    int64_t bytes = (int64_t)KEEL_BLOCK * 8 * (8 + (int64_t)e->columns * (e->times_kept + 3));
    int64_t most = BYTES / bytes > 2 ? BYTES / bytes : 2;
    return (int)(blocks < most ? blocks : most);
}

/* A member of slice `at / SLICE` is done. */
static void count_down(struct fleet *f, struct block *b, int at) {
    if (--b->slice[at / SLICE].left == 0) workers_end(f->c, b, KEEL_OK);
}

/* The next member, in the order of the ensemble; 0: none now.  Nobody waits for room while others that make
 * it are under way here. */
static int next_member(struct fleet *f, struct block **b, int *at) {
    int slice;
    if (!f->block || f->at == f->end) {
        int under_way = f->idles < f->g.lanes;
        f->block = NULL;
        if (f->over) return 0;
        if (!workers_take(f->c, !under_way, &f->block, &slice)) {
            f->over |= !under_way;
            f->block = NULL;
            return 0;
        }
        f->at = slice * SLICE;
        f->end = f->at + SLICE < f->block->view.count ? f->at + SLICE : f->block->view.count;
        f->block->slice[slice].left = f->end - f->at;
    }
    *b = f->block;
    *at = f->at++;
    return 1;
}

/* A run that the device does not take goes on here; 1: it is under way. */
static int send(struct fleet *f, int lane) {
    struct member *m = &f->g.member[lane];
    double wake;
    while (member_goes_on(m, &wake)) {
        if (keel_lanes_begin(f->g.way, lane, keel_sim_solver(m->sim), wake, m->to)) return 1;
        m->status = keel_sim_advance(m->sim, wake, m->to);
    }
    f->status = member_end(m);
    if (f->status == KEEL_OK) count_down(f, m->b, m->at);
    return 0;
}

/* Members into a lane until one of them runs there; 0: there are none now. */
static int fill(struct fleet *f, int lane) {
    struct block *b;
    int at;
    while (f->status == KEEL_OK && next_member(f, &b, &at)) {
        int apart = f->g.e->members > KEEL_BLOCK && batch_samples(&f->g, b, at);
        struct member *m = batch_member(&f->g, apart ? f->g.most : lane);
        f->status = !m ? KEEL_ENOMEM : apart ? member_run(m, b, at) : member_begin(m, b, at);
        if (f->status != KEEL_OK) return 0;
        if (apart || !m->runs) count_down(f, b, at);
        else if (send(f, lane)) return 1;
    }
    return 0;
}

/* The first member of a lane costs many times what others do: so they come by and by, and the device has work
 * as soon as there is some. */
static void fill_idle(struct fleet *f) {
    int most = (f->g.lanes + PORTIONS - 1) / PORTIONS, least = f->idles > most ? f->idles - most : 0;
    while (f->idles > least && fill(f, f->idle[f->idles - 1])) f->idles--;
}

static void go(struct fleet *f) {
    keel_status ended = KEEL_OK;
    int lane;
    fill_idle(f);
    while (f->status == KEEL_OK && (lane = keel_lanes_go(f->g.way, &ended)) != -1) {
        if (lane >= 0) {
            f->g.member[lane].status = ended;
            if (!send(f, lane) && f->status == KEEL_OK) f->idle[f->idles++] = lane;
        }
        if (lane == -2 && workers_ended(f->c)) f->status = KEEL_STOPPED;
        if (f->status == KEEL_OK && !f->over) fill_idle(f);
    }
    if (keel_lanes_message(f->g.way)[0]) f->status = workers_fail(f->c, keel_lanes_message(f->g.way));
}

/* A thread's memory grows page by page, and threads that ask for pages wait for each other: so what lanes
 * need is asked for at once, in pieces that malloc does not map apart, and left to malloc.  Below the last
 * piece, which is returned, nothing is given back to the system. */
static void *reserve(int runs) {
    enum { PIECE = 120000, LANE = 24 << 10 };
    size_t count = (size_t)runs * LANE / PIECE;
    void **piece = calloc(count + 1, sizeof *piece), *last = NULL;
    for (size_t i = 0; i < count && piece; i++) piece[i] = malloc(PIECE);
    if (piece && count) last = piece[--count];
    for (size_t i = 0; i < count && piece; i++) free(piece[i]);
    free(piece);
    return last;
}

void fleet_run(struct team *c) {
    int runs = runs_of(c->e);
    void *reserved = reserve(runs);
    struct fleet f = {.c = c, .status = KEEL_ENOMEM};
    f.idle = calloc((size_t)runs, sizeof *f.idle);
    if (batch_open(&f.g, c->e, runs) == 0 && f.idle) {
        f.g.way = keel_lanes_open_device(runs, c->e->device);
        f.g.lanes = runs;
        for (int i = 0; i < runs; i++) f.idle[f.idles++] = runs - 1 - i;
        f.status = f.g.way ? KEEL_OK : KEEL_ENOMEM;
        while (f.status == KEEL_OK && !f.over) go(&f);
    }
    if (f.status != KEEL_OK) workers_end(c, NULL, f.status);
    batch_close(&f.g);
    free(f.idle);
    free(reserved);
}
