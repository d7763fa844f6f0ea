/* member.c - the run of one member: opened, carried to its end, with what is kept of it.  One after the other
 * they use the same memory. */
#include "ensemble/ensemble.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL = 10000000 }; /* steps of a member */

/* Between two looks at their number. */
static long pause_of(const struct keel_ensemble *e) {
    return e->device ? 1 << 16 : 1 << 12;
}

/* Looking ----------------------------------------------------------------------------------------------- */

/* The kept columns at t into out; NAN where they have no value. */
static void sample(struct member *m, double t, double *out) {
    const struct keel_ensemble *e = m->e;
    keel_status status = keel_sim_sample(m->sim, t, m->all, NULL);
    if (status == KEEL_ENOMEM) m->failed = status;
    for (int i = 0; i < e->columns; i++) out[i] = status == KEEL_OK ? m->all[e->column[i]] : NAN;
}

static double *row_of(const struct member *m, int time) {
    size_t columns = (size_t)m->e->columns, times = (size_t)m->e->times_kept;
    return m->b->value + ((size_t)m->at * times + (size_t)time) * columns;
}

/* Smallest, largest and the integral by the trapezoidal rule over the step, at its ends. */
static void extremum(struct member *m, double now) {
    const struct keel_ensemble *e = m->e;
    sample(m, now, m->all + e->all_columns);
    const double *value = m->all + e->all_columns;
    for (int i = 0; i < e->columns; i++) {
        m->low[i] = fmin(m->low[i], value[i]);
        m->high[i] = fmax(m->high[i], value[i]);
        m->sum[i] += 0.5 * (m->before[i] + value[i]) * (now - m->t_before);
        m->before[i] = value[i];
    }
    m->t_before = now;
}

static void note_event(struct member *m, double now) {
    keel_event_record last;
    for (; keel_sim_event(m->sim, m->events, &last); m->events++) {
        if (strcmp(last.event, m->e->event) != 0) continue;
        double *row = block_event(&m->b->slice[m->at / SLICE], m->e->columns, m->at);
        if (!row) m->failed = KEEL_ENOMEM;
        if (!row) return;
        row[0] = now;
        sample(m, now, row + 1);
    }
}

/* All output times up to where the run stands, inside its last step. */
static void sample_up_to_now(struct member *m) {
    const struct keel_ensemble *e = m->e;
    double now = keel_time(keel_sim_solver(m->sim));
    for (; m->next < e->o.count && (e->times[m->next] - now) * m->direction <= 0; m->next++)
        sample(m, e->times[m->next], row_of(m, m->next));
    if (e->event) note_event(m, now);
    if (e->o.extrema) extremum(m, now);
}

static void observe(keel_solver *solver, void *sim) {
    (void)solver;
    sample_up_to_now(keel_sim_attached(sim));
}

/* Running ----------------------------------------------------------------------------------------------- */

static double wake_of(const struct member *m, int single) {
    if (single || m->e->o.extrema) return keel_time(keel_sim_solver(m->sim));
    return m->next < m->e->o.count ? m->e->times[m->next] : m->to;
}

/* Where the run is to wake next; 0: it is over, with its status and sentence. */
int member_goes_on(struct member *m, double *wake) {
    const keel_options *o = &m->e->o.run;
    int fixed = o->step > 0 && !o->reversible && !m->e->by_clock;
    long most = o->max_steps > 0 ? o->max_steps : fixed ? 0 : USUAL;
    const keel_solver *s = keel_sim_solver(m->sim);
    long taken = most ? keel_statistics(s).steps : 0;
    if (m->status != KEEL_OK || keel_time(s) == m->to || m->failed) return 0;
    if (most && taken >= most) {
        text_set(m->why, sizeof m->why, "%ld steps led to t = %.10g only, of %.10g", taken, keel_time(s),
                 m->to);
        m->status = KEEL_ELIMIT;
        return 0;
    }
    *wake = wake_of(m, most && most - taken < pause_of(m->e));
    return 1;
}

/* What the certificate says: the worst row, the largest correction and defect. */
static void take_certificate(struct member *m) {
    struct block *b = m->b;
    keel_solver *s = keel_sim_solver(m->sim);
    keel_defect defect = keel_defect_of(s);
    keel_row row;
    for (int i = 0; i < keel_sim_rows(m->sim); i++) {
        if (!keel_sim_row_at(m->sim, i, &row) || row.treatment == KEEL_ROW_VARYING) continue;
        if (!(b->row[m->at] < 0 || row.units > b->drift[m->at]) || isnan(row.units)) continue;
        b->drift[m->at] = row.units;
        b->row[m->at] = i;
    }
    b->steps[m->at] = keel_statistics(s).steps;
    b->t[m->at] = keel_time(s);
    b->correction[m->at] = keel_correction_of(s).largest;
    if (defect.samples) b->defect[m->at] = defect.largest;
}

static void end_extrema(struct member *m) {
    size_t columns = (size_t)m->e->columns, place = (size_t)m->at * columns;
    double length = m->t_before - m->from;
    for (size_t i = 0; i < columns; i++) {
        m->b->low[place + i] = m->low[i];
        m->b->high[place + i] = m->high[i];
        m->b->mean[place + i] = length != 0 ? m->sum[i] / length : m->before[i];
    }
}

