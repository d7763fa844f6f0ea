/* report.c - see report.h. */
#include "cli/plots/report_private.h"

#include "base/text.h"
#include "cli/run/changes.h"
#include "cli/plots/motion.h"
#include "cli/run/switching.h"
#include "cli/job/stabilizer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

extern const char *const page_report[];   /* the style, src/cli/page/report.css */
static const double round_off_units = 50; /* what a correction that has arrived may leave (docs/design.md) */

int report_open(struct report *r, struct job *j) {
    const char *path = option_text(&j->options, opt_report), *dot = path ? strrchr(path, '.') : NULL;
    *r = (struct report){0};
    if (!path) return 0;
    if (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0))
        return job_fail(j, EXIT_USAGE, "--report %.200s: the name must end in .html", path);
    return output_open(j, &r->file, path, KIND_REPORT);
}

void report_drop(struct report *r) {
    file_drop(&r->file);
}

/* Text and numbers -------------------------------------------------------------------------------------- */

static void fact(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fact(FILE *out, const char *name, const char *format, ...) {
    char value[JOB_SENTENCE];
    va_list args;
    va_start(args, format);
    text_vset(value, sizeof value, format, args);
    va_end(args);
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    report_text(out, value);
    fputs("</dd></div>\n", out);
}

/* The verdict and the certificate ----------------------------------------------------------------------- */

/* The worst of the rows somebody cares for, and how many there are. */
static int worst_kept(const struct outcome *o, const struct job *j, int watched, keel_row *worst) {
    keel_row row;
    int count = 0;
    for (int i = 0; i < keel_sim_rows(o->sim); i++) {
        if (!outcome_row(o, j, i, &row)) continue;
        int cared = row.treatment == KEEL_ROW_KEPT || row.treatment == KEEL_ROW_NATIVE ||
                    row.treatment == KEEL_ROW_REDUNDANT;
        if (row.treatment == KEEL_ROW_VARYING || cared == watched) continue;
        if (count++ == 0 || row.units > worst->units) *worst = row;
    }
    return count;
}

/* What is conserved may still be another motion: the values' own accuracy stands beside it. */
static void add_accuracy(char *words, size_t capacity, const struct outcome *o, const struct job *j) {
    const struct accuracy *a = &o->accuracy;
    char asked[60];
    text_set(asked, sizeof asked, j->keel.step > 0 ? "step %g" : "rtol %g",
             j->keel.step > 0 ? j->keel.step : KEEL_VALUE(&j->keel, rtol));
    if (a->cannot_tell)
        text_add(words, capacity, " How accurate the values are cannot be told: %s.", a->cannot_tell);
    else if (isnan(a->share)) text_add(words, capacity, " The accuracy of the values was not measured.");
    else
        text_add(words, capacity, " The values are %s: %s errs by %.1e of its size, with %s.",
                 accuracy_as_asked(a) ? "accurate" : "less accurate than asked",
                 keel_sim_column(o->sim, a->loose), a->share, asked);
}

static void verdict(FILE *out, const struct outcome *o, const struct job *j) {
    keel_row row = {0}, loose = {0};
    int kept = worst_kept(o, j, 0, &row), watched = worst_kept(o, j, 1, &loose);
    int ended = o->status == OUTCOME_FAILED || o->status == OUTCOME_INTERRUPTED;
    int unmeasured = (kept || watched) && !stabilizer_measures(j->keel.method);
    int held = kept && row.units <= round_off_units;
    char words[4 * JOB_SENTENCE] = "", unresolved[JOB_SENTENCE], warning[JOB_SENTENCE], more[JOB_SENTENCE];
    int warned = accuracy_warning(o, j, warning, sizeof warning);
    int wrong = o->accuracy.finding == ACCURACY_WRONG, accurate = accuracy_as_asked(&o->accuracy);
    if (ended)
        text_set(words, sizeof words, "The run %s %s at t = %.10g%s%s. ",
                 o->status == OUTCOME_FAILED ? "has" : "was", outcome_word(o->status),
                 keel_time(keel_sim_solver(o->sim)), o->message[0] ? ": " : "", o->message);
    if (unmeasured) text_add(words, sizeof words, "Steps are not measured: --preserve watch does that.");
    else if (held)
        text_add(words, sizeof words, "Held to round-off: %s drifts by more than %.2g units of round-off.",
                 kept > 1 ? "none of the kept rows" : "nothing that is kept", row.units);
    else if (kept)
        text_add(words, sizeof words, "Not at round-off: %s drifts by %.2g units of round-off.", row.name,
                 row.units);
    else if (watched)
        text_add(words, sizeof words,
                 "Nothing is kept to round-off; %s is %s and drifts by %.2g units of round-off.", loose.name,
                 loose.treatment == KEEL_ROW_DAMPED ? "damped" : "watched", loose.units);
    else if (!ended)
        text_add(words, sizeof words, "Done: t = %.10g is reached. The model states nothing that must stay.",
                 keel_time(keel_sim_solver(o->sim)));
    if (kept && watched && !unmeasured)
        text_add(words, sizeof words, " Only watched: %s drifts by %.2g.", loose.name, loose.units);
    if (outcome_unresolved(o, j, unresolved, sizeof unresolved))
        text_add(words, sizeof words, " %s: %s.", j->stabilizer, unresolved);
    if (outcome_correction(o, j, more, sizeof more)) text_add(words, sizeof words, " Corrections: %s.", more);
    if (!ended) add_accuracy(words, sizeof words, o, j);
    int found = outcome_finding(o, more, sizeof more);
    if (found) text_add(words, sizeof words, " Warning: %s.", more);
    if (warned) text_add(words, sizeof words, " Warning: %s.", warning);
    if (o->lacking[0]) text_add(words, sizeof words, " Without a value: %s.", o->lacking);
    fprintf(out, "<p class=\"verdict %s\" id=\"verdict\"><strong>",
            ended || wrong || found || o->lacking[0] ? "bad"
            : held && accurate                       ? "good"
            : kept || watched || !accurate           ? "fair"
                                                     : "plain");
    report_text(out, words);
    fputs("</strong></p>\n", out);
}

static void certificate(FILE *out, const struct outcome *o, const struct job *j) {
    keel_row row;
    int any = 0;
    for (int i = 0; i < keel_sim_rows(o->sim); i++) {
        if (!outcome_row(o, j, i, &row)) continue;
        if (!any++) {
            report_heading(out, "Certificate");
            report_fold(out, keel_sim_rows(o->sim), "rows");
            fputs("<div class=\"wide\"><table class=\"full\" id=\"certificate\"><thead><tr><th>kept</th>"
                  "<th>in round-offs</th><th>largest drift</th><th>last</th><th>start</th>"
                  "<th class=\"text\"></th></tr></thead><tbody>\n",
                  out);
        }
        fputs("<tr><td><code>", out);
        report_text(out, row.name);
        char units[24], drift[24], last[24], treatment[80];
        text_number(units, sizeof units, "%.3g", row.units);
        text_number(drift, sizeof drift, "%.1e", row.drift);
        text_number(last, sizeof last, "%.1e", fabs(row.last));
        fprintf(out, "</code></td><td>%s</td><td>%s</td><td>%s</td><td>%.6g</td><td class=\"text soft\">",
                units, drift, last, row.start);
        outcome_treatment(o, j, i, &row, treatment, sizeof treatment);
        report_text(out, treatment);
        fputs("</td></tr>\n", out);
    }
    if (!any) return;
    fputs("</tbody></table></div>\n", out);
    report_unfold(out, keel_sim_rows(o->sim));
    fputs("<p class=\"soft\">A round-off is the rounding error of the row&#39;s "
          "own terms. Drifts are the largest over all steps. Conservation is not accuracy: that stands "
          "below.</p>\n",
          out);
}

static void accuracy(FILE *out, const struct outcome *o) {
    const struct accuracy *a = &o->accuracy;
    const struct accuracy_errors *e = accuracy_shown(a);
    keel_defect d = keel_defect_of(keel_sim_solver(o->sim));
    char words[JOB_SENTENCE];
    report_heading(out, "Accuracy");
    if (!e) {
        accuracy_text(o, words, sizeof words);
        fputs("<p id=\"accuracy\">", out);
        report_text(out, words);
        fputs(".</p>\n", out);
    } else {
        fprintf(out, "<p id=\"accuracy\">%s <strong>%.1e</strong> (relative %.1e) in <code>",
                a->round_off && a->yardstick == ACCURACY_RERUN ? "Round-off, below" : "Largest error",
                e->error, e->relative);
        report_text(out, keel_sim_column(o->sim, e->worst));
        fprintf(out, "</code> at t = %.6g, against %s.</p>\n", e->t,
                a->yardstick == ACCURACY_RERUN   ? "a tighter rerun"
                : a->yardstick == ACCURACY_EXACT ? "the exact solution"
                                                 : "reference digits");
    }
    if (accuracy_elsewhere(o, words, sizeof words)) {
        fputs("<p id=\"elsewhere\">", out);
        report_text(out, words);
        fputs(".</p>\n", out);
    }
    if (d.samples == 0) return;
    const char *state = outcome_state_name(o, d.component);
    fprintf(out, "<p id=\"defect\">Between the steps the equations are met to <strong>%.1e</strong> %s",
            d.largest, d.relative ? "of the state" : "tolerances");
    if (state) fputs(", worst in <code>", out), report_text(out, state), fputs("</code>", out);
    fprintf(out, " at t = %.6g (%ld samples).</p>\n", d.t, d.samples);
}

static void facts(FILE *out, const struct outcome *o, const struct job *j) {
    const keel_stats s = keel_statistics(keel_sim_solver(o->sim));
    fputs("<dl class=\"facts\">\n", out);
    fact(out, "method", "%s+%s", j->method, j->stabilizer);
    if (j->keel.step > 0) fact(out, j->keel.reversible ? "first step" : "step", "%g", j->keel.step);
    else fact(out, "relative tolerance", "%g", KEEL_VALUE(&j->keel, rtol));
    if (job_clock(j)) fact(out, "clock", "%s", job_clock(j));
    fact(out, "time", "%g .. %g", j->t0, keel_time(keel_sim_solver(o->sim)));
    const struct accuracy_errors *e = accuracy_shown(&o->accuracy);
    if (e) fact(out, "largest error", "%.1e, relative %.1e", e->error, e->relative);
    fact(out, "steps", s.rejected ? "%ld, %ld rejected" : "%ld", s.steps, s.rejected);
    if (o->wall_s < 1) fact(out, "computed in", "%.1f ms", 1e3 * o->wall_s);
    else fact(out, "computed in", "%.2f s", o->wall_s);
    fputs("</dl>\n", out);
    if (j->why[0]) {
        fprintf(out, "<p class=\"soft\">%s was chosen: ", j->method);
        report_text(out, j->why);
        fputs(".</p>\n", out);
    }
    char method[JOB_WORD], words[JOB_SENTENCE];
    for (long i = 0; changes_words(keel_sim_solver(o->sim), i, method, words, sizeof words); i++)
        fprintf(out, "<p class=\"soft\">%s %s.</p>\n", method, words);
}

/* Plots ------------------------------------------------------------------------------------------------- */

/* The svg element of what was drawn, without the heading of a file of its own. */
static void copy_svg(FILE *from, FILE *out) {
    char line[4096];
    int inside = 0;
    rewind(from);
    while (fgets(line, sizeof line, from)) {
        if (strncmp(line, "<svg", 4) == 0) inside = 1;
        if (inside) fputs(line, out);
    }
}

static void plots(FILE *out, const struct job *j, const struct store *s, const struct panels *asked) {
    static struct panels all;
    char why[JOB_SENTENCE] = "";
    all = *asked;
    if (all.count == 0) panel_states(&all, s, 1);
    panel_drifts(&all, s);
    report_heading(out, "Plots");
    if (!gnuplot_there()) {
        fputs("<p>" GNUPLOT_MISSING ".</p>\n", out);
        return;
    }
    fputs("<div class=\"plots\">\n", out);
    for (int k = 0; k < all.count; k++) {
        errno = 0;
        FILE *drawn = tmpfile();
        if (!drawn) text_set(why, sizeof why, "a temporary file cannot be made: %s", strerror(errno));
        if (drawn && plot_inline(drawn, j, s, &all.list[k], why, sizeof why) == 0) {
            fputs("<figure>", out);
            copy_svg(drawn, out);
            fputs("</figure>\n", out);
        } else {
            fputs("<p class=\"soft\">", out);
            report_text(out, why);
            if (errno == ENOMEM) memory_out();
            fputs(".</p>\n", out);
        }
        if (drawn) fclose(drawn);
    }
    fputs("</div>\n", out);
    if (all.left_out)
        fprintf(out,
                "<p class=\"soft\">%d columns are not drawn; <code>--axes</code> draws what it names.</p>\n",
                all.left_out);
}

/* The page ---------------------------------------------------------------------------------------------- */

static void options(FILE *out, const struct job *j) {
    int any = 0;
    report_heading(out, "Model");
    const char *model = keel_model_text(j->model);
    long lines = 0;
    for (const char *at = model; *at; at++) lines += *at == '\n';
    report_fold(out, lines, "lines, with its libraries");
    fputs("<pre id=\"model\">", out);
    report_text(out, model);
    fputs("</pre>\n", out);
    report_unfold(out, lines);
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_value *v = &j->options.value[id];
        for (int i = 0; i < v->count; i++) {
            char name[60];
            option_name(id, name, sizeof name);
            fprintf(out, any++ ? "\n" : "<h3>Options</h3>\n<pre id=\"options\">");
            fprintf(out, "--%s ", name);
            report_text(out, v->text[i]);
            if (v->by_model) fputs("   (in the model)", out);
        }
    }
    if (any) fputs("</pre>\n", out);
}

