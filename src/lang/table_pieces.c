/* table_pieces.c - see table_pieces.h.
 *
 * h_i = x_i+1 - x_i, d_i = (y_i+1 - y_i)/h_i.  A cubic piece has the slopes m_i and m_i+1 at its ends:
 *
 *     y_i + m_i s + (3 d_i - 2 m_i - m_i+1)/h_i s^2 + (m_i + m_i+1 - 2 d_i)/h_i^2 s^3.
 *
 * For means d_i is the value of row i itself, and the table the derivative of that. */
#include "lang/table_pieces.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

struct pieces {
    size_t n; /* rows */
    const double *x;
    double *h, *d, *m; /* n - 1, n - 1, n */
    int periodic;
};

size_t table_pieces_size(size_t rows) {
    return TABLE_ROW * (rows + 1);
}

/* pchip ------------------------------------------------------------------------------------------------- */

/* Between two pieces: a harmonic mean, 0 at an extremum. */
static double mean_slope(double h0, double d0, double h1, double d1) {
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
}

/* At an end: of the parabola through three rows, as far as that keeps the shape. */
static double end_slope(double h0, double d0, double h1, double d1) {
    double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0) return 0;
    return d0 * d1 <= 0 && fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

static void pchip(struct pieces *p) {
    size_t last = p->n - 1;
    for (size_t i = 1; i < last; i++) p->m[i] = mean_slope(p->h[i - 1], p->d[i - 1], p->h[i], p->d[i]);
    if (p->periodic) p->m[0] = p->m[last] = mean_slope(p->h[last - 1], p->d[last - 1], p->h[0], p->d[0]);
    else if (p->n == 2) p->m[0] = p->m[1] = p->d[0];
    else {
        p->m[0] = end_slope(p->h[0], p->d[0], p->h[1], p->d[1]);
        p->m[last] = end_slope(p->h[last - 1], p->d[last - 1], p->h[last - 2], p->d[last - 2]);
    }
}

/* spline ------------------------------------------------------------------------------------------------ */

/* below_i m_i-1 + middle_i m_i + above_i m_i+1 = m_i, solved in place. */
static void three_diagonals(size_t n, const double *below, double *middle, double *above, double *m) {
    for (size_t i = 1; i < n; i++) {
        double factor = below[i] / middle[i - 1];
        middle[i] -= factor * above[i - 1];
        m[i] -= factor * m[i - 1];
    }
    m[n - 1] /= middle[n - 1];
    for (size_t i = n - 1; i-- > 0;) m[i] = (m[i] - above[i] * m[i + 1]) / middle[i];
}

/* Row i between the pieces j and i: h_i m_i-1 + 2 (h_j + h_i) m_i + h_j m_i+1 = 3 (h_i d_j + h_j d_i). */
static void inner_row(const struct pieces *p, size_t j, size_t i, double *below, double *middle,
                      double *above, double *m) {
    *below = p->h[i];
    *middle = 2 * (p->h[j] + p->h[i]);
    *above = p->h[j];
    *m = 3 * (p->h[i] * p->d[j] + p->h[j] * p->d[i]);
}

/* The third derivative does not jump at the second row: the end piece goes on through it. */
static void end_row(double h0, double d0, double h1, double d1, double *end, double *beside, double *m) {
    double both = h0 + h1;
    *end = h1;
    *beside = both;
    *m = ((h0 + 2 * both) * h1 * d0 + h0 * h0 * d1) / both;
}

/* The corners of a periodic system are taken off and put back by Sherman and Morrison: A = T + u v^T. */
static void periodic_spline(const struct pieces *p, double *below, double *middle, double *above,
                            double *again) {
    size_t n = p->n - 1;
    double *m = p->m, *copy = again + n;
    for (size_t i = 0; i < n; i++)
        inner_row(p, i ? i - 1 : n - 1, i, &below[i], &middle[i], &above[i], &m[i]);
    if (n == 1) m[0] = 0;
    else if (n == 2) {
        double a = below[0] + above[0], b = below[1] + above[1], det = middle[0] * middle[1] - a * b,
               first = m[0];
        m[0] = (first * middle[1] - a * m[1]) / det;
        m[1] = (middle[0] * m[1] - b * first) / det;
    } else {
        double left = below[0], right = above[n - 1], gamma = -middle[0];
        middle[0] -= gamma;
        middle[n - 1] -= left * right / gamma;
        for (size_t i = 0; i < n; i++)
            again[i] = i == 0 ? gamma : i == n - 1 ? right : 0, copy[i] = middle[i];
        three_diagonals(n, below, middle, above, m);
        three_diagonals(n, below, copy, above, again);
        double share = (m[0] + left / gamma * m[n - 1]) / (1 + again[0] + left / gamma * again[n - 1]);
        for (size_t i = 0; i < n; i++) m[i] -= share * again[i];
    }
    m[n] = m[0];
}

