/* formulation_hamiltonian.c - q' = H_p, p' = -H_q - G^T lambda, 0 = g(t,q), or x' = B(x) grad H: a
 * hamiltonian with nothing beside it. */
#include "model/formulation.h"

#include "model/diagnostics.h"

#include <string.h>

static int fits(const struct formulation *r) {
    const struct model *m = r->y->m;
    const struct model_mode *mode = &m->mode[r->y->mode];
    int own = m->form == MODEL_POISSON ? m->poissons : m->coords + m->momenta;
    if (m->unknowns != own || mode->equation.count || mode->rolling.count) return 0;
    if (m->form == MODEL_POISSON && mode->constraint.count) return 0;
    if (r->y->redundants) return 0; /* the core wants independent constraints */
    for (int j = 0; j < m->unknowns; j++)
        if (mode->force && mode->force[j] != EXPR_NONE) return 0;
    return 1;
}

/* What is known of the rates: all of them, or with constraints q' alone. */
static void define_rates(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    const struct motion *motion = &r->y->m->mode[r->y->mode].motion;
    for (int i = 0; i < motion->n; i++) {
        formulation_define(r, expr_symbol(g, EXPR_UNKNOWN, g->node[motion->q[i]].b, 1), motion->rate[i]);
        if (motion->force && motion->v && motion->rows == 0 && r->y->m->form == MODEL_HAMILTONIAN)
            formulation_define(r, expr_symbol(g, EXPR_UNKNOWN, g->node[motion->v[i]].b, 1), motion->force[i]);
    }
}

/* B grad H as it was derived: no gradient need be multiplied at run time. */
static int fill_rates(struct formulation *r) {
    const struct motion *motion = &r->y->m->mode[r->y->mode].motion;
    size_t bytes = (size_t)motion->n * sizeof(expr);
    if (!formulation_map_open(r, &r->f, r->n)) return 0;
    memcpy(r->f.value, motion->rate, bytes);
    if (r->n > motion->n) memcpy(r->f.value + motion->n, motion->force, bytes);
    return formulation_derivatives(r, &r->f, r->n, r->basic, 0);
}

int formulation_bent_rates(struct formulation *r) {
    int canonical = (formulation_traits(r) & KEEL_CANONICAL) != 0;
    int large = canonical && r->constraint.count && formulation_goes_sparse(r);
    return !large || (fill_rates(r) && formulation_bend(r));
}

int formulation_hamiltonian(struct formulation *r) {
    const struct model *m = r->y->m;
    const struct model_mode *mode = &m->mode[r->y->mode];
    const struct motion *motion = &mode->motion;
    int n = motion->n, canonical = m->form == MODEL_HAMILTONIAN, count = mode->constraint.count;
    if (!fits(r)) return 0;
    r->form = KEEL_HAMILTONIAN;
    r->n = canonical ? 2 * n : n;
    expr *symbol = pool_take(r->pool, (size_t)r->n * sizeof *symbol);
    if (!symbol) return diagnostics_memory(r->messages) - 1;
    memcpy(symbol, motion->q, (size_t)n * sizeof *symbol);
    if (canonical) memcpy(symbol + n, motion->v, (size_t)n * sizeof *symbol);
    else r->structure = motion->structure;
    if (!formulation_basic(r, r->n, symbol) || !formulation_map_open(r, &r->constraint, count))
        return diagnostics_memory(r->messages) - 1;
    define_rates(r);
    for (int i = 0; i < count; i++) {
        r->constraint.value[i] = mode->constraint.list[i].value;
        r->constraint.names[i] = mode->constraint.list[i].label.text;
    }
    if (!formulation_derivatives(r, &r->constraint, r->n / 2, r->basic, 1) || (count == 0 && !fill_rates(r)))
        return diagnostics_memory(r->messages) - 1;
    return 1;
}
