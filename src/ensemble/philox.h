/* philox.h - the counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers:
 * As Easy as 1, 2, 3, SC 2011), and what draws are made of.
 *
 * A number depends on its key and counter alone: nobody keeps a state, and everybody gets the same. */
#ifndef KEEL_ENSEMBLE_PHILOX_H
#define KEEL_ENSEMBLE_PHILOX_H

#include <stdint.h>

/* out = the ten rounds of `counter` under `key`. */
void philox_4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

uint64_t philox_name(const char *name); /* a name as 64 bits (FNV-1a) */
/* 64 bits by (seed, number, name): the seed is the key, number and name are the counter. */
uint64_t philox_bits(uint64_t seed, uint64_t number, uint64_t name);
/* The middle of one of 2^52 equal parts of (0, 1), by the leading bits: never 0, never 1. */
double philox_unit(uint64_t bits);
/* A permutation of 0 .. count - 1 by (seed, name): where i goes. */
uint64_t philox_place(uint64_t seed, uint64_t name, uint64_t i, uint64_t count);
#endif
