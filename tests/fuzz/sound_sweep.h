/* sound_sweep.h - sound models by the thousand through all checks: read, run, rename, compile, emit. */
#ifndef KEEL_TESTS_SOUND_SWEEP_H
#define KEEL_TESTS_SOUND_SWEEP_H

#include "sound_run.h"

struct sound_plan {
    long from, to;   /* numbers of models: the same number is the same model everywhere */
    int batch;       /* models in one C file; 0: none is compiled */
    int kernel_each; /* of those every so many-th has the loop of its method compiled */
    int emit_each;   /* every so many-th is emitted as a program and compiled by itself; 0: none */
};

/* The model of that number.  One in four may have switches that its motion crosses. */
void sound_of_number(struct sound *s, long number);
/* 0 when all hold; else the number of those that do not, each told to standard error with its text. */
long sound_sweep(const struct sound_plan *plan, struct sound_count *count);
void sound_tell(const struct sound_count *count, const char *who); /* to standard output */
#endif