static int spline(const struct pieces *p) {
    size_t n = p->n;
    if (n < 4 && !p->periodic) { /* a line, a parabola */
        double curve = n == 3 ? (p->d[1] - p->d[0]) / (p->h[0] + p->h[1]) : 0;
        p->m[0] = p->d[0] - curve * p->h[0];
        p->m[1] = p->d[0] + curve * p->h[0];
        if (n == 3) p->m[2] = p->d[1] + curve * p->h[1];
        return 1;
    }
    double *work = malloc(5 * n * sizeof *work), *below = work, *middle = below + n, *above = middle + n;
    if (!work) return -1;
    if (p->periodic) periodic_spline(p, below, middle, above, above + n);
    else {
        for (size_t i = 1; i + 1 < n; i++) inner_row(p, i - 1, i, &below[i], &middle[i], &above[i], &p->m[i]);
        end_row(p->h[0], p->d[0], p->h[1], p->d[1], &middle[0], &above[0], &p->m[0]);
        end_row(p->h[n - 2], p->d[n - 2], p->h[n - 3], p->d[n - 3], &middle[n - 1], &below[n - 1],
                &p->m[n - 1]);
        three_diagonals(n, below, middle, above, p->m);
    }
    free(work);
    return 1;
}

/* All -------------------------------------------------------------------------------------------------- */

static void write_piece(const struct pieces *p, const double *y, enum table_by by, size_t i, double *row) {
    double h = p->h[i], d = p->d[i], m = p->m[i], next = p->m[i + 1];
    double square = (3 * d - 2 * m - next) / h, cube = (m + next - 2 * d) / (h * h);
    row[TABLE_KNOT] = p->x[i];
    row[TABLE_RATE] = 1 / h;
    row[2] = by == TABLE_BY_MEAN ? m : y[i];
    row[3] = by == TABLE_BY_HOLD ? 0 : by == TABLE_BY_LINEAR ? d : by == TABLE_BY_MEAN ? 2 * square : m;
    row[4] = by == TABLE_BY_MEAN ? 3 * cube : by == TABLE_BY_PCHIP || by == TABLE_BY_SPLINE ? square : 0;
    row[5] = by == TABLE_BY_PCHIP || by == TABLE_BY_SPLINE ? cube : 0;
}

static void write_head(const struct pieces *p, enum table_by by, enum table_outside outside, double *out) {
    static const double degree[] = {0, 1, 3, 3, 2}, smooth[] = {-1, 0, 1, 2, 0};
    out[TABLE_PIECES] = (double)(p->n - 1);
    out[TABLE_OUTSIDE] = outside;
    out[TABLE_DEGREE] = degree[by];
    out[TABLE_PERIOD] = p->x[p->n - 1] - p->x[0];
    out[TABLE_SMOOTH] = outside == TABLE_HOLDS ? fmin(smooth[by], 0) : smooth[by];
    out[TABLE_SMOOTH + 1] = 0;
}

static int write_all(const struct pieces *p, const struct table_rows *rows, enum table_by by, double *out,
                     char *why, size_t capacity) {
    size_t n = p->n;
    for (size_t i = 0; i + 1 < n; i++) {
        double *row = out + TABLE_ROW * (i + 1);
        write_piece(p, rows->y, by, i, row);
        for (int k = 0; k < TABLE_ROW; k++)
            if (!isfinite(row[k]))
                return text_no(why, capacity, "has rows too close to each other, at %.15g and %.15g",
                               rows->x[i], rows->x[i + 1]);
    }
    double *end = out + TABLE_ROW * n;
    for (int k = 0; k < TABLE_ROW; k++) end[k] = 0;
    end[TABLE_KNOT] = rows->x[n - 1];
    end[TABLE_FIRST] = by == TABLE_BY_MEAN ? p->m[n - 1] : rows->y[n - 1];
    return 1;
}

int table_pieces(const struct table_rows *rows, enum table_by by, enum table_outside outside, double *out,
                 char *why, size_t capacity) {
    size_t n = rows->count;
    int through = by == TABLE_BY_LINEAR || by == TABLE_BY_PCHIP || by == TABLE_BY_SPLINE;
    if (outside == TABLE_REPEATS && through && rows->y[0] != rows->y[n - 1])
        return text_no(
            why, capacity,
            "repeats, and its first value, %.15g, is not its last, %.15g: it would jump there; the last "
            "row is the first one of the next turn",
            rows->y[0], rows->y[n - 1]);
    double *work = malloc(3 * n * sizeof *work);
    if (!work) return -1;
    struct pieces p = {n, rows->x, work, work + n, work + 2 * n, outside == TABLE_REPEATS};
    for (size_t i = 0; i + 1 < n; i++) {
        p.h[i] = rows->x[i + 1] - rows->x[i];
        p.d[i] = by == TABLE_BY_MEAN ? rows->y[i] : (rows->y[i + 1] - rows->y[i]) / p.h[i];
    }
    int good = 1;
    if (by == TABLE_BY_SPLINE) good = spline(&p);
    else pchip(&p);
    write_head(&p, by, outside, out);
    if (good > 0) good = write_all(&p, rows, by, out, why, capacity);
    free(work);
    return good;
}
