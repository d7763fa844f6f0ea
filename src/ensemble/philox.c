/* philox.c - see philox.h. */
#include "ensemble/philox.h"

/* Multipliers and the steps of the key (Weyl sequences of the golden ratio and sqrt 3 - 1) as published. */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0 0x9E3779B9u
#define WEYL_1 0xBB67AE85u
enum { ROUNDS = 10 };

void philox_4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t first = (uint64_t)MULTIPLIER_0 * c0, second = (uint64_t)MULTIPLIER_1 * c2;
        c0 = (uint32_t)(second >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(first >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)second;
        c3 = (uint32_t)first;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

uint64_t philox_name(const char *name) {
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        if (*name != ' ') h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

uint64_t philox_bits(uint64_t seed, uint64_t number, uint64_t name) {
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)name,
                                 (uint32_t)(name >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    philox_4x32(counter, key, out);
    return out[0] | (uint64_t)out[1] << 32;
}

double philox_unit(uint64_t bits) {
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* A Feistel network over the smallest even number of bits that holds `count`, walked until it falls below:
 * a permutation of 0 .. 2^(2 half) - 1 restricted to its cycles through 0 .. count - 1 is one of these. */
uint64_t philox_place(uint64_t seed, uint64_t name, uint64_t i, uint64_t count) {
    enum { HALVES = 6 };
    int half = 1;
    while (half < 32 && count > (uint64_t)1 << (2 * half)) half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < HALVES; round++) {
            uint64_t mixed = left ^ (philox_bits(seed ^ (round + 1) << 56, right, name) & mask);
            left = right;
            right = mixed;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}
