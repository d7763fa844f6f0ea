/* columns.c - see columns.h. */
#include "model/columns.h"

#include "base/text.h"
#include "model/diagnostics.h"
#include "model/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many derivatives of each unknown are states in some mode and have no name of their own.  Hamilton's
 * positions show no velocities: the momenta stand beside them. */
static void find_orders(const struct keel_model *m, int *orders) {
    int unknowns = m->model->unknowns;
    for (int j = 0; j < unknowns; j++)
        orders[j] =
            m->model->unknown[j].role == MODEL_COORD || m->model->unknown[j].role == MODEL_MEMORY ? 2 : 1;
    for (int i = 0; i < m->modes; i++) {
        const struct structure *s = &m->mode[i]->system.s;
        for (int k = 0; k < s->n; k++)
            if (s->column[k] < unknowns && s->d[k] > orders[s->column[k]]) orders[s->column[k]] = s->d[k];
    }
    for (int i = 0; i < m->modes; i++) {
        const struct structure *s = &m->mode[i]->system.s;
        for (int k = 0; k < unknowns; k++)
            if (s->alias[k].unknown != k && s->alias[k].unknown < unknowns) orders[s->alias[k].unknown] = 1;
    }
    for (int j = 0; j < unknowns; j++)
        if (m->model->unknown[j].role == MODEL_POSITION) orders[j] = 1;
    for (int j = m->model->primals; j < unknowns; j++) { /* every column has its sensitivities */
        expr primal = tangent_primal(m->model, expr_symbol(&m->model->graph, EXPR_UNKNOWN, (uint32_t)j, 0));
        const struct expr_node n = m->model->graph.node[primal];
        orders[j] = n.a == EXPR_UNKNOWN ? orders[n.b] : 1;
    }
}

static void add(struct keel_model *m, expr symbol, int output) {
    char name[200];
    if (symbol == EXPR_NONE && output < 0) return; /* the graph has failed */
    if (symbol != EXPR_NONE) model_name(m->model, symbol, name, sizeof name);
    else text_set(name, sizeof name, "%s", m->model->mode[0].output.list[output].label.text);
    m->column[m->columns++] =
        (struct inside_column){.name = pool_copy(&m->pool, name, strlen(name)),
                               .symbol = symbol,
                               .output = output,
                               .unit = symbol != EXPR_NONE ? model_unit(m->model, symbol)
                                                           : m->model->mode[0].output.list[output].unit_text};
}

static int list_columns(struct keel_model *m) {
    struct model *model = m->model;
    struct graph *g = &model->graph;
    int outputs = model->mode[0].output.count, all = model->multipliers + outputs, highest = 1;
    int *orders = pool_take(&m->pool, ((size_t)model->unknowns + 1) * sizeof *orders);
    if (!orders) return 0;
    find_orders(m, orders);
    for (int j = 0; j < model->unknowns; j++) {
        all += orders[j];
        if (orders[j] > highest) highest = orders[j];
    }
    m->columns = 0;
    m->column = pool_take(&m->pool, ((size_t)all + 1) * sizeof *m->column);
    if (m->pool.refused) return 0;
    for (int l = 0; l < highest; l++)
        for (int j = 0; j < model->unknowns; j++)
            if (l < orders[j] && (l > 0 || model->unknown[j].role != MODEL_MEMORY))
                add(m, expr_symbol(g, EXPR_UNKNOWN, (uint32_t)j, (uint32_t)l), -1);
    for (int k = 0; k < model->multipliers; k++) add(m, model_multiplier_symbol(model, k), -1);
    for (int k = 0; k < outputs; k++) add(m, EXPR_NONE, k);
    return !m->pool.refused && !g->failed;
}

static int column_of(const struct keel_model *m, const struct model_given *one) {
    for (int i = 0; i < m->columns; i++) {
        const struct inside_column *c = &m->column[i];
        if (one->target != EXPR_NONE ? c->symbol == one->target
                                     : c->symbol == EXPR_NONE && c->output == one->output)
            return i;
    }
    return -1;
}

/* Closed forms: of t, parameters and start values. */
static int open_exact(struct keel_model *m) {
    const struct model_givens *exact = &m->model->exact;
    expr missing, *list = pool_take(&m->pool, ((size_t)m->columns + 1) * sizeof *list);
    if (!list) return diagnostics_memory(&m->messages);
    for (int k = 0; k < exact->count; k++) {
        int i = column_of(m, &exact->list[k]);
        if (i >= 0) m->column[i].exact = exact->list[k].value;
    }
    for (int i = 0; i < m->columns; i++)
        list[i] = m->column[i].exact != EXPR_NONE ? m->column[i].exact : expr_constant(&m->model->graph, NAN);
    return functions_tape(&m->mode[m->model->start]->formulation, (size_t)m->columns, list, &m->exact,
                          &missing) == 0 ||
           diagnostics_memory(&m->messages);
}

