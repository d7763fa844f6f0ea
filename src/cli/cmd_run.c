/* cmd_run.c - keel run MODEL: integrates, writes what is wanted, prints the certificate. */
#include "base/text.h"
#include "cli/command.h"
#include "cli/csv.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/run_json.h"
#include "cli/stop.h"

#include <string.h>

struct run {
    struct job job;
    struct trace trace;
    struct outcome outcome;
    struct progress progress;
    struct csv rows, events;
    keel_sim *sim;
};

static void observe(keel_solver *solver, void *sim) {
    struct run *r = keel_sim_attached(sim);
    progress_at(&r->progress, keel_time(solver));
    trace_look(&r->trace);
}

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* All files are opened before the run: what cannot be written is told at once. */
static int open_files(struct run *r) {
    struct job *j = &r->job;
    const char *out = option_text(&j->options, opt_out), *events = option_text(&j->options, opt_events);
    if (out && !ends_with(out, ".csv"))
        return job_fail(j, EXIT_USAGE, "--out %s: the name must end in .csv", out);
    if (out && csv_open(&r->rows, j, out, 0)) return j->status;
    if (events && csv_open(&r->events, j, events, 1)) return j->status;
    return 0;
}

static int open_run(struct run *r) {
    struct job *j = &r->job;
    j->keel.observe = observe;
    r->sim = keel_sim_open(j->model, &j->keel);
    if (!r->sim) return job_fail(j, EXIT_FAILED, "there is not enough memory");
    keel_sim_attach(r->sim, r);
    r->outcome.sim = r->sim;
    r->outcome.trace = &r->trace;
    if (!keel_sim_solver(r->sim) || keel_state_of(keel_sim_solver(r->sim)) < 0)
        return job_fail(j, EXIT_FAILED, "%s", keel_sim_message(r->sim));
    job_name_stabilizer(j, keel_sim_solver(r->sim));
    if (trace_attach(&r->trace, r->sim)) return job_fail(j, EXIT_FAILED, "there is not enough memory");
    if (r->rows.file.stream) csv_begin(&r->rows, j, &r->trace), trace_add(&r->trace, csv_row, &r->rows);
    if (r->events.file.stream) csv_begin(&r->events, j, &r->trace), trace_add(&r->trace, csv_row, &r->events);
    return 0;
}

/* Step by step, so that a signal ends the run between two of them. */
static void integrate(struct run *r) {
    struct outcome *o = &r->outcome;
    double end = r->job.t1;
    keel_status status = KEEL_OK;
    double begin = job_seconds();
    progress_open(&r->progress, &r->job);
    trace_look(&r->trace);
    while (status == KEEL_OK && keel_time(keel_sim_solver(r->sim)) != end && !stop_asked() &&
           !r->trace.failed)
        status = keel_sim_step(r->sim, end);
    progress_clear(&r->progress);
    o->wall_s = job_seconds() - begin;
    o->status = status < 0 ? OUTCOME_FAILED : status == KEEL_EVENT ? OUTCOME_STOPPED : OUTCOME_DONE;
    if (status < 0) text_set(o->message, sizeof o->message, "%s", keel_sim_message(r->sim));
    if (status == KEEL_EVENT) {
        keel_happening last = {0};
        keel_sim_happening(r->sim, -1, &last);
        text_set(o->message, sizeof o->message, "by event `%s` at t = %.10g", last.event, last.t);
    }
    if (stop_asked()) o->status = OUTCOME_INTERRUPTED;
    if (r->trace.failed) {
        o->status = OUTCOME_FAILED;
        text_set(o->message, sizeof o->message, "the results could not be written");
    }
    o->exit = o->status == OUTCOME_FAILED        ? EXIT_FAILED
              : o->status == OUTCOME_INTERRUPTED ? stop_exit()
                                                 : EXIT_DONE;
}

static int close_files(struct run *r) {
    struct outcome *o = &r->outcome;
    char status[JOB_SENTENCE + 40];
    text_set(status, sizeof status, "%s%s%s", outcome_word(o->status), o->message[0] ? ": " : "", o->message);
    const char *last = o->status == OUTCOME_DONE || o->status == OUTCOME_STOPPED ? NULL : status;
    int wrong = csv_end(&r->rows, &r->job, last);
    return csv_end(&r->events, &r->job, last) || wrong ? r->job.status : 0;
}

static int finish(struct run *r) {
    struct job *j = &r->job;
    struct outcome *o = &r->outcome;
    if (close_files(r)) o->status = OUTCOME_FAILED, o->exit = EXIT_FAILED;
    if (o->status == OUTCOME_DONE || o->status == OUTCOME_STOPPED)
        outcome_measure(o, j, option_given(&j->options, opt_verify) ? 2 : 1);
    else o->yardstick = OUTCOME_NONE;
    if (!j->say.json && !j->say.quiet) outcome_certificate(o, j, stdout, j->say.color_out);
    if (!j->say.json && o->status == OUTCOME_FAILED) say_error(&j->say, 0, "%s", o->message);
    return o->exit;
}

int run_command(int count, char **argv) {
    static struct run r;
    int status = job_open(&r.job, COMMAND_RUN, count, argv);
    if (status == 0 && option_given(&r.job.options, opt_help)) {
        command_help(command_find("run"), stdout);
        job_close(&r.job);
        return EXIT_DONE;
    }
    stop_watch();
    if (status == 0) status = trace_open(&r.trace, &r.job);
    if (status == 0) status = open_files(&r);
    if (status == 0) status = open_run(&r);
    if (status == 0) {
        integrate(&r);
        status = finish(&r);
    } else {
        r.outcome.status = OUTCOME_FAILED, r.outcome.exit = status;
        file_drop(&r.rows.file);
        file_drop(&r.events.file);
    }
    if (r.job.say.json) run_json(&r.outcome, &r.job, stdout);
    outcome_release(&r.outcome);
    keel_sim_close(r.sim);
    trace_close(&r.trace);
    job_close(&r.job);
    return status;
}
