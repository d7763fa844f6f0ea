/* write.c - see write.h. */
#include "discover/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows ---------------------------------------------------------------------------------------- */

struct writing {
    char *text;
    size_t length, capacity;
    int failed;
};

static void put(struct writing *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writing *w, const char *format, ...) {
    for (int round = 0; round < 2 && !w->failed; round++) {
        va_list args;
        va_start(args, format);
        int more = vsnprintf(w->text ? w->text + w->length : NULL, w->capacity - w->length, format, args);
        va_end(args);
        if (w->length + (size_t)more < w->capacity) {
            w->length += (size_t)more;
            return;
        }
        size_t capacity = 2 * (w->length + (size_t)more) + 64;
        char *wider = realloc(w->text, capacity);
        w->failed = !wider;
        if (wider) w->text = wider, w->capacity = capacity;
    }
}

/* Coefficients ------------------------------------------------------------------------------------------- */

static int64_t divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return llabs(a);
}

/* Fractions to integers without a common divisor, as far as they stay short; bottom: what is left below.  1;
 * 0: one is no plain fraction. */
static int integers(int count, const residue *c, int64_t *top, int64_t *bottom) {
    const int64_t most = (int64_t)1 << 40;
    int64_t multiple = 1, common = 0;
    residue scale = count ? residue_inverse(c[0]) : 1; /* one of them is 1 */
    for (int k = 0; k < count; k++) {
        if (!residue_fraction(residue_mul(c[k], scale), &top[k], &bottom[k])) return 0;
        int64_t more = bottom[k] / divisor(multiple, bottom[k]);
        if (multiple > 0) multiple = multiple < most / more ? multiple * more : -1;
    }
    for (int k = 0; k < count && multiple > 0; k++)
        if (llabs(top[k]) >= most / (multiple / bottom[k])) multiple = -1;
    if (multiple < 0) return 1;
    for (int k = 0; k < count; k++) {
        top[k] *= multiple / bottom[k];
        bottom[k] = 1;
        common = divisor(common, top[k]);
    }
    for (int k = 0; k < count; k++) top[k] /= common;
    return 1;
}

/* Terms -------------------------------------------------------------------------------------------------- */

/* The sign and the size of a coefficient; has anything been written behind the sign? */
static int put_number(struct writing *w, int first, int sign, int64_t top, int64_t bottom, int alone) {
    int minus = (top < 0) != (sign < 0);
    if (first && minus) put(w, "-");
    else if (!first) put(w, minus ? " - " : " + ");
    if (llabs(top) == 1 && bottom == 1 && !alone) return 0;
    put(w, "%lld", (long long)llabs(top));
    if (bottom != 1) put(w, "/%lld", (long long)bottom);
    return 1;
}

static int put_factor(struct writing *w, int any, const char *name, int power) {
    put(w, any ? "*%s" : "%s", name);
    if (power > 1) put(w, "^%d", power);
    return 1;
}

static void put_term(struct search *s, struct writing *w, const struct search_term *t, int first, int sign,
                     int64_t top, int64_t bottom) {
    int *power = calloc((size_t)s->gens.count + (size_t)s->family.generators + 1, sizeof *power);
    int above = t->family > 0;
    if (!power) {
        w->failed = 1;
        return;
    }
    monomial_powers(&s->basis, t->monomial, power);
    for (int k = 0; k < s->gens.count; k++) above |= power[k] && !s->gens.list[k].reciprocal;
    int any = put_number(w, first, sign, top, bottom, !above);
    if (t->family > 0) {
        int *of = power + s->gens.count;
        monomial_powers(&s->family, t->family, of);
        for (int k = 0; k < s->family.generators; k++)
            if (of[k]) any = put_factor(w, any, s->y->m->parameter[s->parameter[k]].label.text, of[k]);
    }
    for (int k = 0; k < s->gens.count; k++)
        if (power[k] && !s->gens.list[k].reciprocal) any = put_factor(w, any, s->gens.list[k].text, power[k]);
    for (int k = 0; k < s->gens.count; k++) {
        if (!power[k] || !s->gens.list[k].reciprocal) continue;
        put(w, "/%s", s->gens.list[k].text);
        if (power[k] > 1) put(w, "^%d", power[k]);
    }
    free(power);
}

static char *done(struct search *s, struct writing *w) {
    if (!w->failed) return w->text;
    s->starved = 1;
    free(w->text);
    return NULL;
}

/* The highest degree comes first. */
char *write_invariant(struct search *s, const struct search_found *f) {
    size_t count = (size_t)f->terms + 1;
    residue *c = calloc(count, sizeof *c);
    int64_t *top = calloc(count, sizeof *top), *bottom = calloc(count, sizeof *bottom);
    struct writing w = {0};
    int first = 1, sign = 0, plain;
    w.failed = !c || !top || !bottom;
    for (int k = 0; k < f->terms && c; k++) c[k] = f->term[k].coefficient;
    plain = !w.failed && integers(f->terms, c, top, bottom);
    for (int degree = f->degree; degree >= 0 && plain; degree--)
        for (int k = 0; k < f->terms; k++) {
            if (s->basis.degree_of[f->term[k].monomial] != degree) continue;
            if (!sign) sign = top[k] < 0 ? -1 : 1;
            put_term(s, &w, &f->term[k], first, sign, top[k], bottom[k]);
            first = 0;
        }
    free(c);
    free(top);
    free(bottom);
    return plain || w.failed ? done(s, &w) : NULL;
}

char *write_relation(struct search *s, const struct monomials *product, const residue *coefficient) {
    size_t count = (size_t)product->count + 1;
    int64_t *top = calloc(count, sizeof *top), *bottom = calloc(count, sizeof *bottom);
    residue *c = calloc(count, sizeof *c);
    int *of = calloc(count, sizeof *of), *power = calloc((size_t)product->generators + 1, sizeof *power);
    struct writing w = {.failed = !top || !bottom || !c || !of || !power};
    int terms = 0, first = 1, sign = 0;
    for (int i = 0; i < product->count && !w.failed; i++)
        if (coefficient[i]) of[terms] = i, c[terms++] = coefficient[i];
    int plain = !w.failed && integers(terms, c, top, bottom);
    for (int k = terms - 1; k >= 0 && plain; k--) {
        monomial_powers(product, of[k], power);
        if (!sign) sign = top[k] < 0 ? -1 : 1;
        int any = put_number(&w, first, sign, top[k], bottom[k], of[k] == 0);
        for (int i = 0; i < product->generators; i++) {
            char name[40];
            snprintf(name, sizeof name, "%s%d", s->name, i + 1);
            if (power[i]) any = put_factor(&w, any, name, power[i]);
        }
        first = 0;
    }
    if (plain) put(&w, " = 0");
    free(top);
    free(bottom);
    free(c);
    free(of);
    free(power);
    return plain || w.failed ? done(s, &w) : NULL;
}
