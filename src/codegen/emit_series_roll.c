/* emit_series_roll.c - recurrences that repeat, as C: a function for each class with a loop over its
 * items.
 *
 * Operands that grow evenly from item to item are written as a + b i, others as tables; what goes beside
 * another one is written by it.  So the text depends on the number of classes, but for the tables. */
#include "codegen/emit_series.h"
#include "symbolic/series_roll.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CALLS = 40 }; /* more steps are a table */

/* The operands of a code, by number. */
enum operand { TO, A, B, C, D, E };

/* One operand of one code of a class, over all items: as `lead`, `offset` on. */
struct column {
    uint32_t code;
    enum operand operand;
    int even;
    int64_t base, slope, offset;
    size_t lead;
};

struct loops {
    struct emit *e;
    const char *name, *what;
    const struct series *s;
    const struct series_roll *r;
    const struct series_roll_class *class;
    unsigned number;
    struct column *column;
    size_t columns;
};

static unsigned operands_of(uint32_t rule) {
    enum { t = 1 << TO, a = 1 << A, b = 1 << B, c = 1 << C, d = 1 << D, e = 1 << E };
    static const unsigned char operands[] = {
        [SERIES_ZERO] = t,
        [SERIES_COPY] = t | a,
        [SERIES_NEGATE] = t | a,
        [SERIES_ADD] = t | a | b,
        [SERIES_SUB] = t | a | b,
        [SERIES_SCALE] = t | a | b,
        [SERIES_SHRINK] = t | a | b,
        [SERIES_MUL] = t | a | b | c,
        [SERIES_SQUARE] = t | a | c,
        [SERIES_DIV] = t | a | b | c | d,
        [SERIES_INVERT] = t | b | c | d,
        [SERIES_SQRT] = t | a | c | d,
        [SERIES_POWER] = t | a | b | c | d | e,
        [SERIES_CHAIN] = t | a | b | c | e,
        [SERIES_CHAIN_LESS] = t | a | b | c | e,
        [SERIES_CHAIN_ON] = t | a | b | c | e,
        [SERIES_CHAIN_BY] = t | a | b,
        [SERIES_ABS] = t | a,
        [SERIES_MIN] = t | a | b,
        [SERIES_MAX] = t | a | b,
        [SERIES_MOD] = t | a | b,
        [SERIES_IF] = t | a | b | c,
        [SERIES_OPEN] = 0,
        [SERIES_MORE] = a | b | c,
        [SERIES_LESS] = a | b | c,
        [SERIES_MORE_SQUARE] = a | c,
        [SERIES_TERM] = a,
        [SERIES_TERM_LESS] = a,
        [SERIES_TERM_BY] = a | b,
        [SERIES_TERM_LESS_BY] = a | b,
        [SERIES_PUT] = t,
        [SERIES_TIMES] = t | a,
        [SERIES_STEP] = t | a,
        [SERIES_STEP_AHEAD] = t | a,
    };
    return operands[rule];
}

/* Code number `code` of an item. */
static const struct series_code *code_of(const struct loops *l, size_t item, uint32_t code) {
    return l->r->code + l->r->item[l->class->first + item] + code;
}

static int64_t index_of(const struct loops *l, const struct column *k, size_t item) {
    const struct series_code *c = code_of(l, item, k->code);
    const uint32_t operand[EMIT_OPERANDS] = {c->to, c->a, c->b, c->c, c->d, c->e};
    return operand[k->operand];
}

static void find_growth(const struct loops *l, struct column *k) {
    size_t items = l->class->items;
    k->base = index_of(l, k, 0);
    k->slope = items > 1 ? index_of(l, k, 1) - k->base : 0;
    k->even = 1;
    for (size_t i = 0; i < items && k->even; i++)
        k->even = index_of(l, k, i) == k->base + k->slope * (int64_t)i;
}

/* Is column k another one all along, some way on? */
static int follows(const struct loops *l, const struct column *k, const struct column *lead) {
    int64_t offset = index_of(l, k, 0) - index_of(l, lead, 0);
    for (size_t i = 1; i < l->class->items; i++)
        if (index_of(l, k, i) - index_of(l, lead, i) != offset) return 0;
    return 1;
}

