/* cmd_sweep.c - keel sweep MODEL: a plan, its members in blocks on all cores or ranks, the certificate of
 * all.
 *
 * With --out every finished block goes to a shard beside the file (shard.h), and the file is made of them;
 * --resume FILE goes on from them.  A stream gets its lines as they come. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep_run.h"
#include "cli/job/sweep_words.h"
#include "cli/terminal/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Going on ---------------------------------------------------------------------------------------------- */

/* The words of an interrupted sweep, with those given now behind them: --workers, --quiet, ...  They lie in
 * *kept.  NULL: the job has failed. */
static char **resumed_words(struct job *j, int count, char **argv, int *words, char **kept) {
    const char *out = option_text(&j->options, opt_resume);
    char why[JOB_SENTENCE];
    struct shards_names names = {0};
    struct shard shard = {0};
    char **word = NULL;
    if (shards_find(&names, out)) job_no_memory(j);
    else if (names.count == 0)
        job_fail(j, EXIT_FAILED, "--resume: there is nothing to go on from: no file %.300s" SHARD_ENDING,
                 out);
    else if (shard_probe(&shard, names.path[0], why, sizeof why))
        job_fail(j, EXIT_FAILED, "--resume: %s", why);
    else {
        const struct shard_head *h = &shard.head;
        word = calloc((size_t)h->count + (size_t)count + 3, sizeof *word);
        if (!word) job_no_memory(j);
        else {
            memcpy(word, h->word, (size_t)h->count * sizeof *word);
            memcpy(word + h->count, argv, (size_t)count * sizeof *word);
            *words = h->count + count;
            *kept = shard.text; /* in which the words lie */
            shard.text = NULL;
        }
    }
    shards_forget(&names);
    shard_close(&shard);
    return word;
}

