/* accuracy.c - see accuracy.h. */
#include "cli/run/accuracy.h"

#include "base/text.h"
#include "cli/run/outcome.h"
#include "cli/terminal/stop.h"
#include "cli/run/trial.h"

#include <keel/extras.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hundredth of a tolerance is asked for, and something less near the round-off level. */
static const double least_rtol = 1e-14;
/* In tolerances.  Good runs have up to some hundreds between their steps (docs/design.md). */
static const double scan_alarm = 1000;
/* Evaluations of one unknown that a rerun may spend on short steps unless it was asked for, a second or so;
 * counted, not timed, so that the same run says the same everywhere. */
static const double free_work = 1e7;

const char *accuracy_word(enum accuracy_yardstick y) {
    static const char *const word[] = {"exact", "reference", "rerun", "none"};
    return word[y];
}

const struct accuracy_errors *accuracy_shown(const struct accuracy *a) {
    return a->known.each ? &a->known : a->estimate.each ? &a->estimate : NULL;
}

enum accuracy_rerun accuracy_asked(const struct job *j) {
    const char *when = option_text(&j->options, opt_accuracy);
    if (!when || strcmp(when, "auto") == 0) return ACCURACY_AUTO;
    return strcmp(when, "yes") == 0 ? ACCURACY_YES : ACCURACY_NO;
}

int accuracy_watch(struct outcome *o, const struct job *j) {
    if (accuracy_asked(j) == ACCURACY_NO) return 0;
    if (record_open(&o->accuracy.record, o->sim)) return -1;
    trace_add(o->trace, record_row, &o->accuracy.record);
    return 0;
}

void accuracy_release(struct accuracy *a) {
    free(a->known.each);
    free(a->estimate.each);
    free(a->scale);
    record_close(&a->record);
    a->known.each = a->estimate.each = a->scale = NULL;
}

/* What is large ------------------------------------------------------------------------------------------ */

static int is_state(const struct outcome *o, int i) {
    return keel_sim_column_kind(o->sim, i) == KEEL_COLUMN_STATE;
}

/* Elements of one array: q[1] and q[2], q[1]' and q[2]'. */
static int same_array(const char *one, const char *other) {
    size_t head = strcspn(one, "[");
    const char *end = strrchr(one, ']'), *other_end = strrchr(other, ']');
    return end && other_end && head == strcspn(other, "[") && strncmp(one, other, head) == 0 &&
           strcmp(end, other_end) == 0;
}

/* What a state counts as at least, as the tolerances have it; fixed steps neglect nothing but round-off.
 * Where all states start at 0 nobody has asked for the default tolerance: sizes are those that they reach. */
static double least_size(struct outcome *o, const struct job *j) {
    keel_mode mode;
    double largest = 0, rtol = KEEL_VALUE(&j->keel, rtol);
    if (j->keel.atol > 0) return j->keel.atol / rtol;
    if (!keel_model_mode(j->model, keel_model_start(j->model), &mode) || !mode.problem->u0) return 1e-3;
    const keel_variations *v = &keel_extras_of(mode.problem)->variations;
    for (int i = 0; i < mode.problem->n; i++)
        if (!v->directions || v->direction[i] < 0) largest = fmax(largest, fabs(mode.problem->u0[i]));
    if (largest == 0)
        for (int i = 0; i < o->trace->columns; i++)
            if (is_state(o, i)) o->accuracy.reached = largest = fmax(largest, o->trace->largest[i]);
    if (j->keel.step > 0) return 1e-8 * largest;
    return 1e-3 * (largest > 0 ? fmin(largest, 1) : 1);
}

/* |p| of a sensitivity's direction; 1 where it is not known. */
static double magnitude(const keel_problem *p, int direction) {
    const keel_variations *v = &keel_extras_of(p)->variations;
    double *all = calloc((size_t)v->directions, sizeof *all), size = 1;
    if (all && v->magnitudes && v->magnitudes(p->t0, p->u0, all, p->user) == 0) size = fabs(all[direction]);
    free(all);
    return size > 0 && isfinite(size) ? size : 1;
}

