/* branches.c - see branches.h. */
#include "model/branches.h"

#include "base/text.h"
#include "linalg/dense.h"
#include "model/blocks.h"
#include "model/diagnostics.h"
#include "model/functions.h"
#include "model/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 480, TWICE = 3 /* singular points of a branch that prove it */, WIDEST = 400 };
#define WORK 1e8 /* operations of a check */

int branches_find(struct formulation *r) {
    const struct derive_sparse *j = &r->y->s.jacobian;
    struct graph *g = &r->y->m->graph;
    int found = 0, n = r->y->s.n, entries = n && j->row_start ? j->row_start[n] : 0;
    if (!(formulation_traits(r) & KEEL_FIRST_ORDER)) return 1;
    for (int e = 0; e < entries && !found; e++) found = surface_found(g, j->value[e]);
    if (!found) return !g->failed;
    r->regular = pool_take(r->pool, ((size_t)entries + 1) * sizeof *r->regular);
    if (!r->regular) return 0;
    for (int e = 0; e < entries; e++) {
        expr value = formulation_resolve(r, j->value[e]);
        if (value == EXPR_NONE) return 0;
        r->regular[e] = value;
    }
    r->regulars = entries;
    return 1;
}

int branches_open(struct branches *b, const struct formulation *r) {
    const struct structure *s = &r->y->s;
    size_t n = (size_t)s->n + 1;
    expr missing;
    *b = (struct branches){.formulation = r};
    if (r->regulars == 0) return 1;
    b->row = pool_take(r->pool, n * sizeof *b->row);
    b->first = pool_take(r->pool, n * sizeof *b->first);
    b->number = pool_take(r->pool, n * sizeof *b->number);
    if (r->pool->refused) return 0;
    b->blocks = blocks_find(s->n, s->jacobian.row_start, s->jacobian.column, s->match, b->row, b->first);
    if (b->blocks < 0 || functions_tape(r, (size_t)r->regulars, r->regular, &b->entries, &missing)) return 0;
    for (int k = 0; k < b->blocks; k++)
        for (int i = b->first[k]; i < b->first[k + 1]; i++) b->number[s->match[b->row[i]]] = i - b->first[k];
    b->there = 1;
    return 1;
}

void branches_close(struct branches *b) {
    tape_free(&b->entries);
    *b = (struct branches){0};
}

/* Which equation of a block is to blame: one that has branches. */
static int with_branches(const struct branches *b, int block) {
    const struct structure *s = &b->formulation->y->s;
    struct graph *g = &b->formulation->y->m->graph;
    for (int k = b->first[block]; k < b->first[block + 1]; k++)
        if (surface_found(g, s->equation[b->row[k]])) return b->row[k];
    return b->row[b->first[block]];
}

/* A column for row k among those whose entries are not 0; 0: none is left.  owner: by column, 1 + its row. */
static int find_column(int count, const double *matrix, int k, int *owner, unsigned char *seen) {
    for (int c = 0; c < count; c++) {
        if (matrix[(size_t)k * (size_t)count + (size_t)c] == 0 || seen[c]) continue;
        seen[c] = 1;
        if (owner[c] && !find_column(count, matrix, owner[c] - 1, owner, seen)) continue;
        owner[c] = k + 1;
        return 1;
    }
    return 0;
}

/* Do zeros alone make it singular: is there no entry for each row in a column of its own? */
static int lacks_entries(int count, const double *matrix, int *owner) {
    unsigned char seen[WIDEST];
    memset(owner, 0, (size_t)count * sizeof *owner);
    for (int k = 0; k < count; k++) {
        memset(seen, 0, sizeof seen);
        if (!find_column(count, matrix, k, owner, seen)) return 1;
    }
    return 0;
}

/* A block of J is singular; 0: it is not, or not finite, which is another matter. */
static int block_is_singular(const struct branches *b, int block, const double *entry, int by_zeros,
                             double *matrix, int *pivot) {
    const struct structure *s = &b->formulation->y->s;
    int first = b->first[block], count = b->first[block + 1] - first;
    memset(matrix, 0, (size_t)count * (size_t)count * sizeof *matrix);
    for (int k = 0; k < count; k++) {
        int i = b->row[first + k];
        for (int e = s->jacobian.row_start[i]; e < s->jacobian.row_start[i + 1]; e++) {
            int column = s->jacobian.column[e], at = b->number[column];
            if (!isfinite(entry[e])) return 0;
            if (at < count && s->match[b->row[first + at]] == column)
                matrix[(size_t)k * (size_t)count + (size_t)at] = entry[e];
        }
    }
    return by_zeros ? lacks_entries(count, matrix, pivot) : dense_lu(count, matrix, pivot, NULL) != 0;
}

int branches_singular(const struct branches *b, double t, const double *u, const double *parameter,
                      int by_zeros) {
    int wide = 1, found = -1;
    for (int k = 0; k < b->blocks; k++) {
        int count = b->first[k + 1] - b->first[k];
        if (count <= WIDEST && wide < count) wide = count;
    }
    double *entry = malloc(((size_t)b->formulation->regulars + (size_t)wide * (size_t)wide) * sizeof *entry);
    int *pivot = malloc((size_t)wide * sizeof *pivot);
    if (!entry || !pivot || tape_call(&b->entries, t, u, parameter, entry)) found = -2;
    for (int k = 0; k < b->blocks && found == -1; k++)
        if (b->first[k + 1] - b->first[k] <= WIDEST &&
            block_is_singular(b, k, entry, by_zeros, entry + b->formulation->regulars, pivot))
            found = k;
    free(entry);
    free(pivot);
    return found >= 0 ? b->formulation->y->s.row[with_branches(b, found)] : found;
}

