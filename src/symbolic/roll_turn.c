/* roll_turn.c - a rolled program with its outputs at other places and with other signs.
 *
 * The gradient of a hamiltonian is that of its motion: H_q = -p', H_p = q'.  Its program is the one of the
 * motion, which need not be found again.  Only the loops that write outputs differ: their indices, which must
 * be even there, too, and a sign for all items of a loop. */
#include "symbolic/roll.h"

#include <stdlib.h>
#include <string.h>

static void *copy(const void *of, size_t count, size_t size) {
    void *own = malloc((count + 1) * size);
    if (own && count) memcpy(own, of, count * size);
    return own;
}

/* With room for one more register and operation each result. */
static int copy_body(struct tape *to, const struct tape *from) {
    *to = *from;
    to->code = malloc((from->count + from->outputs + 1) * sizeof *to->code);
    to->constant = copy(from->constant, from->constants, sizeof *to->constant);
    to->input = copy(from->input, from->inputs, sizeof *to->input);
    if (!to->code || !to->constant || !to->input) return -1;
    memcpy(to->code, from->code, from->count * sizeof *to->code);
    return 0;
}

static int copy_class(struct roll_class *to, const struct roll_class *from) {
    size_t columns = from->columns, runs = from->runs;
    *to = *from;
    to->place = copy(from->place, columns, 1);
    to->held = copy(from->held, columns, 1);
    to->stride = copy(from->stride, columns, sizeof *to->stride);
    to->length = copy(from->length, runs, sizeof *to->length);
    to->base = copy(from->base, runs * columns, sizeof *to->base);
    int body = copy_body(&to->body, &from->body);
    return body || !to->place || !to->held || !to->stride || !to->length || !to->base ? -1 : 0;
}

static struct roll *copy_roll(const struct roll *from) {
    struct roll *to = malloc(sizeof *to);
    if (!to) return NULL;
    *to = *from;
    to->class = calloc((size_t)from->classes + 1, sizeof *to->class);
    to->step = copy(from->step, from->steps, sizeof *to->step);
    to->number = copy(from->number, from->numbers, sizeof *to->number);
    int failed = !to->class || !to->step || !to->number;
    for (uint32_t i = 0; i < from->classes && !failed; i++)
        failed = copy_class(&to->class[i], &from -> class[i]);
    if (failed) roll_free(to);
    return failed ? NULL : to;
}

/* The result goes out with the other sign. */
static void negate(struct tape *body, uint32_t result) {
    size_t at = 0;
    while (body->code[at].op != TAPE_STORE || body->code[at].to != result) at++;
    memmove(&body->code[at + 1], &body->code[at], (body->count - at) * sizeof *body->code);
    uint32_t x = body->code[at].a;
    body->code[at] = (struct tape_code){EXPR_NEG, body->registers, x, x};
    body->code[at + 1].a = body->registers++;
    body->count++;
}

/* 0; 1: the new places are not even, or the signs differ. */
static int turn_column(struct roll_class *c, uint32_t column, const uint32_t *to,
                       const unsigned char *minus) {
    uint32_t stride = (uint32_t)c->stride[column], first = 0, known = 0;
    int sign = c->runs ? minus[c->base[column]] : 0;
    for (uint32_t r = 0; r < c->runs; r++) {
        uint32_t *base = &c->base[(size_t)r * c->columns + column], at = *base;
        for (uint32_t k = 0; k < c->length[r]; k++, at += stride) {
            if (minus[at] != sign) return 1;
            if (k == 0) continue;
            uint32_t way = to[at] - to[at - stride];
            if (known && way != first) return 1;
            first = way, known = 1;
        }
        *base = to[*base];
    }
    if (known) c->stride[column] = (int32_t)first;
    if (sign) negate(&c->body, column - c->leaves);
    return 0;
}

int roll_turn(const struct roll *of, const uint32_t *to, const unsigned char *minus, struct roll **out) {
    struct roll *r = copy_roll(of);
    int status = r ? 0 : -1;
    for (uint32_t i = 0; status == 0 && i < r->classes; i++) {
        struct roll_class *c = &r->class[i];
        if (c->branches) status = 1; /* jumps in the body */
        for (uint32_t k = c->leaves; k < c->columns && status == 0; k++)
            if (c->place[k] == ROLL_OUT) status = turn_column(c, k, to, minus);
        if (c->body.registers + c->columns > r->widest) r->widest = c->body.registers + c->columns;
    }
    if (status) roll_free(r);
    *out = status ? NULL : r;
    return status;
}
