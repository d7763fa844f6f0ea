/* plan.h - what a keel_plan is made of. */
#ifndef KEEL_ENSEMBLE_PLAN_H
#define KEEL_ENSEMBLE_PLAN_H

#include "keel/ensemble.h"

#include "ensemble/draw.h"

enum plan_source { PLAN_OVER, PLAN_TABLE, PLAN_DRAWN };

struct plan_value {
    char *name;
    uint64_t key; /* of the name, for draws */
    enum plan_source source;
    int axis; /* of over and tables */
    int64_t length;
    double *list; /* [length]; NULL: from .. to in even steps */
    double from, to;
    struct draw draw;
    int dimension; /* which draw it is */
};

struct plan_axis {
    int64_t length, stride;
    int value; /* its only one; -1: several, or none */
};

struct keel_plan {
    keel_model *model;
    struct plan_value *value;
    int values, axes, settled;
    struct plan_axis *axis;
    int64_t members;
    keel_plan_options o;
    keel_status status;
    char message[640];
};

keel_status plan_fail(struct keel_plan *p, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
keel_status plan_no_memory(struct keel_plan *p);
/* One more value, without blanks in its name; NULL: the plan has failed. */
struct plan_value *plan_add(struct keel_plan *p, const char *name, size_t length);
#endif
