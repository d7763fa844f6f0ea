/* structure_signature.c - sigma_ij, the highest derivative order of x_j in f_i, and the derivative of f_i by
 * it.
 *
 * A derivative that is zero at all random points, and at one at least that proves it, is zero: f_i does not
 * depend on that symbol, which then takes a number in its place, so that what is said to be free of x' is.
 * A removal that is wrong would be a wrong result, one that is missed costs a refusal at most. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>

struct slopes {
    int count, dirty;
    expr *symbol, *slope;
};

/* A node of f rebuilt with numbers for some symbols, dropping what is then 0 by structure. */
static expr rebuild(struct graph *g, expr e) {
    struct expr_node n = g->node[e];
    expr a = g->image[n.a], b = n.op == EXPR_POWI ? n.b : g->image[n.b], c = g->image[n.c];
    switch (n.op) {
    case EXPR_ADD:
        return derive_add(g, a, b);
    case EXPR_SUB:
        return a == b ? derive_zero(g) : derive_sub(g, a, b);
    case EXPR_MUL:
        return derive_mul(g, a, b);
    case EXPR_DIV:
        return derive_div(g, a, b);
    case EXPR_POWI:
        return expr_powi(g, a, (int32_t)b);
    default:
        return expr_make(g, (enum expr_op)n.op, a, b, c);
    }
}

static expr without_symbols(struct graph *g, expr f, size_t count, const expr *symbol, double number) {
    struct expr_list list;
    if (expr_order(g, 1, &f, &list)) return EXPR_NONE;
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i], image = expr_operands((enum expr_op)g->node[e].op) ? rebuild(g, e) : e;
        for (size_t k = 0; k < count; k++)
            if (e == symbol[k]) image = expr_constant(g, number);
        g->image[e] = image; /* the graph may have grown */
    }
    expr result = g->image[f];
    for (size_t i = 0; i < list.count; i++) g->image[list.item[i]] = EXPR_NONE;
    free(list.item);
    return result;
}

static int refuse(struct structure_work *w, int row, expr obstacle) {
    struct structure *s = w->s;
    if (obstacle == EXPR_NONE) return structure_out_of_memory(s);
    s->verdict = STRUCTURE_OBSTACLE;
    s->obstacle = obstacle;
    s->culprit = structure_keep(s, 1, sizeof *s->culprit);
    if (!s->culprit) return -1;
    s->culprit[0] = w->row[row];
    s->culprits = 1;
    return -1;
}

/* The symbols of unknowns in row i and the derivatives by them. */
static int refresh(struct structure_work *w, int i, struct slopes *row) {
    struct expr_list all;
    if (expr_symbols(w->g, 1, &w->f[i], &all)) return structure_out_of_memory(w->s);
    row->symbol = structure_take(w->s, all.count, sizeof(expr));
    row->slope = structure_take(w->s, all.count, sizeof(expr));
    row->count = 0;
    for (size_t k = 0; k < all.count && row->symbol; k++) {
        const struct expr_node *n = &w->g->node[all.item[k]];
        if (structure_column(w, n->a, n->b) >= 0) row->symbol[row->count++] = all.item[k];
    }
    free(all.item);
    if (!row->symbol || !row->slope) return -1;
    row->dirty = 1;
    if (row->count && derive_gradient(&w->any, w->f[i], row->count, row->symbol, row->slope))
        return refuse(w, i, w->any.obstacle);
    return 0;
}

/* Samples near the start, far from it, and abstract ones. */
enum { FAR = STRUCTURE_POINTS, ABSTRACT = FAR + STRUCTURE_FAR_POINTS };
enum { POINTS = ABSTRACT + STRUCTURE_ABSTRACT_POINTS };

static int point_of(int k, const int near[STRUCTURE_POINTS]) {
    if (k < FAR) return near[k];
    return k < ABSTRACT ? STRUCTURE_FAR + (k - FAR) : STRUCTURE_ABSTRACT + (k - ABSTRACT);
}

static int is_known(const struct structure_sample *v, expr e) {
    return v->value && structure_sample_finite(v, e);
}

/* Zero at all of these samples that are finite, of which there is one. */
static int is_zero(int count, const struct structure_sample *v, expr e) {
    int finite = 0;
    for (int k = 0; k < count; k++) {
        if (!is_known(&v[k], e)) continue;
        if (!structure_sample_zero(&v[k], e)) return 0;
        finite = 1;
    }
    return finite;
}

