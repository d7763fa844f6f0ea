/* mechanics - constrained motion at equal accuracy: keel's roads beside IDA (stabilised form) and CVODE (with
 * projection), all from the same callbacks, in one run on one core.  Each solver runs over a ladder of
 * tolerances or steps; its time at a given error of the positions is read off between the two rungs around
 * it, on logarithmic axes.  Times are processor times, the best of several rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers/sundials.h"
#include "problems.h"

enum { RUNGS = 40, ROUNDS = 5 };

struct entry {
    const char *name, *method; /* method NULL: a peer */
    enum peers_solver peer;
    keel_preserve preserve;
    double loosest, finest; /* rtol, or steps a unit of the span if `fixed` */
    int fixed;
};

static const struct entry entries[] = {
    {.name = "IDA, stabilised index 2", .peer = PEERS_IDA, .loosest = 1e-3, .finest = 1e-13},
    {.name = "CVODE, BDF with projection", .peer = PEERS_CVODE, .loosest = 1e-3, .finest = 1e-14},
    {.name = "keel dopri5+project", .method = "dopri5", .loosest = 1e-3, .finest = 1e-13},
    {.name = "keel dop853+project", .method = "dop853", .loosest = 1e-2, .finest = 1e-14},
    {.name = "keel rkf78+project", .method = "rkf78", .loosest = 1e-2, .finest = 1e-14},
    {.name = "keel radau5+project", .method = "radau5", .loosest = 1e-2, .finest = 1e-13},
    {.name = "keel radau+project", .method = "radau", .loosest = 1e-2, .finest = 1e-13},
    {.name = "keel radau-ggl", .method = "radau-ggl", .loosest = 1e-2, .finest = 1e-13},
    {.name = "keel radau-index3", .method = "radau-index3", .loosest = 1e-2, .finest = 1e-11},
    {.name = "keel gauss8+project", .method = "gauss8", .loosest = 20, .finest = 20000, .fixed = 1},
    {.name = "keel rattle4", .method = "rattle4", .loosest = 100, .finest = 300000, .fixed = 1},
    {.name = "keel spark4", .method = "spark4", .loosest = 100, .finest = 300000, .fixed = 1},
    {.name = "keel rattle8", .method = "rattle8", .loosest = 40, .finest = 30000, .fixed = 1},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct course { /* a problem with the answer at its end */
    const char *name;
    problem p;
    double t_end, answer[PROBLEM_UNKNOWNS];
};

struct rung {
    double error, time, drift;
};

static keel_solver *open_keel(const struct course *c, const struct entry *e, double x) {
    keel_options o = {.method = e->method, .max_steps = 20000000};
    if (e->fixed) o.step = (c->t_end - c->p.keel.t0) / rint(x);
    else o.rtol = x;
    return keel_open(&c->p.keel, &o);
}

static void read_keel(const struct course *c, keel_solver *s, double *u, struct rung *r) {
    keel_kept row;
    memcpy(u, keel_state(s), (size_t)c->p.keel.n * sizeof *u);
    r->drift = 0;
    for (int i = 0; keel_kept_at(s, i, &row); i++)
        if (row.kind == KEEL_ROW_CONSTRAINT || row.kind == KEEL_ROW_VELOCITY)
            r->drift = fmax(r->drift, row.drift);
}

/* One rung: the best time of several rounds, error and drift.  What keel verifies when a problem is opened,
 * it verifies once: a round begins with keel_restart, as a round of a peer with its creation. */
static int climb(const struct course *c, const struct entry *e, double x, struct rung *r) {
    double u[PROBLEM_UNKNOWNS] = {0};
    keel_solver *s = e->method ? open_keel(c, e, x) : NULL;
    int status = 0;
    r->time = HUGE_VAL, r->error = 0;
    for (int round = 0; round < ROUNDS && status >= 0; round++) {
        double begin = seconds();
        if (!e->method) status = peers_run(e->peer, &c->p, c->t_end, x, u, &r->drift);
        else if ((status = keel_restart(s, c->p.keel.t0, c->p.u0)) >= 0) status = keel_run(s, c->t_end);
        double took = seconds() - begin;
        r->time = fmin(r->time, took);
        if (took > 0.5) break;
    }
    if (s && status >= 0) read_keel(c, s, u, r);
    keel_close(s);
    for (int i = 0; i < c->p.keel.n / 2; i++) r->error = fmax(r->error, fabs(u[i] - c->answer[i]));
    return status < 0 ? -1 : 0;
}

static double opening_time(const struct course *c) {
    double best = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        keel_close(keel_open(&c->p.keel, NULL));
        best = fmin(best, seconds() - begin);
    }
    return best;
}

