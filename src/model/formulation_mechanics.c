/* formulation_mechanics.c - M(q) q'' = F(t,q,q') - G^T lambda, 0 = g(t,q), 0 = A(t,q) q' + b(t,q): a
 * lagrangian with nothing beside it. */
#include "model/formulation.h"

#include "linalg/saddle.h"
#include "symbolic/derive_rules.h"
#include "model/diagnostics.h"

#include <stdlib.h>
#include <string.h>

static const struct motion *motion_of(const struct formulation *r) {
    return &r->y->m->mode[r->y->mode].motion;
}

/* Nothing but t, parameters, held values, positions and, with `order` 1, velocities? */
static int uses_only(struct graph *g, size_t count, const expr *root, uint32_t order) {
    struct expr_list all;
    int good = 1;
    if (expr_symbols(g, count, root, &all)) return 0;
    for (size_t k = 0; k < all.count; k++) {
        const struct expr_node *n = &g->node[all.item[k]];
        good &= n->a != EXPR_MULTIPLIER && (n->a != EXPR_UNKNOWN || n->c <= order);
    }
    free(all.item);
    return good;
}

/* All unknowns are coordinates of second order, and M depends on positions alone. */
static int fits(const struct formulation *r) {
    const struct system *y = r->y;
    const struct model *m = y->m;
    const struct motion *motion = motion_of(r);
    struct graph *g = &y->m->graph;
    if (m->unknowns != m->coords || m->mode[y->mode].equation.count) return 0;
    for (int j = 0; j < y->s.n; j++)
        if (y->s.column[j] < m->unknowns && y->s.d[j] != 2) return 0;
    for (int j = 0; j < m->unknowns; j++)
        if (y->s.alias[j].unknown != j) return 0;
    return uses_only(g, (size_t)motion->mass.row_start[motion->n], motion->mass.value, 0) &&
           uses_only(g, (size_t)motion->n, motion->force, 1);
}

static int fill_rows(struct formulation *r, struct formulation_map *map, const struct model_rows *rows,
                     const expr *by) {
    if (!formulation_map_open(r, map, rows->count)) return 0;
    for (int i = 0; i < rows->count; i++) {
        map->value[i] = rows->list[i].value;
        map->names[i] = rows->list[i].label.text;
    }
    return formulation_derivatives(r, map, r->n / 2, by, 1);
}

int formulation_drop_zeros(struct graph *g, size_t count, expr *root) {
    struct expr_list list;
    if (expr_order(g, count, root, &list)) return 0;
    expr *image =
        expr_take(g, g->capacity, sizeof *image); /* more than the nodes there are before others come */
    if (!image) return free(list.item), 0;
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        int operands = expr_operands((enum expr_op)n.op);
        if (operands > 0) n.a = image[n.a];
        if (operands > 1) n.b = image[n.b];
        if (operands > 2) n.c = image[n.c];
        if (n.op == EXPR_ADD) image[e] = derive_add(g, n.a, n.b);
        else if (n.op == EXPR_SUB) image[e] = derive_sub(g, n.a, n.b);
        else if (n.op == EXPR_MUL) image[e] = derive_mul(g, n.a, n.b);
        else image[e] = operands ? expr_intern(g, n) : e;
    }
    for (size_t i = 0; i < count && !g->failed; i++) root[i] = image[root[i]];
    free(image);
    free(list.item);
    return !g->failed;
}

