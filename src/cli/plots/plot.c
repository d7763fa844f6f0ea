/* plot.c - see plot.h. */
#include "cli/plots/plot.h"

#include "base/text.h"
#include "cli/terminal/stop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, BINS = 300 };
/* In pixels, where gnuplot takes a sign for 0.6 of the size of the letters; the room in signs. */
enum { SIGN_WIDTH = 8, INLINE_WIDTH = 500, INLINE_ROOM = 43 };
static const double floor_units = 0.01; /* drifts of zero are drawn here */
const char *const plot_palette[PLOT_COLORS] = {"#0072B2", "#D55E00", "#009E73",
                                               "#CC79A7", "#56B4E9", "#E69F00"};

int plot_open(struct plot *p, struct job *j) {
    const char *path = option_text(&j->options, opt_plot);
    *p = (struct plot){0};
    const struct option_value *axes = &j->options.value[opt_axes];
    if (axes->count && !axes->by_model && !path && !option_given(&j->options, opt_report))
        return job_fail(j, EXIT_USAGE, "--axes says what --plot or --report draw: give one of them, too");
    if (!path) return 0;
    enum gnuplot_kind kind = gnuplot_kind_of(path);
    if (kind == GNUPLOT_NONE)
        return job_fail(j, EXIT_USAGE,
                        "--plot %.200s: the name must end in .svg, .png or .pdf, or be - for the terminal",
                        path);
    if (kind == GNUPLOT_TERMINAL && j->messages.json)
        return job_fail(j, EXIT_USAGE, "--plot - and --json both want standard output: plot to a file");
    if (!gnuplot_there()) return job_fail(j, EXIT_FAILED, "%s", GNUPLOT_MISSING);
    if (kind != GNUPLOT_TERMINAL && output_open(j, &p->file, path, gnuplot_file_kind(kind))) return j->status;
    p->kind = kind;
    return 0;
}

int plot_begin(struct plot *p, struct job *j, const struct store *s) {
    return panel_axes(&p->asked, s, j);
}

void plot_drop(struct plot *p) {
    file_drop(&p->file);
    p->kind = GNUPLOT_NONE;
}

/* Data -------------------------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

static void widen(struct range *r, double value) {
    if (!isfinite(value)) return;
    r->low = fmin(r->low, value), r->high = fmax(r->high, value);
}

static void number(FILE *g, double value) {
    if (isfinite(value)) fprintf(g, " %.10g", value);
    else fputs(" NaN", g);
}

/* A run in log t begins behind its start. */
static int logarithmic_time(const struct job *j, const struct panel *p) {
    return p->x == 0 && option_given(&j->options, opt_log) && j->t0 >= 0 && j->t1 > j->t0;
}

/* A jump is no line: the curve ends before an action and begins again behind it. */
static void curve_data(FILE *g, const struct store *s, const struct panel *p) {
    for (long i = 0; i < s->count; i++) {
        if (s->kind[i] == TRACE_AFTER) fputc('\n', g);
        number(g, store_at(s, i, p->x));
        for (int k = 0; k < p->curves; k++) number(g, store_at(s, i, p->y[k]));
        fputc('\n', g);
    }
}

/* Of many drifts the largest in each short piece of the time. */
static void drift_data(FILE *g, const struct store *s, const struct panel *p) {
    long piece = (s->count + BINS - 1) / BINS;
    for (long i = 0; i < s->count; i += piece) {
        long end = i + piece < s->count ? i + piece : s->count;
        number(g, store_at(s, i, 0));
        for (int k = 0; k < p->curves; k++) {
            double most = NAN;
            for (long m = i; m < end; m++) most = fmax(most, store_at(s, m, p->y[k]));
            number(g, isnan(most) ? NAN : fmax(most, floor_units));
        }
        fputc('\n', g);
    }
}

static void data(FILE *g, const struct store *s, const struct panel *p, int index) {
    fprintf(g, "$panel%d << END\n", index);
    if (p->line) plot_line_data(g, s, p);
    else if (p->drift) drift_data(g, s, p);
    else curve_data(g, s, p);
    fprintf(g, "END\n");
}

/* Axes -------------------------------------------------------------------------------------------------- */

/* Digits that tell the ends of a range apart, also if it is short beside its values. */
static int digits_of(struct range r) {
    double size = fmax(fabs(r.low), fabs(r.high)), extent = r.high - r.low;
    return extent > 1e-14 * size && extent < 1e-4 * size ? 2 + (int)ceil(log10(size / extent)) : 6;
}

