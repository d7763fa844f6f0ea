/* compare_plot.c - the table of compare as a figure: what an accuracy costs, and what is lost on the way. */
#include "base/text.h"
#include "cli/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double floor_units = 0.01; /* drifts of zero are drawn here */

static int same_method(const struct compare_row *a, const struct compare_row *b) {
    return strcmp(a->method, b->method) == 0 && strcmp(a->stabilizer, b->stabilizer) == 0;
}

static int drawable(const struct compare_row *r) {
    return isfinite(r->wall_s) && isfinite(r->error) && r->error > 0;
}

/* Is it the first row of its method that can be drawn? */
static int begins(const struct compare *c, int i) {
    for (int k = 0; k < i; k++)
        if (drawable(&c->row[k]) && same_method(&c->row[k], &c->row[i])) return 0;
    return drawable(&c->row[i]);
}

/* A block of data for each method: seconds, error, drift. */
static int blocks(const struct compare *c, FILE *g) {
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        if (!begins(c, i)) continue;
        fprintf(g, "$m%d << END\n", count++);
        for (int k = i; k < c->count; k++)
            if (drawable(&c->row[k]) && same_method(&c->row[k], &c->row[i]))
                fprintf(g, "%.6g %.6g %.6g\n", c->row[k].wall_s, c->row[k].error,
                        fmax(isfinite(c->row[k].scaled_drift) ? c->row[k].scaled_drift : 0, floor_units));
        fprintf(g, "END\n");
    }
    return count;
}

static void panel(const struct compare *c, FILE *g, const char *label, int column, int terminal) {
    int at = 0;
    fprintf(g, "set xlabel 'seconds'\nset ylabel '%s'\nplot", label);
    for (int i = 0; i < c->count; i++) {
        if (!begins(c, i)) continue;
        char name[2 * JOB_WORD + 2];
        text_set(name, sizeof name, "%s+%s", c->row[i].method, c->row[i].stabilizer);
        fprintf(g, "%s $m%d using 1:%d title ", at ? "," : "", at, column);
        gnuplot_text(g, name);
        if (terminal) fprintf(g, " with points pt %d", at + 1);
        else
            fprintf(g, " with linespoints lw 1.4 pt %d ps 0.8 lc rgb '%s'", at % 7 + 4,
                    plot_palette[at % PLOT_COLORS]);
        at++;
    }
    fprintf(g, "\n");
}

int compare_plot(const struct compare *c, struct job *j, struct plot *p) {
    int terminal = p->kind == GNUPLOT_TERMINAL, columns, lines;
    if (p->kind == GNUPLOT_NONE) return 0;
    FILE *g = gnuplot_program();
    if (!g) return job_fail(j, EXIT_FAILED, "a temporary file cannot be made: %s", strerror(errno));
    gnuplot_terminal_size(&columns, &lines);
    if (terminal) gnuplot_terminal(g, p->kind, columns - 1, lines > 20 ? lines - 2 : 20);
    else gnuplot_terminal(g, p->kind, 900, 760);
    plot_style(g, terminal);
    fprintf(g, "set logscale xy\nset format xy '%s'\nset key outside right top noenhanced\n", "%g");
    if (blocks(c, g) == 0) {
        fclose(g);
        return job_fail(j, EXIT_FAILED,
                        "there is nothing to draw: no method has an error that could be measured");
    }
    if (!terminal) {
        fprintf(g, "set multiplot layout 2,1 title ");
        gnuplot_text(g, keel_model_name(j->model));
        fprintf(g, "\n");
    }
    panel(c, g, "largest error", 2, terminal);
    if (!terminal) panel(c, g, "drift in round-offs", 3, terminal);
    if (!terminal) fprintf(g, "unset multiplot\n");
    return plot_send(p, j, g);
}
