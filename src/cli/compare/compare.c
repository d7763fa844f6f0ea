/* compare.c - see compare.h. */
#include "cli/compare/compare.h"

#include "base/text.h"
#include "cli/job/field.h"
#include "cli/terminal/stop.h"

#include <keel/method.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1000, PROBE = 8 };
/* As many steps as the library allows by default with error control. */
static const long most_steps = 10000000;
static const double tight_rtol = 1e-13, less_rtol = 1e-12;

static void options_of(struct job *j, const struct compare_row *row, char *pair, keel_options *o) {
    job_settle(j, row->method, row->stabilizer, pair, o);
    o->step = row->step;
    o->rtol = row->rtol;
    if (row->step > 0) o->atol = 0;
}

/* Steps of comparable cost ------------------------------------------------------------------------------ */

/* Evaluations per step: what the steps 9 to 16 of a short run cost. */
static double cost_of_step(struct job *j, const struct compare_row *row) {
    char pair[JOB_PAIR];
    keel_options o;
    double cost = NAN;
    options_of(j, row, pair, &o);
    o.step = fabs(j->t1 - j->t0) / POINTS;
    keel_sim *sim = keel_sim_open(j->model, &o);
    if (keel_sim_solver(sim) && keel_state_of(keel_sim_solver(sim)) >= 0) {
        keel_status status = KEEL_OK;
        long calls = 0;
        for (int k = 0; k < 2 * PROBE && status == KEEL_OK; k++) {
            if (k == PROBE) calls = keel_statistics(keel_sim_solver(sim)).calls;
            status = keel_sim_step(sim, j->t1);
        }
        if (status == KEEL_OK) cost = (double)(keel_statistics(keel_sim_solver(sim)).calls - calls) / PROBE;
    }
    keel_sim_close(sim);
    return cost >= 1 ? cost : 1;
}

enum { FEWEST_STEPS = 10 };

/* The span in a number of equal steps that has two digits and costs as much as `evaluations`. */
static double step_of_cost(struct job *j, double cost, double evaluations) {
    double steps = fmax(evaluations / cost, FEWEST_STEPS);
    double digit = pow(10, floor(log10(steps)) - 1);
    return fabs(j->t1 - j->t0) / (round(steps / digit) * digit);
}

/* Neither step nor tolerance: a method without error control. */
static int waits(const struct compare_row *row) {
    return row->step == 0 && row->rtol == 0;
}

/* Rows that need a step and were given none get one, measured by the first row with error control.  A method
 * that nobody has asked for is left out where its fewest steps cost much more than that. */
static void take_steps(struct compare *c, struct job *j) {
    double evaluations = 0;
    for (int i = 0; i < c->count && evaluations == 0; i++)
        if (c->row[i].rtol > 0 && c->row[i].status == TRIAL_DONE) evaluations = (double)c->row[i].evaluations;
    if (evaluations == 0) evaluations = 4.0 * POINTS;
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        struct compare_row row = c->row[i];
        if (waits(&row) && !stop_asked()) {
            double cost = cost_of_step(j, &row);
            if (c->automatic && FEWEST_STEPS * cost > 2 * evaluations) continue;
            row.step = step_of_cost(j, cost, evaluations);
        }
        c->row[kept++] = row;
    }
    c->count = kept;
}

/* Running ----------------------------------------------------------------------------------------------- */

static void run_row(struct compare *c, struct job *j, struct compare_row *row) {
    struct trial r;
    char pair[JOB_PAIR];
    keel_options o;
    long most = row->step > 0 ? 0 : most_steps;
    options_of(j, row, pair, &o);
    trial_run(&r, j, &o, &c->yardstick, NULL, most);
    row->status = r.status;
    text_set(row->message, sizeof row->message, "%s", r.message);
    if (r.status != TRIAL_REFUSED) {
        text_set(row->stabilizer, sizeof row->stabilizer, "%s", r.stabilizer);
        row->max_drift = r.drift;
        row->scaled_drift = r.units;
        row->wall_s = r.wall_s;
    }
    if (r.status == TRIAL_DONE || r.status == TRIAL_STOPPED) {
        if (c->yardstick.kind != YARDSTICK_NONE) row->error = r.error;
        trial_cost(j, &o, most, &row->wall_s, &r.stats);
    }
    row->steps = r.stats.steps;
    row->evaluations = r.stats.calls;
    row->jacobians = r.stats.jacobians;
    if (!c->missing.count && r.missing.count) {
        missing_close(&c->missing);
        c->missing = r.missing;
        r.missing = (struct missing){0};
    }
    trial_close(&r);
}

static int open_yardstick(struct compare *c, struct job *j) {
    keel_options tight = j->keel, less;
    double *times = malloc(POINTS * sizeof *times);
    for (int k = 0; k < POINTS && times; k++)
        times[k] = k == POINTS - 1 ? j->t1 : j->t0 + (double)k / (POINTS - 1) * (j->t1 - j->t0);
    tight.method = "dop853";
    field_settle(&tight, tight.method, "auto");
    tight.step = tight.atol = tight.reversible = 0;
    tight.rtol = tight_rtol;
    double longest = fabs(j->t1 - j->t0) / 4000; /* what is wider than two of these is not overlooked */
    tight.max_step = tight.max_step > 0 ? fmin(tight.max_step, longest) : longest;
    less = tight;
    less.rtol = less_rtol;
    less.max_step = fmin(2 * longest, j->keel.max_step > 0 ? j->keel.max_step : HUGE_VAL);
    return yardstick_open(&c->yardstick, j, times, POINTS, &tight, &less);
}

/* First the rows that know their step or tolerance; what they cost tells the others theirs. */
int compare_run(struct compare *c, struct job *j) {
    if (open_yardstick(c, j)) return j->status;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) take_steps(c, j);
        for (int i = 0; i < c->count; i++) {
            struct compare_row *row = &c->row[i];
            if (row->tried || (waits(row) && !stop_asked())) continue;
            row->tried = 1;
            if (stop_asked()) row->status = TRIAL_INTERRUPTED;
            else run_row(c, j, row);
        }
    }
    return 0;
}

static int ended(const struct compare_row *row) {
    return (row->status == TRIAL_DONE || row->status == TRIAL_STOPPED) && !isnan(row->error);
}

void compare_mark_best(struct compare *c) {
    struct compare_row *best = NULL;
    double least = INFINITY, floor_of = c->yardstick.own > 0 ? c->yardstick.own : 0;
    if (!isnan(c->yardstick.apart_t)) return;
    for (int i = 0; i < c->count; i++)
        if (ended(&c->row[i])) least = fmin(least, fmax(c->row[i].error, floor_of));
    for (int i = 0; i < c->count; i++) {
        struct compare_row *row = &c->row[i];
        if (ended(row) && row->error <= 2 * least && (!best || row->wall_s < best->wall_s)) best = row;
    }
    if (best) best->best = 1;
}

void compare_close(struct compare *c) {
    free(c->row);
    missing_close(&c->missing);
    yardstick_close(&c->yardstick);
    *c = (struct compare){0};
}
