/* eliminate.c - see eliminate.h. */
#include "model/eliminate.h"

#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <string.h>

enum { MOST = 64, MOST_PRODUCTS = 4000 }; /* rows; a millisecond of the C compiler each */

struct saddle {
    struct formulation *r;
    int count;
    int row[MOST], column[MOST]; /* of the reduced system, in the order of elimination */
    expr z[MOST];                /* the highest derivatives */
    expr a[MOST][MOST], b[MOST], inverse[MOST];
    int products; /* made by elimination */
};

static expr entry(const struct structure *s, int row, int column) {
    for (int k = s->jacobian.row_start[row]; k < s->jacobian.row_start[row + 1]; k++)
        if (s->jacobian.column[k] == column) return s->jacobian.value[k];
    return derive_zero(s->g);
}

static int place_of(const int *list, int count, int number) {
    for (int i = 0; i < count; i++)
        if (list[i] == number) return i;
    return -1;
}

/* The unknown whose coefficients stand in the diagonal of a row: the coordinate of an equation of motion, the
 * momentum of that of p', the multiplier of a constraint.  EXPR_NONE: the row is another. */
static expr partner(const struct system *y, const struct system_origin *o) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    if (o->kind == SYSTEM_MOTION) return mode->motion.q[o->number];
    if (o->kind == SYSTEM_MOMENTUM) return mode->motion.v[o->number];
    if (o->kind == SYSTEM_CONSTRAINT) return y->multiplier[mode->constraint.list[o->number].multiplier];
    if (o->kind == SYSTEM_ROLLING) return y->multiplier[mode->rolling.list[o->number].multiplier];
    return EXPR_NONE;
}

/* The equation that a linearised one was made of; itself. */
static int base_of(const struct system *y, int equation) {
    const struct system_origin *o = &y->origin[equation];
    return o->kind == SYSTEM_TANGENT ? o->number : equation;
}

/* Row i behind those that are there; 0: it does not belong. */
static int add_row(struct saddle *d, int i, int column) {
    const struct structure *s = &d->r->y->s;
    struct graph *g = s->g;
    const struct expr_node n = g->node[d->r->y->unknown[s->column[column]]];
    d->row[d->count] = i;
    d->column[d->count] = column;
    d->z[d->count++] = expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)s->d[column]);
    return 1;
}

static int is_constraint(const struct system *y, int equation) {
    enum system_kind kind = y->origin[equation].kind;
    return kind != SYSTEM_MOTION && kind != SYSTEM_MOMENTUM;
}

/* The row behind that of equation `last`, by the equations they were made of; -1: there is none. */
static int next_row(const struct system *y, int count, const int *row, int constraints, int last) {
    int best = -1, least = 0;
    for (int k = 0; k < count; k++) {
        int base = base_of(y, y->s.row[row[k]]);
        if (base <= last || is_constraint(y, base) != constraints || (best >= 0 && base >= least)) continue;
        best = row[k], least = base;
    }
    return best;
}

/* The column of the block's unknown that stands for `of` in this direction; -1: there is none.  p may be
 * another name of q', where H_pp = 1. */
static int column_of(const struct system *y, int count, const int *row, expr of, int direction) {
    const struct structure *s = &y->s;
    int own = system_unknown(y, of);
    if (own >= 0) of = y->unknown[s->alias[own].unknown];
    for (int k = 0; k < count; k++) {
        expr unknown = y->unknown[s->column[s->match[row[k]]]];
        if (tangent_direction(y->m, unknown) == direction && tangent_primal(y->m, unknown) == of)
            return s->match[row[k]];
    }
    return -1;
}

/* The equations of motion, then the constraints, each with its partner among the columns of the block; in one
 * order for all directions, so that they share factors. */
static int order_rows(struct saddle *d, int count, const int *row) {
    const struct system *y = d->r->y;
    for (int k = 0; k < count; k++)
        if (base_of(y, y->s.row[row[k]]) < 0) return 0;
    for (int constraints = 0; constraints < 2; constraints++)
        for (int i, last = -1; (i = next_row(y, count, row, constraints, last)) >= 0;) {
            int equation = y->s.row[i];
            last = base_of(y, equation);
            expr of = partner(y, &y->origin[last]);
            int direction = last == equation ? -1 : y->origin[equation].copy - 1;
            int column = of == EXPR_NONE ? -1 : column_of(y, count, row, of, direction);
            if (column < 0 || !add_row(d, i, column)) return 0;
        }
    return d->count == count;
}

