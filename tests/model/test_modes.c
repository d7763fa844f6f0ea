/* test_modes.c - modes of models: times and values in closed form, and what the certificate tells of all
 * modes. */
#include "model_run.h"
#include "modes.h"

static double kept_energy(const keel_sim *s) {
    keel_row row;
    for (int i = 0; keel_row_at(keel_sim_solver((keel_sim *)s), i, &row); i++)
        if (row.kind == KEEL_ROW_ENERGY) return row.start;
    fail_msg("no energy is kept");
    return 0;
}

/* The examples ------------------------------------------------------------------------------------------ */

/* The ball meets the floor after tau, then after 2 e tau, 2 e^2 tau, ...; its energy falls by e^2 each
 * time, and half way between two bounces it is at e^(2 k). */
static void a_ball_bounces(void **unused) {
    (void)unused;
    keel_model *m = model_example("bounce");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    double e = 0.8, g = 9.81, tau = sqrt(2 / g), t = tau;
    for (int k = 1; k <= 6; k++, t += 2 * tau * pow(e, k - 1)) {
        run_to(s, t + tau * pow(e, k));
        assert_int_equal(event_records(s), k);
        keel_event_record h = event_record(s, k - 1);
        assert_string_equal(h.event, "hit");
        assert_true(h.changed && h.from == 0 && h.to == 0);
        assert_near(h.t, t, 1e-12);
        assert_near(value_of(s, "y"), pow(e, 2 * k), 1e-12);
        assert_near(value_of(s, "y'"), 0, 1e-11);
        assert_near(value_of(s, "x'"), 1, 1e-13);
        assert_near(kept_energy(s), 0.5 + g * pow(e, 2 * k), 1e-11);
    }
    finish(s, m);
}

/* The stress yields at sin t = 1/2, then wherever the strain has turned and moved by 2 Y. */
static void plasticity_switches_on_time(void **unused) {
    (void)unused;
    keel_model *m = model_example("plastic");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    run_to(s, 20);
    assert_int_equal(event_records(s), 13);
    for (int k = 0; k < 13; k++) {
        keel_event_record h = event_record(s, k);
        assert_string_equal(h.event, k % 2 ? "unload" : "yield");
        assert_true(h.from == k % 2 && h.to == 1 - k % 2 && h.changed);
        assert_near(h.t, k ? k * pi / 2 : asin(0.5), 1e-12);
    }
    assert_int_equal(keel_sim_mode(s), 1); /* since 6 pi */
    assert_near(value_of(s, "sig"), 0.5, 1e-15);
    assert_near(value_of(s, "epl"), sin(20) - 0.5, 1e-14);
    finish(s, m);
}

/* Q in closed form while the flow is plastic: liu2013, (33) and (34); 0 <= angle <= pi at the start. */
static void closed_plastic_stress(double angle, double t, double *Q) {
    double b = 2, m = sqrt(b * b - 1), grow = (b * b - b * cos(angle)) / (m * m), turn = b * sin(angle) / m;
    double z = 1 + grow * (cosh(m * t) - 1) + turn * sinh(m * t);
    double along = (z + b * cos(angle) - 1) / (b * z),
           across = m * (grow * sinh(m * t) + turn * cosh(m * t)) / (b * z);
    Q[0] = 200 * (along * cos(t) - across * sin(t));
    Q[1] = 200 * (across * cos(t) + along * sin(t));
}

static void plasticity_begins_on_the_surface(void **unused) {
    (void)unused;
    static const char *const set[] = {"th0=0", "th0=0.7", "th0=2"};
    static const double angle[] = {0, 0.7, 2};
    for (int k = 0; k < 3; k++) {
        keel_model *m = model_example("plastic2");
        assert_int_equal(keel_model_set(m, set[k]), KEEL_OK);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
        for (int i = 1; i <= 10; i++) {
            double Q[2];
            run_to(s, i);
            closed_plastic_stress(angle[k], i, Q);
            assert_near(value_of(s, "Q[1]"), Q[0], 1e-8);
            assert_near(value_of(s, "Q[2]"), Q[1], 1e-8);
            assert_near(hypot(value_of(s, "Q[1]"), value_of(s, "Q[2]")), 200, 1e-12);
            assert_true(value_of(s, "lam") > 0);
        }
        assert_string_equal(story(s),
                            "yield"); /* at 0 the stress is tangential: the second derivative decides */
        assert_true(event_record(s, 0).t == 0);
        finish(s, m);
    }
}

