/* oscillators.c - two coupled nonlinear oscillators in the plane, q' = p, p' = -dV/dq, H = |p|^2 / 2 + V.
 *
 *   V = (q1^2 + q2^2) / 2 + q1^2 q2 + c q2^3 / 3
 *
 * c = -1: Henon and Heiles; started at H = 1/12 from q = (0, 0.45), p2 = 0, where the motion is regular
 * (Hairer, Lubich, Wanner: Geometric Numerical Integration, I.3).
 * c = +1: integrable, s = q1 + q2 obeys s'' = -s - s^2, so the second invariant is
 *   F = (p1 + p2)^2 / 2 + (1/2 + (q1 + q2) / 3) (q1 + q2)^2
 * Started from q = (0.1, 0.1), p = (0.1, 0.4): example (24), (25) of the paper that introduced
 * adjustment-stabilization (2007).
 *
 * The reference values were computed in quadruple precision or better with two step sizes or orders. */
#include "support.h"

#include <math.h>
#include <string.h>

/* parameter: c */
static int f(double t, const double *u, double *out, void *user) {
    (void)t;
    double c = *(const double *)user;
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] - 2.0 * u[0] * u[1];
    out[3] = -u[1] - u[0] * u[0] - c * u[1] * u[1];
    return 0;
}

static int f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t;
    double c = *(const double *)user;
    memset(out, 0, 16 * sizeof *out);
    out[2] = out[4 + 3] = 1.0;
    out[8] = -1.0 - 2.0 * u[1];
    out[9] = out[12] = -2.0 * u[0];
    out[13] = -1.0 - 2.0 * c * u[1];
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t;
    double c = *(const double *)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3] + u[0] * u[0] + u[1] * u[1]) + u[0] * u[0] * u[1] +
             c * u[1] * u[1] * u[1] / 3.0;
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    double rates[4];
    f(t, u, rates, user);
    for (int i = 0; i < 2; i++) {
        out[i] = -rates[2 + i];
        out[2 + i] = rates[i];
    }
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3] + u[0] * u[0] + u[1] * u[1]) + fabs(u[0] * u[0] * u[1]) +
             fabs(u[1] * u[1] * u[1] / 3.0);
    return 0;
}

static int both(double t, const double *u, double *out, void *user) {
    double s = u[0] + u[1], v = u[2] + u[3];
    energy(t, u, out, user);
    out[1] = 0.5 * v * v + (0.5 + s / 3.0) * s * s;
    return 0;
}

static int both_jacobian(double t, const double *u, double *out, void *user) {
    double s = u[0] + u[1];
    energy_gradient(t, u, out, user);
    out[4] = out[5] = s + s * s;
    out[6] = out[7] = u[2] + u[3];
    return 0;
}

static int both_terms(double t, const double *u, double *out, void *user) {
    double s = fabs(u[0]) + fabs(u[1]), v = fabs(u[2]) + fabs(u[3]);
    energy_terms(t, u, out, user);
    out[1] = 0.5 * v * v + (0.5 + s / 3.0) * s * s;
    return 0;
}

static const char *const state_names[] = {"q1", "q2", "p1", "p2"};

static void begin(problem *p, const char *name, double c, double t_end) {
    problem_begin(p, KEEL_ODE, name, 4, 0, state_names, t_end);
    p->parameter[0] = c;
    p->keel.f = (keel_map){.count = 4, .value = f, .jacobian = f_jacobian};
}

void problem_henon_heiles(problem *p) {
    static const char *const names[] = {"energy"};
    static const double at_10[] = {-0.2315386860056509356667, -0.3348622938379873154978,
                                   -0.1084272882472404143146, 0.006215092802902850772514};
    static const double at_100[] = {0.07525674257681173617966, -0.1193999432738264333422,
                                    -0.2123348054805106890729, 0.3191838502650893017605};
    static const double at_300[] = {-0.3504437076192254317623, -0.05558364514815971059767,
                                    0.2093423410260496657961, 0.1023727247303496276869};
    begin(p, "henon_heiles", -1.0, 300.0);
    p->u0[1] = 0.45;
    p->u0[2] = sqrt(1.0 / 6.0 - 0.45 * 0.45 + 2.0 * 0.45 * 0.45 * 0.45 / 3.0);
    p->keel.invariant = (keel_map){
        .count = 1, .value = energy, .jacobian = energy_gradient, .terms = energy_terms, .names = names};
    problem_refer(p, 10.0, 1e-15, at_10, NULL);
    problem_refer(p, 100.0, 1e-14, at_100, NULL);
    problem_refer(p, 300.0, 1e-13, at_300, NULL);
}

void problem_oscillator(problem *p) {
    static const char *const names[] = {"H", "F"};
    static const double start[] = {0.1, 0.1, 0.1, 0.4};
    static const double at_10[] = {0.2313731311107073907116, 0.05840174679776822976212,
                                   -0.09484781850504238825459, -0.3469013821531523894074};
    static const double at_100[] = {0.06894977396819031358021, 0.3393329788893748659225,
                                    0.1747546294922020590702, 0.1138040603014307866667};
    static const double at_1000[] = {-0.4038836922259076898699, -0.3858932304816147569719,
                                     0.1498339250943469999608, -0.1496196797658085733356};
    begin(p, "oscillator", 1.0, 1000.0);
    problem_start(p, start);
    p->keel.invariant =
        (keel_map){.count = 2, .value = both, .jacobian = both_jacobian, .terms = both_terms, .names = names};
    problem_refer(p, 10.0, 1e-15, at_10, NULL);
    problem_refer(p, 100.0, 1e-14, at_100, NULL);
    problem_refer(p, 1000.0, 1e-12, at_1000, NULL);
}
