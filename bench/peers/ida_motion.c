/* ida_motion.c - small mechanics for IDA, with dense matrices: y = (q, v, lambda, mu). */
#include "peers/ida.h"
#include "peers/motion.h"

#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int residual(double t, const double *y, const double *dy, double *out, struct motion *m) {
    const keel_problem *p = m->p;
    int nq = m->nq, k = m->k;
    m->evaluations++;
    const double *v = y + nq, *lambda = y + 2 * nq, *mu = lambda + k;
    if (motion_mass(m, t, y) || motion_rows(m, t, y) || p->f.value(t, y, m->force, p->user)) return 1;
    for (int i = 0; i < nq; i++) {
        double position = dy[i] - v[i], force = -m->force[i];
        for (int j = 0; j < nq; j++) force += m->mass[i * nq + j] * dy[nq + j];
        for (int r = 0; r < k; r++) {
            position += m->rows[r * nq + i] * mu[r];
            force += m->rows[r * nq + i] * lambda[r];
        }
        out[i] = position;
        out[nq + i] = force;
    }
    if (p->constraint.value(t, y, out + 2 * nq, p->user)) return 1;
    for (int r = 0; r < k; r++) {
        double speed = 0;
        for (int i = 0; i < nq; i++) speed += m->rows[r * nq + i] * v[i];
        out[2 * nq + k + r] = speed;
    }
    return 0;
}

static int motion_residual(realtype t, N_Vector y, N_Vector dy, N_Vector out, void *motion) {
    return residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), N_VGetArrayPointer(out), motion);
}

/* What is linear is written down, the rest is differences. */
static int motion_jacobian(realtype t, realtype c, N_Vector vy, N_Vector vdy, N_Vector vr, SUNMatrix matrix,
                           void *motion, N_Vector a1, N_Vector a2, N_Vector a3) {
    (void)a1, (void)a2, (void)a3;
    struct motion *m = motion;
    int nq = m->nq, k = m->k, all = 2 * nq + 2 * k;
    double *y = m->plain, *dy = N_VGetArrayPointer(vdy), *r = N_VGetArrayPointer(vr);
    memcpy(y, N_VGetArrayPointer(vy), (size_t)all * sizeof *y);
    SUNMatZero(matrix);
    for (int j = 0; j < 2 * nq; j++) {
        double there = y[j], step = sqrt(DBL_EPSILON) * fmax(fabs(there), 1e-3);
        realtype *column = SUNDenseMatrix_Column(matrix, j);
        y[j] = there + step;
        step = y[j] - there;
        if (residual(t, y, dy, m->moved, m)) return 1;
        for (int i = 0; i < all; i++) column[i] = (m->moved[i] - r[i]) / step;
        y[j] = there;
    }
    if (motion_mass(m, t, y) || motion_rows(m, t, y)) return 1;
    for (int i = 0; i < nq; i++) {
        SM_ELEMENT_D(matrix, i, i) += c;
        for (int j = 0; j < nq; j++) SM_ELEMENT_D(matrix, nq + i, nq + j) += c * m->mass[i * nq + j];
        for (int s = 0; s < k; s++) {
            SM_ELEMENT_D(matrix, i, 2 * nq + k + s) = m->rows[s * nq + i];
            SM_ELEMENT_D(matrix, nq + i, 2 * nq + s) = m->rows[s * nq + i];
        }
    }
    return 0;
}

/* Multipliers come from the accelerations. */
static int motion_start(void *motion, double *y, double *dy, double *what) {
    struct motion *m = motion;
    int nq = m->nq, k = m->k;
    double a_lambda[MOTION_Q + MOTION_K];
    memset(y, 0, (size_t)(2 * nq + 2 * k) * sizeof *y);
    memset(dy, 0, (size_t)(2 * nq + 2 * k) * sizeof *dy);
    memcpy(y, m->p->u0, 2 * (size_t)nq * sizeof *y);
    if (motion_accelerations(m, m->p->t0, y, a_lambda)) return -1;
    memcpy(y + 2 * nq, a_lambda + nq, (size_t)k * sizeof *y);
    memcpy(dy, y + nq, (size_t)nq * sizeof *dy);
    memcpy(dy + nq, a_lambda, (size_t)nq * sizeof *dy);
    for (int i = 0; i < 2 * nq + 2 * k; i++) what[i] = i < 2 * nq;
    m->evaluations = 0;
    return 0;
}

static void motion_state(void *motion, const double *y, double *u) {
    memcpy(u, y, 2 * (size_t)((struct motion *)motion)->nq * sizeof *u);
}

static long motion_evaluations(void *motion) {
    return ((struct motion *)motion)->evaluations;
}

int ida_motion_form(struct ida_form *f, const struct bench_case *c) {
    struct motion *m = calloc(1, sizeof *m);
    if (!m || motion_begin(m, c)) {
        free(m);
        return -1;
    }
    *f = (struct ida_form){.all = 2 * m->nq + 2 * m->k,
                           .residual = motion_residual,
                           .jacobian = motion_jacobian,
                           .start = motion_start,
                           .state = motion_state,
                           .evaluations = motion_evaluations,
                           .data = m};
    return 0;
}