static void find_columns(struct loops *l) {
    l->columns = 0;
    for (uint32_t j = 0; j < l->class->codes; j++)
        for (int o = TO; o <= E; o++) {
            if (!(operands_of(code_of(l, 0, j)->rule) & 1u << o)) continue;
            struct column *k = &l->column[l->columns];
            *k = (struct column){.code = j, .operand = (enum operand)o, .lead = l->columns++};
            find_growth(l, k);
            for (size_t i = 0; i < k->lead && !(k->even && k->slope == 0); i++) {
                const struct column *lead = &l->column[i];
                if (lead->lead != i || lead->even != k->even || (k->even && lead->slope != k->slope))
                    continue;
                if (!k->even && !follows(l, k, lead)) continue;
                k->lead = i;
                k->offset = index_of(l, k, 0) - index_of(l, lead, 0);
            }
        }
}

static void put_tables(const struct loops *l) {
    for (size_t i = 0; i < l->columns; i++) {
        const struct column *k = &l->column[i];
        if (k->even || k->lead != i) continue;
        emit_put(l->e, "static const int %s_%s_%u_%zu[] = {", l->what, l->name, l->number, i);
        for (size_t item = 0; item < l->class->items; item++)
            emit_put(l->e, item % 16 == 15 ? "%lld,\n" : "%lld,", (long long)index_of(l, k, item));
        emit_put(l->e, "};\n");
    }
}

/* The indices of item i. */
static void put_indices(const struct loops *l) {
    for (size_t j = 0; j < l->columns; j++) {
        const struct column *k = &l->column[j];
        if (k->lead != j || (k->even && k->slope == 0)) continue;
        if (k->even)
            emit_put(l->e, "const long b%zu = %lld + %lld * i;\n", j, (long long)k->base,
                     (long long)k->slope);
        else emit_put(l->e, "const long b%zu = %s_%s_%u_%zu[i];\n", j, l->what, l->name, l->number, j);
        emit_put(l->e, "(void)b%zu;\n", j);
    }
}

/* Operand o of code j as text, from column `at` on, where those of the code begin. */
static void name_operand(const struct loops *l, size_t at, uint32_t j, int o, char *text) {
    text[0] = '\0';
    for (; at < l->columns && l->column[at].code == j; at++) {
        const struct column *k = &l->column[at];
        if ((int)k->operand != o) continue;
        if (k->even && k->slope == 0) snprintf(text, EMIT_OPERAND, "%lld", (long long)k->base);
        else if (k->offset == 0) snprintf(text, EMIT_OPERAND, "b%zu", k->lead);
        else snprintf(text, EMIT_OPERAND, "b%zu + %lld", k->lead, (long long)k->offset);
    }
}

static void put_lines(const struct loops *l) {
    for (uint32_t j = 0, at = 0; j < l->class->codes; j++) {
        const struct series_code *c = code_of(l, 0, j);
        struct emit_code line = {.rule = c->rule, .rests = c->a >= l->s->jets};
        char *const text[EMIT_OPERANDS] = {line.to, line.a, line.b, line.c, line.d, line.e};
        for (int o = TO; o <= E; o++) name_operand(l, at, j, o, text[o]);
        emit_series_line(l->e, &line);
        while (at < l->columns && l->column[at].code == j) at++;
    }
}

/* What the sums of an item have of two orders; products are asked for by the numbers of operands. */
static int put_known(const struct loops *l, int count_only) {
    int products = 0;
    for (uint32_t j = 0, at = 0; j < l->class->codes; j++) {
        struct series_product product[2];
        char a[EMIT_OPERAND], b[EMIT_OPERAND], place[EMIT_OPERAND];
        const struct series_code numbered = {code_of(l, 0, j)->rule, TO, A, B, C, D, E};
        int count = series_products(&numbered, product);
        for (int k = 0; k < count && !count_only; k++) {
            name_operand(l, at, j, (int)product[k].a, a);
            name_operand(l, at, j, (int)product[k].b, b);
            name_operand(l, at, j, C, place);
            if (product[k].a == product[k].b)
                emit_put(l->e, "keel_known_square(J(%s), k, G(%s + %d));\n", a, place, k);
            else emit_put(l->e, "keel_known(J(%s), J(%s), k, G(%s + %d));\n", a, b, place, k);
        }
        products += count;
        while (at < l->columns && l->column[at].code == j) at++;
    }
    return products;
}

static const char arguments[] =
    "(double *w, const double *f, double *g, const double *q, int N, int k, void *with) {\n";

