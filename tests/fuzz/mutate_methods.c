/* mutate_methods.c - the inputs of target_methods.c: three bytes that choose, and the text of a model. */
#include "mutate.h"

enum { CHOICES = 3 };

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed);

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed) {
    if (capacity < CHOICES || seed % 8 == 0) return LLVMFuzzerMutate(data, size, capacity);
    for (size_t k = size; k < CHOICES; k++) data[k] = 0;
    if (size < CHOICES) size = CHOICES;
    if (seed % 2) data[seed / 8 % CHOICES] = (unsigned char)(seed / 64);
    return CHOICES + mutate_model(data + CHOICES, size - CHOICES, capacity - CHOICES, seed / 8);
}
