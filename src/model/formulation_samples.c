/* formulation_samples.c - what timed events assign, as functions of the states, where samples are all that
 * happens. */
#include "model/diagnostics.h"
#include "model/formulation.h"

/* The values that an event assigns; 1: it does nothing else.  NULL: they are counted. */
static int take_assigned(struct formulation *r, const struct model_event *event, expr *out, int *count) {
    for (int k = 0; k < event->actions; k++) {
        if (event->action[k].kind == SYNTAX_SWITCH) return 0;
        if (event->action[k].kind != SYNTAX_ASSIGN) continue;
        if (out) out[*count] = formulation_resolve(r, system_expression(r->y, event->action[k].value));
        if (out && out[*count] == EXPR_NONE) return 0;
        ++*count;
    }
    return 1;
}

/* Where the first event that acts every period puts its values: a kernel has one such (kernel_samples.h). */
static int place_samples(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    const struct model_event *event = mode->event + mode->events;
    int k = 0, first = 0;
    for (; k < mode->timed && event->direction != SYNTAX_EVERY; k++, event++)
        take_assigned(r, event, NULL, &first);
    if (k == mode->timed) return 1;
    r->sample_event = k;
    r->sample_first = first;
    r->sample_place = pool_take(r->pool, ((size_t)event->actions + 1) * sizeof *r->sample_place);
    if (!r->sample_place) return diagnostics_memory(r->messages);
    for (int i = 0; i < event->actions; i++) {
        if (event->action[i].kind != SYNTAX_ASSIGN) continue;
        int place = formulation_find(r, event->action[i].target);
        if (place < 0 || place >= r->n) return r->sample_places = 0, 1;
        r->sample_place[r->sample_places++] = place;
    }
    return 1;
}

int formulation_add_samples(struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    int count = 0, only = mode->events == 0;
    for (int k = 0; k < mode->timed && only; k++) only = take_assigned(r, &mode->event[k], NULL, &count);
    if (!only || count == 0) return 1;
    expr *value = pool_take(r->pool, (size_t)count * sizeof *value);
    if (!value) return diagnostics_memory(r->messages);
    for (int k = 0; k < mode->timed && only; k++)
        only = take_assigned(r, &mode->event[k], value, &r->samples);
    r->sample = only ? value : NULL;
    return !only || place_samples(r);
}
