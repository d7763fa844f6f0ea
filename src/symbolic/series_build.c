/* series_build.c - from rates and rows to a list of recurrences; see series.h.
 *
 * Nodes are placed operands first.  The slopes g of r' = g a' are placed behind all that was asked for: order
 * k of r needs g up to k - 1 alone, so that g may contain r. */
#include "symbolic/derive_rules.h"
#include "symbolic/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* place: by node, 0 or one more than 4 times its number, plus 2 if it moves, plus 1 if it moves with z. */
enum { MOVES = 2, LATE = 1 };

struct builder {
    struct graph *g;
    struct series *s;
    const struct series_request *request;
    uint32_t *place;
    uint32_t capacity; /* nodes it is for */
    expr *jet, *fixed, *pending;
    unsigned char *late; /* by code */
    size_t jets, jet_capacity, fixeds, fixed_capacity, pendings, pending_capacity, code_capacity;
    int failed, large;
};

/* Room for one more of `size` bytes. */
static void *grown(struct builder *b, void *list, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return list;
    size_t wider = 2 * *capacity + 64;
    void *more = realloc(list, wider * size);
    if (more) *capacity = wider;
    else b->failed = 1;
    return more ? more : list;
}

static void push(struct builder *b, expr **list, size_t *count, size_t *capacity, expr e) {
    *list = grown(b, *list, *count, capacity, sizeof **list);
    if (!b->failed) (*list)[(*count)++] = e;
}

static uint32_t place_of(const struct builder *b, expr e) {
    return e < b->capacity ? b->place[e] : 0;
}

static void set_place(struct builder *b, expr e, uint32_t place) {
    if (e >= b->capacity) {
        uint32_t wider = b->g->capacity;
        uint32_t *more = realloc(b->place, wider * sizeof *more);
        if (!more) {
            b->failed = 1;
            return;
        }
        memset(more + b->capacity, 0, (wider - b->capacity) * sizeof *more);
        b->place = more;
        b->capacity = wider;
    }
    b->place[e] = place;
}

static void visit(struct builder *b, expr e);

/* The place of e less 1.  What a rule has made new gets its place here: none can be asked about without. */
static uint32_t placed(struct builder *b, expr e) {
    visit(b, e);
    return b->failed ? 0 : place_of(b, e) - 1;
}

static int moves(struct builder *b, expr e) {
    return placed(b, e) & MOVES;
}

static int is_late(struct builder *b, expr e) {
    return placed(b, e) & LATE;
}

static uint32_t number_of(struct builder *b, expr e) {
    return placed(b, e) / 4;
}

static uint32_t new_jet(struct builder *b, expr e) {
    b->large |= b->jets >= SERIES_MOST_JETS;
    push(b, &b->jet, &b->jets, &b->jet_capacity, e);
    return (uint32_t)b->jets - 1;
}

static void add_code(struct builder *b, int late, enum series_rule rule, uint32_t to, uint32_t x, uint32_t y,
                     uint32_t z) {
    struct series *s = b->s;
    size_t capacity = b->code_capacity;
    s->code = grown(b, s->code, s->count, &b->code_capacity, sizeof *s->code);
    if (b->code_capacity != capacity) {
        unsigned char *more = realloc(b->late, b->code_capacity);
        if (more) b->late = more;
        else b->failed = 1;
    }
    if (b->failed) return;
    b->late[s->count] = (unsigned char)late;
    s->code[s->count++] = (struct series_code){(uint32_t)rule, to, x, y, z, 0, 0};
}

/* A number of order 0 that helps the last recurrence. */
static void add_help(struct builder *b, expr e) {
    push(b, &b->fixed, &b->fixeds, &b->fixed_capacity, e);
    if (e == EXPR_NONE) b->failed = 1;
    if (!b->failed) b->s->code[b->s->count - 1].d = (uint32_t)b->fixeds - 1;
}

/* The jet of an operand, also of one that does not move. */
static uint32_t jet_of(struct builder *b, expr e) {
    if (moves(b, e)) return number_of(b, e);
    uint32_t jet = new_jet(b, e);
    add_code(b, 0, SERIES_ZERO, jet, 0, 0, 0);
    return jet;
}

