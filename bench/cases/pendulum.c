/* pendulum.c - the pendulum released level, g = 9.81, to t = 10.3 and 1000.3, away from its turning points.
 * The answer is the closed form in Jacobi's functions. */
#include "cases/pendulum.h"
#include "cases/case.h"
#include "cases/hand.h"

#include <math.h>

static int rate(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    pendulum_rate(u, out);
    return 0;
}

/* The rod first, then the speed along it. */
static inline void correct(double *u) {
    double scale = 1 / sqrt(u[0] * u[0] + u[1] * u[1]);
    u[0] *= scale;
    u[1] *= scale;
    double along = u[0] * u[2] + u[1] * u[3];
    u[2] -= along * u[0];
    u[3] -= along * u[1];
}

static void rk4(double *u, double h, long steps, void *user) {
    (void)user;
    hand_rk4(4, pendulum_rate, correct, u, h, steps);
}

static const struct case_hand hand[] = {{"rk4+project", 4, rk4}, {NULL, 0, NULL}};

void case_pendulum(struct bench_case *c, double t_end) {
    int is_long = t_end > 100;
    *c = (struct bench_case){.name = is_long ? "pendulum-1000" : "pendulum-10",
                             .about = is_long ? "Pendulum, index 3, to t = 1000.3"
                                              : "Pendulum, index 3, to t = 10.3",
                             .right = CASE_PENDULUM,
                             .kind = CASE_MECHANICS,
                             .keel = &c->p.keel,
                             .rate = rate,
                             .model = "pendulum",
                             .t_end = t_end,
                             .answer = c->end,
                             .compared = 2,
                             .hand = hand,
                             .unit = "a step of the hand-written rk4 with projection",
                             .unit_step = 0.001,
                             .units = 4000,
                             .coarsest = 10 * t_end,
                             .patience = is_long ? 1 : 0.25};
    problem_pendulum(&c->p, 9.81);
    c->p.exact(&c->p, t_end, c->end);
}
