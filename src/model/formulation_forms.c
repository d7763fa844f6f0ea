/* formulation_forms.c - energy and constraints by the forms that were recognised: |q_i - q_j|^2, |q_i - c|^2,
 * p_i . p_j.
 *
 * Of a lagrangian L~ the energy is E~ = 2 sum pi dL~/dpi - L~ over the products pi of velocities, since each
 * is of degree 2 in them. */
#include "model/formulation.h"

#include "symbolic/derive_rules.h"
#include "model/diagnostics.h"

enum { MOST_ENTRIES = 1 << 18 }; /* of a dense jacobian */

int formulation_most_forms(const struct formulation *r) {
    int most = r->n ? MOST_ENTRIES / r->n : 0;
    return most ? most : 1;
}

static expr energy_by_forms(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    const struct distance *d = &r->distance;
    expr sum = derive_sub(g, derive_zero(g), d->function[0]), two = expr_constant(g, 2);
    if (formulation_traits(r) & KEEL_CANONICAL) return d->function[0];
    for (int k = 0; k < d->forms; k++) {
        if (d->form[k].kind != DISTANCE_PRODUCT) continue;
        expr slope = derive_partial(&r->derive, d->function[0], d->form[k].symbol);
        if (slope == EXPR_NONE) return EXPR_NONE;
        sum = derive_add(g, sum, derive_mul(g, two, derive_mul(g, d->form[k].symbol, slope)));
    }
    return sum;
}

int formulation_forms(struct formulation *r) {
    const struct distance *d = &r->distance;
    int held = r->constraint.count;
    if (!r->pairwise || r->rolling.count || r->energy.count == 0 || d->forms == 0 ||
        d->functions != 1 + held || (double)d->forms * r->n > MOST_ENTRIES)
        return 1;
    if (!formulation_map_open(r, &r->quadratic_forms, d->forms) ||
        !formulation_map_open(r, &r->energy_of_forms, 1 + held))
        return diagnostics_memory(r->messages);
    r->quadratic_forms.names = r->energy_of_forms.names = NULL;
    r->form_symbol = pool_take(r->pool, (size_t)d->forms * sizeof *r->form_symbol);
    if (!r->form_symbol) return diagnostics_memory(r->messages);
    for (int k = 0; k < d->forms; k++) {
        r->form_symbol[k] = d->form[k].symbol;
        r->quadratic_forms.value[k] = formulation_resolve(r, distance_form_value(d, &r->y->m->graph, k));
        if (r->quadratic_forms.value[k] == EXPR_NONE) return diagnostics_memory(r->messages);
    }
    r->energy_of_forms.value[0] = energy_by_forms(r);
    if (r->energy_of_forms.value[0] == EXPR_NONE) return diagnostics_memory(r->messages);
    for (int i = 0; i < held; i++) r->energy_of_forms.value[1 + i] = d->function[1 + i];
    return (formulation_derivatives(r, &r->quadratic_forms, r->n, r->basic, 0) &&
            formulation_derivatives(r, &r->energy_of_forms, d->forms, r->form_symbol, 0)) ||
           diagnostics_memory(r->messages);
}
