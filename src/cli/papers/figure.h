/* figure.h - a figure of a paper: several runs over each other, in panels with labelled axes. */
#ifndef KEEL_CLI_PAPERS_FIGURE_H
#define KEEL_CLI_PAPERS_FIGURE_H

#include "cli/papers/claims.h"

/* Runs the curves of figure number `draw` and writes it to the file; force: whatever is there.  0, or -1
 * with a sentence. */
int figure_draw(const struct claims *c, int draw, const char *path, int force, char *why, size_t capacity);
#endif
