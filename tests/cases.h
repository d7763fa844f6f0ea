/* cases.h - which of its numbered random cases a program takes.  A variable of the environment asks for
 * another number of them; KEEL_SLICE=k/n takes every n-th from the k-th on, so that several processors share
 * the work.  A case of a number is the same everywhere. */
#ifndef KEEL_TESTS_CASES_H
#define KEEL_TESTS_CASES_H

#include <stdio.h>
#include <stdlib.h>

struct cases {
    long first, end, stride;
    long count; /* that are taken */
};

/* Of `usual` cases, or as many as the variable says; in slices. */
static inline struct cases cases_of(long usual, const char *variable) {
    const char *asked = getenv(variable), *slice = getenv("KEEL_SLICE");
    struct cases c = {0, asked ? strtol(asked, NULL, 10) : usual, 1, 0};
    long k, n;
    if (slice && sscanf(slice, "%ld/%ld", &k, &n) == 2 && k >= 1 && k <= n) c.first = k - 1, c.stride = n;
    c.count = c.end > c.first ? (c.end - c.first + c.stride - 1) / c.stride : 0;
    return c;
}
#endif
