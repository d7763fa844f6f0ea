/* ilu.c - see ilu.h. */
#include "linalg/ilu_factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ilu_capacity(struct ilu *a) {
    size_t entries = (size_t)ilu_parts(a) * ((size_t)a->start[a->n] + 1);
    a->values = malloc(entries * sizeof *a->values);
    a->factors = malloc(entries * sizeof *a->factors);
    return a->values && a->factors;
}

/* By rows, and where each entry came from. */
static void transpose(struct ilu *a, const int *start, const int *row) {
    int *next = a->place;
    for (int e = 0; e < start[a->n]; e++) a->start[row[e] + 1]++;
    for (int i = 0; i < a->n; i++) a->start[i + 1] += a->start[i];
    memcpy(next, a->start, (size_t)a->n * sizeof *next);
    for (int j = 0; j < a->n; j++)
        for (int e = start[j]; e < start[j + 1]; e++) {
            int i = row[e], to = next[i]++;
            a->column[to] = j;
            a->from[to] = e;
            if (i == j) a->diagonal[i] = to;
        }
    for (int i = 0; i < a->n; i++) a->place[i] = -1;
}

struct ilu *ilu_open(int n, const int *start, const int *row, int complex) {
    struct ilu *a = calloc(1, sizeof *a);
    size_t order = (size_t)n, entries = (size_t)start[n] + 1;
    if (!a) return NULL;
    a->n = n;
    a->complex = complex;
    a->start = calloc(order + 1, sizeof *a->start);
    a->column = malloc(entries * sizeof *a->column);
    a->diagonal = malloc((order + 1) * sizeof *a->diagonal);
    a->from = malloc(entries * sizeof *a->from);
    a->place = malloc((order + 1) * sizeof *a->place);
    int found = a->start && a->column && a->diagonal && a->from && a->place;
    if (found) transpose(a, start, row);
    if (found && ilu_capacity(a)) return a;
    ilu_close(a);
    return NULL;
}

struct ilu *ilu_share(const struct ilu *of, int complex) {
    struct ilu *a = malloc(sizeof *a);
    if (!a) return NULL;
    *a = *of;
    a->shared = 1;
    a->complex = complex;
    if (ilu_capacity(a)) return a;
    ilu_close(a);
    return NULL;
}

void ilu_close(struct ilu *a) {
    if (!a) return;
    free(a->values);
    free(a->factors);
    if (!a->shared) {
        free(a->start);
        free(a->column);
        free(a->diagonal);
        free(a->from);
        free(a->place);
    }
    free(a);
}

/* Row i less the multiples of the rows above it that clear it left of the diagonal. */
static int eliminate(struct ilu *a, int i) {
    double *f = a->factors, left_out = 0;
    int from = a->start[i], to = a->start[i + 1];
    for (int e = from; e < to; e++) a->place[a->column[e]] = e;
    for (int e = from; e < a->diagonal[i]; e++) {
        int k = a->column[e];
        double multiple = f[e] *= f[a->diagonal[k]];
        for (int above = a->diagonal[k] + 1; above < a->start[k + 1]; above++) {
            int here = a->place[a->column[above]];
            if (here >= 0) f[here] -= multiple * f[above];
            else left_out -= multiple * f[above];
        }
    }
    for (int e = from; e < to; e++) a->place[a->column[e]] = -1;
    double pivot = f[a->diagonal[i]] + ILU_COMPENSATION * left_out;
    f[a->diagonal[i]] = 1 / pivot;
    return isfinite(pivot) && fabs(pivot) > 0 ? 0 : 1;
}

int ilu_factor(struct ilu *a, const double *values) {
    int singular = 0;
    if (a->complex) return ilu_complex_factor(a, values);
    for (int e = 0; e < a->start[a->n]; e++) a->factors[e] = a->values[e] = values[a->from[e]];
    for (int i = 0; i < a->n && !singular; i++) singular = eliminate(a, i);
    return singular;
}

void ilu_multiply(const struct ilu *a, const double *x, double *out) {
    if (a->complex) {
        ilu_complex_multiply(a, x, out);
        return;
    }
    for (int i = 0; i < a->n; i++) {
        double sum = 0;
        for (int e = a->start[i]; e < a->start[i + 1]; e++) sum += a->values[e] * x[a->column[e]];
        out[i] = sum;
    }
}

void ilu_solve(const struct ilu *a, double *b) {
    const double *f = a->factors;
    if (a->complex) {
        ilu_complex_solve(a, b);
        return;
    }
    for (int i = 0; i < a->n; i++) {
        double sum = b[i];
        for (int e = a->start[i]; e < a->diagonal[i]; e++) sum -= f[e] * b[a->column[e]];
        b[i] = sum;
    }
    for (int i = a->n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int e = a->diagonal[i] + 1; e < a->start[i + 1]; e++) sum -= f[e] * b[a->column[e]];
        b[i] = sum * f[a->diagonal[i]];
    }
}

int ilu_order(const struct ilu *a) {
    return a->n;
}

int ilu_parts(const struct ilu *a) {
    return a->complex ? 2 : 1;
}

double ilu_products(const struct ilu *a) {
    return (a->complex ? 4. : 1.) * a->start[a->n];
}
