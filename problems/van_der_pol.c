/* van_der_pol.c - van der Pol's oscillator, very stiff (Test Set for IVP Solvers, Bari).
 *
 *   y1' = y2,  y2' = mu ((1 - y1^2) y2 - y1),  y(0) = (2, 0),  mu = 1e6
 *
 * The values at t = 1 and 2 are those of Hairer and Wanner (Solving ODEs II, IV.10); here Radau IIA at
 * tolerances 1e-12 and 1e-13 gives them to 3e-13, and those at t = 0.01, where explicit methods still get. */
#include "support.h"

static int f(double t, const double *y, double *out, void *user) {
    (void)t;
    double mu = *(const double *)user;
    out[0] = y[1];
    out[1] = mu * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
    return 0;
}

static int f_jacobian(double t, const double *y, double *out, void *user) {
    (void)t;
    double mu = *(const double *)user;
    out[0] = 0.0;
    out[1] = 1.0;
    out[2] = -mu * (2.0 * y[0] * y[1] + 1.0);
    out[3] = mu * (1.0 - y[0] * y[0]);
    return 0;
}

void problem_van_der_pol(problem *p) {
    static const char *const names[] = {"y1", "y2"};
    static const double times[] = {0.01, 1.0, 2.0};
    static const double values[3][2] = {{1.993314927569782, -0.670403793877682},
                                        {-1.863646254808130, 0.7535430865435460},
                                        {1.706167732170469, -0.8928097010248125}};
    problem_begin(p, KEEL_ODE, "van_der_pol", 2, 0, names, 2.0);
    p->u0[0] = 2.0;
    p->parameter[0] = 1e6;
    p->keel.f = (keel_map){.count = 2, .value = f, .jacobian = f_jacobian};
    for (int i = 0; i < 3; i++) problem_refer(p, times[i], 1e-12, values[i], NULL);
}
