/* agenda.h - which blocks of a sweep are still to be computed. */
#ifndef KEEL_CLI_SWEEP_AGENDA_H
#define KEEL_CLI_SWEEP_AGENDA_H

#include <stdint.h>

struct agenda {
    unsigned char *taken; /* [blocks] */
    int64_t blocks, next, left;
};

int agenda_open(struct agenda *l, int64_t blocks); /* 0, or -1 without memory */
void agenda_mark(struct agenda *l, int64_t block); /* it is not to be computed */
/* The next run of blocks, from .. to - 1, `most` of them at most: 1; 0: there are none any more. */
int agenda_take(struct agenda *l, int64_t most, int64_t *from, int64_t *to);
void agenda_close(struct agenda *l);
#endif
