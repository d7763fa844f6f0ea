/* dimension.c - see dimension.h. */
#include "lang/dimension.h"

#include "lang/unit.h"

#include <stdlib.h>

struct dimension dimension_unit(const int power[SYNTAX_BASES]) {
    struct dimension out = {.any = 0};
    for (int i = 0; i < SYNTAX_BASES; i++) out.power[i] = power[i];
    return out;
}

struct dimension dimension_second(int times) {
    return (struct dimension){.power = {0, 0, times * SYNTAX_WHOLE}};
}

/* Adds factor/60 of a quantity; what does not fit makes the whole unknown. */
static void add_term(struct dimension *a, int quantity, int factor) {
    int k = 0;
    while (k < a->count && a->term[k].quantity != quantity) k++;
    if (k == DIMENSION_TERMS) a->lost = 1;
    if (a->lost) return;
    if (k == a->count) a->term[a->count++].quantity = quantity, a->term[k].factor = 0;
    a->term[k].factor += factor;
    if (a->term[k].factor == 0) a->term[k] = a->term[--a->count];
}

/* a/60*b, where that is whole. */
static int times(struct dimension *out, int a, int b) {
    long product = (long)a * b;
    if (product % SYNTAX_WHOLE || labs(product) > 1000000) out->lost = 1;
    return (int)(product / SYNTAX_WHOLE);
}

/* Quantities that are known by others are replaced. */
static struct dimension resolved(const struct dimensions *x, struct dimension a) {
    enum { MOST = 200 };
    for (int round = 0; round < MOST && !a.any && !a.lost; round++) {
        int k = 0;
        while (k < a.count && !x->known[a.term[k].quantity]) k++;
        if (k == a.count) return a;
        struct dimension by = *x->known[a.term[k].quantity];
        int factor = a.term[k].factor;
        a.term[k] = a.term[--a.count];
        for (int i = 0; i < SYNTAX_BASES; i++) a.power[i] += times(&a, by.power[i], factor);
        for (int i = 0; i < by.count; i++)
            add_term(&a, by.term[i].quantity, times(&a, by.term[i].factor, factor));
    }
    a.lost = !a.any;
    return a;
}

struct dimension dimension_of(const struct dimensions *x, int quantity) {
    struct dimension a = {.count = 1};
    a.term[0].quantity = quantity;
    a.term[0].factor = SYNTAX_WHOLE;
    return resolved(x, a);
}

static int is_pure(const struct dimension *a) {
    int zero = a->count == 0;
    for (int i = 0; i < SYNTAX_BASES; i++) zero &= a->power[i] == 0;
    return zero;
}

struct dimension dimension_add(const struct dimensions *x, struct dimension a, struct dimension b,
                               int factor) {
    if (a.lost || b.lost) return (struct dimension){.lost = 1};
    if (b.any && !a.any)
        return is_pure(&a) ? b : a; /* 0.25 times a cosine may be a length that nobody named */
    if (a.any && (b.any || is_pure(&b))) return a;
    if (a.any) a = (struct dimension){.any = 0};
    for (int i = 0; i < SYNTAX_BASES; i++) a.power[i] += times(&a, b.power[i], factor);
    for (int i = 0; i < b.count; i++) add_term(&a, b.term[i].quantity, times(&a, b.term[i].factor, factor));
    return resolved(x, a);
}

struct dimension dimension_scale(const struct dimensions *x, struct dimension a, int factor) {
    return a.any || a.lost ? a : dimension_add(x, (struct dimension){.any = 0}, a, factor);
}

/* A quantity of the form that it can be solved for: one with the factor 1, or the only one. */
static int choose(const struct dimension *d) {
    for (int k = 0; k < d->count; k++)
        if (abs(d->term[k].factor) == SYNTAX_WHOLE) return k;
    return d->count == 1 ? 0 : -1;
}

int dimension_same(struct dimensions *x, struct dimension a, struct dimension b) {
    a = resolved(x, a), b = resolved(x, b);
    if (a.any || b.any || a.lost || b.lost) return 1;
    struct dimension d = dimension_add(x, a, b, -SYNTAX_WHOLE);
    int zero = 1, k = choose(&d);
    for (int i = 0; i < SYNTAX_BASES; i++) zero &= d.power[i] == 0;
    if (d.lost || (d.count && k < 0)) return 1;
    if (d.count == 0) return zero;
    int quantity = d.term[k].quantity, factor = d.term[k].factor;
    struct dimension *known = pool_take(x->pool, sizeof *known);
    if (!known) return 1;
    d.term[k] = d.term[--d.count];
    *known = d;
    for (int i = 0; i < SYNTAX_BASES; i++) {
        long top = -(long)d.power[i] * SYNTAX_WHOLE;
        if (top % factor) return 0;
        known->power[i] = (int)(top / factor);
    }
    for (int i = 0; i < d.count; i++) known->term[i].factor = -d.term[i].factor * SYNTAX_WHOLE / factor;
    x->known[quantity] = known;
    return 1;
}

int dimension_print(const struct dimensions *x, struct dimension a, char *out, size_t capacity) {
    a = resolved(x, a);
    if (a.any || a.lost || a.count) return 0;
    unit_print(a.power, out, capacity);
    return 1;
}
