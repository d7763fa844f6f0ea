/* test_fit.c - fits: true standard deviations, several experiments, missing values, bounds, stiff models,
 * start values, events, what the data cannot tell apart, doubts, refusals. */
#include "fit_repeats.h"

/* A hundred fits: the sample's spread has an error of 7 %, the part that is covered one of 2.2 %. */
static void deviations_are_true(void **state) {
    (void)state;
    struct repeats r = repeat_fits(100, 1);
    for (int k = 0; k < 2; k++) {
        assert_within(r.spread[k], 0.8, 1.2);
        assert_within(r.covered[k], 0.88, 1);
    }
}

static keel_model *model; /* of the fit at hand */

static keel_fit *fitted(const char *text, const char *names, const char *set, const char *table,
                        const char *bound) {
    model = repeats_model(text, names);
    if (set) assert_int_equal(keel_model_set(model, set), KEEL_OK);
    keel_fit *f = keel_fit_open(model, NULL, NULL);
    keel_fit_table(f, "data.csv", table, strlen(table));
    if (bound) keel_fit_bound(f, bound);
    keel_fit_run(f);
    return f;
}

static void done(keel_fit *f) {
    keel_fit_close(f);
    keel_model_close(model);
}

/* x' = -k x from x0: with two experiments of other x0, rows in any order, a value missing. */
static const char decay[] =
    "param k = 1, x0 = 1\nvar x\nx' = -k*x\ninit x = x0\noutput twice = 2*x\nrun 0 .. 1\n";

