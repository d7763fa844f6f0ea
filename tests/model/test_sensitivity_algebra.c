/* test_sensitivity_algebra.c - sensitivities of algebraic unknowns: in blocks like the motion's own, with its
 * matrix, its factorizations and its steps. */
#include "testing.h"

#include "model_run.h"

#include <keel/extras.h>

/* y, then dy/dp in the order of y, direction by direction: what core/algebra.h counts on. */
static void stands_in_blocks(const keel_model *m, int directions) {
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    const keel_problem *p = mode.problem;
    const keel_variations *v = &p->extras->variations;
    int own = p->m / (1 + directions);
    assert_true(own > 0 && p->m % own == 0);
    for (int j = 0; j < p->m; j++) {
        assert_int_equal(v->direction[p->n + j], j / own - 1);
        assert_int_equal(v->of[p->n + j], p->n + j % own);
    }
}

/* The matrix of y alone has the entries that the jacobian of all rows has there, and stands in every block of
 * its diagonal. */
static void has_the_matrix_of_the_motion(const keel_model *m, int directions, int linear) {
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    const keel_problem *p = mode.problem;
    const keel_pattern *pattern = p->algebraic.pattern;
    int own = p->m / (1 + directions), at = 0;
    double *all = calloc((size_t)pattern->nnz, sizeof *all),
           *alone = calloc((size_t)pattern->nnz, sizeof *alone);
    double *dense = calloc((size_t)p->m * (size_t)p->m, sizeof *dense);
    assert_true(all && alone && dense);
    assert_int_equal(p->algebraic.jacobian(p->t0, p->u0, all, p->user), 0);
    assert_int_equal(p->extras->variations.matrix(p->t0, p->u0, alone, p->user), 0);
    assert_int_equal(p->extras->variations.linear, linear);
    for (int i = 0; i < p->m; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++) {
            int j = pattern->column[e] - p->n;
            if (j < 0) continue;
            dense[i * p->m + j] = all[e];
            if (i < own && j < own) assert_true(alone[at++] == all[e]);
        }
    for (int i = 0; i < own; i++)
        for (int j = 0; j < own; j++)
            for (int k = 1; k <= directions; k++) {
                double here = dense[(k * own + i) * p->m + k * own + j], there = dense[i * p->m + j];
                assert_true(fabs(here - there) <= 1e-13 * fabs(there));
            }
    free(all), free(alone), free(dense);
}

/* Also where an equation of a direction is simpler than that of the motion: a name (S'' = dlambda/dl of a
 * mass of 1), or linear and alone (dw/dk). */
static void algebraic_unknowns_stand_in_blocks(void **state) {
    (void)state;
    static const char text[] = "param k = 0.7\nvar x, y, z, w\nx' = -k*y - w\ny + y^3 + z = k*x\n"
                               "z + z^3/3 - y/2 = 1\nw + w^5 = k*x\ninit x = 1\nrun 0 .. 1\n";
    keel_model *m = keel_model_read("test.keel", text, strlen(text),
                                    &(keel_model_options){.interpret = 1, .sensitivity = "k, x"});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    stands_in_blocks(m, 2);
    has_the_matrix_of_the_motion(m, 2, 0);
    keel_model_close(m);
    m = keel_model_load(KEEL_EXAMPLES_DIR "/mechanisms/cardan.keel",
                        &(keel_model_options){.sensitivity = "beta", .interpret = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    stands_in_blocks(m, 1);
    has_the_matrix_of_the_motion(m, 1, 1);
    keel_model_close(m);
}

/* dy/dp follows from one more solve with F_y, and has no branches: the run factors as often as the plain one,
 * in each call of f, though dy/dp bends where a transistor begins to conduct. */
static void sensitivities_take_no_factorizations_of_their_own(void **state) {
    (void)state;
    double each[2];
    for (int k = 0; k < 2; k++) {
        keel_model *m = keel_model_load(
            KEEL_EXAMPLES_DIR "/circuits/amplifier.keel",
            &(keel_model_options){.sensitivity = k ? "Ub, Uf" : NULL, .to = "0.04", .interpret = 1});
        assert_int_equal(keel_model_status(m), KEEL_OK);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
        run_to(s, 0.04);
        keel_stats stats = keel_statistics(keel_sim_solver(s));
        each[k] = (double)stats.factorizations / (double)stats.calls;
        if (k) stands_in_blocks(m, 2);
        keel_sim_close(s);
        keel_model_close(m);
    }
    assert_true(each[1] < 1.2 * each[0]);
}

static long steps_of(const char *path, const char *by, double to, const char *method) {
    keel_model *m = keel_model_load(path, &(keel_model_options){.sensitivity = by, .interpret = 1});
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8, .method = method});
    run_to(s, to);
    long steps = keel_statistics(keel_sim_solver(s)).steps;
    keel_sim_close(s);
    keel_model_close(m);
    return steps;
}

/* A step of y that is 0 does not tell how well the matrix at hand solves for dy/dp: with it taken for exact
 * the derivatives err by 1e-4 in one evaluation of ten, and error control makes four times the steps. */
static void derivatives_of_algebraic_unknowns_are_solved_for_to_the_end(void **state) {
    (void)state;
    const char *path = KEEL_EXAMPLES_DIR "/papers/liu2006_4_index2.keel";
    assert_true(steps_of(path, "u1", 1.5, "dop853") < 3 * steps_of(path, NULL, 1.5, "dop853") / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algebraic_unknowns_stand_in_blocks),
        cmocka_unit_test(sensitivities_take_no_factorizations_of_their_own),
        cmocka_unit_test(derivatives_of_algebraic_unknowns_are_solved_for_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