/* d/dt (G v + g_t) and d/dt (A v + b) without the accelerations. */
static int curvature(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    const struct motion *motion = motion_of(r);
    struct graph *g = &r->y->m->graph;
    int holonomic = mode->constraint.count, rows = holonomic + mode->rolling.count, n = motion->n;
    expr *a = pool_take(r->pool, ((size_t)n + 1) * sizeof *a),
         *zero = pool_take(r->pool, ((size_t)n + 1) * sizeof *a);
    r->curvature = pool_take(r->pool, ((size_t)rows + 1) * sizeof *r->curvature);
    if (r->pool->refused) return 0;
    for (int j = 0; j < n; j++) {
        a[j] = expr_symbol(g, EXPR_UNKNOWN, g->node[motion->q[j]].b, 2);
        zero[j] = derive_zero(g);
    }
    for (int i = 0; i < rows; i++) {
        expr rate = i < holonomic ? derive_total(&r->derive, mode->constraint.list[i].value)
                                  : mode->rolling.list[i - holonomic].value;
        r->curvature[i] = derive_total(&r->derive, rate);
    }
    if (rows == 0) r->curvature = NULL;
    return !g->failed &&
           expr_substitute(g, (size_t)rows, r->curvature, (size_t)n, a, zero, r->curvature) == 0 &&
           formulation_drop_zeros(g, (size_t)rows, r->curvature);
}

/* The motion's own mass matrix belongs to the model; this is a copy. */
static int copy_sparse(const struct derive_sparse *from, struct derive_sparse *to) {
    size_t entries = (size_t)from->row_start[from->rows] + 1, rows = (size_t)from->rows + 1;
    *to = (struct derive_sparse){from->rows, from->columns, malloc(rows * sizeof(int)),
                                 malloc(entries * sizeof(int)), malloc(entries * sizeof(expr))};
    if (!to->row_start || !to->column || !to->value) return 0;
    memcpy(to->row_start, from->row_start, rows * sizeof(int));
    memcpy(to->column, from->column, (entries - 1) * sizeof(int));
    memcpy(to->value, from->value, (entries - 1) * sizeof(expr));
    return 1;
}

static int at_rest(struct graph *g, const struct derive_sparse *mass) {
    struct expr_list all;
    int rests = 1;
    if (expr_symbols(g, (size_t)mass->row_start[mass->rows], mass->value, &all)) return 0;
    for (size_t k = 0; k < all.count; k++) rests &= g->node[all.item[k]].a == EXPR_PARAMETER;
    free(all.item);
    return rests;
}

static double entries_of(const struct derive_sparse *s) {
    return s->row_start ? s->row_start[s->rows] : 0;
}

int formulation_goes_sparse(const struct formulation *r) {
    double entries = entries_of(&r->constraint.jacobian);
    if (formulation_traits(r) & KEEL_CANONICAL && r->constraint.count)
        return saddle_pays(r->n, 2 * r->constraint.count, r->n, entries + entries_of(&r->velocity.jacobian));
    return formulation_traits(r) & KEEL_SECOND_ORDER &&
           saddle_pays(r->n / 2, r->constraint.count + r->rolling.count, entries_of(&r->mass),
                       entries + entries_of(&r->rolling.jacobian));
}

/* Rows of a map, and what else each of them moves with: coordinates that its jacobian lacks. */
struct widening {
    const struct formulation *r;
    struct derive_sparse *of;
    const int *first; /* rows + 1: its expressions among */
    const expr *value;
    int *place;        /* of an unknown, among the coordinates */
    int *seen, *found; /* of coordinates: the last row, from 1 on, that had it; those of a row, ascending */
};

/* How many; -1: no memory. */
static int coordinates_of(const struct widening *w, int row) {
    struct graph *g = &w->r->y->m->graph;
    struct expr_list all;
    int first = w->first[row], count = 0, n = w->r->n / 2;
    if (expr_symbols(g, (size_t)(w->first[row + 1] - first), w->value + first, &all)) return -1;
    for (int e = w->of->row_start[row]; e < w->of->row_start[row + 1]; e++)
        if (w->of->column[e] < n) w->seen[w->of->column[e]] = row + 1;
    for (size_t k = 0; k < all.count; k++) {
        const struct expr_node *symbol = &g->node[all.item[k]];
        if (symbol->a != EXPR_UNKNOWN || symbol->c != 0) continue;
        int j = w->place[symbol->b], at = count;
        if (w->seen[j] == row + 1) continue;
        count++;
        for (; at > 0 && w->found[at - 1] > j; at--) w->found[at] = w->found[at - 1];
        w->found[at] = j;
        w->seen[j] = row + 1;
    }
    free(all.item);
    return count;
}

