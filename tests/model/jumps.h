/* jumps.h - random mode changes of linear differential-algebraic equations, with the state after them.
 *
 *     order 1:  R (E x' + K x - B y) = 0          before: y = 0, after: C x = r
 *     order 2:  R (E x'' + D x' + K x - B y) = 0
 *
 * R mixes the rows.  Just after the change x+ = x + E^-1 B p with C x+ = r; for order 2 in the velocities,
 * E dv + D dx = B p with C v+ = 0.  Rows N with N B = 0 give N E x (and N K = 0: an invariant). */
#ifndef KEEL_TESTS_JUMPS_H
#define KEEL_TESTS_JUMPS_H

#include "switched.h"

#include <stdarg.h>

enum { JUMPS_MOST = 6 };

struct jumps {
    struct switched s;                                  /* the generator and the text */
    int n, k, order, kept;                              /* kept: the text has the invariants N E x */
    double before[2][JUMPS_MOST], after[2][JUMPS_MOST]; /* place, velocity */
    double unit[JUMPS_MOST], size[2];                   /* sizes in these units */
    double invariant[JUMPS_MOST][JUMPS_MOST];           /* N E */
    int invariants;
};

/* a x = b by elimination with the largest pivot, columns of b; the smallest pivot. */
static inline double jumps_solve(int n, double a[][JUMPS_MOST], int columns, double b[][JUMPS_MOST]) {
    double least = HUGE_VAL;
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[p][c])) p = i;
        least = fmin(least, fabs(a[p][c]));
        if (a[p][c] == 0) return 0;
        for (int j = 0; j < n; j++) {
            double keep = a[c][j];
            a[c][j] = a[p][j], a[p][j] = keep;
        }
        for (int j = 0; j < columns; j++) {
            double keep = b[c][j];
            b[c][j] = b[p][j], b[p][j] = keep;
        }
        for (int i = 0; i < n; i++) {
            double f = i == c ? 0 : a[i][c] / a[c][c];
            for (int j = c; j < n && f != 0; j++) a[i][j] -= f * a[c][j];
            for (int j = 0; j < columns && f != 0; j++) b[i][j] -= f * b[c][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) b[i][j] /= a[i][i];
    return least;
}

__attribute__((format(printf, 2, 3))) static inline void jumps_print(struct jumps *j, const char *format,
                                                                     ...) {
    size_t at = strlen(j->s.text);
    va_list args;
    va_start(args, format);
    vsnprintf(j->s.text + at, sizeof j->s.text - at, format, args);
    va_end(args);
}

/* + row[c]*NAMEc, with a mark for the derivative. */
static inline void jumps_sum(struct jumps *j, int count, const double *row, const char *name,
                             const char *mark) {
    for (int c = 0; c < count; c++)
        if (row[c] != 0) jumps_print(j, " + %.17g*%s%d%s", row[c], name, c + 1, mark);
}

/* out = E^-1 B p for the p that makes C (x + out) = r; shift: E out = B p - shift.  0: ill conditioned. */
static inline int jumps_impulse(int n, int k, double E[][JUMPS_MOST], double B[][JUMPS_MOST],
                                double C[][JUMPS_MOST], const double *x, const double *r, const double *shift,
                                double *out) {
    double e[JUMPS_MOST][JUMPS_MOST], b[JUMPS_MOST][JUMPS_MOST] = {{0}}, c[JUMPS_MOST][JUMPS_MOST],
                                      p[JUMPS_MOST][JUMPS_MOST] = {{0}};
    memcpy(e, E, sizeof e);
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < k; l++) b[i][l] = B[i][l];
        b[i][k] = -shift[i];
    }
    if (jumps_solve(n, e, k + 1, b) < 0.2) return 0;
    for (int i = 0; i < k; i++) {
        p[i][0] = r[i];
        for (int l = 0; l < k; l++) c[i][l] = 0;
        for (int m = 0; m < n; m++) {
            p[i][0] -= C[i][m] * (x[m] + b[m][k]);
            for (int l = 0; l < k; l++) c[i][l] += C[i][m] * b[m][l];
        }
    }
    if (jumps_solve(k, c, 1, p) < 0.2) return 0;
    for (int m = 0; m < n; m++) {
        out[m] = b[m][k];
        for (int l = 0; l < k; l++) out[m] += b[m][l] * p[l][0];
    }
    return 1;
}

static inline double jumps_entry(struct jumps *j, double zeros) {
    return switched_uniform(&j->s, 0, 1) < zeros ? 0 : switched_number(&j->s, -2, 2);
}

