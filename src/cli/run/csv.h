/* csv.h - results as CSV (RFC 4180, LF): 17 digits, so that every number reads back to the same bits. */
#ifndef KEEL_CLI_RUN_CSV_H
#define KEEL_CLI_RUN_CSV_H

#include "cli/job/output.h"
#include "cli/run/trace.h"

struct csv {
    struct file file;
    struct job *job;
    const struct trace *trace;
    int events_only; /* rows of events alone, with the event's name */
    int named_modes;
    char *line; /* room for the numbers of a row */
};

/* A name as a field, quoted where the format wants it. */
void csv_text(FILE *out, const char *prefix, const char *text);
/* 0, or an exit status.  The heading is written by csv_begin, once the trace is attached. */
int csv_open(struct csv *c, struct job *j, const char *path, int events_only);
int csv_begin(struct csv *c, const struct trace *t);
/* A trace_sink; what could not be written is told in the job's sentence. */
int csv_row(void *csv, const struct trace_row *row);
/* Complete: under its name.  status: NULL, or "failed: ..." for the last line.  0 or an exit status. */
int csv_end(struct csv *c, const char *status);
void csv_drop(struct csv *c);
#endif