/* A range of no extent gets some. */
static void axis(FILE *g, char name, struct range r, int tight) {
    double size = fmax(fabs(r.low), fabs(r.high)), extent = r.high - r.low;
    if (extent <= 1e-14 * size) {
        double half = size > 0 ? fmax(1e-3 * size, 1e-300) : 1;
        fprintf(g, "set %crange [%.17g:%.17g]\n", name, r.low - half, r.high + half);
    } else if (tight) fprintf(g, "set %crange [%.17g:%.17g]\n", name, r.low, r.high);
    else fprintf(g, "set %crange [*:*] noextend\n", name);
    fprintf(g, "set format %c '%%.%dg'\n", name, digits_of(r));
}

static struct range range_of(const struct store *s, const int *quantity, int count) {
    struct range r = {INFINITY, -INFINITY};
    for (int k = 0; k < count; k++) {
        double low, high;
        if (!store_range(s, quantity[k], &low, &high)) continue;
        widen(&r, low);
        widen(&r, high);
    }
    return r;
}

/* Similar extents of two states: a circle shall be round. */
static int is_round(const struct panel *p, struct range x, struct range y) {
    double a = x.high - x.low, b = y.high - y.low;
    return p->x != 0 && p->curves == 1 && a > 0 && b > 0 && a < 4 * b && b < 4 * a;
}

/* A way alone on its sheet: as high as it needs where both axes have one scale. */
static int lone_height(const struct store *s, const struct panel *p) {
    struct range x = range_of(s, &p->x, 1), y = range_of(s, p->y, p->curves);
    double share = is_round(p, x, y) ? (y.high - y.low) / (x.high - x.low) : 1;
    return 100 + (int)(560 * fmin(fmax(share, 0.3), 1));
}

static void drift_axis(FILE *g, struct range y, int terminal) {
    double top = fmax(10, pow(10, ceil(log10(fmax(y.high, 1)))));
    int decades = (int)lround(log10(top / floor_units)), apart = decades > 8 ? (decades + 5) / 6 : 1;
    fprintf(g, "set logscale y\nset yrange [%g:%g]\nset ytics (", floor_units, top);
    gnuplot_text(g, terminal ? "0"
                             : "\xe2\x89\xa4"
                               "0.01");
    fprintf(g, " %g", floor_units);
    for (int k = apart; k <= decades; k += apart) {
        if (decades > 6) fprintf(g, ", '1e%d' 1e%d", k - 2, k - 2);
        else fprintf(g, ", '%g' 1e%d", pow(10, k - 2), k - 2);
    }
    fprintf(g, ")\n");
}

/* Above the panel, in as many columns as there is room for; room, and the sample before a name, in signs. */
static void legend(FILE *g, const struct store *s, const struct panel *p, int room) {
    enum { SAMPLE = 7 };
    char name[NAME];
    size_t longest = 1;
    for (int k = 0; k < p->curves; k++) {
        store_name(s, p->y[k], name, sizeof name);
        if (strlen(name) > longest) longest = strlen(name);
    }
    int columns = room / ((int)longest + SAMPLE);
    fprintf(g, "set key tmargin left horizontal Left reverse samplen 1.5 maxcols %d\n",
            columns > 0 ? columns : 1);
}

/* The panel itself; its data are there already.  room: signs across, axes and margins taken off. */
static void panel(FILE *g, const struct job *j, const struct store *s, const struct panel *p, int index,
                  int room, int terminal) {
    if (p->line) {
        plot_line(g, j, s, p, index);
        return;
    }
    struct range x = range_of(s, &p->x, 1), y = range_of(s, p->y, p->curves);
    static const char *const letters[] = {"points pt 1", "points pt 2", "points pt 3",
                                          "points pt 4", "points pt 5", "points pt 6"};
    char name[NAME];
    int round_scale = !terminal && is_round(p, x, y), several = p->curves > 1 || p->drift;
    fprintf(g, "unset logscale\nset ytics autofreq\nset size noratio\n");
    axis(g, 'x', x, p->x == 0);
    axis(g, 'y', y, 0);
    if (logarithmic_time(j, p)) {
        double least = x.high;
        for (long i = 0; i < s->count; i++)
            if (store_at(s, i, 0) > 0) least = fmin(least, store_at(s, i, 0));
        fprintf(g, "set logscale x\nset xrange [%.17g:%.17g]\nset format x '%%g'\n", least, x.high);
    }
    if (p->drift) drift_axis(g, y, terminal);
    if (round_scale) fprintf(g, "set size ratio -1\n");
    if (p->drift) fprintf(g, "set offsets\n");
    else fprintf(g, "set offsets %s,graph 0.03,graph 0.03\n", p->x == 0 ? "0,0" : "graph 0.02,graph 0.02");
    store_name(s, p->x, name, sizeof name);
    fprintf(g, "set xlabel ");
    gnuplot_text(g, name);
    fprintf(g, "\nset ylabel ");
    gnuplot_text(g, p->label);
    fprintf(g, "\n");
    plot_events(g, j, s, x.low, p->x == 0 && !terminal ? x.high : x.low);
    if (several) legend(g, s, p, room);
    else fprintf(g, "unset key\n");
    fprintf(g, "plot");
    for (int k = 0; k < p->curves; k++) {
        int color = k % PLOT_COLORS;
        store_name(s, p->y[k], name, sizeof name);
        fprintf(g, "%s $panel%d using 1:%d with %s lc rgb '%s' title ", k ? "," : "", index, k + 2,
                !p->drift  ? "lines lw 1.3"
                : terminal ? letters[color]
                           : "points pt 7 ps 0.35",
                plot_palette[color]);
        gnuplot_text(g, name);
    }
    fprintf(g, "\n");
}

