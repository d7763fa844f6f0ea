/* sparse.c - see sparse.h.  Davis and Palamadai Natarajan, Algorithm 907: KLU, ACM Trans. Math. Softw. 37
 * (2010). */
#include "linalg/sparse.h"

#include <stdlib.h>

/* The time of a run of radau with sparse matrices over that with dense ones, opening included, for 16, 24,
 * 32, 64, 128 unknowns: 1.36, 0.92, 0.51, 0.15, 0.03 with three entries a row in a band, 1.14, 0.79, 0.51,
 * 0.18, 0.09 with four anywhere. */
enum { LEAST = 24 }; /* unknowns */
#define SHARE 0.2    /* of the entries of a dense matrix: above it fill-in takes the gain */

int sparse_pays(double order, double entries) {
    return order >= LEAST && entries <= SHARE * order * order;
}

#ifdef KEEL_KLU
#include <dlfcn.h>
#include <klu.h>

#include <math.h>
#include <string.h>

/* The calls that are used.  The library is loaded by the solver that needs it, so that programs without
 * large systems, and those who link libkeel.a, need not know it; its name has the version of the header.  It
 * stays in memory afterwards: each solver that had it mapped anew spent a fifth of a short run on that. */
struct library {
    void *handle;
    int (*defaults)(klu_common *);
    klu_symbolic *(*analyze)(int, int *, int *, klu_common *);
    /* real, complex */
    klu_numeric *(*factor[2])(int *, int *, double *, klu_symbolic *, klu_common *);
    int (*refactor[2])(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    int (*solve[2])(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
    int (*growth[2])(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    int (*free_numeric)(klu_numeric **, klu_common *);
    int (*free_symbolic)(klu_symbolic **, klu_common *);
};

struct sparse {
    int n;
    int *start, *row; /* the caller's; KLU asks for them without const and does not write */
    klu_symbolic *symbolic;
    klu_numeric *anchored, *fresh;
    klu_numeric *now; /* one of the two, or NULL */
    klu_common common;
    struct library klu;
    int complex, shared; /* shared: the analysis and the library are another's */
};

#define TEXT_OF(version) #version
#define NAME_OF(version) "libklu.so." TEXT_OF(version)

/* 1; 0: it is not there. */
static int load(struct library *l) {
    static const char *const name[] = {"klu_defaults",  "klu_analyze",      "klu_factor",
                                       "klu_z_factor",  "klu_refactor",     "klu_z_refactor",
                                       "klu_solve",     "klu_z_solve",      "klu_rgrowth",
                                       "klu_z_rgrowth", "klu_free_numeric", "klu_free_symbolic"};
    void *const function[] = {&l->defaults,    &l->analyze,     &l->factor[0],    &l->factor[1],
                              &l->refactor[0], &l->refactor[1], &l->solve[0],     &l->solve[1],
                              &l->growth[0],   &l->growth[1],   &l->free_numeric, &l->free_symbolic};
    l->handle = dlopen(NAME_OF(KLU_MAIN_VERSION), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (int i = 0; i < 12 && l->handle; i++) {
        void *address = dlsym(l->handle, name[i]);
        memcpy(function[i], &address, sizeof address); /* C knows no cast of data to functions */
        if (address) continue;
        dlclose(l->handle);
        l->handle = NULL;
    }
    return l->handle != NULL;
}

int sparse_available(void) {
    struct library l;
    if (!load(&l)) return 0;
    dlclose(l.handle);
    return 1;
}

/* Is every entry of the diagonal in the pattern? */
static int has_diagonal(int n, const int *start, const int *row) {
    for (int j = 0; j < n; j++) {
        int found = 0;
        for (int e = start[j]; e < start[j + 1] && !found; e++) found = row[e] == j;
        if (!found) return 0;
    }
    return 1;
}

struct sparse *sparse_open(int n, const int *start, const int *row, enum sparse_pivots pivots) {
    struct sparse *s = calloc(1, sizeof *s);
    if (!s || !load(&s->klu)) {
        free(s);
        return NULL;
    }
    s->n = n;
    s->start = (int *)start;
    s->row = (int *)row;
    s->klu.defaults(&s->common);
    s->common.scale = pivots == SPARSE_SCALED || pivots == SPARSE_SADDLE
                          ? 2
                          : 0; /* 0: the caller's matrices are equilibrated */
    if (pivots == SPARSE_DIAGONAL) {
        s->common.btf = 0;
        s->common.tol = 0;
    }
    /* The order of A + A^T fills little while pivots come from the diagonal.  Multipliers have none there:
     * that of A^T A bounds the fill whatever pivots are taken. */
    if (pivots == SPARSE_SADDLE || !has_diagonal(n, start, row)) s->common.ordering = 1;
    s->symbolic = s->klu.analyze(n, s->start, s->row, &s->common);
    if (s->symbolic) return s;
    sparse_close(s);
    return NULL;
}

struct sparse *sparse_share(const struct sparse *of, int complex) {
    struct sparse *s = malloc(sizeof *s);
    if (!s) return NULL;
    *s = *of;
    s->anchored = s->fresh = s->now = NULL;
    s->complex = complex;
    s->shared = 1;
    return s;
}

void sparse_close(struct sparse *s) {
    if (!s) return;
    s->klu.free_numeric(&s->fresh, &s->common);
    s->klu.free_numeric(&s->anchored, &s->common);
    if (!s->shared) {
        s->klu.free_symbolic(&s->symbolic, &s->common);
        dlclose(s->klu.handle);
    }
    free(s);
}

/* Factors and, so that numbers never depend on how the pivots came about, factors again with them. */
static int factor(struct sparse *s, klu_numeric **to, const double *values) {
    s->klu.free_numeric(to, &s->common);
    s->now = NULL;
    *to = s->klu.factor[s->complex](s->start, s->row, (double *)values, s->symbolic, &s->common);
    if (!*to || s->common.status != KLU_OK) return 1;
    if (!s->klu.refactor[s->complex](s->start, s->row, (double *)values, s->symbolic, *to, &s->common))
        return 1;
    s->now = s->common.status == KLU_OK ? *to : NULL;
    return !s->now;
}

int sparse_anchor(struct sparse *s, const double *values) {
    return factor(s, &s->anchored, values);
}

int sparse_fresh(struct sparse *s, const double *values) {
    return factor(s, &s->fresh, values);
}

int sparse_refactor(struct sparse *s, const double *values) {
    s->now = NULL;
    if (!s->anchored || !s->klu.refactor[s->complex](s->start, s->row, (double *)values, s->symbolic,
                                                     s->anchored, &s->common))
        return 1;
    s->now = s->common.status == KLU_OK ? s->anchored : NULL;
    return !s->now;
}

int sparse_starved(const struct sparse *s) {
    return s->common.status == KLU_OUT_OF_MEMORY;
}

void sparse_solve(const struct sparse *s, double *b) {
    klu_common common = s->common;
    if (s->now) s->klu.solve[s->complex](s->symbolic, s->now, s->n, 1, b, &common);
}

double sparse_pivot(const struct sparse *s, int k, int *column) {
    *column = s->symbolic->Q[k];
    return s->now ? ((const double *)s->now->Udiag)[k] : 0;
}

double sparse_pivot_ratio(const struct sparse *s) {
    double least = HUGE_VAL, largest = 0;
    if (!s->now) return 0;
    for (int k = 0; k < s->n; k++) {
        double size = fabs(((const double *)s->now->Udiag)[k]);
        if (!(size >= least)) least = size;
        if (size > largest) largest = size;
    }
    return largest > 0 && isfinite(largest) ? least / largest : 0;
}

/* Entries are at most 1: without a small pivot they cannot have grown by much.  Where there is one, the
 * least ratio, over the columns, of the largest entry of the matrix to that of U tells. */
int sparse_is_sound(const struct sparse *s, const double *values) {
    const double *pivot = s->now ? s->now->Udiag : NULL, small = 1e-4, grown = 1e-8;
    klu_common common = s->common;
    int parts = s->complex ? 2 : 1, clear = 1;
    if (!pivot) return 0;
    for (int k = 0; k < s->n && clear; k++) {
        const double *one = pivot + (long)parts * k;
        clear = fabs(one[0]) > small || (s->complex && fabs(one[1]) > small);
    }
    if (clear) return 1;
    return s->klu.growth[s->complex](s->start, s->row, (double *)values, s->symbolic, s->now, &common) &&
           common.rgrowth > grown;
}

long sparse_entries(const struct sparse *s) {
    return s->now ? (long)s->now->lnz + s->now->unz + s->now->nzoff : 0;
}

/* 1: an even permutation; -1: an odd one. */
static int parity(int n, const int *order, int *seen) {
    int sign = 1;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int i = 0; i < n; i++)
        for (int j = i, length = 0; !seen[j]; j = order[j], length++) {
            seen[j] = 1;
            if (length > 0) sign = -sign;
        }
    return sign;
}

/* Of the blocks on the diagonal, with the scales of the rows. */
double sparse_log_det(const struct sparse *s, int *sign, int *workspace) {
    double sum = 0;
    *sign = 0;
    if (!s->now) return -HUGE_VAL;
    *sign = parity(s->n, s->now->Pnum, workspace) * parity(s->n, s->symbolic->Q, workspace);
    for (int k = 0; k < s->n; k++) {
        double pivot = ((const double *)s->now->Udiag)[k], scale = s->now->Rs ? s->now->Rs[k] : 1;
        if (pivot < 0) *sign = -*sign;
        sum += log(fabs(pivot)) + log(scale);
    }
    return sum;
}

void sparse_order(const struct sparse *s, int *order) {
    memcpy(order, s->symbolic->Q, (size_t)s->n * sizeof *order);
}

double sparse_operations(const struct sparse *s) {
    return s->symbolic->est_flops + 4 * (s->symbolic->lnz + s->symbolic->unz);
}

#else

int sparse_available(void) {
    return 0;
}

struct sparse *sparse_open(int n, const int *start, const int *row, enum sparse_pivots pivots) {
    (void)n, (void)start, (void)row, (void)pivots;
    return NULL;
}

struct sparse *sparse_share(const struct sparse *of, int complex) {
    (void)of, (void)complex;
    return NULL;
}

void sparse_close(struct sparse *s) {
    free(s);
}

int sparse_is_sound(const struct sparse *s, const double *values) {
    (void)s, (void)values;
    return 0;
}

int sparse_anchor(struct sparse *s, const double *values) {
    (void)s, (void)values;
    return 1;
}

int sparse_refactor(struct sparse *s, const double *values) {
    return sparse_anchor(s, values);
}

int sparse_fresh(struct sparse *s, const double *values) {
    return sparse_anchor(s, values);
}

int sparse_starved(const struct sparse *s) {
    (void)s;
    return 1;
}

void sparse_solve(const struct sparse *s, double *b) {
    (void)s, (void)b;
}

double sparse_pivot(const struct sparse *s, int k, int *column) {
    (void)s;
    *column = k;
    return 0;
}

double sparse_pivot_ratio(const struct sparse *s) {
    (void)s;
    return 0;
}

long sparse_entries(const struct sparse *s) {
    (void)s;
    return 0;
}

double sparse_log_det(const struct sparse *s, int *sign, int *workspace) {
    (void)s, (void)workspace;
    *sign = 0;
    return 0;
}

void sparse_order(const struct sparse *s, int *order) {
    (void)s, (void)order;
}

double sparse_operations(const struct sparse *s) {
    (void)s;
    return 0;
}
#endif
