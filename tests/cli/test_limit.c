/* test_limit.c - how many steps the command allows, and that they count over all parts of a run. */
#include "testing.h"

#include "cli/job/limit.c"

const char *job_why(keel_sim *sim) {
    return keel_sim_message(sim);
}

double job_seconds(void) {
    static double now;
    return now += 0.001;
}

static const char text[] = "var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n";

static void default_limits(void **state) {
    (void)state;
    const struct {
        keel_options o;
        long most;
    } rows[] = {
        {{.rtol = 1e-6}, 10000000},
        {{.step = 1e-9}, 0}, /* the number is what was asked for */
        {{.step = 0.01, .reversible = 1}, 10000000},
        {{.max_steps = 7}, 7},
        {{.max_steps = 7, .step = 0.01}, 7},
        {{.max_steps = 3000000000}, 3000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(limit_open(&rows[i].o, NULL, NULL).most, rows[i].most);
}

static void counts_over_parts(void **state) {
    (void)state;
    keel_model_options mo = {.interpret = 1};
    keel_model *m = keel_model_read("m", text, strlen(text), &mo);
    keel_options o = {.max_step = 0.01, .max_steps = 20};
    keel_sim *s = keel_sim_open(m, &o);
    keel_status status = KEEL_OK;
    for (int part = 0; part < 4 && status == KEEL_OK; part++) { /* as if resumed after every eight steps */
        struct limit l = limit_open(&o, s, NULL);
        for (int k = 0; k < 8 && status == KEEL_OK; k++) status = limit_advance(&l, s, 1, 1);
        if (status != KEEL_OK) assert_non_null(strstr(limit_why(&l, s, status, 1), "20 steps"));
    }
    assert_int_equal(status, KEEL_ELIMIT);
    assert_int_equal(keel_statistics(keel_sim_solver(s)).steps, 20);
    keel_sim_close(s);
    keel_model_close(m);
}

/* From C one call counts as a whole, with all its events. */
static void one_call_of_a_simulation(void **state) {
    (void)state;
    static const char hops[] = "var x, v\nx' = v\nv' = -1\ninit x = 1, v = 0\n"
                               "event hit: x falling -> v := -v\nrun 0 .. 1000\n";
    keel_model_options mo = {.interpret = 1};
    keel_model *m = keel_model_read("m", hops, strlen(hops), &mo);
    keel_options o = {.max_step = 0.1, .max_steps = 200};
    keel_sim *s = keel_sim_open(m, &o);
    assert_int_equal(keel_sim_run(s, 1000), KEEL_ELIMIT);
    assert_true(keel_statistics(keel_sim_solver(s)).steps < 400);
    assert_non_null(strstr(keel_sim_message(s), "max_steps"));
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_limits),
        cmocka_unit_test(counts_over_parts),
        cmocka_unit_test(one_call_of_a_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
