/* test_differences.c - how accurate extrapolated central differences are, and what they do outside a
 * domain. */
#include "testing.h"

#include "core/differences.h"

#include <float.h>

/* A function of one variable, seen from x; outside `left` .. `right` it asks for a shorter step. */
struct curve {
    double (*value)(double x);
    double x, left, right;
    int calls, fails_with;
};

static keel_status curve_path(void *context, double s, double *out) {
    struct curve *c = context;
    double x = c->x + s;
    c->calls++;
    if (!(x > c->left && x < c->right)) return c->fails_with ? (keel_status)c->fails_with : KEEL_RETRY;
    out[0] = c->value(x);
    return KEEL_OK;
}

/* |derivative found - sure|; the estimate goes to *estimate. */
static double miss(double (*value)(double), double x, double length, int levels, int derivative, double sure,
                   double *estimate) {
    struct curve c = {.value = value, .x = x, .left = -HUGE_VAL, .right = HUGE_VAL};
    double work[DIFFERENCES_ROOM], out = NAN;
    assert_int_equal(differences_along(curve_path, &c, 1, length, levels, derivative, work, &out, estimate),
                     KEEL_OK);
    return fabs(out - sure);
}

static double power_of(double x, int n) {
    double product = 1;
    for (int i = 0; i < n; i++) product *= x;
    return product;
}

static double line(double x) {
    return 3 * x - 2;
}
static double parabola(double x) {
    return x * x;
}
static double sextic(double x) {
    return power_of(x, 6) - 2 * power_of(x, 5) + x;
}
static double inverse(double x) {
    return 1 / x;
}
static double wild(double x) {
    return sin(40 * x);
}

/* Of degree 7 and 8 too the last entry is exact, but no other entry confirms it: 1e-10 of x^7 at 0 may be
 * chosen. */
static void polynomials_up_to_degree_6_reach_round_off(void **state) {
    (void)state;
    for (double x = -2; x <= 2; x += 0.25) {
        double slope = 6 * power_of(x, 5) - 10 * power_of(x, 4) + 1;
        double bend = 30 * power_of(x, 4) - 40 * power_of(x, 3), size = power_of(fabs(x) + 1, 6);
        assert_below(miss(line, x, 1, DIFFERENCES_LEVELS, 1, 3, NULL), 1e-13);
        assert_below(miss(parabola, x, 1, DIFFERENCES_LEVELS, 1, 2 * x, NULL), 1e-13);
        assert_below(miss(sextic, x, 1, DIFFERENCES_LEVELS, 1, slope, NULL), 1e-14 * 32 * size);
        assert_below(miss(sextic, x, 1, DIFFERENCES_LEVELS, 2, bend, NULL), 1e-14 * 2048 * size);
    }
}

static void smooth_functions_reach_twelve_digits(void **state) {
    (void)state;
    for (double x = -3; x <= 3; x += 0.17) {
        assert_below(miss(exp, x, 1, DIFFERENCES_LEVELS, 1, exp(x), NULL), 1e-12 * exp(x));
        assert_below(miss(sin, x, 1, DIFFERENCES_LEVELS, 1, cos(x), NULL), 1e-12);
        assert_below(miss(exp, x, 1, DIFFERENCES_LEVELS, 2, exp(x), NULL), 3e-10 * exp(x));
        assert_below(miss(sin, x, 1, DIFFERENCES_LEVELS, 2, -sin(x), NULL), 3e-10);
    }
}

/* One level: the error of a quotient at eps^(1/3), eps^(1/4) of the length. */
static void one_level_is_enough_for_a_newton_matrix(void **state) {
    (void)state;
    for (double x = -3; x <= 3; x += 0.17) {
        assert_below(miss(exp, x, 1, 1, 1, exp(x), NULL), 1e-9 * exp(x));
        assert_below(miss(sin, x, 1, 1, 1, cos(x), NULL), 1e-9);
        assert_below(miss(sin, x, 1, 1, 2, -sin(x), NULL), 1e-6);
    }
}

/* A length typical for the path: 1/x at 1e-6 has one of 1e-6; relative accuracy does not depend on it.
 * With the singularity one length away the last entry of the scheme is off by (s0 s1 s2 s3)^2 = 2^-36 =
 * 1.5e-11. */
static void accuracy_follows_the_length_of_the_path(void **state) {
    (void)state;
    for (int power = -9; power <= 9; power++) {
        double x = 1.7 * pow(10, power);
        assert_below(miss(inverse, x, x, DIFFERENCES_LEVELS, 1, -1 / (x * x), NULL), 2e-11 / (x * x));
        assert_below(miss(inverse, x, x, DIFFERENCES_LEVELS, 2, 2 / (x * x * x), NULL), 1e-8 / (x * x * x));
    }
}

