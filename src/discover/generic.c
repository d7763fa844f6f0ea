/* generic.c - see generic.h. */
#include "discover/generic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, HIGHEST = 64 }; /* sums taken apart in an argument; integer factors in it */

int generic_list(struct generic_list *list, struct graph *g, int count, const expr *of) {
    return expr_order(g, (size_t)count, of, &list->order) == 0;
}

void generic_list_close(struct generic_list *list) {
    free(list->order.item);
    *list = (struct generic_list){{0}};
}

/* Numbers, and what is made of them and of parameters: once for all points. */
static void take_numbers(struct generic *v) {
    for (uint32_t e = 1; e < v->nodes; e++) {
        struct expr_node n = v->g->node[e];
        const expr operand[3] = {n.a, n.b, n.c};
        double number;
        int rests = 1;
        if (n.op == EXPR_POWI) rests = v->rests[n.a];
        else
            for (int k = 0; k < expr_operands((enum expr_op)n.op); k++) rests &= v->rests[operand[k]];
        if (n.op == EXPR_SYMBOL) rests = n.a == EXPR_PARAMETER;
        v->rests[e] = (unsigned char)rests;
        if (!expr_is_constant(v->g, e, &number) || residue_of(number, &v->number[e])) continue;
        uint64_t bits;
        double size = fabs(number);
        memcpy(&bits, &size, sizeof bits);
        v->number[e] = residue_random(1, bits);
        if (number < 0) v->number[e] = residue_sub(0, v->number[e]);
        v->odd[e] = 1;
    }
}

int generic_open(struct generic *v, const struct system *y) {
    size_t nodes = y->m->graph.count;
    *v = (struct generic){.y = y, .g = &y->m->graph, .nodes = y->m->graph.count};
    v->value = calloc(nodes, sizeof *v->value);
    v->number = calloc(nodes, sizeof *v->number);
    v->rests = calloc(nodes, 1);
    v->odd = calloc(nodes, 1);
    v->parameter = calloc((size_t)y->m->parameters + 1, sizeof *v->parameter);
    int good = v->value && v->number && v->rests && v->odd && v->parameter;
    for (int k = 0; k < GENERIC_KINDS; k++) {
        v->fixed[k] = calloc(nodes, sizeof *v->fixed[k]);
        v->when[k] = calloc(nodes, sizeof *v->when[k]);
        v->met[k] = calloc(nodes, 1);
        good = good && v->fixed[k] && v->when[k] && v->met[k];
    }
    if (good) take_numbers(v);
    return good;
}

void generic_close(struct generic *v) {
    for (int k = 0; k < GENERIC_KINDS; k++) {
        free(v->fixed[k]);
        free(v->when[k]);
        free(v->met[k]);
    }
    free(v->value);
    free(v->number);
    free(v->rests);
    free(v->odd);
    free(v->parameter);
    free(v->coordinate);
    *v = (struct generic){0};
}

int generic_odd_numbers(const struct generic *v, double *first) {
    int count = 0;
    for (expr e = 0; v->odd && e < v->nodes; e++)
        if (v->odd[e] == 2 && count++ == 0) expr_is_constant(v->g, e, first);
    return count;
}

void generic_begin(struct generic *v, uint64_t seed) {
    v->seed = seed;
    v->point++;
}

void generic_fix(struct generic *v, struct generic_coordinate c, residue value) {
    v->fixed[c.kind][c.node] = value;
    v->when[c.kind][c.node] = v->point;
}

/* Angles and exponentials are listed as they are met: equations may be solved for them. */
static void meet(struct generic *v, struct generic_coordinate c) {
    v->met[c.kind][c.node] = 1;
    if (v->coordinates == v->capacity) {
        int capacity = 2 * v->capacity + 16;
        struct generic_coordinate *wider = realloc(v->coordinate, (size_t)capacity * sizeof *wider);
        if (!wider) {
            v->failed = 1;
            return;
        }
        v->coordinate = wider;
        v->capacity = capacity;
    }
    v->coordinate[v->coordinates++] = c;
}

