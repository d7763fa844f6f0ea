/* bench.h - what the programs of bench/ share: the clock of the processor, an end with a sentence, and the
 * models of examples/. */
#ifndef KEEL_BENCH_H
#define KEEL_BENCH_H

#include <keel/model.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline _Noreturn void bench_stop(const char *why) {
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static inline keel_model *bench_load(const char *name, const keel_model_options *how) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, name);
    return keel_model_load(path, how);
}

/* The problem of the mode that a model starts in, or NULL: the model's message says why. */
static inline const keel_problem *bench_problem(const keel_model *m) {
    keel_mode mode;
    if (keel_model_status(m) != KEEL_OK || !keel_model_mode(m, keel_model_start(m), &mode)) return NULL;
    return mode.problem;
}
#endif
