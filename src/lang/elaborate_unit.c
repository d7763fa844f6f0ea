/* elaborate_unit.c - are the units of a model consistent?  Every expression is looked at once, in the line
 * that it first occurs in; a mistake is a warning that names both sides.  A model without units is not looked
 * at. */
#include "lang/elaborate_private.h"

#include "base/text.h"
#include "lang/dimension.h"
#include "lang/unit.h"
#include "symbolic/derive_rules.h"
#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct elaborate *e;
    struct graph *g;
    struct model *m;
    struct dimensions x;
    struct dimension *of; /* by node */
    unsigned char *done;  /* by node */
    struct syntax_span where;
    unsigned char *hides; /* by byte of the text: in a line of a part, or a node, where parts meet */
    int quiet;            /* of what was derived from an expression that was looked at */
};

/* Parameters, unknowns, multipliers, then argument and value of each table. */
static int quantity_of(const struct check *c, const struct expr_node *symbol) {
    switch ((enum expr_kind)symbol->a) {
    case EXPR_PARAMETER:
        return (int)symbol->b;
    case EXPR_UNKNOWN:
        return c->m->parameters + (int)symbol->b;
    default:
        return c->m->parameters + c->m->unknowns + (int)symbol->b;
    }
}

static int quantities(const struct model *m) {
    return m->parameters + m->unknowns + m->multipliers + 2 * m->tables;
}

static void told(const struct check *c, struct dimension a, char *out, size_t capacity) {
    char unit[80];
    if (!dimension_print(&c->x, a, unit, sizeof unit)) text_set(out, capacity, "in another unit");
    else if (strcmp(unit, "1") == 0) text_set(out, capacity, "a number without unit");
    else text_set(out, capacity, "in %s", unit);
}

/* Left and right are quoted where they are text of the model. */
static void mismatch(const struct check *c, const char *left, struct dimension a, const char *right,
                     struct dimension b) {
    char one[100], other[100];
    if (c->quiet) return;
    told(c, a, one, sizeof one);
    told(c, b, other, sizeof other);
    source_diagnose(c->e->messages, SOURCE_WARNING, c->where.offset, c->where.length,
                    "units do not fit: %.90s is %s, and %.90s %s.", left, one, right, other);
}

static void quoted(const struct check *c, expr e, char *out, size_t capacity) {
    char text[86];
    model_print(c->m, e, text, sizeof text);
    text_set(out, capacity, "`%s`", text);
}

/* Two operands that must be alike; what they are. */
static struct dimension alike(struct check *c, expr a, expr b) {
    struct dimension one = c->of[a], other = c->of[b];
    char left[100], right[100];
    if (!dimension_same(&c->x, one, other)) {
        quoted(c, a, left, sizeof left);
        quoted(c, b, right, sizeof right);
        mismatch(c, left, one, right, other);
        return (struct dimension){.lost = 1}; /* told once */
    }
    return one.any || one.lost ? other : one;
}

static void must_be(struct check *c, expr e, struct dimension wanted, const char *what) {
    char text[100];
    if (dimension_same(&c->x, c->of[e], wanted)) return;
    quoted(c, e, text, sizeof text);
    mismatch(c, text, c->of[e], what, wanted);
}

/* 200*pi*t: the number may be a rate. */
static int has_number(const struct check *c, expr e) {
    const struct expr_node n = c->g->node[e];
    double number;
    if (n.op == EXPR_NEG) return has_number(c, n.a);
    if (n.op != EXPR_MUL && n.op != EXPR_DIV) return 0;
    return expr_is_constant(c->g, n.a, &number) || expr_is_constant(c->g, n.b, &number);
}

/* What a function takes must have no dimension. */
static struct dimension pure(struct check *c, expr e, expr argument) {
    const struct dimension none = {.any = 0};
    char text[100], unit[100];
    if (!has_number(c, argument) && !dimension_same(&c->x, c->of[argument], none) && !c->quiet) {
        model_print(c->m, argument, text, sizeof text);
        told(c, c->of[argument], unit, sizeof unit);
        source_diagnose(c->e->messages, SOURCE_WARNING, c->where.offset, c->where.length,
                        "units do not fit: `%s` takes a number without unit, and `%.90s` is %s.",
                        expr_name((enum expr_op)c->g->node[e].op), text, unit);
    }
    return none;
}

