/* vary.c - see vary.h: what the values decide, and members that are read anew. */
#include "model/vary.h"

#include "base/text.h"
#include "model/initial.h"
#include "model/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static keel_status vary_fail(struct keel_variation *v, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static keel_status vary_fail(struct keel_variation *v, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(v->message, sizeof v->message, format, args);
    va_end(args);
    return v->status = status;
}

static keel_status vary_no_memory(struct keel_variation *v) {
    return vary_fail(v, KEEL_ENOMEM, "there is not enough memory");
}

/* Names ------------------------------------------------------------------------------------------------- */

/* A parameter by its symbol: it must not decide what the model consists of. */
static keel_status take_parameter(struct keel_variation *v, struct vary_one *one, uint32_t number) {
    const struct model_parameter *p = &v->m->model->parameter[number];
    if (p->structural)
        return vary_fail(
            v, KEEL_EINVAL,
            "`%.80s` decides how many equations there are, so it cannot vary within one sweep or "
            "fit: give it by --set, once for each value",
            one->name);
    one->parameter = (int)number;
    v->moves[number] = 1;
    return KEEL_OK;
}

static keel_status take_start(struct keel_variation *v, struct vary_one *one, expr symbol) {
    struct keel_model *m = v->m;
    const struct formulation *r = &m->mode[m->model->start]->formulation;
    one->place = formulation_find(r, symbol);
    if (one->place < 0)
        return vary_fail(v, KEEL_EINVAL, "the start value of `%.80s` follows from others, so it cannot vary",
                         one->name);
    if (one->place >= r->n) v->anew = 1; /* the states follow from it */
    v->fixed[one->place] = 1;
    return KEEL_OK;
}

static keel_status take_name(struct keel_variation *v, struct vary_one *one, const char *name) {
    char why[400];
    struct keel_model *m = v->m;
    *one = (struct vary_one){.name = malloc(strlen(name) + 1), .parameter = -1, .place = -1};
    if (!one->name) return vary_no_memory(v);
    strcpy(one->name, name);
    for (struct vary_one *other = v->one; other < one; other++)
        if (strcmp(other->name, name) == 0) return vary_fail(v, KEEL_EINVAL, "`%.80s` is given twice", name);
    expr e = query_expression(m, name, why, sizeof why);
    if (m->no_memory) return vary_no_memory(v);
    if (e == EXPR_NONE) return vary_fail(v, KEEL_EINVAL, "`%.80s`: %.400s", name, why);
    const struct expr_node n = m->model->graph.node[e];
    if (n.op == EXPR_SYMBOL && n.a == EXPR_PARAMETER) return take_parameter(v, one, n.b);
    if (n.op == EXPR_SYMBOL && n.a == EXPR_UNKNOWN) return take_start(v, one, e);
    return vary_fail(v, KEEL_EINVAL,
                     "`%.80s` is neither a parameter nor an unknown; of an array name one element, as in "
                     "p[2], and of a start value the unknown or its derivative, as in x or x'",
                     name);
}

/* Formulas ---------------------------------------------------------------------------------------------- */

static int formula_open(struct keel_variation *v, struct vary_formula *f, expr value) {
    struct graph *g = &v->m->model->graph;
    f->value = value;
    return value == EXPR_NONE || expr_order(g, 1, &value, &f->order) == 0;
}

/* Does an expression depend on what varies?  -1: no memory. */
static int depends(const struct keel_variation *v, expr value) {
    struct graph *g = &v->m->model->graph;
    struct expr_list list;
    int found = 0;
    if (value == EXPR_NONE) return 0;
    if (expr_symbols(g, 1, &value, &list)) return -1;
    for (size_t i = 0; i < list.count; i++) {
        const struct expr_node n = g->node[list.item[i]];
        found |= n.a == EXPR_PARAMETER && n.b < (uint32_t)v->parameters && v->moves[n.b];
    }
    free(list.item);
    return found;
}

