/* elaborate_call.c - functions: keel's own on numbers, dot, cross and norm on arrays, der, and the user's. */
#include "lang/elaborate_private.h"

#include <math.h>
#include <string.h>

enum { ARGUMENTS = 64 };

static int argument(struct elaborate *e, const struct syntax_node *node, const char *name, const char *need,
                    const struct elaborate_value *v) {
    char shape[80];
    elaborate_shape_text(&v->shape, shape, sizeof shape);
    struct source_message *one =
        elaborate_error(e, node->span, "`%.40s` takes %s, and this is %s.", name, need, shape);
    if (v->shape.rank) source_hint(one, "Element by element: (f(a[1]), f(a[2])), or a line in a `for`.");
    return 0;
}

static expr inner(struct elaborate *e, const struct elaborate_value *a, const struct elaborate_value *b) {
    expr sum = expr_constant(e->graph, 0);
    for (long i = 0; i < elaborate_count(a); i++) {
        expr product = expr_make(e->graph, EXPR_MUL, elaborate_at(a, i), elaborate_at(b, i), 0);
        sum = i ? expr_make(e->graph, EXPR_ADD, sum, product, 0) : product;
    }
    return sum;
}

static int is_zero(const struct elaborate *e, expr x) {
    double number;
    return expr_is_constant(e->graph, x, &number) && number == 0;
}

/* Numbers of parameters that should be equal, J[i][j] and J[j][i]. */
static int differ(struct elaborate *e, expr one, expr other) {
    expr symbol;
    return one != other && elaborate_is_constant(e, one, 0, &symbol) &&
           elaborate_is_constant(e, other, 0, &symbol) &&
           elaborate_number(e, one) != elaborate_number(e, other);
}

/* a.(J b) = sum J_ij a_i b_j: three numbers for J are its diagonal, so that a body may have either. */
static int form(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                struct elaborate_value *out) {
    const struct elaborate_value *J = &a[1], *b = &a[2];
    long n = elaborate_count(a), diagonal = J->shape.rank == 1;
    int square = elaborate_count(J) == (diagonal ? n : n * n) &&
                 (diagonal || J->shape.high[0] - J->shape.low[0] + 1 == n);
    if (a->shape.rank != 1 || J->shape.rank > 2 || !square || !elaborate_same_extent(&a->shape, &b->shape)) {
        source_hint(elaborate_error(e, node->span, "`dot` of three takes a vector, a matrix and a vector."),
                    "dot(a, J, b) is a.(J b); J has n x n numbers, or the n of its diagonal.");
        return 0;
    }
    expr sum = EXPR_NONE;
    for (long k = 0; k < elaborate_count(J); k++) {
        long i = diagonal ? k : k / n, j = diagonal ? k : k % n;
        expr one = elaborate_at(a, i), other = elaborate_at(b, j);
        if (!diagonal && j > i && elaborate_at(a, j) == elaborate_at(b, j) && one == elaborate_at(b, i) &&
            differ(e, elaborate_at(J, k), elaborate_at(J, j * n + i))) {
            elaborate_error(e, node->span, "the matrix of `dot(a, J, a)` is symmetric, and this is not.");
            return 0;
        }
        if (is_zero(e, one) || is_zero(e, other)) continue;
        expr both = one == other ? expr_powi(e->graph, one, 2) : expr_make(e->graph, EXPR_MUL, one, other, 0);
        expr term = expr_make(e->graph, EXPR_MUL, elaborate_at(J, k), both, 0);
        sum = sum == EXPR_NONE ? term : expr_make(e->graph, EXPR_ADD, sum, term, 0);
    }
    *out = elaborate_scalar(sum == EXPR_NONE ? expr_constant(e->graph, 0) : sum);
    return 1;
}

static int vector_product(struct elaborate *e, const struct elaborate_value *a,
                          const struct elaborate_value *b, struct elaborate_value *out) {
    struct model_shape shape = {.rank = 1, .low = {1}, .high = {3}};
    if (!elaborate_new(e, &shape, out)) return elaborate_out_of_memory(e);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out->element[i] =
            expr_make(e->graph, EXPR_SUB, expr_make(e->graph, EXPR_MUL, a->element[j], b->element[k], 0),
                      expr_make(e->graph, EXPR_MUL, a->element[k], b->element[j], 0), 0);
    }
    return 1;
}