struct jumps_matrices {
    double E[JUMPS_MOST][JUMPS_MOST], D[JUMPS_MOST][JUMPS_MOST], K[JUMPS_MOST][JUMPS_MOST],
        B[JUMPS_MOST][JUMPS_MOST], C[JUMPS_MOST][JUMPS_MOST], R[JUMPS_MOST][JUMPS_MOST];
    double r[JUMPS_MOST], unit[JUMPS_MOST];
};

/* v freed of what lies along the unit vectors of a basis, twice; its length. */
static inline double jumps_free(int n, int count, double basis[][JUMPS_MOST], double *v) {
    double length = 0;
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < count; k++) {
            double along = 0;
            for (int i = 0; i < n; i++) along += basis[k][i] * v[i];
            for (int i = 0; i < n; i++) v[i] -= along * basis[k][i];
        }
    for (int i = 0; i < n; i++) length = hypot(length, v[i]);
    for (int i = 0; i < n; i++) v[i] /= length > 0 ? length : 1;
    return length;
}

/* The rows N E with N B = 0. */
static inline void jumps_invariants(struct jumps *j, struct jumps_matrices *m) {
    double basis[JUMPS_MOST][JUMPS_MOST] = {{0}};
    int count = 0;
    for (int l = 0; l < j->k; l++) {
        for (int i = 0; i < j->n; i++) basis[count][i] = m->B[i][l];
        count += jumps_free(j->n, count, basis, basis[count]) > 1e-6;
    }
    for (int k = 0; k < j->n && count < j->n; k++) {
        for (int i = 0; i < j->n; i++) basis[count][i] = i == k;
        if (jumps_free(j->n, count, basis, basis[count]) < 0.3) continue;
        for (int c = 0; c < j->n; c++) {
            double sum = 0;
            for (int i = 0; i < j->n; i++) sum += basis[count][i] * m->E[i][c];
            j->invariant[j->invariants][c] = fabs(sum) * m->unit[c] < 1e-12 ? 0 : sum;
        }
        j->invariants++;
        count++;
    }
}

static inline void jumps_fill(struct jumps *j, struct jumps_matrices *m, int moves) {
    struct switched *s = &j->s;
    int n = j->n, full = switched_below(s, 2), mixed = switched_below(s, 2),
        units = switched_below(s, 3) == 0;
    for (int i = 0; i < n; i++) {
        m->unit[i] = units ? pow(10, switched_below(s, 7) - 3) : 1;
        for (int c = 0; c < n; c++) {
            m->E[i][c] = i == c ? switched_number(s, 0.5, 4) : full ? jumps_entry(j, 0.6) : 0;
            m->D[i][c] = j->kept || j->order == 1 ? 0 : jumps_entry(j, 0.7);
            m->K[i][c] = j->kept ? 0 : jumps_entry(j, 0.7);
            m->R[i][c] = i == c ? 1 : mixed ? jumps_entry(j, 0.7) : 0;
        }
        for (int l = 0; l < j->k; l++) m->B[i][l] = jumps_entry(j, 0.3);
        for (int o = 0; o < 2; o++) j->before[o][i] = switched_below(s, 3) ? switched_number(s, -4, 4) : 0;
    }
    for (int i = 0; i < j->k; i++) {
        for (int c = 0; c < n; c++) m->C[i][c] = jumps_entry(j, 0.3);
        m->r[i] = moves ? switched_number(s, -2, 2) : 0;
        for (int c = 0; c < n && !moves; c++) m->r[i] += m->C[i][c] * j->before[0][c];
    }
}

/* The state after the change; 0: too badly conditioned to be a test. */
static inline int jumps_answer(struct jumps *j, struct jumps_matrices *m, int moves) {
    double test[JUMPS_MOST][JUMPS_MOST], none[JUMPS_MOST][JUMPS_MOST] = {{0}};
    double zero[JUMPS_MOST] = {0}, shift[JUMPS_MOST] = {0}, d[2][JUMPS_MOST] = {{0}};
    memcpy(test, m->R, sizeof test);
    if (jumps_solve(j->n, test, 0, none) < 0.2) return 0;
    if (!jumps_impulse(j->n, j->k, m->E, m->B, m->C, j->before[0], m->r, zero, d[0])) return 0;
    if (!moves) memset(d[0], 0, sizeof d[0]);
    for (int i = 0; i < j->n; i++)
        for (int c = 0; c < j->n; c++) shift[i] += m->D[i][c] * d[0][c];
    if (j->order == 2 && !jumps_impulse(j->n, j->k, m->E, m->B, m->C, j->before[1], zero, shift, d[1]))
        return 0;
    for (int o = 0; o < 2; o++) {
        j->size[o] = 1;
        for (int i = 0; i < j->n; i++) {
            j->after[o][i] = j->before[o][i] + d[o][i];
            j->size[o] = fmax(j->size[o], fabs(d[o][i]) + fabs(j->after[o][i]));
        }
    }
    return j->size[0] < 100 && j->size[1] < 100;
}

