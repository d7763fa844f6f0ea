/* test_allocation.c - memory is taken once, when a solver opens, and running out of it does no harm. */
#include "testing.h"
#include "failing_memory.h"
#include "ways.h"

#ifdef COUNTED
enum { ROOM = 1 << 17 };
static unsigned char bytes[ROOM]; /* a solver saved */
#endif

static void count_a_run(const struct way *w) {
#ifdef COUNTED
    problem p;
    problem_at(problem_number(w->problem), &p);
    keel_options o = options_of(w);
    keel_solver *s = keel_open(&p.keel, &o);
    double u[PROBLEM_UNKNOWNS];
    long before = allocations, freed = frees;
    for (int k = 1; k < 4; k++) (void)keel_run(s, k * w->moment);
    (void)keel_step(s, 1);
    (void)keel_eval(s, keel_time(s) - 1e-4, u);
    (void)keel_multipliers(s);
    (void)keel_forces(s);
    (void)keel_restart(s, 0, p.u0);
    (void)keel_run(s, w->moment);
    (void)keel_save(s, bytes, ROOM);
    if (allocations != before || frees != freed)
        fail_msg("%s, %s: %ld allocations", w->problem, w->method, allocations - before);
    keel_close(s);
    assert_true(frees > freed); /* the count counts */
#else
    (void)w;
#endif
}

static void nothing_is_allocated_after_open(void **state) {
    (void)state;
#ifndef COUNTED
    skip();
#endif
    assert_true(visit_all(count_a_run) > 100);
}

#ifdef COUNTED
/* Opens, forks, saves, loads and switches while the allocation with this number fails; 1: it was reached. */
static int live_with_failure(const problem *p, long number) {
    failing_at = allocations + number;
    keel_solver *s = keel_open(&p->keel, NULL), *equivalent = keel_fork(s);
    keel_status status = keel_switch(s, &p->keel, NULL);
    size_t size = keel_save(s, bytes, ROOM);
    keel_solver *copy = keel_load(&p->keel, NULL, bytes, size);
    int reached = allocations >= failing_at;
    failing_at = 0;
    if (s) assert_true(status == KEEL_OK || status == KEEL_ENOMEM);
    if (status == KEEL_ENOMEM) {
        expect_words(s, "keel_switch|no memory");
        assert_ok(s, keel_restart(s, 0, p->u0));
    }
    int lost = !s + (!equivalent && s) + (s && status == KEEL_ENOMEM) + (!copy && size > 0);
    assert_int_equal(lost, reached && s ? 1 : !s);
    keel_close(s);
    keel_close(equivalent);
    keel_close(copy);
    return reached;
}
#endif

static void out_of_memory_gives_no_solver_and_no_harm(void **state) {
    (void)state;
#ifdef COUNTED
    problem p;
    problem_pendulum(&p, 9.81);
    long number = 1;
    while (live_with_failure(&p, number)) number++;
    assert_true(number > 12);
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allocated_after_open),
        cmocka_unit_test(out_of_memory_gives_no_solver_and_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
