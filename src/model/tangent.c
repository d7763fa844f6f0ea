/* tangent.c - see tangent.h. */
#include "model/tangent.h"

#include "base/text.h"
#include "model/diagnostics.h"
#include "model/query.h"
#include "symbolic/derive_rules.h"

#include <math.h>
#include <string.h>

/* The direction of one quantity: d/dp of all that depends on it. */
struct tangent {
    struct model *m;
    int number; /* of the direction */
    struct derive derive;
};

/* Companions of the unknowns of direction k begin here; those of the multipliers stand behind them. */
static uint32_t first_companion(const struct model *m, int k) {
    return (uint32_t)(m->primals + k * (m->primals + m->multipliers));
}

static expr companion(struct model *m, int k, expr symbol) {
    const struct expr_node n = m->graph.node[symbol];
    uint32_t behind = n.a == EXPR_MULTIPLIER ? (uint32_t)m->primals : 0;
    return expr_symbol(&m->graph, EXPR_UNKNOWN, first_companion(m, k) + behind + n.b, n.c);
}

int tangent_direction(const struct model *m, expr symbol) {
    const struct expr_node n = m->graph.node[symbol];
    if (n.op != EXPR_SYMBOL || n.a != EXPR_UNKNOWN || n.b < (uint32_t)m->primals) return -1;
    return ((int)n.b - m->primals) / (m->primals + m->multipliers);
}

expr tangent_primal(struct model *m, expr symbol) {
    const struct expr_node n = m->graph.node[symbol];
    int k = tangent_direction(m, symbol);
    if (k < 0) return symbol;
    uint32_t of = n.b - first_companion(m, k);
    if (of < (uint32_t)m->primals) return expr_symbol(&m->graph, EXPR_UNKNOWN, of, n.c);
    return expr_symbol(&m->graph, EXPR_MULTIPLIER, of - (uint32_t)m->primals, n.c);
}

/* D of a symbol.  Held values have companions in the order of the directions; t does not depend on p. */
static expr tangent_symbol(void *user, expr symbol) {
    struct tangent *t = user;
    struct model *m = t->m;
    struct graph *g = &m->graph;
    const struct expr_node n = g->node[symbol];
    int primal_helds = m->helds / (m->directions + 1);
    switch ((enum expr_kind)n.a) {
    case EXPR_UNKNOWN:
    case EXPR_MULTIPLIER:
        return companion(m, t->number, symbol);
    case EXPR_PARAMETER:
        if (symbol == m->direction[t->number].of) return expr_constant(g, 1);
        return derive_total(&t->derive, m->parameter[n.b].value);
    case EXPR_HELD:
        return expr_symbol(g, EXPR_HELD, (uint32_t)(primal_helds * (t->number + 1)) + n.b, n.c);
    case EXPR_TIME:
    case EXPR_SIDE:
        break;
    }
    return derive_zero(g);
}

/* Of the branches in force: where they change, and with them S, saltation.h says how. */
static void tangent_open(struct tangent *t, struct model *m, int number) {
    *t = (struct tangent){.m = m, .number = number};
    derive_open_along(&t->derive, &m->graph, DERIVE_ANY, tangent_symbol, t);
}

static void tangent_close(struct tangent *t) {
    derive_close(&t->derive);
}

expr tangent_derivative(struct model *m, int k, expr e) {
    struct tangent t;
    tangent_open(&t, m, k);
    expr d = derive_total(&t.derive, e);
    tangent_close(&t);
    return d;
}

static int refuse(struct source_messages *messages, struct syntax_span where, const char *sentence,
                  const char *hint) {
    source_hint(source_diagnose(messages, SOURCE_ERROR, where.offset, where.length, "%s", sentence), "%s",
                hint);
    return 0;
}

