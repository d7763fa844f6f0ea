/* eliminate.c - see eliminate.h. */
#include "model/eliminate.h"

#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <string.h>

enum { MOST = 8 }; /* rows: derivatives of longer expressions keep the C compiler busy (13: a minute) */

struct saddle {
    struct formulation *r;
    int count;
    int row[MOST], column[MOST]; /* of the reduced system, in the order of elimination */
    expr z[MOST];                /* the highest derivatives */
    expr a[MOST][MOST], b[MOST], inverse[MOST];
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
 * multiplier of a constraint.  EXPR_NONE: the row is another. */
static expr partner(const struct system *y, const struct system_origin *o) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    if (o->kind == SYSTEM_MOTION) return mode->motion.q[o->number];
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

/* The equations of motion, then the constraints, each with its partner among the columns of the block. */
static int order_rows(struct saddle *d, int count, const int *row) {
    const struct system *y = d->r->y;
    const struct structure *s = &y->s;
    for (int constraints = 0; constraints < 2; constraints++)
        for (int k = 0; k < count; k++) {
            int equation = s->row[row[k]], base = base_of(y, equation), found = -1;
            expr of = base < 0 ? EXPR_NONE : partner(y, &y->origin[base]);
            if (of == EXPR_NONE) return 0;
            if ((y->origin[base].kind != SYSTEM_MOTION) != constraints) continue;
            int direction = base == equation ? -1 : y->origin[equation].copy - 1;
            for (int l = 0; l < count && found < 0; l++) {
                expr unknown = y->unknown[s->column[s->match[row[l]]]];
                if (tangent_direction(y->m, unknown) == direction && tangent_primal(y->m, unknown) == of)
                    found = s->match[row[l]];
            }
            if (found < 0 || !add_row(d, row[k], found)) return 0;
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

/* Gauss' elimination without pivots; 1, or 0 where one is zero by structure. */
static int eliminate(struct saddle *d) {
    struct graph *g = d->r->y->s.g;
    for (int p = 0; p < d->count; p++) {
        if (derive_is_zero(g, d->a[p][p])) return 0;
        d->inverse[p] = derive_div(g, expr_constant(g, 1), d->a[p][p]);
        for (int i = p + 1; i < d->count; i++) {
            if (derive_is_zero(g, d->a[i][p])) continue;
            expr factor = derive_mul(g, d->a[i][p], d->inverse[p]);
            for (int j = p + 1; j < d->count; j++)
                d->a[i][j] = derive_sub(g, d->a[i][j], derive_mul(g, factor, d->a[p][j]));
            d->b[i] = derive_sub(g, d->b[i], derive_mul(g, factor, d->b[p]));
        }
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
    if (count > MOST || y->s.steps || y->m->form != MODEL_LAGRANGIAN) return 0;
    if (!order_rows(&d, count, row) || formulation_inertia(r) <= 0 || !fill(&d) || !eliminate(&d)) return 0;
    substitute_back(&d, top);
    return 1;
}