residue generic_coordinate(struct generic *v, struct generic_coordinate c) {
    if ((c.kind == GENERIC_ANGLE || c.kind == GENERIC_EXP) && !v->rests[c.node] && !v->met[c.kind][c.node])
        meet(v, c);
    if (v->when[c.kind][c.node] == v->point) return v->fixed[c.kind][c.node];
    uint64_t seed = v->rests[c.node] ? 1 : v->seed; /* a constant is the same at all points */
    return residue_random(seed, (uint64_t)c.node * GENERIC_KINDS + c.kind);
}

static residue plain(struct generic *v, expr node) {
    return generic_coordinate(v, (struct generic_coordinate){GENERIC_PLAIN, node});
}

/* Functions ---------------------------------------------------------------------------------------------- */

static int divide(residue a, residue b, residue *out) {
    if (b == 0) return 0;
    *out = residue_mul(a, residue_inverse(b));
    return 1;
}

static int integer_power(residue a, int32_t exponent, residue *out) {
    *out = residue_power(a, (uint64_t)llabs((long long)exponent));
    return exponent >= 0 || divide(1, *out, out);
}

/* Is e an integer times something?  The integer, and what it multiplies; 0: no. */
static int32_t multiple(const struct graph *g, expr e, expr *of) {
    struct expr_node n = g->node[e];
    double k;
    if (n.op != EXPR_MUL) return 0;
    int left = expr_is_constant(g, n.a, &k);
    if (!left && !expr_is_constant(g, n.b, &k)) return 0;
    *of = left ? n.b : n.a;
    return fabs(k) <= HIGHEST && k == floor(k) ? (int32_t)k : 0;
}

static int exponential(struct generic *v, expr e, int depth, residue *out) {
    struct expr_node n = v->g->node[e];
    residue a, b;
    expr of;
    double number;
    int32_t k = depth < DEEPEST ? multiple(v->g, e, &of) : 0;
    if (expr_is_constant(v->g, e, &number) && number == 0) return *out = 1, 1;
    if (k) return exponential(v, of, depth + 1, &a) && integer_power(a, k, out);
    if (depth < DEEPEST && (n.op == EXPR_ADD || n.op == EXPR_SUB)) {
        if (!exponential(v, n.a, depth + 1, &a) || !exponential(v, n.b, depth + 1, &b)) return 0;
        if (n.op == EXPR_SUB) return divide(a, b, out);
        return *out = residue_mul(a, b), 1;
    }
    if (depth < DEEPEST && n.op == EXPR_NEG) return exponential(v, n.a, depth + 1, &a) && divide(1, a, out);
    if (n.op == EXPR_LOG) return *out = v->value[n.a], 1;
    return *out = generic_coordinate(v, (struct generic_coordinate){GENERIC_EXP, e}), 1;
}

struct unit { /* cos and sin */
    residue c, s;
};

static struct unit turn(struct unit a, struct unit b) {
    return (struct unit){residue_sub(residue_mul(a.c, b.c), residue_mul(a.s, b.s)),
                         residue_add(residue_mul(a.s, b.c), residue_mul(a.c, b.s))};
}

/* With t = tan(e/2): cos = (1 - t^2)/(1 + t^2), sin = 2 t/(1 + t^2). */
static int angle(struct generic *v, expr e, int depth, struct unit *out) {
    struct expr_node n = v->g->node[e];
    struct unit a, b;
    expr of;
    double number;
    int32_t k = depth < DEEPEST ? multiple(v->g, e, &of) : 0;
    *out = (struct unit){1, 0};
    if (expr_is_constant(v->g, e, &number) && number == 0) return 1;
    if (k || (depth < DEEPEST && n.op == EXPR_NEG)) {
        if (!angle(v, k ? of : n.a, depth + 1, &a)) return 0;
        if (k <= 0) a.s = residue_sub(0, a.s);
        for (int32_t i = 0; i < (k ? labs(k) : 1); i++) *out = turn(*out, a);
        return 1;
    }
    if (depth < DEEPEST && (n.op == EXPR_ADD || n.op == EXPR_SUB)) {
        if (!angle(v, n.a, depth + 1, &a) || !angle(v, n.b, depth + 1, &b)) return 0;
        if (n.op == EXPR_SUB) b.s = residue_sub(0, b.s);
        return *out = turn(a, b), 1;
    }
    residue t = generic_coordinate(v, (struct generic_coordinate){GENERIC_ANGLE, e}),
            square = residue_mul(t, t);
    return divide(residue_sub(1, square), residue_add(1, square), &out->c) &&
           divide(residue_add(t, t), residue_add(1, square), &out->s);
}

