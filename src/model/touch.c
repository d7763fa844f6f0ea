/* touch.c - see touch.h.  Each event function is looked through once, not once for every assignment: of a
 * thousand events every one may act on all others. */
#include "model/touch.h"

#include <stdlib.h>

/* The states that an event function or its d/dt depends on, into `place`; how many, -1: no memory. */
static int states_of(struct inside_mode *mode, int number, int *place) {
    struct formulation *r = &mode->formulation;
    struct graph *g = &mode->system.m->graph;
    expr rate = derive_total(&r->derive, r->event.value[number]), known = formulation_resolve(r, rate);
    expr root[] = {r->event.value[number], known != EXPR_NONE ? known : rate};
    struct expr_list list;
    int count = 0;
    if (expr_order(g, 2, root, &list)) return -1;
    free(list.item);
    if (!expr_spend(g, r->n)) return -1;
    for (int i = 0; i < r->n; i++)
        if (g->mark[r->basic[i]] == g->stamp) place[count++] = i;
    return count;
}

/* By event of a mode: the places of these states, behind their number. */
static int **open_states(struct keel_model *m, struct inside_mode *mode, int events) {
    int *workspace = malloc(((size_t)mode->formulation.n + 1) * sizeof *workspace);
    mode->event_states = pool_take(&m->pool, ((size_t)events + 1) * sizeof *mode->event_states);
    for (int k = 0; k < events && workspace && mode->event_states; k++) {
        int count = states_of(mode, k, workspace);
        int *own = count < 0 ? NULL : pool_take(&m->pool, ((size_t)count + 1) * sizeof *own);
        if (!own) mode->event_states = NULL;
        else own[0] = count, mode->event_states[k] = own;
        for (int i = 0; i < count && own; i++) own[i + 1] = workspace[i];
    }
    if (!workspace) mode->event_states = NULL;
    free(workspace);
    return mode->event_states;
}

unsigned char *touch_events(struct keel_model *m, const struct model_event *event, int to) {
    struct inside_mode *next = m->mode[to];
    struct graph *g = &m->model->graph;
    int events = m->model->mode[to].events;
    int **states = next->event_states ? next->event_states : open_states(m, next, events);
    unsigned char *touched = pool_take(&m->pool, (size_t)events + 1);
    unsigned char *assigned = calloc((size_t)next->formulation.n + 1, 1);
    int good = states && touched && assigned && expr_spend(g, next->formulation.n);
    for (int k = 0; k < event->actions && good; k++)
        if (event->action[k].kind == SYNTAX_ASSIGN)
            assigned[formulation_find(&next->formulation, event->action[k].target)] = 1;
    for (int i = 0; i < events && good; i++) {
        good = expr_spend(g, EXPR_COST_VISIT + states[i][0]);
        for (int k = 1; k <= states[i][0]; k++) touched[i] |= assigned[states[i][k]];
    }
    free(assigned);
    return good ? touched : NULL;
}
