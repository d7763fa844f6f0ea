/* show.h - a sweep as a table, as JSON and as a figure. */
#ifndef KEEL_BENCH_SHOW_H
#define KEEL_BENCH_SHOW_H

#include "report/sweep.h"

#include <stdio.h>

/* "dop853+project, compensated", "rk4+project, no energy"; beside fixed steps those by tolerance are called
 * adaptive. */
void show_name(const struct sweep *s, const struct peer_row *row, char *out, size_t capacity);
void show_table(const struct sweep *s);
const char *show_kind(const struct bench_case *c); /* orbits, mechanics, chain, steps */
void show_json(const struct sweep *s, FILE *to);
/* Error and drift over the time, as svg by gnuplot; 0, or -1 if it cannot be drawn. */
int show_plot(const struct sweep *s, const char *path);
#endif
