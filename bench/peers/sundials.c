/* sundials.c - see sundials.h. */
#include "sundials.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* Of multipliers: their errors grow like 1/h, and with any real tolerance IDA ends at the first step. */
#define NO_TOLERANCE 1e8

enum { Q = 10, K = 10, ALL = 2 * Q + 2 * K };

struct motion {
    const keel_problem *p;
    int nq, k;
    double mass[Q * Q], rows[K * Q], force[Q];
    double plain[ALL], moved[ALL];
};

/* Small systems: a x = b by elimination with row exchanges, a and b overwritten. */
static int eliminate(int n, double *a, double *b) {
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

static int find_mass(struct motion *m, double t, const double *u) {
    if (m->p->mass.value) return m->p->mass.value(t, u, m->mass, m->p->user);
    memset(m->mass, 0, sizeof m->mass);
    for (int i = 0; i < m->nq; i++) m->mass[i * m->nq + i] = 1;
    return 0;
}

static int find_rows(struct motion *m, double t, const double *u) {
    return m->p->constraint.jacobian(t, u, m->rows, m->p->user);
}

/* IDA ---------------------------------------------------------------------------------------------------- */

static int residual(double t, const double *y, const double *dy, double *out, struct motion *m) {
    const keel_problem *p = m->p;
    int nq = m->nq, k = m->k;
    const double *v = y + nq, *lambda = y + 2 * nq, *mu = lambda + k;
    if (find_mass(m, t, y) || find_rows(m, t, y) || p->f.value(t, y, m->force, p->user)) return 1;
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
    if (find_mass(m, t, y) || find_rows(m, t, y)) return 1;
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

/* M a + G^T lambda = F, G a = -gamma */
static int accelerations(struct motion *m, double t, const double *u, double *a_lambda) {
    const keel_problem *p = m->p;
    int nq = m->nq, k = m->k, n = nq + k;
    double system[(Q + K) * (Q + K)];
    if (find_mass(m, t, u) || find_rows(m, t, u) || p->f.value(t, u, a_lambda, p->user) ||
        p->curvature(t, u, a_lambda + nq, p->user))
        return 1;
    memset(system, 0, sizeof system);
    for (int i = 0; i < nq; i++) memcpy(system + i * n, m->mass + i * nq, (size_t)nq * sizeof(double));
    for (int r = 0; r < k; r++) {
        a_lambda[nq + r] = -a_lambda[nq + r];
        for (int i = 0; i < nq; i++) system[i * n + nq + r] = system[(nq + r) * n + i] = m->rows[r * nq + i];
    }
    return eliminate(n, system, a_lambda);
}

static int run_ida(struct motion *m, double t0, double t_end, double rtol, double *u) {
    int nq = m->nq, k = m->k, all = 2 * nq + 2 * k, status;
    double y[ALL] = {0}, dy[ALL] = {0}, id[ALL] = {0}, atol[ALL], a_lambda[Q + K];
    if (accelerations(m, t0, u, a_lambda)) return -1;
    memcpy(y, u, 2 * (size_t)nq * sizeof *y);
    memcpy(y + 2 * nq, a_lambda + nq, (size_t)k * sizeof *y);
    memcpy(dy, u + nq, (size_t)nq * sizeof *dy);
    memcpy(dy + nq, a_lambda, (size_t)nq * sizeof *dy);
    for (int i = 0; i < 2 * nq; i++) id[i] = 1;
    for (int i = 0; i < all; i++) atol[i] = i < 2 * nq ? rtol : NO_TOLERANCE;
    SUNContext context;
    SUNContext_Create(NULL, &context);
    void *solver = IDACreate(context);
    N_Vector vy = N_VMake_Serial(all, y, context), vdy = N_VMake_Serial(all, dy, context),
             vid = N_VMake_Serial(all, id, context), tolerance = N_VMake_Serial(all, atol, context);
    SUNMatrix matrix = SUNDenseMatrix(all, all, context);
    SUNLinearSolver linear = SUNLinSol_Dense(vy, matrix, context);
    IDAInit(solver, ida_residual, t0, vy, vdy);
    IDASetErrFile(solver, NULL);
    IDASetUserData(solver, m);
    IDASVtolerances(solver, rtol, tolerance);
    IDASetId(solver, vid);
    IDASetSuppressAlg(solver, SUNTRUE);
    IDASetLinearSolver(solver, linear, matrix);
    IDASetJacFn(solver, ida_jacobian);
    IDASetMaxNumSteps(solver, 10000000);
    IDASetStopTime(solver, t_end);
    double t = t0;
    status = IDASolve(solver, t_end, &t, vy, vdy, IDA_NORMAL);
    memcpy(u, y, 2 * (size_t)nq * sizeof *u);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(vy);
    N_VDestroy(vdy);
    N_VDestroy(vid);
    N_VDestroy(tolerance);
    IDAFree(&solver);
    SUNContext_Free(&context);
    return status < 0 ? status : 0;
}

/* CVODE -------------------------------------------------------------------------------------------------- */

static int cvode_rate(realtype t, N_Vector vy, N_Vector vdy, void *motion) {
    struct motion *m = motion;
    double *y = N_VGetArrayPointer(vy), *dy = N_VGetArrayPointer(vdy), a_lambda[Q + K];
    if (accelerations(m, t, y, a_lambda)) return 1;
    memcpy(dy, y + m->nq, (size_t)m->nq * sizeof *dy);
    memcpy(dy + m->nq, a_lambda, (size_t)m->nq * sizeof *dy);
    return 0;
}

/* x -= G^T (G G^T)^-1 residual */
static int shorten(const struct motion *m, double *residual_of_rows, double *x) {
    int nq = m->nq, k = m->k;
    double square[K * K];
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int c = 0; c < nq; c++) sum += m->rows[i * nq + c] * m->rows[j * nq + c];
            square[i * k + j] = sum;
        }
    if (eliminate(k, square, residual_of_rows)) return 1;
    for (int c = 0; c < nq; c++)
        for (int i = 0; i < k; i++) x[c] -= m->rows[i * nq + c] * residual_of_rows[i];
    return 0;
}

