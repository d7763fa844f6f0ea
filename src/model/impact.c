/* impact.c - see impact.h. */
#include "model/impact.h"

#include <stdlib.h>
#include <string.h>

/* Does an event assign something? */
static int assigns(const struct model *m) {
    if (m->groups > 1) return 1; /* one that is not looked at yet may */
    for (int i = 0; i < m->modes; i++)
        for (int k = 0; k < m->mode[i].events + m->mode[i].timed; k++)
            for (int a = 0; a < m->mode[i].event[k].actions; a++)
                if (m->mode[i].event[k].action[a].kind == SYNTAX_ASSIGN) return 1;
    return 0;
}

/* 1: there; 0: no mechanics; -1: no memory. */
static int open_beside(struct impact *i, struct formulation *own) {
    formulation_begin(&i->formulation, own->y, own->messages, own->pool);
    int found = formulation_mechanics(&i->formulation);
    if (found <= 0) return found;
    i->place = pool_take(own->pool, ((size_t)i->formulation.n + 1) * sizeof *i->place);
    if (!i->place || functions_open(&i->functions, &i->formulation, "")) return -1;
    i->there = 1;
    for (int k = 0; k < i->formulation.n; k++) {
        i->place[k] = formulation_place(own, i->formulation.basic[k]);
        if (i->place[k] < 0 || i->place[k] >= own->n) i->there = 0;
    }
    fill_problem(&i->fill, &i->formulation, &i->functions, "impact");
    return 1;
}

int impact_open(struct impact *i, struct formulation *own) {
    const struct model *m = own->y->m;
    *i = (struct impact){0};
    if (m->form != MODEL_HAMILTONIAN && m->form != MODEL_LAGRANGIAN) return 1;
    int native = (formulation_traits(own) & KEEL_SECOND_ORDER) != 0, beside = 0;
    if (m->form == MODEL_LAGRANGIAN && !native) beside = open_beside(i, own);
    if (beside < 0) return 0;
    i->always = !native && !beside;
    i->states = (size_t)own->n;
    return i->always || assigns(m) ? impulse_open(&i->impulse, own) : 1;
}

void impact_close(struct impact *i) {
    functions_close(&i->functions);
    formulation_close(&i->formulation);
    impulse_close(&i->impulse);
    *i = (struct impact){0};
}

int impact_apply(const struct impact *i, double t, const double *parameter, const unsigned char *stays,
                 const double *moments, double *u) {
    int n = i->formulation.n, written = i->impulse.there && (i->always || memchr(stays, 1, i->states));
    if (written) return impulse_apply(&i->impulse, t, parameter, stays, moments, u);
    if (!i->there) return 1;
    struct functions_bound bound = functions_bind(&i->functions, parameter, NULL, NULL);
    keel_problem p = i->fill.problem;
    double *x = malloc((size_t)n * sizeof *x);
    unsigned char *fixed = calloc((size_t)n, 1); /* nothing is */
    keel_solver *s = NULL;
    if (x && fixed) {
        for (int k = 0; k < n; k++) x[k] = u[i->place[k]];
        p.t0 = t;
        p.u0 = x;
        p.fixed = fixed;
        p.user = &bound;
        s = keel_open(&p, NULL);
    }
    int good = s && keel_state_of(s) != KEEL_ENOMEM;
    if (s && keel_state_of(s) >= 0)
        for (int k = 0; k < n; k++) u[i->place[k]] = keel_state(s)[k];
    keel_close(s);
    free(x);
    free(fixed);
    return good;
}
