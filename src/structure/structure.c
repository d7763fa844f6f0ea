/* structure.c - the steps of the analysis in their order, and its memory; see structure.h. */
#include "structure/structure_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct structure_block {
    struct structure_block *next;
    max_align_t content[];
};

static void *take(struct structure *s, struct structure_block **list, size_t count, size_t size) {
    struct structure_block *b = NULL;
    double bytes = (double)sizeof *b + (double)count * (double)size;
    if (bytes < 0x1p62 && expr_spend(s->g, EXPR_COST_BYTE * bytes)) b = calloc(1, sizeof *b + count * size);
    if (!b) {
        structure_out_of_memory(s);
        return NULL;
    }
    b->next = *list;
    *list = b;
    return b->content;
}

static void give_back(struct structure_block **list) {
    while (*list) {
        struct structure_block *b = *list;
        *list = b->next;
        free(b);
    }
}

void *structure_keep(struct structure *s, size_t count, size_t size) {
    return take(s, &s->kept, count, size);
}

void *structure_take(struct structure *s, size_t count, size_t size) {
    return take(s, &s->scratch, count, size);
}

void structure_close(struct structure *s) {
    give_back(&s->kept);
    give_back(&s->scratch);
    derive_free(&s->jacobian);
    *s = (struct structure){0};
}

int structure_column(const struct structure_work *w, uint32_t kind, uint32_t index) {
    int table = kind == EXPR_UNKNOWN ? 0 : kind == EXPR_MULTIPLIER ? 1 : -1;
    return table < 0 || index >= w->places[table] ? -1 : w->place[table][index];
}

expr structure_symbol(const struct structure_work *w, int column, int order) {
    struct expr_node n = w->g->node[w->p->unknown[w->column[column]]];
    return expr_symbol(w->g, (enum expr_kind)n.a, n.b, (uint32_t)order);
}

static int work_open(struct structure_work *w, struct structure *s, const struct structure_problem *p) {
    *w = (struct structure_work){
        .s = s, .p = p, .g = p->g, .rows = p->equations, .columns = p->unknowns, .leading = 1};
    derive_open(&w->smooth, p->g, DERIVE_NONE);
    derive_open(&w->any, p->g, DERIVE_ANY);
    w->f = structure_take(s, (size_t)p->equations, sizeof *w->f);
    w->row = structure_take(s, (size_t)p->equations, sizeof *w->row);
    w->column = structure_take(s, (size_t)p->unknowns, sizeof *w->column);
    w->depth = structure_take(s, (size_t)p->equations, sizeof *w->depth);
    w->form = structure_take(s, (size_t)p->equations, sizeof *w->form);
    s->alias = structure_keep(s, (size_t)p->unknowns, sizeof *s->alias);
    if (!w->f || !w->row || !w->column || !w->depth || !w->form || !s->alias) return -1;
    for (int i = 0; i < p->equations; i++) w->f[i] = p->equation[i], w->row[i] = i;
    for (int j = 0; j < p->unknowns; j++) {
        struct expr_node n = p->g->node[p->unknown[j]];
        uint32_t *places = &w->places[n.a == EXPR_MULTIPLIER];
        w->column[j] = j;
        if (n.b >= *places) *places = n.b + 1;
    }
    for (int kind = 0; kind < 2; kind++) {
        w->place[kind] = structure_take(s, w->places[kind], sizeof(int));
        if (!w->place[kind]) return -1;
        for (uint32_t k = 0; k < w->places[kind]; k++) w->place[kind][k] = -1;
    }
    for (int j = 0; j < p->unknowns; j++) {
        struct expr_node n = p->g->node[p->unknown[j]];
        w->place[n.a == EXPR_MULTIPLIER][n.b] = j;
    }
    return 0;
}

