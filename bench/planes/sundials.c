/* sundials.c - see plane.h: CVODE and IDA with KLU. */
#include "bench.h"
#include "planes/plane.h"

#ifdef KEEL_SUNDIALS
#include <cvode/cvode.h>
#include <ida/ida.h>
#include "peers/klu.h"

#include <sunlinsol/sunlinsol_spgmr.h>

struct job {
    int side, fed;
};

static int rate(realtype t, N_Vector u, N_Vector du, void *data) {
    const struct job *j = data;
    (void)t;
    plane_rate(j->side, j->fed, N_VGetArrayPointer(u), N_VGetArrayPointer(du));
    return 0;
}

static int residual(realtype t, N_Vector u, N_Vector slope, N_Vector r, void *data) {
    rate(t, u, r, data);
    N_VLinearSum(1, slope, -1, r, r);
    return 0;
}

static int fill(const struct job *j, N_Vector u, double a, double b, SUNMatrix m) {
    plane_jacobian(j->side, N_VGetArrayPointer(u), a, b, (long *)SM_INDEXPTRS_S(m), (long *)SM_INDEXVALS_S(m),
                   SM_DATA_S(m));
    return 0;
}

static int cvode_jacobian(realtype t, N_Vector u, N_Vector f, SUNMatrix m, void *data, N_Vector a, N_Vector b,
                          N_Vector c) {
    (void)t, (void)f, (void)a, (void)b, (void)c;
    return fill(data, u, 0, 1, m);
}

static int ida_jacobian(realtype t, realtype shift, N_Vector u, N_Vector slope, N_Vector r, SUNMatrix m,
                        void *data, N_Vector a, N_Vector b, N_Vector c) {
    (void)t, (void)slope, (void)r, (void)a, (void)b, (void)c;
    return fill(data, u, shift, -1, m);
}

static int by_cvode(struct job *j, N_Vector u, SUNMatrix m, SUNLinearSolver linear, double rtol,
                    SUNContext context, struct plane_run *out) {
    void *s = CVodeCreate(CV_BDF, context);
    double t;
    int status = CVodeInit(s, rate, 0, u);
    CVodeSetUserData(s, j);
    CVodeSStolerances(s, rtol, 1e-3 * rtol);
    CVodeSetMaxNumSteps(s, 1000000);
    CVodeSetLinearSolver(s, linear, m);
    if (m) CVodeSetJacFn(s, cvode_jacobian);
    for (j->fed = 0; j->fed < 2 && status >= 0; j->fed++) {
        double end = j->fed ? PLANE_END : PLANE_SWITCH;
        long steps, calls, jacobians, factorizations;
        if (j->fed) CVodeReInit(s, PLANE_SWITCH, u);
        CVodeSetStopTime(s, end);
        status = CVode(s, end, u, &t, CV_NORMAL);
        CVodeGetNumSteps(s, &steps);
        CVodeGetNumRhsEvals(s, &calls);
        CVodeGetNumJacEvals(s, &jacobians);
        CVodeGetNumLinSolvSetups(s, &factorizations);
        *out = (struct plane_run){0, out->steps + steps, out->calls + calls, out->jacobians + jacobians,
                                  out->factorizations + factorizations};
    }
    CVodeFree(&s);
    return status >= 0;
}

static int by_ida(struct job *j, N_Vector u, SUNMatrix m, SUNLinearSolver linear, double rtol,
                  SUNContext context, struct plane_run *out) {
    void *s = IDACreate(context);
    N_Vector slope = N_VClone(u);
    double t;
    rate(0, u, slope, j);
    int status = IDAInit(s, residual, 0, u, slope);
    IDASetUserData(s, j);
    IDASStolerances(s, rtol, 1e-3 * rtol);
    IDASetMaxNumSteps(s, 1000000);
    IDASetLinearSolver(s, linear, m);
    IDASetJacFn(s, ida_jacobian);
    for (j->fed = 0; j->fed < 2 && status >= 0; j->fed++) {
        double end = j->fed ? PLANE_END : PLANE_SWITCH;
        long steps, calls, jacobians, factorizations;
        if (j->fed) {
            rate(PLANE_SWITCH, u, slope, j);
            IDAReInit(s, PLANE_SWITCH, u, slope);
        }
        IDASetStopTime(s, end);
        status = IDASolve(s, end, &t, u, slope, IDA_NORMAL);
        IDAGetNumSteps(s, &steps);
        IDAGetNumResEvals(s, &calls);
        IDAGetNumJacEvals(s, &jacobians);
        IDAGetNumLinSolvSetups(s, &factorizations);
        *out = (struct plane_run){0, out->steps + steps, out->calls + calls, out->jacobians + jacobians,
                                  out->factorizations + factorizations};
    }
    IDAFree(&s);
    N_VDestroy(slope);
    return status >= 0;
}

int plane_sundials(enum plane_solver solver, int side, double rtol, double *u, struct plane_run *out) {
    struct job job = {side, 0};
    int n = 2 * side * side, direct = solver != PLANE_CVODE_GMRES;
    double begin = bench_seconds();
    SUNContext context;
    SUNContext_Create(NULL, &context);
    plane_start(side, u);
    N_Vector vu = N_VMake_Serial(n, u, context);
    SUNMatrix m = direct ? SUNSparseMatrix(n, n, PLANE_ENTRIES * n, CSC_MAT, context) : NULL;
    SUNLinearSolver linear = direct ? klu_open(context) : SUNLinSol_SPGMR(vu, SUN_PREC_NONE, 0, context);
    *out = (struct plane_run){0};
    int found = (solver == PLANE_IDA_KLU ? by_ida : by_cvode)(&job, vu, m, linear, rtol, context, out);
    out->seconds = bench_seconds() - begin;
    SUNLinSolFree(linear);
    if (m) SUNMatDestroy(m);
    N_VDestroy(vu);
    SUNContext_Free(&context);
    return found;
}
#else
int plane_sundials(enum plane_solver solver, int side, double rtol, double *u, struct plane_run *out) {
    (void)solver, (void)side, (void)rtol, (void)u, (void)out;
    return 0;
}
#endif
