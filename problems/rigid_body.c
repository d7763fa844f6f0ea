/* rigid_body.c - Euler's equations of the free rigid body, in angular momenta y about the principal axes.
 *
 *   y1' = a1 y2 y3,  y2' = a2 y3 y1,  y3' = a3 y1 y2
 *   a1 = 1/I3 - 1/I2,  a2 = 1/I1 - 1/I3,  a3 = 1/I2 - 1/I1;  y(0) = (cos 1.1, 0, sin 1.1)
 *   casimir |y|^2,  energy (y1^2/I1 + y2^2/I2 + y3^2/I3) / 2;  y' = y x grad H, so B(y) v = y x v
 *
 * Exact when I2 lies between I1 and I3, with A = cos 1.1, B = sin 1.1 and m = A^2 a3 / (B^2 a1) <= 1:
 *   y = (A cn, -sign(a1) A sqrt|a2/a1| sn, B dn)(B sqrt|a1 a2| t | m);  for m > 1 axes 1 and 3 change places.
 * Hairer, Lubich, Wanner: Geometric Numerical Integration, VII.5 (I = (2, 1, 2/3)). */
#include "jacobi.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* parameter: I1, I2, I3, a1, a2, a3 */
static int f(double t, const double *y, double *out, void *user) {
    (void)t;
    const double *a = (const double *)user + 3;
    out[0] = a[0] * y[1] * y[2];
    out[1] = a[1] * y[2] * y[0];
    out[2] = a[2] * y[0] * y[1];
    return 0;
}

static int f_jacobian(double t, const double *y, double *out, void *user) {
    (void)t;
    const double *a = (const double *)user + 3;
    const double rows[9] = {0.0,         a[0] * y[2], a[0] * y[1], a[1] * y[2], 0.0,
                            a[1] * y[0], a[2] * y[1], a[2] * y[0], 0.0};
    memcpy(out, rows, sizeof rows);
    return 0;
}

/* Coefficients by products of the series themselves. */
static int series(double t, const double *y, int orders, double *out, double *work, void *user) {
    (void)t, (void)work;
    const double *a = (const double *)user + 3;
    memcpy(out, y, 3 * sizeof *out);
    for (int k = 0; k < orders; k++)
        for (int i = 0; i < 3; i++)
            out[3 * (k + 1) + i] =
                a[i] * problem_product(out + (i + 1) % 3, out + (i + 2) % 3, 3, k) / (k + 1);
    return 0;
}

static int casimir(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    return 0;
}

static int casimir_gradient(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 3; i++) out[i] = 2.0 * y[i];
    return 0;
}

static int energy(double t, const double *y, double *out, void *user) {
    (void)t;
    const double *inertia = user;
    out[0] = 0.5 * (y[0] * y[0] / inertia[0] + y[1] * y[1] / inertia[1] + y[2] * y[2] / inertia[2]);
    return 0;
}

static int energy_gradient(double t, const double *y, double *out, void *user) {
    (void)t;
    const double *inertia = user;
    for (int i = 0; i < 3; i++) out[i] = y[i] / inertia[i];
    return 0;
}

static int invariants(double t, const double *y, double *out, void *user) {
    casimir(t, y, out, user);
    return energy(t, y, out + 1, user);
}

static int invariants_jacobian(double t, const double *y, double *out, void *user) {
    casimir_gradient(t, y, out, user);
    return energy_gradient(t, y, out + 3, user);
}

static int structure(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    const double rows[9] = {0.0, -y[2], y[1], y[2], 0.0, -y[0], -y[1], y[0], 0.0};
    memcpy(out, rows, sizeof rows);
    return 0;
}

static int exact(const problem *p, double t, double *y) {
    const double *a = p->parameter + 3;
    long double start[3] = {cosl(1.1L), 0.0L, sinl(1.1L)};
    long double m = start[0] * start[0] * a[2] / (start[2] * start[2] * a[0]);
    int low = m > 1.0L ? 2 : 0, high = 2 - low; /* the axes of cn and of dn */
    if (low == 2) m = 1.0L / m;
    double sn, cn, dn, sign = a[0] > 0.0 ? -1.0 : 1.0;
    problem_jacobi(start[high] * sqrtl(fabsl((long double)a[low] * a[1])) * t, m, &sn, &cn, &dn);
    y[low] = (double)(start[low] * cn);
    y[1] = sign * (double)(start[low] * sqrtl(fabsl((long double)a[1] / a[low])) * sn);
    y[high] = (double)(start[high] * dn);
    return 0;
}

static const char *const state_names[] = {"y1", "y2", "y3"};
static const char *const invariant_names[] = {"casimir", "energy"};

static void begin(problem *p, keel_form form, const char *name, double i1, double i2, double i3) {
    problem_begin(p, form, name, 3, 0, state_names, 100.0);
    const double values[6] = {i1, i2, i3, 1.0 / i3 - 1.0 / i2, 1.0 / i1 - 1.0 / i3, 1.0 / i2 - 1.0 / i1};
    memcpy(p->parameter, values, sizeof values);
    p->u0[0] = (double)cosl(1.1L);
    p->u0[2] = (double)sinl(1.1L);
    static const keel_extras extras = {.series = {series, 0, 0}};
    p->keel.extras = &extras;
    if ((i1 - i2) * (i2 - i3) > 0.0) p->exact = exact;
    if (i1 != 2.0 || i2 != 1.0 || i3 != 2.0 / 3.0) return;
    static const double at_1[] = {0.3691100808504606659205, -0.3728463211214334514991,
                                  0.8513186060698892760439};
    static const double at_10[] = {0.4070661365880408108593, 0.2830074268128440760002,
                                   0.8684491676615616437144};
    static const double at_100[] = {-0.1773483138749739591564, -0.5904185243334271686336,
                                    0.7873712857919330991434};
    problem_refer(p, 1.0, 1e-15, at_1, NULL);
    problem_refer(p, 10.0, 1e-14, at_10, NULL);
    problem_refer(p, 100.0, 1e-13, at_100, NULL);
}

void problem_rigid_body(problem *p, double i1, double i2, double i3) {
    begin(p, KEEL_ODE, "rigid_body", i1, i2, i3);
    p->keel.f = (keel_map){.count = 3, .value = f, .jacobian = f_jacobian};
    p->keel.invariant = (keel_map){.count = 2,
                                   .value = invariants,
                                   .jacobian = invariants_jacobian,
                                   .terms = invariants, /* all terms are positive */
                                   .names = invariant_names};
}

void problem_rigid_body_hamiltonian(problem *p, double i1, double i2, double i3) {
    begin(p, KEEL_HAMILTONIAN, "rigid_body_hamiltonian", i1, i2, i3);
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy,
                                .names = invariant_names + 1};
    p->keel.structure = (keel_matrix){.value = structure};
    p->keel.invariant = (keel_map){.count = 1,
                                   .value = casimir,
                                   .jacobian = casimir_gradient,
                                   .terms = casimir,
                                   .names = invariant_names};
}
