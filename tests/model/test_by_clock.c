/* test_by_clock.c - steps by a clock, d t = s d tau: at the same times the same motion, of the same order,
 * with what is kept at round-off; conditions of t to the last bits; fewer steps on a long ellipse. */
#include "testing.h"

#include "model_run.h"

#include <keel/sensitivity.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define ORBIT                                                                                           \
    "param e = 0.9\ncanonical q[1..2], p[1..2]\nlet r = norm(q)\n"                                      \
    "hamiltonian H = dot(p, p)/2 - 1/r\ninvariant energy\ninvariant momentum = q[1]*p[2] - q[2]*p[1]\n" \
    "init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\nrun 0 .. 20\n"

static keel_model *timed(const char *text, const char *clock, const char *set) {
    keel_model *m = keel_model_read(
        "test.keel", text, strlen(text),
        &(keel_model_options){.clock = clock, .set = set ? &set : NULL, .sets = set != NULL, .interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static keel_sim *opened(const keel_model *m, const keel_options *o) {
    keel_sim *s = keel_sim_open(m, o);
    assert_non_null(s);
    if (keel_sim_status(s) < 0) fail_msg("%s", keel_sim_message(s));
    return s;
}

/* The place on the ellipse by Kepler's equation, from the side on which Newton's method does not jump. */
static void ellipse(double e, double t, double *q) {
    double mean = remainder(t, 2 * PI), low = -PI, high = PI, anomaly = mean;
    for (int k = 0; k < 200; k++) {
        double off = anomaly - e * sin(anomaly) - mean, next = anomaly - off / (1 - e * cos(anomaly));
        if (off > 0) high = anomaly;
        else low = anomaly;
        anomaly = next > low && next < high ? next : 0.5 * (low + high);
    }
    q[0] = cos(anomaly) - e;
    q[1] = sqrt(1 - e * e) * sin(anomaly);
}

/* The largest error of the place at times between steps, not a grid of anything; the evaluations of f. */
static double error_of(const char *clock, double e, const keel_options *o, long *calls) {
    char set[40];
    snprintf(set, sizeof set, "e=%.17g", e);
    keel_model *m = timed(ORBIT, clock, set);
    keel_sim *s = opened(m, o);
    double largest = 0, value[8], q[2];
    for (int k = 1; k <= 7; k++) {
        double t = 2.7 * k;
        keel_status status = KEEL_OK;
        while (status == KEEL_OK && keel_time(keel_sim_solver(s)) < t) status = keel_sim_advance(s, t, 20);
        if (status != KEEL_OK) fail_msg("%s", keel_sim_message(s));
        assert_int_equal(keel_sim_values_at(s, t, value), KEEL_OK);
        ellipse(e, t, q);
        largest = fmax(largest,
                       hypot(value[column_named(s, "q[1]")] - q[0], value[column_named(s, "q[2]")] - q[1]));
    }
    if (calls) *calls = keel_statistics(keel_sim_solver(s)).calls;
    keel_sim_close(s);
    keel_model_close(m);
    return largest;
}

static void fixed_steps_keep_their_order(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step;
        int order;
    } row[] = {{"rk2", 0.004, 2},   {"rk4", 0.04, 4},           {"rk4+project", 0.04, 4},
               {"dopri5", 0.08, 5}, {"dop853+project", 0.3, 7}, {"ab4", 0.01, 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 2; k++) {
            double once =
                error_of(k ? "r" : "r^1.5", 0.9,
                         &(keel_options){.method = row[i].method, .step = row[i].step / (k ? 4 : 1)}, NULL);
            double twice =
                error_of(k ? "r" : "r^1.5", 0.9,
                         &(keel_options){.method = row[i].method, .step = row[i].step / (k ? 8 : 2)}, NULL);
            double order = log2(once / twice);
            if (!(order > row[i].order - 0.6))
                fail_msg("%s has order %.2f: %.2e, %.2e", row[i].method, order, once, twice);
        }
}

static void answers_are_those_without_a_clock(void **state) {
    (void)state;
    static const char *const method[] = {"dop853+project", "dopri5", "taylor",
                                         "rkf78+project",  "radau",  "bs32"};
    static const char *const clock[] = {"r", "r^1.5", "1 + r^2", "1/(1 + dot(p, p)/2)"};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 4; k++) {
            keel_options o = {.method = method[i], .rtol = i == 5 ? 1e-8 : 1e-10};
            double error = error_of(clock[k], 0.9, &o, NULL), plain = error_of(NULL, 0.9, &o, NULL);
            if (!(error <= 20 * plain + 1e-9))
                fail_msg("%s by %s errs by %.2e, without by %.2e", method[i], clock[k], error, plain);
        }
}

/* Fixed steps that are equal in tau resolve the pericentre, where a step in t would be longer than it. */
static void a_long_ellipse_gains(void **state) {
    (void)state;
    long calls, plain_calls;
    double error = error_of("r^1.5", 0.99, &(keel_options){.method = "rk4", .step = 0.0236}, &calls);
    double plain = error_of(NULL, 0.99, &(keel_options){.method = "rk4", .step = 0.01}, &plain_calls);
    assert_true(calls <= 1.1 * (double)plain_calls);
    if (!(error < 1e-6 * plain)) fail_msg("rk4 errs by %.2e, without a clock by %.2e", error, plain);
    static const char *const method[] = {"dop853", "taylor"};
    for (int i = 0; i < 2; i++) {
        keel_options o = {.method = method[i], .rtol = 1e-10};
        error = error_of("r^1.5", 0.99, &o, &calls);
        plain = error_of(NULL, 0.99, &o, &plain_calls);
        /* of order 8 and more: what the smaller error costs */
        double cheaper = pow(fmin(error / plain, 1), 1. / 8);
        if (!((double)calls * cheaper <= 0.5 * (double)plain_calls && error <= 5 * plain))
            fail_msg("%s: %ld evaluations for %.2e, without a clock %ld for %.2e", method[i], calls, error,
                     plain_calls, plain);
    }
}

static void what_is_kept_stays_at_round_off(void **state) {
    (void)state;
    static const keel_options o[] = {{.method = "rk4+project", .step = 0.05},
                                     {.method = "dop853+project", .rtol = 1e-6},
                                     {.method = "taylor+project", .rtol = 1e-6}};
    keel_model *m = timed(ORBIT, "r^1.5", NULL);
    for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
        keel_sim *s = opened(m, &o[i]);
        keel_row row;
        double drift[2];
        for (int k = 1; k < 100; k++) {
            run_to(s, 0.2 * k);
            assert_int_equal(keel_sim_drifts(s, 0.2 * k, drift), KEEL_OK);
            assert_near(drift[0], 0, 1e-13);
            assert_near(drift[1], 0, 1e-14);
        }
        for (int k = 0; keel_sim_row_at(s, k, &row); k++) assert_true(row.units <= 4);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* s = 1 is no clock: the same steps, but that t is summed and not counted. */
static void a_clock_of_one_changes_round_off_alone(void **state) {
    (void)state;
    static const char *const method[] = {"rk4", "dopri5", "ab4"};
    for (int i = 0; i < 3; i++) {
        keel_options o = {.method = method[i], .step = 0.01};
        double value[2][8];
        for (int k = 0; k < 2; k++) {
            keel_model *m = timed(ORBIT, k ? "1" : NULL, "e=0.3");
            keel_sim *s = opened(m, &o);
            run_to(s, 20);
            assert_int_equal(keel_sim_values(s, value[k]), KEEL_OK);
            keel_sim_close(s);
            keel_model_close(m);
        }
        for (int k = 0; k < 4; k++) assert_near(value[1][k], value[0][k], 1e-12);
    }
}

#define DRIVEN                                                                       \
    "var x, v, n, w\nx' = v\nv' = -x - 0.1*v + cos(3*t)\nn' = 0\nw' = 0\n"           \
    "event late: t - 3.7 rising -> record\nevent up: x rising -> n := n + 1\n"       \
    "event tick: every 0.3 -> w := w + x\nevent once: at t = 2.25 -> v := v + 0.5\n" \
    "init x = 1, v = 0, n = 0, w = 0\nrun 0 .. 10\n"

/* Events at given times are exact, those of t found to the last bits, and what they do is the same. */
static void conditions_of_t_hold_to_the_last_bits(void **state) {
    (void)state;
    static const keel_options o[] = {{.method = "dop853", .rtol = 1e-11},
                                     {.method = "taylor", .rtol = 1e-11},
                                     {.method = "rk4", .step = 0.002}};
    keel_model *plain = timed(DRIVEN, NULL, NULL), *m = timed(DRIVEN, "0.3 + 1/(1 + x^2 + v^2)", NULL);
    for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
        keel_sim *a = opened(plain, &o[0]), *b = opened(m, &o[i]);
        keel_event_record one, other;
        run_to(a, 10);
        run_to(b, 10);
        assert_true(keel_time(keel_sim_solver(b)) == 10);
        assert_int_equal(event_records(a), event_records(b));
        for (long k = 0; keel_sim_event(a, k, &one) && keel_sim_event(b, k, &other); k++) {
            assert_string_equal(one.event, other.event);
            double bound = strcmp(one.event, "up") == 0     ? 1e-8
                           : strcmp(one.event, "late") == 0 ? 4 * DBL_EPSILON * 3.7
                                                            : 0;
            if (strcmp(one.event, "late") == 0) assert_near(other.t, 3.7, bound);
            else assert_near(other.t, one.t, bound);
        }
        assert_near(value_of(b, "x"), value_of(a, "x"), 1e-8);
        assert_near(value_of(b, "w"), value_of(a, "w"), 1e-8);
        assert_true(value_of(b, "n") == value_of(a, "n"));
        keel_sim_close(a);
        keel_sim_close(b);
    }
    keel_model_close(plain);
    keel_model_close(m);
}

/* Steps know of no end: pieces, samples and a saved state have the bits of the whole. */
static void pieces_are_the_whole(void **state) {
    (void)state;
    static const keel_options o[] = {{.method = "dop853+project", .rtol = 1e-8},
                                     {.method = "rk4", .step = 0.03},
                                     {.method = "taylor+project", .rtol = 1e-8}};
    keel_model *m = timed(ORBIT, "r^1.5", NULL);
    for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
        keel_sim *whole = opened(m, &o[i]), *s = opened(m, &o[i]);
        double value[8], other[8];
        run_to(whole, 20);
        for (int k = 1; k <= 13; k++) {
            double t = 1.4 * k;
            run_to(s, t);
            assert_true(keel_time(keel_sim_solver(s)) == t);
            size_t bytes = keel_sim_save(s, NULL, 0);
            void *saved = malloc(bytes);
            assert_non_null(saved);
            assert_int_equal(keel_sim_save(s, saved, bytes), bytes);
            keel_sim_close(s);
            s = keel_sim_load(m, &o[i], saved, bytes);
            free(saved);
            if (keel_sim_status(s) < 0) fail_msg("%s", keel_sim_message(s));
        }
        run_to(s, 20);
        assert_int_equal(keel_sim_values(whole, value), KEEL_OK);
        assert_int_equal(keel_sim_values(s, other), KEEL_OK);
        assert_memory_equal(value, other, 4 * sizeof *value);
        assert_int_equal(keel_statistics(keel_sim_solver(whole)).steps,
                         keel_statistics(keel_sim_solver(s)).steps);
        keel_sim_close(whole);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* And back again; the state where it turns is the one that was seen. */
static void it_runs_backwards(void **state) {
    (void)state;
    keel_model *m = timed(ORBIT, "r^1.5", NULL);
    keel_sim *s = opened(m, &(keel_options){.method = "dop853+project", .rtol = 1e-11});
    run_to(s, 13.7);
    run_to(s, 0);
    assert_true(keel_time(keel_sim_solver(s)) == 0);
    assert_near(value_of(s, "q[1]"), 0.1, 1e-8);
    assert_near(value_of(s, "q[2]"), 0, 1e-7);
    keel_sim_close(s);
    keel_model_close(m);
}

static void compiled_and_interpreted_have_the_same_bits(void **state) {
    (void)state;
    static const char *const method[] = {"dop853+project", "taylor"};
    for (int i = 0; i < 2; i++) {
        double value[2][8];
        for (int k = 0; k < 2; k++) {
            keel_model *m =
                keel_model_read("test.keel", ORBIT, strlen(ORBIT),
                                &(keel_model_options){.clock = "r^1.5", .interpret = k, .method = method[i]});
            assert_int_equal(keel_model_status(m), KEEL_OK);
            keel_sim *s = opened(m, &(keel_options){.method = method[i], .rtol = 1e-9});
            run_to(s, 17);
            assert_int_equal(keel_sim_values(s, value[k]), KEEL_OK);
            keel_sim_close(s);
            keel_model_close(m);
        }
        assert_memory_equal(value[0], value[1], 4 * sizeof **value);
    }
}

/* A clock in the text, and on a lagrangian whose accelerations can be written down; a model of the text's own
 * clock that is read without it. */
static void the_text_may_have_it(void **state) {
    (void)state;
    static const char text[] = "coord x, y\nlet r = hypot(x, y)\nlagrangian (x'^2 + y'^2)/2 + 1/r\n"
                               "invariant energy\ninit x = 0.1, y = 0, x' = 0, y' = sqrt(19)\n"
                               "options clock = r^1.5, method = dop853+project\nrun 0 .. 20\n";
    for (int k = 0; k < 2; k++) {
        keel_model *m = timed(text, k ? "none" : NULL, NULL);
        keel_mode mode;
        assert_true(keel_model_mode(m, 0, &mode));
        assert_int_equal(mode.problem->clock, !k);
        assert_int_equal(mode.problem->n, k ? 4 : 5);
        keel_sim *s = opened(m, &(keel_options){.rtol = 1e-10});
        double q[2];
        run_to(s, 17);
        ellipse(0.9, 17, q);
        assert_near(value_of(s, "x"), q[0], 1e-7);
        assert_near(value_of(s, "y"), q[1], 1e-7);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Closed forms and outputs inside the last step are those of that time, not of where the run stands. */
static void what_is_asked_inside_a_step_is_of_that_time(void **state) {
    (void)state;
    keel_model *m = timed("var x\nx' = -x\noutput y = x*exp(t)\ninit x = 1\nexact x = exp(-t)\nrun 0 .. 5\n",
                          "1 + x^2", NULL);
    keel_sim *s = opened(m, &(keel_options){.rtol = 1e-10});
    for (int k = 1; k < 40; k++) {
        double t = 0.11 * k, value[2], exact[2];
        while (keel_time(keel_sim_solver(s)) < t) assert_int_equal(keel_sim_advance(s, t, 5), KEEL_OK);
        assert_int_equal(keel_sim_values_at(s, t, value), KEEL_OK);
        assert_int_equal(keel_sim_exact(s, t, exact), KEEL_OK);
        assert_near(exact[0], exp(-t), 1e-15);
        assert_near(value[0], exp(-t), 1e-8);
        assert_near(value[1], 1, 1e-7);
    }
    keel_sim_close(s);
    keel_model_close(m);
}

/* x' = -x, t' = s by hand: the interface of C. */
static int decay(double tau, const double *u, double *out, void *user) {
    (void)tau, (void)user;
    double s = 2 + sin(u[1]);
    out[0] = -s * u[0];
    out[1] = s;
    return 0;
}

static void a_problem_of_c_has_one(void **state) {
    (void)state;
    const double u0[] = {1, 0.5};
    keel_problem p = {
        .form = KEEL_ODE, .n = 2, .clock = 1, .t0 = 0.5, .u0 = u0, .f = {.count = 2, .value = decay}};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-10});
    double u[2];
    assert_int_equal(keel_run(s, 3), KEEL_OK);
    assert_true(keel_time(s) == 3 && keel_state(s)[1] == 3);
    assert_near(keel_state(s)[0], exp(-2.5), 1e-9);
    assert_int_equal(keel_step(s, 10), KEEL_OK);
    double t = 0.5 * (keel_time(s) + keel_time_before(s));
    assert_int_equal(keel_eval(s, t, u), KEEL_OK);
    assert_true(u[1] == t);
    assert_near(u[0], exp(0.5 - t), 1e-8);
    keel_close(s);
    keel_variational *v = keel_variational_open(&p, &(keel_parameters){.count = 1});
    assert_null(keel_variational_problem(v));
    assert_non_null(strstr(keel_variational_message(v), "not at equal times"));
    keel_variational_close(v);
}

static const struct {
    const char *text, *clock, *method, *sentence;
    double step;
} refused[] = {
    {ORBIT, "zz", NULL, "unknown name `zz`", 0},
    {ORBIT, "r^1.5 - 1", NULL, "it must be positive along the whole run", 0},
    {ORBIT, "q[1]", NULL, "it must be positive along the whole run", 0},
    {ORBIT, "abs(q[1]) + 1", NULL, "without functions that switch", 0},
    {ORBIT, "r", "gauss8", "symplectic in t, which a clock would destroy", 0.1},
    {ORBIT, "r", "dso", "takes no clock", 0.1},
    {ORBIT, "r", "dop853+scale", "would change the time", 0},
    {"var x\nx' = -x*sin(t)\ninvariant I = x*exp(-cos(t))\ninit x = 1\nrun 0 .. 1\n", "1 + x^2", NULL,
     "may not depend on t, as `I` does", 0},
    {"var x, y\nx' = -y\n0 = y + y^3 - x\ninit x = 1\nguess y = 0.7\nrun 0 .. 1\n", "1 + x^2", NULL,
     "a clock is for ordinary differential equations", 0},
    {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x "
     "= "
     "1\nrun 0 .. 1\n",
     "1 + x^2", NULL, "a clock is for ordinary differential equations", 0},
    {"var x\nmode up:\n    x' = 1\n    event top: x - 1 rising -> mode down\nmode down:\n    x' = -1\ninit x "
     "= 0\n"
     "start up\nrun 0 .. 2\n",
     "1 + x^2", NULL, "without modes", 0},
};

static void what_has_no_clock_is_told(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        keel_model *m = keel_model_read("test.keel", refused[i].text, strlen(refused[i].text),
                                        &(keel_model_options){.clock = refused[i].clock, .interpret = 1});
        assert_non_null(m);
        keel_sim *s =
            keel_model_status(m) == KEEL_OK
                ? keel_sim_open(m, &(keel_options){.method = refused[i].method, .step = refused[i].step})
                : NULL;
        if (s && keel_sim_status(s) >= 0) keel_sim_run(s, 20);
        const char *said = s ? keel_sim_message(s) : keel_model_message(m);
        if (!strstr(said, refused[i].sentence))
            fail_msg("clock %s: wanted: %s\nsaid: %s", refused[i].clock, refused[i].sentence, said);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_keep_their_order),
        cmocka_unit_test(answers_are_those_without_a_clock),
        cmocka_unit_test(a_long_ellipse_gains),
        cmocka_unit_test(what_is_kept_stays_at_round_off),
        cmocka_unit_test(a_clock_of_one_changes_round_off_alone),
        cmocka_unit_test(conditions_of_t_hold_to_the_last_bits),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(it_runs_backwards),
        cmocka_unit_test(compiled_and_interpreted_have_the_same_bits),
        cmocka_unit_test(the_text_may_have_it),
        cmocka_unit_test(what_is_asked_inside_a_step_is_of_that_time),
        cmocka_unit_test(a_problem_of_c_has_one),
        cmocka_unit_test(what_has_no_clock_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
