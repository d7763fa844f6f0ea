/* rowspace.h - an orthogonal basis of the rows of a Jacobian.
 *
 * B = R Q: the rows of B (weighted) become, one after the other and in the order given, rows of Q,
 * orthogonal but not normalized (no square roots on the way), and a unit lower triangular R, by
 * Gram-Schmidt with a second pass where the first one cancels.  A row with too little new direction
 * (design rule 5) is left out and keeps only its coefficients. Never B B^T: that squares the condition.
 * Bjorck, Numerical Methods for Least Squares Problems, 2.4.
 *
 * The kernels of a step are inlined: with four states a call would cost as much as the work. */
#ifndef KEEL_LINALG_ROWSPACE_H
#define KEEL_LINALG_ROWSPACE_H

#include <keel/real.h>

/* Before loops that compiled models want written out: they have this header as text after keel/explicit.h. */
#ifdef KEEL_RK_UNROLL
#define ROWSPACE_UNROLL KEEL_RK_UNROLL
#else
#define ROWSPACE_UNROLL
#endif

struct rowspace {
    int rows, width; /* width: a multiple of 4, at least 4; vectors of this width are 32-byte aligned */
    int rank;
    keel_real *q;       /* rows x width: first B, then the basis; a left-out row is zero */
    keel_real *r;       /* rows x rows: B_i = q_i + sum_{j<i} r_ij q_j; of a pair: (B B^T)^-1 */
    keel_real *inverse; /* rows: 1 / |q_i|^2; 0 for a row left out */
    int *used;          /* rows: 1 if row i carries a direction */
    int pair;           /* of rowspace_two_short: q are the directions of the rows, not orthogonal */
};

#ifndef KEEL_LANES
/* Two states at a time, what every 64-bit machine has. */
typedef double rowspace_pair __attribute__((vector_size(16), may_alias));

static inline double rowspace_dot(int width, const double *a, const double *b) {
    const rowspace_pair *x = (const rowspace_pair *)a, *y = (const rowspace_pair *)b;
    rowspace_pair sum = x[0] * y[0] + x[1] * y[1];
    for (int i = 2; i < width / 2; i += 2) sum += x[i] * y[i] + x[i + 1] * y[i + 1];
    return sum[0] + sum[1];
}

/* b := b + factor a */
static inline void rowspace_add(int width, double factor, const double *a, double *b) {
    const rowspace_pair *x = (const rowspace_pair *)a;
    rowspace_pair *y = (rowspace_pair *)b;
    for (int i = 0; i < width / 2; i++) y[i] += factor * x[i];
}

static inline void rowspace_clear(int width, double *a) {
    for (int i = 0; i < width / 2; i++) ((rowspace_pair *)a)[i] = (rowspace_pair){0};
}

/* Numbers that were stored one by one are put together in registers: a wide load of them, right behind, would
 * have to wait. */
static inline void rowspace_join(int width, double *a) {
    for (int i = 0; i < width; i += 2) *(rowspace_pair *)(a + i) = (rowspace_pair){a[i], a[i + 1]};
}

/* Row i of B := row_j scale_j, n entries, padded with zeros.  Two products are put together in a register:
 * a wide load of what was just stored in pieces would have to wait. */
static inline void rowspace_set(struct rowspace *s, int i, int n, const double *row, const double *scale) {
    rowspace_pair *b = (rowspace_pair *)(s->q + (long)i * s->width), *end = b + s->width / 2;
    int j = 0;
    for (; j + 2 <= n; j += 2) *b++ = (rowspace_pair){row[j] * scale[j], row[j + 1] * scale[j + 1]};
    if (j < n) *b++ = (rowspace_pair){row[j] * scale[j], 0};
    while (b < end) *b++ = (rowspace_pair){0};
}

static inline double rowspace_length_short(int width, rowspace_pair a, rowspace_pair b, rowspace_pair c,
                                           rowspace_pair d) {
    rowspace_pair sum = a * a + b * b;
    if (width > 4) sum += c * c + d * d;
    return sum[0] + sum[1];
}

/* Row i with what is left of it, or without. */
static inline void rowspace_enter(int width, struct rowspace *s, int i, double floor_of, double whole,
                                  double left) {
    int used = left > 0 && left >= floor_of * floor_of * whole;
    s->used[i] = used;
    s->rank += used;
    s->inverse[i] = used ? 1 / left : 0;
    if (!used) rowspace_clear(width, s->q + (long)i * width);
}

