/* throttle.h - something to be done now and then between steps; the clock is read so seldom that it is
 * free. */
#ifndef KEEL_CLI_JOB_THROTTLE_H
#define KEEL_CLI_JOB_THROTTLE_H

#include "cli/job/job.h"

struct throttle {
    long taken, stride; /* steps since the clock was asked, and after which it is asked again */
    double now;
};

/* After so many more steps: 1 every few milliseconds, however long a step takes; then `now` is the time.  The
 * stride is what 5 ms are enough for, and at most twice what it was. */
static inline int throttle_ready(struct throttle *p, long steps) {
    enum { MOST = 1 << 14 };
    if ((p->taken += steps) < p->stride) return 0;
    double now = job_seconds(), passed = now - p->now, enough = 0.005 * (double)p->taken;
    long most = p->stride > 0 ? 2 * p->stride : 1;
    if (most > MOST) most = MOST;
    p->stride = enough >= (double)most * passed ? most : enough > passed ? (long)(enough / passed) : 1;
    p->taken = 0;
    p->now = now;
    return 1;
}
#endif
