/* cvode.c - CVODE: Adams with functional iteration, and BDF with projection of positions, velocities and
 * error estimates; the multipliers are eliminated by hand in both. */
#include "peers/motion.h"
#include "peers/sundials.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sundials_cvode {
    struct motion m;
    double *y;
    SUNContext context;
    void *solver;
    N_Vector vy;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
};

static int cvode_rate(realtype t, N_Vector vy, N_Vector vdy, void *motion) {
    const struct bench_case *c = ((struct motion *)motion)->c;
    return c->rate(t, N_VGetArrayPointer(vy), N_VGetArrayPointer(vdy), c->user);
}

static int cvode_project(realtype t, N_Vector vy, N_Vector correction, realtype enough, N_Vector error,
                         void *motion) {
    enum { MOST = 10 };
    struct motion *m = motion;
    int nq = m->nq;
    double *y = N_VGetArrayPointer(vy), *out = N_VGetArrayPointer(correction), u[2 * MOTION_Q], g[MOTION_K];
    memcpy(u, y, 2 * (size_t)nq * sizeof *u);
    for (int round = 0;; round++) {
        double worst = 0;
        if (m->p->constraint.value(t, u, g, m->p->user) || motion_rows(m, t, u)) return 1;
        for (int i = 0; i < m->k; i++) worst = fmax(worst, fabs(g[i]));
        if (worst < 1e-2 * enough || worst < 1e-14) break;
        if (round == MOST || motion_shorten(m, g, u)) return 1;
    }
    if (motion_shorten_rate(m, u + nq)) return 1;
    for (int i = 0; i < 2 * nq; i++) out[i] = u[i] - y[i];
    double *e = error ? N_VGetArrayPointer(error) : NULL;
    return e && (motion_shorten_rate(m, e) || motion_shorten_rate(m, e + nq));
}

/* Newton's iteration with a dense matrix by differences. */
static void add_projection(struct sundials_cvode *s, double rtol) {
    int n = s->m.p->n;
    s->matrix = SUNDenseMatrix(n, n, s->context);
    s->linear = SUNLinSol_Dense(s->vy, s->matrix, s->context);
    CVodeSetLinearSolver(s->solver, s->linear, s->matrix);
    CVodeSetProjFn(s->solver, cvode_project);
    CVodeSetEpsProj(s->solver, rtol);
}

struct sundials_cvode *sundials_cvode_open(const struct bench_case *c, int project, double rtol) {
    struct sundials_cvode *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    size_t bytes = (size_t)c->keel->n * sizeof *s->y;
    s->y = malloc(bytes);
    if ((motion_begin(&s->m, c) && project) || !s->y) {
        free(s->y);
        free(s);
        return NULL;
    }
    SUNContext_Create(NULL, &s->context);
    s->solver = CVodeCreate(project ? CV_BDF : CV_ADAMS, s->context);
    s->vy = N_VMake_Serial(c->keel->n, s->y, s->context);
    memcpy(s->y, c->keel->u0, bytes);
    CVodeInit(s->solver, cvode_rate, c->keel->t0, s->vy);
    CVodeSetErrFile(s->solver, NULL);
    CVodeSetUserData(s->solver, &s->m);
    CVodeSStolerances(s->solver, rtol, rtol);
    CVodeSetMaxNumSteps(s->solver, c->most);
    if (project) add_projection(s, rtol);
    else {
        s->fixed_point = SUNNonlinSol_FixedPoint(s->vy, 0, s->context);
        CVodeSetNonlinearSolver(s->solver, s->fixed_point);
    }
    return s;
}

int sundials_cvode_run(struct sundials_cvode *s, struct peer_run *r) {
    double t = s->m.p->t0, t_end = s->m.c->t_end;
    long by_differences = 0;
    size_t bytes = (size_t)s->m.p->n * sizeof *s->y;
    memcpy(s->y, s->m.p->u0, bytes);
    int status = CVodeReInit(s->solver, t, s->vy);
    CVodeSetStopTime(s->solver, t_end);
    if (r->observe) r->observe(r->to, t, s->y);
    while (status >= 0 && t < t_end) {
        status = CVode(s->solver, t_end, s->vy, &t, r->observe ? CV_ONE_STEP : CV_NORMAL);
        if (r->observe) r->observe(r->to, t, s->y);
    }
    memcpy(r->u, s->y, bytes);
    CVodeGetNumSteps(s->solver, &r->steps);
    CVodeGetNumRhsEvals(s->solver, &r->evaluations);
    if (s->linear) CVodeGetNumLinRhsEvals(s->solver, &by_differences);
    r->evaluations += by_differences;
    return status < 0 ? status : 0;
}

void sundials_cvode_close(struct sundials_cvode *s) {
    if (s->linear) SUNLinSolFree(s->linear);
    if (s->matrix) SUNMatDestroy(s->matrix);
    if (s->fixed_point) SUNNonlinSolFree(s->fixed_point);
    N_VDestroy(s->vy);
    CVodeFree(&s->solver);
    SUNContext_Free(&s->context);
    free(s->y);
    free(s);
}