static struct dimension of_symbol(const struct check *c, expr e) {
    struct expr_node n = c->g->node[e];
    if (n.a == EXPR_TIME) return dimension_second(1);
    if (n.a == EXPR_HELD)
        return n.b < (uint32_t)c->m->helds ? c->of[c->m->held[n.b].of] : (struct dimension){.lost = 1};
    if (n.a == EXPR_SIDE) return (struct dimension){.lost = 1};
    return dimension_add(&c->x, dimension_of(&c->x, quantity_of(c, &n)), dimension_second((int)n.c),
                         -SYNTAX_WHOLE);
}

static struct dimension of_power(struct check *c, expr e) {
    const struct expr_node n = c->g->node[e];
    double exponent = n.op == EXPR_POWI ? (int32_t)n.b : n.op == EXPR_SQRT ? 0.5 : 1. / 3;
    if (n.op == EXPR_POW && !expr_is_constant(c->g, n.b, &exponent)) {
        pure(c, e, n.b);
        return pure(c, e, n.a);
    }
    double sixtieths = exponent * SYNTAX_WHOLE;
    if (fabs(sixtieths - nearbyint(sixtieths)) > 1e-9 || fabs(exponent) > 1000) return pure(c, e, n.a);
    return dimension_scale(&c->x, c->of[n.a], (int)nearbyint(sixtieths));
}

static struct dimension of_table(struct check *c, expr e) {
    const struct expr_node n = c->g->node[e];
    int first = c->m->parameters + c->m->unknowns + c->m->multipliers + 2 * table_of(c->g, &n);
    must_be(c, n.a, dimension_of(&c->x, first), "the argument of the table");
    return dimension_add(&c->x, dimension_of(&c->x, first + 1), dimension_of(&c->x, first),
                         -SYNTAX_WHOLE * table_order(c->g, &n));
}

/* In a line of a part a number may stand for an argument without a unit: J = 0.01, or what is made of such
 * arguments: the arm cos(phi)*0 - sin(phi)*0 of a force. */
static int hides_unit(const struct check *c, const struct expr_node *n) {
    if (c->where.offset >= c->e->source->length || !c->hides[c->where.offset]) return 0;
    return c->of[n->a].any || c->of[n->b].any;
}

static struct dimension of_node(struct check *c, expr e) {
    const struct expr_node n = c->g->node[e];
    const struct dimension none = {.any = 0};
    switch (n.op) {
    case EXPR_CONSTANT:
        return (struct dimension){.any = 1};
    case EXPR_SYMBOL:
        return of_symbol(c, e);
    case EXPR_NEG:
    case EXPR_ABS:
    case EXPR_FLOOR:
        return c->of[n.a];
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_MOD:
    case EXPR_HYPOT:
        return alike(c, n.a, n.b);
    case EXPR_IF:
        return alike(c, n.b, n.c);
    case EXPR_ATAN2:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_NE:
        alike(c, n.a, n.b);
        return none;
    case EXPR_MUL:
        if (derive_is_zero(c->g, n.a) || derive_is_zero(c->g, n.b)) return (struct dimension){.any = 1};
        /* fall through */
    case EXPR_DIV:
        if (hides_unit(c, &n)) return (struct dimension){.lost = 1};
        return dimension_add(&c->x, c->of[n.a], c->of[n.b], n.op == EXPR_MUL ? SYNTAX_WHOLE : -SYNTAX_WHOLE);
    case EXPR_POWI:
    case EXPR_POW:
    case EXPR_SQRT:
    case EXPR_CBRT:
        return of_power(c, e);
    case EXPR_LOOK:
        return of_table(c, e);
    case EXPR_SIGN:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
        return none;
    default:
        if (expr_operands((enum expr_op)n.op) == 2) pure(c, e, n.b);
        return pure(c, e, n.a);
    }
}

/* All of an expression that was not looked at yet. */
static struct dimension look(struct check *c, expr e, struct syntax_span where) {
    struct expr_list list;
    c->where = where;
    if (e == EXPR_NONE || expr_order(c->g, 1, &e, &list)) return (struct dimension){.any = 1};
    for (size_t i = 0; i < list.count; i++) {
        expr at = list.item[i];
        const struct expr_node n = c->g->node[at];
        if (n.op == EXPR_SYMBOL && n.a == EXPR_HELD && n.b < (uint32_t)c->m->helds)
            look(c, c->m->held[n.b].of, where);
        if (!c->done[at]) c->of[at] = of_node(c, at);
        c->done[at] = 1;
    }
    free(list.item);
    return c->of[e];
}

