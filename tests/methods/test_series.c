/* test_series.c - Taylor series of models: the coefficients of every function, interpreted and compiled to
 * the same bits. */
#include "example_list.h"
#include "extras.h"
#include "model_run.h"
#include "series.h"

#include "model/private.h"

#include <float.h>

static const char *const expressions[] = {"z + t*z - 3",
                                          "2/z - z/(1 + t)",
                                          "z*z*t",
                                          "z^2",
                                          "z^3",
                                          "(z - 0.4)^5",
                                          "z^(-2)",
                                          "z^7/z^3",
                                          "sqrt(1 + z*t)",
                                          "1/sqrt(z + t)^3",
                                          "sqrt(z)^3",
                                          "(z + t)^2.5",
                                          "(z + t)^(-1.5)",
                                          "a^(z*t)",
                                          "(1 + z)^(t + z)",
                                          "cbrt(z + t^2)",
                                          "exp(z*t - 1)",
                                          "expm1(z)",
                                          "log(z + t)",
                                          "log1p(z*z)",
                                          "log10(2 + z)",
                                          "sin(3*z + t)",
                                          "cos(z*t)",
                                          "sin(z)*cos(z)",
                                          "tan(z)",
                                          "asin(z - t/5)",
                                          "acos(z)",
                                          "atan(z*3)",
                                          "atan2(z, 1 + t)",
                                          "atan2(1, z)",
                                          "sinh(z)",
                                          "cosh(z - t)",
                                          "tanh(2*z)",
                                          "asinh(z)",
                                          "acosh(1.5 + z)",
                                          "atanh(z/2)",
                                          "abs(z - 2)*z",
                                          "sign(z - 1)*z + z",
                                          "min(z, 3)*t + min(2, z)",
                                          "max(z, sin(t)) + max(3, z)",
                                          "floor(z + 5)*z",
                                          "mod(7*z, 1.9)",
                                          "hypot(z, t + 1)",
                                          "hypot(1, z)",
                                          "if(z < 1, z*z, sqrt(-z))",
                                          "if(z < 0 and t > 3, 1, exp(z))",
                                          "if(z < 1, 2, 1)*z",
                                          "sn(z, 0.7)",
                                          "cn(2*z + t, 0.3)",
                                          "dn(z, 0.9)",
                                          "sn(0.3, z)",
                                          "sn(z, z/2)*cn(t, z)",
                                          "ellipk(z)",
                                          "ellipe(z)",
                                          "a*z + b",
                                          "b",
                                          "-z",
                                          "sin(z)*z*z + (t*z)*t",
                                          "a*(b*(z + t)) - (cos(z)*a)*z",
                                          "sin(z + b) - cos(z + b)*(z + b)^2",
                                          "sqrt(z + 1)*(z + 1) + exp(z + b)*(t + b)"};

/* x' = e(t, z) with z = 0.4 + 0.3 t: the derivative of the polynomial must be e itself a little later. */
static void every_function_has_the_coefficients_of_its_expansion(void **state) {
    (void)state;
    enum { ORDERS = 24, COUNT = sizeof expressions / sizeof *expressions };
    for (int i = 0; i < COUNT; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model m\nparam a = 1.7, b = -0.6\nvar x, z\nx' = %s\nz' = 0.3\ninit x = 0\ninit z = "
                 "0.4\nrun 0 .. 1\n",
                 expressions[i]);
        keel_model *m = interpreted(text);
        const keel_problem *p = problem_of(m);
        assert_non_null(keel_extras_of(p)->series.value);
        for (double t = 0; t < 0.2; t += 0.13) {
            double u[2] = {0.2, 0.4 + 0.3 * t}, *c = coefficients(p, t, u, ORDERS);
            assert_non_null(c);
            for (double s = -0.04; s < 0.05; s += 0.02) {
                double slope = 0, later[2] = {0, u[1] + 0.3 * s}, rate[2];
                for (int k = ORDERS; k > 0; k--) slope = slope * s + k * c[2 * k];
                assert_int_equal(p->f.value(t + s, later, rate, p->user), 0);
                if (!(fabs(slope - rate[0]) <= 2e-14 * fmax(1, fabs(rate[0]))))
                    fail_msg("%s: %.17g by its series from t = %g, %.17g at %g", expressions[i], slope, t,
                             rate[0], t + s);
            }
            free(c);
        }
        keel_model_close(m);
    }
}

