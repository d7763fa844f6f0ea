/* sweep_hdf5_parts.h - what the two files of sweep_hdf5.h share: the datasets of an open file. */
#ifndef KEEL_CLI_SWEEP_SWEEP_HDF5_PARTS_H
#define KEEL_CLI_SWEEP_SWEEP_HDF5_PARTS_H

#include "cli/files/netcdf.h"
#include "cli/sweep/sweep_hdf5.h"

struct sweep_hdf5 {
    struct sweep *sweep;
    struct netcdf n;
    struct file file;
    int axes, t, event; /* the first dimensions are axes; the numbers of these two, or -1 */
    hid_t *column, *extremum[3], *event_column; /* [columns] */
    hid_t status, steps, drift, row, correction, defect, t_end, retry;
    hid_t sentence, event_t, event_member; /* -1: nothing of the kind has come yet */
    hid_t *value;                          /* [names] those that are drawn */
    double *numbers;                       /* of a block, by column */
    const char **texts;                    /* [KEEL_BLOCK] */
    hsize_t events;                        /* written */
    int columns, failed;
};

/* A variable over all axes, and t if `timed`. */
hid_t sweep_hdf5_over(struct sweep_hdf5 *h, const char *name, hid_t type, int timed);
int sweep_hdf5_failed(struct sweep_hdf5 *h); /* tells why once; an exit status */
/* What varies as a coordinate is named: start.x for start values. */
void sweep_hdf5_name(const struct sweep *s, int i, char out[NETCDF_NAME]);
#endif
