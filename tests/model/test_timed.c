/* test_timed.c - events at given times: every period, at one time.  Times are exact, what is sampled follows
 * the recursion, runs in pieces, saved, backwards and with modes are the same as whole ones. */
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

static void samples_are_at_whole_multiples(void **state) {
    (void)state;
    keel_model *m = model_of(SAMPLED);
    keel_sim *s = open_it(m, NULL);
    run_to(s, 10);
    keel_event_record one;
    long k = 0;
    for (; keel_sim_event(s, k, &one); k++)
        if (one.t != (double)k * 0.01 && !(k == 1000 && one.t == 10))
            fail_msg("sample %ld at %.17g", k, one.t);
    assert_int_equal(k, 1001);
    keel_sim_close(s);
    keel_model_close(m);
}

/* x_{k+1} = e x_k + (1 - e) u_k with e = exp(-T), u_k = 2 (1 - x_k). */
static void what_is_sampled_follows_the_recursion(void **state) {
    (void)state;
    static const keel_options options[] = {{.rtol = 1e-10},
                                           {.method = "rk4", .step = 0.0025},
                                           {.method = "rk4", .step = 0.003},
                                           {.method = "ab4", .step = 0.0025},
                                           {.method = "radau", .rtol = 1e-9},
                                           {.method = "taylor", .rtol = 1e-10}};
    double x = 0, e = exp(-0.01);
    for (int k = 0; k < 1000; k++) x = e * x + (1 - e) * 2 * (1 - x);
    keel_model *m = model_of(SAMPLED);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        keel_sim *s = open_it(m, &options[i]);
        run_to(s, 10);
        assert_near(value_of(s, "x"), x, 1e-9);
        assert_near(value_of(s, "u"), 2 * (1 - x), 1e-8);
        assert_int_equal(event_records(s), 1001);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* Steps after a sample are as long as before it: the motion goes on. */
static void samples_take_no_more_steps_than_they_are(void **state) {
    (void)state;
    keel_model *m = model_of(SAMPLED);
    keel_sim *s = open_it(m, NULL);
    run_to(s, 10);
    assert_true(keel_statistics(keel_sim_solver(s)).steps <= 1010);
    keel_sim_close(s);
    keel_model_close(m);
}

/* A sample costs one evaluation, of the rate that it changes: a step of dop853 is 12 others.  By instructions
 * it is compared with the same model without the event, in calls that end at the same times
 * (docs/limits.md): a step that need not land on a time is another step. */
static void samples_evaluate_what_they_change(void **state) {
    (void)state;
    keel_model *m = model_of(SAMPLED);
    keel_options o = {.method = "dop853"};
    keel_sim *s = open_it(m, &o);
    run_to(s, 5);
    long before = keel_statistics(keel_sim_solver(s)).calls;
    run_to(s, 10);
    assert_int_equal(keel_statistics(keel_sim_solver(s)).calls - before, 500 * (12 + 1));
    keel_sim_close(s);
    keel_model_close(m);
}

/* An event found at the time of a sample, a round-off before or after it: both act, whichever is first. */
static void located_events_leave_no_sample_out(void **state) {
    (void)state;
    for (int k = 1; k < 100; k++) {
        char text[240];
        snprintf(text, sizeof text,
                 "var x, n, m\nx' = 1\nn' = 0\nm' = 0\nevent hit: x - %d/100 rising -> m := m + 1\n"
                 "event tick: every 0.01 -> n := n + 1\ninit x = 0, n = 0, m = 0\nrun 0 .. 1\n",
                 k);
        keel_model *m = model_of(text);
        keel_sim *s = open_it(m, NULL);
        run_to(s, 1);
        assert_near(value_of(s, "n"), 101, 0);
        assert_near(value_of(s, "m"), 1, 0);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

#define LAPS                                                                                      \
    "var x\nx' = 1\nevent lap: every 0.1 -> x := x + 1\nevent odd: at t = 0.25 -> x := x + 100\n" \
    "event last: at t = 3*0.1 -> record\ninit x = 0\nrun 0 .. 0.3\n"

/* 3*0.1 is not 0.3: both are one time, and events there act in the order of the file, the last ones too. */
static void ends_and_times_that_meet(void **state) {
    (void)state;
    keel_model *m = model_of(LAPS);
    keel_sim *s = open_it(m, NULL);
    run_to(s, 0.3);
    assert_string_equal(story(s), "lap lap lap odd lap last");
    assert_near(value_of(s, "x"), 0.3 + 4 + 100, 1e-12);
    run_to(s, 0.35);
    assert_string_equal(story(s), "lap lap lap odd lap last");
    keel_sim_close(s);
    keel_model_close(m);
}

/* In pieces that end at samples or between them, and from a saved state: the same events, the same bits. */
static void pieces_are_the_whole(void **state) {
    (void)state;
    keel_model *m = model_of(SAMPLED);
    keel_options fixed = {.method = "rk4", .step = 0.0025};
    keel_sim *whole = open_it(m, &fixed), *s = open_it(m, &fixed);
    run_to(whole, 2);
    run_to(s, 0.5);
    run_to(s, 0.505);
    size_t size = keel_sim_save(s, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(keel_sim_save(s, bytes, size), size);
    keel_sim_close(s);
    s = keel_sim_load(m, &fixed, bytes, size);
    run_to(s, 1);
    free(bytes);
    size = keel_sim_save(s, NULL, 0); /* on a sample */
    bytes = malloc(size);
    assert_int_equal(keel_sim_save(s, bytes, size), size);
    keel_sim_close(s);
    s = keel_sim_load(m, &fixed, bytes, size);
    run_to(s, 2);
    free(bytes);
    assert_int_equal(event_records(s), event_records(whole));
    assert_true(value_of(s, "x") == value_of(whole, "x"));
    assert_true(value_of(s, "u") == value_of(whole, "u"));
    keel_sim_close(s);
    keel_sim_close(whole);
    keel_model_close(m);
}

static void backwards_they_act_in_turn(void **state) {
    (void)state;
    keel_model *m =
        model_of("var x\nx' = 1\nevent lap: every 0.25 -> x := x + 1\nevent odd: at t = -0.6 -> x := "
                 "x + 100\ninit x = 0\nrun 0 .. -1\n");
    keel_sim *s = open_it(m, NULL);
    run_to(s, -1);
    assert_string_equal(story(s), "lap lap lap odd lap lap");
    assert_near(value_of(s, "x"), -1 + 5 + 100, 1e-12);
    keel_sim_close(s);
    keel_model_close(m);
}

/* A timed event of a mode acts after the time at which it is entered, so two modes take turns; one outside of
 * them acts in both, once each time. */
static void modes_take_turns(void **state) {
    (void)state;
    keel_model *m = model_of("var x, n\nevent tick: every 0.5 -> n := n + 1\nn' = 0\n"
                             "mode up:\n    x' = 1\n    event top: every 1 -> mode down\n"
                             "mode down:\n    x' = -1\n    event bottom: every 1 -> mode up\n"
                             "start up\ninit x = 0, n = 0\nrun 0.25 .. 3.75\n");
    keel_sim *s = open_it(m, NULL);
    run_to(s, 3.75);
    assert_string_equal(story(s), "tick tick top tick tick bottom tick tick top tick");
    assert_near(value_of(s, "x"), 0.75 - 1 + 1 - 0.75, 1e-12);
    assert_near(value_of(s, "n"), 7, 0);
    keel_sim_close(s);
    keel_model_close(m);
}

static void a_stop_ends_the_run_and_it_goes_on(void **state) {
    (void)state;
    keel_model *m = model_of("var x\nx' = 1\nevent halt: at t = 0.5 -> stop\ninit x = 0\nrun 0 .. 1\n");
    keel_sim *s = open_it(m, NULL);
    assert_int_equal(keel_sim_run(s, 1), KEEL_EVENT);
    assert_true(keel_time(keel_sim_solver(s)) == 0.5);
    assert_int_equal(keel_sim_run(s, 1), KEEL_OK);
    assert_near(value_of(s, "x"), 1, 1e-14);
    keel_sim_close(s);
    keel_model_close(m);
}

static void other_values_have_other_times(void **state) {
    (void)state;
    keel_model *m = model_of(SAMPLED);
    assert_int_equal(keel_model_set(m, "T=0.5"), KEEL_OK);
    keel_sim *s = open_it(m, NULL);
    run_to(s, 10);
    assert_int_equal(event_records(s), 21);
    keel_sim_close(s);
    assert_int_equal(keel_model_set(m, "T=-1"), KEEL_OK);
    s = open_it(m, NULL);
    assert_int_equal(keel_sim_run(s, 10), KEEL_EINVAL);
    assert_non_null(strstr(keel_sim_message(s), "the period of event `sample` is -1"));
    keel_sim_close(s);
    keel_model_close(m);
}

static double x_with(const char *set, const char *sensitivity, const char *column) {
    keel_model *m = keel_model_read(
        "test.keel", SAMPLED, strlen(SAMPLED),
        &(keel_model_options){.interpret = 1, .set = &set, .sets = set != NULL, .sensitivity = sensitivity});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = open_it(m, &(keel_options){.rtol = 1e-11});
    run_to(s, 1.005);
    double value = value_of(s, column);
    keel_sim_close(s);
    keel_model_close(m);
    return value;
}

/* The n-th sample is at n T: its time moves n times as far as the period. */
static void sensitivities_go_through_samples(void **state) {
    (void)state;
    assert_near(x_with(NULL, "T, k", "d/dk x"),
                (x_with("k=2.0001", NULL, "x") - x_with("k=1.9999", NULL, "x")) / 2e-4, 1e-7);
    assert_near(x_with(NULL, "T, k", "d/dT x"),
                (x_with("T=0.010001", NULL, "x") - x_with("T=0.009999", NULL, "x")) / 2e-6, 1e-5);
}

static void a_period_below_the_round_off_of_time_is_told(void **state) {
    (void)state;
    keel_model *m = model_of("var x\nx' = 1\nevent e: every 1e-17 -> record\ninit x = 0\nrun 1 .. 2\n");
    keel_sim *s = open_it(m, NULL);
    assert_int_equal(keel_sim_run(s, 2), KEEL_ELIMIT);
    assert_non_null(strstr(keel_sim_message(s), "is lost in the round-off of t = 1"));
    keel_sim_close(s);
    keel_model_close(m);
}

static void every_and_at_are_names_elsewhere(void **state) {
    (void)state;
    keel_model *m = model_of("param at = 2\nvar every\nevery' = at\nevent a: every - 1 rising -> record\n"
                             "event b: at - every falling -> record\nevent c: at t = 0.75 -> record\n"
                             "init every = 0\nrun 0 .. 2\n");
    keel_sim *s = open_it(m, NULL);
    run_to(s, 2);
    assert_string_equal(story(s), "a c b");
    keel_sim_close(s);
    keel_model_close(m);
}

static const struct {
    const char *line, *sentence;
} mistakes[] = {
    {"event e: every 0 -> stop", "the period of an event is positive, and this is 0."},
    {"event e: every x -> stop", "the period of an event is fixed, and this depends on `x`."},
    {"event e: at t = 1/0 -> stop", "division by zero"},
    {"event e: at 3 -> stop", "`t = ` is missing"},
    {"event e: at t = 3", "`->` is missing"},
    {"event e: every -> stop", "an expression is missing"},
    {"event e: at t = 1 -> record\nevent e: every 2 -> record", "the event `e` is given twice"},
};

static void mistakes_have_their_sentences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[300];
        snprintf(text, sizeof text, "var x\nx' = 1\n%s\ninit x = 0\nrun 0 .. 1\n", mistakes[i].line);
        keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), mistakes[i].sentence))
            fail_msg("%s\nwanted: %s\nsaid: %s", text, mistakes[i].sentence, keel_model_message(m));
        keel_model_close(m);
    }
}

