/* report_tables.c - what a report tells in tables: the analysis, values, events, jumps, surfaces. */
#include "base/text.h"
#include "cli/plots/report_private.h"
#include "cli/run/switching.h"

#include <string.h>

enum { MOST_EVENTS = 200, MOST_VALUES = 200, FOLDED = 24 };

/* Text -------------------------------------------------------------------------------------------------- */

/* Whatever it says, it is text: signs of HTML become entities, controls and what is no UTF-8 a question
 * mark. */
void report_text(FILE *out, const char *words) {
    size_t length = strlen(words);
    for (size_t i = 0; i < length;) {
        uint32_t point;
        int size = text_character(words + i, length - i, &point);
        int strange = size == 0 || (text_is_control(point) && point != '\n' && point != '\t');
        if (words[i] == '&') fputs("&amp;", out);
        else if (words[i] == '<') fputs("&lt;", out);
        else if (words[i] == '>') fputs("&gt;", out);
        else if (words[i] == '"') fputs("&quot;", out);
        else if (words[i] == '\'') fputs("&#39;", out);
        else if (strange) fputc('?', out);
        else fwrite(words + i, 1, (size_t)size, out);
        i += size ? (size_t)size : 1;
    }
}

void report_lines(FILE *out, const char *const *text) {
    for (; *text; text++) fputs(*text, out);
}

void report_heading(FILE *out, const char *words) {
    fputs("<h2>", out);
    report_text(out, words);
    fputs("</h2>\n", out);
}

void report_fold(FILE *out, long rows, const char *what) {
    if (rows > FOLDED) fprintf(out, "<details><summary>%ld %s</summary>\n", rows, what);
}

void report_unfold(FILE *out, long rows) {
    if (rows > FOLDED) fputs("</details>\n", out);
}

static void named_number(FILE *out, const char *name, double value) {
    fputs("<tr><td><code>", out);
    report_text(out, name);
    fprintf(out, "</code></td><td>%.10g</td>", value);
}

/* The analysis ------------------------------------------------------------------------------------------ */

static void modes(FILE *out, const keel_model *m) {
    keel_mode mode;
    char freedom[JOB_FREEDOM];
    fprintf(out,
            "<div class=\"wide\"><table id=\"analysis\"><thead><tr><th>%s</th><th>index</th>"
            "<th>freedom</th><th>equations</th><th>redundant</th></tr></thead><tbody>\n",
            keel_model_modes(m) > 1 ? "mode" : "");
    for (int i = 0; keel_model_mode(m, i, &mode); i++) {
        fputs("<tr><td>", out);
        report_text(out, mode.name ? mode.name : "model");
        fprintf(out, "</td><td>%d</td><td>%s</td><td>%d</td><td>%d</td></tr>\n", mode.index,
                job_freedom(&mode, freedom), mode.equations, mode.redundant);
    }
    fputs("</tbody></table></div>\n", out);
}

static void name_list(FILE *out, const char *what, const char *name, int *any) {
    if (!*any) fprintf(out, "<p>%s: ", what);
    fprintf(out, "%s<code>", *any ? ", " : "");
    report_text(out, name);
    fputs("</code>", out);
    *any = 1;
}

static void end_list(FILE *out, int any) {
    if (any) fputs(".</p>\n", out);
}

static void hidden_and_balances(FILE *out, const struct outcome *o, const struct job *j) {
    keel_row row;
    const char *name;
    int any = 0;
    for (int i = 0; i < keel_sim_rows(o->sim); i++)
        if (!keel_sim_row_at(o->sim, i, &row)) continue;
        else if (row.kind == KEEL_ROW_VELOCITY || row.kind == KEEL_ROW_HIDDEN)
            name_list(out, "Hidden constraints", row.name, &any);
    end_list(out, any);
    any = 0;
    for (int i = 0; (name = keel_model_linear_invariant(j->model, keel_model_start(j->model), i)); i++)
        name_list(out, "Balances that the equations show", name, &any);
    end_list(out, any);
    any = 0;
    for (int i = 0; (name = keel_model_free_value(j->model, i)); i++)
        name_list(out, "Start values that nothing determines but their guess", name, &any);
    end_list(out, any);
}

