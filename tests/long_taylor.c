/* long_taylor.c - what the method taylor does over many steps. */
#include "testing.h"

/* The pendulum passes its lowest place once in each half period: none is missed, none invented. */
static void a_hundred_thousand_swings_are_counted(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    const int swings = 2000;
#else
    const int swings = 100000;
#endif
    problem p;
    problem_pendulum_bottom(&p, 1.0);
    double worst = 0;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "taylor", .rtol = 1e-13});
    for (int k = 1; k <= swings; k++) {
        assert_int_equal(keel_run(s, 1e9), KEEL_EVENT);
        double t = problem_pendulum_bottom_time(&p, k), error = fabs(keel_time(s) - t);
        assert_below(error, 1e-10 * fmax(1, t));
        worst = fmax(worst, error / t);
    }
    printf("%d swings: times right to %.2g of them\n", swings, worst);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hundred_thousand_swings_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
