/* series_tidy.c - a list of recurrences before its sums are fused; see series.h.
 *
 * a + c, c a number, has all coefficients of a but the first: recurrences that do not ask for the first read
 * a itself.  r' = g a' needs g below order k alone, so that the slopes of one argument, such as those of its
 * sine and cosine, can stand side by side: two share a loop then. */
#include "symbolic/series.h"

#include <stdlib.h>
#include <string.h>

/* Operands whose first coefficient is not asked for. */
static int later_orders(uint32_t rule) {
    switch (rule) {
    case SERIES_COPY:
    case SERIES_NEGATE:
    case SERIES_SCALE:
    case SERIES_SHRINK:
    case SERIES_DIV:
    case SERIES_SQRT:
    case SERIES_POWER:
    case SERIES_CHAIN:
    case SERIES_CHAIN_LESS:
    case SERIES_CHAIN_ON:
    case SERIES_CHAIN_BY:
        return SERIES_FIRST;
    case SERIES_ADD:
    case SERIES_SUB:
        return SERIES_FIRST | SERIES_SECOND;
    default:
        return 0;
    }
}

/* source[jet]: the one to read instead. */
static void read_sources(struct series *s, uint32_t *source) {
    for (size_t i = 0; i < s->count; i++) {
        struct series_code *c = &s->code[i];
        int operands = later_orders(c->rule);
        if (operands & SERIES_FIRST) c->a = source[c->a];
        if (operands & SERIES_SECOND) c->b = source[c->b];
        if (c->rule == SERIES_COPY) source[c->to] = c->a;
    }
}

static void drop_copies(struct series *s, uint32_t *used) {
    size_t count = 0, ahead = 0, early = 0;
    for (int i = 0; i < s->rates; i++) used[s->rate[i]] = 1;
    for (int i = 0; i < s->m; i++) used[s->row[i]] = 1;
    for (size_t i = 0; i < s->count; i++) {
        const struct series_code *c = &s->code[i];
        const uint32_t operand[3] = {c->a, c->b, c->c};
        int jets = series_operands(c->rule);
        for (int k = 0; k < 3; k++)
            if (jets & 1 << k) used[operand[k]] = 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct series_code *c = &s->code[i];
        if (c->rule == SERIES_COPY && !used[c->to]) continue;
        ahead += i < s->ahead;
        early += i < s->early;
        s->code[count++] = *c;
    }
    s->count = count;
    s->ahead = ahead;
    s->early = early;
}

static int is_slope(const struct series_code *c) {
    return c->rule == SERIES_CHAIN || c->rule == SERIES_CHAIN_LESS;
}

/* Is code i all that makes its jet? */
static int is_alone(const struct series *s, size_t i, size_t end) {
    return i + 1 == end || s->code[i + 1].to != s->code[i].to;
}

/* The next slope of the same argument moves up to the one before. */
static void bring_together(struct series *s, size_t from, size_t end) {
    for (size_t i = from; i < end; i++) {
        if (!is_slope(&s->code[i]) || !is_alone(s, i, end)) continue;
        for (size_t j = i + 1; j < end; j++) {
            struct series_code other = s->code[j];
            if (!is_slope(&other) || other.a != s->code[i].a || !is_alone(s, j, end)) continue;
            memmove(s->code + i + 2, s->code + i + 1, (j - i - 1) * sizeof other);
            s->code[++i] = other;
            break;
        }
    }
}

int series_tidy(struct series *s, size_t jets, size_t fixed) {
    uint32_t *number = malloc((jets + fixed + 1) * sizeof *number);
    if (!number) return -1;
    for (size_t j = 0; j < jets + fixed; j++) number[j] = (uint32_t)j;
    read_sources(s, number);
    memset(number, 0, (jets + fixed + 1) * sizeof *number);
    drop_copies(s, number);
    bring_together(s, 0, s->ahead);
    bring_together(s, s->ahead, s->early);
    bring_together(s, s->early, s->count);
    free(number);
    return 0;
}
