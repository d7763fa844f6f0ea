/* progress.c - see progress.h. */
#include "cli/job/progress.h"

#include <math.h>
#include <unistd.h>

void progress_open(struct progress *p, const struct job *j) {
    *p = (struct progress){j->t0, j->t1, job_seconds(), 0, 0, 0};
    p->wanted = !j->messages.quiet && !j->messages.json && isatty(STDERR_FILENO);
}

void progress_at(struct progress *p, double t) {
    if (!p->wanted) return;
    double spent = job_seconds() - p->begin, part = (t - p->t0) / (p->t1 - p->t0);
    if (spent < 1 || spent - p->shown < 0.2) return;
    p->shown = spent;
    p->visible = 1;
    double left = part > 0 ? spent / part - spent : INFINITY;
    fprintf(stderr, "\r  t = %-10.4g %3.0f %%", t, 100 * part);
    if (left < 1e7) fprintf(stderr, "   %.0f s left ", left);
    fflush(stderr);
}

void progress_clear(struct progress *p) {
    if (p->visible) fprintf(stderr, "\r%60s\r", "");
    p->visible = 0;
}
