/* cmd_gather.c - keel gather FILE..: the blocks that tasks or ranks of one sweep have finished, as one file.
 *
 * The blocks hold the command line and the model's text: nothing else is needed but a table. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep_file.h"
#include "cli/job/sweep_words.h"

#include <stdlib.h>
#include <string.h>

struct gather {
    struct job job; /* of this command */
    struct sweep sweep;
    struct shards shards;
    struct sweep_file file;
    char *out; /* the file's name */
};

static int find_shards(struct gather *g) {
    struct job *j = &g->job;
    struct shards_names names = {0};
    for (int i = 0; i < j->options.operands && !j->status; i++) {
        int before = names.count;
        if (shards_find(&names, j->options.operand[i])) job_no_memory(j);
        else if (names.count == before)
            job_fail(j, EXIT_FAILED, "there are no blocks of a sweep for %.200s: no file %.200s" SHARD_ENDING,
                     j->options.operand[i], j->options.operand[i]);
    }
    const char *given = option_text(&j->options, opt_out);
    if (!j->status) g->out = strdup(given ? given : names.path[0]);
    if (!j->status && !g->out) job_no_memory(j);
    if (g->out && !given)
        for (char *at = g->out, *next; (next = strstr(at, SHARD_ENDING)); at = next + 1)
            if (!strstr(next + 1, SHARD_ENDING)) *next = '\0';
    if (!j->status) shards_open(&g->shards, j, &names, NULL);
    shards_forget(&names);
    return j->status;
}

static int check_complete(struct gather *g) {
    const struct shards *s = &g->shards;
    int64_t first = 0;
    if (s->found == s->blocks) return 0;
    while (s->place[first].shard >= 0) first++;
    return job_fail(
        &g->job, EXIT_FAILED,
        "%lld of %lld blocks are missing, the first is %lld: run the tasks that have not finished "
        "again, or `keel sweep --resume %.200s` computes the rest",
        (long long)(s->blocks - s->found), (long long)s->blocks, (long long)first, g->out);
}

/* The sweep as its head describes it. */
static int open_sweep(struct gather *g) {
    const struct shard_head *h = &g->shards.shard[0].head;
    struct sweep *s = &g->sweep;
    int status = job_open_text(&s->job, COMMAND_SWEEP, h->count, h->word, h->model);
    s->job.messages = g->job.messages;
    if (status == 0) status = sweep_plan(s);
    if (status) return status;
    job_name_stabilizer(&s->job, keel_sim_solver(keel_ensemble_base(s->ensemble)));
    if (sweep_sum(&s->job, h->count, h->word) == h->sweep) return 0;
    return job_fail(&s->job, EXIT_FAILED,
                    "the blocks are of another version of keel, or the table has changed since");
}

static int run_gather(struct gather *g) {
    struct job *j = &g->sweep.job;
    const struct shard_head *h;
    if (find_shards(g) || check_complete(g)) return g->job.status;
    h = &g->shards.shard[0].head;
    if (open_sweep(g)) return j->status;
    if (option_given(&g->job.options, opt_force))
        j->options.value[opt_force] = g->job.options.value[opt_force];
    int status = sweep_file_claim(&g->file, &g->sweep, g->out);
    j->options.value[opt_force] = (struct option_value){0};
    if (status || sweep_file_open(&g->file, h->count, h->word) || sweep_file_catch_up(&g->file, &g->shards))
        return j->status;
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted: the blocks stay as they are");
    if (sweep_file_end(&g->file)) return j->status;
    if (!option_given(&g->job.options, opt_out)) shards_remove(&g->shards);
    return 0;
}

int gather_command(int count, char **argv) {
    static struct gather g;
    g = (struct gather){0};
    stop_watch();
    int status = job_open_word(&g.job, COMMAND_GATHER, count, argv,
                               "which file?  Give what the tasks were given as --out");
    int help = status == 0 && option_given(&g.job.options, opt_help);
    if (status == 0 && !help) status = run_gather(&g);
    if (help) command_help(command_find("gather"), stdout);
    else {
        if (status == 0) status = sweep_exit(&g.sweep);
        if (!g.job.messages.json && !g.job.messages.quiet && g.sweep.tally.members && status != EXIT_FAILED)
            sweep_certificate(&g.sweep, stdout);
        if (g.job.status) memcpy(g.sweep.job.sentence, g.job.sentence, sizeof g.job.sentence);
        if (g.job.messages.json) sweep_json(&g.sweep, status, stdout);
    }
    sweep_file_drop(&g.file);
    shards_close(&g.shards);
    keel_ensemble_close(g.sweep.ensemble);
    keel_plan_close(g.sweep.plan);
    keel_summary_close(g.sweep.summary);
    free(g.sweep.times);
    free(g.out);
    job_close(&g.sweep.job);
    job_close(&g.job);
    return status;
}