/* The same where the model tells it of this column: {atol = ..}, {scale = ..}; dx/dp counts as x over |p|.
 * *from: where its name is looked for first, since columns and unknowns have one order mostly. */
static double told_size(const struct job *j, const char *column, int *from, double least) {
    keel_mode mode;
    double rtol = KEEL_VALUE(&j->keel, rtol);
    if (!keel_model_mode(j->model, keel_model_start(j->model), &mode)) return least;
    const keel_problem *p = mode.problem;
    const keel_variations *v = &keel_extras_of(p)->variations;
    int all = p->n + p->m, known = p->names && (p->scale || p->atol || v->directions);
    for (int k = 0; k < all && known; k++) {
        int place = (*from + k) % all;
        if (strcmp(p->names[place], column) != 0) continue;
        *from = place + 1;
        int direction = v->directions ? v->direction[place] : -1, of = direction < 0 ? place : v->of[place];
        double over = direction < 0 ? 1 : magnitude(p, direction);
        if (p->atol && p->atol[of] > 0) return p->atol[of] / rtol / over;
        return (p->scale && p->scale[of] > 0 ? 1e-3 * p->scale[of] : least) / over;
    }
    return least;
}

/* One round-off of a column: of its size, and that of the clock until then times how fast it changes from row
 * to row. */
static void take_units(struct outcome *o) {
    struct accuracy *a = &o->accuracy;
    const struct record *r = &a->record;
    size_t columns = (size_t)r->columns;
    double begin = fabs(o->trace->job->t0);
    a->unit = a->scale + columns;
    for (size_t i = 0; i < columns; i++) a->unit[i] = DBL_EPSILON * a->scale[i];
    for (long k = 1; k < r->count; k++) {
        const struct record_place *one = &r->place[k - 1], *next = &r->place[k];
        const double *value = r->value + (size_t)k * columns, *before = value - columns;
        if (record_apart(one, next)) continue;
        double share = DBL_EPSILON * fmax(begin, fabs(next->t)) / fabs(next->t - one->t);
        for (size_t i = 0; i < columns; i++)
            if (isfinite(value[i]) && isfinite(before[i]))
                a->unit[i] = fmax(a->unit[i], DBL_EPSILON * a->scale[i] + share * fabs(value[i] - before[i]));
    }
}

/* The part of an array, or of all start values, that counts as zero. */
static double neglected(const struct job *j) {
    double rtol = KEEL_VALUE(&j->keel, rtol);
    return j->keel.step > 0 ? 1e-8 : fmin(fmax(1e-3, 1000 * rtol), 1);
}

/* A column that is zero by theory counts by the others of its array and by what its tolerance neglects, an
 * output by its terms. */
static int take_scales(struct outcome *o, const struct job *j) {
    struct accuracy *a = &o->accuracy;
    const struct trace *t = o->trace;
    int columns = t->columns, from = 0;
    double least = least_size(o, j);
    a->scale = malloc((2 * (size_t)columns + 1) * sizeof *a->scale);
    if (!a->scale) return memory_out(), -1;
    for (int first = 0, end = 0; first < columns; first = end) {
        double largest = 0;
        for (end = first; end < columns; end++) {
            if (end > first && !same_array(keel_sim_column(o->sim, first), keel_sim_column(o->sim, end)))
                break;
            largest = fmax(largest, fmax(t->largest[end], t->size[end]));
        }
        for (int i = first; i < end; i++) {
            double own = fmax(fmax(t->largest[i], t->size[i]), neglected(j) * largest);
            const char *name = keel_sim_column(o->sim, i);
            a->scale[i] = is_state(o, i) ? fmax(own, told_size(j, name, &from, least)) : own;
        }
    }
    take_units(o);
    return 0;
}

