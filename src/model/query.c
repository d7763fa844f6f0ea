/* query.c - single questions to a model: its messages, parameters, options, numbers in its names. */
#include "base/text.h"
#include "lang/parser.h"
#include "model/query.h"

#include <math.h>
#include <string.h>

int keel_model_diagnostic(const keel_model *m, int i, keel_diagnostic *out) {
    if (!m || !out || i < 0 || i >= m->messages.count) return 0;
    const struct source_message *one = &m->messages.list[i];
    struct source_place place = {0, 0};
    if (one->offset != SOURCE_NOWHERE) place = source_place(&m->source, one->offset);
    *out =
        (keel_diagnostic){one->severity == SOURCE_ERROR, place.line, place.column, one->sentence, one->hint};
    return 1;
}

const char *keel_model_text(const keel_model *m) {
    return m ? m->text : "";
}

int keel_model_parameter(const keel_model *m, int i, const char **name, double *value) {
    if (!m || !m->model || i < 0 || i >= m->model->parameters) return 0;
    if (name) *name = m->model->parameter[i].label.text;
    if (value) *value = m->model->parameter[i].number;
    return 1;
}

int keel_model_option(const keel_model *m, int i, const char **name, const char **value) {
    if (!m || !m->model || i < 0 || i >= m->model->options) return 0;
    const struct model_option *option = &m->model->option[i];
    if (name) *name = option->name;
    if (value) *value = option->text;
    return 1;
}

const char *keel_model_refusal(const keel_model *m) {
    return m ? m->refusal : "there is no model";
}

/* What helps somebody who has not the file before him: not how to declare a name in it. */
static const char *apt(const char *hint) {
    return strncmp(hint, "Declare it", 10) == 0 || strncmp(hint, "Write it on", 11) == 0 ? "" : hint;
}

expr query_expression(struct keel_model *m, const char *text, char *why, size_t capacity) {
    struct source_messages said = {0};
    struct pool pool = {.limit = 1 << 20};
    struct source source = {"expression", text, strlen(text), 0};
    const struct syntax_node *node =
        source_check(&source, &said) ? parser_run_expression(&source, &said, &pool) : NULL;
    expr e = node ? elaborate_expression(m->model, &source, node, &said) : EXPR_NONE;
    m->no_memory = said.starved || pool.refused || expr_starved(&m->model->graph);
    pool_release(&pool);
    if (m->no_memory) e = EXPR_NONE;
    const struct source_message *one = said.count && !m->no_memory ? &said.list[0] : NULL;
    if (e == EXPR_NONE)
        text_set(why, capacity, "%.300s%s%.200s", one ? one->sentence : "there is not enough memory.",
                 one && apt(one->hint)[0] ? "  " : "", one ? apt(one->hint) : "");
    return e;
}

expr query_symbol(struct keel_model *m, const char *name, char *why, size_t capacity) {
    expr e = query_expression(m, name, why, capacity);
    if (e == EXPR_NONE) return e;
    const struct expr_node *n = &m->model->graph.node[e];
    if (n->op == EXPR_SYMBOL && n->a == EXPR_UNKNOWN) return e;
    text_set(why, capacity, "this is no unknown, nor a derivative of one.");
    return EXPR_NONE;
}

/* Which names an expression may use. */
static void list_parameters(const struct model *m, char *why, size_t capacity) {
    enum { TOLD = 8 };
    if (strncmp(why, "unknown name", 12) != 0 || strstr(why, "Did you mean")) return;
    if (m->parameters == 0) text_add(why, capacity, "  The model has no parameters.");
    for (int i = 0; i < m->parameters && i <= TOLD; i++)
        if (i == TOLD) text_add(why, capacity, ", ...");
        else text_add(why, capacity, "%s%s", i ? ", " : "  The parameters are ", m->parameter[i].label.text);
}

int keel_model_number(keel_model *m, const char *text, double *value) {
    char why[INSIDE_WHY];
    if (!m || !text || !value || !m->model) return 0;
    if (text[strspn(text, " \t")] == '\0') {
        text_set(m->refusal, sizeof m->refusal, "a number is missing");
        return 0;
    }
    expr e = query_expression(m, text, why, sizeof why);
    double found = e == EXPR_NONE ? NAN : model_number(m->model, e, m->span[0]);
    if (e == EXPR_NONE) list_parameters(m->model, why, sizeof why);
    if (e == EXPR_NONE) text_set(m->refusal, sizeof m->refusal, "`%.60s`: %s", text, why);
    else if (!isfinite(found))
        text_set(m->refusal, sizeof m->refusal,
                 isnan(found) ? "`%.60s` is no number of parameters alone" : "`%.60s` is infinite", text);
    if (isfinite(found)) *value = found;
    return isfinite(found);
}
