/* demo.c - what keel is for, on two problems: an eccentric orbit for 1000 revolutions, and a pendulum
 * given as raw mechanics (index 3) for 1000 seconds.  Every line is one stepper with one stabilizer. */
#include <keel.h>

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

struct pair {
    const char *method;
    double rtol, step; /* one of them */
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double state_error(const problem *p, const keel_solver *s) {
    double u[PROBLEM_UNKNOWNS], worst = 0;
    if (p->exact(p, keel_time(s), u) != 0) return NAN;
    for (int i = 0; i < p->keel.n; i++) worst = fmax(worst, fabs(u[i] - keel_state(s)[i]));
    return worst;
}

static void show(const problem *p, const struct pair *pair, double t_end) {
    keel_options options = {.method = pair->method, .rtol = pair->rtol, .step = pair->step};
    double begin = seconds();
    keel_solver *s = keel_open(&p->keel, &options);
    keel_status status = keel_run(s, t_end);
    double took = seconds() - begin;
    char name[40], setting[24];
    keel_kept row;
    snprintf(name, sizeof name, "%s", pair->method);
    snprintf(setting, sizeof setting, pair->step > 0 ? "h %.4g" : "rtol %.0e",
             pair->step > 0 ? pair->step : pair->rtol);
    printf("  %-16s %-12s", name, setting);
    if (status < 0) {
        printf(" %s\n", keel_message(s));
    } else {
        printf(" %9ld %8.0f ms %12.1e ", keel_statistics(s).steps, took * 1e3, state_error(p, s));
        for (int i = 0; keel_kept_at(s, i, &row); i++)
            printf(row.units < 1e4 ? "%11.1f" : "%11.1e", row.units);
        printf("\n");
    }
    keel_close(s);
}

static void show_all(const char *title, const problem *p, double t_end, const struct pair *pairs, int count) {
    keel_kept row;
    keel_solver *s = keel_open(&p->keel, NULL);
    printf("%s\n  %-16s %-12s %9s %11s %12s   largest drift in round-offs\n", title, "", "", "steps", "time",
           "state error");
    printf("  %65s ", "");
    for (int i = 0; keel_kept_at(s, i, &row); i++) printf("%11s", row.name);
    printf("\n");
    keel_close(s);
    for (int i = 0; i < count; i++) show(p, &pairs[i], t_end);
    printf("\n");
}

int main(void) {
    static const struct pair orbit[] = {
        {"dopri5+watch", 1e-8, 0},    {"dopri5+project", 1e-8, 0}, {"dop853+watch", 1e-10, 0},
        {"dop853+project", 1e-10, 0}, {"rk4+watch", 0, 2e-3},      {"rk4+project", 0, 2e-3},
        {"rkf78+adjust", 0, 0.0125},
    };
    static const struct pair swing[] = {
        {"dop853+watch", 1e-10, 0}, {"dop853+project", 1e-10, 0}, {"dopri5+project", 1e-10, 0},
        {"rk4+project", 0, 1e-3},   {"ab6+project", 0, 2e-3},     {"rattle", 0, 1e-3},
    };
    problem p;
    problem_kepler(&p, 0.6, 1);
    show_all("Kepler, eccentricity 0.6, 1000 orbits", &p, 1000 * p.t_end, orbit,
             sizeof orbit / sizeof *orbit);
    problem_pendulum(&p, 9.81);
    show_all("Pendulum in Cartesian coordinates, raw index 3, to t = 1000", &p, 1000, swing,
             sizeof swing / sizeof *swing);
    printf("A round-off is eps times the size of the row's own terms.  project holds every row there with "
           "any method;\n"
           "conservation is not accuracy, so the state error stands beside it.\n");
    return 0;
}
