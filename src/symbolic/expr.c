/* expr.c - numbers, symbols, the budget, and walks over the nodes; see expr.h. */
#include "symbolic/expr.h"

#include <stdlib.h>
#include <string.h>

const struct expr_operation expr_operation[EXPR_OPS] = {
    [EXPR_CONSTANT] = {"number", 0},
    [EXPR_SYMBOL] = {"symbol", 0},
    [EXPR_NEG] = {"-", 1},
    [EXPR_ADD] = {"+", 2},
    [EXPR_SUB] = {"-", 2},
    [EXPR_MUL] = {"*", 2},
    [EXPR_DIV] = {"/", 2},
    [EXPR_POWI] = {"^", 1},
    [EXPR_POW] = {"^", 2},
    [EXPR_SQRT] = {"sqrt", 1},
    [EXPR_CBRT] = {"cbrt", 1},
    [EXPR_EXP] = {"exp", 1},
    [EXPR_EXPM1] = {"expm1", 1},
    [EXPR_LOG] = {"log", 1},
    [EXPR_LOG1P] = {"log1p", 1},
    [EXPR_LOG10] = {"log10", 1},
    [EXPR_SIN] = {"sin", 1},
    [EXPR_COS] = {"cos", 1},
    [EXPR_TAN] = {"tan", 1},
    [EXPR_ASIN] = {"asin", 1},
    [EXPR_ACOS] = {"acos", 1},
    [EXPR_ATAN] = {"atan", 1},
    [EXPR_ATAN2] = {"atan2", 2},
    [EXPR_SINH] = {"sinh", 1},
    [EXPR_COSH] = {"cosh", 1},
    [EXPR_TANH] = {"tanh", 1},
    [EXPR_ASINH] = {"asinh", 1},
    [EXPR_ACOSH] = {"acosh", 1},
    [EXPR_ATANH] = {"atanh", 1},
    [EXPR_ABS] = {"abs", 1},
    [EXPR_SIGN] = {"sign", 1},
    [EXPR_MIN] = {"min", 2},
    [EXPR_MAX] = {"max", 2},
    [EXPR_FLOOR] = {"floor", 1},
    [EXPR_MOD] = {"mod", 2},
    [EXPR_HYPOT] = {"hypot", 2},
    [EXPR_SN] = {"sn", 2},
    [EXPR_CN] = {"cn", 2},
    [EXPR_DN] = {"dn", 2},
    [EXPR_ELLIPK] = {"ellipk", 1},
    [EXPR_ELLIPE] = {"ellipe", 1},
    [EXPR_JACOBIEPS] = {"jacobieps", 2},
    [EXPR_JACOBISD2] = {"jacobisd2", 2},
    [EXPR_LOOK] = {"table", 2},
    [EXPR_ENTRY] = {"entry", 2},
    [EXPR_POSITION] = {"position", 2},
    [EXPR_LT] = {"<", 2},
    [EXPR_LE] = {"<=", 2},
    [EXPR_EQ] = {"==", 2},
    [EXPR_NE] = {"!=", 2},
    [EXPR_AND] = {"and", 2},
    [EXPR_OR] = {"or", 2},
    [EXPR_NOT] = {"not", 1},
    [EXPR_IF] = {"if", 3},
};

const char *expr_name(enum expr_op op) {
    return expr_operation[op].name;
}

enum expr_op expr_function(const char *name) {
    for (int op = EXPR_SQRT; op <= EXPR_JACOBISD2; op++)
        if (strcmp(expr_operation[op].name, name) == 0) return (enum expr_op)op;
    return strcmp(name, "if") == 0 ? EXPR_IF : (enum expr_op)0;
}

int expr_is_truth(const struct graph *g, expr e) {
    return g->node[e].op >= EXPR_LT && g->node[e].op <= EXPR_NOT;
}

int expr_is_constant(const struct graph *g, expr e, double *value) {
    const struct expr_node *n = &g->node[e];
    if (n->op != EXPR_CONSTANT) return 0;
    uint64_t bits = (uint64_t)n->b << 32 | n->a;
    memcpy(value, &bits, sizeof bits);
    return 1;
}

void expr_allow(struct graph *g, double work) {
    g->work = work > 0 ? work : EXPR_WORK;
    g->spent = 0;
    g->failed = g->exhausted = 0;
}

int expr_starved(const struct graph *g) {
    return g->failed && !g->exhausted;
}

