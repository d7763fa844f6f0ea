/* sweep_run.c - see sweep_run.h.
 *
 * One process: the blocks come in their order and go to the file at once, or as soon as those before them are
 * there.  Several ranks: rank 0 hands out runs of blocks and computes some itself on a second thread; a rank
 * tells of each block that it has written. */
#include "cli/sweep/sweep_run.h"

#include "cli/terminal/stop.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { RUN = 16 }; /* blocks a rank gets at a time, at most */

static int64_t all_members(const struct sweep_run *r) {
    return r->sweep.share ? r->sweep.share : keel_plan_members(r->sweep.plan);
}

static void show_progress(struct sweep_run *r) {
    double spent = job_seconds() - r->sweep.begin, all = (double)all_members(r);
    if (!r->progress || spent < 1 || spent - r->shown < 0.2) return;
    pthread_mutex_lock(&r->lock);
    double here = (double)r->here, done = here + (double)r->before;
    int64_t failed = r->failed;
    pthread_mutex_unlock(&r->lock);
    r->shown = spent;
    fprintf(stderr, "\r  %.0f of %.0f members, %.0f %%, %.3g a second", done, all, 100 * done / all,
            here / spent);
    if (here > 0) fprintf(stderr, ", %.0f s left", (all - done) * spent / here);
    if (failed) fprintf(stderr, ", %lld failed", (long long)failed);
    fprintf(stderr, "   ");
    fflush(stderr);
}

/* Blocks ------------------------------------------------------------------------------------------------ */

/* Is everything to end? */
static int count_block(struct sweep_run *r, int64_t members, int64_t failed) {
    pthread_mutex_lock(&r->lock);
    r->here += members;
    r->failed += failed;
    int halt = r->halt;
    pthread_mutex_unlock(&r->lock);
    return halt || stop_asked();
}

static void halt(struct sweep_run *r) {
    pthread_mutex_lock(&r->lock);
    r->halt = 1;
    pthread_mutex_unlock(&r->lock);
}

/* The blocks of this process cannot be written; those that were stay. */
static int write_failed(struct sweep_run *r, int error) {
    return job_fail(&r->sweep.job, EXIT_FAILED,
                    "%.300s cannot be written: %s; what is finished stays, go on with: keel sweep --resume "
                    "%.200s",
                    r->shards.shard[r->own].claim->path, strerror(error),
                    r->file.claim ? r->file.claim->path : "FILE");
}

/* Finished blocks, as a keel_block_sink; of this process alone. */
static int take_block(void *run, const keel_block *b) {
    struct sweep_run *r = run;
    struct job *j = &r->sweep.job;
    int64_t failed = 0;
    if (r->own >= 0 && shards_add(&r->shards, r->own, b)) {
        int error = errno;
        pthread_mutex_lock(&r->lock);
        r->halt = 1;
        write_failed(r, error);
        pthread_mutex_unlock(&r->lock);
        return j->status;
    }
    for (int i = 0; i < b->count; i++) failed += b->status[i] < 0;
    int over = count_block(r, b->count, failed);
    if (r->ranks.rank > 0) {
        struct rank_message m = {.word = RANK_DONE, .from = b->index, .to = b->count, .failed = failed};
        ranks_send(&r->ranks, 0, &m);
    }
    if (r->ranks.size > 1) return over;
    if (r->parts) sweep_tally_block(&r->sweep.tally, b);
    else if (b->index == r->file.fed &&
             (sweep_file_feed(&r->file, b) || sweep_file_catch_up(&r->file, &r->shards)))
        return halt(r), 1;
    show_progress(r);
    return over;
}

/* Blocks from .. to - 1; 0: go on. */
static int compute(struct sweep_run *r, int64_t from, int64_t to) {
    keel_status status = keel_ensemble_run(r->sweep.ensemble, from, to, take_block, r);
    if (status < 0) {
        pthread_mutex_lock(&r->lock);
        if (status == KEEL_ENOMEM) job_no_memory(&r->sweep.job);
        else job_fail(&r->sweep.job, EXIT_FAILED, "%s", keel_ensemble_message(r->sweep.ensemble));
        pthread_mutex_unlock(&r->lock);
    }
    if (status != KEEL_OK) halt(r);
    return status != KEEL_OK;
}

/* Ranks ------------------------------------------------------------------------------------------------- */

