/* emit_calls.c - functions of one argument that the maps of a mechanism call again.
 *
 * M, F, K, gamma, g and the energy are functions of the same angles: their sines and cosines stand in several
 * of the tapes, and are wanted at the same place from several of them.  Each such call has a number, under
 * which core/mechanism.h keeps its last argument and value.  What has a number is told by the operations that
 * make the argument; two that are told apart although they are equal cost time and nothing else. */
#include "codegen/emit.h"

#include <string.h>

/* Arithmetic costs less than a look at what is kept. */
static int is_dear(const struct tape_code *c) {
    switch (c->op) {
    case EXPR_NEG:
    case EXPR_POWI:
    case EXPR_SQRT:
    case EXPR_ABS:
    case EXPR_SIGN:
    case EXPR_FLOOR:
        return 0;
    default:
        return c->op < EXPR_LT && expr_operands((enum expr_op)c->op) == 1;
    }
}

/* The operation before the one at i that a register comes from; NULL: it is a constant or an input. */
static const struct tape_code *source(const struct tape *t, size_t i, uint32_t reg) {
    if (reg < t->constants + t->inputs) return NULL;
    while (i-- > 0)
        if (tape_writes(&t->code[i]) && t->code[i].to == reg) return &t->code[i];
    return NULL;
}

static int is_same_input(const struct tape *s, uint32_t a, const struct tape *t, uint32_t b) {
    if (a < s->constants || b < t->constants)
        return a < s->constants && b < t->constants &&
               memcmp(&s->constant[a], &t->constant[b], sizeof *s->constant) == 0;
    if (a >= s->constants + s->inputs || b >= t->constants + t->inputs) return 0;
    const struct tape_input *x = &s->input[a - s->constants], *y = &t->input[b - t->constants];
    return x->source == y->source && x->index == y->index;
}

/* Is register a before operation i of s made as register b before j of t?  depth: so far at most. */
static int is_same(const struct tape *s, size_t i, uint32_t a, const struct tape *t, size_t j, uint32_t b,
                   int depth) {
    const struct tape_code *x = source(s, i, a), *y = source(t, j, b);
    if (!x || !y) return !x && !y && is_same_input(s, a, t, b);
    if (x->op != y->op || depth == 0) return 0;
    int reads = tape_reads(x);
    if (reads == 1 && x->b != y->b && x->op == EXPR_POWI) return 0;
    i = (size_t)(x - s->code), j = (size_t)(y - t->code);
    return is_same(s, i, x->a, t, j, y->a, depth - 1) &&
           (reads < 2 || is_same(s, i, x->b, t, j, y->b, depth - 1));
}

/* A cosine is had with the sine. */
static uint32_t kind(uint32_t op) {
    return op == EXPR_COS ? EXPR_SIN : op;
}

int emit_call_number(const struct emit_calls *calls, const struct tape *t, const struct tape_code *c) {
    enum { DEEPEST = 6 };
    size_t at = (size_t)(c - t->code);
    for (int k = 0; k < calls->count && is_dear(c); k++) {
        const struct emit_call *one = &calls->call[k];
        if (kind(one->tape->code[one->at].op) == kind(c->op) &&
            is_same(one->tape, one->at, one->tape->code[one->at].a, t, at, c->a, DEEPEST))
            return k;
    }
    return -1;
}

void emit_find_calls(struct emit_calls *calls, int tapes, const struct tape *const *tape) {
    int again[EMIT_CALLS] = {0}, kept = 0;
    calls->count = 0;
    for (int k = 0; k < tapes; k++)
        for (size_t i = 0; tape[k] && i < tape[k]->count; i++) {
            int number = emit_call_number(calls, tape[k], &tape[k]->code[i]);
            if (number >= 0) again[number] = 1;
            else if (is_dear(&tape[k]->code[i]) && calls->count < EMIT_CALLS)
                calls->call[calls->count++] = (struct emit_call){tape[k], i};
        }
    for (int k = 0; k < calls->count; k++)
        if (again[k]) calls->call[kept++] = calls->call[k];
    calls->count = kept;
}
