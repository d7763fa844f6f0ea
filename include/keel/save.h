/* save.h - the complete state of a solver as bytes, and back. */
#ifndef KEEL_SAVE_H
#define KEEL_SAVE_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of bytes, and writes them if they fit. */
KEEL_API size_t keel_save(const keel_solver *s, void *bytes, size_t capacity);
/* Goes on with the same bits.  Problem and options must be those of the saved solver. */
KEEL_API keel_solver *keel_load_abi(const keel_problem *problem, const keel_options *options,
                                    const void *bytes, size_t count, unsigned abi);
static inline keel_solver *keel_load(const keel_problem *p, const keel_options *o, const void *bytes,
                                     size_t count) {
    return keel_load_abi(p, o, bytes, count, KEEL_ABI);
}

#ifdef __cplusplus
}
#endif
#endif
