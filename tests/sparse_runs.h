/* sparse_runs.h - large problems from texts, and runs of them that go on from a fork and from saved bytes. */
#ifndef KEEL_TESTS_SPARSE_RUNS_H
#define KEEL_TESTS_SPARSE_RUNS_H

#include "testing.h"

#include <keel/model.h>
#include <keel/save.h>

/* The problem of the first mode. */
static const keel_problem *read_text(const char *text, keel_model **m) {
    keel_mode mode;
    *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(*m);
    if (keel_model_status(*m) != KEEL_OK) fail_msg("%s", keel_model_message(*m));
    assert_true(keel_model_mode(*m, 0, &mode));
    return mode.problem;
}

/* The solver a stands somewhere on its way: itself, its fork and what was saved of it have the same bits at
 * `end`.  It is closed. */
static void goes_on_with_the_same_bits(keel_solver *a, const keel_problem *p, const keel_options *o,
                                       double end) {
    size_t size = keel_save(a, NULL, 0);
    void *saved = malloc(size);
    assert_non_null(saved);
    keel_save(a, saved, size);
    keel_solver *all[] = {a, keel_fork(a), keel_load(p, o, saved, size)};
    for (int s = 0; s < 3; s++)
        if (keel_run(all[s], end) != KEEL_OK) fail_msg("%s", keel_message(all[s]));
    for (int s = 1; s < 3; s++)
        assert_memory_equal(keel_state(a), keel_state(all[s]), (size_t)p->n * sizeof(double));
    for (int s = 0; s < 3; s++) keel_close(all[s]);
    free(saved);
}
#endif
