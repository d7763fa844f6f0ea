/* derive.c - forward and reverse differentiation; see derive.h. */
#include "symbolic/derive.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

void derive_open(struct derive *d, struct graph *g, int nonsmooth) {
    *d = (struct derive){.g = g, .nonsmooth = nonsmooth};
}

void derive_open_along(struct derive *d, struct graph *g, int nonsmooth, derive_direction *direction,
                       void *user) {
    *d = (struct derive){.g = g, .nonsmooth = nonsmooth, .direction = direction, .user = user};
}

void derive_close(struct derive *d) {
    free(d->memo);
    free(d->hit);
    free(d->total);
    *d = (struct derive){0};
}

void derive_free(struct derive_sparse *s) {
    free(s->row_start);
    free(s->column);
    free(s->value);
    *s = (struct derive_sparse){0};
}

static int out_of_memory(struct derive *d) {
    d->g->failed = 1;
    return -1;
}

/* Rooms for every node there is; new places are 0. */
static int reserve(struct derive *d) {
    uint32_t need = d->g->count, capacity = d->g->capacity;
    if (need <= d->capacity) return 0;
    expr *memo = realloc(d->memo, capacity * sizeof *memo);
    if (memo) d->memo = memo;
    unsigned char *hit = realloc(d->hit, capacity);
    if (hit) d->hit = hit;
    if (!memo || !hit) return out_of_memory(d);
    memset(memo + d->capacity, 0, (capacity - d->capacity) * sizeof *memo);
    memset(hit + d->capacity, 0, capacity - d->capacity);
    d->capacity = capacity;
    return 0;
}

static int reserve_total(struct derive *d) {
    uint32_t capacity = d->g->capacity;
    if (d->g->count <= d->total_capacity) return 0;
    expr *total = realloc(d->total, capacity * sizeof *total);
    if (!total) return out_of_memory(d);
    memset(total + d->total_capacity, 0, (capacity - d->total_capacity) * sizeof *total);
    d->total = total;
    d->total_capacity = capacity;
    return 0;
}

/* The derivative of node e from those of its operands, which stand in `of`.  A truth carries 1 when
 * anything it looks at varies: that is what makes an `if` nonsmooth. */
static expr forward(struct derive *d, expr e, const expr *of) {
    struct graph *g = d->g;
    struct expr_node n = g->node[e];
    int operands = expr_operands((enum expr_op)n.op);
    const expr operand[3] = {n.a, n.b, n.c};
    expr zero = derive_zero(g), part[3] = {zero, zero, zero};
    int varies[3] = {0};
    for (int i = 0; i < operands; i++) {
        part[i] = of[operand[i]];
        varies[i] = !derive_is_zero(g, part[i]);
    }
    if (expr_is_truth(g, e)) return varies[0] || varies[1] ? expr_constant(g, 1) : zero;
    if (!derive_passable(d, e, varies)) return EXPR_NONE;
    int divisor = n.op == EXPR_DIV;
    expr to = EXPR_NONE, decay = derive_decay(g, e, divisor, &to);
    if (decay)
        return derive_add(g, divisor ? derive_div(g, part[0], n.b) : zero, derive_mul(g, decay, of[to]));
    switch (n.op) {
    case EXPR_ADD:
        return derive_add(g, part[0], part[1]);
    case EXPR_SUB:
        return derive_sub(g, part[0], part[1]);
    case EXPR_DIV:
        if (!varies[1]) return derive_div(g, part[0], n.b);
        return derive_div(g, derive_sub(g, part[0], derive_mul(g, e, part[1])), n.b);
    case EXPR_IF:
        return expr_make(g, EXPR_IF, n.a, part[1], part[2]);
    case EXPR_MIN:
        return expr_make(g, EXPR_IF, expr_make(g, EXPR_LT, n.a, n.b, 0), part[0], part[1]);
    case EXPR_MAX:
        return expr_make(g, EXPR_IF, expr_make(g, EXPR_LT, n.b, n.a, 0), part[0], part[1]);
    default:
        break;
    }
    expr sum = zero;
    for (int i = 0; i < operands; i++)
        if (varies[i]) sum = derive_add(g, sum, derive_chain(g, e, i, part[i]));
    return sum;
}

static void forget(struct derive *d, const struct expr_list *list) {
    for (size_t i = 0; i < list->count; i++) d->memo[list->item[i]] = EXPR_NONE, d->hit[list->item[i]] = 0;
}

expr derive_partial(struct derive *d, expr f, expr symbol) {
    struct graph *g = d->g;
    struct expr_list list;
    if (f == EXPR_NONE || reserve(d) || expr_order(g, 1, &f, &list)) return EXPR_NONE;
    expr zero = derive_zero(g), result = zero;
    for (size_t i = 0; i < list.count && result != EXPR_NONE; i++) {
        expr e = list.item[i];
        if (expr_operands((enum expr_op)g->node[e].op)) result = forward(d, e, d->memo);
        else result = e == symbol ? expr_constant(g, 1) : zero;
        d->memo[e] = result;
    }
    forget(d, &list);
    free(list.item);
    return result;
}

