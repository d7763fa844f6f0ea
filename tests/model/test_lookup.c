/* test_lookup.c - tables in models: integrals against closed forms, knots hit exactly, the same bits
 * compiled and interpreted, run at once and saved in between, and smoothness known to the analysis. */
#include "testing.h"

#include "model_run.h"

#include <keel/extras.h>

enum { ROWS = 6 };
static const double knot[ROWS] = {-1, 0.3, 0.7, 2.1, 2.15, 4.1}, row[ROWS] = {2, -1, 0.5, 0.75, 3, 2};

/* A model in which x' is the table at t and y' the same at a state that is t, to round-off: it may be
 * beyond the last knot at the end. */
static void write_model(char *out, size_t capacity, const char *settings, const double *value,
                        const char *rest) {
    int used = snprintf(
        out, capacity,
        "table f = \"f.csv\", %s\ntable g = \"f.csv\", %s%s\nvar x, y, s\nx' = f(t)\ny' = g(s)\ns' = 1\n"
        "init x = 0, y = 0, s = t\n%s\ntable \"f.csv\":\n    \"t,v\"\n",
        settings, settings, strstr(settings, "outside") ? "" : ", outside = hold", rest);
    for (int i = 0; i < ROWS; i++)
        used += snprintf(out + used, capacity - (size_t)used, "    \"%.17g,%.17g\"\n", knot[i], value[i]);
}

static double integral_of(const char *settings, const double *value, const char *method, double *by_state) {
    char text[2000], options[100];
    snprintf(options, sizeof options, "run -1 .. 4.1\noptions method = %s, rtol = 1e-10", method);
    write_model(text, sizeof text, settings, value, options);
    keel_model *m = model_of(text);
    keel_options o = {.method = method, .rtol = 1e-10};
    keel_sim *s = keel_sim_open(m, &o);
    run_to(s, 4.1);
    double x = value_of(s, "x");
    *by_state = value_of(s, "y");
    keel_sim_close(s);
    keel_model_close(m);
    return x;
}

static double cubic(double x) {
    return 1 + x * (0.5 + x * (-2 + x * 0.25));
}

static double integral_of_cubic(double x) {
    return x * (1 + x * (0.25 + x * (-2. / 3 + x * 0.0625)));
}

/* hold and mean: sums of the rows; linear: trapezoids; pchip of a line and spline of a cubic: that itself. */
static void integrals_are_exact(void **state) {
    static const char *const method[] = {"dop853", "taylor", "radau", "dopri5"};
    double steps = 0, trapezoids = 0, line[ROWS], curve[ROWS], y;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double h = i + 1 < ROWS ? knot[i + 1] - knot[i] : 0;
        steps += h * row[i];
        trapezoids += i + 1 < ROWS ? h * (row[i] + row[i + 1]) / 2 : 0;
        line[i] = 3 - 2 * knot[i];
        curve[i] = cubic(knot[i]);
    }
    const double of_line = 3 * 5.1 - (4.1 * 4.1 - 1),
                 of_curve = integral_of_cubic(4.1) - integral_of_cubic(-1);
    for (int k = 0; k < 4; k++) {
        const struct {
            const char *settings;
            const double *value;
            double exact;
        } cases[] = {{"by = hold", row, steps},        {"by = mean", row, steps},
                     {"by = linear", row, trapezoids}, {"by = pchip", line, of_line},
                     {"by = spline", curve, of_curve}, {"by = mean, outside = hold", row, steps}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            assert_near(integral_of(cases[i].settings, cases[i].value, method[k], &y), cases[i].exact, 1e-12);
            assert_near(y, cases[i].exact, 1e-9);
        }
    }
}

/* pchip of any rows: the integral of each cubic, with the slopes of Fritsch and Butland; monotone between. */
static void pchip_keeps_the_shape(void **state) {
    char text[2000];
    (void)state;
    write_model(text, sizeof text, "by = pchip", row, "output v = f(t)\nrun -1 .. 4.1");
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    for (int i = 0; i + 1 < ROWS; i++)
        for (int k = 1; k <= 20; k++) {
            double t = k == 20 ? knot[i + 1] : knot[i] + k * (knot[i + 1] - knot[i]) / 20;
            run_to(s, t);
            double v = value_of(s, "v"), low = fmin(row[i], row[i + 1]), high = fmax(row[i], row[i + 1]);
            assert_true(v >= low - 1e-14 && v <= high + 1e-14);
            if (k == 20) assert_near(v, row[i + 1], 0);
        }
    keel_sim_close(s);
    keel_model_close(m);
}

/* A mean of positive rows is positive everywhere. */
static void means_keep_their_sign(void **state) {
    static const double positive[ROWS] = {1, 0, 5, 0.1, 9, 0};
    char text[2000];
    (void)state;
    write_model(text, sizeof text, "by = mean", positive, "output v = f(t)\nrun -1 .. 4.1");
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    for (int k = 1; k <= 500; k++) {
        run_to(s, -1 + k * 5.1 / 500);
        assert_true(value_of(s, "v") >= 0);
    }
    keel_sim_close(s);
    keel_model_close(m);
}

static double last_step;
static int knots_met;

