/* rigid_body.c - the free rigid body: three states, two invariants and hardly any work in its right-hand
 * side, so that a step shows what is spent around it. */
#include "cases/rigid_body.h"
#include "cases/case.h"
#include "cases/gauss.h"
#include "cases/hand.h"

static int rate(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    rigid_body_rate(u, out);
    return 0;
}

static void rk4(double *u, double h, long steps, void *user) {
    (void)user;
    hand_rk4(3, rigid_body_rate, NULL, u, h, steps);
}

/* |u|^2 and the energy as at the start. */
static double held_square, held_energy;

static inline double square(const double *u) {
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
}
static inline double energy(const double *u) {
    return (0.5 * u[0] * u[0] + u[1] * u[1] + 1.5 * u[2] * u[2]) / 2;
}

static inline void correct(double *u) {
    double g[] = {2 * u[0], 2 * u[1], 2 * u[2]}, h[] = {0.5 * u[0], u[1], 1.5 * u[2]};
    hand_project(3, g, h, square(u) - held_square, energy(u) - held_energy, u);
}

static void rk4_project(double *u, double h, long steps, void *user) {
    (void)user;
    held_square = square(u);
    held_energy = energy(u);
    hand_rk4(3, rigid_body_rate, correct, u, h, steps);
}

static void gauss12(double *u, double h, long steps, void *user) {
    (void)user;
    hand_gauss12(3, rigid_body_rate, u, h, steps);
}

static const struct case_hand hand[] = {
    {"rk4", 4, rk4}, {"rk4+project", 4, rk4_project}, {"gauss12", 12, gauss12}, {NULL, 0, NULL}};

/* With the terms of the right-hand side above: the example divides by its moments of inertia. */
static const char text[] = "model rigid_body\n"
                           "var u[1..3]\n"
                           "u' = (0.5*u[2]*u[3], -u[3]*u[1], 0.5*u[1]*u[2])\n"
                           "invariant C = dot(u, u)\n"
                           "invariant H = (u[1]^2/2 + u[2]^2 + 1.5*u[3]^2)/2\n"
                           "init u = (cos(1.1), 0, sin(1.1))\n"
                           "run 0 .. 100\n";

void case_rigid_body(struct bench_case *c) {
    *c = (struct bench_case){.name = "steps-rigid-body",
                             .about = "Rigid body, what a step of 0.05 costs",
                             .right = CASE_RIGID_BODY,
                             .kind = CASE_STEPS,
                             .keel = &c->p.keel,
                             .rate = rate,
                             .model = "rigid_body",
                             .text = text,
                             .t_end = 1000,
                             .hand = hand,
                             .unit = "a step of the hand-inlined rk4 loop",
                             .unit_step = 0.05,
                             .units = 4000,
                             .coarsest = 20000};
    problem_rigid_body(&c->p, 2, 1, 2. / 3);
    c->p.keel.f.value = rate;
}
