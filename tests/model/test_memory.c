/* test_memory.c - variables beside contacts: a `var` with its own rate drives a body that hits and
 * sticks, and impacts leave it alone. */
#include "testing.h"

#include "model_run.h"

/* A mass that bounces with e = 0.7 under y'' = -g + k u, T u' = U - u: u = U (1 - exp(-t/T)) at all
 * times, and with a = k U - g the flight from (t0, y, v) is
 *     y + v s + a s^2/2 - k U T (exp(-t0/T) s - T (exp(-t0/T) - exp(-t/T))),   s = t - t0. */
static const double g = 9.81, k = 2, U = 3, T = 0.8, restitution = 0.7;

static double height(double t0, double y, double v, double t) {
    double s = t - t0, a = k * U - g, first = exp(-t0 / T), now = exp(-t / T);
    return y + v * s + a * s * s / 2 - k * U * T * (first * s - T * (first - now));
}
static double speed(double t0, double v, double t) {
    return v + (k * U - g) * (t - t0) - k * U * T * (exp(-t0 / T) - exp(-t / T));
}

/* The end of the flight, no later than `end`. */
static double landing(double t0, double y, double v, double end) {
    double low = t0 + 1e-6, high = low;
    while (height(t0, y, v, high) > 0 && high < end) low = high, high += 1e-3;
    if (high >= end) return end;
    for (int n = 0; n < 60; n++) {
        double middle = (low + high) / 2;
        if (height(t0, y, v, middle) > 0) low = middle;
        else high = middle;
    }
    return high;
}

static void a_filter_drives_a_mass_that_bounces(void **state) {
    (void)state;
    keel_model *m =
        model_of("param g = 9.81, k = 2, U = 3, T = 0.8\ncoord y\nvar u\nlagrangian y'^2/2 - g*y\n"
                 "force y: k*u\nT*u' = U - u\ncontact soil: y, restitution = 0.7\n"
                 "init y = 1, y' = 0, u = 0\nrun 0 .. 3\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    double t0 = 0, y = 1, v = 0, end = 3, t;
    int bounces = 0;
    for (; (t = landing(t0, y, v, end)) < end; bounces++) v = -restitution * speed(t0, v, t), t0 = t, y = 0;
    run_to(s, end);
    assert_true(bounces >= 3);
    assert_near(value_of(s, "u"), U * (1 - exp(-end / T)), 1e-9);
    assert_near(value_of(s, "y"), height(t0, y, v, end), 1e-8);
    assert_near(value_of(s, "y'"), speed(t0, v, end), 1e-7);
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode) && mode.dof == 1 && mode.freedom == 3);
    for (int i = 0; i < keel_sim_columns(s); i++) assert_null(strstr(keel_sim_column(s, i), "integral"));
    keel_sim_close(s);
    keel_model_close(m);
}

/* The same motion with modes' means: an equation for each state, and an event for the impact. */
static void a_ball_with_a_drag_that_lags(void **state) {
    (void)state;
#define BALL "param g = 9.81, c = 0.6, T = 0.3, e = 0.8\n"
    keel_model *own =
        model_of(BALL "coord y\nvar w\nlagrangian y'^2/2 - g*y\nforce y: -c*w\nw' = (y' - w)/T\n"
                      "contact soil: y, restitution = e\ninit y = 1, y' = 0, w = 0\nrun 0 .. 2\n");
    keel_model *flat =
        model_of(BALL "var y, v, w\ny' = v\nv' = -g - c*w\nw' = (v - w)/T\n"
                      "event hit: y falling -> v := -e*v\ninit y = 1, v = 0, w = 0\nrun 0 .. 2\n");
    keel_options o = {.rtol = 1e-11};
    keel_sim *a = keel_sim_open(own, &o), *b = keel_sim_open(flat, &o);
    for (int part = 1; part <= 8; part++) {
        run_to(a, 0.25 * part);
        run_to(b, 0.25 * part);
        assert_near(value_of(a, "y"), value_of(b, "y"), 1e-8);
        assert_near(value_of(a, "y'"), value_of(b, "v"), 1e-7);
        assert_near(value_of(a, "w"), value_of(b, "w"), 1e-8);
    }
    keel_sim_close(a);
    keel_sim_close(b);
    keel_model_close(own);
    keel_model_close(flat);
}

/* A motor pulls a block: it slips once k i = mu m g, at t = -L/R log(1 - R mu m g/(k U)), and then m x''
 * = k i - mu m g, L i' = U - R i - k x'. The names of its coordinate and of the rate are those of i. */
