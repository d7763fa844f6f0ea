/* sweep_csv.h - an ensemble as CSV: a line for each member, or for each member and time, or for each event.
 *
 * The first line is a comment with version, model, method and seed; then the names, those of start values as
 * start.x; a number without a value is an empty field. */
#ifndef KEEL_CLI_SWEEP_SWEEP_CSV_H
#define KEEL_CLI_SWEEP_SWEEP_CSV_H

#include "cli/sweep/sweep.h"

struct sweep_csv {
    struct sweep *sweep;
    struct file file;
    double *value; /* of the plan */
    char *line;
};

int sweep_csv_open(struct sweep_csv *c, struct sweep *s, struct claim *claim); /* 0, or an exit status */
int sweep_csv_block(struct sweep_csv *c, const keel_block *b);
int sweep_csv_end(struct sweep_csv *c); /* in place; 0, or an exit status */
void sweep_csv_drop(struct sweep_csv *c);
#endif