/* The largest, with its own relative number; 0: nothing was compared. */
static int take_errors(const struct outcome *o, const double *each, double factor, double t,
                       struct accuracy_errors *e) {
    int columns = o->trace->columns;
    *e = (struct accuracy_errors){.error = NAN, .relative = NAN, .t = t};
    e->each = malloc(((size_t)columns + 1) * sizeof *e->each);
    if (!e->each) return memory_out(), 0;
    for (int i = 0; i < columns; i++) {
        e->each[i] = factor * each[i];
        if (!isnan(each[i]) && !(e->error >= e->each[i])) e->error = e->each[i], e->worst = i;
    }
    if (isnan(e->error)) return free(e->each), e->each = NULL, 0;
    e->relative = o->accuracy.scale[e->worst] > 0 ? e->error / o->accuracy.scale[e->worst] : 0;
    return 1;
}

/* The largest error of a state by its scale. */
static double share_of(const struct outcome *o, const double *each) {
    double most = 0;
    for (int i = 0; i < o->trace->columns; i++)
        if (is_state(o, i) && each[i] > most * o->accuracy.scale[i]) most = each[i] / o->accuracy.scale[i];
    return most;
}

/* Reruns ------------------------------------------------------------------------------------------------- */

struct reruns {
    struct job *job;
    keel_options tight; /* of B */
    struct trial b;
    struct record rows; /* of B */
    long affordable;    /* steps */
    double length;      /* of the run */
    double way;         /* along which fixed steps are equal: the same, or as far as the clock went */
    int by_clock;
    double ratio; /* of steps, fixed ones; of tolerances */
    double blind; /* the share by which B differed before its steps were bounded; NAN: they were not */
    keel_defect scanned;
};

static double prime_from(double least) {
    for (long n = (long)fmin(least, 1e15) | 1;; n += 2) {
        long k = 3;
        while (k * k <= n && n % k) k += 2;
        if (k * k > n) return (double)n;
    }
}

/* Equal steps, `times` as many, and their number a prime: a period that is a whole number of the run's steps
 * is none of these. */
static double shorter_step(const struct reruns *r, double h, double times, double at_least) {
    double steps = ceil(r->way / h * (1 - 1e-12));
    return r->way / prime_from(fmax(times * steps + 1, at_least));
}

static double bounded(const struct reruns *r) {
    double steps = fmin(ACCURACY_PLACES, (double)r->affordable);
    return r->job->keel.max_step > 0 ? fmin(r->job->keel.max_step, r->length / steps) : r->length / steps;
}

static void plan(struct reruns *r) {
    const keel_options *o = &r->job->keel;
    double rtol = KEEL_VALUE(o, rtol);
    r->tight = *o;
    r->tight.defect_every = 0;
    r->tight.compensated = 1; /* of its many short steps no round-off is to be seen */
    r->blind = NAN;
    if (o->step > 0) {
        r->tight.step =
            fmin(shorter_step(r, o->step, 2, fmin(ACCURACY_PLACES, (double)r->affordable)), o->step / 2);
        if (o->reversible) r->tight.max_step = bounded(r);
        r->ratio = o->step / r->tight.step;
        return;
    }
    r->tight.rtol = fmin(fmax(rtol / 100, least_rtol), rtol);
    r->tight.atol *= r->tight.rtol / rtol;
    r->ratio = rtol / r->tight.rtol;
}

static int is_good(const struct trial *t) {
    return t->status == TRIAL_DONE || t->status == TRIAL_STOPPED;
}

static void run_b(struct outcome *o, struct reruns *r, long places) {
    trial_close(&r->b);
    record_close(&r->rows);
    trial_beside(&r->b, r->job, &r->tight, &o->accuracy.record, &r->rows, places);
    r->rows.scale = o->accuracy.record.scale;
}

