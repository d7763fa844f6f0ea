/* large.c - stiff systems of a thousand unknowns and more: CVODE's BDF with the equations and the band of
 * their jacobian written by hand, keel from the text of a model.
 *
 *     bench_large [--rtol 1e-6] [--problem NAME] POINTS...
 *
 * Errors are against CVODE with a thousandth of the tolerance, by the largest component.  `text` is the whole
 * way of the command without anything cached: reading, analysing, compiling, running. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "lines/line.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double difference(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* The state of a run in the order of the line: u[3] of two species is number 4. */
static void take_state(const struct line *l, const keel_problem *p, const double *x, double *u) {
    for (int i = 0; i < p->n; i++) {
        char base;
        int point;
        if (sscanf(p->names[i], "%c[%d]", &base, &point) != 2) bench_stop("a state without a number");
        u[(point - 1) * l->species + (base == 'v')] = x[i];
    }
}

static void show(const char *name, double rtol, const struct line_run *r, double error, double best) {
    printf("  %-14s %8.0e %8ld %9ld %6ld %6ld %10.3f s %9.1e", name, rtol, r->steps, r->calls, r->jacobians,
           r->factorizations, r->seconds, error);
    if (best > 0) printf("  %6.2f", r->seconds / best);
    putchar('\n');
    fflush(stdout);
}

static void by_keel(const struct line *l, const keel_model *m, const char *method, double rtol,
                    const double *exact, double best) {
    const keel_problem *p = bench_problem(m);
    double begin = bench_seconds(), *u = malloc((size_t)p->n * sizeof *u);
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .rtol = rtol});
    if (!u || !s || keel_run(s, l->end) < 0) {
        printf("  %-14s %s\n", method, s ? keel_message(s) : "no memory");
    } else {
        keel_stats stats = keel_statistics(s);
        struct line_run r = {bench_seconds() - begin, stats.steps, stats.calls, stats.jacobians,
                             stats.factorizations};
        take_state(l, p, keel_state(s), u);
        show(method, rtol, &r, difference(p->n, u, exact), best);
    }
    keel_close(s);
    free(u);
}

/* `keel run` as a person types it, with an empty cache. */
static void from_text(const struct line *l, int points, double rtol) {
    char set[40], tolerance[40], path[600], cache[] = "/tmp/keel-bench-XXXXXX";
    snprintf(set, sizeof set, "N=%d", points);
    snprintf(tolerance, sizeof tolerance, "%g", rtol);
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, l->example);
    if (!mkdtemp(cache)) bench_stop("no folder for a cache");
    double begin = wall();
    pid_t child = fork();
    if (child == 0) {
        setenv("XDG_CACHE_HOME", cache, 1);
        execl(KEEL_COMMAND, "keel", "run", path, "--set", set, "--rtol", tolerance, "--accuracy", "no",
              (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage used;
    waitpid(child, &status, 0);
    getrusage(RUSAGE_CHILDREN, &used);
    printf("  text, in all: %.2f s, exit %d, at most %ld MB\n", wall() - begin, WEXITSTATUS(status),
           used.ru_maxrss / 1024);
    char command[120];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    if (system(command)) bench_stop("the cache cannot be removed");
}

static void one(const struct line *l, int points, double rtol) {
    int n = points * l->species;
    double *exact = malloc((size_t)n * sizeof *exact), *u = malloc((size_t)n * sizeof *u);
    struct line_run r;
    if (!exact || !u) bench_stop("no memory");
    printf("%s, %d points, %d unknowns, to t = %g\n", l->name, points, n, l->end);
    printf("  %-14s %8s %8s %9s %6s %6s %12s %9s  %6s\n", "", "rtol", "steps", "calls", "jac", "LU", "time",
           "error", "ratio");
    if (!line_cvode(l, points, LINE_BAND, 1e-3 * rtol, 1e-6 * rtol, exact, &r))
        bench_stop("CVODE is not here");
    double best = HUGE_VAL;
    for (double tight = rtol; tight >= 0.09 * rtol; tight *= 0.1)
        for (int by = LINE_BAND; by <= LINE_KLU; by++) {
            line_cvode(l, points, (enum line_matrix)by, tight, 1e-3 * tight, u, &r);
            if (tight == rtol) best = fmin(best, r.seconds);
            show(by == LINE_KLU ? "cvode, KLU" : "cvode, band", tight, &r, difference(n, u, exact), best);
        }
    char set[40];
    snprintf(set, sizeof set, "N=%d", points);
    double begin = wall();
    keel_model *m = bench_load(l->example, &(keel_model_options){.set = (const char *[]){set}, .sets = 1});
    if (!bench_problem(m)) bench_stop(keel_model_message(m));
    printf("  read, analysed, compiled: %.2f s\n", wall() - begin);
    static const char *const methods[] = {"bdf", "radau"};
    for (int k = 0; k < 2; k++)
        for (double tight = rtol; tight >= 0.09 * rtol; tight *= 0.1)
            by_keel(l, m, methods[k], tight, exact, best);
    keel_model_close(m);
    from_text(l, points, rtol);
    free(exact);
    free(u);
}

int main(int count, char **word) {
    const struct line *all[] = {&line_allen_cahn, &line_brusselator};
    const char *wanted = NULL;
    double rtol = 1e-6;
    int runs = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(word[i], "--rtol") == 0 && i + 1 < count) rtol = atof(word[++i]);
        else if (strcmp(word[i], "--problem") == 0 && i + 1 < count) wanted = word[++i];
        else {
            runs++;
            for (int k = 0; k < 2; k++)
                if (!wanted || strcmp(wanted, all[k]->example) == 0) one(all[k], atoi(word[i]), rtol);
        }
    }
    for (int k = 0; k < 2 && !runs; k++) one(all[k], k ? 500 : 1000, rtol);
    return 0;
}
