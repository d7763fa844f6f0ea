/* orbit_floquet.c - the multipliers of a periodic orbit: the eigenvalues of M = A_N-1 .. A_0 in the
 * tangent space at its start.
 *
 * x' is an eigenvector, M x' = x', and the gradient g of an invariant a left one, g M = g: their ones come
 * with Jordan blocks, which cost half the digits.  So they are taken out first.  Vectors with g v = 0 stay
 * such, and x' is one of them; on their complement W to x', W^T M W has the other multipliers. */
#include "analysis/orbit.h"

#include "linalg/eigen.h"
#include "linalg/qr.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* c = a b, r x r. */
static void product(int r, const double *a, const double *b, double *c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            double sum = 0;
            for (int k = 0; k < r; k++) sum += a[i * r + k] * b[k * r + j];
            c[i * r + j] = sum;
        }
}

/* Segment i in the bases at its ends. */
static void block_of(const keel_orbit *o, int i, double *block) {
    int r = o->r, n = o->n, next = (i + 1) % o->nodes;
    const double *q = o->q + (size_t)next * (size_t)(r * n), *a = o->a + (size_t)i * (size_t)(r * n);
    for (int k = 0; k < r; k++)
        for (int c = 0; c < r; c++) block[k * r + c] = bundle_dot(n, q + k * n, a + c * n);
}

/* det = (-1)^r R_11 .. R_rr: every reflection turns the orientation.  block is lost. */
static double determinant(int r, double *block, double *diagonal) {
    double det = 1;
    qr_factor(r, r, block, diagonal);
    for (int k = 0; k < r; k++) det *= -diagonal[k];
    return det;
}

/* M [r][r]; its determinant goes to the summary. */
static void monodromy(keel_orbit *o, double *m, double *block, double *work, double *diagonal) {
    int r = o->r;
    o->about.product = 1;
    for (int i = 0; i < r * r; i++) m[i] = i % (r + 1) == 0;
    for (int i = 0; i < o->nodes; i++) {
        block_of(o, i, block);
        product(r, block, m, work);
        memcpy(m, work, (size_t)(r * r) * sizeof *m);
        o->about.product *= determinant(r, block, diagonal);
    }
}

/* An orthonormal basis: gradients of invariants, x', then the rest.  The number of the first two. */
static keel_status split(keel_orbit *o, double *basis, int *count) {
    struct bundle *b = &o->bundle;
    int r = o->r, gradients = 0, all;
    if (orbit_go_to_node(o, 0) != KEEL_OK) return o->status;
    if (bundle_slopes(b) != KEEL_OK) return orbit_bundle_failed(o);
    for (int i = 0; i < b->names; i++) {
        double *v = basis + gradients * r, size = 0;
        for (int k = 0; k < r; k++) size = hypot(size, v[k] = b->slope[i * r + k]);
        if (!(size > 0) || !(bundle_orthonormal(r, gradients, basis, v) > 1e-8 * size)) continue;
        o->invariant[gradients++] = i;
    }
    o->trivial = all = gradients;
    if (o->about.autonomous) {
        const double *f = o->f + (size_t)(o->nodes - 1) * (size_t)o->n;
        double *v = basis + all * r;
        for (int k = 0; k < r; k++) v[k] = bundle_dot(o->n, f, o->q + k * o->n);
        double size = sqrt(bundle_dot(r, v, v));
        o->along = bundle_orthonormal(r, all, basis, v) > 1e-6 * size;
        o->trivial = all += o->along;
    }
    *count = all;
    for (int k = 0; k < r && all < r; k++) {
        double *v = basis + all * r;
        memset(v, 0, (size_t)r * sizeof *v);
        v[k] = 1;
        if (bundle_orthonormal(r, all, basis, v) > 1e-6) all++;
    }
    return KEEL_OK;
}

static int larger_first(const void *a, const void *b) {
    const keel_multiplier *x = a, *y = b;
    if (fabs(x->size - y->size) > 1e-9 * (x->size + y->size)) return x->size < y->size ? 1 : -1;
    return (x->imaginary < y->imaginary) - (x->imaginary > y->imaginary);
}

/* W^T M W, its eigenvalues, those that are 1. */
static keel_status eigenvalues(keel_orbit *o, const double *m, const double *w, int count, double *small,
                               double *real, double *imaginary) {
    int r = o->r;
    double size = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            double sum = 0;
            for (int a = 0; a < r; a++)
                for (int b = 0; b < r; b++) sum += w[i * r + a] * m[a * r + b] * w[k * r + b];
            small[i * count + k] = sum;
            size = fmax(size, fabs(sum));
        }
    int status = count ? eigen_values(count, small, real, imaginary) : 1;
    if (status < 0) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    if (status == 0) return orbit_fail(o, KEEL_ENEWTON, "the multipliers could not be found");
    double round_off = 64 * DBL_EPSILON * fmax(size, 1);
    for (int i = 0; i < count; i++) {
        keel_multiplier *one = &o->multiplier[i];
        *one = (keel_multiplier){.real = real[i], .imaginary = imaginary[i]};
        if (fabs(imaginary[i]) <= round_off) one->imaginary = 0;
        one->size = hypot(one->real, one->imaginary);
        one->one = hypot(one->real - 1, one->imaginary) <= 1e-6;
        one->small = one->size <= 100 * round_off;
        if (one->small) *one = (keel_multiplier){.size = 100 * round_off, .small = 1};
    }
    o->multipliers = count;
    qsort(o->multiplier, (size_t)count, sizeof *o->multiplier, larger_first);
    return KEEL_OK;
}

keel_status orbit_floquet(keel_orbit *o) {
    size_t r = (size_t)o->r;
    double *m = malloc((5 * r * r + 3 * r + 1) * sizeof *m);
    int count = 0;
    if (!m) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    double *block = m + r * r, *work = block + r * r, *basis = work + r * r, *small = basis + r * r,
           *rest = small + r * r;
    monodromy(o, m, block, work, rest);
    if (split(o, basis, &count) == KEEL_OK)
        eigenvalues(o, m, basis + (size_t)count * r, o->r - count, small, rest, rest + r);
    free(m);
    return o->status;
}

int keel_orbit_multiplier(const keel_orbit *o, int i, keel_multiplier *out) {
    if (!o || o->status != KEEL_OK || i < 0 || i >= o->multipliers) return 0;
    *out = o->multiplier[i];
    return 1;
}

const char *keel_orbit_trivial(const keel_orbit *o, int i) {
    if (!o || o->status != KEEL_OK || i < 0 || i >= o->trivial) return NULL;
    return i < o->along ? "along the orbit" : o->bundle.name[o->invariant[i - o->along]];
}
