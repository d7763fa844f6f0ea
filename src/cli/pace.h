/* pace.h - something to be done now and then between steps; the clock is asked so seldom that it is free. */
#ifndef KEEL_CLI_PACE_H
#define KEEL_CLI_PACE_H

#include "cli/job.h"

struct pace {
    long left, stride; /* steps until the clock is asked again */
    double now;
};

/* After so many more steps: 1 every few milliseconds, however long a step takes; then `now` is the time. */
static inline int pace_ready(struct pace *p, long steps) {
    enum { MOST = 1 << 14 };
    if ((p->left -= steps) > 0) return 0;
    double now = job_seconds(), passed = now - p->now;
    if (p->stride < 1 || passed > 0.02) p->stride = 1;
    else if (passed < 0.002 && p->stride < MOST) p->stride *= 2;
    p->left = p->stride;
    p->now = now;
    return 1;
}
#endif
