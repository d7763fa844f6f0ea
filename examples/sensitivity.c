/* sensitivity.c - prey and predator, x' = a x - x y, y' = x y - y: how they depend on a. */
#include <keel/sensitivity.h>
#include <math.h>
#include <stdio.h>

static int f(double t, const double *u, double *du, void *user) {
    const double *a = user;
    (void)t;
    du[0] = *a * u[0] - u[0] * u[1];
    du[1] = u[0] * u[1] - u[1];
    return 0;
}

static int f_by_u(double t, const double *u, double *out, void *user) {
    const double *a = user;
    (void)t;
    out[0] = *a - u[1], out[1] = -u[0];
    out[2] = u[1], out[3] = u[0] - 1;
    return 0;
}

static int f_by_a(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0], out[1] = 0;
    return 0;
}

static int level(double t, const double *u, double *out, void *user) { /* what the motion keeps */
    const double *a = user;
    (void)t;
    out[0] = u[0] - log(u[0]) + u[1] - *a * log(u[1]);
    return 0;
}

static int level_by_u(double t, const double *u, double *out, void *user) {
    const double *a = user;
    (void)t;
    out[0] = 1 - 1 / u[0], out[1] = 1 - *a / u[1];
    return 0;
}

static int level_by_a(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -log(u[1]);
    return 0;
}

int main(void) {
    double a = 1.5;
    const double u0[] = {2, 1};
    const char *const names[] = {"prey", "predator"}, *const rows[] = {"level"}, *const by_names[] = {"a"};
    keel_problem problem = {.n = 2,
                            .u0 = u0,
                            .names = names,
                            .f = {2, f, f_by_u},
                            .user = &a,
                            .invariant = {1, level, level_by_u, .names = rows}};
    keel_parameters by = {.count = 1, .f = f_by_a, .invariant = level_by_a, .names = by_names};
    keel_variational *v = keel_variational_open(&problem, &by);
    keel_solver *s = keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-10});
    keel_row row;
    if (keel_run(s, 20) < 0) fprintf(stderr, "sensitivity: %s\n", keel_message(s));
    for (int i = 0; i < 2; i++)
        printf("%-10s %12.8f   d/da %12.8f\n", names[i], keel_state(s)[i],
               keel_state(s)[keel_variational_place(v, i, 0)]);
    for (int i = 0; keel_row_at(s, i, &row); i++)
        printf("%-10s largest drift %.1e = %.1f round-offs\n", row.name, row.drift, row.units);
    keel_close(s);
    keel_variational_close(v);
    return 0;
}
