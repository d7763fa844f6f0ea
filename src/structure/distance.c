/* distance.c - every node as a polynomial of degree 2 in the coordinates, from the leaves up.
 *
 * Sums, and products up to degree 2, are multiplied out, so that it does not matter how a square was written.
 * As soon as all terms with positions make up squared differences they become forms; all other operations
 * want operands without coordinates, and take squared distances from the origin too.  sqrt, hypot and abs of
 * something keep its square, until they are squared or used. */
#include "structure/distance_private.h"

#include <stdlib.h>
#include <string.h>

/* No more memory than this for one walk: a function beyond it is not recognised. */
static const size_t most_bytes = (size_t)1 << 28;

/* The first coordinate that a polynomial still has. */
static expr left_in(const struct distance_walk *w, const struct distance_sum *s) {
    return s->state == DISTANCE_LOST ? s->left
                                     : distance_symbol(w, s->term[0].a ? s->term[0].a : s->term[0].b);
}

/* As a polynomial, also where s is the root of one. */
static struct distance_sum copy_of(struct distance_walk *w, struct distance_sum s) {
    struct distance_sum none = distance_constant(EXPR_NONE);
    return distance_add(w, &s, &none, 0);
}

/* A polynomial without coordinates, or EXPR_NONE with the one that is left. */
static expr finish_sum(struct distance_walk *w, struct distance_sum s, expr *left) {
    if (s.state == DISTANCE_LOST) return *left = s.left, EXPR_NONE;
    if (s.count == 0) return distance_value(w, s.constant);
    struct distance_sum last = copy_of(w, s);
    distance_collapse(w, &last, 1);
    if (w->failed) return EXPR_NONE;
    if (last.count) return *left = left_in(w, &last), EXPR_NONE;
    return distance_value(w, last.constant);
}

static expr finish(struct distance_walk *w, expr e, expr *left) {
    const struct distance_sum s = w->sum[e];
    if (w->finished[e] != EXPR_NONE) return w->finished[e];
    expr value = finish_sum(w, s, left);
    if (value != EXPR_NONE && s.state == DISTANCE_ROOT) value = expr_make(w->g, EXPR_SQRT, value, 0, 0);
    return w->finished[e] = value;
}

static struct distance_sum finished(struct distance_walk *w, expr e) {
    expr left = EXPR_NONE, value = finish(w, e, &left);
    return value == EXPR_NONE ? distance_lost(left) : distance_constant(value);
}

/* A node to calculate with: roots have to end here. */
static struct distance_sum polynomial(struct distance_walk *w, expr e) {
    return w->sum[e].state == DISTANCE_ROOT ? finished(w, e) : w->sum[e];
}

/* Does the node depend on coordinates?  If not it is kept as it is written. */
static int is_free(const struct distance_walk *w, expr e) {
    return w->sum[e].state == DISTANCE_POLYNOMIAL && w->sum[e].count == 0 && w->sum[e].constant == e;
}

/* b where the node became sqrt(b), or EXPR_NONE. */
static expr radicand(const struct distance_walk *w, expr e) {
    expr value = w->sum[e].constant;
    if (is_free(w, e) || w->sum[e].state != DISTANCE_POLYNOMIAL || w->sum[e].count || value == EXPR_NONE)
        return EXPR_NONE;
    return w->g->node[value].op == EXPR_SQRT ? w->g->node[value].a : EXPR_NONE;
}

static struct distance_sum square(struct distance_walk *w, expr e) {
    const struct distance_sum s = w->sum[e];
    expr inner = radicand(w, e);
    if (s.state == DISTANCE_ROOT) return copy_of(w, s);
    if (inner != EXPR_NONE) return distance_constant(inner);
    if (s.state == DISTANCE_POLYNOMIAL && distance_degree(&s) == 1) return distance_multiply(w, &s, &s);
    struct distance_sum value = finished(w, e);
    if (value.state == DISTANCE_POLYNOMIAL) value.constant = expr_powi(w->g, value.constant, 2);
    return value;
}

static struct distance_sum root_of(struct distance_walk *w, struct distance_sum s) {
    distance_collapse(w, &s, 0);
    if (s.state != DISTANCE_POLYNOMIAL) return s;
    if (s.count) s.state = DISTANCE_ROOT;
    else s.constant = expr_make(w->g, EXPR_SQRT, distance_value(w, s.constant), 0, 0);
    return s;
}

static struct distance_sum product(struct distance_walk *w, expr a, expr b) {
    if (a == b) return square(w, a);
    struct distance_sum x = polynomial(w, a), y = polynomial(w, b);
    int degree = distance_degree(&x) + distance_degree(&y);
    if (x.state == DISTANCE_POLYNOMIAL && y.state == DISTANCE_POLYNOMIAL && degree > 2)
        x = finished(w, a), y = finished(w, b);
    return distance_multiply(w, &x, &y);
}