static double factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* Closed forms to a few round-offs, at every order. */
static void coefficients_of_known_solutions_are_exact_to_round_off(void **state) {
    (void)state;
    keel_model *m = interpreted("model m\nvar e, s, c, g, w\ne' = e\ns' = c\nc' = -s\ng' = g^2\nw' = -w^3/2\n"
                                "init e = 1\ninit s = 0\ninit c = 1\ninit g = 0.5\ninit w = 1\nrun 0 .. 1\n");
    const keel_problem *p = problem_of(m);
    double *out = coefficients(p, 0, p->u0, 40), root = 1;
    int place[5];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (p->names[j][0] == "escgw"[i]) place[i] = j;
    for (int k = 0; k <= 40; k++) {
        const double sign[4] = {0, 1, 0, -1}, *c = out + 5 * k;
        const double exact[5] = {1 / factorial(k), sign[k % 4] / factorial(k),
                                 sign[(k + 1) % 4] / factorial(k), pow(0.5, k + 1),
                                 root}; /* (1 + t)^(-1/2) */
        for (int i = 0; i < 5; i++)
            if (!(fabs(c[place[i]] - exact[i]) <= 2 * (k + 4) * DBL_EPSILON * fabs(exact[i])))
                fail_msg("state %d, order %d: %.17g, not %.17g", i, k, c[place[i]], exact[i]);
        root *= (-0.5 - k) / (k + 1);
    }
    free(out);
    keel_model_close(m);
}

/* z of a series gives the derivative of x by the equations as they are, orders of z included. */
static void constrained_motions_and_daes_follow_their_series(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double bound;
    } table[] = {{"pendulum", 1e-11},   {"andrews", 1e-11},        {"caraxis", 1e-11},
                 {"transamp", 1e-11},   {"chemakzo", 1e-11},       {"rolling_disk", 1e-11},
                 {"knife_edge", 1e-11}, {"spherical", 1e-11},      {"four", 1e-11},
                 {"twin_rods", 1e-11},  {"double_pendulum", 1e-11}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, table[i].name);
        keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
        const keel_problem *p = problem_of(m);
        if (!keel_extras_of(p)->series.value) fail_msg("%s has no series", table[i].name);
        /* one step of order 18 against many of dop853 */
        double from, to;
        keel_model_span(m, &from, &to);
        keel_options o = {.rtol = 1e-13, .atol = 1e-16, .method = "+project"}, many = o;
        o.method = "taylor+project";
        o.max_steps = 2;
        many.method = "dop853+project";
        keel_solver *s = keel_open(p, &o), *reference = keel_open(p, &many);
        assert_ok(s, keel_step(s, to));
        assert_ok(reference, keel_run(reference, keel_time(s)));
        const double *x = keel_state(s), *y = keel_state(reference);
        for (int j = 0; j < p->n; j++)
            if (!(fabs(x[j] - y[j]) <= table[i].bound * fmax(fabs(y[j]), 1e-3)))
                fail_msg("%s after a step of %g: %s = %.15g, not %.15g", table[i].name, keel_time(s) - from,
                         p->names[j], x[j], y[j]);
        keel_close(s);
        keel_close(reference);
        keel_model_close(m);
    }
}

