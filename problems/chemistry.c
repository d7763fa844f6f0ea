/* chemistry.c - two kinetic systems of index 1 from the Test Set for IVP Solvers (Bari, CWI).
 *
 * Chemical Akzo Nobel, t in [0, 180]:
 *   r1 = k1 y1^4 sqrt(y2), r2 = k2 y3 y4, r3 = (k2/K) y1 y5, r4 = k3 y1 y4^2, r5 = k4 y6^2 sqrt(y2)
 *   y1' = -2 r1 + r2 - r3 - r4,  y2' = -r1/2 - r4 - r5/2 + klA (pCO2/H - y2),  y3' = r1 - r2 + r3,
 *   y4' = -r2 + r3 - 2 r4,  y5' = r2 - r3 + r5,  0 = Ks y1 y4 - y6
 *
 * Robertson, t in [0, 1e11]:
 *   y1' = -0.04 y1 + 1e4 y2 y3,  y2' = 0.04 y1 - 1e4 y2 y3 - 3e7 y2^2,  0 = y1 + y2 + y3 - 1
 *
 * The reference values were computed with Radau IIA of 7 and 9 stages in quadruple precision. */
#include "support.h"

#include <math.h>
#include <string.h>

static const double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, ratio = 34.4, inflow = 3.3, ks = 115.83;
static const double saturation = 0.9 / 737.0; /* pCO2 / H */

static int akzo_f(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    if (y[1] < 0.0) return 1;
    double root = sqrt(y[1]), square = y[0] * y[0];
    double r1 = k1 * square * square * root, r2 = k2 * y[2] * y[3], r3 = k2 / ratio * y[0] * y[4];
    double r4 = k3 * y[0] * y[3] * y[3], r5 = k4 * y[5] * y[5] * root;
    out[0] = -2.0 * r1 + r2 - r3 - r4;
    out[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow * (saturation - y[1]);
    out[2] = r1 - r2 + r3;
    out[3] = -r2 + r3 - 2.0 * r4;
    out[4] = r2 - r3 + r5;
    return 0;
}

static int akzo_f_jacobian(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    static const double share[5][5] = {/* of r1 .. r5 in y1' .. y5' */
                                       {-2.0, 1.0, -1.0, -1.0, 0.0},
                                       {-0.5, 0.0, 0.0, -1.0, -0.5},
                                       {1.0, -1.0, 1.0, 0.0, 0.0},
                                       {0.0, -1.0, 1.0, -2.0, 0.0},
                                       {0.0, 1.0, -1.0, 0.0, 1.0}};
    if (y[1] <= 0.0) return 1;
    double root = sqrt(y[1]), cube = y[0] * y[0] * y[0];
    const double slope[5][6] = {/* of r1 .. r5 */
                                {4.0 * k1 * cube * root, 0.5 * k1 * cube * y[0] / root, 0.0, 0.0, 0.0, 0.0},
                                {0.0, 0.0, k2 * y[3], k2 * y[2], 0.0, 0.0},
                                {k2 / ratio * y[4], 0.0, 0.0, 0.0, k2 / ratio * y[0], 0.0},
                                {k3 * y[3] * y[3], 0.0, 0.0, 2.0 * k3 * y[0] * y[3], 0.0, 0.0},
                                {0.0, 0.5 * k4 * y[5] * y[5] / root, 0.0, 0.0, 0.0, 2.0 * k4 * y[5] * root}};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) {
            double sum = i == 1 && j == 1 ? -inflow : 0.0;
            for (int k = 0; k < 5; k++) sum += share[i][k] * slope[k][j];
            out[6 * i + j] = sum;
        }
    return 0;
}

static int akzo_algebraic(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = ks * y[0] * y[3] - y[5];
    return 0;
}

static int akzo_algebraic_jacobian(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, 6 * sizeof *out);
    out[0] = ks * y[3];
    out[3] = ks * y[0];
    out[5] = -1.0;
    return 0;
}

static int akzo_algebraic_terms(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(ks * y[0] * y[3]) + fabs(y[5]);
    return 0;
}

void problem_chemakzo(problem *p) {
    static const char *const names[] = {"y1", "y2", "y3", "y4", "y5", "y6"};
    static const char *const algebraic_names[] = {"equilibrium"};
    static const double start[] = {0.444, 0.00123, 0.0, 0.007, 0.0, 0.35999964};
    static const double at_1[] = {0.42717280063655664491699,   1.1596135007806027912024e-4,
                                  0.0084040795381156735693381, 0.0069790496140729008302208,
                                  6.7143195925020673646042e-4, 0.34531936542449784947610};
    static const double at_180[] = {0.11507949206617021861712,  0.0012038314715677150928671,
                                    0.16115628874079742096413,  3.6561564212492830171456e-4,
                                    0.017080108852644040713777, 0.0048735313103074551293701};
    problem_begin(p, KEEL_DAE, "chemakzo", 5, 1, names, 180.0);
    problem_start(p, start);
    p->keel.f = (keel_map){.count = 5, .value = akzo_f, .jacobian = akzo_f_jacobian};
    p->keel.algebraic = (keel_map){.count = 1,
                                   .value = akzo_algebraic,
                                   .jacobian = akzo_algebraic_jacobian,
                                   .terms = akzo_algebraic_terms,
                                   .names = algebraic_names};
    problem_refer(p, 1.0, 1e-15, at_1, NULL);
    problem_refer(p, 180.0, 1e-15, at_180, NULL);
}

static int robertson_f(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
    return 0;
}

static int robertson_f_jacobian(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -0.04;
    out[1] = 1e4 * y[2];
    out[2] = 1e4 * y[1];
    out[3] = 0.04;
    out[4] = -1e4 * y[2] - 6e7 * y[1];
    out[5] = -1e4 * y[1];
    return 0;
}

static int robertson_algebraic(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = y[0] + y[1] + y[2] - 1.0;
    return 0;
}

static int robertson_algebraic_jacobian(double t, const double *y, double *out, void *user) {
    (void)t, (void)y, (void)user;
    out[0] = out[1] = out[2] = 1.0;
    return 0;
}

static int robertson_algebraic_terms(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = fabs(y[0]) + fabs(y[1]) + fabs(y[2]) + 1.0;
    return 0;
}

void problem_robertson(problem *p) {
    static const char *const names[] = {"y1", "y2", "y3"};
    static const char *const algebraic_names[] = {"mass"};
    static const double times[] = {0.4, 40.0, 4e4, 1e5, 1e11};
    static const double values[5][3] = {
        {0.9851721138609898624151, 3.386395378974904136450e-5, 0.01479402218522038854358},
        {0.7158270687194050904745, 9.185534764557763903899e-6, 0.2841637457458303517616},
        {0.03898337708548285247997, 1.621768315909682423887e-7, 0.9610164607376855565518},
        {0.01786592114209946496529, 7.274751468436318770766e-8, 0.9821340061103858506715},
        {2.083340149701294230573e-8, 8.333360770334783400648e-14, 0.9999999791665151693794}};
    problem_begin(p, KEEL_DAE, "robertson", 2, 1, names, 1e11);
    p->u0[0] = 1.0;
    p->keel.f = (keel_map){.count = 2, .value = robertson_f, .jacobian = robertson_f_jacobian};
    p->keel.algebraic = (keel_map){.count = 1,
                                   .value = robertson_algebraic,
                                   .jacobian = robertson_algebraic_jacobian,
                                   .terms = robertson_algebraic_terms,
                                   .names = algebraic_names};
    for (int i = 0; i < 5; i++) problem_refer(p, times[i], 1e-15, values[i], NULL);
}
