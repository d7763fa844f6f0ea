/* test_groups.c - groups of modes: what is analysed, and when; names, rows and held values over combinations;
 * saved states; runs side by side. */
#include "testing.h"

#include "model_run.h"

#include <pthread.h>

/* Two pendulums of which each catches its string by itself, and a third switch on the way. */
#define STRINGS                                                  \
    "param l = 1\n"                                              \
    "part Mass(v):\n"                                            \
    "    coord x, y\n"                                           \
    "    lagrangian (x'^2 + y'^2)/2 - 9.81*y\n"                  \
    "    mode taut:\n"                                           \
    "        constraint string: x^2 + y^2 = l^2\n"               \
    "        event slack: lambda.string falling -> mode loose\n" \
    "    mode loose:\n"                                          \
    "        event catch: x^2 + y^2 - l^2 rising -> mode taut\n" \
    "    start taut\n"                                           \
    "    init x = 0, x' = v\n"                                   \
    "    guess y = -l, y' = 0\n"                                 \
    "use Mass a(6), b(5.5)\n"                                    \
    "var c\n"                                                    \
    "mode fan.on:\n"                                             \
    "    c' = 1\n"                                               \
    "    event tired: c - 0.7 rising -> mode fan.off\n"          \
    "mode fan.off:\n"                                            \
    "    c' = -2*(t - t.enter)\n"                                \
    "    event fresh: c - 0.2 falling -> mode fan.on\n"          \
    "start fan.on\n"                                             \
    "init c = 0\n"                                               \
    "run 0 .. 4\n"

static const char *mode_name(const keel_sim *s, int i) {
    keel_mode mode = {0};
    assert_int_equal(keel_model_mode(keel_sim_model(s), i, &mode), 1);
    return mode.name;
}

/* Of eight combinations those that are entered, in their order; the model itself has the first. */
static void combinations_are_analysed_when_entered(void **state) {
    (void)state;
    keel_model *m = model_of(STRINGS);
    keel_sim *s = keel_sim_open(m, NULL);
    assert_int_equal(keel_model_groups(m), 3);
    assert_string_equal(keel_model_group(m, 2), "fan");
    assert_string_equal(keel_model_group_mode(m, 0, 1), "a.loose");
    assert_null(keel_model_group_mode(m, 1, 2));
    assert_int_equal(keel_model_modes(keel_sim_model(s)), 1);
    assert_string_equal(mode_name(s, 0), "a.taut, b.taut, fan.on");
    run_to(s, 4);
    int modes = keel_model_modes(keel_sim_model(s)), met = 0;
    assert_true(modes > 3 && modes <= 8);
    assert_int_equal(keel_model_modes(m), 1);
    keel_event_record one;
    for (long k = 0; keel_sim_event(s, k, &one); k++) {
        assert_true(one.to >= 0 && one.to <= met + 1);
        if (one.to > met) met = one.to;
    }
    assert_int_equal(met, modes - 1);
    keel_sim_close(s);
    keel_model_close(m);
}

/* The strings' rows are within round-off over all combinations, and t.enter is of the fan alone: between two
 * changes c falls as the square of the time since. */
static void rows_and_held_values_follow_their_groups(void **state) {
    (void)state;
    keel_model *m = model_of(STRINGS);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    run_to(s, 4);
    keel_row row;
    int found = 0;
    for (int i = 0; i < keel_sim_rows(s); i++)
        if (keel_sim_row_at(s, i, &row)) {
            assert_true(row.units <= 16);
            found++;
        }
    assert_true(found >= 4); /* string and d/dt string of both */
    keel_event_record one;
    double c = 0, t = 0; /* the fan, by its closed form */
    for (int on = 1; t < 4; on = !on) {
        double length = on ? 0.7 - c : sqrt(c - 0.2);
        if (t + length > 4) {
            length = 4 - t;
            c = on ? c + length : c - length * length;
            break;
        }
        t += length;
        c = on ? 0.7 : 0.2;
    }
    assert_near(value_of(s, "c"), c, 1e-8);
    for (long k = 0; keel_sim_event(s, k, &one); k++) assert_true(one.t > 0);
    keel_sim_close(s);
    keel_model_close(m);
}

