/* table_hdf5.h - a table of values as HDF5: a dataset of numbers for each value, all of one length.
 *
 * Start values may be named start.x, as keel sweep itself writes them; dimension scales are passed over. */
#ifndef KEEL_CLI_JOB_TABLE_HDF5_H
#define KEEL_CLI_JOB_TABLE_HDF5_H

#include "cli/job/job.h"

#include <keel/ensemble.h>

/* Is it one, by its name? */
int table_hdf5_is(const char *path);
/* Adds its columns to the plan; 0, or an exit status. */
int table_hdf5_read(struct job *j, keel_plan *p, const char *path);
#endif
