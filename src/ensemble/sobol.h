/* sobol.h - points of Sobol's sequence, each by its number alone. */
#ifndef KEEL_ENSEMBLE_SOBOL_H
#define KEEL_ENSEMBLE_SOBOL_H

#include <stdint.h>

enum { SOBOL_DIMENSIONS = 32 };

/* The coordinate of a point as 64 bits, the binary point before the first: dimension from 0 on. */
uint64_t sobol_bits(int dimension, uint64_t point);
#endif
