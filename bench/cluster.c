/* cluster.c - bodies that attract each other, softened: a step of rk4 from the text of a model beside a loop
 * written by hand with the same sums, and what reading and compiling take.
 *
 *     bench_cluster [BODIES...]
 *
 * From forces every ordered pair is evaluated, from a lagrangian or a hamiltonian every pair once.  Each way
 * has a process of its own, so that its memory can be told. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOFT2 (0.05 * 0.05)
enum { ROUNDS = 5 };

static const char start[] =
    "param N = 10, m = 1/N, e = 0.05\n%s"
    "for i in 1..N:\n"
    "    init q[i] = (cos(i), sin(1.3*i), cos(1.7*i)), %s = %s(0.1*sin(i), 0.1*cos(2.3*i), 0.1*sin(0.7*i))\n"
    "run 0 .. 1\n";

static const struct way {
    const char *name, *speed, *factor, *law;
    int twice; /* every pair is evaluated for both of its bodies */
} ways[] = {
    {"forces", "v[i]", "",
     "var q[1..N][1..3], v[1..N][1..3]\n"
     "for i in 1..N:\n"
     "    q[i]' = v[i]\n"
     "    v[i]' = sum(j in 1..N if j != i, m*(q[j] - q[i])/(dot(q[j] - q[i], q[j] - q[i]) + e^2)^1.5)\n",
     1},
    {"lagrangian", "q[i]'", "",
     "coord q[1..N][1..3]\n"
     "lagrangian sum(i in 1..N, m*dot(q[i]', q[i]')/2)\n"
     "    + sum(i in 1..N, j in i+1..N, m^2/sqrt(dot(q[j] - q[i], q[j] - q[i]) + e^2))\n",
     0},
    {"hamiltonian", "p[i]", "m*",
     "canonical q[1..N][1..3], p[1..N][1..3]\n"
     "hamiltonian sum(i in 1..N, dot(p[i], p[i])/(2*m))\n"
     "    - sum(i in 1..N, j in i+1..N, m^2/sqrt(dot(q[j] - q[i], q[j] - q[i]) + e^2))\n",
     0},
};

/* By hand: u = (q, v), each n times 3. */
static void all_pairs(int n, const double *q, double *a) {
    double m = 1. / n;
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1],
                   dz = q[3 * j + 2] - q[3 * i + 2];
            double r2 = dx * dx + dy * dy + dz * dz + SOFT2, s = m / (r2 * sqrt(r2));
            if (j == i) continue;
            x += s * dx, y += s * dy, z += s * dz;
        }
        a[3 * i] = x, a[3 * i + 1] = y, a[3 * i + 2] = z;
    }
}

static void each_pair_once(int n, const double *q, double *a) {
    double m = 1. / n;
    memset(a, 0, 3 * (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1],
                   dz = q[3 * j + 2] - q[3 * i + 2];
            double r2 = dx * dx + dy * dy + dz * dz + SOFT2, s = m / (r2 * sqrt(r2));
            a[3 * i] += s * dx, a[3 * i + 1] += s * dy, a[3 * i + 2] += s * dz;
            a[3 * j] -= s * dx, a[3 * j + 1] -= s * dy, a[3 * j + 2] -= s * dz;
        }
}

static void rate(int n, int twice, const double *u, double *out) {
    memcpy(out, u + 3 * n, 3 * (size_t)n * sizeof *u);
    if (twice) all_pairs(n, u, out + 3 * n);
    else each_pair_once(n, u, out + 3 * n);
}

static void rk4(int n, int twice, double h, double *u, double *work) {
    static const double ahead[] = {0, 0.5, 0.5, 1}, part[] = {1, 2, 2, 1};
    int all = 6 * n;
    double *k = work, *stage = work + all, *sum = stage + all;
    memset(sum, 0, (size_t)all * sizeof *sum);
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < all; i++) stage[i] = u[i] + (s ? h * ahead[s] * k[i] : 0);
        rate(n, twice, stage, k);
        for (int i = 0; i < all; i++) sum[i] += part[s] * k[i];
    }
    for (int i = 0; i < all; i++) u[i] += h / 6 * sum[i];
}

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of several rounds, keel and the loop in turns, so that both meet the same machine. */
static void compare_steps(const struct way *w, int n, const keel_problem *p, double best[2], double *apart) {
    const double h = 1e-4;
    int steps = n < 300 ? 200 : 5, all = 6 * n;
    double *u = calloc((size_t)all, sizeof *u), *work = calloc(3 * (size_t)all, sizeof *work);
    keel_solver *s = keel_open(p, &(keel_options){.method = "rk4+none", .step = h});
    if (!u || !work || !s || keel_state_of(s) < 0) bench_stop(s ? keel_message(s) : "no memory");
    memcpy(u, keel_state(s), (size_t)all * sizeof *u);
    for (int i = 3 * n; i < all && *w->factor; i++) u[i] *= n; /* velocities of momenta */
    best[0] = best[1] = HUGE_VAL;
    for (int round = 1; round <= ROUNDS; round++) {
        double begin = bench_seconds();
        if (keel_run(s, h * steps * round) < 0) bench_stop(keel_message(s));
        double between = bench_seconds();
        for (int k = 0; k < steps; k++) rk4(n, w->twice, h, u, work);
        best[0] = fmin(best[0], (between - begin) / steps);
        best[1] = fmin(best[1], (bench_seconds() - between) / steps);
    }
    *apart = 0;
    for (int i = 0; i < 3 * n; i++) *apart = fmax(*apart, fabs(u[i] - keel_state(s)[i]));
    keel_close(s);
    free(u);
    free(work);
}

static void measure(const struct way *w, int n) {
    char text[2000], set[40];
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "N=%d", n);
    snprintf(text, sizeof text, start, w->law, w->speed, w->factor);
    double begin = wall(), seconds = bench_seconds(), best[2], apart;
    keel_model *m = keel_model_read(
        w->name, text, strlen(text),
        &(keel_model_options){.set = sets, .sets = 1, .work = 200000}); /* as `keel` with 16 GB */
    double opened = wall() - begin, own = bench_seconds() - seconds;
    const keel_problem *p = bench_problem(m);
    if (!p) bench_stop(keel_model_message(m));
    compare_steps(w, n, p, best, &apart);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("  %-12s %6d %8.1f s %8.1f s %6.2f GB %10.3g s %10.3g s %6.2f   %.0e%s\n", w->name, n, opened, own,
           (double)used.ru_maxrss * 1e-6, best[0], best[1], best[0] / best[1], apart,
           keel_model_compiled(m, NULL) ? "" : "   not compiled");
    keel_model_close(m);
}

int main(int count, char **word) {
    char cache[] = "/tmp/keel-bench-XXXXXX", *usual[] = {"", "100", "300", "1000"};
    if (!mkdtemp(cache)) bench_stop("no folder for a cache");
    setenv("XDG_CACHE_HOME", cache, 1);
    if (count < 2) count = 4, word = usual;
    printf("  %-12s %6s %10s %10s %9s %12s %12s %6s   %s\n", "from", "bodies", "opened", "of it own",
           "memory", "a step", "by hand", "ratio", "apart");
    fflush(stdout);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (int i = 1; i < count; i++) {
            int n = atoi(word[i]), status;
            if (n < 2) bench_stop("numbers of bodies, please");
            pid_t child = fork();
            if (child < 0) bench_stop("no process");
            if (child == 0) {
                measure(&ways[k], n);
                exit(0);
            }
            if (waitpid(child, &status, 0) != child || status) return 1;
        }
    return 0;
}