/* Row i against the earlier ones; it is left out if its share of new direction is below floor_of.  Zero
 * rows are always left out. */
static inline void rowspace_orthogonalize(int width, struct rowspace *s, int i, double floor_of) {
    double *qi = s->q + (long)i * width, *ri = s->r + (long)i * s->rows;
    double whole = rowspace_dot(width, qi, qi), left = whole;
    for (int pass = 0; pass < 2 && i > 0; pass++) {
        for (int j = 0; j < i; j++) {
            const double *qj = s->q + (long)j * width;
            double share = rowspace_dot(width, qj, qi) * s->inverse[j];
            ri[j] = pass ? ri[j] + share : share;
            rowspace_add(width, -share, qj, qi);
        }
        left = rowspace_dot(width, qi, qi);
        if (left >= 0.01 * whole) break; /* else more than a digit cancelled: once more */
    }
    rowspace_enter(width, s, i, floor_of, whole, left);
}

/* The same of 4 or 8 entries, which stay in registers until the row is done. */
static inline void rowspace_orthogonalize_short(int width, struct rowspace *s, int i, double floor_of) {
    rowspace_pair *qi = (rowspace_pair *)(s->q + (long)i * width), a = qi[0], b = qi[1], c = {0}, d = {0};
    double *ri = s->r + (long)i * s->rows;
    if (width > 4) c = qi[2], d = qi[3];
    double whole = rowspace_length_short(width, a, b, c, d), left = whole;
    for (int pass = 0; pass < 2 && i > 0; pass++) {
        for (int j = 0; j < i; j++) {
            const rowspace_pair *qj = (const rowspace_pair *)(s->q + (long)j * width);
            rowspace_pair sum = qj[0] * a + qj[1] * b;
            if (width > 4) sum += qj[2] * c + qj[3] * d;
            double share = (sum[0] + sum[1]) * s->inverse[j];
            ri[j] = pass ? ri[j] + share : share;
            a += -share * qj[0], b += -share * qj[1];
            if (width > 4) c += -share * qj[2], d += -share * qj[3];
        }
        left = rowspace_length_short(width, a, b, c, d);
        if (left >= 0.01 * whole) break;
    }
    if (i > 0) qi[0] = a, qi[1] = b;
    if (i > 0 && width > 4) qi[2] = c, qi[3] = d;
    rowspace_enter(width, s, i, floor_of, whole, left);
}

static inline void rowspace_factor(struct rowspace *s, const double *floor_of) {
    s->rank = s->pair = 0;
    for (int i = 0; i < s->rows; i++) {
        if (s->width == 4) rowspace_orthogonalize_short(4, s, i, floor_of[i]); /* the common cases */
        else if (s->width == 8) rowspace_orthogonalize_short(8, s, i, floor_of[i]);
        else rowspace_orthogonalize(s->width, s, i, floor_of[i]);
    }
}

/* z := R^-1 c, 0 for rows left out. */
static inline void rowspace_coordinates(const struct rowspace *s, const double *c, double *z) {
    for (int i = 0; i < s->rows; i++) {
        const double *ri = s->r + (long)i * s->rows;
        double sum = c[i];
        for (int j = 0; j < i; j++) sum -= ri[j] * z[j];
        z[i] = s->used[i] ? sum : 0;
    }
}

/* d := Q^T |q|^-2 z. */
static inline void rowspace_combination(const struct rowspace *s, const double *z, double *d) {
    for (int k = 0; k < s->width; k += 4) {
        rowspace_pair left = {0}, right = {0};
        for (int i = 0; i < s->rows; i++) {
            const rowspace_pair *q = (const rowspace_pair *)(s->q + (long)i * s->width + k);
            double share = z[i] * s->inverse[i];
            left += share * q[0];
            right += share * q[1];
        }
        ((rowspace_pair *)(d + k))[0] = left;
        ((rowspace_pair *)(d + k))[1] = right;
    }
}
#else
/* The same sums in the same order, one row of lanes for each run.  A row that a run leaves out is zero there,
 * and so is its inverse: it adds nothing to any sum. */
static inline keel_real rowspace_dot(int width, const keel_real *a, const keel_real *b) {
    keel_real even = a[0] * b[0] + a[2] * b[2], odd = a[1] * b[1] + a[3] * b[3];
    ROWSPACE_UNROLL for (int i = 4; i < width; i += 4) {
        even += a[i] * b[i] + a[i + 2] * b[i + 2];
        odd += a[i + 1] * b[i + 1] + a[i + 3] * b[i + 3];
    }
    return even + odd;
}

