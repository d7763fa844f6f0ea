/* test_step_lengths.c - steps by their error: the first one is nearly as long as those that follow. */
#include "testing.h"

static void (*const open[])(problem *) = {problem_henon_heiles, problem_four_bar, problem_andrews,
                                          problem_spherical_pendulum};

static void open_problem(int k, problem *p) {
    if (k == 0) problem_kepler(p, 0.6, 1);
    else if (k == 1) problem_pendulum(p, 9.81);
    else open[k - 2](p);
}

/* Velocities or positions of 0 say nothing about a length: three steps were spent on growing, each sixfold,
 * from one that a hundredth of what is there would take. */
static void the_first_step_is_no_trial(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853", "rkf78"};
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 3; m++)
            for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
                problem p;
                open_problem(k, &p);
                keel_solver *s = keel_open(&p.keel, &(keel_options){.method = methods[m], .rtol = rtol});
                double end = p.keel.t0 + (k == 4 ? 0.03 : 3), length[4];
                long rejected = 0;
                for (int i = 0; i < 4; i++) {
                    double before = keel_time(s);
                    assert_ok(s, keel_step(s, end));
                    length[i] = keel_time(s) - before;
                    rejected = i ? rejected : keel_statistics(s).rejected;
                }
                if (length[3] > 30 * length[0])
                    fail_msg("%s, %s, %g: steps of %g, %g, %g, %g", p.keel.name, methods[m], rtol, length[0],
                             length[1], length[2], length[3]);
                if (rejected > 1)
                    fail_msg("%s, %s, %g: rejected %ld times", p.keel.name, methods[m], rtol, rejected);
                keel_close(s);
            }
}

/* Nothing is known of x' = 0; and simple motion may end where nobody looked: its first step is short. */
static int still(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1], out[1] = 0;
    return 0;
}

static void motions_without_a_length_begin_shortly(void **state) {
    (void)state;
    static const double start[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, -1}};
    for (int k = 0; k < 4; k++) {
        keel_problem p = {.n = 2, .u0 = start[k], .f = {.count = 2, .value = still}};
        keel_solver *s = keel_open(&p, &(keel_options){.method = "dop853"});
        assert_ok(s, keel_step(s, 10));
        assert_below(keel_time(s), 0.2);
        assert_ok(s, keel_run(s, 10));
        assert_below(fabs(keel_state(s)[0] - (start[k][0] + 10 * start[k][1])), 1e-12);
        keel_close(s);
    }
}

/* An attempt that is rejected is lost; where the control aims at less error they are few. */
static void few_steps_are_rejected(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double share;
    } row[] = {{"dop853", 0.12}, {"rkf78", 0.09}, {"dopri5", 0.06}, {"bs32", 0.06}};
    for (int m = 0; m < 4; m++) {
        double steps = 0, rejected = 0;
        for (int k = 0; k < 6; k++)
            for (double rtol = 1e-4; rtol > (m == 3 ? 1e-6 : 1e-10); rtol /= 10) {
                problem p;
                open_problem(k, &p);
                keel_solver *s = keel_open(&p.keel, &(keel_options){.method = row[m].method, .rtol = rtol});
                assert_ok(s, keel_run(s, p.keel.t0 + (k == 4 ? 0.03 : 10)));
                steps += (double)keel_statistics(s).steps;
                rejected += (double)keel_statistics(s).rejected;
                keel_close(s);
            }
        if (rejected > row[m].share * (steps + rejected))
            fail_msg("%s: %g of %g attempts were rejected", row[m].method, rejected, steps + rejected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_step_is_no_trial),
                                       cmocka_unit_test(few_steps_are_rejected),
                                       cmocka_unit_test(motions_without_a_length_begin_shortly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
