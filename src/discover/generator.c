/* generator.c - see generator.h. */
#include "discover/generator.h"

#include "base/text.h"
#include "model/diagnostics.h"
#include "model/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4000 };

/* v is x': every symbol by the name that the analysis keeps. */
expr generator_first_names(const struct system *y, expr e) {
    struct graph *g = &y->m->graph;
    struct expr_list all;
    size_t count = 0;
    if (e == EXPR_NONE || expr_symbols(g, 1, &e, &all)) return EXPR_NONE;
    expr *to = expr_take(g, all.count + 1, sizeof *to);
    for (size_t k = 0; k < all.count && to; k++) {
        int j = system_unknown(y, all.item[k]);
        if (j < 0 || y->s.alias[j].unknown == j) continue;
        const struct expr_node first = g->node[y->unknown[y->s.alias[j].unknown]];
        uint32_t order = g->node[all.item[k]].c + (uint32_t)y->s.alias[j].order;
        to[count] = expr_symbol(g, (enum expr_kind)first.a, first.b, order);
        all.item[count++] = all.item[k];
    }
    if (!to || (count && expr_substitute(g, 1, &e, count, all.item, to, &e))) e = EXPR_NONE;
    free(to);
    free(all.item);
    return e;
}

/* Only states, parameters and t, and one state at least. */
static int of_states(const struct generators *s, expr e) {
    struct expr_list all;
    int state = 0, good = 1;
    if (expr_symbols(s->g, 1, &e, &all)) return 0;
    for (size_t k = 0; k < all.count && good; k++) {
        uint32_t kind = s->g->node[all.item[k]].a;
        int is_state = 0;
        for (int i = 0; i < s->w->states && !is_state; i++) is_state = s->w->state[i] == all.item[k];
        state |= is_state || kind == EXPR_TIME;
        good = is_state || kind == EXPR_PARAMETER || kind == EXPR_TIME;
    }
    free(all.item);
    return good && state;
}

/* Brackets are needed where it is a factor or a base. */
static int is_sum(const struct graph *g, expr e) {
    uint32_t op = g->node[e].op;
    return op == EXPR_ADD || op == EXPR_SUB || op == EXPR_NEG || op == EXPR_MUL || op == EXPR_DIV ||
           op == EXPR_POWI || op == EXPR_POW || op == EXPR_CONSTANT;
}

static char *text_of(const struct generators *s, expr e) {
    char *out = malloc(LONGEST + 3);
    int brackets = is_sum(s->g, e);
    if (!out) return NULL;
    diagnostics_print(s->y, e, out + brackets, LONGEST);
    if (brackets) {
        out[0] = '(';
        strcat(out, ")");
    }
    return out;
}

static int find(const struct generators *s, expr base, int reciprocal) {
    for (int i = 0; i < s->count; i++)
        if (s->list[i].base == base && s->list[i].reciprocal == reciprocal) return i;
    return -1;
}

/* The state whose logarithm it is, log(x) or log(-x); -1: none. */
static int state_in_logarithm(const struct generators *s, expr base) {
    struct expr_node n = s->g->node[base];
    if (n.op != EXPR_LOG) return -1;
    expr of = s->g->node[n.a].op == EXPR_NEG ? s->g->node[n.a].a : n.a;
    return s->g->node[of].op == EXPR_SYMBOL ? find(s, of, 0) : -1;
}

static int add(struct generators *s, expr base, int reciprocal) {
    if (base == EXPR_NONE || find(s, base, reciprocal) >= 0 || !of_states(s, base)) return 1;
    if (s->count == s->capacity) {
        int capacity = 2 * s->capacity + 32;
        struct generator *wider = realloc(s->list, (size_t)capacity * sizeof *wider);
        if (!wider) return 0;
        s->list = wider;
        s->capacity = capacity;
    }
    expr value = reciprocal ? expr_make(s->g, EXPR_DIV, expr_constant(s->g, 1), base, 0) : base;
    int partner = find(s, base, !reciprocal);
    s->list[s->count] = (struct generator){.base = base,
                                           .value = value,
                                           .reciprocal = reciprocal,
                                           .partner = partner,
                                           .of = state_in_logarithm(s, base),
                                           .text = text_of(s, base)};
    if (partner >= 0) s->list[partner].partner = s->count;
    s->count++;
    return s->list[s->count - 1].text && value != EXPR_NONE;
}

