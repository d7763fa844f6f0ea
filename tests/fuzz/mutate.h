/* mutate.h - changes of a model's text that leave it near a sound one: whole statements of other models,
 * parameters for numbers, other sizes of arrays, functions around expressions. */
#ifndef KEEL_FUZZ_MUTATE_H
#define KEEL_FUZZ_MUTATE_H

#include <stddef.h>

/* The models of examples/, each as its lines with a NULL behind them; NULL past the last. */
extern const char *const *const mutate_models[];

/* One to three changes in place; the new size, at most `capacity`. */
size_t mutate_model(unsigned char *text, size_t size, size_t capacity, unsigned seed);
/* A statement of `other` put into the text, in `out`; the size of that. */
size_t mutate_cross(const unsigned char *text, size_t size, const unsigned char *other, size_t others,
                    unsigned char *out, size_t capacity, unsigned seed);
#endif
