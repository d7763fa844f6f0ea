/* elaborate_value.c - numbers and arrays: element by element, one array and one number, dot, cross, norm. */
#include "lang/elaborate_private.h"

#include <math.h>
#include <string.h>

struct elaborate_value elaborate_scalar(expr one) {
    return (struct elaborate_value){.one = one};
}

long elaborate_count(const struct elaborate_value *v) {
    return v->shape.rank ? model_size(&v->shape) : 1;
}

expr elaborate_at(const struct elaborate_value *v, long i) {
    return v->shape.rank ? v->element[i] : v->one;
}

int elaborate_same_extent(const struct model_shape *a, const struct model_shape *b) {
    if (a->rank != b->rank) return 0;
    for (int i = 0; i < a->rank; i++)
        if (a->high[i] - a->low[i] != b->high[i] - b->low[i]) return 0;
    return 1;
}

int elaborate_new(struct elaborate *e, const struct model_shape *shape, struct elaborate_value *out) {
    *out = (struct elaborate_value){.shape = *shape};
    if (shape->rank == 0) return 1;
    long size = model_size(shape);
    if (size < 0 || size > ELABORATE_ELEMENTS) return 0;
    if (!expr_spend(e->graph, 100.0 * (double)size)) return 0;
    out->element = elaborate_take(e, ((size_t)size + 1) * sizeof *out->element);
    return out->element != NULL;
}

int elaborate_place(const struct model_shape *shape, int count, const int *index, long *place) {
    *place = 0;
    for (int i = 0; i < count; i++) {
        if (index[i] < shape->low[i] || index[i] > shape->high[i]) return 0;
        *place = *place * (shape->high[i] - shape->low[i] + 1) + (index[i] - shape->low[i]);
    }
    return 1;
}

void elaborate_next(const struct model_shape *shape, int from, int *index) {
    for (int i = shape->rank - 1; i >= from; i--) {
        if (index[i] < shape->high[i]) {
            index[i]++;
            return;
        }
        index[i] = shape->low[i];
    }
}

int elaborate_index(struct elaborate *e, const struct elaborate_value *from, int count, const int *index,
                    struct elaborate_value *out) {
    (void)e;
    long place;
    struct model_shape rest = {.rank = from->shape.rank - count};
    elaborate_place(&from->shape, count, index, &place);
    for (int i = 0; i < rest.rank; i++) {
        rest.low[i] = from->shape.low[count + i];
        rest.high[i] = from->shape.high[count + i];
    }
    if (count == 0) *out = *from;
    else if (rest.rank == 0) *out = elaborate_scalar(from->element[place]);
    else *out = (struct elaborate_value){.shape = rest, .element = from->element + place * model_size(&rest)};
    return 1;
}

/* Derivatives ---------------------------------------------------------------------------------------- */

static int refuse_nonsmooth(struct elaborate *e, struct syntax_span span) {
    if (e->derive.obstacle == EXPR_NONE) return elaborate_out_of_memory(e);
    elaborate_error_nonsmooth(e, span, "", "");
    return 0;
}

/* The force of a contact is a value at a time: it has no derivative here. */
static int has_rate(struct elaborate *e, struct syntax_span span, const struct elaborate_value *v) {
    const struct model *m = e->model;
    for (int k = 0; k < m->helds; k++) {
        if (m->held[k].moment != SYNTAX_NOW) continue;
        expr force = expr_symbol(e->graph, EXPR_HELD, (uint32_t)k, 0);
        for (long i = 0; i < elaborate_count(v); i++)
            if (expr_depends(e->graph, elaborate_at(v, i), 1, &force)) {
                elaborate_error(e, span, "the force of a contact has no time derivative.");
                return 0;
            }
    }
    return 1;
}

int elaborate_prime(struct elaborate *e, struct syntax_span span, struct elaborate_value *v, int primes) {
    if (primes > ELABORATE_ORDER) {
        elaborate_error(e, span, "a derivative of order %d is beyond what keel takes (%d).", primes,
                        ELABORATE_ORDER);
        return 0;
    }
    struct elaborate_value out;
    if (primes == 0) return 1;
    if (!has_rate(e, span, v)) return 0;
    if (!elaborate_new(e, &v->shape, &out)) return elaborate_out_of_memory(e);
    for (long i = 0; i < elaborate_count(v); i++) {
        expr one = elaborate_at(v, i);
        for (int k = 0; k < primes; k++) {
            one = derive_total(&e->derive, one);
            if (one == EXPR_NONE) return refuse_nonsmooth(e, span);
        }
        if (v->shape.rank) out.element[i] = one;
        else out.one = one;
    }
    *v = out;
    return 1;
}

/* Operators ------------------------------------------------------------------------------------------ */

static struct syntax_span sign_of(const struct syntax_node *node) {
    return (struct syntax_span){node->sign, (uint32_t)strlen(syntax_op_text(node->op))};
}

