/* ida.c - IDA on the forms of ida.h. */
#include "peers/ida.h"
#include "peers/sundials.h"

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <stdlib.h>

/* Of multipliers: their errors grow like 1/h, and with any real tolerance IDA ends at the first step. */
#define NO_TOLERANCE 1e8

struct sundials_ida {
    const struct bench_case *c;
    struct ida_form form;
    double *y, *dy, *what, *atol; /* one block */
    SUNContext context;
    void *solver;
    N_Vector vy, vdy, vwhat, tolerance;
    SUNMatrix matrix;
    SUNLinearSolver linear;
};

static void open_solver(struct sundials_ida *s, double rtol) {
    const struct ida_form *f = &s->form;
    SUNContext_Create(NULL, &s->context);
    s->solver = IDACreate(s->context);
    s->vy = N_VMake_Serial(f->all, s->y, s->context);
    s->vdy = N_VMake_Serial(f->all, s->dy, s->context);
    s->vwhat = N_VMake_Serial(f->all, s->what, s->context);
    s->tolerance = N_VMake_Serial(f->all, s->atol, s->context);
    if (f->bands) {
        s->matrix = SUNBandMatrix(f->all, f->bands, f->bands, s->context);
        s->linear = SUNLinSol_Band(s->vy, s->matrix, s->context);
    } else {
        s->matrix = SUNDenseMatrix(f->all, f->all, s->context);
        s->linear = SUNLinSol_Dense(s->vy, s->matrix, s->context);
    }
    IDAInit(s->solver, f->residual, s->c->keel->t0, s->vy, s->vdy);
    IDASetErrFile(s->solver, NULL);
    IDASetUserData(s->solver, f->data);
    IDASVtolerances(s->solver, rtol, s->tolerance);
    IDASetId(s->solver, s->vwhat);
    IDASetSuppressAlg(s->solver, SUNTRUE);
    IDASetLinearSolver(s->solver, s->linear, s->matrix);
    IDASetJacFn(s->solver, f->jacobian);
    IDASetMaxNumSteps(s->solver, s->c->most);
}

struct sundials_ida *sundials_ida_open(const struct bench_case *c, double rtol) {
    struct sundials_ida *s = calloc(1, sizeof *s);
    if (!s || (ida_motion_form(&s->form, c) && ida_chain_form(&s->form, c))) {
        free(s);
        return NULL;
    }
    size_t all = (size_t)s->form.all;
    s->c = c;
    s->y = calloc(4 * all, sizeof *s->y);
    s->dy = s->y + all, s->what = s->dy + all, s->atol = s->what + all;
    if (!s->y || s->form.start(s->form.data, s->y, s->dy, s->what)) {
        free(s->y);
        free(s->form.data);
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < all; i++) s->atol[i] = s->what[i] > 0 ? rtol : NO_TOLERANCE;
    open_solver(s, rtol);
    return s;
}

int sundials_ida_run(struct sundials_ida *s, struct peer_run *r) {
    const struct ida_form *f = &s->form;
    double t = s->c->keel->t0, t_end = s->c->t_end;
    int status = f->start(f->data, s->y, s->dy, s->what);
    if (status == 0) status = IDAReInit(s->solver, t, s->vy, s->vdy);
    IDASetStopTime(s->solver, t_end);
    f->state(f->data, s->y, r->u);
    if (r->observe) r->observe(r->to, t, r->u);
    while (status >= 0 && t < t_end) {
        status = IDASolve(s->solver, t_end, &t, s->vy, s->vdy, r->observe ? IDA_ONE_STEP : IDA_NORMAL);
        f->state(f->data, s->y, r->u);
        if (r->observe) r->observe(r->to, t, r->u);
    }
    r->evaluations = f->evaluations(f->data);
    IDAGetNumSteps(s->solver, &r->steps);
    return status < 0 ? status : 0;
}

void sundials_ida_close(struct sundials_ida *s) {
    SUNLinSolFree(s->linear);
    SUNMatDestroy(s->matrix);
    N_VDestroy(s->vy);
    N_VDestroy(s->vdy);
    N_VDestroy(s->vwhat);
    N_VDestroy(s->tolerance);
    IDAFree(&s->solver);
    SUNContext_Free(&s->context);
    free(s->y);
    free(s->form.data);
    free(s);
}
