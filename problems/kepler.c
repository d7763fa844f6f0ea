/* kepler.c - the two-body problem with GM = 1, started at the pericentre of an ellipse.
 *
 *   q' = p,  p' = -q / |q|^3,  H = |p|^2 / 2 - 1 / |q|,  momentum = q x p
 *   q(0) = a (1 - e, 0),  p(0) = (0, sqrt((1 + e) / (1 - e) / a)),  period 2 pi a^(3/2)
 *
 * Exact, with E - e sin E = t / a^(3/2) and b = sqrt(1 - e^2):
 *   q = a (cos E - e, b sin E),  p = (-sin E, b cos E) / (sqrt(a) (1 - e cos E))
 * Hairer, Lubich, Wanner: Geometric Numerical Integration, I.2 (e = 0.6). */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ECCENTRICITY, SEMI_AXIS };

/* (q', p') in dim = 2 or 3 dimensions. */
static void flow(int dim, const double *u, double *out) {
    double square = 0.0;
    for (int i = 0; i < dim; i++) square += u[i] * u[i];
    double cube = square * sqrt(square);
    for (int i = 0; i < dim; i++) {
        out[i] = u[dim + i];
        out[dim + i] = -u[i] / cube;
    }
}

static void flow_jacobian(int dim, const double *u, double *out) {
    int n = 2 * dim;
    double square = 0.0;
    for (int i = 0; i < dim; i++) square += u[i] * u[i];
    double cube = square * sqrt(square);
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int i = 0; i < dim; i++) {
        out[i * n + dim + i] = 1.0;
        for (int j = 0; j < dim; j++) out[(dim + i) * n + j] = (3.0 * u[i] * u[j] / square - (i == j)) / cube;
    }
}

static double energy_of(int dim, const double *u, double sign) {
    double q = 0.0, p = 0.0;
    for (int i = 0; i < dim; i++) {
        q += u[i] * u[i];
        p += u[dim + i] * u[dim + i];
    }
    return 0.5 * p + sign / sqrt(q);
}

static int plane_f(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    flow(2, u, out);
    return 0;
}

static int plane_f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    flow_jacobian(2, u, out);
    return 0;
}

static int plane_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = energy_of(2, u, -1.0);
    return 0;
}

static int plane_energy_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = energy_of(2, u, 1.0);
    return 0;
}

static int plane_energy_gradient(double t, const double *u, double *out, void *user) {
    double rates[4];
    plane_f(t, u, rates, user);
    for (int i = 0; i < 2; i++) {
        out[i] = -rates[2 + i];
        out[2 + i] = rates[i];
    }
    return 0;
}

static int plane_momentum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[3] - u[1] * u[2];
    return 0;
}

static int plane_momentum_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[3];
    out[1] = -u[2];
    out[2] = -u[1];
    out[3] = u[0];
    return 0;
}

static int plane_momentum_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(u[0] * u[3]) + fabs(u[1] * u[2]);
    return 0;
}

static int plane_invariants(double t, const double *u, double *out, void *user) {
    plane_energy(t, u, out, user);
    return plane_momentum(t, u, out + 1, user);
}

static int plane_invariants_jacobian(double t, const double *u, double *out, void *user) {
    plane_energy_gradient(t, u, out, user);
    return plane_momentum_gradient(t, u, out + 4, user);
}

static int plane_invariants_terms(double t, const double *u, double *out, void *user) {
    plane_energy_terms(t, u, out, user);
    return plane_momentum_terms(t, u, out + 1, user);
}

static int space_f(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    flow(3, u, out);
    return 0;
}

static int space_f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    flow_jacobian(3, u, out);
    return 0;
}

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static int space_invariants(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double h[3];
    cross(u, u + 3, h);
    out[0] = energy_of(3, u, -1.0);
    out[1] = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    return 0;
}

/* With n = h / |h|: d|h|/dq = p x n, d|h|/dp = n x q. */
static int space_invariants_jacobian(double t, const double *u, double *out, void *user) {
    double rates[6], h[3];
    space_f(t, u, rates, user);
    cross(u, u + 3, h);
    double size = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    for (int i = 0; i < 3; i++) {
        out[i] = -rates[3 + i];
        out[3 + i] = rates[i];
        h[i] /= size;
    }
    cross(u + 3, h, out + 6);
    cross(h, u, out + 9);
    return 0;
}

static int space_invariants_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double size = 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double sum = fabs(u[i] * u[3 + j]) + fabs(u[j] * u[3 + i]);
        size += sum * sum;
    }
    out[0] = energy_of(3, u, 1.0);
    out[1] = sqrt(size);
    return 0;
}

/* With s = |q|^2 and w = s^(-3/2): s w' = -3/2 s' w, p' = -q w, coefficient by coefficient. */
static int series_of(int dim, const double *u, int orders, double *out, double *work) {
    int n = 2 * dim;
    double *s = work, *w = work + orders + 1;
    memcpy(out, u, (size_t)n * sizeof *out);
    for (int k = 0; k < orders; k++) {
        s[k] = w[k] = 0.0;
        for (int i = 0; i < dim; i++) s[k] += problem_product(out + i, out + i, n, k);
        if (k == 0) w[0] = 1.0 / (s[0] * sqrt(s[0]));
        for (int j = 1; j <= k; j++) w[k] -= (0.5 * j + k) * s[j] * w[k - j];
        if (k > 0) w[k] /= k * s[0];
        for (int i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int j = 0; j <= k; j++) sum += out[j * n + i] * w[k - j];
            out[(k + 1) * n + i] = out[k * n + dim + i] / (k + 1);
            out[(k + 1) * n + dim + i] = -sum / (k + 1);
        }
    }
    return 0;
}

