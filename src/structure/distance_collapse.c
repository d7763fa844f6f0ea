/* distance_collapse.c - terms of a polynomial that make up squared distances and products of momenta.
 *
 * A quadratic form in points is invariant under rotations if it is sum_ij A_ij q_i . q_j, the same A for
 * every component: then it is
 *     sum_i r_i |q_i|^2 - sum_{i<j} A_ij |q_i - q_j|^2,  r_i = sum_j A_ij,
 * and invariant under translations too if all r_i are zero. */
#include "structure/distance_private.h"

#include <stdlib.h>
#include <string.h>

static int point_of(const struct distance_walk *w, int number) {
    return (number < w->n ? number : number - w->n) / w->p->dimension;
}

static int component_of(const struct distance_walk *w, int number) {
    return number % w->p->dimension;
}

static int is_shifted(const struct distance_walk *w, const struct distance_term *t) {
    return (int)t->b > 2 * w->n;
}

/* Forms ------------------------------------------------------------------------------------------------- */

static int same_centre(struct distance_walk *w, const expr *a, const expr *b) {
    if (!a || !b) return a == b;
    for (int c = 0; c < w->p->dimension; c++)
        if (!distance_same(w, a[c], b[c])) return 0;
    return 1;
}

/* The chain of forms in which this one is, if it is known. */
static int *chain_of(const struct distance_walk *w, enum distance_kind kind, int i, int j) {
    uint64_t key = (uint64_t)(uint32_t)i << 32 | (uint32_t)(3 * j + (int)kind);
    return &w->chain[(key * 0x9e3779b97f4a7c15u >> 32) % (uint32_t)w->chains];
}

/* Room for more forms, and as many chains.  1, or 0 without memory. */
static int widen(struct distance_walk *w) {
    struct distance *d = w->d;
    int capacity = 2 * d->form_capacity + 16;
    struct distance_form *form = realloc(d->form, (size_t)capacity * sizeof *form);
    if (form) d->form = form;
    int *chain = form ? realloc(w->chain, (size_t)capacity * sizeof *chain) : NULL;
    if (!chain) return 0;
    w->chain = chain;
    d->form_capacity = w->chains = capacity;
    for (int k = 0; k < capacity; k++) chain[k] = -1;
    for (int k = 0; k < d->forms; k++) {
        int *first = chain_of(w, form[k].kind, form[k].i, form[k].j);
        form[k].next = *first;
        *first = k;
    }
    return 1;
}

/* The symbol of a form, which is added where it is new. */
static expr form_symbol(struct distance_walk *w, enum distance_kind kind, int i, int j, const expr *centre) {
    struct distance *d = w->d;
    for (int k = w->chains ? *chain_of(w, kind, i, j) : -1; k >= 0; k = d->form[k].next) {
        const struct distance_form *f = &d->form[k];
        if (f->kind == kind && f->i == i && f->j == j && same_centre(w, f->centre, centre)) return f->symbol;
    }
    if (w->p->most && d->forms >= w->p->most) return w->failed = w->beyond = 1, EXPR_NONE;
    if (d->forms == d->form_capacity && !widen(w)) return w->failed = 1, EXPR_NONE;
    int *first = chain_of(w, kind, i, j);
    struct distance_form f = {kind, i, j, NULL, EXPR_NONE, *first};
    if (centre) {
        expr *kept = pool_take(&d->pool, (size_t)w->p->dimension * sizeof *kept);
        if (!kept) return w->failed = 1, EXPR_NONE;
        memcpy(kept, centre, (size_t)w->p->dimension * sizeof *kept);
        f.centre = kept;
    }
    f.symbol = expr_symbol(w->g, w->p->kind, w->p->first + (uint32_t)d->forms, 0);
    *first = d->forms;
    d->form[d->forms++] = f;
    return f.symbol;
}

/* constant += factor * form */
static void put(struct distance_walk *w, struct distance_sum *s, expr factor, expr symbol) {
    expr term = expr_make(w->g, EXPR_MUL, factor, symbol, 0);
    s->constant = s->constant == EXPR_NONE ? term : expr_make(w->g, EXPR_ADD, s->constant, term, 0);
}

/* e/2, with a numeric factor taken in; exact. */
static expr half(struct distance_walk *w, expr e) {
    const struct expr_node n = w->g->node[e];
    expr factor = expr_constant(w->g, 0.5);
    double number;
    if (n.op == EXPR_NEG) return expr_make(w->g, EXPR_NEG, half(w, n.a), 0, 0);
    if (n.op == EXPR_MUL && expr_is_constant(w->g, n.a, &number))
        return expr_make(w->g, EXPR_MUL, expr_constant(w->g, number / 2), n.b, 0);
    return expr_make(w->g, EXPR_MUL, factor, e, 0);
}