/* What may be given beside --resume: it does not touch the results. */
static int check_resume(struct job *j) {
    static const enum option_id allowed[] = {opt_resume, opt_workers, opt_lanes, opt_device,
                                             opt_quiet,  opt_json,    opt_color, opt_force};
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

/* Tasks of an array job --------------------------------------------------------------------------------- */

static long number_of(const char *name, long otherwise) {
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : otherwise;
    return text && (*end || end == text) ? otherwise : value;
}

/* --task slurm: tasks MIN, MIN + STEP, ... of an array are the parts 1, 2, ... */
static int slurm_task(struct sweep_run *r) {
    long id = number_of("SLURM_ARRAY_TASK_ID", -1), first = number_of("SLURM_ARRAY_TASK_MIN", 0),
         step = number_of("SLURM_ARRAY_TASK_STEP", 1), count = number_of("SLURM_ARRAY_TASK_COUNT", 0);
    long place = step > 0 ? (id - first) / step : -1;
    if (id < 0 || count < 1 || step < 1)
        return job_fail(&r->sweep.job, EXIT_USAGE,
                        "--task slurm: this is no array job (SLURM_ARRAY_TASK_ID and _COUNT are not set); "
                        "give --task I/N");
    if ((id - first) % step || place < 0 || place >= count || count > 1000000)
        return job_fail(&r->sweep.job, EXIT_USAGE,
                        "--task slurm: the numbers of the array's tasks are not evenly spaced; give --task "
                        "I/N");
    r->part = (int)place + 1, r->parts = (int)count;
    return 0;
}

static int take_task(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    const char *text = option_text(&j->options, opt_task);
    int end = 0;
    if (!text) return 0;
    if (strcmp(text, "slurm") == 0) {
        if (slurm_task(r)) return j->status;
    } else if (sscanf(text, "%7d/%7d%n", &r->part, &r->parts, &end) != 2 || text[end] || r->part < 1 ||
               r->part > r->parts)
        return job_fail(j, EXIT_USAGE, "--task `%.40s`: it is I/N, as in 3/16, with I from 1 to N, or slurm",
                        text);
    if (!option_given(&j->options, opt_out))
        return job_fail(j, EXIT_USAGE,
                        "--task needs --out FILE, the same for all tasks: their blocks lie beside it");
    if (r->ranks.size > 1)
        return job_fail(j, EXIT_USAGE, "--task and the ranks of mpirun exclude each other: give one of them");
    return 0;
}

/* Shards ------------------------------------------------------------------------------------------------ */

static int64_t members_of(const struct sweep_run *r, int64_t block) {
    int64_t rest = keel_plan_members(r->sweep.plan) - block * KEEL_BLOCK;
    return rest < KEEL_BLOCK ? rest : KEEL_BLOCK;
}

/* What is finished, and what is not this task's, is not to be done. */
static int open_agenda(struct sweep_run *r) {
    if (agenda_open(&r->agenda, keel_ensemble_blocks(r->sweep.ensemble))) return job_no_memory(&r->sweep.job);
    for (int64_t k = 0; k < r->agenda.blocks; k++) {
        int ours = r->parts == 0 || k % r->parts == r->part - 1;
        int there = k < r->shards.blocks && r->shards.place[k].shard >= 0;
        if (ours && r->parts) r->sweep.share += members_of(r, k);
        if (ours && there) r->before += members_of(r, k);
        if (!ours || there) agenda_mark(&r->agenda, k);
    }
    r->sweep.done = r->before;
    return 0;
}

/* A new sweep does not replace what an interrupted one has finished, unless it is told to. */
static int make_way(struct sweep_run *r, const struct shards_names *names, const char *out) {
    struct job *j = &r->sweep.job;
    if (names->count && !option_given(&j->options, opt_force))
        return job_fail(
            j, EXIT_FAILED,
            "%.200s holds what an interrupted sweep has finished: go on with --resume %.200s, or --force "
            "to begin anew",
            names->path[0], out);
    for (int i = 0; i < names->count; i++) {
        struct claim *c = output_claim(j, names->path[i], KIND_BLOCKS);
        if (!c) return j->status;
        claim_remove(c);
        claim_close(c);
    }
    return 0;
}

static struct shard_head head_of(const struct sweep_run *r) {
    const struct sweep *s = &r->sweep;
    return (struct shard_head){.members = keel_plan_members(s->plan),
                               .sweep = r->sum,
                               .columns = keel_ensemble_columns(s->ensemble),
                               .times = keel_ensemble_times(s->ensemble),
                               .extrema = s->options.extrema,
                               .events = s->options.event != NULL,
                               .count = r->count,
                               .word = r->word,
                               .model = (char *)keel_model_text(s->job.model)};
}

static int open_own(struct sweep_run *r, const char *out) {
    struct job *j = &r->sweep.job;
    struct shard_head head = head_of(r);
    char *path = shard_path(out, r->parts ? r->part : r->ranks.rank);
    if (!path) return job_no_memory(j);
    r->own = shards_own(&r->shards, j, path, &head);
    free(path);
    return r->own < 0 ? j->status : 0;
}

/* A task begun again goes on: array jobs are restarted with the same words. */
static int open_task(struct sweep_run *r, const char *out) {
    struct job *j = &r->sweep.job;
    if (option_given(&j->options, opt_force)) {
        struct shards_names own = {.path = &(char *){shard_path(out, r->part)}, .count = 1};
        int status = own.path[0] ? make_way(r, &own, out) : job_no_memory(j);
        free(own.path[0]);
        if (status) return status;
    }
    if (open_own(r, out) || open_agenda(r)) return j->status;
    keel_block b;
    for (int64_t k = 0; k < r->shards.blocks; k++) {
        int found = shards_read(&r->shards, j, k, &b);
        if (found < 0) return j->status;
        if (found) sweep_tally_block(&r->sweep.tally, &b);
    }
    return 0;
}

/* Rank 0, or the only process: what is finished, and the names of the files. */
static int open_all(struct sweep_run *r, const char *out) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    struct shard_head head = head_of(r);
    struct shards_names names = {0};
    if (sweep_file_claim(&r->file, s, out)) return j->status;
    int stream = !r->file.claim || r->file.claim->stream;
    if (stream && r->ranks.size > 1)
        return job_fail(j, EXIT_USAGE,
                        "several ranks need --out with the name of a file: their blocks lie beside it");
    if (!stream) {
        int status = shards_find(&names, out) ? job_no_memory(j)
                     : r->resumed             ? shards_open(&r->shards, j, &names, &head)
                                              : make_way(r, &names, out);
        shards_forget(&names);
        if (status) return status;
    }
    if (open_agenda(r)) return j->status;
    if (r->ranks.size > 1) return shards_close(&r->shards), 0; /* each rank opens its own */
    if (!stream && open_own(r, out)) return j->status;
    return sweep_file_open(&r->file, r->count, r->word);
}

