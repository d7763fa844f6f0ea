/* sphere.c - particles of unit mass held on the unit sphere or circle, |q|^2 - 1 = 0.
 *
 * Spherical pendulum, q(0) = (0.6, 0, -0.8), v(0) = (0, 1, 0):
 *   q'' = -2 lambda q - (0, 0, 1),  lambda = (|v|^2 - z) / 2
 * keeps the energy |v|^2 / 2 + z and the momentum x vy - y vx.  The reference values were computed in
 * 50-digit and in quadruple arithmetic.
 *
 * Circular track, from rest at (0, 1):
 *   x'' = 2 y - 2 lambda x,  y'' = -2 x - 2 lambda y;  exact (sin t^2, cos t^2), lambda = 2 t^2
 * The force depends on the place only; it drives the particle round and round, so there is no energy.
 * After Sand, whose multiplier is -2 lambda. */
#include "support.h"

#include <math.h>
#include <string.h>

/* parameter: the dimension */
static int sphere(double t, const double *u, double *out, void *user) {
    (void)t;
    int dim = (int)*(const double *)user;
    out[0] = -1.0;
    for (int i = 0; i < dim; i++) out[0] += u[i] * u[i];
    return 0;
}

static int sphere_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    int dim = (int)*(const double *)user;
    for (int i = 0; i < dim; i++) out[i] = 2.0 * u[i];
    return 0;
}

static int sphere_terms(double t, const double *u, double *out, void *user) {
    sphere(t, u, out, user);
    out[0] += 2.0;
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t;
    int dim = (int)*(const double *)user;
    out[0] = 0.0;
    for (int i = 0; i < dim; i++) out[0] += 2.0 * u[dim + i] * u[dim + i];
    return 0;
}

static int weight(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[1] = 0.0;
    out[2] = -1.0;
    return 0;
}

static int weight_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 18 * sizeof *out);
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + u[2];
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = out[1] = 0.0;
    out[2] = 1.0;
    for (int i = 3; i < 6; i++) out[i] = u[i];
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + fabs(u[2]);
    return 0;
}

static int momentum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[4] - u[1] * u[3];
    return 0;
}

static int momentum_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[4];
    out[1] = -u[3];
    out[2] = 0.0;
    out[3] = -u[1];
    out[4] = u[0];
    out[5] = 0.0;
    return 0;
}

static int momentum_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(u[0] * u[4]) + fabs(u[1] * u[3]);
    return 0;
}

static int drive(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2.0 * u[1];
    out[1] = -2.0 * u[0];
    return 0;
}

static int drive_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 8 * sizeof *out);
    out[1] = 2.0;
    out[4] = -2.0;
    return 0;
}

static int track_exact(const problem *p, double t, double *u) {
    (void)p;
    long double angle = (long double)t * t;
    u[0] = (double)sinl(angle);
    u[1] = (double)cosl(angle);
    u[2] = 2.0 * t * u[1];
    u[3] = -2.0 * t * u[0];
    return 0;
}

static void hold(problem *p, int dim, const char *const *names) {
    p->parameter[0] = dim;
    p->keel.constraint = (keel_map){
        .count = 1, .value = sphere, .jacobian = sphere_gradient, .terms = sphere_terms, .names = names};
    p->keel.curvature = curvature;
}

void problem_spherical_pendulum(problem *p) {
    static const char *const names[] = {"x", "y", "z", "vx", "vy", "vz"};
    static const char *const row_names[] = {"rod", "energy", "momentum"};
    static const double start[] = {0.6, 0.0, -0.8, 0.0, 1.0, 0.0};
    static const double times[] = {1.0, 10.0, 100.0}, trust[] = {1e-15, 1e-14, 1e-13};
    static const double values[3][6] = {
        {0.15471991231579145532800, 0.74931339777801739257219, -0.64388755279424099396167,
         -0.73285383385911393409726, 0.32874116146451169045941, 0.20646939856899877393101},
        {0.44954944705160782851464, -0.40141325953927302776258, -0.79798038178995972171230,
         0.62164290605129445622319, 0.77959009205999727821411, -0.041954133263671488658025},
        {0.56150435865115675809647, -0.50910541132979025425764, -0.65232241673154096335100,
         0.39677060020357900670668, 0.70881362583875148890787, -0.21166286424995766135873}};
    static const double lambda[] = {0.66583132919136149094250, 0.89697057268493958256846,
                                    0.67848362509731144502649};
    problem_begin(p, KEEL_MECHANICS, "spherical_pendulum", 6, 0, names, 100.0);
    problem_start(p, start);
    hold(p, 3, row_names);
    p->keel.f = (keel_map){.count = 3, .value = weight, .jacobian = weight_jacobian};
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy_terms,
                                .names = row_names + 1};
    p->keel.invariant = (keel_map){.count = 1,
                                   .value = momentum,
                                   .jacobian = momentum_gradient,
                                   .terms = momentum_terms,
                                   .names = row_names + 2};
    for (int i = 0; i < 3; i++) problem_refer(p, times[i], trust[i], values[i], lambda + i);
}

void problem_circular_track(problem *p) {
    static const char *const names[] = {"x", "y", "vx", "vy"};
    static const char *const row_names[] = {"track"};
    static const double lambda[] = {2.0, 18.0};
    problem_begin(p, KEEL_MECHANICS, "circular_track", 4, 0, names, 3.0);
    p->u0[1] = 1.0;
    hold(p, 2, row_names);
    p->keel.f = (keel_map){.count = 2, .value = drive, .jacobian = drive_jacobian};
    p->exact = track_exact;
    problem_refer(p, 1.0, 1e-15, NULL, lambda);
    problem_refer(p, 3.0, 1e-15, NULL, lambda + 1);
}
