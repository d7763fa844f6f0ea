/* series_fuse.c - sums of products as one node each, with no jets for their parts.  A part goes into the
 * sum if nothing else uses it. */
#include "symbolic/series.h"

#include <stdlib.h>

struct term {
    uint32_t jet;
    int minus;
};

struct fuse {
    const struct series *s;
    uint32_t *uses;
    size_t *made;         /* by jet: one more than the code that makes it; 0: none, or several */
    unsigned char *taken; /* by code */
    struct term *stack;
    struct series_code *out;
    size_t count;
};

static void count_uses(struct fuse *f) {
    const struct series *s = f->s;
    for (int i = 0; i < s->rates; i++) f->uses[s->rate[i]]++;
    for (int i = 0; i < s->m; i++) f->uses[s->row[i]]++;
    for (size_t i = 0; i < s->count; i++) {
        const struct series_code *c = &s->code[i];
        const uint32_t operand[3] = {c->a, c->b, c->c};
        int jets = series_operands(c->rule);
        for (int k = 0; k < 3; k++)
            if (jets & 1 << k) f->uses[operand[k]]++;
        if (c->rule == SERIES_CHAIN_ON || c->rule == SERIES_CHAIN_BY) f->made[c->to] = 0;
        else f->made[c->to] = i + 1;
    }
}

/* Ahead, early, late. */
static int stage_of(const struct series *s, size_t code) {
    return (code >= s->ahead) + (code >= s->early);
}

/* The code that makes a part of the sum `root`, or NULL: it stays a jet.  What does not depend on z is not
 * made once more with what does. */
static const struct series_code *part_of(const struct fuse *f, size_t root, struct term t) {
    size_t made = f->made[t.jet];
    if (!made || f->uses[t.jet] != 1 || stage_of(f->s, made - 1) != stage_of(f->s, root)) return NULL;
    const struct series_code *c = &f->s->code[made - 1];
    switch (c->rule) {
    case SERIES_SQUARE:
        return t.minus ? NULL : c;
    case SERIES_ADD:
    case SERIES_SUB:
    case SERIES_NEGATE:
    case SERIES_COPY:
    case SERIES_SCALE:
    case SERIES_MUL:
        return c;
    default:
        return NULL;
    }
}

static void put(struct fuse *f, const struct series_code *root, enum series_rule rule, uint32_t a,
                uint32_t b) {
    f->out[f->count++] = (struct series_code){.rule = (uint32_t)rule, .to = root->to, .a = a, .b = b};
}

/* + a, - a and the like, a of a code that is a part. */
static void put_part(struct fuse *f, const struct series_code *root, const struct series_code *c, int minus) {
    if (c->rule == SERIES_MUL) put(f, root, minus ? SERIES_LESS : SERIES_MORE, c->a, c->b);
    else if (c->rule == SERIES_SQUARE) put(f, root, SERIES_MORE_SQUARE, c->a, 0);
    else put(f, root, minus ? SERIES_TERM_LESS_BY : SERIES_TERM_BY, c->a, c->b);
}

/* Operands of a sum, the first on top. */
static size_t open_sum(struct fuse *f, size_t top, const struct series_code *c, int minus) {
    if (c->rule == SERIES_ADD || c->rule == SERIES_SUB)
        f->stack[top++] = (struct term){c->b, minus ^ (c->rule == SERIES_SUB)};
    f->stack[top++] = (struct term){c->a, minus ^ (c->rule == SERIES_NEGATE)};
    return top;
}

/* What a walk over a sum does. */
enum pass { MARK, PRODUCTS, OTHERS };

/* Marks the parts of the sum and says how many there are, or writes the products, or the others. */
static size_t walk(struct fuse *f, size_t at, enum pass pass) {
    const struct series_code *root = &f->s->code[at];
    size_t top = open_sum(f, 0, root, 0), parts = 0;
    while (top > 0) {
        struct term t = f->stack[--top];
        const struct series_code *c = part_of(f, at, t);
        if (!c) {
            if (pass == OTHERS) put(f, root, t.minus ? SERIES_TERM_LESS : SERIES_TERM, t.jet, 0);
            continue;
        }
        parts++;
        if (pass == MARK) f->taken[c - f->s->code] = 1;
        if (c->rule == SERIES_MUL || c->rule == SERIES_SQUARE || c->rule == SERIES_SCALE) {
            if (pass == (c->rule == SERIES_SCALE ? OTHERS : PRODUCTS)) put_part(f, root, c, t.minus);
        } else top = open_sum(f, top, c, t.minus);
    }
    return parts;
}

static int is_sum(uint32_t rule) {
    return rule == SERIES_ADD || rule == SERIES_SUB || rule == SERIES_NEGATE;
}

static void fuse(struct fuse *f, struct series *s) {
    size_t ahead = 0, early = 0;
    unsigned char *taken = f->taken;
    count_uses(f);
    for (size_t i = s->count; i-- > 0;)
        if (!taken[i] && is_sum(s->code[i].rule) && walk(f, i, MARK) > 0) taken[i] = 2;
    for (size_t i = 0; i < s->count; i++) {
        const struct series_code *c = &s->code[i];
        if (taken[i] == 2) {
            put(f, c, SERIES_OPEN, 0, 0);
            walk(f, i, PRODUCTS);
            walk(f, i, OTHERS);
            put(f, c, SERIES_PUT, 0, 0);
        } else if (!taken[i]) f->out[f->count++] = *c;
        if (i + 1 == s->ahead) ahead = f->count;
        if (i + 1 == s->early) early = f->count;
    }
    s->ahead = ahead;
    s->early = early;
    s->count = f->count;
}

int series_fuse(struct series *s, size_t jets, size_t fixed) {
    size_t values = jets + fixed + 1, codes = s->count + 1;
    struct fuse f = {.s = s,
                     .uses = calloc(values, sizeof *f.uses),
                     .made = calloc(values, sizeof *f.made),
                     .taken = calloc(codes, 1),
                     .stack = malloc(2 * codes * sizeof *f.stack),
                     .out = malloc(3 * codes * sizeof *f.out)};
    int failed = !f.uses || !f.made || !f.taken || !f.stack || !f.out;
    if (!failed) {
        fuse(&f, s);
        struct series_code *old = s->code;
        s->code = f.out;
        f.out = old;
    }
    free(f.uses);
    free(f.made);
    free(f.taken);
    free(f.stack);
    free(f.out);
    return failed ? -1 : 0;
}
