/* finite.c - see finite.h.  Each line is evaluated from its operands up, as far as its symbols have values;
 * the first operation that makes an infinity or a NaN of finite numbers is the one to name. */
#include "model/finite.h"

#include "base/text.h"
#include "lang/syntax_find.h"
#include "model/diagnostics.h"
#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>

struct finite {
    struct keel_model *m;
    struct inside_mode *mode;
    double t;
    const double *u;
    int derived; /* what is looked at is a derivative of the line */
    int guesses; /* algebraic variables count with their guesses */
    int told;
};

/* A node's value, whether there is one, and the operation below it that spoils it. */
struct part {
    double value;
    expr spoilt;
    int known;
};

static int value_of_symbol(const struct finite *f, expr symbol, double *out) {
    const struct model *model = f->m->model;
    const struct expr_node n = model->graph.node[symbol];
    const struct formulation *r = &f->mode->formulation;
    int place;
    switch ((enum expr_kind)n.a) {
    case EXPR_TIME:
        *out = f->t;
        return 1;
    case EXPR_PARAMETER:
        *out = f->m->parameter[n.b];
        return 1;
    case EXPR_HELD:
        *out = f->m->parameter[(uint32_t)model->parameters + n.b];
        return 1;
    case EXPR_SIDE:
        *out = f->m->parameter[model->parameters + model->helds + formulation_side_place(r, n.b)];
        return 1;
    default:
        place = formulation_find(r, symbol);
        if (place < 0 || (place >= r->n && !f->guesses)) return 0;
        *out = f->u[place];
        return 1;
    }
}

/* Of an `if` only the branch taken counts. */
static struct part choose(const struct part *part, const struct expr_node *n) {
    struct part condition = part[n->a];
    if (!condition.known || condition.spoilt) return condition;
    return part[condition.value != 0 ? n->b : n->c];
}

static struct part operate(const struct finite *f, const struct part *part, expr e) {
    const struct graph *g = &f->m->model->graph;
    const struct expr_node n = g->node[e];
    struct part out = {0, EXPR_NONE, 1};
    int operands = n.op == EXPR_POWI ? 1 : expr_operands((enum expr_op)n.op);
    if (n.op == EXPR_SYMBOL) {
        out.known = value_of_symbol(f, e, &out.value);
        return out;
    }
    if (expr_is_constant(g, e, &out.value)) return out;
    if (n.op == EXPR_IF) return choose(part, &n);
    for (int k = 0; k < operands; k++) {
        struct part operand = part[k ? n.b : n.a];
        if (operand.spoilt && !out.spoilt) out.spoilt = operand.spoilt;
        out.known &= operand.known;
    }
    if (!out.known || out.spoilt) return out;
    out.value = n.op == EXPR_POWI ? expr_integer_power(part[n.a].value, (int32_t)n.b)
                : table_is(n.op)
                    ? table_node_value(g, &n, part[n.a].value)
                    : expr_value((enum expr_op)n.op, part[n.a].value, operands > 1 ? part[n.b].value : 0);
    if (!isfinite(out.value)) out.spoilt = e;
    return out;
}

/* "x = 0, a = 1": what the operation was given. */
static void list_values(const struct finite *f, expr e, char *out, size_t capacity) {
    struct expr_list all;
    int told = 0;
    out[0] = '\0';
    if (expr_symbols(&f->m->model->graph, 1, &e, &all)) return;
    for (size_t k = 0; k < all.count && told < 4; k++) {
        char name[120];
        double value;
        if (!value_of_symbol(f, all.item[k], &value)) continue;
        model_name(f->m->model, all.item[k], name, sizeof name);
        text_add(out, capacity, "%s%.110s = %.10g", told++ ? ", " : ": ", name, value);
    }
    free(all.item);
}

static void check_value(struct finite *f, expr e, struct syntax_span where) {
    struct graph *g = &f->m->model->graph;
    struct expr_list all;
    if (e == EXPR_NONE || g->failed ||
        (where.length &&
         source_diagnosed_within(&f->m->messages, where.offset, where.offset + where.length - 1)))
        return;
    if (expr_order(g, 1, &e, &all)) return;
    struct part *part = expr_take(g, g->count, sizeof *part);
    for (size_t k = 0; k < all.count && part; k++) part[all.item[k]] = operate(f, part, all.item[k]);
    free(all.item);
    expr spoilt = part ? part[e].spoilt : EXPR_NONE;
    if (spoilt) {
        char text[120], values[200];
        diagnostics_print(&f->mode->system, spoilt, text, sizeof text);
        list_values(f, spoilt, values, sizeof values);
        struct source_message *one = source_diagnose(
            &f->m->messages, SOURCE_ERROR, where.length ? where.offset : SOURCE_NOWHERE, where.length,
            "`%s`%s is %s at the start%s.", text, f->derived ? ", a derivative of this line," : "",
            isnan(part[spoilt].value) ? "not a number" : "infinite", values);
        source_hint(
            one, f->guesses   ? "Write a `guess` for what the equations determine, where it has a value."
                 : f->derived ? "Start elsewhere, or write it so that it has a value there, without factors."
                              : "Start elsewhere, or write it so that it has a value there.");
        f->told++;
    }
    free(part);
}

