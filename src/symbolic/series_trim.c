/* series_trim.c - what a list of recurrences can do without; see series.h. */
#include "symbolic/series.h"

#include <stdlib.h>

enum { FIRST = SERIES_FIRST, SECOND = SERIES_SECOND, THIRD = SERIES_THIRD };

int series_operands(uint32_t rule) {
    switch (rule) {
    case SERIES_ZERO:
    case SERIES_OPEN:
    case SERIES_PUT:
        return 0;
    case SERIES_ADD:
    case SERIES_SUB:
    case SERIES_MUL:
    case SERIES_DIV:
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
    case SERIES_MIN:
    case SERIES_MAX:
    case SERIES_MOD:
    case SERIES_MORE:
    case SERIES_LESS:
        return FIRST | SECOND;
    case SERIES_INVERT:
        return SECOND;
    case SERIES_IF:
        return FIRST | SECOND | THIRD;
    default:
        return FIRST;
    }
}

void series_reach(const struct series *s, size_t end, uint32_t *needed) {
    for (int more = 1; more;) {
        more = 0;
        for (size_t i = end; i-- > 0;) {
            const struct series_code *c = &s->code[i];
            const uint32_t operand[3] = {c->a, c->b, c->c};
            int jets = needed[c->to] ? series_operands(c->rule) : 0;
            for (int k = 0; k < 3; k++) {
                if (!(jets & 1 << k) || needed[operand[k]]) continue;
                needed[operand[k]] = 1;
                more = 1;
            }
        }
    }
}

/* number[j]: not 0 for the jets that x', the rows, or others of them are made of. */
static void mark_used(const struct series *s, uint32_t *number) {
    for (int i = 0; i <= s->n + s->m; i++) number[i] = 1;
    for (int i = 0; i < s->rates; i++) number[s->rate[i]] = 1;
    for (int i = 0; i < s->m; i++) number[s->row[i]] = 1;
    series_reach(s, s->count, number);
}

/* Jets that nothing needs go: those of sqrt(a) where only 1/sqrt(a)^3 is asked for. */
static int drop_unused(struct series *s, size_t *jets_left, expr *jet, size_t fixeds) {
    size_t kept = 0, ahead = 0, early = 0, count = 0, all = *jets_left;
    uint32_t *number = calloc(all + fixeds + 1, sizeof *number);
    if (!number) return -1;
    mark_used(s, number);
    for (size_t j = 0; j < all; j++) {
        if (!number[j]) continue;
        jet[kept] = jet[j];
        number[j] = (uint32_t)kept++;
    }
    for (size_t j = 0; j < fixeds; j++) number[all + j] = (uint32_t)(kept + j);
    for (size_t i = 0; i < s->count; i++) {
        struct series_code c = s->code[i];
        int jets = series_operands(c.rule);
        if (c.to > (uint32_t)(s->n + s->m) && !number[c.to]) continue;
        c.to = number[c.to];
        if (jets & FIRST) c.a = number[c.a];
        if (jets & SECOND) c.b = number[c.b];
        if (jets & THIRD) c.c = number[c.c];
        ahead += i < s->ahead;
        early += i < s->early;
        s->code[count++] = c;
    }
    for (int i = 0; i < s->rates; i++) s->rate[i] = (int)number[s->rate[i]];
    for (int i = 0; i < s->m; i++) s->row[i] = (int)number[s->row[i]];
    s->count = count;
    s->ahead = ahead;
    s->early = early;
    *jets_left = kept;
    free(number);
    return 0;
}

int series_products(const struct series_code *c, struct series_product product[2]) {
    switch (c->rule) {
    case SERIES_MUL:
    case SERIES_MORE:
    case SERIES_LESS:
        product[0] = (struct series_product){c->a, c->b};
        return 1;
    case SERIES_SQUARE:
    case SERIES_MORE_SQUARE:
        product[0] = (struct series_product){c->a, c->a};
        return 1;
    case SERIES_DIV:
    case SERIES_INVERT:
        product[0] = (struct series_product){c->to, c->b};
        return 1;
    case SERIES_SQRT:
        product[0] = (struct series_product){c->to, c->to};
        return 1;
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
        product[0] = (struct series_product){c->b, c->e};
        return 1;
    case SERIES_POWER:
        product[0] = (struct series_product){c->e, c->to};
        product[1] = (struct series_product){c->a, c->to};
        return 2;
    default:
        return 0;
    }
}

static void place_sums(struct series *s) {
    struct series_product product[2];
    for (size_t i = 0; i < s->count; i++) {
        int count = series_products(&s->code[i], product);
        if (count) s->code[i].c = s->sums;
        s->sums += (uint32_t)count;
    }
}

/* Which operands are read below order k, and whether the result is. */
static int remembered(uint32_t rule, int *result) {
    *result = rule == SERIES_DIV || rule == SERIES_INVERT || rule == SERIES_SQRT || rule == SERIES_POWER;
    switch (rule) {
    case SERIES_MUL:
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
    case SERIES_MORE:
    case SERIES_LESS:
        return FIRST | SECOND;
    case SERIES_SQUARE:
    case SERIES_MORE_SQUARE:
    case SERIES_POWER:
        return FIRST;
    case SERIES_DIV:
    case SERIES_INVERT:
        return SECOND;
    default:
        return 0;
    }
}

/* What must be right at all orders: what x' is, what is remembered, and what these are made of. */
static int list_again(struct series *s, size_t values) {
    unsigned char *right = calloc(values + 1, 1);
    struct series_code *more = realloc(s->code, (2 * s->count + 1) * sizeof *more);
    if (more) s->code = more;
    if (!right || !more) return free(right), -1;
    for (int i = 0; i < s->rates; i++) right[s->rate[i]] = 1;
    for (size_t i = 0; i < s->count; i++) {
        const struct series_code *c = &s->code[i];
        int result, jets = remembered(c->rule, &result);
        if (result) right[c->to] = 1;
        if (jets & FIRST) right[c->a] = 1;
        if (jets & SECOND) right[c->b] = 1;
    }
    for (size_t i = s->count; i-- > s->early;) {
        const struct series_code *c = &s->code[i];
        int jets = right[c->to] ? series_operands(c->rule) : 0;
        if (jets & FIRST) right[c->a] = 1;
        if (jets & SECOND) right[c->b] = 1;
        if (jets & THIRD) right[c->c] = 1;
    }
    for (size_t i = s->early; i < s->count; i++)
        if (right[s->code[i].to]) s->code[s->count + s->again++] = s->code[i];
    free(right);
    return 0;
}

int series_trim(struct series *s, size_t *jets, expr *jet, size_t fixed) {
    if (drop_unused(s, jets, jet, fixed)) return -1;
    place_sums(s);
    return list_again(s, *jets + fixed);
}
