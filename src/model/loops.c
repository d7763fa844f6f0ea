/* loops.c - see loops.h.
 *
 * Points: Levenberg and Marquardt's (G^T G + mu I) d = -G^T g from the start values and guesses, mu
 * proportional to |g|, which converges quadratically where the rank is deficient, too (Yamashita and
 * Fukushima, Computing Suppl. 15, 2001).  Further ones from random steps along the null space of G.  A
 * singular position (a dead centre) is one among several, and dependent rows are those that are dependent at
 * all of them.
 *
 * Lengths stand beside quaternions, in any units.  So all is in sizes: coordinates in c_j, rows times r_i, by
 * which the entries of G are about 1 (Curtis and Reid, J. Inst. Maths Applics 10, 1972). */
#include "model/loops.h"

#include "linalg/dense.h"
#include "symbolic/tape.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5, MOST_ROWS = 600, ITERATIONS = 400, BALANCES = 100 };
#define DEPENDENT 1e-7 /* new direction of a row, of its length */
#define STRIDE 0.2     /* of a random step, by the size of the coordinates */

struct loops {
    const struct system *y;
    const struct motion *motion;
    int n, rows;
    struct tape tape;     /* g, then the entries of G */
    double *out;          /* what it gives */
    double *parameter;    /* numbers */
    double *q, *trial;    /* [n], in sizes */
    double *place;        /* [n] the coordinates themselves */
    double *r, *c;        /* [rows], [n] */
    double *jacobian;     /* rows x n */
    double *normal, *d;   /* n x n, n */
    double *basis;        /* POINTS x rows x n: orthonormal rows at each point */
    unsigned char *there; /* POINTS x rows: the row has a direction of its own there */
    unsigned char *fixed; /* [n] by `init`; NULL: none is */
    uint64_t state;       /* of the random numbers */
};

static const struct model_mode *mode_of(const struct loops *l) {
    return &l->y->m->mode[l->y->mode];
}

static double uniform(struct loops *l) {
    l->state ^= l->state << 13;
    l->state ^= l->state >> 7;
    l->state ^= l->state << 17;
    return (double)(l->state >> 11) / 4503599627370496.0 - 1;
}

/* g and G as functions of the coordinates, or 0: something else moves in them. */
static int open_tape(struct loops *l, struct pool *pool) {
    struct graph *g = &l->y->m->graph;
    const struct derive_sparse *slope = &l->motion->gradient;
    int entries = slope->row_start[l->rows], n = l->n, parameters = l->y->m->parameters;
    expr *root = pool_take(pool, ((size_t)l->rows + (size_t)entries + 1) * sizeof *root), missing;
    struct tape_input *input = pool_take(pool, ((size_t)n + (size_t)parameters + 2) * sizeof *input);
    l->out = pool_take(pool, ((size_t)l->rows + (size_t)entries + 1) * sizeof *l->out);
    l->parameter = pool_take(pool, ((size_t)parameters + 1) * sizeof *l->parameter);
    if (pool->refused) return -1;
    for (int i = 0; i < l->rows; i++) root[i] = mode_of(l)->constraint.list[i].value;
    for (int k = 0; k < entries; k++) root[l->rows + k] = slope->value[k];
    for (int j = 0; j < n; j++) input[j] = (struct tape_input){l->motion->q[j], TAPE_STATE, (uint32_t)j};
    for (int j = 0; j < parameters; j++) {
        expr symbol = expr_symbol(g, EXPR_PARAMETER, (uint32_t)j, 0);
        input[n + j] = (struct tape_input){symbol, TAPE_PARAMETER, (uint32_t)j};
        l->parameter[j] = l->y->m->parameter[j].number;
    }
    input[n + parameters] = (struct tape_input){expr_symbol(g, EXPR_TIME, 0, 0), TAPE_TIME, 0};
    if (g->failed) return -1;
    int built = tape_build(&l->tape, g, (size_t)l->rows + (size_t)entries, root,
                           (size_t)n + (size_t)parameters + 1, input, &missing);
    return built < 0 ? -1 : built == 0;
}

