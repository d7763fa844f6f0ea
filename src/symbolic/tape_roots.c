/* tape_roots.c - quotients by cubes of roots, as forces of distances are, written so that they are there
 * sooner:
 *
 *     a / sqrt(s)^3 = sqrt(s) ((a (1/s)) (1/s))
 *
 * Of a/(s sqrt(s)) the quotient waits for the root; 1/s does not, and a root and a quotient take longer than
 * all the rest of such a force.  It rounds four times in place of three.  Where a quotient comes to more than
 * sums and products nothing is changed: of s = 0 it is infinite, this no number. */
#include "symbolic/tape.h"

#include <stdlib.h>

/* Is e a quotient by the cube of a root, and of which s?  EXPR_NONE: it is not. */
static expr square_below(const struct graph *g, expr e) {
    struct expr_node n = g->node[e];
    if (n.op != EXPR_DIV || g->node[n.b].op != EXPR_POWI) return EXPR_NONE;
    struct expr_node cube = g->node[n.b];
    return cube.b == 3 && g->node[cube.a].op == EXPR_SQRT ? g->node[cube.a].a : EXPR_NONE;
}

/* An operand of sums, products and signs, above a fraction stroke, or what an `if` takes: what is not finite
 * there is not finite in the end. */
static int passes_on(struct expr_node n, int k) {
    switch (n.op) {
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_NEG:
        return 1;
    case EXPR_DIV:
        return k == 0;
    case EXPR_IF:
        return k > 0;
    default:
        return 0;
    }
}

/* Marks, in image, what is used in another way: from the outputs down. */
static void mark_others(struct graph *g, const struct expr_list *list) {
    for (size_t i = list->count; i-- > 0;) {
        struct expr_node n = g->node[list->item[i]];
        const expr operand[3] = {n.a, n.b, n.c};
        for (int k = 0; k < expr_operands((enum expr_op)n.op); k++)
            if (g->image[list->item[i]] || !passes_on(n, k)) g->image[operand[k]] = 1;
    }
}

static expr image_of(const struct graph *g, expr e) {
    return g->image[e] ? g->image[e] : e;
}

/* The root, which takes longer than 1/s, comes first. */
static expr product(struct graph *g, expr a, expr s, expr root) {
    expr over = expr_make(g, EXPR_DIV, expr_constant(g, 1), s, 0);
    expr part = expr_make(g, EXPR_MUL, expr_make(g, EXPR_MUL, a, over, 0), over, 0);
    return expr_make(g, EXPR_MUL, root, part, 0);
}

/* e of the images of its operands. */
static expr made_again(struct graph *g, expr e, int here) {
    struct expr_node n = g->node[e];
    expr s = here ? square_below(g, e) : EXPR_NONE, a = image_of(g, n.a), c = image_of(g, n.c);
    if (s != EXPR_NONE) return product(g, a, image_of(g, s), image_of(g, g->node[n.b].a));
    if (n.op == EXPR_POWI) return a == n.a ? e : expr_powi(g, a, (int32_t)n.b);
    expr b = image_of(g, n.b);
    return a == n.a && b == n.b && c == n.c ? e : expr_make(g, (enum expr_op)n.op, a, b, c);
}

int tape_roots(struct graph *g, const struct expr_list *list, size_t outputs, const expr *output, expr *out) {
    size_t found = 0;
    for (size_t i = 0; i < list->count; i++) found += square_below(g, list->item[i]) != EXPR_NONE;
    unsigned char *here = found ? calloc(list->count, 1) : NULL;
    if (!found) return 1;
    if (!here) return -1;
    mark_others(g, list);
    for (size_t i = 0; i < list->count; i++) {
        here[i] = g->image[list->item[i]] == EXPR_NONE;
        g->image[list->item[i]] = EXPR_NONE;
    }
    for (size_t i = 0; i < list->count; i++) {
        expr e = list->item[i];
        if (expr_operands((enum expr_op)g->node[e].op) == 0) continue;
        expr made = made_again(g, e, here[i]); /* the graph grows, and its arrays move */
        g->image[e] = made;
    }
    for (size_t k = 0; k < outputs; k++) out[k] = output[k] == EXPR_NONE ? EXPR_NONE : image_of(g, output[k]);
    for (size_t i = 0; i < list->count; i++) g->image[list->item[i]] = EXPR_NONE;
    free(here);
    return g->failed ? -1 : 0;
}
