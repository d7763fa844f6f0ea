/* curve.h - some quantities of a run at every step, for a figure. */
#ifndef KEEL_CLI_PAPERS_CURVE_H
#define KEEL_CLI_PAPERS_CURVE_H

#include <stddef.h>

struct curve {
    int width;    /* quantities */
    double *data; /* [count][width] */
    long count;
};

/* Runs the model with these options.  name: t, a column, error.COLUMN or drift.ROW, newton or evaluations of
 * each step; what the run does not have is NAN.  0, or -1 with a sentence; curve_close in any case. */
int curve_run(struct curve *c, const char *model, const char *options, int names, char *const *name,
              char *why, size_t capacity);
/* One more row of `width` numbers.  0, or -1 without memory. */
int curve_add(struct curve *c, const double *row);
void curve_close(struct curve *c);
double curve_at(const struct curve *c, long row, int quantity);
#endif