/* The next blocks for somebody: short runs, shorter towards the end. */
static int hand_out(struct sweep_run *r, int64_t *from, int64_t *to) {
    pthread_mutex_lock(&r->lock);
    int64_t most = r->agenda.left / (8 * r->ranks.size);
    *from = *to = 0;
    int some = !r->halt && !stop_asked() && !r->sweep.job.status &&
               agenda_take(&r->agenda,
                           most < 1     ? 1
                           : most > RUN ? RUN
                                        : most,
                           from, to);
    pthread_mutex_unlock(&r->lock);
    return some;
}

/* The second thread of rank 0. */
static void *compute_own(void *run) {
    struct sweep_run *r = run;
    int64_t from, to;
    while (hand_out(r, &from, &to) && compute(r, from, to) == 0) {}
    return NULL;
}

static void tell_stop(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    pthread_mutex_lock(&r->lock);
    if (j->status == 0)
        job_fail(j, stop_exit(),
                 "interrupted after %lld of %lld members; go on with: keel sweep --resume %.200s",
                 (long long)(r->before + r->here), (long long)all_members(r), r->file.claim->path);
    pthread_mutex_unlock(&r->lock);
}

/* What a rank says; 1: it wants no more. */
static int answer(struct sweep_run *r, int rank, struct rank_message *m) {
    struct job *j = &r->sweep.job;
    if (m->word == RANK_DONE) return count_block(r, m->to, m->failed), 0;
    if (m->word == RANK_FAILED) {
        pthread_mutex_lock(&r->lock);
        r->halt = 1;
        if (j->status == 0) job_fail(j, m->status, "rank %d: %.600s", rank, m->sentence);
        pthread_mutex_unlock(&r->lock);
        return 0;
    }
    *m = (struct rank_message){.word = RANK_GIVEN};
    int some = hand_out(r, &m->from, &m->to);
    ranks_send(&r->ranks, rank, m);
    return !some;
}

static int lead(struct sweep_run *r) {
    pthread_t own;
    struct rank_message m;
    int rank, left = r->ranks.size - 1;
    int hired = pthread_create(&own, NULL, compute_own, r) == 0;
    while (left > 0) {
        if (ranks_poll(&r->ranks, &rank, &m)) left -= answer(r, rank, &m);
        else ranks_rest();
        if (stop_asked()) tell_stop(r);
        show_progress(r);
    }
    if (hired) pthread_join(own, NULL);
    else compute_own(r);
    if (stop_asked()) tell_stop(r);
    return r->sweep.job.status;
}

static int follow(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    for (;;) {
        struct rank_message m = {.word = RANK_WANTS};
        ranks_send(&r->ranks, 0, &m);
        ranks_receive(&r->ranks, 0, RANK_GIVEN, &m);
        if (m.from == m.to) return j->status;
        if (compute(r, m.from, m.to) == 0) continue;
        if (j->status == 0) job_fail(j, stop_exit(), "interrupted");
        m = (struct rank_message){.word = RANK_FAILED, .status = j->status};
        memcpy(m.sentence, j->sentence, sizeof m.sentence);
        ranks_send(&r->ranks, 0, &m);
    }
}

/* ------------------------------------------------------------------------------------------------------- */

static int compute_alone(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    int64_t from, to;
    if (!r->parts && sweep_file_catch_up(&r->file, &r->shards)) return j->status;
    while (!stop_asked() && agenda_take(&r->agenda, INT64_MAX, &from, &to) && compute(r, from, to) == 0) {}
    if (j->status || !stop_asked()) return j->status;
    const char *all = "interrupted after %lld of %lld members; go on with: keel sweep --resume %.200s";
    const char *one = "interrupted after %lld of %lld members; the same command goes on%.0s";
    const char *none = "interrupted after %lld of %lld members%.0s";
    return job_fail(j, stop_exit(),
                    r->parts      ? one
                    : r->own >= 0 ? all
                                  : none,
                    (long long)(r->before + r->here), (long long)all_members(r),
                    r->file.claim ? r->file.claim->path : "");
}

int sweep_run_blocks(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    r->sweep.begin = job_seconds();
    r->progress = !j->messages.quiet && !j->messages.json && isatty(STDERR_FILENO) && r->ranks.rank == 0;
    int status = r->ranks.size == 1 ? compute_alone(r) : r->ranks.rank == 0 ? lead(r) : follow(r);
    r->sweep.wall_s = job_seconds() - r->sweep.begin;
    if (r->shown > 0) fprintf(stderr, "\r%78s\r", "");
    int goes_on = r->ranks.size > 1 || r->parts || status; /* others read it, or a later run */
    if (r->own >= 0 && goes_on && shard_settle(&r->shards.shard[r->own]) && status == 0)
        status = write_failed(r, errno);
    return status;
}
