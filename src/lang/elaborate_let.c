/* elaborate_let.c - params and lets on demand: each definition is elaborated when a use first asks for it, so
 * their order does not matter and a cycle shows as a definition that is asked for while under way. */
#include "lang/elaborate_private.h"

/* The numbers of indices must agree, and no element may be given twice; fills the table. */
static int enter(struct elaborate *e, struct elaborate_name *name, struct elaborate_definition *one) {
    int index[SYNTAX_INDICES] = {0};
    for (int i = 0; i < one->box.rank; i++) index[i] = one->box.low[i];
    for (long k = model_size(&one->box); k > 0; k--) {
        long place;
        elaborate_place(&name->box, one->box.rank, index, &place);
        if (name->table[place]) {
            struct model_label label;
            elaborate_label(e, name->text, one->box.rank, index, &label);
            source_hint(elaborate_error(e, one->where, "`%s` is defined twice, first in %s.",
                                        label.text ? label.text : name->text,
                                        elaborate_line_of(e, name->table[place]->where)),
                        "Give each element once.");
            return 0;
        }
        name->table[place] = one;
        elaborate_next(&one->box, 0, index);
    }
    return 1;
}

static int around(struct elaborate *e, struct elaborate_name *name) {
    for (struct elaborate_definition *one = name->first; one; one = one->next) {
        if (one->item && !elaborate_bounds(e, one->item->bounds, one->frame, &one->box)) return 0;
        if (one == name->first) name->box = one->box;
        if (one->box.rank != name->box.rank) {
            elaborate_error(e, one->where, "`%.40s` has %d ind%s here and %d in %s.", name->text,
                            one->box.rank, one->box.rank == 1 ? "ex" : "ices", name->box.rank,
                            elaborate_line_of(e, name->first->where));
            return 0;
        }
        for (int i = 0; i < one->box.rank && model_size(&one->box) > 0; i++) {
            if (one->box.low[i] < name->box.low[i]) name->box.low[i] = one->box.low[i];
            if (one->box.high[i] > name->box.high[i]) name->box.high[i] = one->box.high[i];
        }
    }
    return 1;
}

/* Box and table of a name, when it is first used. */
static int prepare(struct elaborate *e, struct elaborate_name *name, struct syntax_span span) {
    if (name->state == ELABORATE_READY) return 1;
    if (name->state == ELABORATE_FAILED) return 0;
    if (name->state == ELABORATE_BUSY) {
        elaborate_error(e, name->where, "the bounds of `%.40s` depend on itself.", name->text);
        return 0;
    }
    if (name->repeated && e->unrolling) {
        source_hint(elaborate_error(e, span,
                                    "`%.40s` is defined inside a `for` (%s), and cannot decide a range.",
                                    name->text, elaborate_line_of(e, name->where)),
                    "Define it at the margin.");
        return 0;
    }
    name->state = ELABORATE_BUSY;
    int good = around(e, name);
    long size = good ? model_size(&name->box) : 0;
    if (good && (size < 0 || size > ELABORATE_ELEMENTS)) {
        elaborate_error(e, name->where, "`%.40s` would have more than %d elements.", name->text,
                        ELABORATE_ELEMENTS);
        good = 0;
    }
    name->table = good ? elaborate_take(e, ((size_t)size + 1) * sizeof(struct elaborate_definition *)) : NULL;
    for (struct elaborate_definition *one = name->first; one && name->table; one = one->next)
        if (!enter(e, name, one)) name->table = NULL;
    name->state = name->table ? ELABORATE_READY : ELABORATE_FAILED;
    return name->table != NULL;
}

static int cycle(struct elaborate *e, const struct elaborate_definition *one) {
    source_hint(
        elaborate_error(e, one->where, "the definition of `%.40s` leads back to itself.", one->name->text),
        one->name->kind == ELABORATE_PARAMETER
            ? "Break the circle of parameters with a number."
            : "A `let` is only a name for an expression.  An unknown that depends on itself is a `var` "
              "with an equation.");
    return 0;
}

/* A definition with bounds has their shape; its value is an array of that shape, or a number that fills it.
 */
static int spread(struct elaborate *e, struct elaborate_definition *one) {
    struct elaborate_value v = one->value, full;
    int ranges = 0;
    struct model_shape shape = one->box;
    if (one->item)
        for (const struct syntax_range *r = one->item->bounds; r; r = r->next) ranges += r->high != NULL;
    if (!ranges) return 1;
    if (v.shape.rank && !elaborate_same_extent(&v.shape, &shape)) {
        char left[80], right[80];
        elaborate_shape_text(&shape, left, sizeof left);
        elaborate_shape_text(&v.shape, right, sizeof right);
        source_hint(elaborate_error(e, one->node->span, "`%.40s` is %s, and its value is %s.",
                                    one->name->text, left, right),
                    "Give as many values as there are elements, or one number that fills them all.");
        return 0;
    }
    if (!elaborate_new(e, &shape, &full)) return elaborate_out_of_memory(e);
    for (long i = 0; i < elaborate_count(&full); i++) full.element[i] = elaborate_at(&v, i);
    one->value = full;
    return 1;
}

