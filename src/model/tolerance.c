/* tolerance.c - absolute tolerances and typical sizes that declarations give: var x {atol = 1e-12}. */
#include "model/tolerance.h"

#include "model/diagnostics.h"

#include <math.h>

static int wrong_value(struct keel_model *m, const struct model_given *one, const char *word, double value) {
    char name[160];
    model_name(m->model, one->target, name, sizeof name);
    source_hint(source_diagnose(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                                "the %s of `%s` must be a positive number, it is %g.", word, name, value),
                "Write it as  {%s = 1e-9}.", word);
    return 0;
}

/* y of y = 2*x, or a derivative that follows from others. */
static int no_unknown(struct keel_model *m, const struct model_given *one) {
    char name[160];
    model_name(m->model, one->target, name, sizeof name);
    source_hint(source_diagnose(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                                "`%s` follows from others, so that its atol would count for nothing.", name),
                "Give it to those it follows from; keel check lists what is solved for.");
    return 0;
}

/* The list as n + m numbers of each mode, 0 where nothing is given. */
static int take(struct keel_model *m, const struct model_givens *list, const char *word, double **value) {
    for (int i = 0; i < m->modes; i++) {
        const struct formulation *r = &m->mode[i]->formulation;
        value[i] = list->count ? pool_take(&m->pool, ((size_t)(r->n + r->m) + 1) * sizeof **value) : NULL;
        if (list->count && !value[i]) return diagnostics_memory(&m->messages);
        for (int j = 0; j < r->n + r->m && value[i]; j++) value[i][j] = 0;
    }
    for (int k = 0; k < list->count; k++) {
        const struct model_given *one = &list->list[k];
        double number = model_number(m->model, one->value, m->span[0]);
        int found = 0;
        if (!(number > 0) || isinf(number)) return wrong_value(m, one, word, number);
        for (int i = 0; i < m->modes; i++) {
            int place = formulation_find(&m->mode[i]->formulation, one->target);
            if (place >= 0) value[i][place] = number, found = 1;
        }
        if (!found && list == &m->model->atol)
            return no_unknown(m, one); /* a scale says what is true anyway */
    }
    return 1;
}

int tolerance_find(struct keel_model *m) {
    double **atol = pool_take(&m->pool, 2 * (size_t)m->modes * sizeof *atol), **scale = atol + m->modes;
    if (!atol) return diagnostics_memory(&m->messages);
    if (!take(m, &m->model->atol, "atol", atol) || !take(m, &m->model->scale, "scale", scale)) return 0;
    for (int i = 0; i < m->modes; i++) {
        m->mode[i]->fill.problem.atol = atol[i];
        m->mode[i]->fill.problem.scale = scale[i];
    }
    return 1;
}
