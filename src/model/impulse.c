/* impulse.c - see impulse.h. */
#include "model/impulse.h"

#include "symbolic/derive_rules.h"
#include "linalg/dense.h"
#include "model/functions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 30 };

static const struct model_mode *mode_of(const struct formulation *own) {
    return &own->y->m->mode[own->y->mode];
}

/* The k-th row of G: its constraint, or NULL where that was left out. */
static const struct model_row *row_of(const struct formulation *own, int k) {
    const struct model_mode *mode = mode_of(own);
    int holonomic = mode->constraint.count;
    const struct model_row *row =
        k < holonomic ? &mode->constraint.list[k] : &mode->rolling.list[k - holonomic];
    return own->y->left_out[row->multiplier] ? NULL : row;
}

/* What must be zero: d/dt g = g_t + G q', or a rolling constraint as it stands. */
static expr rate_of(struct formulation *own, int k) {
    struct graph *g = &own->y->m->graph;
    const struct motion *motion = &mode_of(own)->motion;
    const struct model_row *row = row_of(own, k);
    if (k >= mode_of(own)->constraint.count) return row->value;
    expr sum = derive_partial(&own->derive, row->value, expr_symbol(g, EXPR_TIME, 0, 0));
    for (int e = motion->gradient.row_start[k]; e < motion->gradient.row_start[k + 1] && sum != EXPR_NONE;
         e++)
        sum = derive_add(g, sum,
                         derive_mul(g, motion->gradient.value[e], motion->rate[motion->gradient.column[e]]));
    return sum;
}

/* P and R in the unknowns of the formulation, and the rows of G that count.  0: they cannot be had. */
static int write_down(struct impulse *i, struct formulation *own, expr *value, expr *by) {
    const struct motion *motion = &mode_of(own)->motion;
    struct graph *g = &own->y->m->graph;
    for (int j = 0; j < i->n; j++) {
        i->place[j] = formulation_find(own, motion->v[j]);
        i->rate_place[j] = formulation_find(own, expr_symbol(g, EXPR_UNKNOWN, g->node[motion->q[j]].b, 1));
        if (i->place[j] < 0 || i->place[j] >= own->n) return 0;
        by[j] = own->basic[i->place[j]];
        value[j] = formulation_resolve(own, motion->p[j]);
        if (value[j] == EXPR_NONE) return 0;
    }
    for (int k = 0; k < motion->rows; k++) {
        if (!row_of(own, k)) continue;
        expr rate = formulation_resolve(own, rate_of(own, k));
        if (rate == EXPR_NONE) return 0;
        value[i->n + i->rows] = rate;
        for (int e = motion->gradient.row_start[k]; e < motion->gradient.row_start[k + 1]; e++) {
            expr entry = formulation_resolve(own, motion->gradient.value[e]);
            if (entry == EXPR_NONE) return 0;
            i->along.column[i->along.row_start[i->rows + 1]] = motion->gradient.column[e];
            i->along.value[i->along.row_start[i->rows + 1]++] = entry;
        }
        i->rows++;
        i->along.row_start[i->rows + 1] = i->along.row_start[i->rows];
    }
    return 1;
}

/* 0 as well where something is not among the unknowns: nothing is promised then. */
static int build(struct impulse *i, struct formulation *own, expr *value, const expr *by) {
    expr missing;
    int all = i->n + i->rows;
    if (derive_jacobian(&own->derive, all, value, i->n, by, &i->slope)) return 0;
    if (own->y->m->directions && !impulse_vary_open(i, own, value)) return 0;
    if (functions_tape(own, (size_t)all, value, &i->value, &missing) ||
        functions_tape(own, (size_t)i->slope.row_start[all], i->slope.value, &i->slopes, &missing) ||
        functions_tape(own, (size_t)i->along.row_start[i->rows], i->along.value, &i->alongs, &missing))
        return 0;
    for (int j = 0; j < i->n; j++) {
        value[j] = formulation_resolve(own, mode_of(own)->motion.rate[j]);
        if (value[j] == EXPR_NONE) return 0;
    }
    return functions_tape(own, (size_t)i->n, value, &i->rates, &missing) == 0;
}

int impulse_open(struct impulse *i, struct formulation *own) {
    const struct motion *motion = &mode_of(own)->motion;
    *i = (struct impulse){.n = motion->n, .unknowns = (size_t)own->n + (size_t)own->m};
    if (motion->rows == 0 || own->y->m->form == MODEL_POISSON) return 1;
    size_t n = (size_t)motion->n, rows = (size_t)motion->rows;
    size_t entries = (size_t)motion->gradient.row_start[motion->rows];
    expr *value = malloc((n + rows) * sizeof *value), *by = malloc(n * sizeof *by);
    i->place = malloc(n * sizeof *i->place);
    i->rate_place = malloc(n * sizeof *i->rate_place);
    i->along = (struct derive_sparse){motion->rows, motion->n, calloc(rows + 2, sizeof(int)),
                                      calloc(entries + 1, sizeof(int)), calloc(entries + 1, sizeof(expr))};
    int good =
        value && by && i->place && i->rate_place && i->along.row_start && i->along.column && i->along.value;
    if (good) i->there = write_down(i, own, value, by) && i->rows > 0 && build(i, own, value, by);
    free(value);
    free(by);
    return good && !own->y->m->graph.failed;
}

