/* starve.h - lets the n-th allocation of keel's own code fail.
 *
 * The linker sends every call that keel's objects make to malloc and the like through here (--wrap); what the
 * C library, HDF5 or KLU allocate for themselves is not counted.  Pools and graphs take memory by the block,
 * and where a block ends depends on the model: every piece of a pool and every node of a graph counts as an
 * allocation.  The product has no such hook. */
#ifndef KEEL_TESTS_STARVE_H
#define KEEL_TESTS_STARVE_H

enum starve_mode { STARVE_ONCE, STARVE_ON }; /* the n-th alone; the n-th and all after it */

struct starve {
    long at;    /* 0: nothing fails */
    long count; /* of allocations since starve_begin */
    enum starve_mode mode;
    void *caller; /* who asked for what failed first */
};

extern struct starve starve;

void starve_begin(long at, enum starve_mode mode);
#endif
