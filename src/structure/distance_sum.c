/* distance_sum.c - polynomials of degree 2 in coordinates, with expressions as factors. */
#include "structure/distance_private.h"

#include <stdlib.h>
#include <string.h>

struct distance_sum distance_constant(expr e) {
    return (struct distance_sum){.state = DISTANCE_POLYNOMIAL, .constant = e};
}

struct distance_sum distance_lost(expr coordinate) {
    return (struct distance_sum){.state = DISTANCE_LOST, .left = coordinate};
}

static struct distance_sum with_workspace(struct distance_walk *w, size_t terms) {
    struct distance_sum s = {.state = DISTANCE_POLYNOMIAL};
    s.term = pool_take(&w->pool, (terms + 1) * sizeof *s.term);
    if (!s.term) w->failed = 1;
    return s;
}

struct distance_sum distance_coordinate(struct distance_walk *w, int number) {
    struct distance_sum s = with_workspace(w, 1);
    if (s.term) s.term[s.count++] = (struct distance_term){0, (uint32_t)number + 1, expr_constant(w->g, 1)};
    return s;
}

int distance_degree(const struct distance_sum *s) {
    return s->count == 0 ? 0 : s->term[s->count - 1].a ? 2 : 1;
}

expr distance_value(struct distance_walk *w, expr constant) {
    return constant == EXPR_NONE ? expr_constant(w->g, 0) : constant;
}

int distance_base(const struct distance_walk *w, uint32_t number_above) {
    int number = (int)number_above - 1;
    return number < 2 * w->n ? number : w->shift[number - 2 * w->n].coordinate;
}

expr distance_symbol(const struct distance_walk *w, uint32_t number_above) {
    int number = distance_base(w, number_above);
    return number < w->n ? w->p->position[number] : w->p->momentum[number - w->n];
}

static int compare(const void *x, const void *y) {
    const struct distance_term *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static expr negative(struct distance_walk *w, expr e) {
    return e == EXPR_NONE ? e : expr_make(w->g, EXPR_NEG, e, 0, 0);
}

/* a + b with EXPR_NONE for zero; what cancels to round-off is zero. */
static expr plus(struct distance_walk *w, expr a, expr b) {
    if (a == EXPR_NONE) return b;
    if (b == EXPR_NONE) return a;
    return expr_make(w->g, EXPR_ADD, a, b, 0);
}

static expr combine(struct distance_walk *w, expr a, expr b) {
    return distance_same(w, a, negative(w, b)) ? EXPR_NONE : plus(w, a, b);
}

struct distance_sum distance_add(struct distance_walk *w, const struct distance_sum *a,
                                 const struct distance_sum *b, int minus) {
    if (a->state == DISTANCE_LOST) return *a;
    if (b->state == DISTANCE_LOST) return *b;
    if (a->count + b->count > DISTANCE_TERMS) {
        const struct distance_sum *longer = a->count ? a : b;
        return distance_lost(distance_symbol(w, longer->term[0].b));
    }
    struct distance_sum s = with_workspace(w, (size_t)(a->count + b->count));
    if (!s.term) return distance_lost(EXPR_NONE);
    s.constant = plus(w, a->constant, minus ? negative(w, b->constant) : b->constant);
    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        int order = i == a->count ? 1 : j == b->count ? -1 : compare(&a->term[i], &b->term[j]);
        struct distance_term t = order <= 0 ? a->term[i++] : (struct distance_term){0};
        if (order >= 0) {
            struct distance_term other = b->term[j++];
            if (minus) other.factor = negative(w, other.factor);
            if (order == 0) other.factor = combine(w, t.factor, other.factor);
            t = other;
        }
        if (t.factor != EXPR_NONE) s.term[s.count++] = t;
    }
    return s;
}

struct distance_sum distance_scale(struct distance_walk *w, const struct distance_sum *a, enum expr_op op,
                                   expr by) {
    if (a->state == DISTANCE_LOST) return *a;
    struct distance_sum s = with_workspace(w, (size_t)a->count);
    if (!s.term) return distance_lost(EXPR_NONE);
    if (a->constant != EXPR_NONE) s.constant = expr_make(w->g, op, a->constant, by, 0);
    for (int i = 0; i < a->count; i++) {
        s.term[s.count] = a->term[i];
        s.term[s.count++].factor = expr_make(w->g, op, a->term[i].factor, by, 0);
    }
    return s;
}

/* Terms in any order become ascending ones, each once. */
static void settle(struct distance_walk *w, struct distance_sum *s) {
    int count = 0;
    qsort(s->term, (size_t)s->count, sizeof *s->term, compare);
    for (int i = 0; i < s->count;) {
        struct distance_term t = s->term[i++];
        for (; i < s->count && compare(&t, &s->term[i]) == 0; i++)
            t.factor = combine(w, t.factor, s->term[i].factor);
        if (t.factor != EXPR_NONE) s->term[count++] = t;
    }
    s->count = count;
}

