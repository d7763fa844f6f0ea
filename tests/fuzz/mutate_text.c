/* mutate_text.c - how libFuzzer changes models: mostly by statements and words, now and then by bytes. */
#include "mutate.h"

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t size, const unsigned char *other,
                                 size_t others, unsigned char *out, size_t capacity, unsigned seed);

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed) {
    return seed % 4 ? mutate_model(data, size, capacity, seed / 4) : LLVMFuzzerMutate(data, size, capacity);
}

size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t size, const unsigned char *other,
                                 size_t others, unsigned char *out, size_t capacity, unsigned seed) {
    return mutate_cross(data, size, other, others, out, capacity, seed);
}