/* All samples of a call act in one loop, unless something else may happen: a located event that never does,
 * single steps.  The bits are the same, as they are with an interpreter in place of machine code, and beside
 * a second sample that changes nothing. */
static void in_a_loop_they_are_what_they_are_alone(void **state) {
    (void)state;
    static const char with[] =
        "param T = 0.01, k = 2\nvar x, u\nx' = -x + u\nu' = 0\nevent sample: every T -> u := k*(1 - x)\n"
        "event never: x - 1e9 rising -> record\ninit x = 0, u = 0\nrun 0 .. 10\n";
    static const char two[] =
        "param T = 0.01, k = 2\nvar x, u\nx' = -x + u\nu' = 0\nevent late: at t = 1e9 -> x := t, u := 7\n"
        "event sample: every T -> u := k*(1 - x)\ninit x = 0, u = 0\nrun 0 .. 10\n";
    static const keel_options options[] = {
        {.rtol = 1e-8}, {.method = "rk4", .step = 0.01}, {.method = "radau"}};
    keel_model *own[4] = {
        model_of(SAMPLED), model_of(with), model_of(two),
        keel_model_read("interpreted", SAMPLED, strlen(SAMPLED), &(keel_model_options){.interpret = 1})};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        double x = 0, u = 0;
        long steps = 0;
        for (int way = 0; way < 5; way++) { /* the last one in single steps */
            keel_sim *s = open_it(own[way % 4], &options[i]);
            keel_status status = KEEL_OK;
            while (way == 4 && keel_time(keel_sim_solver(s)) < 10 && status == KEEL_OK)
                status = keel_sim_step(s, 10);
            assert_int_equal(status, KEEL_OK);
            run_to(s, 10);
            if (way == 0)
                x = value_of(s, "x"), u = value_of(s, "u"), steps = keel_statistics(keel_sim_solver(s)).steps;
            assert_true(value_of(s, "x") == x && value_of(s, "u") == u);
            assert_int_equal(keel_statistics(keel_sim_solver(s)).steps, steps);
            assert_int_equal(event_records(s), 1001);
            keel_sim_close(s);
        }
    }
    for (int k = 0; k < 4; k++) keel_model_close(own[k]);
}

