/* motion.c - see motion.h. */
#include "peers/motion.h"

#include <math.h>
#include <string.h>

int motion_begin(struct motion *m, const struct bench_case *c) {
    const keel_problem *p = c->keel;
    *m = (struct motion){.c = c, .p = p, .nq = p->n / 2, .k = p->constraint.count};
    int dense = !p->constraint.pattern && !p->mass.pattern;
    return !dense || m->nq > MOTION_Q || m->k > MOTION_K || p->form != KEEL_MECHANICS || !p->curvature ? -1
                                                                                                       : 0;
}

int motion_eliminate(int n, double *a, double *b) {
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(a[i * n + j]) > fabs(a[best * n + j])) best = i;
        if (a[best * n + j] == 0) return -1;
        for (int c = 0; c < n && best != j; c++) {
            double exchange = a[j * n + c];
            a[j * n + c] = a[best * n + c];
            a[best * n + c] = exchange;
        }
        double exchange = b[j];
        b[j] = b[best];
        b[best] = exchange;
        for (int i = j + 1; i < n; i++) {
            double factor = a[i * n + j] / a[j * n + j];
            if (factor == 0) continue;
            for (int c = j; c < n; c++) a[i * n + c] -= factor * a[j * n + c];
            b[i] -= factor * b[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) b[i] -= a[i * n + c] * b[c];
        b[i] /= a[i * n + i];
    }
    return 0;
}

int motion_mass(struct motion *m, double t, const double *u) {
    if (m->p->mass.value) return m->p->mass.value(t, u, m->mass, m->p->user);
    memset(m->mass, 0, sizeof m->mass);
    for (int i = 0; i < m->nq; i++) m->mass[i * m->nq + i] = 1;
    return 0;
}

int motion_rows(struct motion *m, double t, const double *u) {
    return m->p->constraint.jacobian(t, u, m->rows, m->p->user);
}

int motion_accelerations(struct motion *m, double t, const double *u, double *a_lambda) {
    const keel_problem *p = m->p;
    int nq = m->nq, k = m->k, n = nq + k;
    double system[(MOTION_Q + MOTION_K) * (MOTION_Q + MOTION_K)];
    if (motion_mass(m, t, u) || motion_rows(m, t, u) || p->f.value(t, u, a_lambda, p->user) ||
        p->curvature(t, u, a_lambda + nq, p->user))
        return 1;
    memset(system, 0, sizeof system);
    for (int i = 0; i < nq; i++) memcpy(system + i * n, m->mass + i * nq, (size_t)nq * sizeof(double));
    for (int r = 0; r < k; r++) {
        a_lambda[nq + r] = -a_lambda[nq + r];
        for (int i = 0; i < nq; i++) system[i * n + nq + r] = system[(nq + r) * n + i] = m->rows[r * nq + i];
    }
    return motion_eliminate(n, system, a_lambda);
}

int motion_shorten(const struct motion *m, double *residual_of_rows, double *x) {
    int nq = m->nq, k = m->k;
    double square[MOTION_K * MOTION_K];
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int c = 0; c < nq; c++) sum += m->rows[i * nq + c] * m->rows[j * nq + c];
            square[i * k + j] = sum;
        }
    if (motion_eliminate(k, square, residual_of_rows)) return 1;
    for (int c = 0; c < nq; c++)
        for (int i = 0; i < k; i++) x[c] -= m->rows[i * nq + c] * residual_of_rows[i];
    return 0;
}

int motion_shorten_rate(const struct motion *m, double *v) {
    double speed[MOTION_K];
    for (int i = 0; i < m->k; i++) {
        speed[i] = 0;
        for (int c = 0; c < m->nq; c++) speed[i] += m->rows[i * m->nq + c] * v[c];
    }
    return motion_shorten(m, speed, v);
}