/* Row by row the entries, and zeros in these places; `to` without room: counted alone. */
static int join_rows(const struct widening *w, struct derive_sparse *to) {
    const struct derive_sparse *of = w->of;
    int entries = 0;
    for (int i = 0; i < of->rows; i++) {
        int more = coordinates_of(w, i), e = of->row_start[i], k = 0;
        if (more < 0) return -1;
        for (; e < of->row_start[i + 1] || k < more; entries++) {
            int own = k == more || (e < of->row_start[i + 1] && of->column[e] < w->found[k]);
            if (to->column) to->column[entries] = own ? of->column[e] : w->found[k];
            if (to->column) to->value[entries] = own ? of->value[e] : derive_zero(&w->r->y->m->graph);
            e += own;
            k += !own;
        }
        if (to->column) to->row_start[i + 1] = entries;
    }
    memset(w->seen, 0, (size_t)w->r->n / 2 * sizeof *w->seen);
    return entries;
}

static int widen(struct formulation *r, struct derive_sparse *of, const int *first, const expr *value) {
    struct derive_sparse wider = {of->rows, of->columns, NULL, NULL, NULL};
    size_t n = (size_t)r->n / 2 + 1;
    int *place = calloc(3 * n, sizeof *place);
    struct widening w = {r, of, first, value, place, place + n, place + 2 * n};
    for (int j = 0; j < r->n / 2 && place; j++) place[r->y->m->graph.node[motion_of(r)->q[j]].b] = j;
    int entries = place ? join_rows(&w, &wider) : -1;
    if (entries > of->row_start[of->rows]) {
        wider.row_start = calloc((size_t)of->rows + 1, sizeof *wider.row_start);
        wider.column = calloc((size_t)entries + 1, sizeof *wider.column);
        wider.value = calloc((size_t)entries + 1, sizeof *wider.value);
        int fits = wider.row_start && wider.column && wider.value;
        entries = fits ? join_rows(&w, &wider) : -1;
        if (entries >= 0) derive_free(of), *of = wider;
        else derive_free(&wider);
    }
    free(place);
    return entries >= 0 && !r->y->m->graph.failed;
}

/* Sparse matrices have derivatives by q in the places of F_q and A: so these have all coordinates that rows
 * of M, and A v + b, contain. */
static int show_coordinates(struct formulation *r) {
    int rows = r->rolling.count, fits = 1;
    if (!formulation_goes_sparse(r)) return 1;
    if (!r->mass_constant && r->f.jacobian.row_start)
        fits = widen(r, &r->f.jacobian, r->mass.row_start, r->mass.value);
    if (!fits || rows == 0 || !r->rolling.jacobian.row_start) return fits;
    int *first = calloc((size_t)rows + 1, sizeof *first);
    for (int i = 0; i < rows && first; i++) first[i + 1] = i + 1;
    fits = first && widen(r, &r->rolling.jacobian, first, r->rolling.value);
    free(first);
    return fits;
}

/* M a for accelerations a that are held, which stand behind q and v. */
static expr *momentum_rates(struct formulation *r) {
    const struct motion *motion = motion_of(r);
    struct graph *g = &r->y->m->graph;
    int n = motion->n;
    expr *product = pool_take(r->pool, (size_t)n * sizeof *product);
    r->held_symbol = pool_take(r->pool, 3 * (size_t)n * sizeof *r->held_symbol);
    if (r->pool->refused) return NULL;
    memcpy(r->held_symbol, r->basic, 2 * (size_t)n * sizeof *r->basic);
    for (int j = 0; j < n; j++)
        r->held_symbol[2 * n + j] = expr_symbol(g, EXPR_UNKNOWN, g->node[motion->q[j]].b, 2);
    for (int i = 0; i < n; i++) {
        product[i] = derive_zero(g);
        for (int e = r->mass.row_start[i]; e < r->mass.row_start[i + 1]; e++) {
            expr a = r->held_symbol[2 * n + r->mass.column[e]];
            product[i] = derive_add(g, product[i], derive_mul(g, r->mass.value[e], a));
        }
    }
    return product;
}