static expr function(struct generators *s, enum expr_op op, expr of) {
    return expr_make(s->g, op, of, EXPR_NONE, EXPR_NONE);
}

/* What is divided by: the bases of its factors. */
static int add_divisors(struct generators *s, expr divisor) {
    expr factor[EXPR_FACTORS];
    int count = expr_factors(s->g, divisor, factor), good = 1;
    if (count > EXPR_FACTORS) return add(s, divisor, 1);
    for (int k = 0; k < count && good; k++) {
        struct expr_node n = s->g->node[factor[k]];
        while (n.op == EXPR_POWI && (int32_t)n.b > 0) factor[k] = n.a, n = s->g->node[n.a];
        if (n.op == EXPR_MUL && factor[k] != divisor) good = add_divisors(s, factor[k]);
        else good = n.op == EXPR_EXP || add(s, factor[k], 1);
    }
    return good;
}

static int add_power(struct generators *s, expr e) {
    struct expr_node n = s->g->node[e];
    double exponent;
    if (!expr_is_constant(s->g, n.b, &exponent) || 2 * exponent != floor(2 * exponent)) return add(s, e, 0);
    expr root = function(s, EXPR_SQRT, n.a);
    return add(s, root, 0) && add(s, root, 1);
}

static int add_function(struct generators *s, expr e) {
    const struct expr_node n = s->g->node[e];
    switch ((enum expr_op)n.op) {
    case EXPR_CONSTANT:
    case EXPR_SYMBOL:
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
        return 1;
    case EXPR_DIV:
        return add_divisors(s, n.b);
    case EXPR_POWI:
        return (int32_t)n.b > 0 || add_divisors(s, n.a);
    case EXPR_POW:
        return add_power(s, e);
    case EXPR_SQRT:
    case EXPR_HYPOT:
        return add(s, e, 0) && add(s, e, 1);
    case EXPR_EXPM1:
        return add(s, function(s, EXPR_EXP, n.a), 0);
    case EXPR_SIN:
    case EXPR_COS:
        return add(s, function(s, EXPR_SIN, n.a), 0) && add(s, function(s, EXPR_COS, n.a), 0);
    case EXPR_TAN:
        return add(s, function(s, EXPR_SIN, n.a), 0) && add(s, function(s, EXPR_COS, n.a), 0) &&
               add(s, function(s, EXPR_COS, n.a), 1);
    case EXPR_SINH:
    case EXPR_COSH:
        return add(s, function(s, EXPR_SINH, n.a), 0) && add(s, function(s, EXPR_COSH, n.a), 0);
    case EXPR_ABS:
    case EXPR_SIGN:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_FLOOR:
    case EXPR_MOD:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_IF:
        s->obstacle = e;
        return 1;
    default:
        return add(s, e, 0);
    }
}

/* All functions in some expressions; the obstacle, too. */
static int add_functions(struct generators *s, int count, const expr *of) {
    struct expr_list order;
    if (expr_order(s->g, (size_t)count, of, &order)) return 0;
    int good = 1;
    for (size_t i = 0; i < order.count && good; i++) good = add_function(s, order.item[i]);
    free(order.item);
    return good && !s->g->failed;
}

static int add_asked(struct generators *s, struct keel_model *m, const char *functions) {
    const char *at = functions;
    int depth = 0;
    for (const char *from = at; at && *from; from = at) {
        char word[400], why[INSIDE_WHY];
        from += strspn(from, " \t");
        while (*at && (*at != ',' || depth > 0)) depth += (*at == '(') - (*at == ')'), at++;
        text_set(word, sizeof word, "%.*s", (int)(at - from), from);
        if (*at == ',') at++;
        expr e = query_expression(m, word, why, sizeof why);
        if (e == EXPR_NONE) return text_no(s->why, sizeof s->why, "`%.60s`: %.300s", word, why);
        e = generator_first_names(s->y, e);
        if (e == EXPR_NONE) return 0;
        if (!of_states(s, e))
            return text_no(s->why, sizeof s->why,
                           "`%.60s` is no function of the states alone: invariants are", word);
        struct expr_node n = s->g->node[e];
        double one;
        int reciprocal = n.op == EXPR_DIV && expr_is_constant(s->g, n.a, &one) && one == 1;
        if (!add(s, reciprocal ? n.b : e, reciprocal)) return 0;
    }
    return 1;
}

