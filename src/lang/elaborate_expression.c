/* elaborate_expression.c - a tree of an expression to nodes of the graph, with loops written out. */
#include "lang/elaborate_private.h"

#include <limits.h>
#include <math.h>

static int too_much(struct elaborate *e, const struct syntax_node *node) {
    e->stopped = 1;
    e->grown = node->span;
    elaborate_error_grown(e);
    return 0;
}

/* Too much or too deep: said once, then nothing more is elaborated. */
static int within_limits(struct elaborate *e, const struct syntax_node *node) {
    if (e->stopped) return 0;
    if (!expr_spend(e->graph, ELABORATE_COST)) return too_much(e, node);
    if (e->depth > ELABORATE_DEEPEST) {
        e->stopped = 1;
        source_hint(elaborate_error(e, node->span, "definitions are nested too deeply here."),
                    "Order a chain of `let` so that each element follows from an earlier one.");
        return 0;
    }
    return 1;
}

int elaborate_one(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                  const char *what, expr *out) {
    struct elaborate_value v;
    char shape[80];
    *out = EXPR_NONE;
    if (!elaborate_node(e, node, frame, &v)) return 0;
    if (v.shape.rank == 0) {
        *out = v.one;
        return 1;
    }
    elaborate_shape_text(&v.shape, shape, sizeof shape);
    source_hint(elaborate_error(e, node->span, "%s is a number, and this is %s.", what, shape),
                "Take an element, or dot(a, b), norm(a).");
    return 0;
}

/* A number that is known now: of parameters, which become structural, and loop indices. */
static int known(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                 const char *what, double *out) {
    expr value, other;
    char name[120];
    if (!elaborate_one(e, node, frame, what, &value)) return 0;
    if (expr_is_constant(e->graph, value, out)) return 1;
    if (!elaborate_is_constant(e, value, 0, &other)) {
        model_name(e->model, other, name, sizeof name);
        source_hint(elaborate_error(e, node->span, "%s must be known before the run, and depends on `%s`.",
                                    what, name),
                    "Only parameters, numbers and loop indices can stand here.");
        return 0;
    }
    elaborate_structural(e, value);
    *out = elaborate_number(e, value);
    return 1;
}

int elaborate_integer(struct elaborate *e, const struct syntax_node *node,
                      const struct elaborate_frame *frame, const char *what, long *out) {
    double value;
    if (!known(e, node, frame, what, &value)) return 0;
    *out = (long)fmax(-2e9, fmin(2e9, value));
    if (value == floor(value) && fabs(value) < INT_MAX) return 1;
    struct source_message *one = elaborate_error(e, node->span, "%s is %.10g, not an integer.", what, value);
    source_hint(one, "`/` is real division: floor(a/b) and mod(a, b) give integers.");
    elaborate_error_loops(e, one, frame);
    return 0;
}

/* Ranges --------------------------------------------------------------------------------------------- */

static int index_name_free(struct elaborate *e, const struct syntax_range *range,
                           const struct elaborate_frame *frame) {
    struct elaborate_name *name = elaborate_find(e, range->name);
    struct syntax_span span = {range->span.offset, 1};
    if (name) {
        source_hint(elaborate_error(e, span, "the loop index `%.40s` repeats a name (%s).", range->name,
                                    elaborate_line_of(e, name->where)),
                    "Give the index another name.");
        return 0;
    }
    for (; frame; frame = frame->up) {
        if (!frame->range || frame->name[0] != range->name[0]) continue;
        const char *a = frame->name, *b = range->name;
        while (*a && *a == *b) a++, b++;
        if (*a != *b) continue;
        source_hint(elaborate_error(e, span, "the loop index `%.40s` is in use already (%s).", range->name,
                                    elaborate_line_of(e, frame->range->span)),
                    "Give the inner index another name.");
        return 0;
    }
    return 1;
}

static int passes(struct elaborate *e, const struct syntax_range *range, const struct elaborate_frame *frame,
                  int *out) {
    double value = 1;
    if (range->filter && !known(e, range->filter, frame, "the condition of a range", &value)) return 0;
    *out = value != 0;
    return 1;
}

