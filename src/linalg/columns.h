/* columns.h - a pattern that is given by rows, laid out by columns. */
#ifndef KEEL_LINALG_COLUMNS_H
#define KEEL_LINALG_COLUMNS_H

#include <keel.h>

struct columns {
    int entries;
    int *start, *row; /* columns + 1; entries: rows ascend in a column */
    int *from;        /* entries: which one of the pattern stands there */
};

/* The columns first .. first + count - 1 of the first rows of p, from 0 on.  1: no memory;
 * columns_free is due in any case. */
int columns_make(struct columns *c, const keel_pattern *p, int rows, int first, int count);
void columns_free(struct columns *c);
#endif