static int misfit(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                  const struct elaborate_value *b) {
    char left[80], right[80];
    elaborate_shape_text(&a->shape, left, sizeof left);
    elaborate_shape_text(&b->shape, right, sizeof right);
    struct source_message *one;
    if (node->op == SYNTAX_MUL && a->shape.rank && b->shape.rank) {
        one =
            elaborate_error(e, sign_of(node), "array times array is not defined: %s times %s.", left, right);
        source_hint(
            one, "dot(a, b) is the inner product, cross(a, b) the vector product, and a matrix has as many "
                 "columns as the vector that it is applied to has elements; element by element: "
                 "for i in 1..N: ...");
    } else if (node->op == SYNTAX_DIV) {
        one = elaborate_error(e, sign_of(node), "an array cannot be divided by: %s over %s.", left, right);
        source_hint(one, "Divide by a number, for example by norm(a).");
    } else if (node->op == SYNTAX_POW) {
        one = elaborate_error(e, sign_of(node), "a power of an array is not defined: %s to the power %s.",
                              left, right);
        source_hint(one, "The square of a vector is dot(a, a).");
    } else {
        one = elaborate_error(e, sign_of(node), "the shapes do not fit: %s %s %s.", left,
                              syntax_op_text(node->op), right);
        source_hint(one, "Element by element both sides need as many elements; write a number as an array, "
                         "(a, a, a), where that is meant.");
    }
    return 0;
}

static int fits(const struct syntax_node *node, const struct elaborate_value *a,
                const struct elaborate_value *b) {
    if (!a->shape.rank && !b->shape.rank) return 1;
    switch (node->op) {
    case SYNTAX_ADD:
    case SYNTAX_SUB:
        return elaborate_same_extent(&a->shape, &b->shape);
    case SYNTAX_MUL:
        return !a->shape.rank || !b->shape.rank;
    case SYNTAX_DIV:
        return !b->shape.rank;
    default:
        return 0;
    }
}

/* What folds to no number is an error of the text, not of a run. */
static int is_finite(struct elaborate *e, const struct syntax_node *node, expr a, expr b) {
    double x, y;
    if (!expr_is_constant(e->graph, b, &y)) return 1;
    if (node->op == SYNTAX_DIV && y == 0) {
        source_hint(elaborate_error(e, sign_of(node), "division by zero."),
                    "The divisor is 0 whatever happens.");
        return 0;
    }
    if (node->op != SYNTAX_POW || !expr_is_constant(e->graph, a, &x) || isfinite(pow(x, y))) return 1;
    elaborate_error(e, sign_of(node), "%g^%g is not a finite number.", x, y);
    return 0;
}

/* Does the product stand for a matrix times a vector: as many columns as elements? */
static int applies(const struct syntax_node *node, const struct elaborate_value *a,
                   const struct elaborate_value *b) {
    if (node->op != SYNTAX_MUL || a->shape.rank != 2 || b->shape.rank != 1) return 0;
    return a->shape.high[1] - a->shape.low[1] == b->shape.high[0] - b->shape.low[0] && elaborate_count(b) > 0;
}

/* sum_j a_ij b_j, from the left as dot does. */
static int matrix_times_vector(struct elaborate *e, const struct elaborate_value *a,
                               const struct elaborate_value *b, struct elaborate_value *out) {
    struct model_shape rows = {.rank = 1, .low = {a->shape.low[0]}, .high = {a->shape.high[0]}};
    long columns = elaborate_count(b);
    if (!elaborate_new(e, &rows, out)) return elaborate_out_of_memory(e);
    for (long i = 0; i < elaborate_count(out); i++) {
        expr total = EXPR_NONE;
        for (long j = 0; j < columns; j++) {
            expr term = expr_make(e->graph, EXPR_MUL, a->element[i * columns + j], b->element[j], 0);
            total = j ? expr_make(e->graph, EXPR_ADD, total, term, 0) : term;
        }
        out->element[i] = total;
    }
    return !e->graph->failed || elaborate_out_of_memory(e);
}

int elaborate_binary(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                     const struct elaborate_value *b, struct elaborate_value *out) {
    static const enum expr_op op[] = {[SYNTAX_ADD] = EXPR_ADD,
                                      [SYNTAX_SUB] = EXPR_SUB,
                                      [SYNTAX_MUL] = EXPR_MUL,
                                      [SYNTAX_DIV] = EXPR_DIV,
                                      [SYNTAX_POW] = EXPR_POW};
    if (applies(node, a, b)) return matrix_times_vector(e, a, b, out);
    if (!fits(node, a, b)) return misfit(e, node, a, b);
    if (!b->shape.rank && !is_finite(e, node, elaborate_at(a, 0), b->one)) return 0;
    if (!elaborate_new(e, a->shape.rank ? &a->shape : &b->shape, out)) return elaborate_out_of_memory(e);
    if (!out->shape.rank) {
        out->one = expr_make(e->graph, op[node->op], a->one, b->one, 0);
        return out->one != EXPR_NONE || elaborate_out_of_memory(e);
    }
    for (long i = 0; i < elaborate_count(out); i++)
        out->element[i] = expr_make(e->graph, op[node->op], elaborate_at(a, i), elaborate_at(b, i), 0);
    return !e->graph->failed || elaborate_out_of_memory(e);
}
