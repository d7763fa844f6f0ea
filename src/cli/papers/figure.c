/* figure.c - see figure.h. */
#include "cli/papers/figure.h"

#include "base/text.h"
#include "cli/papers/curve.h"
#include "cli/papers/measure.h"
#include "cli/plots/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 16, NAMES = 32, NAME = 80, PIECES = 1200, PLACES = 20000 };

struct figure {
    const struct claims *c;
    const struct claims_draw *draw;
    struct curve curve[CURVES]; /* points of one label are one curve, the first one's */
    const struct claims_curve *of[CURVES];
    int number[CURVES]; /* of its first line in the figure, from 0 */
    int curves;
    char text[NAMES][NAME], *name[NAMES]; /* all quantities of all panels */
    int names;
    char *why;
    size_t capacity;
};

static int wrong(struct figure *p, const char *sentence, const char *word) {
    text_set(p->why, p->capacity, "%s %s: %s%s%s", p->c->name, p->draw->name, sentence, word ? " " : "",
             word ? word : "");
    return -1;
}

/* Quantities -------------------------------------------------------------------------------------------- */

/* The next name of "a,b"; NULL behind the last. */
static const char *next(const char *text, char *name) {
    size_t length = strcspn(text, ",");
    text_set(name, NAME, "%.*s", (int)length, text);
    return text[length] ? text + length + 1 : NULL;
}

static int find(const struct figure *p, const char *name) {
    int k = 0;
    while (k < p->names && strcmp(p->text[k], name) != 0) k++;
    return k;
}

static int add_name(struct figure *p, const char *name) {
    int k = find(p, name);
    if (k < p->names) return 0;
    if (k == NAMES) return wrong(p, "it has too many quantities", NULL);
    text_set(p->text[k], NAME, "%s", name);
    p->name[k] = p->text[k];
    p->names++;
    return 0;
}

static const struct claims_panel *panel_of(const struct figure *p, int k) {
    return &p->c->panel[p->draw->panel + k];
}

static int take_names(struct figure *p) {
    char name[NAME];
    for (int k = 0; k < p->draw->panels; k++) {
        if (add_name(p, panel_of(p, k)->x)) return -1;
        for (const char *rest = panel_of(p, k)->ys; rest;) {
            rest = next(rest, name);
            if (add_name(p, name)) return -1;
        }
    }
    return 0;
}

/* Curves ------------------------------------------------------------------------------------------------ */

/* A point has an x and a y and is drawn in every panel as those. */
static int add_point(struct figure *p, const struct claims_curve *from, int number) {
    double row[2];
    char why[200];
    int k = 0;
    if (measure_value(p->c, p->draw->item, from->model, &row[0], why, sizeof why) ||
        measure_value(p->c, p->draw->item, from->options, &row[1], why, sizeof why))
        return wrong(p, why, NULL);
    while (k < p->curves && !(p->of[k]->point && strcmp(p->of[k]->label, from->label) == 0)) k++;
    if (k == CURVES) return wrong(p, "it has too many curves", NULL);
    if (k == p->curves) p->of[k] = from, p->number[k] = number, p->curve[k].width = 2, p->curves++;
    if (curve_add(&p->curve[k], row) == 0) return 0;
    memory_out();
    return wrong(p, MEMORY_OUT, NULL);
}

static int take_curves(struct figure *p) {
    char why[400];
    for (int k = 0; k < p->draw->curves; k++) {
        const struct claims_curve *from = &p->c->curve[p->draw->curve + k];
        if (from->point) {
            if (add_point(p, from, k)) return -1;
            continue;
        }
        if (p->curves == CURVES) return wrong(p, "it has too many curves", NULL);
        struct curve *c = &p->curve[p->curves];
        p->of[p->curves] = from, p->number[p->curves++] = k;
        if (curve_run(c, from->model, from->options, p->names, p->name, why, sizeof why))
            return wrong(p, why, NULL);
    }
    return 0;
}

