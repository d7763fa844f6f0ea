/* sweep_plan.c - from the options to a plan and an ensemble; what does not fit is told in their words. */
#include "base/text.h"
#include "cli/sweep/sweep.h"
#include "cli/job/table_hdf5.h"
#include "cli/run/trace.h"

#include <keel/extras.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int plan_failed(struct sweep *s, const char *option, keel_status status) {
    if (status == KEEL_ENOMEM) return job_no_memory(&s->job);
    return job_fail(&s->job, EXIT_USAGE, "%s%s%s", option, option[0] ? " " : "", keel_plan_message(s->plan));
}

/* A list of axes and draws, in the order of the line. */
static int take_texts(struct sweep *s, int id, keel_status (*add)(keel_plan *, const char *)) {
    const struct option_value *given = &s->job.options.value[id];
    char name[JOB_WORD] = "--";
    option_name(id, name + 2, sizeof name - 2);
    for (int i = 0; i < given->count; i++) {
        keel_status status = add(s->plan, given->text[i]);
        if (status < 0) return plan_failed(s, name, status);
    }
    return 0;
}

static int take_table(struct sweep *s) {
    const char *path = option_text(&s->job.options, opt_table);
    char why[JOB_SENTENCE];
    size_t count;
    if (!path) return 0;
    if (table_hdf5_is(path)) return table_hdf5_read(&s->job, s->plan, path);
    unsigned char *bytes = file_read(path, &count, why, sizeof why);
    if (!bytes) return job_fail(&s->job, EXIT_USAGE, "--table: %s", why);
    keel_status status = keel_plan_table(s->plan, path, (const char *)bytes, count);
    free(bytes);
    return status < 0 ? plan_failed(s, "--table", status) : 0;
}

/* 1e6 is a whole number, too. */
static int take_count(struct sweep *s) {
    struct job *j = &s->job;
    double count = 0;
    if (!option_given(&j->options, opt_count)) return 0;
    const char *text = option_text(&j->options, opt_count);
    if (!keel_model_number(j->model, text, &count)) {
        if (keel_model_status(j->model) == KEEL_ENOMEM) return job_no_memory(j);
        return job_fail(j, EXIT_USAGE, "--count needs a whole number, as in 1000 or 1e6, not `%.40s`", text);
    }
    if (!(count >= 1 && count <= 0x1p53 && count == floor(count)))
        return job_fail(j, EXIT_USAGE, "--count needs a whole number from 1 on, not %g", count);
    s->draws.count = (int64_t)count;
    return 0;
}

static int take_seed(struct sweep *s) {
    const char *text = option_text(&s->job.options, opt_seed);
    char *end;
    s->draws.seed = 1;
    if (!text) return 0;
    errno = 0;
    s->draws.seed = strtoull(text, &end, 10);
    if (*end || errno || strspn(text, "0123456789") != strlen(text))
        return job_fail(&s->job, EXIT_USAGE, "--seed needs a whole number below 2^64, not `%.40s`", text);
    return 0;
}

static int open_plan(struct sweep *s) {
    const char *how = option_text(&s->job.options, opt_sample);
    s->plan = keel_plan_open(s->job.model);
    if (!s->plan) return job_no_memory(&s->job);
    if (take_texts(s, opt_over, keel_plan_over) || take_table(s) || take_texts(s, opt_draw, keel_plan_draw) ||
        take_count(s) || take_seed(s))
        return s->job.status;
    s->draws.single = s->job.command == COMMAND_SECTION;
    s->draws.zip = option_given(&s->job.options, opt_zip);
    s->draws.how = how ? (keel_sampling)(option_choice("random|sobol|latin", how) - 1) : KEEL_RANDOM;
    keel_status status = keel_plan_settle(s->plan, &s->draws);
    return status < 0 ? plan_failed(s, "", status) : 0;
}

/* Output times are the same for all members. */
static int take_times(struct sweep *s) {
    struct job *j = &s->job;
    struct trace trace;
    if (!option_given(&j->options, opt_every) && !option_given(&j->options, opt_at)) return 0;
    int status = trace_open(&trace, j);
    if (status == 0 && trace.count > 10000000)
        status = job_fail(j, EXIT_USAGE, "there are more than 10^7 output times");
    if (status == 0) {
        s->times = trace.times;
        s->options.times = s->times;
        s->options.count = (int)trace.count;
        trace.times = NULL;
    }
    trace_close(&trace);
    return status;
}

/* Numbers that are the same for all members must not depend on what varies. */
static int check_numbers(struct sweep *s) {
    struct job *j = &s->job;
    keel_variation *v = keel_ensemble_variation(s->ensemble);
    for (int id = 0; id < OPTIONS; id++) {
        struct option_row row = option_row(id);
        const char *text = row.name && option_given(&j->options, id) ? option_text(&j->options, id) : NULL;
        int listed = id == opt_at || id == opt_every;
        if (!text || (row.kind != OPTION_NUMBER && !listed) || id == opt_t0 || id == opt_tend) continue;
        if (keel_vary_moves(v, text))
            return job_fail(
                j, EXIT_USAGE,
                "%s%s = %.60s depends on what varies, and is to be the same for all members: give "
                "a number",
                j->options.value[id].by_model ? "the model's option " : "--", row.name, text);
    }
    if (s->options.count && keel_vary_span_moves(v))
        return job_fail(
            j, EXIT_USAGE,
            "the ends of the run depend on what varies, so there are no common output times: give "
            "--tend a number");
    return 0;
}

static int open_ensemble(struct sweep *s) {
    struct job *j = &s->job;
    const char *workers = option_text(&j->options, opt_workers), *lanes = option_text(&j->options, opt_lanes);
    s->options.run = j->keel;
    s->options.run.defect_every = 128; /* as `keel run` has it */
    s->options.columns = option_text(&j->options, opt_columns);
    s->options.extrema = option_given(&j->options, opt_extrema);
    s->options.event =
        option_given(&j->options, opt_plane) ? KEEL_SECTION : option_text(&j->options, opt_events);
    s->options.workers = workers ? atoi(workers) : s->workers;
    s->options.lanes = lanes ? atoi(lanes) : 0;
    if (lanes && (s->options.lanes > KEEL_MOST_LANES || s->options.lanes & (s->options.lanes - 1)))
        return job_fail(j, EXIT_USAGE, "--lanes needs 1, 2, 4 or 8, not %.40s", lanes);
    s->options.device =
        option_given(&j->options, opt_device) && strcmp(option_text(&j->options, opt_device), "gpu") == 0;
    s->ensemble = keel_ensemble_open(j->model, s->plan, &s->options);
    if (!s->ensemble) return job_no_memory(j);
    keel_status status = keel_ensemble_status(s->ensemble);
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (status < 0) {
        char why[JOB_SENTENCE];
        option_told(keel_ensemble_message(s->ensemble), why, sizeof why);
        return job_fail(j, status == KEEL_EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", why);
    }
    return check_numbers(s);
}

int sweep_plan(struct sweep *s) {
    return open_plan(s) || take_times(s) || open_ensemble(s) || sweep_summary_open(s) ? s->job.status : 0;
}
