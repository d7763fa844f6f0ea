/* impact.c - see impact.h. */
#include "model/impact.h"

#include <stdlib.h>

int impact_open(struct impact *i, struct formulation *own) {
    const struct model *m = own->y->m;
    *i = (struct impact){0};
    if (formulation_traits(own) & KEEL_SECOND_ORDER) return 1;
    if (m->form == MODEL_HAMILTONIAN) return impulse_open(&i->impulse, own);
    if (m->form != MODEL_LAGRANGIAN) return 1;
    formulation_begin(&i->formulation, own->y, own->messages, own->pool);
    int found = formulation_mechanics(&i->formulation);
    if (found < 0) return 0;
    if (found == 0) return impulse_open(&i->impulse, own);
    i->place = pool_take(own->pool, ((size_t)i->formulation.n + 1) * sizeof *i->place);
    if (!i->place || functions_open(&i->functions, &i->formulation, "")) return 0;
    i->there = 1;
    for (int k = 0; k < i->formulation.n; k++) {
        i->place[k] = formulation_place(own, i->formulation.basic[k]);
        if (i->place[k] < 0 || i->place[k] >= own->n) i->there = 0;
    }
    fill_problem(&i->fill, &i->formulation, &i->functions, "impact");
    return 1;
}

void impact_close(struct impact *i) {
    functions_close(&i->functions);
    formulation_close(&i->formulation);
    impulse_close(&i->impulse);
    *i = (struct impact){0};
}

int impact_apply(const struct impact *i, double t, const double *parameter, double *u) {
    if (!impulse_apply(&i->impulse, t, parameter, u)) return 0;
    if (!i->there) return 1;
    int n = i->formulation.n;
    struct functions_bound bound = {parameter, i->functions.tape, NULL, NULL, NULL};
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