void impulse_close(struct impulse *i) {
    derive_free(&i->slope);
    derive_free(&i->along);
    tape_free(&i->value);
    tape_free(&i->slopes);
    tape_free(&i->alongs);
    tape_free(&i->rates);
    impulse_vary_close(i);
    free(i->place);
    free(i->rate_place);
    *i = (struct impulse){0};
}

/* (P_w  G^T)
 * (R_w  0  ), with (1 0) in the rows of what stays */
static keel_status factor(const struct impulse *i, double t, const double *u, const double *parameter,
                          const unsigned char *stays, double *entry, double *matrix, int *pivot) {
    size_t all = (size_t)i->n + (size_t)i->rows;
    memset(matrix, 0, all * all * sizeof *matrix);
    if (tape_call(&i->slopes, t, u, parameter, entry)) return KEEL_ENOMEM;
    for (size_t r = 0; r < all; r++)
        for (int e = i->slope.row_start[r]; e < i->slope.row_start[r + 1]; e++)
            matrix[r * all + (size_t)i->slope.column[e]] = entry[e];
    if (tape_call(&i->alongs, t, u, parameter, entry)) return KEEL_ENOMEM;
    for (int k = 0; k < i->rows; k++)
        for (int e = i->along.row_start[k]; e < i->along.row_start[k + 1]; e++)
            matrix[(size_t)i->along.column[e] * all + (size_t)(i->n + k)] = entry[e];
    for (size_t j = 0; j < (size_t)i->n; j++) {
        if (!stays || !stays[i->place[j]]) continue;
        memset(matrix + j * all, 0, all * sizeof *matrix);
        matrix[j * all + j] = 1;
    }
    return dense_lu((int)all, matrix, pivot, NULL) ? KEEL_ESINGULAR : KEEL_OK;
}

/* Newton for w in u; `first`: P(w0).  The equations are linear in the impulses, which are found anew each
 * time. */
static keel_status solve(const struct impulse *i, double t, const double *parameter,
                         const unsigned char *stays, double *u, double *work, int *pivot) {
    int n = i->n, all = n + i->rows;
    double *first = work, *step = first + all, *matrix = step + all, *entry = matrix + (long)all * all;
    if (tape_call(&i->value, t, u, parameter, first)) return KEEL_ENOMEM;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        double longest = 0;
        if (tape_call(&i->value, t, u, parameter, step)) return KEEL_ENOMEM;
        for (int j = 0; j < n; j++) step[j] = stays && stays[i->place[j]] ? 0 : step[j] - first[j];
        keel_status status = factor(i, t, u, parameter, stays, entry, matrix, pivot);
        if (status != KEEL_OK) return status;
        dense_lu_solve(all, matrix, pivot, step);
        for (int j = 0; j < n; j++) {
            double *w = &u[i->place[j]];
            longest = fmax(longest, fabs(step[j]) / fmax(fabs(*w) + fabs(*w - step[j]), DBL_MIN));
            *w -= step[j];
            if (!isfinite(*w)) return KEEL_ENEWTON;
        }
        if (longest <= 8 * DBL_EPSILON) return KEEL_OK;
    }
    return KEEL_OK;
}

/* Work of one solve: P(w0), the step with minus the impulses, matrix and entries; the unknowns before. */
struct workspace {
    double *work, *before, *rate;
    int *pivot;
};

static int take(const struct impulse *i, size_t unknowns, struct workspace *w) {
    size_t all = (size_t)i->n + (size_t)i->rows, entries = (size_t)i->slope.row_start[all];
    size_t more = (size_t)i->along.row_start[i->rows];
    w->work = malloc((2 * all + all * all + entries + more) * sizeof *w->work);
    w->before = malloc((unknowns + (size_t)i->n) * sizeof *w->before);
    w->rate = w->before ? w->before + unknowns : NULL;
    w->pivot = malloc(all * sizeof *w->pivot);
    return w->work && w->before && w->pivot;
}

int impulse_apply(const struct impulse *i, double t, const double *parameter, const unsigned char *stays,
                  const double *moments, double *u) {
    if (!i->there) return 1;
    struct workspace w;
    size_t all = (size_t)i->n + (size_t)i->rows, unknowns = i->unknowns;
    keel_status status = take(i, unknowns, &w) ? KEEL_OK : KEEL_ENOMEM;
    if (status == KEEL_OK) {
        memcpy(w.before, u, unknowns * sizeof *u);
        status = solve(i, t, parameter, stays, u, w.work, w.pivot);
        if (status != KEEL_OK) memcpy(u, w.before, unknowns * sizeof *u);
        if (status == KEEL_ESINGULAR) status = solve(i, t, parameter, stays = NULL, u, w.work, w.pivot);
        if (status != KEEL_OK) memcpy(u, w.before, unknowns * sizeof *u);
        if (status == KEEL_OK && tape_call(&i->rates, t, u, parameter, w.rate)) status = KEEL_ENOMEM;
        for (int j = 0; j < i->n && status == KEEL_OK; j++)
            if (i->rate_place[j] >= 0) u[i->rate_place[j]] = w.rate[j];
        struct impulse_solved solved = {w.work + 2 * all, w.work + all + i->n, w.pivot};
        if (status == KEEL_OK && !impulse_vary(i, t, parameter, stays, moments, w.before, &solved, u))
            status = KEEL_ENOMEM;
    }
    free(w.work);
    free(w.before);
    free(w.pivot);
    return status != KEEL_ENOMEM;
}
