/* plot.h - the rows of a run as figures: --plot FILE, --plot -, and the figures of the report. */
#ifndef KEEL_CLI_PLOTS_PLOT_H
#define KEEL_CLI_PLOTS_PLOT_H

#include "cli/job/output.h"
#include "cli/plots/gnuplot.h"
#include "cli/plots/panel.h"

struct plot {
    enum gnuplot_kind kind; /* GNUPLOT_NONE: no --plot was given */
    struct file file;       /* not of the terminal */
    struct panels asked;    /* --axes */
};

/* Before the run: is the name right, can it be written, is gnuplot there?  0, or an exit status. */
int plot_open(struct plot *p, struct job *j);
/* Once the store is open: are the names of --axes known?  0, or an exit status. */
int plot_begin(struct plot *p, struct job *j, const struct store *s);
/* After the run: draws to where --plot says.  0, or an exit status. */
int plot_end(struct plot *p, struct job *j, const struct store *s);
/* One panel as svg without background, for a page.  0, or another number with a sentence in `why`. */
int plot_inline(FILE *to, const struct job *j, const struct store *s, const struct panel *one, char *why,
                size_t capacity);
void plot_drop(struct plot *p);
/* A panel of an array along a line: its data, and the map of them. */
void plot_line_data(FILE *g, const struct store *s, const struct panel *p);
void plot_line(FILE *g, const struct job *j, const struct store *s, const struct panel *p, int index);
/* Events and modes of the run, behind the next curves over t from low to high; without them (low = high) what
 * the panel before had goes. */
void plot_events(FILE *g, const struct job *j, const struct store *s, double low, double high);

/* For other figures: colours that all eyes tell apart, thin axes; a program of gnuplot to where --plot says
 * (0, or an exit status). */
enum { PLOT_COLORS = 6 };
extern const char *const plot_palette[PLOT_COLORS];
void plot_style(FILE *g, int terminal);
int plot_send(struct plot *p, struct job *j, FILE *g);
#endif
