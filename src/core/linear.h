/* linear.h - what stands behind keel/system.h.  Pattern, analysis and factors lie outside the solver's block:
 * of a narrow band the factors are linalg/band's, else KLU's, with pivots for each matrix alone. */
#ifndef KEEL_CORE_LINEAR_H
#define KEEL_CORE_LINEAR_H

#include <keel/system.h>

#include "core/newton.h"

struct field;

enum { LINEAR_MOST = 1 };

struct keel_system {
    int order, count, real, complex;
    keel_system_block block[KEEL_SYSTEM_BLOCKS];
    size_t numbers[KEEL_SYSTEM_BLOCKS];
    struct newton_pattern pattern; /* outside the block, as all that follows */
    struct sparse *factors[NEWTON_MATRICES];
    struct band *bands[NEWTON_MATRICES];
    unsigned char stands[NEWTON_MATRICES];
};

int linear_attach(struct field *fd); /* 1: no memory */
void linear_detach(struct field *fd);
#endif