/* Where points are looked for: what `init` and `guess` say, 0 where they are silent. */
static void take_start(const struct formulation *r, double t, double *u) {
    struct model *m = r->y->m;
    const struct model_givens *lists[] = {&m->guess, &m->init};
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            const struct model_given *one = &lists[l]->list[k];
            int place = one->target == EXPR_NONE ? -1 : formulation_find(r, one->target);
            double value = place >= 0 ? model_number(m, one->value, t) : 0;
            if (place >= 0 && isfinite(value)) u[place] = value;
        }
}

static double uniform(uint64_t *state) { /* in -1 .. 1 */
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* What is known of one choice of branches. */
struct choice {
    uint64_t sides;
    int regular, singular, equation;
};

static uint64_t hash_of(const double *side, int count) {
    uint64_t h = 14695981039346656037u;
    for (int k = 0; k < count; k++)
        h = (h ^ (uint64_t)(int64_t)fmin(fmax(side[k], -1e9), 1e9)) * 1099511628211u;
    return h;
}

static void note(struct choice *list, int *count, uint64_t sides, int equation) {
    int k = 0;
    while (k < *count && list[k].sides != sides) k++;
    if (k == *count) list[(*count)++] = (struct choice){.sides = sides};
    if (equation < 0) list[k].regular++;
    else list[k].singular++, list[k].equation = equation;
}

/* A choice that is singular wherever one looks, while another is not; its equation, or -1. */
static int singular_choice(const struct choice *list, int count) {
    int regular = 0;
    for (int k = 0; k < count; k++) regular += list[k].regular;
    for (int k = 0; k < count && regular; k++)
        if (list[k].regular == 0 && list[k].singular >= TWICE) return list[k].equation;
    return -1;
}

static int sample(const struct branches *b, const struct tape *event, const double span[2],
                  const double *start, double *u, double *parameter, struct choice *list, int *count) {
    static const double radius[] = {1e-3, 0.1, 1, 4, 30};
    const struct formulation *r = b->formulation;
    const struct model *m = r->y->m;
    uint64_t seed = 20260;
    double each = 10. * r->regulars;
    for (int k = 0; k < b->blocks; k++) each += pow(b->first[k + 1] - b->first[k], 3);
    int samples = (int)fmin(SAMPLES, fmax(WORK / each, 10));
    for (int k = 0; k < samples; k++) {
        double t = span[0] + (span[1] - span[0]) * 0.5 * (1 + uniform(&seed)), away = radius[k % 5];
        if (!isfinite(t)) t = 0;
        for (int i = 0; i < r->n + r->m; i++)
            u[i] = start[i] + away * uniform(&seed) * (start[i] != 0 ? fabs(start[i]) : 1);
        if (!surface_sides(r, event, t, u, parameter)) return 0;
        int equation = branches_singular(b, t, u, parameter, 0);
        if (equation == -2) return 0;
        note(list, count, hash_of(parameter + m->parameters + m->helds, r->surfaces), equation);
    }
    return 1;
}

int branches_check(const struct branches *b, const struct tape *event, const double span[2],
                   const double *parameter, int parameters) {
    const struct formulation *r = b->formulation;
    if (!b->there) return 1;
    size_t all = (size_t)(r->n + r->m) + 1, numbers = (size_t)parameters;
    double *u = calloc(2 * all + numbers + (size_t)formulation_sides(r) + 1, sizeof *u);
    struct choice *list = calloc(SAMPLES + 1, sizeof *list);
    int count = 0, good = u && list && expr_spend(&r->y->m->graph, (double)SAMPLES * r->regulars * 100);
    if (good) {
        memcpy(u + 2 * all, parameter, numbers * sizeof *u);
        take_start(r, span[0], u);
        good = sample(b, event, span, u, u + all, u + 2 * all, list, &count);
    }
    int equation = good ? singular_choice(list, count) : -1;
    free(u);
    free(list);
    if (!good) return diagnostics_memory(r->messages);
    if (equation < 0) return 1;
    char text[400];
    struct syntax_span at = r->y->origin[equation].where;
    branches_sentence(b, equation, text, sizeof text);
    source_hint(source_diagnose(r->messages, SOURCE_ERROR, at.offset, at.length, "%s.", text),
                "Write two modes instead, each with its own equation, and an event that goes from one to the "
                "other.");
    return 0;
}

void branches_sentence(const struct branches *b, int equation, char *out, size_t capacity) {
    const struct system *y = b->formulation->y;
    char label[220], name[200] = "";
    system_label(y, equation, 0, label, sizeof label);
    for (int i = 0; i < y->s.n; i++)
        if (y->s.row[i] == equation)
            model_name(y->m, y->unknown[y->s.column[y->s.match[i]]], name, sizeof name);
    text_set(out, capacity,
             "a branch of %s changes the index of the equations: without the other branches they do not "
             "determine `%s`",
             label, name);
}
