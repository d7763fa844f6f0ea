/* elaborate_row.c - equations, constraints, invariants, outputs and forces: one row for each element. */
#include "lang/elaborate_private.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

static struct model_mode *mode_of(struct elaborate *e) {
    return &e->model->mode[e->mode];
}

/* lhs - rhs, where a number fills an array. */
static int difference(struct elaborate *e, const struct elaborate_line *line, struct elaborate_value *out) {
    struct elaborate_value a, b;
    int left = elaborate_node(e, line->s->left, line->frame, &a);
    if (!elaborate_node(e, line->s->right, line->frame, &b) || !left) return 0;
    if (a.shape.rank && b.shape.rank && !elaborate_same_extent(&a.shape, &b.shape)) {
        char one[80], other[80];
        elaborate_shape_text(&a.shape, one, sizeof one);
        elaborate_shape_text(&b.shape, other, sizeof other);
        elaborate_error(e, line->s->left->span,
                        "the sides of this equation have different shapes: %s and %s.", one, other);
        return 0;
    }
    if (!a.shape.rank && b.shape.rank &&
        line->s->left->kind == SYNTAX_REF) { /* x' = (1, 2), but not 0 = (x, y) */
        char other[80];
        elaborate_shape_text(&b.shape, other, sizeof other);
        elaborate_error(e, line->s->left->span,
                        "the left side of this equation is a number, and the right side is %s.", other);
        return 0;
    }
    if (!elaborate_new(e, a.shape.rank ? &a.shape : &b.shape, out)) return elaborate_out_of_memory(e);
    if (!out->shape.rank) out->one = derive_sub(e->graph, a.one, b.one);
    for (long i = 0; out->shape.rank && i < elaborate_count(out); i++)
        out->element[i] = derive_sub(e->graph, elaborate_at(&a, i), elaborate_at(&b, i));
    return !e->graph->failed || elaborate_out_of_memory(e);
}

/* One row named base[given][element]; an element named before in this list is refused. */
static struct model_row *add(struct elaborate *e, struct model_rows *rows, const struct model_label *label,
                             expr value, struct syntax_span where, int common) {
    int named = label->base[0] != '\0';
    int old = named ? elaborate_find_label(&rows->index, rows->list, sizeof *rows->list, label) : -1;
    if (!expr_spend(e->graph, EXPR_COST_VISIT)) return elaborate_stop(e), NULL;
    if (old >= 0) {
        source_hint(elaborate_error(e, where, "`%s` is given twice, first in %s.", label->text,
                                    elaborate_line_of(e, rows->list[old].where)),
                    "Give one of them another name.");
        return NULL;
    }
    if (!elaborate_grow(e, &rows->list, rows->count, &rows->capacity, sizeof *rows->list)) return NULL;
    struct model_row *row = &rows->list[rows->count++];
    *row = (struct model_row){
        .label = *label, .value = value, .multiplier = -1, .common = common, .where = where};
    if (named && !elaborate_enter_label(e, &rows->index, rows->list, sizeof *rows->list, rows->count))
        return NULL;
    return row;
}

/* The label of element `place` of a value that is named by an item. */
static int label_of(struct elaborate *e, const char *base, const struct model_shape *given,
                    const struct elaborate_value *v, const int *index, struct model_label *out) {
    int full[SYNTAX_INDICES] = {0}, rank = given->rank + v->shape.rank;
    if (rank > SYNTAX_INDICES) return elaborate_out_of_memory(e);
    for (int i = 0; i < rank; i++) full[i] = i < given->rank ? given->low[i] : index[i - given->rank];
    elaborate_label(e, base, rank, full, out);
    return out->text != NULL;
}

typedef void row_visit(struct elaborate *e, const struct elaborate_line *line, struct model_row *row);