static void look_at_rows(struct finite *f, const struct model_rows *rows) {
    for (int i = 0; i < rows->count; i++) check_value(f, rows->list[i].value, rows->list[i].where);
}

static struct syntax_span place_of_force(const struct finite *f, int j) {
    const struct model *model = f->m->model;
    struct syntax_span all = syntax_find_statement(model->file, SYNTAX_FORCE, model->unknown[j].label.base);
    return all.length ? all : syntax_find_statement(model->file, SYNTAX_FORCE, NULL);
}

/* The lines as they were written. */
static void look_at_lines(struct finite *f) {
    const struct model *model = f->m->model;
    const struct model_mode *mode = &model->mode[f->mode->system.mode];
    enum syntax_statement_kind kind =
        model->form == MODEL_LAGRANGIAN ? SYNTAX_LAGRANGIAN : SYNTAX_HAMILTONIAN;
    look_at_rows(f, &mode->equation);
    if (mode->function) check_value(f, mode->function, syntax_find_statement(model->file, kind, NULL));
    for (int j = 0; j < model->unknowns && mode->force; j++)
        if (mode->force[j]) check_value(f, mode->force[j], place_of_force(f, j));
    look_at_rows(f, &mode->constraint);
    look_at_rows(f, &mode->rolling);
    look_at_rows(f, &mode->invariant);
    for (int i = 0; i < mode->events; i++) check_value(f, mode->event[i].value, mode->event[i].where);
}

static void look_at_slopes(struct finite *f, const struct formulation_map *map,
                           const struct syntax_span *where, const struct model_rows *rows) {
    const struct derive_sparse *j = &map->jacobian;
    for (int i = 0; i < map->count && j->row_start; i++)
        for (int e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            check_value(f, j->value[e], rows ? rows->list[i].where : *where);
}

/* Motions stand in no line of their own: the lagrangian was looked at. */
static void look_at_equation(struct finite *f, int i, expr e) {
    const struct system_origin *o = &f->mode->system.origin[i];
    if (o->kind != SYSTEM_MOTION && o->kind != SYSTEM_MOMENTUM) check_value(f, e, o->where);
}

/* What was derived from them. */
static void look_at_derivatives(struct finite *f) {
    const struct formulation *r = &f->mode->formulation;
    const struct system *y = &f->mode->system;
    const struct model *model = f->m->model;
    const struct model_mode *mode = &model->mode[y->mode];
    struct syntax_span where = syntax_find_statement(
        model->file, model->form == MODEL_LAGRANGIAN ? SYNTAX_LAGRANGIAN : SYNTAX_HAMILTONIAN, NULL);
    int motion = (formulation_traits(r) & KEEL_SECOND_ORDER) != 0;
    for (int i = 0; i < r->f.count && motion; i++) check_value(f, r->f.value[i], where);
    if (r->energy.count) look_at_slopes(f, &r->energy, &where, NULL);
    for (int i = 0; i < y->s.n; i++) look_at_equation(f, y->s.row[i], y->s.top[i]);
    for (int i = 0; i < y->s.hiddens; i++) look_at_equation(f, y->s.hidden[i].equation, y->s.hidden[i].f);
    look_at_slopes(f, &r->constraint, NULL, &mode->constraint);
    if (r->invariant.count == mode->invariant.count) look_at_slopes(f, &r->invariant, NULL, &mode->invariant);
    struct syntax_span nowhere = {0, 0};
    for (int i = 0; i < r->f.count && !f->told; i++) check_value(f, r->f.value[i], nowhere);
    if (!f->told) look_at_slopes(f, &r->f, &nowhere, NULL);
}

int finite_tell(struct keel_model *m, int mode, double t, const double *u) {
    struct finite f = {.m = m, .mode = m->mode[mode], .t = t, .u = u};
    for (f.guesses = 0; f.guesses < 2 && !f.told; f.guesses++) {
        f.derived = 0;
        look_at_lines(&f);
        f.derived = 1;
        if (!f.told) look_at_derivatives(&f);
    }
    return f.told;
}