/* The largest rank at the random points. */
static int random_rank(struct structure_work *w, const struct structure_pattern *a) {
    size_t roots = (size_t)a->start[a->rows];
    int point[STRUCTURE_POINTS], rank = 0, exact = structure_residue_rank(w, a, NULL, &rank);
    if (exact) return exact < 0 ? -1 : rank;
    if (structure_sample_points(w, roots, a->slope, point)) return -1;
    for (int k = 0; k < STRUCTURE_POINTS && rank < a->rows; k++) {
        struct structure_sample v;
        struct structure_matrix numbers;
        struct structure_factor factor;
        if (structure_sample_open(&v, w, roots, a->slope, point[k])) return -1;
        int failed = structure_numbers(w->s, a, &v, &numbers);
        structure_sample_close(&v);
        if (failed) return -1;
        if (structure_eliminate(&numbers, NULL, &factor)) return structure_out_of_memory(w->s);
        if (factor.rank > rank) rank = factor.rank;
        structure_factor_close(&factor);
    }
    return rank;
}

int structure_numbers(struct structure *s, const struct structure_pattern *a,
                      const struct structure_sample *v, struct structure_matrix *out) {
    size_t entries = (size_t)a->start[a->rows];
    *out = (struct structure_matrix){s->g,
                                     a->rows,
                                     a->columns,
                                     a->start,
                                     a->column,
                                     structure_take(s, entries, sizeof(double)),
                                     structure_take(s, entries, sizeof(double))};
    if (!out->value || !out->mass) return -1;
    for (size_t k = 0; k < entries; k++) {
        int finite = structure_sample_finite(v, a->slope[k]);
        out->value[k] = finite ? v->value[a->slope[k]] : 1 + 1 / (2.0 + (double)k);
        out->mass[k] = finite ? v->mass[a->slope[k]] : out->value[k];
    }
    return 0;
}

/* Signature, transversal, offsets, system Jacobian.  0; 1: no transversal; -1. */
static int sigma_method(struct structure_work *w, struct structure_pattern *jacobian) {
    struct structure *s = w->s;
    struct structure_pattern *sigma = structure_take(s, 1, sizeof *sigma);
    if (!sigma) return -1;
    if (w->leading) w->leading = structure_leading(w, sigma);
    if (w->leading < 0 || (!w->leading && structure_signature(w, sigma))) return -1;
    int *match = structure_keep(s, (size_t)w->rows, sizeof *match);
    int *back = structure_take(s, (size_t)w->columns, sizeof *back);
    if (!match || !back) return -1;
    int size = structure_match(s, sigma, match, back);
    if (size < 0) return -1;
    if (size < w->rows || size < w->columns)
        return !w->leading && structure_parts(w, sigma, match, back) ? -1 : 1;
    s->match = match;
    w->sigma = sigma, w->match = match, w->back = back;
    s->c = structure_keep(s, (size_t)w->rows, sizeof *s->c);
    s->d = structure_keep(s, (size_t)w->rows, sizeof *s->d);
    if (!s->c || !s->d || structure_assign(s, sigma, match, back) ||
        structure_offsets(s, sigma, match, back, NULL, s->c, s->d) ||
        structure_index(w, sigma, match, back) || structure_system(s, sigma, s->c, s->d, jacobian))
        return -1;
    int *again = structure_take(s, (size_t)w->rows, sizeof *again),
        *from = structure_take(s, (size_t)w->columns, sizeof *from);
    s->structural_rank = again && from ? structure_match(s, jacobian, again, from) : -1;
    s->rank = random_rank(w, jacobian);
    return s->rank < 0 || s->structural_rank < 0 ? -1 : 0;
}

static void count_offsets(struct structure *s) {
    s->states = s->hiddens = 0;
    for (int i = 0; i < s->n; i++) {
        s->states += s->d[i];
        s->hiddens += s->c[i];
    }
    s->freedom = s->states - s->hiddens;
}

