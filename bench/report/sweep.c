/* sweep.c - ladders of runs, and what is read off them.
 *
 * Times are processor times, the smallest of several rounds.  The time at an error is read off between two
 * neighbouring runs on logarithmic axes.  A run counts with the larger of its own error and that of the next
 * finer run, but no more than ten times its own: an error that is small where it changes its sign is
 * luck. */
#include "report/sweep.h"
#include "bench.h"

#include <math.h>
#include <string.h>

enum { REFUSED = -1000 }; /* the peer does not take the problem */

const double sweep_target[SWEEP_TARGETS] = {1e-6, 1e-9, 1e-12};

/* Measured again beside every row: what slows the machine down slows both. */
static void measure_unit(struct sweep *s) {
    for (int round = 0; round < 3; round++) s->unit = fmin(s->unit, case_unit(&s->bench_case));
}

static double error_of(const struct bench_case *c, const double *u) {
    double worst = 0;
    for (int i = 0; i < c->compared; i++) {
        double error = fabs(u[i] - c->answer[i]);
        if (!(error <= worst)) worst = error; /* what is no number stays */
    }
    return worst;
}

/* Runs until the rounds are done, and at least once; longer runs are repeated less. */
static int time_runs(const struct sweep *s, const struct peer *peer, void *opened, int rounds,
                     struct sweep_rung *r) {
    struct peer_run run = {.u = s->end};
    double all = 0;
    for (int round = 0; round < rounds && all < 0.3; round++) {
        double begin = bench_seconds();
        int status = peer->run(opened, &run);
        double took = bench_seconds() - begin;
        if (status < 0) return status;
        r->seconds = fmin(r->seconds, took);
        all += took;
    }
    r->error = error_of(&s->bench_case, run.u);
    r->steps = run.steps;
    if (run.evaluations) r->evaluations = run.evaluations;
    return 0;
}

static void measure_drift(const struct sweep *s, const struct peer *peer, void *opened,
                          struct sweep_rung *r) {
    struct case_drift *drift = case_drift_open(&s->bench_case);
    struct peer_run run = {.observe = case_drift_observe, .to = drift, .u = s->end};
    if (drift && peer->run(opened, &run) >= 0) {
        r->drift = case_drift_units(drift);
        r->evaluations = run.evaluations;
        r->bytes = run.bytes;
    }
    case_drift_close(drift);
}

/* One rung; drift and evaluations where the observer costs little, or is `wanted`. */
static int climb(const struct sweep *s, const struct peer_row *row, int rounds, int wanted,
                 struct sweep_rung *r) {
    void *opened = row->peer->open(&s->bench_case, row, r->setting);
    if (!opened) return REFUSED;
    int status = time_runs(s, row->peer, opened, rounds, r);
    if (status >= 0 && isnan(r->drift) && (wanted || r->seconds < 0.01))
        measure_drift(s, row->peer, opened, r);
    row->peer->close(opened);
    return status;
}

static void sweep_row(struct sweep *s, struct sweep_row *line, const struct sweep_effort *effort) {
    const struct peer_row *row = line->row;
    double factor = row->order ? pow(10, 1.0 / row->order) : pow(10, -0.5), least = HUGE_VAL;
    double loosest = s->bench_case.loosest > 0 ? s->bench_case.loosest : 1e-3;
    double setting = row->order ? s->bench_case.coarsest : loosest;
    double patience = s->bench_case.patience * effort->patience;
    double finest = fmax(effort->finest, s->bench_case.finest);
    for (int failed = 0, worse = 0; line->rungs < SWEEP_RUNGS && failed < 8; setting *= factor) {
        struct sweep_rung *r = &line->rung[line->rungs];
        if (row->order ? setting > 1e9 : setting < 1e-16) break;
        *r = (struct sweep_rung){
            .setting = row->order ? rint(setting) : setting, .seconds = HUGE_VAL, .drift = NAN};
        int status = climb(s, row, 1, 0, r);
        if (status == REFUSED) break;
        if (status < 0 || !isfinite(r->error)) {
            failed++;
            continue;
        }
        failed = 0;
        line->rungs++;
        least = fmin(least, r->error);
        worse = least < 1e-6 && r->error > 30 * least ? worse + 1 : 0; /* once: one was lucky */
        if (r->error <= 0.5 * finest || worse == 2) break;             /* round-off */
        line->tired = r->seconds * fmax(factor, 1.3) > patience;
        if (line->tired) break;
    }
}