int elaborate_ranges(struct elaborate *e, const struct syntax_range *range,
                     const struct elaborate_frame *frame, const char *word, int keep, elaborate_visit *visit,
                     void *data) {
    long low, high;
    if (!range) return visit(e, frame, data);
    if (!index_name_free(e, range, frame)) return 0;
    if (!elaborate_integer(e, range->low, frame, "the lower end of a range", &low)) return 0;
    if (!elaborate_integer(e, range->high, frame, "the upper end of a range", &high)) return 0;
    double cost = ELABORATE_COST * ((double)high - (double)low);
    if (cost > e->graph->work - e->graph->spent && expr_spend(e->graph, cost) == 0)
        return too_much(e, range->low);
    for (long i = low; i <= high; i++) {
        struct elaborate_frame local, *inner = keep ? elaborate_take(e, sizeof *inner) : &local;
        int pass;
        if (!inner || !within_limits(e, range->low)) return 0;
        *inner = (struct elaborate_frame){.name = range->name,
                                          .value = elaborate_scalar(expr_constant(e->graph, (double)i)),
                                          .range = range,
                                          .index = i,
                                          .word = word,
                                          .up = frame};
        if (!passes(e, range, inner, &pass)) return 0;
        if (pass && !elaborate_ranges(e, range->next, inner, word, keep, visit, data)) return 0;
    }
    return 1;
}

/* Up to 16 terms are added one after the other; longer sums by pairs of such runs, pairs of pairs and so
 * on, as a binary counter does: the round-off of N terms then grows as log N and not as N. */
enum { SUMMATION_RUN = 16, SUMMATION_LEVELS = 48 };
struct summation {
    const struct syntax_node *node;
    struct elaborate_value value;                   /* of the run at hand */
    int terms;                                      /* in it */
    struct elaborate_value whole[SUMMATION_LEVELS]; /* of 1, 2, 4 .. runs; the oldest is the longest */
    int level[SUMMATION_LEVELS], wholes;
};

static int plus(struct elaborate *e, const struct summation *s, const struct elaborate_value *a,
                struct elaborate_value *b) {
    struct elaborate_value sum;
    struct syntax_node node = {.kind = SYNTAX_BINARY, .op = SYNTAX_ADD, .sign = s->node->span.offset};
    if (!elaborate_binary(e, &node, a, b, &sum)) return 0;
    *b = sum;
    return 1;
}

static int add_term(struct elaborate *e, const struct elaborate_frame *frame, void *data) {
    struct summation *s = data;
    struct elaborate_value term;
    if (!elaborate_node(e, s->node->parts, frame, &term)) return 0;
    if (s->terms == SUMMATION_RUN) {
        int level = 0;
        for (; s->wholes && s->level[s->wholes - 1] == level; level++)
            if (!plus(e, s, &s->whole[--s->wholes], &s->value)) return 0;
        s->whole[s->wholes] = s->value;
        s->level[s->wholes++] = level;
        s->terms = 0;
    }
    if (s->terms++ && !plus(e, s, &s->value, &term)) return 0;
    s->value = term;
    return 1;
}

static int sum(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
               struct elaborate_value *out) {
    struct summation s = {.node = node, .value = elaborate_scalar(expr_constant(e->graph, 0))};
    if (!elaborate_ranges(e, node->ranges, frame, "sum", 0, add_term, &s)) return 0;
    while (s.wholes)
        if (!plus(e, &s, &s.whole[--s.wholes], &s.value)) return 0;
    *out = s.value;
    return 1;
}

/* Nodes ---------------------------------------------------------------------------------------------- */

static int array(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                 struct elaborate_value *out) {
    struct elaborate_value part;
    struct model_shape shape = {.rank = 1, .low = {1}, .high = {node->count}};
    long size = 0, at = 0;
    for (const struct syntax_node *p = node->parts; p; p = p->next) {
        if (!elaborate_node(e, p, frame, &part)) return 0;
        if (p == node->parts) {
            if (part.shape.rank >= SYNTAX_INDICES) return elaborate_out_of_memory(e);
            size = elaborate_count(&part);
            shape.rank = part.shape.rank + 1;
            for (int i = 0; i < part.shape.rank; i++)
                shape.low[i + 1] = part.shape.low[i], shape.high[i + 1] = part.shape.high[i];
            if (!elaborate_new(e, &shape, out)) return elaborate_out_of_memory(e);
        } else if (part.shape.rank + 1 != shape.rank || elaborate_count(&part) != size) {
            char text[80];
            elaborate_shape_text(&part.shape, text, sizeof text);
            source_hint(
                elaborate_error(e, p->span, "the elements of an array have one shape, and this is %s.", text),
                "Rows need the same length; ((a, b), (c, d)) has two rows.");
            return 0;
        }
        for (long i = 0; i < size; i++) out->element[at++] = elaborate_at(&part, i);
    }
    return 1;
}

