/* fill.c - see fill.h. */
#include "model/fill.h"

#include "linalg/saddle.h"
#include "linalg/sparse.h"

static const keel_pattern *pattern_of(keel_pattern *p, const struct derive_sparse *from) {
    *p = (keel_pattern){from->row_start[from->rows], from->row_start, from->column};
    return p;
}

static keel_map map_of(const struct formulation_map *map, keel_fn *const *call, keel_pattern *pattern) {
    if (map->count == 0) return (keel_map){0};
    return (keel_map){.count = map->count,
                      .value = call[0],
                      .jacobian = call[1],
                      .time_derivative = call[2],
                      .pattern = map->jacobian.row_start ? pattern_of(pattern, &map->jacobian) : NULL,
                      .terms = call[3],
                      .names = map->names,
                      .autonomous = map->autonomous};
}

void fill_problem(struct fill *out, const struct formulation *r, const struct functions *f,
                  const char *name) {
    keel_problem *p = &out->problem;
    *p = (keel_problem){.form = r->form, .name = name, .n = r->n, .m = r->m, .clock = r->by_clock};
    p->array_of = r->array_of;
    p->names = r->names;
    p->f = map_of(&r->f, &f->call[functions_role_f], &out->pattern[0]);
    p->algebraic = map_of(&r->algebraic, &f->call[functions_role_algebraic], &out->pattern[1]);
    p->hidden = map_of(&r->hidden, &f->call[functions_role_hidden], &out->pattern[2]);
    p->energy = map_of(&r->energy, &f->call[functions_role_energy], &out->pattern[3]);
    p->constraint = map_of(&r->constraint, &f->call[functions_role_constraint], &out->pattern[4]);
    p->rolling = map_of(&r->rolling, &f->call[functions_role_rolling], &out->pattern[5]);
    p->velocity = map_of(&r->velocity, &f->call[functions_role_velocity], &out->pattern[8]);
    p->invariant = map_of(&r->invariant, &f->call[functions_role_invariant], &out->pattern[6]);
    keel_extras *x = &out->extras;
    *x = (keel_extras){.series = f->series, .event_series = f->event_series};
    p->extras = x;
    int there = f->kernel.fixed || f->kernel.kept || f->kernel.accelerations || f->kernel.elimination;
    x->kernel = there ? &f->kernel : NULL;
    x->quadratic_forms =
        map_of(&r->quadratic_forms, &f->call[functions_role_quadratic_forms], &out->pattern[9]);
    x->energy_of_forms =
        map_of(&r->energy_of_forms, &f->call[functions_role_energy_of_forms], &out->pattern[10]);
    x->original_f = map_of(&r->original_f, &f->call[functions_role_original_f], &out->pattern[11]);
    x->original_g = map_of(&r->original_g, &f->call[functions_role_original_g], &out->pattern[12]);
    x->mass_change = f->call[functions_role_mass_change];
    out->pattern[13] = r->bend;
    x->constraint_bend = r->bend.row_start ? &out->pattern[13] : NULL;
    if (r->direction)
        x->variations = (keel_variations){r->y->m->directions,
                                          r->direction,
                                          r->primal,
                                          f->call[functions_role_moments],
                                          f->call[functions_role_magnitudes],
                                          f->call[functions_role_matrix],
                                          r->matrix_constant};
    const struct formulation_choice *c = &r->choice;
    x->choice = (keel_choice){c->rows,
                              c->coordinates,
                              r->surfaces + r->clocks,
                              c->acceleration,
                              c->motion,
                              c->multiplier,
                              c->constraint,
                              c->hidden,
                              c->in_force,
                              f->call[functions_role_offset],
                              f->call[functions_role_offsets]};
    if (r->event.count)
        p->event = (keel_map){
            .count = r->event.count, .value = f->call[functions_role_event], .names = r->event.names};
    p->event_direction = r->event.count ? r->event_direction : NULL;
    p->event_kind = r->event.count ? r->event_kind : NULL;
    if (formulation_traits(r) & KEEL_SECOND_ORDER)
        p->mass = (keel_matrix){f->call[functions_role_mass], pattern_of(&out->pattern[7], &r->mass),
                                r->mass_constant};
    if (r->structure) p->structure = (keel_matrix){.value = f->call[functions_role_structure]};
    p->curvature = f->call[functions_role_curvature];
}

