/* newton_pulled.c - see newton.h: I - c J where the run adds a term to the rate that pulls to the manifold
 * (baumgarte). With J that of f alone, and P = D (G D)^-1 G at its place, which is a projection,
 *
 *     A = I - c J + c gain P = B + c gain P,     B = I - c J.
 *
 * f keeps the rows, so P J is what turning rows make of it: not stiff, however stiff J is. Therefore
 * (I + c gain P) B, whose inverse is B^-1 (I - s P) with s = c gain / (1 + c gain), is near A, to c over the
 * time of the motion.  What it leaves, A d - b, needs P alone, since B d is known:
 *
 *     r = b:   d += B^-1 (r - s P r),   r := P (s r - c gain B^-1 (r - s P r)),   and so on. */
#include "core/field.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Where the numbers of J are from: t and u. */
size_t newton_pulled_doubles(const struct field *fd) {
    return fd->damped ? 1 + (size_t)fd->n + (size_t)fd->m : 0;
}

void newton_pulled_place(const struct field *fd, keel_newton *n, double t, const double *u) {
    if (!fd->damped) return;
    n->place[0] = t;
    memcpy(n->place + 1, u, ((size_t)fd->n + (size_t)fd->m) * sizeof *u);
}

static double length_of(const struct field *fd, const double *v, const double *imaginary) {
    double length = 0;
    for (int j = 0; j < fd->n; j++) {
        double size = fabs(v[j]) + (imaginary ? fabs(imaginary[j]) : 0);
        if (fd->size[j] > 0) length = fmax(length, size / fd->size[j]);
    }
    return length;
}

/* out := a x + b y, of numbers in two parts, or real ones. */
static void combine(int n, double complex a, double *const x[2], double complex b, double *const y[2],
                    double *const out[2], int pairs) {
    for (int j = 0; j < n; j++) {
        double complex sum =
            a * (x[0][j] + (pairs ? I * x[1][j] : 0)) + b * (y[0][j] + (pairs ? I * y[1][j] : 0));
        out[0][j] = creal(sum);
        if (pairs) out[1][j] = cimag(sum);
    }
}

static int across(struct field *fd, double *const v[2], int pairs) {
    for (int part = 0; part <= pairs; part++)
        if (fd->pull.across(fd->pull.view, v[part]) != KEEL_OK) return 0;
    return 1;
}

void newton_pulled_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary) {
    enum { ROUNDS = 30 };
    struct field *fd = field_of(w);
    int order = fd->n, pairs = imaginary != NULL;
    size_t width = (size_t)fd->width;
    double *spare = fd->pattern->pulled, *const sum[2] = {b, imaginary};
    double *const r[2] = {spare, spare + width}, *const p[2] = {spare + 2 * width, spare + 3 * width};
    if (!n->used[k]) newton_sparse_stands(w, n, k);
    const double *place = n->used_place[k];
    double complex c = n->used_real[k] + I * n->used_imaginary[k];
    double complex pull = c * copysign(*fd->pull.gain, creal(c)), share = pull / (1 + pull);
    double before = HUGE_VAL;
    if (*fd->pull.gain == 0 || fd->pull.aim(fd->pull.view, place[0], place + 1) != KEEL_OK) {
        fd->fault.status = KEEL_OK; /* Newton's method does without */
        newton_sparse_solve(w, n, k, b, imaginary);
        return;
    }
    for (int part = 0; part <= pairs; part++) {
        memcpy(r[part], sum[part], (size_t)order * sizeof *b);
        memcpy(p[part], sum[part], (size_t)order * sizeof *b);
        memset(sum[part], 0, (size_t)order * sizeof *b);
    }
    for (int round = 0, found = across(fd, p, pairs); found && round < ROUNDS; round++) {
        combine(order, 1, r, -share, p, r, pairs);
        newton_sparse_solve(w, n, k, r[0], pairs ? r[1] : NULL);
        double now = length_of(fd, r[0], pairs ? r[1] : NULL);
        if (!(now < before)) break; /* as near as it gets */
        combine(order, 1, sum, 1, r, sum, pairs);
        before = now;
        if (now <= 4 * DBL_EPSILON * length_of(fd, b, imaginary)) break;
        found = across(fd, r, pairs);
        combine(order, share, p, -pull, r, r, pairs);
        for (int part = 0; part <= pairs; part++) memcpy(p[part], r[part], (size_t)order * sizeof *b);
    }
    fd->fault.status = KEEL_OK;
}