static void give(struct check *c, const struct elaborate_value *v, const struct syntax_unit *unit) {
    for (long i = 0; i < elaborate_count(v); i++) {
        const struct expr_node n = c->g->node[elaborate_at(v, i)];
        struct dimension *known = pool_take(c->x.pool, sizeof *known);
        if (!known || n.op != EXPR_SYMBOL) continue;
        *known = dimension_add(&c->x, dimension_unit(unit->power), dimension_second((int)n.c), SYNTAX_WHOLE);
        c->x.known[quantity_of(c, &n)] = known;
    }
}

/* Written in the model itself, not in a library behind it? */
static int is_own(const struct check *c, const struct syntax_item *item) {
    return !c->e->source->own || item->name_span.offset < c->e->source->own;
}

/* Units as declared; how many names of the model itself have one. */
static int declared(struct check *c) {
    int count = 0;
    for (struct elaborate_name *name = c->e->names; name; name = name->next) {
        if (name->kind == ELABORATE_UNKNOWN && name->item && name->item->unit)
            count += is_own(c, name->item), give(c, &name->symbols, name->item->unit);
        for (struct elaborate_definition *one = name->first; one && name->kind == ELABORATE_PARAMETER;
             one = one->next)
            if (one->item && one->item->unit && one->state == ELABORATE_READY)
                count += is_own(c, one->item), give(c, &one->value, one->item->unit);
    }
    return count;
}

/* Where a statement of that kind stands, of the unknown of that name; or `other`. */
static struct syntax_span place_of(const struct check *c, unsigned kinds, const char *name,
                                   struct syntax_span other) {
    for (int i = 0; i < c->e->lines; i++) {
        const struct syntax_statement *s = c->e->line[i].s;
        if (!(kinds >> s->kind & 1)) continue;
        if (!name || (s->items && s->items->target && strcmp(s->items->target->text, name) == 0))
            return s->span;
    }
    return other;
}

static void givens(struct check *c, const struct model_givens *list) {
    char name[100];
    for (int i = 0; i < list->count; i++) {
        const struct model_given *one = &list->list[i];
        if (one->target == EXPR_NONE) continue;
        struct dimension target = look(c, one->target, one->where), value = look(c, one->value, one->where);
        if (one->unit) value = dimension_unit(one->unit->power);
        if (dimension_same(&c->x, target, value)) continue;
        quoted(c, one->target, name, sizeof name);
        c->where = one->where;
        mismatch(c, name, target, "its value", value);
    }
}

/* What the multipliers, momenta and forces of an energy function must be. */
static void mechanics(struct check *c, struct model_mode *mode, struct dimension energy) {
    struct model *m = c->m;
    const struct model_rows *rows[] = {&mode->constraint, &mode->rolling};
    char name[100];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < rows[k]->count; i++) {
            const struct model_row *row = &rows[k]->list[i];
            struct dimension lambda = dimension_of(&c->x, m->parameters + m->unknowns + row->multiplier);
            struct dimension work = dimension_add(&c->x, energy, dimension_second(k), -SYNTAX_WHOLE);
            dimension_same(&c->x, dimension_add(&c->x, lambda, look(c, row->value, row->where), SYNTAX_WHOLE),
                           work);
        }
    for (int i = 0; i < m->unknowns; i++) {
        struct dimension q = dimension_of(&c->x, m->parameters + i);
        if (m->unknown[i].role == MODEL_POSITION && m->unknown[i].partner >= 0) {
            struct dimension p = dimension_of(&c->x, m->parameters + m->unknown[i].partner);
            struct dimension action = dimension_add(&c->x, energy, dimension_second(1), SYNTAX_WHOLE);
            c->where = m->unknown[i].where;
            if (!dimension_same(&c->x, dimension_add(&c->x, q, p, SYNTAX_WHOLE), action))
                mismatch(c, "position times momentum", dimension_add(&c->x, q, p, SYNTAX_WHOLE),
                         "energy times time", action);
        }
        if (!mode->force || mode->force[i] == EXPR_NONE) continue;
        struct dimension force =
            look(c, mode->force[i],
                 place_of(c, 1u << SYNTAX_FORCE, m->unknown[i].label.base, m->unknown[i].where));
        int memory = m->unknown[i].role == MODEL_MEMORY; /* its rate */
        struct dimension wanted = memory ? dimension_add(&c->x, q, dimension_second(2), -SYNTAX_WHOLE)
                                         : dimension_add(&c->x, energy, q, -SYNTAX_WHOLE);
        if (memory) {
            text_set(name, sizeof name, "`%.60s'`", m->unknown[i].label.text);
            if (!dimension_same(&c->x, force, wanted)) mismatch(c, name, wanted, "its rate", force);
            continue;
        }
        text_set(name, sizeof name, "the force on `%.60s`", m->unknown[i].label.text);
        if (!dimension_same(&c->x, force, wanted)) mismatch(c, name, force, "energy by position", wanted);
    }
}

