/* plane.c - the Brusselator on a square: CVODE and IDA with the equations and the jacobian written by hand,
 * keel from the text of examples/brusselator_plane.keel.
 *
 *     bench_plane [--rtol 1e-6] [--method NAME] SIDE...
 *
 * Errors are against keel's bdf with a thousandth of the tolerance, by the largest component.  Absolute
 * tolerances are a thousandth of the relative ones.  `ratio` is to the faster of CVODE and IDA with KLU. */
#include "bench.h"
#include "planes/plane.h"

#include <math.h>
#include <string.h>

static double difference(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void show(const char *name, double rtol, const struct plane_run *r, double error, double best) {
    printf("  %-14s %8.0e %8ld %9ld %6ld %6ld %10.3f s %9.1e", name, rtol, r->steps, r->calls, r->jacobians,
           r->factorizations, r->seconds, error);
    if (best > 0) printf("  %6.2f", r->seconds / best);
    putchar('\n');
    fflush(stdout);
}

/* The state of a run in the order of plane.h: v[2][3] is number side^2 + side + 2. */
static void take_state(int side, const keel_problem *p, const double *x, double *u) {
    for (int k = 0; k < p->n; k++) {
        char base;
        int i, j;
        if (sscanf(p->names[k], "%c[%d][%d]", &base, &i, &j) != 3) bench_stop("a state without numbers");
        u[(base == 'v' ? side * side : 0) + (i - 1) * side + j - 1] = x[k];
    }
}

static int by_keel(int side, const keel_model *m, const char *method, double rtol, double *u,
                   struct plane_run *r) {
    const keel_problem *p = bench_problem(m);
    double begin = bench_seconds();
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .rtol = rtol, .atol = 1e-3 * rtol});
    int done = s && keel_run(s, PLANE_END) >= 0;
    if (!done) printf("  %-14s %s\n", method, s ? keel_message(s) : "no memory");
    if (done) {
        keel_stats stats = keel_statistics(s);
        *r = (struct plane_run){bench_seconds() - begin, stats.steps, stats.calls, stats.jacobians,
                                stats.factorizations};
        take_state(side, p, keel_state(s), u);
    }
    keel_close(s);
    return done;
}

static void one(int side, double rtol, const char *wanted) {
    int n = 2 * side * side;
    double *exact = malloc((size_t)n * sizeof *exact), *u = malloc((size_t)n * sizeof *u), best = HUGE_VAL;
    char set[40];
    struct plane_run r;
    if (!exact || !u) bench_stop("no memory");
    printf("Brusselator, %d x %d points, %d unknowns, to t = %g\n", side, side, n, PLANE_END);
    printf("  %-14s %8s %8s %9s %6s %6s %12s %9s  %6s\n", "", "rtol", "steps", "calls", "jac", "LU", "time",
           "error", "ratio");
    snprintf(set, sizeof set, "N=%d", side);
    keel_model *m =
        bench_load("brusselator_plane", &(keel_model_options){.set = (const char *[]){set}, .sets = 1});
    if (!bench_problem(m)) bench_stop(keel_model_message(m));
    if (!by_keel(side, m, "bdf", 1e-3 * rtol, exact, &r)) bench_stop("no reference");
    static const char *const peer[] = {"cvode + KLU", "ida + KLU", "cvode + GMRES"};
    for (int k = 0; k < 3; k++) {
        if (!plane_sundials(k, side, rtol, u, &r)) continue;
        if (k < 2) best = fmin(best, r.seconds);
        show(peer[k], rtol, &r, difference(n, u, exact), best);
    }
    static const char *const method[] = {"bdf", "radau"};
    for (int k = 0; k < 2; k++)
        if ((!wanted || strcmp(wanted, method[k]) == 0) && by_keel(side, m, method[k], rtol, u, &r))
            show(method[k], rtol, &r, difference(n, u, exact), best < HUGE_VAL ? best : 0);
    keel_model_close(m);
    free(exact);
    free(u);
}

int main(int count, char **word) {
    const char *wanted = NULL;
    double rtol = 1e-6;
    int runs = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(word[i], "--rtol") == 0 && i + 1 < count) rtol = atof(word[++i]);
        else if (strcmp(word[i], "--method") == 0 && i + 1 < count) wanted = word[++i];
        else {
            runs++;
            one(atoi(word[i]), rtol, wanted);
        }
    }
    if (!runs) one(64, rtol, wanted);
    return 0;
}
