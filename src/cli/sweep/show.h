/* show.h - figures of an HDF5 file of keel sweep: curves, a fan of quantiles, a map, a section, values. */
#ifndef KEEL_CLI_SWEEP_SHOW_H
#define KEEL_CLI_SWEEP_SHOW_H

#include "cli/plots/plot.h"
#include "cli/files/sweep_reader.h"

/* What --plot, --as, --columns and --axes ask for; 0, or an exit status. */
int show_plot(struct job *j, struct plot *p, struct sweep_reader *r);
#endif
