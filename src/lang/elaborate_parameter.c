/* elaborate_parameter.c - parameters: symbols with expressions of earlier ones behind them, the numbers these
 * have, and --set.  A parameter is numbered after all that it is computed from, so one pass in order renews
 * them all. */
#include "lang/elaborate_private.h"

#include "base/text.h"
#include "lang/parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers -------------------------------------------------------------------------------------------- */

double elaborate_number(struct elaborate *e, expr value) {
    return model_number(e->model, value, NAN);
}

int elaborate_is_constant(struct elaborate *e, expr value, int time_too, expr *other) {
    struct expr_list list;
    int good = 1;
    *other = EXPR_NONE;
    if (expr_symbols(e->graph, 1, &value, &list)) return 0;
    for (size_t i = 0; i < list.count && good; i++) {
        uint32_t kind = e->graph->node[list.item[i]].a;
        if (kind == EXPR_PARAMETER || (time_too && kind == EXPR_TIME)) continue;
        *other = list.item[i];
        good = 0;
    }
    free(list.item);
    return good;
}

void elaborate_structural(struct elaborate *e, expr value) {
    struct expr_list list;
    if (expr_symbols(e->graph, 1, &value, &list)) return;
    for (size_t i = 0; i < list.count; i++) {
        struct model_parameter *p = &e->model->parameter[e->graph->node[list.item[i]].b];
        if (p->structural) continue;
        p->structural = 1;
        elaborate_structural(e, p->value);
    }
    free(list.item);
}

/* --set ---------------------------------------------------------------------------------------------- */

/* The elements that a setting of this name names, replaced.  -1: it does not name any; 0: wrong. */
static int apply(struct elaborate *e, struct elaborate_setting *one,
                 const struct elaborate_definition *definition, const struct model_shape *shape,
                 expr *element) {
    struct elaborate_value all = {.shape = *shape, .element = element}, to, from;
    const struct syntax_node *target = one->target;
    int index[SYNTAX_INDICES] = {0}, box = definition->box.rank, fixed = 0;
    long place;
    if (!elaborate_indices(e, target, NULL, index)) return 0;
    if (definition->item)
        for (const struct syntax_range *r = definition->item->bounds; r; r = r->next)
            fixed += r->high == NULL;
    if (fixed) { /* x[1] defined on its own: its indices choose the definition */
        for (int i = 0; i < box && i < target->count; i++)
            if (index[i] != definition->box.low[i]) return -1;
        if (target->count < box) return -1;
    } else box = 0;
    int count = target->count - box;
    if (count > shape->rank || !elaborate_place(shape, count, index + box, &place)) {
        elaborate_error(e, target->span, "the parameter `%s` has no such element.", target->text);
        return 0;
    }
    if (!elaborate_node(e, one->value, NULL, &from)) return 0;
    if (!shape->rank) to = elaborate_scalar(element[0]);
    else elaborate_index(e, &all, count, index + box, &to);
    if (from.shape.rank && !elaborate_same_extent(&from.shape, &to.shape)) {
        elaborate_error(e, target->span, "the value has another shape than the parameter.");
        return 0;
    }
    long size = elaborate_count(&to);
    for (long i = 0; i < size; i++) element[place * size + i] = elaborate_at(&from, i);
    one->used = 1;
    return 1;
}

/* All settings on the elements of one definition.  Their messages, which are not about the model's text, go
 * to the model as a whole, with the setting in front. */
static int apply_all(struct elaborate *e, const struct elaborate_definition *definition,
                     const struct model_shape *shape, expr *element) {
    for (struct elaborate_setting *one = definition->name->setting; one; one = one->next) {
        struct source_messages own = {0}, *before = e->messages;
        e->messages = &own;
        int good = apply(e, one, definition, shape, element);
        e->messages = before;
        if (good != 0) continue;
        source_diagnose(before, SOURCE_ERROR, SOURCE_NOWHERE, 0, "--set %.80s: %.200s", one->text,
                        own.count ? own.list[0].sentence : "its value could not be found.");
        one->used = 1;
        return 0;
    }
    return 1;
}

static const struct syntax_node *parse_part(struct elaborate *e, const char *text, size_t length,
                                            struct source_messages *m) {
    while (length && text[0] == ' ') text++, length--; /* an indented first line is refused */
    char *copy = pool_copy(e->pool, text, length);
    struct source s = {"--set", copy, length, 0};
    return copy ? parser_run_expression(&s, m, e->pool) : NULL;
}

