/* structure_form.c - equations as sums of atoms with exact weights.
 *
 * f = sum r_a a, r_a fractions without rounding (rational.h), the atoms a numbers' partners: all that is no
 * sum, no difference and no multiple by a number.  Combined, such sums lose a term exactly where its weights
 * cancel, and a chain of combinations rounds once, at its end.  Numbers of the text that are plain fractions
 * to their last digits count as these: 1.7799999999999998 is 1.78.  Where parameters are pinned
 * (structure_private.h) they are numbers, too. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ATOMS = 500, DEEPEST = 64, COST = 1000 }; /* COST: of a term, in operations */

static struct structure_term *term_of(const struct structure_form *f, expr e) {
    int first = 0, end = f->count;
    while (first < end) {
        int middle = (first + end) / 2;
        if (f->term[middle].atom < e) first = middle + 1;
        else end = middle;
    }
    return f->term + first;
}

/* f += weight * e, not written out yet. */
static int add_term(struct structure_work *w, struct structure_form *f, expr e,
                    const struct rational *weight) {
    struct structure_term *at = f->count ? term_of(f, e) : f->term;
    if (e == EXPR_NONE) return structure_out_of_memory(w->s);
    if (f->count && at < f->term + f->count && at->atom == e) {
        at->weight = rational_sum(&at->weight, weight);
        return 0;
    }
    if (f->count == f->capacity) {
        int capacity = f->capacity ? 2 * f->capacity : 16, place = f->count ? (int)(at - f->term) : 0;
        struct structure_term *term = structure_take(w->s, (size_t)capacity, sizeof *term);
        if (!term) return -1;
        if (f->count) memcpy(term, f->term, (size_t)f->count * sizeof *term);
        f->term = term, f->capacity = capacity, at = term + place;
    }
    memmove(at + 1, at, (size_t)(f->term + f->count - at) * sizeof *at);
    *at = (struct structure_term){e, 0, *weight};
    f->count++;
    return 0;
}

/* Room for what is known of node e.  0 or -1. */
static int widen_known(struct structure_work *w, expr e) {
    struct structure_known *k = &w->known;
    if (e < k->capacity) return 0;
    uint32_t capacity = 2 * w->g->count;
    unsigned char *asked = structure_take(w->s, capacity, 1);
    struct rational **value = structure_take(w->s, capacity, sizeof *value);
    if (!asked || !value) return -1;
    if (k->capacity)
        memcpy(asked, k->asked, k->capacity), memcpy(value, k->value, k->capacity * sizeof *value);
    *k = (struct structure_known){capacity, asked, value};
    return 0;
}

static int number(struct structure_work *w, expr e, struct rational *out, int depth);

/* The same, not looked up. */
static int find_number(struct structure_work *w, expr e, struct rational *out, int depth) {
    const struct expr_node n = w->g->node[e];
    struct rational a, b = rational_integer(0);
    double value;
    if (expr_is_constant(w->g, e, &value)) {
        double mass = ldexp(1, expr_lost(w->g, e));
        *out = mass * STRUCTURE_ZERO >= 1 ? rational_integer(0) : rational_of(value, STRUCTURE_PLAIN * mass);
        return 1;
    }
    if (!w->pinned || depth == 0) return 0;
    if (n.op == EXPR_SYMBOL) {
        if (n.a != EXPR_PARAMETER || (int)n.b >= w->p->parameters) return 0;
        *out = rational_of(w->p->parameter[n.b], STRUCTURE_PLAIN);
        return 1;
    }
    int binary = n.op == EXPR_ADD || n.op == EXPR_SUB || n.op == EXPR_MUL || n.op == EXPR_DIV;
    if (!(n.op == EXPR_NEG || binary)) return 0;
    int is = number(w, n.a, &a, depth - 1);
    if (is > 0 && binary) is = number(w, n.b, &b, depth - 1);
    if (is <= 0) return is;
    if (n.op == EXPR_NEG) *out = rational_negative(&a);
    if (n.op == EXPR_SUB) b = rational_negative(&b);
    if (n.op == EXPR_ADD || n.op == EXPR_SUB) *out = rational_sum(&a, &b);
    if (n.op == EXPR_MUL) *out = rational_product(&a, &b);
    if (n.op == EXPR_DIV) *out = rational_quotient(&a, &b);
    return 1;
}

/* The value of e as a fraction, where it is a number.  1, 0 or -1. */
static int number(struct structure_work *w, expr e, struct rational *out, int depth) {
    enum { IS = 1, IS_NOT = 2 }; /* IS_NOT + 1: with parameters pinned */
    struct structure_known *k = &w->known;
    if (widen_known(w, e)) return -1;
    if (k->asked[e] == IS) *out = *k->value[e];
    if (k->asked[e] == IS) return 1;
    if (k->asked[e] == IS_NOT + w->pinned) return 0;
    int is = find_number(w, e, out, depth);
    if (is > 0) k->value[e] = structure_take(w->s, 1, sizeof **k->value);
    if (is < 0 || (is && !k->value[e])) return -1;
    if (is) *k->value[e] = *out;
    k->asked[e] = (unsigned char)(is ? IS : IS_NOT + w->pinned);
    return is;
}

