/* cmd_section.c - keel section MODEL: where motions cross a plane.  Many starts are members of an
 * ensemble. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/run/csv.h"
#include "cli/plots/plane.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep.h"
#include "cli/terminal/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8, MOST = 20000000 }; /* rows in the text; points in all */

struct section {
    struct sweep sweep;
    struct plot plot;
    struct file out;
    long points, room;
    int columns;
    int *member;   /* [points] */
    double *value; /* [points][1 + columns] t, then the columns */
    int full;
};

/* Gathering ---------------------------------------------------------------------------------------------- */

static int reserve(struct section *s, long more) {
    if (s->points + more <= s->room) return 1;
    long room = 2 * (s->points + more);
    int *member = realloc(s->member, (size_t)room * sizeof *member);
    if (member) s->member = member;
    double *value = realloc(s->value, (size_t)room * (size_t)(s->columns + 1) * sizeof *value);
    if (value) s->value = value;
    if (!member || !value) return 0;
    s->room = room;
    return 1;
}

static int take_block(void *user, const keel_block *b) {
    struct section *s = user;
    sweep_tally_block(&s->sweep.tally, b);
    long more = b->event_first ? (long)b->event_first[b->count] : 0;
    s->full = s->points + more > MOST;
    if (s->full || !reserve(s, more)) return 1;
    for (int i = 0; i < b->count && more; i++)
        for (int64_t k = b->event_first[i]; k < b->event_first[i + 1]; k++) {
            double *row = s->value + s->points * (s->columns + 1);
            row[0] = b->event_t[k];
            memcpy(row + 1, b->event_value + k * s->columns, (size_t)s->columns * sizeof *row);
            s->member[s->points++] = (int)(b->first + i);
        }
    return 0;
}

/* Telling ------------------------------------------------------------------------------------------------ */

static const char *column_name(const struct section *s, int i) {
    return i == 0 ? "t" : keel_ensemble_column(s->sweep.ensemble, i - 1);
}

static void print_text(const struct section *s, FILE *out) {
    const struct job *j = &s->sweep.job;
    int width = s->columns + 1 < 6 ? s->columns + 1 : 6;
    long members = (long)keel_plan_members(s->sweep.plan);
    fprintf(out, "%s  %s  %ld point%s", keel_model_name(j->model), j->pair, s->points,
            s->points == 1 ? "" : "s");
    if (members > 1) fprintf(out, " of %ld starts", members);
    fprintf(out, "\n ");
    for (int i = 0; i < width; i++) fprintf(out, " %-16s", column_name(s, i));
    fprintf(out, "\n");
    for (long k = 0; k < s->points && k < SHOWN; k++) {
        fprintf(out, " ");
        for (int i = 0; i < width; i++) fprintf(out, " %-16.10g", s->value[k * (s->columns + 1) + i]);
        fprintf(out, "\n");
    }
    if (s->points > SHOWN) fprintf(out, "  ...; --out FILE.csv has all of them\n");
    if (s->points == 0) fprintf(out, "  no motion crosses the plane in this direction\n");
    sweep_tell_failures(&s->sweep.tally, out);
}

static void print_json(const struct section *s, int status, FILE *out) {
    const struct job *j = &s->sweep.job;
    struct json json = {0};
    run_json_head(&json, "section", run_json_status(status), status, j, j->sentence);
    if (s->sweep.ensemble && s->sweep.tally.members) {
        json_text(&json, "method", j->method);
        json_text(&json, "stabilizer", j->stabilizer);
        json_integer(&json, "members", (long)s->sweep.tally.members);
        json_integer(&json, "failed", (long)s->sweep.tally.failed);
        json_array(&json, "columns");
        for (int i = 0; i <= s->columns; i++) json_text(&json, NULL, column_name(s, i));
        json_end_array(&json);
        json_array(&json, "points");
        for (long k = 0; k < s->points; k++) {
            json_array(&json, NULL);
            json_integer(&json, NULL, s->member[k]);
            for (int i = 0; i <= s->columns; i++)
                json_number(&json, NULL, s->value[k * (s->columns + 1) + i]);
            json_end_array(&json);
        }
        json_end_array(&json);
    }
    run_json_print(&json, out);
}

