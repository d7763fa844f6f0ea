/* converge.c - see converge.h. */
#include "cli/compare/converge.h"

#include "base/text.h"
#include "cli/terminal/stop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1000, LEVELS = 6, FINER = 4 };

/* Orders ------------------------------------------------------------------------------------------------ */

/* Errors e(2h), e(h) against a run with step h/m show C ((2h)^p - (h/m)^p) and C (h^p - (h/m)^p), so their
 * quotient is ((2m)^p - 1) / (m^p - 1); against the truth (m = 0) it is 2^p. */
static double order_of(double quotient, double m) {
    double low = 1e-3, high = 40;
    if (m == 0 || !(quotient > log(2 * m) / log(m))) return log2(quotient);
    for (int k = 0; k < 60; k++) {
        double p = (low + high) / 2;
        if ((pow(2 * m, p) - 1) / (pow(m, p) - 1) < quotient) low = p;
        else high = p;
    }
    return (low + high) / 2;
}

static double error_of(const struct converge *c, int level, int column) {
    const struct trial *r = &c->level[level].trial;
    int ran = r->status == TRIAL_DONE || r->status == TRIAL_STOPPED;
    return ran && r->each ? r->each[column] : NAN;
}

/* Is an error within 100 round-offs of the quantity, or small and not falling by half the method's order? */
static int looks_like_floor(const struct converge *c, int level, int column, double local) {
    static const double small = 1e-8;
    const struct trial *r = &c->level[level].trial;
    double error = error_of(c, level, column), size = r->largest ? r->largest[column] : 0;
    if (error <= 100 * DBL_EPSILON * size) return 1;
    return error <= small * size && local < 0.5 * c->method_order;
}

/* The floor is where all finer levels look like it: one that does so alone is an accident of signs.  The
 * order is that of the finest two levels ten times above the floor, or above it at all. */
static void find_order(struct converge *c, int column) {
    double highest = 0, near = NAN, *order = &c->order[column];
    int below = 1;
    *order = NAN;
    for (int k = c->levels - 1; k >= 0; k--) {
        size_t at = (size_t)k * (size_t)c->columns + (size_t)column;
        double error = error_of(c, k, column), before = k ? error_of(c, k - 1, column) : NAN;
        double ratio = c->finest > 0 ? c->level[k].step / c->finest : 0, *local = &c->local[at];
        *local = error > 0 && before > 0 ? order_of(before / error, ratio) : NAN;
        below = below && looks_like_floor(c, k, column, *local);
        c->at_floor[at] = (unsigned char)below;
        c->floor_met[column] |= (unsigned char)below;
        if (below) highest = fmax(highest, error);
        else if (isnan(near)) near = *local;
        if (!below && isnan(*order) && error > 10 * highest) *order = *local;
    }
    if (isnan(*order)) *order = near;
}

static int control_all(struct converge *c, struct job *j) {
    const struct trial *r = NULL;
    for (int k = 0; k < c->levels && !r; k++)
        if (c->level[k].trial.each) r = &c->level[k].trial;
    if (!r) return job_fail(j, EXIT_FAILED, "%s", c->level[0].trial.message);
    c->columns = r->columns;
    c->name = r->name;
    size_t columns = (size_t)c->columns, all = columns * (size_t)c->levels;
    c->local = malloc((all + columns + 1) * sizeof *c->local);
    c->at_floor = calloc(all + columns + 1, 1);
    if (!c->local || !c->at_floor) return job_no_memory(j);
    c->order = c->local + all;
    c->floor_met = c->at_floor + all;
    for (int i = 0; i < c->columns; i++) find_order(c, i);
    return 0;
}

/* Running ----------------------------------------------------------------------------------------------- */

/* Output times are points of the coarsest grid, hence of all: what is between steps plays no part. */
static double *grid(const struct job *j, long *count) {
    double h = j->keel.step, length = fabs(j->t1 - j->t0), sign = j->t1 > j->t0 ? 1 : -1;
    long steps = (long)fmin(floor(length / h * (1 + 8 * DBL_EPSILON)), 1e15);
    long apart = steps / POINTS + 1;
    double *times = malloc((POINTS + 3) * sizeof *times);
    *count = 0;
    if (!times) return NULL;
    for (long k = 0; k <= steps && (double)k * h < length * (1 - 8 * DBL_EPSILON); k += apart)
        times[(*count)++] = j->t0 + sign * ((double)k * h);
    times[(*count)++] = j->t1;
    return times;
}

static int order_of_method(const char *name) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        if (strcmp(m->name, name) == 0) return m->order;
    return 1;
}

int converge_run(struct converge *c, struct job *j) {
    const char *levels = option_text(&j->options, opt_levels);
    long count = 0, wanted = levels ? atol(levels) : LEVELS;
    keel_options o = j->keel;
    int given = j->keel.order > 0 ? j->keel.order : order_of_method(j->method);
    *c = (struct converge){.method_order = given};
    if (wanted < 2 || wanted > CONVERGE_MOST)
        return job_fail(j, EXIT_USAGE, "--levels must lie between 2 and %d, it is %ld", CONVERGE_MOST,
                        wanted);
    if (!(o.step > 0) || o.step > fabs(j->t1 - j->t0))
        return job_fail(j, EXIT_USAGE, "--step %g is longer than the run, %g .. %g", o.step, j->t0, j->t1);
    double *times = grid(j, &count);
    o.step = ldexp(j->keel.step, -(int)(wanted - 1)) / FINER;
    if (yardstick_open(&c->yardstick, j, times, count, &o, NULL)) return j->status;
    if (c->yardstick.kind == YARDSTICK_RERUN) c->finest = o.step;
    if (c->yardstick.kind == YARDSTICK_NONE && !stop_asked())
        return job_fail(j, EXIT_FAILED, "the yardstick, step %g: %s", o.step, c->yardstick.about);
    for (c->levels = 0; c->levels < wanted && !stop_asked(); c->levels++) {
        struct converge_level *level = &c->level[c->levels];
        o.step = level->step = ldexp(j->keel.step, -c->levels);
        trial_run(&level->trial, j, &o, &c->yardstick, NULL, 0);
        if (level->trial.stabilizer[0])
            text_set(j->stabilizer, sizeof j->stabilizer, "%s", level->trial.stabilizer);
    }
    if (memory_is_out()) return job_no_memory(j); /* a level may lack its arrays */
    return c->levels ? control_all(c, j) : 0;
}

const struct missing *converge_missing(const struct converge *c) {
    for (int k = 0; k < c->levels; k++)
        if (c->level[k].trial.missing.count) return &c->level[k].trial.missing;
    return NULL;
}

void converge_close(struct converge *c) {
    for (int k = 0; k < c->levels; k++) trial_close(&c->level[k].trial);
    yardstick_close(&c->yardstick);
    free(c->local);
    free(c->at_floor);
    *c = (struct converge){0};
}
