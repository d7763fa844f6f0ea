/* pendulum.c - the pendulum released level, g = 9.81, to t = 10.3 and 1000.3, away from its turning points.
 * The answer is the closed form in Jacobi's functions. */
#include "courses/pendulum.h"
#include "courses/course.h"
#include "courses/hand.h"

#include <math.h>
#include <string.h>

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

static void rk4(double *u, double h, long steps) {
    hand_rk4(4, pendulum_rate, correct, u, h, steps);
}

static const struct course_hand hand[] = {{"rk4+project", 4, rk4}, {NULL, 0, NULL}};

static void work(long count) {
    static volatile double result;
    double u[4] = {1, 0, 0, 0};
    rk4(u, 0.001, count);
    result = u[0];
    (void)result;
}

void course_pendulum(struct course *c, double t_end) {
    int is_long = t_end > 100;
    memset(c, 0, sizeof *c);
    problem_pendulum(&c->p, 9.81);
    c->name = is_long ? "pendulum-1000" : "pendulum-10";
    c->about = is_long ? "Pendulum, index 3, to t = 1000.3" : "Pendulum, index 3, to t = 10.3";
    c->right = COURSE_PENDULUM;
    c->kind = COURSE_MECHANICS;
    c->rate = rate;
    c->model = "pendulum";
    c->t_end = t_end;
    c->p.exact(&c->p, t_end, c->answer);
    c->judged = 2;
    c->hand = hand;
    c->unit = "a step of the hand-written rk4 with projection";
    c->work = work;
    c->coarsest = 10 * t_end;
    c->heavy = is_long;
}
