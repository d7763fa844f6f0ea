/* plot.c - a sweep as a figure: above the error over the time, below what is lost of that which the motion
 * keeps.  Drawn by gnuplot; rows that take more than FAR times the least at 1e-6 would only cover the
 * others. */
#include "report/show.h"

#include <math.h>
#include <string.h>

static const double floor_units = 0.01; /* drifts of zero are drawn here */
enum { FAR = 12 };

static int drawn(const struct sweep *s, int i) {
    double least = NAN;
    for (int k = 0; k < s->rows; k++) least = fmin(least, s->row[k].seconds[0]);
    return s->row[i].seconds[0] <= FAR * least;
}

/* A block of data for each row: time, error, drift. */
static void blocks(const struct sweep *s, FILE *g) {
    for (int i = 0; i < s->rows; i++) {
        fprintf(g, "$r%d << END\n", i);
        for (int k = 0; k < s->row[i].rungs; k++) {
            const struct sweep_rung *r = &s->row[i].rung[k];
            if (r->error <= 0) continue;
            fprintf(g, "%.4g %.3g ", r->seconds / s->unit, r->error);
            if (isnan(r->drift)) fprintf(g, "NaN\n");
            else fprintf(g, "%.3g\n", fmax(r->drift, floor_units));
        }
        fprintf(g, "END\n");
    }
}

static void panel(const struct sweep *s, FILE *g, int column) {
    static const char *const color[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                                        "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"};
    int at = 0;
    fprintf(g, "plot");
    for (int i = 0; i < s->rows; i++) {
        char name[80];
        const struct peer *peer = s->row[i].row->peer;
        int keels = peer == &peer_keel || peer == &peer_model;
        if (!drawn(s, i)) continue;
        show_name(s, s->row[i].row, name, sizeof name);
        fprintf(g, "%s $r%d using 1:%d title '%s %s' with linespoints lw %s dt %d pt %d ps 0.5 lc rgb '%s'",
                at ? "," : "", i, column, peer->name, name, keels ? "1.6" : "1", keels ? 1 : 2, at % 7 + 4,
                color[at % 10]);
        at++;
    }
    fprintf(g, "\n");
}

int show_plot(const struct sweep *s, const char *path) {
    FILE *g = popen("gnuplot", "w");
    if (!g) return -1;
    fprintf(g, "set terminal svg size 900,760 dynamic font 'DejaVu Sans,11'\nset output '%s'\n", path);
    fprintf(g, "set logscale xy\nset format xy '10^{%%T}'\nset grid lc rgb '#dddddd'\nset key outside right "
               "top noenhanced "
               "font ',9'\n");
    blocks(s, g);
    fprintf(g, "set lmargin 10\n");
    fprintf(g, "set multiplot layout 2,1 title \"%s\"\nset xlabel 'time, in units of %s'\n",
            s->bench_case.about, s->bench_case.unit);
    fprintf(g, "set ylabel 'error'\nset yrange [1e-14:10]\n");
    panel(s, g, 2);
    fprintf(g, "set ylabel 'drift in round-off units'\nset yrange [0.005:1e12]\n");
    panel(s, g, 3);
    fprintf(g, "unset multiplot\n");
    return pclose(g) == 0 ? 0 : -1;
}
