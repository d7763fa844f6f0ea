/* sobol.c - see sobol.h.  The primitive polynomials and first direction numbers are those of Joe and Kuo
 * (Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2008;
 * new-joe-kuo-6), of the first 32 dimensions.
 *
 * x^s + a_1 x^(s-1) + .. + a_(s-1) x + 1 and odd m_1 .. m_s, m_k < 2^k, give
 *     m_k = 2 a_1 m_(k-1) ^ .. ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s),
 * the direction number v_k = m_k / 2^k, and the point n = sum of bits b_k 2^(k-1): the XOR of all b_k v_k. */
#include "ensemble/sobol.h"

enum { DEGREE = 7, BITS = 64 };

static const struct {
    unsigned char degree, middle; /* s; a_1 .. a_(s-1) as bits, a_(s-1) the last */
    unsigned char m[DEGREE];
} table[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
};

uint64_t sobol_bits(int dimension, uint64_t point) {
    uint64_t v[BITS], x = 0; /* v_k, the binary point before the first bit */
    int degree = dimension > 0 ? table[dimension - 1].degree : 0;
    unsigned middle = dimension > 0 ? table[dimension - 1].middle : 0;
    for (int k = 0; k < BITS && point >> k; k++) {
        if (dimension == 0) v[k] = (uint64_t)1 << (BITS - 1 - k);
        else if (k < degree) v[k] = (uint64_t)table[dimension - 1].m[k] << (BITS - 1 - k);
        else {
            v[k] = v[k - degree] ^ v[k - degree] >> degree;
            for (int j = 1; j < degree; j++)
                if (middle >> (degree - 1 - j) & 1) v[k] ^= v[k - j];
        }
        if (point >> k & 1) x ^= v[k];
    }
    return x;
}