static void add_all(struct elaborate *e, const struct elaborate_line *line, const struct syntax_item *item,
                    const struct elaborate_value *v, struct model_rows *rows, row_visit *visit) {
    struct model_shape given;
    struct model_label label;
    int index[SYNTAX_INDICES] = {0};
    if (!elaborate_bounds(e, item->bounds, line->frame, &given)) return;
    for (int i = 0; i < v->shape.rank; i++) index[i] = v->shape.low[i];
    for (long i = 0; i < elaborate_count(v); i++, elaborate_next(&v->shape, 0, index)) {
        if (!label_of(e, item->name, &given, v, index, &label)) return;
        expr value = elaborate_scaled(e, item, elaborate_at(v, i), 1); /* an output in units of its own */
        struct model_row *row = add(e, rows, &label, value, item->name_span, line->mode < 0);
        if (!row) return;
        row->unit = item->unit;
        if (visit) visit(e, line, row);
    }
}

static int add_force(struct elaborate *e, struct syntax_span where, expr target, expr value) {
    const struct model *m = e->model;
    const struct expr_node n = e->graph->node[target];
    struct model_mode *mode = mode_of(e);
    if (e->use && n.op == EXPR_CONSTANT) return 1; /* of a part on what cannot move, as the ground */
    if (n.op != EXPR_SYMBOL || n.a != EXPR_UNKNOWN || n.c || m->unknown[n.b].role == MODEL_VAR ||
        m->unknown[n.b].role == MODEL_MOMENTUM) {
        source_hint(elaborate_error(e, where, "a force acts on a coordinate, and this is none."),
                    "Write  force q: expr  with the name of a `coord`, or the first name of a `canonical`.");
        return 0;
    }
    if (!mode->force) mode->force = elaborate_take(e, ((size_t)m->unknowns + 1) * sizeof *mode->force);
    if (!mode->force) return 0;
    expr sum = mode->force[n.b];
    mode->force[n.b] = sum == EXPR_NONE ? value : expr_make(e->graph, EXPR_ADD, sum, value, 0);
    return 1;
}

/* Equations ------------------------------------------------------------------------------------------ */

/* Every equation must say something about a `var`: those of coordinates are derived. */
static int about_a_var(struct elaborate *e, const struct elaborate_line *line, expr value) {
    const struct model *m = e->model;
    struct expr_list list;
    int vars = 0, others = -1;
    if (expr_symbols(e->graph, 1, &value, &list)) return elaborate_out_of_memory(e);
    for (size_t i = 0; i < list.count; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        if (n.a != EXPR_UNKNOWN) continue;
        const struct model_unknown *u = &m->unknown[n.b];
        if (u->role == MODEL_VAR && u->poisson < 0) vars++;
        else others = (int)n.b;
    }
    free(list.item);
    if (vars) return 1;
    if (others < 0) {
        source_hint(elaborate_error(e, line->s->left->span, "this equation contains no unknown."),
                    "A parameter is set by  param a = 1,  a name for an expression by  let.");
        return 0;
    }
    if (e->misfit) return 0;
    const struct model_unknown *u = &m->unknown[others];
    const char *word = m->form == MODEL_POISSON ? "structure"
                       : u->role == MODEL_COORD ? "coord"
                                                : "canonical";
    source_hint(
        elaborate_error(e, line->s->left->span,
                        "this is an equation for `%s`, whose equation is derived already (`%s`, %s).",
                        u->label.text, word, elaborate_line_of(e, u->where)),
        "Add a term with  force %.40s: expr,  restrict the motion with  constraint NAME: ...,  or declare "
        "it as `var` and give all its equations.",
        u->label.text);
    return 0;
}

struct model_row *elaborate_add_equation(struct elaborate *e, expr value, const char *place,
                                         struct syntax_span where, int common) {
    struct model_label none = {.text = place, .base = ""};
    return add(e, &mode_of(e)->equation, &none, value, where, common);
}

