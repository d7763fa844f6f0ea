/* structure_combine.c - the linear-combination remedy for a system Jacobian that is singular everywhere.
 *
 * With u^T J = 0 and c_k the least offset on the support of u, f_k becomes sum u_i f_i^(c_i - c_k),
 * provided u holds no derivative of any x_j of order d_j - c_k or more: then the highest derivatives drop
 * out and the value of the transversal falls, so that the loop ends (Tan, Nedialkov, Pryce, section 4).
 * The weights are found as numbers at random points; small fractions that are the same everywhere stay
 * numbers, others are computed once more as expressions by the elimination that gave the numbers. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUPPORT = 24 }; /* rows; beyond it expressions would explode */
enum { THIN = 11 };    /* rows added to another in structure_thin, at most */

struct circuit {
    int count, row[SUPPORT];
    double u[STRUCTURE_POINTS * SUPPORT], loose[SUPPORT]; /* mass/|u|: eps times that bounds its error */
    double apart;                                         /* by rounding, or more: see structure_apart */
    struct structure_pivot order[SUPPORT];
    expr symbolic[SUPPORT]; /* u up to a factor; EXPR_NONE: not computed yet */
};

/* Entry (row i of the circuit, column) of the Jacobian. */
static expr entry(struct graph *g, const struct structure_pattern *a, int row, int column) {
    for (int k = a->start[row]; k < a->start[row + 1]; k++)
        if (a->column[k] == column) return a->slope[k];
    return derive_zero(g);
}

static double number(const struct structure_sample *v, expr e, double *mass) {
    *mass = v->mass[e];
    return structure_sample_zero(v, e) ? 0 : v->value[e];
}

/* a/b without the factors that both have: (x*p)/(x*q) has a value where x is 0. */
static expr reduced(struct graph *g, expr a, expr b) {
    expr top[EXPR_FACTORS], bottom[EXPR_FACTORS], one = expr_constant(g, 1), over = one, under = one;
    int tops, bottoms;
    if (a == EXPR_NONE || b == EXPR_NONE) return EXPR_NONE;
    tops = expr_factors(g, a, top), bottoms = expr_factors(g, b, bottom);
    if (tops > EXPR_FACTORS || bottoms > EXPR_FACTORS) return derive_div(g, a, b);
    for (int i = 0; i < tops; i++) {
        int j = 0;
        while (j < bottoms && bottom[j] != top[i]) j++;
        if (j < bottoms) bottom[j] = one;
        else over = derive_mul(g, over, top[i]);
    }
    for (int j = 0; j < bottoms; j++) under = derive_mul(g, under, bottom[j]);
    return derive_div(g, over, under);
}

/* The elimination of the pivots' columns, as numbers at one point (which say what is zero) and as
 * expressions; then u = L^-T e as in structure_left_null. */
static void solve(struct structure_work *w, const struct structure_pattern *a, struct circuit *q,
                  const struct structure_sample *v) {
    int n = q->count, left = n * (n - 1) / 2;
    expr e[SUPPORT][SUPPORT], low[SUPPORT][SUPPORT];
    double x[SUPPORT][SUPPORT], m[SUPPORT][SUPPORT];
    unsigned char done[SUPPORT] = {0};
    struct graph *g = w->g;
    memset(low, 0, sizeof low);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - 1; j++) {
            expr slope = entry(g, a, q->row[i], q->order[j].column);
            x[i][j] = derive_is_zero(g, slope) ? (m[i][j] = 0) : number(v, slope, &m[i][j]);
            e[i][j] = x[i][j] == 0 ? derive_zero(g) : slope;
        }
    for (int s = 0; s < n - 1; s++) {
        int p = q->order[s].row;
        done[p] = 1;
        left -= p;
        for (int i = 0; i < n; i++) {
            if (done[i] || x[i][s] == 0) continue;
            double factor = x[i][s] / x[p][s], mass = fmax(m[i][s], fabs(factor) * m[p][s]) / fabs(x[p][s]);
            low[i][s] = reduced(g, e[i][s], e[p][s]);
            for (int j = s + 1; j < n - 1; j++) {
                m[i][j] = fmax(m[i][j], fmax(fabs(factor) * m[p][j], mass * fabs(x[p][j])));
                x[i][j] -= factor * x[p][j];
                if (fabs(x[i][j]) <= STRUCTURE_ZERO * m[i][j]) x[i][j] = 0, e[i][j] = derive_zero(g);
                else e[i][j] = derive_sub(g, e[i][j], derive_mul(g, low[i][s], e[p][j]));
            }
        }
    }
    for (int i = 0; i < n; i++) q->symbolic[i] = derive_zero(g);
    q->symbolic[left] = expr_constant(g, 1);
    for (int s = n - 2; s >= 0; s--)
        for (int i = 0; i < n; i++) {
            expr *to = &q->symbolic[q->order[s].row];
            if (low[i][s]) *to = derive_sub(g, *to, derive_mul(g, low[i][s], q->symbolic[i]));
        }
}

