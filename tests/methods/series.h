/* series.h - models that are interpreted, the problem they begin with, and the coefficients of its series. */
#ifndef KEEL_TESTS_SERIES_H
#define KEEL_TESTS_SERIES_H

#include "example_list.h"
#include "extras.h"
#include "model_run.h"

#include "model/private.h"

static inline keel_model *interpreted(const char *text) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", text, keel_model_message(m));
    return m;
}

static inline const keel_problem *problem_of(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    return mode.problem;
}

/* (orders + 1) x n, to be freed; NULL where the series gives up. */
static inline double *coefficients(const keel_problem *p, double t, const double *u, int orders) {
    double *out = calloc((size_t)(orders + 1) * (size_t)p->n, sizeof *out);
    double *work = calloc((size_t)keel_extras_of(p)->series.workspace +
                              (size_t)keel_extras_of(p)->series.per_order * (size_t)(orders + 1) + 1,
                          sizeof *work);
    assert_true(out && work);
    int code = keel_extras_of(p)->series.value(t, u, orders, out, work, p->user);
    free(work);
    if (code == 0) return out;
    free(out);
    return NULL;
}

static inline void same_bits(const keel_problem *p, keel_series_fn *compiled, int orders) {
    keel_problem other = *p;
    assert_non_null(compiled);
    own_extras(&other)->series.value = compiled;
    double *here = coefficients(p, p->t0, p->u0, orders), *there = coefficients(&other, p->t0, p->u0, orders);
    if (!here || !there) fail_msg("%s: the series fails at the start", p->name);
    for (int k = 0; k < (orders + 1) * p->n; k++)
        if (!(here[k] == there[k] || (isnan(here[k]) && isnan(there[k]))))
            fail_msg("%s: coefficient %d of state %d is %.17g or %.17g", p->name, k / p->n, k % p->n, here[k],
                     there[k]);
    free(here);
    free(there);
}
#endif