/* Is it in the panel, and does it have what that shows? */
static int shown(const struct figure *p, int curve, const struct claims_panel *panel, int x, int y) {
    const struct curve *c = &p->curve[curve];
    if (panel->of && (p->number[curve] >= 32 || !(panel->of >> p->number[curve] & 1))) return 0;
    if (p->of[curve]->point) return 1;
    for (long i = 0; i < c->count; i++)
        if (isfinite(curve_at(c, i, x)) && isfinite(curve_at(c, i, y))) return 1;
    return 0;
}

/* Panels ------------------------------------------------------------------------------------------------ */

struct view { /* one panel, drawn */
    FILE *g;
    const struct claims_panel *panel;
    int x, orbit;           /* orbit: one state over another one */
    double low[2], high[2]; /* of x and y; of |y| that is not 0 where the axis is logarithmic */
    int zeros;              /* there are such y there */
    int series;
    int dotted[CURVES * NAMES]; /* a series that jumps: a count, or round-off that is 0 and is not */
};

static void widen(struct view *v, int axis, double value) {
    int logarithmic = v->panel->logs > (axis == 0);
    if (!isfinite(value)) return;
    if (logarithmic) value = fabs(value);
    if (logarithmic && value == 0) v->zeros = 1;
    else v->low[axis] = fmin(v->low[axis], value), v->high[axis] = fmax(v->high[axis], value);
}

static void measure_series(struct view *v, const struct figure *p, int curve, int y) {
    const struct curve *c = &p->curve[curve];
    int point = p->of[curve]->point;
    for (long i = 0; i < c->count; i++) {
        double value = curve_at(c, i, point ? 1 : y);
        widen(v, 0, curve_at(c, i, point ? 0 : v->x));
        if (i > 0 || value != 0) widen(v, 1, value); /* every error begins with 0 */
    }
    v->series++;
}

static int counts(const struct claims_panel *panel) {
    return strcmp(panel->ys, "newton") == 0 || strcmp(panel->ys, "evaluations") == 0;
}

static double lowest(const struct view *v) { /* where 0 is drawn */
    return pow(10, floor(log10(v->low[1])) - 1);
}

/* Of a quantity over t on a logarithmic axis the largest in each short piece; else places that follow each
 * other, all of them if they are not too many.  How often it is 0 on a logarithmic axis, as a part. */
static double data(FILE *g, const struct view *v, const struct figure *p, int curve, int y) {
    const struct curve *c = &p->curve[curve];
    int point = p->of[curve]->point, logs = v->panel->logs, x = point ? 0 : v->x;
    long most = logs && !point ? PIECES : PLACES, piece = (c->count + most - 1) / most;
    long jumps = 0;
    if (point) y = 1;
    for (long i = 0; i < c->count; i += piece) {
        double value = curve_at(c, i, y);
        for (long k = i + 1; logs && k < i + piece && k < c->count; k++)
            if (!(fabs(curve_at(c, k, y)) <= fabs(value))) value = curve_at(c, k, y);
        jumps += logs && value == 0 && i > 0;
        if (logs) value = value == 0 && v->zeros ? lowest(v) : fabs(value);
        if (isfinite(value) && !(logs && value == 0)) fprintf(g, "%.10g %.10g\n", curve_at(c, i, x), value);
        else fprintf(g, "\n");
    }
    return c->count ? (double)jumps * (double)piece / (double)c->count : 0;
}

