/* ilu_complex.c - see ilu.h: complex numbers in pairs. */
#include "linalg/ilu_factors.h"

#include <math.h>

struct pair {
    double real, imaginary;
};

static struct pair pair_at(const double *v, int i) {
    return (struct pair){v[2L * i], v[2L * i + 1]};
}

static void pair_put(double *v, int i, struct pair p) {
    v[2L * i] = p.real;
    v[2L * i + 1] = p.imaginary;
}

static struct pair times(struct pair a, struct pair b) {
    return (struct pair){a.real * b.real - a.imaginary * b.imaginary,
                         a.real * b.imaginary + a.imaginary * b.real};
}

static struct pair minus(struct pair a, struct pair b) {
    return (struct pair){a.real - b.real, a.imaginary - b.imaginary};
}

/* 1 / a, without squares that leave the range of numbers (Smith, Comm. ACM 5 (1962) 435). */
static struct pair inverse(struct pair a) {
    if (fabs(a.real) >= fabs(a.imaginary)) {
        double ratio = a.imaginary / a.real, size = a.real + a.imaginary * ratio;
        return (struct pair){1 / size, -ratio / size};
    }
    double ratio = a.real / a.imaginary, size = a.imaginary + a.real * ratio;
    return (struct pair){ratio / size, -1 / size};
}

/* Row i less the multiples of the rows above it that clear it left of the diagonal. */
static int eliminate(struct ilu *a, int i) {
    double *f = a->factors;
    struct pair left_out = {0, 0};
    int from = a->start[i], to = a->start[i + 1];
    for (int e = from; e < to; e++) a->place[a->column[e]] = e;
    for (int e = from; e < a->diagonal[i]; e++) {
        int k = a->column[e];
        struct pair multiple = times(pair_at(f, e), pair_at(f, a->diagonal[k]));
        pair_put(f, e, multiple);
        for (int above = a->diagonal[k] + 1; above < a->start[k + 1]; above++) {
            int here = a->place[a->column[above]];
            struct pair part = times(multiple, pair_at(f, above));
            if (here >= 0) pair_put(f, here, minus(pair_at(f, here), part));
            else left_out = minus(left_out, part);
        }
    }
    for (int e = from; e < to; e++) a->place[a->column[e]] = -1;
    struct pair pivot = pair_at(f, a->diagonal[i]);
    pivot.real += ILU_COMPENSATION * left_out.real;
    pivot.imaginary += ILU_COMPENSATION * left_out.imaginary;
    pair_put(f, a->diagonal[i], inverse(pivot));
    double size = fabs(pivot.real) + fabs(pivot.imaginary);
    return isfinite(size) && size > 0 ? 0 : 1;
}

int ilu_complex_factor(struct ilu *a, const double *values) {
    int singular = 0;
    for (int e = 0; e < a->start[a->n]; e++) {
        pair_put(a->values, e, pair_at(values, a->from[e]));
        pair_put(a->factors, e, pair_at(values, a->from[e]));
    }
    for (int i = 0; i < a->n && !singular; i++) singular = eliminate(a, i);
    return singular;
}

/* sum - the products of entries first .. last - 1 with v */
static struct pair less_products(const struct ilu *a, const double *entry, int first, int last,
                                 const double *v, struct pair sum) {
    for (int e = first; e < last; e++) sum = minus(sum, times(pair_at(entry, e), pair_at(v, a->column[e])));
    return sum;
}

void ilu_complex_multiply(const struct ilu *a, const double *x, double *out) {
    for (int i = 0; i < a->n; i++) {
        struct pair sum = less_products(a, a->values, a->start[i], a->start[i + 1], x, (struct pair){0, 0});
        pair_put(out, i, (struct pair){-sum.real, -sum.imaginary});
    }
}

void ilu_complex_solve(const struct ilu *a, double *b) {
    const double *f = a->factors;
    for (int i = 0; i < a->n; i++)
        pair_put(b, i, less_products(a, f, a->start[i], a->diagonal[i], b, pair_at(b, i)));
    for (int i = a->n - 1; i >= 0; i--) {
        struct pair sum = less_products(a, f, a->diagonal[i] + 1, a->start[i + 1], b, pair_at(b, i));
        pair_put(b, i, times(sum, pair_at(f, a->diagonal[i])));
    }
}
