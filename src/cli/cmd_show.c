/* cmd_show.c - keel show FILE: what a file of keel sweep holds, the certificate of all members, figures. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep.h"

#ifdef KEEL_HDF5

#include "cli/sweep/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct show {
    struct job job;
    struct sweep_reader file;
    struct plot plot;
    struct sweep_tally tally;
};

/* The name of a row by its number: `rows` has a line for each. */
static char *row_name(const struct show *s) {
    const char *at = s->file.rows.text;
    for (int k = 0; k < s->tally.drift_row && *at; k++) at += strcspn(at, "\n"), at += *at == '\n';
    char *name = strdup(at);
    if (name) name[strcspn(name, "\n")] = '\0';
    return name;
}

static int read_all(struct show *s) {
    keel_block b;
    for (int64_t k = 0; k < s->file.blocks; k++) {
        if (stop_asked()) return job_fail(&s->job, stop_exit(), "interrupted");
        if (sweep_reader_block(&s->file, k, &b))
            return job_fail(&s->job, EXIT_FAILED, "%.300s cannot be read: it is damaged", s->job.file);
        sweep_tally_block(&s->tally, &b);
    }
    return 0;
}

/* Telling ----------------------------------------------------------------------------------------------- */

static void tell_command(const struct reader_names *words, FILE *out) {
    fprintf(out, "  command    keel sweep");
    for (int i = 0; i < words->count; i++) {
        int plain = words->name[i][strcspn(words->name[i], " '\"()[]*?$;&|<>`\\\n")] == '\0';
        fprintf(out, plain ? " %s" : " \"%s\"", words->name[i]);
    }
    fprintf(out, "\n");
}

static void tell_plan(const struct show *s, FILE *out) {
    const struct sweep_reader *r = &s->file;
    fprintf(out, "  members    %lld", (long long)r->members);
    for (int i = 0; i < r->axes.count; i++)
        fprintf(out, "%s%lld %s", i ? " x " : ": ", (long long)r->size[i], r->axes.name[i]);
    fprintf(out, "\n  varies     ");
    for (int i = 0; i < r->values.count; i++) {
        int axis = atoi(r->values_axis.name[i]);
        double first = NAN, last = NAN;
        sweep_reader_value(r, i, 0, &first);
        sweep_reader_value(r, i, r->members - 1, &last);
        fprintf(out, "%s%s", i ? ", " : "", r->values.name[i]);
        if (axis < 0) fprintf(out, " drawn (seed %s)", r->seed.text);
        else fprintf(out, " %g .. %g", first, last);
    }
    fprintf(out, "\n  columns    ");
    for (int i = 0; i < r->columns.count; i++) fprintf(out, "%s%s", i ? ", " : "", r->columns.name[i]);
    int64_t count;
    double *t = r->timed ? sweep_reader_line(r, "t", &count) : NULL;
    if (t) fprintf(out, " at %d times, %g .. %g", r->times, t[0], t[r->times - 1]);
    else fprintf(out, " at the end");
    if (r->extrema) fprintf(out, ", with smallest, largest and mean over the run");
    fprintf(out, "\n");
    free(t);
    if (r->events) fprintf(out, "  events     %lld\n", (long long)r->events);
    for (int i = 0; i < r->retries.count; i++) {
        fprintf(out, "  retry %-4d ", i + 1);
        for (const char *at = r->retries.name[i]; *at; at++) fputc(*at == '\n' ? ' ' : *at, out);
        fprintf(out, "\n");
    }
}

static void tell(struct show *s, FILE *out) {
    char *row = row_name(s), *corrected = sweep_reader_unit(&s->file, "correction"),
         *defect = sweep_reader_unit(&s->file, "defect");
    fprintf(out, "%s  %s, keel %s\n", s->file.model.text, s->file.method.text, s->file.version.text);
    tell_command(&s->file.command, out);
    tell_plan(s, out);
    fprintf(out, "  steps      %lld\n", (long long)s->tally.steps);
    sweep_tell_worst(&s->tally, row, corrected ? corrected : "", defect ? defect : "", out);
    sweep_tell_failures(&s->tally, out);
    free(row);
    free(corrected);
    free(defect);
}

static void names_json(struct json *json, const char *key, const struct reader_names *n) {
    json_array(json, key);
    for (int i = 0; i < n->count; i++) json_text(json, NULL, n->name[i]);
    json_end_array(json);
}

static void tell_json(struct show *s, int status, FILE *out) {
    struct json json = {0};
    const struct sweep_reader *r = &s->file;
    run_json_head(&json, "show", run_json_status(status), status, &s->job, s->job.sentence);
    if (s->tally.members) {
        char *row = row_name(s);
        json_text(&json, "sweep", r->model.text);
        json_text(&json, "method", r->method.text);
        json_text(&json, "seed", r->seed.text);
        names_json(&json, "words", &r->command);
        json_integer(&json, "members", (long)r->members);
        json_array(&json, "axes");
        for (int i = 0; i < r->axes.count; i++) {
            json_object(&json, NULL);
            json_text(&json, "name", r->axes.name[i]);
            json_integer(&json, "length", (long)r->size[i]);
            json_end_object(&json);
        }
        json_end_array(&json);
        names_json(&json, "values", &r->values);
        names_json(&json, "columns", &r->columns);
        json_integer(&json, "times", r->timed ? r->times : 0);
        json_integer(&json, "events", (long)r->events);
        sweep_tally_json(&s->tally, row, &json);
        free(row);
    }
    run_json_print(&json, out);
}

static int run_show(struct show *s) {
    struct job *j = &s->job;
    char why[JOB_SENTENCE];
    if (plot_open(&s->plot, j)) return j->status;
    if (option_given(&j->options, opt_as) && s->plot.kind == GNUPLOT_NONE)
        return job_fail(j, EXIT_USAGE, "--as says what --plot draws: give --plot FILE, too");
    if (sweep_reader_open(&s->file, j->file, why, sizeof why)) return job_fail(j, EXIT_FAILED, "%s", why);
    if (read_all(s)) return j->status;
    return show_plot(j, &s->plot, &s->file);
}

int show_command(int count, char **argv) {
    static struct show s;
    s = (struct show){.file = {.n = {.id = -1}}};
    stop_watch();
    int status =
        job_open_word(&s.job, COMMAND_SHOW, count, argv, "which file?  Give the --out FILE of keel sweep");
    if (status == 0 && option_given(&s.job.options, opt_help)) command_help(command_find("show"), stdout);
    else {
        if (status == 0) status = run_show(&s);
        if (status == 0 && !s.job.messages.json && !s.job.messages.quiet) tell(&s, stdout);
        if (s.job.messages.json) tell_json(&s, status, stdout);
    }
    plot_drop(&s.plot);
    sweep_reader_close(&s.file);
    job_close(&s.job);
    return status;
}

#else

int show_command(int count, char **argv) {
    static struct job j;
    int status =
        job_open_word(&j, COMMAND_SHOW, count, argv, "which file?  Give the --out FILE of keel sweep");
    if (status == 0 && option_given(&j.options, opt_help)) command_help(command_find("show"), stdout);
    else if (status == 0) status = job_fail(&j, EXIT_FAILED, "this build of keel has no HDF5");
    if (j.messages.json) {
        struct json json = {0};
        run_json_head(&json, "show", run_json_status(status), status, &j, j.sentence);
        run_json_print(&json, stdout);
    }
    job_close(&j);
    return status;
}

#endif