/* |g|^2 at q, with G; NAN where it cannot be evaluated. */
static double evaluate(struct loops *l, const double *q) {
    const struct derive_sparse *slope = &l->motion->gradient;
    double sum = 0;
    for (int j = 0; j < l->n; j++) l->place[j] = l->c[j] * q[j];
    if (tape_call(&l->tape, l->y->t0, l->place, l->parameter, l->out)) return NAN;
    memset(l->jacobian, 0, (size_t)l->rows * (size_t)l->n * sizeof *l->jacobian);
    for (int i = 0; i < l->rows; i++) {
        l->out[i] *= l->r[i];
        sum += l->out[i] * l->out[i];
        for (int k = slope->row_start[i]; k < slope->row_start[i + 1]; k++) {
            int j = slope->column[k];
            if (l->fixed && l->fixed[j]) continue;
            l->jacobian[(long)i * l->n + j] = l->r[i] * l->out[l->rows + k] * l->c[j];
        }
    }
    return sum;
}

/* log |G_ij| in the place of G_ij; NAN: it is 0, or a 0 that was rounded, for its row and for its column. */
static void take_logarithms(struct loops *l) {
    const double nothing = 1e-12;
    int n = l->n;
    for (int j = 0; j < n; j++) {
        l->d[j] = 0;
        for (int i = 0; i < l->rows; i++) l->d[j] = fmax(l->d[j], fabs(l->jacobian[(long)i * n + j]));
    }
    for (int i = 0; i < l->rows; i++) {
        double *row = l->jacobian + (long)i * n, most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j]));
        for (int j = 0; j < n; j++)
            row[j] = fabs(row[j]) > nothing * fmin(most, l->d[j]) ? log(fabs(row[j])) : NAN;
    }
}

/* log r_i |G_ij| c_j is near 0 in the mean square, found for rows and columns in turns.  The terms of a row
 * count as an entry of it, in a column whose c is 1, so that coordinates are about 1, too. */
static void balance(struct loops *l) {
    int n = l->n;
    for (int i = 0; i < l->rows; i++) l->r[i] = 1;
    for (int j = 0; j < n; j++) l->c[j] = 1;
    if (!isfinite(evaluate(l, l->q))) return;
    for (int i = 0; i < l->rows; i++) {
        l->out[i] = fabs(l->out[i]);
        for (int j = 0; j < n; j++) l->out[i] += fabs(l->jacobian[(long)i * n + j] * l->q[j]);
    }
    take_logarithms(l);
    for (int i = 0; i < l->rows; i++) l->r[i] = 0;
    for (int j = 0; j < n; j++) l->c[j] = 0;
    for (int k = 0; k < BALANCES; k++) {
        for (int i = 0; i < l->rows; i++) {
            const double *row = l->jacobian + (long)i * n;
            int entries = l->out[i] > 0;
            double sum = entries ? log(l->out[i]) : 0;
            for (int j = 0; j < n; j++)
                if (!isnan(row[j])) sum += row[j] + l->c[j], entries++;
            l->r[i] = entries ? -sum / entries : 0;
        }
        for (int j = 0; j < n; j++) {
            int entries = 0;
            double sum = 0;
            for (int i = 0; i < l->rows; i++) {
                double entry = l->jacobian[(long)i * n + j];
                if (!isnan(entry)) sum += entry + l->r[i], entries++;
            }
            l->c[j] = entries ? -sum / entries : 0;
        }
    }
    for (int i = 0; i < l->rows; i++) l->r[i] = exp(l->r[i]);
    for (int j = 0; j < n; j++) l->c[j] = exp(l->c[j]), l->q[j] /= l->c[j];
}

