/* store.h - a run in memory, for drawing: some places of every step and the rows of events, in bounded room.
 *
 * When it is full every second place goes and only every second one is looked at from then on, again and
 * again; the first and the last stay, and the rows of events while they are not more than half of all. */
#ifndef KEEL_CLI_PLOTS_STORE_H
#define KEEL_CLI_PLOTS_STORE_H

#include "cli/run/trace.h"

/* What a row holds, by number: t, the columns, the drifts of the rows, and the drifts in round-offs. */
struct store {
    const struct trace *trace;
    int columns, rows, quantities;
    double *data;        /* [capacity][quantities] */
    unsigned char *kind; /* [capacity] a trace_kind */
    long count, capacity;
    int by_rows;
    double then;               /* where the last sample was */
    long seen, stride;         /* places: every stride-th is taken */
    long groups, event_stride; /* the same of events; before and after an action are one group */
    int with_group;            /* the group in hand is taken */
};

/* Once the trace is attached; 0, or -1 without memory.  by_rows: output times, not places of steps. */
int store_open(struct store *s, const struct trace *t, int by_rows);
void store_sample(struct store *s);                      /* after each step, before that of the trace */
int store_row(void *store, const struct trace_row *row); /* a trace_sink */
void store_finish(struct store *s);                      /* takes the end of the run, too */
void store_close(struct store *s);

double store_at(const struct store *s, long row, int quantity);
int store_column(const struct store *s, int column); /* quantities */
int store_drift(const struct store *s, int row);
int store_units(const struct store *s, int row);
/* t, a column's name, drift.NAME; of drifts in round-offs the row's NAME. */
void store_name(const struct store *s, int quantity, char *out, size_t capacity);
/* Smallest and largest finite value; 0: there is none. */
int store_range(const struct store *s, int quantity, double *low, double *high);
#endif