/* What goes wrong there is told as elsewhere. */
static void a_loop_of_samples_ends_where_it_must(void **state) {
    (void)state;
    keel_model *m = model_of("var x, u\nx' = u\nu' = 0\nevent s: every 0.5 -> u := sqrt(2 - t)\n"
                             "init x = 0, u = 0\nrun 0 .. 9\n");
    keel_sim *s = open_it(m, NULL);
    assert_int_equal(keel_sim_run(s, 9), KEEL_EUSER);
    assert_non_null(strstr(keel_sim_message(s), "event `s` at t = 2.5 assigns something that is no number"));
    keel_sim_close(s);
    s = open_it(m, &(keel_options){.method = "dopri5", .max_step = 0.01, .max_steps = 120});
    assert_int_equal(keel_sim_run(s, 9), KEEL_ELIMIT);
    assert_non_null(strstr(keel_sim_message(s), "120 steps were taken"));
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_at_whole_multiples),
        cmocka_unit_test(in_a_loop_they_are_what_they_are_alone),
        cmocka_unit_test(a_loop_of_samples_ends_where_it_must),
        cmocka_unit_test(what_is_sampled_follows_the_recursion),
        cmocka_unit_test(samples_take_no_more_steps_than_they_are),
        cmocka_unit_test(samples_evaluate_what_they_change),
        cmocka_unit_test(located_events_leave_no_sample_out),
        cmocka_unit_test(ends_and_times_that_meet),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(backwards_they_act_in_turn),
        cmocka_unit_test(modes_take_turns),
        cmocka_unit_test(a_stop_ends_the_run_and_it_goes_on),
        cmocka_unit_test(other_values_have_other_times),
        cmocka_unit_test(sensitivities_go_through_samples),
        cmocka_unit_test(a_period_below_the_round_off_of_time_is_told),
        cmocka_unit_test(every_and_at_are_names_elsewhere),
        cmocka_unit_test(mistakes_have_their_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
