/* test_samples.c - samples of a controller in the loop of a kernel: the bits of the core. */
#include "testing.h"

#include "model_run.h"

#define SAMPLED                                              \
    "param T = 0.01, k = 2\nvar x, u\nx' = -x + u\nu' = 0\n" \
    "event sample: every T -> u := k*(1 - x)\ninit x = 0, u = 0\nrun 0 .. 10\n"

static keel_sim *open_it(keel_model *m, const keel_options *o) {
    keel_sim *s = keel_sim_open(m, o);
    assert_non_null(s);
    return s;
}

/* Runs with samples: of a few steps each and of one, with another event that acts now and then, with rejected
 * steps, with a state that a sample is far beyond, with states whose sum overflows, and backwards. */
static const struct {
    const char *text;
    double end;
    keel_options o;
} looped[] = {
    {SAMPLED, 40, {.method = "rk4", .step = 0.01}},
    {SAMPLED, 40, {.method = "rk4", .step = 0.0025}},
    {SAMPLED, 40, {.method = "rk4", .step = 0.003}},
    {SAMPLED, 40, {.method = "dopri5", .step = 0.005}},
    {SAMPLED, 40, {.method = "dop853"}},
    {SAMPLED, 40, {.rtol = 1e-3}},
    {SAMPLED, 40, {.method = "dopri5", .max_step = 0.004}},
    {SAMPLED, 40, {.method = "dopri5", .rtol = 1e-12}},
    {SAMPLED, -40, {.method = "bs32", .rtol = 1e-9}},
    {"param k = 3\nvar x, v, u\nx' = v\nv' = -sin(x) - 0.1*v*u^2 + u\nu' = -u\n"
     "event s: every 0.05 -> u := k*cos(t) - v, v := 0.9*v\nevent late: every 0.7 -> x := 1e-3*x\n"
     "init x = 1, v = 0, u = 0\nrun 0 .. 40\n",
     40,
     {.method = "dopri5", .rtol = 1e-7}},
    {"var x, v, u\nx' = v\nv' = u - sin(x)\nu' = 0\nevent s: every 0.02 -> u := 50*floor(sin(9*t))\n"
     "init x = 1, v = 0, u = 0\nrun 0 .. 40\n",
     40,
     {.method = "dop853", .rtol = 1e-10}},
    {"var x, v, u\nx' = -x/9\nv' = -v/9\nu' = 0\nevent s: every 0.01 -> u := 1e-300*x\n"
     "init x = 1.5e308, v = 1.5e308, u = 0\nrun 0 .. 40\n",
     40,
     {.method = "rk4", .step = 0.01}},
};

/* What a run ends with, all of its times included. */
static unsigned long long trace_of(keel_sim *s, double end, int kernel) {
    unsigned long long h = 14695981039346656037u;
    if (kernel) assert_int_equal(keel_sim_compile(s), 1);
    for (int part = 1; part <= 3; part++) {
        run_to(s, part == 3 ? end : end * 0.30303 * part);
        size_t size = keel_sim_save(s, NULL, 0);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(keel_sim_save(s, bytes, size), size);
        for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 1099511628211u;
        free(bytes);
    }
    return h;
}

/* The loop of a kernel has the bits of single calls: states, statistics, records, what is saved.  In pieces,
 * too, and where somebody stops it. */
