/* engine_memory.c - does this machine hold the numbers of a run?  Their block.
 *
 * A block that no machine of this size holds is refused in a sentence: to take it would only begin to fail
 * where it is filled.  So are dense matrices whose entries an int does not count. */
#include "core/engine.h"

#include "base/machine.h"

#include <stdlib.h>

enum { ENTRIES_ROOT = 1 << 14, ENTRIES = 1 << 28 }; /* unknowns, entries of a dense matrix */
enum { SMALL = 1 << 24 };                           /* bytes that any machine has: it is not even asked */

int engine_too_large(struct engine *e) {
    const struct field *fd = &e->field;
    double bytes = (double)e->block_size, all = (double)fd->n + fd->m;
    double capacity = bytes <= SMALL ? SMALL : machine_memory();
    unsigned traits = e->stepper->info.traits, own = KEEL_CONSTRAINED | KEEL_AS_GIVEN;
    int newton = traits & KEEL_IMPLICIT && !(traits & own) && !(fd->traits & KEEL_SECOND_ORDER);
    int dense = fd->m ? !fd->by_pattern : newton && !fd->large;
    double rows = fd->hidden_rows.sparse ? 0 : fd->hidden.user.count; /* full ones */
    if (bytes <= capacity && !(dense && all * all > ENTRIES) && rows * fd->n <= ENTRIES) return 0;
    struct engine without = {.handle = e->handle, .o = e->o, .stepper = e->stepper, .blank.event = -1};
    without.r = &without.blank;
    const char *why = !dense && rows == 0  ? ""
                      : sparse_available() ? " and dense matrices, which this problem needs"
                                           : " and dense matrices, for lack of KLU (SuiteSparse)";
    engine_fail(&without, KEEL_EINVAL, "%.0f unknowns take %.3g GB with %s%s", all, 1e-9 * bytes,
                e->stepper->info.name, why);
    size_t length = sizeof without.message;
    if (bytes > capacity)
        text_add(without.message, length, ", and this machine has %.3g GB", 1e-9 * capacity);
    else if (dense) text_add(without.message, length, "; these end at %d unknowns", ENTRIES_ROOT);
    else text_add(without.message, length, "; these end at %d entries", ENTRIES);
    *e = without;
    e->r = &e->blank;
    return 1;
}

/* A block of zeros.  Of a large one the system hands out only the pages that are written to: methods and
 * projections keep room for what most runs never do. */
int engine_take_block(struct engine *e) {
    enum { ALIGNMENT = 32 };
    unsigned char *memory = e->memory = calloc(1, engine_bytes(e) + ALIGNMENT);
    e->block = memory ? memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT : NULL;
    return memory ? 0 : -1;
}