static int open_files(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    const char *out = r->resumed ? option_text(&j->options, opt_resume) : option_text(&j->options, opt_out);
    r->own = -1;
    if (r->parts) return open_task(r, out);
    if (r->ranks.rank == 0) open_all(r, out);
    if (ranks_agree(&r->ranks, j, 0)) return 1;
    if (r->ranks.size == 1) return j->status;
    open_own(r, out);
    return ranks_agree(&r->ranks, j, 0);
}

/* The file --------------------------------------------------------------------------------------------- */

/* The shards of all ranks, once they are closed. */
static int collect(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    struct shard_head head = head_of(r);
    struct shards_names names = {0};
    int status = shards_find(&names, r->file.claim->path) ? job_no_memory(j)
                                                          : shards_open(&r->shards, j, &names, &head);
    shards_forget(&names);
    if (status || sweep_file_open(&r->file, r->count, r->word)) return j->status;
    return sweep_file_catch_up(&r->file, &r->shards);
}

static int make_file(struct sweep_run *r) {
    struct job *j = &r->sweep.job;
    if (r->parts) return 0;
    if (r->ranks.size > 1 && collect(r)) return j->status;
    if (stop_asked() && r->file.fed < r->agenda.blocks)
        return job_fail(j, stop_exit(),
                        "interrupted before the file was made; go on with: keel sweep --resume %.200s",
                        r->file.claim ? r->file.claim->path : "");
    if (r->file.fed < r->agenda.blocks)
        return job_fail(j, EXIT_FAILED, "block %lld is missing: go on with: keel sweep --resume %.200s",
                        (long long)r->file.fed, r->file.claim->path);
    if (sweep_file_end(&r->file)) return j->status;
    shards_remove(&r->shards);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- */

/* Reads the model, by every rank; what is wrong is told by rank 0 alone. */
static int open_sweep(struct sweep_run *r, int count, char **word) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    struct waiting waiting;
    if (job_open(j, COMMAND_SWEEP, count, word)) return j->status;
    if (option_given(&j->options, opt_help)) return 0;
    if (r->ranks.size > 1 && strcmp(j->file, "-") == 0)
        return job_fail(j, EXIT_USAGE, "only one rank has the standard input: give the model as a file");
    if (take_task(r)) return j->status;
    waiting_begin(&waiting, &j->messages, "verifying the equations");
    s->workers = r->ranks.size > 1 ? ranks_workers() : 0;
    int status = sweep_plan(s);
    waiting_end(&waiting);
    if (status) return status;
    job_name_stabilizer(j, keel_sim_solver(keel_ensemble_base(s->ensemble)));
    r->word = sweep_words(count, word, &r->count);
    r->sum = r->word ? sweep_sum(&s->job, r->count, r->word) : 0;
    return r->sum ? 0 : job_no_memory(j);
}

