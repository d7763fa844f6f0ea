/* beside.h - sums over pairs of places x + d and x - d beside a start, for core/reference.c.
 *
 * KEEL_LANES pairs go side by side; each has the numbers, and adds to the sums in the place, that it has one
 * by one.  A compiled model has this header as text behind keel/real.h. */
#ifndef KEEL_CORE_BESIDE_H
#define KEEL_CORE_BESIDE_H

#include <keel.h>
#include <keel/real.h>

#define BESIDE_FAR 0x1p-40 /* the largest |d_j|, of the size of x_j */

struct keel_beside_state {
    int n, rows, pairs;
    double t;
    const double *u, *size, *reference; /* n, n, rows */
    double *sum, *squares;              /* rows: of off = (c(x + d) + c(x - d)) / 2 - reference, and off^2 */
};

/* Numbers by state or row, each for all lanes.  Unknowns behind the n states are there, and stay. */
struct beside_workspace {
    keel_real *here, *there, *value, *other;
};

/* Knuth's generator s -> a s + c modulo 2^64, several of its steps at once: again of that form. */
struct beside_leap {
    unsigned long long a, c;
};

static inline struct beside_leap beside_leap(int steps) {
    struct beside_leap one = {6364136223846793005u, 1442695040888963407u}, all = {1, 0};
    for (; steps > 0; steps /= 2) {
        if (steps % 2) all.a *= one.a, all.c = all.c * one.a + one.c;
        one.c *= one.a + 1, one.a *= one.a;
    }
    return all;
}

/* The upper 31 bits as a number from -1 to 1: behind those of 2^52 they are the last ones of a double. */
static inline keel_real beside_share(keel_bits seed) {
    return 1 - (keel_from_bits((seed >> 33) | 0x4330000000000000u) - 0x1p52) * 0x1p-30;
}

/* Both places are as far from x to the last bit.  0, or what `values` returned. */
static inline int beside_sum(const struct keel_beside_state *b, const struct beside_workspace *w,
                             keel_fn *values, void *user) {
    enum { WIDE = sizeof(keel_real) / sizeof(double) };
    struct beside_leap one = beside_leap(1), pair = beside_leap(b->n),
                       others = beside_leap((WIDE - 1) * b->n);
    unsigned long long first[WIDE] = {1};
    keel_bits seed;
    for (int lane = 1; lane < WIDE; lane++) first[lane] = first[lane - 1] * pair.a + pair.c;
    __builtin_memcpy(&seed, first, sizeof seed);
    for (int i = 0; i < b->rows; i++) b->sum[i] = b->squares[i] = 0;
    for (int k = 0; k < b->pairs; k += WIDE) {
        for (int j = 0; j < b->n; j++) {
            seed = seed * one.a + one.c;
            w->here[j] = b->u[j] + BESIDE_FAR * b->size[j] * beside_share(seed);
            w->there[j] = b->u[j] - (w->here[j] - b->u[j]);
        }
        seed = seed * others.a + others.c; /* past the pairs of the other lanes */
        int code = values(keel_lift(b->t), w->here, w->value, user);
        if (code == 0) code = values(keel_lift(b->t), w->there, w->other, user);
        if (code != 0) return code;
        for (int i = 0; i < b->rows; i++) {
            double each[WIDE];
            keel_real off = 0.5 * ((w->value[i] - b->reference[i]) + (w->other[i] - b->reference[i]));
            __builtin_memcpy(each, &off, sizeof off);
            double sum = b->sum[i], squares = b->squares[i];
            for (int lane = 0; lane < WIDE; lane++) sum += each[lane], squares += each[lane] * each[lane];
            b->sum[i] = sum, b->squares[i] = squares;
        }
    }
    return 0;
}
#endif