static int is_varied(const struct keel_variation *v, int parameter) {
    for (int i = 0; i < v->count; i++)
        if (v->one[i].parameter == parameter) return 1;
    return 0;
}

/* The parameters that follow from others, in order: each is numbered after all that it is computed from. */
static int find_dependents(struct keel_variation *v) {
    const struct model *model = v->m->model;
    v->dependent = calloc((size_t)model->parameters + 1, sizeof *v->dependent);
    if (!v->dependent) return 0;
    for (int i = 0; i < model->parameters; i++) {
        int found = is_varied(v, i) ? 0 : depends(v, model->parameter[i].value);
        if (found < 0) return 0;
        if (!found) continue;
        v->moves[i] = 1;
        v->anew |= model->parameter[i].structural;
        struct vary_dependent *d = &v->dependent[v->dependents++];
        d->parameter = i;
        if (!formula_open(v, &d->formula, model->parameter[i].value)) return 0;
    }
    /* a parameter that was set to an expression of a later one that varies */
    for (int i = 0; i < model->parameters; i++)
        if (!v->moves[i] && depends(v, model->parameter[i].value)) v->anew = 1;
    return 1;
}

static int find_span(struct keel_variation *v) {
    char why[400];
    struct keel_model *m = v->m;
    expr from = m->from ? query_expression(m, m->from, why, sizeof why) : EXPR_NONE;
    expr to = m->to ? query_expression(m, m->to, why, sizeof why) : EXPR_NONE;
    return !m->no_memory && formula_open(v, &v->begin, m->model->begin) &&
           formula_open(v, &v->end, m->model->end) && formula_open(v, &v->from, from) &&
           formula_open(v, &v->to, to);
}

/* What `init` or `guess` says of a symbol. */
static expr given_of(const struct model *model, expr symbol) {
    const struct model_givens *lists[] = {&model->init, &model->guess};
    if (model->graph.node[symbol].a == EXPR_TIME) return symbol;
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l]->count; k++)
            if (lists[l]->list[k].target == symbol) return lists[l]->list[k].value;
    return EXPR_NONE;
}

/* "y' = 0.1", as the model was read with it: an `init` that has the last word.  0: it cannot be had so. */
static int add_set(struct keel_variation *v, const char *assignment, expr *value) {
    char name[120], why[400];
    struct keel_model *m = v->m;
    const char *sign = strchr(assignment, '=');
    text_set(name, sizeof name, "%.*s", sign ? (int)(sign - assignment) : 0, assignment);
    expr target = sign ? query_symbol(m, name, why, sizeof why) : EXPR_NONE;
    *value = target == EXPR_NONE ? EXPR_NONE : query_expression(m, sign + 1, why, sizeof why);
    const struct formulation *r = &m->mode[m->model->start]->formulation;
    int place = *value == EXPR_NONE ? -1 : formulation_find(r, target);
    if (place < 0 || place >= r->n) return 0;
    v->given[v->givens++] = (struct vary_given){*value, place};
    v->fixed[place] = 1;
    return 1;
}

/* The start values of the model as formulas: guesses first, so that an `init` has the last word. */
static int find_givens(struct keel_variation *v) {
    struct keel_model *m = v->m;
    struct model *model = m->model;
    const struct formulation *r = &m->mode[model->start]->formulation;
    const struct model_givens *lists[] = {&model->guess, &model->init};
    size_t all = (size_t)(model->guess.count + model->init.count + model->helds + m->starts) + 1;
    expr *roots = malloc(all * sizeof *roots);
    v->given = calloc(all, sizeof *v->given);
    v->held = calloc(all, sizeof *v->held);
    int count = 0;
    for (int l = 0; l < 2 && roots && v->given && v->held; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            const struct model_given *one = &lists[l]->list[k];
            int place = formulation_find(r, one->target);
            if (l == 1 && (place < 0 || place >= r->n)) v->anew = 1; /* the states follow from it */
            if (place < 0) continue;
            v->given[v->givens++] = (struct vary_given){one->value, place};
            if (l) v->fixed[place] = 1;
            roots[count++] = one->value;
        }
    for (int k = 0; k < m->starts && roots && v->given && v->held; k++) {
        if (add_set(v, m->start[k], &roots[count])) count++;
        else v->anew = 1;
    }
    for (int k = 0; k < model->helds && v->held && roots; k++) {
        v->held[k] = given_of(model, model->held[k].of);
        if (v->held[k] != EXPR_NONE) roots[count++] = v->held[k];
    }
    int good = roots && v->given && v->held &&
               (count == 0 || expr_order(&model->graph, (size_t)count, roots, &v->order) == 0);
    free(roots);
    return good;
}