/* Zero near the start and far from it: (r - sin(r))^2, r = x^5, is 0 to round-off for all x below 0.2, and
 * an equation without it would be another one.  No list of points reaches all sizes; so one of the zeros
 * must be a proof. */
static int vanishes(const struct structure_sample v[POINTS], expr e) {
    if (!is_zero(ABSTRACT, v, e)) return 0;
    for (int k = 0; k < POINTS; k++)
        if (is_known(&v[k], e) && v[k].sight && v[k].sight[e] >= STRUCTURE_SIGHT &&
            structure_sample_zero(&v[k], e))
            return 1;
    return 0;
}

/* A symbol behind a nonsmooth function has slope 0 and yet a say: floor(x).  A slope with branches may be 0
 * on those that the random points met alone. */
static int smooth(struct structure_work *w, expr f, expr symbol, expr slope) {
    struct expr_list list;
    if (expr_order(w->g, 1, &slope, &list)) return 0;
    int passes = 1;
    for (size_t i = 0; i < list.count && passes; i++) {
        uint32_t op = w->g->node[list.item[i]].op;
        passes = op != EXPR_IF && op != EXPR_SIGN && op != EXPR_ABS && op != EXPR_MIN && op != EXPR_MAX &&
                 op != EXPR_FLOOR && op != EXPR_MOD && !expr_is_truth(w->g, list.item[i]);
    }
    free(list.item);
    passes = passes && derive_partial(&w->smooth, f, symbol) != EXPR_NONE;
    w->smooth.obstacle = EXPR_NONE;
    return passes;
}

static int agree(struct structure_work *w, expr f, expr g) {
    expr both[2] = {f, g};
    struct structure_sample v;
    struct expr_list list;
    int near[STRUCTURE_POINTS], same = 1;
    if (structure_sample_points(w, 1, &f, near) || structure_sample_room(&v, &list, w, 2, both)) return 0;
    for (int k = 0; k < ABSTRACT && same; k++) {
        structure_sample_move(&v, w, &list, point_of(k, near));
        if (structure_sample_finite(&v, f) && (k < FAR || structure_sample_finite(&v, g)))
            same = fabs(v.value[f] - v.value[g]) <= 1e-7 * fmax(v.mass[f], v.mass[g]);
    }
    structure_sample_close(&v);
    free(list.item);
    return same;
}

expr structure_remove(struct structure_work *w, expr f, size_t count, const expr *symbol) {
    for (int number = 0; number < 2 && count; number++) {
        expr without = without_symbols(w->g, f, count, symbol, number);
        if (without == EXPR_NONE || agree(w, f, without)) return without;
    }
    return f;
}

/* Zero for all values of the parameters, not for those given alone. */
static int generic(struct structure_work *w, expr slope) {
    struct structure_sample v;
    if (structure_sample_open(&v, w, 1, &slope, STRUCTURE_GENERIC)) return 0;
    int is = structure_sample_finite(&v, slope) && structure_sample_zero(&v, slope);
    structure_sample_close(&v);
    return is;
}

/* Of all orders of its unknown in the row, is symbol k the highest that does not vanish? */
static int leads(const struct structure_work *w, const struct slopes *row, int k,
                 const struct structure_sample v[POINTS]) {
    struct expr_node own = w->g->node[row->symbol[k]];
    for (int l = 0; l < row->count; l++) {
        struct expr_node n = w->g->node[row->symbol[l]];
        if (n.a == own.a && n.b == own.b && n.c > own.c && !vanishes(v, row->slope[l])) return 0;
    }
    return 1;
}

/* Row i without the symbols whose slopes vanish; 1 if it changed.  What vanishes by the value of a
 * parameter goes only where it would hide the highest derivative. */
static int clean(struct structure_work *w, int i, const struct slopes *row,
                 const struct structure_sample v[POINTS]) {
    expr *gone = structure_take(w->s, (size_t)row->count, sizeof *gone);
    size_t count = 0;
    int special = 0;
    if (!gone) return -1;
    for (int k = 0; k < row->count; k++) {
        if (!vanishes(v, row->slope[k]) || !smooth(w, w->f[i], row->symbol[k], row->slope[k])) continue;
        int always = generic(w, row->slope[k]);
        if (!always && (!w->pinned || !leads(w, row, k, v))) continue;
        special |= !always;
        gone[count++] = row->symbol[k];
    }
    expr f = structure_remove(w, w->f[i], count, gone);
    if (f == EXPR_NONE) return structure_out_of_memory(w->s);
    if (f == w->f[i]) return 0;
    w->f[i] = f;
    w->s->special |= special;
    return 1;
}

