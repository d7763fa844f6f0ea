/* orbits.h - energies of long runs on Kepler's ellipse, for symplectic methods. */
#ifndef KEEL_TESTS_ORBITS_H
#define KEEL_TESTS_ORBITS_H

#include "testing.h"

#include <keel/method.h>

#include <float.h>

/* Energies on Kepler's ellipse by methods of order 8, with steps so short that round-off is what is
 * seen: kahan-li8 with e = 0.6 and 500 steps a period errs by 12 round-offs within a period, gauss8 with
 * e = 0.2 and 200 by 2.  Rounding adds a random walk to that, of less than a tenth of a round-off each
 * step; kahan-li8 without compensation half a one.  The largest factor of sqrt(steps) on the way. */
static inline double orbit_walk(const char *method, long steps, int compensated) {
    int gauss = strcmp(method, "gauss8") == 0;
    problem p;
    keel_kept row;
    problem_kepler_hamiltonian(&p, gauss ? 0.2 : 0.6);
    keel_options o = {.method = method, .step = p.t_end / (gauss ? 200 : 500), .compensated = compensated};
    keel_solver *s = keel_open(&p.keel, &o);
    double largest = 0, within = gauss ? 2 : 12;
    for (long k = 1; k <= steps; k++) {
        assert_ok(s, keel_step(s, 1e15));
        assert_true(keel_kept_at(s, 0, &row));
        largest = fmax(largest, (fabs(row.last) / DBL_EPSILON - within) / sqrt((double)k));
    }
    keel_close(s);
    return largest;
}

/* Ten blocks: the energy errs by no more in the last than in the first. */
static inline void orbit_energy_stays(const char *method, const keel_problem *p, double step, long block) {
    enum { BLOCKS = 10 };
    double error[BLOCKS] = {0};
    keel_kept row;
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = step});
    for (int b = 0; b < BLOCKS; b++)
        for (long k = 0; k < block; k++) {
            assert_ok(s, keel_step(s, 1e15));
            assert_true(keel_kept_at(s, 0, &row));
            error[b] = fmax(error[b], fabs(row.last));
        }
    assert_int_equal(row.care, KEEL_ROW_WATCHED);
    if (error[BLOCKS - 1] > 1.02 * error[0] + 4 * DBL_EPSILON * sqrt(BLOCKS * (double)block))
        fail_msg("%s: the energy error grows from %g to %g", method, error[0], error[BLOCKS - 1]);
    keel_close(s);
}

/* Reversible steps, e = 0.9, ten blocks of orbits: the energy errs no more in the last than in the first. */
static inline void orbit_reversible_energy_stays(const char *method, double step, int block) {
    enum { BLOCKS = 10 };
    double error[BLOCKS] = {0}, period = 6.283185307179586;
    problem p;
    keel_kept row;
    problem_kepler_hamiltonian(&p, 0.9);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method, .step = step, .reversible = 1});
    for (int b = 0; b < BLOCKS; b++)
        while (keel_time(s) < (b + 1) * block * period) {
            assert_ok(s, keel_step(s, 1e15));
            assert_true(keel_kept_at(s, 0, &row));
            error[b] = fmax(error[b], fabs(row.last));
        }
    double steps = (double)keel_statistics(s).steps;
    print_message(
        "%-8s %5d orbits, %.0f steps each: energy errs by %.3e in the first tenth, %.3e in the last\n",
        method, BLOCKS * block, steps / (BLOCKS * block), error[0], error[BLOCKS - 1]);
    if (error[BLOCKS - 1] > 1.02 * error[0] + 100 * DBL_EPSILON * sqrt(steps))
        fail_msg("%s: the energy error grows from %g to %g", method, error[0], error[BLOCKS - 1]);
    keel_close(s);
}

/* The rigid body's invariants are quadratic: every method with these traits keeps them, with compensated
 * sums, for as many steps. */
static inline void quadratic_drift(unsigned traits, double steps, int show) {
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        if ((method->traits & traits) != traits) continue;
        problem p;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_options o = {.method = pair_of(method->name, "watch"), .step = 0.05, .compensated = 1};
        keel_solver *s = keel_open(&p.keel, &o);
        keel_kept row;
        double worst = 0;
        if (keel_state_of(s) == KEEL_OK) {
            assert_ok(s, keel_run(s, 0.05 * steps));
            for (int r = 0; keel_kept_at(s, r, &row); r++) worst = fmax(worst, row.drift);
            if (show) print_message("%-10s %.1e\n", method->name, worst);
            assert_below(worst, 2e-14);
        }
        keel_close(s);
    }
}
#endif