/* D of a line; EXPR_NONE with a message, or the graph failed. */
static expr tangent_of(struct tangent *t, expr e, struct syntax_span where,
                       struct source_messages *messages) {
    expr d = derive_total(&t->derive, e);
    if (d == EXPR_NONE && t->derive.obstacle)
        refuse(messages, where, "this line has no derivatives, which sensitivities need.",
               "Write it otherwise, or leave out the sensitivities.");
    return d;
}

/* Names ------------------------------------------------------------------------------------------------- */

static const char *named(struct keel_model *m, int k, const char *prefix, const char *text) {
    char name[400];
    text_set(name, sizeof name, "d/d%.150s %s%.220s", m->model->direction[k].name, prefix, text);
    return pool_copy(&m->pool, name, strlen(name));
}

static struct model_label label_of(struct keel_model *m, int k, const char *prefix,
                                   const struct model_label *label) {
    struct model_label out = *label;
    out.text = named(m, k, prefix, label->text);
    out.base = named(m, k, prefix, label->base);
    return out;
}

/* A list of the pool with room for more. */
static void *wider(struct pool *pool, const void *list, int count, int more, size_t size) {
    char *out = pool_take(pool, ((size_t)count + (size_t)more + 1) * size);
    if (out && count) memcpy(out, list, (size_t)count * size);
    return out;
}

/* What is asked for: a parameter, or the start value of a state.  EXPR_NONE with a message. */
static expr find_direction(struct keel_model *m, const char *word) {
    struct model *model = m->model;
    char why[INSIDE_WHY] = "name a parameter, or an unknown or derivative whose start value is given.";
    expr e = query_expression(m, word, why, sizeof why);
    const struct expr_node n = model->graph.node[e];
    int good = e != EXPR_NONE && n.op == EXPR_SYMBOL && (n.a == EXPR_PARAMETER || n.a == EXPR_UNKNOWN);
    for (int k = 0; k < model->directions && good; k++)
        if (model->direction[k].of == e) good = text_no(why, sizeof why, "it is asked for twice.");
    if (good && n.a == EXPR_PARAMETER && model->parameter[n.b].structural)
        good = text_no(why, sizeof why,
                       "it decides a range or an index, and there is no motion between two of its values.");
    if (!good)
        source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the sensitivity to `%.80s`: %.300s",
                        word, why);
    return good ? e : EXPR_NONE;
}

/* The `init` or `guess` that gives a state, under whatever name; EXPR_NONE: none does. */
static expr given_as(const struct system *y, struct structure_value state) {
    const struct model_givens *lists[] = {&y->m->init, &y->m->guess};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l]->count; i++) {
            expr target = lists[l]->list[i].target;
            int j = target == EXPR_NONE ? -1 : system_unknown(y, target);
            if (j < 0) continue;
            const struct structure_value alias = y->s.alias[j];
            if (alias.unknown == state.unknown &&
                alias.order + (int)y->m->graph.node[target].c == state.order)
                return target;
        }
    return EXPR_NONE;
}

static int add_direction(struct keel_model *m, expr of) {
    struct model *model = m->model;
    char name[160];
    model_name(model, of, name, sizeof name);
    model->direction[model->directions++] =
        (struct model_direction){pool_copy(&m->pool, name, strlen(name)), of};
    return !m->pool.refused || diagnostics_memory(&m->messages);
}

/* All free start values of the first mode.  What is wrong with the model is told when it is analysed. */
static int find_free_values(struct keel_model *m) {
    struct model *model = m->model;
    struct source_messages unheard = {0};
    struct system y;
    int good = 1;
    if (system_open(&y, model, model->start, m->span[0], &m->source, &unheard, &m->pool)) {
        model->direction = pool_take(&m->pool, ((size_t)y.s.states + 1) * sizeof *model->direction);
        good = model->direction || diagnostics_memory(&m->messages);
        for (int i = 0; i < y.s.states && good; i++) {
            expr of = y.s.free[i] ? given_as(&y, y.s.state[i]) : EXPR_NONE;
            if (of != EXPR_NONE) good = add_direction(m, of);
        }
    }
    system_close(&y);
    return good;
}