/* d of (G^T G + mu I) d = -G^T g; 0 where that fails. */
static int step(struct loops *l, double mu) {
    int n = l->n;
    memset(l->normal, 0, (size_t)n * (size_t)n * sizeof *l->normal);
    memset(l->d, 0, (size_t)n * sizeof *l->d);
    for (int i = 0; i < l->rows; i++) {
        const double *row = l->jacobian + (long)i * n;
        for (int j = 0; j < n; j++) {
            if (row[j] == 0) continue;
            l->d[j] -= row[j] * l->out[i];
            for (int k = 0; k < n; k++) l->normal[(long)j * n + k] += row[j] * row[k];
        }
    }
    for (int j = 0; j < n; j++) l->normal[(long)j * n + j] += mu;
    if (dense_cholesky(n, l->normal, NULL)) return 0;
    dense_cholesky_solve(n, l->normal, l->d);
    return 1;
}

static double length(int n, const double *a) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += a[j] * a[j];
    return sqrt(sum);
}

/* A point of the manifold near q, in its place: 1, or 0. */
static int land(struct loops *l) {
    double factor = 1, here = evaluate(l, l->q), size = 1 + length(l->n, l->q);
    for (int k = 0; k < ITERATIONS && isfinite(here); k++) {
        if (sqrt(here) < 1e-13 * size) return 1;
        if (!step(l, factor * sqrt(here) + DBL_MIN)) return 0;
        for (int j = 0; j < l->n; j++) l->trial[j] = l->q[j] + l->d[j];
        double next = evaluate(l, l->trial);
        if (next < here) {
            memcpy(l->q, l->trial, (size_t)l->n * sizeof *l->q);
            factor = fmax(1e-6, 0.2 * factor);
            here = next;
            continue;
        }
        if (sqrt(here) < 1e-10 * size) return 1; /* as far as round-off lets it */
        factor *= 8;
        if (factor > 1e12) return 0;
        here = evaluate(l, l->q);
    }
    return 0;
}

/* Rows at the point, orthonormal one after the other; `there`: has a direction of its own. */
static void orthogonalize(struct loops *l, int point, int i) {
    double *base = l->basis + (long)point * l->rows * l->n, *row = base + (long)i * l->n;
    unsigned char *there = l->there + (long)point * l->rows;
    double whole = length(l->n, row), left;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < i; k++) {
            const double *other = base + (long)k * l->n;
            double share = 0;
            if (!there[k]) continue;
            for (int j = 0; j < l->n; j++) share += other[j] * row[j];
            for (int j = 0; j < l->n; j++) row[j] -= share * other[j];
        }
    left = length(l->n, row);
    there[i] = left > DEPENDENT * whole && left > 0;
    for (int j = 0; j < l->n && there[i]; j++) row[j] /= left;
}

/* A random step along the null space of G, from the last point. */
static void stroll(struct loops *l, int point) {
    const double *base = l->basis + (long)point * l->rows * l->n;
    double size = fmax(1, length(l->n, l->q) / sqrt(l->n)) * STRIDE;
    for (int j = 0; j < l->n; j++) l->d[j] = size * uniform(l);
    for (int i = 0; i < l->rows; i++) {
        double share = 0;
        if (!l->there[(long)point * l->rows + i]) continue;
        for (int j = 0; j < l->n; j++) share += base[(long)i * l->n + j] * l->d[j];
        for (int j = 0; j < l->n; j++) l->d[j] -= share * base[(long)i * l->n + j];
    }
    for (int j = 0; j < l->n; j++) l->q[j] += l->d[j];
}

static void start_values(struct loops *l) {
    struct model *m = l->y->m;
    const struct model_givens *lists[] = {&m->guess, &m->init};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++) {
            const struct model_given *one = &lists[k]->list[i];
            for (int j = 0; j < l->n && one->target != EXPR_NONE; j++) {
                if (l->motion->q[j] != one->target) continue;
                double value = model_number(m, one->value, l->y->t0);
                if (isfinite(value)) l->q[j] = value;
                if (l->fixed && k == 1) l->fixed[j] = 1;
            }
        }
}

