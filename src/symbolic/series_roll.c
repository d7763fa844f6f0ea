/* series_roll.c - recurrences that repeat, as loops; see series_roll.h.
 *
 * A unit is the codes of one jet, a sum with its terms or a recurrence with its copy.  At order k it
 * needs order k of its operands, of the slope of a chain only what is below: so units have levels.  Within
 * a level any order will do, and gives the same bits. */
#include "symbolic/series_roll.h"

#include <stdlib.h>

struct unit {
    size_t code;
    uint32_t codes, level, class;
};

struct roller {
    const struct series *s;
    const struct series_code *code;
    size_t count;
    struct unit *unit;
    size_t units;
    uint32_t *maker; /* by jet and copy, then by x of the next order: one more than the unit that makes it */
    uint32_t *table; /* of classes, by their rules; one more */
    size_t slots;
    size_t *first; /* by class: its first unit */
    uint32_t classes;
};

/* The codes from `at` on that make one jet, and its copy. */
static uint32_t length_of(const struct roller *b, size_t at) {
    const struct series_code *c = b->code + at;
    size_t end = at;
    if (c->rule == SERIES_OPEN)
        while (b->code[end].rule != SERIES_PUT) end++;
    uint32_t jet = b->code[end].to;
    for (end++; end < b->count && b->code[end].rule != SERIES_OPEN; end++) {
        const struct series_code *next = b->code + end;
        if (next->to != jet && !(next->rule == SERIES_TIMES && next->a == jet)) break;
    }
    return (uint32_t)(end - at);
}

/* What of a code must be there at order k. */
static int needs(const struct series_code *c, uint32_t operand[3]) {
    int jets = series_operands(c->rule), count = 0;
    if (c->rule == SERIES_CHAIN || c->rule == SERIES_CHAIN_LESS || c->rule == SERIES_CHAIN_ON)
        jets = SERIES_FIRST;
    if (jets & SERIES_FIRST) operand[count++] = c->a;
    if (jets & SERIES_SECOND) operand[count++] = c->b;
    if (jets & SERIES_THIRD) operand[count++] = c->c;
    return count;
}

/* The place of what a code makes, and of what it needs: x of the next order is read by steps ahead alone. */
static size_t place_made(const struct roller *b, const struct series_code *c) {
    int next = c->rule == SERIES_STEP || c->rule == SERIES_STEP_AHEAD;
    return c->to + (next ? (size_t)b->s->jets + b->s->copies : 0);
}

static size_t place_needed(const struct roller *b, const struct series_code *c, uint32_t operand) {
    return operand + (c->rule == SERIES_STEP_AHEAD ? (size_t)b->s->jets + b->s->copies : 0);
}

static uint32_t level_of(const struct roller *b, const struct unit *u) {
    uint32_t level = 0, operand[3];
    for (size_t i = u->code; i < u->code + u->codes; i++) {
        int count = needs(&b->code[i], operand);
        for (int k = 0; k < count; k++) {
            uint32_t maker = b->maker[place_needed(b, &b->code[i], operand[k])];
            if (maker && b->unit[maker - 1].level >= level) level = b->unit[maker - 1].level + 1;
        }
    }
    return level;
}

/* Rules alone tell a class, and whether x' moves. */
static uint32_t word_of(const struct roller *b, const struct series_code *c) {
    return 2 * c->rule + (c->rule == SERIES_STEP && c->a >= b->s->jets);
}

static int is_same(const struct roller *b, const struct unit *u, const struct unit *v) {
    if (u->codes != v->codes) return 0;
    for (uint32_t i = 0; i < u->codes; i++)
        if (word_of(b, &b->code[u->code + i]) != word_of(b, &b->code[v->code + i])) return 0;
    return 1;
}

static uint32_t class_of(struct roller *b, const struct unit *u) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < u->codes; i++) hash = (hash ^ word_of(b, &b->code[u->code + i])) * 16777619u;
    for (size_t at = hash;; at++) {
        uint32_t *slot = &b->table[at % b->slots];
        if (*slot && !is_same(b, &b->unit[b->first[*slot - 1]], u)) continue;
        if (!*slot) {
            b->first[b->classes] = (size_t)(u - b->unit);
            *slot = ++b->classes;
        }
        return *slot - 1;
    }
}

