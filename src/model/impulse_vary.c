/* impulse_vary.c - sensitivities through an impulse; see impulse.h.
 *
 *     D P(w) - D P(w0) + (P_t(w) - P_t(w0)) tau + G^T dp + (D G + G_t tau)^T p = 0,
 *     D R(w) + R_t tau = 0
 *
 * are linear in dw and dp, with the matrix of Newton's last step for w and p. */
#include "model/impulse.h"

#include "linalg/dense.h"
#include "model/functions.h"
#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

/* Values, the entries of G, rates: what has derivatives here. */
static size_t numbers(const struct impulse *i) {
    return 2 * (size_t)i->n + (size_t)i->rows + (size_t)i->along.row_start[i->rows];
}

/* Places of the companions of w and q' in direction k. */
static int find_companions(struct impulse *i, const struct formulation *own, int k) {
    struct model *m = own->y->m;
    for (int j = 0; j < i->n; j++) {
        int *w = &i->companion[k * i->n + j], *rate = &i->rate_companion[k * i->n + j];
        *w = *rate = -1;
        for (int c = 0; c < own->n; c++) {
            if (tangent_direction(m, own->basic[c]) != k) continue;
            int of = formulation_place(own, tangent_primal(m, own->basic[c]));
            if (of == i->place[j]) *w = c;
            else if (of >= 0 && of == i->rate_place[j]) *rate = c;
        }
        if (*w < 0) return 0;
    }
    return 1;
}

/* The tapes of all directions, and of d/dt at rest. */
static int build_tapes(struct impulse *i, struct formulation *own, const expr *of, expr *out) {
    struct graph *g = &own->y->m->graph;
    size_t count = numbers(i);
    expr missing, t = expr_symbol(g, EXPR_TIME, 0, 0);
    for (size_t e = 0; e < count; e++)
        if ((out[e] = derive_partial(&own->derive, of[e], t)) == EXPR_NONE) return 0;
    if (functions_tape(own, count, out, &i->drift, &missing)) return 0;
    for (int k = 0; k < i->directions; k++) {
        for (size_t e = 0; e < count; e++) {
            out[e] = formulation_resolve(own, tangent_derivative(own->y->m, k, of[e]));
            if (out[e] == EXPR_NONE) return 0;
        }
        if (functions_tape(own, count, out, &i->linear[k], &missing) || !find_companions(i, own, k)) return 0;
    }
    return 1;
}

int impulse_vary_open(struct impulse *i, struct formulation *own, const expr *value) {
    const struct motion *motion = &own->y->m->mode[own->y->mode].motion;
    size_t values = (size_t)i->n + (size_t)i->rows, entries = (size_t)i->along.row_start[i->rows];
    size_t companions = (size_t)own->y->m->directions * (size_t)i->n;
    i->directions = own->y->m->directions;
    i->companion = malloc(companions * sizeof *i->companion);
    i->rate_companion = malloc(companions * sizeof *i->rate_companion);
    i->linear = calloc((size_t)i->directions, sizeof *i->linear);
    expr *of = malloc(2 * numbers(i) * sizeof *of);
    int good = i->companion && i->rate_companion && i->linear && of;
    if (good) {
        memcpy(of, value, values * sizeof *of);
        memcpy(of + values, i->along.value, entries * sizeof *of);
    }
    for (int j = 0; j < i->n && good; j++) {
        of[values + entries + (size_t)j] = formulation_resolve(own, motion->rate[j]);
        good = of[values + entries + (size_t)j] != EXPR_NONE;
    }
    good = good && build_tapes(i, own, of, of + numbers(i));
    free(of);
    return good;
}

void impulse_vary_close(struct impulse *i) {
    for (int k = 0; k < i->directions && i->linear; k++) tape_free(&i->linear[k]);
    tape_free(&i->drift);
    free(i->companion);
    free(i->rate_companion);
    free(i->linear);
}

/* d of all numbers at u, by times that move by tau. */
static int differentiate(const struct impulse *i, int k, double t, const double *parameter, double tau,
                         const double *u, double *out, double *drift) {
    if (tape_call(&i->linear[k], t, u, parameter, out) || tape_call(&i->drift, t, u, parameter, drift))
        return 0;
    for (size_t e = 0; e < numbers(i); e++) out[e] += drift[e] * tau;
    return 1;
}

int impulse_vary(const struct impulse *i, double t, const double *parameter, const unsigned char *stays,
                 const double *moments, const double *before, const struct impulse_solved *solved,
                 double *u) {
    int n = i->n, all = n + i->rows, good = 1;
    size_t count = numbers(i);
    if (i->directions == 0) return 1;
    double *after = malloc(3 * count * sizeof *after);
    if (!after) return 0;
    double *first = after + count, *drift = first + count;
    for (int k = 0; k < i->directions && good; k++) {
        good = differentiate(i, k, t, parameter, moments[k], u, after, drift) &&
               differentiate(i, k, t, parameter, moments[k], before, first, drift);
        if (!good) break;
        for (int j = 0; j < n; j++) after[j] -= first[j];
        for (int c = 0; c < i->rows; c++)
            for (int e = i->along.row_start[c]; e < i->along.row_start[c + 1]; e++)
                after[i->along.column[e]] -= after[all + e] * solved->minus_impulse[c];
        for (int j = 0; j < n; j++)
            if (stays && stays[i->place[j]]) after[j] = 0;
        dense_lu_solve(all, solved->matrix, solved->pivot, after);
        for (int j = 0; j < n; j++) u[i->companion[k * n + j]] -= after[j];
        good = differentiate(i, k, t, parameter, moments[k], u, after, drift);
        const double *rate = after + count - n;
        for (int j = 0; j < n && good; j++)
            if (i->rate_companion[k * n + j] >= 0) u[i->rate_companion[k * n + j]] = rate[j];
    }
    free(after);
    return good;
}
