/* test_invariant_sensitivity.c - sensitivities of motions whose invariants are kept. */
#include "testing.h"

#include "model_run.h"

/* Of bodies that turn as one energy depends on momentum, and their derivatives do not: steps are no more than
 * those of the motion, and all rows hold.  On the figure-eight they are independent. */
static void dependent_invariants_have_their_derivatives(void **state) {
    (void)state;
    static const char *const run[][2] = {{"n_body", "m,w"}, {"figure_eight", "T,q[1][1]"}};
    for (int i = 0; i < 2; i++) {
        long steps[2];
        for (int k = 0; k < 2; k++) {
            char path[200];
            double from, to;
            keel_row row;
            snprintf(path, sizeof path, KEEL_EXAMPLES_DIR "/%s.keel", run[i][0]);
            keel_model *m = keel_model_load(
                path, &(keel_model_options){.sensitivity = k ? run[i][1] : NULL, .interpret = 1});
            keel_model_span(m, &from, &to);
            keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
            run_to(s, to);
            steps[k] = keel_statistics(keel_sim_solver(s)).steps;
            for (int r = 0; keel_sim_row_at(s, r, &row); r++) {
                assert_int_equal(row.treatment, KEEL_ROW_KEPT);
                if (!(row.units <= 16)) fail_msg("%s: %s %g units", run[i][0], row.name, row.units);
            }
            keel_sim_close(s);
            keel_model_close(m);
        }
        if (steps[1] >= 3 * steps[0] / 2)
            fail_msg("%s: %ld steps, %ld without sensitivities", run[i][0], steps[1], steps[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_invariants_have_their_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