/* e = factor * rest with a number that is not 1.  1, 0 or -1; a rest of EXPR_NONE: memory. */
static int multiple(struct structure_work *w, expr e, struct rational *factor, expr *rest, int depth) {
    const struct expr_node n = w->g->node[e];
    struct rational inner, one = rational_integer(1);
    int is = number(w, e, factor, DEEPEST);
    *rest = expr_constant(w->g, 1);
    if (is) return is < 0 ? -1 : *rest != e;
    if (depth == 0) return 0;
    if (n.op == EXPR_NEG) {
        *factor = rational_integer(-1);
        *rest = n.a;
        return 1;
    }
    is = n.op == EXPR_DIV ? number(w, n.b, &inner, DEEPEST) : 0;
    if (is) {
        *factor = is > 0 ? rational_quotient(&one, &inner) : one;
        *rest = n.a;
        return is;
    }
    for (int side = 0; side < 2 && n.op == EXPR_MUL && !is; side++) {
        is = multiple(w, side ? n.b : n.a, factor, rest, depth - 1);
        if (is > 0) *rest = derive_mul(w->g, *rest, side ? n.a : n.b);
    }
    if (n.op == EXPR_DIV) {
        is = multiple(w, n.a, factor, rest, depth - 1);
        if (is > 0) *rest = derive_div(w->g, *rest, n.b);
    }
    return is;
}

/* One term as a sum of others, or settled.  0 or -1. */
static int write_term(struct structure_work *w, struct structure_form *f, struct structure_term *at) {
    struct rational weight = at->weight, factor;
    struct expr_node n = w->g->node[at->atom];
    expr rest;
    int is = n.op == EXPR_ADD || n.op == EXPR_SUB, sum = is;
    if (!sum) is = multiple(w, at->atom, &factor, &rest, DEEPEST);
    at->settled = !is;
    if (is <= 0) return is;
    at->weight = rational_integer(0);
    if (!sum) {
        factor = rational_product(&factor, &weight);
        return add_term(w, f, rest, &factor);
    }
    factor = n.op == EXPR_SUB ? rational_negative(&weight) : weight;
    return add_term(w, f, n.a, &weight) || add_term(w, f, n.b, &factor) ? -1 : 0;
}

/* Writes sums, differences and multiples out until atoms are left.  Users have higher numbers than their
 * operands: from the top, each is met once, with all that it is multiplied by.  1; 0: too many, or a
 * fraction is lost; -1. */
static int write_out(struct structure_work *w, struct structure_form *f) {
    int kept = 0;
    for (int at = f->count - 1; at >= 0; at--) {
        struct structure_term *own = &f->term[at];
        if (own->weight.lost || f->count > MOST_ATOMS) return 0;
        if (own->settled || own->weight.sign == 0) continue;
        if (!expr_spend(w->g, COST) || write_term(w, f, own)) return structure_out_of_memory(w->s);
        at = f->count; /* from the top again: what is settled is passed over */
    }
    for (int k = 0; k < f->count; k++)
        if (f->term[k].weight.sign != 0) f->term[kept++] = f->term[k];
    f->count = kept;
    return 1;
}

int structure_form_of(struct structure_work *w, expr e, struct structure_form *out) {
    struct rational one = rational_integer(1);
    *out = (struct structure_form){0};
    return add_term(w, out, e, &one) ? -1 : write_out(w, out);
}

int structure_form_add(struct structure_work *w, struct structure_form *f, const struct rational *weight,
                       const struct structure_form *of) {
    for (int k = 0; k < of->count; k++) {
        struct rational product = rational_product(weight, &of->term[k].weight);
        if (add_term(w, f, of->term[k].atom, &product)) return -1;
    }
    for (int k = 0; k < f->count; k++) f->term[k].settled = 1;
    return write_out(w, f);
}

struct rational structure_form_weight(const struct structure_form *f, expr atom) {
    const struct structure_term *at = f->count ? term_of(f, atom) : NULL;
    return at && at < f->term + f->count && at->atom == atom ? at->weight : rational_integer(0);
}

int structure_form_note(struct structure_work *w, struct structure_form *f, const struct structure_form *of) {
    struct rational zero = rational_integer(0);
    for (int k = 0; k < of->count; k++)
        if (add_term(w, f, of->term[k].atom, &zero)) return -1;
    return 0;
}

int structure_form_derivative(struct structure_work *w, const struct structure_form *f,
                              struct structure_form *out) {
    *out = (struct structure_form){0};
    for (int k = 0; k < f->count; k++) {
        expr e = derive_total(&w->smooth, f->term[k].atom);
        w->smooth.obstacle = EXPR_NONE;
        if (e == EXPR_NONE) return w->g->failed ? structure_out_of_memory(w->s) : 0;
        if (add_term(w, out, e, &f->term[k].weight)) return -1;
    }
    return write_out(w, out);
}

expr structure_form_value(struct structure_work *w, const struct structure_form *f) {
    expr sum = derive_zero(w->g);
    for (int k = 0; k < f->count; k++) {
        double weight = rational_value(&f->term[k].weight);
        expr size = derive_mul(w->g, expr_constant(w->g, fabs(weight)), f->term[k].atom);
        sum = weight < 0 ? derive_sub(w->g, sum, size) : derive_add(w->g, sum, size);
    }
    return sum;
}