static void put_loop(const struct loops *l, int known) {
    emit_put(l->e,
             EMIT_LOOP " static void %s%s_%s_%u(long from, long to, double *w, const double *f, double *g,\n",
             known ? "known_of_" : "", l->what, l->name, l->number);
    emit_put(l->e, "    const double *q, int N, int k) {\nfor (long i = from; i < to; i++) {\n");
    put_indices(l);
    if (known) put_known(l, 0);
    else put_lines(l);
    emit_put(l->e, "}\n(void)w, (void)f, (void)g, (void)q, (void)N, (void)k;\n}\n");
}

/* One step after the other: calls, or a table of them. */
static void put_steps(const struct loops *l) {
    const struct series_roll *r = l->r;
    int calls = r->steps <= MOST_CALLS;
    if (!calls) {
        emit_put(l->e, "static const int steps_%s_%s[] = {", l->what, l->name);
        for (size_t i = 0; i < r->steps; i++)
            emit_put(l->e, i % 8 == 7 ? "%u,%u,%u,\n" : "%u,%u,%u,", r->step[i].class, r->step[i].first,
                     r->step[i].last);
        emit_put(l->e, "};\n");
    }
    emit_put(l->e, "static void %s_%s%s", l->what, l->name, arguments);
    for (size_t i = 0; i < r->steps && calls; i++)
        emit_put(l->e, "%s_%s_%u(%u, %u, w, f, g, q, N, k);\n", l->what, l->name, r->step[i].class,
                 r->step[i].first, r->step[i].last);
    if (!calls) {
        emit_put(l->e,
                 "for (long i = 0; i < %zu; i++) {\nconst int *s = steps_%s_%s + 3 * i;\nswitch (s[0]) {\n",
                 r->steps, l->what, l->name);
        for (uint32_t k = 0; k < r->classes; k++)
            emit_put(l->e, "case %u: %s_%s_%u(s[1], s[2], w, f, g, q, N, k); break;\n", k, l->what, l->name,
                     k);
        emit_put(l->e, "}\n}\n");
    }
    emit_put(l->e, "(void)w, (void)f, (void)g, (void)q, (void)N, (void)k, (void)with;\n}\n");
}

/* The loops of one part; with known, its known_of_WHAT_NAME, too. */
static int put_part(struct loops *l, const char *what, const struct series_roll *r, int known) {
    struct emit *e = l->e;
    char *calls = calloc((size_t)r->classes + 1, 1);
    if (!calls) return -1;
    l->what = what;
    l->r = r;
    for (l->number = 0; l->number < r->classes; l->number++) {
        l->class = &r->class[l->number];
        l->column = malloc(((size_t)l->class->codes * EMIT_OPERANDS + 1) * sizeof *l->column);
        if (!l->column) return free(calls), -1;
        find_columns(l);
        put_tables(l);
        put_loop(l, 0);
        calls[l->number] = known && put_known(l, 1) > 0;
        if (calls[l->number]) put_loop(l, 1);
        free(l->column);
    }
    put_steps(l);
    if (known) {
        emit_put(e, "static void known_of_%s_%s%s", what, l->name, arguments);
        for (unsigned k = 0; k < r->classes; k++)
            if (calls[k])
                emit_put(e, "known_of_%s_%s_%u(0, %u, w, f, g, q, N, k);\n", what, l->name, k,
                         r->class[k].items);
        emit_put(e, "(void)w, (void)f, (void)g, (void)q, (void)N, (void)k, (void)with;\n}\n");
    }
    free(calls);
    return 0;
}

int emit_series_rolled(struct emit *e, const char *name, const struct series *s) {
    struct series_rolls rolls;
    int status = series_rolls_build(&rolls, s);
    if (status < 0) e->failed = e->starved = 1;
    if (status) return status;
    struct loops l = {.e = e, .name = name, .s = s};
    emit_loops(e);
    if (put_part(&l, "ahead", &rolls.ahead, 1) || put_part(&l, "early", &rolls.early, 1) ||
        put_part(&l, "late", &rolls.late, 1) || put_part(&l, "again", &rolls.again, 0))
        e->failed = e->starved = 1;
    series_rolls_free(&rolls);
    emit_put(e, "static void known_ahead_%s%sknown_of_ahead_%s(w, f, g, q, N, k, with);\n}\n", name,
             arguments, name);
    emit_put(e, "static void known_%s%sknown_of_early_%s(w, f, g, q, N, k, with);\n", name, arguments, name);
    emit_put(e, "known_of_late_%s(w, f, g, q, N, k, with);\n}\n", name);
    return e->failed ? -1 : 0;
}
