/* pendulum.c - a spherical pendulum as raw mechanics: forces, a rod, and nothing differentiated by hand. */
#include <keel.h>
#include <stdio.h>

static int weight(double t, const double *u, double *force, void *user) { /* unit mass */
    (void)t, (void)u, (void)user;
    force[0] = force[1] = 0;
    force[2] = -9.81;
    return 0;
}

static int rod(double t, const double *u, double *g, void *user) {
    (void)t, (void)user;
    g[0] = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - 1;
    return 0;
}

int main(void) {
    const double u0[6] = {1, 0, 0, 0, 1, 0}; /* q on the rod, v along it */
    keel_problem pendulum = {
        .form = KEEL_MECHANICS, .n = 6, .u0 = u0, .f = {3, weight}, .constraint = {1, rod}};
    keel_solver *s = keel_open(&pendulum, &(keel_options){.rtol = 1e-10});
    for (int i = 1; i <= 10 && keel_run(s, i) == KEEL_OK; i++)
        printf("t %4.1f   height %9.6f   tension %8.4f\n", keel_time(s), keel_state(s)[2],
               2 * keel_multipliers(s)[0]);
    printf("%s\n", keel_message(s));
    keel_close(s);
    return 0;
}