/* Even powers are powers of the square. */
static struct distance_sum power(struct distance_walk *w, expr a, int32_t exponent) {
    int even = exponent % 2 == 0 && (w->sum[a].state == DISTANCE_ROOT || radicand(w, a) != EXPR_NONE ||
                                     distance_degree(&w->sum[a]) == 1);
    expr left = EXPR_NONE;
    if (exponent == 2) return square(w, a);
    struct distance_sum s = even ? square(w, a) : distance_constant(EXPR_NONE);
    expr base = even ? finish_sum(w, s, &left) : finish(w, a, &left);
    if (base == EXPR_NONE) return distance_lost(left);
    return distance_constant(expr_powi(w->g, base, even ? exponent / 2 : exponent));
}

static struct distance_sum quotient(struct distance_walk *w, expr a, expr b) {
    struct distance_sum x = polynomial(w, a), y = finished(w, b);
    if (x.state == DISTANCE_LOST || y.state == DISTANCE_LOST) return x.state == DISTANCE_LOST ? x : y;
    return distance_scale(w, &x, EXPR_DIV, y.constant);
}

/* Any other operation: of finished operands. */
static struct distance_sum operation(struct distance_walk *w, const struct expr_node *n) {
    expr operand[3] = {n->a, n->b, n->c}, left = EXPR_NONE;
    int count = expr_operands((enum expr_op)n->op);
    for (int k = 0; k < count; k++) {
        expr value = finish(w, operand[k], &left);
        if (value == EXPR_NONE) return distance_lost(left);
        operand[k] = value;
    }
    return distance_constant(expr_make(w->g, (enum expr_op)n->op, operand[0], operand[1], operand[2]));
}

static struct distance_sum node_sum(struct distance_walk *w, const struct expr_node *n) {
    struct distance_sum x, y, none = distance_constant(EXPR_NONE);
    switch (n->op) {
    case EXPR_NEG:
        x = polynomial(w, n->a);
        return distance_add(w, &none, &x, 1);
    case EXPR_ADD:
    case EXPR_SUB:
        x = polynomial(w, n->a), y = polynomial(w, n->b);
        return distance_add(w, &x, &y, n->op == EXPR_SUB);
    case EXPR_MUL:
        return product(w, n->a, n->b);
    case EXPR_DIV:
        return quotient(w, n->a, n->b);
    case EXPR_POWI:
        return power(w, n->a, (int32_t)n->b);
    case EXPR_SQRT:
        if (w->sum[n->a].state != DISTANCE_POLYNOMIAL) break;
        return root_of(w, copy_of(w, w->sum[n->a]));
    case EXPR_ABS:
        if (w->sum[n->a].state == DISTANCE_ROOT) return w->sum[n->a];
        if (w->sum[n->a].state != DISTANCE_POLYNOMIAL || distance_degree(&w->sum[n->a]) != 1) break;
        return root_of(w, square(w, n->a));
    case EXPR_HYPOT:
        x = square(w, n->a), y = square(w, n->b);
        return root_of(w, distance_add(w, &x, &y, 0));
    default:
        break;
    }
    return operation(w, n);
}

