/* trace.c - see trace.h. */
#include "cli/run/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1000, MOST = 50000000 };
/* Sizes are taken in so many places over the run, and after 1, 2, 4, ... of its first steps. */
enum { SIZES = 64, FIRST = 32 };

/* Output times ------------------------------------------------------------------------------------------ */

static int add_time(struct trace *t, double at, long *capacity) {
    if (t->count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        double *wider = realloc(t->times, (size_t)*capacity * sizeof *wider);
        if (!wider) return -1;
        t->times = wider;
    }
    t->times[t->count++] = at;
    return 0;
}

static int evenly(struct trace *t, const struct job *j, long points, int logarithmic, long *capacity) {
    double length = j->t1 - j->t0;
    for (long k = 0; k < points; k++) {
        double part = points > 1 ? (double)k / (double)(points - 1) : 1;
        double at = k == points - 1 ? j->t1 : j->t0 + part * length;
        if (logarithmic && k < points - 1) /* twelve decades back from the end, and the start itself */
            at = k == 0 ? j->t0 : j->t0 + length * pow(10, -12 * (1 - part));
        if (add_time(t, at, capacity)) return -1;
    }
    return 0;
}

static int every(struct trace *t, struct job *j, double apart, long *capacity) {
    double length = fabs(j->t1 - j->t0), sign = j->t1 > j->t0 ? 1 : -1;
    if (!(apart > 0)) return job_fail(j, EXIT_USAGE, "--every must be positive, it is %g", apart);
    if (length / apart > MOST)
        return job_fail(j, EXIT_USAGE, "--every %g gives more than %d rows", apart, MOST);
    for (long k = 0; (double)k * apart <= length * (1 + 1e-15); k++)
        if (add_time(t, j->t0 + sign * (double)k * apart, capacity)) return job_no_memory(j);
    return 0;
}

/* "0.4, 40, 1e11" */
static int listed(struct trace *t, struct job *j, const char *text, long *capacity) {
    while (*text) {
        size_t length = strcspn(text, ",");
        char one[200];
        double at;
        snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1), text);
        if (!keel_model_number(j->model, one, &at))
            return job_fail(j, EXIT_USAGE, "--at %s", keel_model_refusal(j->model));
        if ((at - j->t0) * (at - j->t1) > 0)
            return job_fail(j, EXIT_USAGE, "--at %g lies outside of the run, %g .. %g", at, j->t0, j->t1);
        if (add_time(t, at, capacity)) return job_no_memory(j);
        text += length;
        text += *text == ',';
    }
    return 0;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b) {
    return ascending(b, a);
}

static void put_in_order(struct trace *t) {
    long kept = 0;
    if (t->count == 0) return;
    qsort(t->times, (size_t)t->count, sizeof *t->times, t->direction > 0 ? ascending : descending);
    for (long k = 0; k < t->count; k++)
        if (kept == 0 || t->times[k] != t->times[kept - 1]) t->times[kept++] = t->times[k];
    t->count = kept;
}

int trace_open(struct trace *t, struct job *j) {
    const struct options *o = &j->options;
    const char *points = option_text(o, opt_points), *at = option_text(o, opt_at);
    long capacity = 0;
    double apart = 0;
    *t = (struct trace){
        .job = j, .every_step = option_given(o, opt_steps_out), .direction = j->t1 > j->t0 ? 1 : -1};
    if (option_given(o, opt_every) && (job_number(j, opt_every, &apart) || every(t, j, apart, &capacity)))
        return j->status;
    if (at && listed(t, j, at, &capacity)) return j->status;
    int plain = !option_given(o, opt_every) && !at && !t->every_step;
    if ((points || plain || option_given(o, opt_log)) &&
        evenly(t, j, points ? atol(points) : POINTS, option_given(o, opt_log), &capacity))
        return job_no_memory(j);
    if (!at && (add_time(t, j->t0, &capacity) || add_time(t, j->t1, &capacity))) return job_no_memory(j);
    put_in_order(t);
    return 0;
}

int trace_open_at(struct trace *t, struct job *j, const double *times, long count) {
    size_t bytes = (size_t)count * sizeof *times;
    *t = (struct trace){.job = j, .direction = j->t1 > j->t0 ? 1 : -1, .count = count};
    t->times = malloc(bytes + 1);
    if (!t->times) return -1;
    if (count) memcpy(t->times, times, bytes);
    return 0;
}

void trace_add(struct trace *t, trace_sink *sink, void *user) {
    t->sink[t->sinks] = sink;
    t->user[t->sinks++] = user;
}