static void a_saved_run_goes_on_with_the_same_bits(void **state) {
    (void)state;
    keel_model *m = model_of(STRINGS);
    keel_sim *whole = keel_sim_open(m, NULL), *half = keel_sim_open(m, NULL);
    run_to(half, 1.9);
    run_to(whole, 1.9);
    size_t bytes = keel_sim_save(half, NULL, 0);
    void *saved = malloc(bytes);
    assert_int_equal(keel_sim_save(half, saved, bytes), bytes);
    keel_sim *again = keel_sim_load(m, NULL, saved, bytes);
    assert_int_equal(keel_sim_status(again), KEEL_OK);
    assert_string_equal(mode_name(again, keel_sim_mode(again)), mode_name(half, keel_sim_mode(half)));
    run_to(again, 4);
    run_to(whole, 4);
    int columns = keel_sim_columns(whole);
    double a[32], b[32];
    assert_true(columns <= 32);
    assert_int_equal(keel_sim_values(whole, a), KEEL_OK);
    assert_int_equal(keel_sim_values(again, b), KEEL_OK);
    for (int i = 0; i < columns; i++) assert_memory_equal(&a[i], &b[i], sizeof a[i]);
    assert_int_equal(event_records(whole), event_records(again));
    ((unsigned char *)saved)[bytes / 20] ^= 1; /* some byte of it */
    keel_sim *wrong = keel_sim_load(m, NULL, saved, bytes);
    assert_true(!wrong || keel_sim_status(wrong) < 0);
    keel_sim_close(wrong);
    free(saved);
    keel_sim_close(whole);
    keel_sim_close(half);
    keel_sim_close(again);
    keel_model_close(m);
}

struct side {
    const keel_model *m;
    double c, x;
};

static void *run_side(void *data) {
    struct side *one = data;
    keel_sim *s = keel_sim_open(one->m, NULL);
    if (s && keel_sim_run(s, 4) == KEEL_OK) one->c = value_of(s, "c"), one->x = value_of(s, "a.x");
    keel_sim_close(s);
    return NULL;
}

static void threads_share_the_model(void **state) {
    (void)state;
    enum { THREADS = 4 };
    keel_model *m = model_of(STRINGS);
    struct side side[THREADS + 1];
    pthread_t thread[THREADS];
    for (int i = 0; i <= THREADS; i++) side[i] = (struct side){.m = m};
    run_side(&side[THREADS]);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_side, &side[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_memory_equal(&side[i].c, &side[THREADS].c, sizeof side[i].c);
        assert_memory_equal(&side[i].x, &side[THREADS].x, sizeof side[i].x);
    }
    keel_model_close(m);
}

/* An event may switch groups other than its own, several at once. */
static void one_event_switches_several_groups(void **state) {
    (void)state;
    keel_model *m = model_of("var x[1..2]\n"
                             "for i in 1..2:\n"
                             "    mode s[i].up: x[i]' = i\n"
                             "    mode s[i].down: x[i]' = -i\n"
                             "    start s[i].up\n"
                             "    init x[i] = 0\n"
                             "event both: at t = 1 -> mode s[1].down, mode s[2].down\n"
                             "event second: at t = 2 -> mode s[2].up\n"
                             "run 0 .. 3\n");
    assert_int_equal(keel_model_status(m), KEEL_OK);
    keel_sim *s = keel_sim_open(m, NULL);
    run_to(s, 3);
    assert_near(value_of(s, "x[1]"), -1, 1e-12);
    assert_near(value_of(s, "x[2]"), 2, 1e-12);
    assert_int_equal(keel_model_modes(keel_sim_model(s)), 3);
    assert_string_equal(mode_name(s, 2), "s.down[1], s.up[2]");
    keel_sim_close(s);
    keel_model_close(m);
}

/* Modes that no combination at the start has are read with the coordinates, too: what sticks may begin
 * sliding. The swings end at x - 2 mu sign(x), one after the other, until friction holds. */
static void blocks_begin_sliding_and_come_to_rest(void **state) {
    (void)state;
    keel_model *m = model_of("part Block(m, mu, far):\n"
                             "    coord x\n    var side\n    lagrangian m*x'^2/2 - x^2/2\n    side' = 0\n"
                             "    mode stick:\n        rolling hold: x' = 0\n"
                             "        event slip: abs(lambda.hold) - mu rising -> side := sign(lambda.hold), "
                             "mode slide\n"
                             "    mode slide:\n        force x: -mu*side\n"
                             "        event halt: side*x' falling -> side := if(abs(x) < mu, 0, -side)\n"
                             "        event rest: abs(side) - 0.5 falling -> mode stick\n"
                             "    start slide\n    init x = far, x' = 0, side = -1\n"
                             "use Block a(1, 0.1, 1.05), b(2, 0.2, 1.5)\nrun 0 .. 30\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
    run_to(s, M_PI);
    assert_near(value_of(s, "a.x"), -0.85, 1e-7);
    run_to(s, 30);
    assert_near(value_of(s, "a.x"), -0.05, 1e-7);
    assert_near(value_of(s, "b.x"), -0.1, 1e-7);
    assert_near(value_of(s, "a.x'"), 0, 0);
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(combinations_are_analysed_when_entered),
                                       cmocka_unit_test(rows_and_held_values_follow_their_groups),
                                       cmocka_unit_test(a_saved_run_goes_on_with_the_same_bits),
                                       cmocka_unit_test(threads_share_the_model),
                                       cmocka_unit_test(one_event_switches_several_groups),
                                       cmocka_unit_test(blocks_begin_sliding_and_come_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
