/* values.c - see values.h. */
#include "model/values.h"

#include "symbolic/derive_rules.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXTRA = 6, ITERATIONS = 20, NEAR = 1000 };

/* The multipliers that the solver gives for this formulation: inputs after its unknowns. */
static int add_multipliers(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    struct graph *g = &r->y->m->graph;
    if (r->furthers || formulation_traits(r) & KEEL_FIRST_ORDER) return 1;
    int holonomic = mode->constraint.count, count = holonomic + mode->rolling.count;
    expr *symbol = expr_take(g, (size_t)count, sizeof *symbol);
    for (int i = 0; i < count && symbol; i++) {
        const struct model_row *row =
            i < holonomic ? &mode->constraint.list[i] : &mode->rolling.list[i - holonomic];
        symbol[i] = expr_symbol(g, EXPR_MULTIPLIER, (uint32_t)row->multiplier, 0);
    }
    int good = symbol && formulation_further(r, count, symbol);
    free(symbol);
    return good;
}

/* All targets in the inputs of the formulation; 0: one is missing.  lenient: it is left out. */
static int resolve(struct formulation *r, int count, const expr *target, int lenient, expr *out) {
    for (int i = 0; i < count; i++) {
        out[i] = formulation_resolve(r, system_expression(r->y, target[i]));
        if (out[i] == EXPR_NONE && !lenient) return 0;
        if (out[i] == EXPR_NONE) out[i] = expr_constant(&r->y->m->graph, NAN);
    }
    return 1;
}

/* The general formulation, with derivatives of its algebraic variables as far as the targets need them. */
static int beside(struct values *v, struct formulation *r, struct formulation *full, int lenient,
                  const expr *target, expr *out) {
    for (int extra = 0; extra <= MOST_EXTRA; extra++) {
        formulation_begin(full, r->y, r->messages, r->pool);
        full->extra = extra;
        if (formulation_general(full) < 0) return 0;
        if (resolve(full, v->count, target, lenient && extra == MOST_EXTRA, out)) return 1;
        r->missing = full->missing;
        r->derive.obstacle = full->derive.obstacle;
        if (full->m == 0 && !lenient) return 0;
        if (full->m == 0) return resolve(full, v->count, target, 1, out);
        if (extra < MOST_EXTRA) formulation_close(full);
    }
    return 0;
}

/* Those of the motion stand first; what does not depend on those of its directions is found without these. */
static int needed(const struct formulation *full, int count, const expr *out) {
    const struct derive_sparse *j = &full->algebraic.jacobian;
    int blocks = 1 + full->y->m->directions, own = full->m / blocks;
    if (full->m % blocks || blocks == 1 || full->m == 0) return full->m;
    for (int e = 0; e < j->row_start[own]; e++)
        if (j->column[e] >= full->n + own) return full->m;
    const expr *others = full->basic + full->n + own;
    return expr_any_depends(&full->y->m->graph, (size_t)count, out, (size_t)(full->m - own), others) ? full->m
                                                                                                     : own;
}

