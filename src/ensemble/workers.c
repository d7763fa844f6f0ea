/* workers.c - blocks on threads.  Workers take slices in their order; whoever ends the last slice of a block
 * makes it ready; the caller's thread hands blocks to the sink, one by one and in their order, so that what
 * is made of them depends on nothing else. */
#include "ensemble/ensemble.h"

#include "base/text.h"

#include <stdlib.h>

static struct block *block_of(struct team *c, int64_t index) {
    return &c->block[index % c->window];
}

/* The lock is held. */
static int take_slice(struct team *c, int wait, struct block **b, int *slice) {
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
        if (!wait) return 0;
        pthread_cond_wait(&c->changed, &c->lock);
    }
}

int workers_take(struct team *c, int wait, struct block **b, int *slice) {
    pthread_mutex_lock(&c->lock);
    int there = take_slice(c, wait, b, slice);
    pthread_mutex_unlock(&c->lock);
    return there;
}

void workers_end(struct team *c, struct block *b, keel_status status) {
    pthread_mutex_lock(&c->lock);
    if (status != KEEL_OK && (c->status == KEEL_OK || c->status == KEEL_STOPPED)) c->status = status;
    if (b && status == KEEL_OK) b->slices_left--; /* else the block is not whole */
    if (status != KEEL_OK || (b && b->slices_left == 0)) pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

int workers_ended(struct team *c) {
    pthread_mutex_lock(&c->lock);
    int ended = c->status != KEEL_OK;
    pthread_mutex_unlock(&c->lock);
    return ended;
}

keel_status workers_fail(struct team *c, const char *sentence) {
    pthread_mutex_lock(&c->lock);
    text_set(c->e->message, sizeof c->e->message, "%s", sentence);
    pthread_mutex_unlock(&c->lock);
    return KEEL_EINVAL;
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
    int slice, opened = batch_open(&batch, c->e, KEEL_MOST_LANES) == 0;
    if (!opened) workers_end(c, NULL, KEEL_ENOMEM);
    while (opened && workers_take(c, 1, &b, &slice)) workers_end(c, b, run_slice(c, &batch, b, slice));
    batch_close(&batch);
    return NULL;
}

static void *work_on_device(void *team) {
    fleet_run(team);
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
    if (e->device) c.window = fleet_window(e);
    pthread_t *thread = calloc((size_t)e->workers, sizeof *thread);
    int hired = 0;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    if (!thread || crew_open(&c)) c.status = KEEL_ENOMEM;
    while (hired < e->workers && c.status == KEEL_OK &&
           pthread_create(&thread[hired], NULL, e->device ? work_on_device : work, &c) == 0)
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
