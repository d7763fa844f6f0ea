/* system.c - see system.h. */
#include "model/system.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"
#include "model/diagnostics.h"
#include "model/factor.h"
#include "model/loops.h"
#include "model/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct model_mode *mode_of(const struct system *y) {
    return &y->m->mode[y->mode];
}

int system_line(const struct system *y, struct syntax_span where) {
    return where.length ? source_place(y->source, where.offset).line : 0;
}

void system_label(const struct system *y, int i, int order, char *out, size_t capacity) {
    const struct system_origin *o = &y->origin[i];
    const struct model_mode *mode = mode_of(y);
    char name[200];
    out[0] = '\0';
    if (order == 1) text_set(out, capacity, "d/dt ");
    else if (order > 1) text_set(out, capacity, "d%d/dt%d ", order, order);
    switch (o->kind) {
    case SYSTEM_CONSTRAINT:
        text_add(out, capacity, "%s", mode->constraint.list[o->number].label.text);
        break;
    case SYSTEM_ROLLING:
        text_add(out, capacity, "%s", mode->rolling.list[o->number].label.text);
        break;
    case SYSTEM_EQUATION:
        source_line(y->source, o->where.offset, name, sizeof name);
        text_add(out, capacity, "%s", o->where.length ? name : "line 0");
        if (o->place[0]) text_add(out, capacity, " %s", o->place);
        if (o->copies > 1) text_add(out, capacity, " (%d)", o->copy);
        break;
    case SYSTEM_MOTION:
    case SYSTEM_MOMENTUM:
        model_name(y->m, o->kind == SYSTEM_MOTION ? mode->motion.q[o->number] : mode->motion.v[o->number],
                   name, sizeof name);
        text_add(out, capacity, "motion of %s", name);
        break;
    case SYSTEM_TANGENT:
        name[0] = '\0';
        if (o->number >= 0) system_label(y, o->number, 0, name, sizeof name);
        text_add(out, capacity, "d/d%s %s", y->m->direction[o->copy - 1].name, name);
        break;
    }
}

int system_unknown(const struct system *y, expr symbol) {
    const struct expr_node *n = &y->m->graph.node[symbol];
    if (n->op != EXPR_SYMBOL) return -1;
    if (n->a == EXPR_UNKNOWN) return (int)n->b;
    return n->a == EXPR_MULTIPLIER ? y->number_of[n->b] - 1 : -1;
}

void system_name(const struct system *y, expr symbol, char *out, size_t capacity) {
    const struct expr_node n = y->m->graph.node[symbol];
    int j = system_unknown(y, symbol);
    for (int k = n.c > 0 && j >= 0 && y->alias_of ? y->alias_of[j] - 1 : -1; k >= 0;
         k = y->alias_next[k] - 1) {
        if (y->s.alias[k].order != (int)n.c) continue;
        model_name(y->m, y->unknown[k], out, capacity);
        return;
    }
    model_name(y->m, symbol, out, capacity);
}

/* e with some multipliers put to 0: those whose constraint the mode lacks, or those that were left out. */
static expr without_multipliers(const struct system *y, expr e, const unsigned char *flag, int gone) {
    struct graph *g = &y->m->graph;
    struct expr_list all;
    if (e == EXPR_NONE || y->m->multipliers == 0) return e;
    if (expr_symbols(g, 1, &e, &all)) return EXPR_NONE;
    size_t count = 0;
    expr zero = derive_zero(g), *to = expr_take(g, all.count, sizeof *to);
    for (size_t k = 0; k < all.count && to; k++) {
        const struct expr_node *n = &g->node[all.item[k]];
        if (n->a != EXPR_MULTIPLIER || flag[n->b] != gone) continue;
        all.item[count] = all.item[k];
        to[count++] = zero;
    }
    int failed = !to || (count && expr_substitute(g, 1, &e, count, all.item, to, &e));
    free(to);
    free(all.item);
    return failed ? EXPR_NONE : e;
}

expr system_expression(const struct system *y, expr e) {
    return without_multipliers(y, e, y->there, 0);
}

/* The equations ---------------------------------------------------------------------------------------- */

static void add(struct system *y, expr f, enum system_kind kind, int number, struct syntax_span where) {
    const char *place = kind == SYSTEM_EQUATION ? mode_of(y)->equation.list[number].label.text : "";
    y->origin[y->equations] = (struct system_origin){kind, number, 1, 1, place, where};
    y->equation[y->equations++] = f;
}

static int by_place(const void *a, const void *b) {
    const struct system_origin *x = *(struct system_origin *const *)a, *y = *(struct system_origin *const *)b;
    if (x->where.offset != y->where.offset) return x->where.offset < y->where.offset ? -1 : 1;
    int parts = strcmp(x->place, y->place);
    if (parts != 0) return parts;
    return (x->number > y->number) - (x->number < y->number);
}