/* What all panels share: thin axes on two sides, a faint grid. */
void plot_style(FILE *g, int terminal) {
    if (terminal) {
        fprintf(g, "set border 3\nset tics nomirror\n");
        return;
    }
    fprintf(g, "set border 3 lw 0.8 lc rgb '#707070'\nset tics nomirror out scale 0.5\n"
               "set grid lt 1 lw 0.5 lc rgb '#e2e2e2'\nset xlabel offset 0,0.3\n");
}

/* Can it be drawn: is there a point with both coordinates? */
static int drawable(const struct store *s, const struct panel *p) {
    for (long i = 0; i < s->count; i++)
        for (int k = 0; k < p->curves; k++)
            if (isfinite(store_at(s, i, p->x)) && isfinite(store_at(s, i, p->y[k]))) return 1;
    return 0;
}

/* Pictures ---------------------------------------------------------------------------------------------- */

static void title(FILE *g, const struct job *j) {
    char text[400];
    text_set(text, sizeof text, "%.120s   %s+%s", keel_model_name(j->model), j->method, j->stabilizer);
    if (j->keel.step > 0) text_add(text, sizeof text, "   step %g", j->keel.step);
    else text_add(text, sizeof text, "   rtol %g", KEEL_VALUE(&j->keel, rtol));
    gnuplot_text(g, text);
}

/* Panels below each other, from the fifth on in two columns. */
static void draw_sheet(FILE *g, const struct job *j, const struct store *s, const struct panels *p,
                       enum gnuplot_kind kind) {
    int across = p->count > 4 ? 2 : 1, down = (p->count + across - 1) / across;
    int widest = 0, lone = p->count == 1 && p->list[0].x != 0;
    int width = across == 2 ? 1200
                : lone      ? 720
                            : 900,
        height = lone ? lone_height(s, &p->list[0]) : 60 + 250 * down;
    if (p->count == 1 && !lone) height = 480;
    gnuplot_terminal(g, kind, width, height);
    plot_style(g, 0);
    for (int k = 0; k < p->count; k++) {
        const struct panel *one = &p->list[k];
        int digits = one->drift ? 0 : digits_of(range_of(s, one->y, one->curves));
        if (digits > widest) widest = digits;
        data(g, s, one, k);
    }
    fprintf(g, "set multiplot layout %d,%d title ", down, across);
    title(g, j);
    fprintf(g, "\n");
    if (p->count > 1)
        fprintf(g, "set lmargin %d\nset rmargin 3\n", 8 + widest); /* all begin below each other */
    int room = width / across / SIGN_WIDTH - 12 - widest;
    for (int k = 0; k < p->count; k++) panel(g, j, s, &p->list[k], k, room, 0);
    fprintf(g, "unset multiplot\n");
}

/* One after the other; together as high as the terminal, unless that is too low to read. */
static void draw_terminal(FILE *g, const struct job *j, const struct store *s, const struct panels *p) {
    enum { LEAST = 16 };
    int columns, lines;
    gnuplot_terminal_size(&columns, &lines);
    int each = (lines - 1) / p->count;
    gnuplot_terminal(g, GNUPLOT_TERMINAL, columns - 1, each < LEAST ? LEAST : each);
    plot_style(g, 1);
    for (int k = 0; k < p->count; k++) {
        data(g, s, &p->list[k], k);
        panel(g, j, s, &p->list[k], k, columns - 16, 1);
    }
}

