/* series_copies.c - which jets have a copy j a[j], and the codes that keep them; see series.h.
 *
 * Copies of x and t are made when an order begins, those of q and t where g is ahead, those of z and what
 * depends on it when z_k is known, the others right behind their jets.  x' is taken last, v' before q'. */
#include "symbolic/series.h"

#include <stdlib.h>

struct copies {
    struct series *s;
    uint32_t *copy; /* by jet: one more than the number of the copy */
    struct series_code *out;
    size_t count;
};

static void ask(struct copies *c, struct series_code *code) {
    switch (code->rule) {
    case SERIES_POWER:
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
        if (!c->copy[code->a]) c->copy[code->a] = ++c->s->copies;
        code->e = c->s->jets + c->copy[code->a] - 1;
        break;
    default:
        break;
    }
}

static void put(struct copies *c, enum series_rule rule, uint32_t to, uint32_t a) {
    c->out[c->count++] = (struct series_code){.rule = (uint32_t)rule, .to = to, .a = a};
}

static void put_copy(struct copies *c, uint32_t jet) {
    if (c->copy[jet]) put(c, SERIES_TIMES, c->s->jets + c->copy[jet] - 1, jet);
}

/* Codes from .. end with the copies of what they have made. */
static void put_codes(struct copies *c, size_t from, size_t end) {
    const struct series *s = c->s;
    for (size_t i = from; i < end; i++) {
        const struct series_code *code = &s->code[i];
        c->out[c->count++] = *code;
        if (i + 1 == end || s->code[i + 1].to != code->to) put_copy(c, code->to);
    }
}

/* Is it q with q' = v, where g is ahead? */
static int is_ahead(const struct series *s, int i) {
    return s->leads && s->rate[i] < s->n;
}

static void put_steps(struct copies *c) {
    const struct series *s = c->s;
    for (int i = 0; i < s->n && !s->follows; i++)
        if (!is_ahead(s, i)) put(c, SERIES_STEP, (uint32_t)i, (uint32_t)s->rate[i]);
    for (int i = 0; i < s->n && !s->follows; i++)
        if (is_ahead(s, i)) put(c, SERIES_STEP_AHEAD, (uint32_t)i, (uint32_t)s->rate[i]);
}

/* Of x and t, those that are ahead or the others. */
static void put_first(struct copies *c, int ahead) {
    const struct series *s = c->s;
    for (int i = 0; i < s->n; i++)
        if (is_ahead(s, i) == ahead) put_copy(c, (uint32_t)i);
    if (s->leads == ahead) put_copy(c, (uint32_t)(s->n + s->m));
}

static void make(struct copies *c) {
    struct series *s = c->s;
    size_t ahead = s->ahead, early = s->early, count = s->count, all = s->count + s->again;
    for (size_t i = 0; i < all; i++) ask(c, &s->code[i]);
    put_first(c, 1);
    put_codes(c, 0, ahead);
    s->ahead = c->count;
    put_first(c, 0);
    put_codes(c, ahead, early);
    if (!s->m) put_steps(c);
    s->early = c->count;
    for (size_t i = early; i < count; i++) c->out[c->count++] = s->code[i];
    s->count = c->count;
    for (int i = s->n; i < s->n + s->m; i++) put_copy(c, (uint32_t)i);
    put_codes(c, count, all);
    if (s->m) put_steps(c);
    s->again = c->count - s->count;
}

int series_copies(struct series *s) {
    size_t values = (size_t)s->jets + s->fixed + 1;
    size_t codes = 4 * (s->count + s->again + values);
    struct copies c = {.s = s, .copy = calloc(values, sizeof *c.copy), .out = malloc(codes * sizeof *c.out)};
    int failed = !c.copy || !c.out;
    if (!failed) {
        make(&c);
        struct series_code *old = s->code;
        s->code = c.out;
        c.out = old;
    }
    free(c.copy);
    free(c.out);
    return failed ? -1 : 0;
}