static int alike(const struct system_origin *a, const struct system_origin *b) {
    return a->where.offset == b->where.offset && strcmp(a->place, b->place) == 0;
}

/* Equations that one line gives, of one part, are counted: line 7 (2).  A loop of several lines gives them in
 * turns.  1, or 0 without memory. */
static int count_copies(struct system *y) {
    struct system_origin **written = expr_take(&y->m->graph, (size_t)y->equations + 1, sizeof *written);
    int count = 0;
    if (!written) return 0;
    for (int i = 0; i < y->equations; i++)
        if (y->origin[i].kind == SYSTEM_EQUATION) written[count++] = &y->origin[i];
    qsort(written, (size_t)count, sizeof(struct system_origin *), by_place);
    for (int from = 0, end; from < count; from = end) {
        for (end = from; end < count && alike(written[end], written[from]); end++)
            written[end]->copy = end - from + 1;
        for (int k = from; k < end; k++) written[k]->copies = end - from;
    }
    free(written);
    return 1;
}

static void add_unknown(struct system *y, expr symbol) {
    y->unknown[y->unknowns++] = symbol;
}

static void add_multipliers(struct system *y, const struct model_rows *rows) {
    struct graph *g = &y->m->graph;
    for (int i = 0; i < rows->count; i++) {
        int k = rows->list[i].multiplier;
        y->there[k] = 1;
        if (y->left_out[k]) continue;
        y->multiplier[k] = expr_symbol(g, EXPR_MULTIPLIER, (uint32_t)k, 0);
        add_unknown(y, y->multiplier[k]);
        y->number_of[k] = y->unknowns;
    }
}

/* The multipliers in the order of the rows of G, 0 where a row was left out. */
static expr *multipliers_of_rows(const struct system *y, struct pool *pool) {
    const struct model_mode *mode = mode_of(y);
    int holonomic = mode->constraint.count, rows = holonomic + mode->rolling.count;
    expr *list = pool_take(pool, ((size_t)rows + 1) * sizeof *list);
    for (int i = 0; i < rows && list; i++)
        list[i] = y->multiplier[i < holonomic ? mode->constraint.list[i].multiplier
                                              : mode->rolling.list[i - holonomic].multiplier];
    return list;
}

static void add_motion(struct system *y, struct derive *d, const expr *multiplier) {
    const struct model_mode *mode = mode_of(y);
    const struct motion *motion = &mode->motion;
    for (int i = 0; i < motion->n; i++) {
        expr q = motion->q[i];
        struct syntax_span where = y->m->unknown[y->m->graph.node[q].b].where;
        add(y, motion_equation(motion, d, i, multiplier), SYSTEM_MOTION, i, where);
        if (y->m->form == MODEL_HAMILTONIAN)
            add(y, motion_equation_momentum(motion, d, i, multiplier), SYSTEM_MOMENTUM, i, where);
    }
}

static int collect(struct system *y, struct pool *pool) {
    struct model *m = y->m;
    const struct model_mode *mode = mode_of(y);
    struct derive d;
    if (!expr_spend(&m->graph, EXPR_COST_VISIT * ((double)m->unknowns + m->multipliers))) return 0;
    size_t rows =
        (size_t)(mode->equation.count + 2 * mode->motion.n + mode->constraint.count + mode->rolling.count);
    size_t columns = (size_t)m->unknowns + (size_t)m->multipliers;
    rows += tangent_count(m, rows);
    y->equations = y->unknowns = 0;
    y->equation = pool_take(pool, (rows + 1) * sizeof *y->equation);
    y->origin = pool_take(pool, (rows + 1) * sizeof *y->origin);
    y->unknown = pool_take(pool, (columns + 1) * sizeof *y->unknown);
    y->multiplier = pool_take(pool, ((size_t)m->multipliers + 1) * sizeof *y->multiplier);
    y->number_of = pool_take(pool, ((size_t)m->multipliers + 1) * sizeof *y->number_of);
    if (pool->refused) return 0;
    for (int k = 0; k < m->multipliers; k++) y->multiplier[k] = derive_zero(&m->graph);
    for (int j = 0; j < m->unknowns; j++)
        add_unknown(y, expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)j, 0));
    add_multipliers(y, &mode->constraint);
    add_multipliers(y, &mode->rolling);
    const expr *multiplier = multipliers_of_rows(y, pool);
    if (!multiplier) return 0;
    for (int i = 0; i < mode->equation.count; i++)
        add(y, mode->equation.list[i].value, SYSTEM_EQUATION, i, mode->equation.list[i].where);
    derive_open(&d, &m->graph, DERIVE_NONE);
    add_motion(y, &d, multiplier);
    derive_close(&d);
    for (int i = 0; i < mode->constraint.count; i++)
        if (!y->left_out[mode->constraint.list[i].multiplier])
            add(y, mode->constraint.list[i].value, SYSTEM_CONSTRAINT, i, mode->constraint.list[i].where);
    for (int i = 0; i < mode->rolling.count; i++)
        if (!y->left_out[mode->rolling.list[i].multiplier])
            add(y, mode->rolling.list[i].value, SYSTEM_ROLLING, i, mode->rolling.list[i].where);
    for (int i = 0; i < y->equations; i++)
        y->equation[i] = without_multipliers(y, system_expression(y, y->equation[i]), y->left_out, 1);
    return count_copies(y) && !m->graph.failed;
}

