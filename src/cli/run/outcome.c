/* outcome.c - see outcome.h. */
#include "cli/run/outcome.h"

#include "base/text.h"
#include "cli/run/changes.h"
#include "cli/job/field.h"
#include "cli/run/switching.h"
#include "cli/job/stabilizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_word(enum outcome_status status) {
    static const char *const word[] = {"done", "stopped", "interrupted", "failed"};
    return word[status];
}

void outcome_release(struct outcome *o) {
    accuracy_release(&o->accuracy);
}

static void accuracy_line(const struct outcome *o, FILE *out) {
    char words[JOB_SENTENCE];
    accuracy_text(o, words, sizeof words);
    fprintf(out, "  accuracy   %s\n", words);
    if (accuracy_elsewhere(o, words, sizeof words)) fprintf(out, "             %s\n", words);
    if (accuracy_overlooks(o, words, sizeof words)) fprintf(out, "             %s\n", words);
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
static void warning_text(const char *words, FILE *out) {
    enum { WIDTH = 87 };
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
    if (component < 0 || !keel_model_mode(keel_sim_model(o->sim), keel_sim_mode(o->sim), &mode)) return NULL;
    return mode.problem && mode.problem->names ? mode.problem->names[component] : NULL;
}

/* The certificate --------------------------------------------------------------------------------------- */

/* 24k, 1.3M */
static void count_text(char *out, size_t capacity, long count) {
    if (count < 10000) snprintf(out, capacity, "%ld", count);
    else if (count < 10000000) snprintf(out, capacity, "%.0fk", (double)count / 1e3);
    else snprintf(out, capacity, "%.1fM", (double)count / 1e6);
}

static void time_text(char *out, size_t capacity, double seconds) {
    if (seconds < 1) snprintf(out, capacity, seconds < 1e-3 ? "%.2f ms" : "%.1f ms", 1e3 * seconds);
    else snprintf(out, capacity, "%.2f s", seconds);
}

/* That of the steps; that of the output beside it, unless it is little. */
static void times_text(char *out, size_t capacity, const struct outcome *o) {
    const struct trace *t = o->trace;
    char output[24];
    time_text(out, capacity, o->wall_s - t->seconds);
    if (t->seconds < 0.1 * o->wall_s || t->seconds < 1e-5) return;
    time_text(output, sizeof output, t->seconds);
    text_add(out, capacity, ", and %s for ", output);
    if (t->every_step) text_add(out, capacity, "output at every step");
    else text_add(out, capacity, "%ld output times", t->next);
}

int outcome_row(const struct outcome *o, const struct job *j, int i, keel_row *row) {
    if (!keel_sim_row_at(o->sim, i, row)) return 0;
    if (stabilizer_measures(j->keel.method)) return 1;
    row->drift = trace_drift(o->trace, i);
    row->units = row->last = NAN;
    return 1;
}

static const char *treatment_word(const keel_row *row) {
    switch (row->treatment) {
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

void outcome_treatment(const struct outcome *o, const struct job *j, int i, const keel_row *row, char *out,
                       size_t capacity) {
    int at_steps = stabilizer_measures(j->keel.method);
    double between = trace_drift(o->trace, i);
    text_set(out, capacity, "%s", at_steps ? treatment_word(row) : "at output times");
    if (at_steps && between > 10 * row->drift && between > 40 * row->unit)
        text_add(out, capacity, "%s%.1e between the steps", out[0] ? "; " : "", between);
}

int outcome_widen(int width, const char *name) {
    size_t length = strlen(name);
    return length > OUTCOME_WIDEST || (int)length < width ? width : (int)length;
}

void outcome_name(FILE *out, const char *name, int width) {
    int fits = strlen(name) <= (size_t)width;
    if (!fits) fprintf(out, "  %s\n", name);
    fprintf(out, "  %-*s", width, fits ? name : "");
}

static void rows_text(const struct outcome *o, const struct job *j, FILE *out, int color) {
    keel_row row;
    int any = 0, width = OUTCOME_NARROWEST;
    for (int i = 0; i < keel_sim_rows(o->sim); i++)
        if (outcome_row(o, j, i, &row)) width = outcome_widen(width, row.name);
    for (int i = 0; i < keel_sim_rows(o->sim); i++) {
        if (!outcome_row(o, j, i, &row)) continue;
        if (!any++)
            fprintf(out, "  %s%-*s %-14s %-17s %-15s %s%s\n", message_bold(color), width, "kept", "start",
                    "largest drift", "in round-offs", "last", message_plain(color));
        char drift[24], units[24], last[24], treatment[80];
        text_number(drift, sizeof drift, "%.1e", row.drift);
        text_number(units, sizeof units, row.units < 1e6 ? "%.1f" : "%.1e", row.units);
        text_number(last, sizeof last, "%.1e", fabs(row.last));
        outcome_treatment(o, j, i, &row, treatment, sizeof treatment);
        outcome_name(out, row.name, width);
        fprintf(out, " %-14.6g %-17s %-15s %-*s%s\n", row.start, drift, units, treatment[0] ? 12 : 0, last,
                treatment);
    }
}

int outcome_unresolved(const struct outcome *o, const struct job *j, char *out, size_t capacity) {
    unsigned traits = stabilizer_traits(j->stabilizer);
    int sets = field_taken(stabilizer_find(j->stabilizer), keel_field_of(offsetof(keel_options, sets)));
    if (o->stats.unresolved == 0) return 0;
    text_set(out, capacity, "at %ld step%s %s", o->stats.unresolved, o->stats.unresolved == 1 ? "" : "s",
             traits & KEEL_OFF_GRID ? "no length meets all kept rows: they were projected"
             : sets                 ? "no factors meet all kept rows: they are off there"
                                    : "not all kept rows are met: they are off there");
    return 1;
}

static int is_corrected(const struct outcome *o, const struct job *j) {
    keel_row row;
    for (int i = 0; i < keel_sim_rows(o->sim); i++)
        if (outcome_row(o, j, i, &row) && row.treatment == KEEL_ROW_KEPT) return 1;
    return 0;
}

int outcome_not_corrected(const struct outcome *o, const struct job *j, char *out, size_t capacity) {
    unsigned traits = stabilizer_traits(j->stabilizer);
    if (!(traits & KEEL_CORRECTS) || !is_corrected(o, j)) return 0;
    if (traits & KEEL_IN_STEP) text_set(out, capacity, "%s corrects inside its steps", j->stabilizer);
    else if (traits & KEEL_OFF_GRID)
        text_set(out, capacity, "%s makes its steps longer or shorter", j->stabilizer);
    else if (o->stats.slides > 0) text_set(out, capacity, "while the motion slides");
    else return 0;
    return 1;
}

int outcome_correction(const struct outcome *o, const struct job *j, char *out, size_t capacity) {
    const keel_correction c = keel_correction_of(keel_sim_solver(o->sim));
    char why[JOB_SENTENCE];
    int partly = outcome_not_corrected(o, j, why, sizeof why);
    text_set(out, capacity, "%s", "");
    if (c.state[0])
        text_add(out, capacity, "%.2g %s at most (%s at t = %g)%s%s", c.largest,
                 j->keel.step > 0 ? "errors of a step" : "tolerances", c.state, c.t,
                 c.no_masses ? "; H has no masses, weights by size" : "", partly ? "; " : "");
    if (partly) text_add(out, capacity, "not measured (%s)", why);
    return c.state[0] || partly;
}

int outcome_finding(const struct outcome *o, char *out, size_t capacity) {
    const keel_correction c = keel_correction_of(keel_sim_solver(o->sim));
    if (!c.finding_state[0]) return 0;
    text_set(
        out, capacity,
        "keeping the rows moved %s at t = %g by %.2g times more than the error of the step explains: a kept "
        "row does not hold for this motion, or weights do not suit; compare with --preserve watch",
        c.finding_state, c.finding_t, c.finding);
    return 1;
}

static void changes_text(const keel_solver *s, FILE *out) {
    char method[JOB_WORD], words[JOB_SENTENCE];
    for (long i = 0; changes_words(s, i, method, words, sizeof words); i++)
        fprintf(out, "  %s: %s\n", method, words);
}

void outcome_certificate(const struct outcome *o, const struct job *j, FILE *out, int color) {
    const keel_stats s = o->stats;
    keel_mode mode = {0};
    char steps[24], rejected[24], calls[24], wall[80], freedom[JOB_FREEDOM];
    keel_model_mode(keel_sim_model(o->sim), keel_sim_mode(o->sim), &mode);
    count_text(steps, sizeof steps, s.steps);
    count_text(rejected, sizeof rejected, s.rejected);
    count_text(calls, sizeof calls, s.calls);
    times_text(wall, sizeof wall, o);
    fprintf(out, "%s%s%s  index %d  %s  %s+%s", message_bold(color), keel_model_name(j->model),
            message_plain(color), mode.index, job_freedom(&mode, freedom), j->method, j->stabilizer);
    if (j->keel.step > 0)
        fprintf(out, "  %s %g", j->keel.reversible ? "reversible, first step" : "step", j->keel.step);
    else fprintf(out, "  rtol %g", KEEL_VALUE(&j->keel, rtol));
    if (job_clock(j)) fprintf(out, "  clock %s", job_clock(j));
    fputc('\n', out);
    if (j->why[0]) fprintf(out, "  %s: %s\n", j->method, j->why);
    changes_text(keel_sim_solver(o->sim), out);
    fprintf(out, "  t %g .. %g   %s steps   %s rejected   %s evaluations   %s\n", j->t0,
            keel_time(keel_sim_solver(o->sim)), steps, rejected, calls, wall);
    rows_text(o, j, out, color);
    switching_text(o, j, out, color);
    char words[JOB_SENTENCE];
    if (outcome_unresolved(o, j, words, sizeof words)) fprintf(out, "  %-10s %s\n", j->stabilizer, words);
    if (outcome_correction(o, j, words, sizeof words)) fprintf(out, "  correction %s\n", words);
    missing_text(&o->trace->missing, out);
    defect_text(o, out);
    accuracy_line(o, out);
    if (outcome_finding(o, words, sizeof words)) warning_text(words, out);
    if (accuracy_warning(o, j, words, sizeof words)) warning_text(words, out);
    char shown[6 * JOB_SENTENCE];
    text_shown(shown, sizeof shown, o->message);
    if (o->status != OUTCOME_DONE)
        fprintf(out, "  %s%s%s%s%s\n", message_red(color), outcome_word(o->status), message_plain(color),
                o->message[0] ? ": " : "", shown);
}
