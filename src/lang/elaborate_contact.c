/* elaborate_contact.c - rigid contacts: gap >= 0, the sliding velocity, restitution and friction.
 *
 * The forces push (along the gap) and drag (along the sliding) are values that the run finds.  They stand in
 * the equations of motion, M q'' = F + gap_q push + sliding_v drag, as numbers that are given. */
#include "lang/elaborate_private.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

static const struct syntax_node *setting(const struct elaborate_line *line, const char *name) {
    for (const struct syntax_item *one = line->s->items->settings; one; one = one->next)
        if (strcmp(one->name, name) == 0) return one->value;
    return NULL;
}

/* Only positions and t in the gap; velocities, too, in the sliding velocity. */
static int allowed(struct elaborate *e, struct syntax_span where, expr value, int sliding) {
    struct expr_list list;
    int good = 1, found = 0;
    char name[120];
    if (expr_symbols(e->graph, 1, &value, &list)) return elaborate_out_of_memory(e);
    for (size_t i = 0; i < list.count && good; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        if (n.a == EXPR_PARAMETER || n.a == EXPR_TIME) continue;
        int order = (int)n.c, coord = n.a == EXPR_UNKNOWN && e->model->unknown[n.b].role == MODEL_COORD;
        if (coord && order == sliding) list.item[found++] = list.item[i];
        if (coord && order <= sliding) continue;
        model_name(e->model, list.item[i], name, sizeof name);
        source_hint(elaborate_error(e, where,
                                    "the %s of a contact uses %s and t only, and this one has `%s`.",
                                    sliding ? "sliding velocity" : "gap",
                                    sliding ? "positions, velocities" : "positions", name),
                    "%s", "Contacts act between what a lagrangian moves.");
        good = 0;
    }
    int linear = good && sliding && derive_degree(e->graph, value, found, list.item) == 1;
    free(list.item);
    if (!good) return 0;
    if (!found)
        elaborate_error(e, where, "the %s of this contact contains no %s.",
                        sliding ? "sliding velocity" : "gap", sliding ? "velocity" : "coordinate");
    else if (sliding && !linear)
        elaborate_error(e, where, "the sliding velocity is linear in the velocities, and this is not.");
    else return 1;
    return 0;
}

/* A number of parameters within its bounds; 0 where it is not given. */
static int coefficient(struct elaborate *e, const struct elaborate_line *line, const char *name, double most,
                       expr *out) {
    const struct syntax_node *node = setting(line, name);
    char other[120];
    expr symbol;
    *out = derive_zero(e->graph);
    if (!node) return 1;
    if (!elaborate_one(e, node, line->frame, name, out)) return 0;
    if (!elaborate_is_constant(e, *out, 0, &symbol)) {
        model_name(e->model, symbol, other, sizeof other);
        elaborate_error(e, node->span,
                        "the %s of a contact is a number of parameters, and this depends on `%s`.", name,
                        other);
        return 0;
    }
    double value = elaborate_number(e, *out);
    if (value >= 0 && value <= most) return 1;
    elaborate_error(e, node->span, "the %s of a contact is %s, and this is %g.", name,
                    most < 2 ? "between 0 and 1" : "not negative", value);
    return 0;
}

/* A force of the contact: a multiplier that is a held value. */
static int force_of(struct elaborate *e, const struct model_label *label, struct syntax_span where) {
    struct model *m = e->model;
    int before = m->multipliers, number = elaborate_multiplier(e, label, 0);
    if (number < 0) return -1;
    if (number < before) {
        elaborate_error(e, where, "`%.60s` is given twice.", label->text);
        return -1;
    }
    if (!elaborate_grow(e, &m->held, m->helds, &m->held_capacity, sizeof *m->held)) return -1;
    m->held[m->helds] =
        (struct model_held){expr_symbol(e->graph, EXPR_MULTIPLIER, (uint32_t)number, 0), SYNTAX_NOW, -1};
    m->multiplier[number].force = ++m->helds;
    return m->helds - 1;
}

static int fits(struct elaborate *e, const struct elaborate_line *line) {
    struct syntax_span word = {line->s->span.offset, 7};
    if (e->model->form == MODEL_LAGRANGIAN) return 1;
    source_hint(elaborate_error(e, word, "`contact` belongs to a lagrangian."),
                "Declare  coord q  and write  lagrangian T - V.");
    return 0;
}

/* What may not stand beside contacts, told once; the names of their forces are known all the same. */
static void look_beside(struct elaborate *e, const struct elaborate_line *line) {
    const struct model *m = e->model;
    struct syntax_span word = {line->s->span.offset, 7};
    if (m->modes > 1 || m->mode[0].name)
        source_hint(
            elaborate_error(e, word, "`contact` and `mode` do not go together."),
            "A contact opens, closes, sticks and slips by itself.  What else a mode would change let a "
            "variable change:  var on,  on' = 0,  event ... -> on := 1,  and  on  in the forces.");
    for (int i = 0; i < m->unknowns; i++) {
        const struct model_unknown *one = &m->unknown[i];
        if (one->role == MODEL_COORD || one->role == MODEL_MEMORY) continue;
        source_hint(
            elaborate_error(e, one->where,
                            "`%s` follows from equations, and beside contacts a variable has one for its "
                            "rate.",
                            one->label.text),
            "Write a circuit as currents and voltages with  i' = ..,  and  let  for what follows from "
            "them.");
        return;
    }
}

