/* emit_roll.c - rolled programs as C: a function for each class of items, a loop over its runs with a loop
 * over the items of each.
 *
 * Indices that grow evenly from run to run are written as a + b r, others as tables.  So the text depends on
 * the number of classes, but for the tables. */
#include "codegen/emit.h"
#include "symbolic/roll.h"

#include <stdio.h>
#include <stdlib.h>

/* Values beyond these are not for the stack; steps beyond these are a table. */
enum { MOST_LOCAL = 4096, MOST_CALLS = 40 };

/* A column is that of another one all along, `offset` on. */
struct link {
    uint32_t lead;
    int64_t offset;
};

struct writer {
    struct emit *e;
    const char *name;
    const struct roll *r;
    const struct roll_class *c;
    uint32_t class;
    struct link *link; /* per column */
};

/* How a list of indices grows: evenly, or not. */
struct growth {
    int even;
    int64_t base, slope;
};

static struct growth growth_of(const uint32_t *index, uint32_t count, uint32_t columns) {
    struct growth g = {1, index[0], count > 1 ? (int64_t)index[columns] - index[0] : 0};
    for (uint32_t i = 0; i < count && g.even; i++)
        g.even = index[(size_t)i * columns] == (uint32_t)(g.base + g.slope * i);
    return g;
}

/* Columns that go the same way share one index: the components of a vector, the place of a body and that of
 * its force. */
static void find_links(struct writer *w) {
    const struct roll_class *c = w->c;
    for (uint32_t k = 0; k < c->columns; k++) {
        w->link[k] = (struct link){k, 0};
        for (uint32_t j = 0; j < k && w->link[k].lead == k; j++) {
            if (w->link[j].lead != j || c->stride[j] != c->stride[k]) continue;
            int64_t offset = (int64_t)c->base[k] - c->base[j];
            int along = c->place[j] != ROLL_TIME && c->place[k] != ROLL_TIME;
            for (uint32_t r = 1; r < c->runs && along; r++) {
                const uint32_t *base = c->base + (size_t)r * c->columns;
                along = (int64_t)base[k] - base[j] == offset;
            }
            if (along) w->link[k] = (struct link){j, offset};
        }
    }
}

static void put_table(struct writer *w, const char *what, const uint32_t *index, uint32_t count,
                      uint32_t columns) {
    emit_put(w->e, "static const int %s_%s_%u[] = {", what, w->name, w->class);
    for (uint32_t i = 0; i < count; i++)
        emit_put(w->e, i % 16 == 15 ? "%u,\n" : "%u,", index[(size_t)i * columns]);
    emit_put(w->e, "};\n");
}

/* An index of a run, declared as `name`.  It is as wide as an address. */
static void put_index(struct writer *w, const char *name, struct growth g) {
    if (!g.even) emit_put(w->e, "const long %s = %s_%s_%u[r];\n", name, name, w->name, w->class);
    else if (g.slope == 0) emit_put(w->e, "const long %s = %lld;\n", name, (long long)g.base);
    else emit_put(w->e, "const long %s = %lld + %lld * r;\n", name, (long long)g.base, (long long)g.slope);
}

static const char *array_of(enum roll_place place) {
    switch (place) {
    case ROLL_STATE:
        return "u";
    case ROLL_PARAMETER:
        return "p";
    case ROLL_NUMBER:
        return "numbers_";
    case ROLL_OUT:
        return "out";
    default:
        return "w";
    }
}

/* A column's place in memory. */
static void put_place(struct writer *w, uint32_t k) {
    enum roll_place place = (enum roll_place)w->c->place[k];
    emit_put(w->e, "%s%s", array_of(place), place == ROLL_NUMBER ? w->name : "");
    emit_put(w->e, "[b%u", w->link[k].lead);
    if (w->link[k].offset) emit_put(w->e, " + %lld", (long long)w->link[k].offset);
    if (w->c->stride[k]) emit_put(w->e, " + %d * k", (int)w->c->stride[k]);
    emit_put(w->e, "]");
}

