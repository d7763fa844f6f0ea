/* test_inline.c - loops of keel/explicit.h with a function of the program inlined have the bits of keel_run,
 * by themselves and as its kernel. */
#define KEEL_INLINE
#include <keel/explicit.h>

#include "testing.h"

#include <keel/extras.h>

static int swing(double t, const double *x, double *dx, void *user) {
    const double *pull = user;
    dx[0] = x[1];
    dx[1] = -*pull * sin(x[0]) + 0.1 * cos(t);
    dx[2] = x[0] * x[1];
    return 0;
}

/* Ralston: order 3. */
static const double ralston_c[3] = {0, 1. / 2, 3. / 4}, ralston_a[3] = {1. / 2, 0, 3. / 4},
                    ralston_b[3] = {2. / 9, 1. / 3, 4. / 9};
static const keel_rk ralston = {.stages = 3, .c = ralston_c, .a = ralston_a, .b = ralston_b};

KEEL_RK_KERNEL(swing_rk4, keel_rk4, 3, swing)
KEEL_RK_KERNEL(swing_ralston, ralston, 3, swing)

static long chunks;
static long counted(double t, double base, double h, long first, long count, double *x, double *f,
                    void *user) {
    chunks++;
    return swing_rk4(t, base, h, first, count, x, f, user);
}

static double pull = 2;
static const double u0[4] = {1, 0.5, 0}, h = 0.01;
enum { STEPS = 5000 };

static keel_solver *open_run(const keel_kernel *kernel) {
    static keel_extras extras;
    extras.kernel = kernel;
    keel_problem p = {.n = 3, .u0 = u0, .f = {3, swing}, .user = &pull, .extras = &extras};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "rk4+none", .step = h});
    if (keel_run(s, STEPS * h) < 0) fail_msg("%s", keel_message(s));
    return s;
}

static void the_loop_has_the_bits_of_keel_run(void **state) {
    (void)state;
    double x[4] = {1, 0.5, 0}, f[4] = {0};
    swing(0, x, f, &pull);
    assert_int_equal(swing_rk4(0, 0, h, 0, STEPS, x, f, &pull), 4 * STEPS);
    keel_solver *s = open_run(NULL);
    assert_memory_equal(x, keel_state(s), 3 * sizeof *x);
    keel_close(s);
}

static void it_is_a_kernel_of_keel_run(void **state) {
    (void)state;
    const keel_kernel kernel = {.method = "rk4", .fixed = counted};
    keel_solver *plain = open_run(NULL), *s = open_run(&kernel);
    assert_true(chunks > 0);
    assert_memory_equal(keel_state(plain), keel_state(s), 3 * sizeof(double));
    assert_int_equal(keel_statistics(plain).calls, keel_statistics(s).calls);
    keel_close(plain);
    keel_close(s);
}

/* A table of one's own: errors fall by 8 where the step is halved. */
static void tables_are_data(void **state) {
    (void)state;
    double end[3][4];
    for (int k = 0; k < 3; k++) {
        long steps = 200L << k;
        double f[4] = {0};
        memcpy(end[k], u0, sizeof u0);
        swing(0, end[k], f, &pull);
        swing_ralston(0, 0, 2. / (double)steps, 0, steps, end[k], f, &pull);
    }
    double ratio = (end[0][0] - end[1][0]) / (end[1][0] - end[2][0]);
    assert_in_range((long)(100 * ratio), 780, 820);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_loop_has_the_bits_of_keel_run),
                                       cmocka_unit_test(it_is_a_kernel_of_keel_run),
                                       cmocka_unit_test(tables_are_data)};
    return cmocka_run_group_tests_name("inline", tests, NULL, NULL);
}