/* Does anything else depend on what varies, that reading the model decides? */
static int find_rest(struct keel_variation *v) {
    const struct keel_model *m = v->m;
    const struct model_givens *lists[] = {&m->model->atol, &m->model->scale};
    for (int i = 0; i < m->modes; i++) v->anew |= m->mode[i]->system.s.special || m->mode[i]->branches.there;
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            int found = depends(v, lists[l]->list[k].value);
            if (found < 0) return 0;
            v->anew |= found;
        }
    return 1;
}

keel_variation *keel_vary_open(keel_model *m, int count, const char *const *name) {
    struct keel_variation *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->m = m;
    if (!m || m->status != KEEL_OK || m->without_start || count < 0 || (count && !name)) {
        vary_fail(v, KEEL_EINVAL,
                  "a model without errors, with its start, and the names of what varies are needed");
        return v;
    }
    const struct formulation *r = &m->mode[m->model->start]->formulation;
    v->parameters = m->model->parameters;
    v->one = calloc((size_t)count + 1, sizeof *v->one);
    v->moves = calloc((size_t)v->parameters + 1, 1);
    v->fixed = calloc((size_t)(r->n + r->m) + 1, 1);
    if (!v->one || !v->moves || !v->fixed) return vary_no_memory(v), v;
    expr_allow(&m->model->graph, m->work);
    for (; v->count < count; v->count++)
        if (take_name(v, &v->one[v->count], name[v->count]) != KEEL_OK) return v->count++, v;
    if (!find_dependents(v) || !find_span(v) || !find_givens(v) || !find_rest(v)) vary_no_memory(v);
    v->nodes = m->model->graph.count;
    return v;
}

void keel_vary_close(keel_variation *v) {
    if (!v) return;
    for (int i = 0; i < v->count; i++) free(v->one[i].name);
    for (int i = 0; i < v->dependents; i++) free(v->dependent[i].formula.order.item);
    struct vary_formula *f[] = {&v->begin, &v->end, &v->from, &v->to};
    for (int i = 0; i < 4; i++) free(f[i]->order.item);
    free(v->order.item);
    free(v->one);
    free(v->dependent);
    free(v->given);
    free(v->held);
    free(v->moves);
    free(v->fixed);
    free(v);
}

keel_status keel_vary_status(const keel_variation *v) {
    return v ? v->status : KEEL_EINVAL;
}

const char *keel_vary_message(const keel_variation *v) {
    return v ? v->message : "there is not enough memory";
}

int keel_vary_anew(const keel_variation *v) {
    return v ? v->anew : 0;
}

int keel_vary_start(const keel_variation *v, int i) {
    return v && i >= 0 && i < v->count && v->one[i].place >= 0;
}

int keel_vary_moves(keel_variation *v, const char *expression) {
    char why[400];
    if (!v || v->status < 0 || !expression) return 0;
    expr e = query_expression(v->m, expression, why, sizeof why);
    return e != EXPR_NONE && depends(v, e) != 0;
}

int keel_vary_span_moves(const keel_variation *v) {
    if (!v || v->status < 0) return 0;
    const struct vary_formula *f[] = {&v->begin, &v->end, &v->from, &v->to};
    int moves = 0;
    for (int i = 0; i < 4; i++) moves |= depends(v, f[i]->value) != 0;
    return moves;
}