/* Products among the equations, by the factor that is zero at the start; with several modes the start does
 * not tell which.  The first time with a warning. */
static int take_factors(struct system *y, struct source_messages *messages, int first) {
    for (int i = 0; i < y->equations && y->m->modes == 1 && y->m->groups < 2; i++) {
        if (y->origin[i].kind != SYSTEM_EQUATION) continue;
        expr factor = factor_of_equation(y, y->equation[i]);
        if (factor == EXPR_NONE) return 0;
        expr doubt = factor == y->equation[i] && first ? factor_in_doubt(y, factor) : EXPR_NONE;
        if (factor != y->equation[i] && first) diagnostics_factor(y, messages, i, factor);
        if (doubt != EXPR_NONE) diagnostics_factor_in_doubt(y, messages, i, doubt);
        y->equation[i] = factor;
    }
    return 1;
}

/* The analysis ------------------------------------------------------------------------------------------ */

/* What `init`, `guess` and scales say of each unknown, 1 where they are silent. */
static double *nominal_values(struct system *y, struct pool *pool) {
    struct model *m = y->m;
    double *nominal = pool_take(pool, ((size_t)y->unknowns + 1) * sizeof *nominal);
    const struct model_givens *lists[] = {&m->guess, &m->init};
    for (int j = 0; j < y->unknowns && nominal; j++) nominal[j] = 1;
    for (int l = 0; l < 2 && nominal; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            const struct model_given *one = &lists[l]->list[k];
            int j = one->target == EXPR_NONE ? -1 : system_unknown(y, one->target);
            if (j < 0 || m->graph.node[one->target].c != 0) continue;
            double value = model_number(m, one->value, y->t0);
            if (value == value) nominal[j] = value;
        }
    for (int k = 0; k < m->scale.count && nominal; k++) { /* a size says more than an accidental start */
        const struct model_given *one = &m->scale.list[k];
        int j = system_unknown(y, one->target);
        double value = model_number(m, one->value, y->t0);
        if (j < 0 || m->graph.node[one->target].c != 0 || !(value > 0) || isinf(value)) continue;
        if (fabs(nominal[j]) < value) nominal[j] = nominal[j] < 0 ? -value : value;
    }
    return nominal;
}

static int analyse(struct system *y, struct pool *pool) {
    struct model *m = y->m;
    double *parameter = pool_take(pool, ((size_t)m->parameters + 1) * sizeof *parameter);
    struct structure_value *chosen = pool_take(pool, ((size_t)m->init.count + 1) * sizeof *chosen);
    const double *nominal = nominal_values(y, pool);
    int chosens = 0, *like = pool_take(pool, ((size_t)y->equations + 1) * sizeof *like);
    if (pool->refused) return 0;
    for (int i = 0; i < y->equations; i++) { /* x'' = z is how x moves, and no name of z */
        enum system_kind kind = y->origin[i].kind;
        int moves = kind == SYSTEM_MOTION && m->form == MODEL_LAGRANGIAN; /* of Hamilton's, q' = p names q' */
        like[i] = kind == SYSTEM_TANGENT ? y->origin[i].number : moves ? i : -1;
    }
    for (int i = 0; i < m->parameters; i++) parameter[i] = m->parameter[i].number;
    for (int k = 0; k < m->init.count; k++) {
        expr target = m->init.list[k].target;
        int j = target == EXPR_NONE ? -1 : system_unknown(y, target);
        if (j >= 0) chosen[chosens++] = (struct structure_value){j, (int)m->graph.node[target].c};
    }
    struct structure_problem p = {&m->graph,  y->equations,  y->unknowns, y->equation,
                                  y->unknown, m->parameters, parameter,   nominal,
                                  like,       chosens,       chosen};
    structure_analyse(&y->s, &p);
    return 1;
}