static int plane_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t, (void)user;
    return series_of(2, u, orders, out, work);
}

static int space_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t, (void)user;
    return series_of(3, u, orders, out, work);
}

/* E - e sin E, without cancellation for small E and e near 1. */
static long double mean_anomaly(long double E, long double e) {
    long double excess = E - sinl(E);
    if (fabsl(E) < 0.5L) {
        long double term = E * E * E / 6.0L;
        excess = term;
        for (int k = 4; k < 30; k += 2) {
            term *= -E * E / (k * (k + 1));
            excess += term;
        }
    }
    return (1.0L - e) * E + e * excess;
}

/* Newton's method inside a shrinking bracket; 0 <= e < 1. */
static long double eccentric_anomaly(long double M, long double e) {
    long double low = -acosl(-1.0L), high = -low, E = M;
    for (int k = 0; k < 200; k++) {
        long double rest = mean_anomaly(E, e) - M, half = sinl(0.5L * E);
        if (rest > 0.0L) high = E;
        else low = E;
        long double next = E - rest / (1.0L - e + 2.0L * e * half * half);
        if (!(next > low && next < high)) next = 0.5L * (low + high);
        long double change = fabsl(next - E);
        E = next;
        if (change <= LDBL_EPSILON * fabsl(E)) break;
    }
    return E;
}

static int exact(const problem *p, double t, double *u) {
    long double e = p->parameter[ECCENTRICITY], a = p->parameter[SEMI_AXIS];
    long double E = eccentric_anomaly(remainderl(t / (a * sqrtl(a)), 2.0L * acosl(-1.0L)), e);
    long double minor = sqrtl((1.0L - e) * (1.0L + e)), half = sinl(0.5L * E);
    long double drop = 2.0L * half * half; /* 1 - cos E */
    long double speed = 1.0L / (sqrtl(a) * (1.0L - e + e * drop));
    int dim = p->keel.n / 2;
    memset(u, 0, (size_t)p->keel.n * sizeof *u);
    u[0] = (double)(a * (1.0L - e - drop));
    u[1] = (double)(a * minor * sinl(E));
    u[dim] = (double)(-speed * sinl(E));
    u[dim + 1] = (double)(speed * minor * (1.0L - drop));
    return 0;
}

static const char *const plane_names[] = {"q1", "q2", "p1", "p2"};
static const char *const space_names[] = {"q1", "q2", "q3", "p1", "p2", "p3"};
static const char *const invariant_names[] = {"energy", "momentum"};

static void begin(problem *p, keel_form form, const char *name, int dim, double e, double a) {
    problem_begin(p, form, name, 2 * dim, 0, dim == 2 ? plane_names : space_names,
                  2.0 * acos(-1.0) * a * sqrt(a));
    p->parameter[ECCENTRICITY] = e;
    p->parameter[SEMI_AXIS] = a;
    static const keel_extras plane = {.series = {plane_series, 0, 2}},
                             space = {.series = {space_series, 0, 2}};
    p->keel.extras = dim == 2 ? &plane : &space;
    p->u0[0] = a * (1.0 - e);
    p->u0[dim + 1] = sqrt((1.0 + e) / (1.0 - e) / a);
    p->exact = exact;
}

static void refer(problem *p) {
    static const double at_1[] = {-0.6289481768266242305829, 0.7996647309700392665995,
                                  -0.9825156909388113276878, -0.02276317009743041991973};
    static const double at_50[] = {0.2205459568745545251826, -0.4572644452615640347445,
                                   1.125884581167679341599, 1.293032144434267600433};
    static const double at_200[] = {-0.6886544253474299998278, -0.7968499554084462990099,
                                    0.9457552132885009852337, -0.06734146874951965172663};
    problem_refer(p, 1.0, 1e-15, at_1, NULL);
    problem_refer(p, 50.0, 1e-13, at_50, NULL);
    problem_refer(p, 200.0, 3e-13, at_200, NULL);
}

void problem_kepler(problem *p, double e, double a) {
    begin(p, KEEL_ODE, "kepler", 2, e, a);
    p->keel.f = (keel_map){.count = 4, .value = plane_f, .jacobian = plane_f_jacobian};
    p->keel.invariant = (keel_map){.count = 2,
                                   .value = plane_invariants,
                                   .jacobian = plane_invariants_jacobian,
                                   .terms = plane_invariants_terms,
                                   .names = invariant_names};
    if (e == 0.6 && a == 1.0) refer(p);
}

void problem_kepler_hamiltonian(problem *p, double e) {
    begin(p, KEEL_HAMILTONIAN, "kepler_hamiltonian", 2, e, 1.0);
    p->keel.energy = (keel_map){.count = 1,
                                .value = plane_energy,
                                .jacobian = plane_energy_gradient,
                                .terms = plane_energy_terms,
                                .names = invariant_names};
    p->keel.invariant = (keel_map){.count = 1,
                                   .value = plane_momentum,
                                   .jacobian = plane_momentum_gradient,
                                   .terms = plane_momentum_terms,
                                   .names = invariant_names + 1};
    if (e == 0.6) refer(p);
}

void problem_kepler_space(problem *p, double e, double a) {
    begin(p, KEEL_ODE, "kepler_space", 3, e, a);
    p->keel.f = (keel_map){.count = 6, .value = space_f, .jacobian = space_f_jacobian};
    p->keel.invariant = (keel_map){.count = 2,
                                   .value = space_invariants,
                                   .jacobian = space_invariants_jacobian,
                                   .terms = space_invariants_terms,
                                   .names = invariant_names};
}