/* r' = slope a', one operand after the other. */
static void chain(struct builder *b, expr e, uint32_t to, int late) {
    struct graph *g = b->g;
    const struct expr_node n = g->node[e];
    const expr operand[2] = {n.a, n.b};
    expr one = expr_constant(g, 1);
    int count = expr_operands((enum expr_op)n.op), first = 1; /* one or two */
    for (int k = 0; k < count && k < 2 && !b->failed; k++) {
        if (!moves(b, operand[k])) continue;
        expr slope = EXPR_NONE;
        if (n.op == EXPR_POW && k == 0) slope = derive_div(g, derive_mul(g, n.b, e), n.a);
        else slope = derive_chain(g, e, k, one);
        if (slope == EXPR_NONE) b->failed = 1;
        push(b, &b->pending, &b->pendings, &b->pending_capacity, slope);
        /* `b` is the slope's node until it has a place */
        add_code(b, late, first ? SERIES_CHAIN : SERIES_CHAIN_ON, to, number_of(b, operand[k]), slope, 0);
        first = 0;
    }
}

/* e as a^power, times a number, by at most a few nodes: 1/sqrt(a)^3 is a^-1.5.  Powers of powers may go
 * beyond every double: there a is a power itself. */
static expr base_of(const struct builder *b, expr e, double *power) {
    for (*power = 1;;) {
        const struct expr_node n = b->g->node[e];
        double factor;
        if (n.op == EXPR_SQRT) factor = 0.5;
        else if (n.op == EXPR_POWI) factor = (int32_t)n.b;
        else if (n.op != EXPR_POW || !expr_is_constant(b->g, n.b, &factor)) return e;
        if (!isnormal(*power * factor)) return e;
        *power *= factor;
        e = n.a;
    }
}

/* e, base^exponent up to a factor. */
static void add_power(struct builder *b, expr e, expr base, expr exponent, uint32_t to, int late) {
    add_code(b, late, SERIES_POWER, to, number_of(b, base), number_of(b, exponent), 0);
    expr lead = derive_div(b->g, derive_mul(b->g, exponent, e), base);
    push(b, &b->fixed, &b->fixeds, &b->fixed_capacity, derive_div(b->g, expr_constant(b->g, 1), base));
    add_help(b, lead);
}

static void add_quotient(struct builder *b, expr e, enum series_rule rule, uint32_t to, int late) {
    const struct expr_node n = b->g->node[e];
    add_code(b, late, rule, to, number_of(b, n.a), number_of(b, n.b), 0);
    add_help(b, derive_div(b->g, expr_constant(b->g, 1), n.b));
}

/* a^n, n > 2, that is made of products: no negative power and no odd one of a root. */
static int is_of_products(const struct builder *b, expr e) {
    const struct expr_node n = b->g->node[e];
    double power;
    if (n.op != EXPR_POWI || (int32_t)n.b <= 2) return 0;
    base_of(b, e, &power);
    return power > 0 && power == floor(power);
}

/* A power as one recurrence instead of those of all its parts. */
static void as_power(struct builder *b, expr e, uint32_t to, int late) {
    double power;
    expr base = base_of(b, e, &power);
    add_power(b, e, base, expr_constant(b->g, power), to, late);
}

/* c/a^power, the same; 0: there is no power, or it is of a quotient itself. */
static int as_negative_power(struct builder *b, expr e, uint32_t to, int late) {
    const struct expr_node n = b->g->node[e];
    double power;
    expr base = base_of(b, n.b, &power);
    if (base == n.b || power < 0) return 0;
    add_power(b, e, base, expr_constant(b->g, -power), to, late);
    return 1;
}

/* + - * / of two operands of which one does not move. */
static void half_moving(struct builder *b, expr e, uint32_t to, int late) {
    const struct expr_node node = b->g->node[e], *n = &node;
    int first = moves(b, n->a);
    uint32_t x = number_of(b, n->a), y = number_of(b, n->b), jet = first ? x : y, other = first ? y : x;
    switch (n->op) {
    case EXPR_ADD:
        add_code(b, late, SERIES_COPY, to, jet, 0, 0);
        break;
    case EXPR_SUB:
        add_code(b, late, first ? SERIES_COPY : SERIES_NEGATE, to, jet, 0, 0);
        break;
    case EXPR_MUL:
        add_code(b, late, SERIES_SCALE, to, jet, other, 0);
        break;
    default:
        if (first) add_code(b, late, SERIES_SHRINK, to, x, y, 0);
        else if (!as_negative_power(b, e, to, late)) add_quotient(b, e, SERIES_INVERT, to, late);
    }
}

