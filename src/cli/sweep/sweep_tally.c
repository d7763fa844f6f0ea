/* sweep_tally.c - the certificate of an ensemble: how many members did well, why others failed, the worst
 * drift of all with the member that has it. */
#include "base/text.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/sweep/sweep.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *sweep_word(int32_t status) {
    return status < 0 ? "failed" : status > 0 ? "stopped" : "done";
}

/* Gathering --------------------------------------------------------------------------------------------- */

/* Equal but for numbers: "at t = 0.31" and "at t = 12" are one reason. */
static int same_reason(const char *a, const char *b) {
    for (;;) {
        while (*a && strchr("+-.0123456789", *a)) a++;
        while (*b && strchr("+-.0123456789", *b)) b++;
        if (*a != *b) {
            if (*a == 'e' && a[1] && strchr("+-0123456789", a[1])) a++;
            else if (*b == 'e' && b[1] && strchr("+-0123456789", b[1])) b++;
            else return 0;
            continue;
        }
        if (*a == '\0') return 1;
        a++, b++;
    }
}

static void add_reason(struct sweep_tally *t, const char *sentence, int64_t member) {
    for (int i = 0; i < t->reasons; i++)
        if (same_reason(t->reason[i].sentence, sentence)) {
            t->reason[i].members++;
            return;
        }
    if (t->reasons == SWEEP_REASONS) {
        t->other_reasons++;
        return;
    }
    struct sweep_reason *r = &t->reason[t->reasons++];
    *r = (struct sweep_reason){.members = 1, .first = member};
    text_set(r->sentence, sizeof r->sentence, "%s", sentence);
}

static void take_largest(double *largest, int64_t *of, double value, int64_t member) {
    if (!(value > *largest)) return;
    *largest = value;
    *of = member;
}

void sweep_tally_block(struct sweep_tally *t, const keel_block *b) {
    if (t->members == 0) *t = (struct sweep_tally){.drift = -1, .correction = -1, .defect = -1};
    for (int i = 0; i < b->count; i++) {
        int64_t member = b->first + i;
        t->failed += b->status[i] < 0;
        t->stopped += b->status[i] > 0;
        t->steps += b->steps[i];
        if (b->event_first) t->events += b->event_first[i + 1] - b->event_first[i];
        if (b->drift[i] > t->drift) t->drift_row = b->row[i];
        take_largest(&t->drift, &t->drift_of, b->drift[i], member);
        take_largest(&t->correction, &t->correction_of, b->correction[i], member);
        take_largest(&t->defect, &t->defect_of, b->defect[i], member);
        if (b->sentence[i] >= 0) add_reason(t, b->text + b->sentence[i], member);
    }
    t->members += b->count;
}

int sweep_exit(const struct sweep *s) {
    if (s->job.status) return s->job.status;
    if (s->tally.members < (s->share ? s->share : keel_plan_members(s->plan)))
        return stop_asked() ? stop_exit() : EXIT_FAILED;
    return s->tally.failed ? EXIT_MISSING : EXIT_DONE;
}

/* Telling ----------------------------------------------------------------------------------------------- */

void sweep_tell_worst(const struct sweep_tally *t, const char *row, const char *corrected, const char *defect,
                      FILE *out) {
    if (t->drift >= 0)
        fprintf(out, "  drift      at most %.3g round-offs (%s%smember %lld)\n", t->drift, row ? row : "",
                row ? ", " : "", (long long)t->drift_of);
    else fprintf(out, "  drift      nothing was measured\n");
    if (t->correction > 0)
        fprintf(out, "  corrected  by at most %.2g %s (member %lld)\n", t->correction, corrected,
                (long long)t->correction_of);
    if (t->defect >= 0)
        fprintf(out, "  defect     at most %.1e %s (member %lld)\n", t->defect, defect,
                (long long)t->defect_of);
    if (t->stopped)
        fprintf(out, "  stopped    %lld members, by an event or at rest\n", (long long)t->stopped);
}

void sweep_tell_failures(const struct sweep_tally *t, FILE *out) {
    if (t->failed == 0) return;
    fprintf(out, "  failed     %lld of %lld members\n", (long long)t->failed, (long long)t->members);
    for (int i = 0; i < t->reasons; i++)
        fprintf(out, "             %lld, first member %lld: %s\n", (long long)t->reason[i].members,
                (long long)t->reason[i].first, t->reason[i].sentence);
    if (t->other_reasons) fprintf(out, "             %lld for other reasons\n", (long long)t->other_reasons);
}