static int write_out(struct section *s) {
    FILE *out = s->out.stream;
    struct job *j = &s->sweep.job;
    char why[JOB_SENTENCE];
    if (!out) return 0;
    fprintf(out, "# keel %s model=%s method=%s+%s schema=section-csv/1\nmember", keel_version(),
            keel_model_name(j->model), j->method, j->stabilizer);
    for (int i = 0; i <= s->columns; i++) fputc(',', out), csv_text(out, "", column_name(s, i));
    fputc('\n', out);
    for (long k = 0; k < s->points; k++) {
        fprintf(out, "%d", s->member[k]);
        for (int i = 0; i <= s->columns; i++) fprintf(out, ",%.17g", s->value[k * (s->columns + 1) + i]);
        fputc('\n', out);
    }
    return file_keep(&s->out, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

/* Without --axes: the first two columns that are not constant on the section. */
static int draw(struct section *s) {
    struct job *j = &s->sweep.job;
    const char **name = calloc((size_t)s->columns + 2, sizeof *name);
    int first[2] = {0, 1}, found = 0;
    if (!name) return job_no_memory(j);
    for (int i = 0; i <= s->columns; i++) name[i] = column_name(s, i);
    for (int i = 1; i <= s->columns && found < 2; i++) {
        double low = INFINITY, high = -INFINITY;
        for (long k = 0; k < s->points; k++) {
            double value = s->value[k * (s->columns + 1) + i];
            low = fmin(low, value), high = fmax(high, value);
        }
        if (high - low > 1e-9 * fmax(fabs(low), fabs(high)) && high - low > 1e-12) first[found++] = i;
    }
    struct plane p = {.job = j,
                      .plot = &s->plot,
                      .value = s->value,
                      .group = s->member,
                      .rows = s->points,
                      .columns = s->columns + 1,
                      .name = name,
                      .usual = first};
    int status = plane_draw(&p);
    free(name);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- */

static int check(struct section *s) {
    struct job *j = &s->sweep.job;
    int plane = option_given(&j->options, opt_plane), event = option_given(&j->options, opt_events);
    if (!plane && !event)
        return job_fail(j, EXIT_USAGE,
                        "where?  Give --plane EXPR, as in --plane \"x - 1\", or --events NAME");
    if (plane && event)
        return job_fail(j, EXIT_USAGE, "--plane and --events exclude each other: give one of them");
    if (!plane && option_given(&j->options, opt_direction))
        return job_fail(j, EXIT_USAGE, "--direction belongs to --plane: an event of the model has its own");
    return 0;
}

static int run(struct section *s) {
    struct job *j = &s->sweep.job;
    struct waiting waiting;
    if (check(s) || plane_out(j, &s->out) || plot_open(&s->plot, j)) return j->status;
    j->keel.stop = stop_flag();
    if (sweep_plan(&s->sweep)) return j->status;
    s->columns = keel_ensemble_columns(s->sweep.ensemble);
    waiting_begin(&waiting, &j->messages, "running");
    keel_status status =
        keel_ensemble_run(s->sweep.ensemble, 0, keel_ensemble_blocks(s->sweep.ensemble), take_block, s);
    waiting_end(&waiting);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted");
    if (s->full)
        return job_fail(j, EXIT_FAILED, "there are more than %d points; --tend makes them fewer", MOST);
    if (status != KEEL_OK) return job_no_memory(j);
    if (!j->messages.json && !j->messages.quiet) print_text(s, stdout);
    if (write_out(s) || (s->plot.kind != GNUPLOT_NONE && draw(s))) return j->status;
    if (s->sweep.tally.failed == s->sweep.tally.members)
        return job_fail(j, EXIT_FAILED, "%s",
                        s->sweep.tally.reasons ? s->sweep.tally.reason[0].sentence : "all failed");
    return sweep_exit(&s->sweep);
}

int section_command(int count, char **argv) {
    static struct section s;
    struct job *j = &s.sweep.job;
    stop_watch();
    int status = job_open(j, COMMAND_SECTION, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("section"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = run(&s);
    file_drop(&s.out);
    plot_drop(&s.plot);
    if (j->messages.json) print_json(&s, status, stdout);
    keel_ensemble_close(s.sweep.ensemble);
    keel_plan_close(s.sweep.plan);
    free(s.sweep.times);
    free(s.member);
    free(s.value);
    job_close(j);
    return status;
}
