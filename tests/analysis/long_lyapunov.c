/* long_lyapunov.c - Lyapunov exponents over long times: error bars that are true, the exact trace, pairs. */
#include "testing.h"

#include "model_run.h"

#include <keel/lyapunov.h>

enum { MOST = 8 };

/* The exponents of an example with a start or a parameter of its own; how many. */
static int exponents_of(const char *example, const char *const *set, int sets, const char *to, double rtol,
                        keel_exponent *e, keel_exponent *sum, const char *left_out) {
    char path[600];
    example_path(example, path, sizeof path);
    keel_model *m =
        keel_model_load(path, &(keel_model_options){.sensitivity = "*", .set = set, .sets = sets, .to = to});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_lyapunov *l = keel_lyapunov_run(m, &(keel_options){.rtol = rtol}, NULL);
    if (keel_lyapunov_status(l) != KEEL_OK) fail_msg("%s", keel_lyapunov_message(l));
    int count = 0;
    while (count < MOST && keel_lyapunov_at(l, count, &e[count])) count++;
    assert_true(keel_lyapunov_sum(l, sum));
    if (left_out) assert_string_equal(keel_lyapunov_left_out(l, 0), left_out);
    else assert_null(keel_lyapunov_left_out(l, 0));
    keel_lyapunov_close(l);
    keel_model_close(m);
    return count;
}

/* 0.9056 is Lorenz' exponent (J. C. Sprott, Chaos and Time-Series Analysis, 2003); div f = -(10 + 1 + 8/3).
 */
static void error_bars_are_true(void **state) {
    (void)state;
    int within = 0;
    for (int k = 0; k < 20; k++) {
        char x[40], y[40];
        const char *set[] = {x, y};
        keel_exponent e[MOST], sum;
        snprintf(x, sizeof x, "x=%g", 1 + 0.37 * k);
        snprintf(y, sizeof y, "y=%g", 2 - 0.21 * k);
        assert_int_equal(exponents_of("lorenz", set, 2, "10000", 1e-8, e, &sum, NULL), 3);
        assert_true(e[0].error <= 0.003);
        assert_near(sum.value, -41.0 / 3, 1e-6);
        within += fabs(e[0].value - 0.9056) <= 2 * e[0].error;
    }
    print_message("%d of 20 within two bars\n", within);
    assert_true(within >= 17);
}

/* The first and the last exponent of a Hamiltonian, and all of them, add up to zero. */
static void hamiltonians_have_pairs(void **state) {
    (void)state;
    static const struct {
        const char *example, *set, *to;
        double least;
    } row[] = {{"henon_chaotic", "E0=1/6", "10000", 0.1}, {"double_pendulum", NULL, "1000", 0.5}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_exponent e[MOST], sum;
        int count =
            exponents_of(row[i].example, &row[i].set, row[i].set != NULL, row[i].to, 1e-9, e, &sum, "energy");
        assert_int_equal(count, 3);
        print_message("%s: %g +- %g, %g, %g\n", row[i].example, e[0].value, e[0].error, e[1].value,
                      e[2].value);
        assert_true(e[0].value > row[i].least);
        assert_near(e[0].value + e[2].value, 0, e[0].error + e[2].error);
        assert_near(sum.value, 0, e[0].error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_bars_are_true),
        cmocka_unit_test(hamiltonians_have_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
