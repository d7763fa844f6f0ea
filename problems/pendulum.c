/* pendulum.c - the planar pendulum of unit mass and length in Cartesian coordinates, y upwards.
 *
 *   x'' = -2 lambda x,  y'' = -2 lambda y - g,  0 = x^2 + y^2 - 1;  energy (vx^2 + vy^2) / 2 + g y
 *
 * The constraint has no factor 1/2, so lambda = (|v|^2 - g y) / 2, half the tension T of x'' = -T x,
 * y'' = -T y - g.  Released at (1, 0), with m = 1/2, w = sqrt(g), u = K(m) + w t the exact solution is
 *   x = sqrt(2) sn dn,  y = -cn^2,  angular velocity sqrt(2) w cn
 * and it passes the bottom at w t = K, 3 K, 5 K, ...
 *
 * As a DAE of index 3 the algebraic variable is T.  As an ODE, T = (|v|^2 - g y) / |q|^2 keeps q.v
 * everywhere, and |q|^2 and the energy only where q.v = 0 (one strong and two weak invariants).
 * The reference values were computed in 50-digit and in quadruple arithmetic. */
#include "jacobi.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* parameter: g */
static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    out[0] = 0.0;
    out[1] = -*(const double *)user;
    return 0;
}

static int force_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 8 * sizeof *out);
    return 0;
}

static int rod(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1.0;
    return 0;
}

static int rod_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2.0 * u[0];
    out[1] = 2.0 * u[1];
    return 0;
}

static int rod_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] + 1.0;
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2.0 * (u[2] * u[2] + u[3] * u[3]);
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + *(const double *)user * u[1];
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0.0;
    out[1] = *(const double *)user;
    out[2] = u[2];
    out[3] = u[3];
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + fabs(*(const double *)user * u[1]);
    return 0;
}

static int tangency(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[2] + u[1] * u[3];
    return 0;
}

static int tangency_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[2];
    out[1] = u[3];
    out[2] = u[0];
    out[3] = u[1];
    return 0;
}

static int tangency_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(u[0] * u[2]) + fabs(u[1] * u[3]);
    return 0;
}

static int bottom(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    return 0;
}

static int bottom_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 4 * sizeof *out);
    out[0] = 1.0;
    return 0;
}

static int ode_f(double t, const double *u, double *out, void *user) {
    (void)t;
    double g = *(const double *)user;
    double tension = (u[2] * u[2] + u[3] * u[3] - g * u[1]) / (u[0] * u[0] + u[1] * u[1]);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -tension * u[0];
    out[3] = -tension * u[1] - g;
    return 0;
}

static int ode_f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t;
    double g = *(const double *)user;
    double square = u[0] * u[0] + u[1] * u[1];
    double tension = (u[2] * u[2] + u[3] * u[3] - g * u[1]) / square;
    const double slope[4] = {-2.0 * tension * u[0] / square, (-g - 2.0 * tension * u[1]) / square,
                             2.0 * u[2] / square, 2.0 * u[3] / square};
    memset(out, 0, 16 * sizeof *out);
    out[2] = out[7] = 1.0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++) out[4 * (2 + i) + j] = -slope[j] * u[i];
        out[4 * (2 + i) + i] -= tension;
    }
    return 0;
}

/* s = |q|^2, w = (|v|^2 - g y) / s, v' = -w q - (0, g), coefficient by coefficient. */
static int ode_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t;
    double g = *(const double *)user, *s = work, *w = work + orders + 1;
    memcpy(out, u, 4 * sizeof *out);
    for (int k = 0; k < orders; k++) {
        const double *now = out + 4 * k;
        s[k] = problem_product(out, out, 4, k) + problem_product(out + 1, out + 1, 4, k);
        w[k] = problem_product(out + 2, out + 2, 4, k) + problem_product(out + 3, out + 3, 4, k) - g * now[1];
        for (int j = 0; j < k; j++) w[k] -= w[j] * s[k - j];
        w[k] /= s[0];
        for (int i = 0; i < 2; i++) {
            double sum = k == 0 && i == 1 ? g : 0.0;
            for (int j = 0; j <= k; j++) sum += w[j] * out[4 * (k - j) + i];
            out[4 * (k + 1) + i] = now[2 + i] / (k + 1);
            out[4 * (k + 1) + 2 + i] = -sum / (k + 1);
        }
    }
    return 0;
}

