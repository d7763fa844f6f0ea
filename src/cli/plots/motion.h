/* motion.h - the mechanism of a run in motion, for a page: columns that are positions, and the scripts that
 * find bodies, rods and joints in them and draw them (src/cli/page). */
#ifndef KEEL_CLI_PLOTS_MOTION_H
#define KEEL_CLI_PLOTS_MOTION_H

#include "cli/run/outcome.h"
#include "cli/plots/store.h"

/* Nothing where the model is no mechanics, or has too many columns; the page hides what shows nothing. */
void motion_write(FILE *out, const struct outcome *o, const struct job *j, const struct store *s);
#endif
