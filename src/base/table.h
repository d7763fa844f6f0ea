/* table.h - a table of numbers as CSV: names in the first line, one row of numbers a line.
 *
 * RFC 4180, with decimal points: fields may stand in quotes, lines may end in CR LF; blank lines and lines
 * that begin with # are left out.  What is wrong is told with its line and column. */
#ifndef KEEL_BASE_TABLE_H
#define KEEL_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
    int columns;
    char **name; /* [columns] */
    int64_t rows, capacity;
    double *value; /* [rows][columns]; NAN: missing */
};

enum table_status { TABLE_READ, TABLE_WRONG, TABLE_NO_MEMORY };

/* missing: may values be?  They are empty fields, NA or NaN.  WRONG: with a sentence in `why`.  table_close
 * in any case. */
enum table_status table_read(struct table *t, const char *text, size_t length, int missing, char *why,
                             size_t capacity);
void table_close(struct table *t);
#endif