/* u_i/u_k as a number that is the same at all points: 2 if it is a fraction, 1 if any other, 0 if none. */
static int constant_weight(const struct circuit *q, int i, int k, double *value) {
    *value = q->u[i] / q->u[k];
    for (int p = 1; p < STRUCTURE_POINTS; p++) {
        double other = q->u[p * q->count + i] / q->u[p * q->count + k];
        if (fabs(other - *value) > 1e-11 * fabs(*value)) return 0;
    }
    return 1 + structure_fraction(*value, value);
}

/* May the weight stand before equation k?  See above. */
static int allowed(const struct structure_work *w, expr weight, int ck, const int *d) {
    struct expr_list all;
    int fits = expr_symbols(w->g, 1, &weight, &all) == 0;
    if (!fits) return 0;
    for (size_t i = 0; i < all.count && fits; i++) {
        const struct expr_node *n = &w->g->node[all.item[i]];
        int j = structure_column(w, n->a, n->b);
        if (j >= 0) fits = (int)n->c < d[j] - ck;
    }
    free(all.item);
    return fits;
}

/* The weights over equation number k of the circuit; 0: not allowed. */
static int weights(struct structure_work *w, const struct structure_pattern *a, struct circuit *q, int k,
                   int ck, const int *d, const struct structure_sample *v, int constants, expr *weight) {
    for (int i = 0; i < q->count; i++) {
        double value;
        int constant = constant_weight(q, i, k, &value);
        if (constant == 2 || (constant == 1 && !constants)) { /* written out, its unknowns would cancel */
            int lost = constant == 2 ? 0 : ilogb(fmax(q->loose[i], q->loose[k])) + 1;
            weight[i] = expr_remainder(w->g, value, lost);
            continue;
        }
        if (constants) return 0;
        if (q->symbolic[0] == EXPR_NONE) solve(w, a, q, v);
        weight[i] = reduced(w->g, q->symbolic[i], q->symbolic[k]);
        if (weight[i] == EXPR_NONE || !allowed(w, weight[i], ck, d)) return 0;
    }
    return 1;
}

static expr derivative(struct structure_work *w, expr f, int order) {
    while (order-- > 0) f = derive_total(&w->smooth, f);
    w->smooth.obstacle = EXPR_NONE;
    return f;
}

static int note_step(struct structure_work *w, const struct circuit *q, int k, const int *c,
                     const expr *weight) {
    struct structure *s = w->s;
    struct structure_step *step = structure_keep(s, (size_t)s->steps + 1, sizeof *step);
    size_t count = (size_t)q->count;
    struct structure_step own = {w->row[q->row[k]],
                                 q->count,
                                 structure_keep(s, count, sizeof(int)),
                                 structure_keep(s, count, sizeof(int)),
                                 structure_keep(s, count, sizeof(expr)),
                                 q->apart};
    if (!step || !own.equation || !own.order || !own.weight) return -1;
    for (int i = 0; i < q->count; i++) {
        own.equation[i] = w->row[q->row[i]];
        own.order[i] = c[q->row[i]] - c[q->row[k]];
        own.weight[i] = weight[i];
        own.apart = fmax(own.apart, structure_apart_before(s, own.equation[i]));
    }
    if (s->steps) memcpy(step, s->step, (size_t)s->steps * sizeof *step);
    step[s->steps++] = own;
    s->step = step;
    return 0;
}

/* By u^T J = 0 the combination is free of x_j^(d_j - c_k), all j, exactly; written out, round-off would
 * remain. */
static expr without_highest(struct structure_work *w, expr f, int ck, const int *d) {
    struct expr_list all;
    size_t count = 0;
    if (expr_symbols(w->g, 1, &f, &all)) return EXPR_NONE;
    for (size_t i = 0; i < all.count; i++) {
        const struct expr_node *n = &w->g->node[all.item[i]];
        int j = structure_column(w, n->a, n->b);
        if (j >= 0 && (int)n->c == d[j] - ck) all.item[count++] = all.item[i];
    }
    f = structure_remove(w, f, count, all.item);
    free(all.item);
    return f;
}

/* Equation k of the circuit becomes `sum`.  1 or -1. */
static int replace(struct structure_work *w, const struct circuit *q, int k, const int *c, const expr *weight,
                   expr sum) {
    int depth = 0;
    if (sum == EXPR_NONE) return structure_out_of_memory(w->s);
    if (note_step(w, q, k, c, weight)) return -1;
    for (int i = 0; i < q->count; i++) {
        int own = w->depth[q->row[i]] + c[q->row[i]] - c[q->row[k]];
        if (own > depth) depth = own;
    }
    w->f[q->row[k]] = sum;
    w->depth[q->row[k]] = depth;
    return 1;
}