/* Stick and slide in turn; the friction is at its limit while it slides, and below it while it sticks. */
static void friction_sticks_and_slides(void **unused) {
    (void)unused;
    keel_model *m = model_example("friction2");
    double last[2][8], time[2][20];
    for (int k = 0; k < 2; k++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = k ? 1e-11 : 1e-8});
        for (int stop = 1; stop <= 50; stop++) {
            run_to(s, 0.1 * stop);
            double r = hypot(value_of(s, "r[1]"), value_of(s, "r[2]"));
            if (keel_sim_mode(s) == 1) assert_near(r, 50, 1e-12);
            else assert_true(r < 50 && value_of(s, "lam") == 0);
        }
        assert_true(event_records(s) >= 2 && event_records(s) <= 20);
        for (long i = 0; i < event_records(s); i++) {
            assert_string_equal(event_record(s, i).event, event_record(s, i).from ? "grip" : "slip");
            time[k][i] = event_record(s, i).t;
            if (i) assert_int_equal(event_record(s, i).from, event_record(s, i - 1).to);
            if (k) assert_near(time[1][i], time[0][i], 1e-6);
        }
        assert_int_equal(keel_sim_values(s, last[k]), KEEL_OK);
        if (k)
            for (int i = 0; i < keel_sim_columns(s); i++) assert_near(last[1][i], last[0][i], 1e-5);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* The string goes slack at the height 2 E / (3 g); it flies a parabola, and the catch leaves the velocity
 * across the string alone. */
static void a_string_goes_slack_and_catches(void **unused) {
    (void)unused;
    keel_model *m = model_example("slack_rod");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    double g = 9.81, before = 18 - g, height = 2 * before / (3 * g);
    assert_near(kept_energy(s), before, 1e-13);
    assert_near(value_of(s, "lambda.string"), (36 + g) / 2, 1e-12);
    while (keel_sim_mode(s) == 0) assert_int_equal(keel_sim_step(s, 10), KEEL_OK);
    double x = value_of(s, "x"), y = value_of(s, "y"), vx = value_of(s, "x'"), vy = value_of(s, "y'");
    double t = keel_time(keel_sim_solver(s));
    assert_near(y, height, 1e-9);
    assert_near(hypot(x, y), 1, 1e-14);
    assert_true(value_of(s, "lambda.string") == 0); /* there is no string */
    assert_near(kept_energy(s), before, 1e-11);
    double last[4] = {0};
    while (keel_sim_mode(s) == 1) {
        double at = keel_time(keel_sim_solver(s)) - t;
        assert_near(value_of(s, "x"), x + vx * at, 1e-9);
        assert_near(value_of(s, "y"), y + vy * at - g * at * at / 2, 1e-9);
        assert_true(hypot(value_of(s, "x"), value_of(s, "y")) <= 1 + 1e-14);
        assert_int_equal(keel_sim_step(s, 10), KEEL_OK);
    }
    double at = keel_time(keel_sim_solver(s)) - t;
    last[0] = x + vx * at, last[1] = y + vy * at - g * at * at / 2, last[2] = vx, last[3] = vy - g * at;
    assert_near(hypot(last[0], last[1]), 1, 1e-9);
    double across = last[2] * -last[1] + last[3] * last[0];
    assert_near(value_of(s, "x'"), -last[1] * across, 1e-8);
    assert_near(value_of(s, "y'"), last[0] * across, 1e-8);
    assert_near(kept_energy(s), across * across / 2 + g * last[1], 1e-8);
    run_to(s, 10);
    assert_near(hypot(value_of(s, "x"), value_of(s, "y")), 1, 1e-14);
    assert_string_equal(story(s), "slack catch");
    finish(s, m);
}

