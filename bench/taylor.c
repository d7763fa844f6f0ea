/* taylor.c - how many units of work written by hand an error costs with Taylor series, from compiled models,
 * beside the number that is allowed.  One run, one core; times are the best of several rounds, each between
 * two measurements of the unit.  A run begins with keel_restart: what keel verifies when a problem is opened
 * it verifies once.  For each error the loosest tolerance is taken that meets it together with the two after
 * it, so that luck counts little.
 *
 * usage: bench_taylor [CASE...] */
#include "bench.h"
#include "cases/case.h"

#include <math.h>
#include <string.h>

static const struct aim {
    const char *case_name;
    double error[3], allowed[3]; /* 0: no more; no bound */
    int rounds;                  /* a busy neighbour slows tens of milliseconds */
} aims[] = {
    {"kepler-25", {1e-6, 1e-9, 1e-12}, {0, 8300, 20000}, 300},
    {"kepler-1000", {1e-9}, {450000}, 20},
    {"andrews", {1e-6, 1e-9}, {0, 1800}, 200},
    {"pendulum-1000", {1e-6, 1e-9}, {0, 500000}, 5},
    {"henon-heiles", {1e-6, 1e-8}, {0, 0}, 4},
    {"outer", {1e-6, 1e-9}, {0, 0}, 60},
};
enum { AIMS = sizeof aims / sizeof *aims };

static const struct entry {
    const char *method;
    const char *name;
} entries[] = {{"taylor+project", "taylor+project"},
               {"taylor+none", "taylor"},
               {"dop853+project", "dop853+project"},
               {"dop853+none", "dop853"}};
enum { ENTRIES = sizeof entries / sizeof *entries };

struct outcome {
    double error, time, units;
    keel_stats stats;
};

static int run(const struct bench_case *c, const keel_problem *p, const struct entry *e, double rtol,
               int rounds, struct outcome *out, double *unit) {
    keel_options o = {.method = e->method, .rtol = rtol};
    keel_solver *s = keel_open(p, &o);
    if (keel_state_of(s) < 0) bench_stop(keel_message(s));
    keel_row row;
    int status = 0;
    *out = (struct outcome){.time = HUGE_VAL};
    for (int k = 0; k < rounds && status >= 0; k++) {
        *unit = fmin(*unit, case_unit(c));
        double begin = bench_seconds();
        keel_stats before = keel_statistics(s);
        if ((status = keel_restart(s, p->t0, p->u0)) >= 0) status = keel_run(s, c->t_end);
        out->time = fmin(out->time, bench_seconds() - begin);
        out->stats = keel_statistics(s);
        out->stats.steps -= before.steps;
        out->stats.calls -= before.calls;
        out->stats.rejected -= before.rejected;
        *unit = fmin(*unit, case_unit(c));
    }
    for (int i = 0; i < c->compared; i++)
        out->error = fmax(out->error, fabs(keel_state(s)[i] - c->answer[i]));
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (row.treatment == KEEL_ROW_KEPT || row.treatment == KEEL_ROW_NATIVE)
            out->units = fmax(out->units, row.units);
    keel_close(s);
    return status;
}

/* The loosest tolerance that meets `error` together with the two after it; 0: none. */
static double find_rtol(const struct bench_case *c, const keel_problem *p, const struct entry *e,
                        double error) {
    double found = 0, unit = HUGE_VAL;
    int met = 0;
    for (double k = -4 * log10(error) - 12; k <= 58 && met < 3; k++) {
        struct outcome o;
        double rtol = pow(10, -k / 4);
        int good = run(c, p, e, rtol, 2, &o, &unit) >= 0 && o.error <= error;
        if (good && met++ == 0) found = rtol;
        if (!good) met = 0;
    }
    return met > 0 ? found : 0;
}

static void compare(const struct bench_case *c, const struct aim *aim) {
    keel_model *m = case_model(c, "taylor", 0);
    const keel_problem *p = bench_problem(m);
    if (!p) bench_stop(keel_model_message(m));
    double unit = HUGE_VAL;
    printf("%s\n  %-16s %8s %8s %9s %11s %9s %9s %6s %8s %7s\n", c->about, "", "rtol", "error", "time/ms",
           "units", "allowed", "round-offs", "steps", "rejected", "calls");
    for (int k = 0; k < 3 && aim->error[k] > 0; k++)
        for (int i = 0; i < ENTRIES; i++) {
            struct outcome out;
            double rtol = find_rtol(c, p, &entries[i], aim->error[k]);
            if (rtol == 0) {
                printf("  %-16s does not reach %.0e\n", entries[i].name, aim->error[k]);
                continue;
            }
            run(c, p, &entries[i], rtol, aim->rounds, &out, &unit);
            printf("  %-16s %8.1e %8.1e %9.3f %11.0f %9.0f %9.2f %6ld %8ld %7ld\n", entries[i].name, rtol,
                   out.error, 1e3 * out.time, out.time / unit, aim->allowed[k], out.units, out.stats.steps,
                   out.stats.rejected, out.stats.calls);
        }
    printf("  the unit, %s, takes %.1f ns\n", c->unit, 1e9 * unit);
    keel_model_close(m);
}

static int wanted(int count, char **word, const char *case_name) {
    for (int i = 1; i < count; i++)
        if (strcmp(word[i], case_name) == 0) return 1;
    return count < 2;
}

/* Those of the table, and one more. */
static int case_of_aim(int i, struct bench_case *c) {
    if (i > 0) return case_at(i - 1, c);
    case_outer(c);
    return 1;
}

int main(int count, char **word) {
    static struct bench_case c;
    for (int a = 0; a < AIMS; a++)
        for (int i = 0; wanted(count, word, aims[a].case_name) && case_of_aim(i, &c); i++)
            if (strcmp(c.name, aims[a].case_name) == 0) compare(&c, &aims[a]);
    return 0;
}