static int apply(struct structure_work *w, const struct circuit *q, int k, const int *c, const int *d,
                 const expr *weight) {
    struct graph *g = w->g;
    expr sum = derive_zero(g);
    for (int i = 0; i < q->count; i++) {
        expr f = derivative(w, w->f[q->row[i]], c[q->row[i]] - c[q->row[k]]);
        if (f == EXPR_NONE) return g->failed ? structure_out_of_memory(w->s) : 0;
        sum = derive_add(g, sum, derive_mul(g, weight[i], f));
    }
    return replace(w, q, k, c, weight, without_highest(w, sum, c[q->row[k]], d));
}

/* Equation k of the circuit becomes what the fractions leave, by those rows alone that have a part in it. */
static int replace_exact(struct structure_work *w, struct circuit *q, const int *c,
                         const struct structure_exact *x) {
    int count = 0, k = 0;
    for (int i = 0; i < q->count; i++) {
        if (derive_is_zero(w->g, x->weight[i])) continue;
        if (i == x->k) k = count;
        x->weight[count] = x->weight[i];
        q->row[count++] = q->row[i];
    }
    q->count = count;
    if (replace(w, q, k, c, x->weight, structure_form_value(w, &x->left)) < 0) return -1;
    w->form[q->row[k]] = x->left;
    w->form[q->row[k]].of = w->f[q->row[k]];
    w->form[q->row[k]].pinned = w->pinned;
    return 1;
}

static int apply_exact(struct structure_work *w, struct circuit *q, const int *c, const int *d) {
    struct structure_exact x;
    int holds = structure_exact(w, q->count, q->row, c, d, NULL, &x);
    return holds <= 0 ? holds : replace_exact(w, q, c, &x);
}

/* One null vector.  1: its equation is replaced; 0: it cannot be used; -1. */
static int attempt(struct structure_work *w, const struct structure_pattern *a, struct circuit *q,
                   const int *c, const int *d, const struct structure_sample *v, int constants) {
    int least = c[q->row[0]], holds;
    q->apart = 0;
    if (q->count < 2) return 0; /* a row that is zero at these points only */
    if (constants) {
        holds = apply_exact(w, q, c, d);
        if (holds) return holds;
    }
    holds = structure_circuit(w->s, a, q->count, q->row, v, q->u, q->loose, q->order);
    if (holds <= 0) return holds;
    q->apart = structure_apart(w->s, a, q->count, q->row, &v[0], q->u);
    if (q->apart < 0) return -1;
    for (int i = 1; i < q->count; i++)
        if (c[q->row[i]] < least) least = c[q->row[i]];
    memset(q->symbolic, 0, sizeof q->symbolic);
    for (int k = q->count - 1; k >= 0; k--) {
        expr weight[SUPPORT];
        if (c[q->row[k]] != least || !weights(w, a, q, k, least, d, v, constants, weight)) continue;
        return apply(w, q, k, c, d, weight);
    }
    return 0;
}

/* The equations of a null vector that could not be used, for the message. */
static int find_culprits(struct structure_work *w, const struct structure_vector *u) {
    struct structure *s = w->s;
    int *list = structure_keep(s, (size_t)u->count, sizeof *list);
    if (!list) return -1;
    s->culprits = 0;
    for (int i = 0; i < u->count; i++) list[s->culprits++] = w->row[u->row[i]];
    s->culprit = list;
    return 0;
}

/* All null vectors of one Jacobian whose rows were not used yet; how many equations were replaced. */
static int sweep(struct structure_work *w, const struct structure_pattern *a, struct structure_factor *f,
                 const int *c, const int *d, const struct structure_sample *v, int constants) {
    const struct structure_vector *u = &f->left;
    unsigned char *used = structure_take(w->s, (size_t)w->rows, 1);
    struct circuit *q = structure_take(w->s, 1, sizeof *q);
    int replaced = 0;
    if (!used || !q) return -1;
    for (int t = 0; t < f->rows - f->rank; t++) {
        int fresh = 1;
        q->count = 0;
        if (!expr_spend(w->g, structure_left_null(f, t))) return -1;
        for (int i = 0; i < u->count && fresh; i++) {
            fresh = !used[u->row[i]] && q->count < SUPPORT;
            if (fresh) q->row[q->count++] = u->row[i];
        }
        int done = fresh ? attempt(w, a, q, c, d, v, constants) : 0;
        if (done < 0) return -1;
        replaced += done;
        for (int i = 0; i < q->count && done; i++) used[q->row[i]] = 1;
        if (!replaced && find_culprits(w, u)) return -1;
    }
    return replaced;
}