/* Trusted digits inside the span: their times are output times, too. */
static int take_references(struct trace *t) {
    double at, begin = t->count ? t->times[0] : 0, end = t->count ? t->times[t->count - 1] : 0;
    int found = 0;
    long capacity = t->count;
    while (keel_sim_reference(t->sim, found, &at, t->value)) found++;
    t->trusted = malloc(((size_t)found * (size_t)t->columns + 1) * sizeof *t->trusted);
    t->trusted_t = malloc(((size_t)found + 1) * sizeof *t->trusted_t);
    if (!t->trusted || !t->trusted_t) return -1;
    for (int k = 0; k < found; k++) {
        double *values = t->trusted + (size_t)t->references * (size_t)t->columns;
        keel_sim_reference(t->sim, k, &at, values);
        if (capacity == 0 || (at - begin) * (at - end) > 0) continue;
        t->trusted_t[t->references++] = at;
        if (add_time(t, at, &capacity)) return -1;
    }
    put_in_order(t);
    return 0;
}

int trace_attach(struct trace *t, keel_sim *sim) {
    t->sim = sim;
    t->columns = keel_sim_columns(sim);
    t->rows = keel_sim_rows(sim);
    size_t columns = (size_t)t->columns, rows = (size_t)t->rows;
    t->value = calloc(7 * columns + 3 * rows + 1, sizeof *t->value);
    t->closed = calloc(columns + 1, 1);
    if (!t->value || !t->closed || missing_open(&t->missing, 2 * columns + rows))
        return t->columns = t->rows = 0, -1;
    t->error = t->value + columns, t->largest = t->error + columns, t->worst = t->largest + columns;
    t->drift = t->worst + columns, t->largest_drift = t->drift + rows;
    t->size = t->largest_drift + rows, t->beside = t->size + columns;
    for (int i = 0; i < t->columns; i++) t->worst[i] = NAN;
    t->worst_of_all = -1;
    for (int i = 0; i < t->columns; i++)
        t->exacts += t->closed[i] = (unsigned char)keel_sim_has_exact(sim, i);
    return take_references(t);
}

void trace_overlook(struct trace *t) {
    t->overlooks = keel_sim_overlook_samples(t->sim);
}

/* Looking ----------------------------------------------------------------------------------------------- */

/* What is not a number leaves it. */
/* Of what is finite: the others are told as having no value (missing.h), and are no size. */
static void take_largest(double *largest, double value) {
    if (fabs(value) > *largest && isfinite(value)) *largest = fabs(value);
}

static void compare(struct trace *t, double at, int column, double error) {
    if (isnan(error)) return;
    if (fabs(error) > t->worst_of_all) t->worst_of_all = fabs(error), t->worst_t = at;
    t->worst[column] = fmax(t->worst[column], fabs(error)); /* the first one replaces NAN */
}

/* The value of a quantity at a time inside the last step, of a closed form at any time; NAN: it has none, or
 * there is no such time. */
static double quantity_at(struct trace *t, size_t quantity, double at) {
    size_t before = (size_t)t->columns + (size_t)t->rows;
    double *value = t->beside, *drift = value + t->columns, *exact = value + before;
    keel_status status =
        quantity < before ? keel_sim_sample(t->sim, at, value, drift) : keel_sim_exact(t->sim, at, exact);
    if (status == KEEL_ENOMEM) memory_out();
    return status == KEEL_OK ? value[quantity] : NAN;
}

/* Where a quantity that has no value in the row at hand ceases to have one, by bisection, if that is inside
 * the last step. */
static void locate(struct trace *t, size_t quantity, struct missing_one *one) {
    enum { HALVINGS = 60, LOCATED = 8 };
    double high = one->first, low = one->before;
    if (t->missing.count > LOCATED || isnan(low)) return;
    double begin = keel_time_before(keel_sim_solver(t->sim));
    if (one->kind != MISSING_EXACT && (begin - low) * t->direction > 0) low = begin;
    if (low != high && !isfinite(quantity_at(t, quantity, low))) return;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = low + (high - low) / 2;
        if (middle == low || middle == high) break;
        if (isfinite(quantity_at(t, quantity, middle))) low = middle;
        else high = middle;
    }
    one->at = high;
}

static void note(struct trace *t, size_t quantity, enum missing_kind kind, const char *name, double value,
                 double at) {
    struct missing_one *one =
        isfinite(value) ? NULL : missing_note(&t->missing, quantity, kind, name, value, at);
    if (one && t->live) locate(t, quantity, one);
}

static void look_for_missing(struct trace *t, const struct trace_row *row) {
    size_t columns = (size_t)t->columns, rows = (size_t)t->rows;
    for (size_t i = 0; i < columns; i++) {
        if (isfinite(row->value[i]) && !t->closed[i]) continue;
        const char *name = keel_sim_column(t->sim, (int)i);
        note(t, i, MISSING_COLUMN, name, row->value[i], row->t);
        if (t->closed[i] && isfinite(row->value[i]))
            note(t, columns + rows + i, MISSING_EXACT, name, row->error[i], row->t);
    }
    for (size_t i = 0; i < rows; i++)
        if (keel_sim_row_in(t->sim, (int)i, row->mode))
            note(t, columns + i, MISSING_DRIFT, keel_sim_row(t->sim, (int)i), row->drift[i], row->t);
    missing_row_ends(&t->missing, row->t);
}