/* Nothing is known of it yet. */
static void forget(struct member *m) {
    struct block *b = m->b;
    const struct keel_ensemble *e = m->e;
    size_t columns = (size_t)e->columns, numbers = (size_t)e->times_kept * columns;
    b->status[m->at] = KEEL_OK, b->sentence[m->at] = -1, b->steps[m->at] = 0, b->row[m->at] = -1;
    b->t[m->at] = b->drift[m->at] = b->correction[m->at] = b->defect[m->at] = NAN;
    for (size_t i = 0; i < numbers; i++) b->value[(size_t)m->at * numbers + i] = NAN;
    for (size_t i = 0; i < columns && e->o.extrema; i++)
        b->low[(size_t)m->at * columns + i] = b->high[(size_t)m->at * columns + i] =
            b->mean[(size_t)m->at * columns + i] = NAN;
}

static keel_status note_failure(struct member *m, keel_status status, const char *why) {
    if (status == KEEL_ENOMEM) return status;
    if (status == KEEL_STOPPED || status == KEEL_ESTOP) return KEEL_STOPPED;
    m->b->status[m->at] = status;
    if (status > 0) return KEEL_OK;
    return block_message(&m->b->slice[m->at / SLICE], why, &m->b->sentence[m->at]) ? KEEL_ENOMEM : KEEL_OK;
}

/* What has been found at the end of a run. */
keel_status member_end(struct member *m) {
    const struct keel_ensemble *e = m->e;
    if (m->status < 0 && !m->why[0]) text_set(m->why, sizeof m->why, "%s", keel_sim_message(m->sim));
    take_certificate(m);
    if (e->o.extrema) end_extrema(m);
    if (m->status >= 0 && e->o.count == 0) sample(m, m->b->t[m->at], row_of(m, 0));
    if (m->failed) return m->failed;
    return m->status == KEEL_OK ? KEEL_OK : note_failure(m, m->status, m->why);
}

static keel_status start(struct member *m) {
    const struct keel_ensemble *e = m->e;
    keel_status status = keel_sim_status(m->sim);
    if (status < 0) return note_failure(m, status, keel_sim_message(m->sim));
    if (keel_sim_columns(m->sim) != e->all_columns)
        return note_failure(m, KEEL_EINVAL, "with these values the model has other columns");
    keel_sim_span(m->sim, &m->from, &m->to);
    if (e->o.span) m->to = e->o.span[1];
    m->direction = m->to > m->from ? 1 : -1;
    m->t_before = m->from;
    m->next = 0;
    m->events = 0;
    m->status = KEEL_OK;
    m->why[0] = '\0';
    keel_sim_attach(m->sim, m);
    if (e->o.extrema) {
        size_t bytes = (size_t)e->columns * sizeof *m->low;
        sample(m, m->from, m->before);
        memcpy(m->low, m->before, bytes);
        memcpy(m->high, m->before, bytes);
        memset(m->sum, 0, bytes);
    }
    sample_up_to_now(m);
    m->runs = 1;
    return KEEL_OK;
}

/* A run of its own, of which later members may take the memory. */
static keel_status open_sim(struct member *m) {
    const struct keel_ensemble *e = m->e;
    keel_options o = e->o.run;
    o.pause_steps = pause_of(e);
    if (!m->samples) o.defect_every = INT_MAX;
    o.observe = e->o.count || e->o.extrema || e->event ? observe : NULL;
    if (m->sim && keel_vary_again(e->variation, m->sim, e->base, m->value) == KEEL_OK) return KEEL_OK;
    keel_sim_close(m->sim);
    m->sim = keel_vary_sim(e->variation, e->base, &o, m->value);
    m->lanes = 0;
    if (!e->event) keel_sim_overlook_samples(m->sim);
    return m->sim ? KEEL_OK : KEEL_ENOMEM;
}

keel_status member_begin(struct member *m, struct block *b, int at) {
    m->b = b;
    m->at = at;
    m->runs = 0;
    m->failed = KEEL_OK;
    forget(m);
    keel_plan_values(m->e->plan, b->view.first + at, m->value);
    keel_status status = open_sim(m);
    if (status != KEEL_OK) return status;
    if (!m->lanes && keel_sim_status(m->sim) >= 0) m->lanes = keel_sim_share_kernel(m->sim, m->e->kernel);
    return start(m);
}

int member_open(struct member *m, const struct keel_ensemble *e, int samples) {
    size_t columns = (size_t)e->columns, names = (size_t)keel_plan_names(e->plan);
    *m = (struct member){.e = e, .samples = samples};
    m->all = calloc(names + (size_t)e->all_columns + 5 * columns + 1, sizeof *m->all);
    if (!m->all) return -1;
    m->before = m->all + e->all_columns + columns;
    m->low = m->before + columns, m->high = m->low + columns, m->sum = m->high + columns;
    m->value = m->sum + columns;
    return 0;
}

void member_close(struct member *m) {
    keel_sim_close(m->sim);
    free(m->all);
    *m = (struct member){0};
}

keel_status member_run(struct member *m, struct block *b, int at) {
    double wake;
    keel_status status = member_begin(m, b, at);
    if (status != KEEL_OK || !m->runs) return status;
    while (member_goes_on(m, &wake)) m->status = keel_sim_advance(m->sim, wake, m->to);
    return member_end(m);
}
