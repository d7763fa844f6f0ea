/* formulation_inertia.c - is the mass matrix of a lagrangian positive definite anywhere?  Is H_pp?
 *
 * The core's mechanics needs M = L L^T.  A kinetic energy that has none of some motion (of the length of a
 * quaternion, whose constraint says that it stays 1) has a singular M; M and the gradients of the
 * constraints together, [M G^T; G 0], may well be regular, which the analysis has seen to.  Such a model
 * takes the general formulation. */
#include "model/functions.h"
#include "model/formulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, POINTS = 4 }; /* coordinates; beyond, M is taken for what it should be */

/* Cholesky of a dense matrix, `least` of a diagonal entry counting as nothing: 1 if positive definite. */
static int definite(int n, double *a, double least) {
    for (int i = 0; i < n; i++) {
        double diagonal = a[i * n + i];
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (j < i) a[i * n + j] = sum / a[j * n + j];
            else if (!(sum > least * fabs(diagonal))) return 0;
            else a[i * n + i] = sqrt(sum);
        }
    }
    return 1;
}

/* 1, 0, or -1 where M is not finite; entry and dense are scratch. */
static int definite_at(const struct formulation *r, const struct derive_sparse *m, const struct tape *tape,
                       const double *u, const double *parameter, double *entry, double *dense) {
    int n = m->rows;
    if (tape_call(tape, r->y->t0, u, parameter, entry)) return -1;
    for (int k = 0; k < n * n; k++) dense[k] = 0;
    for (int i = 0; i < n; i++)
        for (int k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            if (!isfinite(entry[k])) return -1;
            dense[i * n + m->column[k]] = entry[k];
        }
    return definite(n, dense, 1e-11);
}

/* M of positions and velocities; 0 without a tape: it depends on more, or no memory. */
static int mass_tape(const struct formulation *r, const struct derive_sparse *mass, struct tape *tape) {
    const struct motion *motion = &r->y->m->mode[r->y->mode].motion;
    size_t n = (size_t)motion->n;
    expr missing, *state = malloc((2 * n + 1) * sizeof *state);
    if (!state) return 0;
    memcpy(state, motion->q, n * sizeof *state);
    memcpy(state + n, motion->v, n * sizeof *state);
    int good =
        functions_tape_of(r, 2 * n, state, (size_t)mass->row_start[n], mass->value, tape, &missing) == 0;
    free(state);
    return good;
}

/* 1; 0: nowhere; -1: nobody knows. */
static int definite_somewhere(const struct formulation *r, const struct derive_sparse *mass) {
    const struct model *m = r->y->m;
    int n = mass->rows, never = 0, once = 0;
    struct tape tape = {0};
    size_t entries = (size_t)mass->row_start[n], states = 2 * (size_t)n,
           parameters = (size_t)m->parameters + (size_t)m->helds;
    double *workspace = calloc(entries + states + parameters + (size_t)n * (size_t)n + 1, sizeof *workspace);
    if (!workspace || !mass_tape(r, mass, &tape)) return free(workspace), -1;
    double *u = workspace + entries, *parameter = u + states, *dense = parameter + parameters;
    for (int i = 0; i < m->parameters; i++) parameter[i] = m->parameter[i].number;
    for (int p = 0; p < POINTS && !once; p++) {
        for (size_t j = 0; j < states; j++) /* irrational parts: anywhere, and nowhere special */
            u[j] = (p % 2 ? 1 : 0) + fmod(0.6180339887 * (double)(j + 1) + 0.4142135624 * (p + 1), 1) - 0.4;
        int is = definite_at(r, mass, &tape, u, parameter, workspace, dense);
        once = is == 1;
        never |= is == 0;
    }
    tape_free(&tape);
    free(workspace);
    return once || !never;
}

int formulation_inertia(const struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    if (r->y->m->form != MODEL_LAGRANGIAN || mode->motion.n > MOST ||
        mode->constraint.count + mode->rolling.count == 0)
        return 1;
    return definite_somewhere(r, &mode->motion.mass);
}

int formulation_is_inert(const struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    return r->y->m->form == MODEL_LAGRANGIAN && mode->motion.n <= MOST &&
           definite_somewhere(r, &mode->motion.mass) > 0;
}

int formulation_mobility(struct formulation *r) {
    const struct motion *motion = &r->y->m->mode[r->y->mode].motion;
    struct derive_sparse by_momenta = {0};
    if (r->y->m->form != MODEL_HAMILTONIAN || motion->n > MOST) return 0;
    int good = derive_jacobian(&r->derive, motion->n, motion->rate, motion->n, motion->v, &by_momenta) == 0 &&
               definite_somewhere(r, &by_momenta) > 0;
    derive_free(&by_momenta);
    return good;
}