/* The push of a contact times its gap is an energy, the drag times the sliding velocity a power; friction is
 * their ratio. */
static void contacts(struct check *c, const struct model_mode *mode, struct dimension energy) {
    const struct dimension none = {.any = 0};
    for (int i = 0; i < mode->contacts; i++) {
        const struct model_contact *one = &mode->contact[i];
        struct dimension gap = look(c, one->gap, one->where), sliding = look(c, one->sliding, one->where);
        struct dimension push = look(c, c->m->held[one->push].of, one->where);
        dimension_same(&c->x, dimension_add(&c->x, push, gap, SYNTAX_WHOLE), energy);
        look(c, one->restitution, one->where);
        must_be(c, one->restitution, none, "restitution");
        if (one->drag < 0) continue;
        struct dimension drag = look(c, c->m->held[one->drag].of, one->where);
        struct dimension power = dimension_add(&c->x, energy, dimension_second(1), -SYNTAX_WHOLE);
        dimension_same(&c->x, dimension_add(&c->x, drag, sliding, SYNTAX_WHOLE), power);
        look(c, one->friction, one->where);
        must_be(c, one->friction, dimension_add(&c->x, drag, push, -SYNTAX_WHOLE), "drag by push");
    }
}

static void events(struct check *c, struct model_mode *mode) {
    for (int i = 0; i < mode->events + mode->timed; i++) {
        const struct model_event *event = &mode->event[i];
        look(c, event->value, event->where);
        if (i >= mode->events) must_be(c, event->value, dimension_second(1), "a time");
        for (int k = 0; k < event->actions; k++) {
            const struct model_action *one = &event->action[k];
            if (one->kind != SYNTAX_ASSIGN) continue;
            look(c, one->target, one->where);
            look(c, one->value, one->where);
            alike(c, one->target, one->value);
        }
    }
}

static void rows(struct check *c, const struct model_rows *list) {
    for (int i = 0; i < list->count; i++) look(c, list->list[i].value, list->list[i].where);
}

static void outputs(struct check *c, struct model_rows *list) {
    char name[100];
    for (int i = 0; i < list->count; i++) {
        struct model_row *row = &list->list[i];
        struct dimension value = look(c, row->value, row->where);
        if (!row->unit || dimension_same(&c->x, value, dimension_unit(row->unit->power))) continue;
        text_set(name, sizeof name, "`%.80s`", row->label.text);
        mismatch(c, name, value, "its unit", dimension_unit(row->unit->power));
    }
}

static void parameters(struct check *c) {
    char name[100];
    for (int i = 0; i < c->m->parameters; i++) {
        const struct model_parameter *p = &c->m->parameter[i];
        struct dimension own = dimension_of(&c->x, i), value = look(c, p->written, p->where);
        if (dimension_same(&c->x, own, value)) continue;
        text_set(name, sizeof name, "`%.80s`", p->label.text);
        mismatch(c, name, own, "its value", value);
    }
}

/* The units of columns, as far as they are known. */
static const char *text_of(struct check *c, struct dimension a) {
    char text[80];
    return dimension_print(&c->x, a, text, sizeof text) ? pool_copy(c->x.pool, text, strlen(text)) : NULL;
}

