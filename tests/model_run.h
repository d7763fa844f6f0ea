/* model_run.h - models as text in tests, and what their runs show. */
#ifndef KEEL_TESTS_MODEL_RUN_H
#define KEEL_TESTS_MODEL_RUN_H

#include "example_list.h"

#include <keel/model.h>

static inline keel_model *model_of(const char *text) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static inline keel_model *model_example(const char *name) {
    char path[600];
    example_path(name, path, sizeof path);
    keel_model *m = keel_model_load(path, NULL);
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static inline void run_to(keel_sim *s, double t) {
    keel_status status;
    while ((status = keel_sim_run(s, t)) == KEEL_EVENT) {}
    if (status != KEEL_OK) fail_msg("%s", keel_sim_message(s));
}

static inline int column_named(const keel_sim *s, const char *name) {
    for (int i = 0; i < keel_sim_columns(s); i++)
        if (strcmp(keel_sim_column(s, i), name) == 0) return i;
    fail_msg("there is no column %s", name);
    return -1;
}

/* The column of this name where the run stands. */
static inline double value_of(keel_sim *s, const char *name) {
    double value[200];
    assert_true(keel_sim_columns(s) <= 200);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    return value[column_named(s, name)];
}

static inline long event_records(const keel_sim *s) {
    keel_event_record h;
    long count = 0;
    while (keel_sim_event(s, count, &h)) count++;
    return count;
}

/* "a b b": the names of the events in their order. */
static inline const char *story(const keel_sim *s) {
    static char text[400];
    keel_event_record h;
    text[0] = '\0';
    for (long i = 0; keel_sim_event(s, i, &h) && strlen(text) < sizeof text - 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", h.event);
    return text;
}

#define assert_near(value, wanted, bound)                                                        \
    do {                                                                                         \
        double n_ = (value), w_ = (wanted), e_ = (bound);                                        \
        if (!(fabs(n_ - w_) <= e_)) fail_msg("%s = %.17g, not %.17g +- %g", #value, n_, w_, e_); \
    } while (0)
#endif