static void note_step(keel_solver *solver, void *user) {
    double t = keel_time(solver);
    (void)user;
    for (int i = 0; i < ROWS; i++) {
        knots_met += t == knot[i];
        if (t > knot[i] && last_step < knot[i])
            fail_msg("a step from %g to %g passes %g", last_step, t, knot[i]);
    }
    last_step = t;
}

static void steps_end_at_knots(void **state) {
    static const char *const method[] = {"dop853", "taylor", "radau", "rk4"};
    char text[2000];
    (void)state;
    write_model(text, sizeof text, "by = linear", row, "run -1 .. 4.1");
    keel_model *m = model_of(text);
    for (int k = 0; k < 4; k++) {
        keel_options o = {.method = method[k], .step = k == 3 ? 0.11 : 0, .observe = note_step};
        keel_sim *s = keel_sim_open(m, &o);
        last_step = -1;
        knots_met = 0;
        run_to(s, 4.1);
        assert_true(knots_met >= ROWS - 1);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

static void final_bits(keel_model *m, int pieces, double *out) {
    keel_sim *s = keel_sim_open(m, NULL);
    char *bytes = NULL;
    for (int k = 1; k <= pieces; k++) {
        run_to(s, k == pieces ? 4.1 : knot[k]);
        size_t size = keel_sim_save(s, NULL, 0);
        bytes = realloc(bytes, size);
        assert_int_equal(keel_sim_save(s, bytes, size), size);
        keel_sim_close(s);
        s = keel_sim_load(m, NULL, bytes, size);
        assert_true(keel_sim_status(s) >= 0);
    }
    for (int i = 0; i < 3; i++) out[i] = keel_state(keel_sim_solver(s))[i];
    keel_sim_close(s);
    free(bytes);
}

/* Saved and loaded at every knot, where the next piece is still to come. */
static void bits_are_the_same(void **state) {
    static const char *const by[] = {"by = hold", "by = spline", "by = mean, outside = repeat"};
    char text[2000];
    double one[3], other[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        write_model(text, sizeof text, by[k], row, "run -1 .. 4.1");
        keel_model *compiled = model_of(text);
        keel_model *interpreted =
            keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
        final_bits(compiled, 1, one);
        final_bits(interpreted, 1, other);
        assert_memory_equal(one, other, sizeof one);
        keel_sim *s = keel_sim_open(compiled, NULL);
        for (int i = 1; i < ROWS; i++) run_to(s, knot[i]); /* the same ends of calls */
        memcpy(one, keel_state(keel_sim_solver(s)), sizeof one);
        keel_sim_close(s);
        final_bits(compiled, ROWS - 1, other);
        assert_memory_equal(one, other, sizeof one);
        keel_model_close(compiled);
        keel_model_close(interpreted);
    }
}

/* Forwards and back is the start again; a period later the table is the same. */
static void back_and_again(void **state) {
    char text[2000];
    (void)state;
    write_model(text, sizeof text, "by = pchip, outside = repeat", row, "run -1 .. 40");
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    run_to(s, 4.1);
    double once = value_of(s, "x");
    run_to(s, -1 + 7 * 5.1);
    assert_near(value_of(s, "x"), 7 * once, 1e-10);
    assert_near(value_of(s, "y"), 7 * once, 1e-8);
    run_to(s, -1);
    assert_near(value_of(s, "x"), 0, 1e-10);
    keel_sim_close(s);
    keel_model_close(m);
}

static void outside_is_told(void **state) {
    char text[2000];
    (void)state;
    write_model(text, sizeof text, "by = hold", row, "run -1 .. 9");
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    assert_true(keel_sim_run(s, 9) < 0);
    assert_near(keel_time(keel_sim_solver(s)), 4.1, 1e-9);
    assert_non_null(strstr(keel_sim_message(s), "the table `f` has values from -1 to 4.1 alone"));
    keel_sim_close(s);
    keel_model_close(m);
}

/* A constraint that follows a table is differentiated twice, and neither derivative may jump. */
static void smoothness_counts(void **state) {
    static const char *const by[] = {"linear", "pchip", "spline", "spline, outside = hold"};
    char text[1000];
    (void)state;
    for (int k = 0; k < 4; k++) {
        snprintf(
            text, sizeof text,
            "table f = \"f.csv\", by = %s\ncoord x\nlagrangian x'^2/2\nconstraint path: x = f(t)\nguess x = "
            "0\n"
            "run 0 .. 3\ntable \"f.csv\":\n    \"0,0\"\n    \"1,1\"\n    \"2,0\"\n    \"3,2\"\n    \"4,1\"\n",
            by[k]);
        keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
        int fits = k == 2;
        if ((keel_model_status(m) == KEEL_OK) != fits) fail_msg("%s: %s", by[k], keel_model_message(m));
        if (!fits) assert_non_null(strstr(keel_model_message(m), "Interpolate it more smoothly"));
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_are_exact),   cmocka_unit_test(pchip_keeps_the_shape),
        cmocka_unit_test(means_keep_their_sign), cmocka_unit_test(steps_end_at_knots),
        cmocka_unit_test(bits_are_the_same),     cmocka_unit_test(back_and_again),
        cmocka_unit_test(outside_is_told),       cmocka_unit_test(smoothness_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