static int shorten_rate(const struct motion *m, double *v) {
    double speed[K];
    for (int i = 0; i < m->k; i++) {
        speed[i] = 0;
        for (int c = 0; c < m->nq; c++) speed[i] += m->rows[i * m->nq + c] * v[c];
    }
    return shorten(m, speed, v);
}

static int cvode_project(realtype t, N_Vector vy, N_Vector correction, realtype enough, N_Vector error,
                         void *motion) {
    enum { MOST = 10 };
    struct motion *m = motion;
    int nq = m->nq;
    double *y = N_VGetArrayPointer(vy), *out = N_VGetArrayPointer(correction), u[2 * Q], g[K];
    memcpy(u, y, 2 * (size_t)nq * sizeof *u);
    for (int round = 0;; round++) {
        double worst = 0;
        if (m->p->constraint.value(t, u, g, m->p->user) || find_rows(m, t, u)) return 1;
        for (int i = 0; i < m->k; i++) worst = fmax(worst, fabs(g[i]));
        if (worst < 1e-2 * enough || worst < 1e-14) break;
        if (round == MOST || shorten(m, g, u)) return 1;
    }
    if (shorten_rate(m, u + nq)) return 1;
    for (int i = 0; i < 2 * nq; i++) out[i] = u[i] - y[i];
    double *e = error ? N_VGetArrayPointer(error) : NULL;
    return e && (shorten_rate(m, e) || shorten_rate(m, e + nq));
}

static int run_cvode(struct motion *m, double t0, double t_end, double rtol, double *u) {
    int all = 2 * m->nq, status;
    SUNContext context;
    SUNContext_Create(NULL, &context);
    void *solver = CVodeCreate(CV_BDF, context);
    N_Vector vy = N_VMake_Serial(all, u, context);
    SUNMatrix matrix = SUNDenseMatrix(all, all, context);
    SUNLinearSolver linear = SUNLinSol_Dense(vy, matrix, context);
    CVodeInit(solver, cvode_rate, t0, vy);
    CVodeSetErrFile(solver, NULL);
    CVodeSetUserData(solver, m);
    CVodeSStolerances(solver, rtol, rtol);
    CVodeSetLinearSolver(solver, linear, matrix);
    CVodeSetProjFn(solver, cvode_project);
    CVodeSetEpsProj(solver, rtol);
    CVodeSetMaxNumSteps(solver, 10000000);
    CVodeSetStopTime(solver, t_end);
    double t = t0;
    status = CVode(solver, t_end, vy, &t, CV_NORMAL);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(vy);
    CVodeFree(&solver);
    SUNContext_Free(&context);
    return status < 0 ? status : 0;
}

int peers_run(enum peers_solver solver, const problem *p, double t_end, double rtol, double *u,
              double *drift) {
    struct motion m = {.p = &p->keel, .nq = p->keel.n / 2, .k = p->keel.constraint.count};
    if (m.nq > Q || m.k > K || p->keel.form != KEEL_MECHANICS || !p->keel.curvature) return -1;
    memcpy(u, p->u0, (size_t)p->keel.n * sizeof *u);
    int status = (solver == PEERS_IDA ? run_ida : run_cvode)(&m, p->keel.t0, t_end, rtol, u);
    double g[K];
    *drift = 0;
    if (status == 0 && !p->keel.constraint.value(t_end, u, g, p->keel.user) && !find_rows(&m, t_end, u))
        for (int i = 0; i < m.k; i++) {
            double speed = 0;
            for (int c = 0; c < m.nq; c++) speed += m.rows[i * m.nq + c] * u[m.nq + c];
            *drift = fmax(*drift, fmax(fabs(g[i]), fabs(speed)));
        }
    return status;
}
