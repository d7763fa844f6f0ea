/* panel.h - what the panels of a plot show: as --axes says, or comparable states together and the drifts. */
#ifndef KEEL_CLI_PANEL_H
#define KEEL_CLI_PANEL_H

#include "cli/store.h"

enum { PANEL_CURVES = 6, PANEL_AXES = 24, PANEL_MOST = 32, PANEL_LABEL = 120 };

struct panel {
    int x, y[PANEL_AXES]; /* quantities of the store */
    int curves;
    int drift; /* |drift| in round-offs, on a logarithmic axis */
    char label[PANEL_LABEL];
};
struct panels {
    struct panel list[PANEL_MOST];
    int count;
    int left_out; /* columns or rows for which there was no room */
};

/* What --axes asks for.  0, or an exit status: a name is unknown.  No panels: the option was not given. */
int panel_axes(struct panels *p, const struct store *s, struct job *j);
/* States and outputs over t, those of one kind and of similar size in one panel. */
void panel_states(struct panels *p, const struct store *s);
/* The drifts; of more rows than a panel holds, those that drift most. */
void panel_drifts(struct panels *p, const struct store *s);
#endif
