/* elaborate_name.c - the names of a model: declared once, found by hashing, unknowns numbered. */
#include "lang/elaborate_private.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { ELEMENT = 250 }; /* bytes that an unknown takes with its name and its node, about */

static unsigned hash(const char *text) {
    unsigned h = 2166136261u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h % ELABORATE_BUCKETS;
}

static struct elaborate_name *lookup(const struct elaborate *e, const char *text) {
    struct elaborate_name *name = e->bucket[hash(text)];
    while (name && strcmp(name->text, text) != 0) name = name->chain;
    return name;
}

/* In the modes under way, or common to all. */
struct elaborate_name *elaborate_find(const struct elaborate *e, const char *text) {
    struct elaborate_name *name = lookup(e, text);
    while (name && !elaborate_in_force(e, name->mode)) name = name->same;
    return name;
}

void elaborate_label(struct elaborate *e, const char *base, int rank, const int *index,
                     struct model_label *out) {
    char text[320];
    text_set(text, sizeof text, "%s", base);
    *out = (struct model_label){.base = base, .rank = rank};
    for (int i = 0; i < rank; i++) {
        out->index[i] = index[i];
        text_add(text, sizeof text, "[%d]", index[i]);
    }
    out->text = pool_copy(e->pool, text, strlen(text));
    if (!out->text) elaborate_out_of_memory(e);
}

static const char *word_of(const struct elaborate_name *name) {
    static const char *const role[] = {"var", "coord", "canonical", "canonical"};
    if (name->kind == ELABORATE_PARAMETER) return "param";
    if (name->kind == ELABORATE_TABLE) return "table";
    return name->kind == ELABORATE_UNKNOWN ? role[name->role] : "let";
}

/* The entry for a new declaration; NULL after a message.  Elements of one param or let may be given in
 * several. */
static struct elaborate_name *enter(struct elaborate *e, const struct syntax_item *item,
                                    struct syntax_span where, enum elaborate_kind kind, const char *text,
                                    int mode, int repeated) {
    struct elaborate_name *old = lookup(e, text), *same = old;
    int many = item && item->bounds && (kind == ELABORATE_PARAMETER || kind == ELABORATE_LET);
    for (; same; same = same->same) {
        if (same->mode == mode && same->kind == kind && many && same->item && same->item->bounds) {
            same->repeated |= repeated;
            return same;
        }
        if (same->mode != mode && same->mode >= 0 && mode >= 0 &&
            e->model->block[same->mode].group == e->model->block[mode].group)
            continue;
        source_hint(elaborate_error(e, where, "`%.60s` is declared twice, first in %s (%s).", text,
                                    elaborate_line_of(e, same->where), word_of(same)),
                    "Give one of them another name.");
        return NULL;
    }
    struct elaborate_name *name = elaborate_take(e, sizeof *name);
    if (!name) return NULL;
    *name = (struct elaborate_name){
        .text = text, .kind = kind, .where = where, .mode = mode, .repeated = repeated, .item = item};
    if (old) {
        name->same = old->same;
        old->same = name;
    } else {
        name->chain = e->bucket[hash(text)];
        e->bucket[hash(text)] = name;
    }
    if (e->last_name) e->last_name->next = name;
    else e->names = name;
    e->last_name = name;
    return name;
}

static void attach(struct elaborate *e, struct elaborate_name *name, const struct syntax_item *item,
                   const struct syntax_node *node, struct syntax_span where,
                   const struct elaborate_frame *frame) {
    struct elaborate_definition *one = elaborate_take(e, sizeof *one);
    if (!one) return;
    *one = (struct elaborate_definition){
        .item = item, .node = node, .frame = frame, .name = name, .where = where};
    if (name->last) name->last->next = one;
    else name->first = one;
    name->last = one;
}

