/* test_taylor.c - the method taylor: its order, its errors, values between the steps, and where it ends. */
#include "example_list.h"
#include "extras.h"
#include "model_run.h"
#include "series.h"

#include "model/private.h"

#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of a rotation, over `steps` steps to t = 30. */
static double rotation_error(const keel_problem *p, int order, double steps) {
    keel_solver *s = keel_open(
        p, &(keel_options){.method = "taylor", .order = order, .step = 30 / steps, .compensated = 1});
    assert_ok(s, keel_run(s, 30));
    const double *x = keel_state(s);
    double error = hypot(x[0] - sin(30), x[1] - cos(30));
    keel_close(s);
    return error;
}

static void any_order_is_seen_with_fixed_steps(void **state) {
    (void)state;
    keel_model *m = interpreted("model m\nvar x, y\nx' = y\ny' = -x\ninit x = 0\ninit y = 1\nrun 0 .. 30\n");
    for (int order = 2; order <= 30; order += order < 9 ? 1 : 3) {
        double steps = 4, first;
        while ((first = rotation_error(problem_of(m), order, steps)) > 1e-5) steps = ceil(1.1 * steps);
        double more = ceil(1.4 * steps), second = rotation_error(problem_of(m), order, more),
               seen = log(first / second) / log(more / steps);
        if (!(seen > 0.95 * order - 0.1 && seen < 1.05 * order + 0.1))
            fail_msg("order %d: %g with %g steps, %g with %g: order %.2f", order, first, steps, second, more,
                     seen);
    }
    keel_model_close(m);
}

static double kepler_run(const char *method, double rtol, const char *stabilizer, double periods,
                         double *time, keel_stats *stats) {
    problem p;
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(
        &p.keel, &(keel_options){.method = pair_of(method, stabilizer), .rtol = rtol, .atol = 1e-3 * rtol});
    double begin = seconds();
    assert_ok(s, keel_run(s, periods * p.t_end));
    *time = seconds() - begin;
    *stats = keel_statistics(s);
    double error = error_to_exact(&p, s);
    keel_close(s);
    return error;
}

static void errors_follow_the_tolerance_down_to_round_off(void **state) {
    (void)state;
    for (double rtol = 1e-4; rtol > 5e-15; rtol /= 10) {
        double time, error;
        keel_stats stats;
        error = kepler_run("taylor", rtol, "none", 1, &time, &stats);
        assert_within(error, 0.02 * rtol - 1e-13, 300 * rtol + 1e-13);
        if (stats.rejected > stats.steps / 10)
            fail_msg("%ld of %ld steps are rejected", stats.rejected, stats.steps);
    }
}

/* One written by hand keeps few numbers an order; that it costs little does not follow. */
static void series_by_hand_have_the_usual_order(void **state) {
    (void)state;
    for (double rtol = 1e-5; rtol > 5e-13; rtol /= 1000) {
        double time;
        keel_stats stats;
        kepler_run("taylor", rtol, "project", 1, &time, &stats);
        assert_below((double)stats.calls / (double)stats.steps, 8 - log(rtol));
    }
}

/* A ring of bodies that turns: as many recurrences as pairs, which do not wait for each other. */
static double order_of_ring(int bodies, double rtol) {
    char text[900];
    snprintf(text, sizeof text,
             "model ring\nparam N = %d, w = sqrt(sum(k in 1..N-1, 1/sin(pi*k/N))/4)\n"
             "canonical q[1..N][1..2], p[1..N][1..2]\n"
             "hamiltonian sum(i in 1..N, dot(p[i], p[i])/2) - sum(i in 1..N, j in i+1..N, 1/norm(q[i] - "
             "q[j]))\nfor i in 1..N:\n    let a[i] = 2*pi*i/N\n"
             "    init q[i] = (cos(a[i]), sin(a[i])), p[i] = w*(-sin(a[i]), cos(a[i]))\nrun 0 .. 1\n",
             bodies);
    keel_model *m = model_of(text);
    keel_solver *s = keel_open(problem_of(m), &(keel_options){.method = "taylor+none", .rtol = rtol});
    assert_ok(s, keel_run(s, 1));
    keel_stats stats = keel_statistics(s);
    keel_close(s);
    keel_model_close(m);
    return (double)stats.calls / (double)stats.steps - 1;
}

/* Where sums of p^2 terms are the cost, the order is nearer to Jorba's and Zou's, and still above it. */
static void many_recurrences_have_a_lower_order(void **state) {
    (void)state;
    for (double rtol = 1e-6; rtol > 5e-13; rtol /= 1000) {
        double few = order_of_ring(2, rtol), many = order_of_ring(6, rtol), jorba = 1 - log(rtol) / 2;
        if (!(many < 0.9 * few && many > jorba))
            fail_msg("rtol %g: order %.1f of few, %.1f of many, %.1f by Jorba and Zou", rtol, few, many,
                     jorba);
    }
}

