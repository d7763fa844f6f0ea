/* band.c - see band.h.  Gaussian elimination row by row, without interchanges where no multiplier and no
 * entry of a row, whose largest one was 1, exceeds MOST: such factors have no more diagonals than the matrix.
 * Else once more, with interchanges (Golub, Van Loan, Matrix Computations, 4.3). */
#include "linalg/band.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 10       /* without interchanges */
#define LEAST DBL_MIN /* a pivot, where the largest entry of a row is 1 */
#define INLINE inline __attribute__((always_inline))

struct band {
    int n, lower, upper, wide; /* wide: numbers of a row where U has `lower` more diagonals */
    int complex, plain;        /* plain: without interchanges */
    void *lu;                  /* n x (lower + 1 + upper), or n x wide */
    double *pivot, *scale;     /* n: |L_ii|; 1 / S_i */
    int *interchange;          /* n */
};

struct pair {
    double re, im;
};

static inline double real_size(double a) {
    return fabs(a);
}
static inline double real_times(double a, double b) {
    return a * b;
}
static inline double real_part(double a, double share) {
    return a * share;
}
static inline double real_less(double a, double b, double c) {
    return a - b * c;
}
static inline double real_inverse(double a) {
    return 1 / a;
}

/* |re| + |im| serves as well as the modulus (LAPACK). */
static inline double complex_size(struct pair a) {
    return fabs(a.re) + fabs(a.im);
}
static inline struct pair complex_times(struct pair a, struct pair b) {
    return (struct pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline struct pair complex_part(struct pair a, double share) {
    return (struct pair){a.re * share, a.im * share};
}
static inline struct pair complex_less(struct pair a, struct pair b, struct pair c) {
    return (struct pair){(a.re - b.re * c.re) + b.im * c.im, (a.im - b.re * c.im) - b.im * c.re};
}
static inline struct pair complex_inverse(struct pair a) {
    double size = fabs(a.re) + fabs(a.im), re = a.re / size, im = a.im / size;
    double share = 1 / (re * re + im * im) / size;
    return (struct pair){re * share, -im * share};
}

#define NUMBER double
#define OF(name) real_##name
#define ZERO 0
#include "linalg/band_text.h"
#undef NUMBER
#undef OF
#undef ZERO
#define NUMBER struct pair
#define OF(name) complex_##name
#define ZERO \
    { 0, 0 }
#include "linalg/band_text.h"

/* One factorization and six solves take, over those by KLU, with 1, 2, 4, 8, 16 diagonals to each side: 0.3,
 * 0.3, 0.8, 0.7, 0.7 where all of them are full (complex: 0.3, 0.4, 0.7, 0.95, 0.95).  With as many empty
 * ones as grids of so many points across have: 0.5 at 4, 0.9 at 5, 1.2 at 8; with three full ones in all 0.5
 * at 4, 1.0 at 5, 1.7 at 8. */
enum { WIDEST = 33 };

int band_pays(int n, int lower, int upper, int entries) {
    int narrow = lower <= BAND_NARROW && upper <= BAND_NARROW, diagonals = lower + 1 + upper;
    return diagonals <= WIDEST && (double)n * diagonals <= (narrow ? 3. : 2.) * entries;
}

struct band *band_open(int n, int lower, int upper, int complex) {
    struct band *b = calloc(1, sizeof *b);
    size_t rows = (size_t)n + 1;
    if (!b) return NULL;
    *b = (struct band){
        .n = n, .lower = lower, .upper = upper, .wide = 2 * lower + 1 + upper, .complex = complex};
    b->lu = calloc(rows * (size_t)b->wide, complex ? sizeof(struct pair) : sizeof(double));
    b->pivot = calloc(rows, sizeof *b->pivot);
    b->scale = calloc(rows, sizeof *b->scale);
    b->interchange = calloc(rows, sizeof *b->interchange);
    if (b->lu && b->pivot && b->scale && b->interchange) return b;
    band_close(b);
    return NULL;
}

void band_close(struct band *b) {
    if (!b) return;
    free(b->lu);
    free(b->pivot);
    free(b->scale);
    free(b->interchange);
    free(b);
}

int band_factor(struct band *b, const double *values) {
    return b->complex ? complex_factor(b, (const struct pair *)values) : real_factor(b, values);
}

void band_solve(const struct band *b, double *x) {
    if (b->complex) complex_solve(b, (struct pair *)x);
    else real_solve(b, x);
}