/* Of two polynomials of degree 1.  In a square the mixed products meet once, doubled: exact. */
static struct distance_sum expand(struct distance_walk *w, const struct distance_sum *a,
                                  const struct distance_sum *b, int square) {
    size_t products = (size_t)(a->count + 1) * (size_t)(b->count + 1);
    if (products > DISTANCE_TERMS) return distance_lost(distance_symbol(w, a->term[0].b));
    struct distance_sum s = with_workspace(w, products);
    expr two = expr_constant(w->g, 2);
    expr c = distance_zero(w, a->constant) ? EXPR_NONE : a->constant;
    expr d = distance_zero(w, b->constant) ? EXPR_NONE : b->constant;
    if (!s.term) return distance_lost(EXPR_NONE);
    for (int i = -1; i < a->count; i++)
        for (int j = square ? i : -1; j < b->count; j++) {
            expr x = i < 0 ? c : a->term[i].factor, y = j < 0 ? d : b->term[j].factor;
            if (x == EXPR_NONE || y == EXPR_NONE) continue;
            expr factor = square && i == j ? expr_powi(w->g, x, 2) : expr_make(w->g, EXPR_MUL, x, y, 0);
            if (square && i != j) factor = expr_make(w->g, EXPR_MUL, two, factor, 0);
            uint32_t u = i < 0 ? 0 : a->term[i].b, v = j < 0 ? 0 : b->term[j].b;
            if (i < 0 && j < 0) s.constant = factor;
            else s.term[s.count++] = (struct distance_term){u < v ? u : v, u < v ? v : u, factor};
        }
    settle(w, &s);
    return s;
}

static int shifted(struct distance_walk *w, int coordinate, expr by) {
    for (int k = 0; k < w->shifts; k++)
        if (w->shift[k].coordinate == coordinate && distance_same(w, w->shift[k].by, by)) return k;
    if (w->shifts == w->shift_capacity) {
        int capacity = 2 * w->shift_capacity + 8;
        struct distance_shift *wider = realloc(w->shift, (size_t)capacity * sizeof *wider);
        if (!wider) return w->failed = 1, -1;
        w->shift = wider;
        w->shift_capacity = capacity;
    }
    w->shift[w->shifts] = (struct distance_shift){coordinate, by};
    return w->shifts++;
}

/* Free of forms, too?  A point that moves with the distances of others is not fixed. */
static int is_fixed(struct distance_walk *w, expr e) {
    struct expr_list used;
    int fixed = 1;
    if (expr_symbols(w->g, 1, &e, &used)) return w->failed = 1, 0;
    for (size_t i = 0; i < used.count; i++) {
        const struct expr_node *n = &w->g->node[used.item[i]];
        fixed &= n->a != (uint32_t)w->p->kind || n->b < w->p->first;
    }
    free(used.item);
    return fixed;
}

/* (l u + c)^2 = l^2 (u - s)^2 with s = -c/l, for a position u, a number l and a fixed s.  It is not
 * multiplied out: u^2 - 2 s u + s^2 would lose digits where s is large. */
static int square_of_shifted(struct distance_walk *w, const struct distance_sum *a,
                             struct distance_sum *out) {
    double l;
    if (a->count != 1 || a->constant == EXPR_NONE || distance_zero(w, a->constant)) return 0;
    int coordinate = (int)a->term[0].b - 1;
    if (coordinate >= w->n || !expr_is_constant(w->g, a->term[0].factor, &l) || l == 0 ||
        !is_fixed(w, a->constant))
        return 0;
    int k = shifted(w, coordinate, expr_make(w->g, EXPR_DIV, negative(w, a->constant), a->term[0].factor, 0));
    *out = with_workspace(w, 1);
    if (k < 0 || !out->term) return *out = distance_lost(EXPR_NONE), 1;
    uint32_t u = (uint32_t)(2 * w->n + k) + 1;
    out->term[out->count++] = (struct distance_term){u, u, expr_constant(w->g, l * l)};
    return 1;
}

/* b = sign * a? */
static int equal_up_to(struct distance_walk *w, const struct distance_sum *a, const struct distance_sum *b,
                       int minus) {
    if (a->count != b->count) return 0;
    if (!distance_same(w, a->constant, minus ? negative(w, b->constant) : b->constant)) return 0;
    for (int i = 0; i < a->count; i++) {
        expr factor = minus ? negative(w, b->term[i].factor) : b->term[i].factor;
        if (compare(&a->term[i], &b->term[i]) || !distance_same(w, a->term[i].factor, factor)) return 0;
    }
    return 1;
}

struct distance_sum distance_multiply(struct distance_walk *w, const struct distance_sum *a,
                                      const struct distance_sum *b) {
    struct distance_sum s, none = distance_constant(EXPR_NONE);
    if (a->state == DISTANCE_LOST) return *a;
    if (b->state == DISTANCE_LOST) return *b;
    if (a->count == 0) return distance_scale(w, b, EXPR_MUL, distance_value(w, a->constant));
    if (b->count == 0) return distance_scale(w, a, EXPR_MUL, distance_value(w, b->constant));
    if (distance_degree(a) + distance_degree(b) > 2) return distance_lost(distance_symbol(w, a->term[0].b));
    int same = equal_up_to(w, a, b, 0), opposite = !same && equal_up_to(w, a, b, 1);
    if (!same && !opposite) return expand(w, a, b, 0);
    if (!square_of_shifted(w, a, &s)) s = expand(w, a, a, 1);
    return same ? s : distance_add(w, &none, &s, 1);
}
