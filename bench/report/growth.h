/* growth.h - how a step grows with the size of the problem, from the cases that come in sizes. */
#ifndef KEEL_BENCH_GROWTH_H
#define KEEL_BENCH_GROWTH_H

#include "report/sweep.h"

#include <stdio.h>

enum { GROWTH_SIZES = 4 };

struct growth_row {
    const struct peer_row *row;
    char name[80];
    double ratio[GROWTH_SIZES];   /* of a step to one by hand; NAN: there is none of this size */
    double seconds[GROWTH_SIZES]; /* of a step */
    double bytes[GROWTH_SIZES];   /* of the solver's state */
};

struct growth {
    int sizes, size[GROWTH_SIZES];
    int rows;
    struct growth_row row[SWEEP_ROWS];
};

/* Cases come in the order of their sizes; others are passed over. */
void growth_note(struct growth *g, const struct sweep *s);
void growth_show(const struct growth *g); /* from two sizes on */
void growth_json(const struct growth *g, FILE *to);
#endif