static int find_directions(struct keel_model *m) {
    struct model *model = m->model;
    char word[160];
    size_t most = 1;
    model->all_directions = strcmp(m->sensitivity, "*") == 0;
    if (model->all_directions) return find_free_values(m);
    for (const char *at = m->sensitivity; *at; at++) most += *at == ',';
    model->direction = pool_take(&m->pool, most * sizeof *model->direction);
    if (!model->direction) return diagnostics_memory(&m->messages);
    for (const char *rest = m->sensitivity; (rest = text_next(rest, word, sizeof word));) {
        expr of = find_direction(m, word);
        if (of == EXPR_NONE || !add_direction(m, of)) return 0;
    }
    return 1;
}

/* Unknowns ---------------------------------------------------------------------------------------------- */

static int add_unknowns(struct keel_model *m) {
    struct model *model = m->model;
    int each = model->primals + model->multipliers, more = m->model->directions * each;
    model->unknown = wider(&m->pool, model->unknown, model->primals, more, sizeof *model->unknown);
    model->held =
        wider(&m->pool, model->held, model->helds, m->model->directions * model->helds, sizeof *model->held);
    for (int i = 0; i < model->modes; i++) {
        struct model_mode *mode = &model->mode[i];
        if (mode->force)
            mode->force = wider(&m->pool, mode->force, model->primals, more, sizeof *mode->force);
        if (mode->flow) mode->flow = wider(&m->pool, mode->flow, model->primals, more, sizeof *mode->flow);
    }
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    for (int k = 0; k < m->model->directions; k++)
        for (int j = 0; j < each; j++) {
            struct model_unknown *to = &model->unknown[model->unknowns++];
            if (j < model->primals) *to = model->unknown[j];
            else to->where = (struct syntax_span){SOURCE_NOWHERE, 0};
            to->label = j < model->primals
                            ? label_of(m, k, "", &model->unknown[j].label)
                            : label_of(m, k, "lambda.", &model->multiplier[j - model->primals].label);
            to->role = MODEL_VAR;
            to->partner = to->poisson = -1;
        }
    int helds = model->helds;
    for (int k = 0; k < m->model->directions; k++)
        for (int i = 0; i < helds; i++)
            model->held[model->helds++] = (struct model_held){companion(model, k, model->held[i].of),
                                                              model->held[i].moment, model->held[i].group};
    return !m->pool.refused || diagnostics_memory(&m->messages);
}

/* Is the start value given from outside, as by --set "y' = 1"? */
static int is_set(const struct keel_model *m, expr symbol) {
    for (int i = 0; i < m->model->sets; i++)
        if (m->model->set[i] == symbol) return 1;
    return 0;
}

/* Are all free start values asked for?  What else `init` gives follows from these. */
static int follows_from_others(const struct keel_model *m, expr target) {
    if (!m->model->all_directions) return 0;
    for (int k = 0; k < m->model->directions; k++)
        if (m->model->direction[k].of == target) return 0;
    return 1;
}

/* D of what `init` or `guess` says; a value from outside is a number. */
static int add_givens(struct keel_model *m, struct model_givens *list, int fixed) {
    struct model *model = m->model;
    struct graph *g = &model->graph;
    int count = list->count, more = m->model->directions * count;
    list->list = wider(&m->pool, list->list, count, more, sizeof *list->list);
    if (!list->list) return diagnostics_memory(&m->messages);
    for (int k = 0; k < m->model->directions; k++) {
        struct tangent t;
        tangent_open(&t, model, k);
        for (int i = 0; i < count && !g->failed; i++) {
            struct model_given one = list->list[i];
            expr of = model->direction[k].of;
            if (one.target == EXPR_NONE || (fixed && follows_from_others(m, one.target))) continue;
            if (one.target == of) one.value = expr_constant(g, 1);
            else if (fixed && is_set(m, one.target)) one.value = derive_zero(g);
            else one.value = tangent_of(&t, one.value, one.where, &m->messages);
            one.target = companion(model, k, one.target);
            one.digits = NULL;
            list->list[list->count++] = one;
        }
        tangent_close(&t);
    }
    list->capacity = list->count;
    return m->messages.errors ? 0 : !g->failed || diagnostics_memory(&m->messages);
}

