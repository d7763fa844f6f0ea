/* workers.c - blocks on threads.  Workers take slices in their order; whoever ends the last slice of a block
 * makes it ready; the caller's thread hands blocks to the sink, one by one and in their order, so that what
 * is made of them depends on nothing else. */
#include "ensemble/ensemble.h"

#include <stdlib.h>

struct team {
    struct keel_ensemble *e;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct block *block; /* [window] block i in block[i % window] */
    int window;
    int64_t from, to;   /* blocks */
    int64_t taken;      /* slices, counted from the first of block `from` */
    int64_t given;      /* blocks before this one were handed to the sink */
    keel_status status; /* KEEL_OK: go on */
};

static struct block *block_of(struct team *c, int64_t index) {
    return &c->block[index % c->window];
}

/* The next slice, once there is room for its block; 0: there is none any more.  The lock is held. */
static int take_slice(struct team *c, struct block **b, int *slice) {
    for (;;) {
        int64_t index = c->from + c->taken / SLICES;
        *slice = (int)(c->taken % SLICES);
        if (c->status != KEEL_OK || index >= c->to) return 0;
        if (index < c->given + c->window) {
            *b = block_of(c, index);
            if (*slice == 0) block_begin(*b, c->e, index);
            int last = *slice == ((*b)->view.count - 1) / SLICE;
            c->taken += last ? SLICES - *slice : 1;
            return 1;
        }
        pthread_cond_wait(&c->changed, &c->lock);
    }
}

static keel_status run_slice(struct team *c, struct batch *g, struct block *b, int slice) {
    int from = slice * SLICE, to = from + SLICE < b->view.count ? from + SLICE : b->view.count;
    int64_t steps = 0;
    keel_status status = batch_run(g, b, from, to);
    for (int i = from; i < to && status == KEEL_OK; i++) steps += b->steps[i];
    if (status == KEEL_OK) ensemble_consider(c->e, to - from, steps);
    return status;
}

static void *work(void *team) {
    struct team *c = team;
    struct block *b;
    struct batch batch;
    int slice;
    batch_open(&batch, c->e);
    pthread_mutex_lock(&c->lock);
    while (take_slice(c, &b, &slice)) {
        pthread_mutex_unlock(&c->lock);
        keel_status status = run_slice(c, &batch, b, slice);
        pthread_mutex_lock(&c->lock);
        if (status != KEEL_OK && c->status != KEEL_ENOMEM) c->status = status;
        b->slices_left--;
        if (b->slices_left == 0 || status != KEEL_OK) pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    batch_close(&batch);
    return NULL;
}

/* Is the next block to be handed over complete?  The lock is held. */
static int is_ready(struct team *c) {
    int64_t begun = c->from + (c->taken + SLICES - 1) / SLICES;
    return c->given < begun && block_of(c, c->given)->slices_left == 0;
}

/* All blocks to the sink, from this thread.  The lock is held but for the sink's time. */
static void hand_over(struct team *c, keel_block_sink *sink, void *user) {
    while (c->given < c->to) {
        while (c->status == KEEL_OK && !is_ready(c)) pthread_cond_wait(&c->changed, &c->lock);
        if (!is_ready(c)) return;
        struct block *b = block_of(c, c->given);
        pthread_mutex_unlock(&c->lock);
        keel_status status = block_end(b, c->e) ? KEEL_ENOMEM : KEEL_OK;
        if (status == KEEL_OK && sink(user, &b->view)) status = KEEL_STOPPED;
        pthread_mutex_lock(&c->lock);
        if (status != KEEL_OK) c->status = status;
        c->given++;
        pthread_cond_broadcast(&c->changed);
        if (status != KEEL_OK) return;
    }
}

static int crew_open(struct team *c) {
    c->block = calloc((size_t)c->window, sizeof *c->block);
    for (int i = 0; i < c->window && c->block; i++)
        if (block_open(&c->block[i], c->e)) return -1;
    return c->block ? 0 : -1;
}

static void crew_close(struct team *c) {
    for (int i = 0; i < c->window && c->block; i++) block_close(&c->block[i]);
    free(c->block);
}

keel_status keel_ensemble_run(keel_ensemble *e, int64_t from, int64_t to, keel_block_sink *sink, void *user) {
    if (!e || !sink || from < 0 || to > keel_ensemble_blocks(e)) return KEEL_EINVAL;
    if (e->status < 0) return e->status;
    struct team c = {.e = e, .from = from, .to = to, .given = from, .window = 2 + e->workers / SLICES};
    pthread_t *thread = calloc((size_t)e->workers, sizeof *thread);
    int hired = 0;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    if (!thread || crew_open(&c)) c.status = KEEL_ENOMEM;
    while (hired < e->workers && c.status == KEEL_OK && pthread_create(&thread[hired], NULL, work, &c) == 0)
        hired++;
    pthread_mutex_lock(&c.lock);
    if (hired == 0 && from < to) c.status = KEEL_ENOMEM;
    hand_over(&c, sink, user);
    pthread_mutex_unlock(&c.lock);
    for (int i = 0; i < hired; i++) pthread_join(thread[i], NULL);
    crew_close(&c);
    free(thread);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.changed);
    return c.status;
}
