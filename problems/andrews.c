/* andrews.c - Andrews' squeezing mechanism: seven angles, six loop closures, a mass matrix M(q).
 *
 *   M(q) q'' = F(q, q') - G^T lambda,  0 = g(q),  q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)
 *
 * Driven by a constant moment on beta and held by a spring of length L(gamma), at rest at L = l0; t in
 * [0, 0.03].  M is block diagonal, (1,2), (3), (4,5), (6,7); every g is a sum of sines and cosines of single
 * angles or sums of two.  F is the Euler-Lagrange force of T = q' M q' / 2, V = c0 (L - l0)^2 / 2 - mom beta,
 * so T + V is kept.
 *
 * Hairer, Wanner: Solving Ordinary Differential Equations II, VII.7; Test Set for IVP Solvers (Bari, CWI).
 * The reference values were computed in 50-digit and in quadruple arithmetic; the digits published at
 * t = 0.03 hold to about 1e-10. */
#include "support.h"

#include <math.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, LOOPS = 6 };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                    m7 = 0.05498;
static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                    i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double c0 = 4530.0, l0 = 0.07785, mom = 0.033;
static const double da = 0.0115, ra = 0.00092, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
static const double ta = 0.02308, tb = 0.00916, ua = 0.01228, ub = 0.00449, rr = 0.007, u = 0.04, zt = 0.04;
static const double ef = 0.00579; /* e - ea = zf - fa */

/* coefficient * cos or sin of q[first] + q[second] (second = -1: of q[first] alone) in one loop closure;
 * rr = 0.007, d = 0.028, ss = 0.035, e = zf = 0.02, zt = u = 0.04. */
typedef struct wave {
    double coefficient;
    int loop, sine, first, second;
} wave;

static const wave waves[] = {
    {0.007, 0, 0, BETA, -1},     {-0.028, 0, 0, BETA, THETA},   {-0.035, 0, 1, GAMMA, -1},
    {0.007, 1, 1, BETA, -1},     {-0.028, 1, 1, BETA, THETA},   {0.035, 1, 0, GAMMA, -1},
    {0.007, 2, 0, BETA, -1},     {-0.028, 2, 0, BETA, THETA},   {-0.02, 2, 1, PHI, DELTA},
    {-0.04, 2, 0, DELTA, -1},    {0.007, 3, 1, BETA, -1},       {-0.028, 3, 1, BETA, THETA},
    {0.02, 3, 0, PHI, DELTA},    {-0.04, 3, 1, DELTA, -1},      {0.007, 4, 0, BETA, -1},
    {-0.028, 4, 0, BETA, THETA}, {-0.02, 4, 0, OMEGA, EPSILON}, {-0.04, 4, 1, EPSILON, -1},
    {0.007, 5, 1, BETA, -1},     {-0.028, 5, 1, BETA, THETA},   {-0.02, 5, 1, OMEGA, EPSILON},
    {0.04, 5, 0, EPSILON, -1}};
enum { WAVES = sizeof waves / sizeof *waves };

static double angle(const wave *w, const double *q) {
    return q[w->first] + (w->second < 0 ? 0.0 : q[w->second]);
}

static double height(const wave *w, const double *q) {
    return w->coefficient * (w->sine ? sin(angle(w, q)) : cos(angle(w, q)));
}

static double slope(const wave *w, const double *q) {
    return w->coefficient * (w->sine ? cos(angle(w, q)) : -sin(angle(w, q)));
}

static int loops(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    const double anchor[LOOPS] = {xb, yb, xa, ya, xa, ya};
    for (int i = 0; i < LOOPS; i++) out[i] = -anchor[i];
    for (int k = 0; k < WAVES; k++) out[waves[k].loop] += height(&waves[k], q);
    return 0;
}

static int loops_jacobian(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, LOOPS * ANGLES * sizeof *out);
    for (int k = 0; k < WAVES; k++) {
        double *row = out + ANGLES * waves[k].loop, value = slope(&waves[k], q);
        row[waves[k].first] += value;
        if (waves[k].second >= 0) row[waves[k].second] += value;
    }
    return 0;
}

/* With what rounding the angles themselves does. */
static int loops_terms(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    const double anchor[LOOPS] = {xb, yb, xa, ya, xa, ya};
    for (int i = 0; i < LOOPS; i++) out[i] = fabs(anchor[i]);
    for (int k = 0; k < WAVES; k++)
        out[waves[k].loop] += fabs(height(&waves[k], q)) + fabs(slope(&waves[k], q) * angle(&waves[k], q));
    return 0;
}

