/* outcome.c - see outcome.h. */
#include "cli/outcome.h"

#include "base/text.h"
#include "cli/stop.h"
#include "cli/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_word(enum outcome_status status) {
    static const char *const word[] = {"done", "stopped", "interrupted", "failed"};
    return word[status];
}

const char *outcome_yardstick_word(enum outcome_yardstick y) {
    static const char *const word[] = {"exact", "reference", "rerun", "none"};
    return word[y];
}

/* Accuracy ---------------------------------------------------------------------------------------------- */

/* A hundredth of a tolerance is asked for, and something less near the round-off level. */
static const double least_rtol = 1e-14;

static int take_errors(struct outcome *o, const double *error, const double *largest) {
    int columns = o->trace->columns;
    o->error = o->relative = NAN;
    o->each = malloc(((size_t)columns + 1) * sizeof *o->each);
    if (!o->each) memory_out();
    for (int i = 0; i < columns && o->each; i++) {
        o->each[i] = error[i];
        if (isnan(error[i])) continue;
        if (!(o->error >= error[i])) o->error = error[i], o->worst = i;
        o->relative = fmax(o->relative, largest[i] > 0 ? error[i] / largest[i] : 0);
    }
    if (!isnan(o->error)) return 1;
    free(o->each);
    o->each = NULL;
    return 0;
}

int outcome_watch(struct outcome *o) {
    if (o->trace->exacts) return 0;
    if (record_open(&o->record, o->sim)) return -1;
    trace_add(o->trace, record_row, &o->record);
    return 0;
}

/* Both ended at the same event, or at the same time: the ends belong together, too. */
static void add_ends(struct outcome *o, struct trial *again) {
    double t = keel_time(keel_sim_solver(o->sim)), *value = o->trace->value;
    keel_happening one;
    long events = 0;
    while (keel_sim_happening(o->sim, events, &one)) events++;
    int stopped = o->status == OUTCOME_STOPPED;
    if (stopped != (again->status == TRIAL_STOPPED) || events != again->end_events) return;
    if ((!stopped && again->end_t != t) || keel_sim_values(o->sim, value) != KEEL_OK) return;
    for (int i = 0; i < again->columns; i++) {
        double error = fabs(value[i] - again->end[i]);
        if (isnan(error)) continue;
        if (!(again->error >= error)) again->error = error, again->worst_t = t;
        again->each[i] = fmax(again->each[i], error);
    }
}

/* The same run with a hundredth of the tolerance, or half the step. */
static int rerun(struct outcome *o, struct job *j) {
    struct trial again;
    keel_options tight = j->keel;
    double rtol = tight.rtol > 0 ? tight.rtol : 1e-6;
    if (tight.step > 0) tight.step /= 2;
    else {
        tight.rtol = fmax(rtol / 100, least_rtol);
        tight.atol *= tight.rtol / rtol;
        o->unmeasured = "no tolerance is tighter";
        if (tight.rtol > rtol / 2) return 0;
    }
    trial_beside(&again, j, &tight, &o->record);
    o->unmeasured = "the tighter rerun failed";
    int good = again.status == TRIAL_DONE || again.status == TRIAL_STOPPED;
    if (good) {
        add_ends(o, &again);
        good = take_errors(o, again.each, o->record.largest);
        o->worst_t = again.worst_t;
        o->apart_t = again.apart_t;
    }
    trial_close(&again);
    return good;
}

void outcome_measure(struct outcome *o, struct job *j, int again) {
    const struct trace *t = o->trace;
    o->yardstick = OUTCOME_NONE;
    o->unmeasured = "--verify";
    o->error = o->relative = o->apart_t = NAN;
    if (take_errors(o, t->worst, t->largest)) {
        o->yardstick = t->exacts ? OUTCOME_EXACT : OUTCOME_REFERENCE;
        o->worst_t = t->worst_t;
    } else if (o->record.largest && (again == 2 || (again == 1 && o->wall_s < 1))) {
        o->yardstick = rerun(o, j) ? OUTCOME_RERUN : OUTCOME_NONE;
        if (!stop_asked()) return;
        o->status = OUTCOME_INTERRUPTED;
        o->exit = stop_exit();
        text_set(o->message, sizeof o->message, "while the accuracy was measured; the results are complete");
    }
}

void outcome_release(struct outcome *o) {
    free(o->each);
    o->each = NULL;
    record_close(&o->record);
}

