/* curve.c - see curve.h. */
#include "cli/papers/curve.h"

#include "base/text.h"
#include "cli/job/limit.h"
#include "cli/papers/measure.h"
#include "cli/terminal/stop.h"
#include "cli/run/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beside the places of a measure. */
enum { TIME = MEASURE_NONE + 1, NEWTON, EVALUATIONS };

struct spot {
    int place, index;
};
struct recorder {
    struct curve *curve;
    struct job job;
    keel_sim *sim;
    struct trace trace;
    struct spot *spot;
    double *row;
    long newton, evaluations; /* up to the last row */
};

int curve_add(struct curve *c, const double *row) {
    size_t width = (size_t)c->width;
    if (!(c->count & (c->count - 1))) { /* the room doubles at powers of two */
        double *wider = realloc(c->data, (size_t)(c->count ? 2 * c->count : 1) * (width + 1) * sizeof *wider);
        if (!wider) return -1;
        c->data = wider;
    }
    memcpy(c->data + (size_t)c->count++ * width, row, width * sizeof *row);
    return 0;
}

double curve_at(const struct curve *c, long row, int quantity) {
    return c->data[(size_t)row * (size_t)c->width + (size_t)quantity];
}

void curve_close(struct curve *c) {
    free(c->data);
    *c = (struct curve){0};
}

static struct spot find(const keel_sim *sim, const char *name) {
    struct spot s = {strcmp(name, "t") == 0 ? TIME : MEASURE_NONE, 0};
    if (s.place != TIME) s.place = (int)measure_find(sim, name, &s.index);
    if (s.place == MEASURE_NONE && strcmp(name, "newton") == 0) s.place = NEWTON;
    if (s.place == MEASURE_NONE && strcmp(name, "evaluations") == 0) s.place = EVALUATIONS;
    return s;
}

static void observe(keel_solver *solver, void *sim) {
    struct recorder *r = keel_sim_attached(sim);
    (void)solver;
    trace_sample(&r->trace);
}

static int take(void *user, const struct trace_row *row) {
    struct recorder *r = user;
    keel_stats now = keel_statistics(keel_sim_solver(r->sim));
    for (int k = 0; k < r->curve->width; k++) {
        int i = r->spot[k].index;
        switch (r->spot[k].place) {
        case TIME:
            r->row[k] = row->t;
            break;
        case MEASURE_COLUMN:
            r->row[k] = row->value[i];
            break;
        case MEASURE_ERROR:
            r->row[k] = row->error[i];
            break;
        case MEASURE_DRIFT:
            r->row[k] = row->drift[i];
            break;
        case NEWTON: /* the start is no step */
            r->row[k] = r->curve->count ? (double)(now.newton - r->newton) : NAN;
            break;
        case EVALUATIONS:
            r->row[k] = r->curve->count ? (double)(now.calls - r->evaluations) : NAN;
            break;
        default:
            r->row[k] = NAN;
        }
    }
    r->newton = now.newton, r->evaluations = now.calls;
    return curve_add(r->curve, r->row);
}

/* What can be had of a run that fails on its way is drawn. */
static int go(struct recorder *r, int names, char *const *name, char *why, size_t capacity) {
    struct job *j = &r->job;
    keel_status status = KEEL_OK;
    j->keel.observe = observe;
    r->sim = keel_sim_open(j->model, &j->keel);
    if (!r->sim || !keel_sim_solver(r->sim) || keel_state_of(keel_sim_solver(r->sim)) < 0) {
        int starved =
            !r->sim || (keel_sim_solver(r->sim) && keel_state_of(keel_sim_solver(r->sim)) == KEEL_ENOMEM);
        if (starved) memory_out();
        text_set(why, capacity, "%s", starved ? MEMORY_OUT : job_why(r->sim));
        return -1;
    }
    keel_sim_attach(r->sim, r);
    r->curve->width = names;
    r->spot = malloc(((size_t)names + 1) * sizeof *r->spot);
    r->row = malloc(((size_t)names + 1) * sizeof *r->row);
    if (!r->spot || !r->row || trace_open_at(&r->trace, j, NULL, 0) || trace_attach(&r->trace, r->sim)) {
        memory_out();
        text_set(why, capacity, MEMORY_OUT);
        return -1;
    }
    r->trace.every_step = 1;
    trace_add(&r->trace, take, r);
    for (int k = 0; k < names; k++) r->spot[k] = find(r->sim, name[k]);
    trace_sample(&r->trace);
    struct limit limit = limit_open(&j->keel, r->sim, j->model);
    while (status == KEEL_OK && keel_time(keel_sim_solver(r->sim)) != j->t1 && !stop_asked() &&
           !r->trace.failed)
        status = limit_advance(&limit, r->sim, trace_wake(&r->trace), j->t1);
    if (status == KEEL_ENOMEM || r->trace.failed) memory_out();
    return memory_is_out() ? text_set(why, capacity, MEMORY_OUT), -1 : 0;
}

int curve_run(struct curve *c, const char *model, const char *options, int names, char *const *name,
              char *why, size_t capacity) {
    static const char *const more[] = {"--json", NULL}; /* what is wrong is not told but kept */
    struct measure_words words;
    struct recorder r = {.curve = c};
    *c = (struct curve){0};
    int bad = measure_words_open(&words, model, options, more);
    if (bad) memory_out();
    if (bad) text_set(why, capacity, MEMORY_OUT);
    else if (job_open(&r.job, COMMAND_RUN, words.count, words.word)) {
        bad = -1;
        text_set(why, capacity, "%s", r.job.sentence);
    } else bad = go(&r, names, name, why, capacity);
    trace_close(&r.trace);
    free(r.spot);
    free(r.row);
    keel_sim_close(r.sim);
    job_close(&r.job);
    measure_words_close(&words);
    return bad;
}
