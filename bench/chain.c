/* chain.c - a hanging chain of N rods: does the cost of a step grow as N does, and what does one unit of time
 * cost beside a program written for nothing but this chain?
 *
 * The first table has rk4 with the constraints and the energy projected, steps of 1 ms; memory is what a
 * saved solver takes, without the factors.  The second has, for 1000 rods, the time each road needs to get
 * from 0 to 1 with a position error of 1e-6 (the largest one; rods have length 1) against a tight reference.
 * All keep positions and velocities on the constraints, by hand without the energy.  Times are processor
 * time, the smallest of several runs.
 * usage: bench_chain [largest N] */
#include <keel.h>
#include <keel/model.h>

#include "peers/chain_by_hand.h"
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM = 80, LINKS = 1000, RUNS = 5 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double worst_units(const keel_solver *s) {
    double worst = 0;
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++) worst = fmax(worst, row.units);
    return worst;
}

static double by_hand_each(const problem_chain *p, int steps) {
    double *u = calloc(4 * (size_t)p->links, sizeof *u), best = HUGE_VAL;
    for (int run = 0; run < RUNS && u; run++) {
        memcpy(u, p->u0, 4 * (size_t)p->links * sizeof *u);
        double start = seconds();
        chain_by_hand(p->links, u, 1e-3, steps);
        best = fmin(best, seconds() - start);
    }
    free(u);
    return best / steps;
}

static void growth(int most) {
    double before = 0, bytes_before = 0;
    printf("%7s %10s %12s %10s %12s %10s %8s %12s %8s\n", "N", "open s", "us a step", "exponent", "bytes",
           "exponent", "units", "by hand us", "ratio");
    for (int n = 10; n <= most; n *= 10) {
        problem_chain *p = problem_chain_open(n, 1);
        double start = seconds();
        keel_solver *s = keel_open(&p->keel, &(keel_options){.method = "rk4", .step = 1e-3});
        double opened = seconds() - start, each = HUGE_VAL;
        int steps = n < 1000 ? 20000 / n : 20, from = WARM;
        keel_status status = keel_run(s, 1e-3 * WARM); /* the first steps look at the invariants more often */
        for (int run = 0; run < RUNS && status == KEEL_OK; run++, from += steps) {
            start = seconds();
            status = keel_run(s, 1e-3 * (from + steps));
            each = fmin(each, (seconds() - start) / steps);
        }
        double bytes = (double)keel_save(s, NULL, 0), hand = by_hand_each(p, steps);
        if (status != KEEL_OK) printf("%s: %s\n", keel_status_name(status), keel_message(s));
        printf("%7d %10.3f %12.1f %10.2f %12.0f %10.2f %8.2f %12.1f %8.2f\n", n, opened, 1e6 * each,
               before > 0 ? log10(each / before) : 0, bytes,
               bytes_before > 0 ? log10(bytes / bytes_before) : 0, worst_units(s), 1e6 * hand, each / hand);
        before = each;
        bytes_before = bytes;
        keel_close(s);
        problem_chain_close(p);
    }
}

/* How a road got to t = 1. */
struct outcome {
    double time, error;
    long steps;
};

static double error_of(int n, const double *x, const double *reference) {
    double error = 0;
    for (int i = 0; i < 2 * n; i++) error = fmax(error, fabs(x[i] - reference[i]));
    return error;
}

static struct outcome hand_run(const problem_chain *p, const double *reference, int steps, int runs) {
    struct outcome o = {.time = HUGE_VAL, .error = HUGE_VAL, .steps = steps};
    double *u = calloc(4 * (size_t)p->links, sizeof *u);
    for (int run = 0; run < runs && u; run++) {
        memcpy(u, p->u0, 4 * (size_t)p->links * sizeof *u);
        double start = seconds();
        chain_by_hand(p->links, u, 1.0 / steps, steps);
        o.time = fmin(o.time, seconds() - start);
        o.error = error_of(p->links, u, reference);
    }
    free(u);
    return o;
}

static struct outcome keel_once(keel_solver *s, int n, const double *reference) {
    struct outcome o = {.time = HUGE_VAL, .error = HUGE_VAL};
    double start = seconds();
    keel_status status = keel_run(s, 1);
    if (status == KEEL_OK) {
        o.time = seconds() - start;
        o.error = error_of(n, keel_state(s), reference);
        o.steps = keel_statistics(s).steps;
    }
    return o;
}