/* Trusted digits of index 3 and index 1 problems: the error is of the size of the tolerance, and radau's. */
static void references_of_daes_are_met(void **state) {
    (void)state;
    static const char *const names[] = {"caraxis", "andrews", "transamp", "chemakzo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[600];
        double t, wanted[200], value[200];
        int met = 0;
        snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, names[i]);
        keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-10});
        const keel_problem *p = problem_of(m);
        for (int k = 0; keel_sim_reference(s, k, &t, wanted) && t <= 1; k++) {
            run_to(s, t);
            assert_int_equal(keel_sim_values(s, value), KEEL_OK);
            for (int j = 0; j < keel_sim_columns(s); j++) {
                int state_of = 0;
                for (int l = 0; l < p->n; l++) state_of |= strcmp(p->names[l], keel_sim_column(s, j)) == 0;
                if (!state_of || isnan(wanted[j])) continue;
                assert_near(value[j], wanted[j], 1e-8 * fmax(1, fabs(wanted[j])));
                met++;
            }
        }
        keel_row row;
        for (int k = 0; keel_row_at(keel_sim_solver(s), k, &row); k++)
            if (row.treatment == KEEL_ROW_KEPT) assert_below(row.units, 4);
        if (!met) fail_msg("%s: no digits to compare with", names[i]);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* The pendulum passes its lowest place once in each half period, found on the polynomial of each step. */
static void swings_are_counted_without_a_miss(void **state) {
    (void)state;
    problem p;
    problem_pendulum_bottom(&p, 1.0);
    enum { SWINGS = 200 };
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "taylor", .rtol = 1e-12});
    for (int k = 1; k <= SWINGS; k++) {
        assert_int_equal(keel_run(s, 1e9), KEEL_EVENT);
        double t = problem_pendulum_bottom_time(&p, k);
        assert_near(keel_time(s), t, 1e-10 * fmax(1, t));
    }
    keel_close(s);
}

/* The polynomial leaves the constraints by the first term it lacks. */
static void polynomials_stay_on_the_constraints(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double near; /* a part of a step of order 24 */
    } table[] = {{"andrews", 1e-4}, {"caraxis", 2e-3}, {"pendulum", 0.02}, {"four_bar", 0.01}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        keel_model *m = model_example(table[i].name);
        const keel_problem *p = problem_of(m);
        int half = p->n / 2, rows = p->constraint.count;
        double u[40], g[20], before = HUGE_VAL;
        assert_true(p->n + p->m <= 40 && rows > 0 && rows <= 20);
        for (int orders = 4; orders <= 28; orders += 4) {
            double *c = coefficients(p, p->t0, p->u0, orders), most = 0;
            assert_non_null(c);
            memcpy(u, p->u0, (size_t)(p->n + p->m) * sizeof *u);
            for (int j = 0; j < half; j++) {
                u[j] = 0;
                for (int k = orders; k >= 0; k--) u[j] = u[j] * table[i].near + c[(long)k * p->n + j];
            }
            assert_int_equal(p->constraint.value(p->t0 + table[i].near, u, g, p->user), 0);
            for (int j = 0; j < rows; j++) most = fmax(most, fabs(g[j]));
            if (!(most <= fmax(before / 50, 1e-15)))
                fail_msg("%s: %g off with %d orders, %g with four less", table[i].name, most, orders, before);
            before = most;
            free(c);
        }
        assert_below(before, 1e-15);
        keel_model_close(m);
    }
}

/* The same of the event functions, along a curve with coefficients like those of the motion. */
static void same_bits_along(const keel_problem *p, keel_composed_fn *compiled, int orders) {
    size_t terms = (size_t)orders + 1, events = (size_t)p->event.count;
    double *c = coefficients(p, p->t0, p->u0, orders), *here = malloc(terms * events * sizeof *here),
           *there = malloc(terms * events * sizeof *there),
           *work = malloc((size_t)(keel_extras_of(p)->event_series.workspace +
                                   keel_extras_of(p)->event_series.per_order * (orders + 1)) *
                          sizeof *work);
    assert_non_null(compiled);
    assert_true(c && here && there && work);
    int code = keel_extras_of(p)->event_series.value(p->t0, p->u0, c, orders, here, work, p->user);
    assert_int_equal(compiled(p->t0, p->u0, c, orders, there, work, p->user), code);
    for (size_t k = 0; k < terms * events && code == 0; k++)
        if (!(here[k] == there[k] || (isnan(here[k]) && isnan(there[k]))))
            fail_msg("%s: coefficient %d of an event is %.17g or %.17g", p->name, (int)(k / events), here[k],
                     there[k]);
    free(c);
    free(here);
    free(there);
    free(work);
}

