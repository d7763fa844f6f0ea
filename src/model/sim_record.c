/* sim_record.c - see sim_record.h. */
#include "model/sim_record.h"

#include <stdlib.h>
#include <string.h>

static struct sim_record *add(struct keel_sim *s) {
    if (s->records == s->capacity) {
        long capacity = s->capacity ? 2 * s->capacity : 16;
        struct sim_record *wider = realloc(s->record, (size_t)capacity * sizeof *wider);
        if (!wider) return NULL;
        s->record = wider;
        s->capacity = capacity;
    }
    struct sim_record *one = &s->record[s->records++];
    one->first = s->event_records;
    return one;
}

keel_status sim_record(struct keel_sim *s, keel_event_record one) {
    struct sim_record *added = add(s);
    if (!added) return sim_no_memory(s);
    added->event = one;
    added->period = 0;
    s->event_records++;
    return KEEL_OK;
}

/* Is the sample at k period the next one of the last entry? */
static int goes_on(const struct keel_sim *s, const keel_event_record *one, double k, double period) {
    const struct sim_record *last = s->records ? &s->record[s->records - 1] : NULL;
    return last && last->period == period && last->way == s->direction && last->event.event == one->event &&
           last->event.from == one->from && last->event.to == one->to &&
           last->event.changed == one->changed &&
           last->k + last->way * (double)(s->event_records - last->first) == k;
}

keel_status sim_record_samples(struct keel_sim *s, keel_event_record one, double k, double period,
                               long count) {
    if (!goes_on(s, &one, k, period)) {
        keel_status status = sim_record(s, one);
        if (status != KEEL_OK) return status;
        struct sim_record *added = &s->record[s->records - 1];
        added->k = k, added->way = s->direction, added->period = period;
        count--;
    }
    s->event_records += count;
    return KEEL_OK;
}

/* The entry of event number i: those before it have fewer than i + 1 events. */
static const struct sim_record *entry_of(const struct keel_sim *s, long i) {
    long low = 0, high = s->records - 1;
    if (s->records == s->event_records) return &s->record[i];
    while (low < high) {
        long middle = low + (high - low + 1) / 2;
        if (s->record[middle].first <= i) low = middle;
        else high = middle - 1;
    }
    return &s->record[low];
}

keel_event_record sim_recorded(const struct keel_sim *s, long i) {
    const struct sim_record *entry = entry_of(s, i);
    keel_event_record one = entry->event;
    if (i > entry->first) one.t = (entry->k + entry->way * (double)(i - entry->first)) * entry->period;
    return one;
}
