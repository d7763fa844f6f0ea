/* stage_sums.c - see stage_sums.h.  Components go two at a time, in a vector; they do not mix, so the bits
 * are those of single ones. */
#include "methods/stage_sums.h"

#include <float.h>
#include <limits.h>
#include <math.h>

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

void stage_weights_set(struct stage_weights *w, int j, struct twofold value) {
    w->coarse[j] = nearbyint(value.high * 0x1p25) * 0x1p-25;
    w->fine[j] = (value.high - w->coarse[j]) + value.low;
}

struct split {
    pair whole, coarse, fine;
};

static inline pair size_of(pair a) {
    typedef long long bits __attribute__((vector_size(16), may_alias));
    return (pair)((bits)a & LLONG_MAX);
}

/* A sum with 1.5 2^27 |K| has no digits below 2^-26 |K|, |K| the sum of the sizes.  Near the largest numbers
 * that overflows: there the coarse part is finer, and products round as those of doubles do. */
static inline void split_stages(int s, struct split *k) {
    pair wide = {0, 0};
    for (int j = 0; j < s; j++) wide += size_of(k[j].whole);
    wide *= 0x1.8p27;
    for (int l = 0; l < 2; l++) wide[l] = wide[l] < DBL_MAX / 4 ? wide[l] : DBL_MAX / 4;
    for (int j = 0; j < s; j++) {
        k[j].coarse = (wide + k[j].whole) - wide;
        k[j].fine = k[j].whole - k[j].coarse;
    }
}

static inline pair sum_stages(const struct stage_weights *w, int s, const struct split *k) {
    pair sum = w->coarse[0] * k[0].coarse, rest = w->coarse[0] * k[0].fine + w->fine[0] * k[0].whole;
    for (int j = 1; j < s; j++) {
        sum += w->coarse[j] * k[j].coarse;
        rest += w->coarse[j] * k[j].fine + w->fine[j] * k[j].whole;
    }
    return sum + rest;
}

static inline __attribute__((always_inline)) void sum_all(const struct stage_weights *w, int rows, int s,
                                                          int width, const double *k, double *out) {
    struct split stages[STAGE_SUMS_MOST];
    int c = 0;
    for (; c + 2 <= width; c += 2) {
        for (int j = 0; j < s; j++) stages[j].whole = *(const pair *)(k + (long)j * width + c);
        split_stages(s, stages);
        for (int i = 0; i < rows; i++) *(pair *)(out + (long)i * width + c) = sum_stages(w + i, s, stages);
    }
    if (c == width) return;
    for (int j = 0; j < s; j++) stages[j].whole = (pair){k[(long)j * width + c], 0};
    split_stages(s, stages);
    for (int i = 0; i < rows; i++) out[(long)i * width + c] = sum_stages(w + i, s, stages)[0];
}

/* One stage: its weight is a double, 1/2, 1 or theta, and a product is rounded once by itself. */
static void scale_row(double weight, int width, const double *k, double *out) {
    for (int c = 0; c < width; c++) out[c] = weight * k[c];
}

/* Numbers of stages as constants leave no loops. */
void stage_sums(const struct stage_weights *w, int rows, int s, int width, const double *k, double *out) {
    switch (s) {
    case 1:
        scale_row(w->coarse[0] + w->fine[0], width, k, out);
        break;
    case 2:
        sum_all(w, rows, 2, width, k, out);
        break;
    case 3:
        sum_all(w, rows, 3, width, k, out);
        break;
    case 4:
        sum_all(w, rows, 4, width, k, out);
        break;
    case 6:
        sum_all(w, rows, 6, width, k, out);
        break;
    default:
        sum_all(w, rows, s, width, k, out);
    }
}
