/* echelon.h - the row space of a matrix of residues, taken row by row, in echelon form.
 *
 * A row's pivot is its first column that is not zero: the columns without a pivot are those that depend on
 * columns before them, and each gives one vector of the null space. */
#ifndef KEEL_DISCOVER_ECHELON_H
#define KEEL_DISCOVER_ECHELON_H

#include "discover/residue.h"

struct echelon {
    int columns, rank;
    int *row_of;   /* [columns] the row whose pivot it is; -1: none */
    residue **row; /* [columns] by number, with 1 at the pivot */
};

int echelon_open(struct echelon *e, int columns); /* 1; 0 without memory */
void echelon_close(struct echelon *e);
/* The row is overwritten.  1: it is a new one; 0: it depends on those before; -1 without memory. */
int echelon_add(struct echelon *e, residue *row);
/* Does the row, which is overwritten, depend on those before?  Nothing is added. */
int echelon_depends(const struct echelon *e, residue *row);
/* The vector of the null space with 1 at a column without pivot, and else only columns before it that have
 * one. */
void echelon_null(const struct echelon *e, int column, residue *out);
#endif
