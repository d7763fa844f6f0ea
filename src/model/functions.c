/* functions.c - see functions.h. */
#include "model/functions.h"

#include "linalg/saddle.h"
#include "linalg/schur_rows.h"
#include "methods/registry.h"
#include "model/eliminate.h"
#include "symbolic/series_roll.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int interpret(const struct functions_bound *b, const struct tape *tape, double t, const double *u,
                     double *out) {
    if (!b->work) return tape_call(tape, t, u, b->parameter, out) ? KEEL_ENOMEM : 0;
    tape_run(tape, t, u, b->parameter, out, b->work);
    return 0;
}

#define INTERPRET(role)                                                               \
    static int interpret_##role(double t, const double *u, double *out, void *user) { \
        const struct functions_bound *b = user;                                       \
        keel_fn *compiled = b->machine->call[functions_role_##role];                  \
        if (compiled) return compiled(t, u, out, user);                               \
        return interpret(b, &b->tape[functions_role_##role], t, u, out);              \
    }
FUNCTIONS_LIST(INTERPRET)
#undef INTERPRET

static keel_fn *const interpreted[] = {
#define POINTER(role) interpret_##role,
    FUNCTIONS_LIST(POINTER)
#undef POINTER
};

static const char *const role_name[] = {
#define NAME(role) #role,
    FUNCTIONS_LIST(NAME)
#undef NAME
};

struct tape_input *functions_inputs(const struct formulation *r, size_t states, const expr *state,
                                    size_t *count) {
    struct model *m = r->y->m;
    struct graph *g = &m->graph;
    size_t further = state == r->basic ? (size_t)r->furthers : 0, at = 0;
    struct tape_input *input = expr_take(
        g, states + further + (size_t)(m->parameters + m->helds + formulation_sides(r)), sizeof *input);
    expr_spend(g, EXPR_COST_VISIT * (double)(states + (size_t)m->parameters) + g->count);
    if (!input) return NULL;
    if (!r->by_clock) input[at++] = (struct tape_input){expr_symbol(g, EXPR_TIME, 0, 0), TAPE_TIME, 0};
    for (size_t i = 0; i < states; i++) input[at++] = (struct tape_input){state[i], TAPE_STATE, (uint32_t)i};
    for (size_t i = 0; i < further; i++)
        input[at++] = (struct tape_input){r->further[i], TAPE_STATE, (uint32_t)(states + i)};
    for (int i = 0; i < m->parameters; i++)
        input[at++] =
            (struct tape_input){expr_symbol(g, EXPR_PARAMETER, (uint32_t)i, 0), TAPE_PARAMETER, (uint32_t)i};
    for (int i = 0; i < m->helds; i++)
        input[at++] = (struct tape_input){expr_symbol(g, EXPR_HELD, (uint32_t)i, 0), TAPE_PARAMETER,
                                          (uint32_t)(m->parameters + i)};
    for (int i = 0; i < formulation_sides(r); i++) {
        input[at++] = (struct tape_input){expr_symbol(g, EXPR_SIDE, formulation_side(r, i), 0),
                                          TAPE_PARAMETER, (uint32_t)(m->parameters + m->helds + i)};
    }
    *count = at;
    return input;
}

/* Where elimination has made accelerations, each operation waits for the one before, and as loops over few
 * items they would take four times as long.  Long ones are loops all the same, for the C compiler's sake. */
static int stays_straight(const struct formulation *r, size_t count, const expr *root) {
    enum { MOST = 12000 };
    struct expr_list list;
    if (root != r->f.value || r->eliminated <= ELIMINATE_SHORT) return 0;
    if (expr_order(&r->y->m->graph, count, root, &list)) return 0;
    free(list.item);
    return list.count <= MOST;
}

int functions_tape_of(const struct formulation *r, size_t states, const expr *state, size_t count,
                      const expr *root, struct tape *out, expr *missing) {
    struct graph *g = &r->y->m->graph;
    size_t inputs;
    struct tape_input *input = functions_inputs(r, states, state, &inputs);
    int (*tape)(struct tape *, struct graph *, size_t, const expr *, size_t, const struct tape_input *,
                expr *) = stays_straight(r, count, root) ? tape_build_straight : tape_build;
    int failed = !input || g->failed ? -1 : tape(out, g, count, root, inputs, input, missing);
    free(input);
    return failed;
}

int functions_tape(const struct formulation *r, size_t count, const expr *root, struct tape *out,
                   expr *missing) {
    return functions_tape_of(r, (size_t)r->n + (size_t)r->m, r->basic, count, root, out, missing);
}

/* Functions that are the motion up to order and signs have its program: 0, 1 where they are not, or -1. */
static int build_from_motion(struct functions *f, const struct formulation *r, enum functions_role role,
                             int count, const expr *root) {
    if (role != functions_role_energy_jacobian || !f->there[functions_role_f] || count != r->f.count)
        return 1;
    return tape_build_turned(&f->tape[role], &r->y->m->graph, (size_t)count, root, &f->tape[functions_role_f],
                             r->f.value);
}

static int build(struct functions *f, const struct formulation *r, enum functions_role role, int count,
                 const expr *root) {
    expr missing;
    size_t states = (size_t)r->n + (size_t)r->m;
    const expr *state = r->basic;
    if (!root) return 0;
    if (role >= functions_role_energy_of_forms && role <= functions_role_energy_of_forms_terms)
        states = (size_t)r->quadratic_forms.count, state = r->form_symbol;
    if (role >= functions_role_original_f && role <= functions_role_original_g_terms)
        states = (size_t)r->n + (size_t)r->original_g.count, state = r->original_symbol;
    if (role == functions_role_mass_change) states = 3 * (size_t)r->n / 2, state = r->held_symbol;
    int status = build_from_motion(f, r, role, count, root);
    if (status > 0)
        status = functions_tape_of(r, states, state, (size_t)count, root, &f->tape[role], &missing);
    if (status) return -1;
    f->there[role] = 1;
    f->call[role] = interpreted[role];
    return 0;
}

/* The four roles of a map stand one after the other. */
static int build_map(struct functions *f, const struct formulation *r, enum functions_role first,
                     const struct formulation_map *map) {
    const struct derive_sparse *j = &map->jacobian;
    static const expr none = EXPR_NONE; /* a Jacobian without entries is still a Jacobian */
    if (map->count == 0) return 0;
    int entries = j->row_start ? j->row_start[j->rows] : 0;
    return build(f, r, first, map->count, map->value) ||
           build(f, r, first + 1, entries, entries || !j->row_start ? j->value : &none) ||
           build(f, r, first + 2, map->count, map->rate) || build(f, r, first + 3, map->count, map->terms);
}

int functions_open(struct functions *f, const struct formulation *r, const char *method) {
    *f = (struct functions){.table = r->y->m->graph.rows};
    int failed =
        build_map(f, r, functions_role_f, &r->f) ||
        build_map(f, r, functions_role_algebraic, &r->algebraic) ||
        build_map(f, r, functions_role_hidden, &r->hidden) ||
        build_map(f, r, functions_role_energy, &r->energy) ||
        build_map(f, r, functions_role_constraint, &r->constraint) ||
        build_map(f, r, functions_role_rolling, &r->rolling) ||
        build_map(f, r, functions_role_velocity, &r->velocity) ||
        build_map(f, r, functions_role_invariant, &r->invariant) ||
        build_map(f, r, functions_role_quadratic_forms, &r->quadratic_forms) ||
        build_map(f, r, functions_role_energy_of_forms, &r->energy_of_forms) ||
        build_map(f, r, functions_role_original_f, &r->original_f) ||
        build_map(f, r, functions_role_original_g, &r->original_g) ||
        build(f, r, functions_role_mass, r->mass.row_start ? r->mass.row_start[r->mass.rows] : 0,
              r->mass.value) ||
        build(f, r, functions_role_mass_change, r->mass_change ? r->f.jacobian.row_start[r->f.count] : 0,
              r->mass_change) ||
        build(f, r, functions_role_structure, r->n * r->n, r->structure) ||
        build(f, r, functions_role_curvature, r->constraint.count + r->rolling.count, r->curvature) ||
        build(f, r, functions_role_event, r->event.count, r->event.count ? r->event.value : NULL) ||
        build(f, r, functions_role_moments, r->surfaces * r->y->m->directions, r->moment) ||
        build(f, r, functions_role_magnitudes, r->y->m->directions, r->magnitude) ||
        build(f, r, functions_role_matrix, r->matrix_entries, r->matrix) ||
        build(f, r, functions_role_offset, r->choice.own, r->choice.offset) ||
        build(f, r, functions_role_offsets, r->m - r->choice.own, r->choice.offsets) ||
        build(f, r, functions_role_gap, r->contacts, r->contact) ||
        build(f, r, functions_role_contact, r->contact_numbers, r->contact) ||
        build(f, r, functions_role_sample, r->samples, r->sample) ||
        functions_series(f, r, strcmp(method, "taylor") == 0) || functions_events(f, r);
    return failed ? -1 : 0;
}

void functions_close(struct functions *f) {
    for (int k = 0; k < FUNCTIONS_ROLES; k++)
        if (f->there[k]) tape_free(&f->tape[k]);
    series_free(&f->recurrences);
    series_free(&f->composed);
    *f = (struct functions){0};
}

static void name_in_c(char *out, size_t capacity, int mode, int role) {
    snprintf(out, capacity, "%d_%s", mode, role_name[role]);
}

/* Is x' = f(t, x) all there is to it? */
static int plain(const struct functions *f, const struct formulation *r) {
    int solved_for = (formulation_traits(r) & (KEEL_SECOND_ORDER | KEEL_ALGEBRAIC)) != 0;
    return f->there[functions_role_f] && r->m == 0 && r->event.count == 0 && !solved_for &&
           r->constraint.count == 0;
}

/* The same with the rows of energy and invariants, or without them. */
static int emit_kept_rows(struct functions *f, struct emit *e, const struct formulation *r,
                          const struct emit_method *method, const char *name) {
    const struct formulation_map *map[] = {&r->energy, &r->invariant};
    const enum functions_role role[] = {functions_role_energy, functions_role_invariant};
    struct emit_rows rows[2];
    int maps = 0, whole = 1;
    for (int i = 0; i < 2; i++) {
        if (map[i]->count == 0) continue;
        whole &= f->there[role[i] + 1] && map[i]->jacobian.row_start;
        if (!whole) break;
        whole &= !e->device || !f->there[role[i] + 2]; /* sizes there know of no clock */
        rows[maps++] =
            (struct emit_rows){&f->tape[role[i]], &f->tape[role[i] + 1], map[i]->jacobian.row_start,
                               map[i]->jacobian.column, f->there[role[i] + 3] ? &f->tape[role[i] + 3] : NULL};
    }
    int left_out = whole ? emit_kept(e, name, &f->tape[functions_role_f], method, maps, rows) : 1;
    f->rows_inside = left_out == 0;
    if (left_out > 0) left_out = emit_kept(e, name, &f->tape[functions_role_f], method, 0, NULL);
    return left_out < 0 ? -1 : 0;
}

/* Recurrences are one line of C each, or one for all that are alike.  Long lists of them stay interpreted,
 * which costs little: the time goes into their sums of products. */
static int emits_series(const struct series *s, int all) {
    enum { MOST_CODES = 4000 }; /* a millisecond of the compiler each */
    return all || series_lines(s) <= MOST_CODES;
}

/* Of the motion, and of the events along it. */
static int emit_recurrences(const struct functions *f, struct emit *e, int mode, int all) {
    char name[40];
    int motion = f->series.value && emits_series(&f->recurrences, all);
    name_in_c(name, sizeof name, mode, functions_role_f);
    if (motion && emit_series(e, name, &f->recurrences)) return -1;
    name_in_c(name, sizeof name, mode, functions_role_event);
    return f->event_series.value && emits_series(&f->composed, all) ? emit_series(e, name, &f->composed) : 0;
}

int functions_emit(const struct functions *f, struct emit *e, int mode, const char *method, int all) {
    char name[40];
    for (int k = 0; k < FUNCTIONS_ROLES; k++) {
        if (k >= functions_role_quadratic_forms && k <= functions_role_original_g_terms && !all) continue;
        name_in_c(name, sizeof name, mode, k);
        if (f->there[k] && emit_function(e, name, &f->tape[k])) return -1;
    }
    return strcmp(method, "taylor") == 0 ? emit_recurrences(f, e, mode, all) : 0;
}

int functions_name(const struct functions *f, int mode, const char *method, int k, char *out,
                   size_t capacity) {
    int taylor = method && strcmp(method, "taylor") == 0, event = k > FUNCTIONS_ROLES;
    if (k > FUNCTIONS_ROLES + 1) return -1;
    if (k < FUNCTIONS_ROLES) {
        snprintf(out, capacity, "model_%d_%s", mode, role_name[k]);
        return f->there[k];
    }
    snprintf(out, capacity, event ? "composed_%d_%s" : "series_%d_%s", mode,
             role_name[event ? functions_role_event : functions_role_f]);
    return taylor && (event ? f->event_series.value != NULL : f->series.value != NULL);
}

/* A map's values with its jacobian; entries: that alone. */
static struct emit_rows rows_of(const struct functions *f, enum functions_role role,
                                const struct derive_sparse *entries) {
    return (struct emit_rows){&f->tape[role], &f->tape[role + 1], entries->row_start, entries->column, NULL};
}

static const struct tape *tape_there(const struct functions *f, enum functions_role role) {
    return f->there[role] ? &f->tape[role] : NULL;
}

/* M, F, K and gamma; and all rows, if none of them moves by itself.  0: there is no such thing. */
static int find_mechanics(const struct functions *f, const struct formulation *r, struct emit_mechanics *m) {
    const struct formulation_map *map[] = {&r->energy, &r->invariant};
    const enum functions_role role[] = {functions_role_energy, functions_role_invariant};
    *m = (struct emit_mechanics){
        .nq = r->n / 2,
        .k = r->constraint.count,
        .steady = r->mass_constant != 0,
        .projects = r->constraint.count > 0,
        .force = tape_there(f, functions_role_f),
        .curvature = tape_there(f, functions_role_curvature),
        .constraint = tape_there(f, functions_role_constraint),
        .shift = tape_there(f, functions_role_constraint_rate),
        .terms = tape_there(f, functions_role_constraint_terms),
        .mass = {NULL, tape_there(f, functions_role_mass), r->mass.row_start, r->mass.column, NULL}};
    if (!m->force || !m->mass.jacobian || r->rolling.count) return 0;
    if (m->k && (!m->curvature || !f->there[functions_role_constraint_jacobian])) return 0;
    if (m->k) m->rows = rows_of(f, functions_role_constraint, &r->constraint.jacobian);
    for (int i = 0; i < 2 && m->projects; i++) {
        if (map[i]->count == 0) continue;
        m->projects = f->there[role[i] + 1] && map[i]->jacobian.row_start && !f->there[role[i] + 2];
        m->invariant_terms[m->maps] = tape_there(f, role[i] + 3);
        m->invariant[m->maps++] = rows_of(f, role[i], &map[i]->jacobian);
    }
    if (!m->projects) m->maps = 0;
    m->complete = m->k > 0 && (r->invariant.count > 0 || m->shift);
    return 1;
}

/* The elimination of K's rows, where they are a chain and M is diagonal and constant.  1: it is none. */
static int emit_chain(struct emit *e, const struct formulation *r, const struct emit_mechanics *m,
                      const char *name, const keel_rk *table) {
    const struct derive_sparse *rows = &r->constraint.jacobian, *mass = &r->mass;
    int starved, nq = r->n / 2, k = r->constraint.count;
    if (!r->mass_constant || r->rolling.count || !k || !rows->row_start || !mass->row_start) return 1;
    if (!saddle_pays(nq, k, mass->row_start[nq], rows->row_start[k])) return 1;
    keel_pattern of_rows = {rows->row_start[k], rows->row_start, rows->column};
    keel_pattern of_mass = {mass->row_start[nq], mass->row_start, mass->column};
    const keel_pattern *const part[] = {&of_rows, NULL};
    struct schur *s = schur_open(nq, &of_mass, part, (const int[]){k, 0}, HUGE_VAL, &starved);
    const struct schur_sweep *sweep = s ? schur_chain(s) : NULL;
    int status = starved ? -1 : 1;
    _Static_assert(sizeof(struct schur_strand) == EMIT_STRAND * sizeof(int), "a strand has so many numbers");
    _Static_assert(sizeof(struct schur_row) == 6 * sizeof(int), "and a row");
    if (sweep)
        status = emit_elimination(
            e, name,
            &(struct emit_elimination){nq, k, of_rows.nnz, sweep->rows[k - 1].link + sweep->rows[k - 1].links,
                                       &sweep->rows->first, &sweep->link->left, sweep->column,
                                       &sweep->strand->first, sweep->begin, sweep->end, sweep->dimension,
                                       rows->row_start, m, table});
    schur_close(s);
    return status;
}

/* Accelerations and projections for every method, and the steps of this one; in lanes and on a device the
 * latter alone. */
static int emit_second_order(struct functions *f, struct emit *e, const struct formulation *r,
                             const char *name, const char *method) {
    struct emit_mechanics m;
    if (!find_mechanics(f, r, &m)) return 0;
    int left_out = e->lanes ? 0 : emit_mechanics(e, name, &m);
    const keel_stepper *stepper = registry_find(method);
    if (left_out > 0) {
        left_out = emit_chain(e, r, &m, name, stepper ? registry_table(stepper) : NULL) < 0 ? -1 : 1;
        if (stepper && e->restorations) f->kernel.method = stepper->info.name;
        f->rows_inside = e->restorations > 0;
    }
    if (r->m || r->event.count) stepper = NULL;
    struct emit_method inside = {.rk = stepper ? registry_table(stepper) : NULL,
                                 .series = stepper && !e->lanes && f->series.value &&
                                           strcmp(method, "taylor") == 0};
    if (left_out == 0) left_out = inside.rk || inside.series ? emit_motion(e, name, &m, &inside) : 1;
    if (left_out) return left_out < 0 ? -1 : 0;
    f->kernel.method = stepper->info.name;
    f->rows_inside = 1;
    return 0;
}

/* Kernels that steps by a clock can use: by their error, for one run.  0: none of them is wanted. */
static int by_clock(struct emit *e) {
    unsigned wanted = (EMIT_ADAPTIVE | EMIT_ADAPTIVE_KEEPING) & (e->kernels ? e->kernels : ~0U);
    if (e->lanes || e->device || !wanted) return 0;
    e->clock = 1;
    e->kernels = wanted;
    return 1;
}

/* Where nothing has to hold but the motion itself. */
static int emit_loop_of_samples(struct functions *f, struct emit *e, const struct formulation *r,
                                const struct emit_method *method, const char *name) {
    int bare = r->energy.count + r->invariant.count + r->hidden.count == 0 && !e->lanes && !r->by_clock;
    if (!bare || !method->rk || !r->sample_places || !f->there[functions_role_sample]) return 0;
    struct emit_sample sample = {&f->tape[functions_role_sample], r->sample_first, r->sample_places,
                                 r->sample_place};
    return emit_samples(e, name, &f->tape[functions_role_f], method, &sample) < 0 ? -1 : 0;
}

int functions_emit_kernel(struct functions *f, struct emit *e, int mode, const struct formulation *r,
                          const char *method) {
    char name[40];
    struct implicit_loop loop;
    struct emit_method inside = {0};
    const keel_stepper *stepper = plain(f, r) ? registry_find(method) : NULL;
    f->kernel = (keel_kernel){0};
    e->direction = r->direction;
    if (f->table && (e->lanes || e->device)) return 0; /* a search for pieces has no lanes */
    name_in_c(name, sizeof name, mode, functions_role_f);
    if (formulation_traits(r) & KEEL_SECOND_ORDER) return emit_second_order(f, e, r, name, method);
    if (!stepper || (r->by_clock && !by_clock(e))) return 0;
    inside.rk = registry_table(stepper);
    int canonical = (formulation_traits(r) & KEEL_CANONICAL) != 0;
    inside.series = f->series.value && strcmp(method, "taylor") == 0;
    if (registry_implicit(stepper, &loop)) inside.implicit = &loop.shape;
    if (!inside.rk && !inside.series && !inside.implicit &&
        !(canonical && registry_splitting(stepper, r->n, &inside.splitting)))
        return 0;
    f->kernel.method = stepper->info.name;
    int left_out = emit_kernel(e, name, &f->tape[functions_role_f], &inside);
    if (left_out) return left_out < 0 ? -1 : 0;
    return emit_kept_rows(f, e, r, &inside, name) || emit_loop_of_samples(f, e, r, &inside, name) ? -1 : 0;
}

void functions_link_kernel(struct functions *f, const struct compile_unit *unit, int mode) {
    char name[40];
    name_in_c(name, sizeof name, mode, functions_role_f);
    f->kernel.accelerations = compile_accelerations(unit, name);
    f->kernel.elimination = compile_elimination(unit, name);
    f->kernel.restoration = compile_restoration(unit, name);
    f->kernel.stages = compile_stages(unit, name);
    if (f->kernel.accelerations || f->kernel.elimination) {
        f->kernel.projection = compile_projection(unit, name);
        f->kernel.force = f->call[functions_role_f];
        f->kernel.constraint = f->call[functions_role_constraint];
        f->kernel.energy = f->call[functions_role_energy];
        f->kernel.invariant = f->call[functions_role_invariant];
    }
    if (!f->kernel.method) return;
    f->kernel.fixed = compile_fixed(unit, name);
    f->kernel.kept = compile_kept(unit, name);
    f->kernel.samples = compile_samples(unit, name);
    f->kernel.lanes = 0;
    f->kernel.energy = f->rows_inside ? f->call[functions_role_energy] : NULL;
    f->kernel.invariant = f->rows_inside ? f->call[functions_role_invariant] : NULL;
}

void functions_link_lanes(struct functions *f, const struct compile_unit *unit, int mode, int lanes) {
    char name[40];
    name_in_c(name, sizeof name, mode, functions_role_f);
    f->kernel.lanes = lanes;
    f->kernel.plain_lanes = compile_plain_lanes(unit, name);
    f->kernel.kept_lanes = compile_kept_lanes(unit, name);
    f->kernel.beside = compile_beside(unit, name);
}

static void find_machine(const struct functions *f, const struct compile_unit *unit, int mode,
                         struct functions_machine *out) {
    char name[40];
    for (int k = 0; k < FUNCTIONS_ROLES; k++) {
        name_in_c(name, sizeof name, mode, k);
        int left_out = k >= functions_role_quadratic_forms && k <= functions_role_original_g_terms;
        out->call[k] = f->there[k] && !left_out ? compile_function(unit, name) : NULL;
    }
    name_in_c(name, sizeof name, mode, functions_role_f);
    out->series = f->series.value ? compile_series(unit, name) : NULL;
    name_in_c(name, sizeof name, mode, functions_role_event);
    out->composed = f->event_series.value ? compile_composed(unit, name) : NULL;
}

void functions_link(struct functions *f, const struct compile_unit *unit, int mode) {
    struct functions_machine found;
    find_machine(f, unit, mode, &found);
    for (int k = 0; k < FUNCTIONS_ROLES; k++)
        if (found.call[k]) f->call[k] = found.call[k];
    if (found.series) f->series.value = found.series;
    if (found.composed) f->event_series.value = found.composed;
    functions_link_kernel(f, unit, mode);
}

void functions_hand_over(struct functions *f, const struct compile_unit *unit, int mode) {
    find_machine(f, unit, mode, &f->machine);
}

size_t functions_registers(const struct functions *f) {
    size_t most = 0;
    for (int k = 0; k < FUNCTIONS_ROLES; k++)
        if (f->there[k] && f->tape[k].registers > most) most = f->tape[k].registers;
    return most;
}

struct functions_bound functions_bind(const struct functions *f, const double *parameter, void *owner,
                                      double *work) {
    return (struct functions_bound){parameter,    f->table,    f->tape, &f->recurrences,
                                    &f->composed, &f->machine, owner,   work};
}