/* 0; 1: a jet is made twice, and order matters. */
static int find_units(struct roller *b) {
    for (size_t at = 0; at < b->count;) {
        struct unit *u = &b->unit[b->units];
        *u = (struct unit){.code = at, .codes = length_of(b, at)};
        at += u->codes;
        u->level = level_of(b, u);
        u->class = class_of(b, u);
        uint32_t *maker = &b->maker[place_made(b, &b->code[u->code])];
        b->units++;
        if (*maker) return 1;
        *maker = (uint32_t)b->units;
    }
    return 0;
}

static int by_level(const void *a, const void *b) {
    const struct unit *u = a, *v = b;
    if (u->level != v->level) return u->level < v->level ? -1 : 1;
    if (u->class != v->class) return u->class < v->class ? -1 : 1;
    return u->code < v->code ? -1 : u->code > v->code;
}

/* Units of a level and a class are a step; of a class they lie one after the other, step by step. */
static int fill(struct roller *b, struct series_roll *r) {
    uint32_t *at = calloc((size_t)b->classes + 1, sizeof *at);
    r->class = calloc((size_t)b->classes + 1, sizeof *r->class);
    r->step = malloc((b->units + 1) * sizeof *r->step);
    r->item = malloc((b->units + 1) * sizeof *r->item);
    if (!at || !r->class || !r->step || !r->item) return free(at), -1;
    r->classes = b->classes;
    for (size_t i = 0; i < b->units; i++) {
        r->class[b->unit[i].class].items++;
        r->class[b->unit[i].class].codes = b->unit[i].codes;
    }
    for (uint32_t k = 0, first = 0; k < r->classes; k++) {
        r->class[k].first = first;
        first += r->class[k].items;
        r->lines += r->class[k].codes;
    }
    for (size_t i = 0; i < b->units; i++) {
        const struct unit *u = &b->unit[i];
        if (i == 0 || u[-1].level != u->level || u[-1].class != u->class)
            r->step[r->steps++] = (struct series_roll_step){u->class, at[u->class], at[u->class]};
        r->item[r->class[u->class].first + at[u->class]++] = u->code;
        r->step[r->steps - 1].last++;
    }
    free(at);
    return 0;
}

static void roll_free(struct series_roll *r) {
    free(r->class);
    free(r->step);
    free(r->item);
    *r = (struct series_roll){0};
}

/* Of codes from .. end - 1. */
static int roll_part(struct series_roll *r, const struct series *s, size_t from, size_t end) {
    struct roller b = {.s = s, .code = s->code + from, .count = end - from};
    *r = (struct series_roll){.code = b.code};
    b.slots = 2 * b.count + 1;
    b.unit = malloc((b.count + 1) * sizeof *b.unit);
    b.maker = calloc(2 * ((size_t)s->jets + s->copies + s->fixed) + 1, sizeof *b.maker);
    b.table = calloc(b.slots, sizeof *b.table);
    b.first = malloc((b.count + 1) * sizeof *b.first);
    int status = b.unit && b.maker && b.table && b.first ? find_units(&b) : -1;
    if (status == 0) {
        qsort(b.unit, b.units, sizeof *b.unit, by_level);
        status = fill(&b, r);
    }
    free(b.unit);
    free(b.maker);
    free(b.table);
    free(b.first);
    return status;
}

static size_t lines_of(const struct series_rolls *r) {
    return r->ahead.lines + r->early.lines + r->late.lines + r->again.lines;
}

/* A loop has its indices to find: a code must come four times. */
int series_rolls_build(struct series_rolls *r, const struct series *s) {
    size_t count = s->count, all = s->count + s->again;
    *r = (struct series_rolls){0};
    if (series_has_stride(s)) return 1;
    int status = roll_part(&r->ahead, s, 0, s->ahead);
    if (status == 0) status = roll_part(&r->early, s, s->ahead, s->early);
    if (status == 0) status = roll_part(&r->late, s, s->early, count);
    if (status == 0) status = roll_part(&r->again, s, count, all);
    if (status == 0 && 4 * lines_of(r) > all) status = 1;
    if (status) series_rolls_free(r);
    return status;
}

void series_rolls_free(struct series_rolls *r) {
    roll_free(&r->ahead);
    roll_free(&r->early);
    roll_free(&r->late);
    roll_free(&r->again);
}

size_t series_lines(const struct series *s) {
    struct series_rolls r;
    size_t lines = series_rolls_build(&r, s) == 0 ? lines_of(&r) : s->count + s->again;
    series_rolls_free(&r);
    return lines;
}