static void arithmetic(struct builder *b, expr e, uint32_t to, int late) {
    const struct expr_node node = b->g->node[e], *n = &node;
    static const enum series_rule rule[] = {
        [EXPR_ADD] = SERIES_ADD, [EXPR_SUB] = SERIES_SUB, [EXPR_MUL] = SERIES_MUL};
    if (!moves(b, n->a) || !moves(b, n->b)) {
        half_moving(b, e, to, late);
        return;
    }
    if (n->op == EXPR_DIV) {
        add_quotient(b, e, SERIES_DIV, to, late);
        return;
    }
    int square = n->op == EXPR_MUL && n->a == n->b;
    add_code(b, late, square ? SERIES_SQUARE : rule[n->op], to, number_of(b, n->a), number_of(b, n->b), 0);
}

static void nonsmooth(struct builder *b, const struct expr_node *n, uint32_t to, int late) {
    static const enum series_rule rule[] = {
        [EXPR_MIN] = SERIES_MIN, [EXPR_MAX] = SERIES_MAX, [EXPR_MOD] = SERIES_MOD, [EXPR_IF] = SERIES_IF};
    uint32_t x = jet_of(b, n->a), y = jet_of(b, n->b), z = n->op == EXPR_IF ? jet_of(b, n->c) : 0;
    add_code(b, late, rule[n->op], to, x, y, z);
}

/* The recurrence of node e, whose jet is `to`. */
static void recurrence(struct builder *b, expr e, uint32_t to, int late) {
    const struct expr_node n = b->g->node[e];
    switch (n.op) {
    case EXPR_NEG:
        add_code(b, late, SERIES_NEGATE, to, number_of(b, n.a), 0, 0);
        break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
        arithmetic(b, e, to, late);
        break;
    case EXPR_POWI: /* of 2, or as a^c: others are products */
        if (n.b == 2) add_code(b, late, SERIES_SQUARE, to, number_of(b, n.a), 0, 0);
        else as_power(b, e, to, late);
        break;
    case EXPR_SQRT:
        add_code(b, late, SERIES_SQRT, to, number_of(b, n.a), 0, 0);
        add_help(b, derive_div(b->g, expr_constant(b->g, 0.5), e));
        break;
    case EXPR_ABS:
        add_code(b, late, SERIES_ABS, to, number_of(b, n.a), 0, 0);
        break;
    case EXPR_POW:
        if (moves(b, n.b)) chain(b, e, to, late);
        else add_power(b, e, n.a, n.b, to, late);
        break;
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_MOD:
    case EXPR_IF:
        nonsmooth(b, &n, to, late);
        break;
    default:
        if (n.op == EXPR_SIGN || n.op == EXPR_FLOOR || n.op == EXPR_ENTRY ||
            (n.op >= EXPR_LT && n.op <= EXPR_NOT))
            add_code(b, late, SERIES_ZERO, to, 0, 0, 0);
        else chain(b, e, to, late);
    }
}

/* a^n, n > 2, by the products of expr_integer_power: they pass a = 0, where a^c does not. */
static expr products(struct builder *b, const struct expr_node *n) {
    uint32_t power = n->b, bit = 1;
    expr y = n->a;
    while (bit <= power / 2) bit *= 2;
    while (bit >>= 1) {
        y = expr_intern(b->g, (struct expr_node){EXPR_POWI, y, 2, 0});
        visit(b, y);
        if (!(power & bit)) continue;
        y = expr_intern(b->g, (struct expr_node){EXPR_MUL, y, n->a, 0});
        visit(b, y);
    }
    return y;
}

/* (x v) v as x v^2, whose square others may share, and c (d x), c and d numbers, as (c d) x; else
 * EXPR_NONE.  d x stands as it was regrouped itself, so that a chain of numbers costs one product each. */
