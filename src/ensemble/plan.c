/* plan.c - which values each member has: a product of axes, and draws.  See keel/ensemble.h. */
#include "ensemble/plan.h"

#include "base/text.h"
#include "ensemble/philox.h"
#include "ensemble/sobol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 9007199254740992 /* 2^53: numbers of members are exact in double precision */

keel_status plan_fail(struct keel_plan *p, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(p->message, sizeof p->message, format, args);
    va_end(args);
    return p->status = status;
}

keel_status plan_no_memory(struct keel_plan *p) {
    return plan_fail(p, KEEL_ENOMEM, "there is not enough memory");
}

keel_plan *keel_plan_open(keel_model *m) {
    struct keel_plan *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->model = m;
    if (keel_model_status(m) != KEEL_OK) plan_fail(p, KEEL_EINVAL, "a plan needs a model without errors");
    return p;
}

void keel_plan_close(keel_plan *p) {
    if (!p) return;
    for (int i = 0; i < p->values; i++) {
        free(p->value[i].name);
        free(p->value[i].list);
    }
    free(p->value);
    free(p->axis);
    free(p);
}

const char *keel_plan_message(const keel_plan *p) {
    return p ? p->message : "there is not enough memory";
}

struct plan_value *plan_add(struct keel_plan *p, const char *name, size_t length) {
    struct plan_value *wider = realloc(p->value, ((size_t)p->values + 1) * sizeof *wider);
    if (!wider) return plan_no_memory(p), NULL;
    p->value = wider;
    struct plan_value *v = &p->value[p->values];
    *v = (struct plan_value){.name = malloc(length + 1)};
    if (!v->name) return plan_no_memory(p), NULL;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) /* p[ 2 ] is p[2] */
        if (name[i] != ' ' && name[i] != '\t') v->name[count++] = name[i];
    v->name[count] = '\0';
    v->key = philox_name(v->name);
    p->values++;
    for (int i = 0; i + 1 < p->values; i++)
        if (strcmp(p->value[i].name, v->name) == 0)
            return plan_fail(p, KEEL_EINVAL, "`%.80s` is given twice", v->name), NULL;
    return v;
}

/* Settling ---------------------------------------------------------------------------------------------- */

static keel_status add_axis(struct keel_plan *p, int64_t length, int value) {
    if (length > MOST_MEMBERS / p->members)
        return plan_fail(p, KEEL_EINVAL, "there are more than 2^53 members");
    p->members *= length;
    p->axis[p->axes++] = (struct plan_axis){.length = length, .value = value};
    return KEEL_OK;
}

/* All lists side by side. */
static keel_status zip(struct keel_plan *p) {
    const struct plan_value *first = NULL;
    int count = 0;
    for (int i = 0; i < p->values; i++) {
        struct plan_value *v = &p->value[i];
        if (v->source != PLAN_OVER) continue;
        if (first && v->length != first->length)
            return plan_fail(p, KEEL_EINVAL, "side by side `%.60s` has %lld values and `%.60s` %lld",
                             first->name, (long long)first->length, v->name, (long long)v->length);
        if (!first) first = v;
        v->axis = p->axes;
        count++;
    }
    if (count < 2) return plan_fail(p, KEEL_EINVAL, "there are no two lists to go side by side");
    return add_axis(p, first->length, -1);
}

static keel_status lay_axes(struct keel_plan *p) {
    keel_status status = p->o.zip ? zip(p) : KEEL_OK;
    for (int i = 0; i < p->values && status == KEEL_OK && !p->o.zip; i++) {
        if (p->value[i].source != PLAN_OVER) continue;
        p->value[i].axis = p->axes;
        status = add_axis(p, p->value[i].length, i);
    }
    int64_t rows = 0;
    for (int i = 0; i < p->values; i++) {
        if (p->value[i].source != PLAN_TABLE) continue;
        p->value[i].axis = p->axes;
        rows = p->value[i].length;
    }
    if (rows && status == KEEL_OK) status = add_axis(p, rows, -1);
    if (p->o.count > 0 && status == KEEL_OK) status = add_axis(p, p->o.count, -1);
    int64_t stride = 1;
    for (int i = p->axes - 1; i >= 0; i--) {
        p->axis[i].stride = stride;
        stride *= p->axis[i].length;
    }
    return status;
}

