/* formulation.c - which formulation a mode takes, and what all formulations share: names, definitions, rows
 * kept and watched. */
#include "model/formulation.h"

#include "base/text.h"
#include "linalg/sparse.h"
#include "symbolic/derive_rules.h"
#include "model/branches.h"
#include "model/diagnostics.h"
#include "model/eliminate.h"
#include "model/saltation.h"
#include "model/surface.h"
#include "model/tangent.h"

#include <stdlib.h>
#include <string.h>

static struct graph *graph_of(const struct formulation *r) {
    return &r->y->m->graph;
}

static const struct model_mode *mode_of(const struct formulation *r) {
    return &r->y->m->mode[r->y->mode];
}

const char *formulation_text(struct formulation *r, const char *text) {
    const char *copy = pool_copy(r->pool, text, strlen(text));
    return copy ? copy : "";
}

/* Symbols ----------------------------------------------------------------------------------------------- */

static int reserve(struct formulation *r, expr symbol) {
    if (symbol < r->symbols) return 1;
    uint32_t wider = graph_of(r)->capacity;
    expr *place = expr_widen(graph_of(r), r->place, wider, sizeof *place);
    if (place) r->place = place;
    expr *definition = expr_widen(graph_of(r), r->definition, wider, sizeof *definition);
    if (definition) r->definition = definition;
    if (!place || !definition) return 0;
    memset(place + r->symbols, 0, (wider - r->symbols) * sizeof *place);
    memset(definition + r->symbols, 0, (wider - r->symbols) * sizeof *definition);
    r->symbols = wider;
    return 1;
}

static int same_array(const struct formulation *r, int i, int k) {
    const struct model *m = r->y->m;
    const struct expr_node a = graph_of(r)->node[r->basic[i]], b = graph_of(r)->node[r->basic[k]];
    return a.a == b.a && a.c == b.c && a.a == EXPR_UNKNOWN &&
           strcmp(m->unknown[a.b].label.base, m->unknown[b.b].label.base) == 0;
}

/* States of one array and one order of differentiation share a weight.  They mostly stand side by side; else
 * the first state of each array is looked at. */
static int array_number(const struct formulation *r, int i) {
    if (i > 0 && same_array(r, i, i - 1)) return r->array_of[i - 1];
    for (int k = 0; k < i; k++)
        if (r->array_of[k] == k && same_array(r, i, k)) return k;
    return i;
}

int formulation_basic(struct formulation *r, int count, const expr *symbol) {
    char name[200];
    r->basic = pool_take(r->pool, ((size_t)count + 1) * sizeof *r->basic);
    r->names = pool_take(r->pool, ((size_t)count + 1) * sizeof *r->names);
    r->array_of = pool_take(r->pool, ((size_t)count + 1) * sizeof *r->array_of);
    if (r->pool->refused) return 0;
    for (int i = 0; i < count; i++) {
        if (!reserve(r, symbol[i])) return 0;
        r->basic[i] = symbol[i];
        r->place[symbol[i]] = (expr)i + 1;
        system_name(r->y, symbol[i], name, sizeof name);
        r->names[i] = formulation_text(r, name);
        if (i < r->n) r->array_of[i] = array_number(r, i);
    }
    return !r->pool->refused;
}

int formulation_further(struct formulation *r, int count, const expr *symbol) {
    r->further = pool_take(r->pool, ((size_t)count + 1) * sizeof *r->further);
    if (!r->further) return 0;
    for (int i = 0; i < count; i++) {
        if (!reserve(r, symbol[i])) return 0;
        r->further[i] = symbol[i];
        r->place[symbol[i]] = (expr)(r->n + r->m + i + 1);
    }
    r->furthers = count;
    return 1;
}

int formulation_place(const struct formulation *r, expr symbol) {
    return symbol < r->symbols ? (int)r->place[symbol] - 1 : -1;
}

int formulation_find(const struct formulation *r, expr symbol) {
    const struct system *y = r->y;
    struct graph *g = graph_of(r);
    int j = symbol == EXPR_NONE ? -1 : system_unknown(y, symbol);
    if (j < 0) return -1;
    int place = formulation_place(r, symbol);
    if (place >= 0 && place < r->n + r->m) return place;
    const struct structure_value alias = y->s.alias[j];
    const struct expr_node n = g->node[y->unknown[alias.unknown]];
    uint32_t order = (uint32_t)alias.order + g->node[symbol].c;
    place = formulation_place(r, expr_symbol(g, (enum expr_kind)n.a, n.b, order));
    return place < r->n + r->m ? place : -1;
}

