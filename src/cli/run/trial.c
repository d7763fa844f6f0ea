/* trial.c - see trial.h. */
#include "cli/run/trial.h"

#include "base/text.h"
#include "cli/job/limit.h"
#include "cli/job/progress.h"
#include "cli/terminal/stop.h"
#include "cli/run/yardstick.h"
#include "cli/job/stabilizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places for the defect, one in each of as many equal parts of the run, off any grid. */
struct scan {
    double from, length;
    long places, next;
    double longest; /* step seen */
    keel_defect found;
};

struct trial_view { /* what the observer of a trial needs */
    struct scan scan;
    struct trace trace;
    struct progress progress;
    struct record_match match;
};

const char *trial_word(enum trial_status status) {
    static const char *const word[] = {"done", "stopped", "interrupted", "failed", "refused"};
    return word[status];
}

/* Weyl's sequence of the golden ratio. */
static double scan_place(const struct scan *s, long k) {
    double part = (double)k * 0.61803398874989485;
    return s->from + s->length * (((double)k + (part - floor(part))) / (double)s->places);
}

/* All places up to where the run stands: they lie inside the last step, or behind a jump. */
static void scan_step(struct scan *s, keel_solver *solver) {
    double now = keel_time(solver), begin = keel_time_before(solver), at;
    keel_defect one;
    s->longest = fmax(s->longest, fabs(now - begin)); /* one longer than from place to place has a place */
    for (; s->next < s->places && ((at = scan_place(s, s->next)) - now) * s->length <= 0; s->next++) {
        if ((at - begin) * s->length <= 0 || keel_defect_at(solver, at, &one) != KEEL_OK) continue;
        long samples = s->found.samples + 1;
        if (samples == 1 || one.largest > s->found.largest) s->found = one;
        s->found.samples = samples;
    }
}

/* The next output time, or the next place. */
static double wake_of(const struct trial_view *v) {
    const struct scan *s = &v->scan;
    double wake = trace_wake(&v->trace), at = s->next < s->places ? scan_place(s, s->next) : wake;
    return (at - wake) * s->length < 0 ? at : wake;
}

static void observe(keel_solver *solver, void *sim) {
    struct trial_view *v = keel_sim_attached(sim);
    scan_step(&v->scan, solver);
    progress_at(&v->progress, keel_time(solver));
    trace_sample(&v->trace);
}

static void refuse(struct trial *r, enum trial_status status, const char *why) {
    r->status = status;
    text_set(r->message, sizeof r->message, "%s", why);
}

static void starve(struct trial *r) {
    memory_out();
    refuse(r, TRIAL_FAILED, MEMORY_OUT);
}

static int take_arrays(struct trial *r, keel_sim *sim) {
    size_t columns = (size_t)keel_sim_columns(sim);
    r->columns = (int)columns;
    r->name = calloc(columns + 1, sizeof *r->name);
    r->each = calloc(3 * columns + 1, sizeof *r->each);
    if (!r->name || !r->each) return -1;
    r->largest = r->each + columns, r->end = r->largest + columns;
    for (size_t i = 0; i < columns; i++) {
        r->name[i] = keel_sim_column(sim, (int)i);
        r->each[i] = NAN;
    }
    return 0;
}

/* Up to its end or the first `stop`; the seconds it took, without a compiler's.  v: who looks; NULL: nobody.
 */
static double go(struct trial *r, keel_model *model, keel_sim *sim, const struct trial_view *v,
                 const keel_options *o, double end, long most) {
    keel_status status = KEEL_OK;
    struct limit limit = limit_open(o, sim, model);
    double begin = job_seconds();
    int fewer = most && (!limit.most || most < limit.most);
    if (fewer) limit.most = most;
    while (status == KEEL_OK && keel_time(keel_sim_solver(sim)) != end && !stop_asked())
        status = limit_advance(&limit, sim, v ? wake_of(v) : end, end);
    double spent = job_seconds() - begin - limit.compile_s;
    if (status == KEEL_ELIMIT && fewer && keel_state_of(keel_sim_solver(sim)) >= 0) status = KEEL_OK;
    if (status == KEEL_ENOMEM) starve(r);
    else if (status < 0 && status != KEEL_ESTOP) refuse(r, TRIAL_FAILED, limit_why(&limit, sim, status, end));
    else if (status == KEEL_REST) {
        r->status = TRIAL_STOPPED;
        text_set(r->message, sizeof r->message, "%s", job_why(sim));
    } else if (status == KEEL_EVENT) {
        keel_event_record last = {0};
        keel_sim_event(sim, -1, &last);
        r->status = TRIAL_STOPPED;
        text_set(r->message, sizeof r->message, "by event `%s` at t = %.10g", last.event, last.t);
    } else if (stop_asked()) r->status = TRIAL_INTERRUPTED;
    else if (keel_time(keel_sim_solver(sim)) != end) {
        r->status = TRIAL_FAILED;
        text_set(r->message, sizeof r->message, "%ld steps led to t = %.4g only", most,
                 keel_time(keel_sim_solver(sim)));
    }
    return spent;
}

/* The drift of what is conserved: over the steps by the certificate, over the output times by the trace. */
static void take_drift(struct trial *r, keel_sim *sim, const struct trace *t, int measured) {
    keel_row row;
    r->drift = r->units = NAN;
    for (int i = 0; i < keel_sim_rows(sim); i++) {
        if (!keel_sim_row_at(sim, i, &row) || row.treatment == KEEL_ROW_VARYING) continue;
        if (measured) r->drift = fmax(r->drift, row.drift), r->units = fmax(r->units, row.units);
        r->drift = fmax(r->drift, trace_drift(t, i));
    }
}