/* 1; 0: with a mistake, which was said. */
static int contact(struct elaborate *e, const struct elaborate_line *line) {
    struct model_mode *mode = &e->model->mode[e->mode];
    const struct syntax_item *item = line->s->items;
    const struct syntax_node *sliding = setting(line, "sliding");
    struct model_contact one = {.drag = -1, .where = item->name_span};
    struct model_shape given;
    if (e->mode > 0 && e->messages->errors) return 0; /* told in the first one */
    if (!fits(e, line) || !elaborate_bounds(e, item->bounds, line->frame, &given)) return 0;
    elaborate_label(e, item->name, given.rank, given.low, &one.label);
    if (mode->contacts == 0) look_beside(e, line);
    if (!one.label.text || !elaborate_one(e, line->s->left, line->frame, "a gap", &one.gap)) return 0;
    if (!allowed(e, line->s->left->span, one.gap, 0)) return 0;
    if (!coefficient(e, line, "restitution", 1, &one.restitution) ||
        !coefficient(e, line, "friction", 1e300, &one.friction))
        return 0;
    if (!sliding && setting(line, "friction")) {
        source_hint(elaborate_error(e, setting(line, "friction")->span,
                                    "friction needs the velocity against which it acts."),
                    "Write  contact NAME: gap, sliding = velocity, friction = mu.");
        return 0;
    }
    if (sliding && (!elaborate_one(e, sliding, line->frame, "a sliding velocity", &one.sliding) ||
                    (!e->messages->errors && !allowed(e, sliding->span, one.sliding, 1))))
        return 0;
    struct model_label drag;
    one.push = force_of(e, &one.label, item->name_span);
    elaborate_label(e, elaborate_format(e, "%s.friction", item->name), given.rank, given.low, &drag);
    if (one.push < 0 || !drag.text) return 0;
    if (sliding) one.drag = force_of(e, &drag, item->name_span);
    if (!elaborate_grow(e, &mode->contact, mode->contacts, &mode->contact_capacity, sizeof *mode->contact))
        return 0;
    mode->contact[mode->contacts++] = one;
    return 1;
}

void elaborate_contact(struct elaborate *e, const struct elaborate_line *line) {
    if (!contact(e, line)) e->without_force = 1;
}

/* A force may not depend on those of contacts, which depend on all forces. */
static int independent(struct elaborate *e, const struct model_mode *mode) {
    const struct motion *motion = &mode->motion;
    for (int k = 0; k < mode->contacts; k++)
        for (int j = 0; j < 2; j++) {
            int held = j ? mode->contact[k].drag : mode->contact[k].push;
            if (held < 0) continue;
            expr symbol = expr_symbol(e->graph, EXPR_HELD, (uint32_t)held, 0);
            for (int i = 0; i < motion->n; i++) {
                if (!expr_depends(e->graph, motion->force[i], 1, &symbol)) continue;
                char name[120];
                model_name(e->model, symbol, name, sizeof name);
                source_hint(elaborate_error(e, mode->contact[k].where,
                                            "a force depends on `%s`, the force of this contact.", name),
                            "Friction is  contact NAME: gap, sliding = velocity, friction = mu.");
                return 0;
            }
        }
    return 1;
}

void elaborate_contact_forces(struct elaborate *e, struct model_mode *mode) {
    struct motion *motion = &mode->motion;
    if (!mode->contacts || !independent(e, mode)) return;
    expr *slope = elaborate_take(e, ((size_t)motion->n + 1) * sizeof *slope);
    for (int k = 0; k < mode->contacts && slope; k++)
        for (int j = 0; j < 2; j++) {
            const struct model_contact *one = &mode->contact[k];
            int held = j ? one->drag : one->push;
            if (held < 0) continue;
            expr symbol = expr_symbol(e->graph, EXPR_HELD, (uint32_t)held, 0);
            if (derive_gradient(&e->derive, j ? one->sliding : one->gap, motion->n, j ? motion->v : motion->q,
                                slope)) {
                if (e->derive.obstacle == EXPR_NONE) elaborate_out_of_memory(e);
                else elaborate_error_nonsmooth(e, one->where, "twice ", " (a contact)");
                e->derive.obstacle = EXPR_NONE;
                return;
            }
            for (int i = 0; i < motion->n; i++)
                motion->force[i] =
                    derive_add(e->graph, motion->force[i], derive_mul(e->graph, symbol, slope[i]));
        }
}
