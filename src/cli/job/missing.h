/* missing.h - quantities without a value in some rows of the results: which, how often, since when.
 *
 * sqrt of a negative number, a division by zero, an overflow: the run goes on where nothing depends on the
 * quantity, its cells stay blank, and this is what certificate, JSON, report and exit status tell of it. */
#ifndef KEEL_CLI_JOB_MISSING_H
#define KEEL_CLI_JOB_MISSING_H

#include "cli/files/json.h"

#include <stdio.h>

enum missing_kind { MISSING_COLUMN, MISSING_DRIFT, MISSING_EXACT };

struct missing_one {
    enum missing_kind kind;
    const char *name; /* of the model */
    int infinite;     /* rather than not a number, the first time */
    long rows;        /* in which it has no value */
    double before;    /* the last row in which it had one; NAN: none */
    double first;     /* the first in which it has none */
    double at;        /* where it ceases to have one, to round-off; NAN: somewhere between these two */
};

struct missing {
    struct missing_one *one; /* in the order in which they were met */
    int count;
    int *place;  /* by quantity: 1 + its number among them; 0: it always had a value */
    long rows;   /* in all */
    double last; /* the time of the last one; NAN: none */
};

int missing_open(struct missing *m, size_t quantities); /* 0, or -1 without memory */
void missing_close(struct missing *m);
/* The quantity has no value in the row at t.  The entry where that is new, to be located; or NULL. */
struct missing_one *missing_note(struct missing *m, size_t quantity, enum missing_kind kind, const char *name,
                                 double value, double t);
void missing_row_ends(struct missing *m, double t); /* all quantities of a row were looked at */
/* One sentence about the first few, without its point; "": there are none. */
void missing_sentence(const struct missing *m, char *out, size_t capacity);
void missing_text(const struct missing *m, FILE *out);         /* lines of a certificate; m NULL: none */
void missing_json(const struct missing *m, struct json *json); /* the same */
#endif
