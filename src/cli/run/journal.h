/* journal.h - the rows of a checkpointed run as bytes, beside the checkpoint: a run that goes on gives them
 * to all who want rows once more, so that every result is the one of a run that was never interrupted. */
#ifndef KEEL_CLI_RUN_JOURNAL_H
#define KEEL_CLI_RUN_JOURNAL_H

#include "cli/job/output.h"
#include "cli/run/trace.h"

#include <stdint.h>

struct journal {
    FILE *stream;
    const char *path; /* the claim's */
    struct job *job;
    const struct trace *trace;
    size_t size; /* of a row */
    unsigned char *row;
    int64_t rows;
    uint64_t sum; /* over them */
};

/* 0, or an exit status. */
int journal_create(struct journal *l, struct job *j, const struct trace *t, struct claim *claim);
/* Goes on behind `rows` rows, which are given to the trace; they must have this sum.  The rows behind them
 * are forgotten. */
int journal_resume(struct journal *l, struct job *j, struct trace *t, struct claim *claim, int64_t rows,
                   uint64_t sum);
int journal_row(void *journal, const struct trace_row *row); /* a trace_sink */
int journal_settle(struct journal *l);                       /* all rows are on the disk; 0, or -1 */
void journal_close(struct journal *l);
#endif
