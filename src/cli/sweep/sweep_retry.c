/* sweep_retry.c - keel sweep --retry-failed FILE.h5: the failed members once more, with other options.
 *
 * They are a sweep of their own, over a table of their values.  The new file is the old one with their
 * results in it; it takes the old one's place when it is complete, and says which members were run again. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep_run.h"
#include "cli/job/sweep_words.h"

#include <stdlib.h>
#include <string.h>

#ifdef KEEL_HDF5

#include "cli/sweep/patch.h"
#include "cli/files/sweep_reader.h"

struct retry {
    struct sweep sweep;
    struct sweep_reader old;
    struct sweep_file file;
    struct patch patch;
    int64_t at;      /* the block in the patch; -1: none */
    int64_t *member; /* [failed] in their order */
    int64_t failed;
    keel_plan *plan;
    keel_ensemble *ensemble;
    char **words, *note; /* the options given now, a word a line */
    int32_t of[KEEL_BLOCK];
};

/* What to do -------------------------------------------------------------------------------------------- */

static int of_run(int id) {
    static const int others[] = {opt_preserve, opt_interpret, opt_compile_limit};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k] == id) return 1;
    return id >= 0 && id < OPTION_FIELDS;
}

static int is_option(const void *user, int id) {
    (void)user;
    return of_run(id);
}

static int check_options(struct job *j) {
    static const int allowed[] = {opt_retry_failed, opt_out,   opt_workers, opt_quiet,
                                  opt_json,         opt_color, opt_force,   opt_help};
    if (j->options.operands)
        return job_fail(j, EXIT_USAGE, "--retry-failed FILE has its model inside: it takes no other");
    for (int id = 0; id < OPTIONS; id++) {
        int good = !option_given(&j->options, id) || of_run(id);
        char name[JOB_WORD];
        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++) good |= id == allowed[k];
        if (good) continue;
        option_name(id, name, sizeof name);
        return job_fail(j, EXIT_USAGE,
                        "--%s cannot be given with --retry-failed: what varies and what is kept stay", name);
    }
    return 0;
}

static int find_failed(struct retry *r, struct job *j) {
    for (int64_t first = 0; first < r->old.members; first += KEEL_BLOCK) {
        int each;
        int64_t count = r->old.members - first < KEEL_BLOCK ? r->old.members - first : KEEL_BLOCK;
        double *status = sweep_reader_numbers(&r->old, "status", first, count, &each);
        int64_t *wider = realloc(r->member, (size_t)(r->failed + count) * sizeof *wider);
        if (wider) r->member = wider;
        for (int64_t i = 0; i < count && status && wider; i++)
            if (status[i] < 0) r->member[r->failed++] = first + i;
        free(status);
        if (!status || !wider) return job_no_memory(j);
    }
    return 0;
}

/* The words of now, and those of all times before. */
static int take_words(struct retry *r, struct job *j, int count, char **argv) {
    struct sweep_retries *again = &r->sweep.retries;
    char **now = calloc((size_t)count + 1, sizeof *now);
    size_t capacity = 1;
    int words = now ? option_words(COMMAND_SWEEP, count, argv, is_option, NULL, now) : 0;
    for (int i = 0; i < words; i++) capacity += strlen(now[i]) + 1;
    r->note = malloc(capacity);
    again->words = malloc(((size_t)r->old.retries.count + 1) * sizeof *again->words);
    r->words = now && r->note
                   ? sweep_words_again(r->old.command.count, r->old.command.name, words, now, &count)
                   : NULL;
    if (r->words && again->words) {
        char *at = r->note;
        *at = '\0';
        for (int i = 0; i < words; i++) at += sprintf(at, "%s%s", i ? "\n" : "", now[i]);
        for (int i = 0; i < r->old.retries.count; i++) again->words[i] = r->old.retries.name[i];
        again->words[r->old.retries.count] = r->note;
        again->count = r->old.retries.count + 1;
    }
    free(now);
    if (!r->words || !again->words) return job_no_memory(j);
    char why[JOB_SENTENCE];
    struct messages messages = j->messages;
    struct options given = j->options;
    j->options = (struct options){0};
    int status = job_open_text(j, COMMAND_SWEEP, count, r->words, r->old.model_text.text);
    j->messages = messages;
    if (option_given(&given, opt_force)) option_add(&j->options, opt_force, "", why, sizeof why);
    if (option_given(&given, opt_workers))
        option_add(&j->options, opt_workers, option_text(&given, opt_workers), why, sizeof why);
    option_release(&given);
    return status;
}

/* The failed members as a sweep of their own. */
static int open_few(struct retry *r) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    int names = keel_plan_names(s->plan);
    if (keel_plan_members(s->plan) != r->old.members ||
        keel_ensemble_columns(s->ensemble) != r->old.columns.count ||
        keel_ensemble_times(s->ensemble) != r->old.times)
        return job_fail(j, EXIT_FAILED, "the table of the sweep has changed since: nothing can be retried");
    const char **name = malloc(((size_t)names + 1) * sizeof *name);
    double *value = malloc(((size_t)r->failed * (size_t)names + 1) * sizeof *value);
    r->plan = keel_plan_open(j->model);
    int good = name && value && r->plan;
    for (int i = 0; i < names && good; i++) name[i] = keel_plan_name(s->plan, i);
    for (int64_t k = 0; k < r->failed && good; k++)
        keel_plan_values(s->plan, r->member[k], value + (size_t)k * (size_t)names);
    good = good && keel_plan_columns(r->plan, names, name, r->failed, value) == KEEL_OK &&
           keel_plan_settle(r->plan, NULL) == KEEL_OK;
    free(name);
    free(value);
    r->ensemble = good ? keel_ensemble_open(j->model, r->plan, &s->options) : NULL;
    if (!r->ensemble) return job_no_memory(j);
    if (keel_ensemble_status(r->ensemble) < 0)
        return job_fail(j, EXIT_FAILED, "%s", keel_ensemble_message(r->ensemble));
    return 0;
}

