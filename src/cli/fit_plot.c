/* fit_plot.c - a fit as a figure: for each column the data with the curve through them, and the residuals. */
#include "cli/fitting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANELS = 5,
    CURVE = 400,
    SHOWN = 6
}; /* columns; points of a curve; experiments with one of their own */

static void put_points(struct fitting *f, FILE *g, int column) {
    keel_fit_point p;
    int last = -1;
    fprintf(g, "$d%d << END\n", column);
    for (int i = 0; keel_fit_point_at(f->fit, i, &p); i++) {
        if (p.column != column) continue;
        if (last >= 0 && p.experiment != last) fprintf(g, "\n\n");
        last = p.experiment;
        fprintf(g, "%.10g %.10g %.10g %.10g\n", p.t, p.value, p.sigma, (p.value - p.fitted) / p.sigma);
    }
    fprintf(g, "END\n");
}

/* The curve of one experiment, from its first to its last point. */
static int put_curve(struct fitting *f, FILE *g, int column, int experiment) {
    static double t[CURVE], value[CURVE];
    keel_fit_point p;
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; keel_fit_point_at(f->fit, i, &p); i++)
        if (p.experiment == experiment && p.column == column)
            first = fmin(first, p.t), last = fmax(last, p.t);
    if (!(first <= last)) return 0;
    for (int i = 0; i < CURVE; i++) t[i] = first + (last - first) * i / (CURVE - 1);
    if (keel_fit_curve(f->fit, experiment, column, CURVE, t, value) != KEEL_OK) return 0;
    fprintf(g, "$c%d_%d << END\n", column, experiment);
    for (int i = 0; i < CURVE; i++)
        if (isfinite(value[i])) fprintf(g, "%.10g %.10g\n", t[i], value[i]);
    fprintf(g, "END\n");
    return 1;
}

static void put_panel(struct fitting *f, FILE *g, int column, const char *name, int terminal) {
    int drawn[SHOWN] = {0};
    for (int e = 0; e < SHOWN && keel_fit_experiment(f->fit, e); e++) drawn[e] = put_curve(f, g, column, e);
    put_points(f, g, column);
    fprintf(g, "set xlabel 't'\nset ylabel ");
    gnuplot_text(g, name);
    fprintf(g, "\nplot $d%d using 1:2 with points pt 7 ps %s lc rgb '%s' notitle", column,
            terminal ? "1" : "0.35", plot_palette[0]);
    for (int e = 0; e < SHOWN; e++)
        if (drawn[e])
            fprintf(g, ", $c%d_%d using 1:2 with lines lw 1.3 lc rgb '%s' notitle", column, e,
                    plot_palette[1]);
    fprintf(g, "\n");
    if (terminal) return;
    fprintf(
        g,
        "set ylabel 'residual / sigma'\nplot 0 with lines lw 0.8 lc rgb '#999999' notitle, $d%d using 1:4 "
        "with points pt 7 ps 0.35 lc rgb '%s' notitle\n",
        column, plot_palette[0]);
}

int fitting_plot(struct fitting *f) {
    int terminal = f->plot.kind == GNUPLOT_TERMINAL, columns, lines, panels = 0;
    keel_fit_measured c;
    if (f->plot.kind == GNUPLOT_NONE) return 0;
    while (panels < (terminal ? 1 : PANELS) && keel_fit_column(f->fit, panels, &c)) panels++;
    FILE *g = gnuplot_program();
    if (!g) return job_fail(&f->job, EXIT_FAILED, "a temporary file cannot be made: %s", strerror(errno));
    gnuplot_terminal_size(&columns, &lines);
    if (terminal) gnuplot_terminal(g, f->plot.kind, columns - 1, lines > 20 ? lines - 2 : 20);
    else gnuplot_terminal(g, f->plot.kind, 1100, 60 + 280 * panels);
    plot_style(g, terminal);
    if (!terminal) {
        fprintf(g, "set multiplot layout %d,2 title ", panels);
        gnuplot_text(g, keel_model_name(f->job.model));
        fprintf(g, "\n");
    }
    for (int i = 0; i < panels && keel_fit_column(f->fit, i, &c); i++) put_panel(f, g, i, c.name, terminal);
    if (!terminal) fprintf(g, "unset multiplot\n");
    return plot_send(&f->plot, &f->job, g);
}