/* Leaves that are the same for all items of a run stand before its loop. */
static void put_leaves(struct writer *w, int moving) {
    const struct roll_class *c = w->c;
    for (uint32_t k = 0; k < c->leaves; k++) {
        char number[EMIT_NUMBER];
        if ((c->stride[k] != 0) != moving) continue;
        struct growth g = growth_of(c->base + k, c->runs, c->columns);
        emit_put(w->e, "const double l%u = ", k);
        if (c->place[k] == ROLL_TIME) emit_put(w->e, "t");
        else if (c->place[k] == ROLL_NUMBER && !moving && g.even && g.slope == 0) {
            emit_number(number, sizeof number, w->r->number[g.base]);
            emit_put(w->e, "%s", number);
        } else put_place(w, k);
        emit_put(w->e, ";\n");
    }
}

static void put_results(struct writer *w) {
    const struct roll_class *c = w->c;
    for (uint32_t k = c->leaves; k < c->columns; k++) {
        char sign = c->place[k] == ROLL_ADD ? '+' : '-';
        if (c->held[k]) {
            emit_put(w->e, "s%u = s%u %c o%u;\n", k, k, sign, k - c->leaves);
            continue;
        }
        put_place(w, k);
        emit_put(w->e, " = ");
        if (c->place[k] >= ROLL_ADD) {
            put_place(w, k);
            emit_put(w->e, " %c ", sign);
        }
        emit_put(w->e, "o%u;\n", k - c->leaves);
    }
}

/* Loads and stores of the sums that are held during a run. */
static void put_held(struct writer *w, int load) {
    const struct roll_class *c = w->c;
    for (uint32_t k = c->leaves; k < c->columns; k++) {
        if (!c->held[k]) continue;
        if (load) emit_put(w->e, "double s%u = ", k);
        put_place(w, k);
        emit_put(w->e, load ? ";\n" : " = s%u;\n", k);
    }
}

/* Tables and loop of one class. */
static int put_class(struct writer *w) {
    const struct roll_class *c = w->c;
    struct emit *e = w->e;
    struct growth length = growth_of(c->length, c->runs, 1);
    int alone = length.even && length.base == 1 && length.slope == 0; /* one item a run */
    char name[32];
    find_links(w);
    if (!length.even) put_table(w, "n", c->length, c->runs, 1);
    for (uint32_t k = 0; k < c->columns; k++) {
        snprintf(name, sizeof name, "b%u", k);
        if (w->link[k].lead == k && !growth_of(c->base + k, c->runs, c->columns).even)
            put_table(w, name, c->base + k, c->runs, c->columns);
    }
    emit_put(e, EMIT_LOOP " static void loop_%s_%u(long from, long to, double t,\n", w->name, w->class);
    emit_put(e,
             "    const double *restrict u, const double *restrict p, double *restrict w,\n"
             "    double *restrict out%s) {\nfor (long r = from; r < to; r++) {\n",
             emit_tables(e, ", const double *const *q"));
    if (!alone) put_index(w, "n", length);
    for (uint32_t k = 0; k < c->columns; k++) {
        snprintf(name, sizeof name, "b%u", k);
        if (w->link[k].lead == k) put_index(w, name, growth_of(c->base + k, c->runs, c->columns));
    }
    put_leaves(w, 0);
    put_held(w, 1);
    emit_put(e, alone ? "enum { k = 0 };\n{\n" : "for (long k = 0; k < n; k++) {\n");
    put_leaves(w, 1);
    for (uint32_t k = c->leaves; k < c->columns; k++) emit_put(e, "double o%u;\n", k - c->leaves);
    if (emit_body(e, &c->body)) return -1;
    put_results(w);
    emit_put(e, "}\n");
    put_held(w, 0);
    emit_put(e, "}\n(void)t, (void)u, (void)p, (void)w, (void)out%s;\n}\n", emit_tables(e, ", (void)q"));
    return e->failed ? -1 : 0;
}