static expr leaf_total(struct derive *d, expr e) {
    struct graph *g = d->g;
    const struct expr_node n = g->node[e];
    if (n.op != EXPR_SYMBOL) return derive_zero(g);
    if (d->direction) return d->direction(d->user, e);
    switch ((enum expr_kind)n.a) {
    case EXPR_TIME:
        return expr_constant(g, 1);
    case EXPR_UNKNOWN:
    case EXPR_MULTIPLIER:
        return expr_symbol(g, (enum expr_kind)n.a, n.b, n.c + 1);
    case EXPR_PARAMETER:
    case EXPR_HELD:
    case EXPR_SIDE:
        break;
    }
    return derive_zero(g);
}

expr derive_total(struct derive *d, expr f) {
    struct graph *g = d->g;
    struct expr_list list;
    if (f == EXPR_NONE || reserve_total(d)) return EXPR_NONE;
    if (d->total[f]) return d->total[f];
    if (expr_order(g, 1, &f, &list)) return EXPR_NONE;
    expr result = derive_zero(g);
    for (size_t i = 0; i < list.count && result != EXPR_NONE; i++) {
        expr e = list.item[i];
        if (d->total[e]) continue;
        int leaf = expr_operands((enum expr_op)g->node[e].op) == 0;
        result = leaf ? leaf_total(d, e) : forward(d, e, d->total); /* a direction may ask for others */
        d->total[e] = result;
    }
    free(list.item);
    return result == EXPR_NONE ? EXPR_NONE : d->total[f];
}

/* Which of the nodes vary with a symbol whose hit is set; operands come first in the list. */
static void spread(struct derive *d, const struct expr_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct expr_node *n = &d->g->node[list->item[i]];
        const expr operand[3] = {n->a, n->b, n->c};
        for (int k = expr_operands((enum expr_op)n->op) - 1; k >= 0; k--)
            d->hit[list->item[i]] |= d->hit[operand[k]];
    }
}

/* What a gradient is taken by, and the gradients of the branching nodes on its way: n slopes for each. */
struct sweep {
    int n;
    const expr *symbol;
    expr *branch, *slope; /* the nodes, ascending; slope[k*n .. k*n + n) belong to branch[k] */
    size_t branches;
};

static int is_branching(const struct graph *g, expr e) {
    uint32_t op = g->node[e].op;
    return op == EXPR_IF || op == EXPR_MIN || op == EXPR_MAX;
}