/* 1, 2 or 5 times a power of ten, so that an axis has some five marks. */
static double apart(double extent) {
    double unit = pow(10, floor(log10(extent / 5))), part = extent / 5 / unit;
    return unit * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/* Steps of runs are marked where they are. */
static void mark_points(FILE *g, const struct view *v, const struct figure *p) {
    int marks = 0;
    for (int k = 0; k < p->curves; k++)
        for (long i = 0; p->of[k]->point && i < p->curve[k].count; i++)
            fprintf(g, "%s%g", marks++ ? ", " : "set xtics (", curve_at(&p->curve[k], i, 0));
    if (marks) fprintf(g, ")\nset xrange [%.10g:%.10g]\n", v->low[0] / 1.2, v->high[0] * 1.2);
}

static void axes(FILE *g, const struct view *v, const struct figure *p) {
    double wide = v->high[0] - v->low[0], high = v->high[1] - v->low[1];
    int all_zero = !(v->high[1] >= v->low[1]), logs = v->panel->logs;
    fprintf(g,
            "unset logscale\nset size noratio\nset xtics autofreq\nset ytics autofreq\nset offsets\n"
            "set format x '%%g'\nset format y '%%g'\nset xrange [*:*] noextend\nset yrange [*:*] noextend\n");
    if (logs == 2) {
        fprintf(g, "set logscale x\n");
        mark_points(g, v, p);
    }
    if (logs && !all_zero) {
        double top = pow(10, ceil(log10(v->high[1]))), bottom = v->zeros ? lowest(v) : v->low[1] * 0.7;
        int decades = (int)lround(log10(top / bottom));
        fprintf(g, "set logscale y\nset format y '1e%%T'\nset yrange [%.10g:%.10g]\nset ytics %g\n", bottom,
                v->high[1] * 1.6, pow(10, decades > 8 ? 2 + decades / 16 : 1));
        if (v->zeros) fprintf(g, "set ytics add ('0' %.10g)\n", bottom);
    } else fprintf(g, "set offsets %s,graph 0.04,graph 0.04\n", v->orbit ? "graph 0.03,graph 0.03" : "0,0");
    if (counts(v->panel) && high < 10) fprintf(g, "set ytics 1\n");
    if (strcmp(v->panel->x, "t") == 0 && wide > 0)
        fprintf(g, "set xrange [%.10g:%.10g]\n", v->low[0], v->high[0]);
    if (v->orbit && wide > 0 && high > 0 && wide < 4 * high && high < 4 * wide)
        fprintf(g, "set size ratio -1\nset xtics %.10g\n", apart(fmax(wide, high)));
    fprintf(g, "set xlabel ");
    gnuplot_text(g, v->panel->x);
    fprintf(g, "\nset ylabel ");
    gnuplot_text(g, v->panel->label);
    fprintf(g, "\n");
}

/* Each series of the panel in its order; `found` is told of it. */
static void for_series(const struct figure *p, struct view *v,
                       void (*found)(struct view *v, const struct figure *p, int curve, int y)) {
    char name[NAME];
    for (int k = 0; k < p->curves; k++)
        for (const char *rest = v->panel->ys; rest;) {
            rest = next(rest, name);
            int y = find(p, name);
            if (shown(p, k, v->panel, v->x, y)) found(v, p, k, y);
        }
}

static void write_data(struct view *v, const struct figure *p, int curve, int y) {
    fprintf(v->g, "$s%d << END\n", v->series);
    v->dotted[v->series++] = data(v->g, v, p, curve, y) > 0.02 || counts(v->panel);
    fprintf(v->g, "END\n");
}

/* Curves of one label have one colour, in all panels. */
static int color_of(const struct figure *p, int curve) {
    int colors = 0;
    for (int k = 0; k <= curve; k++) {
        int same = 0;
        while (same < k && strcmp(p->of[same]->label, p->of[k]->label) != 0) same++;
        if (k == curve) return same < k ? color_of(p, same) : colors;
        colors += same == k;
    }
    return colors;
}

static void write_series(struct view *v, const struct figure *p, int curve, int y) {
    char label[2 * NAME];
    int k = v->series++, point = p->of[curve]->point, several = strchr(v->panel->ys, ',') != NULL;
    int color = several ? k : color_of(p, curve);
    text_set(label, sizeof label, "%.70s", p->of[curve]->label);
    if (several) text_add(label, sizeof label, ": %s", p->text[y]);
    fprintf(v->g, "%s $s%d using 1:2 with %s lc rgb '%s'%s title ", k ? "," : "plot", k,
            point          ? "linespoints lw 1.2 pt 7 ps 0.7"
            : v->dotted[k] ? "points pt 7 ps 0.3"
            : v->orbit     ? "lines lw 0.6"
                           : "lines lw 1.3",
            plot_palette[color % PLOT_COLORS], color >= PLOT_COLORS ? " dt 2" : "");
    gnuplot_text(v->g, label);
}

static int draw_panel(FILE *g, const struct figure *p, const struct claims_panel *panel) {
    struct view v = {.g = g, .panel = panel, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    v.x = find(p, panel->x);
    v.orbit = !panel->logs && strcmp(panel->x, "t") != 0;
    for_series(p, &v, measure_series);
    if (!v.series) return -1;
    axes(g, &v, p);
    fprintf(g, "set key tmargin left horizontal Left reverse samplen 1.5\n");
    v.series = 0;
    for_series(p, &v, write_data);
    v.series = 0;
    for_series(p, &v, write_series);
    fprintf(g, "\n");
    return 0;
}

/* Orbits beside each other; others below each other, from the fourth panel on in two columns. */
static int draw_sheet(FILE *g, struct figure *p) {
    int count = p->draw->panels, orbits = 0;
    for (int k = 0; k < count; k++) orbits += !panel_of(p, k)->logs && strcmp(panel_of(p, k)->x, "t") != 0;
    int all_orbits = orbits > 0 && orbits == count, across = count >= 4 ? 2 : 1;
    if (all_orbits && count <= 4) across = orbits;
    int down = (count + across - 1) / across;
    int width = across == 1 ? (all_orbits ? 640 : 900) : across == 2 ? 1200 : 1400;
    int height = 70 + down * (all_orbits ? (count == 1 ? 600 : width / across) : orbits ? 380 : 290);
    char title[400];
    gnuplot_terminal(g, GNUPLOT_SVG, width, height);
    plot_style(g, 0);
    text_set(title, sizeof title, "%s, %s: %.300s", p->c->name, p->draw->name, p->draw->title);
    fprintf(g, "set multiplot layout %d,%d title ", down, across);
    gnuplot_text(g, title);
    fprintf(g, "\n");
    if (across == 1 && count > 1) fprintf(g, "set lmargin 13\nset rmargin 4\n");
    for (int k = 0; k < count; k++)
        if (draw_panel(g, p, panel_of(p, k))) return wrong(p, "no curve has", panel_of(p, k)->ys);
    fprintf(g, "unset multiplot\n");
    return 0;
}

static int send(struct figure *p, FILE *g, struct claim *claim) {
    struct file file;
    char why[400];
    if (file_open(&file, claim, 0, why, sizeof why)) return fclose(g), wrong(p, why, NULL);
    if (gnuplot_run(g, fileno(file.stream), why, sizeof why)) return file_drop(&file), wrong(p, why, NULL);
    file_mark(&file);
    return file_keep(&file, why, sizeof why) ? wrong(p, why, NULL) : 0;
}

int figure_draw(const struct claims *c, int draw, const char *path, int force, char *why, size_t capacity) {
    struct figure p = {.c = c, .draw = &c->draw[draw], .why = why, .capacity = capacity};
    struct claim *claim = claim_open(path, KIND_SVG, force, why, capacity);
    if (!claim) return -1;
    int bad = p.draw->panels ? 0 : wrong(&p, "it has no panels", NULL);
    if (!bad) bad = take_names(&p) || take_curves(&p);
    FILE *g = bad ? NULL : gnuplot_program();
    if (!bad && !g) bad = wrong(&p, "a temporary file cannot be made:", strerror(errno));
    if (!bad) bad = draw_sheet(g, &p);
    if (!bad) bad = send(&p, g, claim); /* which closes both */
    else {
        if (g) fclose(g);
        claim_close(claim);
    }
    for (int k = 0; k < p.curves; k++) curve_close(&p.curve[k]);
    return bad ? -1 : 0;
}
