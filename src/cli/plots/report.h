/* report.h - --report FILE.html: the run as one page that needs nothing else. */
#ifndef KEEL_CLI_PLOTS_REPORT_H
#define KEEL_CLI_PLOTS_REPORT_H

#include "cli/run/outcome.h"
#include "cli/job/output.h"
#include "cli/plots/plot.h"

struct report {
    struct file file; /* without a stream: no report is wanted */
};

/* Before the run: is the name right, can it be written?  0, or an exit status. */
int report_open(struct report *r, struct job *j);
/* After the run and its measures.  asked: the panels of --axes.  0, or an exit status. */
int report_end(struct report *r, struct job *j, const struct outcome *o, const struct store *s,
               const struct panels *asked);
void report_drop(struct report *r);
#endif