static expr regrouped(struct builder *b, const struct expr_node *n) {
    struct graph *g = b->g;
    for (int k = 0; k < 2 && n->op == EXPR_MUL && !b->failed; k++) {
        expr whole = k ? n->b : n->a, other = k ? n->a : n->b, part;
        if (!moves(b, whole)) continue;
        int both = moves(b, other);
        const struct expr_node inner = g->node[both ? whole : b->jet[number_of(b, whole)]];
        if (inner.op != EXPR_MUL) continue;
        if (both) {
            if (inner.a != other && inner.b != other) continue;
            part = expr_intern(g, (struct expr_node){EXPR_POWI, other, 2, 0});
            whole = inner.a == other ? inner.b : inner.a;
        } else {
            if (moves(b, inner.a) && moves(b, inner.b)) continue;
            part = derive_mul(g, other, moves(b, inner.a) ? inner.b : inner.a);
            whole = moves(b, inner.a) ? inner.a : inner.b;
        }
        visit(b, part);
        expr same = b->failed ? EXPR_NONE : expr_intern(g, (struct expr_node){EXPR_MUL, whole, part, 0});
        visit(b, same);
        return same;
    }
    return EXPR_NONE;
}

/* A place for e and, first, for operands that have none yet: parts of a few nodes, made new by a rule. */
static void visit(struct builder *b, expr e) {
    if (e == EXPR_NONE) b->failed = 1;
    if (b->failed || place_of(b, e)) return;
    const struct expr_node n = b->g->node[e];
    const expr operand[3] = {n.a, n.b, n.c};
    int count = expr_operands((enum expr_op)n.op), moving = 0, late = 0;
    for (int k = 0; k < count; k++) {
        moving |= moves(b, operand[k]) != 0;
        late |= is_late(b, operand[k]);
    }
    if (!moving) {
        push(b, &b->fixed, &b->fixeds, &b->fixed_capacity, e);
        set_place(b, e, 4 * (uint32_t)(b->fixeds - 1) + 1);
        return;
    }
    if (is_of_products(b, e)) {
        expr same = products(b, &n);
        if (!b->failed) set_place(b, e, place_of(b, same));
        return;
    }
    expr same = regrouped(b, &n);
    if (same != EXPR_NONE || b->failed) {
        if (!b->failed) set_place(b, e, place_of(b, same));
        return;
    }
    uint32_t jet = new_jet(b, e);
    set_place(b, e, 4 * jet + 1 + MOVES + (late ? LATE : 0));
    recurrence(b, e, jet, late);
}

/* All that the roots reach, then the slopes that this asks for, and so on. */
static void visit_all(struct builder *b, size_t count, const expr *root) {
    for (const expr *roots = root; count && !b->failed && !b->large;) {
        struct expr_list list;
        if (expr_order(b->g, count, roots, &list)) {
            b->failed = 1;
            return;
        }
        b->pendings = 0;
        for (size_t i = 0; i < list.count && !b->failed && !b->large; i++) visit(b, list.item[i]);
        free(list.item);
        b->failed |= b->g->failed;
        roots = b->pending;
        count = b->pendings;
    }
}

/* Symbols first: x, z and t always have jets, in this order; t may be one of x, and is that then. */
static void place_symbols(struct builder *b) {
    const struct series_request *q = b->request;
    expr time = expr_symbol(b->g, EXPR_TIME, 0, 0);
    int state = 0;
    for (int i = 0; i <= q->n + q->m; i++) {
        expr e = i < q->n + q->m ? q->symbol[i] : time;
        int late = i >= q->n && i < q->n + q->m;
        uint32_t jet = new_jet(b, e);
        if (i < q->n + q->m || !state) set_place(b, e, 4 * jet + 1 + MOVES + (late ? LATE : 0));
        state |= e == time;
    }
}

static int root_of(struct builder *b, expr e) {
    return (int)(moves(b, e) ? number_of(b, e) : b->jets + number_of(b, e));
}