/* Both ended at the same event, or at the same time: the ends belong together, too. */
static void add_ends(struct outcome *o, struct trial *again) {
    double t = keel_time(keel_sim_solver(o->sim)), *value = o->trace->value;
    keel_event_record one;
    long events = 0;
    while (keel_sim_event(o->sim, events, &one)) events++;
    int stopped = o->status == OUTCOME_STOPPED;
    if (stopped != (again->status == TRIAL_STOPPED) || events != again->end_events) return;
    if ((!stopped && again->end_t != t) || keel_sim_values(o->sim, value) != KEEL_OK) return;
    for (int i = 0; i < again->columns; i++) {
        double error = fabs(value[i] - again->end[i]);
        if (isnan(error)) continue;
        if (!(again->error >= error)) again->error = error, again->worst_t = t;
        again->each[i] = fmax(again->each[i], error);
    }
}

/* None of the errors is more than ten round-offs. */
static int is_round_off(const struct outcome *o, const double *each) {
    for (int i = 0; i < o->trace->columns; i++)
        if (each[i] > 10 * o->accuracy.unit[i]) return 0;
    return 1;
}

/* The tighter run, once more with short steps where it may be blind: one that differs by round-off alone may
 * have neglected the same.  0: there is none. */
static int find_b(struct outcome *o, struct reruns *r) {
    struct accuracy *a = &o->accuracy;
    int fixed = r->job->keel.step > 0;
    long places = (long)fmin(ACCURACY_PLACES, 4 * (double)r->affordable); /* one is cheaper than a step */
    run_b(o, r, fixed && !r->by_clock ? 0 : places);
    double part = r->length / (double)places / r->b.longest; /* by a clock nobody knew how long they are */
    if (fixed && r->by_clock && part < 1 && (double)r->b.stats.steps <= part * (double)r->affordable) {
        r->tight.step *= part;
        r->ratio /= part;
        run_b(o, r, places);
    }
    a->width = 2 * (!fixed        ? r->length / (double)places
                    : r->by_clock ? fmax(r->b.longest, r->length / (double)places)
                                  : fmax(r->tight.step, r->tight.max_step));
    if (!is_good(&r->b) || fixed) return is_good(&r->b);
    add_ends(o, &r->b);
    r->scanned = r->b.scanned;
    int same = is_round_off(o, r->b.each), unseen = r->scanned.samples == 0;
    if (!same && !unseen && r->scanned.largest <= scan_alarm && r->ratio >= 10) return 1;
    r->blind = share_of(o, r->b.each);
    r->tight.max_step = bounded(r);
    run_b(o, r, 0);
    if (is_good(&r->b)) add_ends(o, &r->b);
    return is_good(&r->b);
}

/* Do two runs that are both tighter part, too, and that soon?  Where errors grow like exp(t/T) a tenth of the
 * error parts by 2.3 T later, where they grow with a power of t at a multiple of the time: with rtol 1e-6 at
 * 1.25 times of it, and at 10 or, with t^2, 3.2 times. */
static int tighter_ones_part(struct reruns *r, double apart_t) {
    struct trial c;
    keel_options less = r->tight;
    double t0 = r->job->t0;
    if (less.step > 0) less.step = shorter_step(r, r->tight.step, 1.4, 0);
    else less.rtol *= fmax(r->ratio / 10, 2), less.atol *= fmax(r->ratio / 10, 2);
    trial_beside(&c, r->job, &less, &r->rows, NULL, 0);
    int stays = !isnan(c.other_t) || (!isnan(c.apart_t) && c.stays_apart);
    int soon = fabs(fmin(c.apart_t, c.other_t) - t0) < 2.5 * fabs(apart_t - t0);
    int part = is_good(&c) && stays && soon;
    trial_close(&c);
    return part;
}

/* What chaos leaves alone: both runs have the same sizes. */
static int look_alike(const struct outcome *o, const struct trial *b) {
    for (int i = 0; i < o->trace->columns; i++) {
        double one = o->trace->largest[i], other = b->largest[i];
        if (is_state(o, i) && fmax(one, other) > 0.01 * o->accuracy.scale[i] &&
            !(fmax(one, other) <= 2 * fmin(one, other)))
            return 0;
    }
    return 1;
}