int elaborate_definition_value(struct elaborate *e, struct elaborate_definition *one) {
    int parameter = one->name->kind == ELABORATE_PARAMETER;
    if (one->state == ELABORATE_BUSY) return cycle(e, one);
    if (!prepare(e, one->name, one->where)) return 0;
    if (one->state != ELABORATE_NEW && (parameter || one->stamp == e->stamp))
        return one->state == ELABORATE_READY;
    const struct syntax_use *use = e->use;
    int group = e->group;
    e->group = elaborate_group(e, one->name->mode);
    one->state = ELABORATE_BUSY;
    one->stamp = e->stamp;
    e->use = one->item ? one->item->use : NULL;
    int good = elaborate_node(e, one->node, one->frame, &one->value) && spread(e, one);
    if (good && parameter) good = elaborate_parameter(e, one);
    e->use = use;
    e->group = group;
    one->state = good ? ELABORATE_READY : ELABORATE_FAILED;
    return good;
}

/* Does the definition cover a range in its own bounds, so that its value has these indices? */
static int has_ranges(const struct elaborate_definition *one) {
    if (one->item)
        for (const struct syntax_range *r = one->item->bounds; r; r = r->next)
            if (r->high) return 1;
    return 0;
}

/* The part of a definition at the given indices of its box. */
static int part(struct elaborate *e, struct elaborate_definition *one, const int *index,
                struct elaborate_value *out) {
    if (!elaborate_definition_value(e, one)) return 0;
    *out = one->value;
    return !has_ranges(one) || elaborate_index(e, &one->value, one->box.rank, index, out);
}

static int missing(struct elaborate *e, const struct elaborate_name *name, const struct syntax_node *ref,
                   const struct elaborate_frame *frame, const int *index) {
    struct model_label label;
    char shape[80];
    elaborate_label(e, name->text, name->box.rank, index, &label);
    elaborate_shape_text(&name->box, shape, sizeof shape);
    struct source_message *one =
        elaborate_error(e, ref->span, "%s does not exist: `%.40s` has no definition for it (others from %s).",
                        label.text ? label.text : name->text, name->text, elaborate_line_of(e, name->where));
    elaborate_error_loops(e, one, frame);
    return 0;
}

static int outside(struct elaborate *e, const struct elaborate_name *name, const struct syntax_node *ref,
                   const struct elaborate_frame *frame, const struct model_shape *shape, int count,
                   const int *index) {
    struct model_label label;
    char text[80];
    elaborate_label(e, name->text, count, index, &label);
    elaborate_shape_text(shape, text, sizeof text);
    struct source_message *one;
    if (count > shape->rank) {
        one = elaborate_error(e, ref->span, "`%.40s` has %d ind%s, not %d: it is %s (%s).", name->text,
                              shape->rank, shape->rank == 1 ? "ex" : "ices", count, text,
                              elaborate_line_of(e, name->where));
    } else
        one = elaborate_error(e, ref->span, "%s does not exist: %s is %s%s (%s).",
                              label.text ? label.text : name->text, name->text, name->text, text,
                              elaborate_line_of(e, name->where));
    elaborate_error_loops(e, one, frame);
    return 0;
}

/* All definitions under the first `count` indices, as one array. */
static int assemble(struct elaborate *e, struct elaborate_name *name, const struct syntax_node *ref,
                    const struct elaborate_frame *frame, int count, const int *given,
                    struct elaborate_value *out) {
    int index[SYNTAX_INDICES] = {0}, rank = name->box.rank;
    struct model_shape shape = {.rank = rank - count};
    struct elaborate_value v;
    for (int i = 0; i < rank; i++) {
        index[i] = i < count ? given[i] : name->box.low[i];
        if (i >= count) shape.low[i - count] = name->box.low[i], shape.high[i - count] = name->box.high[i];
    }
    long places = model_size(&shape), size = 1;
    for (long k = 0; k < places; k++, elaborate_next(&name->box, count, index)) {
        long place;
        elaborate_place(&name->box, rank, index, &place);
        if (!name->table[place]) return missing(e, name, ref, frame, index);
        if (!part(e, name->table[place], index, &v)) return 0;
        if (k == 0) {
            size = elaborate_count(&v);
            for (int i = 0; i < v.shape.rank && shape.rank < SYNTAX_INDICES; i++, shape.rank++)
                shape.low[shape.rank] = v.shape.low[i], shape.high[shape.rank] = v.shape.high[i];
            if (!elaborate_new(e, &shape, out)) return elaborate_out_of_memory(e);
        } else if (elaborate_count(&v) != size) {
            elaborate_error(e, name->table[place]->where, "the elements of `%.40s` have different shapes.",
                            name->text);
            return 0;
        }
        for (long i = 0; i < size; i++) out->element[k * size + i] = elaborate_at(&v, i);
    }
    return places > 0 || elaborate_new(e, &shape, out);
}

int elaborate_let(struct elaborate *e, struct elaborate_name *name, const struct syntax_node *ref,
                  const struct elaborate_frame *frame, int count, const int *index,
                  struct elaborate_value *out) {
    struct elaborate_value whole;
    long place;
    if (!prepare(e, name, ref->span)) return 0;
    int rank = name->box.rank, inside = count < rank ? count : rank;
    if (!elaborate_place(&name->box, inside, index, &place))
        return outside(e, name, ref, frame, &name->box, inside, index);
    if (count < rank) return assemble(e, name, ref, frame, count, index, out);
    if (!name->table[place]) return missing(e, name, ref, frame, index);
    if (!part(e, name->table[place], index, &whole)) return 0;
    if (count - rank > whole.shape.rank || !elaborate_place(&whole.shape, count - rank, index + rank, &place))
        return outside(e, name, ref, frame, &whole.shape, count - rank, index + rank);
    return elaborate_index(e, &whole, count - rank, index + rank, out);
}