/* Two masses fly apart until the string between them catches: an inner force, which moves no momentum. */
static void a_catch_keeps_the_momentum(void **unused) {
    (void)unused;
    keel_model *m;
    keel_sim *s = sim_of("param A = 1, B = 3\ncoord x, y, u, v\n"
                         "lagrangian (A*(x'^2 + y'^2) + B*(u'^2 + v'^2))/2\ninit x = 0, y = 0, u = 1, v = 0\n"
                         "init x' = -2, y' = 1, u' = 1, v' = 0.5\nrun 0 .. 3\nstart loose\n"
                         "mode loose:\n    event catch: (u - x)^2 + (v - y)^2 - 4 rising -> mode taut\n"
                         "mode taut:\n    constraint string: (u - x)^2 + (v - y)^2 = 4\n"
                         "    event slack: lambda.string falling -> mode loose\n"
                         "output px = A*x' + B*u', py = A*y' + B*v'\n",
                         &m);
    run_to(s, 3);
    assert_string_equal(story(s), "catch");
    assert_near(value_of(s, "px"), 1, 1e-11);
    assert_near(value_of(s, "py"), 2.5, 1e-11);
    finish(s, m);
}

static int recorded;

static void on_the_section(keel_solver *solver, void *user) {
    if (keel_event(solver) < 0) return;
    recorded++;
    assert_near(value_of(user, "q[1]"), 0, 1e-13);
    assert_true(value_of(user, "p[1]") > 0);
}

static void a_section_is_recorded(void **unused) {
    (void)unused;
    keel_model *m = model_example("henon");
    recorded = 0;
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10, .observe = on_the_section});
    run_to(s, 300);
    assert_true(event_records(s) > 40);
    assert_true(recorded >= event_records(s) - 1); /* the one at the start is no event of the solver */
    assert_true(event_record(s, 0).t == 0);
    for (long i = 0; i < event_records(s); i++) {
        assert_string_equal(event_record(s, i).event, "section");
        assert_false(event_record(s, i).changed);
        if (i) assert_true(event_record(s, i).t > event_record(s, i - 1).t + 1);
    }
    finish(s, m);
}

/* The certificate over all modes ------------------------------------------------------------------------- */

static keel_row row_named(const keel_sim *s, const char *name) {
    keel_row row = {0};
    for (int i = 0; i < keel_sim_rows(s); i++)
        if (keel_sim_row_at(s, i, &row) && strcmp(row.name, name) == 0) return row;
    fail_msg("there is no row %s", name);
    return row;
}

/* Each mode keeps another row; all of them are told at the end, each from its own beginning. */
static void rows_of_all_modes_are_told(void **unused) {
    (void)unused;
    static const char text[] = "var x, y\nx' = y\ny' = -x\ninit x = 3, y = 0\nrun 0 .. 10\n"
                               "mode a:\n    invariant E = x^2 + y^2\n    event one: t - 1 rising -> mode b\n"
                               "mode b:\n    invariant F = 2*x^2 + 2*y^2\n"
                               "    event two: t - 2 rising -> x := x/3, y := y/3, mode c\n"
                               "mode c:\n    invariant E = x^2 + y^2\nstart a\n";
    static const char *const methods[] = {"dop853", "taylor", "radau", "bs32", "dopri5"};
    for (int k = 0; k < 5; k++) {
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[k]});
        keel_row row;
        int seen = 0;
        for (int i = 0; i < keel_sim_rows(s); i++) seen += keel_sim_row_at(s, i, &row);
        assert_int_equal(seen, 1); /* nothing is told of a mode that was not entered */
        run_to(s, 10);
        assert_near(row_named(s, "E").start, 9, 1e-14);
        assert_near(row_named(s, "F").start, 18, 1e-12);
        assert_true(row_named(s, "E").units < 8 && row_named(s, "F").units < 8);
        assert_near(keel_sim_row_at(s, keel_sim_rows(s), &row), 0, 0);
        finish(s, m);
    }
}

/* What drifts in a mode that is left is not forgotten. */
static void a_drift_of_a_mode_that_was_left_is_told(void **unused) {
    (void)unused;
    keel_model *m = model_of("var x, y\nx' = y\ny' = -x\ninit x = 1, y = 0\nrun 0 .. 10\n"
                             "mode a:\n    invariant E = x^2 + y^2\n    event one: t - 5 rising -> mode b\n"
                             "mode b:\n    let none = 0\nstart a\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rk4+watch", .step = 0.1});
    run_to(s, 4.5);
    double before = row_named(s, "E").drift;
    assert_true(before > 1e-8);
    run_to(s, 10);
    assert_true(row_named(s, "E").drift >= before && row_named(s, "E").treatment == KEEL_ROW_WATCHED);
    finish(s, m);
}

