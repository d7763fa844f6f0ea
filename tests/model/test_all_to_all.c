/* test_all_to_all.c - large models in which all unknowns act on all: their Jacobian is left to differences,
 * and runs come out as with one. */
#include "testing.h"
#include "model_run.h"

#include <math.h>

/* s = sum x rests, x_i - s/N decays as exp(-N t). */
static keel_model *coupled(int count) {
    char text[300];
    snprintf(text, sizeof text,
             "param N = %d\nvar x[1..N]\nlet s = sum(i in 1..N, x[i])\n"
             "for i in 1..N:\n    x[i]' = s - N*x[i]\n    init x[i] = if(i == 1, 1, 0)\nrun 0 .. 1\n",
             count);
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static const keel_problem *problem_of(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    return mode.problem;
}

static void large_dense_jacobians_are_left_out(void **state) {
    keel_model *small = coupled(100), *large = coupled(730);
    (void)state;
    assert_non_null(problem_of(small)->f.jacobian);
    assert_null(problem_of(large)->f.jacobian);
    keel_model_close(small);
    keel_model_close(large);
}

static void stiff_methods_do_without(void **state) {
    keel_model *m = coupled(730);
    const keel_problem *p = problem_of(m);
    keel_solver *s = keel_open(p, &(keel_options){.method = "bdf", .rtol = 1e-6});
    (void)state;
    assert_non_null(s);
    assert_true(keel_run(s, 0.01) >= 0);
    double exact = (1 + 729 * exp(-7.3)) / 730;
    assert_below(fabs(keel_state(s)[0] - exact), 1e-6);
    keel_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_dense_jacobians_are_left_out),
        cmocka_unit_test(stiff_methods_do_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