static int ascending(const void *x, const void *y) {
    expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

static int passable(struct derive *d, expr e) {
    struct expr_node n = d->g->node[e];
    const expr operand[3] = {n.a, n.b, n.c};
    int varies[3] = {0};
    for (int i = 0; i < expr_operands((enum expr_op)n.op); i++) varies[i] = d->hit[operand[i]];
    return derive_passable(d, e, varies);
}

/* One node of the reverse sweep: its adjoint goes to its operands, or, times its slopes, to the result. */
static int push_back(struct derive *d, const struct sweep *s, expr e, expr *out) {
    struct graph *g = d->g;
    struct expr_node node = g->node[e];
    const expr operand[3] = {node.a, node.b, node.c};
    expr seed = d->memo[e];
    if (!passable(d, e)) return -1;
    if (is_branching(g, e)) {
        const expr *at = s->branches ? bsearch(&e, s->branch, s->branches, sizeof e, ascending) : NULL;
        if (!at) return -1; /* all that vary were swept before */
        const expr *slope = s->slope + (at - s->branch) * s->n;
        for (int i = 0; i < s->n; i++) out[i] = derive_add(g, out[i], derive_mul(g, slope[i], seed));
        return 0;
    }
    for (int i = 0; i < expr_operands((enum expr_op)node.op); i++) {
        if (!d->hit[operand[i]]) continue;
        expr to = operand[i], decay = derive_decay(g, e, i, &to), *sum = &d->memo[to];
        expr more = decay ? derive_mul(g, decay, seed) : derive_chain(g, e, i, seed);
        *sum = *sum == EXPR_NONE ? more : derive_add(g, *sum, more);
    }
    return 0;
}

/* The gradient of the last node of the list, once those of the branching nodes below it are known. */
static int sweep_back(struct derive *d, const struct sweep *s, const struct expr_list *list, double seed,
                      expr *out) {
    struct graph *g = d->g;
    expr f = list->item[list->count - 1];
    for (int i = 0; i < s->n; i++) out[i] = derive_zero(g);
    int failed = 0;
    if (d->hit[f]) d->memo[f] = expr_constant(g, seed);
    for (size_t i = list->count; i-- > 0 && !failed;) {
        expr e = list->item[i];
        if (d->memo[e] && !derive_is_zero(g, d->memo[e]) && !expr_is_truth(g, e))
            failed = push_back(d, s, e, out);
    }
    for (int i = 0; i < s->n; i++)
        if (d->memo[s->symbol[i]]) out[i] = derive_add(g, out[i], d->memo[s->symbol[i]]);
    for (size_t i = 0; i < list->count; i++) d->memo[list->item[i]] = EXPR_NONE;
    return failed;
}

static int sweep_back_from(struct derive *d, const struct sweep *s, expr f, expr *out) {
    struct expr_list list;
    if (expr_order(d->g, 1, &f, &list)) return -1;
    int failed = sweep_back(d, s, &list, 1, out);
    free(list.item);
    return failed;
}

/* The slopes of a branching node: if(c, da, db), each branch swept by itself.  Sending the adjoint through
 * if(c, seed, 0) into both branches would multiply the slopes of the branch not taken, perhaps infinite,
 * by 0. */
static int sweep_branch(struct derive *d, const struct sweep *s, size_t k, expr *other) {
    struct graph *g = d->g;
    expr e = s->branch[k], *slope = s->slope + k * (size_t)s->n, condition;
    struct expr_node n = g->node[e];
    if (!passable(d, e)) return -1;
    if (n.op == EXPR_IF) condition = n.a;
    else
        condition =
            n.op == EXPR_MIN ? expr_make(g, EXPR_LT, n.a, n.b, 0) : expr_make(g, EXPR_LT, n.b, n.a, 0);
    if (sweep_back_from(d, s, n.op == EXPR_IF ? n.b : n.a, slope)) return -1;
    if (sweep_back_from(d, s, n.op == EXPR_IF ? n.c : n.b, other)) return -1;
    for (int i = 0; i < s->n; i++) slope[i] = expr_make(g, EXPR_IF, condition, slope[i], other[i]);
    return 0;
}

/* The branching nodes first, each once, the inner before the outer; then the last of all. */
static int sweep_all(struct derive *d, struct sweep *s, const struct expr_list *list, double seed,
                     expr *out) {
    for (size_t i = 0; i < list->count; i++)
        s->branches += is_branching(d->g, list->item[i]) && d->hit[list->item[i]];
    if (s->branches == 0) return sweep_back(d, s, list, seed, out);
    s->branch = malloc(s->branches * sizeof *s->branch);
    s->slope = malloc((s->branches + 1) * (size_t)s->n * sizeof *s->slope);
    int failed = s->branch && s->slope ? 0 : out_of_memory(d);
    for (size_t i = 0, k = 0; i < list->count && !failed; i++)
        if (is_branching(d->g, list->item[i]) && d->hit[list->item[i]]) s->branch[k++] = list->item[i];
    if (!failed) qsort(s->branch, s->branches, sizeof *s->branch, ascending);
    for (size_t k = 0; k < s->branches && !failed; k++)
        failed = sweep_branch(d, s, k, s->slope + s->branches * (size_t)s->n);
    if (!failed) failed = sweep_back(d, s, list, seed, out);
    free(s->branch);
    free(s->slope);
    return failed;
}

int derive_vary(struct derive *d, int rows, const expr *f, int n, const expr *symbol) {
    struct expr_list list;
    if (reserve(d) || expr_reach(d->g, (size_t)rows, f, &list)) return -1;
    for (int i = 0; i < n; i++) d->hit[symbol[i]] = 1;
    spread(d, &list);
    free(list.item);
    d->known = 1;
    return 0;
}

void derive_rest(struct derive *d) {
    if (d->known) memset(d->hit, 0, d->capacity);
    d->known = 0;
}

static int gradient_by_all(struct derive *d, expr f, double seed, struct sweep *s, expr *out) {
    struct expr_list list;
    if (expr_order(d->g, 1, &f, &list)) return -1;
    for (int i = 0; i < s->n; i++) d->hit[s->symbol[i]] = 1;
    spread(d, &list);
    int failed = sweep_all(d, s, &list, seed, out);
    for (int i = 0; i < s->n; i++) d->hit[s->symbol[i]] = 0;
    forget(d, &list);
    free(list.item);
    return failed;
}

/* f holds one of the symbols at least. */
static int gradient_by_known(struct derive *d, expr f, double seed, struct sweep *s, expr *out) {
    struct expr_list list;
    if (expr_order_among(d->g, 1, &f, d->hit, &list)) return -1;
    int failed = sweep_all(d, s, &list, seed, out);
    for (size_t i = 0; i < list.count; i++) d->memo[list.item[i]] = EXPR_NONE;
    free(list.item);
    return failed;
}

static int gradient(struct derive *d, expr f, double seed, int n, const expr *symbol, expr *out) {
    struct sweep s = {.n = n, .symbol = symbol};
    if (f == EXPR_NONE || reserve(d)) return -1;
    int failed = (d->known ? gradient_by_known : gradient_by_all)(d, f, seed, &s, out);
    return failed || d->g->failed ? -1 : 0;
}

int derive_gradient(struct derive *d, expr f, int n, const expr *symbol, expr *out) {
    return gradient(d, f, 1, n, symbol, out);
}

int derive_descent(struct derive *d, expr f, int n, const expr *symbol, expr *out) {
    return gradient(d, f, -1, n, symbol, out);
}