double trace_drift(const struct trace *t, int row) {
    return row < t->rows ? t->largest_drift[row] : NAN;
}

void trace_give(struct trace *t, const struct trace_row *row) {
    look_for_missing(t, row);
    for (int i = 0; i < t->columns && t->exacts; i++) compare(t, row->t, i, row->error[i]);
    for (int i = 0; i < t->columns; i++) take_largest(&t->largest[i], row->value[i]);
    for (int k = 0; k < t->references; k++)
        for (int i = 0; i < t->columns && t->trusted_t[k] == row->t; i++)
            compare(t, row->t, i, row->value[i] - t->trusted[(size_t)k * (size_t)t->columns + (size_t)i]);
    for (int i = 0; i < t->rows; i++) take_largest(&t->largest_drift[i], row->drift[i]);
    for (int k = 0; k < t->sinks && !t->failed; k++) t->failed = t->sink[k](t->user[k], row) != 0;
    if (t->failed && memory_is_out()) job_no_memory(t->job);
}

static void give(struct trace *t, enum trace_kind kind, double at, const char *event) {
    keel_status status = keel_sim_sample(t->sim, at, t->value, t->drift);
    if (status == KEEL_EINVAL) return; /* before the first step there is nothing between */
    if (status != KEEL_ENOMEM && t->exacts && keel_sim_exact(t->sim, at, t->error) != KEEL_OK)
        status = KEEL_ENOMEM;
    if (status == KEEL_ENOMEM) {
        t->failed = 1;
        job_no_memory(t->job);
        return;
    }
    for (int i = 0; i < t->columns && status != KEEL_OK; i++) t->value[i] = NAN;
    for (int i = 0; i < t->rows && status != KEEL_OK; i++) t->drift[i] = NAN;
    for (int i = 0; i < t->columns; i++) t->error[i] = t->exacts ? t->value[i] - t->error[i] : NAN;
    struct trace_row row = {kind, at, t->value, t->drift, t->error, keel_sim_mode(t->sim), event};
    t->live = 1;
    trace_give(t, &row);
    t->live = 0;
}

static double size_place(const struct trace *t) {
    return t->job->t0 + (double)t->sized / SIZES * (t->job->t1 - t->job->t0);
}

static int is_early(const struct trace *t) {
    return keel_statistics(keel_sim_solver(t->sim)).steps < FIRST;
}

/* Which samples these are depends on the steps alone, not on how many there are. */
static void take_sizes(struct trace *t, double now) {
    long step = keel_statistics(keel_sim_solver(t->sim)).steps;
    int due = step <= FIRST && (step & (step - 1)) == 0;
    for (; t->sized <= SIZES && (size_place(t) - now) * t->direction <= 0; t->sized++) due = 1;
    if (!due || keel_sim_sizes(t->sim, t->beside) != KEEL_OK) return;
    for (int i = 0; i < t->columns; i++) take_largest(&t->size[i], t->beside[i]);
}

void trace_sample(struct trace *t) {
    double now = keel_time(keel_sim_solver(t->sim));
    keel_event_record last = {0};
    int event = !t->overlooks && keel_sim_event(t->sim, t->events, &last);
    int due = t->every_step && !event && !t->acted;
    t->events += event;
    while (t->next < t->count && (t->times[t->next] - now) * t->direction <= 0) {
        double at = t->times[t->next++];
        if (at == now) due = 1;
        else give(t, TRACE_OUTPUT, at, NULL);
    }
    if (event) give(t, last.changed ? TRACE_BEFORE : TRACE_RECORD, now, last.event);
    else if (t->acted) give(t, TRACE_AFTER, now, NULL);
    if (due && (!event || !last.changed) && !t->acted) give(t, TRACE_OUTPUT, now, NULL);
    t->acted = event && last.changed;
    take_sizes(t, now);
}

double trace_wake(const struct trace *t) {
    double wake = t->next < t->count ? t->times[t->next] : t->job->t1;
    if (t->every_step || is_early(t)) return keel_time(keel_sim_solver(t->sim));
    return t->sized <= SIZES && (size_place(t) - wake) * t->direction < 0 ? size_place(t) : wake;
}

void trace_close(struct trace *t) {
    free(t->times);
    free(t->value);
    free(t->closed);
    free(t->trusted);
    free(t->trusted_t);
    missing_close(&t->missing);
    *t = (struct trace){0};
}
