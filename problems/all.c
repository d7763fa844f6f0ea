/* all.c - every problem by number, with default parameters. */
#include "problems.h"

#include <stddef.h>

static void kepler(problem *p) {
    problem_kepler(p, 0.6, 1.0);
}

static void kepler_hamiltonian(problem *p) {
    problem_kepler_hamiltonian(p, 0.6);
}

static void kepler_space(problem *p) {
    problem_kepler_space(p, 0.01, 1.1);
}

static void rigid_body(problem *p) {
    problem_rigid_body(p, 2.0, 1.0, 2.0 / 3.0);
}

static void rigid_body_hamiltonian(problem *p) {
    problem_rigid_body_hamiltonian(p, 2.0, 1.0, 2.0 / 3.0);
}

static void pendulum_ode(problem *p) {
    problem_pendulum_ode(p, 1.0);
}

static void pendulum(problem *p) {
    problem_pendulum(p, 9.81);
}

static void pendulum_at_rest(problem *p) {
    problem_pendulum_at_rest(p, 9.81);
}

static void pendulum_bottom(problem *p) {
    problem_pendulum_bottom(p, 9.81);
}

static void pendulum_dae(problem *p) {
    problem_pendulum_dae(p, 9.81);
}

static void twin_rods(problem *p) {
    problem_twin_rods(p, 1.0, 1.0);
}

static const struct {
    const char *name;
    void (*fill)(problem *p);
} table[] = {
    {"kepler", kepler},
    {"kepler_hamiltonian", kepler_hamiltonian},
    {"kepler_space", kepler_space},
    {"rigid_body", rigid_body},
    {"rigid_body_hamiltonian", rigid_body_hamiltonian},
    {"lotka_volterra", problem_lotka_volterra},
    {"henon_heiles", problem_henon_heiles},
    {"oscillator", problem_oscillator},
    {"pendulum_ode", pendulum_ode},
    {"pendulum", pendulum},
    {"pendulum_at_rest", pendulum_at_rest},
    {"pendulum_bottom", pendulum_bottom},
    {"spherical_pendulum", problem_spherical_pendulum},
    {"circular_track", problem_circular_track},
    {"car_axis", problem_car_axis},
    {"andrews", problem_andrews},
    {"four_bar", problem_four_bar},
    {"five_link", problem_five_link},
    {"parallelogram", problem_parallelogram},
    {"twin_rods", twin_rods},
    {"knife_edge", problem_knife_edge},
    {"chemakzo", problem_chemakzo},
    {"robertson", problem_robertson},
    {"pendulum_dae", pendulum_dae},
};

int problem_count(void) {
    return (int)(sizeof table / sizeof *table);
}

const char *problem_name(int i) {
    return i >= 0 && i < problem_count() ? table[i].name : NULL;
}

void problem_at(int i, problem *p) {
    table[i].fill(p);
}