static inline void rowspace_add(int width, keel_real factor, const keel_real *a, keel_real *b) {
    ROWSPACE_UNROLL for (int i = 0; i < width; i++) b[i] += factor * a[i];
}

static inline void rowspace_join(int width, keel_real *a) {
    (void)width, (void)a;
}

static inline void rowspace_set(struct rowspace *s, int i, int n, const keel_real *row,
                                const keel_real *scale) {
    keel_real *b = s->q + (long)i * s->width;
    ROWSPACE_UNROLL for (int j = 0; j < s->width; j++) b[j] = j < n ? row[j] * scale[j] : keel_lift(0.0);
}

/* One pass of row i, for the runs that want it. */
static inline keel_real rowspace_pass(struct rowspace *s, int i, keel_truth wanted, int again) {
    keel_real *qi = s->q + (long)i * s->width, *ri = s->r + (long)i * s->rows;
    ROWSPACE_UNROLL for (int j = 0; j < i; j++) {
        const keel_real *qj = s->q + (long)j * s->width;
        keel_real share = rowspace_dot(s->width, qj, qi) * s->inverse[j];
        ri[j] = again ? keel_select(wanted, ri[j] + share, ri[j]) : share;
        ROWSPACE_UNROLL for (int k = 0; k < s->width; k++) qi[k] =
            keel_select(wanted, qi[k] + -share * qj[k], qi[k]);
    }
    return rowspace_dot(s->width, qi, qi);
}

static inline void rowspace_factor_lanes(struct rowspace *s, const keel_real *floor_of) {
    s->pair = 0;
    ROWSPACE_UNROLL for (int i = 0; i < s->rows; i++) {
        keel_real *qi = s->q + (long)i * s->width;
        keel_real whole = rowspace_dot(s->width, qi, qi), left = whole;
        if (i > 0) left = rowspace_pass(s, i, keel_always, 0);
        keel_truth cancels = ~(left >= 0.01 * whole);
        if (i > 0 && keel_any(cancels)) left = keel_select(cancels, rowspace_pass(s, i, cancels, 1), left);
        keel_truth used = (left > 0.0) & (left >= floor_of[i] * floor_of[i] * whole);
        s->inverse[i] = keel_select(used, 1.0 / left, keel_lift(0.0));
        if (keel_all(used)) continue;
        ROWSPACE_UNROLL for (int k = 0; k < s->width; k++) qi[k] = keel_select(used, qi[k], keel_lift(0.0));
    }
}

static inline void rowspace_coordinates(const struct rowspace *s, const keel_real *c, keel_real *z) {
    ROWSPACE_UNROLL for (int i = 0; i < s->rows; i++) {
        z[i] = c[i];
        ROWSPACE_UNROLL for (int j = 0; j < i; j++) z[i] -= s->r[i * s->rows + j] * z[j];
    }
}

static inline void rowspace_combination(const struct rowspace *s, const keel_real *z, keel_real *d) {
    ROWSPACE_UNROLL for (int k = 0; k < s->width; k++) d[k] = keel_lift(0.0);
    ROWSPACE_UNROLL for (int i = 0; i < s->rows; i++)
        rowspace_add(s->width, z[i] * s->inverse[i], s->q + (long)i * s->width, d);
}
#endif

/* The shortest d with B d = c for the rows in use; z := R^-1 c. */
static inline void rowspace_shortest(const struct rowspace *s, const keel_real *c, keel_real *z,
                                     keel_real *d) {
    rowspace_coordinates(s, c, z);
    rowspace_combination(s, z, d);
}

/* Of up to four entries. */
static inline keel_real rowspace_dot_short(int n, const keel_real *a, const keel_real *b) {
    keel_real near = n > 1 ? a[0] * b[0] + a[1] * b[1] : a[0] * b[0];
    return n > 3 ? near + (a[2] * b[2] + a[3] * b[3]) : n > 2 ? near + a[2] * b[2] : near;
}

/* Set, factor and shortest at once for two rows g, h of up to four entries, all in registers: with the
 * directions D = scale^2 (g, h)^T, d := D (G D)^-1 c.  0, and nothing is set, if the rows cancel by more than
 * three digits: that is for the general code, which leaves such rows out while it can.  If they do not,
 * G D = B B^T loses six digits of the correction at most, of which one is enough to contract, and with its
 * determinant the way from jacobian to state has one division, beside which all is done
 * that does not need it.  To put entries in pairs would only make that way longer. */