void elaborate_equation(struct elaborate *e, const struct elaborate_line *line) {
    struct elaborate_value v;
    if (!difference(e, line, &v)) return;
    const char *place = e->use ? elaborate_text(e, "in ", e->use->instance) : "";
    if (!place) return;
    for (long i = 0; i < elaborate_count(&v); i++) {
        expr value = elaborate_at(&v, i), target, rate;
        if (!elaborate_memory_rate(e, line, value, &target, &rate)) return;
        if (target != EXPR_NONE) {
            if (!add_force(e, line->s->span, target, rate)) return;
            continue;
        }
        if (!about_a_var(e, line, value)) return;
        if (!elaborate_add_equation(e, value, place, line->s->span, line->mode < 0)) return;
    }
}

/* Constraints ---------------------------------------------------------------------------------------- */

static int refuse(struct elaborate *e, const struct elaborate_line *line, expr symbol, const char *why,
                  const char *hint) {
    char name[120];
    model_name(e->model, symbol, name, sizeof name);
    source_hint(elaborate_error(e, line->s->left->span, "%s, and this one has `%s`.", why, name), "%s", hint);
    return 0;
}

/* Holonomic: positions and t.  Rolling: linear in the velocities too. */
static int allowed(struct elaborate *e, const struct elaborate_line *line, expr value, int rolling) {
    struct expr_list list;
    int good = 1, positions = 0, velocities = 0;
    if (expr_symbols(e->graph, 1, &value, &list)) return elaborate_out_of_memory(e);
    for (size_t i = 0; i < list.count && good; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        if (n.a == EXPR_PARAMETER || n.a == EXPR_TIME) continue;
        enum model_role role = n.a == EXPR_UNKNOWN ? e->model->unknown[n.b].role : MODEL_VAR;
        int position = role == MODEL_COORD || role == MODEL_POSITION;
        positions += position;
        if (role == MODEL_COORD && n.c == 1) list.item[velocities++] = list.item[i];
        if (!position)
            good = refuse(e, line, list.item[i], "a constraint uses positions and t only",
                          "An equation with other unknowns stands without the word `constraint`.");
        else if (n.c > 0 && !rolling)
            good = refuse(e, line, list.item[i], "a constraint uses positions and t only",
                          "One that is linear in velocities and cannot be integrated is  rolling NAME: ...");
        else if (n.c > 1)
            good = refuse(e, line, list.item[i], "a rolling constraint is linear in velocities",
                          "Leave accelerations out.");
    }
    int linear = good && rolling && derive_degree(e->graph, value, velocities, list.item) == 1;
    free(list.item);
    if (good && !positions) {
        elaborate_error(e, line->s->left->span, "this constraint contains no coordinate.");
        return 0;
    }
    if (good && rolling && !linear) {
        elaborate_error(e, line->s->left->span,
                        "a rolling constraint is linear in the velocities, and this is not.");
        return 0;
    }
    return good;
}

int elaborate_multiplier(struct elaborate *e, const struct model_label *label, int rolling) {
    struct model *m = e->model;
    const size_t size = sizeof *m->multiplier;
    int number = elaborate_find_label(&m->multiplier_index, m->multiplier, size, label);
    if (number >= 0) return number;
    if (!elaborate_grow(e, &m->multiplier, m->multipliers, &m->multiplier_capacity, sizeof *m->multiplier))
        return -1;
    m->multiplier[m->multipliers++] = (struct model_multiplier){.label = *label, .rolling = rolling};
    elaborate_enter_label(e, &m->multiplier_index, m->multiplier, size, m->multipliers);
    return m->multipliers - 1;
}

static void find_multiplier(struct elaborate *e, const struct elaborate_line *line, struct model_row *row) {
    row->multiplier = elaborate_multiplier(e, &row->label, line->s->kind == SYNTAX_ROLLING);
}

