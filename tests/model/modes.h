/* modes.h - runs of models with events: opened from a text, asked what happened, closed. */
#ifndef KEEL_TESTS_MODES_H
#define KEEL_TESTS_MODES_H

#include "model_run.h"

static const double pi = 3.14159265358979323846;

static inline keel_event_record event_record(const keel_sim *s, long i) {
    keel_event_record h = {0};
    assert_true(keel_sim_event(s, i, &h));
    return h;
}

static inline keel_sim *sim_of(const char *text, keel_model **m) {
    *m = model_of(text);
    return keel_sim_open(*m, &(keel_options){.rtol = 1e-11});
}

static inline void finish(keel_sim *s, keel_model *m) {
    keel_sim_close(s);
    keel_model_close(m);
}
#endif