static void declare_items(struct elaborate *e, const struct syntax_statement *s, int mode, int repeated) {
    static const enum model_role role[] = {
        [SYNTAX_VAR] = MODEL_VAR, [SYNTAX_COORD] = MODEL_COORD, [SYNTAX_NODE] = MODEL_VAR};
    int place = 0;
    for (const struct syntax_item *item = s->items; item; item = item->next, place++) {
        enum elaborate_kind kind = s->kind == SYNTAX_PARAM ? ELABORATE_PARAMETER
                                   : s->kind != SYNTAX_LET ? ELABORATE_UNKNOWN
                                   : item->parameters      ? ELABORATE_FUNCTION
                                                           : ELABORATE_LET;
        struct elaborate_name *name = enter(e, item, item->name_span, kind, item->name, mode, repeated);
        if (!name) continue;
        if (s->kind == SYNTAX_CANONICAL) name->role = place ? MODEL_MOMENTUM : MODEL_POSITION;
        else if (kind == ELABORATE_UNKNOWN) name->role = role[s->kind];
        if (kind == ELABORATE_FUNCTION || (kind != ELABORATE_UNKNOWN && !repeated))
            attach(e, name, item, item->value, item->name_span, NULL);
    }
}

/* A mode that a loop repeats is many: no name is one thing in it. */
static void no_lets(struct elaborate *e, const struct syntax_statement *s) {
    for (; s; s = s->next) {
        if (s->kind == SYNTAX_LET)
            source_hint(elaborate_error(e, s->span, "`let` cannot stand in a mode that a loop repeats."),
                        "Declare  var %s  and write  %s = ...  in each mode.",
                        s->items ? s->items->name : "x", s->items ? s->items->name : "x");
        no_lets(e, s->body);
    }
}

/* All names of a list of statements, those inside loops and modes too. */
int elaborate_declare(struct elaborate *e, const struct syntax_statement *s, int mode, int repeated) {
    for (; s && !e->stopped; s = s->next) {
        switch (s->kind) {
        case SYNTAX_PARAM:
        case SYNTAX_VAR:
        case SYNTAX_COORD:
        case SYNTAX_CANONICAL:
        case SYNTAX_LET:
        case SYNTAX_NODE:
            e->use = s->use;
            declare_items(e, s, mode, repeated);
            break;
        case SYNTAX_LAGRANGIAN:
        case SYNTAX_HAMILTONIAN: {
            struct elaborate_name *name =
                s->name ? enter(e, NULL, s->name_span, ELABORATE_LET, s->name, mode, repeated) : NULL;
            if (name) attach(e, name, NULL, s->right, s->name_span, NULL);
            break;
        }
        case SYNTAX_TABLE: {
            struct elaborate_name *name =
                s->name ? enter(e, NULL, s->name_span, ELABORATE_TABLE, s->name, mode, 0) : NULL;
            if (name) name->number = e->model->tables++;
            break;
        }
        case SYNTAX_FOR:
            elaborate_declare(e, s->body, mode, 1);
            break;
        case SYNTAX_MODE:
            if (repeated) no_lets(e, s->body);
            else elaborate_declare(e, s->body, elaborate_block(e, s, NULL), repeated);
            break;
        default:
            break;
        }
    }
    e->use = NULL;
    return !e->stopped;
}

/* A param or let line inside a `for`: one more definition for these values of the loop. */
int elaborate_define(struct elaborate *e, const struct elaborate_line *line) {
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        struct elaborate_name *name = lookup(e, item->name);
        while (name && name->mode != line->mode) name = name->same;
        if (!name || name->kind == ELABORATE_UNKNOWN || name->kind == ELABORATE_TABLE) continue;
        if (item->parameters) {
            elaborate_error(e, item->name_span, "a function cannot be repeated by `for`.");
            continue;
        }
        if (!item->bounds) {
            source_hint(elaborate_error(e, item->name_span,
                                        "`%.40s` is defined again for each value of the loop.", item->name),
                        "Give it an index: %.40s[%.20s].", item->name, line->frame ? line->frame->name : "i");
            continue;
        }
        attach(e, name, item, item->value, item->name_span, line->frame);
    }
    return !e->stopped;
}

