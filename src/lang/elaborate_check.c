/* elaborate_check.c - the span, the options, and what can be seen only when everything is there. */
#include "lang/elaborate_private.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"

#include <string.h>

static int of_parameters(struct elaborate *e, const struct syntax_node *node, const char *what, expr *out) {
    expr other;
    char name[120];
    if (!elaborate_one(e, node, NULL, what, out)) return 0;
    if (elaborate_is_constant(e, *out, 0, &other)) return 1;
    model_name(e->model, other, name, sizeof name);
    elaborate_error(e, node->span, "%s is an expression of parameters, and this depends on `%s`.", what,
                    name);
    *out = EXPR_NONE;
    return 0;
}

void elaborate_run_span(struct elaborate *e, const struct elaborate_line *line) {
    struct model *m = e->model;
    m->run = line->s->span;
    int good = of_parameters(e, line->s->left, "the first time", &m->begin);
    if (!of_parameters(e, line->s->right, "the last time", &m->end) || !good) return;
    m->begin = elaborate_scaled(e, line->s->items, m->begin, 0);
    m->end = elaborate_scaled(e, line->s->items, m->end, 0);
    double begin = elaborate_number(e, m->begin), end = elaborate_number(e, m->end);
    if (begin == end)
        elaborate_error(e, line->s->left->span, "the run has no length: it ends where it begins.");
    else if (!(begin - begin == 0) || !(end - end == 0))
        elaborate_error(e, line->s->left->span, "the times of the run are not finite.");
}

/* Words, an expression, or for a lone name both: the option decides. */
void elaborate_options(struct elaborate *e, const struct elaborate_line *line) {
    struct model *m = e->model;
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        struct model_option one = {.name = item->name, .where = item->span};
        char words[320];
        for (int i = 0; i < m->options; i++)
            if (strcmp(m->option[i].name, item->name) == 0) {
                elaborate_error(e, item->name_span, "the option `%.40s` is given twice, first in %s.",
                                item->name, elaborate_line_of(e, m->option[i].where));
                return;
            }
        int is_words = syntax_words(item->value, words, sizeof words);
        if (is_words) one.words = elaborate_format(e, "%s", words);
        const struct syntax_span at = item->value->span;
        one.text =
            is_words ? one.words : elaborate_format(e, "%.*s", (int)at.length, e->source->text + at.offset);
        int known = item->value->kind == SYNTAX_REF && elaborate_find(e, item->value->text);
        int of_states = strcmp(item->name, "clock") == 0; /* elaborated once all names are there */
        if ((!is_words || known) && !of_states && !of_parameters(e, item->value, "an option", &one.value))
            continue;
        if (!elaborate_grow(e, &m->option, m->options, &m->option_capacity, sizeof *m->option)) return;
        m->option[m->options++] = one;
    }
}

static void say(struct elaborate *e, const char *sentence, const char *hint) {
    source_hint(source_diagnose(e->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "%s", sentence), "%s", hint);
}

/* Of the constraints, the one that cannot be differentiated. */
static void report_nonsmooth(struct elaborate *e, const struct motion *motion, const struct model_row *one) {
    e->derive.obstacle = EXPR_NONE;
    for (int k = 0; k < motion->n && e->derive.obstacle == EXPR_NONE; k++)
        derive_partial(&e->derive, one->value, motion->q[k]);
    if (e->derive.obstacle == EXPR_NONE) return;
    int rolling = e->model->multiplier[one->multiplier].rolling;
    char what[240];
    text_set(what, sizeof what, " (constraint `%.160s`, index %d)", one->label.text, rolling ? 2 : 3);
    elaborate_error_nonsmooth(e, one->where, rolling ? "" : "twice ", what);
}

void elaborate_finish_motion(struct elaborate *e, int number) {
    struct model *m = e->model;
    struct model_mode *mode = &m->mode[number];
    struct motion *motion = &mode->motion;
    int holonomic = mode->constraint.count, rolling = mode->rolling.count;
    for (int i = 0; i < motion->n && mode->force && m->form != MODEL_POISSON; i++)
        if (mode->force[m->coord[i]] != EXPR_NONE)
            motion->force[i] = derive_add(e->graph, motion->force[i], mode->force[m->coord[i]]);
    if (m->form == MODEL_POISSON || m->form == MODEL_EQUATIONS) return;
    elaborate_contact_forces(e, mode);
    expr *row = elaborate_take(e, (size_t)(holonomic + rolling + 1) * sizeof *row);
    if (!row) return;
    for (int i = 0; i < holonomic; i++) row[i] = mode->constraint.list[i].value;
    for (int i = 0; i < rolling; i++) row[holonomic + i] = mode->rolling.list[i].value;
    enum motion_status status = motion_gradient(motion, &e->derive, holonomic, rolling, row);
    if (status == MOTION_MEMORY) elaborate_out_of_memory(e);
    for (int i = 0; i < holonomic + rolling && status == MOTION_NONSMOOTH; i++)
        report_nonsmooth(e, motion,
                         i < holonomic ? &mode->constraint.list[i] : &mode->rolling.list[i - holonomic]);
    e->derive.obstacle = EXPR_NONE;
}

void elaborate_check(struct elaborate *e) {
    struct model *m = e->model;
    for (int i = 0; i < e->settings; i++)
        if (!e->setting[i].used)
            source_diagnose(e->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                            "--set %.80s: there is no such element.", e->setting[i].text);
    if (e->messages->errors || e->stopped) return;
    for (int i = 0; i < m->modes; i++) elaborate_finish_motion(e, i);
    if (e->messages->errors) return;
    if (m->unknowns == 0)
        say(e, "the model has no unknowns.", "Declare them:  var x,  coord q  or  canonical q, p.");
    else if (m->form == MODEL_EQUATIONS && m->mode[m->start].equation.count == 0)
        say(e, "the model has no equations.", "Write one for each `var`:  x' = -x.");
    if (m->form != MODEL_EQUATIONS && m->init.count + m->guess.count == 0 && m->unknowns)
        say(e, "the model has no start values.",
            "Write  init x = 1, x' = 0;  what the constraints determine needs none.");
    if (m->begin == EXPR_NONE && !(e->request && e->request->span_given))
        say(e, "the model does not say how long to run.", "Write  run 0 .. 10.");
}
