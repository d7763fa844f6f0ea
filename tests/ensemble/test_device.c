/* test_device.c - the kernels for a GPU, compiled for a core in its place (tests/device): members have the
 * bits of members on cores, however threads take their runs; where nvcc is, it compiles the same text; and
 * what is missing is told in a sentence. */
#include "lanes.h"

#define STAND_IN KEEL_EXAMPLES_DIR "/../tests/device/nvcc"

static void device_is_a_core(void) {
    setenv("KEEL_NVCC", STAND_IN, 1);
#ifdef __SANITIZE_ADDRESS__
    setenv("KEEL_TEST_CXXFLAGS", "-fsanitize=address,undefined -fno-sanitize-recover=all", 1);
#endif
}

static void members_have_the_bits_of_cores(void **state) {
    static const int quick[] = {0, 1, 2, 3, 4, 12, 13, 19};
    (void)state;
    device_is_a_core();
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        bits_do_not_depend_on_lanes(quick[i], ON_DEVICE, ON_DEVICE);
}

/* More members than a worker has under way, so that lanes are filled again, and some of each block fail. */
static void lanes_are_filled_again(void **state) {
    static const char text[] = "param c = 1\nvar x\nx' = c*x^2\ninit x = 1\nrun 0 .. 1\n";
    struct hashed h[2] = {{14695981039346656037u, 0, 0}, {14695981039346656037u, 0, 0}};
    (void)state;
    device_is_a_core();
    keel_model *m = keel_model_read("m.keel", text, strlen(text), NULL);
    for (int device = 0; device < 2; device++) {
        keel_plan *p = keel_plan_open(m);
        keel_ensemble_options o = {
            .run = {.method = "rk4+none", .step = 0.05}, .workers = 2, .lanes = 1, .device = device};
        assert_int_equal(keel_plan_over(p, "c = 0.1:1.05:10001"), KEEL_OK);
        assert_int_equal(keel_plan_settle(p, NULL), KEEL_OK);
        keel_ensemble *e = keel_ensemble_open(m, p, &o);
        if (keel_ensemble_status(e) < 0) fail_msg("%s", keel_ensemble_message(e));
        assert_int_equal(keel_ensemble_run(e, 0, keel_ensemble_blocks(e), hash_block, &h[device]), KEEL_OK);
        keel_ensemble_close(e);
        keel_plan_close(p);
    }
    keel_model_close(m);
    assert_true(h[0].members == 10001 && h[0].hash == h[1].hash);
}

/* The reason why an ensemble cannot be opened on the device; NULL: it can. */
static const char *refusal(const char *text, const char *method) {
    static char reason[640];
    keel_model *m = keel_model_read("m.keel", text, strlen(text), NULL);
    keel_plan *p = keel_plan_open(m);
    keel_plan_over(p, text == kepler ? "e = 0.1, 0.2" : text == pendulum ? "l = 1, 2" : "c = 0.1, 0.2");
    keel_plan_settle(p, NULL);
    keel_ensemble_options o = {.run = {.method = method, .step = 0.01}, .workers = 1, .device = 1};
    keel_ensemble *e = keel_ensemble_open(m, p, &o);
    keel_status status = keel_ensemble_status(e);
    snprintf(reason, sizeof reason, "%s", keel_ensemble_message(e));
    keel_ensemble_close(e);
    keel_plan_close(p);
    keel_model_close(m);
    return status < 0 ? reason : NULL;
}

static void assert_tells(const char *reason, const char *part) {
    if (!reason || !strstr(reason, part)) fail_msg("`%s` does not say `%s`", reason ? reason : "", part);
}

static void what_is_missing_is_told(void **state) {
    (void)state;
    setenv("KEEL_NVCC", "no-such-compiler", 1);
    assert_tells(refusal(race, "rk4+none"), "no CUDA compiler `no-such-compiler`");
    device_is_a_core();
    assert_tells(refusal(race, "gauss4+none"), "gauss4 is not an explicit Runge-Kutta method");
    setenv("KEEL_TEST_NO_GPU", "1", 1);
    assert_tells(refusal(race, "rk4+none"), "the GPU cannot be used");
    unsetenv("KEEL_TEST_NO_GPU");
    assert_null(refusal(race, "rk4+none"));
}

/* By CUDA's own compiler, where it is; without a GPU that is all there is to see. */
static void nvcc_compiles_the_text(void **state) {
    (void)state;
    unsetenv("KEEL_NVCC");
    const char *const text[] = {kepler, pendulum};
    for (int k = 0; k < 2; k++) {
        const char *reason = refusal(text[k], "rk4+project");
        if (reason && !strstr(reason, "no CUDA compiler")) assert_tells(reason, "the GPU cannot be used");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_the_bits_of_cores),
        cmocka_unit_test(lanes_are_filled_again),
        cmocka_unit_test(what_is_missing_is_told),
        cmocka_unit_test(nvcc_compiles_the_text),
    };
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