/* Until they are pinned the last point has random parameters: a weight that is the same everywhere does
 * not depend on them. */
static int with_points(struct structure_work *w, const struct structure_pattern *a, const int *c,
                       const int *d, const int point[STRUCTURE_POINTS]) {
    struct structure_sample v[STRUCTURE_POINTS] = {{0}};
    struct structure_matrix numbers;
    struct structure_factor factor;
    size_t roots = (size_t)a->start[a->rows];
    int replaced = 0, failed = 0;
    for (int k = 0; k < STRUCTURE_POINTS && !failed; k++)
        failed = structure_sample_open(&v[k], w, roots, a->slope, point[k]);
    if (!failed) failed = structure_numbers(w->s, a, &v[0], &numbers);
    if (!failed && structure_eliminate(&numbers, NULL, &factor)) failed = structure_out_of_memory(w->s);
    if (!failed) {
        for (int constants = 1; constants >= 0 && replaced == 0; constants--)
            replaced = sweep(w, a, &factor, c, d, v, constants);
        structure_factor_close(&factor);
    }
    for (int k = 0; k < STRUCTURE_POINTS; k++) structure_sample_close(&v[k]);
    return failed ? -1 : replaced;
}

/* The ranks are exact, the null vectors above are not, and may be missed: all rows of an offset and more are
 * tried together. */
static int without_points(struct structure_work *w, const int *c, const int *d) {
    struct circuit *q = structure_take(w->s, 1, sizeof *q);
    if (!q) return -1;
    for (int level = 0; level < w->rows && w->rows <= SUPPORT; level++) {
        q->count = 0;
        for (int i = 0; i < w->rows; i++)
            if (c[i] >= c[level]) q->row[q->count++] = i;
        int done = q->count > 1 ? apply_exact(w, q, c, d) : 0;
        if (done) return done;
    }
    return 0;
}

int structure_combine(struct structure_work *w, const struct structure_pattern *jacobian, const int *c,
                      const int *d) {
    struct structure *s = w->s;
    int point[STRUCTURE_POINTS], culprits = s->culprits, *culprit = s->culprit;
    if (structure_sample_points(w, (size_t)jacobian->start[jacobian->rows], jacobian->slope, point))
        return -1;
    if (!w->pinned) point[STRUCTURE_POINTS - 1] += STRUCTURE_GENERIC;
    s->culprits = 0;
    int replaced = with_points(w, jacobian, c, d, point);
    if (replaced == 0 && s->culprits == 0) {
        replaced = without_points(w, c, d);
        s->culprits = culprits, s->culprit = culprit; /* those told before */
    }
    if (replaced > 0) s->culprits = 0;
    if (replaced > 0 && w->pinned) s->special = 1;
    return replaced > 0 ? 1 : replaced;
}

/* Row k and those that may be added to it: the rows of a null vector that could not be used, as many as
 * their offsets allow.  How many, row k the last; 0: too many, or k is none of them. */
static int partners(const struct structure_work *w, int k, const int *c, int *row) {
    const struct structure *s = w->s;
    int count = 0, own = 0;
    for (int i = 0; i < w->rows; i++) {
        int is_culprit = 0;
        for (int e = 0; e < s->culprits && !is_culprit; e++) is_culprit = s->culprit[e] == w->row[i];
        if (!is_culprit || c[i] < c[k]) continue;
        if (i == k) own = 1;
        else if (count < THIN) row[count++] = i;
        else return 0;
    }
    row[count] = k;
    return own ? count + 1 : 0;
}

/* Where every null vector needs weights that hold highest derivatives themselves: multiples of other rows
 * are added to row k that take one unknown of its entries away and bring no other in.  By itself that does
 * not lower the value of the transversal; it ends all the same, since each time an entry is gone. */
int structure_thin(struct structure_work *w, const struct structure_pattern *a, const int *c, const int *d) {
    struct circuit *q = structure_take(w->s, 1, sizeof *q);
    unsigned char *gone = structure_take(w->s, (size_t)w->columns, 1);
    if (!q || !gone) return -1;
    for (int k = 0; k < w->rows; k++) {
        int count = partners(w, k, c, q->row);
        for (int e = a->start[k]; e < a->start[k + 1] && count > 1; e++) {
            struct structure_exact x;
            memset(gone, 1, (size_t)w->columns);
            for (int o = a->start[k]; o < a->start[k + 1]; o++) gone[a->column[o]] = o == e;
            q->count = count;
            int holds = structure_exact(w, count, q->row, c, d, gone, &x);
            if (holds < 0) return -1;
            if (!holds || x.k != count - 1) continue;
            w->s->culprits = 0;
            w->s->special |= w->pinned;
            return replace_exact(w, q, c, &x);
        }
    }
    return 0;
}
