/* residue.c - see residue.h. */
#include "discover/residue.h"

#include <float.h>
#include <stdlib.h>

residue residue_power(residue a, uint64_t exponent) {
    residue out = 1;
    for (; exponent; exponent >>= 1, a = residue_mul(a, a))
        if (exponent & 1) out = residue_mul(out, a);
    return out;
}

residue residue_integer(int64_t value) {
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return value < 0 ? residue_sub(0, size % RESIDUE_PRIME) : size % RESIDUE_PRIME;
}

residue residue_inverse(residue a) {
    return residue_power(a, RESIDUE_PRIME - 2);
}

int residue_root(residue a, residue *out) {
    *out = residue_power(a, (RESIDUE_PRIME + 1) / 4);
    return residue_mul(*out, *out) == a;
}

/* splitmix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
 */
static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

residue residue_random(uint64_t seed, uint64_t key) {
    return mix(mix(seed) ^ mix(~key)) % RESIDUE_PRIME;
}

static residue of_natural(const struct natural *a) {
    residue out = 0;
    for (int i = a->count - 1; i >= 0; i--) out = residue_add(residue_mul(out, (residue)1 << 32), a->limb[i]);
    return out;
}

int residue_of(double number, residue *out) {
    struct rational fraction;
    if (!rational_plain(number, 4 * DBL_EPSILON, &fraction) || fraction.lost) return 0;
    residue bottom = of_natural(&fraction.bottom);
    if (bottom == 0) return 0;
    *out = residue_mul(of_natural(&fraction.top), residue_inverse(bottom));
    if (fraction.sign < 0) *out = residue_sub(0, *out);
    return 1;
}

/* Euclid's algorithm on p and a: all rests r = a s modulo p.  The one with the smallest r |s| is wanted. */
int residue_fraction(residue a, int64_t *top, int64_t *bottom) {
    const double most = 1.8e13; /* 2^44: one residue of 2^17 has such a fraction by chance */
    int64_t r0 = (int64_t)RESIDUE_PRIME, r1 = (int64_t)a, s0 = 0, s1 = 1;
    double best = most;
    int found = a == 0;
    *top = 0, *bottom = 1;
    while (r1 != 0) {
        double size = (double)r1 * (double)llabs(s1);
        if (size < best) {
            best = size, found = 1;
            *top = s1 < 0 ? -r1 : r1, *bottom = llabs(s1);
        }
        int64_t q = r0 / r1, r2 = r0 - q * r1;
        if ((double)q * (double)llabs(s1) > 4e18) break;
        int64_t s2 = s0 - q * s1;
        r0 = r1, r1 = r2, s0 = s1, s1 = s2;
    }
    return found;
}
