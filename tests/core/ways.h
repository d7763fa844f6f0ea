/* ways.h - the ways a run may go: every method on one problem of each kind, in steps of every kind. */
#ifndef KEEL_TESTS_WAYS_H
#define KEEL_TESTS_WAYS_H

#include "testing.h"

#include <keel/method.h>

struct way {
    const char *problem, *method;
    double step, moment; /* 0: adaptive; the moments are multiples of this */
    int compensated;
};

static inline int problem_number(const char *name) {
    int i = 0;
    while (strcmp(problem_name(i), name) != 0) i++;
    return i;
}

static inline keel_options options_of(const struct way *w) {
    return (keel_options){.method = w->method, .step = w->step, .compensated = w->compensated, .rtol = 1e-8};
}

static inline int fits(const struct way *w) {
    problem p;
    keel_options o = options_of(w);
    problem_at(problem_number(w->problem), &p);
    keel_solver *s = keel_open(&p.keel, &o);
    int yes = keel_state_of(s) == KEEL_OK;
    keel_close(s);
    return yes;
}

/* One in so many of what follows: each method still meets several problems, each problem many methods. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 7 };
#else
enum { SHARE = 2 };
#endif

/* Calls visit for every method, adaptive and fixed, compensated or not, on one problem of each kind. */
static inline int visit_all(void (*visit)(const struct way *w)) {
    static const char *const problems[] = {"kepler",          "kepler_hamiltonian", "rigid_body_hamiltonian",
                                           "pendulum_bottom", "car_axis",           "knife_edge",
                                           "twin_rods",       "pendulum_dae",       "chemakzo"};
    int count = 0;
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
            for (int kind = 0; kind < 3; kind++) {
                struct way w = {problems[p], m->name, kind ? 1.0 / 512 : 0, 1.0 / 64, kind == 2};
                if ((i + (int)p * 3 + kind) % SHARE) continue;
                if ((kind == 0 && !(m->traits & KEEL_ADAPTIVE)) || !fits(&w)) continue;
                visit(&w);
                count++;
            }
    return count;
}
#endif
