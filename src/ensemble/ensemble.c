/* ensemble.c - opening an ensemble: what varies, the model's own run, what is kept of each member. */
#include "ensemble/ensemble.h"

#include "base/machine.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static keel_status ensemble_fail(struct keel_ensemble *e, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static keel_status ensemble_fail(struct keel_ensemble *e, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(e->message, sizeof e->message, format, args);
    va_end(args);
    return e->status = status;
}

static keel_status ensemble_no_memory(struct keel_ensemble *e) {
    return ensemble_fail(e, KEEL_ENOMEM, "there is not enough memory");
}

static keel_status open_variation(struct keel_ensemble *e) {
    int count = keel_plan_names(e->plan);
    const char **name = malloc(((size_t)count + 1) * sizeof *name);
    if (!name) return ensemble_no_memory(e);
    for (int i = 0; i < count; i++) name[i] = keel_plan_name(e->plan, i);
    e->variation = keel_vary_open(e->model, count, name);
    free(name);
    if (!e->variation) return ensemble_no_memory(e);
    keel_status status = keel_vary_status(e->variation);
    return status < 0 ? ensemble_fail(e, status, "%s", keel_vary_message(e->variation)) : KEEL_OK;
}

static keel_status open_base(struct keel_ensemble *e) {
    e->base = keel_sim_open(e->model, &e->o.run);
    if (!e->base) return ensemble_no_memory(e);
    keel_status status = keel_sim_status(e->base);
    if (status < 0) return ensemble_fail(e, status, "%s", keel_sim_message(e->base));
    e->all_columns = keel_sim_columns(e->base);
    keel_mode mode;
    e->by_clock = keel_model_mode(e->model, keel_model_start(e->model), &mode) && mode.problem->clock;
    return KEEL_OK;
}

/* Which columns ----------------------------------------------------------------------------------------- */

static int column_of(const struct keel_ensemble *e, const char *name, const char **near) {
    int least = TEXT_FAR;
    *near = NULL;
    for (int i = 0; i < e->all_columns; i++) {
        const char *known = keel_sim_column(e->base, i);
        if (strcmp(known, name) == 0) return i;
        int distance = text_slip(name, known);
        if (distance < least) least = distance, *near = known;
    }
    return -1;
}

