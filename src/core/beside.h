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
    keel_real *share, *stride, *bend; /* of a state: where the pair lies, the way to the next, its growth */
};

/* Numbers from -1 to 1 in steps of 2^-30, modulo 2: back to there from farther away.  Nothing is rounded but
 * the number of turns. */
static inline keel_real beside_around(keel_real number) {
    return number - ((number + 0x1.8p53) - 0x1.8p53);
}
static inline double beside_number(unsigned long long bits) {
    return (double)((bits + 0x40000000) & 0x7fffffff) * 0x1p-30 - 1;
}

/* The pairs of a state lie at shares s of d, s += stride, stride += bend, modulo 2, and Knuth's generator
 * draws the first ones.  So any three pairs are independent, and their mean scatters as if each were drawn,
 * but sums are made several at a time.  Two draws would not do: some strides meet the rhythm of the
 * round-off.  Of W pairs side by side each begins at its own, and the next is the W-th after it.  s is odd,
 * so that it is never 1 in one way and -1 in another. */
static inline void beside_begin(int n, const struct beside_workspace *w) {
    enum { WIDE = sizeof(keel_real) / sizeof(double) };
    unsigned long long wide = WIDE, seed = 1, drawn[3];
    for (int j = 0; j < n; j++) {
        double each[2][WIDE];
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            drawn[i] = (seed >> 34) * 2 + (i == 0);
        }
        for (int lane = 0; lane < WIDE; lane++) {
            each[0][lane] = beside_number(drawn[0]);
            each[1][lane] = beside_number(wide * drawn[1] + wide * (wide - 1) / 2 * drawn[2]);
            drawn[0] += drawn[1], drawn[1] += drawn[2];
        }
        __builtin_memcpy(w->share + j, each[0], sizeof each[0]);
        __builtin_memcpy(w->stride + j, each[1], sizeof each[1]);
        w->bend[j] = keel_lift(beside_number(wide * wide * drawn[2]));
    }
}

/* A pair, or one for each lane, and on to the next.  Both places are as far from x to the last bit. */
static inline void beside_places(int n, const double *restrict u, const double *restrict size,
                                 const keel_real *restrict bend, keel_real *restrict stride,
                                 keel_real *restrict share, keel_real *restrict here,
                                 keel_real *restrict there) {
    for (int j = 0; j < n; j++) {
        keel_real at = u[j] + BESIDE_FAR * size[j] * share[j];
        here[j] = at;
        there[j] = u[j] - (at - u[j]);
        share[j] = beside_around(share[j] + stride[j]);
        stride[j] = beside_around(stride[j] + bend[j]);
    }
}

/* 0, or what `values` returned. */
static inline int beside_sum(const struct keel_beside_state *b, const struct beside_workspace *w,
                             keel_fn *values, void *user) {
    enum { WIDE = sizeof(keel_real) / sizeof(double) };
    beside_begin(b->n, w);
    for (int i = 0; i < b->rows; i++) b->sum[i] = b->squares[i] = 0;
    for (int k = 0; k < b->pairs; k += WIDE) {
        beside_places(b->n, b->u, b->size, w->bend, w->stride, w->share, w->here, w->there);
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