/* Notes that equation equivalent->equation follows from its equivalents. */
static void note_superfluous(struct system *y, const struct structure_equivalent *equivalent,
                             struct pool *pool) {
    char name[220], others[400] = "";
    system_label(y, equivalent->equation, 0, name, sizeof name);
    for (int k = 0; k < equivalent->equivalents; k++) {
        char one[220];
        system_label(y, equivalent->equivalent[k], 0, one, sizeof one);
        text_add(others, sizeof others, "%s%s", k ? ", " : "", one);
    }
    if (equivalent->equivalents == 0) text_set(others, sizeof others, "no other: it says 0 = 0");
    y->superfluous[2 * y->redundants] = pool_copy(pool, name, strlen(name));
    y->superfluous[2 * y->redundants + 1] = pool_copy(pool, others, strlen(others));
    y->redundants++;
}

/* Constraints that the analysis found superfluous go with their multipliers.  How many. */
static int leave_out(struct system *y, struct source_messages *messages, struct pool *pool) {
    const struct model_mode *mode = mode_of(y);
    int count = 0;
    for (int k = 0; k < y->s.redundants; k++) {
        const struct structure_equivalent *equivalent = &y->s.redundant[k];
        const struct system_origin *o = &y->origin[equivalent->equation];
        if (equivalent->contradicts || (o->kind != SYSTEM_CONSTRAINT && o->kind != SYSTEM_ROLLING)) continue;
        const struct model_rows *rows = o->kind == SYSTEM_CONSTRAINT ? &mode->constraint : &mode->rolling;
        y->left_out[rows->list[o->number].multiplier] = 1;
        int by_rule = equivalent->equivalents > 0 && strchr(rows->list[o->number].label.base, '.') != NULL;
        if (!by_rule) /* as it is in closed loops of parts */
            diagnostics_redundant(y, messages, equivalent);
        note_superfluous(y, equivalent, pool);
        count++;
    }
    return count;
}

/* Constraints that depend on others where all of them hold go from the analysis; the motion keeps them.  How
 * many; -1 without memory. */
static int leave_loops(struct system *y, struct pool *pool) {
    const struct model_mode *mode = mode_of(y);
    unsigned char *dependent = pool_take(pool, (size_t)mode->constraint.count + 1);
    int count = dependent ? loops_dependent(y, dependent, &y->gap, pool) : -1;
    for (int i = 0; i < mode->constraint.count && count > 0; i++) {
        const struct model_row *row = &mode->constraint.list[i];
        if (!dependent[i] || y->left_out[row->multiplier]) continue;
        y->left_out[row->multiplier] = 1;
        y->superfluous[2 * y->redundants] = row->label.text;
        y->superfluous[2 * y->redundants++ + 1] = "the constraints before it, where these hold";
    }
    return count;
}

/* Who is a derivative of whom, the first one first. */
static int index_aliases(struct system *y, struct pool *pool) {
    size_t bytes = ((size_t)y->unknowns + 1) * sizeof *y->alias_of;
    if (!y->s.alias) return 1;
    y->alias_of = pool_take(pool, bytes);
    y->alias_next = pool_take(pool, bytes);
    if (!y->alias_of || !y->alias_next) return 0;
    for (int k = y->m->unknowns - 1; k >= 0; k--) {
        int j = y->s.alias[k].unknown;
        if (j == k) continue;
        y->alias_next[k] = y->alias_of[j];
        y->alias_of[j] = k + 1;
    }
    return 1;
}

int system_open(struct system *y, struct model *m, int mode, double t0, const struct source *source,
                struct source_messages *messages, struct pool *pool) {
    *y = (struct system){.m = m, .source = source, .mode = mode, .t0 = t0, .gap = {.row = -1}};
    y->left_out = pool_take(pool, (size_t)m->multipliers + 1);
    y->there = pool_take(pool, (size_t)m->multipliers + 1);
    y->superfluous = pool_take(pool, 2 * ((size_t)m->multipliers + 1) * sizeof *y->superfluous);
    int looked = 0; /* for closed loops */
    for (int first = 1;; first = 0) {
        if (pool->refused || !collect(y, pool) || !take_factors(y, messages, first))
            return diagnostics_memory(messages);
        if (!tangent_equations(y, messages)) return messages->errors ? 0 : diagnostics_memory(messages);
        if (!analyse(y, pool) || !index_aliases(y, pool)) return diagnostics_memory(messages);
        if (y->s.verdict != STRUCTURE_SINGULAR) break;
        if (!leave_out(y, messages, pool)) {
            int loops = looked ? 0 : leave_loops(y, pool);
            if (loops < 0) return diagnostics_memory(messages);
            if (!loops) break;
            looked = 1;
        }
        structure_close(&y->s);
    }
    return y->s.verdict == STRUCTURE_OK || diagnostics_structure(y, messages);
}

void system_close(struct system *y) {
    structure_close(&y->s);
}
