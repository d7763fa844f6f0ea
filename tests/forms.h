/* forms.h - the state of a run at a time, against another or the closed form; the pendulum as a
 * Hamiltonian. */
#ifndef KEEL_TESTS_FORMS_H
#define KEEL_TESTS_FORMS_H

#include "testing.h"

static inline double distance(int count, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* The n states at t (and the worst units of what is kept, if asked). */
static inline void state_at(const keel_problem *p, const keel_options *o, double t, double *u,
                            double *units) {
    keel_solver *s = keel_open(p, o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    memcpy(u, keel_state(s), (size_t)p->n * sizeof *u);
    if (units) *units = worst_units(s, NULL);
    keel_close(s);
}

/* Runs to t and checks the answer against the closed form, and the rows. */
static inline void check_exact(const problem *p, const keel_options *o, double t, double bound) {
    double u[PROBLEM_UNKNOWNS], exact[PROBLEM_UNKNOWNS], units;
    state_at(&p->keel, o, t, u, &units);
    p->exact(p, t, exact);
    double off = distance(p->keel.n, u, exact);
    if (off > bound) fail_msg("%s: off by %g at %g", p->keel.name, off, t);
    if (units > 16) fail_msg("%s: rows off by %g units", p->keel.name, units);
}

static const keel_options tight = {.rtol = 1e-12, .atol = 1e-14};

/* The pendulum as a canonical Hamiltonian problem with a constraint: H = |p|^2 / 2 + g y, 0 = x^2 + y^2 -
 * 1. */
static inline int pendulum_h(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + *(const double *)user * u[1];
    return 0;
}

static inline int pendulum_h_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0;
    out[1] = *(const double *)user;
    out[2] = u[2];
    out[3] = u[3];
    return 0;
}

static inline void pendulum_canonical(problem *p, double g) {
    problem_pendulum(p, g);
    p->keel.form = KEEL_HAMILTONIAN;
    p->keel.f = (keel_map){0};
    p->keel.curvature = NULL;
    p->keel.energy = (keel_map){.count = 1, .value = pendulum_h, .jacobian = pendulum_h_gradient};
}
#endif