static residue logarithm(struct generic *v, expr e, int depth) {
    struct expr_node n = v->g->node[e];
    double number;
    if (expr_is_constant(v->g, e, &number) && number == 1) return 0;
    if (n.op == EXPR_EXP) return v->value[n.a];
    if (depth < DEEPEST && n.op == EXPR_MUL)
        return residue_add(logarithm(v, n.a, depth + 1), logarithm(v, n.b, depth + 1));
    if (depth < DEEPEST && n.op == EXPR_DIV)
        return residue_sub(logarithm(v, n.a, depth + 1), logarithm(v, n.b, depth + 1));
    if (depth < DEEPEST && n.op == EXPR_POWI)
        return residue_mul(residue_integer((int32_t)n.b), logarithm(v, n.a, depth + 1));
    if (depth < DEEPEST && n.op == EXPR_SQRT)
        return residue_mul((RESIDUE_PRIME + 1) / 2, logarithm(v, n.a, depth + 1));
    return generic_coordinate(v, (struct generic_coordinate){GENERIC_LOG, e});
}

/* A constant that is no square counts as an independent number. */
static int root(struct generic *v, expr e, residue a, residue *out) {
    if (residue_root(a, out)) return 1;
    *out = plain(v, e);
    return v->rests[e];
}

/* a^c: integers in the exponent are split off, c = 1/2 is a root; what is left is independent. */
static int power(struct generic *v, expr e, residue *out) {
    struct expr_node n = v->g->node[e];
    struct expr_node top = v->g->node[n.b];
    double number = 0;
    residue base = v->value[n.a], whole, rest;
    expr of = n.b;
    if (expr_is_constant(v->g, n.b, &number)) of = EXPR_NONE;
    else if (top.op == EXPR_ADD && expr_is_constant(v->g, top.b, &number)) of = top.a;
    else if (top.op == EXPR_ADD && expr_is_constant(v->g, top.a, &number)) of = top.b;
    else if (top.op == EXPR_SUB && expr_is_constant(v->g, top.b, &number)) of = top.a, number = -number;
    if (!(fabs(number) < 1e6) || (of != EXPR_NONE && number != floor(number))) of = n.b, number = 0;
    double fraction = number - floor(number);
    if (!integer_power(base, (int32_t)floor(number), &whole)) return 0;
    if (of == EXPR_NONE && fraction == 0.5) {
        if (!root(v, n.a, base, &rest)) return 0;
    } else {
        uint64_t bits;
        memcpy(&bits, &fraction, sizeof bits);
        rest = fraction == 0 && of == EXPR_NONE
                   ? 1
                   : residue_random(v->rests[e] ? 1 : v->seed, residue_random(bits ^ of, n.a));
    }
    return *out = residue_mul(whole, rest), 1;
}

static int hyperbolic(struct generic *v, enum expr_op op, expr e, residue *out) {
    residue a, b;
    if (!exponential(v, e, 0, &a) || !divide(1, a, &b)) return 0;
    residue sum = residue_add(a, b), difference = residue_sub(a, b);
    if (op == EXPR_TANH) return divide(difference, sum, out);
    return *out = residue_mul((RESIDUE_PRIME + 1) / 2, op == EXPR_SINH ? difference : sum), 1;
}