/* All points, rows one after the other in the same order: how many points there are. */
static int visit(struct loops *l) {
    int points = 0;
    start_values(l);
    balance(l);
    for (int tries = 0; points < POINTS && tries < 3 * POINTS; tries++) {
        memcpy(l->trial + l->n, l->q, (size_t)l->n * sizeof *l->q);
        if (!land(l)) {
            if (points == 0) return 0;
            memcpy(l->q, l->trial + l->n, (size_t)l->n * sizeof *l->q); /* from elsewhere then */
        } else {
            evaluate(l, l->q);
            memcpy(l->basis + (long)points * l->rows * l->n, l->jacobian,
                   (size_t)l->rows * (size_t)l->n * sizeof *l->basis);
            for (int i = 0; i < l->rows; i++) orthogonalize(l, points, i);
            points++;
        }
        stroll(l, points - 1);
    }
    return points;
}

static int take_workspace(struct loops *l, struct pool *pool) {
    size_t n = (size_t)l->n, rows = (size_t)l->rows;
    l->q = pool_take(pool, (n + 1) * sizeof *l->q);
    l->trial = pool_take(pool, (2 * n + 1) * sizeof *l->trial);
    l->place = pool_take(pool, (n + 1) * sizeof *l->place);
    l->r = pool_take(pool, (rows + 1) * sizeof *l->r);
    l->c = pool_take(pool, (n + 1) * sizeof *l->c);
    l->d = pool_take(pool, (n + 1) * sizeof *l->d);
    l->jacobian = pool_take(pool, (rows * n + 1) * sizeof *l->jacobian);
    l->normal = pool_take(pool, (n * n + 1) * sizeof *l->normal);
    l->basis = pool_take(pool, (POINTS * rows * n + 1) * sizeof *l->basis);
    l->there = pool_take(pool, POINTS * rows + 1);
    return !pool->refused;
}

/* The row that is off most where the search ended, g as small as it gets.  There G^T g = 0: what is off are
 * rows that together leave no way out, the loop. */
static struct loops_gap gap_of(struct loops *l, unsigned char *of) {
    struct loops_gap gap = {-1, 0, of};
    if (!isfinite(evaluate(l, l->q))) return gap;
    for (int i = 0; i < l->rows; i++)
        if (fabs(l->out[i]) > gap.off) gap.row = i, gap.off = fabs(l->out[i]);
    for (int i = 0; i < l->rows; i++) of[i] = fabs(l->out[i]) > 1e-6 * gap.off;
    if (gap.row >= 0) gap.off /= l->r[gap.row];
    return gap;
}

/* Can there be loops, and few enough to be looked at? */
static int has_loops(const struct loops *l) {
    return l->y->m->form == MODEL_LAGRANGIAN && l->rows >= 2 && l->rows <= MOST_ROWS && l->n <= MOST_ROWS;
}

static struct loops begin(const struct system *y) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    return (struct loops){.y = y,
                          .motion = &mode->motion,
                          .n = mode->motion.n,
                          .rows = mode->constraint.count,
                          .state = 88172645463325252u};
}

int loops_dependent(const struct system *y, unsigned char *dependent, struct loops_gap *gap,
                    struct pool *pool) {
    struct loops l = begin(y);
    int count = 0;
    gap->row = -1;
    if (!has_loops(&l)) return 0;
    int there = take_workspace(&l, pool) ? open_tape(&l, pool) : -1;
    int points = there > 0 ? visit(&l) : 0;
    if (there > 0 && points == 0) *gap = gap_of(&l, dependent);
    tape_free(&l.tape);
    for (int i = 0; i < l.rows && points; i++) {
        int own = 0;
        for (int p = 0; p < points; p++) own |= l.there[(long)p * l.rows + i];
        dependent[i] = !own;
        count += !own;
    }
    return there < 0 ? -1 : count;
}

int loops_open(const struct system *y, struct loops_gap *gap, struct pool *pool) {
    struct loops l = begin(y);
    gap->row = -1;
    if (!has_loops(&l)) return 1;
    unsigned char *of = pool_take(pool, (size_t)l.rows + 1);
    l.fixed = pool_take(pool, (size_t)l.n + 1);
    int there = take_workspace(&l, pool) ? open_tape(&l, pool) : -1;
    if (there > 0) {
        start_values(&l);
        balance(&l);
        if (!land(&l)) *gap = gap_of(&l, of);
    }
    tape_free(&l.tape);
    return there >= 0;
}