int elaborate_bounds(struct elaborate *e, const struct syntax_range *bounds,
                     const struct elaborate_frame *frame, struct model_shape *out) {
    const struct syntax_range *first = bounds;
    *out = (struct model_shape){0};
    for (; bounds; bounds = bounds->next) {
        long low, high;
        if (out->rank >= SYNTAX_INDICES || !elaborate_integer(e, bounds->low, frame, "an index", &low))
            return 0;
        high = low;
        if (bounds->high && !elaborate_integer(e, bounds->high, frame, "an index", &high)) return 0;
        if (high < low) high = low - 1;
        out->low[out->rank] = (int)low;
        out->high[out->rank++] = (int)high;
    }
    long size = model_size(out);
    double elements = (double)e->elements + (size < 0 ? HUGE_VAL : (double)size), bytes = ELEMENT * elements;
    if (elements <= ELABORATE_ELEMENTS && (!e->pool->limit || bytes <= (double)e->pool->limit)) {
        e->elements += size;
        return 1;
    }
    if (first)
        source_hint(
            elaborate_error(e, first->span,
                            "the arrays of the model would have %.4g elements and take %.2g GB, and the "
                            "model may take %.2g GB.",
                            elements, 1e-9 * bytes, 1e-9 * (double)e->pool->limit),
            "Is a bound larger than meant?");
    return first ? 0 : elaborate_out_of_memory(e);
}

/* Unknowns ------------------------------------------------------------------------------------------- */

static int number_elements(struct elaborate *e, struct elaborate_name *name,
                           const struct model_shape *shape) {
    struct model *m = e->model;
    int index[SYNTAX_INDICES] = {0};
    if (!elaborate_new(e, shape, &name->symbols)) return elaborate_out_of_memory(e);
    for (int i = 0; i < shape->rank; i++) index[i] = shape->low[i];
    for (long i = 0; i < elaborate_count(&name->symbols); i++, elaborate_next(shape, 0, index)) {
        if (!elaborate_grow(e, &m->unknown, m->unknowns, &m->unknown_capacity, sizeof *m->unknown)) return 0;
        struct model_unknown *u = &m->unknown[m->unknowns];
        *u = (struct model_unknown){.role = name->role, .partner = -1, .poisson = -1, .where = name->where};
        elaborate_label(e, name->text, shape->rank, index, &u->label);
        expr symbol = expr_symbol(e->graph, EXPR_UNKNOWN, (uint32_t)m->unknowns++, 0);
        if (shape->rank) name->symbols.element[i] = symbol;
        else name->symbols.one = symbol;
    }
    name->state = ELABORATE_READY;
    return 1;
}

static void pair(struct elaborate *e, const struct elaborate_line *line, int first) {
    struct model *m = e->model;
    int half = (m->unknowns - first) / 2;
    const struct syntax_item *q = line->s->items, *p = q ? q->next : NULL;
    if (!p) return; /* the parser wants two names */
    struct elaborate_name *a = elaborate_find(e, q->name), *b = elaborate_find(e, p->name);
    if (!a || !b || a->state != ELABORATE_READY || b->state != ELABORATE_READY) return;
    if (!elaborate_same_extent(&a->symbols.shape, &b->symbols.shape)) {
        source_hint(elaborate_error(e, p->span, "the two names of a canonical pair have one shape."),
                    "Write  canonical q[1..N], p[1..N].");
        return;
    }
    for (int i = 0; i < half; i++) {
        m->unknown[first + i].partner = first + half + i;
        m->unknown[first + half + i].partner = first + i;
    }
}

void elaborate_unknowns(struct elaborate *e, const struct elaborate_line *line) {
    int first = e->model->unknowns;
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        struct elaborate_name *name = elaborate_find(e, item->name);
        struct model_shape shape;
        if (!name || name->kind != ELABORATE_UNKNOWN || name->item != item) continue; /* was said */
        if (name->state != ELABORATE_NEW) {
            elaborate_error(e, item->name_span, "`%.40s` is declared again for each value of the loop.",
                            item->name);
            continue;
        }
        name->state = ELABORATE_FAILED;
        if (elaborate_bounds(e, item->bounds, line->frame, &shape)) number_elements(e, name, &shape);
    }
    if (line->s->kind == SYNTAX_CANONICAL) pair(e, line, first);
}
