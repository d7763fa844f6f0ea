/* kepler.c - a user's program: an eccentric orbit whose energy and angular momentum are kept. */
#include <keel.h>
#include <math.h>
#include <stdio.h>

static int kepler(double t, const double *u, double *du, void *user) {
    (void)t, (void)user;
    double r3 = pow(hypot(u[0], u[1]), 3);
    du[0] = u[2];
    du[1] = u[3];
    du[2] = -u[0] / r3;
    du[3] = -u[1] / r3;
    return 0;
}

static int kept(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) - 1 / hypot(u[0], u[1]); /* energy */
    out[1] = u[0] * u[3] - u[1] * u[2];                                 /* angular momentum */
    return 0;
}

int main(void) {
    const double u0[4] = {0.4, 0, 0, 2};
    keel_problem p = {
        .n = 4, .u0 = u0, .f = {.count = 4, .value = kepler}, .invariant = {.count = 2, .value = kept}};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-8});
    int failed = keel_run(s, 100) < 0;
    keel_row row;

    if (failed) fprintf(stderr, "kepler: %s\n", keel_message(s));
    for (int i = 0; !failed && keel_row_at(s, i, &row); i++)
        printf("kept within %.1f round-off units\n", row.units);
    keel_close(s);
    return failed;
}