static int compare(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out) {
    static const enum expr_op op[] = {
        [SYNTAX_LT] = EXPR_LT,   [SYNTAX_LE] = EXPR_LE, [SYNTAX_EQ] = EXPR_EQ,  [SYNTAX_NE] = EXPR_NE,
        [SYNTAX_AND] = EXPR_AND, [SYNTAX_OR] = EXPR_OR, [SYNTAX_NOT] = EXPR_NOT};
    struct graph *g = e->graph;
    expr a, b = EXPR_NONE;
    double settled;
    if (!elaborate_one(e, node->parts, frame, "what is compared", &a)) return 0;
    *out = elaborate_scalar(a);
    if (node->op == SYNTAX_AND && expr_is_constant(g, a, &settled) && settled == 0) return 1;
    if (node->op == SYNTAX_OR && expr_is_constant(g, a, &settled) && settled != 0) return 1;
    if (node->parts->next && !elaborate_one(e, node->parts->next, frame, "what is compared", &b)) return 0;
    if (node->op == SYNTAX_GT) out->one = expr_greater(g, a, b);
    else if (node->op == SYNTAX_GE) out->one = expr_greater_or_equal(g, a, b);
    else out->one = expr_make(g, op[node->op], a, b, 0);
    return out->one != EXPR_NONE || elaborate_out_of_memory(e);
}

/* A condition that is settled now leaves one branch; the other may not even exist, as x[i-1] for i = 1. */
static int choice(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                  struct elaborate_value *out) {
    const struct syntax_node *yes = node->parts->next, *no = yes->next;
    struct elaborate_value a, b;
    expr condition;
    double settled;
    if (!elaborate_one(e, node->parts, frame, "a condition", &condition)) return 0;
    if (expr_is_constant(e->graph, condition, &settled))
        return elaborate_node(e, settled != 0 ? yes : no, frame, out);
    if (!elaborate_node(e, yes, frame, &a) || !elaborate_node(e, no, frame, &b)) return 0;
    if (a.shape.rank && b.shape.rank && !elaborate_same_extent(&a.shape, &b.shape)) {
        elaborate_error(e, no->span, "the two branches of `if` have different shapes.");
        return 0;
    }
    if (!elaborate_new(e, a.shape.rank ? &a.shape : &b.shape, out)) return elaborate_out_of_memory(e);
    if (!out->shape.rank) out->one = expr_make(e->graph, EXPR_IF, condition, a.one, b.one);
    for (long i = 0; out->shape.rank && i < elaborate_count(out); i++)
        out->element[i] = expr_make(e->graph, EXPR_IF, condition, elaborate_at(&a, i), elaborate_at(&b, i));
    return !e->graph->failed || elaborate_out_of_memory(e);
}

static int negative(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                    struct elaborate_value *out) {
    struct elaborate_value a;
    if (!elaborate_node(e, node->parts, frame, &a)) return 0;
    *out = a;
    if (node->op == SYNTAX_POS) return 1;
    if (!elaborate_new(e, &a.shape, out)) return elaborate_out_of_memory(e);
    if (!a.shape.rank) out->one = expr_make(e->graph, EXPR_NEG, a.one, 0, 0);
    for (long i = 0; a.shape.rank && i < elaborate_count(&a); i++)
        out->element[i] = expr_make(e->graph, EXPR_NEG, a.element[i], 0, 0);
    return !e->graph->failed || elaborate_out_of_memory(e);
}

static int by_kind(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out) {
    struct elaborate_value a, b;
    switch (node->kind) {
    case SYNTAX_NUMBER:
        *out = elaborate_scalar(expr_constant(e->graph, node->value));
        return out->one != EXPR_NONE || elaborate_out_of_memory(e);
    case SYNTAX_REF:
        return elaborate_reference(e, node, frame, out);
    case SYNTAX_UNARY:
        return negative(e, node, frame, out);
    case SYNTAX_BINARY:
        return elaborate_node(e, node->parts, frame, &a) && elaborate_node(e, node->parts->next, frame, &b) &&
               elaborate_binary(e, node, &a, &b, out);
    case SYNTAX_COMPARE:
    case SYNTAX_LOGIC:
        return compare(e, node, frame, out);
    case SYNTAX_CALL:
        return elaborate_call(e, node, frame, out);
    case SYNTAX_IF:
        return choice(e, node, frame, out);
    case SYNTAX_SUM:
        return sum(e, node, frame, out);
    case SYNTAX_ARRAY:
        return array(e, node, frame, out);
    case SYNTAX_STRING:
        break;
    }
    elaborate_error(e, node->span, "a text cannot be computed with.");
    return 0;
}

int elaborate_node(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out) {
    *out = (struct elaborate_value){0};
    if (!within_limits(e, node)) return 0;
    e->depth++;
    int good = by_kind(e, node, frame, out);
    e->depth--;
    return good;
}