static void kepler_over_25_periods_is_right_to_1e_12(void **state) {
    (void)state;
    double time, other;
    keel_stats stats, others;
    double error = kepler_run("taylor", 2.5e-15, "project", 25, &time, &stats);
    double theirs = kepler_run("dop853", 2.5e-15, "project", 25, &other, &others);
    printf("taylor: error %.2g, %ld steps, %.2f ms; dop853: error %.2g, %ld steps, %.2f ms\n", error,
           stats.steps, 1e3 * time, theirs, others.steps, 1e3 * other);
    assert_below(error, 1e-12);
    assert_below(stats.steps, others.steps / 3);
}

/* The closed form at the output times of a model that switches: the series of the branch left is noticed. */
static void switches_do_not_pass_unseen(void **state) {
    (void)state;
    /* those in a branch of an `if` end no step: error control alone meets them */
    keel_model *m =
        model_of("model m\nvar x, y, z, w\nx' = abs(t - 0.7)\ny' = if(t < 0.7, 0, cos(t))\n"
                 "z' = sqrt(if(t < 1.3, 1, 4))\nw' = if(t > -1, max(abs(t - 0.7), abs(t - 1.1)), 0)\n"
                 "init x = 0\ninit y = 0\ninit z = 0\ninit w = 0\nrun 0 .. 2\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-9});
    run_to(s, 2);
    assert_near(value_of(s, "x"), 0.5 * (0.49 + 1.69), 1e-8);
    assert_near(value_of(s, "y"), sin(2) - sin(0.7), 1e-8);
    assert_near(value_of(s, "z"), 1.3 + 2 * 0.7, 1e-8);
    assert_near(value_of(s, "w"), (1.1 * 1.1 - 0.2 * 0.2) / 2 + (1.3 * 1.3 - 0.2 * 0.2) / 2, 1e-8);
    keel_sim_close(s);
    keel_model_close(m);
}

/* The slope of tanh is had from tanh itself: cosh overflows where tanh is 1. */
static void tanh_levels_off(void **state) {
    (void)state;
    keel_model *m = model_of("model m\nvar x\nx' = tanh(1000*x)\ninit x = 1\nrun 0 .. 1\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-12});
    run_to(s, 1);
    assert_near(value_of(s, "x"), 2, 1e-14);
    keel_sim_close(s);
    keel_model_close(m);
}

/* sin(t^4) has no terms of order 13 to 19, and t^3 none above 3: steps are neither endless nor short. */
static void vanishing_terms_do_not_mislead(void **state) {
    (void)state;
    keel_model *m =
        model_of("model m\nvar x, y\nx' = 4*t^3*cos(t^4)\ny' = 3*t^2\ninit x = 0\ninit y = 0\nrun 0 .. 2\n");
    keel_sim *s =
        keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-10, .atol = 1e-10, .order = 18});
    run_to(s, 2);
    assert_near(value_of(s, "x"), sin(16), 1e-7);
    assert_near(value_of(s, "y"), 8, 1e-9);
    keel_sim_close(s);
    keel_model_close(m);
}

static void values_between_the_steps_are_those_of_the_polynomial(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.3, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "taylor+none", .rtol = 1e-12});
    double u[4], exact[4];
    while (keel_time(s) < 6) {
        double before = keel_time(s);
        assert_ok(s, keel_step(s, 7));
        for (double theta = 0.1; theta < 1; theta += 0.2) {
            double t = before + theta * (keel_time(s) - before);
            assert_ok(s, keel_eval(s, t, u));
            p.exact(&p, t, exact);
            for (int i = 0; i < 4; i++) assert_near(u[i], exact[i], 1e-10);
        }
    }
    keel_close(s);
}