/* The matrix is that of the equations that were linearised, so that all directions share it; b is what the
 * rows are without the unknowns.  1; 0: they are not linear, or no memory. */
static int fill(struct saddle *d) {
    const struct system *y = d->r->y;
    const struct structure *s = &y->s;
    expr zero[MOST];
    int row[MOST], column[MOST];
    for (int i = 0; i < d->count; i++) {
        zero[i] = derive_zero(s->g);
        d->b[i] = s->top[d->row[i]];
        row[i] = place_of(s->row, s->n, base_of(y, s->row[d->row[i]]));
        expr primal = tangent_primal(y->m, y->unknown[s->column[d->column[i]]]);
        column[i] = place_of(s->column, s->n, system_unknown(y, primal));
        if (row[i] < 0 || column[i] < 0) return 0;
    }
    for (int i = 0; i < d->count; i++)
        for (int j = 0; j < d->count; j++) d->a[i][j] = entry(s, row[i], column[j]);
    return derive_degree_of(s->g, d->count, d->b, d->count, d->z) <= 1 &&
           expr_substitute(s->g, (size_t)d->count, d->b, (size_t)d->count, d->z, zero, d->b) == 0 &&
           formulation_drop_zeros(s->g, (size_t)d->count, d->b);
}

/* Row i less its share of row p. */
static void subtract_row(struct saddle *d, int i, int p) {
    struct graph *g = d->r->y->s.g;
    expr factor = derive_mul(g, d->a[i][p], d->inverse[p]);
    for (int j = p + 1; j < d->count; j++) {
        if (derive_is_zero(g, d->a[p][j])) continue;
        d->a[i][j] = derive_sub(g, d->a[i][j], derive_mul(g, factor, d->a[p][j]));
        d->products++;
    }
    d->b[i] = derive_sub(g, d->b[i], derive_mul(g, factor, d->b[p]));
}

/* Gauss' elimination without pivots; 1, or 0 where one is zero by structure, or there are too many products.
 */
static int eliminate(struct saddle *d) {
    struct graph *g = d->r->y->s.g;
    for (int p = 0; p < d->count; p++) {
        if (derive_is_zero(g, d->a[p][p]) || d->products > MOST_PRODUCTS) return 0;
        d->inverse[p] = derive_div(g, expr_constant(g, 1), d->a[p][p]);
        for (int i = p + 1; i < d->count; i++)
            if (!derive_is_zero(g, d->a[i][p])) subtract_row(d, i, p);
    }
    return 1;
}

static void substitute_back(struct saddle *d, expr *top) {
    struct graph *g = d->r->y->s.g;
    for (int i = d->count - 1; i >= 0; i--) {
        expr sum = d->b[i];
        for (int j = i + 1; j < d->count; j++)
            sum = derive_add(g, sum, derive_mul(g, d->a[i][j], top[d->column[j]]));
        top[d->column[i]] = derive_mul(g, derive_sub(g, derive_zero(g), sum), d->inverse[i]);
    }
}

int eliminate_block(struct formulation *r, int count, const int *row, expr *top) {
    struct saddle d = {.r = r};
    const struct system *y = r->y;
    int lagrangian = y->m->form == MODEL_LAGRANGIAN;
    if (count > ELIMINATE_SHORT && y->redundants) return 0; /* K may lose its rank elsewhere, too */
    if (count > MOST || y->s.steps || !(lagrangian || y->m->form == MODEL_HAMILTONIAN)) return 0;
    if (!order_rows(&d, count, row) || !(lagrangian ? formulation_inertia(r) > 0 : formulation_mobility(r)))
        return 0;
    if (!fill(&d) || !eliminate(&d)) return 0;
    substitute_back(&d, top);
    if (count > r->eliminated) r->eliminated = count;
    return 1;
}
