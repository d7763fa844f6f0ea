/* car_axis.c - a car axis with one wheel driven over a bumpy road: four coordinates, a constraint that moves.
 *
 *   K q'' = F(t, q) - G^T lambda,  q = (xl, yl, xr, yr),  K = M eps^2 / 2,  t in [0, 3]
 *   yb = r sin(w t), xb = sqrt(L^2 - yb^2);  with the springs d = (xl, yl), e = (xr - xb, yr - yb):
 *   F = ((L0/|d| - 1) d - (0, K g), (L0/|e| - 1) e - (0, K g))
 *   0 = xb xl + yb yl,  0 = (xl - xr)^2 + (yl - yr)^2 - L^2
 *   L = 1, L0 = 1/2, eps = 0.01, M = 10, r = 0.1, w = 10, g = 1
 *
 * Test Set for IVP Solvers (Bari, CWI); there the multipliers carry the other sign.  The reference values
 * were computed in 50-digit and in quadruple arithmetic; the digits published at t = 3 hold to about
 * 3e-12. */
#include "support.h"

#include <math.h>
#include <string.h>

static const double rest = 0.5, inertia = 5e-4, radius = 0.1, frequency = 10.0, gravity = 1.0;

/* The driven end (xb, yb) with its first and second derivatives in t. */
typedef struct road {
    double x[3], y[3];
} road;

static road road_at(double t) {
    road b;
    double s = sin(frequency * t), c = cos(frequency * t);
    b.y[0] = radius * s;
    b.y[1] = radius * frequency * c;
    b.y[2] = -radius * frequency * frequency * s;
    b.x[0] = sqrt(1.0 - b.y[0] * b.y[0]);
    b.x[1] = -b.y[0] * b.y[1] / b.x[0];
    b.x[2] = -(b.y[1] * b.y[1] + b.y[0] * b.y[2] + b.x[1] * b.x[1]) / b.x[0];
    return b;
}

/* The force of the spring d, and its 2 x 2 slope. */
static void spring(const double *d, double *out) {
    double factor = rest / sqrt(d[0] * d[0] + d[1] * d[1]) - 1.0;
    out[0] = factor * d[0];
    out[1] = factor * d[1] - inertia * gravity;
}

static void spring_slope(const double *d, double *out) {
    double square = d[0] * d[0] + d[1] * d[1], pull = rest / sqrt(square);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) out[2 * i + j] = (i == j) * (pull - 1.0) - pull * d[i] * d[j] / square;
}

static int force(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    const double right[2] = {u[2] - b.x[0], u[3] - b.y[0]};
    spring(u, out);
    spring(right, out + 2);
    return 0;
}

static int force_jacobian(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    const double right[2] = {u[2] - b.x[0], u[3] - b.y[0]};
    double slopes[2][4];
    spring_slope(u, slopes[0]);
    spring_slope(right, slopes[1]);
    memset(out, 0, 32 * sizeof *out);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) out[8 * (2 * side + i) + 2 * side + j] = slopes[side][2 * i + j];
    return 0;
}

static int force_rate(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    const double right[2] = {u[2] - b.x[0], u[3] - b.y[0]};
    double slope[4];
    spring_slope(right, slope);
    out[0] = out[1] = 0.0;
    out[2] = -slope[0] * b.x[1] - slope[1] * b.y[1];
    out[3] = -slope[2] * b.x[1] - slope[3] * b.y[1];
    return 0;
}

static int mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 16 * sizeof *out);
    for (int i = 0; i < 4; i++) out[5 * i] = inertia;
    return 0;
}

static int constraint(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    double dx = u[0] - u[2], dy = u[1] - u[3];
    out[0] = b.x[0] * u[0] + b.y[0] * u[1];
    out[1] = dx * dx + dy * dy - 1.0;
    return 0;
}

static int constraint_jacobian(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    const double rows[8] = {b.x[0],
                            b.y[0],
                            0.0,
                            0.0,
                            2.0 * (u[0] - u[2]),
                            2.0 * (u[1] - u[3]),
                            2.0 * (u[2] - u[0]),
                            2.0 * (u[3] - u[1])};
    memcpy(out, rows, sizeof rows);
    return 0;
}

static int constraint_rate(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    out[0] = b.x[1] * u[0] + b.y[1] * u[1];
    out[1] = 0.0;
    return 0;
}

static int constraint_terms(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    double dx = fabs(u[0]) + fabs(u[2]), dy = fabs(u[1]) + fabs(u[3]);
    out[0] = fabs(b.x[0] * u[0]) + fabs(b.y[0] * u[1]);
    out[1] = dx * dx + dy * dy + 1.0;
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)user;
    road b = road_at(t);
    const double *v = u + 4;
    double dx = v[0] - v[2], dy = v[1] - v[3];
    out[0] = 2.0 * (b.x[1] * v[0] + b.y[1] * v[1]) + b.x[2] * u[0] + b.y[2] * u[1];
    out[1] = 2.0 * (dx * dx + dy * dy);
    return 0;
}

void problem_car_axis(problem *p) {
    static const char *const names[] = {"xl", "yl", "xr", "yr", "vxl", "vyl", "vxr", "vyr"};
    static const char *const constraint_names[] = {"wheel", "axis"};
    static const double start[] = {0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0};
    static const double at_1[] = {0.0271820954401134563460853, 0.498911552629264932586732,
                                  1.02454879597037898515321,   0.426388006981167731060332,
                                  0.419164414754794632122416,  -0.0242900498572145441308529,
                                  0.297172685763110382992820,  -1.70195882830876452390047};
    static const double at_3[] = {0.0493455784275240921315268,  0.496989460230008106762934,
                                  1.04174252488542611519478,    0.373911027265365819357898,
                                  -0.0770583684035920842839406, 0.00744686659206841649140175,
                                  0.0175568157535417366297406,  0.770341043779601063120643};
    static const double lambda_at_1[] = {0.00383712098271209373741206, 0.00122879846195054623239525};
    static const double lambda_at_3[] = {0.00473688659085332651531348, 0.00110468033125956583986060};
    problem_begin(p, KEEL_MECHANICS, "car_axis", 8, 0, names, 3.0);
    problem_start(p, start);
    p->keel.f =
        (keel_map){.count = 4, .value = force, .jacobian = force_jacobian, .time_derivative = force_rate};
    p->keel.mass = (keel_matrix){.value = mass, .constant = 1};
    p->keel.constraint = (keel_map){.count = 2,
                                    .value = constraint,
                                    .jacobian = constraint_jacobian,
                                    .time_derivative = constraint_rate,
                                    .terms = constraint_terms,
                                    .names = constraint_names};
    p->keel.curvature = curvature;
    problem_refer(p, 1.0, 1e-14, at_1, lambda_at_1);
    problem_refer(p, 3.0, 1e-14, at_3, lambda_at_3);
}
