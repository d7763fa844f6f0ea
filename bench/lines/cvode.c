/* cvode.c - large systems by CVODE: BDF, Newton, a band matrix or KLU with the jacobian written by hand. */
#include "bench.h"
#include "lines/line.h"

#ifdef KEEL_SUNDIALS
#include "peers/klu.h"

#include <cvode/cvode.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>

struct job {
    const struct line *line;
    int points;
};

static int rate(realtype t, N_Vector u, N_Vector du, void *data) {
    const struct job *j = data;
    (void)t;
    j->line->rate(j->points, N_VGetArrayPointer(u), N_VGetArrayPointer(du));
    return 0;
}

static int band_jacobian(realtype t, N_Vector vu, N_Vector vf, SUNMatrix matrix, void *data, N_Vector a,
                         N_Vector b, N_Vector c) {
    const struct job *j = data;
    (void)t, (void)vf, (void)a, (void)b, (void)c;
    const double *u = N_VGetArrayPointer(vu);
    int wide = j->line->species, n = j->points * wide;
    double row[16];
    for (int i = 0; i < n; i++) {
        j->line->row(j->points, u, i, row);
        for (int k = i < wide ? wide - i : 0; k <= 2 * wide && i + k - wide < n; k++)
            SM_ELEMENT_B(matrix, i, i + k - wide) = row[k];
    }
    return 0;
}

/* The same by columns, whose entries are those of the rows that they meet. */
static int sparse_jacobian(realtype t, N_Vector vu, N_Vector vf, SUNMatrix matrix, void *data, N_Vector a,
                           N_Vector b, N_Vector c) {
    const struct job *j = data;
    (void)t, (void)vf, (void)a, (void)b, (void)c;
    const double *u = N_VGetArrayPointer(vu);
    int wide = j->line->species, n = j->points * wide, span = 2 * wide + 1;
    sunindextype *start = SM_INDEXPTRS_S(matrix), *row_of = SM_INDEXVALS_S(matrix), at = 0;
    double row[16], *value = SM_DATA_S(matrix);
    for (int k = 0; k < n; k++) {
        start[k] = at;
        for (int i = k > wide ? k - wide : 0; i <= k + wide && i < n; i++) row_of[at++] = i;
    }
    start[n] = at;
    for (int i = 0; i < n; i++) {
        j->line->row(j->points, u, i, row);
        for (int p = i < wide ? wide - i : 0; p < span && i + p - wide < n; p++) {
            int k = i + p - wide, first = k > wide ? k - wide : 0;
            value[start[k] + i - first] = row[p];
        }
    }
    return 0;
}

int line_cvode(const struct line *l, int points, enum line_matrix by, double rtol, double atol, double *u,
               struct line_run *out) {
    struct job job = {l, points};
    int n = points * l->species;
    SUNContext context;
    double begin = bench_seconds(), t;
    l->start(points, u);
    SUNContext_Create(NULL, &context);
    N_Vector vu = N_VMake_Serial(n, u, context);
    SUNMatrix matrix = by == LINE_KLU
                           ? SUNSparseMatrix(n, n, (long)n * (2 * l->species + 1), CSC_MAT, context)
                           : SUNBandMatrix(n, l->species, l->species, context);
    SUNLinearSolver linear = by == LINE_KLU ? klu_open(context) : SUNLinSol_Band(vu, matrix, context);
    void *solver = CVodeCreate(CV_BDF, context);
    CVodeInit(solver, rate, 0, vu);
    CVodeSetUserData(solver, &job);
    CVodeSStolerances(solver, rtol, atol);
    CVodeSetMaxNumSteps(solver, 1000000);
    CVodeSetLinearSolver(solver, linear, matrix);
    CVodeSetJacFn(solver, by == LINE_KLU ? sparse_jacobian : band_jacobian);
    CVodeSetStopTime(solver, l->end);
    int status = CVode(solver, l->end, vu, &t, CV_NORMAL);
    out->seconds = bench_seconds() - begin;
    CVodeGetNumSteps(solver, &out->steps);
    CVodeGetNumRhsEvals(solver, &out->calls);
    CVodeGetNumJacEvals(solver, &out->jacobians);
    CVodeGetNumLinSolvSetups(solver, &out->factorizations);
    CVodeFree(&solver);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(vu);
    SUNContext_Free(&context);
    return status >= 0;
}
#else
int line_cvode(const struct line *l, int points, enum line_matrix by, double rtol, double atol, double *u,
               struct line_run *out) {
    (void)l, (void)points, (void)by, (void)rtol, (void)atol, (void)u, (void)out;
    return 0;
}
#endif