static const char *arguments(const struct emit *e) {
    return e->tables ? "t, u, p, w, out, q" : "t, u, p, w, out";
}

/* One call after the other, or a table of them. */
static void put_steps(struct emit *e, const char *name, const struct roll *r) {
    if (r->steps <= MOST_CALLS) {
        for (uint32_t i = 0; i < r->steps; i++)
            emit_put(e, "loop_%s_%u(%u, %u, %s);\n", name, r->step[i].class, r->step[i].first,
                     r->step[i].last, arguments(e));
        return;
    }
    emit_put(e, "for (int i = 0; i < %u; i++) {\nconst int *s = steps_%s + 3 * i;\nswitch (s[0]) {\n",
             r->steps, name);
    for (uint32_t k = 0; k < r->classes; k++)
        emit_put(e, "case %u: loop_%s_%u(s[1], s[2], %s); break;\n", k, name, k, arguments(e));
    emit_put(e, "}\n}\n");
}

static void put_tables(struct emit *e, const char *name, const struct roll *r) {
    char number[EMIT_NUMBER];
    if (r->numbers) {
        emit_put(e, "static const double numbers_%s[] = {", name);
        for (uint32_t i = 0; i < r->numbers; i++) {
            emit_number(number, sizeof number, r->number[i]);
            emit_put(e, i % 4 == 3 ? "%s,\n" : "%s,", number);
        }
        emit_put(e, "};\n");
    }
    if (r->steps <= MOST_CALLS) return;
    emit_put(e, "static const int steps_%s[] = {", name);
    for (uint32_t i = 0; i < r->steps; i++)
        emit_put(e, i % 8 == 7 ? "%u,%u,%u,\n" : "%u,%u,%u,", r->step[i].class, r->step[i].first,
                 r->step[i].last);
    emit_put(e, "};\n");
}

/* Where loads and stores of a loop go at different strides, gcc 12 (ivopts) writes one address in terms of
 * the other, no longer knows that it points into w or out, takes the function for one without effects, and
 * leaves its calls out. */
static const char prologue[] = "void *malloc(__SIZE_TYPE__);\nvoid free(void *);\n"
                               "#if defined __GNUC__ && !defined __clang__\n"
                               "#define " EMIT_LOOP " __attribute__((noinline, optimize(\"no-ivopts\")))\n"
                               "#else\n#define " EMIT_LOOP " __attribute__((noinline))\n#endif\n";

void emit_loops(struct emit *e) {
    if (!e->rolls++) emit_put(e, "%s", prologue);
}

int emit_roll(struct emit *e, const char *head, const char *name, const struct roll *r) {
    emit_loops(e);
    put_tables(e, name, r);
    for (uint32_t k = 0; k < r->classes; k++) {
        struct writer w = {.e = e, .name = name, .r = r, .c = &r->class[k], .class = k};
        w.link = malloc((w.c->columns + 1) * sizeof *w.link);
        if (!w.link) e->failed = e->starved = 1;
        int failed = !w.link || put_class(&w);
        free(w.link);
        if (failed) return -1;
    }
    int local = r->values <= MOST_LOCAL;
    emit_put(e, "%s%s(double t, const double *restrict u, double *restrict out, void *user) {\n", head, name);
    emit_put(e, "const double *restrict p = *(const double *const *)user;\n");
    emit_put(e, "%s", emit_tables(e, EMIT_TABLES));
    if (local) emit_put(e, "double w[%u];\n", r->values + 1);
    else emit_put(e, "double *w = malloc(%u * sizeof *w);\nif (!w) return -1;\n", r->values);
    if (r->sums) emit_put(e, "for (int i = 0; i < %u; i++) w[i] = -0.0;\n", r->sums);
    put_steps(e, name, r);
    emit_put(e, "%s(void)t, (void)u, (void)p, (void)out%s;\nreturn 0;\n}\n", local ? "" : "free(w);\n",
             emit_tables(e, ", (void)q"));
    return e->failed ? -1 : 0;
}
