/* test_sensitivity_large.c - sensitivities of mechanics with sparse matrices: accelerations, multipliers and
 * projections by the factors of the motion. */
#include "testing.h"

#include "cache.h"

#include "model_run.h"

#include <stdlib.h>

enum { COLUMNS = 2000 };
#define ROUGH 1e-5 /* corrections are large, and one step of Newton's method is just enough */

/* A chain of so many rods that falls from rest. */
static keel_sim *chain_of(int rods, const char *by, const char *set, const keel_options *o, keel_model **m) {
    char size[20];
    snprintf(size, sizeof size, "N=%d", rods);
    const char *sets[] = {size, set};
    *m = keel_model_load(
        KEEL_EXAMPLES_DIR "/chain.keel",
        &(keel_model_options){.sensitivity = by, .set = sets, .sets = set ? 2 : 1, .interpret = 1});
    if (keel_model_status(*m) != KEEL_OK) fail_msg("%s", keel_model_message(*m));
    keel_sim *s = keel_sim_open(*m, o);
    assert_true(keel_sim_columns(s) <= COLUMNS);
    return s;
}

static keel_sim *chain_with(const char *by, const char *set, const keel_options *o, keel_model **m) {
    return chain_of(50, by, set, o, m);
}

static void values_at(keel_sim *s, double t, double *value) {
    run_to(s, t);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
}

/* (4 D(h/2) - D(h))/3 of central differences of plain runs by g. */
static void differences(int rods, double t, double *out) {
    static double end[4][COLUMNS];
    const double h[] = {0.1, -0.1, 0.05, -0.05};
    int columns = 0;
    for (int k = 0; k < 4; k++) {
        char set[40];
        keel_model *m;
        snprintf(set, sizeof set, "g=%.17g", 9.81 + h[k]);
        keel_sim *s = chain_of(rods, NULL, set, &(keel_options){.rtol = 1e-12}, &m);
        values_at(s, t, end[k]);
        columns = keel_sim_columns(s);
        keel_sim_close(s);
        keel_model_close(m);
    }
    for (int c = 0; c < columns; c++)
        out[c] = (4 * (end[2][c] - end[3][c]) / 0.1 - (end[0][c] - end[1][c]) / 0.2) / 3;
}

static void check_against(const double *wanted, int rods, const char *method, double rtol) {
    static double found[COLUMNS];
    keel_model *m, *plain;
    keel_row row;
    keel_sim *s = chain_of(rods, "g", NULL, &(keel_options){.rtol = rtol, .method = method}, &m);
    keel_sim *names = chain_of(rods, NULL, NULL, NULL, &plain);
    double largest = 0, off = 0;
    values_at(s, 0.3, found);
    for (int c = 0; keel_sim_column(names, c); c++) {
        char name[200];
        if (!isfinite(wanted[c])) continue;
        snprintf(name, sizeof name, "d/dg %s", keel_sim_column(names, c));
        largest = fmax(largest, fabs(wanted[c]));
        off = fmax(off, fabs(found[column_named(s, name)] - wanted[c]));
    }
    if (!(largest > 1 && off <= 1e-6 * largest)) fail_msg("%s: off by %g of %g", method, off, largest);
    for (int k = 0; keel_sim_row_at(s, k, &row); k++)
        if (row.units > 16) fail_msg("%s: %s: %g units", method, row.name, row.units);
    if (rods > 20) /* by the factors of plain mechanics; accelerations of fewer rods are expressions */
        assert_true(keel_statistics(keel_sim_solver(s)).schur > 0);
    keel_sim_close(s);
    keel_sim_close(names);
    keel_model_close(m);
    keel_model_close(plain);
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    static double wanted[COLUMNS];
    differences(50, 0.3, wanted);
    check_against(wanted, 50, "dop853", 1e-10);
    check_against(wanted, 50, "radau", 1e-9);
    differences(12, 0.3, wanted);
    check_against(wanted, 12, "dop853", 1e-10);
}

/* Rows of chains that are not long are not written out either: memory grows with the rods, and so does the
 * time of a projection. */
static void rows_are_sparse(void **state) {
    (void)state;
    size_t bytes[2];
    for (int k = 0; k < 2; k++) {
        keel_model *m;
        keel_sim *s = chain_of(k ? 50 : 25, "g", NULL, &(keel_options){.method = "dop853"}, &m);
        bytes[k] = keel_sim_save(s, NULL, 0);
        keel_sim_close(s);
        keel_model_close(m);
    }
    assert_true(bytes[0] < 0.6 * (double)bytes[1]);
}

