/* ida.c - IDA on constrained mechanics in the form stabilised after Gear, Gupta and Leimkuhler,
 *     q' = v - G^T mu,  M v' = F - G^T lambda,  0 = g,  0 = G v. */
#include "peers/motion.h"
#include "peers/sundials.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of multipliers: their errors grow like 1/h, and with any real tolerance IDA ends at the first step. */
#define NO_TOLERANCE 1e8

struct sundials_ida {
    struct motion m;
    double y[MOTION_ALL], dy[MOTION_ALL], id[MOTION_ALL], atol[MOTION_ALL];
    SUNContext context;
    void *solver;
    N_Vector vy, vdy, vid, tolerance;
    SUNMatrix matrix;
    SUNLinearSolver linear;
};

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

static int ida_residual(realtype t, N_Vector y, N_Vector dy, N_Vector out, void *motion) {
    return residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), N_VGetArrayPointer(out), motion);
}

/* d residual / d y + c d residual / d y': what is linear is written down, the rest is differences. */
static int ida_jacobian(realtype t, realtype c, N_Vector vy, N_Vector vdy, N_Vector vr, SUNMatrix matrix,
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

/* Values and rates at the start; multipliers from the accelerations there. */
static int begin(struct sundials_ida *s) {
    struct motion *m = &s->m;
    int nq = m->nq, k = m->k;
    double a_lambda[MOTION_Q + MOTION_K];
    memset(s->y, 0, sizeof s->y);
    memset(s->dy, 0, sizeof s->dy);
    memcpy(s->y, m->p->u0, 2 * (size_t)nq * sizeof *s->y);
    if (motion_accelerations(m, m->p->t0, s->y, a_lambda)) return -1;
    memcpy(s->y + 2 * nq, a_lambda + nq, (size_t)k * sizeof *s->y);
    memcpy(s->dy, s->y + nq, (size_t)nq * sizeof *s->dy);
    memcpy(s->dy + nq, a_lambda, (size_t)nq * sizeof *s->dy);
    m->evaluations = 0;
    return 0;
}

struct sundials_ida *sundials_ida_open(const struct course *c, double rtol) {
    struct sundials_ida *s = calloc(1, sizeof *s);
    if (!s || motion_begin(&s->m, c) || begin(s)) {
        free(s);
        return NULL;
    }
    int nq = s->m.nq, all = 2 * nq + 2 * s->m.k;
    for (int i = 0; i < all; i++) {
        s->id[i] = i < 2 * nq;
        s->atol[i] = i < 2 * nq ? rtol : NO_TOLERANCE;
    }
    SUNContext_Create(NULL, &s->context);
    s->solver = IDACreate(s->context);
    s->vy = N_VMake_Serial(all, s->y, s->context);
    s->vdy = N_VMake_Serial(all, s->dy, s->context);
    s->vid = N_VMake_Serial(all, s->id, s->context);
    s->tolerance = N_VMake_Serial(all, s->atol, s->context);
    s->matrix = SUNDenseMatrix(all, all, s->context);
    s->linear = SUNLinSol_Dense(s->vy, s->matrix, s->context);
    IDAInit(s->solver, ida_residual, c->keel->t0, s->vy, s->vdy);
    IDASetErrFile(s->solver, NULL);
    IDASetUserData(s->solver, &s->m);
    IDASVtolerances(s->solver, rtol, s->tolerance);
    IDASetId(s->solver, s->vid);
    IDASetSuppressAlg(s->solver, SUNTRUE);
    IDASetLinearSolver(s->solver, s->linear, s->matrix);
    IDASetJacFn(s->solver, ida_jacobian);
    IDASetMaxNumSteps(s->solver, c->most);
    return s;
}

int sundials_ida_run(struct sundials_ida *s, struct peer_run *r) {
    double t = s->m.p->t0, t_end = s->m.c->t_end;
    int status = begin(s);
    if (status == 0) status = IDAReInit(s->solver, t, s->vy, s->vdy);
    IDASetStopTime(s->solver, t_end);
    if (r->look) r->look(r->to, t, s->y);
    while (status >= 0 && t < t_end) {
        status = IDASolve(s->solver, t_end, &t, s->vy, s->vdy, r->look ? IDA_ONE_STEP : IDA_NORMAL);
        if (r->look) r->look(r->to, t, s->y);
    }
    memcpy(r->u, s->y, 2 * (size_t)s->m.nq * sizeof *r->u);
    r->evaluations = s->m.evaluations;
    IDAGetNumSteps(s->solver, &r->steps);
    return status < 0 ? status : 0;
}

void sundials_ida_close(struct sundials_ida *s) {
    SUNLinSolFree(s->linear);
    SUNMatDestroy(s->matrix);
    N_VDestroy(s->vy);
    N_VDestroy(s->vdy);
    N_VDestroy(s->vid);
    N_VDestroy(s->tolerance);
    IDAFree(&s->solver);
    SUNContext_Free(&s->context);
    free(s);
}