int expr_spend(struct graph *g, double operations) {
    g->spent += operations;
    if (g->spent <= g->work && !(g->stop && *g->stop)) return 1;
    g->failed = g->exhausted = 1;
    return 0;
}

void *expr_take(struct graph *g, size_t count, size_t size) {
    void *taken = calloc(count + 1, size); /* never nothing */
    if (!taken) g->failed = 1;
    return taken;
}

void *expr_widen(struct graph *g, void *old, size_t count, size_t size) {
    void *wider = realloc(old, count * size);
    if (!wider) g->failed = 1;
    return wider;
}

expr expr_constant(struct graph *g, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    expr *often = bits == 0 ? &g->zero : value == 1 ? &g->one : NULL;
    if (often && *often) return *often;
    expr e = expr_intern(g, (struct expr_node){EXPR_CONSTANT, (uint32_t)bits, (uint32_t)(bits >> 32), 0});
    if (often) *often = e;
    return e;
}

expr expr_remainder(struct graph *g, double value, int lost) {
    enum { FEW = 6 };
    expr e = expr_constant(g, value);
    if (e == EXPR_NONE || value == 0 || lost < FEW) return e;
    struct expr_node n = g->node[e];
    n.c = (uint32_t)lost;
    return expr_intern(g, n);
}

int expr_lost(const struct graph *g, expr e) {
    return g->node[e].op == EXPR_CONSTANT ? (int)g->node[e].c : 0;
}

expr expr_symbol(struct graph *g, enum expr_kind kind, uint32_t index, uint32_t order) {
    return expr_intern(g, (struct expr_node){EXPR_SYMBOL, kind, index, order});
}

/* A new stamp: no node carries it yet. */
static uint32_t new_stamp(struct graph *g) {
    if (++g->stamp == 0) {
        memset(g->mark, 0, g->capacity * sizeof *g->mark);
        g->stamp = 1;
    }
    return g->stamp;
}

struct walk {
    const unsigned char *among; /* NULL, or the nodes that count */
    size_t most;                /* nodes after which it ends; 0: none */
    expr *stack, *list;
    size_t depth, stack_capacity, count, list_capacity;
};

static int push(expr **items, size_t *count, size_t *capacity, expr e) {
    if (*count == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 64;
        expr *items_more = realloc(*items, more * sizeof **items);
        if (!items_more) return -1;
        *items = items_more;
        *capacity = more;
    }
    (*items)[(*count)++] = e;
    return 0;
}

#define OPENED 0x80000000u /* no graph has so many nodes */

/* Depth first without recursion: a node is opened, its operands pushed, and listed when it comes up again,
 * with all of them listed before it.  0; -1 without memory; 1: there are more nodes than asked for. */
static int visit(struct graph *g, struct walk *w, expr root, uint32_t stamp) {
    if (root == EXPR_NONE || (w->among && !w->among[root])) return 0;
    if (push(&w->stack, &w->depth, &w->stack_capacity, root)) return -1;
    while (w->depth) {
        expr top = w->stack[w->depth - 1], e = top & ~OPENED;
        const struct expr_node *n = &g->node[e];
        const expr operand[3] = {n->a, n->b, n->c};
        if (top == e && g->mark[e] != stamp) {
            size_t depth = w->depth;
            w->stack[depth - 1] |= OPENED;
            for (int i = expr_operands((enum expr_op)n->op) - 1; i >= 0; i--)
                if (g->mark[operand[i]] != stamp && (!w->among || w->among[operand[i]]) &&
                    push(&w->stack, &w->depth, &w->stack_capacity, operand[i]))
                    return -1;
            if (w->depth > depth) continue;
        }
        w->depth--;
        if (g->mark[e] == stamp) continue;
        g->mark[e] = stamp;
        if (push(&w->list, &w->count, &w->list_capacity, e)) return -1;
        if (w->count == w->most) return 1;
    }
    return 0;
}

/* The list, paid for; or nothing, with the graph failed. */
static int finish_walk(struct graph *g, int failed, expr *item, size_t count, struct expr_list *out) {
    *out = (struct expr_list){item, count};
    if (!failed && expr_spend(g, EXPR_COST_VISIT * ((double)count + 8))) return 0;
    free(item);
    *out = (struct expr_list){NULL, 0};
    g->failed = 1;
    return -1;
}

