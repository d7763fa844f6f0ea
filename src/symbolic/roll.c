/* roll.c - the interpreter of rolled programs: one operation over many items at a time; roll_build.c makes
 * what it runs. */
#include "symbolic/roll.h"
#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 64 }; /* items at a time */

void roll_free(struct roll *r) {
    if (!r) return;
    for (uint32_t i = 0; r->class && i < r->classes; i++) {
        struct roll_class *c = &r->class[i];
        tape_free(&c->body);
        free(c->place);
        free(c->held);
        free(c->stride);
        free(c->length);
        free(c->base);
    }
    free(r->class);
    free(r->step);
    free(r->number);
    free(r);
}

size_t roll_capacity(const struct roll *r) {
    return r->values + (size_t)LANES * (r->widest + 1);
}

struct run {
    const struct roll *roll;
    double time;
    const double *u, *p;
    double *out, *value, *lane; /* lane: registers x LANES */
};

/* Items of a step side by side: `count` from item `from` of a run on, over the ends of runs. */
struct span {
    const struct roll_class *c;
    uint32_t run, from, count;
};

/* The next items within one run; 0: no more. */
static uint32_t piece(struct span *s, long *at, uint32_t column) {
    uint32_t left = s->c->length[s->run] - s->from, count = s->count < left ? s->count : left;
    if (count == 0) return 0;
    *at = (long)s->c->base[(size_t)s->run * s->c->columns + column] +
          (long)s->c->stride[column] * (long)s->from;
    s->count -= count;
    s->from += count;
    if (s->from == s->c->length[s->run] && s->count) s->run++, s->from = 0;
    return count;
}

static void load(const struct run *x, struct span s, uint32_t column, double *restrict to) {
    const double *const source[] = {&x->time, x->u, x->p, x->roll->number, x->value};
    const double *from = source[s.c->place[column]];
    long stride = s.c->stride[column], at;
    for (uint32_t n; (n = piece(&s, &at, column)) > 0; to += n)
        for (uint32_t i = 0; i < n; i++) to[i] = from[at + stride * (long)i];
}

/* Result y of an item, at its place. */
static void put(const struct run *x, unsigned char place, long at, double y) {
    switch (place) {
    case ROLL_STORE:
        x->value[at] = y;
        break;
    case ROLL_OUT:
        x->out[at] = y;
        break;
    case ROLL_ADD:
        x->value[at] = x->value[at] + y;
        break;
    default:
        x->value[at] = x->value[at] - y;
    }
}

/* Item after item: two columns may add to one sum. */
static void put_all(const struct run *x, struct span s, const double *result) {
    const struct roll_class *c = s.c;
    for (uint32_t i = 0; i < s.count; i++) {
        const uint32_t *base = c->base + (size_t)s.run * c->columns;
        for (uint32_t k = c->leaves; k < c->columns; k++)
            put(x, c->place[k], (long)base[k] + (long)c->stride[k] * (long)s.from,
                result[(size_t)(k - c->leaves) * LANES + i]);
        if (++s.from == c->length[s.run]) s.run++, s.from = 0;
    }
}

#define EACH(value)                                       \
    for (uint32_t i = 0; i < count; i++) to[i] = (value); \
    break

/* One operation of the body over `count` items. */
static void operate(const struct tape *t, const struct tape_code *o, double *lane, uint32_t count) {
    double *to = lane + (size_t)o->to * LANES;
    const double *a = lane + (size_t)o->a * LANES;
    const double *b = tape_reads(o) > 1 ? lane + (size_t)o->b * LANES : a;
    switch (o->op) {
    case EXPR_ADD:
        EACH(a[i] + b[i]);
    case EXPR_SUB:
        EACH(a[i] - b[i]);
    case EXPR_MUL:
        EACH(a[i] * b[i]);
    case EXPR_DIV:
        EACH(a[i] / b[i]);
    case EXPR_NEG:
        EACH(-a[i]);
    case TAPE_SQUARE:
        EACH(a[i] * a[i]);
    case EXPR_SQRT:
        EACH(sqrt(a[i]));
    case EXPR_POWI:
        EACH(expr_integer_power(a[i], (int32_t)o->b));
    case EXPR_LOOK:
    case EXPR_ENTRY:
    case EXPR_POSITION:
        EACH(table_value(t->table, (enum expr_op)o->op, a[i], b[i]));
    default:
        EACH(expr_value((enum expr_op)o->op, a[i], b[i]));
    }
}

/* All at once.  A body has no constants: its registers begin with its leaves. */
static void side_by_side(const struct run *x, struct span s) {
    const struct tape *t = &s.c->body;
    double *result = x->lane + (size_t)t->registers * LANES;
    for (uint32_t k = 0; k < t->inputs; k++) load(x, s, t->input[k].index, x->lane + (size_t)k * LANES);
    for (const struct tape_code *o = t->code; o < t->code + t->count; o++) {
        if (o->op != TAPE_STORE) {
            operate(t, o, x->lane, s.count);
            continue;
        }
        const double *a = x->lane + (size_t)o->a * LANES;
        for (uint32_t i = 0; i < s.count; i++) result[(size_t)o->to * LANES + i] = a[i];
    }
    put_all(x, s, result);
}

/* One item, of which only the branch in force is evaluated. */
static void alone(const struct run *x, struct span s) {
    const struct roll_class *c = s.c;
    double *leaf = x->lane, *result = leaf + c->leaves, *registers = leaf + c->columns;
    const uint32_t *base = c->base + (size_t)s.run * c->columns;
    for (uint32_t k = 0; k < c->leaves; k++) load(x, s, k, leaf + k);
    tape_run(&c->body, 0, leaf, NULL, result, registers);
    for (uint32_t k = c->leaves; k < c->columns; k++)
        put(x, c->place[k], (long)base[k] + (long)c->stride[k] * (long)s.from, result[k - c->leaves]);
}

static void run_step(const struct run *x, const struct roll_step *step) {
    const struct roll_class *c = &x->roll->class[step->class];
    struct span s = {c, step->first, 0, 0};
    uint32_t most = step->serial || c->branches ? 1 : LANES;
    while (s.run < step->last) {
        uint32_t run = s.run, from = s.from;
        for (s.count = 0; s.count < most && run < step->last;) { /* as many as there are */
            uint32_t left = c->length[run] - from, more = most - s.count < left ? most - s.count : left;
            s.count += more;
            from += more;
            if (from == c->length[run]) run++, from = 0;
        }
        if (c->branches) alone(x, s);
        else side_by_side(x, s);
        s.run = run, s.from = from;
    }
}

void roll_run(const struct roll *r, double time, const double *u, const double *p, double *out,
              double *work) {
    const struct run x = {r, time, u, p, out, work, work + r->values};
    for (uint32_t i = 0; i < r->sums; i++) work[i] = -0.0; /* + a is a */
    for (uint32_t i = 0; i < r->steps; i++) run_step(&x, &r->step[i]);
}
