/* sim_record.h - the list of a run's events.  Samples that follow each other are one entry. */
#ifndef KEEL_MODEL_SIM_RECORD_H
#define KEEL_MODEL_SIM_RECORD_H

#include "model/sim.h"

/* One event, or those at k period, (k + way) period, .. up to the next entry. */
struct sim_record {
    keel_event_record event;
    double k, way, period; /* period 0: it is one */
    long first;            /* its number among all events */
};

/* Adds an event to the list; `count` samples, the first one at k period, running `way`. */
keel_status sim_record(struct keel_sim *s, keel_event_record one);
keel_status sim_record_samples(struct keel_sim *s, keel_event_record one, double k, double period,
                               long count);
keel_event_record sim_recorded(const struct keel_sim *s, long i); /* 0 <= i < event_records */
#endif