int expr_order_among(struct graph *g, size_t roots, const expr *root, const unsigned char *among,
                     struct expr_list *out) {
    struct walk w = {.among = among};
    uint32_t stamp = new_stamp(g);
    int failed = 0;
    for (size_t i = 0; i < roots && !failed; i++) failed = visit(g, &w, root[i], stamp);
    free(w.stack);
    return finish_walk(g, failed, w.list, w.count, out);
}

int expr_order(struct graph *g, size_t roots, const expr *root, struct expr_list *out) {
    return expr_order_among(g, roots, root, NULL, out);
}

/* Operands have lower numbers: one way down all numbers marks them, one way up lists them. */
static int sweep(struct graph *g, size_t roots, const expr *root, struct expr_list *out) {
    uint32_t stamp = new_stamp(g), last = 0;
    size_t reached = 0, count = 0;
    for (size_t i = 0; i < roots; i++) {
        if (root[i] != EXPR_NONE) g->mark[root[i]] = stamp;
        if (root[i] > last) last = root[i];
    }
    for (expr e = last; e > 0; e--) {
        const struct expr_node *n = &g->node[e];
        const expr operand[3] = {n->a, n->b, n->c};
        if (g->mark[e] != stamp) continue;
        reached++;
        for (int i = expr_operands((enum expr_op)n->op) - 1; i >= 0; i--) g->mark[operand[i]] = stamp;
    }
    expr *item = malloc((reached + 1) * sizeof *item);
    for (expr e = 1; e <= last && item; e++)
        if (g->mark[e] == stamp) item[count++] = e;
    return finish_walk(g, !item, item, count, out);
}

int expr_reach(struct graph *g, size_t roots, const expr *root, struct expr_list *out) {
    enum { SHARE = 16, LEAST = 1000 };
    struct walk w = {.most = g->count / SHARE + LEAST};
    uint32_t stamp = new_stamp(g);
    int status = 0;
    for (size_t i = 0; i < roots && !status; i++) status = visit(g, &w, root[i], stamp);
    free(w.stack);
    if (status <= 0) return finish_walk(g, status, w.list, w.count, out);
    free(w.list);
    return sweep(g, roots, root, out);
}

static int ascending(const void *x, const void *y) {
    expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

int expr_symbols(struct graph *g, size_t roots, const expr *root, struct expr_list *out) {
    if (expr_reach(g, roots, root, out)) return -1;
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (g->node[out->item[i]].op == EXPR_SYMBOL) out->item[kept++] = out->item[i];
    out->count = kept;
    if (kept > 1) qsort(out->item, kept, sizeof *out->item, ascending);
    return 0;
}

int expr_any_depends(struct graph *g, size_t roots, const expr *root, size_t count, const expr *symbol) {
    struct expr_list list;
    if (expr_reach(g, roots, root, &list)) return 1;
    free(list.item);
    for (size_t i = 0; i < count; i++)
        if (g->mark[symbol[i]] == g->stamp) return 1;
    return 0;
}

int expr_depends(struct graph *g, expr e, size_t count, const expr *symbol) {
    return expr_any_depends(g, 1, &e, count, symbol);
}

/* What stands for e: its image if there is one, e itself otherwise. */
static expr image_of(const struct graph *g, expr e) {
    return g->image[e] ? g->image[e] : e;
}

int expr_substitute(struct graph *g, size_t roots, const expr *root, size_t count, const expr *from,
                    const expr *to, expr *out) {
    struct expr_list list;
    if (expr_order(g, roots, root, &list)) return -1;
    for (size_t i = 0; i < count; i++) g->image[from[i]] = to[i];
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        if (g->image[e] || expr_operands((enum expr_op)n.op) == 0) continue;
        expr a = image_of(g, n.a), c = image_of(g, n.c);
        expr b = n.op == EXPR_POWI ? n.b : image_of(g, n.b);
        if (a == n.a && b == n.b && c == n.c) continue;
        expr made =
            n.op == EXPR_POWI ? expr_powi(g, a, (int32_t)b) : expr_make(g, (enum expr_op)n.op, a, b, c);
        g->image[e] = made;
    }
    for (size_t i = 0; i < roots; i++) out[i] = image_of(g, root[i]);
    for (size_t i = 0; i < count; i++) g->image[from[i]] = EXPR_NONE;
    for (size_t i = 0; i < list.count; i++) g->image[list.item[i]] = EXPR_NONE;
    free(list.item);
    return g->failed ? -1 : 0;
}