void formulation_define(struct formulation *r, expr symbol, expr e) {
    if (reserve(r, symbol)) r->definition[symbol] = e;
}

/* What stands for a symbol that is not basic.  One that is being looked for is its own definition for that
 * time: with p = q' the one leads to the other, and back. */
static expr definition_of(struct formulation *r, expr symbol) {
    struct graph *g = graph_of(r);
    struct system *y = r->y;
    const struct expr_node n = g->node[symbol];
    if (!reserve(r, symbol)) return EXPR_NONE;
    if (r->definition[symbol] && r->definition[symbol] != symbol) return r->definition[symbol];
    r->missing = symbol;
    if (r->definition[symbol] == symbol) return EXPR_NONE;
    int j = system_unknown(y, symbol);
    if (j < 0) return EXPR_NONE;
    struct structure_value alias = y->s.alias[j];
    expr found = EXPR_NONE;
    r->definition[symbol] = symbol;
    if (alias.unknown != j) {
        const struct expr_node to = g->node[y->unknown[alias.unknown]];
        found =
            formulation_resolve(r, expr_symbol(g, (enum expr_kind)to.a, to.b, (uint32_t)alias.order + n.c));
    } else if (n.c > 0) { /* one derivative more than something that is written down */
        expr below = expr_symbol(g, (enum expr_kind)n.a, n.b, n.c - 1);
        expr before = reserve(r, below) && !r->place[below] ? definition_of(r, below) : EXPR_NONE;
        if (before != EXPR_NONE) before = derive_total(&r->derive, before);
        if (before != EXPR_NONE) found = formulation_resolve(r, before);
    }
    r->definition[symbol] = found;
    return found;
}

expr formulation_resolve(struct formulation *r, expr e) {
    struct graph *g = graph_of(r);
    struct expr_list all;
    size_t count = 0;
    int failed = 0;
    if (e == EXPR_NONE || expr_symbols(g, 1, &e, &all)) return EXPR_NONE;
    expr *to = expr_take(g, all.count, sizeof *to);
    for (size_t k = 0; k < all.count && to && !failed; k++) {
        uint32_t kind = g->node[all.item[k]].a;
        if (kind != EXPR_UNKNOWN && kind != EXPR_MULTIPLIER) continue;
        if (!reserve(r, all.item[k])) failed = 1;
        else if (!r->place[all.item[k]]) {
            to[count] = definition_of(r, all.item[k]);
            failed = to[count] == EXPR_NONE;
            all.item[count++] = all.item[k];
        }
    }
    if (!to || failed || (count && expr_substitute(g, 1, &e, count, all.item, to, &e))) e = EXPR_NONE;
    free(to);
    free(all.item);
    return e;
}

/* Maps -------------------------------------------------------------------------------------------------- */

int formulation_map_open(struct formulation *r, struct formulation_map *map, int count) {
    size_t rows = (size_t)count + 1;
    *map = (struct formulation_map){.count = count};
    map->value = pool_take(r->pool, rows * sizeof *map->value);
    map->names = pool_take(r->pool, rows * sizeof *map->names);
    return !r->pool->refused;
}

/* A dense Jacobian of many entries is left to differences.  They take n evaluations of f, which the
 * factorization of such a matrix outweighs, and as expressions the entries would outgrow f by far.  So would
 * those of accelerations that elimination has made long (eliminate.h). */
static int is_left_out(struct formulation *r, const struct formulation_map *map, int columns,
                       const expr *by) {
    enum { MOST_ENTRIES = 1 << 19 };
    double all = (double)map->count * columns;
    if (map == &r->f && r->eliminated > ELIMINATE_SHORT) return 1;
    if (map != &r->f || all <= MOST_ENTRIES) return 0;
    double entries = derive_entries(graph_of(r), map->count, map->value, columns, by);
    return entries > MOST_ENTRIES && !sparse_pays(columns, entries);
}

/* No value of the map contains t? */
static int is_autonomous(struct graph *g, const struct formulation_map *map) {
    expr t = expr_symbol(g, EXPR_TIME, 0, 0);
    return !expr_any_depends(g, (size_t)map->count, map->value, 1, &t);
}