/* d/dq (M a) in the places of F_q, which has them all (show_coordinates). */
static int mass_change(struct formulation *r) {
    const struct motion *motion = motion_of(r);
    const struct derive_sparse *f = &r->f.jacobian;
    struct derive_sparse change;
    if (r->mass_constant || !f->row_start || !formulation_goes_sparse(r)) return 1;
    expr *product = momentum_rates(r);
    r->mass_change = pool_take(r->pool, ((size_t)f->row_start[motion->n] + 1) * sizeof *r->mass_change);
    if (r->pool->refused || derive_jacobian(&r->derive, motion->n, product, motion->n, motion->q, &change))
        return 0;
    for (int i = 0; i < motion->n; i++)
        for (int e = f->row_start[i], k = change.row_start[i]; e < f->row_start[i + 1]; e++) {
            int here = k < change.row_start[i + 1] && change.column[k] == f->column[e];
            r->mass_change[e] = here ? change.value[k++] : derive_zero(&r->y->m->graph);
        }
    derive_free(&change);
    return !r->y->m->graph.failed;
}

/* The forces of contacts are those of rows that come and go: F is without them. */
static int leave_contacts(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    struct graph *g = &r->y->m->graph;
    size_t count = 0, n = (size_t)r->f.count;
    if (mode->contacts == 0) return 1;
    expr *force = pool_take(r->pool, 2 * (size_t)mode->contacts * sizeof *force),
         *zero = pool_take(r->pool, 2 * (size_t)mode->contacts * sizeof *zero);
    if (r->pool->refused) return 0;
    for (int k = 0; k < mode->contacts; k++)
        for (int j = 0; j < 2; j++) {
            int held = j ? mode->contact[k].drag : mode->contact[k].push;
            if (held < 0) continue;
            zero[count] = derive_zero(g);
            force[count++] = expr_symbol(g, EXPR_HELD, (uint32_t)held, 0);
        }
    return expr_substitute(g, n, r->f.value, count, force, zero, r->f.value) == 0 &&
           formulation_drop_zeros(g, n, r->f.value);
}

int formulation_mechanics(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    const struct motion *motion = motion_of(r);
    int n = motion->n;
    if (!fits(r)) return 0;
    r->form = KEEL_MECHANICS;
    r->n = 2 * n;
    expr *symbol = pool_take(r->pool, 2 * (size_t)n * sizeof *symbol);
    if (!symbol) return diagnostics_memory(r->messages) - 1;
    memcpy(symbol, motion->q, (size_t)n * sizeof *symbol);
    memcpy(symbol + n, motion->v, (size_t)n * sizeof *symbol);
    int good = formulation_basic(r, 2 * n, symbol) && formulation_map_open(r, &r->f, n);
    if (good) memcpy(r->f.value, motion->force, (size_t)n * sizeof *r->f.value);
    good = good && leave_contacts(r) && formulation_derivatives(r, &r->f, 2 * n, r->basic, 0) &&
           copy_sparse(&motion->mass, &r->mass) &&
           fill_rows(r, &r->constraint, &mode->constraint, r->basic) &&
           fill_rows(r, &r->rolling, &mode->rolling, r->basic + n) && curvature(r);
    r->mass_constant = good && at_rest(&r->y->m->graph, &r->mass);
    good = good && show_coordinates(r) && mass_change(r) && formulation_bend(r);
    return good ? 1 : diagnostics_memory(r->messages) - 1;
}
