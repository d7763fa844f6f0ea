/* model_cost - what one step of a model costs: compiled into its method, compiled, interpreted, against a
 * loop with everything written into it by hand, or against the same problem written in C.  Times are the best
 * of several interleaved rounds; ratios are to the first row of each table. */
#include <keel/model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems.h"

static void stop(const char *why) {
    fprintf(stderr, "model_cost: %s\n", why);
    exit(1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By hand ----------------------------------------------------------------------------------------------- */

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

static inline __attribute__((always_inline)) double rk4_by_hand(int n, rate_by_hand *rate, const double *u0,
                                                                const double *p, double h, long steps) {
    double x[4], k1[4], k2[4], k3[4], k4[4], y[4];
    for (int i = 0; i < n; i++) x[i] = u0[i];
    for (long s = 0; s < steps; s++) {
        rate(x, p, k1);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k1[i];
        rate(y, p, k2);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k2[i];
        rate(y, p, k3);
        for (int i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
        rate(y, p, k4);
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return x[0];
}

static volatile double inertia[3] = {2, 1, 2. / 3}; /* as at run time */

static double hand_kepler(const double *u0, double h, long steps) {
    return rk4_by_hand(4, rate_kepler, u0, NULL, h, steps);
}

static double hand_body(const double *u0, double h, long steps) {
    double p[3] = {inertia[0], inertia[1], inertia[2]};
    return rk4_by_hand(3, rate_body, u0, p, h, steps);
}

/* By keel ----------------------------------------------------------------------------------------------- */

static keel_model *load(const char *name, const char *method, int interpret) {
    char path[600];
    keel_model_options o = {.method = method, .interpret = interpret};
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, name);
    keel_model *m = keel_model_load(path, &o);
    if (keel_model_status(m) != KEEL_OK) stop(keel_model_message(m));
    return m;
}

static keel_problem problem_of(const keel_model *m) {
    keel_mode mode;
    if (!keel_model_mode(m, keel_model_start(m), &mode)) stop("there is no mode");
    return *mode.problem;
}

/* way: of a run with error control, in place of a number of steps, which is the result then. */
static double run(const keel_problem *p, const keel_options *o, double way, long *steps) {
    keel_solver *s = keel_open(p, o);
    if (keel_run(s, p->t0 + (o->step > 0 ? (double)*steps * o->step : way)) < 0) stop(keel_message(s));
    double result = keel_state(s)[0];
    *steps = keel_statistics(s).steps;
    keel_close(s);
    return result;
}

#define WAY 2000 /* of runs with error control */

struct row {
    const char *name;
    const keel_problem *problem; /* NULL: by hand */
    keel_preserve preserve;
    double best, result;
    long steps;
};

static void table(const char *title, const keel_options *o, double (*hand)(const double *, double, long),
                  int rows, struct row *row, long steps, int rounds) {
    for (int k = 0; k < rows; k++) row[k].best = HUGE_VAL;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < rows; k++) {
            keel_options own = *o;
            if (row[k].preserve) own.preserve = row[k].preserve;
            double begin = seconds();
            row[k].steps = steps;
            row[k].result = row[k].problem ? run(row[k].problem, &own, WAY, &row[k].steps)
                                           : hand(row[1].problem->u0, o->step, steps);
            row[k].best = fmin(row[k].best, seconds() - begin);
        }
    printf("%s, %s\n", title, o->method);
    for (int k = 0; k < rows; k++) {
        double a_step = row[k].best / (double)row[k].steps;
        printf("  %-34s %9.1f ns a step   x %.2f\n", row[k].name, a_step * 1e9,
               a_step * (double)row[0].steps / row[0].best);
    }
}

/* hand: NULL if there is none. */
static void plain(const char *title, const char *name, const char *method,
                  double (*hand)(const double *, double, long), double h, long steps, int rounds) {
    keel_model *compiled = load(name, method, 0), *interpreted = load(name, method, 1);
    keel_problem fused = problem_of(compiled), called = fused, walked = problem_of(interpreted);
    keel_options o = {.method = method, .step = h, .preserve = KEEL_NONE};
    struct row row[] = {{.name = "by hand, in one function"},
                        {.name = "model compiled into the method", .problem = &fused},
                        {.name = "model compiled", .problem = &called},
                        {.name = "model interpreted", .problem = &walked}};
    called.fused = NULL;
    table(title, &o, hand, hand ? 4 : 3, hand ? row : row + 1, steps, rounds);
    if (row[1].result != row[2].result || row[1].result != row[3].result) stop("the results differ");
    keel_model_close(compiled);
    keel_model_close(interpreted);
}

/* What a projection onto two invariants costs. */
static void kept(const char *title, const char *name, const char *method,
                 double (*hand)(const double *, double, long), double h, long steps, int rounds) {
    keel_model *compiled = load(name, method, 0);
    keel_problem fused = problem_of(compiled), called = fused;
    keel_options o = {.method = method, .step = h, .rtol = h > 0 ? 0 : 1e-9};
    struct row row[] = {{.name = "by hand, without projection"},
                        {.name = "compiled into the method", .problem = &fused, .preserve = KEEL_NONE},
                        {.name = "the same, projected", .problem = &fused, .preserve = KEEL_PROJECT},
                        {.name = "called", .problem = &called, .preserve = KEEL_NONE},
                        {.name = "called, projected", .problem = &called, .preserve = KEEL_PROJECT}};
    called.fused = NULL;
    table(title, &o, hand, hand ? 5 : 4, hand ? row : row + 1, steps, rounds);
    if (row[2].result != row[4].result) stop("the results differ");
    keel_model_close(compiled);
}

static void mechanics(const char *title, const char *name, const keel_problem *in_c, double h, long steps,
                      int rounds) {
    keel_model *compiled = load(name, NULL, 0), *interpreted = load(name, NULL, 1);
    keel_problem called = problem_of(compiled), walked = problem_of(interpreted);
    keel_options o = {.method = "rk4", .step = h, .preserve = KEEL_PROJECT};
    struct row row[] = {{.name = "written in C", .problem = in_c},
                        {.name = "model compiled", .problem = &called},
                        {.name = "model interpreted", .problem = &walked}};
    table(title, &o, NULL, 3, row, steps, rounds);
    keel_model_close(compiled);
    keel_model_close(interpreted);
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 200000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    problem car, squeezer;
    if (steps < 100 || rounds < 1) {
        fprintf(stderr, "usage: model_cost [steps, at least 100] [rounds]\n");
        return 2;
    }
    problem_car_axis(&car);
    problem_andrews(&squeezer);
    plain("Kepler, 4 states", "kepler", "rk4", hand_kepler, 0.01, steps, rounds);
    plain("Kepler, 4 states", "kepler", "dop853", NULL, 0.01, steps / 2, rounds);
    plain("Rigid body, 3 states", "rigid_body", "rk4", hand_body, 0.05, steps, rounds);
    plain("Rigid body, 3 states", "rigid_body", "dop853", NULL, 0.05, steps / 2, rounds);
    kept("Kepler, 2 invariants", "kepler", "rk4", hand_kepler, 0.01, steps, rounds);
    kept("Rigid body, 2 invariants", "rigid_body", "rk4", hand_body, 0.05, steps, rounds);
    kept("Kepler, 2 invariants", "kepler", "dop853", NULL, 0.01, steps / 2, rounds);
    kept("Kepler, 2 invariants, rtol 1e-9", "kepler", "dop853", NULL, 0, 0, rounds);
    mechanics("Car axis, projected", "caraxis", &car.keel, 1e-3, steps / 100, rounds);
    mechanics("Andrews' squeezer, projected", "andrews", &squeezer.keel, 1e-5, steps / 100, rounds);
    return 0;
}