/* Groups ------------------------------------------------------------------------------------------------ */

static struct distance_term *find(const struct distance_sum *s, uint32_t a, uint32_t b) {
    int low = 0, high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        const struct distance_term *t = &s->term[middle];
        if (t->a < a || (t->a == a && t->b < b)) low = middle + 1;
        else high = middle;
    }
    return low < s->count && s->term[low].a == a && s->term[low].b == b ? &s->term[low] : NULL;
}

/* Does every component have this term of the first component, with the same factor? */
static int complete(struct distance_walk *w, const struct distance_sum *s, const struct distance_term *t) {
    for (int c = 1; c < w->p->dimension; c++) {
        const struct distance_term *other = find(s, t->a + (uint32_t)c, t->b + (uint32_t)c);
        if (!other || !distance_same(w, t->factor, other->factor)) return 0;
    }
    return 1;
}

/* Terms without factor are gone. */
static void sweep(struct distance_sum *s) {
    int count = 0;
    for (int i = 0; i < s->count; i++)
        if (s->term[i].factor != EXPR_NONE) s->term[count++] = s->term[i];
    s->count = count;
}

/* Groups lie in the order of their components: the first comes first. */
static void take(struct distance_walk *w, struct distance_sum *s, struct distance_term *t) {
    uint32_t a = t->a, b = t->b;
    for (int c = 0; c < w->p->dimension; c++) find(s, a + (uint32_t)c, b + (uint32_t)c)->factor = EXPR_NONE;
}

static void collapse_momenta(struct distance_walk *w, struct distance_sum *s) {
    int taken = 0;
    for (int k = 0; k < s->count; k++) {
        struct distance_term *t = &s->term[k];
        int a = (int)t->a - 1, b = (int)t->b - 1;
        if (t->factor == EXPR_NONE || a < w->n || b >= 2 * w->n) continue;
        if (component_of(w, a) != 0 || component_of(w, b) != 0 || !complete(w, s, t)) continue;
        put(w, s, t->factor, form_symbol(w, DISTANCE_PRODUCT, point_of(w, a), point_of(w, b), NULL));
        take(w, s, t);
        taken = 1;
    }
    if (taken) sweep(s);
}

/* Fixed points ------------------------------------------------------------------------------------------ */

/* A square of component c of the same point with the same factor: a shifted one, else of the position itself.
 */
static struct distance_term *partner(struct distance_walk *w, struct distance_sum *s,
                                     const struct distance_term *t, int c) {
    int u = distance_base(w, t->b) - component_of(w, distance_base(w, t->b)) + c;
    for (int k = s->count - 1; k >= 0 && is_shifted(w, &s->term[k]); k--) {
        struct distance_term *other = &s->term[k];
        if (distance_base(w, other->b) == u && other->factor != EXPR_NONE &&
            distance_same(w, other->factor, t->factor))
            return other;
    }
    struct distance_term *plain = find(s, (uint32_t)u + 1, (uint32_t)u + 1);
    return plain && plain->factor != EXPR_NONE && distance_same(w, plain->factor, t->factor) ? plain : NULL;
}

/* sum_c (q_ic - s_c)^2 with some s_c that is not zero; s_c = 0 has no shift. */
static void collapse_shifted(struct distance_walk *w, struct distance_sum *s) {
    int d = w->p->dimension, taken = 0;
    struct distance_term **group = pool_take(&w->pool, (size_t)d * sizeof(struct distance_term *));
    expr *centre = pool_take(&w->pool, (size_t)d * sizeof *centre);
    if (!group || !centre) {
        w->failed = 1;
        return;
    }
    for (int k = s->count - 1; k >= 0 && is_shifted(w, &s->term[k]); k--) {
        struct distance_term *t = &s->term[k];
        int c = 0;
        if (t->factor == EXPR_NONE) continue;
        for (; c < d; c++) {
            int own = component_of(w, distance_base(w, t->b)) == c;
            group[c] = own ? t : partner(w, s, t, c);
            if (!group[c]) break;
            int number = (int)group[c]->b - 1 - 2 * w->n;
            centre[c] = number < 0 ? expr_constant(w->g, 0) : w->shift[number].by;
        }
        if (c < d) continue;
        int i = point_of(w, distance_base(w, t->b));
        put(w, s, t->factor, form_symbol(w, DISTANCE_CENTRE, i, -1, centre));
        for (c = 0; c < d; c++) group[c]->factor = EXPR_NONE;
        taken = 1;
    }
    if (taken) sweep(s);
}

