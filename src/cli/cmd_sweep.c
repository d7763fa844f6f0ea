/* cmd_sweep.c - keel sweep MODEL: a plan, its members in blocks on all cores, the certificate of all.
 *
 * With --out every finished block goes to a shard beside the file (shard.h), of which the file is made in the
 * end; --resume FILE goes on from it.  A stream gets its lines as they come. */
#include "base/text.h"
#include "cli/command.h"
#include "cli/shard.h"
#include "cli/stop.h"
#include "cli/sweep.h"
#include "cli/sweep_csv.h"
#include "cli/sweep_hdf5.h"
#include "cli/waiting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
    struct sweep sweep;
    struct claim *out; /* the file's name; NULL: none */
    struct shard shard;
    struct sweep_csv csv;
    struct sweep_hdf5 *hdf5; /* one of the two is in use */
    int count;               /* words of the command line */
    char **word;
    int resumed, progress; /* is progress shown? */
    double shown;
};

/* Going on ---------------------------------------------------------------------------------------------- */

/* The words of an interrupted sweep, with those given now behind them: --workers, --quiet, ...  NULL: the
 * job has failed. */
static char **resumed_words(struct run *r, int count, char **argv, int *words) {
    struct job *j = &r->sweep.job;
    char why[JOB_SENTENCE];
    const char *out = option_text(&j->options, opt_resume);
    if (shard_open(&r->shard, out, why, sizeof why))
        return job_fail(j, EXIT_FAILED, "--resume: %s", why), NULL;
    const struct shard_head *h = &r->shard.head;
    char **word = calloc((size_t)h->count + (size_t)count + 3, sizeof *word);
    if (!word) return job_no_memory(j), NULL;
    memcpy(word, h->word, (size_t)h->count * sizeof *word);
    memcpy(word + h->count, argv, (size_t)count * sizeof *word);
    *words = h->count + count;
    return word;
}

/* What may be given beside --resume: it does not touch the results. */
static int check_resume(struct job *j) {
    static const enum option_id allowed[] = {opt_resume, opt_workers, opt_lanes, opt_quiet,
                                             opt_json,   opt_color,   opt_force};
    if (j->options.operands)
        return job_fail(j, EXIT_USAGE, "--resume FILE goes on by itself: it takes no model");
    for (int id = 0; id < OPTIONS; id++) {
        int good = !option_given(&j->options, id);
        char name[JOB_WORD];
        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++) good |= id == (int)allowed[k];
        if (good) continue;
        option_name(id, name, sizeof name);
        return job_fail(j, EXIT_USAGE, "--%s cannot be given with --resume: a sweep goes on as it began",
                        name);
    }
    return 0;
}

/* The shard must be of this model, and of this version's plan. */
static int check_shard(struct run *r) {
    struct sweep *s = &r->sweep;
    const struct shard_head *h = &r->shard.head;
    if (strcmp(h->model, keel_model_text(s->job.model)) != 0)
        return job_fail(&s->job, EXIT_FAILED, "%.200s has changed since the sweep began: it cannot go on",
                        s->job.path);
    if (h->members == keel_plan_members(s->plan) && h->columns == keel_ensemble_columns(s->ensemble) &&
        h->times == keel_ensemble_times(s->ensemble) && h->folds == s->options.folds &&
        h->events == (s->options.event != NULL))
        return 0;
    return job_fail(&s->job, EXIT_FAILED, "%.200s is of another sweep: it cannot go on",
                    r->shard.claim->path);
}

/* Takes what is finished, in the order of the blocks; what is behind it is dropped. */
static int replay(struct run *r) {
    struct job *j = &r->sweep.job;
    keel_block b;
    int status;
    while ((status = shard_next(&r->shard, &b)) > 0) {
        if (b.index != r->shard.blocks)
            return job_fail(j, EXIT_FAILED, "%.200s lacks a block", r->shard.claim->path);
        sweep_tally_block(&r->sweep.tally, &b);
        if (sweep_summary_block(&r->sweep, &b)) return j->status;
        r->shard.blocks++;
    }
    if (status < 0) return job_no_memory(j);
    r->sweep.done = r->sweep.tally.members;
    if (shard_cut(&r->shard))
        return job_fail(j, EXIT_FAILED, "%.300s cannot be written: %s", r->shard.claim->path,
                        strerror(errno));
    return 0;
}