/* Members ----------------------------------------------------------------------------------------------- */

/* A run that could not be opened, with the sentence. */
static keel_sim *refused(keel_status status, const char *sentence) {
    struct keel_sim *s = calloc(1, sizeof *s);
    if (s) sim_fail(s, status, "%.600s", sentence);
    return s;
}

/* The same text with the values in place of its own. */
static keel_model *read_anew(const struct keel_variation *v, const double *value) {
    const struct keel_model *m = v->m;
    size_t sets = (size_t)m->sets + (size_t)v->count, capacity = 40;
    for (int i = 0; i < v->count; i++) capacity += strlen(v->one[i].name) + 40;
    const char **set = malloc((sets + 1) * sizeof *set);
    char *text = malloc(capacity), *at = text;
    keel_model *own = NULL;
    if (set && text) {
        memcpy(set, m->set, (size_t)m->sets * sizeof *set);
        for (int i = 0; i < v->count; i++) {
            set[m->sets + i] = at;
            at += sprintf(at, "%s=%.17g", v->one[i].name, value[i]) + 1;
        }
        keel_model_options o = {.set = set,
                                .sets = (int)sets,
                                .from = m->from,
                                .to = m->to,
                                .sensitivity = m->sensitivity,
                                .clock = m->clock,
                                .work = m->work / 1e6,
                                .stop = m->limits.stop,
                                .interpret = 1};
        own = keel_model_read(m->name, m->text, m->source.length, &o);
    }
    free(set);
    free(text);
    return own;
}

static keel_sim *open_anew(const struct keel_variation *v, const keel_options *o, const double *value) {
    keel_diagnostic one = {0};
    keel_model *own = read_anew(v, value);
    if (!own) return NULL;
    keel_status status = keel_model_status(own);
    for (int i = 0; keel_model_diagnostic(own, i, &one) && !one.error;) i++;
    keel_sim *s = status == KEEL_OK ? keel_sim_open(own, o)
                                    : refused(status == KEEL_EINVAL ? KEEL_ESTART : status,
                                              one.sentence ? one.sentence : "the model has errors");
    if (s && status == KEEL_OK) s->own = own;
    else keel_model_close(own);
    return s;
}

/* Are the rows treated as with the model's own values?  One that is redundant or without a gradient at this
 * start, a rod of length 0, leaves it to the analysis what the model is. */
int vary_treats_alike(const struct keel_sim *s, const struct keel_sim *like) {
    return !s || keel_state_of(s->solver) < 0 || !like || keel_treats_alike(s->solver, like->solver);
}

keel_sim *keel_vary_sim(const keel_variation *v, const keel_sim *like, const keel_options *o,
                        const double *value) {
    if (!v || v->status < 0 || (v->count && !value))
        return refused(KEEL_EINVAL, v ? v->message : "there is no variation");
    for (int i = 0; i < v->count; i++)
        if (!isfinite(value[i])) {
            char why[200];
            text_set(why, sizeof why, "the value of `%.80s` is not a number (%g)", v->one[i].name, value[i]);
            return refused(KEEL_ESTART, why);
        }
    keel_sim *s = v->anew ? NULL : vary_quick(v, like, o, value);
    if (s && vary_treats_alike(s, like)) return s;
    keel_sim_close(s);
    return open_anew(v, o, value);
}

int keel_vary_span(const keel_variation *v, const double *value, double *from, double *to) {
    if (!v || v->status < 0) return 0;
    double *parameter = malloc(((size_t)v->parameters + 1) * sizeof *parameter), span[2] = {NAN, NAN};
    double *number = malloc((v->nodes + 1) * sizeof *number);
    int good = parameter && number && vary_parameters(v, value, parameter, number) &&
               vary_span(v, parameter, number, span);
    free(parameter);
    free(number);
    if (from) *from = span[0];
    if (to) *to = span[1];
    return good;
}