static void take_errors(struct trial *r, const struct trial_view *v) {
    const double *each = v->match.each ? v->match.each : v->trace.worst;
    r->error = NAN;
    r->worst_t = v->match.each ? v->match.worst_t : v->trace.worst_t;
    r->apart_t = v->match.each ? v->match.apart_t : NAN;
    r->other_t = v->match.each ? v->match.other_t : NAN;
    r->stays_apart = 2 * v->match.off > v->match.after;
    r->scanned = v->scan.found;
    r->longest = v->scan.longest;
    for (int i = 0; i < r->columns; i++) {
        r->each[i] = each[i];
        r->largest[i] = v->trace.largest[i];
        if (!isnan(each[i]) && !(r->error >= each[i])) r->error = each[i], r->worst = i;
    }
}

static void take_end(struct trial *r, keel_sim *sim) {
    keel_event_record one;
    r->end_t = keel_time(keel_sim_solver(sim));
    while (keel_sim_event(sim, r->end_events, &one)) r->end_events++;
    keel_status status = keel_sim_values(sim, r->end);
    if (status == KEEL_ENOMEM) starve(r);
    if (status != KEEL_OK)
        for (int i = 0; i < r->columns; i++) r->end[i] = NAN;
}

static void run(struct trial *r, struct job *j, const keel_options *given, const double *times, long count,
                const struct record *with, struct record *into, long most, long places) {
    struct trial_view v = {.scan = {.from = j->t0, .length = j->t1 - j->t0, .places = places}};
    keel_options o = *given;
    o.observe = observe;
    *r = (struct trial){.error = NAN, .drift = NAN, .units = NAN, .apart_t = NAN, .other_t = NAN};
    keel_sim *sim = keel_sim_open(j->model, &o);
    keel_solver *solver = keel_sim_solver(sim);
    keel_sim_attach(sim, &v);
    if (!sim || (solver && keel_state_of(solver) == KEEL_ENOMEM)) starve(r);
    else if (!solver || keel_state_of(solver) < 0)
        refuse(r, stop_asked() ? TRIAL_INTERRUPTED : TRIAL_REFUSED, job_why(sim));
    else if (take_arrays(r, sim) || trace_open_at(&v.trace, j, times, count) || trace_attach(&v.trace, sim) ||
             (into && record_open(into, sim)) ||
             (with && record_match_open(&v.match, with, v.trace.direction)))
        starve(r);
    else {
        text_set(r->stabilizer, sizeof r->stabilizer, "%s", stabilizer_in_use(o.method, solver));
        if (!with || with->overlooks) trace_overlook(&v.trace);
        if (into) into->overlooks = v.trace.overlooks;
        if (into) trace_add(&v.trace, record_row, into);
        if (with) trace_add(&v.trace, record_match_row, &v.match);
        progress_open(&v.progress, j);
        trace_sample(&v.trace);
        r->wall_s = go(r, j->model, sim, &v, &o, j->t1, most);
        progress_clear(&v.progress);
        take_drift(r, sim, &v.trace, stabilizer_measures(o.method));
        take_errors(r, &v);
        take_end(r, sim);
        r->stats = keel_statistics(keel_sim_solver(sim));
        if (v.trace.failed) starve(r);
        r->missing = v.trace.missing;
        v.trace.missing = (struct missing){0};
    }
    keel_sim_close(sim);
    trace_close(&v.trace);
    record_match_close(&v.match);
}

void trial_run(struct trial *r, struct job *j, const keel_options *o, const struct yardstick *y,
               struct record *into, long most) {
    run(r, j, o, y->times, y->count, y->kind == YARDSTICK_RERUN ? &y->record : NULL, into, most, 0);
}

void trial_beside(struct trial *r, struct job *j, const keel_options *o, const struct record *with,
                  struct record *into, long places) {
    double *times = record_times(with);
    *r = (struct trial){.error = NAN, .apart_t = NAN, .other_t = NAN};
    if (times) run(r, j, o, times, with->count, with, into, 0, places);
    else starve(r);
    free(times);
}

int trial_cost(struct job *j, const keel_options *o, long most, double *seconds, keel_stats *stats) {
    enum { OFTEN = 6, AT_LEAST = 3 };
    double least = NAN, total = 0;
    for (int k = 0; k < OFTEN && total < (k < AT_LEAST ? 0.3 : 0.03); k++) {
        struct trial r = {0};
        keel_options plain = *o;
        plain.observe = NULL;
        keel_sim *sim = keel_sim_open(j->model, &plain);
        int good = keel_sim_solver(sim) && keel_state_of(keel_sim_solver(sim)) >= 0;
        if (!good) starve(&r); /* it could be opened before */
        double spent = good ? go(&r, j->model, sim, NULL, &plain, j->t1, most) : 0;
        good = good && !stop_asked();
        if (good) *stats = keel_statistics(keel_sim_solver(sim));
        keel_sim_close(sim);
        if (!good) return -1;
        least = fmin(least, spent);
        total += spent;
    }
    *seconds = least;
    return 0;
}

void trial_close(struct trial *r) {
    free(r->name);
    free(r->each);
    r->name = NULL;
    r->each = NULL;
    missing_close(&r->missing);
}
