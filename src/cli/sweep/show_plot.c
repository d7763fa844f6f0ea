/* show_plot.c - see show.h.  Of many members some are drawn as curves, all of them as quantiles or maps. */
#ifdef KEEL_HDF5
#include "cli/sweep/show.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, CURVES = 40, POINTS = 200000, NAME = 200, QUANTILES = 5, MAP = 4000000 };
enum chart_kind { CURVES_CHART = 1, FAN, MAP_CHART, SECTION, VALUES };

struct chart {
    struct job *job;
    struct sweep_reader *r;
    FILE *g;
    int terminal;
    char column[COLUMNS][NAME], axis[COLUMNS][NAME]; /* --columns, --axes */
    int columns, axes;
};

static int fails(struct chart *c, const char *name) {
    return job_fail(c->job, EXIT_FAILED, "the file has no variable `%.80s` that could be drawn so", name);
}

static void number(FILE *g, double value) {
    if (isfinite(value)) fprintf(g, " %.10g", value);
    else fputs(" NaN", g);
}

static void labels(FILE *g, const char *x, const char *y) {
    fprintf(g, "set xlabel ");
    gnuplot_text(g, x);
    fprintf(g, "\nset ylabel ");
    gnuplot_text(g, y);
    fprintf(g, "\n");
}

static int take_list(struct chart *c, int id, char (*list)[NAME], int *count) {
    char word[NAME];
    for (const char *rest = option_text(&c->job->options, id);
         rest && (rest = text_next(rest, word, sizeof word));) {
        if (*count == COLUMNS) return job_fail(c->job, EXIT_USAGE, "a figure has room for %d names", COLUMNS);
        text_set(list[(*count)++], NAME, "%s", word);
    }
    return 0;
}

/* Over time --------------------------------------------------------------------------------------------- */

/* t and, for each of some members, the column: a line of data for each time. */
static int draw_curves(struct chart *c, const char *name, const double *t) {
    const struct sweep_reader *r = c->r;
    int64_t members = r->members < CURVES ? r->members : CURVES;
    for (int64_t k = 0; k < members; k++) {
        int each;
        int64_t member = members > 1 ? k * (r->members - 1) / (members - 1) : 0;
        double *value = sweep_reader_numbers(r, name, member, 1, &each);
        if (!value || each != r->times) return free(value), fails(c, name);
        fprintf(c->g, "$c%d << END\n", (int)k);
        for (int i = 0; i < each; i++) number(c->g, t[i]), number(c->g, value[i]), fputc('\n', c->g);
        fprintf(c->g, "END\n");
        free(value);
    }
    labels(c->g, "t", name);
    for (int k = 0; k < members; k++)
        fprintf(c->g, "%s $c%d using 1:2 with lines lw %s lc rgb '%s' notitle", k ? "," : "plot", k,
                members > PLOT_COLORS ? "0.6" : "1.2", plot_palette[k % PLOT_COLORS]);
    fprintf(c->g, "\n");
    return 0;
}

