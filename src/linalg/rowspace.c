/* rowspace.c - see rowspace.h.  Bjorck, Numerical Methods for Least Squares Problems, 2.4. */
#include "linalg/rowspace.h"

/* Four states at a time.  Vectors are 32-byte aligned and padded; the compiler splits a quad as the machine needs. */
typedef double quad __attribute__((vector_size(32), may_alias));

static inline double dot(int width, const double *a, const double *b) {
    const quad *x = (const quad *)a, *y = (const quad *)b;
    quad sum = x[0] * y[0];
    for (int i = 1; i < width / 4; i++) sum += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline void add(int width, double factor, const double *a, double *b) {
    const quad *x = (const quad *)a;
    quad *y = (quad *)b;
    for (int i = 0; i < width / 4; i++) y[i] += factor * x[i];
}

static inline void clear(int width, double *a) {
    for (int i = 0; i < width / 4; i++) ((quad *)a)[i] = (quad){0};
}

/* Removes what earlier rows span, adds their shares to r, and returns the square of the length that is left. */
static inline double orthogonalize(int width, const struct rowspace *s, int i, double *qi, double *ri, int again) {
    for (int j = 0; j < i; j++) {
        const double *qj = s->q + (long)j * width;
        double share = dot(width, qj, qi) * s->inverse[j];
        ri[j] = again ? ri[j] + share : share;
        add(width, -share, qj, qi);
    }
    return dot(width, qi, qi);
}

static inline void factor(int width, struct rowspace *s, const double *floor_of) {
    s->rank = 0;
    for (int i = 0; i < s->rows; i++) {
        double *qi = s->q + (long)i * width, *ri = s->r + (long)i * s->rows;
        double whole = dot(width, qi, qi), left = whole;
        if (i > 0) left = orthogonalize(width, s, i, qi, ri, 0);
        if (left < 0.01 * whole) left = orthogonalize(width, s, i, qi, ri, 1); /* more than a digit cancelled */
        int used = left > 0 && left >= floor_of[i] * floor_of[i] * whole;
        s->used[i] = used;
        s->rank += used;
        s->inverse[i] = used ? 1 / left : 0;
        if (!used) clear(width, qi);
    }
}

static inline void shortest(int width, const struct rowspace *s, const double *c, double *z, double *d) {
    clear(width, d);
    for (int i = 0; i < s->rows; i++) {
        const double *ri = s->r + (long)i * s->rows;
        double sum = c[i];
        for (int j = 0; j < i; j++) sum -= ri[j] * z[j];
        z[i] = s->used[i] ? sum : 0;
        add(width, z[i] * s->inverse[i], s->q + (long)i * width, d);
    }
}

/* Four products are put together in registers: a wide load of what was just stored in pieces would have to wait. */
void rowspace_set(struct rowspace *s, int i, int n, const double *row, const double *scale) {
    quad *b = (quad *)(s->q + (long)i * s->width);
    int j = 0;
    for (; j + 4 <= n; j += 4)
        *b++ = (quad){row[j] * scale[j], row[j + 1] * scale[j + 1], row[j + 2] * scale[j + 2], row[j + 3] * scale[j + 3]};
    if (j < n)
        *b++ = (quad){row[j] * scale[j], j + 1 < n ? row[j + 1] * scale[j + 1] : 0,
                      j + 2 < n ? row[j + 2] * scale[j + 2] : 0, 0};
    for (quad *end = (quad *)(s->q + (long)(i + 1) * s->width); b < end; b++) *b = (quad){0};
}

/* Up to four states is the common case, and worth straight code. */
void rowspace_factor(struct rowspace *s, const double *floor_of) {
    if (s->width == 4)
        factor(4, s, floor_of);
    else
        factor(s->width, s, floor_of);
}

void rowspace_shortest(const struct rowspace *s, const double *c, double *z, double *d) {
    if (s->width == 4)
        shortest(4, s, c, z, d);
    else
        shortest(s->width, s, c, z, d);
}

void rowspace_tangent(const struct rowspace *s, double *d) {
    for (int i = 0; i < s->rows; i++) {
        const double *qi = s->q + (long)i * s->width;
        add(s->width, -dot(s->width, qi, d) * s->inverse[i], qi, d);
    }
}

void rowspace_components(const struct rowspace *s, const double *d, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] = dot(s->width, s->q + (long)i * s->width, d);
}

/* R^T c = z over the rows in use, from the last to the first, in place. */
static void solve_transposed(const struct rowspace *s, int count, double *z) {
    for (int i = count - 1; i >= 0; i--)
        for (int k = i + 1; k < count; k++)
            if (s->used[k]) z[i] -= s->r[(long)k * s->rows + i] * z[k];
}

void rowspace_coefficients(const struct rowspace *s, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] *= s->inverse[i];
    solve_transposed(s, s->rows, z);
    for (int i = 0; i < s->rows; i++) z[i] = s->used[i] ? z[i] : 0;
}

void rowspace_dependence(const struct rowspace *s, int i, double *c) {
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? s->r[(long)i * s->rows + j] : 0;
    solve_transposed(s, i, c);
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? c[j] : 0;
}