/* Rows -------------------------------------------------------------------------------------------------- */

static int add_rows(struct keel_model *m, struct model_rows *rows) {
    struct model *model = m->model;
    int count = rows->count, more = m->model->directions * count;
    rows->list = wider(&m->pool, rows->list, count, more, sizeof *rows->list);
    if (!rows->list) return diagnostics_memory(&m->messages);
    for (int k = 0; k < m->model->directions; k++) {
        struct tangent t;
        tangent_open(&t, model, k);
        for (int i = 0; i < count && !model->graph.failed; i++) {
            struct model_row one = rows->list[i];
            one.label = label_of(m, k, "", &one.label);
            one.value = tangent_of(&t, one.value, one.where, &m->messages);
            rows->list[rows->count++] = one;
        }
        tangent_close(&t);
    }
    rows->capacity = rows->count;
    return m->messages.errors ? 0 : !model->graph.failed || diagnostics_memory(&m->messages);
}

/* Does p move the time at which the run begins? */
static int begins_with(struct keel_model *m, int k) {
    char why[INSIDE_WHY];
    expr begin = m->from ? query_expression(m, m->from, why, sizeof why) : m->model->begin;
    if (begin == EXPR_NONE) return 0; /* none is given, or it is told elsewhere */
    return !derive_is_zero(&m->model->graph, tangent_derivative(m->model, k, begin));
}

/* Each p is a start value that is given, or a parameter; nothing that p moves is beyond what is followed. */
static int check_directions(struct keel_model *m) {
    struct model *model = m->model;
    for (int k = 0; k < m->model->directions; k++) {
        expr of = model->direction[k].of;
        int given = model->graph.node[of].a == EXPR_PARAMETER || is_set(m, of);
        for (int i = 0; i < model->init.count && !given; i++) given = model->init.list[i].target == of;
        given |= model->all_directions;
        if (!given) {
            source_hint(source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                                        "the sensitivity to `%.80s`: its start value is not given by `init`.",
                                        model->direction[k].name),
                        "Name a parameter, or an unknown or derivative that `init` gives.");
            return 0;
        }
        if (!begins_with(m, k)) continue;
        return refuse(&m->messages, model->run,
                      "the run begins at a time that depends on a sensitivity's "
                      "parameter.",
                      "Let it begin at a number.");
    }
    for (int i = 0; i < model->helds; i++)
        if (model->held[i].moment == SYNTAX_ENTER)
            return refuse(
                &m->messages, (struct syntax_span){SOURCE_NOWHERE, 0},
                "the sensitivities of values held where a mode begins, `x.enter`, are not followed.",
                "Assign the value to an unknown with x' = 0 instead.");
    return 1;
}

int tangent_add(struct keel_model *m) {
    struct model *model = m->model;
    model->primals = model->unknowns;
    if (!m->sensitivity) return 1;
    if (model->mode[0].contacts) {
        int all = strcmp(m->sensitivity, "*") == 0; /* asked by what looks for a state or an orbit */
        return refuse(&m->messages, model->mode[0].contact[0].where,
                      all ? "steady states, periodic orbits and exponents are not looked for in models with "
                            "contacts: they need the derivative of the motion by its start."
                          : "sensitivities do not pass through contacts.",
                      all ? "Let it run to rest, or take stiff springs in place of the contacts."
                          : "Compare two runs that differ a little.");
    }
    if (model->groups > 1) {
        source_hint(
            source_diagnose(&m->messages, SOURCE_ERROR, model->block[0].where.offset,
                            model->block[0].where.length,
                            "sensitivities do not pass through several groups of modes."),
            "Compare two runs that differ a little, or write the combinations as modes of one group.");
        return 0;
    }
    if (!find_directions(m) || !check_directions(m)) return 0;
    if (!add_unknowns(m) || !add_givens(m, &model->init, 1) || !add_givens(m, &model->guess, 0)) return 0;
    for (int i = 0; i < model->modes; i++)
        if (!add_rows(m, &model->mode[i].invariant) || !add_rows(m, &model->mode[i].output)) return 0;
    return 1;
}