/* Files ------------------------------------------------------------------------------------------------- */

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static int open_shard(struct run *r, const char *out) {
    struct sweep *s = &r->sweep;
    if (r->resumed) return check_shard(r) || replay(r) ? s->job.status : 0;
    struct shard_head head = {.members = keel_plan_members(s->plan),
                              .columns = keel_ensemble_columns(s->ensemble),
                              .times = keel_ensemble_times(s->ensemble),
                              .folds = s->options.folds,
                              .events = s->options.event != NULL,
                              .count = r->count,
                              .word = r->word,
                              .model = (char *)keel_model_text(s->job.model)};
    return shard_create(&r->shard, &s->job, out, &head);
}

static int is_hdf5(const char *out) {
    return ends_with(out, ".h5") || ends_with(out, ".hdf5") || ends_with(out, ".nc");
}

static int open_files(struct run *r) {
    struct job *j = &r->sweep.job;
    const char *out = r->resumed ? option_text(&j->options, opt_resume) : option_text(&j->options, opt_out);
    if (!out) return 0;
    if (!ends_with(out, ".csv") && !is_hdf5(out) && strncmp(out, "/dev/", 5) != 0)
        return job_fail(j, EXIT_USAGE, "--out %.200s: the name must end in .h5, .nc or .csv", out);
    r->out = output_claim(j, out, is_hdf5(out) ? KIND_HDF5 : KIND_CSV);
    if (!r->out) return j->status;
    if (is_hdf5(out) && r->out->stream)
        return job_fail(j, EXIT_FAILED, "%.300s cannot be written: it is no regular file", out);
    return r->out->stream ? sweep_csv_open(&r->csv, &r->sweep, r->out) : open_shard(r, out);
}

static int open_file(struct run *r) {
    if (!is_hdf5(r->out->path)) return sweep_csv_open(&r->csv, &r->sweep, r->out);
    int count = r->resumed ? r->shard.head.count : r->count; /* as the sweep began */
    r->hdf5 = sweep_hdf5_open(&r->sweep, r->out, count, r->resumed ? r->shard.head.word : r->word);
    return r->hdf5 ? 0 : r->sweep.job.status;
}

static int end_file(struct run *r) {
    if (!r->hdf5) return sweep_csv_end(&r->csv);
    struct sweep_hdf5 *h = r->hdf5;
    r->hdf5 = NULL;
    return sweep_hdf5_end(h);
}

/* The file from the shard, which is then needed no more. */
static int make_file(struct run *r) {
    struct job *j = &r->sweep.job;
    keel_block b;
    int status = 0;
    if (!r->out) return 0;
    if (r->out->stream) return sweep_csv_end(&r->csv);
    if (shard_rewind(&r->shard))
        return job_fail(j, EXIT_FAILED, "%.300s cannot be read", r->shard.claim->path);
    if (open_file(r)) return j->status;
    for (int64_t k = 0; k < r->shard.blocks && status == 0; k++) {
        int found = shard_next(&r->shard, &b);
        if (found < 0) return job_no_memory(j);
        status = !found    ? job_fail(j, EXIT_FAILED, "%.300s cannot be read", r->shard.claim->path)
                 : r->hdf5 ? sweep_hdf5_block(r->hdf5, &b)
                           : sweep_csv_block(&r->csv, &b);
    }
    if (status == 0) status = end_file(r);
    if (status == 0) shard_remove(&r->shard);
    return status;
}

/* Running ----------------------------------------------------------------------------------------------- */

