/* native.c - a native constrained method outside the library, against an installation: RATTLE written with
 * public headers alone takes a pendulum through a minute, with the certificate at round-off. */
#include "../methods/own_method.h"

#include <stdio.h>

static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0;
    out[1] = -1;
    return 0;
}

static int rod(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

int main(void) {
    const double start[] = {1, 0, 0, 0};
    const keel_problem p = {.form = KEEL_MECHANICS,
                            .n = 4,
                            .u0 = start,
                            .f = {.count = 2, .value = force},
                            .constraint = {.count = 1, .value = rod}};
    const keel_stepper rattle = own_stepper("own-rattle", 2, own_rattle),
                       euler = own_stepper("own", 1, own_euler);
    const keel_stepper *both[] = {&rattle, &euler};
    for (int k = 0; k < 2; k++) {
        const keel_options o = {.own_method = both[k], .step = 0.01};
        keel_solver *s = keel_open(&p, &o);
        keel_row row;
        int bad = keel_run(s, 60) != KEEL_OK;
        for (int i = 0; keel_row_at(s, i, &row); i++)
            bad |= row.treatment != KEEL_ROW_NATIVE || row.units > 16;
        if (bad) fprintf(stderr, "%s: %s\n", both[k]->info.name, keel_message(s));
        keel_close(s);
        if (bad) return 1;
    }
    return 0;
}
