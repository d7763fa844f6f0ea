/* band.h - LU factors of a band matrix, real or complex.
 *
 * Values go row by row: row i has columns i - lower .. i + upper, lower + 1 + upper numbers, those outside
 * the matrix zero.  Complex numbers lie in pairs, real and imaginary part.  The factors follow from the
 * values alone: what was factored before does not matter. */
#ifndef KEEL_LINALG_BAND_H
#define KEEL_LINALG_BAND_H

struct band;

enum { BAND_NARROW = 4 }; /* so many diagonals, as many below as above, have loops of their own */

/* Does a band with these diagonals cost less than the factors that KLU finds for so many entries? */
int band_pays(int n, int lower, int upper, int entries);
/* Compressed columns: start (n + 1) and row.  1: with unknown i at position[i] (n) the matrix has `lower` and
 * `upper` diagonals beside the main one, and that pays; 0: no such order was found; -1: no memory. */
int band_order(int n, const int *start, const int *row, int *position, int *lower, int *upper);

/* NULL: no memory. */
struct band *band_open(int n, int lower, int upper, int complex);
void band_close(struct band *b);

/* 0; 1: a pivot is zero or not finite, and nothing can be solved. */
int band_factor(struct band *b, const double *values);
void band_solve(const struct band *b, double *x); /* x := A^-1 x with the factors at hand */
#endif
