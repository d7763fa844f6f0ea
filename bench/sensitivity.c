/* sensitivity.c - what sensitivities cost: the time of a run with the derivatives by one parameter, and by
 * two, in parts of the plain run.  They should take no more than 1.5 (1 + parameters).
 *
 *     bench_sensitivity [--rtol R] MODEL.keel[:SHARE] ...        SHARE: of the model's time, 1 if not given
 *
 * Parameters are the first ones of the model that decide no size, or else start values.  Both runs go by the
 * method `auto`.  Times are of the processor, the best of interleaved rounds. */
#include "bench.h"

#include <keel/ensemble.h>

#include <math.h>
#include <string.h>

enum { MOST = 2, NAME = 80, ROUNDS = 5 };
#define LONG 0.2   /* s: runs of which more rounds tell no more */
#define SHORT 0.05 /* s: what the repetitions of a round take at least */

struct subject {
    const char *by; /* NULL: the plain run */
    keel_model *model;
    double best;
    long steps, calls;
    char why[200];
};

/* One run, and its seconds; NAN: it has failed. */
static double run_once(struct subject *s, double rtol, double share) {
    double from, to;
    keel_status status;
    keel_sim *sim = keel_sim_open(s->model, &(keel_options){.rtol = rtol, .method = "auto"});
    double begin = bench_seconds();
    keel_model_span(s->model, &from, &to);
    while ((status = keel_sim_run(sim, from + share * (to - from))) == KEEL_EVENT) {}
    double seconds = bench_seconds() - begin;
    keel_stats stats = keel_statistics(keel_sim_solver(sim));
    s->steps = stats.steps, s->calls = stats.calls;
    if (status != KEEL_OK) snprintf(s->why, sizeof s->why, "%s", keel_sim_message(sim)), seconds = NAN;
    keel_sim_close(sim);
    return seconds;
}

static double run_often(struct subject *s, double rtol, double share) {
    double sum = 0;
    int runs = 0;
    while (sum < SHORT && isfinite(sum)) sum += run_once(s, rtol, share), runs++;
    return sum / runs;
}

static keel_model *load(const char *path, const char *by) {
    return keel_model_load(path, &(keel_model_options){.sensitivity = by});
}

/* Can the model have its derivative by this? */
static int is_possible(const char *path, const char *by) {
    keel_model *m = keel_model_load(path, &(keel_model_options){.sensitivity = by, .interpret = 1});
    keel_variation *v = keel_model_status(m) == KEEL_OK ? keel_vary_open(m, 1, &by) : NULL;
    int possible = v && keel_vary_status(v) == KEEL_OK;
    keel_vary_close(v);
    keel_model_close(m);
    return possible;
}

/* The next parameter from *k on, or behind the parameters the next free start value, that can be had. */
static int find(const char *path, int *k, char *name) {
    keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
    keel_model *all = keel_model_load(path, &(keel_model_options){.sensitivity = "*", .interpret = 1});
    const char *found = NULL;
    double value;
    int parameters = 0, possible = 0;
    while (keel_model_parameter(m, parameters, &found, &value)) parameters++;
    while (!possible) {
        int i = (*k)++;
        if (i >= parameters) found = keel_model_direction(all, i - parameters);
        else if (!keel_model_parameter(m, i, &found, &value)) break;
        if (!found) break;
        snprintf(name, NAME, "%s", found);
        possible = is_possible(path, name);
    }
    keel_model_close(m);
    keel_model_close(all);
    return possible;
}

static void tell(const char *path, const struct subject *plain, const struct subject *s, int parameters) {
    double ratio = s->best / plain->best, limit = 1.5 * (1 + parameters);
    if (!isfinite(ratio)) {
        printf("%-44s %-20s %s\n", path, s->by, s->why);
        return;
    }
    printf("%-44s %-20s %7.2f of %.1f %s  steps %ld, plain %ld; evaluations %ld, plain %ld; plain %.3g ms\n",
           path, s->by, ratio, limit, ratio > limit ? "ABOVE" : "     ", s->steps, plain->steps, s->calls,
           plain->calls, 1e3 * plain->best);
    fflush(stdout);
}

static void measure(const char *path, double rtol, double share) {
    char name[MOST][NAME], both[2 * NAME + 2];
    int parameters = 0, k = 0;
    while (parameters < MOST && find(path, &k, name[parameters])) parameters++;
    if (parameters > 1) snprintf(both, sizeof both, "%s,%s", name[0], name[1]);
    struct subject s[1 + MOST] = {
        {.best = HUGE_VAL}, {.by = name[0], .best = HUGE_VAL}, {.by = both, .best = HUGE_VAL}};
    if (parameters == 0) printf("%-44s has nothing to differentiate by\n", path);
    for (int i = 0; i <= parameters && parameters; i++) {
        s[i].model = load(path, s[i].by);
        if (keel_model_status(s[i].model) != KEEL_OK) bench_stop(keel_model_message(s[i].model));
    }
    for (int round = 0; round < ROUNDS && parameters; round++) {
        double longest = 0;
        for (int i = 0; i <= parameters; i++) {
            double seconds = run_often(&s[i], rtol, share);
            s[i].best = isfinite(seconds) ? fmin(s[i].best, seconds) : seconds;
            longest = fmax(longest, seconds);
        }
        if (longest > LONG) break;
    }
    for (int i = 1; i <= parameters; i++) tell(path, &s[0], &s[i], i);
    for (int i = 0; i <= parameters && parameters; i++) keel_model_close(s[i].model);
}

int main(int count, char **word) {
    double rtol = 1e-8;
    if (count < 2) bench_stop("usage: sensitivity [--rtol R] MODEL.keel[:SHARE] ...");
    for (int i = 1; i < count; i++) {
        char *colon = strrchr(word[i], ':');
        if (strcmp(word[i], "--rtol") == 0 && i + 1 < count) {
            rtol = strtod(word[++i], NULL);
            continue;
        }
        if (colon) *colon = '\0';
        measure(word[i], rtol, colon ? strtod(colon + 1, NULL) : 1);
    }
    return 0;
}
