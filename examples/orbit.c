/* orbit.c - an eccentric orbit whose energy and angular momentum stay what they are. */
#include <keel.h>
#include <math.h>
#include <stdio.h>

static int gravity(double t, const double *u, double *du, void *user) {
    double r = hypot(u[0], u[1]), pull = 1 / (r * r * r);
    (void)t, (void)user;
    du[0] = u[2], du[2] = -pull * u[0];
    du[1] = u[3], du[3] = -pull * u[1];
    return 0;
}

static int kept(double t, const double *u, double *value, void *user) {
    (void)t, (void)user;
    value[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) - 1 / hypot(u[0], u[1]);
    value[1] = u[0] * u[3] - u[1] * u[2];
    return 0;
}

int main(void) {
    const double u0[4] = {0.4, 0, 0, 2};
    const char *const names[] = {"energy", "momentum"};
    keel_problem orbit = {.n = 4, .u0 = u0, .f = {4, gravity}, .invariant = {2, kept, .names = names}};
    keel_solver *s = keel_open(&orbit, &(keel_options){.rtol = 1e-10});
    keel_row row;
    if (keel_run(s, 1000) < 0) fprintf(stderr, "orbit: %s\n", keel_message(s));
    for (int i = 0; keel_row_at(s, i, &row); i++)
        printf("%-10s start %8.4f   largest drift %.1e = %.1f round-offs\n", row.name, row.start, row.drift,
               row.units);
    keel_close(s);
    return 0;
}
