/* structure_redundant.c - equations that say nothing new, or that cannot hold beside others.
 *
 * Seen as functions of t, x, x', ... as independent numbers, equations whose gradients are dependent at
 * every random point with the same weights differ by a constant: 0, and one of them is superfluous; or
 * not, and they contradict each other.  Derivatives of equations count, too: a constraint may be written
 * beside its own derivative.  An equation without unknowns, left by a combination, is judged by its value. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROLONGED = 2 }; /* derivatives of the equations that are looked at, too */

static int add_equivalent(struct structure_work *w, int row, int count, const int *equivalent,
                          const int *order, int contradicts, double apart) {
    struct structure *s = w->s;
    struct structure_equivalent *list = structure_keep(s, (size_t)s->redundants + 1, sizeof *list);
    int *own = structure_keep(s, 2 * (size_t)count, sizeof *own);
    if (!list || !own) return -1;
    if (s->redundants) memcpy(list, s->redundant, (size_t)s->redundants * sizeof *list);
    for (int k = 0; k < count; k++) own[k] = equivalent[k], own[count + k] = order[k];
    list[s->redundants++] =
        (struct structure_equivalent){w->row[row], count, contradicts, own, own + count, apart};
    s->redundant = list;
    if (contradicts) s->verdict = STRUCTURE_CONTRADICTION;
    return 0;
}

static void drop(struct structure_work *w, const unsigned char *gone) {
    int rows = 0;
    for (int i = 0; i < w->rows; i++)
        if (!gone[i]) w->row[rows] = w->row[i], w->depth[rows] = w->depth[i], w->f[rows++] = w->f[i];
    w->rows = rows;
}

/* Zero at the random points: 1 everywhere, -1 nowhere, 0 otherwise. */
static int zero(struct structure_work *w, expr f) {
    int point[STRUCTURE_POINTS], zeros = 0, others = 0;
    if (structure_sample_points(w, 1, &f, point)) return 0;
    for (int k = 0; k < STRUCTURE_POINTS; k++) {
        struct structure_sample v;
        if (structure_sample_open(&v, w, 1, &f, point[k])) return 0;
        if (structure_sample_finite(&v, f)) *(structure_sample_zero(&v, f) ? &zeros : &others) += 1;
        structure_sample_close(&v);
    }
    return zeros && !others ? 1 : others && !zeros ? -1 : 0;
}

static int has_unknowns(struct structure_work *w, expr f) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(w->g, 1, &f, &all)) return 1;
    for (size_t k = 0; k < all.count && !found; k++) {
        const struct expr_node *n = &w->g->node[all.item[k]];
        found = structure_column(w, n->a, n->b) >= 0;
    }
    free(all.item);
    return found;
}

/* Rows without unknowns.  Their equivalents are the other equations of the combination they come from. */
static int empty_rows(struct structure_work *w) {
    struct structure *s = w->s;
    unsigned char *gone = structure_take(s, (size_t)w->rows, 1);
    int count = 0;
    if (!gone) return -1;
    for (int i = 0; i < w->rows; i++) {
        if (has_unknowns(w, w->f[i])) continue;
        int equivalents = 0, *equivalent = structure_take(s, 2 * (size_t)w->p->equations, sizeof *equivalent);
        if (!equivalent) return -1;
        int *order = equivalent + w->p->equations;
        double apart = 0;
        for (int k = s->steps - 1; k >= 0 && !equivalents; k--)
            for (int e = 0; e < s->step[k].count && s->step[k].replaced == w->row[i]; e++)
                if (s->step[k].equation[e] != w->row[i])
                    apart = s->step[k].apart, order[equivalents] = s->step[k].order[e],
                    equivalent[equivalents++] = s->step[k].equation[e];
        int is = zero(w, w->f[i]);
        if (add_equivalent(w, i, equivalents, equivalent, order, is <= 0, apart)) return -1;
        gone[i] = is == 1;
        count += gone[i];
    }
    drop(w, gone);
    return count;
}

/* The equations and their derivatives, as far as these exist. */
struct prolonged {
    int count;
    struct structure_row *row; /* equation: row number */
    struct derive_sparse slope;
    struct structure_sample v[STRUCTURE_POINTS];
};

static int prolong(struct structure_work *w, struct prolonged *x) {
    struct expr_list all;
    size_t capacity = (1 + PROLONGED) * (size_t)w->rows, count = 0;
    expr *f = structure_take(w->s, capacity, sizeof *f);
    x->row = structure_take(w->s, capacity, sizeof *x->row);
    if (!f || !x->row) return -1;
    for (int i = 0; i < w->rows; i++) {
        expr e = w->f[i];
        for (int l = 0; l <= PROLONGED && e != EXPR_NONE; l++, e = derive_total(&w->smooth, e)) {
            f[x->count] = e;
            x->row[x->count++] = (struct structure_row){i, l, e};
        }
        w->smooth.obstacle = EXPR_NONE;
    }
    if (w->g->failed || expr_symbols(w->g, (size_t)x->count, f, &all)) return structure_out_of_memory(w->s);
    for (size_t k = 0; k < all.count; k++) {
        const struct expr_node *n = &w->g->node[all.item[k]];
        if (structure_column(w, n->a, n->b) >= 0) all.item[count++] = all.item[k];
    }
    int failed = derive_jacobian(&w->any, x->count, f, (int)count, all.item, &x->slope);
    free(all.item);
    return failed ? structure_out_of_memory(w->s) : 0;
}