static void a_kernel_has_the_samples_of_the_core(void **state) {
    (void)state;
    static const int defect_every[] = {0, 5, 128};
    for (size_t k = 0; k < 3 * sizeof looped / sizeof *looped; k++) {
        size_t i = k / 3;
        keel_model *m = keel_model_read("looped", looped[i].text, strlen(looped[i].text),
                                        &(keel_model_options){.kernel_later = 1});
        assert_int_equal(keel_model_status(m), KEEL_OK);
        unsigned long long trace[2];
        for (int kernel = 0; kernel < 2; kernel++) {
            keel_options o = looped[i].o;
            o.defect_every = defect_every[k % 3];
            keel_sim *s = open_it(m, &o);
            trace[kernel] = trace_of(s, looped[i].end, kernel);
            keel_sim_close(s);
            o.pause_steps = 37;
            s = open_it(m, &o);
            if (kernel) keel_sim_compile(s);
            while (keel_time(keel_sim_solver(s)) != looped[i].end)
                assert_int_equal(keel_sim_advance(s, looped[i].end, looped[i].end), KEEL_OK);
            o.pause_steps = 0;
            keel_sim *whole = open_it(m, &o);
            run_to(whole, looped[i].end);
            assert_true(value_of(s, "x") == value_of(whole, "x") && value_of(s, "u") == value_of(whole, "u"));
            assert_int_equal(keel_statistics(keel_sim_solver(s)).calls,
                             keel_statistics(keel_sim_solver(whole)).calls);
            assert_int_equal(event_records(s), event_records(whole));
            keel_sim_close(s);
            keel_sim_close(whole);
        }
        if (trace[0] != trace[1])
            fail_msg("case %zu, one look in %d steps: the kernel has other bits", i, defect_every[k % 3]);
        keel_model_close(m);
    }
}

/* Accelerations of a few coordinates beside a `var` are expressions: what stands beside the motion does not
 * change it, whatever its mass matrix is. */
static void accelerations_beside_a_var_are_expressions(void **state) {
    (void)state;
#define CART                                                                                             \
    "param m = 0.2, l = 0.5, g = 9.81\ncoord x, a, b\nlet one = (x + l*sin(a), l*cos(a)), "              \
    "two = one + (l*sin(b), l*cos(b))\nlagrangian x'^2/2 + m*dot(one', one')/2 + m*dot(two', two')/2 - " \
    "m*g*(one[2] + two[2])\ninit x = 0, a = 3, b = 2.5, x' = 0.1, a' = 0, b' = 1\nrun 0 .. 2\n"
    static const char *const texts[] = {
        CART "force x: exp(-t)\n", CART "force x: u\nvar u\nu' = -u\ninit u = 1\n",
        CART "force x: u\nvar u\nu' = 0\ninit u = 1\nevent s: every 1e-3 -> u := exp(-t)\n"};
    double x[3], b[3];
    for (int i = 0; i < 3; i++) {
        keel_model *m = model_of(texts[i]);
        keel_mode mode;
        assert_true(keel_model_mode(m, 0, &mode) && mode.problem->m == 0);
        keel_sim *s = open_it(m, &(keel_options){.method = "dop853", .rtol = 1e-12});
        run_to(s, 2);
        x[i] = value_of(s, "x"), b[i] = value_of(s, "b");
        keel_sim_close(s);
        keel_model_close(m);
    }
    assert_near(x[1], x[0], 1e-10);
    assert_near(b[1], b[0], 1e-10);
    assert_near(x[2], x[0], 1e-3); /* it lags by half of a period */
}

/* By the kernel an evaluation that is no number ends the run where it does without one. */
static void a_kernel_leaves_what_goes_wrong_to_the_core(void **state) {
    (void)state;
    static const char text[] = "var x, u\nx' = u\nu' = 0\nevent s: every 0.5 -> u := sqrt(2000 - t)\n"
                               "init x = 0, u = 0\nrun 0 .. 9000\n";
    keel_model *m = keel_model_read("wrong", text, strlen(text), &(keel_model_options){.kernel_later = 1});
    keel_sim *s = open_it(m, &(keel_options){.method = "rk4", .step = 0.5});
    assert_int_equal(keel_sim_compile(s), 1);
    assert_int_equal(keel_sim_run(s, 9000), KEEL_EUSER);
    assert_non_null(
        strstr(keel_sim_message(s), "event `s` at t = 2000.5 assigns something that is no number"));
    assert_int_equal(event_records(s), 4002);
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_the_samples_of_the_core),
        cmocka_unit_test(a_kernel_leaves_what_goes_wrong_to_the_core),
        cmocka_unit_test(accelerations_beside_a_var_are_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
