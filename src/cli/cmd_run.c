/* cmd_run.c - keel run MODEL: integrates, writes what is wanted, prints the certificate. */
#include "base/text.h"
#include "cli/run/checkpoint.h"
#include "cli/job/command.h"
#include "cli/run/csv.h"
#include "cli/run/hdf5.h"
#include "cli/job/limit.h"
#include "cli/run/outcome.h"
#include "cli/plots/plot.h"
#include "cli/job/progress.h"
#include "cli/plots/report.h"
#include "cli/run/run_json.h"
#include "cli/job/stiff.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/waiting.h"

#include <string.h>

struct run {
    struct job job;
    struct trace trace;
    struct outcome outcome;
    struct progress progress;
    struct csv rows, events;
    struct hdf5 *hdf5;
    struct checkpoint checkpoint;
    struct store store;
    struct plot plot;
    struct report report;
    keel_sim *sim;
    const keel_method *suspect; /* it may not suit stiff equations; NULL: it does */
    struct stiff stiff;
    int kernel_asked; /* the run was long enough for one */
};

/* Whoever wants to see where the run stands; it is told apart from the time of the steps. */
static void look(struct run *r) {
    double begin = job_seconds();
    if (r->store.data) store_sample(&r->store);
    trace_sample(&r->trace);
    r->trace.seconds += job_seconds() - begin;
}

static void observe(keel_solver *solver, void *sim) {
    (void)solver;
    look(keel_sim_attached(sim));
}

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* Each of them is a file of its own. */
static int name_files(struct job *j) {
    static const enum option_id ids[] = {opt_out, opt_events, opt_plot, opt_report, opt_checkpoint};
    enum { COUNT = sizeof ids / sizeof *ids };
    for (int i = 0; i < COUNT; i++)
        for (int k = i + 1; k < COUNT; k++) {
            const char *one = option_text(&j->options, ids[i]), *other = option_text(&j->options, ids[k]);
            if (one && other && strcmp(one, other) == 0)
                return job_fail(j, EXIT_USAGE, "--%s and --%s name the same file, %.200s",
                                option_row(ids[i]).name, option_row(ids[k]).name, one);
        }
    return 0;
}

/* All files are opened before the run: what cannot be written is told at once. */
static int open_files(struct run *r) {
    struct job *j = &r->job;
    const char *out = option_text(&j->options, opt_out), *events = option_text(&j->options, opt_events);
    int hdf5 = out && (ends_with(out, ".h5") || ends_with(out, ".hdf5"));
    if (out && !hdf5 && !ends_with(out, ".csv"))
        return job_fail(j, EXIT_USAGE, "--out %.200s: the name must end in .csv or .h5", out);
    if (hdf5 && !(r->hdf5 = hdf5_open(j, out))) return j->status;
    if (out && !hdf5 && csv_open(&r->rows, j, out, 0)) return j->status;
    if (events && csv_open(&r->events, j, events, 1)) return j->status;
    return plot_open(&r->plot, j) || report_open(&r->report, j) ? j->status : 0;
}

/* What is to be drawn is kept in memory. */
static int open_store(struct run *r) {
    struct job *j = &r->job;
    if (!option_given(&j->options, opt_plot) && !option_given(&j->options, opt_report)) return 0;
    if (store_open(&r->store, &r->trace, option_given(&j->options, opt_log))) return job_no_memory(j);
    trace_add(&r->trace, store_row, &r->store);
    return plot_begin(&r->plot, j, &r->store);
}

/* Everyone who wants rows; then those of an interrupted run, if it goes on. */
static int open_sinks(struct run *r) {
    struct csv *csv[] = {&r->rows, &r->events};
    for (int k = 0; k < 2; k++) {
        if (!csv[k]->file.stream) continue;
        if (csv_begin(csv[k], &r->trace)) return r->job.status;
        trace_add(&r->trace, csv_row, csv[k]);
    }
    if (r->hdf5) {
        if (hdf5_begin(r->hdf5, &r->trace)) return r->job.status;
        trace_add(&r->trace, hdf5_row, r->hdf5);
    }
    return checkpoint_begin(&r->checkpoint, &r->trace);
}

