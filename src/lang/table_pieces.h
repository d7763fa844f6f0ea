/* table_pieces.h - from rows to a table: how it goes on between them, and what is outside. */
#ifndef KEEL_LANG_TABLE_PIECES_H
#define KEEL_LANG_TABLE_PIECES_H

#include "lang/table_rows.h"
#include "symbolic/table.h"

/* hold: the value of a row, until the next; linear; pchip: cubic, monotone where the rows are (Fritsch and
 * Butland 1984); spline: cubic with two continuous derivatives, and a third one at the knots beside the ends;
 * mean: a row's value is the mean until the next row, kept by the derivative of the pchip of the sums. */
enum table_by { TABLE_BY_HOLD, TABLE_BY_LINEAR, TABLE_BY_PCHIP, TABLE_BY_SPLINE, TABLE_BY_MEAN };

size_t table_pieces_size(size_t rows); /* how many numbers it has */
/* 1; 0 with a sentence; -1 without memory. */
int table_pieces(const struct table_rows *rows, enum table_by by, enum table_outside outside, double *out,
                 char *why, size_t capacity);
#endif
