/* test_bdf.c - bdf2: order, rows as they were written, stiffness, a restart; and which of several multipliers
 * methods with their own take. */
#include "model_run.h"

static keel_sim *open_sim(keel_model *m, const char *method, double step) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = pair_of(method, "watch"), .step = step});
    assert_non_null(s);
    assert_ok(keel_sim_solver(s), keel_state_of(keel_sim_solver(s)));
    return s;
}

/* |value - exact| of each column at the end. */
static void errors_at(keel_model *m, const char *method, double step, double t_end, int count,
                      double *error) {
    keel_sim *s = open_sim(m, method, step);
    double value[20], exact[20];
    run_to(s, t_end);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    assert_int_equal(keel_sim_exact(s, t_end, exact), KEEL_OK);
    for (int i = 0; i < count; i++) error[i] = fabs(value[i] - exact[i]);
    keel_kept row;
    for (int i = 0; keel_kept_at(keel_sim_solver(s), i, &row); i++)
        if (row.care == KEEL_ROW_NATIVE) assert_below(row.units, 16);
    keel_sim_close(s);
}

static void assert_order_2(keel_model *m, const char *method, double step, double t_end, int count) {
    double error[2][20], sum[2] = {0, 0};
    for (int halved = 0; halved < 2; halved++) {
        errors_at(m, method, halved ? step / 2 : step, t_end, count, error[halved]);
        for (int i = 0; i < count; i++) sum[halved] += error[halved][i] * error[halved][i];
    }
    assert_within(log2(sum[0] / sum[1]) / 2, 1.85, 2.15);
}

/* u1' has w^2, and a search that begins with w = 0 finds another motion, -w: methods begin with the w that
 * the known rates have. */
static void the_multiplier_is_that_of_the_motion(void **state) {
    (void)state;
    keel_model *m = model_example("liu2006_4_index2");
    assert_order_2(m, "bdf2", 2e-3, 1.5, 3);
    assert_order_2(m, "lgdae", 2e-3, 1.5, 3);
    assert_order_2(m, "lgdae-nested", 2e-3, 1.3, 3);
    keel_model_close(m);
}

static void multipliers_of_index_2_and_3(void **state) {
    (void)state;
    keel_model *circle = model_example("liu2013_3"), *pendulum = model_example("liu2013_4");
    assert_order_2(circle, "bdf2", 2e-3, 1, 5);
    assert_order_2(pendulum, "bdf2", 2e-3, 1, 5);
    keel_model_close(circle);
    keel_model_close(pendulum);
}

/* h f of a fast reaction is far beyond what is there: sqrt(y) of it is no number. */
static void rates_are_not_asked_beyond_the_motion(void **state) {
    (void)state;
    keel_model *m = model_example("chemakzo");
    keel_sim *s = open_sim(m, "bdf2", 0.1);
    run_to(s, 180);
    assert_below(fabs(value_of(s, "y[1]") - 0.1150794920661702), 1e-5);
    keel_sim_close(s);
    keel_model_close(m);
}

/* A decay a thousand times faster than the step is gone after one, and the trapezoidal step before it leaves
 * nothing that rings. */
static void stiff_parts_are_damped(void **state) {
    (void)state;
    keel_model *m =
        model_of("var x\nx' = -1e5*(x - cos(t)) - sin(t)\nexact x = cos(t)\ninit x = 1.1\nrun 0 .. 1\n");
    double error[1];
    errors_at(m, "bdf2", 0.01, 1, 1, error);
    assert_below(error[0], 1e-6);
    keel_model_close(m);
}

/* After an event that changes the state the steps before it are of no use. */
static void an_event_starts_anew(void **state) {
    (void)state;
    keel_model *m = model_of("var x\nx' = 1 - 2*x\nevent jump: t - 0.5 rising -> x := 1\n"
                             "exact x = (1 + exp(-2*mod(t, 0.5)))/2\ninit x = 1\nrun 0 .. 0.9\n");
    double error[1];
    errors_at(m, "bdf2", 0.01, 0.9, 1, error);
    assert_below(error[0], 1e-4);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_multiplier_is_that_of_the_motion),
        cmocka_unit_test(multipliers_of_index_2_and_3),
        cmocka_unit_test(rates_are_not_asked_beyond_the_motion),
        cmocka_unit_test(stiff_parts_are_damped),
        cmocka_unit_test(an_event_starts_anew),
    };
    return cmocka_run_group_tests_name("bdf", tests, NULL, NULL);
}