/* The partial derivatives by t; 1 or 0. */
static int take_rates(struct formulation *r, struct formulation_map *map) {
    struct graph *g = graph_of(r);
    expr t = expr_symbol(g, EXPR_TIME, 0, 0);
    struct derive_sparse by_time = {0};
    map->rate = pool_take(r->pool, ((size_t)map->count + 1) * sizeof *map->rate);
    if (!map->rate || derive_jacobian(&r->derive, map->count, map->value, 1, &t, &by_time)) return 0;
    if (map->count && by_time.row_start[map->count] == 0) map->rate = NULL; /* nothing here moves with t */
    for (int i = 0; i < map->count && map->rate; i++) {
        int there = by_time.row_start[i + 1] > by_time.row_start[i];
        map->rate[i] = there ? by_time.value[by_time.row_start[i]] : derive_zero(g);
    }
    derive_free(&by_time);
    return 1;
}

int formulation_derivatives(struct formulation *r, struct formulation_map *map, int columns, const expr *by,
                            int terms) {
    struct graph *g = graph_of(r);
    map->terms = terms ? pool_take(r->pool, ((size_t)map->count + 1) * sizeof *map->terms) : NULL;
    if (r->pool->refused) return 0;
    if (!map->jacobian.row_start && !is_left_out(r, map, columns, by) &&
        derive_jacobian(&r->derive, map->count, map->value, columns, by, &map->jacobian))
        return 0;
    map->autonomous = is_autonomous(g, map);
    if (!map->autonomous && !take_rates(r, map)) return 0;
    if (terms) derive_terms_of(g, map->count, map->value, map->terms);
    return !g->failed;
}

/* Invariants and events --------------------------------------------------------------------------------- */

static int no_value(struct formulation *r, struct syntax_span where, const char *what) {
    if (graph_of(r)->failed || r->pool->refused) return diagnostics_memory(r->messages);
    if (r->derive.obstacle) return diagnostics_nonsmooth(r->y, r->messages, where, what, r->derive.obstacle);
    return diagnostics_no_value(r->y, r->messages, where, what, r->missing);
}

/* An invariant in basic symbols, which must be states: what is kept is a function of the state. */
static expr kept_value(struct formulation *r, const struct model_row *row) {
    struct graph *g = graph_of(r);
    char what[200];
    text_set(what, sizeof what, "invariant `%.150s`", row->label.text);
    expr value = formulation_resolve(r, system_expression(r->y, row->value));
    if (value == EXPR_NONE) return no_value(r, row->where, what), EXPR_NONE;
    int any = expr_depends(g, value, (size_t)r->m, r->basic + r->n);
    for (int k = r->n; k < r->n + r->m && any; k++) {
        if (!expr_depends(g, value, 1, &r->basic[k])) continue;
        diagnostics_no_value(r->y, r->messages, row->where, what, r->basic[k]);
        return EXPR_NONE;
    }
    return value;
}

static int is_energy(const struct formulation *r, const struct model_row *row) {
    return mode_of(r)->keeps_energy && strcmp(row->label.text, "energy") == 0;
}

/* H_q = -p', H_p = q': the gradient of a large hamiltonian is taken from its motion, and so is its program
 * (functions.c).  Small ones save no time by that, and would pay for the signs.  1, or 0 without memory. */
static int gradient_of_motion(struct formulation *r) {
    enum { LARGE = 500 };
    struct graph *g = graph_of(r);
    struct derive_sparse *j = &r->energy.jacobian;
    int half = r->n / 2, canonical = (formulation_traits(r) & KEEL_CANONICAL) != 0;
    if (!canonical || r->n < LARGE || r->f.count != r->n || r->energy.value[0] != mode_of(r)->function)
        return 1;
    *j =
        (struct derive_sparse){1, r->n, expr_take(g, 2, sizeof(int)), expr_take(g, (size_t)r->n, sizeof(int)),
                               expr_take(g, (size_t)r->n, sizeof(expr))};
    if (!j->row_start || !j->column || !j->value) return 0;
    for (int i = 0; i < r->n; i++) {
        expr rate = r->f.value[i < half ? half + i : i - half];
        if (derive_is_zero(g, rate)) continue;
        j->column[j->row_start[1]] = i;
        j->value[j->row_start[1]++] = i < half ? expr_make(g, EXPR_NEG, rate, 0, 0) : rate;
    }
    return !g->failed;
}

/* The energy has a map of its own, which a hamiltonian always fills. */
static int keep_energy(struct formulation *r) {
    const struct model_mode *mode = mode_of(r);
    if (!mode->keeps_energy && !(formulation_traits(r) & KEEL_FROM_ENERGY)) return 1;
    if (!formulation_map_open(r, &r->energy, 1)) return diagnostics_memory(r->messages);
    struct model_row row = {.label = {.text = "energy"}, .value = mode->energy, .where = mode->where};
    for (int i = 0; i < mode->invariant.count; i++)
        if (is_energy(r, &mode->invariant.list[i])) row = mode->invariant.list[i];
    r->energy.names[0] = "energy";
    r->energy.value[0] = kept_value(r, &row);
    if (r->energy.value[0] == EXPR_NONE) return 0;
    if (!gradient_of_motion(r)) return diagnostics_memory(r->messages);
    return formulation_derivatives(r, &r->energy, r->n, r->basic, 1) || diagnostics_memory(r->messages);
}