/* x_i by unit_i, as if one had taken volts for millivolts. */
static inline void jumps_units(struct jumps *j, struct jumps_matrices *m) {
    for (int c = 0; c < j->n; c++) {
        for (int i = 0; i < j->n; i++)
            m->E[i][c] /= m->unit[c], m->D[i][c] /= m->unit[c], m->K[i][c] /= m->unit[c];
        for (int i = 0; i < j->k; i++) m->C[i][c] /= m->unit[c];
        for (int o = 0; o < 2; o++) j->before[o][c] *= m->unit[c], j->after[o][c] *= m->unit[c];
    }
}

static inline void jumps_mix(int n, double R[][JUMPS_MOST], double a[][JUMPS_MOST]) {
    double out[JUMPS_MOST][JUMPS_MOST] = {{0}};
    for (int i = 0; i < n; i++)
        for (int c = 0; c < JUMPS_MOST; c++)
            for (int l = 0; l < n; l++) out[i][c] += R[i][l] * a[l][c];
    memcpy(a, out, sizeof out);
}

static inline void jumps_write(struct jumps *j, struct jumps_matrices *m) {
    const char *mark = j->order == 1 ? "'" : "''", *kept = j->order == 1 ? "" : "'";
    j->s.text[0] = '\0';
    for (int i = 0; i < j->n; i++) jumps_print(j, "%sx%d", i ? ", " : "var ", i + 1);
    for (int l = 0; l < j->k; l++) jumps_print(j, ", y%d", l + 1);
    for (int k = 0; k < j->invariants && j->kept; k++) {
        jumps_print(j, "\ninvariant I%d = 0", k + 1);
        jumps_sum(j, j->n, j->invariant[k], "x", kept);
    }
    jumps_print(j, "\nmode first:\n");
    for (int i = 0; i < j->n; i++) jumps_print(j, "    x%d%s = 0\n", i + 1, mark);
    for (int l = 0; l < j->k; l++) jumps_print(j, "    y%d = 0\n", l + 1);
    jumps_print(j, "    event change: t - 1 rising -> mode second\nmode second:\n");
    jumps_mix(j->n, m->R, m->E), jumps_mix(j->n, m->R, m->D);
    jumps_mix(j->n, m->R, m->K), jumps_mix(j->n, m->R, m->B);
    for (int i = 0; i < j->n; i++) {
        jumps_print(j, "    0");
        jumps_sum(j, j->n, m->E[i], "x", mark);
        jumps_sum(j, j->n, m->D[i], "x", "'");
        jumps_sum(j, j->n, m->K[i], "x", "");
        jumps_print(j, " = 0");
        jumps_sum(j, j->k, m->B[i], "y", "");
        jumps_print(j, "\n");
    }
    for (int i = 0; i < j->k; i++) {
        jumps_print(j, "    0");
        jumps_sum(j, j->n, m->C[i], "x", "");
        jumps_print(j, " = %.17g\n", m->r[i]);
    }
    jumps_print(j, "start first\nrun 0 .. 2\n");
    for (int i = 0; i < j->n; i++) {
        double x = j->before[0][i] - (j->order == 2 ? j->before[1][i] : 0);
        jumps_print(j, "init x%d = %.17g\n", i + 1, x);
        if (j->order == 2) jumps_print(j, "init x%d' = %.17g\n", i + 1, j->before[1][i]);
    }
}

static inline void jumps_make(struct jumps *j, uint64_t seed) {
    struct jumps_matrices m;
    int good = 0;
    memset(j, 0, sizeof *j);
    j->s.state = seed * 0x2545f4914f6cdd1du + 7;
    while (!good) {
        memset(&m, 0, sizeof m);
        j->n = 2 + switched_below(&j->s, 4), j->k = 1 + switched_below(&j->s, j->n - 1);
        j->order = 1 + switched_below(&j->s, 2), j->kept = switched_below(&j->s, 2);
        int moves = j->order == 1 || switched_below(&j->s, 3) == 0; /* positions jump, too */
        jumps_fill(j, &m, moves);
        good = jumps_answer(j, &m, moves);
    }
    jumps_units(j, &m);
    memcpy(j->unit, m.unit, sizeof j->unit);
    jumps_invariants(j, &m);
    jumps_write(j, &m);
}
#endif