static void choose_panels(struct panels *all, const struct plot *p, const struct store *s) {
    struct panels wanted = p->asked;
    if (wanted.count == 0) {
        panel_states(&wanted, s, p->kind != GNUPLOT_TERMINAL);
        panel_drifts(&wanted, s);
    }
    all->count = 0;
    all->left_out = wanted.left_out;
    for (int k = 0; k < wanted.count; k++)
        if (drawable(s, &wanted.list[k])) all->list[all->count++] = wanted.list[k];
}

/* Without form feeds and blanks at the ends of lines; each curve's own sign in its colour. */
static void copy_text(FILE *from, FILE *to, int color) {
    static const char signs[] = "*#$%@&";
    static const int shade[] = {32, 166, 36, 175, 74, 178};
    int sign, blanks = 0, before = '\n', shown = -1;
    rewind(from);
    while ((sign = fgetc(from)) != EOF) {
        if (sign == ' ') blanks++;
        if (sign == '\n') blanks = 0;
        if (sign == ' ' || sign == '\f') continue;
        for (; blanks > 0; blanks--) fputc(' ', to);
        const char *curve = color && sign ? strchr(signs, sign) : NULL;
        int wanted = curve ? shade[curve - signs] : -1;
        if (wanted >= 0 && wanted != shown) fprintf(to, "\033[38;5;%dm", wanted);
        if (wanted < 0 && shown >= 0) fputs("\033[0m", to);
        shown = wanted;
        fputc(before = sign, to);
    }
    if (before != '\n') fputc('\n', to);
}

static int to_terminal(FILE *g, int color, char *why, size_t capacity) {
    FILE *drawn = tmpfile();
    if (!drawn) {
        text_set(why, capacity, "a temporary file cannot be made: %s", strerror(errno));
        return fclose(g), -1;
    }
    int wrong = gnuplot_run(g, fileno(drawn), why, capacity);
    if (!wrong) copy_text(drawn, stdout, color);
    fclose(drawn);
    return wrong;
}

static int to_file(FILE *g, struct plot *p, char *why, size_t capacity) {
    if (gnuplot_run(g, fileno(p->file.stream), why, capacity)) return -1;
    file_mark(&p->file);
    return file_keep(&p->file, why, capacity);
}

int plot_send(struct plot *p, struct job *j, FILE *g) {
    char why[JOB_SENTENCE] = "";
    int terminal = p->kind == GNUPLOT_TERMINAL;
    int wrong =
        terminal ? to_terminal(g, j->messages.color_out, why, sizeof why) : to_file(g, p, why, sizeof why);
    plot_drop(p);
    return wrong ? job_fail(j, stop_asked() ? stop_exit() : EXIT_FAILED, "%s", why) : 0;
}

int plot_end(struct plot *p, struct job *j, const struct store *s) {
    static struct panels panels;
    if (p->kind == GNUPLOT_NONE) return 0;
    int terminal = p->kind == GNUPLOT_TERMINAL;
    choose_panels(&panels, p, s);
    FILE *g = panels.count ? gnuplot_program() : NULL;
    if (!g) {
        char why[JOB_SENTENCE];
        text_set(why, sizeof why, "a temporary file cannot be made: %s", strerror(errno));
        plot_drop(p);
        if (!panels.count && memory_is_out()) return job_no_memory(j);
        return job_fail(j, EXIT_FAILED, "%s",
                        panels.count ? why : "there is nothing to draw: the run has no rows");
    }
    if (terminal) draw_terminal(g, j, s, &panels);
    else draw_sheet(g, j, s, &panels, p->kind);
    if (plot_send(p, j, g)) return j->status;
    if (panels.left_out)
        message_note(&j->messages, "%d column%s not drawn; --axes draws what it names", panels.left_out,
                     panels.left_out == 1 ? " is" : "s are");
    return 0;
}

int plot_inline(FILE *to, const struct job *j, const struct store *s, const struct panel *one, char *why,
                size_t capacity) {
    if (!drawable(s, one)) return text_set(why, capacity, "there is nothing to draw"), 1;
    FILE *g = gnuplot_program();
    if (!g) return text_set(why, capacity, "a temporary file cannot be made: %s", strerror(errno)), -1;
    gnuplot_terminal(g, GNUPLOT_INLINE, INLINE_WIDTH, one->x ? 420 : 300);
    plot_style(g, 0);
    data(g, s, one, 0);
    panel(g, j, s, one, 0, INLINE_ROOM, 0);
    return gnuplot_run(g, fileno(to), why, capacity);
}