static int keep_invariants(struct formulation *r) {
    const struct model_mode *mode = mode_of(r);
    int count = 0, good = 1;
    if (!formulation_map_open(r, &r->invariant, mode->invariant.count))
        return diagnostics_memory(r->messages);
    for (int i = 0; i < mode->invariant.count; i++) {
        const struct model_row *row = &mode->invariant.list[i];
        if (is_energy(r, row)) continue;
        expr value = kept_value(r, row);
        good &= value != EXPR_NONE;
        if (value == EXPR_NONE) continue;
        r->invariant.value[count] = value;
        r->invariant.names[count++] = row->label.text;
    }
    r->invariant.count = count;
    if (!good) return 0;
    return formulation_derivatives(r, &r->invariant, r->n, r->basic, 1) || diagnostics_memory(r->messages);
}

static int only_recorded(const struct model_event *event) {
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind != SYNTAX_RECORD) return 0;
    return 1;
}

static int add_events(struct formulation *r) {
    const struct model_mode *mode = mode_of(r);
    static const int sign[] = {[SYNTAX_RISING] = 1, [SYNTAX_FALLING] = -1, [SYNTAX_CROSSING] = 0};
    if (!formulation_map_open(r, &r->event, mode->events)) return diagnostics_memory(r->messages);
    r->event_direction = pool_take(r->pool, ((size_t)r->event.count + 1) * sizeof *r->event_direction);
    r->event_kind = pool_take(r->pool, (size_t)r->event.count + 1);
    if (r->pool->refused) return diagnostics_memory(r->messages);
    int good = 1;
    for (int i = 0; i < mode->events; i++) {
        const struct model_event *event = &mode->event[i];
        char what[200];
        text_set(what, sizeof what, "event `%.150s`", event->label.text);
        r->event.value[i] = formulation_resolve(r, system_expression(r->y, event->value));
        if (r->event.value[i] == EXPR_NONE) good = no_value(r, event->where, what);
        r->event.names[i] = event->label.text;
        r->event_direction[i] = sign[event->direction];
        r->event_kind[i] = (unsigned char)only_recorded(event);
    }
    return good;
}

/* Can all that the mode asks for be written in the basic symbols of this formulation? */
static int serves(struct formulation *r) {
    const struct model_mode *mode = mode_of(r);
    for (int i = 0; i < mode->events; i++)
        if (formulation_resolve(r, system_expression(r->y, mode->event[i].value)) == EXPR_NONE) return 0;
    for (int i = 0; i < mode->invariant.count; i++)
        if (formulation_resolve(r, system_expression(r->y, mode->invariant.list[i].value)) == EXPR_NONE)
            return 0;
    return 1;
}

/* Opening ----------------------------------------------------------------------------------------------- */

/* d/dt of the constraints, then the rolling ones, for the forms that carry constraints. */
static int add_velocity_rows(struct formulation *r) {
    int held = r->constraint.count, rows = held + r->rolling.count;
    if (!formulation_map_open(r, &r->velocity, rows)) return diagnostics_memory(r->messages);
    for (int i = 0; i < rows; i++) {
        r->velocity.names[i] = i < held ? r->constraint.names[i] : r->rolling.names[i - held];
        expr rate = i < held ? derive_total(&r->derive, r->constraint.value[i]) : r->rolling.value[i - held];
        r->velocity.value[i] = formulation_resolve(r, rate);
        if (r->velocity.value[i] == EXPR_NONE) return diagnostics_memory(r->messages);
    }
    /* G H_p: momenta may cancel in it that are in its derivative no more */
    int terms = (formulation_traits(r) & KEEL_FROM_ENERGY) != 0;
    return formulation_derivatives(r, &r->velocity, r->n, r->basic, terms) || diagnostics_memory(r->messages);
}