static int open_run(struct run *r) {
    struct job *j = &r->job;
    j->keel.observe = observe;
    j->keel.defect_every = 128; /* a sample costs up to two steps: below 2 % */
    if (r->checkpoint.path) j->keel.stop = stop_flag_late();
    struct waiting waiting;
    waiting_begin(&waiting, &j->messages, "verifying the equations");
    r->sim = r->checkpoint.from ? checkpoint_sim(&r->checkpoint) : keel_sim_open(j->model, &j->keel);
    waiting_end(&waiting);
    if (!r->sim) return job_no_memory(j);
    keel_sim_attach(r->sim, r);
    r->outcome.sim = r->sim;
    r->outcome.trace = &r->trace;
    if (!keel_sim_solver(r->sim) || keel_state_of(keel_sim_solver(r->sim)) < 0) return job_refuse(j, r->sim);
    job_name_stabilizer(j, keel_sim_solver(r->sim));
    r->suspect = j->automatic ? NULL : stiff_suspect(j);
    if (trace_attach(&r->trace, r->sim) || accuracy_watch(&r->outcome, j)) return job_no_memory(j);
    if (open_sinks(r) || open_store(r)) return j->status;
    int rows = r->rows.file.stream || r->events.file.stream || r->hdf5 || r->store.data ||
               r->checkpoint.path || r->checkpoint.from;
    if (!rows) trace_overlook(&r->trace);
    r->outcome.accuracy.record.overlooks = r->trace.overlooks;
    return 0;
}

/* What is done now and then between two steps; 0: go on. */
static int pause_between(struct run *r, double now) {
    progress_at(&r->progress, keel_time(keel_sim_solver(r->sim)));
    return checkpoint_at(&r->checkpoint, &r->trace, now, 0);
}

/* What the observer must see next: an output time, or, for curves that are drawn by steps, the next step. */
static double wake_of(const struct run *r) {
    return r->store.data && !r->store.by_rows ? keel_time(keel_sim_solver(r->sim)) : trace_wake(&r->trace);
}

/* Does the run become stiff on the way?  A look costs a third of a step, and one in EACH is looked at. */
static void watch_stiffness(struct run *r) {
    enum { EACH = 256 };
    keel_solver *s = keel_sim_solver(r->sim);
    if (!r->suspect || r->stiff.is || keel_statistics(s).steps < r->stiff.steps + EACH) return;
    r->stiff.steps = keel_statistics(s).steps;
    stiff_watch(&r->stiff, s);
    if (r->stiff.is) stiff_warn(&r->job, r->stiff.t);
}

/* From output time to output time, and not for long, so that a signal ends the run between two steps. */
static void integrate(struct run *r) {
    struct outcome *o = &r->outcome;
    double end = r->job.t1;
    keel_status status = KEEL_OK;
    struct limit limit = limit_open(&r->job.keel, r->sim, r->job.model);
    int failed = 0;
    limit.ahead = 1;
    r->checkpoint.begin = job_seconds();
    progress_open(&r->progress, &r->job);
    if (!r->checkpoint.from) look(r);
    else if (r->store.data) store_sample(&r->store);
    while (status == KEEL_OK && keel_time(keel_sim_solver(r->sim)) != end && !stop_asked() &&
           !r->trace.failed && !failed) {
        status = limit_advance(&limit, r->sim, wake_of(r), end);
        if (status == KEEL_OK) watch_stiffness(r);
        if (limit.pause && status == KEEL_OK) failed = pause_between(r, limit.throttle.now);
    }
    progress_clear(&r->progress);
    if (stop_asked() && status >= 0) failed |= checkpoint_at(&r->checkpoint, &r->trace, job_seconds(), 1);
    o->stats = keel_statistics(keel_sim_solver(r->sim));
    o->wall_s = r->checkpoint.spent + job_seconds() - r->checkpoint.begin;
    r->kernel_asked = limit.kernel_at == 0;
    o->status = status < 0                                    ? OUTCOME_FAILED
                : status == KEEL_EVENT || status == KEEL_REST ? OUTCOME_STOPPED
                                                              : OUTCOME_DONE;
    if (status < 0) text_set(o->message, sizeof o->message, "%s", limit_why(&limit, r->sim, status, end));
    if (status == KEEL_REST) text_set(o->message, sizeof o->message, "%s", job_why(r->sim));
    if (status == KEEL_EVENT) {
        keel_event_record last = {0};
        keel_sim_event(r->sim, -1, &last);
        text_set(o->message, sizeof o->message, "by event `%s` at t = %.10g", last.event, last.t);
    }
    if (stop_asked() && (status >= 0 || status == KEEL_ESTOP)) {
        o->status = OUTCOME_INTERRUPTED;
        o->message[0] = '\0';
    }
    if (r->trace.failed || failed) {
        o->status = OUTCOME_FAILED;
        text_set(o->message, sizeof o->message, "%s", r->job.sentence);
    }
    o->exit = o->status == OUTCOME_FAILED        ? EXIT_FAILED
              : o->status == OUTCOME_INTERRUPTED ? stop_exit()
                                                 : EXIT_DONE;
}

