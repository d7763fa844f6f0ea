/* distances.h - do the functions that were found have the values and gradients of those written? */
#ifndef KEEL_TESTS_DISTANCES_H
#define KEEL_TESTS_DISTANCES_H

#include "testing.h"
#include "lang_model.h"

#include "structure/distance.h"
#include "symbolic/tape.h"

#include <float.h>

enum { FIRST = 1000, MOST = 400 };

static inline void run(struct graph *g, int n, const expr *output, int inputs, const struct tape_input *input,
                       const double *u, double *out) {
    struct tape t;
    expr missing = EXPR_NONE;
    assert_int_equal(tape_build(&t, g, (size_t)n, output, (size_t)inputs, input, &missing), 0);
    assert_int_equal(tape_call(&t, 0.7, u, NULL, out), 0);
    tape_free(&t);
}

/* The larger, and infinity for what is not a number. */
static inline double worse(double worst, double units) {
    return isnan(units) ? INFINITY : fmax(worst, units);
}

/* f(x) = f~(pi(x)) and grad f = sum_k df~/dpi_k grad pi_k, in units of the terms' round-off; the larger. */
static inline double worst_difference(struct graph *g, const struct distance *d, const expr *original,
                                      int inputs, struct tape_input *input, const double *x) {
    struct derive v;
    int m = d->forms, n = 2 * d->points * d->dimension;
    expr coordinate[MOST], of_f[MOST], sizes[MOST], of_pi[MOST], value[MOST], symbol[MOST];
    double u[MOST], pi[MOST], gradient[MOST], size[MOST], factor[MOST], row[MOST], f[2], rewritten[2],
        worst = 0;
    assert_in_range(m, 0, MOST / 2);
    for (int i = 0; i < n / 2; i++) coordinate[i] = d->position[i], coordinate[n / 2 + i] = d->momentum[i];
    for (int k = 0; k < m; k++) {
        value[k] = distance_form_value(d, g, k), symbol[k] = d->form[k].symbol;
        input[inputs + k] = (struct tape_input){symbol[k], TAPE_STATE, (uint32_t)(inputs + k)};
    }
    derive_open(&v, g, 1);
    for (int i = 0; i < inputs; i++) u[i] = x[i];
    run(g, m, value, inputs, input, u, pi);
    for (int k = 0; k < m; k++) u[inputs + k] = pi[k];
    for (int k = 0; k < d->functions; k++) {
        if (d->function[k] == EXPR_NONE) continue;
        assert_false(expr_depends(g, d->function[k], (size_t)n, coordinate));
        run(g, 2, (expr[]){original[k], derive_terms(g, original[k])}, inputs, input, u, f);
        run(g, 2, (expr[]){d->function[k], derive_terms(g, d->function[k])}, inputs + m, input, u, rewritten);
        worst = worse(worst, fabs(f[0] - rewritten[0]) / (DBL_EPSILON * (f[1] + rewritten[1] + DBL_MIN)));
        assert_int_equal(derive_gradient(&v, original[k], n, coordinate, of_f), 0);
        assert_int_equal(derive_gradient(&v, d->function[k], m, symbol, of_pi), 0);
        for (int i = 0; i < n; i++) sizes[i] = derive_terms(g, of_f[i]);
        run(g, n, of_f, inputs, input, u, gradient);
        run(g, n, sizes, inputs, input, u, size);
        run(g, m, of_pi, inputs + m, input, u, factor);
        for (int j = 0; j < m; j++) {
            expr by[MOST];
            assert_int_equal(derive_gradient(&v, value[j], n, coordinate, by), 0);
            run(g, n, by, inputs, input, u, row);
            for (int i = 0; i < n; i++)
                gradient[i] -= factor[j] * row[i], size[i] += fabs(factor[j] * row[i]);
        }
        for (int i = 0; i < n; i++)
            worst = worse(worst, fabs(gradient[i]) / (DBL_EPSILON * (size[i] + DBL_MIN)));
    }
    derive_close(&v);
    return worst;
}
#endif
