/* series_copies.c - which jets have a mirror or a copy j a[j], and the codes that keep them; see series.h.
 *
 * Copies of x and t are made when an order begins, those of z and what depends on it when z_k is known, the
 * others right behind their jets.  x' is taken last. */
#include "lang/series.h"

#include <stdlib.h>

struct copies {
    struct series *s;
    uint32_t *mirror, *times; /* by jet: one more than the number of the copy */
    struct series_code *out;
    size_t count;
};

static uint32_t copy_for(struct copies *c, uint32_t *of, uint32_t jet) {
    if (!of[jet]) of[jet] = ++c->s->copies;
    return c->s->jets + of[jet] - 1;
}

/* What must have copies whatever happens; of products one factor will do. */
static void ask(struct copies *c, struct series_code *code) {
    switch (code->rule) {
    case SERIES_SQUARE:
    case SERIES_MORE_SQUARE:
        code->c = copy_for(c, c->mirror, code->a);
        break;
    case SERIES_DIV:
    case SERIES_INVERT:
        code->c = copy_for(c, c->mirror, code->b);
        break;
    case SERIES_SQRT:
        code->c = copy_for(c, c->mirror, code->to);
        break;
    case SERIES_POWER:
        code->c = copy_for(c, c->mirror, code->to);
        code->e = copy_for(c, c->times, code->a);
        break;
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
        code->c = copy_for(c, c->mirror, code->b);
        code->e = copy_for(c, c->times, code->a);
        break;
    default:
        break;
    }
}

static int is_product(const struct series_code *code) {
    return code->rule == SERIES_MUL || code->rule == SERIES_MORE || code->rule == SERIES_LESS;
}

static int stands_in(uint32_t jet, const struct series_code *code) {
    return is_product(code) && (code->a == jet || code->b == jet);
}

/* A factor that stands in the product before or behind, too, else one that has a mirror already. */
static void ask_product(struct copies *c, struct series_code *code, const struct series_code *before,
                        const struct series_code *behind) {
    if (!is_product(code)) return;
    int first = stands_in(code->a, before) || stands_in(code->a, behind);
    int second = stands_in(code->b, before) || stands_in(code->b, behind);
    if (first > second || (first == second && c->mirror[code->a] && !c->mirror[code->b])) {
        uint32_t other = code->a;
        code->a = code->b;
        code->b = other;
    }
    code->c = copy_for(c, c->mirror, code->b);
}

static void put(struct copies *c, enum series_rule rule, uint32_t to, uint32_t a) {
    c->out[c->count++] = (struct series_code){.rule = (uint32_t)rule, .to = to, .a = a};
}

static void put_copies(struct copies *c, uint32_t jet) {
    if (c->mirror[jet]) put(c, SERIES_MIRROR, c->s->jets + c->mirror[jet] - 1, jet);
    if (c->times[jet]) put(c, SERIES_TIMES, c->s->jets + c->times[jet] - 1, jet);
}

/* Codes from .. end with the copies of what they have made. */
static void put_codes(struct copies *c, size_t from, size_t end) {
    const struct series *s = c->s;
    for (size_t i = from; i < end; i++) {
        const struct series_code *code = &s->code[i];
        c->out[c->count++] = *code;
        if (i + 1 == end || s->code[i + 1].to != code->to) put_copies(c, code->to);
    }
}

static void put_steps(struct copies *c) {
    const struct series *s = c->s;
    for (int i = 0; i < s->n && !s->follows; i++) put(c, SERIES_STEP, (uint32_t)i, (uint32_t)s->rate[i]);
}

static void make(struct copies *c) {
    struct series *s = c->s;
    size_t early = s->early, count = s->count, all = s->count + s->again;
    for (size_t i = 0; i < all; i++) ask(c, &s->code[i]);
    for (size_t i = 0; i < all; i++) {
        struct series_code *code = &s->code[i];
        ask_product(c, code, i > 0 ? code - 1 : code, i + 1 < all ? code + 1 : code);
    }
    for (int i = 0; i < s->n; i++) put_copies(c, (uint32_t)i);
    put_copies(c, (uint32_t)(s->n + s->m));
    put_codes(c, 0, early);
    if (!s->m) put_steps(c);
    s->early = c->count;
    for (size_t i = early; i < count; i++) c->out[c->count++] = s->code[i];
    s->count = c->count;
    for (int i = s->n; i < s->n + s->m; i++) put_copies(c, (uint32_t)i);
    put_codes(c, count, all);
    if (s->m) put_steps(c);
    s->again = c->count - s->count;
}

int series_copies(struct series *s) {
    size_t values = (size_t)s->jets + s->fixed + 1;
    size_t codes = 4 * (s->count + s->again + values);
    struct copies c = {.s = s,
                       .mirror = calloc(values, sizeof *c.mirror),
                       .times = calloc(values, sizeof *c.times),
                       .out = malloc(codes * sizeof *c.out)};
    int failed = !c.mirror || !c.times || !c.out;
    if (!failed) {
        make(&c);
        struct series_code *old = s->code;
        s->code = c.out;
        c.out = old;
    }
    free(c.mirror);
    free(c.times);
    free(c.out);
    return failed ? -1 : 0;
}