/* A road of keel: fixed steps, or a tolerance. */
struct road {
    const char *method;
    int fixed, energy, model;
};

static struct outcome keel_road(const problem_chain *p, keel_model *model, const struct road *road,
                                double size, int runs, const double *reference) {
    struct outcome best = {.time = HUGE_VAL, .error = HUGE_VAL};
    keel_options o = {.method = road->method};
    keel_problem own = p->keel;
    if (!road->energy) own.energy = (keel_map){0};
    if (road->fixed) o.step = size;
    else o.rtol = o.atol = size;
    for (int run = 0; run < runs; run++) {
        keel_sim *sim = road->model ? keel_sim_open(model, &o) : NULL;
        keel_solver *s = road->model ? keel_sim_solver(sim) : keel_open(&own, &o);
        struct outcome now = keel_once(s, p->links, reference);
        if (now.time < best.time) best = now;
        if (road->model) keel_sim_close(sim);
        else keel_close(s);
    }
    return best;
}

static void print_road(const char *name, struct outcome o, double hand) {
    printf("%-34s %8ld %12.2e %10.2f %10.2f\n", name, o.steps, o.error, 1e3 * o.time, o.time / hand);
}

/* The coarsest steps or tolerance that gives the error: 5 % more steps at a time, or five tolerances a
 * decade. */
static void cheapest(const problem_chain *p, keel_model *model, const struct road *road,
                     const double *reference, double hand) {
    double size = road->fixed ? 0.005 : 1e-6, ratio = road->fixed ? 1 / 1.05 : pow(10, -0.2);
    char name[64];
    struct outcome o = {.error = HUGE_VAL};
    for (int i = 0; i < 30; i++, size *= ratio) {
        if (road->fixed) size = 1 / ceil(1 / size);
        o = keel_road(p, model, road, size, 1, reference);
        if (o.error <= 1e-6) break;
    }
    if (o.error <= 1e-6) o = keel_road(p, model, road, size, RUNS, reference);
    snprintf(name, sizeof name, "%s%s, %s", road->method, road->energy ? ", energy kept" : "",
             road->model ? "model" : "C");
    print_road(name, o, hand);
}

int main(int count, char **word) {
    static const struct road roads[] = {{"dop853", 0, 0, 0}, {"rkf78", 0, 0, 0},  {"dopri5", 0, 0, 0},
                                        {"rk4", 1, 0, 0},    {"dop853", 0, 1, 0}, {"rk4", 1, 1, 0},
                                        {"dop853", 0, 1, 1}, {"rk4", 1, 1, 1}};
    growth(count > 1 ? atoi(word[1]) : 10000);
    problem_chain *p = problem_chain_open(LINKS, 0);
    struct outcome hand = {.error = HUGE_VAL};
    double *reference = calloc(4 * LINKS, sizeof *reference);
    const char *const set[] = {"N=1000"};
    keel_model *model =
        keel_model_load(KEEL_EXAMPLES_DIR "/chain.keel", &(keel_model_options){.set = set, .sets = 1});
    keel_solver *s = keel_open(&p->keel, &(keel_options){.method = "dop853", .rtol = 1e-12, .atol = 1e-12});
    if (!reference || keel_run(s, 1) != KEEL_OK || keel_model_status(model) != KEEL_OK) {
        printf("%s %s\n", keel_message(s), keel_model_message(model));
        return 1;
    }
    memcpy(reference, keel_state(s), 4 * LINKS * sizeof *reference);
    keel_close(s);
    for (double steps = 150; hand.error > 1e-6 && steps < 1e5; steps *= 1.05)
        hand = hand_run(p, reference, (int)steps, 1);
    hand = hand_run(p, reference, (int)hand.steps, RUNS);
    printf("\n%d rods from 0 to 1, position error 1e-6\n%-34s %8s %12s %10s %10s\n", LINKS, "", "steps",
           "error", "ms", "ratio");
    print_road("rk4 + projection by hand", hand, hand.time);
    for (size_t i = 0; i < sizeof roads / sizeof *roads; i++)
        cheapest(p, model, roads + i, reference, hand.time);
    keel_model_close(model);
    problem_chain_close(p);
    free(reference);
    return 0;
}