static void a_motor_pulls_a_block_that_sticks(void **state) {
    (void)state;
    keel_model *m = model_of(
        "param m = 1 {kg}, g = 9.81 {m/s^2}, mu = 0.3, L = 0.1 {H}, R = 2 {Ohm}, k = 1.5 {N/A}, U = 6 {V}\n"
        "coord x {m}, y {m}\nvar i {A, atol = 1e-10}\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\nforce x: k*i\n"
        "L*i' = U - R*i - k*x'\ncontact soil: y, sliding = x', friction = mu\n"
        "event off: at t = 2 -> i := 0\ninit x = 0, y = 0, x' = 0, y' = 0, i = 0\n"
        "output rate = i'\nrun 0 .. 3\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    double slips = NAN, weight = 0.3 * 9.81, t = -0.1 / 2 * log(1 - 2 * weight / (1.5 * 6));
    run_to(s, 1.9);
    keel_event_record one;
    for (long i = 0; keel_sim_event(s, i, &one); i++)
        if (strcmp(one.event, "soil slips") == 0) slips = one.t;
    assert_near(slips, t, 1e-8);
    double current = value_of(s, "i"), velocity = value_of(s, "x'");
    assert_near(value_of(s, "rate"), (6 - 2 * current - 1.5 * velocity) / 0.1, 1e-6);
    keel_model *flat = model_of("param w = 0.3*9.81\nvar v, i\nv' = if(1.5*i > w, 1.5*i - w, 0)\n"
                                "0.1*i' = 6 - 2*i - 1.5*v\ninit v = 0, i = 0\nrun 0 .. 3\n");
    keel_sim *b = keel_sim_open(flat, &(keel_options){.rtol = 1e-10});
    run_to(b, 1.9);
    assert_near(current, value_of(b, "i"), 1e-8);
    assert_near(velocity, value_of(b, "v"), 1e-8);
    keel_sim_close(b);
    keel_model_close(flat);
    run_to(s, 1.9999);
    velocity = value_of(s, "x'");
    run_to(s, 2.0001);
    assert_near(value_of(s, "i"), 0, 1e-2); /* the event acted */
    assert_near(value_of(s, "x'"), velocity, 2e-3);
    int column = column_named(s, "i");
    assert_string_equal(keel_sim_column_unit(s, column), "A");
    keel_sim_close(s);
    keel_model_close(m);
}

#define KINDS                                                                                            \
    "part Lag(p, T):\n    var z\n    0 = p - z - T*z'\n    init z = 0\n"                                 \
    "param g = 9.81\ncoord x, y\nvar u[1..2], h\nlagrangian (x'^2 + y'^2)/2 - g*y\nuse Lag lag(y, T = "  \
    "0.1)\n"                                                                                             \
    "force x: u[1] - lag.z\nfor j in 1..2: u[j]' = j*cos(t) - u[j]\nh' = 0\n"                            \
    "event s: every 0.1 -> h := x + u[2]\ncontact soil: y, restitution = 0.5, sliding = x', friction = " \
    "0.2\n"                                                                                              \
    "output total = energy\ninit x = 0, y = 1, x' = 1, y' = 0, u = 0, h = 0\nrun 0 .. 1\n"

/* Arrays, equations of another form, a controller that samples, a part with a memory; the energy is that
 * of the lagrangian as it stands, and a run that is saved on the way goes on with the same bits. */
static void memories_of_all_kinds(void **state) {
    (void)state;
    keel_model *m = model_of(KINDS);
    keel_sim *s = keel_sim_open(m, NULL);
    run_to(s, 0.63);
    size_t size = keel_sim_save(s, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(keel_sim_save(s, bytes, size), size);
    keel_sim *again = keel_sim_load(m, NULL, bytes, size);
    run_to(s, 1);
    run_to(again, 1);
    assert_true(value_of(s, "x") == value_of(again, "x") && value_of(s, "u[2]") == value_of(again, "u[2]"));
    double x = value_of(s, "x'"), y = value_of(s, "y'");
    assert_near(value_of(s, "total"), (x * x + y * y) / 2 + 9.81 * value_of(s, "y"), 1e-12);
    assert_near(value_of(s, "u[2]"), cos(1) + sin(1) - exp(-1), 1e-6);
    assert_near(value_of(s, "u[1]"), (cos(1) + sin(1) - exp(-1)) / 2, 1e-6);
    keel_sim_close(s);
    keel_sim_close(again);
    keel_model_close(m);
    free(bytes);
}

/* Rates that are one variable or velocity name nothing: integrals of a height and of its integral, over the
 * flights y = v t - g t^2/2 between bounces, and a height again. */
static void integrals_of_a_bouncing_height(void **state) {
    (void)state;
    keel_model *m = model_of("coord y\nvar s, w, r\nlagrangian y'^2/2 - 9.81*y\ns' = y\nw' = s\nr' = y'\n"
                             "contact soil: y, restitution = 0.7\n"
                             "init y = 1, y' = 0, s = 0, w = 0, r = 0\nrun 0 .. 2\n");
    keel_sim *run = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    double t = 0, y = 1, v = 0, s = 0, w = 0, flight = sqrt(2 / g);
    for (int bounces = 0;; bounces++) {
        double d = t + flight < 2 ? flight : 2 - t;
        w += d * (s + d * (y / 2 + d * (v / 6 - d * g / 24)));
        s += d * (y + d * (v / 2 - d * g / 6));
        y += d * (v - d * g / 2), v -= g * d, t += d;
        if (d < flight) break;
        y = 0, v *= -0.7, flight = 2 * v / g;
        assert_true(bounces < 5);
    }
    run_to(run, 2);
    assert_near(value_of(run, "y"), y, 1e-10);
    assert_near(value_of(run, "s"), s, 1e-10);
    assert_near(value_of(run, "w"), w, 1e-10);
    assert_near(value_of(run, "r"), y - 1, 1e-10);
    keel_sim_close(run);
    keel_model_close(m);
}

#define HEAD "coord y\nvar u\ninit y = 1, y' = 0, u = 0\nrun 0 .. 1\n"
#define FLOOR "contact soil: y\n"
static const struct {
    const char *text, *sentence;
} mistakes[] = {
    {HEAD "lagrangian y'^2/2 - u*y\nu' = -u\n" FLOOR, "is of coordinates alone, and this one has `u`"},
    {HEAD "lagrangian y'^2/2\n" FLOOR, "`u` has no equation"},
    {HEAD "lagrangian y'^2/2\nu = y\n" FLOOR, "a `var` has one equation, for its rate"},
    {HEAD "lagrangian y'^2/2\nu' = 1\nu' = 2\n" FLOOR, "`u'` is given twice"},
    {HEAD "lagrangian y'^2/2\nu' = y''\n" FLOOR,
     "the rate `u'` is one of t, positions, velocities and variables, "
     "and this one has `y''`"},
    {HEAD "lagrangian y'^2/2\nsin(u') = 1\n" FLOOR, "and this one has `u'`"},
    {HEAD "lagrangian y'^2/2\nu'' = -u\n" FLOOR, "for its rate, and this one has `u''`"},
    {HEAD "lagrangian y'^2/2\nu' = -u + u''\n" FLOOR, "for its rate, and this one has `u''`"},
    {HEAD "lagrangian y'^2/2\nu' = 1\ncontact soil: y - u\n", "positions and t only, and this one has `u`"},
    {HEAD "lagrangian y'^2/2\nu' = 1\ncontact soil: y, sliding = u, friction = 0.1\n", "this one has `u`"},
    {HEAD "lagrangian y'^2/2\nu' = 1\nforce u: 2\n" FLOOR, "a force acts on a coordinate, and this is none"},
    {"library circuit\nnode a\nuse Resistor r(a, earth, 1)\ncoord y\ninit y = 1, y' = 0\nrun 0 .. 1\n"
     "lagrangian y'^2/2\n" FLOOR,
     "`a.v` follows from equations, and beside contacts a variable has one for its rate"},
    {"coord y\ninit y = 1, y' = 0\nrun 0 .. 1\nlagrangian y'^2/2\nmode a:\n    force y: 1\nstart a\n" FLOOR,
     "`contact` and `mode` do not go together"},
};

static void mistakes_have_their_sentences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        keel_model *m = keel_model_read("test.keel", mistakes[i].text, strlen(mistakes[i].text), NULL);
        assert_non_null(m);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), mistakes[i].sentence))
            fail_msg("%s\nwanted: %s\nsaid: %s", mistakes[i].text, mistakes[i].sentence,
                     keel_model_message(m));
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_drives_a_mass_that_bounces),
        cmocka_unit_test(a_ball_with_a_drag_that_lags),
        cmocka_unit_test(a_motor_pulls_a_block_that_sticks),
        cmocka_unit_test(memories_of_all_kinds),
        cmocka_unit_test(integrals_of_a_bouncing_height),
        cmocka_unit_test(mistakes_have_their_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
