/* real.h - the number type of the kernels: one double, or KEEL_LANES of them side by side, one for each run.
 *
 * Sums, products and quotients are the operators of C for both.  The text of a kernel writes the rest by the
 * names below, and so serves a single run as well as several in the lanes of a vector: each lane rounds as
 * the single run does. */
#ifndef KEEL_REAL_H
#define KEEL_REAL_H

#ifndef KEEL_LANES
typedef double keel_real;
typedef int keel_truth;               /* of a comparison of two keel_real */
typedef unsigned long long keel_bits; /* of a keel_real */
#define keel_lift(number) (number)    /* a double as a keel_real */
#define keel_and(a, b) ((a) && (b))
#define keel_any(truth) (truth) /* in any lane; in all of them */
#define keel_all(truth) (truth)
#define keel_select(truth, a, b) ((truth) ? (a) : (b))
#define keel_abs(a) __builtin_fabs(a)
#define keel_sqrt(a) __builtin_sqrt(a)

union keel_real_bits {
    double number;
    unsigned long long bits;
};
static inline keel_bits keel_to_bits(double number) {
    union keel_real_bits pun;
    pun.number = number;
    return pun.bits;
}
static inline double keel_from_bits(keel_bits bits) {
    union keel_real_bits pun;
    pun.bits = bits;
    return pun.number;
}
#else
typedef double keel_real __attribute__((vector_size(8 * KEEL_LANES)));
typedef long long keel_truth __attribute__((vector_size(8 * KEEL_LANES))); /* all bits, or none */
typedef unsigned long long keel_bits __attribute__((vector_size(8 * KEEL_LANES)));
#define keel_to_bits(number) ((keel_bits)(number))
#define keel_from_bits(bits) ((keel_real)(bits))
#define keel_lift(number) ((number) - (keel_real){0}) /* keeps the sign of a zero */
#define keel_always (~(keel_truth){0})
#define keel_and(a, b) ((a) & (b))
#define keel_select(truth, a, b) keel_lanes_select(truth, a, b)
#define keel_abs(a) keel_lanes_abs(a)
#define keel_sqrt(a) keel_lanes_sqrt(a)

static inline int keel_any(keel_truth a) {
#if KEEL_LANES == 4 && defined __AVX__
    return __builtin_ia32_movmskpd256((keel_real)a) != 0;
#elif KEEL_LANES == 8 && defined __AVX512F__ && !defined __clang__
    return __builtin_ia32_ptestmq512(a, a, -1) != 0;
#elif KEEL_LANES == 2 && defined __SSE2__
    return __builtin_ia32_movmskpd((keel_real)a) != 0;
#else
    long long any = 0;
    for (int i = 0; i < KEEL_LANES; i++) any |= a[i];
    return any != 0;
#endif
}
static inline int keel_all(keel_truth a) {
    return !keel_any(~a);
}
static inline keel_real keel_lanes_select(keel_truth truth, keel_real a, keel_real b) {
    return (keel_real)((truth & (keel_truth)a) | (~truth & (keel_truth)b));
}
static inline keel_real keel_lanes_abs(keel_real a) {
    return (keel_real)((keel_truth)a & 0x7fffffffffffffffLL);
}
static inline keel_real keel_lanes_sqrt(keel_real a) {
#if KEEL_LANES == 4 && defined __AVX__ && !defined __clang__
    return __builtin_ia32_sqrtpd256(a);
#elif KEEL_LANES == 8 && defined __AVX512F__ && !defined __clang__
    return __builtin_ia32_sqrtpd512_mask(a, a, -1, 4);
#else
    keel_real root;
    for (int i = 0; i < KEEL_LANES; i++) root[i] = __builtin_sqrt(a[i]);
    return root;
#endif
}
#endif
#endif
