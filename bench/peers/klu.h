/* klu.h - KLU for SUNDIALS, as its own module works, which the packaged source is compiled without. */
#ifndef KEEL_BENCH_KLU_H
#define KEEL_BENCH_KLU_H

#include <klu.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <stdlib.h>

struct klu_factors {
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
};

static SUNLinearSolver_Type klu_kind(SUNLinearSolver s) {
    (void)s;
    return SUNLINEARSOLVER_DIRECT;
}

static int klu_setup(SUNLinearSolver s, SUNMatrix matrix) {
    struct klu_factors *f = s->content;
    long n = SM_COLUMNS_S(matrix);
    SuiteSparse_long *start = (SuiteSparse_long *)SM_INDEXPTRS_S(matrix),
                     *row = (SuiteSparse_long *)SM_INDEXVALS_S(matrix);
    double *value = SM_DATA_S(matrix);
    if (!f->symbolic) {
        klu_l_defaults(&f->common);
        f->common.ordering = 0;
        f->symbolic = klu_l_analyze(n, start, row, &f->common);
        if (f->symbolic) f->numeric = klu_l_factor(start, row, value, f->symbolic, &f->common);
        return f->numeric ? 0 : -1;
    }
    return klu_l_refactor(start, row, value, f->symbolic, f->numeric, &f->common) ? 0 : 1;
}

static int klu_back(SUNLinearSolver s, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance) {
    struct klu_factors *f = s->content;
    (void)tolerance;
    N_VScale(1, b, x);
    return klu_l_solve(f->symbolic, f->numeric, SM_COLUMNS_S(matrix), 1, N_VGetArrayPointer(x), &f->common)
               ? 0
               : -1;
}

static int klu_release(SUNLinearSolver s) {
    struct klu_factors *f = s->content;
    klu_l_free_numeric(&f->numeric, &f->common);
    klu_l_free_symbolic(&f->symbolic, &f->common);
    free(f);
    SUNLinSolFreeEmpty(s);
    return 0;
}

static SUNLinearSolver klu_open(SUNContext context) {
    SUNLinearSolver s = SUNLinSolNewEmpty(context);
    s->content = calloc(1, sizeof(struct klu_factors));
    s->ops->gettype = klu_kind;
    s->ops->setup = klu_setup;
    s->ops->solve = klu_back;
    s->ops->free = klu_release;
    return s;
}
#endif
