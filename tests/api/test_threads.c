/* test_threads.c - one const problem, many threads with a solver each: the bits of a serial run. */
#include "testing.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 3 };

struct job {
    const keel_problem *problem;
    const keel_options *options;
    double t_end;
    double time, state[PROBLEM_UNKNOWNS], units;
    long steps;
    int status;
};

static void *work(void *argument) {
    struct job *job = argument;
    for (int round = 0; round < ROUNDS; round++) {
        keel_solver *s = keel_open(job->problem, job->options);
        job->status = keel_state_of(s);
        while (job->status == KEEL_OK && keel_time(s) < job->t_end) {
            keel_status status = keel_run(s, job->t_end);
            if (status < 0) job->status = status;
        }
        job->time = keel_time(s);
        job->steps = keel_statistics(s).steps;
        job->units = worst_units(s, NULL);
        if (keel_state(s))
            memcpy(job->state, keel_state(s),
                   (size_t)(job->problem->n + job->problem->m) * sizeof *job->state);
        keel_solver *equivalent = keel_fork(s);
        keel_close(s);
        (void)keel_multipliers(equivalent);
        (void)keel_method_at(round);
        keel_close(equivalent);
    }
    return NULL;
}

static void run_in_threads(struct job *jobs) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void compare(const struct job *serial, const struct job *parallel, const char *name) {
    for (int i = 0; i < THREADS; i++) {
        int same = parallel[i].time == serial[i].time && parallel[i].steps == serial[i].steps &&
                   parallel[i].units == serial[i].units && parallel[i].status == serial[i].status &&
                   memcmp(parallel[i].state, serial[i].state, sizeof serial->state) == 0;
        if (!same) fail_msg("%s, thread %d: other bits", name, i);
        assert_int_equal(serial[i].status, KEEL_OK);
    }
}

static void threads_on_one_problem_give_the_bits_of_a_serial_run(void **state) {
    (void)state;
    static const char *const methods[THREADS] = {"dop853", "dopri5", "bs32", "rkf78",
                                                 "rk4",    "abm6",   "heun", "ab4"};
    problem p;
    for (int number = 0; problem_name(number); number++) {
        problem_at(number, &p);
        struct job serial[THREADS] = {{0}}, parallel[THREADS] = {{0}};
        keel_options options[THREADS] = {{0}};
        double t_end = fmin(p.t_end, 0.02);
        if (strcmp(problem_name(number), "andrews") == 0) t_end = 1e-3;
        for (int i = 0; i < THREADS; i++) {
            options[i] = (keel_options){.method = methods[i], .step = i < 4 ? 0 : t_end / 64};
            serial[i] = parallel[i] =
                (struct job){.problem = &p.keel, .options = &options[i], .t_end = t_end};
            work(&serial[i]);
        }
        run_in_threads(parallel);
        compare(serial, parallel, problem_name(number));
    }
}

static void threads_with_one_set_of_options_agree(void **state) {
    (void)state;
    problem p;
    problem_pendulum_bottom(&p, 9.81);
    const keel_options options = {.rtol = 1e-10, .keep = "rod, energy", .check_jacobians = 1};
    struct job serial[THREADS] = {{0}}, parallel[THREADS] = {{0}};
    for (int i = 0; i < THREADS; i++) {
        serial[i] = parallel[i] = (struct job){.problem = &p.keel, .options = &options, .t_end = 5};
        work(&serial[i]);
    }
    run_in_threads(parallel);
    compare(serial, parallel, "pendulum");
    for (int i = 1; i < THREADS; i++)
        assert_memory_equal(serial[i].state, serial[0].state, sizeof serial->state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_on_one_problem_give_the_bits_of_a_serial_run),
        cmocka_unit_test(threads_with_one_set_of_options_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