static void keep(struct check *c) {
    struct model *m = c->m;
    for (int i = 0; i < m->unknowns; i++)
        for (int k = 0; k < MODEL_UNITS; k++)
            m->unknown[i].unit[k] = text_of(c, dimension_add(&c->x, dimension_of(&c->x, m->parameters + i),
                                                             dimension_second(k), -SYNTAX_WHOLE));
    for (int i = 0; i < m->multipliers; i++)
        m->multiplier[i].unit = text_of(c, dimension_of(&c->x, m->parameters + m->unknowns + i));
    for (int k = 0; k < m->modes; k++)
        for (int i = 0; i < m->mode[k].output.count; i++) {
            struct model_row *row = &m->mode[k].output.list[i];
            const struct syntax_span at = row->unit ? row->unit->node->span : (struct syntax_span){0, 0};
            row->unit_text = row->unit ? pool_copy(c->x.pool, c->e->source->text + at.offset, at.length)
                                       : text_of(c, c->of[row->value]);
        }
}

static void check_all(struct check *c) {
    struct model *m = c->m;
    parameters(c);
    for (int k = 0; k < m->modes; k++) {
        struct model_mode *mode = &m->mode[k];
        struct dimension energy =
            look(c, mode->function,
                 place_of(c, 1u << SYNTAX_LAGRANGIAN | 1u << SYNTAX_HAMILTONIAN, NULL, mode->where));
        c->quiet = 1;
        look(c, mode->energy, mode->where);
        c->quiet = 0;
        rows(c, &mode->equation);
        rows(c, &mode->constraint);
        rows(c, &mode->rolling);
        if (mode->function != EXPR_NONE && m->form != MODEL_POISSON) mechanics(c, mode, energy);
        contacts(c, mode, energy);
        rows(c, &mode->invariant);
        outputs(c, &mode->output);
        events(c, mode);
    }
    givens(c, &m->init);
    givens(c, &m->guess);
    givens(c, &m->exact);
}

static void mark_parts(struct check *c) {
    const struct elaborate *e = c->e;
    for (int i = 0; i < e->lines; i++) {
        const struct syntax_statement *s = e->line[i].s;
        if (!s->use && s->kind != SYNTAX_NODE) continue;
        if (s->span.offset + s->span.length <= e->source->length)
            memset(c->hides + s->span.offset, 1, s->span.length);
    }
}

void elaborate_units(struct elaborate *e) {
    struct model *m = e->model;
    size_t nodes = e->graph->count;
    struct check c = {.e = e, .g = e->graph, .m = m, .x = {.pool = e->pool}};
    c.x.known = elaborate_take(e, ((size_t)quantities(m) + 1) * sizeof *c.x.known);
    if (!c.x.known || !declared(&c)) return;
    c.of = malloc((nodes + 1) * sizeof *c.of);
    c.done = calloc(nodes + 1, 1);
    c.hides = calloc(e->source->length + 1, 1);
    if (c.of && c.done && c.hides) {
        mark_parts(&c);
        check_all(&c);
        keep(&c);
    } else elaborate_out_of_memory(e);
    free(c.of);
    free(c.done);
    free(c.hides);
}

/* A value with its unit, in SI units; inverse: from them.  Prefixes below 1 divide, which rounds once: 5 {mm}
 * is 0.005. */
expr elaborate_scaled(struct elaborate *e, const struct syntax_item *item, expr value, int inverse) {
    double factor = item && item->unit ? item->unit->factor : 1, other = nearbyint(1 / factor), number;
    if (factor == 1 || value == EXPR_NONE) return value;
    if (!inverse && !expr_is_constant(e->graph, value, &number)) {
        source_hint(elaborate_error(e, item->unit->node->span,
                                    "a unit with a factor scales a number, and this is an expression."),
                    "Write the SI unit: what it is made of has units of its own.");
        return value;
    }
    int divides = factor < 1 && fabs(other * factor - 1) < 1e-15;
    if (inverse)
        return expr_make(e->graph, divides ? EXPR_MUL : EXPR_DIV, value,
                         expr_constant(e->graph, divides ? other : factor), 0);
    return expr_make(e->graph, divides ? EXPR_DIV : EXPR_MUL, value,
                     expr_constant(e->graph, divides ? other : factor), 0);
}