/* dot, cross, norm: 1 done, 0 failed, -1 none of them. */
static int on_arrays(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                     struct elaborate_value *out) {
    int cross = strcmp(node->text, "cross") == 0, dot = strcmp(node->text, "dot") == 0;
    if (!cross && !dot && strcmp(node->text, "norm") != 0) return -1;
    int i = 0;
    for (const struct syntax_node *part = node->parts; part; part = part->next, i++) {
        if (a[i].shape.rank == 0) return argument(e, part, node->text, "arrays", &a[i]);
        if (cross && (a[i].shape.rank != 1 || elaborate_count(&a[i]) != 3))
            return argument(e, part, node->text, "two arrays of three", &a[i]);
    }
    if (node->count == 3) return form(e, node, a, out);
    if (node->count == 2 && !elaborate_same_extent(&a[0].shape, &a[1].shape)) {
        char left[80], right[80];
        elaborate_shape_text(&a[0].shape, left, sizeof left);
        elaborate_shape_text(&a[1].shape, right, sizeof right);
        elaborate_error(e, node->span, "`%s` takes two arrays of one shape, not %s and %s.", node->text, left,
                        right);
        return 0;
    }
    if (cross) return i == 2 && vector_product(e, &a[0], &a[1], out);
    *out = elaborate_scalar(inner(e, &a[0], &a[dot]));
    if (!dot) out->one = expr_make(e->graph, EXPR_SQRT, out->one, 0, 0);
    return 1;
}

/* Numbers alone that give no number, as log(0). */
static int is_finite(struct elaborate *e, const struct syntax_node *node, enum expr_op op, expr a, expr b) {
    double x, y = 0;
    if (!expr_is_constant(e->graph, a, &x)) return 1;
    if (expr_operands(op) == 2 && !expr_is_constant(e->graph, b, &y)) return 1;
    if (isfinite(expr_value(op, x, y))) return 1;
    elaborate_error(e, node->span, "`%s` of %g is not a finite number.", node->text, x);
    return 0;
}

static int on_numbers(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                      struct elaborate_value *out) {
    enum expr_op op = expr_function(node->text);
    int k = 0;
    for (const struct syntax_node *part = node->parts; part; part = part->next, k++)
        if (a[k].shape.rank) return argument(e, part, node->text, "numbers", &a[k]);
    if (!op) {
        elaborate_error(e, node->span, "unknown function `%.40s`.", node->text);
        return 0;
    }
    int operands = expr_operands(op);
    *out = elaborate_scalar(a[0].one);
    if (operands == 1) {
        if (!is_finite(e, node, op, a[0].one, 0)) return 0;
        out->one = expr_make(e->graph, op, a[0].one, 0, 0);
    }
    for (int i = 1; operands == 2 && i < node->count; i++) { /* min and max of several, from the left */
        if (!is_finite(e, node, op, out->one, a[i].one)) return 0;
        out->one = expr_make(e->graph, op, out->one, a[i].one, 0);
    }
    return out->one != EXPR_NONE || elaborate_out_of_memory(e);
}

/* The body of `let g(x) = ...` with x standing for the argument. */
static int users(struct elaborate *e, const struct syntax_node *node, const struct elaborate_value *a,
                 struct elaborate_value *out) {
    struct elaborate_name *name = elaborate_find(e, node->text);
    if (name && name->kind == ELABORATE_TABLE) return elaborate_look(e, name, node, a, out);
    if (!name || name->kind != ELABORATE_FUNCTION) {
        elaborate_error(e, node->span, "`%.40s` is not a function.", node->text);
        return 0;
    }
    if (name->state == ELABORATE_BUSY) {
        source_hint(elaborate_error(e, name->where, "the function `%.40s` calls itself.", node->text),
                    "A `let` may not be recursive; write a sum, or lets x[1], x[2], one from the other.");
        return 0;
    }
    struct elaborate_frame *frame = elaborate_take(e, (size_t)node->count * sizeof *frame);
    int count = 0;
    if (!frame) return 0;
    for (const struct syntax_node *p = name->item->parameters; p; p = p->next, count++) {
        if (count >= node->count) break;
        frame[count] = (struct elaborate_frame){
            .name = p->text, .value = a[count], .up = count ? &frame[count - 1] : name->first->frame};
    }
    if (count != node->count) {
        elaborate_error(e, node->span, "`%.40s` takes %d arguments, not %d.", node->text, count, node->count);
        return 0;
    }
    enum elaborate_state before = name->state;
    name->state = ELABORATE_BUSY;
    int good = elaborate_node(e, name->item->value, &frame[count - 1], out);
    name->state = before;
    return good;
}

int elaborate_call(struct elaborate *e, const struct syntax_node *node, const struct elaborate_frame *frame,
                   struct elaborate_value *out) {
    if (node->count > ARGUMENTS) {
        elaborate_error(e, node->span, "more than %d arguments.", ARGUMENTS);
        return 0;
    }
    struct elaborate_value few[2], *a = few;
    if (node->count > 2) a = elaborate_take(e, (size_t)node->count * sizeof *a);
    int count = 0;
    if (!a) return 0;
    for (const struct syntax_node *part = node->parts; part; part = part->next)
        if (!elaborate_node(e, part, frame, &a[count++])) return 0;
    if (count == 0) return 0; /* the parser wants an argument */
    if (!node->builtin) return users(e, node, a, out);
    if (strcmp(node->text, "der") == 0) {
        *out = a[0];
        return elaborate_prime(e, node->span, out, 1);
    }
    int done = on_arrays(e, node, a, out);
    return done >= 0 ? done : on_numbers(e, node, a, out);
}
