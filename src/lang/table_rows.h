/* table_rows.h - two columns of a text of rows: numbers that grow, and a number beside each.
 *
 * Cells are separated by commas, semicolons or tabs, whichever the first line has; they may stand in quotes.
 * Lines that are empty or begin with # do not count.  The first line names the columns, unless all of it is
 * numbers. */
#ifndef KEEL_LANG_TABLE_ROWS_H
#define KEEL_LANG_TABLE_ROWS_H

#include <stddef.h>

/* Which columns: by name, or (name NULL) by number from 1 on; 0: the first one, or the one beside it where
 * there are two. */
struct table_column {
    const char *name;
    int number;
};

struct table_rows {
    double *x, *y; /* free() x; y belongs to it */
    size_t count;
};

/* 1; 0 with a sentence, which has the line; -1 without memory.  open_end: the last row needs no y. */
int table_rows_read(const char *text, size_t length, struct table_column argument, struct table_column value,
                    int open_end, struct table_rows *out, char *why, size_t capacity);
#endif