static void end_page(FILE *out, const struct job *j) {
    char date[80];
    const char *why_not = NULL;
    time_t now = time(NULL);
    struct tm local;
    if (!localtime_r(&now, &local) || !strftime(date, sizeof date, "%Y-%m-%d %H:%M %z", &local))
        date[0] = '\0';
    fprintf(out, "<footer>keel %s, %s, ", keel_version(), date);
    report_text(out, j->file && strcmp(j->file, "-") != 0 ? j->path : "standard input");
    if (!job_interpreted(j, &why_not)) fputs(", compiled", out);
    else {
        fputs(", interpreted: ", out);
        report_text(out, why_not);
    }
    fputs("</footer>\n</main>\n</body>\n</html>\n", out);
}

int report_end(struct report *r, struct job *j, const struct outcome *o, const struct store *s,
               const struct panels *asked) {
    FILE *out = r->file.stream;
    char why[JOB_SENTENCE];
    if (!out) return 0;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"generator\" content=\"keel " KEEL_VERSION "\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    report_text(out, keel_model_name(j->model));
    fputs(" - keel</title>\n<style>\n", out);
    report_lines(out, page_report);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
    report_text(out, keel_model_name(j->model));
    fputs("</h1>\n", out);
    verdict(out, o, j);
    facts(out, o, j);
    motion_write(out, o, j, s);
    certificate(out, o, j);
    accuracy(out, o);
    plots(out, j, s, asked);
    report_analysis(out, o, j, s);
    options(out, j);
    end_page(out, j);
    if (keel_model_status(j->model) == KEEL_ENOMEM) memory_out();
    if (memory_is_out() && o->status != OUTCOME_FAILED) { /* something is missing on the page */
        report_drop(r);
        return job_no_memory(j);
    }
    return file_keep(&r->file, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}