/* Positions --------------------------------------------------------------------------------------------- */

static int is_position(const struct distance_walk *w, const struct distance_term *t) {
    return t->a > 0 && (int)t->a <= w->n && (int)t->b <= w->n;
}

static void touch(struct distance_walk *w, int point, int together) {
    if (!w->seen[point]) w->touched[w->touches++] = point;
    w->seen[point] |= together ? 2 : 1;
}

/* Can all terms with positions be written by q_i . q_j?  With differences alone no point stands alone. */
static int positions_complete(struct distance_walk *w, const struct distance_sum *s, int last) {
    int groups = 0, terms = 0;
    for (int k = 0; k < s->count; k++) {
        const struct distance_term *t = &s->term[k];
        int a = (int)t->a - 1, b = (int)t->b - 1;
        if (a >= w->n && b < 2 * w->n) continue; /* momenta */
        if (!is_position(w, t) || component_of(w, a) != component_of(w, b)) return 0;
        terms++;
        if (component_of(w, a) != 0) continue;
        if (!complete(w, s, t)) return 0;
        groups++;
        touch(w, point_of(w, a), a != b);
        touch(w, point_of(w, b), a != b);
    }
    if (terms != groups * w->p->dimension) return 0;
    for (int k = 0; k < w->touches && !last; k++)
        if (w->seen[w->touched[k]] == 1) return 0;
    return groups > 0;
}

/* row[i] = r_i, EXPR_NONE where it is zero: the diagonal against what stands beside it. */
static int rows_vanish(struct distance_walk *w, const struct distance_sum *s) {
    int vanish = 1;
    for (int k = 0; k < w->touches; k++) w->row[w->touched[k]] = EXPR_NONE;
    for (int k = 0; k < s->count; k++) {
        const struct distance_term *t = &s->term[k];
        if (!is_position(w, t) || t->a == t->b || component_of(w, (int)t->a - 1) != 0) continue;
        int side[2] = {point_of(w, (int)t->a - 1), point_of(w, (int)t->b - 1)};
        expr part = half(w, t->factor);
        for (int e = 0; e < 2; e++) {
            expr *row = &w->row[side[e]];
            *row = *row == EXPR_NONE ? part : expr_make(w->g, EXPR_ADD, *row, part, 0);
        }
    }
    for (int k = 0; k < w->touches; k++) {
        int i = w->touched[k];
        uint32_t u = (uint32_t)(i * w->p->dimension) + 1;
        const struct distance_term *square = find(s, u, u);
        expr diagonal = square ? square->factor : EXPR_NONE, beside = w->row[i];
        if (beside == EXPR_NONE) w->row[i] = diagonal;
        else if (distance_same(w, diagonal, expr_make(w->g, EXPR_NEG, beside, 0, 0))) w->row[i] = EXPR_NONE;
        else if (diagonal != EXPR_NONE) w->row[i] = expr_make(w->g, EXPR_ADD, diagonal, beside, 0);
        vanish &= w->row[i] == EXPR_NONE;
    }
    return vanish;
}

static void put_positions(struct distance_walk *w, struct distance_sum *s) {
    for (int k = 0; k < w->touches; k++) {
        int i = w->touched[k];
        if (w->row[i] != EXPR_NONE) put(w, s, w->row[i], form_symbol(w, DISTANCE_CENTRE, i, -1, NULL));
    }
    for (int k = 0; k < s->count; k++) {
        struct distance_term *t = &s->term[k];
        if (!is_position(w, t)) continue;
        if (t->a != t->b && component_of(w, (int)t->a - 1) == 0) {
            int i = point_of(w, (int)t->a - 1), j = point_of(w, (int)t->b - 1);
            expr factor = expr_make(w->g, EXPR_NEG, half(w, t->factor), 0, 0);
            put(w, s, factor, form_symbol(w, DISTANCE_PAIR, i, j, NULL));
        }
        t->factor = EXPR_NONE;
    }
    sweep(s);
}

static void collapse_positions(struct distance_walk *w, struct distance_sum *s, int last) {
    if (positions_complete(w, s, last) && (rows_vanish(w, s) || last)) put_positions(w, s);
    while (w->touches) w->seen[w->touched[--w->touches]] = 0;
}

void distance_collapse(struct distance_walk *w, struct distance_sum *s, int last) {
    if (s->state != DISTANCE_POLYNOMIAL || distance_degree(s) < 2 || w->failed) return;
    collapse_momenta(w, s);
    if (s->count && is_shifted(w, &s->term[s->count - 1])) collapse_shifted(w, s);
    if (s->count) collapse_positions(w, s, last);
}
