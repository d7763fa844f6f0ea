/* patch.h - a block whose members can be replaced one by one. */
#ifndef KEEL_CLI_SWEEP_PATCH_H
#define KEEL_CLI_SWEEP_PATCH_H

#include <keel/ensemble.h>

struct patch {
    keel_block view; /* its arrays lie below */
    int32_t status[KEEL_BLOCK], row[KEEL_BLOCK];
    int64_t sentence[KEEL_BLOCK], steps[KEEL_BLOCK], event_first[KEEL_BLOCK + 1];
    double t[KEEL_BLOCK], drift[KEEL_BLOCK], correction[KEEL_BLOCK], defect[KEEL_BLOCK];
    double *value, *extremum; /* [count][times][columns], [3][count][columns] */
    char *said[KEEL_BLOCK];
    double *event[KEEL_BLOCK]; /* [events][1 + columns] */
    int64_t events[KEEL_BLOCK];
    char *text; /* of all members */
    double *event_t;
};

/* All give 0, or -1 without memory. */
int patch_load(struct patch *p, const keel_block *b, int extrema, int events); /* all of a block */
int patch_put(struct patch *p, int at, const keel_block *b, int i);            /* member i of another block */
int patch_end(struct patch *p);                                                /* p->view is complete */
void patch_close(struct patch *p);
#endif