static int run_sweep(struct sweep_run *r, int count, char **word) {
    struct job *j = &r->sweep.job;
    open_sweep(r, count, word);
    if (ranks_agree(&r->ranks, j, r->sum)) return j->status;
    if (option_given(&j->options, opt_help)) return 0;
    if (open_files(r)) return j->status;
    sweep_run_blocks(r);
    if (r->ranks.size > 1) shards_close(&r->shards);
    if (ranks_agree(&r->ranks, j, 0) || r->ranks.rank > 0) return j->status;
    return make_file(r);
}

/* Other ranks rest until the file is made: MPI itself would wait at full speed. */
static void end_ranks(struct ranks *r) {
    struct rank_message m = {.word = RANK_AGREED};
    if (r->size > 1 && r->rank > 0) ranks_receive(r, 0, RANK_AGREED, &m);
    for (int i = 1; i < r->size && r->rank == 0; i++) ranks_send(r, i, &m);
    ranks_close(r);
}

static void close_run(struct sweep_run *r) {
    sweep_file_drop(&r->file);
    shards_close(&r->shards);
    agenda_close(&r->agenda);
    keel_ensemble_close(r->sweep.ensemble);
    keel_plan_close(r->sweep.plan);
    keel_summary_close(r->sweep.summary);
    free(r->sweep.times);
    free(r->word);
    pthread_mutex_destroy(&r->lock);
    job_close(&r->sweep.job);
}

static int tell(struct sweep_run *r, int status) {
    struct sweep *s = &r->sweep;
    const struct job *j = &s->job;
    if (status == 0 && option_given(&j->options, opt_help))
        return command_help(command_find("sweep"), stdout), status;
    if (status == 0) status = sweep_exit(s);
    if (s->tally.members && !j->messages.json && !j->messages.quiet && status != EXIT_FAILED)
        sweep_certificate(s, stdout);
    if (j->messages.json) sweep_json(s, status, stdout);
    if (r->parts && j->status == 0)
        message_note(&j->messages, "part %d of %d is finished; once all are: keel gather %.200s", r->part,
                     r->parts, option_text(&j->options, opt_out));
    return status;
}

/* The other ranks keep silent: what they have to say goes to rank 0. */
static char **silent_words(int *count, char **argv) {
    char **word = calloc((size_t)*count + 3, sizeof *word);
    if (!word) return NULL;
    memcpy(word, argv, (size_t)*count * sizeof *word);
    word[(*count)++] = "--json";
    word[(*count)++] = "--quiet";
    return word;
}

int sweep_command(int count, char **argv) {
    static struct sweep_run r;
    struct job *j = &r.sweep.job;
    char **words = NULL, **silent = NULL, *kept = NULL, why[JOB_SENTENCE];
    r = (struct sweep_run){.own = -1};
    pthread_mutex_init(&r.lock, NULL);
    stop_watch();
    int wrong = ranks_open(&r.ranks, why, sizeof why);
    if (r.ranks.rank > 0) argv = silent = silent_words(&count, argv);
    int status = argv ? job_open_word(j, COMMAND_SWEEP, count, argv, NULL) : job_no_memory(j);
    if (wrong && status == 0 && !option_given(&j->options, opt_task))
        status = job_fail(j, EXIT_FAILED, "%s", why);
    if (status == 0 && option_given(&j->options, opt_retry_failed)) {
        if (r.ranks.size == 1) return close_run(&r), sweep_retry(count, argv);
        status = job_fail(j, EXIT_USAGE, "--retry-failed runs in one process: start it without mpirun");
    }
    if (status == 0 && option_given(&j->options, opt_resume)) {
        r.resumed = 1;
        if (check_resume(j) == 0) words = resumed_words(j, count, argv, &count, &kept);
        status = ranks_agree(&r.ranks, j, 0);
        argv = words;
    }
    if (status == 0) {
        job_close(j);
        status = run_sweep(&r, count, argv);
    }
    if (r.ranks.rank == 0) status = tell(&r, status);
    end_ranks(&r.ranks);
    close_run(&r);
    free(words);
    free(silent);
    free(kept);
    return r.ranks.rank == 0 ? status : 0;
}
