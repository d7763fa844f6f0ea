/* check.h - what `keel check` found, for people and for machines. */
#ifndef KEEL_CLI_CHECK_H
#define KEEL_CLI_CHECK_H

#include "cli/job/job.h"

struct check {
    struct job job;
    const keel_model *model; /* analysed; NULL: not even that was possible */
    keel_model *bare;        /* the model without its start, where only that could not be had */
    keel_sim *sim;           /* at the start; NULL: there is none */
    double *value;           /* of its columns there */
    keel_time_scales scales; /* at the start, or after the first steps if these are faster */
    int stiff;               /* over the span; -1: the scales cannot be told */
    char method[JOB_WORD];   /* suggested */
    char why[JOB_SENTENCE], command[2 * JOB_SENTENCE];
};

/* An invariant of the first mode. */
struct check_invariant {
    const char *name, *verdict; /* strong, weak, false */
    int proved;
    double rate;       /* of one that is not conserved; NAN: not known */
    const char *point; /* where that is, "t = 0, x = 1"; NULL: not known */
};
/* 1; 0: there are no more. */
int check_invariant(const struct check *c, int i, struct check_invariant *out);

void check_text(const struct check *c, FILE *out);
void check_json(const struct check *c, int status, FILE *out);
#endif
