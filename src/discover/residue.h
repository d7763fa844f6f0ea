/* residue.h - arithmetic modulo the prime 2^61 - 1, in which identities between fractions are decided.
 *
 * Numbers of a model become residues without rounding: 0.04 is 1/25.  A polynomial that is not zero vanishes
 * at a random point with a chance of its degree over 2^61 (J. T. Schwartz, Fast probabilistic algorithms for
 * verification of polynomial identities, J. ACM 27 (1980) 701-717).  The prime is 3 modulo 4, so that the
 * square root of a square a is a^((p + 1)/4). */
#ifndef KEEL_DISCOVER_RESIDUE_H
#define KEEL_DISCOVER_RESIDUE_H

#include "structure/rational.h"

#include <stdint.h>

typedef uint64_t residue; /* 0 .. RESIDUE_PRIME - 1 */
#define RESIDUE_PRIME (((uint64_t)1 << 61) - 1)

static inline residue residue_add(residue a, residue b) {
    residue sum = a + b;
    return sum >= RESIDUE_PRIME ? sum - RESIDUE_PRIME : sum;
}

static inline residue residue_sub(residue a, residue b) {
    return a >= b ? a - b : a + RESIDUE_PRIME - b;
}

/* 2^61 = 1 here: the bits above the 61st are added to those below.  Without integers of 128 bits by halves of
 * 32 bits, so that no product is longer than 64. */
static inline residue residue_mul(residue a, residue b) {
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = ((uint64_t)product & RESIDUE_PRIME) + (uint64_t)(product >> 61);
#else
    uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
    uint64_t low = a0 * b0, middle = a1 * b0 + a0 * b1;
    uint64_t sum =
        (a1 * b1 << 3) + (middle >> 29) + ((middle & 0x1fffffff) << 32) + (low >> 61) + (low & RESIDUE_PRIME);
    sum = (sum >> 61) + (sum & RESIDUE_PRIME);
#endif
    return sum >= RESIDUE_PRIME ? sum - RESIDUE_PRIME : sum;
}

/* a + b c, not yet reduced: below 2^63 wherever a is.  The inner loop of all elimination has no branch. */
static inline uint64_t residue_gather(uint64_t a, residue b, residue c) {
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 sum = (unsigned __int128)b * c + a;
    return ((uint64_t)sum & RESIDUE_PRIME) + (uint64_t)(sum >> 61);
#else
    return (a & RESIDUE_PRIME) + (a >> 61) + residue_mul(b, c);
#endif
}

static inline residue residue_reduce(uint64_t a) {
    a = (a & RESIDUE_PRIME) + (a >> 61);
    return a >= RESIDUE_PRIME ? a - RESIDUE_PRIME : a;
}

residue residue_power(residue a, uint64_t exponent);
residue residue_integer(int64_t value);
residue residue_inverse(residue a);                  /* of a != 0 */
int residue_root(residue a, residue *out);           /* 1; 0: a is no square */
residue residue_random(uint64_t seed, uint64_t key); /* the same for the same two numbers */
/* The plain fraction that the number is; 0: it is none, as pi and sqrt(2). */
int residue_of(double number, residue *out);
/* The fraction top/bottom, bottom > 0, with top * bottom so small that no other one comes near; 0: none. */
int residue_fraction(residue a, int64_t *top, int64_t *bottom);
#endif