static void values(FILE *out, const struct job *j, const struct store *s) {
    const char *name;
    double value;
    char column[256];
    fputs("<div class=\"pair\">\n<div><h3>Start and end</h3>", out);
    report_fold(out, s->columns, "values");
    fputs("<div class=\"wide\"><table id=\"values\"><thead><tr>"
          "<th></th><th>start</th><th>end</th></tr></thead><tbody>\n",
          out);
    for (int i = 0; i < s->columns && i < MOST_VALUES && s->count; i++) {
        store_name(s, store_column(s, i), column, sizeof column);
        named_number(out, column, store_at(s, 0, store_column(s, i)));
        fprintf(out, "<td>%.10g</td></tr>\n", store_at(s, s->count - 1, store_column(s, i)));
    }
    fputs("</tbody></table></div>\n", out);
    if (s->columns > MOST_VALUES)
        fprintf(out, "<p class=\"soft\">and %d more.</p>\n", s->columns - MOST_VALUES);
    report_unfold(out, s->columns);
    fputs("</div>\n", out);
    int parameters = 0;
    while (keel_model_parameter(j->model, parameters, &name, &value)) parameters++;
    for (int i = 0; i < MOST_VALUES && keel_model_parameter(j->model, i, &name, &value); i++) {
        if (i == 0) {
            fputs("<div><h3>Parameters</h3>", out);
            report_fold(out, parameters, "parameters");
            fputs("<div class=\"wide\"><table id=\"parameters\"><tbody>\n", out);
        }
        named_number(out, name, value);
        fputs("</tr>\n", out);
    }
    if (parameters) {
        fputs("</tbody></table></div>\n", out);
        report_unfold(out, parameters);
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
}

static void events(FILE *out, const struct outcome *o) {
    keel_event_record one;
    long total = 0, all = 0;
    while (keel_sim_event(o->sim, all, &one)) all++;
    for (; keel_sim_event(o->sim, total, &one); total++) {
        keel_mode from = {0}, to = {0};
        if (total >= MOST_EVENTS) continue;
        if (total == 0) {
            report_heading(out, "Events");
            report_fold(out, all, "events");
            fputs("<div class=\"wide\"><table id=\"events\"><thead><tr><th>event</th><th>t</th>"
                  "<th class=\"text\">what it did</th></tr></thead><tbody>\n",
                  out);
        }
        keel_model_mode(keel_sim_model(o->sim), one.from, &from);
        keel_model_mode(keel_sim_model(o->sim), one.to, &to);
        fputs("<tr><td><code>", out);
        report_text(out, one.event);
        fprintf(out, "</code></td><td>%.10g</td><td class=\"text\">", one.t);
        if (one.from != one.to) {
            report_text(out, from.name ? from.name : "");
            fputs(" &rarr; ", out);
            report_text(out, to.name ? to.name : "");
        } else fputs(one.changed ? "values assigned" : "recorded", out);
        fputs("</td></tr>\n", out);
    }
    if (total) fputs("</tbody></table></div>\n", out);
    if (total > MOST_EVENTS)
        fprintf(out, "<p class=\"soft\">and %ld more; <code>--events FILE.csv</code> writes all.</p>\n",
                total - MOST_EVENTS);
    report_unfold(out, all);
}

static void jumps(FILE *out, const struct outcome *o) {
    keel_jump one;
    long total = 0, all = 0;
    while (keel_sim_jump(o->sim, all, &one)) all++;
    for (; keel_sim_jump(o->sim, total, &one); total++) {
        if (total >= MOST_EVENTS) continue;
        if (total == 0) {
            report_heading(out, "Jumps of what is kept");
            report_fold(out, all, "jumps");
            fputs("<div class=\"wide\"><table id=\"jumps\"><thead><tr><th>row</th><th>t</th><th>before</th>"
                  "<th>after</th><th class=\"text\">event</th></tr></thead><tbody>\n",
                  out);
        }
        fputs("<tr><td><code>", out);
        report_text(out, one.row);
        fprintf(out, "</code></td><td>%.10g</td><td>%.10g</td><td>%.10g</td><td class=\"text\">", one.t,
                one.before, one.after);
        report_text(out, one.event);
        fputs("</td></tr>\n", out);
    }
    if (total) fputs("</tbody></table></div>\n", out);
    if (total > MOST_EVENTS) fprintf(out, "<p class=\"soft\">and %ld more.</p>\n", total - MOST_EVENTS);
    report_unfold(out, all);
}

static void surfaces(FILE *out, const struct outcome *o) {
    keel_surface one;
    char words[200];
    int any = 0;
    for (int i = 0; keel_sim_surface_at(o->sim, i, &one); i++) {
        if (!switching_surface(&one, words, sizeof words)) continue;
        if (!any++) {
            report_heading(out, "Switching surfaces");
            fputs("<div class=\"wide\"><table id=\"surfaces\"><tbody>\n", out);
        }
        fputs("<tr><td><code>", out);
        report_text(out, one.name);
        fputs("</code></td><td class=\"text\">", out);
        report_text(out, words);
        fputs("</td></tr>\n", out);
    }
    if (any) fputs("</tbody></table></div>\n", out);
}

void report_analysis(FILE *out, const struct outcome *o, const struct job *j, const struct store *s) {
    report_heading(out, "Analysis");
    modes(out, keel_sim_model(o->sim));
    hidden_and_balances(out, o, j);
    values(out, j, s);
    events(out, o);
    jumps(out, o);
    surfaces(out, o);
}