void elaborate_constraint(struct elaborate *e, const struct elaborate_line *line) {
    int rolling = line->s->kind == SYNTAX_ROLLING;
    struct model_mode *mode = mode_of(e);
    struct model_rows *rows = rolling ? &mode->rolling : &mode->constraint;
    const struct model_rows *others = rolling ? &mode->constraint : &mode->rolling;
    enum model_form form = e->model->form;
    struct elaborate_value v;
    if (form == MODEL_EQUATIONS || form == MODEL_POISSON || (rolling && form != MODEL_LAGRANGIAN)) {
        struct syntax_span word = {line->s->span.offset, rolling ? 7 : 10};
        source_hint(elaborate_error(e, word, "`%s` belongs to a %s.", rolling ? "rolling" : "constraint",
                                    rolling ? "lagrangian" : "lagrangian or a hamiltonian with `canonical`"),
                    "In a model of `var`s write the equation alone, and its multiplier where it acts:  x'' = "
                    "-lam*x.");
        return;
    }
    if (!difference(e, line, &v)) return;
    for (long i = 0; i < elaborate_count(&v); i++)
        if (!allowed(e, line, elaborate_at(&v, i), rolling)) return;
    if (!expr_spend(e->graph, EXPR_COST_VISIT * (double)others->count)) {
        elaborate_stop(e);
        return;
    }
    for (int i = 0; i < others->count; i++)
        if (strcmp(others->list[i].label.base, line->s->items->name) == 0) {
            elaborate_error(e, line->s->items->name_span, "`%.40s` is given twice, first in %s.",
                            line->s->items->name, elaborate_line_of(e, others->list[i].where));
            return;
        }
    add_all(e, line, line->s->items, &v, rows, find_multiplier);
}

/* Invariants, outputs, forces ------------------------------------------------------------------------ */

void elaborate_invariant(struct elaborate *e, const struct elaborate_line *line) {
    const struct syntax_item *item = line->s->items;
    struct elaborate_value v;
    if (item->value && strcmp(item->name, "energy") == 0 && elaborate_derives_energy(e)) {
        source_hint(elaborate_error(e, item->name_span,
                                    "`energy` stands for the one that the lagrangian or hamiltonian gives."),
                    "Write  invariant energy  alone, or give your expression another name.");
        return;
    }
    if (item->value) {
        if (!elaborate_node(e, item->value, line->frame, &v)) return;
    } else {
        v = elaborate_scalar(elaborate_energy(e, item->name_span));
        if (v.one == EXPR_NONE) return;
        mode_of(e)->keeps_energy = 1;
    }
    add_all(e, line, item, &v, &mode_of(e)->invariant, NULL);
}

void elaborate_output(struct elaborate *e, const struct elaborate_line *line) {
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        const struct elaborate_name *name = elaborate_find(e, item->name);
        struct elaborate_value v;
        if (name && name->kind == ELABORATE_UNKNOWN) {
            source_hint(elaborate_error(e, item->name_span,
                                        "`%.40s` is an unknown (%s) and has its column already.", item->name,
                                        elaborate_line_of(e, name->where)),
                        "Give the output another name.");
            continue;
        }
        if (elaborate_node(e, item->value, line->frame, &v))
            add_all(e, line, item, &v, &mode_of(e)->output, NULL);
    }
}

void elaborate_force(struct elaborate *e, const struct elaborate_line *line) {
    const struct syntax_item *item = line->s->items;
    struct elaborate_value target, v;
    if (!elaborate_reference(e, item->target, line->frame, &target)) return;
    if (!elaborate_node(e, item->value, line->frame, &v)) return;
    if (v.shape.rank && !elaborate_same_extent(&v.shape, &target.shape)) {
        elaborate_error(e, item->value->span, "the force has another shape than what it acts on.");
        return;
    }
    for (long i = 0; i < elaborate_count(&target); i++)
        if (!add_force(e, item->target->span, elaborate_at(&target, i), elaborate_at(&v, i))) return;
}