/* One step of Newton's method for all rows leaves what is quadratic in its length, in each direction, too. */
static void one_correction_serves_motion_and_directions(void **state) {
    (void)state;
    static double value[COLUMNS];
    keel_model *m;
    keel_row row;
    keel_sim *s = chain_with("g,y[7]'", NULL, &(keel_options){.method = "dop853+adjust", .rtol = ROUGH}, &m);
    values_at(s, 0.3, value);
    for (int k = 0; keel_sim_row_at(s, k, &row); k++)
        if (row.units > 100) fail_msg("%s: %g units", row.name, row.units);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Factors follow from the numbers alone. */
static void a_run_that_goes_on_has_the_same_bits(void **state) {
    (void)state;
    static double whole[COLUMNS], resumed[COLUMNS];
    keel_model *m[2];
    keel_sim *s = chain_with("g", NULL, &(keel_options){.rtol = 1e-8}, &m[0]);
    for (int k = 0; k < 5; k++) assert_true(keel_sim_step(s, 0.3) >= 0);
    size_t bytes = keel_sim_save(s, NULL, 0);
    void *saved = malloc(bytes);
    assert_int_equal(keel_sim_save(s, saved, bytes), bytes);
    values_at(s, 0.3, whole);
    keel_sim *beside = chain_with("g", NULL, NULL, &m[1]),
             *other = keel_sim_load(m[1], &(keel_options){.rtol = 1e-8}, saved, bytes);
    values_at(other, 0.3, resumed);
    assert_memory_equal(whole, resumed, (size_t)keel_sim_columns(s) * sizeof *whole);
    free(saved);
    keel_sim_close(s), keel_sim_close(beside), keel_sim_close(other);
    keel_model_close(m[0]), keel_model_close(m[1]);
}

/* Of an arm that moves in a plane, what leaves it shrinks with each projection. */
static void no_number_stays_among_the_subnormal_ones(void **state) {
    (void)state;
    static double value[COLUMNS];
    keel_model *m = keel_model_load(KEEL_EXAMPLES_DIR "/mechanisms/robot_arm.keel",
                                    &(keel_model_options){.sensitivity = "m[1]", .interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
    assert_true(keel_sim_columns(s) <= COLUMNS);
    values_at(s, 0.9, value);
    for (int c = 0; c < keel_sim_columns(s); c++)
        if (fpclassify(value[c]) == FP_SUBNORMAL) fail_msg("%s: %g", keel_sim_column(s, c), value[c]);
    keel_sim_close(s);
    keel_model_close(m);
}

static keel_stats costs_of(keel_model *m, double to) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8, .method = "dop853"});
    run_to(s, to);
    keel_stats stats = keel_statistics(keel_sim_solver(s));
    keel_sim_close(s);
    return stats;
}

/* Derivatives err by more tolerances than the motion, which takes its steps as without them; and
 * accelerations that are eliminated one after the other are no loop. */
static void derivatives_do_not_tell_how_long_steps_are(void **state) {
    (void)state;
    keel_model *m[2];
    keel_stats cost[2];
    for (int k = 0; k < 2; k++) {
        keel_sim_close(chain_of(12, k ? "g" : NULL, NULL, NULL, &m[k]));
        cost[k] = costs_of(m[k], 0.9);
    }
    assert_true((double)cost[1].steps < 1.15 * (double)cost[0].steps);
    assert_true((double)cost[1].calls < 1.15 * (double)cost[0].calls);
    assert_null(strstr(keel_model_source(m[1]), "loop_0_f_"));
    keel_model_close(m[0]), keel_model_close(m[1]);
}

/* d energy/dg is 0, and its rate round-off of nothing: a look at it takes one evaluation, or two. */
static void looks_at_invariants_are_few(void **state) {
    (void)state;
    keel_stats cost[2];
    for (int k = 0; k < 2; k++) {
        keel_model *m =
            keel_model_load(KEEL_EXAMPLES_DIR "/mechanisms/cardan.keel",
                            &(keel_model_options){.sensitivity = k ? "gravity[1]" : NULL, .interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        cost[k] = costs_of(m, 3);
        keel_model_close(m);
    }
    assert_true((double)cost[1].calls < 1.3 * (double)cost[0].calls);
}

/* Compiled loops count errors as the core does. */
static void loops_have_the_bits_of_steps(void **state) {
    (void)state;
    static const char text[] = "param a = 10, b = 28\nvar x, y, z\nx' = a*(y - x)\ny' = x*(b - z) - y\n"
                               "z' = x*y - 8/3*z\ninit x = 1, y = 2, z = 3\nrun 0 .. 2\n";
    double end[2][6];
    for (int k = 0; k < 2; k++) {
        keel_model *m =
            keel_model_read("lorenz", text, strlen(text),
                            &(keel_model_options){.sensitivity = "a", .method = "dop853", .interpret = k});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9, .method = "dop853"});
        assert_int_equal(keel_sim_columns(s), 6);
        values_at(s, 2, end[k]);
        keel_sim_close(s);
        keel_model_close(m);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_differences),
                                       cmocka_unit_test(rows_are_sparse),
                                       cmocka_unit_test(one_correction_serves_motion_and_directions),
                                       cmocka_unit_test(no_number_stays_among_the_subnormal_ones),
                                       cmocka_unit_test(derivatives_do_not_tell_how_long_steps_are),
                                       cmocka_unit_test(looks_at_invariants_are_few),
                                       cmocka_unit_test(loops_have_the_bits_of_steps),
                                       cmocka_unit_test(a_run_that_goes_on_has_the_same_bits)};
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
