/* chain.h - a chain of any length, opened with the steps that all these tests take. */
#ifndef KEEL_TESTS_CHAIN_H
#define KEEL_TESTS_CHAIN_H

#include "testing.h"

static const double h = 1e-3;

static inline keel_solver *open_chain(const keel_problem *p) {
    keel_solver *s = keel_open(p, &(keel_options){.method = "rk4", .step = h});
    if (keel_state_of(s) != KEEL_OK) fail_msg("%s", keel_message(s));
    return s;
}
#endif
