/* rowspace.c - see rowspace.h.  Bjorck, Numerical Methods for Least Squares Problems, 2.4. */
#include "linalg/rowspace.h"

#include <math.h>
#include <string.h>

static inline double dot(int width, const double *a, const double *b) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < width; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    return (s0 + s1) + (s2 + s3);
}

static inline void add(int width, double factor, const double *a, double *b) {
    for (int i = 0; i < width; i += 4) {
        b[i] += factor * a[i];
        b[i + 1] += factor * a[i + 1];
        b[i + 2] += factor * a[i + 2];
        b[i + 3] += factor * a[i + 3];
    }
}

/* Removes what earlier rows span, and returns the length that is left. */
static double orthogonalize(struct rowspace *s, int i) {
    double *qi = s->q + (long)i * s->width, *ri = s->r + (long)i * s->rows;
    for (int j = 0; j < i; j++) {
        if (!s->used[j]) continue;
        const double *qj = s->q + (long)j * s->width;
        double share = dot(s->width, qj, qi);
        ri[j] += share;
        add(s->width, -share, qj, qi);
    }
    return sqrt(dot(s->width, qi, qi));
}

void rowspace_factor(struct rowspace *s, const double *floor_of) {
    s->rank = 0;
    for (int i = 0; i < s->rows; i++) {
        double *qi = s->q + (long)i * s->width, *ri = s->r + (long)i * s->rows;
        for (int j = 0; j <= i; j++) ri[j] = 0;
        double whole = sqrt(dot(s->width, qi, qi));
        double left = i > 0 ? orthogonalize(s, i) : whole;
        if (left < 0.7 * whole) left = orthogonalize(s, i);
        s->fresh[i] = whole > 0 ? left / whole : 0;
        s->used[i] = left > 0 && s->fresh[i] >= floor_of[i];
        if (!s->used[i]) {
            memset(qi, 0, (size_t)s->width * sizeof *qi);
            continue;
        }
        s->rank++;
        ri[i] = left;
        double inverse = 1 / left;
        for (int k = 0; k < s->width; k++) qi[k] *= inverse;
    }
}

void rowspace_shortest(const struct rowspace *s, const double *c, double *z, double *d) {
    memset(d, 0, (size_t)s->width * sizeof *d);
    for (int i = 0; i < s->rows; i++) {
        z[i] = 0;
        if (!s->used[i]) continue;
        const double *ri = s->r + (long)i * s->rows;
        double sum = c[i];
        for (int j = 0; j < i; j++) sum -= ri[j] * z[j];
        z[i] = sum / ri[i];
        add(s->width, z[i], s->q + (long)i * s->width, d);
    }
}

void rowspace_tangent(const struct rowspace *s, double *d) {
    for (int i = 0; i < s->rows; i++) {
        if (!s->used[i]) continue;
        const double *qi = s->q + (long)i * s->width;
        add(s->width, -dot(s->width, qi, d), qi, d);
    }
}

void rowspace_components(const struct rowspace *s, const double *d, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] = s->used[i] ? dot(s->width, s->q + (long)i * s->width, d) : 0;
}

void rowspace_coefficients(const struct rowspace *s, double *z) {
    for (int i = s->rows - 1; i >= 0; i--) {
        if (!s->used[i]) continue;
        for (int k = i + 1; k < s->rows; k++)
            if (s->used[k]) z[i] -= s->r[(long)k * s->rows + i] * z[k];
        z[i] /= s->r[(long)i * s->rows + i];
    }
}