static void accuracy_text(const struct outcome *o, FILE *out) {
    const char *worst = o->each ? keel_sim_column(o->sim, o->worst) : "";
    if (o->yardstick == OUTCOME_NONE)
        fprintf(out, "  accuracy   not measured (%s)\n",
                o->unmeasured ? o->unmeasured : "the run was not completed");
    else if (o->yardstick == OUTCOME_RERUN && !isnan(o->apart_t))
        fprintf(out, "  accuracy   the rerun differs by %.1e (%s at t = %g); within 1 %% before t = %g\n",
                o->error, worst, o->worst_t, o->apart_t);
    else
        fprintf(out, "  accuracy   %.1e (%s; largest in %s at t = %g)\n", o->error,
                o->yardstick == OUTCOME_RERUN   ? "tighter rerun"
                : o->yardstick == OUTCOME_EXACT ? "exact solution"
                                                : "reference digits",
                worst, o->worst_t);
}

/* Where states are apart by a tenth of their size, and that within the first tenth of the run, the motion is
 * not just a sensitive one. */
int outcome_warning(const struct outcome *o, const struct job *j, char *out, size_t room) {
    double end = keel_time(keel_sim_solver(o->sim)), most = 0.1;
    int worst = -1;
    if (o->yardstick != OUTCOME_RERUN || !(fabs(o->apart_t - j->t0) <= 0.1 * fabs(end - j->t0))) return 0;
    for (int i = 0; i < o->trace->columns; i++) {
        double relative = o->each[i] / o->record.largest[i];
        if (keel_sim_column_kind(o->sim, i) != KEEL_COLUMN_STATE || !(relative > most)) continue;
        most = relative;
        worst = i;
    }
    if (worst < 0) return 0;
    text_set(out, room,
             "the values are wrong from the beginning on, whatever the rows say: the rerun changes %s by "
             "%.0f %% of its size; try %s, or --method radau",
             keel_sim_column(o->sim, worst), 100 * most,
             j->keel.step > 0 ? "a smaller --step" : "a smaller --rtol");
    return 1;
}

/* How well the equations are met between the steps. */
static void defect_text(const struct outcome *o, FILE *out) {
    keel_defect d = keel_defect_of(keel_sim_solver(o->sim));
    if (d.samples == 0) return;
    const char *name = d.component >= 0 ? outcome_state_name(o, d.component) : NULL;
    fprintf(out, "  defect     %.1e %s (%s%sat t = %g; %ld sample%s between steps)\n", d.largest,
            d.relative ? "of the state" : "tolerances", name ? name : "", name ? " " : "", d.t, d.samples,
            d.samples == 1 ? "" : "s");
}

/* In lines of the certificate's width. */
static void warning_text(const struct outcome *o, const struct job *j, FILE *out) {
    enum { WIDTH = 87 };
    char words[JOB_SENTENCE];
    if (!outcome_warning(o, j, words, sizeof words)) return;
    const char *head = "  warning    ", *at = words;
    while (strlen(at) > WIDTH) {
        int length = WIDTH;
        while (length > 1 && at[length] != ' ') length--;
        fprintf(out, "%s%.*s\n", head, length, at);
        at += length + 1;
        head = "             ";
    }
    fprintf(out, "%s%s\n", head, at);
}

const char *outcome_state_name(const struct outcome *o, int component) {
    keel_mode mode;
    const keel_model *model = o->trace->job->model;
    if (component < 0 || !keel_model_mode(model, keel_sim_mode(o->sim), &mode)) return NULL;
    return mode.problem && mode.problem->names ? mode.problem->names[component] : NULL;
}

/* The certificate --------------------------------------------------------------------------------------- */

/* 24k, 1.3M */
static void count_text(char *out, size_t room, long count) {
    if (count < 10000) snprintf(out, room, "%ld", count);
    else if (count < 10000000) snprintf(out, room, "%.0fk", (double)count / 1e3);
    else snprintf(out, room, "%.1fM", (double)count / 1e6);
}

static void time_text(char *out, size_t room, double seconds) {
    if (seconds < 1) snprintf(out, room, "%.1f ms", 1e3 * seconds);
    else snprintf(out, room, "%.2f s", seconds);
}

double outcome_drift_seen(const struct outcome *o, const char *row) {
    for (int k = 0; k < o->trace->rows; k++)
        if (strcmp(keel_sim_row(o->sim, k), row) == 0) return o->trace->largest_drift[k];
    return NAN;
}