/* Equations --------------------------------------------------------------------------------------------- */

size_t tangent_count(const struct model *m, size_t equations) {
    return (size_t)m->directions * (equations + (size_t)m->multipliers);
}

/* Multipliers whose constraint is not there, or was left out, are 0, and so are their companions. */
int tangent_equations(struct system *y, struct source_messages *messages) {
    struct model *m = y->m;
    int equations = y->equations;
    for (int k = 0; k < m->directions; k++) {
        struct tangent t;
        tangent_open(&t, m, k);
        for (int i = 0; i < equations; i++) {
            expr f = tangent_of(&t, y->equation[i], y->origin[i].where, messages);
            if (f == EXPR_NONE) return tangent_close(&t), 0;
            y->origin[y->equations] =
                (struct system_origin){SYSTEM_TANGENT, i, k + 1, 1, "", y->origin[i].where};
            y->equation[y->equations++] = f;
        }
        tangent_close(&t);
        for (int i = 0; i < m->multipliers; i++) {
            if (y->there[i] && !y->left_out[i]) continue;
            y->origin[y->equations] =
                (struct system_origin){SYSTEM_TANGENT, -1, k + 1, 1, "", {SOURCE_NOWHERE, 0}};
            y->equation[y->equations++] =
                companion(m, k, expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)i, 0));
        }
    }
    return !m->graph.failed;
}

/* A start value by the state itself, or by the scale that it states. */
int tangent_magnitudes(struct formulation *r) {
    struct model *m = r->y->m;
    if (!m->directions || m->all_directions) return 1;
    r->magnitude = pool_take(r->pool, (size_t)m->directions * sizeof *r->magnitude);
    for (int k = 0; k < m->directions && r->magnitude; k++) {
        expr p = m->direction[k].of;
        for (int i = 0; i < m->scale.count; i++)
            if (m->scale.list[i].target == m->direction[k].of) p = m->scale.list[i].value;
        p = formulation_resolve(r, system_expression(r->y, p));
        r->magnitude[k] = p == EXPR_NONE ? expr_constant(&m->graph, 1) : p; /* this mode does not know it */
    }
    return r->magnitude && !m->graph.failed;
}

/* Questions --------------------------------------------------------------------------------------------- */

const char *keel_model_direction(const keel_model *m, int k) {
    if (!m || m->status != KEEL_OK || k < 0 || k >= m->model->directions) return NULL;
    return m->model->direction[k].name;
}

int keel_model_sensitivity(const keel_model *m, int i, keel_sensitivity *out) {
    if (!m || m->status != KEEL_OK || !out || i < 0) return 0;
    const struct formulation *r = &m->mode[m->model->start]->formulation;
    int k = i < r->n + r->m ? tangent_direction(m->model, r->basic[i]) : -1;
    if (k < 0) return 0;
    for (int j = 0; j < r->n + r->m; j++) {
        const struct expr_node a = m->model->graph.node[r->basic[i]], b = m->model->graph.node[r->basic[j]];
        uint32_t of = a.b - first_companion(m->model, k);
        int multiplier = of >= (uint32_t)m->model->primals;
        if (b.c != a.c || b.a != (uint32_t)(multiplier ? EXPR_MULTIPLIER : EXPR_UNKNOWN)) continue;
        if (b.b != (multiplier ? of - (uint32_t)m->model->primals : of)) continue;
        *out = (keel_sensitivity){k, j};
        return 1;
    }
    return 0;
}
