/* model_cost - what one step of a model costs: compiled into its method, compiled, interpreted, against a
 * loop with everything written into it by hand.  Times are the best of several interleaved rounds; ratios
 * are to the loop by hand, or to the model in its method where there is none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lang_ode.h"

static const char *const kepler = "canonical q[1..2], p[1..2]\n"
                                  "hamiltonian dot(p, p)/2 - 1/norm(q)\n"
                                  "init q = (0.4, 0), p = (0, 2)\nrun 0 .. 1\n";
static const char *const body = "param I[1..3] = (2, 1, 2/3), a = 1.1\n"
                                "var u[1..3]\n"
                                "let w[1] = u[1]/I[1], w[2] = u[2]/I[2], w[3] = u[3]/I[3]\n"
                                "u' = cross(u, w)\n"
                                "init u = (cos(a), 0, sin(a))\nrun 0 .. 1\n";

typedef void rate_by_hand(const double *u, const double *p, double *out);

static inline void rate_kepler(const double *u, const double *p, double *out) {
    (void)p;
    double r2 = u[0] * u[0] + u[1] * u[1], r3 = r2 * sqrt(r2);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] / r3;
    out[3] = -u[1] / r3;
}

static inline void rate_body(const double *u, const double *p, double *out) {
    double w0 = u[0] / p[0], w1 = u[1] / p[1], w2 = u[2] / p[2];
    out[0] = u[1] * w2 - u[2] * w1;
    out[1] = u[2] * w0 - u[0] * w2;
    out[2] = u[0] * w1 - u[1] * w0;
}

static inline __attribute__((always_inline)) double rk4_by_hand(int n, rate_by_hand *rate,
                                                                const struct ode *o, double h, long steps) {
    double x[4], k1[4], k2[4], k3[4], k4[4], y[4];
    for (int i = 0; i < n; i++) x[i] = o->u0[i];
    for (long s = 0; s < steps; s++) {
        rate(x, o->p, k1);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k1[i];
        rate(y, o->p, k2);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k2[i];
        rate(y, o->p, k3);
        for (int i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
        rate(y, o->p, k4);
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return x[0];
}

static double hand_kepler(const struct ode *o, double h, long steps) {
    return rk4_by_hand(4, rate_kepler, o, h, steps);
}

static double hand_body(const struct ode *o, double h, long steps) {
    return rk4_by_hand(3, rate_body, o, h, steps);
}

static double run(const keel_problem *p, const char *method, double h, long steps) {
    keel_options o = {.method = method, .step = h};
    keel_solver *s = keel_open(p, &o);
    if (keel_run(s, (double)steps * h) < 0) ode_stop(keel_message(s));
    double result = keel_state(s)[0];
    keel_close(s);
    return result;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* hand: NULL if there is none. */
static void table(const char *title, struct ode *o, const char *method,
                  double (*hand)(const struct ode *, double, long), double h, long steps, int rounds) {
    static const char *const name[] = {"by hand, in one function", "model compiled into the method",
                                       "model compiled", "model interpreted"};
    enum { WAYS = 4 };
    double best[WAYS] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, result[WAYS] = {0};
    keel_problem fused = ode_fused(o, method);
    const keel_problem *problem[WAYS] = {NULL, &fused, &o->compiled, &o->interpreted};
    int first = hand ? 0 : 1;
    for (int round = 0; round < rounds; round++)
        for (int k = first; k < WAYS; k++) {
            double begin = seconds();
            result[k] = k ? run(problem[k], method, h, steps) : hand(o, h, steps);
            best[k] = fmin(best[k], seconds() - begin);
        }
    printf("%s, %s\n", title, method);
    for (int k = first; k < WAYS; k++)
        printf("  %-34s %9.1f ns a step   x %.2f\n", name[k], best[k] / (double)steps * 1e9,
               best[k] / best[first]);
    if (result[1] != result[2] || result[1] != result[3]) ode_stop("the results differ");
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 200000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    struct ode k, b;
    if (steps < 1 || rounds < 1) {
        fprintf(stderr, "usage: model_cost [steps] [rounds]\n");
        return 2;
    }
    ode_open(&k, kepler);
    ode_compile(&k);
    ode_open(&b, body);
    ode_compile(&b);
    table("Kepler, 4 states", &k, "rk4", hand_kepler, 0.01, steps, rounds);
    table("Kepler, 4 states", &k, "dop853", NULL, 0.01, steps / 2, rounds);
    table("Rigid body, 3 states", &b, "rk4", hand_body, 0.05, steps, rounds);
    table("Rigid body, 3 states", &b, "dop853", NULL, 0.05, steps / 2, rounds);
    ode_close(&k);
    ode_close(&b);
    return 0;
}