/* f_i^(l): l < c_i is hidden or written, c_i gives the highest derivatives. */
static int differentiate(struct structure_work *w) {
    struct structure *s = w->s;
    s->hidden = structure_keep(s, (size_t)s->hiddens, sizeof *s->hidden);
    s->top = structure_keep(s, (size_t)s->n, sizeof *s->top);
    if (!s->hidden || !s->top) return -1;
    for (int i = 0, at = 0; i < s->n; i++) {
        expr f = w->f[i];
        for (int l = 0; l < s->c[i]; l++) {
            s->hidden[at++] = (struct structure_row){w->row[i], l, f};
            f = derive_total(&w->smooth, f);
            if (f != EXPR_NONE) continue;
            s->hiddens = 0;
            if (w->smooth.obstacle == EXPR_NONE) return structure_out_of_memory(s);
            s->verdict = STRUCTURE_OBSTACLE;
            s->obstacle = w->smooth.obstacle;
            s->culprit = structure_keep(s, 1, sizeof *s->culprit);
            if (!s->culprit) return -1;
            s->culprit[0] = w->row[i];
            s->culprits = 1;
            return -1;
        }
        s->top[i] = f;
    }
    return 0;
}

/* Columns ascending in each row, as derive_sparse has them. */
static void sort_rows(struct derive_sparse *a) {
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row_start[i] + 1; k < a->row_start[i + 1]; k++) {
            int column = a->column[k], at = k;
            expr value = a->value[k];
            for (; at > a->row_start[i] && a->column[at - 1] > column; at--)
                a->column[at] = a->column[at - 1], a->value[at] = a->value[at - 1];
            a->column[at] = column, a->value[at] = value;
        }
}

/* The rows and columns as they are now, for the caller. */
static int publish(struct structure_work *w, const struct structure_pattern *a) {
    struct structure *s = w->s;
    size_t n = (size_t)w->rows, entries = (size_t)a->start[n];
    s->n = w->rows;
    s->row = structure_keep(s, n, sizeof *s->row);
    s->column = structure_keep(s, n, sizeof *s->column);
    s->equation = structure_keep(s, n, sizeof *s->equation);
    s->jacobian =
        (struct derive_sparse){s->n, s->n, malloc((n + 1) * sizeof(int)), malloc((entries + 1) * sizeof(int)),
                               malloc((entries + 1) * sizeof(expr))};
    if (!s->row || !s->column || !s->equation) return -1;
    if (!s->jacobian.row_start || !s->jacobian.column || !s->jacobian.value)
        return structure_out_of_memory(s);
    memcpy(s->row, w->row, n * sizeof *s->row);
    memcpy(s->column, w->column, n * sizeof *s->column);
    memcpy(s->equation, w->f, n * sizeof *s->equation);
    memcpy(s->jacobian.row_start, a->start, (n + 1) * sizeof(int));
    memcpy(s->jacobian.column, a->column, entries * sizeof(int));
    memcpy(s->jacobian.value, a->slope, entries * sizeof(expr));
    sort_rows(&s->jacobian);
    count_offsets(s);
    s->over = s->under = s->well =
        (struct structure_part){0}; /* of an attempt before equations were dropped */
    return 0;
}

/* Combinations by other offsets.  Beside the smallest ones there are others, d_j one higher somewhere with
 * all that follows: they tell of the same transversal, and an unknown that the smallest ones let stand
 * among the highest derivatives, so that weights would have to be divided by what it is multiplied with, is
 * below them then.  1: an equation was replaced; 0; -1. */
static int lift(struct structure_work *w) {
    enum { MOST = 60 }; /* unknowns that are tried one by one */
    struct structure *s = w->s;
    size_t n = (size_t)w->rows;
    int changed = 0, *least = structure_take(s, n, sizeof *least), *c = structure_take(s, n, sizeof *c),
        *d = structure_take(s, n, sizeof *d);
    if (!least || !c || !d) return -1;
    for (int j = 0; j < w->rows && w->rows <= MOST && changed == 0; j++) {
        struct structure_pattern jacobian;
        memcpy(least, s->d, n * sizeof *least);
        least[j]++;
        if (structure_offsets(s, w->sigma, w->match, w->back, least, c, d) ||
            structure_system(s, w->sigma, c, d, &jacobian))
            return -1;
        changed = structure_combine(w, &jacobian, c, d);
    }
    return changed;
}