/* The time at `error`: from the last rung above it and the first below; NAN if it was not reached. */
static double time_at(const struct rung *ladder, int count, double error) {
    for (int i = 0; i < count; i++) {
        if (!(ladder[i].error <= error)) continue;
        if (i == 0) return ladder[0].time;
        double above = log(ladder[i - 1].error / error), below = log(error / fmax(ladder[i].error, 1e-16));
        double share = above / (above + below);
        return exp((1 - share) * log(ladder[i - 1].time) + share * log(ladder[i].time));
    }
    return NAN;
}

static void print_time(double time, double best_peer) {
    if (isnan(time)) printf("  %10s %6s", "-", "-");
    else printf("  %7.3f ms %6.2f", 1e3 * time, time / best_peer);
}

static void compare(const struct course *c) {
    static const double errors[] = {1e-6, 1e-9};
    double time[ENTRIES][2], drift[ENTRIES], best_peer[2] = {HUGE_VAL, HUGE_VAL};
    for (int k = 0; k < ENTRIES; k++) {
        struct rung ladder[RUNGS];
        int count = 0;
        const struct entry *e = &entries[k];
        double factor = e->fixed ? pow(10, 0.2) : pow(10, -0.5), x = e->loosest;
        drift[k] = 0;
        for (; count < RUNGS && (e->fixed ? x <= e->finest : x >= 0.9 * e->finest); x *= factor) {
            if (climb(c, e, x, &ladder[count])) continue;
            drift[k] = fmax(drift[k], ladder[count].error < 1e-5 ? ladder[count].drift : 0);
            if (ladder[count++].error < errors[1]) break;
        }
        for (int i = 0; i < 2; i++) {
            time[k][i] = time_at(ladder, count, errors[i]);
            if (!e->method) best_peer[i] = fmin(best_peer[i], isnan(time[k][i]) ? HUGE_VAL : time[k][i]);
        }
    }
    printf("%s: time at an error of the positions, ratio to the better peer; drift of the constraints\n",
           c->name);
    printf("  %-28s  %17s  %17s  %8s\n", "", "1e-6", "1e-9", "drift");
    for (int k = 0; k < ENTRIES; k++) {
        printf("  %-28s", entries[k].name);
        for (int i = 0; i < 2; i++) print_time(time[k][i], best_peer[i]);
        printf("  %8.1e\n", drift[k]);
    }
    printf("  keel_open verifies derivatives, invariants and redundancy once, in %.3f ms, not in these "
           "times\n\n",
           1e3 * opening_time(c));
}

int main(void) {
    static struct course pendulum = {.name = "pendulum to t = 10.3", .t_end = 10.3},
                         andrews = {.name = "Andrews' mechanism to t = 0.03", .t_end = 0.03};
    problem_pendulum(&pendulum.p, 9.81);
    pendulum.p.exact(&pendulum.p, pendulum.t_end, pendulum.answer);
    problem_andrews(&andrews.p);
    for (int i = 0; i < andrews.p.references; i++)
        if (andrews.p.reference[i].t == andrews.t_end)
            memcpy(andrews.answer, andrews.p.reference[i].u, 14 * sizeof(double));
    compare(&pendulum);
    compare(&andrews);
    return 0;
}