static enum accuracy_finding find_reason(struct outcome *o, struct reruns *r) {
    struct accuracy *a = &o->accuracy;
    const struct trial *b = &r->b;
    double share = share_of(o, b->each), end = keel_time(keel_sim_solver(o->sim)), t0 = r->job->t0;
    double asked = KEEL_VALUE(&r->job->keel, rtol);
    double rows = (double)(a->record.count > 1 ? a->record.count - 1 : 1);
    a->apart_t = fmin(b->apart_t, b->other_t); /* of one that is a number */
    if (r->blind < 0.1 * share && share > ACCURACY_TOLERANCES * asked) {
        a->overstepped_t = r->scanned.largest > scan_alarm ? r->scanned.t : b->worst_t;
        a->longest = r->tight.max_step;
        return ACCURACY_OVERSTEPPED;
    }
    if (isnan(a->apart_t)) return ACCURACY_FINE;
    int early = fabs(a->apart_t - t0) <= 0.1 * fabs(end - t0) && share > 0.1;
    int at_once = fabs(a->apart_t - t0) <= 5 * fabs(end - t0) / rows;
    if (!tighter_ones_part(r, a->apart_t))
        return early ? ACCURACY_WRONG : isnan(b->other_t) ? ACCURACY_PARTS : ACCURACY_OTHER_EVENTS;
    return early && (at_once || !look_alike(o, b)) ? ACCURACY_WRONG : ACCURACY_CHAOS;
}

/* All of them below ten round-offs: then the bound is what is known. */
static void take_round_off(struct outcome *o, struct accuracy_errors *e) {
    struct accuracy *a = &o->accuracy;
    double bound = 0;
    int largest = 0;
    if (!is_round_off(o, e->each)) return;
    for (int i = 0; i < o->trace->columns; i++) {
        double ten = 10 * a->unit[i];
        if (!isnan(e->each[i]) && ten > bound) bound = ten, largest = i;
    }
    a->round_off = 1;
    e->error = bound;
    e->worst = largest;
    e->relative = a->scale[largest] > 0 ? bound / a->scale[largest] : 0;
}

static void estimate(struct outcome *o, struct job *j) {
    struct accuracy *a = &o->accuracy;
    double tries = (double)(o->stats.steps + o->stats.rejected + 1);
    double work = (double)(o->stats.calls + 1) / tries * (o->trace->columns + 1); /* of a step */
    struct reruns r = {.job = j, .length = fabs(j->t1 - j->t0), .affordable = LONG_MAX};
    keel_mode mode;
    r.by_clock = keel_model_mode(j->model, keel_model_start(j->model), &mode) && mode.problem->clock;
    r.way = r.by_clock ? (double)o->stats.steps * j->keel.step : r.length;
    if (accuracy_asked(j) == ACCURACY_AUTO) r.affordable = (long)fmax(free_work / work, 100);
    plan(&r);
    a->record.scale = malloc(((size_t)o->trace->columns + 1) * sizeof *a->record.scale);
    if (!a->record.scale) {
        a->record.scale = a->record.largest;
        memory_out();
        return;
    }
    for (int i = 0; i < o->trace->columns; i++) a->record.scale[i] = is_state(o, i) ? a->scale[i] : HUGE_VAL;
    a->unmeasured = "the tighter rerun failed";
    int good = find_b(o, &r);
    for (int i = 0; i < o->trace->columns && good; i++) /* less than one round-off nobody knows */
        if (r.b.each[i] < a->unit[i]) r.b.each[i] = a->unit[i];
    int nothing = good && !(r.b.error > 0) && r.b.stats.steps == o->stats.steps && o->stats.steps > 0;
    /* equal steps with an order of one at least, tolerances in proportion: the rest that B still errs by */
    if (nothing) a->cannot_tell = "the rerun takes the same steps and gives the same numbers";
    else if (good && take_errors(o, r.b.each, 1 / (1 - 1 / fmax(r.ratio, 2)), r.b.worst_t, &a->estimate)) {
        a->finding = find_reason(o, &r);
        if (a->finding == ACCURACY_FINE) take_round_off(o, &a->estimate);
    }
    trial_close(&r.b);
    record_close(&r.rows);
    free(a->record.scale);
    a->record.scale = a->record.largest;
}

