/* reproduce.h - papers, what is measured of them, and whether that is as good as recorded. */
#ifndef KEEL_CLI_PAPERS_REPRODUCE_H
#define KEEL_CLI_PAPERS_REPRODUCE_H

#include "cli/papers/claims.h"
#include "cli/job/job.h"

struct reproduce {
    struct claims *paper;
    int papers;
    const char *item; /* a name of items, or of a figure, of the only paper; NULL: all */
    int full, listed; /* listed: names alone are wanted */
    char *recorded;   /* the text of the verdicts; NULL: there are none */
    int lines, worse, count[CLAIMS_VERDICTS];
};

/* Papers from the operands: none, PAPER, or PAPER NAME, of items or of a figure.  0, or an exit status.
 * reproduce_close in any case. */
int reproduce_open(struct reproduce *r, struct job *j);
int reproduce_wanted(const struct reproduce *r, const struct claims *c, int item);
/* Runs an item and finds its verdicts. */
void reproduce_item(struct reproduce *r, struct claims *c, int item);
/* The verdict that is recorded for a line; -1: none. */
int reproduce_recorded(const struct reproduce *r, const struct claims *c, const struct claims_line *line);
int reproduce_is_worse(const struct reproduce *r, const struct claims *c, const struct claims_line *line);
void reproduce_close(struct reproduce *r);

void reproduce_text_paper(const struct claims *c, const struct job *j, FILE *out);
void reproduce_text_item(const struct reproduce *r, const struct claims *c, int item, const struct job *j,
                         FILE *out);
void reproduce_text_end(const struct reproduce *r, const struct job *j, FILE *out);
void reproduce_json(const struct reproduce *r, const struct job *j, const char *status, int exit_status,
                    FILE *out);
/* The items of a paper and what they draw. */
void reproduce_text_names(const struct reproduce *r, const struct claims *c, FILE *out);
#endif
