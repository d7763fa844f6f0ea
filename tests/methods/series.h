/* series.h - models that are interpreted, and the problem they begin with. */
#ifndef KEEL_TESTS_SERIES_H
#define KEEL_TESTS_SERIES_H

#include "example_list.h"
#include "model_run.h"

#include "model/private.h"

static inline keel_model *interpreted(const char *text) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", text, keel_model_message(m));
    return m;
}

static inline const keel_problem *problem_of(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    return mode.problem;
}
#endif