/* Merging ----------------------------------------------------------------------------------------------- */

static int feed(struct retry *r, const keel_block *b, const int32_t *of) {
    r->sweep.retries.of = of;
    return sweep_file_feed(&r->file, b);
}

static int flush(struct retry *r) {
    if (r->at < 0) return 0;
    r->at = -1;
    if (patch_end(&r->patch)) return job_no_memory(&r->sweep.job);
    return feed(r, &r->patch.view, r->of);
}

/* All blocks before `index` are in the file; 0, or an exit status. */
static int advance(struct retry *r, int64_t index) {
    struct job *j = &r->sweep.job;
    keel_block b;
    if (flush(r)) return j->status;
    while (r->file.fed < index) {
        if (sweep_reader_block(&r->old, r->file.fed, &b))
            return job_fail(j, EXIT_FAILED, "the old file cannot be read: it is damaged");
        if (feed(r, &b, r->old.retry_of)) return j->status;
    }
    return 0;
}

static int open_block(struct retry *r, int64_t index) {
    struct job *j = &r->sweep.job;
    keel_block b;
    if (r->at == index) return 0;
    if (advance(r, index)) return j->status;
    if (sweep_reader_block(&r->old, index, &b))
        return job_fail(j, EXIT_FAILED, "the old file cannot be read: it is damaged");
    memcpy(r->of, r->old.retry_of, sizeof r->of);
    if (patch_load(&r->patch, &b, r->sweep.options.extrema, r->sweep.options.event != NULL))
        return job_no_memory(j);
    r->at = index;
    return 0;
}

/* A keel_block_sink: the members of the small sweep to their places. */
static int take_block(void *retry, const keel_block *b) {
    struct retry *r = retry;
    for (int i = 0; i < b->count; i++) {
        int64_t member = r->member[b->first + i];
        int at = (int)(member % KEEL_BLOCK);
        if (open_block(r, member / KEEL_BLOCK)) return 1;
        if (patch_put(&r->patch, at, b, i)) return job_no_memory(&r->sweep.job);
        r->of[at] = r->sweep.retries.count;
    }
    return stop_asked();
}

static int run_retry(struct retry *r, int count, char **argv) {
    struct sweep *s = &r->sweep;
    struct job *j = &s->job;
    char why[JOB_SENTENCE];
    const char *path = option_text(&j->options, opt_retry_failed), *out = option_text(&j->options, opt_out);
    if (sweep_reader_open(&r->old, path, why, sizeof why)) return job_fail(j, EXIT_FAILED, "%s", why);
    if (find_failed(r, j)) return j->status;
    if (r->failed == 0) return job_fail(j, EXIT_USAGE, "no member of %.200s has failed", path);
    if (take_words(r, j, count, argv) || sweep_plan(s) || open_few(r)) return j->status;
    job_name_stabilizer(j, keel_sim_solver(keel_ensemble_base(s->ensemble)));
    if (sweep_file_claim(&r->file, s, out ? out : path) ||
        sweep_file_open(&r->file, r->old.command.count, r->old.command.name))
        return j->status;
    s->begin = job_seconds();
    s->done = r->old.members - r->failed;
    keel_status status = keel_ensemble_run(r->ensemble, 0, keel_ensemble_blocks(r->ensemble), take_block, r);
    s->wall_s = job_seconds() - s->begin;
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (j->status) return j->status;
    if (status < 0) return job_fail(j, EXIT_FAILED, "%s", keel_ensemble_message(r->ensemble));
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted: %.200s stays as it is", path);
    return advance(r, r->old.blocks) || sweep_file_end(&r->file) ? j->status : 0;
}

int sweep_retry(int count, char **argv) {
    static struct retry r;
    struct job *j = &r.sweep.job;
    r = (struct retry){.at = -1, .old = {.n = {.id = -1}}};
    int status = job_open_word(j, COMMAND_SWEEP, count, argv, NULL);
    if (status == 0) status = check_options(j);
    if (status == 0) status = run_retry(&r, count, argv);
    if (status == 0) status = sweep_exit(&r.sweep);
    if (r.sweep.tally.members && !j->messages.json && !j->messages.quiet && status != EXIT_FAILED) {
        sweep_certificate(&r.sweep, stdout);
        printf("  retried    %lld members, %lld of them failed again\n", (long long)r.failed,
               (long long)r.sweep.tally.failed);
    }
    if (j->messages.json) sweep_json(&r.sweep, status, stdout);
    sweep_file_drop(&r.file);
    patch_close(&r.patch);
    keel_ensemble_close(r.ensemble);
    keel_plan_close(r.plan);
    keel_ensemble_close(r.sweep.ensemble);
    keel_plan_close(r.sweep.plan);
    keel_summary_close(r.sweep.summary);
    free(r.sweep.times);
    free(r.sweep.retries.words);
    job_close(j);
    sweep_reader_close(&r.old);
    free(r.member);
    free(r.words);
    free(r.note);
    return status;
}

#else

int sweep_retry(int count, char **argv) {
    static struct job j;
    int status = job_open_word(&j, COMMAND_SWEEP, count, argv, NULL);
    if (status == 0) status = job_fail(&j, EXIT_FAILED, "--retry-failed: this build of keel has no HDF5");
    job_close(&j);
    return status;
}

#endif
