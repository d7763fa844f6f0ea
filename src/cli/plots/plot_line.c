/* plot_line.c - an array along a line as a map: places across, t upwards, values as colours. */
#include "cli/plots/plot.h"

#include <math.h>
#include <string.h>

enum { MOST_TIMES = 160, MOST_PLACES = 200 };

static int stride_of(const struct panel *p) {
    return (p->line + MOST_PLACES - 1) / MOST_PLACES;
}

/* The row of the store nearest to t; rows are in the order of the run. */
static long row_at(const struct store *s, double t, long from) {
    while (from + 1 < s->count && fabs(store_at(s, from + 1, 0) - t) <= fabs(store_at(s, from, 0) - t))
        from++;
    return from;
}

/* Evenly spaced in t, as pictures are. */
void plot_line_data(FILE *g, const struct store *s, const struct panel *p) {
    double begin = store_at(s, 0, 0), end = store_at(s, s->count - 1, 0);
    long row = 0;
    for (int k = 0; k <= MOST_TIMES; k++) {
        double t = begin + (end - begin) * k / MOST_TIMES;
        row = row_at(s, t, row);
        for (int i = 0; i < p->line; i += stride_of(p)) {
            double value = store_at(s, row, p->y[0] + i);
            fprintf(g, isfinite(value) ? "%d %.10g %.6g\n" : "%d %.10g NaN\n", i + 1, t, value);
        }
        fputc('\n', g);
    }
}

void plot_line(FILE *g, const struct job *j, const struct store *s, const struct panel *p, int index) {
    double begin = store_at(s, 0, 0), end = store_at(s, s->count - 1, 0);
    plot_events(g, j, s, begin, begin); /* none here */
    fprintf(
        g,
        "unset logscale\nset size noratio\nset offsets\nset xtics autofreq\nset ytics autofreq\nunset key\n"
        "set format x '%%g'\nset format y '%%g'\nset xrange [0.5:%d.5]\nset yrange [%.17g:%.17g]\n"
        "set palette defined (0 '#1b1f6b', 1 '#2b7bba', 2 '#7fcdbb', 3 '#f5f2c8', 4 '#f08a3c', 5 '#a01c1c')\n"
        "set xlabel 'place'\nset ylabel 't'\nset cblabel ",
        p->line, fmin(begin, end), fmax(begin, end));
    gnuplot_text(g, p->label);
    fprintf(g, "\nplot $panel%d using 1:2:3 with image notitle\nunset cblabel\n", index);
}