static void experiments_are_told_by_their_settings(void **state) {
    (void)state;
    char table[4000] = "t,x0,twice,x\n";
    for (int i = 9; i >= 0; i--)
        for (int e = 1; e <= 2; e++) {
            double t = 0.2 * i, x = e * exp(-0.7 * t);
            snprintf(table + strlen(table), 100, i == 4 ? "%.17g,%d,NA,%.17g\n" : "%.17g,%d,%.17g,\n", t, e,
                     i == 4 ? x : 2 * x);
        }
    keel_fit *f = fitted(decay, "k", NULL, table, NULL);
    keel_fitted v;
    keel_fit_summary s;
    if (keel_fit_status(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    assert_true(keel_fit_at(f, 0, &v) && keel_fit_summarise(f, &s));
    assert_below(fabs(v.value - 0.7), 1e-7);
    assert_int_equal(s.experiments, 2);
    assert_int_equal(s.points, 20);
    assert_int_equal(s.missing, 20);
    assert_non_null(strstr(keel_fit_experiment(f, 1), "x0 ="));
    done(f);
}

/* A search that begins at nothing, exactly or nearly, and in any unit, does not end there. */
static void beginnings_near_zero_are_left(void **state) {
    (void)state;
    static const char *const start[] = {"k=0", "k=1e-300", "k=-1e-18", "k=1e-9", "k=1e9"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
        keel_fit *f = fitted("param k = 1\nvar s\ns' = 1\noutput y = 1e9*k*s\ninit s = 0\nrun 0 .. 9\n", "k",
                             start[i], "t,y\n1,2.01\n2,3.99\n3,6\n4,8.01\n", NULL);
        keel_fitted v;
        if (keel_fit_status(f) != KEEL_OK) fail_msg("%s: %s", start[i], keel_fit_message(f));
        assert_true(keel_fit_at(f, 0, &v));
        if (!(fabs(v.value / 2.001e-9 - 1) < 1e-3)) fail_msg("%s: %g", start[i], v.value);
        done(f);
    }
}

/* A parameter that cancels, alone: it stays where it begins, and is told. */
static void what_the_data_do_not_show_stays(void **state) {
    (void)state;
    keel_fit *f = fitted("param m = 1, g = 9.81\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\n"
                         "constraint rod: x^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x = 1\nrun 0 .. 3\n",
                         "m", NULL, "t,x\n0.1,1.02\n0.3,0.9\n0.5,0.4\n1,-1.03\n1.2,-0.98\n", NULL);
    keel_fitted v;
    if (keel_fit_status(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    assert_true(keel_fit_at(f, 0, &v));
    assert_true(v.value == 1 && isnan(v.deviation));
    assert_non_null(keel_fit_free(f, 0));
    done(f);
}

/* Straight lines have closed forms: x = a + b t with known sigma. */
static void a_line_has_its_covariance(void **state) {
    (void)state;
    static const double t[5] = {0, 1, 2, 3, 4}, x[5] = {0.1, 0.9, 2.2, 2.8, 4.1},
                        sigma[5] = {0.1, 0.2, 0.1, 0.3, 0.1};
    double w = 0, wt = 0, wtt = 0, wx = 0, wtx = 0;
    char table[600] = "t,x,sigma x\n";
    for (int i = 0; i < 5; i++) {
        double weight = 1 / sigma[i] / sigma[i];
        snprintf(table + strlen(table), 100, "%.17g,%.17g,%.17g\n", t[i], x[i], sigma[i]);
        w += weight, wt += weight * t[i], wtt += weight * t[i] * t[i];
        wx += weight * x[i], wtx += weight * t[i] * x[i];
    }
    double det = w * wtt - wt * wt, a = (wtt * wx - wt * wtx) / det, b = (w * wtx - wt * wx) / det;
    keel_fit *f = fitted("param b = 3\nvar x\nx' = b\ninit x = 7\nrun 0 .. 4\n", "x, b", NULL, table, NULL);
    keel_fitted v[2];
    keel_fit_summary s;
    if (keel_fit_status(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    assert_true(keel_fit_at(f, 0, &v[0]) && keel_fit_at(f, 1, &v[1]) && keel_fit_summarise(f, &s) && s.given);
    assert_below(fabs(v[0].value - a) + fabs(v[1].value - b), 1e-9);
    assert_below(fabs(v[0].deviation - sqrt(wtt / det)), 1e-7);
    assert_below(fabs(v[1].deviation - sqrt(w / det)), 1e-7);
    assert_below(fabs(keel_fit_covariance(f, 0, 1) + wt / det), 1e-8);
    assert_below(fabs(v[1].high - v[1].value - 1.959964 * v[1].deviation), 1e-5);
    done(f);
}

/* Student's quantile for three degrees of freedom is 3.1824. */
static void few_points_have_wide_intervals(void **state) {
    (void)state;
    keel_fit *f = fitted("param b = 3\nvar x\nx' = b\ninit x = 0\nrun 0 .. 4\n", "b", NULL,
                         "t,x\n1,1.1\n2,1.9\n3,3.2\n4,3.9\n", NULL);
    keel_fitted v;
    assert_true(keel_fit_at(f, 0, &v));
    assert_below(fabs((v.high - v.value) / v.deviation - 3.182446), 1e-5);
    done(f);
}

/* The three rates, nine orders of magnitude apart, from a start off by factors of 2 to 5. */
static void robertson_has_its_rates(void **state) {
    (void)state;
    static const char text[] =
        "param a = 0.04, b = 3e7, c = 1e4\nvar y[1..3]\ny[1]' = -a*y[1] + c*y[2]*y[3]\n"
        "y[2]' = a*y[1] - c*y[2]*y[3] - b*y[2]^2\ny[1] + y[2] + y[3] = 1\n"
        "init y = (1, 0, 0)\nrun 0 .. 1000\n";
    static const char *const name[] = {"t", "y[1]", "y[2]", "y[3]"}, *const set[] = {"a=0.1", "b=1e7",
                                                                                     "c=5e4"};
    static const double truth[] = {0.04, 3e7, 1e4};
    double value[40 * 4];
    uint64_t seed = 3;
    keel_model *m = repeats_model(text, "a, b, c");
    keel_options o = {.method = "radau", .rtol = 1e-8, .atol = 1e-14};
    keel_sim *s = keel_sim_open(m, &o);
    double all[20];
    for (int i = 0; i < 40; i++) {
        value[4 * i] = pow(10, -3 + 6.0 * i / 39);
        assert_int_equal(keel_sim_run(s, value[4 * i]), KEEL_OK);
        assert_int_equal(keel_sim_values(s, all), KEEL_OK);
        for (int k = 0; k < 3; k++) {
            assert_string_equal(keel_sim_column(s, k), name[k + 1]);
            value[4 * i + 1 + k] = all[k] + (k == 1 ? 1e-7 : 1e-3) * repeats_normal(&seed);
        }
    }
    keel_sim_close(s);
    assert_int_equal(keel_model_set_all(m, set, 3), KEEL_OK);
    keel_fit *f = keel_fit_open(m, &o, NULL);
    assert_int_equal(keel_fit_columns(f, NULL, 4, name, 40, value), KEEL_OK);
    if (keel_fit_run(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    for (int k = 0; k < 3; k++) {
        keel_fitted v;
        assert_true(keel_fit_at(f, k, &v));
        assert_below(fabs(v.value / truth[k] - 1), 0.02);
        assert_below(fabs(v.value - truth[k]), 4 * v.deviation);
    }
    keel_fit_close(f);
    keel_model_close(m);
}

/* The height of a ball that bounces: g, restitution and the first height through its jumps. */
static void a_bouncing_ball_is_fitted_through_its_jumps(void **state) {
    (void)state;
    static const char text[] = "param g = 9.81, e = 0.9, h0 = 1\nvar h, v\nh' = v\nv' = -g\n"
                               "event hit: h falling -> v := -e*v\ninit h = h0, v = 0\nrun 0 .. 3\n";
    static const char *const name[] = {"t", "h"}, *const set[] = {"g=9.7", "e=0.89", "h0=1.02"};
    static const double truth[] = {9.81, 0.9, 1};
    double value[60 * 2];
    keel_model *m = repeats_model(text, "g, e, h0");
    repeats_truth(m, 1, name + 1, 3, 60, value);
    assert_int_equal(keel_model_set_all(m, set, 3), KEEL_OK);
    keel_fit *f = keel_fit_open(m, NULL, NULL);
    assert_int_equal(keel_fit_columns(f, NULL, 2, name, 60, value), KEEL_OK);
    if (keel_fit_run(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    for (int k = 0; k < 3; k++) {
        keel_fitted v;
        assert_true(keel_fit_at(f, k, &v));
        assert_below(fabs(v.value - truth[k]), 1e-6);
    }
    keel_fit_close(f);
    keel_model_close(m);
}

/* What the data do not tell is said, with the combination that they do tell. */
static void free_combinations_are_named(void **state) {
    (void)state;
    static const char table[] = "t,x\n0.1,0.92\n0.5,0.63\n1,0.36\n1.5,0.23\n2,0.14\n2.5,0.08\n3,0.05\n";
    static const struct {
        const char *rate, *names, *words;
        int determined; /* of the values */
    } row[] = {
        {"a*b", "a, b", "only a*b is determined", 0},
        {"a/b", "a, b", "only a/b is determined", 0},
        {"a^2*b", "a, b", "only a^2*b is determined", 0},
        {"(a + b)", "a, b", "only a + b is determined", 0},
        {"(3*a - b)", "a, b", "only 3*a - b is determined", 0},
        {"a*b*c", "a, b, c", "do not determine", 0},
        {"a", "a, b", "do not depend on `b`", 1},
        {"(a*b + 0*c)", "a, b, x", "only a*b is determined", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "param a = 1.3, b = 0.9, c = 1\nvar x\nx' = -%s*x\ninit x = 1\nrun 0 .. 3\n", row[i].rate);
        keel_fit *f = fitted(text, row[i].names, NULL, table, NULL);
        keel_fitted v;
        int determined = 0;
        if (keel_fit_status(f) != KEEL_OK) fail_msg("%s: %s", row[i].rate, keel_fit_message(f));
        if (!keel_fit_free(f, 0)) fail_msg("%s: nothing is said", row[i].rate);
        if (!strstr(keel_fit_free(f, 0), row[i].words)) fail_msg("%s: %s", row[i].rate, keel_fit_free(f, 0));
        for (int k = 0; keel_fit_at(f, k, &v); k++) determined += isfinite(v.deviation);
        assert_int_equal(determined, row[i].determined);
        done(f);
    }
}

static void bounds_hold_and_are_told(void **state) {
    (void)state;
    static const char table[] = "t,x\n0.5,0.63\n1,0.36\n1.5,0.23\n2,0.14\n";
    keel_fit *f = fitted(decay, "k, x0", "k=0.5", table, "k=0.1:0.8");
    keel_fitted k, x0;
    if (keel_fit_status(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
    assert_true(keel_fit_at(f, 0, &k) && keel_fit_at(f, 1, &x0));
    assert_true(k.value == 0.8 && k.bound == 1 && isnan(k.deviation));
    assert_true(x0.bound == 0 && x0.deviation > 0);
    done(f);
}

/* A wrong model leaves residuals with a memory; sigma that cannot be is told. */
static void doubts_are_told(void **state) {
    (void)state;
    char table[4000] = "t,x,sigma x\n";
    for (int i = 0; i < 40; i++)
        snprintf(table + strlen(table), 90, "%g,%.17g,0.001\n", 0.1 * i, exp(-0.1 * i) + 0.1 * sin(0.5 * i));
    keel_fit *f = fitted(decay, "k", NULL, table, NULL);
    assert_int_equal(keel_fit_status(f), KEEL_OK);
    assert_non_null(keel_fit_doubt(f, 1));
    assert_non_null(strstr(keel_fit_doubt(f, 0), "follow each other"));
    assert_non_null(strstr(keel_fit_doubt(f, 1), "times as large as the given"));
    done(f);
}

/* One number of y is met exactly by either parameter and draws all weight to itself; so are two of each
 * column by two.  Its noise is not known then, and no deviation is told; a given one tells it. */
static void numbers_met_exactly_tell_no_noise(void **state) {
    (void)state;
    static const char text[] = "param a = 1.2, b = 1\nvar x, y\nx' = a + b*t\ny' = a - b*t^2\n"
                               "init x = 0, y = 0\nrun 0 .. 3\n";
    static const char *const table[] = {"t,x,y\n1,1.6,0.9\n2,4.1,\n2.5,5.7,\n3,7.2,\n",
                                        "t,x,y\n1,1.5,0.6666666666666667\n2,4,-0.6666666666666667\n"};
    for (int i = 0; i < 2; i++) {
        keel_fit *f = fitted(text, "a,b", NULL, table[i], NULL);
        keel_fit_summary s;
        keel_fitted v;
        assert_int_equal(keel_fit_status(f), KEEL_OK);
        assert_true(keel_fit_summarise(f, &s) && s.freedom == 0);
        for (int k = 0; keel_fit_at(f, k, &v); k++)
            assert_true(isnan(v.deviation) && isnan(v.low) && isfinite(v.value));
        assert_non_null(strstr(keel_fit_doubt(f, 0), "nothing is left to estimate the noise"));
        assert_null(keel_fit_free(f, 0));
        done(f);
    }
}

static void refusals_say_why(void **state) {
    (void)state;
    static const struct {
        const char *names, *table, *bound, *words;
    } row[] = {
        {NULL, "t,x\n1,2\n", NULL, "nothing is to be fitted"},
        {"k", "x\n1\n", NULL, "has no column t"},
        {"k", "t,x\n1,2\n", NULL, "do not suffice"},
        {"k", "t,y\n1,2\n", NULL, "neither a column nor a parameter `y`"},
        {"k", "t\n1\n", NULL, "no column of the model"},
        {"k", "t,x,k\n1,2,3\n", NULL, "`k` is to be fitted"},
        {"k", "t,x\n-1,2\n0,2\n", NULL, "row 1: t = -1 lies before the run"},
        {"k", "t,x,sigma x\n0,2,0\n", NULL, "must be positive"},
        {"k", "t,x,sigma x\n0,2,\n", NULL, "must be positive"},
        {"k", "t,x\n,2\n", NULL, "`t` must not be missing"},
        {"k", "t,x\n0,zwei\n", NULL, "`zwei` is no number"},
        {"k", "t,x\n0,1\n1,2\n", "k=2:3", "beyond its bounds"},
        {"k", "t,x\n0,1\n1,2\n", "k=3:2", "the lower one"},
        {"k", "t,x\n0,1\n1,2\n", "x0=0:", "is not fitted"},
        {"k", "t,x\n0,1\n1,2\n", "k", "write it as"},
        {"k", "t,x,twice,sigma x\n0,1,2,1\n1,2,4,1\n", NULL, "give all of them, or none"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_fit *f = fitted(decay, row[i].names, NULL, row[i].table, row[i].bound);
        keel_fitted v;
        assert_true(keel_fit_status(f) < 0);
        assert_false(keel_fit_at(f, 0, &v));
        if (!strstr(keel_fit_message(f), row[i].words)) fail_msg("%s\n%s", keel_fit_message(f), row[i].table);
        done(f);
    }
}

/* A model that has no values from the start on, and one that ends before its data do. */
static void models_that_fail_are_told(void **state) {
    (void)state;
    static const char table[] = "t,x\n0.5,1\n3,2\n";
    keel_fit *f = fitted("param k = 1\nvar x\nx' = k*x^2\ninit x = 1\nrun 0 .. 1\n", "k", NULL, table, NULL);
    assert_int_equal(keel_fit_status(f), KEEL_ESTART);
    assert_non_null(strstr(keel_fit_message(f), "where the search begins"));
    done(f);
    f = fitted("param k = 1\nvar x\nx' = k\nevent e: x - 2 rising -> stop\ninit x = 1\nrun 0 .. 1\n", "k",
               NULL, table, NULL);
    assert_non_null(strstr(keel_fit_message(f), "before the data do"));
    done(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_data_do_not_show_stays),
        cmocka_unit_test(deviations_are_true),
        cmocka_unit_test(experiments_are_told_by_their_settings),
        cmocka_unit_test(beginnings_near_zero_are_left),
        cmocka_unit_test(a_line_has_its_covariance),
        cmocka_unit_test(few_points_have_wide_intervals),
        cmocka_unit_test(robertson_has_its_rates),
        cmocka_unit_test(a_bouncing_ball_is_fitted_through_its_jumps),
        cmocka_unit_test(free_combinations_are_named),
        cmocka_unit_test(bounds_hold_and_are_told),
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(numbers_met_exactly_tell_no_noise),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(models_that_fail_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