static int trigonometric(struct generic *v, enum expr_op op, expr e, residue *out) {
    struct unit u;
    if (!angle(v, e, 0, &u)) return 0;
    if (op == EXPR_TAN) return divide(u.s, u.c, out);
    return *out = op == EXPR_SIN ? u.s : u.c, 1;
}

/* A multiplier that was left out is 0. */
static residue symbol(struct generic *v, expr e) {
    struct expr_node n = v->g->node[e];
    if (n.a == EXPR_PARAMETER && v->when[GENERIC_PLAIN][e] != v->point) return v->parameter[n.b];
    if (n.a == EXPR_MULTIPLIER && system_unknown(v->y, e) < 0) return 0;
    return plain(v, e);
}

static int operation(struct generic *v, expr e, residue *out) {
    const struct expr_node n = v->g->node[e];
    int operands = expr_operands((enum expr_op)n.op);
    residue a = operands > 0 ? v->value[n.a] : 0, b = operands > 1 ? v->value[n.b] : 0, c;
    switch ((enum expr_op)n.op) {
    case EXPR_CONSTANT:
        if (v->odd[e]) v->odd[e] = 2;
        return *out = v->number[e], 1;
    case EXPR_SYMBOL:
        return *out = symbol(v, e), 1;
    case EXPR_NEG:
        return *out = residue_sub(0, a), 1;
    case EXPR_ADD:
        return *out = residue_add(a, b), 1;
    case EXPR_SUB:
        return *out = residue_sub(a, b), 1;
    case EXPR_MUL:
        return *out = residue_mul(a, b), 1;
    case EXPR_DIV:
        return divide(a, b, out);
    case EXPR_POWI:
        return integer_power(a, (int32_t)n.b, out);
    case EXPR_POW:
        return power(v, e, out);
    case EXPR_SQRT:
        return root(v, e, a, out);
    case EXPR_HYPOT:
        return root(v, e, residue_add(residue_mul(a, a), residue_mul(b, b)), out);
    case EXPR_EXP:
        return exponential(v, n.a, 0, out);
    case EXPR_EXPM1:
        if (!exponential(v, n.a, 0, &c)) return 0;
        return *out = residue_sub(c, 1), 1;
    case EXPR_LOG:
        return *out = logarithm(v, n.a, 0), 1;
    case EXPR_LOG10:
        return divide(logarithm(v, n.a, 0), residue_random(1, EXPR_LOG10), out); /* log(10) */
    case EXPR_SIN:
    case EXPR_COS:
    case EXPR_TAN:
        return trigonometric(v, (enum expr_op)n.op, n.a, out);
    case EXPR_SINH:
    case EXPR_COSH:
    case EXPR_TANH:
        return hyperbolic(v, (enum expr_op)n.op, n.a, out);
    default:
        return *out = plain(v, e), 1;
    }
}

int generic_values(struct generic *v, const struct generic_list *list) {
    for (size_t i = 0; i < list->order.count; i++)
        if (!operation(v, list->order.item[i], &v->value[list->order.item[i]])) return 0;
    return 1;
}

void generic_parameters(struct generic *v, const unsigned char *vary, uint64_t seed) {
    struct model *m = v->y->m;
    for (int i = 0; i < m->parameters; i++) {
        const struct model_parameter *p = &m->parameter[i];
        struct generic_list list;
        double number;
        if (expr_is_constant(&m->graph, p->value, &number) || p->structural) {
            if (vary && vary[i] && !p->structural) v->parameter[i] = residue_random(seed, (uint64_t)i);
            else if (!residue_of(p->number, &v->parameter[i]))
                v->parameter[i] = residue_random(2, (uint64_t)i);
        } else if (!generic_list(&list, &m->graph, 1, &p->value)) v->failed = 1;
        else {
            int good = generic_values(v, &list);
            v->parameter[i] = good ? v->value[p->value] : residue_random(seed, (uint64_t)i);
            generic_list_close(&list);
        }
    }
}
