/* model_cost.c - what one step of a model costs: compiled into its method, compiled, interpreted, against a
 * loop with everything written into it by hand, or against the same problem written in C.  Times are the best
 * of several interleaved rounds; ratios are to the first row of each table. */
#include "bench.h"
#include "cases/case.h"

#include <math.h>
#include <string.h>

static keel_model *checked(keel_model *m) {
    if (!bench_problem(m)) bench_stop(keel_model_message(m));
    return m;
}

/* The loop that the table is measured in; NULL: there is none. */
static case_steps *loop_of(const struct bench_case *c, const char *method) {
    const struct case_hand *hand = c->hand;
    while (hand->method && strcmp(hand->method, method) != 0) hand++;
    return hand->fixed;
}

static double by_hand(const struct bench_case *c, const char *method, double h, long steps) {
    double u[PROBLEM_UNKNOWNS];
    memcpy(u, c->keel->u0, (size_t)c->keel->n * sizeof *u);
    loop_of(c, method)(u, h, steps, c->user);
    return u[0];
}

/* way: of a run with error control, in place of a number of steps, which is the result then. */
static double run(const keel_problem *p, const keel_options *o, double way, long *steps) {
    keel_solver *s = keel_open(p, o);
    if (keel_run(s, p->t0 + (o->step > 0 ? (double)*steps * o->step : way)) < 0) bench_stop(keel_message(s));
    double result = keel_state(s)[0];
    *steps = keel_statistics(s).steps;
    keel_close(s);
    return result;
}

#define WAY 2000 /* of runs with error control */

struct row {
    const char *name;
    const keel_problem *problem; /* NULL: by hand */
    const char *stabilizer;
    double best, result;
    long steps;
};

static void table(const char *title, const keel_options *o, const struct bench_case *c, int rows,
                  struct row *row, long steps, int rounds) {
    for (int k = 0; k < rows; k++) row[k].best = HUGE_VAL;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < rows; k++) {
            keel_options own = *o;
            char pair[64];
            snprintf(pair, sizeof pair, "%s+%s", o->method, row[k].stabilizer);
            own.method = pair;
            double begin = bench_seconds();
            row[k].steps = steps;
            row[k].result = row[k].problem ? run(row[k].problem, &own, WAY, &row[k].steps)
                                           : by_hand(c, row[k].stabilizer ? pair : o->method, o->step, steps);
            row[k].best = fmin(row[k].best, bench_seconds() - begin);
        }
    printf("%s, %s\n", title, o->method);
    for (int k = 0; k < rows; k++) {
        double a_step = row[k].best / (double)row[k].steps;
        printf("  %-34s %9.1f ns a step   x %.2f\n", row[k].name, a_step * 1e9,
               a_step * (double)row[0].steps / row[0].best);
    }
}

static void plain(const char *title, const struct bench_case *c, const char *method, double h, long steps,
                  int rounds) {
    keel_model *compiled = checked(case_model(c, method, 0));
    keel_model *interpreted = checked(case_model(c, method, 1));
    keel_problem fused = *bench_problem(compiled), called = fused, walked = *bench_problem(interpreted);
    int hand = loop_of(c, method) != NULL;
    keel_options o = {.method = method, .step = h};
    struct row row[] = {{.name = "by hand, in one function"},
                        {.name = "model compiled into the method", .problem = &fused, .stabilizer = "none"},
                        {.name = "model compiled", .problem = &called, .stabilizer = "none"},
                        {.name = "model interpreted", .problem = &walked, .stabilizer = "none"}};
    called.extras = NULL;
    table(title, &o, c, hand ? 4 : 3, hand ? row : row + 1, steps, rounds);
    if (row[1].result != row[2].result || row[1].result != row[3].result) bench_stop("the results differ");
    keel_model_close(compiled);
    keel_model_close(interpreted);
}

/* What a projection onto two invariants costs.  rtol: 0: fixed steps. */
static void kept(const char *title, const struct bench_case *c, const char *method, double rtol, long steps,
                 int rounds) {
    keel_model *compiled = checked(case_model(c, method, 0));
    keel_problem fused = *bench_problem(compiled), called = fused;
    keel_options o = {.method = method, .step = rtol > 0 ? 0 : c->unit_step, .rtol = rtol};
    int hand = loop_of(c, method) != NULL;
    struct row row[] = {{.name = "by hand, without projection"},
                        {.name = "by hand, one correction", .stabilizer = "project"},
                        {.name = "compiled into the method", .problem = &fused, .stabilizer = "none"},
                        {.name = "the same, projected", .problem = &fused, .stabilizer = "project"},
                        {.name = "called", .problem = &called, .stabilizer = "none"},
                        {.name = "called, projected", .problem = &called, .stabilizer = "project"}};
    called.extras = NULL;
    table(title, &o, c, hand ? 6 : 4, hand ? row : row + 2, steps, rounds);
    if (row[3].result != row[5].result) bench_stop("the results differ");
    keel_model_close(compiled);
}

static void mechanics(const char *title, const char *name, const keel_problem *in_c, double h, long steps,
                      int rounds) {
    keel_model *compiled = checked(bench_load(name, NULL));
    keel_model *interpreted = checked(bench_load(name, &(keel_model_options){.interpret = 1}));
    keel_problem called = *bench_problem(compiled), walked = *bench_problem(interpreted);
    keel_options o = {.method = "rk4", .step = h};
    struct row row[] = {{.name = "written in C", .problem = in_c, .stabilizer = "project"},
                        {.name = "model compiled", .problem = &called, .stabilizer = "project"},
                        {.name = "model interpreted", .problem = &walked, .stabilizer = "project"}};
    table(title, &o, NULL, 3, row, steps, rounds);
    keel_model_close(compiled);
    keel_model_close(interpreted);
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 200000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    static struct bench_case kepler, body, squeezer;
    problem car;
    if (steps < 100 || rounds < 1) {
        fprintf(stderr, "usage: model_cost [steps, at least 100] [rounds]\n");
        return 2;
    }
    problem_car_axis(&car);
    case_kepler_steps(&kepler);
    case_rigid_body(&body);
    case_andrews(&squeezer);
    plain("Kepler, 4 states", &kepler, "rk4", kepler.unit_step, steps, rounds);
    plain("Kepler, 4 states", &kepler, "dop853", kepler.unit_step, steps / 2, rounds);
    plain("Rigid body, 3 states", &body, "rk4", body.unit_step, steps, rounds);
    plain("Rigid body, 3 states", &body, "dop853", body.unit_step, steps / 2, rounds);
    plain("Kepler, 4 states", &kepler, "gauss12", 0.1, steps / 10, rounds);
    plain("Rigid body, 3 states", &body, "gauss12", 0.1, steps / 10, rounds);
    kept("Kepler, 2 invariants", &kepler, "rk4", 0, steps, rounds);
    kept("Rigid body, 2 invariants", &body, "rk4", 0, steps, rounds);
    kept("Kepler, 2 invariants", &kepler, "dop853", 0, steps / 2, rounds);
    kept("Kepler, 2 invariants, rtol 1e-9", &kepler, "dop853", 1e-9, 0, rounds);
    mechanics("Car axis, projected", "caraxis", &car.keel, 1e-3, steps / 100, rounds);
    mechanics("Andrews' squeezer, projected", "andrews", squeezer.keel, 1e-5, steps / 100, rounds);
    return 0;
}