static keel_status choose_columns(struct keel_ensemble *e) {
    char name[KEEL_NAME];
    const char *near;
    e->column = malloc(((size_t)e->all_columns + 1) * sizeof *e->column);
    if (!e->column) return ensemble_no_memory(e);
    if (!e->o.columns)
        for (; e->columns < e->all_columns; e->columns++) e->column[e->columns] = e->columns;
    for (const char *rest = e->o.columns; rest && (rest = text_next(rest, name, sizeof name));) {
        int found = column_of(e, name, &near);
        if (found < 0)
            return ensemble_fail(e, KEEL_EINVAL, "there is no column `%.80s`%s%.80s%s", name,
                                 near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
        for (int i = 0; i < e->columns; i++)
            if (e->column[i] == found)
                return ensemble_fail(e, KEEL_EINVAL, "the column `%.80s` is named twice", name);
        e->column[e->columns++] = found;
    }
    return e->columns ? KEEL_OK : ensemble_fail(e, KEEL_EINVAL, "there are no columns to keep");
}

/* The event must be one of the model's. */
static keel_status choose_event(struct keel_ensemble *e) {
    const char *name = e->o.event, *near = NULL;
    int least = TEXT_FAR;
    keel_mode mode;
    if (!name) return KEEL_OK;
    e->event = malloc(strlen(name) + 1);
    if (!e->event) return ensemble_no_memory(e);
    strcpy(e->event, name);
    for (int i = 0; keel_model_mode(e->model, i, &mode); i++)
        for (int k = 0; mode.problem && k < mode.problem->event.count && mode.problem->event.names; k++) {
            const char *known = mode.problem->event.names[k];
            if (known && strcmp(known, name) == 0) return KEEL_OK;
            int distance = known ? text_slip(name, known) : TEXT_FAR;
            if (distance < least) least = distance, near = known;
        }
    return ensemble_fail(e, KEEL_EINVAL, "the model has no event `%.80s`%s%.80s%s", name,
                         near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static keel_status take_times(struct keel_ensemble *e) {
    e->times_kept = e->o.count > 0 ? e->o.count : 1;
    e->times = malloc((size_t)e->times_kept * sizeof *e->times);
    if (!e->times) return ensemble_no_memory(e);
    if (e->o.count > 0) memcpy(e->times, e->o.times, (size_t)e->o.count * sizeof *e->times);
    return KEEL_OK;
}

/* Kernels ----------------------------------------------------------------------------------------------- */

/* To compile takes a second or two; by then the interpreted steps have taken as long. */
enum { WORTH = 4000000 };

static void compile_kernel(struct keel_ensemble *e) {
    int lanes = e->o.lanes == 1 ? 0 : keel_sim_compile_lanes(e->base, e->o.lanes);
    int there = lanes || keel_sim_compile(e->base);
    e->lanes = lanes > 1 ? lanes : 1;
    if (there) __atomic_store_n(&e->kernel, e->base, __ATOMIC_RELEASE);
}

static keel_status compile_device(struct keel_ensemble *e) {
    char why[400];
    e->device = keel_sim_compile_device(e->base, why, sizeof why);
    if (!e->device) return ensemble_fail(e, KEEL_EINVAL, "these runs cannot go to a GPU: %.400s", why);
    e->kernel = e->base;
    return KEEL_OK;
}

void ensemble_consider(struct keel_ensemble *e, int members, int64_t steps) {
    int64_t done = __atomic_add_fetch(&e->done, members, __ATOMIC_RELAXED);
    int64_t taken = __atomic_add_fetch(&e->steps, steps, __ATOMIC_RELAXED);
    double left = (double)taken / (double)done * (double)(e->members - done);
    if (left < WORTH || __atomic_exchange_n(&e->considered, 1, __ATOMIC_RELAXED)) return;
    compile_kernel(e);
}

int keel_ensemble_lanes(const keel_ensemble *e) {
    return e ? e->lanes : 0;
}

int keel_ensemble_device(const keel_ensemble *e) {
    return e && e->device;
}

keel_ensemble *keel_ensemble_open(keel_model *m, const keel_plan *p, const keel_ensemble_options *o) {
    struct keel_ensemble *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->model = m;
    e->plan = p;
    if (o) e->o = *o;
    e->members = keel_plan_members(p);
    e->workers = e->o.workers > 0 ? e->o.workers : (e->o.device ? 2 : 1) * machine_cores();
    if (e->members == 0 || e->o.count < 0 || (e->o.count && !e->o.times))
        ensemble_fail(e, KEEL_EINVAL, "an ensemble needs a settled plan");
    else if (open_variation(e) == KEEL_OK && open_base(e) == KEEL_OK && choose_columns(e) == KEEL_OK &&
             choose_event(e) == KEEL_OK)
        take_times(e);
    e->lanes = 1;
    if (e->status == KEEL_OK && (e->o.lanes > 1 || e->o.device)) {
        e->considered = 1;
        if (e->o.device) compile_device(e);
        else compile_kernel(e);
    }
    return e;
}

void keel_ensemble_close(keel_ensemble *e) {
    if (!e) return;
    keel_sim_close(e->base);
    keel_vary_close(e->variation);
    free(e->column);
    free(e->times);
    free(e->event);
    free(e);
}

keel_status keel_ensemble_status(const keel_ensemble *e) {
    return e ? e->status : KEEL_EINVAL;
}

const char *keel_ensemble_message(const keel_ensemble *e) {
    return e ? e->message : "there is not enough memory";
}

int64_t keel_ensemble_blocks(const keel_ensemble *e) {
    return e ? (e->members + KEEL_BLOCK - 1) / KEEL_BLOCK : 0;
}

int keel_ensemble_columns(const keel_ensemble *e) {
    return e ? e->columns : 0;
}

const char *keel_ensemble_column(const keel_ensemble *e, int i) {
    return e && i >= 0 && i < e->columns ? keel_sim_column(e->base, e->column[i]) : NULL;
}

int keel_ensemble_times(const keel_ensemble *e) {
    return e ? e->times_kept : 0;
}

const char *keel_ensemble_row(const keel_ensemble *e, int i) {
    return e ? keel_sim_row(e->base, i) : NULL;
}

keel_variation *keel_ensemble_variation(const keel_ensemble *e) {
    return e ? e->variation : NULL;
}

keel_sim *keel_ensemble_base(const keel_ensemble *e) {
    return e ? e->base : NULL;
}
