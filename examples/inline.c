/* inline.c - the loop of rk4 with a right-hand side compiled into it: by itself, and as the kernel of
 * keel_run, which has the same bits.  Compile with -O3. */
#define KEEL_INLINE
#include <keel/explicit.h>
#include <keel/extras.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int gravity(double t, const double *u, double *du, void *user) {
    double r2 = u[0] * u[0] + u[1] * u[1], pull = 1 / (r2 * sqrt(r2));
    (void)t, (void)user;
    du[0] = u[2], du[2] = -pull * u[0];
    du[1] = u[3], du[3] = -pull * u[1];
    return 0;
}

KEEL_RK_KERNEL(gravity_rk4, keel_rk4, 4, gravity)

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Through keel_run, with this kernel or with calls of gravity. */
static void run(const char *name, const keel_kernel *kernel, double h, long steps) {
    const double u0[4] = {0.4, 0, 0, 2};
    keel_extras extras = {.kernel = kernel};
    keel_problem orbit = {.n = 4, .u0 = u0, .f = {4, gravity}, .extras = &extras};
    keel_solver *s = keel_open(&orbit, &(keel_options){.method = "rk4+none", .step = h});
    double begin = seconds();
    if (keel_run(s, (double)steps * h) < 0) fprintf(stderr, "inline: %s\n", keel_message(s));
    else
        printf("%-22s x = %.17g   %5.1f ns a step\n", name, keel_state(s)[0],
               1e9 * (seconds() - begin) / (double)steps);
    keel_close(s);
}

int main(void) {
    const double h = 1. / 1024;
    const long steps = 1000000;
    double x[4] = {0.4, 0, 0, 2}, f[4];
    const keel_kernel kernel = {.method = "rk4", .fixed = gravity_rk4};
    gravity(0, x, f, NULL);
    double begin = seconds();
    gravity_rk4(0, 0, h, 0, steps, x, f, NULL);
    printf("%-22s x = %.17g   %5.1f ns a step\n", "the loop alone", x[0],
           1e9 * (seconds() - begin) / (double)steps);
    run("keel_run, this kernel", &kernel, h, steps);
    run("keel_run, calls", NULL, h, steps);
    return 0;
}
