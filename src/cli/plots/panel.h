/* panel.h - what the panels of a plot show: as --axes says, or comparable states together and the drifts. */
#ifndef KEEL_CLI_PLOTS_PANEL_H
#define KEEL_CLI_PLOTS_PANEL_H

#include "cli/plots/store.h"

enum { PANEL_CURVES = 6, PANEL_AXES = 24, PANEL_MOST = 32, PANEL_LABEL = 120 };

struct panel {
    int x, y[PANEL_AXES]; /* quantities of the store */
    int curves;
    int drift; /* |drift| in round-offs, on a logarithmic axis */
    int line;  /* y[0] and those behind it, so many, along a line: colours over place and t; 0: curves */
    char label[PANEL_LABEL];
};
struct panels {
    struct panel list[PANEL_MOST];
    int count;
    int left_out; /* columns or rows for which there was no room */
};

/* What --axes asks for.  0, or an exit status: a name is unknown.  No panels: the option was not given. */
int panel_axes(struct panels *p, const struct store *s, struct job *j);
/* States and outputs over t, those of one kind and of similar size in one panel, a vector in one; maps: long
 * arrays as maps, and ways in a plane. */
void panel_states(struct panels *p, const struct store *s, int maps);
/* The ways of points in a plane, of mechanics. */
void panel_paths(struct panels *p, const struct store *s);
/* A long array that begins with this column as a map: how many columns that are; 0: it is none. */
int panel_line(struct panels *p, const struct store *s, int column);
/* The drifts; of more rows than a panel holds, those that drift most. */
void panel_drifts(struct panels *p, const struct store *s);
#endif
