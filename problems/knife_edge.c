/* knife_edge.c - a skate of unit mass and inertia on an inclined plane, x downhill: a rolling constraint.
 *
 *   x'' = s - lambda sin(theta),  y'' = lambda cos(theta),  theta'' = 0,  0 = x' sin(theta) - y' cos(theta)
 *
 * From rest at the origin, turning at w: theta = w t, speed along the edge (s / w) sin(w t),
 *   x = s / (2 w^2) sin^2(w t),  y = s / (2 w^2) (w t - sin(2 w t) / 2),  lambda = 2 s sin(w t)
 * so the skate does not slide down but drifts sideways.  Energy |v|^2 / 2 - s x.  s = 5, w = 2.
 * Bloch: Nonholonomic Mechanics and Control, 1.6. */
#include "support.h"

#include <math.h>
#include <string.h>

static const double slope = 5.0, turn = 2.0;

static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = slope;
    out[1] = out[2] = 0.0;
    return 0;
}

static int force_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 18 * sizeof *out);
    return 0;
}

static int edge(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[3] * sin(u[2]) - u[4] * cos(u[2]);
    return 0;
}

static int edge_matrix(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = sin(u[2]);
    out[1] = -cos(u[2]);
    out[2] = 0.0;
    return 0;
}

static int edge_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(u[3] * sin(u[2])) + fabs(u[4] * cos(u[2]));
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = (u[3] * cos(u[2]) + u[4] * sin(u[2])) * u[5];
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) - slope * u[0];
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -slope;
    out[1] = out[2] = 0.0;
    for (int i = 3; i < 6; i++) out[i] = u[i];
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + fabs(slope * u[0]);
    return 0;
}

static int exact(const problem *p, double t, double *u) {
    (void)p;
    double angle = turn * t, s = sin(angle), c = cos(angle), speed = slope / turn * s;
    u[0] = 0.5 * slope / (turn * turn) * s * s;
    u[1] = 0.5 * slope / (turn * turn) * (angle - s * c);
    u[2] = angle;
    u[3] = speed * c;
    u[4] = speed * s;
    u[5] = turn;
    return 0;
}

void problem_knife_edge(problem *p) {
    static const char *const names[] = {"x", "y", "theta", "vx", "vy", "omega"};
    static const char *const edge_names[] = {"edge"};
    static const char *const energy_names[] = {"energy"};
    static const double lambda_at_1[] = {9.092974268256816953960}; /* 10 sin 2 */
    problem_begin(p, KEEL_MECHANICS, "knife_edge", 6, 0, names, 3.0 * acos(-1.0) / turn);
    exact(p, 0.0, p->u0);
    p->keel.f = (keel_map){.count = 3, .value = force, .jacobian = force_jacobian};
    p->keel.rolling = (keel_map){
        .count = 1, .value = edge, .jacobian = edge_matrix, .terms = edge_terms, .names = edge_names};
    p->keel.curvature = curvature;
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy_terms,
                                .names = energy_names};
    p->exact = exact;
    problem_refer(p, 1.0, 1e-15, NULL, lambda_at_1);
}