static double sure_error(const struct sweep_row *line, int i) {
    double error = line->rung[i].error;
    return i + 1 < line->rungs ? fmax(error, fmin(line->rung[i + 1].error, 10 * error)) : error;
}

/* The rung that reaches the error, the cheapest one; -1: none does. */
static int reached_by(const struct sweep_row *line, double error) {
    for (int i = 0; i < line->rungs; i++)
        if (sure_error(line, i) <= error) return i;
    return -1;
}

static double seconds_at(const struct sweep_row *line, double error) {
    int i = reached_by(line, error);
    if (i < 0) return NAN;
    if (i == 0) return line->rung[0].seconds;
    double above = log(sure_error(line, i - 1) / error),
           below = log(error / fmax(sure_error(line, i), 1e-17));
    double share = above / (above + below);
    return exp((1 - share) * log(line->rung[i - 1].seconds) + share * log(line->rung[i].seconds));
}

/* The runs that the figures are read off are repeated, and the one at 1e-9, or else 1e-6, is looked at. */
static void settle(struct sweep *s, struct sweep_row *line, const struct sweep_effort *effort) {
    int again[SWEEP_RUNGS] = {0};
    line->at = reached_by(line, sweep_target[1]);
    if (line->at < 0) line->at = reached_by(line, sweep_target[0]);
    for (int k = 0; k < SWEEP_TARGETS; k++) {
        int i = reached_by(line, sweep_target[k]);
        if (i >= 0) again[i] = 1;
        if (i > 0) again[i - 1] = 1;
    }
    for (int i = 0; i < line->rungs; i++)
        if (again[i]) climb(s, line->row, effort->rounds, line->at == i, &line->rung[i]);
    for (int k = 0; k < SWEEP_TARGETS; k++) line->seconds[k] = seconds_at(line, sweep_target[k]);
    int i = reached_by(line, sweep_target[0]);
    const struct sweep_rung *told = &line->rung[i >= 0 ? i : line->rungs - 1];
    if (line->rungs > 0) line->a_step = told->seconds / (double)told->steps;
}

/* Only what a step costs: one rung. */
static void step_row(struct sweep *s, struct sweep_row *line, const struct sweep_effort *effort) {
    struct sweep_rung *r = line->rung;
    if (line->rungs == 0)
        *r = (struct sweep_rung){
            .setting = line->row->order ? s->bench_case.coarsest : 1e-6, .seconds = HUGE_VAL, .drift = NAN};
    if (climb(s, line->row, effort->rounds, 1, r) >= 0) line->rungs = 1;
    line->at = line->rungs - 1;
    line->a_step = r->seconds / (double)r->steps;
}

int sweep_run(struct sweep *s, const struct sweep_effort *effort) {
    const struct peer_row *row;
    s->unit = HUGE_VAL;
    s->rows = 0;
    s->end = calloc((size_t)s->bench_case.keel->n, sizeof *s->end);
    if (!s->end) return -1;
    s->bench_case.most = effort->most;
    measure_unit(s);
    for (int i = 0; (row = peer_row_at(i)); i++) {
        if (!(row->on & s->bench_case.kind) || s->rows == SWEEP_ROWS) continue;
        struct sweep_row *line = &s->row[s->rows];
        memset(line, 0, sizeof *line);
        line->row = row;
        if (s->bench_case.kind == CASE_STEPS) step_row(s, line, effort);
        else sweep_row(s, line, effort);
        measure_unit(s);
        if (line->rungs > 0) s->rows++;
    }
    /* what is told is measured again, short runs several times with all others in between */
    for (int pass = 0; pass < (s->bench_case.patience < 1 ? effort->passes : 1); pass++)
        for (int i = 0; i < s->rows; i++) {
            if (s->bench_case.kind == CASE_STEPS) step_row(s, &s->row[i], effort);
            else settle(s, &s->row[i], effort);
            measure_unit(s);
        }
    free(s->end);
    return 0;
}