static int ode_invariants(double t, const double *u, double *out, void *user) {
    out[0] = u[0] * u[0] + u[1] * u[1];
    tangency(t, u, out + 1, user);
    return energy(t, u, out + 2, user);
}

static int ode_invariants_jacobian(double t, const double *u, double *out, void *user) {
    rod_gradient(t, u, out, user);
    out[2] = out[3] = 0.0;
    tangency_gradient(t, u, out + 4, user);
    return energy_gradient(t, u, out + 8, user);
}

static int ode_invariants_terms(double t, const double *u, double *out, void *user) {
    out[0] = u[0] * u[0] + u[1] * u[1];
    tangency_terms(t, u, out + 1, user);
    return energy_terms(t, u, out + 2, user);
}

static int dae_f(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[4] * u[0];
    out[3] = -u[4] * u[1] - *(const double *)user;
    return 0;
}

static int dae_f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, 20 * sizeof *out);
    out[2] = out[5 + 3] = 1.0;
    for (int i = 0; i < 2; i++) {
        out[5 * (2 + i) + i] = -u[4];
        out[5 * (2 + i) + 4] = -u[i];
    }
    return 0;
}

static int dae_rod_gradient(double t, const double *u, double *out, void *user) {
    rod_gradient(t, u, out, user);
    out[2] = out[3] = out[4] = 0.0;
    return 0;
}

static int exact(const problem *p, double t, double *u) {
    double g = p->parameter[0], sn, cn, dn, root = sqrt(2.0);
    problem_jacobi(problem_ellipk(0.5L) + sqrtl(g) * t, 0.5L, &sn, &cn, &dn);
    double spin = root * sqrt(g) * cn;
    u[0] = root * sn * dn;
    u[1] = -cn * cn;
    u[2] = -u[1] * spin;
    u[3] = u[0] * spin;
    if (p->keel.m == 1) u[4] = 3.0 * g * cn * cn;
    return 0;
}

static int exact_at_rest(const problem *p, double t, double *u) {
    (void)t;
    memcpy(u, p->u0, (size_t)p->keel.n * sizeof *u);
    return 0;
}

/* x, y, vx, vy, T */
static void refer(problem *p) {
    static const double earth[3][5] = {
        {-0.9862917511318753193556, -0.1650108531255411687525, -0.2969055159163158215578,
         1.774643641112655626468, 4.856269407484676596386},
        {0.2750874625761168600544, -0.9614192050991250642651, -4.175598100951728836461,
         -1.194749054560475271648, 28.29456720606725064132},
        {0.1815133514270313845424, -0.9833884803340575046828, -4.319536780534662456265,
         -0.7972979278553604469680, 28.94112297623131236281}};
    static const double unit[3][5] = {
        {0.8795481324118891546229, -0.4758099229427207970900, -0.4641573588509940116336,
         -0.8580080373224432477691, 1.427429768828162391270},
        {-0.8115864461913038342742, -0.5842323513453957010629, -0.6315291490650175809507,
         0.8772887988410693289614, 1.752697054036187103189},
        {-0.9999740520463561708518, -0.007203834672683708530565, -8.646903329793774068179e-4,
         0.1200288367684843852188, 0.02161150401805112559169}};
    static const double second[3][5] = {
        /* period 2 */
        {-0.9999999999999999999999999825, -1.870464812212221595863e-13, -4.242251950890402700995e-19,
         2.268020185781008874558e-6, 7.715873344665183014898e-12},
        {0.9999999999999999999998, -1.870464812212221595862e-11, 4.242251950890402700994e-16,
         2.268020185781008874557e-5, 7.715873344665183014897e-10},
        {0.9999999999999999982507, -1.870464812212221594554e-9, 4.242251950890402696542e-13,
         2.268020185781008869797e-4, 7.715873344665183009499e-8}};
    static const double earth_lambda[3] = {2.428134703742338298193, 14.14728360303362532066,
                                           14.47056148811565618141};
    static const double unit_lambda[3] = {0.713714884414081195635, 0.8763485270180935515943,
                                          0.01080575200902556279585};
    static const double second_lambda[3] = {3.857936672332591507449e-12, 3.857936672332591507449e-10,
                                            3.857936672332591504749e-8};
    static const double times[3] = {1.0, 10.0, 100.0}, trust[3] = {1e-15, 1e-14, 1e-13};
    double g = p->parameter[0];
    const double(*u)[5] = g == 1.0 ? unit : g == 9.81 ? earth : g == 13.7503671 ? second : NULL;
    const double *lambda = g == 1.0 ? unit_lambda : g == 9.81 ? earth_lambda : second_lambda;
    for (int i = 0; u && i < 3; i++)
        problem_refer(p, times[i], trust[i], u[i], p->keel.form == KEEL_MECHANICS ? lambda + i : NULL);
}

