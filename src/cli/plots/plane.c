/* plane.c - see plane.h. */
#include "cli/plots/plane.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PANELS = 6, NAME = 200 };

int plane_out(struct job *j, struct file *out) {
    const char *path = option_text(&j->options, opt_out);
    size_t length = path ? strlen(path) : 0;
    if (!path) return 0;
    if (length < 5 || strcmp(path + length - 4, ".csv") != 0)
        return job_fail(j, EXIT_USAGE, "--out %.200s: the name must end in .csv", path);
    return output_open(j, out, path, KIND_CSV);
}

static int column_of(const struct plane *p, const char *name) {
    for (int i = 0; i < p->columns; i++)
        if (strcmp(p->name[i], name) == 0) return i;
    return job_fail(p->job, EXIT_USAGE, "--axes: there is no column `%.80s`", name), -1;
}

/* Pairs of columns: those of --axes, the first with each of the others; else the first two. */
static int take_axes(const struct plane *p, int pair[PANELS][2], int *panels) {
    const struct option_value *axes = &p->job->options.value[opt_axes];
    char word[NAME];
    *panels = 0;
    for (int i = 0; i < axes->count; i++) {
        int first = -1;
        for (const char *rest = axes->text[i]; (rest = text_next(rest, word, sizeof word));) {
            int column = column_of(p, word);
            if (column < 0) return p->job->status;
            if (first < 0) first = column;
            else if (*panels < PANELS) pair[*panels][0] = first, pair[(*panels)++][1] = column;
        }
    }
    if (*panels) return 0;
    pair[0][0] = p->usual ? p->usual[0] : 0, pair[0][1] = p->usual ? p->usual[1] : p->columns > 1;
    *panels = 1;
    return 0;
}

static void put_data(const struct plane *p, FILE *g) {
    for (int color = 0; color < PLOT_COLORS; color++) {
        fprintf(g, "$p%d << END\n", color);
        for (long i = 0; i < p->rows; i++) {
            if ((p->group ? p->group[i] : 0) % PLOT_COLORS != color) continue;
            for (int c = 0; c < p->columns; c++) fprintf(g, "%.10g ", p->value[i * p->columns + c]);
            fputc('\n', g);
        }
        fprintf(g, "NaN NaN\nEND\n");
    }
}

static void put_panel(const struct plane *p, FILE *g, const int pair[2], int terminal) {
    fprintf(g, "set xlabel ");
    gnuplot_text(g, p->name[pair[0]]);
    fprintf(g, "\nset ylabel ");
    gnuplot_text(g, p->name[pair[1]]);
    fprintf(g, "\nplot");
    for (int color = 0; color < PLOT_COLORS; color++)
        fprintf(g, "%s $p%d using %d:%d with %s lc rgb '%s' notitle", color ? "," : "", color, pair[0] + 1,
                pair[1] + 1,
                p->lines   ? "lines lw 1.3"
                : p->large ? "points pt 7 ps 0.9"
                : terminal ? "dots"
                           : "points pt 7 ps 0.25",
                plot_palette[color]);
    fprintf(g, "\n");
}

int plane_draw(struct plane *p) {
    int terminal = p->plot->kind == GNUPLOT_TERMINAL, columns, lines, panels, pair[PANELS][2];
    if (p->plot->kind == GNUPLOT_NONE) return 0;
    if (take_axes(p, pair, &panels)) return p->job->status;
    if (terminal) panels = 1;
    FILE *g = gnuplot_program();
    if (!g) return job_fail(p->job, EXIT_FAILED, "a temporary file cannot be made: %s", strerror(errno));
    gnuplot_terminal_size(&columns, &lines);
    if (terminal) gnuplot_terminal(g, p->plot->kind, columns - 1, lines > 20 ? lines - 2 : 20);
    else gnuplot_terminal(g, p->plot->kind, 720, 60 + 560 * panels);
    plot_style(g, terminal);
    put_data(p, g);
    if (!terminal) {
        fprintf(g, "set multiplot layout %d,1 title ", panels);
        gnuplot_text(g, keel_model_name(p->job->model));
        fprintf(g, "\n");
    }
    for (int i = 0; i < panels; i++) put_panel(p, g, pair[i], terminal);
    if (!terminal) fprintf(g, "unset multiplot\n");
    return plot_send(p->plot, p->job, g);
}
