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

/* The column of a symbol, any derivative of an unknown; -1: it has none.  column_of: 1 + that of each
 * unknown. */
static int column_of_symbol(const struct formulation *r, const int *column_of, expr symbol) {
    int unknown = system_unknown(r->y, symbol);
    return unknown < 0 ? -1 : column_of[unknown] - 1;
}

/* The column whose highest derivative, of order 1 at least, is in e: -1 none, -2 several, or one beyond. */
static int column_in(const struct formulation *r, const int *column_of, expr e) {
    const struct structure *s = &r->y->s;
    struct graph *g = &r->y->m->graph;
    struct expr_list all;
    int found = -1;
    if (expr_symbols(g, 1, &e, &all)) return -2;
    for (size_t k = 0; k < all.count && found != -2; k++) {
        int j = column_of_symbol(r, column_of, all.item[k]);
        int order = j < 0 ? 0 : (int)g->node[all.item[k]].c;
        if (j < 0 || order < s->d[j] || s->d[j] + order == 0) continue;
        found = order == s->d[j] && found == -1 ? j : -2;
    }
    free(all.item);
    return found;
}

/* Is one of the unknowns without derivatives in the rows? */
static int contain_multipliers(const struct formulation *r, const int *column_of, int rows, const expr *row) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(&r->y->m->graph, (size_t)rows, row, &all)) return 1;
    for (size_t k = 0; k < all.count && !found; k++) {
        int j = column_of_symbol(r, column_of, all.item[k]);
        found = j >= 0 && r->y->s.d[j] == 0;
    }
    free(all.item);
    return found;
}

/* rate[j]: x_j^(d_j); rows: those without one.  1; 0: there is no such form. */
static int sort_equations(struct formulation *r, const int *column_of, expr *rate, expr *row, int *from,
                          int *rows) {
    const struct structure *s = &r->y->s;
    *rows = 0;
    for (int i = 0; i < s->n; i++) {
        expr e = without_aliases(r, r->y->equation[s->row[i]]);
        int j = e == EXPR_NONE ? -2 : column_in(r, column_of, e);
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
static int switches_by_solved(struct formulation *r, int rows, const expr *rate, expr *solved) {
    int count = 0;
    for (int k = r->n; k < r->n + rows; k++)
        if (formulation_place(r, r->original_symbol[k]) < 0) solved[count++] = r->original_symbol[k];
    for (int j = 0; j < r->y->s.n && count; j++)
        if (rate[j] != EXPR_NONE && surface_of(&r->y->m->graph, rate[j], count, solved)) return 1;
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
    expr *solved = pool_take(r->pool, n * sizeof *solved);
    int *from = pool_take(r->pool, n * sizeof *from);
    int *column_of = pool_take(r->pool, ((size_t)r->y->unknowns + 1) * sizeof *column_of);
    r->original_symbol = pool_take(r->pool, ((size_t)r->n + n + 1) * sizeof *r->original_symbol);
    if (r->pool->refused) return diagnostics_memory(r->messages);
    for (int j = 0; j < r->y->unknowns; j++) column_of[j] = 0;
    for (int j = 0; j < s->n; j++) rate[j] = EXPR_NONE, column_of[s->column[j]] = 1 + j;
    if (!sort_equations(r, column_of, rate, row, from, &rows) || !name_inputs(r, rows)) return 1;
    if (contain_multipliers(r, column_of, rows, row) || switches_by_solved(r, rows, rate, solved)) return 1;
    if (!formulation_map_open(r, &r->original_f, r->n) || !formulation_map_open(r, &r->original_g, rows))
        return diagnostics_memory(r->messages);
    r->original_f.names = NULL;
    for (int i = 0; i < r->n; i++) {
        const struct expr_node x = g->node[r->basic[i]];
        int j = column_of_symbol(r, column_of, r->basic[i]), highest = j >= 0 && (int)x.c + 1 == s->d[j];
        r->original_f.value[i] = highest ? rate[j] : expr_symbol(g, (enum expr_kind)x.a, x.b, x.c + 1);
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
