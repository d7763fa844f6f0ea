/* twin_rods.c - two unit masses in a vertical plane joined by two rods between the same two masses.
 *
 *   0 = |q1 - q2|^2 - l1^2,  0 = |q1 - q2|^2 - l2^2,  gravity 9.81 along -y;  started at distance l1
 *
 * Equal lengths: the constraints say the same thing twice, and only the sum of the multipliers is determined
 * (it is 1).  The rods turn by 2 per unit of time about a centre thrown with velocity (1, 3).
 * Different lengths: no motion satisfies both. */
#include "support.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.81, spin = 2.0;

/* parameter: l1, l2 */
static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[2] = 0.0;
    out[1] = out[3] = -gravity;
    return 0;
}

static int force_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 32 * sizeof *out);
    return 0;
}

static int rods(double t, const double *q, double *out, void *user) {
    (void)t;
    const double *length = user;
    double dx = q[0] - q[2], dy = q[1] - q[3];
    for (int i = 0; i < 2; i++) out[i] = dx * dx + dy * dy - length[i] * length[i];
    return 0;
}

static int rods_jacobian(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 2; c++) {
            out[4 * i + c] = 2.0 * (q[c] - q[2 + c]);
            out[4 * i + 2 + c] = -out[4 * i + c];
        }
    return 0;
}

static int rods_terms(double t, const double *q, double *out, void *user) {
    (void)t;
    const double *length = user;
    double dx = fabs(q[0]) + fabs(q[2]), dy = fabs(q[1]) + fabs(q[3]);
    for (int i = 0; i < 2; i++) out[i] = dx * dx + dy * dy + length[i] * length[i];
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double dx = u[4] - u[6], dy = u[5] - u[7];
    out[0] = out[1] = 2.0 * (dx * dx + dy * dy);
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[4] * u[4] + u[5] * u[5] + u[6] * u[6] + u[7] * u[7]) + gravity * (u[1] + u[3]);
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = out[2] = 0.0;
    out[1] = out[3] = gravity;
    for (int i = 4; i < 8; i++) out[i] = u[i];
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] =
        0.5 * (u[4] * u[4] + u[5] * u[5] + u[6] * u[6] + u[7] * u[7]) + gravity * (fabs(u[1]) + fabs(u[3]));
    return 0;
}

static int exact(const problem *p, double t, double *u) {
    double radius = 0.5 * p->parameter[0], c = cos(spin * t), s = sin(spin * t);
    for (int i = 0; i < 2; i++) {
        double arm = i == 0 ? radius : -radius;
        u[2 * i] = t + arm * c;
        u[2 * i + 1] = 3.0 * t - 0.5 * gravity * t * t + arm * s;
        u[4 + 2 * i] = 1.0 - arm * spin * s;
        u[5 + 2 * i] = 3.0 - gravity * t + arm * spin * c;
    }
    return 0;
}

void problem_twin_rods(problem *p, double l1, double l2) {
    static const char *const names[] = {"x1", "y1", "x2", "y2", "vx1", "vy1", "vx2", "vy2"};
    static const char *const rod_names[] = {"rod1", "rod2"};
    static const char *const energy_names[] = {"energy"};
    problem_begin(p, KEEL_MECHANICS, "twin_rods", 8, 0, names, 3.0);
    p->parameter[0] = l1;
    p->parameter[1] = l2;
    exact(p, 0.0, p->u0);
    p->keel.f = (keel_map){.count = 4, .value = force, .jacobian = force_jacobian};
    p->keel.constraint = (keel_map){
        .count = 2, .value = rods, .jacobian = rods_jacobian, .terms = rods_terms, .names = rod_names};
    p->keel.curvature = curvature;
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy_terms,
                                .names = energy_names};
    if (l1 == l2) p->exact = exact;
}
