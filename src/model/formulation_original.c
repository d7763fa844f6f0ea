/* formulation_original.c - the equations of a mode as they were written, x' = f(t,x,z), 0 = g(t,x), for
 * methods that have multipliers of their own.
 *
 * z are the unknowns without derivatives.  Every highest derivative x_j^(d_j) must be alone in one equation,
 * which can be solved for it on paper; the others are the rows g, as many as there are z.  Anything else has
 * no such form, and the maps stay absent. */
#include "model/formulation.h"

#include "symbolic/derive_rules.h"
#include "model/diagnostics.h"
#include "model/isolate.h"
#include "model/surface.h"

#include <stdlib.h>

static expr derivative(const struct formulation *r, int column, int order) {
    struct graph *g = &r->y->m->graph;
    const struct expr_node n = g->node[r->y->unknown[r->y->s.column[column]]];
    return expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)order);
}

/* e with aliases by what they stand for: v by x'.  EXPR_NONE: no memory. */
static expr without_aliases(const struct formulation *r, expr e) {
    const struct system *y = r->y;
    struct graph *g = &y->m->graph;
    struct expr_list all;
    size_t count = 0;
    if (expr_symbols(g, 1, &e, &all)) return EXPR_NONE;
    expr *from = expr_take(g, 2 * all.count, sizeof *from), *to = from ? from + all.count : NULL;
    for (size_t k = 0; k < all.count && from; k++) {
        const struct expr_node n = g->node[all.item[k]];
        int j = n.a == EXPR_UNKNOWN || n.a == EXPR_MULTIPLIER ? system_unknown(y, all.item[k]) : -1;
        if (j < 0 || y->s.alias[j].unknown == j) continue;
        const struct expr_node other = g->node[y->unknown[y->s.alias[j].unknown]];
        from[count] = all.item[k];
        to[count++] = expr_symbol(g, (enum expr_kind)other.a, other.b, (uint32_t)y->s.alias[j].order + n.c);
    }
    int failed = !from || expr_substitute(g, 1, &e, count, from, to, &e);
    free(from);
    free(all.item);
    return failed ? EXPR_NONE : e;
}

/* The column whose highest derivative, of order 1 at least, is in e: -1 none, -2 several, or one beyond. */
static int column_in(const struct formulation *r, expr e) {
    const struct structure *s = &r->y->s;
    struct graph *g = &r->y->m->graph;
    int found = -1;
    for (int j = 0; j < s->n; j++) {
        expr top = derivative(r, j, s->d[j]), beyond = derivative(r, j, s->d[j] + 1);
        if (expr_depends(g, e, 1, &beyond)) return -2;
        if (s->d[j] > 0 && expr_depends(g, e, 1, &top)) found = found == -1 ? j : -2;
        if (found == -2) return -2;
    }
    return found;
}

/* rate[j]: x_j^(d_j); rows: those without one.  1; 0: there is no such form. */
static int sort_equations(struct formulation *r, expr *rate, expr *row, int *from, int *rows) {
    const struct structure *s = &r->y->s;
    *rows = 0;
    for (int i = 0; i < s->n; i++) {
        expr e = without_aliases(r, r->y->equation[s->row[i]]);
        int j = e == EXPR_NONE ? -2 : column_in(r, e);
        if (j == -2 || (j >= 0 && rate[j] != EXPR_NONE)) return 0;
        if (j >= 0) rate[j] = isolate_solve(&r->derive, e, derivative(r, j, s->d[j]));
        if (j >= 0 && rate[j] == EXPR_NONE) return 0;
        if (j >= 0) continue;
        from[*rows] = s->row[i];
        row[(*rows)++] = e;
    }
    return *rows > 0;
}

/* The states, then z; their number. */
static int name_inputs(struct formulation *r, int rows) {
    const struct structure *s = &r->y->s;
    int at = r->n;
    for (int i = 0; i < r->n; i++) r->original_symbol[i] = r->basic[i];
    for (int j = 0; j < s->n && at <= r->n + rows; j++)
        if (s->d[j] == 0) r->original_symbol[at++] = derivative(r, j, 0);
    return at == r->n + rows;
}

/* Does one of z that the formulation has solved for decide a branch?  It has a surface for what stands in the
 * place of z, and none for z itself. */
static int switches_by_solved(struct formulation *r, int rows, const expr *rate) {
    struct graph *g = &r->y->m->graph;
    for (int k = r->n; k < r->n + rows; k++) {
        if (formulation_place(r, r->original_symbol[k]) >= 0) continue;
        for (int j = 0; j < r->y->s.n; j++)
            if (rate[j] != EXPR_NONE && surface_of(g, rate[j], 1, &r->original_symbol[k])) return 1;
    }
    return 0;
}

int formulation_original(struct formulation *r) {
    const struct structure *s = &r->y->s;
    struct graph *g = &r->y->m->graph;
    size_t n = (size_t)s->n + 1;
    char label[220];
    int rows;
    if (!(formulation_traits(r) & KEEL_FIRST_ORDER) || r->hidden.count == 0 || s->steps) return 1;
    expr *rate = pool_take(r->pool, n * sizeof *rate), *row = pool_take(r->pool, n * sizeof *row);
    int *from = pool_take(r->pool, n * sizeof *from);
    r->original_symbol = pool_take(r->pool, ((size_t)r->n + n + 1) * sizeof *r->original_symbol);
    if (r->pool->refused) return diagnostics_memory(r->messages);
    for (int j = 0; j < s->n; j++) rate[j] = EXPR_NONE;
    if (!sort_equations(r, rate, row, from, &rows) || !name_inputs(r, rows)) return 1;
    for (int i = 0; i < rows; i++)
        if (expr_depends(g, row[i], rows, r->original_symbol + r->n)) return 1;
    if (switches_by_solved(r, rows, rate)) return 1;
    if (!formulation_map_open(r, &r->original_f, r->n) || !formulation_map_open(r, &r->original_g, rows))
        return diagnostics_memory(r->messages);
    r->original_f.names = NULL;
    for (int i = 0; i < r->n; i++) {
        const struct expr_node x = g->node[r->basic[i]];
        r->original_f.value[i] = expr_symbol(g, (enum expr_kind)x.a, x.b, x.c + 1);
        for (int j = 0; j < s->n; j++)
            if (s->d[j] > 0 && r->original_f.value[i] == derivative(r, j, s->d[j]))
                r->original_f.value[i] = rate[j];
    }
    for (int i = 0; i < rows; i++) {
        r->original_g.value[i] = row[i];
        system_label(r->y, from[i], 0, label, sizeof label);
        r->original_g.names[i] = formulation_text(r, label);
    }
    return (formulation_derivatives(r, &r->original_f, r->n + rows, r->original_symbol, 0) &&
            formulation_derivatives(r, &r->original_g, r->n, r->basic, 0)) ||
           diagnostics_memory(r->messages);
}
