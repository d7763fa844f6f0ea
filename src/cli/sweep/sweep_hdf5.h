/* sweep_hdf5.h - an ensemble as HDF5 that xarray and netCDF-4 tools open as it is.
 *
 * The dimensions are the axes of the plan (`trajectory` where it has one without a name) and t; each has a
 * dataset of its name, a dimension scale.  Columns are variables over them, and so are status, steps, drift,
 * correction, defect and t_end; values that vary are coordinates.  Events are one list for all members, with
 * the member of each.  Attributes of the file have the model's text, the command line and the versions. */
#ifndef KEEL_CLI_SWEEP_SWEEP_HDF5_H
#define KEEL_CLI_SWEEP_SWEEP_HDF5_H

#include "cli/sweep/sweep.h"

struct sweep_hdf5;

/* Blocks come in their order.  NULL: the job has failed. */
struct sweep_hdf5 *sweep_hdf5_open(struct sweep *s, struct claim *claim, int count, char **word);
int sweep_hdf5_block(struct sweep_hdf5 *h, const keel_block *b); /* 0, or an exit status */
int sweep_hdf5_end(struct sweep_hdf5 *h); /* once the tally is complete: in place; 0, or a status */
void sweep_hdf5_drop(struct sweep_hdf5 *h);
#endif