/* Each name has its own list: a model may have as many parameters as unknowns. */
static void settings_by_name(struct elaborate *e) {
    for (struct elaborate_name *name = e->names; name; name = name->next) name->setting = NULL;
    for (int i = e->settings - 1; i >= 0; i--) {
        struct elaborate_setting *one = &e->setting[i];
        one->next = one->name->setting;
        one->name->setting = one;
    }
}

int elaborate_settings(struct elaborate *e, int count, const char *const *set, char *message,
                       size_t capacity) {
    e->settings = 0;
    e->setting = elaborate_take(e, (size_t)(count + 1) * sizeof *e->setting);
    for (int i = 0; i < count && e->setting; i++) {
        struct source_messages own = {0};
        const char *equals = strchr(set[i], '=');
        struct elaborate_setting one = {.text = pool_copy(e->pool, set[i], strlen(set[i]))};
        if (equals) {
            one.target = parse_part(e, set[i], (size_t)(equals - set[i]), &own);
            if (one.target) one.value = parse_part(e, equals + 1, strlen(equals + 1), &own);
        }
        const struct syntax_node *target = one.target;
        if (!one.text || !one.value || target->kind != SYNTAX_REF || target->primes || target->multiplier) {
            text_set(message, capacity, "--set %.80s: %.200s", set[i],
                     own.count ? own.list[0].sentence : "write  --set name=value  or  --set name[2]=value.");
            return 0;
        }
        struct elaborate_name *name = elaborate_find(e, target->text);
        if (!name || name->kind != ELABORATE_PARAMETER) {
            text_set(message, capacity, "--set %.80s: the model has no parameter `%.40s`.", set[i],
                     target->text);
            return 0;
        }
        one.name = name;
        e->setting[e->settings++] = one;
    }
    if (e->setting) settings_by_name(e);
    return e->setting != NULL;
}

/* Elaboration ---------------------------------------------------------------------------------------- */

static int refuse_value(struct elaborate *e, const struct elaborate_definition *one, expr value) {
    char name[120];
    expr other;
    if (!elaborate_is_constant(e, value, 0, &other)) {
        model_name(e->model, other, name, sizeof name);
        source_hint(elaborate_error(e, one->node->span,
                                    "the parameter `%.40s` is constant, and this depends on `%s`.",
                                    one->name->text, name),
                    "What changes in time is a `let`.");
        return 1;
    }
    double number = elaborate_number(e, value);
    if (isfinite(number)) return 0;
    source_hint(elaborate_error(e, one->node->span, "the parameter `%.40s` is %s.", one->name->text,
                                isnan(number) ? "not a number" : "not finite"),
                "Is something divided by zero, or outside of its function's domain?");
    return 1;
}

static int add(struct elaborate *e, const struct elaborate_definition *one, const int *index, expr written,
               expr value) {
    struct model *m = e->model;
    if (refuse_value(e, one, value)) return 0;
    if (!elaborate_grow(e, &m->parameter, m->parameters, &m->parameter_capacity, sizeof *m->parameter))
        return 0;
    struct model_parameter *p = &m->parameter[m->parameters++];
    *p = (struct model_parameter){
        .value = value, .written = written, .number = elaborate_number(e, value), .where = one->where};
    int rank = one->value.shape.rank, full[SYNTAX_INDICES] = {0}, fixed = 0;
    if (one->item && one->item->bounds && !one->item->bounds->high) fixed = one->box.rank;
    for (int i = 0; i < fixed; i++) full[i] = one->box.low[i];
    for (int i = 0; i < rank && fixed + i < SYNTAX_INDICES; i++) full[fixed + i] = index[i];
    elaborate_label(e, one->name->text, fixed + rank < SYNTAX_INDICES ? fixed + rank : SYNTAX_INDICES, full,
                    &p->label);
    return p->label.text != NULL;
}