/* The equation of a circuit to be left out: undifferentiated, the last of those; -1: none. */
static int last_written(const struct prolonged *x, int count, const int *row) {
    int last = -1;
    for (int i = 0; i < count; i++)
        if (x->row[row[i]].order == 0 && (last < 0 || x->row[row[i]].equation > x->row[row[last]].equation))
            last = i;
    return last;
}

/* Is the combination of a circuit's equations a constant?  Names the last of them if so; 1: superfluous. */
static int is_implied(struct structure_work *w, const struct prolonged *x, const struct structure_pattern *a,
                      int count, const int *row, int left_out) {
    double *u = structure_take(w->s, STRUCTURE_POINTS * (size_t)count, sizeof *u);
    int *equivalent = structure_take(w->s, 2 * (size_t)count, sizeof *equivalent), equivalents = 0;
    if (!u || !equivalent) return -1;
    int holds = structure_circuit(w->s, a, count, row, x->v, u, NULL, NULL);
    if (holds <= 0) return holds;
    double apart = structure_apart(w->s, a, count, row, &x->v[0], u);
    if (apart < 0) return -1;
    expr sum = derive_zero(w->g);
    for (int i = 0; i < count; i++) {
        for (int k = 1; k < STRUCTURE_POINTS; k++)
            if (fabs(u[k * count + i] - u[i]) > 1e-9 * fabs(u[i])) return 0;
        structure_fraction(u[i], &u[i]);
        apart = fmax(apart, structure_apart_before(w->s, w->row[x->row[row[i]].equation]));
        sum = derive_add(w->g, sum, derive_mul(w->g, expr_constant(w->g, u[i]), x->row[row[i]].f));
        if (i == left_out) continue;
        equivalent[equivalents] = w->row[x->row[row[i]].equation];
        equivalent[count + equivalents++] = x->row[row[i]].order;
    }
    int is = zero(w, sum);
    if (is == 0) return 0;
    int equation = x->row[row[left_out]].equation;
    return add_equivalent(w, equation, equivalents, equivalent, equivalent + count, is < 0, apart) ? -1
                                                                                                   : is > 0;
}

static int control_all(struct structure_work *w, const struct prolonged *x, const struct structure_pattern *a,
                       struct structure_factor *f, unsigned char *gone) {
    const struct structure_vector *u = &f->left;
    int found = 0;
    for (int t = 0; t < f->rows - f->rank; t++) {
        int stale = 0;
        if (!expr_spend(w->g, structure_left_null(f, t))) return -1;
        for (int i = 0; i < u->count; i++) stale |= gone[x->row[u->row[i]].equation];
        int left_out = last_written(x, u->count, u->row);
        int is = stale || left_out < 0 ? 0 : is_implied(w, x, a, u->count, u->row, left_out);
        if (is < 0) return -1;
        if (is) gone[x->row[u->row[left_out]].equation] = 1, found++;
    }
    return found;
}

static int equivalents(struct structure_work *w) {
    struct structure *s = w->s;
    struct prolonged x = {0};
    struct structure_matrix numbers;
    struct structure_factor factor;
    unsigned char *gone = structure_take(s, (size_t)w->rows, 1);
    int point[STRUCTURE_POINTS], found = -1;
    if (!gone || prolong(w, &x)) return -1;
    struct structure_pattern a = {x.slope.rows, x.slope.columns, x.slope.row_start, x.slope.column,
                                  NULL,         x.slope.value};
    size_t roots = (size_t)a.start[a.rows];
    int failed = structure_sample_points(w, roots, a.slope, point);
    for (int k = 0; k < STRUCTURE_POINTS && !failed; k++)
        failed = structure_sample_open(&x.v[k], w, roots, a.slope, point[k]);
    if (!failed) failed = structure_numbers(s, &a, &x.v[0], &numbers);
    if (!failed && structure_eliminate(&numbers, NULL, &factor)) failed = structure_out_of_memory(s);
    if (!failed) {
        found = control_all(w, &x, &a, &factor, gone);
        structure_factor_close(&factor);
    }
    for (int k = 0; k < STRUCTURE_POINTS; k++) structure_sample_close(&x.v[k]);
    derive_free(&x.slope);
    if (found > 0) drop(w, gone);
    return found;
}

int structure_redundant(struct structure_work *w) {
    int empty = empty_rows(w);
    if (empty < 0 || w->s->verdict != STRUCTURE_OK) return empty;
    int found = equivalents(w);
    return found < 0 ? -1 : empty + found;
}
