/* least_squares.c - see least_squares.h. */
#include "analysis/least_squares.h"

#include "linalg/qr.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for a step.  Of the n parameters `count` move: the free ones. */
struct search {
    struct least_squares *l;
    int count, *free;                /* [n] */
    double *scale;                   /* [n] D */
    double *a, *diagonal, *c;        /* [rows][count] J D^-1 = Q R, then Q^T r [rows] */
    double *damped, *damped_d, *rhs; /* [2 count][count], [count], [2 count]: R over sqrt(lambda) */
    double *step, *w;                /* [count] s in units of D; [count] */
    double *x, *r, *jacobian;        /* where the step leads */
    double radius;
};

static double square_of(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

static void search_close(struct search *s) {
    free(s->free);
    free(s->scale);
}

/* One block; 0 without memory. */
static int search_open(struct search *s, struct least_squares *l) {
    size_t n = (size_t)l->n, rows = (size_t)l->rows;
    *s = (struct search){.l = l};
    s->free = malloc((n + 1) * sizeof *s->free);
    s->scale = calloc(2 * rows * n + 2 * rows + 2 * n * n + 9 * n + 1, sizeof *s->scale);
    if (!s->free || !s->scale) return 0;
    s->a = s->scale + n, s->jacobian = s->a + rows * n;
    s->c = s->jacobian + rows * n, s->r = s->c + rows;
    s->damped = s->r + rows, s->diagonal = s->damped + 2 * n * n;
    s->damped_d = s->diagonal + n, s->rhs = s->damped_d + n;
    s->step = s->rhs + 2 * n, s->w = s->step + n, s->x = s->w + n;
    return 1;
}

/* D; what a change of a parameter by its own size does at most. */
static double scale_columns(struct search *s) {
    const struct least_squares *l = s->l;
    double most = 0;
    for (int j = 0; j < l->n; j++) {
        double length = 0;
        for (int i = 0; i < l->rows; i++) length += l->jacobian[i * l->n + j] * l->jacobian[i * l->n + j];
        s->scale[j] = fmax(s->scale[j], sqrt(length));
        most = fmax(most, s->scale[j] * fabs(l->x[j]));
    }
    return most;
}

/* Does the parameter move?  Not across its bound, nor where its column is nothing but rounding: then it does
 * not explain half of the residual either, as that of a parameter does which begins far too small. */
static int is_free(const struct search *s, int j, double most) {
    const struct least_squares *l = s->l;
    double slope = 0, seen = s->scale[j] * fabs(l->x[j]);
    for (int i = 0; i < l->rows; i++) slope += l->jacobian[i * l->n + j] * l->r[i];
    if ((l->x[j] <= l->low[j] && slope > 0) || (l->x[j] >= l->high[j] && slope < 0)) return 0;
    if (seen <= l->noise && slope * slope < 0.5 * s->scale[j] * s->scale[j] * l->square) return 0;
    return s->scale[j] > 0 && (l->x[j] == 0 || seen > LEAST_SQUARES_UNSEEN * most);
}

/* The free parameters and the QR factors of their columns. */
static void factor(struct search *s) {
    const struct least_squares *l = s->l;
    double most = scale_columns(s);
    s->count = 0;
    for (int j = 0; j < l->n; j++)
        if (is_free(s, j, most)) s->free[s->count++] = j;
    for (int i = 0; i < l->rows; i++)
        for (int k = 0; k < s->count; k++)
            s->a[i * s->count + k] = l->jacobian[i * l->n + s->free[k]] / s->scale[s->free[k]];
    qr_factor(l->rows, s->count, s->a, s->diagonal);
    memcpy(s->c, l->r, (size_t)l->rows * sizeof *s->c);
    qr_transposed(l->rows, s->count, s->a, s->c);
}

/* step = -(R^T R + lambda)^-1 R^T c, from the QR factors of R over sqrt(lambda); its length. */
static double damped_step(struct search *s, double lambda) {
    int n = s->count;
    memset(s->damped, 0, 2 * (size_t)n * (size_t)n * sizeof *s->damped);
    for (int i = 0; i < n; i++) {
        s->damped[i * n + i] = s->diagonal[i];
        for (int j = i + 1; j < n; j++) s->damped[i * n + j] = s->a[i * n + j];
        s->damped[(n + i) * n + i] = sqrt(lambda);
        s->rhs[i] = -s->c[i];
        s->rhs[n + i] = 0;
    }
    qr_factor(2 * n, n, s->damped, s->damped_d);
    qr_transposed(2 * n, n, s->damped, s->rhs);
    memcpy(s->step, s->rhs, (size_t)n * sizeof *s->step);
    qr_solve(n, s->damped, s->damped_d, s->step);
    return sqrt(square_of(n, s->step));
}

static int is_regular(const struct search *s) {
    double largest = 0, least = INFINITY;
    for (int k = 0; k < s->count; k++) {
        largest = fmax(largest, fabs(s->diagonal[k]));
        least = fmin(least, fabs(s->diagonal[k]));
    }
    return least > 1e-12 * largest;
}

/* The step of the region: that of Gauss and Newton where it lies inside, else lambda with |s| = radius, by
 * Newton's method for 1/|s| - 1/radius, between bounds. */
static double find_step(struct search *s) {
    double low = 0, high = 0, lambda, length;
    if (is_regular(s) && (length = damped_step(s, 0)) <= 1.1 * s->radius) return length;
    for (int k = 0; k < s->count; k++) { /* |R^T c| / radius lies above */
        double sum = s->diagonal[k] * s->c[k];
        for (int i = 0; i < k; i++) sum += s->a[i * s->count + k] * s->c[i];
        high = hypot(high, sum / s->radius);
    }
    lambda = fmax(1e-3 * high, DBL_MIN);
    for (int round = 0; round < 30; round++) {
        length = damped_step(s, lambda);
        if (fabs(length - s->radius) <= 0.1 * s->radius || high - low <= 1e-14 * high) break;
        if (length > s->radius) low = lambda;
        else high = lambda;
        if (length <= s->radius && lambda <= 1e-24 * (1 + square_of(s->count, s->diagonal))) break;
        memcpy(s->w, s->step, (size_t)s->count * sizeof *s->w);
        qr_solve_transposed(s->count, s->damped, s->damped_d, s->w);
        lambda += (length / s->radius - 1) * length * length / square_of(s->count, s->w);
        if (!(lambda > low && lambda < high)) lambda = low > 0 ? sqrt(low * high) : 1e-3 * high;
    }
    return length;
}

/* Goes there within the bounds; what |r|^2 would become if r were linear. */
static double foretold(struct search *s) {
    const struct least_squares *l = s->l;
    double sum = 0;
    memcpy(s->x, l->x, (size_t)l->n * sizeof *s->x);
    for (int k = 0; k < s->count; k++) {
        int j = s->free[k];
        s->x[j] = fmin(fmax(l->x[j] + s->step[k] / s->scale[j], l->low[j]), l->high[j]);
    }
    for (int i = 0; i < l->rows; i++) {
        double r = l->r[i];
        for (int j = 0; j < l->n; j++) r += l->jacobian[i * l->n + j] * (s->x[j] - l->x[j]);
        sum += r * r;
    }
    return sum;
}

/* Is what a full step would win nothing against what remains?  |Q^T r| / |r| is the cosine of the angle
 * between the residual and the tangent plane: an error of 1e-5 standard deviations (D. M. Bates, D. G. Watts,
 * A relative offset orthogonality convergence criterion, Technometrics 23 (1981) 179-183). */
static int is_orthogonal(const struct search *s) {
    double part = square_of(s->count, s->c), rest = s->l->square - part;
    int freedom = s->l->rows > s->count ? s->l->rows - s->count : 1;
    return s->count == 0 || part / s->count <= 1e-10 * fmax(rest, 0) / freedom;
}

/* Does the step change no parameter by a part of it, nor by what would be seen in the residual? */
static int is_short(const struct search *s) {
    const struct least_squares *l = s->l;
    for (int k = 0; k < s->count; k++) {
        int j = s->free[k];
        double size = fmax(fabs(l->x[j]), sqrt(l->square) / s->scale[j]);
        if (fabs(s->x[j] - l->x[j]) > l->least * size) return 0;
    }
    return 1;
}

/* The same numbers, at the new place. */
static void move(struct search *s, double square) {
    struct least_squares *l = s->l;
    memcpy(l->x, s->x, (size_t)l->n * sizeof *l->x);
    memcpy(l->r, s->r, (size_t)l->rows * sizeof *l->r);
    memcpy(l->jacobian, s->jacobian, (size_t)l->rows * (size_t)l->n * sizeof *l->jacobian);
    l->square = square;
}

/* One accepted step, or none that could be any shorter: 1, and it is the end; 0; < 0: given up. */
static int take_step(struct search *s) {
    struct least_squares *l = s->l;
    for (;;) {
        double length = find_step(s), linear = foretold(s), square = INFINITY;
        if (is_short(s)) return 1;
        int status = l->value(l->user, s->x, s->r, s->jacobian);
        l->calls++;
        if (status < 0) return -1;
        if (status == 0) square = square_of(l->rows, s->r);
        double ratio = linear < l->square ? (l->square - square) / (l->square - linear) : -1;
        if (!(ratio >= 0.25)) s->radius = 0.25 * fmin(s->radius, length);
        else if (ratio > 0.75) s->radius = fmax(s->radius, 2 * length);
        if (!(ratio > 1e-4)) continue;
        move(s, square);
        return 0;
    }
}

/* The parameters by their own size; from nothing as far as it takes to change a tenth of the residual, or all
 * steps of the search would be short. */
static double first_radius(const struct search *s) {
    double sum = 0;
    for (int j = 0; j < s->l->n; j++) sum = hypot(sum, s->scale[j] * s->l->x[j]);
    return fmax(sum, 0.1 * sqrt(s->l->square));
}

static enum least_squares_end descend(struct search *s) {
    struct least_squares *l = s->l;
    int status = l->value(l->user, l->x, l->r, l->jacobian);
    l->calls = 1;
    if (status) return status < 0 ? LEAST_SQUARES_GIVEN_UP : LEAST_SQUARES_NO_START;
    l->square = square_of(l->rows, l->r);
    if (!isfinite(l->square)) return LEAST_SQUARES_NO_START;
    for (l->steps = 0; l->steps <= l->most; l->steps++) {
        factor(s);
        if (l->steps == 0) s->radius = first_radius(s);
        if (is_orthogonal(s)) return LEAST_SQUARES_CONVERGED;
        if (l->steps == l->most) break;
        status = take_step(s);
        if (status) return status < 0 ? LEAST_SQUARES_GIVEN_UP : LEAST_SQUARES_CONVERGED;
    }
    return LEAST_SQUARES_SLOW;
}

enum least_squares_end least_squares_find(struct least_squares *l) {
    struct search s;
    enum least_squares_end end = LEAST_SQUARES_NO_MEMORY;
    l->steps = l->calls = 0;
    for (int j = 0; j < l->n; j++) l->x[j] = fmin(fmax(l->x[j], l->low[j]), l->high[j]);
    if (search_open(&s, l)) end = descend(&s);
    search_close(&s);
    return end;
}