static inline keel_truth rowspace_two_short(struct rowspace *s, int n, const keel_real *g, const keel_real *h,
                                            const keel_real *scale, keel_real c0, keel_real c1,
                                            keel_real *d) {
    keel_real to_g[4] = {0}, to_h[4] = {0};
    ROWSPACE_UNROLL for (int i = 0; i < n; i++) {
        keel_real weight = scale[i] * scale[i];
        to_g[i] = weight * g[i];
        to_h[i] = weight * h[i];
    }
    keel_real length = rowspace_dot_short(n, g, to_g), whole = rowspace_dot_short(n, h, to_h);
    keel_real cross = rowspace_dot_short(n, g, to_h), area = length * whole;
    keel_real determinant = area - cross * cross, reciprocal = 1.0 / determinant;
    keel_truth good = keel_and(determinant >= 1e-6 * area, keel_and(area > 1e-200, area < 1e200));
#ifndef KEEL_LANES /* where the way round costs more than what it spares */
    if (!good) return good;
#endif
    keel_real along = c0 * whole - c1 * cross, across = c1 * length - c0 * cross;
    ROWSPACE_UNROLL for (int i = 0; i < 4; i++) {
        d[i] = reciprocal * (along * to_g[i] + across * to_h[i]);
        s->q[i] = to_g[i];
        s->q[4 + i] = to_h[i];
    }
    s->r[0] = reciprocal * whole, s->r[3] = reciprocal * length;
    s->r[1] = s->r[2] = -reciprocal * cross;
    s->used[0] = s->used[1] = 1;
    s->rank = 2;
    s->pair = 1;
    return good;
}

/* After it: e := e - D (G D)^-1 G e. */
static inline void rowspace_two_tangent(const struct rowspace *s, int n, const keel_real *g,
                                        const keel_real *h, keel_real *e) {
    keel_real along = rowspace_dot_short(n, g, e), across = rowspace_dot_short(n, h, e);
    keel_real first = s->r[0] * along + s->r[1] * across, second = s->r[2] * along + s->r[3] * across;
    ROWSPACE_UNROLL for (int i = 0; i < n; i++) e[i] -= first * s->q[i] + second * s->q[4 + i];
}

/* d := the part of d that no row in use sees. */
static inline void rowspace_tangent(const struct rowspace *s, keel_real *d) {
    ROWSPACE_UNROLL for (int i = 0; i < s->rows; i++) {
        const keel_real *qi = s->q + (long)i * s->width;
        rowspace_add(s->width, -rowspace_dot(s->width, qi, d) * s->inverse[i], qi, d);
    }
}
/* z := Q d. */
static inline void rowspace_components(const struct rowspace *s, const keel_real *d, keel_real *z) {
    for (int i = 0; i < s->rows; i++) z[i] = rowspace_dot(s->width, s->q + (long)i * s->width, d);
}
#ifndef KEEL_LANES
/* R^T c = z over the first `count` rows, as far as they are in use, from the last to the first, in place. */
static inline void rowspace_solve_transposed(const struct rowspace *s, int count, double *z) {
    for (int i = count - 1; i >= 0; i--)
        for (int k = i + 1; k < count; k++)
            if (s->used[k]) z[i] -= s->r[(long)k * s->rows + i] * z[k];
}
/* With d = Q^T |q|^-2 z = B^T c: z := c.  Rows left out have 0. */
static inline void rowspace_coefficients(const struct rowspace *s, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] *= s->inverse[i];
    rowspace_solve_transposed(s, s->rows, z);
    for (int i = 0; i < s->rows; i++) z[i] = s->used[i] ? z[i] : 0;
}
#else
/* The same of rows that are all in use: runs that leave one out do not go on in their lanes. */
static inline void rowspace_coefficients(const struct rowspace *s, keel_real *z) {
    for (int i = 0; i < s->rows; i++) z[i] *= s->inverse[i];
    for (int i = s->rows - 1; i >= 0; i--)
        for (int k = i + 1; k < s->rows; k++) z[i] -= s->r[(long)k * s->rows + i] * z[k];
}
#endif
/* Row i, left out, as a combination of earlier rows in use: B_i = sum_j c_j B_j. */
void rowspace_dependence(const struct rowspace *s, int i, double *c);
#endif