static int build_tapes(struct values *v, struct formulation *r, struct formulation *full, const expr *out) {
    const struct derive_sparse *j = &full->algebraic.jacobian;
    expr missing, *state = expr_take(&r->y->m->graph, (size_t)full->n, sizeof *state);
    int good = state != NULL;
    v->n = full->n, v->m = needed(full, v->count, out);
    v->entries = v->m ? j->row_start[v->m] : 0;
    for (int i = 0; i < full->n && good; i++)
        good = (state[i] = formulation_resolve(r, full->basic[i])) != EXPR_NONE;
    good = good && functions_tape(r, (size_t)full->n, state, &v->state, &missing) == 0 &&
           functions_tape(full, (size_t)v->count, out, &v->target, &missing) == 0;
    free(state);
    if (!good) return 0;
    struct graph *g = &r->y->m->graph;
    v->row = expr_take(g, (size_t)v->entries, sizeof *v->row);
    v->column = expr_take(g, (size_t)v->entries, sizeof *v->column);
    v->guess = expr_take(g, (size_t)v->m, sizeof *v->guess);
    if (!v->row || !v->column || !v->guess) return 0;
    for (int k = 0; k < v->m; k++) v->guess[k] = formulation_place(r, full->basic[full->n + k]);
    for (int i = 0; i < v->m; i++)
        for (int e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            v->row[e] = i, v->column[e] = j->column[e] - full->n;
    return v->m == 0 ||
           (functions_tape(full, (size_t)v->m, full->algebraic.value, &v->residual, &missing) == 0 &&
            functions_tape(full, (size_t)v->m, full->algebraic.terms, &v->terms, &missing) == 0 &&
            functions_tape(full, (size_t)v->entries, j->value, &v->jacobian, &missing) == 0);
}

/* The formulation's own inputs; unknowns of the general one; residual and its terms; entries; matrix. */
static size_t numbers_of(const struct values *v) {
    size_t m = (size_t)v->m;
    return (size_t)v->inputs + (size_t)v->n + 3 * m + (size_t)v->entries + m * m + 1;
}

double *values_workspace(const struct values *v, const struct values_work *w) {
    return w->number + numbers_of(v);
}

int values_reserve(struct values_work *w, const struct values *v) {
    size_t numbers = numbers_of(v) + 2 * (size_t)v->count, pivots = (size_t)v->m + 1;
    if (numbers > w->numbers) {
        double *wider = realloc(w->number, numbers * sizeof *wider);
        if (!wider) return -1;
        w->number = wider;
        w->numbers = numbers;
    }
    if (pivots > w->pivots) {
        int *wider = realloc(w->pivot, pivots * sizeof *wider);
        if (!wider) return -1;
        w->pivot = wider;
        w->pivots = pivots;
    }
    return 0;
}

void values_release(struct values_work *w) {
    free(w->number);
    free(w->pivot);
    *w = (struct values_work){0};
}

/* Are all targets unknowns of the formulation?  Then there is nothing to evaluate.  -1: no memory. */
static int are_unknowns(struct values *v, const struct formulation *r, const expr *out) {
    for (int i = 0; i < v->count; i++) {
        int place = formulation_place(r, out[i]);
        if (place < 0 || place >= v->own) return 0;
    }
    v->unknown = expr_take(&r->y->m->graph, (size_t)v->count, sizeof *v->unknown);
    for (int i = 0; i < v->count && v->unknown; i++) v->unknown[i] = formulation_place(r, out[i]);
    return v->unknown ? 1 : -1;
}

static int open_values(struct values *v, struct formulation *r, int count, const expr *target, int lenient,
                       int anew) {
    expr missing, *out = expr_take(&r->y->m->graph, (size_t)count, sizeof *out);
    struct formulation full = {0};
    *v = (struct values){.count = count};
    if (!out) return 0;
    if (!add_multipliers(r)) return free(out), 0;
    v->own = r->n + r->m;
    v->as_state = expr_take(&r->y->m->graph, (size_t)count, sizeof *v->as_state);
    if (!v->as_state) return free(out), 0;
    for (int i = 0; i < count; i++) {
        int place = formulation_find(r, target[i]);
        v->as_state[i] = place < r->n ? place : -1;
    }
    v->direct =
        resolve(r, count, target, 0, out) &&
        !(anew && expr_any_depends(&r->y->m->graph, (size_t)count, out, (size_t)r->m, r->basic + r->n));
    int unknowns = v->direct ? are_unknowns(v, r, out) : 0, good = unknowns > 0;
    if (v->direct && unknowns == 0) good = functions_tape(r, (size_t)count, out, &v->target, &missing) == 0;
    if (!v->direct) good = beside(v, r, &full, lenient, target, out) && build_tapes(v, r, &full, out);
    v->inputs = r->n + r->m + r->furthers;
    good = good &&
           expr_spend(&r->y->m->graph, EXPR_COST_BYTE * (double)v->m * (double)v->m * (double)sizeof(double));
    formulation_close(&full);
    free(out);
    return good;
}

int values_open(struct values *v, struct formulation *r, int count, const expr *target, int lenient) {
    return open_values(v, r, count, target, lenient, 0);
}

int values_open_anew(struct values *v, struct formulation *r, int count, const expr *target) {
    return open_values(v, r, count, target, 1, 1);
}

/* The residual in round-offs of its terms. */
static double units_of(const struct values *v, const double *residual, const double *terms) {
    double worst = 0;
    for (int i = 0; i < v->m; i++) {
        if (!isfinite(residual[i])) return NAN; /* which fmax would pass over */
        if (residual[i] != 0) worst = fmax(worst, fabs(residual[i]) / (DBL_EPSILON * terms[i]));
    }
    return worst;
}

/* Newton for the algebraic variables behind the states in u, from where they stand.  It has arrived one step
 * after the residual is round-off, or where it stops to fall not far from there: a variable may well be
 * zero, so its own size is no measure. */
static keel_status solve(const struct values *v, double t, double *u, const double *parameter, int *pivot) {
    double *residual = u + v->n + v->m, *terms = residual + v->m, *entry = terms + v->m,
           *matrix = entry + v->entries;
    size_t m = (size_t)v->m;
    double before = HUGE_VAL, units = 0;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        if (tape_call(&v->residual, t, u, parameter, residual) ||
            tape_call(&v->terms, t, u, parameter, terms) || tape_call(&v->jacobian, t, u, parameter, entry))
            return KEEL_ENOMEM;
        units = units_of(v, residual, terms);
        if (!isfinite(units)) return KEEL_ENEWTON;
        memset(matrix, 0, m * m * sizeof *matrix);
        for (int e = 0; e < v->entries; e++)
            if (v->column[e] >= 0) matrix[(size_t)v->row[e] * m + (size_t)v->column[e]] = entry[e];
        if (dense_lu(v->m, matrix, pivot, NULL)) return KEEL_ENEWTON;
        dense_lu_solve(v->m, matrix, pivot, residual);
        for (int j = 0; j < v->m; j++) {
            u[v->n + j] -= residual[j];
            if (!isfinite(u[v->n + j])) return KEEL_ENEWTON;
        }
        if (units <= 4 || (units < NEAR && units >= 0.5 * before)) return KEEL_OK;
        before = units;
    }
    return units < NEAR ? KEEL_OK : KEEL_ENEWTON;
}