/* Slopes have places now, and what depends on z goes behind the rest. */
static int settle(struct builder *b) {
    struct series *s = b->s;
    struct series_code *sorted = malloc((s->count + 1) * sizeof *sorted);
    if (!sorted || (s->count && !b->late)) return free(sorted), -1;
    size_t at = 0;
    for (int late = 0; late < 2; late++) {
        for (size_t i = 0; i < s->count; i++) {
            struct series_code c = s->code[i];
            if (b->late[i] != late) continue;
            if (c.rule == SERIES_CHAIN || c.rule == SERIES_CHAIN_ON) {
                int rests = !moves(b, c.b);
                const struct expr_node slope = b->g->node[c.b];
                if (slope.op == EXPR_NEG && !rests && c.rule == SERIES_CHAIN) {
                    c.rule = SERIES_CHAIN_LESS;
                    c.b = slope.a;
                }
                c.b = number_of(b, c.b);
                if (rests) c.rule = c.rule == SERIES_CHAIN ? SERIES_SCALE : SERIES_CHAIN_BY;
            }
            sorted[at++] = c;
        }
        if (!late) s->early = at;
    }
    free(s->code);
    s->code = sorted;
    return s->leads ? series_lead(s, b->jets + b->fixeds) : 0;
}

/* What stands for row i. */
static expr root_row(const struct series_request *q, int i) {
    return q->lead && q->lead[i] != EXPR_NONE ? q->lead[i] : q->row[i];
}

static int finish(struct builder *b, struct derive *d) {
    struct series *s = b->s;
    const struct series_request *q = b->request;
    expr missing, *out = malloc((b->jets + b->fixeds + 1) * sizeof *out);
    s->rate = malloc(((size_t)q->rates + 1) * sizeof *s->rate);
    s->row = malloc(((size_t)q->m + 1) * sizeof *s->row);
    s->shift = malloc(((size_t)q->m + 1) * sizeof *s->shift);
    if (!out || !s->rate || !s->row || !s->shift) return free(out), -1;
    for (int i = 0; i < q->rates; i++) s->rate[i] = root_of(b, q->rate[i]);
    for (int i = 0; i < q->m; i++) {
        s->row[i] = root_of(b, root_row(q, i));
        s->shift[i] = root_row(q, i) == q->row[i] ? 0 : 2;
        s->leads |= s->shift[i] != 0;
    }
    if (settle(b) || series_tidy(s, b->jets, b->fixeds) || series_fuse(s, b->jets, b->fixeds) ||
        series_trim(s, &b->jets, b->jet, b->fixeds))
        return free(out), -1;
    s->jets = (uint32_t)b->jets;
    s->fixed = (uint32_t)b->fixeds;
    if (series_copies(s)) return free(out), -1;
    memcpy(out, b->jet, b->jets * sizeof *out);
    if (b->fixeds) memcpy(out + b->jets, b->fixed, b->fixeds * sizeof *out);
    int failed = tape_build(&s->zero, b->g, b->jets + b->fixeds, out, q->inputs, q->input, &missing);
    free(out);
    if (failed) return -1;
    return q->m ? series_tops(s, d, q) : 0;
}

int series_build(struct series *s, struct derive *d, const struct series_request *q) {
    struct builder b = {.g = d->g, .s = s, .request = q};
    *s = (struct series){.n = q->n, .m = q->m, .given = q->given, .rates = q->rates, .follows = q->follows};
    place_symbols(&b);
    size_t n = (size_t)q->rates, m = (size_t)q->m;
    expr *root = malloc((n + m + 1) * sizeof *root);
    if (root && n) memcpy(root, q->rate, n * sizeof *root);
    for (size_t i = 0; root && i < m; i++) root[n + i] = root_row(q, (int)i);
    if (root && !b.failed) visit_all(&b, n + m, root);
    int status = !root || b.failed ? -1 : b.large ? 1 : finish(&b, d);
    free(root);
    free(b.place);
    free(b.jet);
    free(b.fixed);
    free(b.pending);
    free(b.late);
    if (status) series_free(s);
    return status;
}

void series_free(struct series *s) {
    tape_free(&s->zero);
    tape_free(&s->solve);
    series_fronts_free(&s->fronts);
    free(s->code);
    free(s->rate);
    free(s->row);
    free(s->shift);
    free(s->nonsmooth);
    *s = (struct series){0};
}