/* Samples of the slopes: near the start of all of them, elsewhere of those that are zero there alone. */
static int take_samples(struct structure_work *w, size_t roots, expr *root,
                        struct structure_sample v[POINTS]) {
    int near[STRUCTURE_POINTS];
    size_t zeros = 0;
    if (structure_sample_points(w, roots, root, near)) return -1;
    for (int k = 0; k < FAR; k++)
        if (structure_sample_open(&v[k], w, roots, root, near[k])) return -1;
    for (size_t i = 0; i < roots; i++)
        if (is_zero(FAR, v, root[i])) root[zeros++] = root[i];
    for (int k = 0; k < POINTS && zeros; k++) {
        if (k >= FAR && structure_sample_open(&v[k], w, zeros, root, point_of(k, near))) return -1;
        if (structure_sight(&v[k], w, zeros, root)) return -1;
    }
    return 0;
}

/* One round over the rows that changed; how many change now. */
static int clean_all(struct structure_work *w, struct slopes *row) {
    struct structure_sample v[POINTS] = {{0}};
    int changed = 0;
    size_t capacity = 0, roots = 0;
    for (int i = 0; i < w->rows; i++) capacity += row[i].dirty ? (size_t)row[i].count : 0;
    expr *root = structure_take(w->s, capacity, sizeof *root);
    if (!root) return -1;
    for (int i = 0; i < w->rows; i++)
        for (int k = 0; k < row[i].count && row[i].dirty; k++) root[roots++] = row[i].slope[k];
    int failed = take_samples(w, roots, root, v);
    for (int i = 0; i < w->rows && !failed; i++) {
        if (!row[i].dirty) continue;
        int now = clean(w, i, &row[i], v);
        row[i].dirty = 0;
        failed = now < 0 || (now && refresh(w, i, &row[i]));
        changed += now == 1;
    }
    for (int k = 0; k < POINTS; k++) structure_sample_close(&v[k]);
    return failed ? -1 : changed;
}

/* Of each unknown the highest order.  last[j]: the entry of column j in this row, plus 1. */
static int highest(struct structure_work *w, const struct slopes *row, struct structure_pattern *out) {
    size_t capacity = 0;
    for (int i = 0; i < w->rows; i++) capacity += (size_t)row[i].count;
    int *last = structure_take(w->s, (size_t)w->columns, sizeof *last), count = 0;
    *out = (struct structure_pattern){w->rows,
                                      w->columns,
                                      structure_take(w->s, (size_t)w->rows + 1, sizeof(int)),
                                      structure_take(w->s, capacity, sizeof(int)),
                                      structure_take(w->s, capacity, sizeof(int)),
                                      structure_take(w->s, capacity, sizeof(expr))};
    if (!last || !out->start || !out->column || !out->sigma || !out->slope) return -1;
    for (int i = 0; i < w->rows; i++) {
        for (int k = 0; k < row[i].count; k++) {
            const struct expr_node *n = &w->g->node[row[i].symbol[k]];
            int j = structure_column(w, n->a, n->b), order = (int)n->c;
            if (!last[j]) {
                out->column[count] = j;
                out->sigma[count] = -1;
                last[j] = ++count;
            }
            if (order <= out->sigma[last[j] - 1]) continue;
            out->sigma[last[j] - 1] = order;
            out->slope[last[j] - 1] = row[i].slope[k];
        }
        out->start[i + 1] = count;
        for (int k = out->start[i]; k < count; k++) last[out->column[k]] = 0;
    }
    return 0;
}

int structure_signature(struct structure_work *w, struct structure_pattern *out) {
    enum { ROUNDS = 8 };
    struct slopes *row = structure_take(w->s, (size_t)w->rows, sizeof *row);
    if (!row) return -1;
    for (int i = 0; i < w->rows; i++)
        if (refresh(w, i, &row[i])) return -1;
    for (int round = 0, changed = 1; round < ROUNDS && changed; round++) {
        changed = clean_all(w, row);
        if (changed < 0) return -1;
    }
    return highest(w, row, out);
}