/* The quantiles of all members at each time, block by block. */
static int draw_fan(struct chart *c, const char *name, const double *t) {
    static const double part[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    const struct sweep_reader *r = c->r;
    keel_summary *all = keel_summary_open(r->times, 1);
    int bad = !all, each = r->times;
    for (int64_t first = 0; first < r->members && !bad; first += KEEL_BLOCK) {
        int64_t count = r->members - first < KEEL_BLOCK ? r->members - first : KEEL_BLOCK;
        double *value = sweep_reader_numbers(r, name, first, count, &each);
        bad = !value || each != r->times;
        for (int64_t i = 0; i < count && !bad; i++)
            bad = keel_summary_add(all, value + (size_t)i * (size_t)each) != KEEL_OK;
        free(value);
    }
    fprintf(c->g, "$f << END\n");
    for (int i = 0; i < r->times && !bad; i++) {
        number(c->g, t[i]);
        for (int q = 0; q < QUANTILES; q++) number(c->g, keel_summary_quantile(all, i, part[q]));
        fputc('\n', c->g);
    }
    fprintf(c->g, "END\n");
    keel_summary_close(all);
    if (bad) return fails(c, name);
    labels(c->g, "t", name);
    fprintf(c->g, "set key tmargin right horizontal\n");
    const char *color = plot_palette[0];
    if (c->terminal)
        fprintf(c->g, "plot $f using 1:2 with lines title '5 %%', $f using 1:4 with lines title 'median', "
                      "$f using 1:6 with lines title '95 %%'\n");
    else
        fprintf(c->g,
                "plot $f using 1:2:6 with filledcurves lc rgb '%s' fs transparent solid 0.18 title '5 to 95 "
                "%%', $f using 1:3:5 with filledcurves lc rgb '%s' fs transparent solid 0.32 title '25 to 75 "
                "%%', $f using 1:4 with lines lw 1.4 lc rgb '%s' title 'median'\n",
                color, color, color);
    return 0;
}

/* Over parameters --------------------------------------------------------------------------------------- */

static int axis_of(struct chart *c, int which, int *axis) {
    const struct sweep_reader *r = c->r;
    int seen = 0;
    for (*axis = 0; *axis < r->axes.count; ++*axis) {
        if (c->axes > which ? strcmp(c->axis[which], r->axes.name[*axis]) == 0
                            : r->size[*axis] > 1 && seen++ == which)
            return 0;
    }
    if (c->axes > which) return fails(c, c->axis[which]);
    return job_fail(c->job, EXIT_USAGE, "a map needs two axes: two --over of the sweep");
}

/* The column at its last time over two axes, the others at their first place.  Cells are as wide as their
 * neighbours are apart. */
static int draw_map(struct chart *c, const char *name) {
    const struct sweep_reader *r = c->r;
    int a, b, each;
    int64_t count[2], stride[2] = {1, 1};
    if (c->terminal) return job_fail(c->job, EXIT_USAGE, "a map is drawn to a file: --plot map.svg");
    if (axis_of(c, 0, &a) || axis_of(c, 1, &b)) return c->job->status;
    if (r->members * r->times > MAP)
        return job_fail(c->job, EXIT_FAILED, "a map has room for %d numbers of the file", MAP);
    for (int k = a + 1; k < r->axes.count; k++) stride[0] *= (int64_t)r->size[k];
    for (int k = b + 1; k < r->axes.count; k++) stride[1] *= (int64_t)r->size[k];
    double *value = sweep_reader_numbers(r, name, 0, r->members, &each);
    double *x = sweep_reader_line(r, r->axes.name[a], &count[0]);
    double *y = sweep_reader_line(r, r->axes.name[b], &count[1]);
    int bad = !value || !x || !y;
    fprintf(c->g, "$m << END\n");
    for (int64_t i = 0; i < count[0] && !bad; i++)
        for (int64_t k = 0; k < count[1]; k++) {
            double half[4] = {i                  ? x[i] - x[i - 1]
                              : i + 1 < count[0] ? x[i + 1] - x[i]
                                                 : 1,
                              i + 1 < count[0] ? x[i + 1] - x[i]
                              : i              ? x[i] - x[i - 1]
                                               : 1,
                              k                  ? y[k] - y[k - 1]
                              : k + 1 < count[1] ? y[k + 1] - y[k]
                                                 : 1,
                              k + 1 < count[1] ? y[k + 1] - y[k]
                              : k              ? y[k] - y[k - 1]
                                               : 1};
            double v = value[(i * stride[0] + k * stride[1] + 1) * each - 1];
            if (!isfinite(v)) continue;
            fprintf(c->g, "%.10g %.10g %.10g %.10g %.10g %.10g %.10g\n", x[i], y[k], x[i] - half[0] / 2,
                    x[i] + half[1] / 2, y[k] - half[2] / 2, y[k] + half[3] / 2, v);
        }
    fprintf(c->g, "END\n");
    free(value);
    free(x);
    free(y);
    if (bad) return fails(c, name);
    labels(c->g, r->axes.name[a], r->axes.name[b]);
    fprintf(c->g, "set palette defined (0 '#0072B2', 0.5 '#f2f2ee', 1 '#D55E00')\nset cblabel ");
    gnuplot_text(c->g, name);
    fprintf(c->g, "\nset style fill solid noborder\nset autoscale fix\nunset key\n"
                  "plot $m using 1:2:3:4:5:6:7 with boxxyerror lc palette notitle\n");
    return 0;
}

static int draw_values(struct chart *c, const char *name) {
    const struct sweep_reader *r = c->r;
    int each, which = 0;
    int64_t step = r->members > POINTS ? r->members / POINTS : 1, count = r->members;
    for (int i = 0; i < r->values.count && c->axes; i++)
        if (strcmp(r->values.name[i], c->axis[0]) == 0) which = i;
    if (c->axes && strcmp(r->values.name[which], c->axis[0]) != 0) return fails(c, c->axis[0]);
    fprintf(c->g, "$v << END\n");
    int bad = 0;
    for (int64_t first = 0; first < count && !bad; first += KEEL_BLOCK) {
        int64_t some = count - first < KEEL_BLOCK ? count - first : KEEL_BLOCK;
        double *value = sweep_reader_numbers(r, name, first, some, &each), x;
        bad = !value;
        for (int64_t i = 0; i < some && !bad; i++) {
            if ((first + i) % step) continue;
            bad = sweep_reader_value(r, which, first + i, &x);
            number(c->g, x), number(c->g, value ? value[(i + 1) * each - 1] : NAN), fputc('\n', c->g);
        }
        free(value);
    }
    fprintf(c->g, "END\n");
    if (bad) return fails(c, name);
    labels(c->g, r->values.name[which], name);
    int line = r->axes.count == 1 && strcmp(r->values.name[which], r->axes.name[0]) == 0;
    fprintf(c->g, "plot $v using 1:2 with %s lc rgb '%s' notitle\n",
            line ? "lines lw 1.3" : "points pt 7 ps 0.25", plot_palette[0]);
    return 0;
}

/* Events ------------------------------------------------------------------------------------------------ */

/* One event column over another, members in turn in the colours. */
static int draw_section(struct chart *c) {
    const struct sweep_reader *r = c->r;
    const char *name[2];
    char full[2][NAME];
    int64_t count[3];
    for (int k = 0; k < 2; k++) {
        int own = c->axes == 2, few = k >= r->columns.count;
        name[k] = own ? c->axis[k] : c->columns == 2 ? c->column[k] : r->columns.name[few ? 0 : k];
        text_set(full[k], NAME, "event.%.150s", name[k]);
    }
    double *x = sweep_reader_line(r, full[0], &count[0]), *y = sweep_reader_line(r, full[1], &count[1]),
           *member = sweep_reader_line(r, "event.member", &count[2]);
    int bad = !x || !y || !member;
    int64_t step = count[0] > POINTS ? count[0] / POINTS : 1;
    for (int color = 0; color < PLOT_COLORS && !bad; color++) {
        fprintf(c->g, "$s%d << END\n", color);
        for (int64_t k = 0; k < count[0]; k += step)
            if ((int64_t)member[k] % PLOT_COLORS == color)
                number(c->g, x[k]), number(c->g, y[k]), fputc('\n', c->g);
        fprintf(c->g, "NaN NaN\nEND\n");
    }
    free(x);
    free(y);
    free(member);
    if (bad) return fails(c, !x ? full[0] : full[1]);
    labels(c->g, name[0], name[1]);
    for (int k = 0; k < PLOT_COLORS; k++)
        fprintf(c->g, "%s $s%d using 1:2 with points pt 7 ps 0.25 lc rgb '%s' notitle", k ? "," : "plot", k,
                plot_palette[k]);
    fprintf(c->g, "\n");
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- */

static enum chart_kind choose(const struct chart *c) {
    const struct sweep_reader *r = c->r;
    const char *as = option_text(&c->job->options, opt_as);
    int wide = 0;
    for (int k = 0; k < r->axes.count; k++) wide += r->size[k] > 1;
    if (as) return (enum chart_kind)option_choice(SHOW_CHARTS, as);
    if (r->events) return SECTION;
    if (r->timed) return r->members > 12 ? FAN : CURVES_CHART;
    return wide == 2 && r->axes.count == 2 ? MAP_CHART : VALUES;
}

static int draw_panels(struct chart *c, enum chart_kind kind) {
    const struct sweep_reader *r = c->r;
    int64_t count = 0;
    double *t = r->timed ? sweep_reader_line(r, "t", &count) : NULL;
    int over_time = kind == FAN || kind == CURVES_CHART, status = 0;
    if (over_time && !t)
        return job_fail(c->job, EXIT_USAGE,
                        "the file has no output times: sweep with --every or --at for curves and fans");
    if (kind == SECTION && !r->events)
        status = job_fail(c->job, EXIT_USAGE, "the file has no events: sweep with --events for a section");
    for (int k = 0; k < (kind == SECTION ? 1 : c->columns) && status == 0; k++)
        status = kind == SECTION        ? draw_section(c)
                 : kind == FAN          ? draw_fan(c, c->column[k], t)
                 : kind == CURVES_CHART ? draw_curves(c, c->column[k], t)
                 : kind == MAP_CHART    ? draw_map(c, c->column[k])
                                        : draw_values(c, c->column[k]);
    free(t);
    return status;
}

static int draw(struct chart *c, struct plot *p) {
    int columns, lines;
    enum chart_kind kind = choose(c);
    if (kind != SECTION && c->columns == 0)
        for (int most = c->terminal || kind == MAP_CHART ? 1 : 4;
             c->columns < most && c->columns < c->r->columns.count; c->columns++)
            text_set(c->column[c->columns], NAME, "%.150s", c->r->columns.name[c->columns]);
    int panels = kind == SECTION ? 1 : c->columns, tall = kind == SECTION || kind == MAP_CHART;
    gnuplot_terminal_size(&columns, &lines);
    if (c->terminal) gnuplot_terminal(c->g, p->kind, columns - 1, lines > 20 ? lines - 2 : 20);
    else gnuplot_terminal(c->g, p->kind, tall ? 720 : 900, 60 + panels * (tall ? 560 : 280));
    plot_style(c->g, c->terminal);
    fprintf(c->g, "set multiplot layout %d,1 title ", panels);
    gnuplot_text(c->g, c->r->model.text);
    fprintf(c->g, "\n");
    if (draw_panels(c, kind)) return c->job->status;
    fprintf(c->g, "unset multiplot\n");
    return 0;
}

int show_plot(struct job *j, struct plot *p, struct sweep_reader *r) {
    struct chart c = {.job = j, .r = r, .terminal = p->kind == GNUPLOT_TERMINAL};
    if (p->kind == GNUPLOT_NONE) return 0;
    if (take_list(&c, opt_columns, c.column, &c.columns) || take_list(&c, opt_axes, c.axis, &c.axes))
        return j->status;
    c.g = gnuplot_program();
    if (!c.g) return job_fail(j, EXIT_FAILED, "a temporary file cannot be made: %s", strerror(errno));
    if (draw(&c, p)) return fclose(c.g), j->status;
    return plot_send(p, j, c.g);
}
#else
typedef int show_plot_is_missing;
#endif