static struct distance_sum visit(struct distance_walk *w, expr e) {
    const struct expr_node n = w->g->node[e];
    int count = n.op == EXPR_POWI ? 1 : expr_operands((enum expr_op)n.op), all_free = 1;
    const expr operand[3] = {n.a, n.b, n.c};
    if (n.op == EXPR_SYMBOL && w->number[e]) return distance_coordinate(w, w->number[e] - 1);
    for (int k = 0; k < count; k++) all_free &= is_free(w, operand[k]);
    if (all_free) return distance_constant(e);
    struct distance_sum s = node_sum(w, &n);
    distance_collapse(w, &s, 0);
    return s;
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int walk_open(struct distance_walk *w, struct distance *d, const struct distance_problem *p) {
    size_t points = (size_t)p->points, nodes = p->g->count;
    *w = (struct distance_walk){
        .p = p, .d = d, .g = p->g, .n = p->points * p->dimension, .nodes = p->g->count};
    w->pool.limit = most_bytes;
    w->sum = calloc(nodes, sizeof *w->sum);
    w->finished = calloc(nodes, sizeof *w->finished);
    w->number = calloc(nodes, sizeof *w->number);
    w->row = calloc(points + 1, sizeof *w->row);
    w->seen = calloc(points + 1, sizeof *w->seen);
    w->touched = calloc(points + 1, sizeof *w->touched);
    if (!w->sum || !w->finished || !w->number || !w->row || !w->seen || !w->touched) return 0;
    for (int k = 0; k < w->n; k++) {
        w->number[p->position[k]] = k + 1;
        if (p->momentum) w->number[p->momentum[k]] = w->n + k + 1;
    }
    return 1;
}

static void walk_close(struct distance_walk *w) {
    pool_release(&w->pool);
    free(w->sum), free(w->finished), free(w->number), free(w->chain), free(w->row);
    free(w->seen), free(w->touched), free(w->shift), free(w->sample);
}

static int results_open(struct distance *d, const struct distance_problem *p) {
    size_t coordinates = (size_t)p->points * (size_t)p->dimension, functions = (size_t)p->functions + 1;
    *d = (struct distance){.points = p->points, .dimension = p->dimension, .functions = p->functions};
    d->position = pool_take(&d->pool, (coordinates + 1) * sizeof *d->position);
    d->momentum = p->momentum ? pool_take(&d->pool, (coordinates + 1) * sizeof *d->momentum) : NULL;
    d->function = pool_take(&d->pool, functions * sizeof *d->function);
    d->left = pool_take(&d->pool, functions * sizeof *d->left);
    if (d->pool.refused) return 0;
    memcpy(d->position, p->position, coordinates * sizeof *d->position);
    if (p->momentum) memcpy(d->momentum, p->momentum, coordinates * sizeof *d->momentum);
    return 1;
}

static int same_centre(struct distance_walk *w, const struct distance_form *a,
                       const struct distance_form *b) {
    for (int c = 0; c < w->p->dimension && a->centre && b->centre; c++)
        if (!distance_same(w, a->centre[c], b->centre[c])) return 0;
    return !a->centre == !b->centre;
}

/* Which symmetries have the forms that recognised functions use? */
static void symmetries(struct distance_walk *w) {
    struct distance *d = w->d;
    struct expr_list used;
    const struct distance_form *fixed = NULL;
    expr *function = pool_take(&d->pool, ((size_t)d->functions + 1) * sizeof *function);
    size_t count = 0;
    d->translations = d->rotations = 1;
    for (int k = 0; k < d->functions && function; k++)
        if (d->function[k] != EXPR_NONE) function[count++] = d->function[k];
    if (!function || expr_symbols(w->g, count, function, &used)) {
        w->failed = 1;
        return;
    }
    for (size_t s = 0; s < used.count; s++) {
        const struct expr_node *n = &w->g->node[used.item[s]];
        uint32_t k = n->b - w->p->first;
        if (n->a != (uint32_t)w->p->kind || k >= (uint32_t)d->forms || d->form[k].symbol != used.item[s])
            continue;
        if (d->form[k].kind != DISTANCE_CENTRE) continue;
        d->translations = 0;
        if (!fixed) fixed = &d->form[k];
        d->rotations &= same_centre(w, fixed, &d->form[k]);
    }
    free(used.item);
}

/* Beyond the memory that a walk may take, or the forms that are asked for, nothing is recognised. */
static void give_up(struct distance *d, const struct distance_problem *p) {
    d->recognised = 0;
    for (int k = 0; k < p->functions; k++) {
        d->function[k] = EXPR_NONE;
        d->left[k] = p->position[0];
    }
}

int distance_find(struct distance *d, const struct distance_problem *p) {
    struct distance_walk w;
    struct expr_list all = {0};
    int opened = results_open(d, p);
    opened = walk_open(&w, d, p) && opened;
    w.beyond = p->most && p->points / 2 > p->most; /* a form has two points, and all have forms */
    if (opened && !w.beyond) opened = expr_order(p->g, (size_t)p->functions, p->function, &all) == 0;
    for (size_t k = 0; k < all.count && opened && !w.failed; k++) w.sum[all.item[k]] = visit(&w, all.item[k]);
    for (int k = 0; k < p->functions && opened && !w.failed && !w.beyond; k++) {
        d->function[k] = finish(&w, p->function[k], &d->left[k]);
        if (d->function[k] != EXPR_NONE) d->left[k] = EXPR_NONE, d->recognised++;
    }
    if (w.pool.starved) p->g->failed = 1;
    if (opened && (w.pool.refused || w.beyond)) {
        give_up(d, p);
        w.failed = 0;
    }
    if (opened && !w.failed) symmetries(&w);
    free(all.item);
    walk_close(&w);
    if (!opened || w.failed) p->g->failed = 1;
    return p->g->failed ? -1 : 0;
}

expr distance_form_value(const struct distance *d, struct graph *g, int k) {
    const struct distance_form *f = &d->form[k];
    expr sum = EXPR_NONE;
    for (int c = 0; c < d->dimension; c++) {
        expr term;
        if (f->kind == DISTANCE_PRODUCT) {
            expr a = d->momentum[f->i * d->dimension + c], b = d->momentum[f->j * d->dimension + c];
            term = f->i == f->j ? expr_powi(g, a, 2) : expr_make(g, EXPR_MUL, a, b, 0);
        } else {
            expr a = d->position[f->i * d->dimension + c];
            if (f->kind == DISTANCE_PAIR)
                a = expr_make(g, EXPR_SUB, a, d->position[f->j * d->dimension + c], 0);
            else if (f->centre) a = expr_make(g, EXPR_SUB, a, f->centre[c], 0);
            term = expr_powi(g, a, 2);
        }
        sum = c ? expr_make(g, EXPR_ADD, sum, term, 0) : term;
    }
    return sum;
}

void distance_close(struct distance *d) {
    free(d->form);
    pool_release(&d->pool);
    *d = (struct distance){0};
}