/* The worst state: what is known where something is, else what was estimated. */
static void take_tolerances(struct outcome *o, const struct job *j) {
    struct accuracy *a = &o->accuracy;
    double rtol = KEEL_VALUE(&j->keel, rtol);
    a->share = NAN;
    for (int i = 0; i < o->trace->columns; i++) {
        double known = a->known.each ? a->known.each[i] : NAN;
        double guess = a->estimate.each ? a->estimate.each[i] : NAN;
        double error = a->yardstick == ACCURACY_EXACT && !isnan(known) ? known : fmax(known, guess);
        if (!is_state(o, i) || isnan(error) || !(a->scale[i] > 0)) continue;
        if (!(a->share >= error / a->scale[i])) a->share = error / a->scale[i], a->loose = i;
    }
    a->tolerances = j->keel.step > 0 ? NAN : a->share / rtol;
    a->defect = keel_defect_of(keel_sim_solver(o->sim));
}

/* The model tells no size, and its switching surfaces are told apart by those of the states alone. */
static int switches_without_sizes(const struct outcome *o, const struct job *j) {
    keel_mode mode;
    keel_surface surface;
    return keel_model_mode(j->model, keel_model_start(j->model), &mode) && !mode.problem->scale &&
           keel_sim_surface_at(o->sim, 0, &surface);
}

/* All states start at 0, they stay small, and what the default atol neglects is much of them.  Fixed steps
 * neglect nothing, but where a motion rests on a switching surface the same default says when it has left. */
static int lacks_sizes(const struct outcome *o, const struct job *j) {
    const struct accuracy *a = &o->accuracy;
    if (j->keel.step > 0) return a->reached > 0 && a->reached < 1e-6 && switches_without_sizes(o, j);
    int inaccurate = a->finding != ACCURACY_FINE || a->tolerances > ACCURACY_TOLERANCES;
    double largest = a->reached;
    for (int i = 0; a->estimate.each && i < o->trace->columns; i++) /* what the run missed may be large */
        if (is_state(o, i)) largest = fmax(largest, a->estimate.each[i]);
    return inaccurate && a->reached > 0 && largest < 1e-3;
}

void accuracy_measure(struct outcome *o, struct job *j) {
    struct accuracy *a = &o->accuracy;
    const struct trace *t = o->trace;
    a->yardstick = ACCURACY_NONE;
    enum accuracy_rerun asked = accuracy_asked(j);
    a->unmeasured = asked == ACCURACY_NO ? "as --accuracy no says" : "--accuracy yes does it";
    a->apart_t = a->share = a->tolerances = NAN;
    if (take_scales(o, j)) return;
    if (take_errors(o, t->worst, 1, t->worst_t, &a->known))
        a->yardstick = t->exacts ? ACCURACY_EXACT : ACCURACY_REFERENCE;
    if (a->record.largest && (asked == ACCURACY_YES || o->wall_s < 1)) {
        estimate(o, j);
        if (a->estimate.each && !a->known.each) a->yardstick = ACCURACY_RERUN;
        if (stop_asked()) {
            o->status = OUTCOME_INTERRUPTED;
            o->exit = stop_exit();
            text_set(o->message, sizeof o->message,
                     "while the accuracy was measured; the results are complete");
        }
    }
    take_tolerances(o, j);
    if (lacks_sizes(o, j)) a->finding = ACCURACY_SIZES;
}
