/* hdf5.h - results as HDF5: /t, /state, /multipliers, /outputs, /drift, /error and /mode, one row each as in
 * the CSV; /events; what run it was in the attributes of the root. */
#ifndef KEEL_CLI_RUN_HDF5_H
#define KEEL_CLI_RUN_HDF5_H

#include "cli/run/outcome.h"

struct hdf5;

/* NULL: the job's status says so; a build without HDF5 has none. */
struct hdf5 *hdf5_open(struct job *j, const char *path);
int hdf5_begin(struct hdf5 *h, const struct trace *t); /* once the trace is attached; 0, or an exit status */
int hdf5_row(void *hdf5,
             const struct trace_row *row); /* a trace_sink; a failure is told in the job's sentence */
/* Complete with how the run ended: under its name.  0, or an exit status. */
int hdf5_end(struct hdf5 *h, const struct outcome *o);
void hdf5_drop(struct hdf5 *h); /* nothing appears */
#endif