/* 0, or: one of them could not be written, and that was told. */
static int close_tables(struct run *r) {
    struct outcome *o = &r->outcome;
    char status[JOB_SENTENCE + 40];
    text_set(status, sizeof status, "%s%s%s", outcome_word(o->status), o->message[0] ? ": " : "", o->message);
    const char *last = o->status == OUTCOME_DONE || o->status == OUTCOME_STOPPED ? NULL : status;
    int lost = r->trace.failed; /* told already */
    if (lost && r->rows.file.error) csv_drop(&r->rows);
    if (lost && r->events.file.error) csv_drop(&r->events);
    int wrong = csv_end(&r->rows, last);
    return csv_end(&r->events, last) || wrong;
}

static int close_hdf5(struct run *r) {
    struct hdf5 *h = r->hdf5;
    r->hdf5 = NULL;
    return h && hdf5_end(h, &r->outcome);
}

static int draw(struct run *r) {
    if (!r->store.data) return 0;
    store_finish(&r->store);
    int wrong = plot_end(&r->plot, &r->job, &r->store);
    return report_end(&r->report, &r->job, &r->outcome, &r->store, &r->plot.asked) || wrong;
}

/* A run that went on without some of its values is not as good as one with all of them. */
static void take_missing(struct run *r) {
    struct outcome *o = &r->outcome;
    missing_sentence(&r->trace.missing, o->lacking, sizeof o->lacking);
    if (o->lacking[0] && o->exit == EXIT_DONE) o->exit = EXIT_MISSING;
    if (!o->message[0]) text_set(o->message, sizeof o->message, "%s", o->lacking);
}

static int finish(struct run *r) {
    struct job *j = &r->job;
    struct outcome *o = &r->outcome;
    int lost = close_tables(r), good = o->status == OUTCOME_DONE || o->status == OUTCOME_STOPPED;
    o->accuracy.yardstick = ACCURACY_NONE;
    struct waiting waiting;
    waiting_begin(&waiting, &j->messages, "measuring the accuracy");
    if (good) accuracy_measure(o, j);
    waiting_end(&waiting);
    if (good && stop_asked()) o->status = OUTCOME_INTERRUPTED, o->exit = stop_exit();
    take_missing(r);
    if (good && memory_is_out()) {
        lost = job_no_memory(j);
        o->status = OUTCOME_FAILED, o->exit = EXIT_FAILED;
        text_set(o->message, sizeof o->message, "%s", j->sentence);
    }
    lost |= close_hdf5(r);
    lost |= draw(r) != 0;
    if (lost) {
        o->status = OUTCOME_FAILED, o->exit = EXIT_FAILED;
        text_set(o->message, sizeof o->message, "%s", j->sentence);
    } else if (good) checkpoint_forget(&r->checkpoint);
    if (!j->messages.json && !j->messages.quiet) outcome_certificate(o, j, stdout, j->messages.color_out);
    if (!j->messages.json && o->status == OUTCOME_FAILED && !lost)
        message_error(&j->messages, 0, "%s", o->message);
    if (!j->messages.json && o->lacking[0]) message_error(&j->messages, 0, "%s", o->lacking);
    return o->exit;
}

/* All is told.  What compilers are still at work on is for the next run of this model. */
static void end_compilers(struct run *r) {
    struct waiting waiting;
    if (!r->sim || stop_asked()) return;
    fflush(stdout);
    waiting_begin(&waiting, &r->job.messages, "compiling the model");
    keel_model_compile(r->job.model, 1);
    if (r->kernel_asked) keel_sim_compile(r->sim);
    waiting_end(&waiting);
    job_tell_interpreter(&r->job);
}

int run_command(int count, char **argv) {
    static struct run r;
    r = (struct run){0};
    stop_watch();
    int status = job_open(&r.job, COMMAND_RUN, count, argv);
    if (status == 0 && option_given(&r.job.options, opt_help)) {
        command_help(command_find("run"), stdout);
        job_close(&r.job);
        return EXIT_DONE;
    }
    if (status == 0) status = name_files(&r.job);
    if (status == 0) status = trace_open(&r.trace, &r.job);
    if (status == 0) status = checkpoint_open(&r.checkpoint, &r.job);
    if (status == 0) status = open_files(&r);
    if (status == 0) status = open_run(&r);
    if (status == 0) {
        integrate(&r);
        status = finish(&r);
    } else {
        r.outcome.status = stop_asked() ? OUTCOME_INTERRUPTED : OUTCOME_FAILED, r.outcome.exit = status;
        csv_drop(&r.rows);
        csv_drop(&r.events);
        hdf5_drop(r.hdf5);
        plot_drop(&r.plot);
        report_drop(&r.report);
    }
    if (r.job.messages.json) run_json(&r.outcome, &r.job, stdout);
    end_compilers(&r);
    outcome_release(&r.outcome);
    checkpoint_close(&r.checkpoint);
    store_close(&r.store);
    keel_sim_close(r.sim);
    trace_close(&r.trace);
    job_close(&r.job);
    return status;
}