static int curvature(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, LOOPS * sizeof *out);
    for (int k = 0; k < WAVES; k++) {
        double spin = angle(&waves[k], q + ANGLES);
        out[waves[k].loop] -= height(&waves[k], q) * spin * spin;
    }
    return 0;
}

static int mass(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    double theta = da * rr * cos(q[THETA]), phi = zt * ef * sin(q[PHI]), omega = u * ef * sin(q[OMEGA]);
    double(*row)[ANGLES] = (double(*)[ANGLES])out;
    memset(out, 0, ANGLES * ANGLES * sizeof *out);
    row[0][0] = m1 * ra * ra + m2 * (rr * rr - 2.0 * theta + da * da) + i1 + i2;
    row[0][1] = row[1][0] = m2 * (da * da - theta) + i2;
    row[1][1] = m2 * da * da + i2;
    row[2][2] = m3 * (sa * sa + sb * sb) + i3;
    row[3][3] = m4 * ef * ef + i4;
    row[3][4] = row[4][3] = m4 * (ef * ef + phi) + i4;
    row[4][4] = m4 * (zt * zt + 2.0 * phi + ef * ef) + m5 * (ta * ta + tb * tb) + i4 + i5;
    row[5][5] = m6 * ef * ef + i6;
    row[5][6] = row[6][5] = m6 * (ef * ef - omega) + i6;
    row[6][6] = m6 * (ef * ef - 2.0 * omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
    return 0;
}

/* The spring from (xc, yc) to the point D that turns with gamma. */
typedef struct spring {
    double length;
    double torque; /* -dV/dgamma */
    double slope;  /* d torque / dgamma */
} spring;

static spring spring_at(double gamma) {
    double s = sin(gamma), c = cos(gamma);
    double x = sd * c + sc * s, y = sd * s - sc * c; /* D - (xb, yb), which turns: d(x, y)/dgamma = (-y, x) */
    double dx = x + xb - xc, dy = y + yb - yc, length = sqrt(dx * dx + dy * dy);
    double pull = -c0 * (1.0 - l0 / length), lever = -dx * y + dy * x; /* length * dlength/dgamma */
    double bend = x * x + y * y - dx * x - dy * y;                     /* d lever / dgamma */
    spring result = {length, pull * lever,
                     pull * bend - c0 * l0 * lever * lever / (length * length * length)};
    return result;
}

static int force(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    const double *v = q + ANGLES;
    double theta = m2 * da * rr * sin(q[THETA]), phi = m4 * zt * ef * cos(q[PHI]),
           omega = m6 * u * ef * cos(q[OMEGA]);
    out[0] = mom - theta * v[THETA] * (v[THETA] + 2.0 * v[BETA]);
    out[1] = theta * v[BETA] * v[BETA];
    out[2] = spring_at(q[GAMMA]).torque;
    out[3] = phi * v[DELTA] * v[DELTA];
    out[4] = -phi * v[PHI] * (v[PHI] + 2.0 * v[DELTA]);
    out[5] = -omega * v[EPSILON] * v[EPSILON];
    out[6] = omega * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]);
    return 0;
}

/* Two rows a, b with forces k(q[i]) v_j^2 and -k v_i (v_i + 2 v_j); j drives row a, dk is dk/dq[i]. */
static void centrifugal(double *a, double *b, const double *v, int i, int j, double k, double dk) {
    a[i] = dk * v[j] * v[j];
    a[ANGLES + j] = 2.0 * k * v[j];
    b[i] = -dk * v[i] * (v[i] + 2.0 * v[j]);
    b[ANGLES + i] = -2.0 * k * (v[i] + v[j]);
    b[ANGLES + j] = -2.0 * k * v[i];
}

static int force_jacobian(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    const double *v = q + ANGLES;
    double theta = m2 * da * rr, phi = m4 * zt * ef, omega = -m6 * u * ef;
    double(*row)[2 * ANGLES] = (double(*)[2 * ANGLES]) out;
    memset(out, 0, ANGLES * 2 * ANGLES * sizeof *out);
    centrifugal(row[1], row[0], v, THETA, BETA, theta * sin(q[THETA]), theta * cos(q[THETA]));
    centrifugal(row[3], row[4], v, PHI, DELTA, phi * cos(q[PHI]), -phi * sin(q[PHI]));
    centrifugal(row[5], row[6], v, OMEGA, EPSILON, omega * cos(q[OMEGA]), -omega * sin(q[OMEGA]));
    row[2][GAMMA] = spring_at(q[GAMMA]).slope;
    return 0;
}

