/* series_tidy.c - a list of recurrences before its sums are fused; see series.h.
 *
 * a + c, c a number, has all coefficients of a but the first: recurrences that do not ask for the first read
 * a itself.  r' = g a' needs g below order k alone, so that the slopes of one argument, such as those of its
 * sine and cosine, can stand side by side: two share a loop then. */
#include "symbolic/series.h"

#include <stdint.h>
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

/* What bringing together takes: by code, behind all, the codes in their new order and one more than the next
 * slope of the same argument (0: there is none); by jet, the last one met. */
struct together {
    struct series_code *sorted;
    size_t *next, *last;
};

/* The next slope of the same argument moves up to the one before. */
static void bring_together(struct series *s, size_t from, size_t end, const struct together *t) {
    size_t at = from;
    for (size_t i = end; i-- > from;) {
        const struct series_code *c = &s->code[i];
        if (!is_slope(c) || !is_alone(s, i, end)) continue;
        t->next[i] = t->last[c->a];
        t->last[c->a] = i + 1;
    }
    for (size_t i = from; i < end; i++) {
        if (is_slope(&s->code[i])) t->last[s->code[i].a] = 0;
        if (t->next[i] == SIZE_MAX) continue; /* it has moved */
        t->sorted[at++] = s->code[i];
        if (!t->next[i]) continue;
        size_t partner = t->next[i] - 1;
        t->sorted[at++] = s->code[partner];
        t->next[partner] = SIZE_MAX;
    }
    if (end > from) memcpy(s->code + from, t->sorted + from, (end - from) * sizeof *s->code);
}

static int all_together(struct series *s, size_t values) {
    struct together t = {.sorted = malloc((s->count + 1) * sizeof *t.sorted),
                         .next = calloc(s->count + 1, sizeof *t.next),
                         .last = calloc(values + 1, sizeof *t.last)};
    int failed = !t.sorted || !t.next || !t.last;
    if (!failed) {
        bring_together(s, 0, s->ahead, &t);
        bring_together(s, s->ahead, s->early, &t);
        bring_together(s, s->early, s->count, &t);
    }
    free(t.sorted);
    free(t.next);
    free(t.last);
    return failed ? -1 : 0;
}

int series_tidy(struct series *s, size_t jets, size_t fixed) {
    uint32_t *number = malloc((jets + fixed + 1) * sizeof *number);
    if (!number) return -1;
    for (size_t j = 0; j < jets + fixed; j++) number[j] = (uint32_t)j;
    read_sources(s, number);
    memset(number, 0, (jets + fixed + 1) * sizeof *number);
    drop_copies(s, number);
    free(number);
    return all_together(s, jets + fixed);
}