/* All examples in one C file: their series, compiled, have the bits of the interpreter. */
static void compiled_series_have_the_bits_of_the_interpreter(void **state) {
    (void)state;
    enum { ORDERS = 21 };
    keel_model *model[EXAMPLE_MOST];
    static struct example_list list;
    char name[40], message[400];
    int count = 0, events = 0;
    struct emit e;
    struct compile_unit unit;
    emit_open(&e);
    example_list_open(&list);
    for (; count < list.count; count++) {
        char path[900];
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, list.file[count]);
        keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
        assert_int_equal(keel_model_status(m), KEEL_OK);
        const struct inside_mode *mode = m->mode[m->model->start];
        if (!mode->functions.series.value) fail_msg("%s has no series", list.file[count]);
        snprintf(name, sizeof name, "x%d", count);
        assert_int_equal(emit_series(&e, name, &mode->functions.recurrences), 0);
        snprintf(name, sizeof name, "e%d", count);
        if (mode->functions.event_series.value)
            assert_int_equal(emit_series(&e, name, &mode->functions.composed), 0);
        model[count] = m;
    }
    if (compile_load(e.text, NULL, &unit, message, sizeof message) != COMPILE_READY) fail_msg("%s", message);
    for (int i = 0; i < count; i++) {
        const keel_problem *p = problem_of(model[i]);
        for (int orders = ORDERS; orders < 3 * SERIES_STRIDE; orders += 2 * SERIES_STRIDE) {
            /* from SERIES_STRIDE on jets are laid out otherwise */
            snprintf(name, sizeof name, "x%d", i);
            same_bits(p, compile_series(&unit, name), orders);
            snprintf(name, sizeof name, "e%d", i);
            if (keel_extras_of(p)->event_series.value)
                same_bits_along(p, compile_composed(&unit, name), orders);
            events += keel_extras_of(p)->event_series.value != NULL;
        }
        keel_model_close(model[i]);
    }
    assert_true(events > 4);
    compile_close(&unit);
    emit_close(&e);
}

/* A model compiled for the method runs with the same bits as the interpreted one, events and all. */
static void compiled_runs_have_the_bits_of_interpreted_ones(void **state) {
    (void)state;
    static const char *const names[] = {"kepler", "pendulum", "bounce"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double end[2][40];
        int columns = 0;
        for (int k = 0; k < 2; k++) {
            char path[600];
            snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, names[i]);
            keel_model *m = keel_model_load(path, &(keel_model_options){.method = "taylor", .interpret = k});
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = "taylor", .rtol = 1e-9});
            if (k == 0 && !strstr(keel_model_source(m), "series_0_f"))
                fail_msg("%s: no series in C", names[i]);
            if (k == 0 && i == 2 && !strstr(keel_model_source(m), "composed_0_event"))
                fail_msg("%s: no series of its events in C", names[i]);
            run_to(s, 3);
            columns = keel_sim_columns(s);
            assert_true(columns <= 40);
            assert_int_equal(keel_sim_values(s, end[k]), KEEL_OK);
            keel_sim_close(s);
            keel_model_close(m);
        }
        for (int j = 0; j < columns; j++)
            if (!(end[0][j] == end[1][j] || isnan(end[0][j])))
                fail_msg("%s: column %d is %.17g or %.17g", names[i], j, end[0][j], end[1][j]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_has_the_coefficients_of_its_expansion),
        cmocka_unit_test(coefficients_of_known_solutions_are_exact_to_round_off),
        cmocka_unit_test(constrained_motions_and_daes_follow_their_series),
        cmocka_unit_test(references_of_daes_are_met),
        cmocka_unit_test(swings_are_counted_without_a_miss),
        cmocka_unit_test(polynomials_stay_on_the_constraints),
        cmocka_unit_test(compiled_series_have_the_bits_of_the_interpreter),
        cmocka_unit_test(compiled_runs_have_the_bits_of_interpreted_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