static void refused(const keel_problem *p, keel_options o, const char *sentence) {
    keel_solver *s = keel_open(p, &o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (strcmp(keel_message(s), sentence) != 0) fail_msg("%s", keel_message(s));
    keel_close(s);
}

static void what_cannot_be_done_is_said(void **state) {
    (void)state;
    problem p, without;
    problem_kepler(&p, 0.3, 1);
    problem_lotka_volterra(&without);
    refused(
        &without.keel, (keel_options){.method = "taylor"},
        "taylor: it needs the series of a model, or extras.series; a long model has one if it is read for "
        "taylor (keel_model_options.method), unless that would take more than 2 GB of memory, or the pattern "
        "of its equations leaves some of more than 128 highest derivatives and multipliers open");
    refused(&p.keel, (keel_options){.method = "taylor", .order = 61},
            "order = 61: it must lie between 2 and 60, or be 0");
    refused(&p.keel, (keel_options){.method = "dop853", .order = 8},
            "dop853 has one order: leave options.order out");
    refused(&p.keel, (keel_options){.method = "taylor+baumgarte"},
            "baumgarte adds a term to f, and taylor makes its steps from other parts of the problem");
    own_extras(&p.keel)->series.workspace = -1;
    refused(&p.keel, (keel_options){.method = "taylor"},
            "extras.series.workspace = -1 and extras.series.per_order = 2: they must be 0 .. 268435456");
    keel_model *m = model_of("model m\nvar y\ny - sin(t) = 0\nrun 0 .. 1\n");
    refused(
        problem_of(m), (keel_options){.method = "taylor"},
        "taylor: it needs the series of a model, or extras.series; a long model has one if it is read for "
        "taylor (keel_model_options.method), unless that would take more than 2 GB of memory, or the pattern "
        "of its equations leaves some of more than 128 highest derivatives and multipliers open");
    keel_model_close(m);
}

/* A line of springs that are not linear, long enough that nobody has a series unasked. */
static keel_model *line_of_springs(const char *method) {
    static const char text[] = "model m\nparam N = 5000\nvar x[1..N], v[1..N]\nlet X[0] = 0, X[N+1] = 0\n"
                               "let F(r) = r + r^2/4\nfor i in 1..N:\n  let X[i] = x[i]\n"
                               "  init x[i] = sin(30*i/N), v[i] = 0\n  x[i]' = v[i]\n"
                               "for i in 1..N: v[i]' = F(X[i+1] - x[i]) - F(x[i] - X[i-1]) - 0.1*sin(v[i])\n"
                               "run 0 .. 1\n";
    const keel_model_options o = {.interpret = 1, .method = method};
    keel_model *m = keel_model_read("springs", text, sizeof text - 1, &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static void long_models_have_series_for_who_asks(void **state) {
    const char *const method[] = {"taylor", "dop853"};
    keel_solver *s[2];
    (void)state;
    keel_model *m = line_of_springs("taylor");
    for (int k = 0; k < 2; k++) {
        s[k] = keel_open(problem_of(m), &(keel_options){.method = method[k], .rtol = 1e-9});
        assert_ok(s[k], keel_run(s[k], 1));
    }
    double apart = 0;
    for (int i = 0; i < 10000; i++) apart = fmax(apart, fabs(keel_state(s[0])[i] - keel_state(s[1])[i]));
    assert_below(apart, 1e-8);
    for (int k = 0; k < 2; k++) keel_close(s[k]);
    keel_model_close(m);
    m = line_of_springs(NULL);
    assert_null(keel_extras_of(problem_of(m))->series.value);
    keel_model_close(m);
}

static int gives_up(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)u, (void)orders, (void)out, (void)work, (void)user;
    return t > 1 ? -7 : 1;
}

static void a_series_that_fails_ends_the_run(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.3, 1);
    own_extras(&p.keel)->series.value = gives_up;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "taylor"});
    assert_true(keel_run(s, 3) < 0);
    assert_non_null(strstr(keel_message(s), "asks for a shorter step"));
    keel_close(s);
}

/* Behind a branch point there is no solution: the run ends there, as it does with other methods, and does not
 * stand still in steps that are shorter than the tolerance.  x moves slowly there: its error is a later
 * end. */
static void branch_points_end_the_run(void **unused) {
    (void)unused;
    const struct {
        const char *rate;
        double end;
    } variant[] = {
        {"-sqrt(x - 0.2) - 0.1", 2 * (sqrt(0.8) - 0.1 * log(1 + sqrt(0.8) / 0.1))},
        {"-sqrt(x) - 1", 2 - 2 * log(2)},
        {"-2*sqrt(x - 0.5) - 1", sqrt(0.5) - 0.5 * log(1 + 2 * sqrt(0.5))},
        {"-sqrt(x + 1) - 0.25", 2 * (sqrt(2) - 0.25 * log(1 + 4 * sqrt(2)))},
        {"-1e-3*(sqrt(1e3*x) + 1)", 0},
        {"-sqrt(x)/3 - 1/30", 3 * 2 * (1 - 0.1 * log(11))},
    };
    for (size_t k = 0; k < sizeof variant / sizeof *variant; k++)
        for (double rtol = 1e-4; rtol > 1e-12; rtol *= 1e-3) {
            char text[200];
            double b = sqrt(1e3); /* u = sqrt(x): u' = -1e-3 (b u + 1)/(2 u) */
            double end = variant[k].end > 0 ? variant[k].end : 2e3 / b * (1 - log(1 + b) / b);
            snprintf(text, sizeof text, "var x\nx' = %s\ninit x = 1\nrun 0 .. 1000\n", variant[k].rate);
            keel_model *m = keel_model_read("branch.keel", text, strlen(text), NULL);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = rtol});
            assert_true(keel_sim_run(s, 1000) < 0);
            double t = keel_time(keel_sim_solver(s));
            if (fabs(t - end) > 1000 * rtol * end + 1e-7) fail_msg("%s: %.10g, not %.10g", text, t, end);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_seen_with_fixed_steps),
        cmocka_unit_test(errors_follow_the_tolerance_down_to_round_off),
        cmocka_unit_test(series_by_hand_have_the_usual_order),
        cmocka_unit_test(many_recurrences_have_a_lower_order),
        cmocka_unit_test(kepler_over_25_periods_is_right_to_1e_12),
        cmocka_unit_test(switches_do_not_pass_unseen),
        cmocka_unit_test(tanh_levels_off),
        cmocka_unit_test(vanishing_terms_do_not_mislead),
        cmocka_unit_test(values_between_the_steps_are_those_of_the_polynomial),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(long_models_have_series_for_who_asks),
        cmocka_unit_test(a_series_that_fails_ends_the_run),
        cmocka_unit_test(branch_points_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