static int left_for(const struct formulation *r, double operations) {
    const struct graph *g = &r->y->m->graph;
    return g->spent + operations <= g->work;
}

static double invariants(const struct formulation *r) {
    return r->energy.count + r->invariant.count;
}

static int entries_of(const struct derive_sparse *s) {
    return s->row_start ? s->row_start[s->rows] : 0;
}

/* Systems of first order: with algebraic variables only of index 1, and solved by sparse matrices. */
static int goes_by_pattern(const struct formulation *r) {
    const struct derive_sparse *rows = &r->algebraic.jacobian;
    if (formulation_traits(r) & KEEL_SECOND_ORDER || r->f.count != r->n || (r->m && !sparse_available()))
        return 0;
    for (int i = 0; i < r->m; i++) {
        int end = rows->row_start[i + 1];
        if (end == rows->row_start[i] || rows->column[end - 1] < r->n) return 0;
    }
    return 1;
}

/* Entries of the jacobians of a system of first order: those of the pattern, where it goes by that. */
static double entries_of_rates(const struct formulation *r) {
    double order = (double)r->n + r->m;
    double entries = (double)entries_of(&r->f.jacobian) + entries_of(&r->algebraic.jacobian);
    return goes_by_pattern(r) && sparse_pays(order, entries) ? entries : order * order;
}

/* Hidden rows of such a system, by their pattern: as many numbers and, a hundred times, twenty operations for
 * each.  0: they are dense. */
static double entries_of_hidden(const struct formulation *r) {
    double entries = entries_of(&r->hidden.jacobian);
    int sparse = r->hidden.count && goes_by_pattern(r) && saddle_pays(r->n, r->hidden.count, r->n, entries);
    return sparse ? entries : 0;
}

/* To open and to make the first steps the algebraic equations are factored some fifty times, the mass a few
 * times, the rows of the manifold a hundred times; for an invariant, which is verified at two dozen points
 * each found by some ten corrections, two thousand times more. */
int fill_matrices_fit(const struct formulation *r) {
    if (formulation_goes_sparse(r))
        return 1; /* as many numbers as the patterns have, which the budget knows already */
    double n = r->n, m = r->m, mass = formulation_traits(r) & KEEL_SECOND_ORDER ? n / 2 : 0;
    double by_pattern = entries_of_hidden(r), hidden = by_pattern > 0 ? 0 : r->hidden.count;
    double rows = hidden + r->constraint.count + r->rolling.count, kept = rows + invariants(r);
    double of_rates = entries_of_rates(r), entries = of_rates + by_pattern + (n + m) * kept,
           factors = 100 * kept * kept + 2000 * invariants(r) * rows * rows;
    double solves = of_rates < (n + m) * (n + m) ? 20 * of_rates : 20 * m * m * m;
    return left_for(r, EXPR_COST_BYTE * sizeof(double) * entries + solves + 2 * mass * mass * mass +
                           factors * n + 2000 * by_pattern);
}

int fill_checks_fit(const struct formulation *r, const struct functions *f) {
    int constrained = r->hidden.count || r->constraint.count || r->rolling.count;
    double operations = 0;
    for (int k = 0; k < FUNCTIONS_ROLES; k++)
        if (f->there[k]) operations += tape_operations(&f->tape[k]) + 10;
    operations *= 500 + (constrained ? 5000 : 500) * invariants(r);
    return left_for(r, operations) || expr_spend(&r->y->m->graph, operations);
}