keel_status keel_plan_settle(keel_plan *p, const keel_plan_options *o) {
    int drawn = 0;
    if (!p) return KEEL_EINVAL;
    if (p->status < 0) return p->status;
    if (o) p->o = *o;
    for (int i = 0; i < p->values; i++)
        if (p->value[i].source == PLAN_DRAWN) p->value[i].dimension = drawn++;
    if (p->values == 0 && !p->o.single)
        return plan_fail(p, KEEL_EINVAL, "nothing varies: give a grid, a list, a table or a distribution");
    if (p->o.count < 0) return plan_fail(p, KEEL_EINVAL, "the count must be positive");
    if (p->o.count > 0 && drawn == 0)
        return plan_fail(p, KEEL_EINVAL,
                         "a count repeats members, and nothing is drawn that differs in them");
    if (p->o.count == 0 && p->values && drawn == p->values)
        return plan_fail(p, KEEL_EINVAL, "how many members are to be drawn?  A count is missing");
    if (p->o.how != KEEL_RANDOM && drawn == 0)
        return plan_fail(p, KEEL_EINVAL, "nothing is drawn that could be sampled");
    if (p->o.how == KEEL_SOBOL && drawn > SOBOL_DIMENSIONS)
        return plan_fail(p, KEEL_EINVAL,
                         "Sobol points have %d dimensions at most here, and %d values are drawn",
                         SOBOL_DIMENSIONS, drawn);
    p->members = 1;
    p->axis = calloc((size_t)p->values + 2, sizeof *p->axis);
    if (!p->axis) return plan_no_memory(p);
    keel_status status = lay_axes(p);
    if (status == KEEL_OK) p->settled = 1;
    return status;
}

/* Asking ------------------------------------------------------------------------------------------------ */

int64_t keel_plan_members(const keel_plan *p) {
    return p && p->settled ? p->members : 0;
}

int keel_plan_names(const keel_plan *p) {
    return p ? p->values : 0;
}

const char *keel_plan_name(const keel_plan *p, int i) {
    return p && i >= 0 && i < p->values ? p->value[i].name : NULL;
}

int keel_plan_axis_of(const keel_plan *p, int i) {
    if (!p || !p->settled || i < 0 || i >= p->values || p->value[i].source == PLAN_DRAWN) return -1;
    return p->value[i].axis;
}

int64_t keel_plan_axis(const keel_plan *p, int i, const char **name) {
    if (name) *name = NULL;
    if (!p || !p->settled || i < 0 || i >= p->axes) return 0;
    if (name && p->axis[i].value >= 0) *name = p->value[p->axis[i].value].name;
    return p->axis[i].length;
}

/* The number from (0, 1) that a draw is made of. */
static double unit_of(const struct keel_plan *p, const struct plan_value *v, int64_t member) {
    uint64_t number = (uint64_t)member, all = (uint64_t)p->members;
    uint64_t bits = philox_bits(p->o.seed, number, v->key);
    if (p->o.how == KEEL_SOBOL) /* shifted bit by bit: the seed counts, and no value is 0 */
        bits = sobol_bits(v->dimension, number) ^ philox_bits(p->o.seed, UINT64_MAX, v->key);
    if (p->o.how != KEEL_LATIN) return philox_unit(bits);
    double u = ((double)philox_place(p->o.seed, v->key, number, all) + philox_unit(bits)) / (double)all;
    return fmin(u, 1 - 0x1p-53);
}

static double grid(const struct plan_value *v, int64_t k) {
    if (k == 0 || v->length == 1) return v->from;
    if (k == v->length - 1) return v->to;
    return v->from + (v->to - v->from) * ((double)k / (double)(v->length - 1));
}

void keel_plan_values(const keel_plan *p, int64_t member, double *value) {
    if (!p || !p->settled || !value) return;
    for (int i = 0; i < p->values; i++) {
        const struct plan_value *v = &p->value[i];
        if (v->source == PLAN_DRAWN) {
            value[i] = draw_value(&v->draw, unit_of(p, v, member));
            continue;
        }
        const struct plan_axis *axis = &p->axis[v->axis];
        int64_t k = member / axis->stride % axis->length;
        value[i] = v->list ? v->list[k] : grid(v, k);
    }
}