/* The value of the definition becomes symbols, and what was written goes behind them. */
int elaborate_parameter(struct elaborate *e, struct elaborate_definition *one) {
    struct elaborate_value written = one->value, value, symbols;
    long size = elaborate_count(&written);
    int index[SYNTAX_INDICES] = {0};
    if (!elaborate_new(e, &written.shape, &value) || !elaborate_new(e, &written.shape, &symbols)) return 0;
    expr *element = written.shape.rank ? value.element : &value.one;
    expr *scaled = elaborate_take(e, ((size_t)size + 1) * sizeof *scaled);
    if (!scaled) return 0;
    for (long i = 0; i < size; i++)
        element[i] = scaled[i] = elaborate_scaled(e, one->item, elaborate_at(&written, i), 0);
    if (!apply_all(e, one, &written.shape, element)) return 0;
    for (int i = 0; i < written.shape.rank; i++) index[i] = written.shape.low[i];
    for (long i = 0; i < size; i++) {
        if (!add(e, one, index, scaled[i], element[i])) return 0;
        expr symbol = expr_symbol(e->graph, EXPR_PARAMETER, (uint32_t)e->model->parameters - 1, 0);
        if (written.shape.rank) symbols.element[i] = symbol;
        else symbols.one = symbol;
        elaborate_next(&written.shape, 0, index);
    }
    one->value = symbols;
    return 1;
}

/* Changes before a run ------------------------------------------------------------------------------- */

/* Values with the settings applied; 0 after a message in e->messages. */
static int set_values(struct elaborate *e) {
    for (struct elaborate_name *name = e->names; name; name = name->next)
        for (struct elaborate_definition *one = name->first; one && name->kind == ELABORATE_PARAMETER;
             one = one->next) {
            long size = elaborate_count(&one->value);
            expr *element = elaborate_take(e, ((size_t)size + 1) * sizeof *element);
            if (!element) return 0;
            for (long i = 0; i < size; i++)
                element[i] = e->model->parameter[e->graph->node[elaborate_at(&one->value, i)].b].written;
            if (!apply_all(e, one, &one->value.shape, element)) return 0;
            for (long i = 0; i < size; i++)
                e->model->parameter[e->graph->node[elaborate_at(&one->value, i)].b].value = element[i];
        }
    return 1;
}

/* New numbers in order: AGAIN where an expression uses a later parameter, or a structural one changed. */
static enum elaborate_change renew(struct model *m, const struct model_parameter *before, char *message,
                                   size_t capacity) {
    for (int i = 0; i < m->parameters; i++) {
        struct model_parameter *p = &m->parameter[i];
        struct expr_list list;
        if (expr_symbols(&m->graph, 1, &p->value, &list)) return ELABORATE_AGAIN;
        int later = 0;
        for (size_t k = 0; k < list.count; k++) {
            const struct expr_node n = m->graph.node[list.item[k]];
            if (n.a != EXPR_PARAMETER || n.b >= (uint32_t)i) later = 1;
        }
        free(list.item);
        if (later) return ELABORATE_AGAIN;
        p->number = model_number(m, p->value, NAN);
        if (p->structural && p->number != before[i].number) return ELABORATE_AGAIN;
        if (isfinite(p->number)) continue;
        text_set(message, capacity, "the parameter `%.80s` is not a finite number.", p->label.text);
        return ELABORATE_REFUSED;
    }
    return ELABORATE_DONE;
}

enum elaborate_change elaborate_set(struct model *model, int count, const char *const *set, char *message,
                                    size_t capacity) {
    struct elaborate *e = model->names;
    struct source_messages own = {0};
    size_t bytes = (size_t)(model->parameters + 1) * sizeof *model->parameter;
    e->messages = &own;
    e->stopped = e->depth = 0;
    expr_allow(e->graph, e->graph->work);
    struct model_parameter *before = elaborate_take(e, bytes);
    text_set(message, capacity, "%s", "");
    if (!before || !elaborate_settings(e, count, set, message, capacity)) {
        e->messages = NULL;
        return ELABORATE_REFUSED;
    }
    if (model->parameters) memcpy(before, model->parameter, bytes - sizeof *before);
    enum elaborate_change change =
        set_values(e) ? renew(model, before, message, capacity) : ELABORATE_REFUSED;
    if (own.count) text_set(message, capacity, "%s", own.list[0].sentence);
    for (int i = 0; i < e->settings && change == ELABORATE_DONE; i++) {
        if (e->setting[i].used) continue;
        text_set(message, capacity, "--set %.80s: there is no such element.", e->setting[i].text);
        change = ELABORATE_REFUSED;
    }
    if (change != ELABORATE_DONE && model->parameters)
        memcpy(model->parameter, before, bytes - sizeof *before);
    e->messages = NULL;
    return change;
}