/* T, and M v if wanted. */
static double kinetic(double t, const double *q, double *momentum) {
    double matrix[ANGLES * ANGLES], sum = 0.0;
    mass(t, q, matrix, NULL);
    for (int i = 0; i < ANGLES; i++) {
        double row = 0.0;
        for (int j = 0; j < ANGLES; j++) row += matrix[ANGLES * i + j] * q[ANGLES + j];
        sum += 0.5 * row * q[ANGLES + i];
        if (momentum) momentum[i] = row;
    }
    return sum;
}

static int energy(double t, const double *q, double *out, void *user) {
    (void)user;
    double stretch = spring_at(q[GAMMA]).length - l0;
    out[0] = kinetic(t, q, NULL) + 0.5 * c0 * stretch * stretch - mom * q[BETA];
    return 0;
}

static int energy_gradient(double t, const double *q, double *out, void *user) {
    (void)user;
    const double *v = q + ANGLES;
    memset(out, 0, ANGLES * sizeof *out);
    kinetic(t, q, out + ANGLES);
    out[BETA] = -mom;
    out[THETA] = m2 * da * rr * sin(q[THETA]) * v[BETA] * (v[BETA] + v[THETA]);
    out[GAMMA] = -spring_at(q[GAMMA]).torque;
    out[PHI] = m4 * zt * ef * cos(q[PHI]) * v[DELTA] * (v[DELTA] + v[PHI]);
    out[OMEGA] = -m6 * u * ef * cos(q[OMEGA]) * v[EPSILON] * (v[EPSILON] + v[OMEGA]);
    return 0;
}

static int energy_terms(double t, const double *q, double *out, void *user) {
    (void)user;
    double length = spring_at(q[GAMMA]).length;
    out[0] = kinetic(t, q, NULL) + 0.5 * c0 * fabs(length - l0) * (length + l0) + fabs(mom * q[BETA]);
    return 0;
}

void problem_andrews(problem *p) {
    static const char *const names[] = {"beta",  "Theta",  "gamma",  "Phi",  "delta",  "Omega",  "epsilon",
                                        "beta'", "Theta'", "gamma'", "Phi'", "delta'", "Omega'", "epsilon'"};
    static const char *const loop_names[] = {"loop1 x", "loop1 y", "loop2 x",
                                             "loop2 y", "loop3 x", "loop3 y"};
    static const char *const energy_names[] = {"energy"};
    static const double start[2 * ANGLES] = {-0.0617138900142764496358948, 0.0,
                                             0.455279819163070380255912,   0.222668390165885884674473,
                                             0.487364979543842550225599,   -0.222668390165885884674473,
                                             1.23054744454982119249735};
    static const double at_10[] = {
        2.160113131531526506184739,   -1.883364231107044319303390, 0.1585167580012266932547966,
        -0.3286410751746703065828222, 0.5251547747977294611021106, 0.3286410751746703065828222,
        1.068427204632401148733883,   711.9231528311039790635821,  -786.7700808599397566624635,
        -136.4381913781196977012497,  -240.2930292678645514714640, 4.791548225371054242290706,
        240.2930292678645514714640,   -41.14056696161048829921621};
    static const double at_30[] = {
        15.81077119515370709711939,   -15.75637105841183946972775, 0.04082224011964580485828232,
        -0.5347301163420795937701850, 0.5244099658799540693716558, 0.5347301163420795937701850,
        1.048080741041937873068515,   1139.920302259106064198097,  -1424.379295177540073196026,
        11.03291191061859374532731,   19.29337410503204083162756,  0.5735699148295024538176879,
        -19.29337410503204083162756,  0.3231791492491308749907484};
    static const double lambda_at_10[] = {57.02529043750258311203360, 2.967904246249483245521979,
                                          3.218860385008938713171936, -18.17926986794035693791808,
                                          5.159502718032350824696747, 34.24011729160660839589623};
    static const double lambda_at_30[] = {199.1753481045386281862395, -29.75530997497176332441573,
                                          23.06654361162215112861737, 31.45272527577113707538454,
                                          22.64249478639437857771292, 11.61739235261125590680148};
    problem_begin(p, KEEL_MECHANICS, "andrews", 2 * ANGLES, 0, names, 0.03);
    problem_start(p, start);
    p->keel.f = (keel_map){.count = ANGLES, .value = force, .jacobian = force_jacobian};
    p->keel.mass = (keel_matrix){.value = mass};
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy_terms,
                                .names = energy_names};
    p->keel.constraint = (keel_map){.count = LOOPS,
                                    .value = loops,
                                    .jacobian = loops_jacobian,
                                    .terms = loops_terms,
                                    .names = loop_names};
    p->keel.curvature = curvature;
    problem_refer(p, 0.01, 1e-14, at_10, lambda_at_10);
    problem_refer(p, 0.03, 1e-13, at_30, lambda_at_30);
}
