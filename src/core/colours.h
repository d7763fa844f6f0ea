/* colours.h - columns of a pattern that share no row, in colours: differences along all of one at once.
 *
 * Greedy colouring in the order of the columns (Curtis, Powell, Reid, J. Inst. Math. Appl. 13 (1974) 117). */
#ifndef KEEL_CORE_COLOURS_H
#define KEEL_CORE_COLOURS_H

#include "linalg/columns.h"

struct colours {
    int count;
    int *first, *list; /* colours + 1; the columns, one colour after the other */
    struct columns columns;
};

/* Of the first columns of a pattern with so many rows.  1: no memory; colours_close is due in any case. */
int colours_open(struct colours *a, const keel_pattern *p, int rows, int columns);
void colours_close(struct colours *a);
#endif