/* x' = x g(...): x is not zero, and log(x) has the derivative g. */
static int keeps_sign(const struct generators *s, expr state, uint64_t seed) {
    struct variety *w = s->w;
    const struct expr_node n = s->g->node[state];
    struct generic_coordinate c = {GENERIC_PLAIN, state};
    int zeros = 0, others = 0;
    for (int k = 0; k < w->rows; k++)
        if (w->row[k].by.kind == GENERIC_PLAIN && w->row[k].by.node == state) return 0;
    expr rate = EXPR_NONE;
    for (int k = 0; k < w->unknowns; k++) {
        const struct expr_node z = s->g->node[w->unknown[k]];
        if (z.a == n.a && z.b == n.b && z.c == n.c + 1) rate = w->unknown[k];
    }
    for (int k = 0; k < 64 && rate != EXPR_NONE && (zeros < 3 || others < 1); k++) {
        generic_begin(&w->v, residue_random(seed, (uint64_t)k));
        if (zeros < 3) generic_fix(&w->v, c, 0);
        if (!variety_try(w)) continue;
        residue value = generic_coordinate(&w->v, (struct generic_coordinate){GENERIC_PLAIN, rate});
        if (zeros < 3 && value != 0) return 0;
        if (zeros < 3) zeros++;
        else others += value != 0;
    }
    return zeros == 3 && others > 0;
}

/* log(-x) of a state that begins below zero. */
static expr logarithm_of(struct generators *s, const struct keel_model *m, expr state) {
    int place = formulation_find(&m->mode[0]->formulation, state);
    int below = place >= 0 && m->u0 && m->u0[place] < 0;
    return function(s, EXPR_LOG, below ? function(s, EXPR_NEG, state) : state);
}

static int add_logarithms(struct generators *s, const struct keel_model *m, uint64_t seed) {
    int count = s->w->states;
    unsigned char *found = calloc((size_t)count + 1, 1);
    int good = found && variety_open(s->w, seed);
    for (int i = 0; i < count && good; i++) found[i] = (unsigned char)keeps_sign(s, s->w->state[i], seed);
    variety_rest(s->w);
    for (int i = 0; i < count && good; i++)
        if (found[i]) good = add(s, logarithm_of(s, m, s->w->state[i]), 0);
    free(found);
    return good;
}

int generator_find(struct generators *s, struct keel_model *m, struct variety *w, const char *functions,
                   uint64_t seed) {
    struct system *y = w->y;
    expr energy = y->m->mode[y->mode].function, t = expr_symbol(&y->m->graph, EXPR_TIME, 0, 0);
    *s = (struct generators){.g = &y->m->graph, .y = y, .w = w};
    for (int i = 0; i < w->states; i++)
        if (!add(s, w->state[i], 0)) return 0;
    for (int i = 0; i < y->s.n && t != EXPR_NONE; i++)
        if (expr_depends(s->g, y->s.equation[i], 1, &t) && !add(s, t, 0)) return 0;
    s->states = s->count;
    if (!add_functions(s, y->s.n, y->s.equation)) return 0;
    if (energy != EXPR_NONE) {
        energy = generator_first_names(y, energy);
        if (energy == EXPR_NONE || !add_functions(s, 1, &energy)) return 0;
    }
    if (s->obstacle != EXPR_NONE) {
        char text[200];
        diagnostics_print(y, s->obstacle, text, sizeof text);
        return text_no(s->why, sizeof s->why,
                       "the model switches by `%.120s`: what holds on one side need not hold on the other",
                       text);
    }
    return add_asked(s, m, functions) && add_logarithms(s, m, seed);
}

int generator_rates(struct generators *s) {
    struct derive d;
    derive_open(&d, s->g, DERIVE_NONE);
    int done = 0;
    while (done < s->count && (s->list[done].rate = derive_total(&d, s->list[done].value)) != EXPR_NONE)
        done++;
    if (done < s->count && d.obstacle != EXPR_NONE)
        text_set(s->why, sizeof s->why, "`%.100s` has no derivative everywhere", s->list[done].text);
    derive_close(&d);
    return done == s->count;
}

void generator_close(struct generators *s) {
    for (int i = 0; i < s->count; i++) free(s->list[i].text);
    free(s->list);
    *s = (struct generators){0};
}