static int recognise(struct formulation *r) {
    struct model *m = r->y->m;
    struct graph *g = graph_of(r);
    unsigned traits = formulation_traits(r);
    int half = r->n / 2;
    r->quadratic = !(traits & KEEL_SECOND_ORDER) && r->f.count > 0 && r->m == 0 &&
                   derive_degree_of(g, r->f.count, r->f.value, r->n, r->basic) <= 2;
    const expr *q = r->basic, *p = r->basic + half;
    if (traits & KEEL_CANONICAL) r->separable = derive_separable(g, mode_of(r)->function, half, q, half, p);
    if (!(traits & KEEL_POSITIONS)) return 1;
    if (distance_model(&r->distance, m, r->y->mode, EXPR_HELD, FORMULATION_FORMS, formulation_most_forms(r)))
        return diagnostics_memory(r->messages);
    r->pairwise = r->distance.recognised == r->distance.functions;
    return 1;
}

void formulation_begin(struct formulation *r, struct system *y, struct source_messages *messages,
                       struct pool *pool) {
    *r = (struct formulation){.y = y, .pool = pool, .messages = messages};
    derive_open(&r->derive, &y->m->graph, DERIVE_ANY);
}

/* Derivatives of the algebraic variables are carried along as far as events ask for them. */
enum { MOST_EXTRA = 3 };

static int general(struct formulation *r) {
    for (int extra = 0, chooses = 1;;) {
        r->extra = extra;
        r->chooses = chooses;
        int found = formulation_general(r);
        if (found < 0) return -1;
        if (found && (serves(r) || extra == MOST_EXTRA || r->m == 0 || r->derive.obstacle)) return 1;
        if (found) extra++;
        else chooses = 0;
        struct formulation again;
        formulation_begin(&again, r->y, r->messages, r->pool);
        formulation_close(r);
        *r = again;
    }
}

/* What a message says of a right-hand side that has no value. */
static int name_rates(struct formulation *r) {
    char name[220];
    int motion = (formulation_traits(r) & KEEL_SECOND_ORDER) != 0;
    for (int i = 0; i < r->f.count; i++) {
        text_set(name, sizeof name, "%s%s%s", motion ? "motion of " : "", r->names[i], motion ? "" : "'");
        r->f.names[i] = formulation_text(r, name);
    }
    return !r->pool->refused || diagnostics_memory(r->messages);
}

static int add_bent_rates(struct formulation *r) {
    int before = r->f.count;
    if (!formulation_bent_rates(r)) return diagnostics_memory(r->messages);
    return r->f.count == before || name_rates(r);
}

static int build(struct formulation *r, struct system *y, struct source_messages *messages,
                 struct pool *pool) {
    int found = 0, by_t = y->m->clock == EXPR_NONE && !y->m->clock_of_equations;
    formulation_begin(r, y, messages, pool);
    if (y->m->form == MODEL_LAGRANGIAN && by_t) found = formulation_mechanics(r);
    else if (y->m->form != MODEL_EQUATIONS && y->m->form != MODEL_LAGRANGIAN)
        found = formulation_hamiltonian(r);
    if (found > 0 && (!serves(r) || !formulation_inertia(r))) {
        formulation_close(r);
        formulation_begin(r, y, messages, pool);
        found = 0;
    }
    if (found == 0) found = general(r);
    if (found < 0 || !name_rates(r)) return 0;
    int energy = keep_energy(r), invariants = keep_invariants(r),
        events = add_events(r) && formulation_add_samples(r);
    return energy && invariants && events && add_velocity_rows(r) && recognise(r) && add_bent_rates(r) &&
           formulation_forms(r) && formulation_original(r) && formulation_clock(r) &&
           ((branches_find(r) && surface_freeze(r) && saltation_moments(r) && tangent_magnitudes(r)) ||
            diagnostics_memory(r->messages)) &&
           formulation_clock_switches(r);
}

int formulation_open(struct formulation *r, struct system *y, struct source_messages *messages,
                     struct pool *pool) {
    int own = y->m->clock_of_equations;
    if (build(r, y, messages, pool)) return 1;
    if (!own || y->m->clock_of_equations) return 0;
    formulation_close(r); /* the equations have no clock of their own: steps go by t */
    return build(r, y, messages, pool);
}

static void close_map(struct formulation_map *map) {
    derive_free(&map->jacobian);
}

void formulation_close(struct formulation *r) {
    struct formulation_map *maps[] = {
        &r->f,         &r->algebraic, &r->hidden,   &r->energy,          &r->constraint,      &r->rolling,
        &r->invariant, &r->event,     &r->velocity, &r->quadratic_forms, &r->energy_of_forms, &r->original_f,
        &r->original_g};
    for (int k = 0; k < 13; k++) close_map(maps[k]);
    derive_free(&r->mass);
    distance_close(&r->distance);
    derive_close(&r->derive);
    free(r->place);
    free(r->definition);
    *r = (struct formulation){0};
}