/* The estimate belongs to the entry that is returned: it bounds the truth.  A length that is too long is
 * shortened. */
static void estimated_error_bounds_the_true_error(void **state) {
    (void)state;
    double estimate;
    for (double x = -1; x <= 1; x += 0.09)
        for (int derivative = 1; derivative <= 2; derivative++)
            for (double length = 0.01; length < 30; length *= 2) {
                double sure = derivative == 1 ? 40 * cos(40 * x) : -1600 * sin(40 * x);
                double truth = miss(wild, x, length, DIFFERENCES_LEVELS, derivative, sure, &estimate);
                if (length < 0.5) assert_below(truth, 2 * estimate + 1e-9 * 1600);
            }
    for (double x = -1; x <= 1; x += 0.09) {
        double truth = miss(exp, x, 1, DIFFERENCES_LEVELS, 1, exp(x), &estimate);
        assert_below(truth, 4 * estimate + 2e-14);
        assert_below(estimate, 1e-10);
    }
    assert_below(miss(wild, 0.3, 7, DIFFERENCES_LEVELS, 1, 40 * cos(12), &estimate), 1e-9);
}

static keel_status four_values(void *context, double s, double *out) {
    (void)context;
    out[0] = exp(s);
    out[1] = 1e12 * sin(s);
    out[2] = 5;
    out[3] = 1e-12 * s * s * s + 1e-12 * s;
    return KEEL_OK;
}

static void each_value_is_extrapolated_for_itself(void **state) {
    (void)state;
    double work[4 * DIFFERENCES_ROOM], out[4], worst;
    static const double sure[4] = {1, 1e12, 0, 1e-12};
    assert_int_equal(differences_along(four_values, NULL, 4, 1, DIFFERENCES_LEVELS, 1, work, out, &worst),
                     KEEL_OK);
    for (int i = 0; i < 4; i++) assert_below(fabs(out[i] - sure[i]), 1e-12 * sure[i]);
    assert_true(out[2] == 0);
    assert_within(worst, 1e-6, 1e2); /* of the value of size 1e12 */
}

/* log at 0.01 with a length of 1: the first step, 1/8, leaves the domain; a sixteenth of it, 0.78 of the
 * way to the edge, does not, and is as good as that is: 0.78^8 / 2^12 / 9. */
static void domain_edges_are_met_with_shorter_steps(void **state) {
    (void)state;
    struct curve c = {.value = log, .x = 0.01, .left = 0, .right = HUGE_VAL};
    double work[DIFFERENCES_ROOM], out, estimate;
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 1, work, &out, &estimate),
                     KEEL_OK);
    assert_below(fabs(out / 100 - 1), 1e-5);
    assert_below(fabs(out - 100), estimate);
    c.x = 0.1;
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 1, work, &out, NULL),
                     KEEL_OK);
    assert_below(fabs(out / 10 - 1), 1e-12);
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 2, work, &out, NULL),
                     KEEL_OK);
    assert_below(fabs(out / 100 + 1), 1e-9);
}

static void a_point_without_surroundings_is_given_back_as_a_retry(void **state) {
    (void)state;
    struct curve c = {.value = log, .x = 1e-9, .left = 0, .right = HUGE_VAL};
    double work[DIFFERENCES_ROOM], out;
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 1, work, &out, NULL),
                     KEEL_RETRY);
    assert_true(c.calls < 40);
    c.x = -1; /* not even the middle */
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 2, work, &out, NULL),
                     KEEL_RETRY);
}

static void a_failure_is_given_back_at_once(void **state) {
    (void)state;
    struct curve c = {.value = log, .x = 0.01, .left = 0, .right = HUGE_VAL, .fails_with = KEEL_EUSER};
    double work[DIFFERENCES_ROOM], out;
    assert_int_equal(differences_along(curve_path, &c, 1, 1, DIFFERENCES_LEVELS, 1, work, &out, NULL),
                     KEEL_EUSER);
    assert_true(c.calls <= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_up_to_degree_6_reach_round_off),
        cmocka_unit_test(smooth_functions_reach_twelve_digits),
        cmocka_unit_test(one_level_is_enough_for_a_newton_matrix),
        cmocka_unit_test(accuracy_follows_the_length_of_the_path),
        cmocka_unit_test(estimated_error_bounds_the_true_error),
        cmocka_unit_test(each_value_is_extrapolated_for_itself),
        cmocka_unit_test(domain_edges_are_met_with_shorter_steps),
        cmocka_unit_test(a_point_without_surroundings_is_given_back_as_a_retry),
        cmocka_unit_test(a_failure_is_given_back_at_once),
    };
    return cmocka_run_group_tests_name("differences", tests, NULL, NULL);
}