/* The equations as they were before any was combined. */
struct written {
    int rows, *row;
    expr *f;
};

static int keep_written(struct structure_work *w, struct written *x) {
    size_t rows = (size_t)w->rows;
    *x = (struct written){w->rows, structure_take(w->s, rows, sizeof *x->row),
                          structure_take(w->s, rows, sizeof *x->f)};
    if (!x->row || !x->f) return -1;
    memcpy(x->row, w->row, rows * sizeof *x->row);
    memcpy(x->f, w->f, rows * sizeof *x->f);
    return 0;
}

/* Once more from these, for the values that the parameters have: weights that were expressions of parameters
 * are numbers then, and what they leave cancels exactly. */
static void pin(struct structure_work *w, const struct written *x) {
    w->pinned = 1;
    w->rows = x->rows;
    memcpy(w->row, x->row, (size_t)x->rows * sizeof *x->row);
    memcpy(w->f, x->f, (size_t)x->rows * sizeof *x->f);
    memset(w->depth, 0, (size_t)x->rows * sizeof *w->depth);
    w->s->steps = w->s->redundants = 0;
}

/* The verdict names all equations where none is known to be the cause. */
static int degenerate(struct structure_work *w) {
    struct structure *s = w->s;
    s->verdict = STRUCTURE_DEGENERATE;
    if (s->culprits) return -1;
    s->culprit = structure_keep(s, (size_t)w->rows, sizeof *s->culprit);
    for (int i = 0; i < w->rows && s->culprit; i++) s->culprit[s->culprits++] = w->row[i];
    return -1;
}

/* Until the system Jacobian is regular somewhere.  0 or -1. */
static int regularise(struct structure_work *w, struct structure_pattern *jacobian) {
    struct structure *s = w->s;
    struct written written;
    int thinned = 0;
    if (keep_written(w, &written)) return -1;
    for (int value = INT_MAX;;) { /* of the transversal: falls with every combination */
        int singular = sigma_method(w, jacobian);
        if (singular < 0) return -1;
        if (w->leading && (singular || s->rank < w->rows)) {
            w->leading = 0;
            continue;
        }
        if (singular) {
            int left = structure_redundant(w);
            if (left < 0 || s->verdict != STRUCTURE_OK) return -1;
            value = INT_MAX;
            if (left > 0) continue; /* superfluous equations are gone */
            s->verdict = STRUCTURE_SINGULAR;
            return -1;
        }
        if (s->rank == w->rows) return 0;
        int now = 0;
        for (int i = 0; i < w->rows; i++) now += s->d[i] - s->c[i];
        int changed = now < value ? structure_combine(w, jacobian, s->c, s->d) : 0;
        if (!changed && now < value) changed = lift(w);
        value = now;
        if (changed == 0 && thinned++ < w->rows * w->rows) {
            changed = structure_thin(w, jacobian, s->c, s->d);
            if (changed > 0) value = INT_MAX;
        }
        if (changed < 0) return -1;
        if (changed) continue;
        if (!w->pinned && w->p->parameters) { /* once more, for these values of the parameters */
            pin(w, &written);
            value = INT_MAX;
            continue;
        }
        return degenerate(w);
    }
}

enum structure_verdict structure_analyse(struct structure *s, const struct structure_problem *p) {
    struct structure_work w;
    struct structure_pattern jacobian;
    *s = (struct structure){.g = p->g};
    int failed = work_open(&w, s, p) || structure_aliases(&w) || regularise(&w, &jacobian) ||
                 structure_array(&w) || publish(&w, &jacobian) || differentiate(&w) ||
                 structure_start(&w, &jacobian) || structure_invariants(&w);
    if (failed && s->verdict == STRUCTURE_OK) s->verdict = STRUCTURE_MEMORY;
    if (p->g->failed) s->verdict = STRUCTURE_MEMORY;
    derive_close(&w.smooth);
    derive_close(&w.any);
    give_back(&s->scratch);
    return s->verdict;
}
