/* report_private.h - what the files of a report share. */
#ifndef KEEL_CLI_PLOTS_REPORT_PRIVATE_H
#define KEEL_CLI_PLOTS_REPORT_PRIVATE_H

#include "cli/plots/report.h"

void report_text(FILE *out, const char *words);        /* as text, whatever signs it has */
void report_lines(FILE *out, const char *const *text); /* of a file that is compiled in */
void report_heading(FILE *out, const char *words);
/* Around a table: one of many rows is folded, `what` they are. */
void report_fold(FILE *out, long rows, const char *what);
void report_unfold(FILE *out, long rows);
/* Index and freedom of the modes, hidden constraints, values, events, jumps, switching surfaces. */
void report_analysis(FILE *out, const struct outcome *o, const struct job *j, const struct store *s);
#endif