/* An output that is zero by theory is as large as its terms. */
static int open_sizes(struct keel_model *m, int i) {
    const struct model_rows *output = &m->model->mode[i].output;
    int count = output->count;
    expr *target = pool_take(&m->pool, ((size_t)count + 1) * sizeof *target);
    if (!target) return diagnostics_memory(&m->messages);
    for (int k = 0; k < count; k++) target[k] = derive_terms(&m->model->graph, output->list[k].value);
    return values_open(&m->mode[i]->sizes, &m->mode[i]->formulation, count, target, 1) ||
           diagnostics_memory(&m->messages);
}

static int find_values(struct keel_model *m, int i) {
    struct inside_mode *mode = m->mode[i];
    const struct model_rows *output = &m->model->mode[i].output;
    expr *target = pool_take(&m->pool, ((size_t)m->columns + 1) * sizeof *target);
    if (!target) return diagnostics_memory(&m->messages);
    for (int c = 0; c < m->columns; c++)
        target[c] =
            m->column[c].symbol != EXPR_NONE ? m->column[c].symbol : output->list[m->column[c].output].value;
    if (values_open(&mode->columns, &mode->formulation, m->columns, target, 0)) return 1;
    if (m->model->graph.failed || m->pool.refused) return diagnostics_memory(&m->messages);
    int errors = m->messages.errors;
    for (int c = 0; c < m->columns; c++) { /* which ones were it? */
        struct values one;
        char what[220];
        int there = values_open(&one, &mode->formulation, 1, &target[c], 0);
        values_close(&one);
        if (there) continue;
        struct syntax_span where = m->column[c].symbol != EXPR_NONE ? (struct syntax_span){0, 0}
                                                                    : output->list[m->column[c].output].where;
        text_set(what, sizeof what, "output `%.160s`", m->column[c].name);
        if (mode->formulation.derive.obstacle)
            diagnostics_nonsmooth(&mode->system, &m->messages, where, what,
                                  mode->formulation.derive.obstacle);
        else diagnostics_high_derivative(&mode->system, &m->messages, where, what, mode->formulation.missing);
    }
    return m->messages.errors > errors ? 0 : diagnostics_memory(&m->messages);
}

int columns_open_mode(struct keel_model *m, int i) {
    return find_values(m, i) && open_sizes(m, i);
}

int columns_open(struct keel_model *m) {
    if (!list_columns(m)) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->modes; i++)
        if (!columns_open_mode(m, i)) return 0;
    return open_exact(m);
}

void columns_close(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++) values_close(&m->mode[i]->columns), values_close(&m->mode[i]->sizes);
    tape_free(&m->exact);
}

/* Trusted digits are those of the parameters as written. */
static int as_written(const struct keel_model *m) {
    int same = 1;
    for (int i = 0; i < m->model->parameters; i++) {
        const struct model_parameter *p = &m->model->parameter[i];
        same &= p->value == p->written || p->number == model_number(m->model, p->written, NAN);
    }
    return same;
}

/* Digits that are compared with: numbers. */
static int reference_value(struct keel_model *m, const struct model_given *one, double t, double *value) {
    char name[160];
    *value = model_number(m->model, one->value, t);
    if (isfinite(*value)) return 1;
    model_name(m->model, one->target, name, sizeof name);
    source_hint(source_diagnose(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                                "the reference value of `%s` is %s.", name,
                                isnan(*value) ? "not a number" : "infinite"),
                "Look for a division by zero, or a root or logarithm of a negative number.");
    return 0;
}

int columns_references(struct keel_model *m) {
    const struct model *model = m->model;
    size_t width = (size_t)m->columns + 1;
    m->references = as_written(m) && !m->starts ? model->references : 0;
    m->reference = pool_take(&m->pool, ((size_t)m->references * width + 1) * sizeof *m->reference);
    int good = 1;
    if (!m->reference) return diagnostics_memory(&m->messages);
    for (int k = 0; k < m->references; k++) {
        const struct model_reference *line = &model->reference[k];
        double *to = m->reference + (size_t)k * width;
        to[0] = model_number(m->model, line->time, 0);
        for (int i = 0; i < m->columns; i++) to[1 + i] = NAN;
        for (int j = 0; j < line->values.count; j++) {
            int i = column_of(m, &line->values.list[j]);
            if (i >= 0) good &= reference_value(m, &line->values.list[j], to[0], &to[1 + i]);
        }
    }
    return good;
}