static const char *const state_names[] = {"x", "y", "vx", "vy", "tension"};
static const char *const invariant_names[] = {"length", "tangency", "energy"};
static const char *const rod_names[] = {"rod"};

static const keel_map energy_map = {.count = 1,
                                    .value = energy,
                                    .jacobian = energy_gradient,
                                    .terms = energy_terms,
                                    .names = invariant_names + 2};

static void begin(problem *p, keel_form form, const char *name, int m, double g) {
    problem_begin(p, form, name, 4, m, state_names, 4.0 * (double)problem_ellipk(0.5L) / sqrt(g));
    p->parameter[0] = g;
    p->u0[0] = 1.0;
    p->exact = exact;
    refer(p);
}

static const keel_extras extras = {.series = {ode_series, 0, 2}};

void problem_pendulum_ode(problem *p, double g) {
    begin(p, KEEL_ODE, "pendulum_ode", 0, g);
    p->keel.f = (keel_map){.count = 4, .value = ode_f, .jacobian = ode_f_jacobian};
    p->keel.extras = &extras;
    p->keel.invariant = (keel_map){.count = 3,
                                   .value = ode_invariants,
                                   .jacobian = ode_invariants_jacobian,
                                   .terms = ode_invariants_terms,
                                   .names = invariant_names};
}

void problem_pendulum(problem *p, double g) {
    begin(p, KEEL_MECHANICS, "pendulum", 0, g);
    p->keel.extras = &extras;
    p->keel.f = (keel_map){.count = 2, .value = force, .jacobian = force_jacobian};
    p->keel.constraint = (keel_map){
        .count = 1, .value = rod, .jacobian = rod_gradient, .terms = rod_terms, .names = rod_names};
    p->keel.curvature = curvature;
    p->keel.energy = energy_map;
}

void problem_pendulum_at_rest(problem *p, double g) {
    problem_pendulum(p, g);
    p->keel.name = "pendulum_at_rest";
    p->u0[0] = 0.0;
    p->u0[1] = -1.0;
    p->exact = exact_at_rest;
    p->references = 0;
}

static int bottom_along(double t, const double *u, const double *c, int orders, double *out, double *work,
                        void *user) {
    (void)t, (void)u, (void)work, (void)user;
    for (int k = 0; k <= orders; k++) out[k] = c[4 * k];
    return 0;
}

void problem_pendulum_bottom(problem *p, double g) {
    static const char *const names[] = {"bottom"};
    problem_pendulum(p, g);
    p->keel.name = "pendulum_bottom";
    p->keel.event = (keel_map){.count = 1, .value = bottom, .jacobian = bottom_gradient, .names = names};
    static const keel_extras with_event = {.series = {ode_series, 0, 2},
                                           .event_series = {bottom_along, 0, 0}};
    p->keel.extras = &with_event;
}

double problem_pendulum_bottom_time(const problem *p, int k) {
    return (double)((2 * k - 1) * problem_ellipk(0.5L) / sqrtl(p->parameter[0]));
}

void problem_pendulum_dae(problem *p, double g) {
    begin(p, KEEL_DAE, "pendulum_dae", 1, g);
    p->keel.f = (keel_map){.count = 4, .value = dae_f, .jacobian = dae_f_jacobian};
    p->keel.algebraic = (keel_map){
        .count = 1, .value = rod, .jacobian = dae_rod_gradient, .terms = rod_terms, .names = rod_names};
    p->keel.hidden = (keel_map){.count = 1,
                                .value = tangency,
                                .jacobian = tangency_gradient,
                                .terms = tangency_terms,
                                .names = invariant_names + 1};
    p->keel.invariant = energy_map;
}