static void show_progress(struct run *r) {
    const struct sweep *s = &r->sweep;
    double spent = job_seconds() - s->begin, all = (double)keel_plan_members(s->plan);
    double here = (double)(s->tally.members - s->done), left = all - (double)s->tally.members;
    if (!r->progress || spent < 1 || spent - r->shown < 0.2) return;
    r->shown = spent;
    fprintf(stderr, "\r  %.0f of %.0f members, %.0f %%, %.3g a second", (double)s->tally.members, all,
            100 * (double)s->tally.members / all, here / spent);
    if (here > 0) fprintf(stderr, ", %.0f s left", left * spent / here);
    if (s->tally.failed) fprintf(stderr, ", %lld failed", (long long)s->tally.failed);
    fprintf(stderr, "   ");
    fflush(stderr);
}

static int take_block(void *run, const keel_block *b) {
    struct run *r = run;
    struct job *j = &r->sweep.job;
    if (r->shard.stream && shard_add(&r->shard, b))
        return job_fail(j, EXIT_FAILED, "%.300s cannot be written: %s", r->shard.claim->path,
                        strerror(errno));
    if (r->csv.file.stream && sweep_csv_block(&r->csv, b)) return j->status;
    sweep_tally_block(&r->sweep.tally, b);
    if (sweep_summary_block(&r->sweep, b)) return j->status;
    show_progress(r);
    return stop_asked();
}

static int integrate(struct run *r) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    int64_t first = r->shard.blocks, all = keel_ensemble_blocks(s->ensemble);
    s->begin = job_seconds();
    r->progress = !j->say.quiet && !j->say.json && isatty(STDERR_FILENO);
    keel_status status = keel_ensemble_run(s->ensemble, first, all, take_block, r);
    s->wall_s = job_seconds() - s->begin;
    if (r->shown > 0) fprintf(stderr, "\r%78s\r", "");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (j->status) return j->status;
    if (s->tally.members < keel_plan_members(s->plan)) {
        if (r->shard.stream) shard_settle(&r->shard);
        job_fail(j, stop_exit(),
                 r->shard.stream ? "interrupted after %lld of %lld members; go on with: keel "
                                   "sweep --resume %.200s"
                                 : "interrupted after %lld of %lld members%.0s",
                 (long long)s->tally.members, (long long)keel_plan_members(s->plan),
                 r->out ? r->out->path : "");
        return j->status;
    }
    return make_file(r);
}

static int run_sweep(struct run *r) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    int status = job_open(j, COMMAND_SWEEP, r->count, r->word);
    if (status || option_given(&j->options, opt_help)) return status;
    struct waiting waiting;
    waiting_begin(&waiting, &j->say, "verifying the equations");
    status = sweep_plan(s);
    waiting_end(&waiting);
    if (status) return status;
    job_name_stabilizer(j, keel_sim_solver(keel_ensemble_base(s->ensemble)));
    status = open_files(r);
    if (status) return status;
    return integrate(r);
}

int sweep_command(int count, char **argv) {
    static struct run r;
    struct job *j = &r.sweep.job;
    char **words = NULL;
    r = (struct run){0};
    stop_watch();
    int status = job_open_word(j, COMMAND_SWEEP, count, argv, NULL);
    if (status == 0 && option_given(&j->options, opt_resume)) {
        r.resumed = 1;
        status = check_resume(j);
        if (status == 0) words = resumed_words(&r, count, argv, &count);
        if (status == 0 && !words) status = j->status;
        argv = words;
    }
    if (status == 0) {
        job_close(j);
        r.count = count, r.word = argv;
        status = run_sweep(&r);
    }
    if (status == 0 && option_given(&j->options, opt_help)) command_help(command_find("sweep"), stdout);
    else {
        if (status == 0) status = sweep_exit(&r.sweep);
        if (r.sweep.tally.members && !j->say.json && !j->say.quiet && status != EXIT_FAILED)
            sweep_certificate(&r.sweep, stdout);
        if (j->say.json) sweep_json(&r.sweep, status, stdout);
    }
    sweep_csv_drop(&r.csv);
    sweep_hdf5_drop(r.hdf5);
    shard_close(&r.shard);
    claim_close(r.out);
    keel_ensemble_close(r.sweep.ensemble);
    keel_plan_close(r.sweep.plan);
    keel_summary_close(r.sweep.summary);
    free(r.sweep.times);
    free(words);
    job_close(j);
    return status;
}