/* A tape is called, or there is no memory for its registers. */
static keel_status call(const struct tape *tape, double t, const double *u, const double *parameter,
                        double *out) {
    return tape_call(tape, t, u, parameter, out) ? KEEL_ENOMEM : KEEL_OK;
}

keel_status values_at(const struct values *v, double t, const double *u, const double *multiplier,
                      const double *parameter, const struct values_work *w, double *out) {
    double *own = w->number, *full = own + v->inputs;
    for (int i = 0; i < v->count && v->unknown; i++) out[i] = u[v->unknown[i]];
    if (v->unknown) return KEEL_OK;
    if (v->direct && v->inputs == v->own) return call(&v->target, t, u, parameter, out);
    memcpy(own, u, (size_t)v->own * sizeof *own);
    for (int i = v->own; i < v->inputs; i++) own[i] = multiplier ? multiplier[i - v->own] : NAN;
    if (v->direct) return call(&v->target, t, own, parameter, out);
    keel_status status = call(&v->state, t, own, parameter, full);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < v->m; j++) full[v->n + j] = v->guess[j] >= 0 ? own[v->guess[j]] : 0;
    if (v->m) status = solve(v, t, full, parameter, w->pivot);
    for (int j = 0; j < v->m && status != KEEL_OK; j++) full[v->n + j] = NAN;
    return call(&v->target, t, full, parameter, out) == KEEL_OK ? status : KEEL_ENOMEM;
}

void values_close(struct values *v) {
    tape_free(&v->target);
    tape_free(&v->state);
    tape_free(&v->residual);
    tape_free(&v->terms);
    tape_free(&v->jacobian);
    free(v->row);
    free(v->column);
    free(v->guess);
    free(v->as_state);
    free(v->unknown);
    *v = (struct values){0};
}
