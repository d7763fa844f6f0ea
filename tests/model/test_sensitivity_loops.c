/* test_sensitivity_loops.c - sensitivities of mechanisms with more constraints than they need. */
#include "linkages.h"

static keel_sim *bennett_with(const char *sensitivity, const char *set, double rtol, keel_model **m) {
    const char *sets[] = {"four.r[1]=0.325", set};
    *m = keel_model_load(
        KEEL_EXAMPLES_DIR "/mechanisms/bennett.keel",
        &(keel_model_options){.sensitivity = sensitivity, .set = sets, .sets = set ? 2 : 1, .interpret = 1});
    if (keel_model_status(*m) != KEEL_OK) fail_msg("%s", keel_model_message(*m));
    keel_sim *s = keel_sim_open(*m, &(keel_options){.rtol = rtol});
    run_to(s, 0.7);
    return s;
}

static double column_of(keel_sim *s, const char *name) {
    double value[400];
    keel_sim_values(s, value);
    for (int c = 0; keel_sim_column(s, c); c++)
        if (strcmp(keel_sim_column(s, c), name) == 0) return value[c];
    fail_msg("no column %s", name);
    return NAN;
}

/* Bennett's linkage has three constraints too many, and those that are independent at the start depend on
 * each other at t = 0.38.  Others carry the motion from there on; multipliers are the least ones, and so are
 * their derivatives those of the plain run's. */
static void rows_in_force_follow_the_motion(void **state) {
    (void)state;
    keel_model *m, *beside[2];
    keel_sim *s = bennett_with("gravity[3]", NULL, 1e-8, &m);
    keel_sim *at[] = {bennett_with(NULL, "gravity[3]=-1e-4", 1e-11, &beside[0]),
                      bennett_with(NULL, "gravity[3]=1e-4", 1e-11, &beside[1])};
    keel_row row;
    double largest = 0, off = 0;
    for (int c = 0; keel_sim_column(at[0], c); c++) {
        const char *plain = keel_sim_column(at[0], c);
        char name[200];
        snprintf(name, sizeof name, "d/dgravity[3] %s", plain);
        double by_runs = (column_of(at[1], plain) - column_of(at[0], plain)) / 2e-4;
        largest = fmax(largest, fabs(by_runs));
        off = fmax(off, fabs(column_of(s, name) - by_runs));
    }
    if (!(largest > 0.1 && off <= 1e-6 * largest)) fail_msg("off by %g of %g", off, largest);
    for (int k = 0; keel_sim_row_at(s, k, &row); k++)
        if (row.units > 16) fail_msg("%s: %g units", row.name, row.units);
    for (int k = 0; k < 2; k++) keel_sim_close(at[k]), keel_model_close(beside[k]);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Accelerations are what they are whatever forces there are: only round-off of the multipliers grows. */
static void huge_forces_leave_one_solution(void **state) {
    (void)state;
    const char *sets[] = {"gravity=(0,-1e9,0)"};
    keel_model *m = keel_model_load(
        KEEL_EXAMPLES_DIR "/mechanisms/bennett.keel",
        &(keel_model_options){.sensitivity = "gravity[1]", .set = sets, .sets = 1, .interpret = 1});
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
    keel_row row;
    run_to(s, 1e-5);
    for (int k = 0; keel_sim_row_at(s, k, &row); k++)
        if (row.units > 16) fail_msg("%s: %g units", row.name, row.units);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Random ones of each kind; long_linkages takes many. */
static void sensitivities_are_those_of_differences(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        static struct linkage l;
        linkage_make(&l, (enum linkage_kind)(k % 3), (uint64_t)(1 + k / 3 * 2), 0.1);
        linkage_check(&l);
    }
}

/* Two ways to them: plain mechanics, and its equations with their derivatives.  Here the rows that are left
 * out are nearly parallel as trades of multipliers. */
static void multipliers_are_the_least_ones(void **state) {
    (void)state;
    static double plain[LINKAGE_COLUMNS], beside[LINKAGE_COLUMNS];
    static struct linkage l;
    keel_model *m[2];
    linkage_make(&l, LINKAGE_BENNETT, 1, 0.3);
    keel_sim *p = linkage_run(&l, NULL, NULL, 1e-12, 1, &m[0], plain);
    keel_sim *s = linkage_run(&l, "gravity[2]", NULL, 1e-12, 1, &m[1], beside);
    for (int c = 0; keel_sim_column(p, c); c++) {
        double other = beside[column_named(s, keel_sim_column(p, c))];
        if (!(fabs(other - plain[c]) <= 1e-9 * (1 + fabs(plain[c]))))
            fail_msg("%s: %.12g, beside its derivatives %.12g", keel_sim_column(p, c), plain[c], other);
    }
    keel_sim_close(p), keel_sim_close(s);
    keel_model_close(m[0]), keel_model_close(m[1]);
}

/* With a bar of another length nothing moves, and nothing has a derivative by it. */
static void loops_that_do_not_close_have_no_derivative(void **state) {
    (void)state;
    keel_model *m = keel_model_load(KEEL_EXAMPLES_DIR "/mechanisms/bennett.keel",
                                    &(keel_model_options){.sensitivity = "off", .interpret = 1});
    assert_true(keel_model_status(m) != KEEL_OK);
    assert_non_null(strstr(keel_model_message(m), "the redundant constraints cannot all hold"));
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_in_force_follow_the_motion),
                                       cmocka_unit_test(huge_forces_leave_one_solution),
                                       cmocka_unit_test(sensitivities_are_those_of_differences),
                                       cmocka_unit_test(multipliers_are_the_least_ones),
                                       cmocka_unit_test(loops_that_do_not_close_have_no_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