/* x' = -sign(x) from x0 slides along x = 0 from t = x0 on; so it does in mode b, from where c ends. */
static void sliding_is_counted_and_timed(void **unused) {
    (void)unused;
    static const char *const methods[] = {"dop853", "radau", "bs32", "dopri5", "rkf78"};
    for (int k = 0; k < 5; k++) {
        double x0 = 0.4 + 0.31 * k;
        char text[400];
        snprintf(text, sizeof text,
                 "var x, c\nx' = -sign(x)\nc' = if(mod(t, 1) < 0.5, 1, 0)\ninit x = %g, c = 0\nrun 0 .. 6\n"
                 "mode a:\n    event e: t - 4 rising -> x := -1, mode b\nmode b:\n    let none = 0\n"
                 "start a\n",
                 x0);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[k], .rtol = 1e-9});
        keel_surface one;
        int found = 0;
        run_to(s, 6);
        for (int i = 0; keel_sim_surface_at(s, i, &one); i++) {
            if (strcmp(one.name, "sign(x)") != 0) continue;
            found = 1;
            assert_int_equal(one.slides, 2);
            assert_near(one.slid, 4 - x0 + 1, 1e-8);
        }
        assert_true(found);
        size_t bytes = keel_sim_save(s, NULL, 0);
        unsigned char *saved = malloc(bytes);
        assert_int_equal(keel_sim_save(s, saved, bytes), bytes);
        keel_sim *again = keel_sim_load(m, &(keel_options){.method = methods[k], .rtol = 1e-9}, saved, bytes);
        for (int i = 0; keel_sim_surface_at(s, i, &one); i++) {
            keel_surface other;
            assert_true(keel_sim_surface_at(again, i, &other));
            assert_true(one.crossings == other.crossings && one.slides == other.slides &&
                        one.slid == other.slid);
        }
        free(saved);
        keel_sim_close(again);
        finish(s, m);
    }
}

/* The second mode alone has y' = x, and so may call x the rate of y. x carries over there, and not the rate
 * that y had before; where y' has a rate of its own, y' does. */
static void unknowns_carry_over_by_their_own_values(void **unused) {
    (void)unused;
    static const struct {
        const char *first, *second;
        double x, y; /* two units of time after the change at t = 1 */
    } row[] = {
        {"    x' = 1\n    y' = 0\n", "    x' = -y\n    y' = x\n", -0.4161468365471424, 0.9092974268256817},
        {"    x' = 1\n    y' = 0.5\n", "    x' = -x\n    y' = x\n", 0.1353352832366127, 1.3646647167633873},
        {"    x = 3*y + 1\n    y' = 0\n", "    x' = 2\n    y' = x\n", 5, 6},
        {"    x' = 1\n    y'' = 3\n", "    x' = 1\n    y' = x\n", 3, 5.5},
        {"    x = t^3\n    y'' = 3\n", "    x = y'\n    y'' = 0\n", 3, 7.5},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[400];
        int second = strstr(row[i].first, "y''") != NULL, algebraic = strstr(row[i].first, "x = ") != NULL;
        snprintf(text, sizeof text,
                 "var x, y\nmode one:\n%s    event turn: t - 1 rising -> mode two\nmode two:\n%sstart one\n"
                 "init y = 0%s%s\nrun 0 .. 3\n",
                 row[i].first, row[i].second, algebraic ? "" : ", x = 0", second ? ", y' = 0" : "");
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
        run_to(s, 3);
        assert_near(value_of(s, "x"), row[i].x, 1e-8);
        assert_near(value_of(s, "y"), row[i].y, 1e-8);
        finish(s, m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(plasticity_switches_on_time),
        cmocka_unit_test(plasticity_begins_on_the_surface),
        cmocka_unit_test(friction_sticks_and_slides),
        cmocka_unit_test(a_string_goes_slack_and_catches),
        cmocka_unit_test(a_catch_keeps_the_momentum),
        cmocka_unit_test(a_section_is_recorded),
        cmocka_unit_test(rows_of_all_modes_are_told),
        cmocka_unit_test(a_drift_of_a_mode_that_was_left_is_told),
        cmocka_unit_test(sliding_is_counted_and_timed),
        cmocka_unit_test(unknowns_carry_over_by_their_own_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
