/* test_phase.c - what a projection does to quantities it does not keep: nothing that lasts. */
#include "model_run.h"

/* The energy of a planet is held at that of its start, not at its value with the round-off of one
 * evaluation: a part of a unit would be there in every period. */
static void invariants_are_held_at_the_values_of_the_start(void **state) {
    (void)state;
    enum { STARTS = 60 };
    double held = 0, computed = 0;
    uint64_t seed = 11;
    for (int k = 0; k < STARTS; k++) {
        problem p;
        keel_kept row;
        problem_kepler(&p, 0.3, 1);
        for (int i = 0; i < 4; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            p.u0[i] = 0.3 + (double)(seed >> 33) / 2147483648.0;
        }
        const double *u = p.u0;
        long double x = u[0], y = u[1], v = u[2], w = u[3];
        long double exact = (v * v + w * w) / 2 - 1 / sqrtl(x * x + y * y);
        double once = (u[2] * u[2] + u[3] * u[3]) / 2 - 1 / sqrt(u[0] * u[0] + u[1] * u[1]);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-12, .method = "+project"});
        assert_ok(s, keel_state_of(s));
        for (int i = 0; keel_kept_at(s, i, &row); i++)
            if (strcmp(row.name, "energy") == 0) break;
        held += powl((row.start - exact) / row.unit, 2) / STARTS;
        computed += powl((once - exact) / row.unit, 2) / STARTS;
        keel_close(s);
    }
    assert_below(sqrt(held), 0.6 * sqrt(computed));
}

/* The direction of the major axis. */
static double axis(const double *u) {
    double r = hypot(u[0], u[1]), turn = u[0] * u[3] - u[1] * u[2];
    return atan2(-u[2] * turn - u[1] / r, u[3] * turn - u[0] / r);
}

/* Energy and momentum are known to a unit; were that noise removed in full with every short step, the ellipse
 * would turn by 3e-13 (2e-15 without a projection). */
static void compensated_states_are_not_shaken(void **state) {
    (void)state;
    keel_model *m = model_of("model m\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\n"
                             "invariant energy\ninvariant momentum = x*y' - y*x'\n"
                             "init x = 0.4, y = 0, x' = 0, y' = 2\nrun 0 .. 1\n");
    keel_options o = {.method = "kahan-li8+project", .step = 1. / 256, .compensated = 1};
    keel_sim *sim = keel_sim_open(m, &o);
    keel_solver *s = keel_sim_solver(sim);
    double begin = axis(keel_state(s)), worst = 0;
    for (int k = 1; k <= 150; k++) {
        assert_ok(s, keel_run(s, 2 * k));
        worst = fmax(worst, fabs(axis(keel_state(s)) - begin));
    }
    printf("turned by %.2g\n", worst);
    assert_below(worst, 1e-13);
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++) assert_below(row.units, 4);
    keel_sim_close(sim);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_are_held_at_the_values_of_the_start),
        cmocka_unit_test(compensated_states_are_not_shaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
