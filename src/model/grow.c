/* grow.c - see grow.h. */
#include "model/grow.h"

#include "base/text.h"
#include "model/columns.h"
#include "model/diagnostics.h"
#include "model/drift.h"
#include "model/explain.h"
#include "model/open.h"
#include "model/prepare.h"
#include "model/tolerance.h"

#include <stdlib.h>
#include <string.h>

/* The model ---------------------------------------------------------------------------------------------- */

/* Room for one more mode. */
static int widen(struct keel_model *m) {
    size_t count = (size_t)m->modes;
    struct inside_mode **mode = pool_take(&m->pool, (count + 1) * sizeof *mode);
    struct functions_bound *bound = pool_take(&m->pool, (count + 1) * sizeof *bound);
    if (!mode || !bound) return diagnostics_memory(&m->messages);
    memcpy(mode, m->mode, count * sizeof *mode);
    memcpy(bound, m->bound, count * sizeof *bound);
    m->mode = mode;
    m->bound = bound;
    return 1;
}

/* One more mode of the model, whose runs none but this one are: 1, or 0 with a message. */
static int add_mode(struct keel_model *m, const int *combination) {
    open_allow(m);
    expr_allow(&m->model->graph, m->work);
    m->messages = (struct source_messages){0};
    if (!elaborate_combination(m->model, &m->source, combination, &m->messages) || !widen(m)) return 0;
    int last = m->modes;
    if (!open_mode(m, last) || !open_sides(m) || !open_linear_invariants(m) || !open_problem(m, last))
        return 0;
    if (!tolerance_find(m) || !columns_open_mode(m, last) || !drift_open(m) || !ledger_names(m) ||
        !prepare_last(m) || !explain_mode(m, last))
        return 0;
    open_starts(m);
    return !m->model->graph.failed && !m->pool.refused;
}

/* The run ------------------------------------------------------------------------------------------------ */

/* The solver stands in the old memory until it is in the new mode, and knows the old functions by their
 * place: it is kept to the end. */
static int keep(struct keel_sim *s, void *old) {
    void **wider = realloc(s->outgrown, ((size_t)s->outgrowns + 1) * sizeof *wider);
    if (!wider) return 0;
    s->outgrown = wider;
    s->outgrown[s->outgrowns++] = old;
    return 1;
}

/* Memory for the modes that the model has now, with what stood in the old one. */
static int take_over(struct keel_sim *s, const struct keel_model *before) {
    struct keel_sim old = *s;
    const keel_problem *p = &old.problem[s->mode];
    const struct model_mode *mode = &before->model->mode[s->mode];
    size_t numbers = (size_t)(before->model->parameters + before->model->helds + before->sides);
    size_t events = (size_t)(mode->events + mode->timed);
    s->atol = NULL;
    if (!sim_take_memory(s) || (old.scaled && !sim_scale_tolerances(s)) || ledger_grow(&s->ledger, s->m))
        return 0;
    if (numbers) memcpy(s->parameter, old.parameter, numbers * sizeof *s->parameter);
    if (p->n + p->m) memcpy(s->entry, old.entry, (size_t)(p->n + p->m) * sizeof *s->entry);
    if (events) memcpy(s->fired, old.fired, events * sizeof *s->fired);
    if (before->model->directions)
        memcpy(s->moment, old.moment, (size_t)before->model->directions * sizeof *s->moment);
    void *free_now[] = {
        old.work,    old.rate,    old.time,
        old.moment,  old.problem, s->row_value,
        s->residual, s->branch,   old.fired < old.fired_before ? old.fired : old.fired_before};
    for (size_t k = 0; k < sizeof free_now / sizeof free_now[0]; k++) free(free_now[k]);
    s->row_value = s->residual = s->branch = NULL;
    return keep(s, old.parameter) && keep(s, old.bound) && keep(s, old.entry) && keep(s, old.atol);
}

/* The run's own model, read once more where it has none. */
static keel_status take_own(struct keel_sim *s) {
    if (s->own) return KEEL_OK;
    s->own = open_again(s->m);
    if (!s->own) return sim_no_memory(s);
    if (s->own->status == KEEL_OK) return KEEL_OK;
    return sim_fail(s, s->own->status, "the model could not be read again: %.400s",
                    keel_model_message(s->own));
}

/* The modes that a combination has beside those of another. */
static void name_modes(const struct model *m, const int *from, const int *to, char *out, size_t capacity) {
    text_set(out, capacity, "%s", "");
    for (int g = 0; g < m->groups; g++)
        if (from[g] != to[g])
            text_add(out, capacity, "%s`%.60s`", out[0] ? ", " : "", m->block[to[g]].label.text);
}

static keel_status refuse(struct keel_sim *s, const struct keel_model *m, const char *modes) {
    const struct source_messages *said = &m->messages;
    int i = 0;
    if (said->starved || m->pool.refused) return sim_no_memory(s);
    while (i < said->count && said->list[i].severity != SOURCE_ERROR) i++;
    if (i == said->count)
        return sim_fail(s, KEEL_ELIMIT, "%s cannot be entered: the analysis is beyond its budget", modes);
    const char *hint = said->list[i].hint;
    return sim_fail(s, KEEL_ESTART, "%s cannot be entered at t = %.10g: %.300s%s%.160s", modes,
                    keel_time(s->solver), said->list[i].sentence, hint[0] ? "  " : "", hint);
}

keel_status grow_by(struct keel_sim *s, const int *combination) {
    const struct keel_model *before = s->m;
    char modes[240];
    name_modes(before->model, before->model->mode[s->mode].combination, combination, modes, sizeof modes);
    if (take_own(s) != KEEL_OK) return s->status;
    struct keel_model *m = s->own;
    if (!add_mode(m, combination)) return refuse(s, m, modes);
    s->m = m;
    return take_over(s, before) ? KEEL_OK : sim_no_memory(s);
}

keel_status grow_for(struct keel_sim *s, int number) {
    const struct model *m = s->m->model;
    const struct model_event *event = s->m->mode[s->mode]->event[number].event;
    int *combination = malloc(((size_t)m->groups + 1) * sizeof *combination);
    if (!combination) return sim_no_memory(s);
    memcpy(combination, m->mode[s->mode].combination, (size_t)m->groups * sizeof *combination);
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind == SYNTAX_SWITCH)
            combination[m->block[event->action[k].mode].group] = event->action[k].mode;
    keel_status status = grow_by(s, combination);
    free(combination);
    return status;
}
