/* kepler.c - an ellipse of eccentricity 0.6, which ends at its pericentre, where errors are largest.
 *
 * The answer is that of the start as it is rounded: its semi-axis a = 1 / (2 / r - v^2) is 1 to a few
 * round-offs, which is 5e-12 after a thousand periods. */
#include "cases/case.h"
#include "cases/gauss.h"
#include "cases/hand.h"
#include "cases/kepler.h"

#include <math.h>

static int rate(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    kepler_rate(u, out);
    return 0;
}

static void rk4(double *u, double h, long steps, void *user) {
    (void)user;
    hand_rk4(4, kepler_rate, NULL, u, h, steps);
}

/* Energy and momentum as at the start. */
static double held_energy, held_momentum;

static inline double momentum(const double *u) {
    return u[0] * u[3] - u[1] * u[2];
}

static inline void correct(double *u) {
    double square = u[0] * u[0] + u[1] * u[1], r = sqrt(square), cube = square * r;
    double g[] = {u[0] / cube, u[1] / cube, u[2], u[3]}, h[] = {u[3], -u[2], -u[1], u[0]};
    hand_project(4, g, h, 0.5 * (u[2] * u[2] + u[3] * u[3]) - 1 / r - held_energy,
                 momentum(u) - held_momentum, u);
}

static void rk4_project(double *u, double h, long steps, void *user) {
    (void)user;
    held_energy = 0.5 * (u[2] * u[2] + u[3] * u[3]) - 1 / sqrt(u[0] * u[0] + u[1] * u[1]);
    held_momentum = momentum(u);
    hand_rk4(4, kepler_rate, correct, u, h, steps);
}

static void kahan_li8(double *u, double h, long steps, void *user) {
    (void)user;
    hand_kahan_li8(2, kepler_rate, u, h, steps);
}

static void gauss12(double *u, double h, long steps, void *user) {
    (void)user;
    hand_gauss12(4, kepler_rate, u, h, steps);
}

static const struct case_hand hand[] = {{"rk4", 4, rk4},
                                        {"rk4+project", 4, rk4_project},
                                        {"kahan-li8", 8, kahan_li8},
                                        {"gauss12", 12, gauss12},
                                        {NULL, 0, NULL}};

/* E - e sin E = t / a^(3/2), near a multiple of the period. */
static void answer(const double *u0, double t, double *u) {
    long double a = 1 / (2 / (long double)u0[0] - (long double)u0[3] * u0[3]), e = 1 - u0[0] / a;
    long double mean = remainderl(t / (a * sqrtl(a)), 2 * acosl(-1)), E = mean / (1 - e);
    for (int k = 0; k < 60; k++) E -= (E - e * sinl(E) - mean) / (1 - e * cosl(E));
    long double b = sqrtl((1 - e) * (1 + e)), speed = 1 / (sqrtl(a) * (1 - e * cosl(E)));
    u[0] = (double)(a * (cosl(E) - e));
    u[1] = (double)(a * b * sinl(E));
    u[2] = (double)(-speed * sinl(E));
    u[3] = (double)(speed * b * cosl(E));
}

static void begin(struct bench_case *c, enum case_kind kind) {
    *c = (struct bench_case){.right = CASE_KEPLER,
                             .kind = kind,
                             .keel = &c->p.keel,
                             .rate = rate,
                             .model = "kepler",
                             .hand = hand,
                             .unit = "a step of the hand-inlined rk4 loop",
                             .unit_step = 0.01,
                             .units = 4000};
    problem_kepler(&c->p, 0.6, 1);
    c->p.keel.f.value = rate;
}

void case_kepler(struct bench_case *c, int periods) {
    begin(c, CASE_ODE);
    c->name = periods == 25 ? "kepler-25" : "kepler-1000";
    c->about = periods == 25 ? "Kepler, e = 0.6, 25 periods" : "Kepler, e = 0.6, 1000 periods";
    c->t_end = periods * 2 * acos(-1);
    answer(c->p.u0, c->t_end, c->end);
    c->answer = c->end;
    c->compared = 4;
    c->coarsest = 20 * periods;
    c->patience = periods > 100 ? 1 : 0.25;
}

void case_kepler_steps(struct bench_case *c) {
    begin(c, CASE_STEPS);
    c->name = "steps-kepler";
    c->about = "Kepler, what a step of 0.01 costs";
    c->t_end = 200;
    c->coarsest = 20000;
}