int outcome_row(const struct outcome *o, const struct job *j, int i, keel_kept *row) {
    if (!keel_kept_at(keel_sim_solver(o->sim), i, row)) return 0;
    if (j->keel.preserve != KEEL_NONE) return 1;
    row->drift = outcome_drift_seen(o, row->name);
    row->units = row->last = NAN;
    return 1;
}

const char *outcome_care_word(const struct job *j, const keel_kept *row) {
    if (j->keel.preserve == KEEL_NONE) return "at output times";
    switch (row->care) {
    case KEEL_ROW_WATCHED:
        return "watched";
    case KEEL_ROW_NATIVE:
        return "by the method";
    case KEEL_ROW_REDUNDANT:
        return "follows from others";
    case KEEL_ROW_VARYING:
        return "varies, shown only";
    case KEEL_ROW_DAMPED:
        return "damped, not to round-off";
    case KEEL_ROW_KEPT:
        break;
    }
    return row->verdict == KEEL_WEAK ? "weak" : "";
}

static void rows_text(const struct outcome *o, const struct job *j, FILE *out, int color) {
    keel_kept row;
    int any = 0;
    for (int i = 0; outcome_row(o, j, i, &row); i++) {
        if (row.kind == KEEL_ROW_ALGEBRAIC) continue; /* what y is solved from */
        if (!any++)
            fprintf(out, "  %s%-20s %-14s %-17s %-15s %s%s\n", say_bold(color), "kept", "start",
                    "largest drift", "in round-offs", "last", say_plain(color));
        char drift[24], units[24], last[24];
        text_number(drift, sizeof drift, "%.1e", row.drift);
        text_number(units, sizeof units, row.units < 1e6 ? "%.1f" : "%.1e", row.units);
        text_number(last, sizeof last, "%.1e", fabs(row.last));
        const char *care = outcome_care_word(j, &row);
        fprintf(out, "  %-20s %-14.6g %-17s %-15s %-*s%s\n", row.name, row.start, drift, units,
                care[0] ? 12 : 0, last, care);
    }
}

int outcome_folds(const struct outcome *o, const struct job *j, char *out, size_t room) {
    int scaled = strcmp(j->stabilizer, "scale") == 0;
    if (o->stats.folds == 0) return 0;
    text_set(out, room, "at %ld step%s %s", o->stats.folds, o->stats.folds == 1 ? "" : "s",
             scaled ? "no factors meet all kept rows: they are off there"
                    : "no length meets all kept rows: they were projected");
    return 1;
}

void outcome_certificate(const struct outcome *o, const struct job *j, FILE *out, int color) {
    const keel_stats s = o->stats;
    keel_mode mode = {0};
    char steps[24], rejected[24], calls[24], wall[24];
    keel_model_mode(j->model, keel_sim_mode(o->sim), &mode);
    count_text(steps, sizeof steps, s.steps);
    count_text(rejected, sizeof rejected, s.rejected);
    count_text(calls, sizeof calls, s.calls);
    time_text(wall, sizeof wall, o->wall_s);
    fprintf(out, "%s%s%s  index %d  %d degree%s of freedom  %s+%s", say_bold(color),
            keel_model_name(j->model), say_plain(color), mode.index, mode.freedom,
            mode.freedom == 1 ? "" : "s", j->method, j->stabilizer);
    if (j->keel.step > 0)
        fprintf(out, "  %s %g\n", j->keel.reversible ? "reversible, first step" : "step", j->keel.step);
    else fprintf(out, "  rtol %g\n", j->keel.rtol > 0 ? j->keel.rtol : 1e-6);
    if (j->why[0]) fprintf(out, "  %s: %s\n", j->method, j->why);
    fprintf(out, "  t %g .. %g   %s steps   %s rejected   %s evaluations   %s\n", j->t0,
            keel_time(keel_sim_solver(o->sim)), steps, rejected, calls, wall);
    rows_text(o, j, out, color);
    char folds[JOB_SENTENCE];
    if (outcome_folds(o, j, folds, sizeof folds)) fprintf(out, "  %-10s %s\n", j->stabilizer, folds);
    missing_text(&o->trace->missing, out);
    defect_text(o, out);
    accuracy_text(o, out);
    warning_text(o, j, out);
    char shown[6 * JOB_SENTENCE];
    text_shown(shown, sizeof shown, o->message);
    if (o->status != OUTCOME_DONE)
        fprintf(out, "  %s%s%s%s%s\n", say_red(color), outcome_word(o->status), say_plain(color),
                o->message[0] ? ": " : "", shown);
}