void sweep_certificate(const struct sweep *s, FILE *out) {
    const struct job *j = &s->job;
    const struct sweep_tally *t = &s->tally;
    int64_t here = t->members - s->done;
    fprintf(out, "%s  %s+%s\n", keel_model_name(j->model), j->method, j->stabilizer);
    fprintf(out, "  members    %lld", (long long)t->members);
    if (s->share) fprintf(out, " of %lld", (long long)keel_plan_members(s->plan));
    for (int i = 0, first = 1; keel_plan_axis(s->plan, i, NULL); i++) {
        const char *name;
        int64_t length = keel_plan_axis(s->plan, i, &name);
        fprintf(out, "%s%lld%s%s", first ? ": " : " x ", (long long)length, name ? " " : "",
                name ? name : "");
        first = 0;
    }
    fprintf(out, "\n");
    for (int i = 0, told = 0; i < keel_plan_names(s->plan); i++)
        if (keel_plan_axis_of(s->plan, i) < 0 && !told++)
            fprintf(out, "  drawn      with seed %llu\n", (unsigned long long)s->draws.seed);
    fprintf(out, "  steps      %lld", (long long)t->steps);
    if (s->wall_s > 0) fprintf(out, " in %.3g s", s->wall_s);
    if (here > 0 && s->wall_s > 0) fprintf(out, ", %.3g us a member", 1e6 * s->wall_s / (double)here);
    if (keel_ensemble_device(s->ensemble)) fprintf(out, ", on a GPU");
    if (keel_ensemble_lanes(s->ensemble) > 1) fprintf(out, ", in %d lanes", keel_ensemble_lanes(s->ensemble));
    fprintf(out, "\n");
    int fixed = j->keel.step > 0;
    sweep_tell_worst(t, keel_ensemble_row(s->ensemble, t->drift_row),
                     fixed ? "errors of a step" : "tolerances", fixed ? "of the state" : "tolerances", out);
    sweep_tell_failures(t, out);
    if (s->summary) sweep_summary_text(s, out);
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void worst_json(struct json *json, const char *key, double value, int64_t member, const char *row) {
    json_object(json, key);
    json_number(json, "largest", value >= 0 ? value : NAN);
    if (value >= 0) json_integer(json, "member", (long)member);
    if (row && value >= 0) json_text(json, "row", row);
    json_end_object(json);
}

void sweep_tally_json(const struct sweep_tally *t, const char *row, struct json *json) {
    json_integer(json, "finished", (long)t->members);
    json_integer(json, "failed", (long)t->failed);
    json_integer(json, "stopped", (long)t->stopped);
    json_integer(json, "steps", (long)t->steps);
    worst_json(json, "drift", t->drift, t->drift_of, row);
    worst_json(json, "correction", t->correction, t->correction_of, NULL);
    worst_json(json, "defect", t->defect, t->defect_of, NULL);
    json_array(json, "failures");
    for (int i = 0; i < t->reasons; i++) {
        json_object(json, NULL);
        json_text(json, "reason", t->reason[i].sentence);
        json_integer(json, "members", (long)t->reason[i].members);
        json_integer(json, "first", (long)t->reason[i].first);
        json_end_object(json);
    }
    json_end_array(json);
}

static void results_json(struct json *json, const struct sweep *s) {
    const struct sweep_tally *t = &s->tally;
    const char *name;
    json_integer(json, "members", (long)keel_plan_members(s->plan));
    json_text(json, "method", s->job.method);
    json_text(json, "stabilizer", s->job.stabilizer);
    json_array(json, "axes");
    for (int i = 0; keel_plan_axis(s->plan, i, NULL); i++) {
        int64_t length = keel_plan_axis(s->plan, i, &name);
        json_object(json, NULL);
        json_text(json, "name", name);
        json_integer(json, "length", (long)length);
        json_end_object(json);
    }
    json_end_array(json);
    json_array(json, "values");
    for (int i = 0; i < keel_plan_names(s->plan); i++) json_text(json, NULL, keel_plan_name(s->plan, i));
    json_end_array(json);
    json_array(json, "columns");
    for (int i = 0; i < keel_ensemble_columns(s->ensemble); i++)
        json_text(json, NULL, keel_ensemble_column(s->ensemble, i));
    json_end_array(json);
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->draws.seed);
    json_text(json, "seed", seed);
    json_number(json, "wall_s", s->wall_s);
    json_integer(json, "lanes", keel_ensemble_lanes(s->ensemble));
    json_text(json, "device", keel_ensemble_device(s->ensemble) ? "gpu" : "cores");
    sweep_tally_json(t, keel_ensemble_row(s->ensemble, t->drift_row), json);
    if (s->summary) sweep_summary_json(s, json);
}

void sweep_json(const struct sweep *s, int status, FILE *out) {
    struct json json = {0};
    const struct job *j = &s->job;
    run_json_head(&json, "sweep", run_json_status(status), status, j, j->sentence);
    if (s->ensemble && keel_ensemble_status(s->ensemble) == KEEL_OK) {
        run_json_options(&json, "options", j, 0);
        results_json(&json, s);
    }
    run_json_print(&json, out);
}
