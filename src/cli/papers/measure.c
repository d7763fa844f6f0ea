/* measure.c - see measure.h. */
#include "cli/job/limit.h"
#include "cli/papers/measure.h"

#include "base/text.h"
#include "cli/compare/converge.h"
#include "cli/job/paper.h"
#include "cli/terminal/stop.h"
#include "cli/job/stabilizer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Words ------------------------------------------------------------------------------------------------- */

void measure_model(const char *model, char *out, size_t capacity) {
    text_set(out, capacity, "%s%s", paper_find(model, ".keel") ? PAPER_PREFIX : "", model);
}

int measure_words_open(struct measure_words *w, const char *model, const char *options,
                       const char *const *more) {
    size_t length = strlen(options) + strlen(model) + sizeof PAPER_PREFIX + 1;
    int extra = 0;
    while (more && more[extra]) extra++;
    *w = (struct measure_words){.text = malloc(length),
                                .word = malloc((strlen(options) + 3 + (size_t)extra) * sizeof(char *))};
    if (!w->text || !w->word) return -1;
    measure_model(model, w->text, length);
    w->word[w->count++] = w->text;
    char *to = w->text + strlen(w->text) + 1;
    for (const char *at = options; *at;) { /* quotes hold blanks */
        int quoted = 0;
        at += strspn(at, " \t");
        if (!*at) break;
        for (w->word[w->count++] = to; *at && (quoted || (*at != ' ' && *at != '\t')); at++) {
            if (*at == '"') quoted = !quoted;
            else *to++ = *at;
        }
        *to++ = '\0';
    }
    for (int k = 0; k < extra; k++) w->word[w->count++] = (char *)more[k];
    return 0;
}

void measure_words_close(struct measure_words *w) {
    free(w->text);
    free(w->word);
    *w = (struct measure_words){0};
}

/* What a line samples ----------------------------------------------------------------------------------- */

struct sample { /* one line of a run */
    struct claims_line *line;
    enum measure_place place;
    int index;
    double when;
    double *all; /* of a median */
    long count;
};
struct gauge {
    struct job job;
    keel_sim *sim;
    struct trace trace;
    struct sample *sample;
    int samples, every_step;
    double seconds;                /* of the processor, for the steps */
    double *value, *error, *drift; /* at the end */
};

static void refuse(struct claims *c, int run, const char *why) {
    for (int k = 0; k < c->lines; k++) {
        struct claims_line *line = &c->line[k];
        if (line->run != run || line->tried || line->measure == CLAIMS_VALUE) continue;
        line->tried = 1;
        line->value = NAN;
        text_set(line->said, sizeof line->said, "%.190s", why);
    }
}

enum measure_place measure_find(const keel_sim *sim, const char *name, int *index) {
    enum measure_place place = strncmp(name, "error.", 6) == 0   ? MEASURE_ERROR
                               : strncmp(name, "drift.", 6) == 0 ? MEASURE_DRIFT
                                                                 : MEASURE_COLUMN;
    if (place != MEASURE_COLUMN) name += 6;
    int count = place == MEASURE_DRIFT ? keel_sim_rows(sim) : keel_sim_columns(sim);
    for (*index = 0; *index < count; ++*index) {
        const char *own = place == MEASURE_DRIFT ? keel_sim_row(sim, *index) : keel_sim_column(sim, *index);
        if (strcmp(own, name) == 0) return place;
    }
    return MEASURE_NONE;
}

static int over_the_run(enum claims_measure m) {
    return m == CLAIMS_LARGEST || m == CLAIMS_LOW || m == CLAIMS_HIGH || m == CLAIMS_MEDIAN;
}

/* The largest drift of a row over all steps stands in the certificate, where rows are measured at all: nobody
 * need sample. */
static int in_certificate(const struct gauge *g, const struct sample *l) {
    return l->place == MEASURE_DRIFT && l->line->measure == CLAIMS_LARGEST &&
           stabilizer_measures(g->job.keel.method);
}

static int take_samples(struct gauge *g, struct claims *c, int run) {
    g->sample = calloc((size_t)c->lines + 1, sizeof *g->sample);
    if (!g->sample) return -1;
    for (int k = 0; k < c->lines; k++) {
        struct claims_line *line = &c->line[k];
        if (line->run != run || line->measure == CLAIMS_VALUE) continue;
        struct sample *l = &g->sample[g->samples++];
        *l = (struct sample){.line = line, .when = NAN};
        line->value = NAN;
        if (line->of) l->place = measure_find(g->sim, line->of, &l->index);
        if (line->of && l->place == MEASURE_NONE)
            text_set(line->said, sizeof line->said, "the run has no %.120s", line->of);
        if (line->when && !keel_model_number(g->job.model, line->when, &l->when))
            text_set(line->said, sizeof line->said, "%.190s", keel_model_refusal(g->job.model));
        g->every_step |= over_the_run(line->measure) && !in_certificate(g, l);
    }
    return 0;
}

/* Running ----------------------------------------------------------------------------------------------- */

static void observe(keel_solver *solver, void *sim) {
    struct gauge *g = keel_sim_attached(sim);
    (void)solver;
    if (g->trace.sim) trace_sample(&g->trace);
}

static int keep_for_median(struct sample *l, double value) {
    if (!(l->count & (l->count - 1))) {
        double *wider = realloc(l->all, (size_t)(l->count ? 2 * l->count : 1) * sizeof *wider);
        if (!wider) return -1;
        l->all = wider;
    }
    l->all[l->count++] = fabs(value);
    return 0;
}

static int sample_row(void *user, const struct trace_row *row) {
    struct gauge *g = user;
    for (int k = 0; k < g->samples; k++) {
        struct sample *l = &g->sample[k];
        enum claims_measure m = l->line->measure;
        if (!l->line->of || l->place == MEASURE_NONE) continue;
        const double *from = l->place == MEASURE_DRIFT   ? row->drift
                             : l->place == MEASURE_ERROR ? row->error
                                                         : row->value;
        double value = from[l->index], *best = &l->line->value;
        if (isnan(value)) continue;
        if (m == CLAIMS_AT && row->t == l->when) *best = value;
        if (m == CLAIMS_LARGEST) *best = fmax(*best, fabs(value)); /* the first one replaces NAN */
        if (m == CLAIMS_LOW) *best = fmin(*best, value);
        if (m == CLAIMS_HIGH) *best = fmax(*best, value);
        if (m == CLAIMS_MEDIAN && keep_for_median(l, value)) return memory_out(), -1;
    }
    return 0;
}

static int attach(struct gauge *g) {
    double *times = malloc(((size_t)g->samples + 1) * sizeof *times);
    long count = 0;
    for (int k = 0; k < g->samples && times; k++)
        if (!isnan(g->sample[k].when)) times[count++] = g->sample[k].when;
    for (long i = 1; times && i < count; i++) /* in the order of the run */
        for (long k = i; k > 0 && (times[k] - times[k - 1]) * (g->job.t1 - g->job.t0) < 0; k--) {
            double other = times[k];
            times[k] = times[k - 1], times[k - 1] = other;
        }
    int bad = !times || trace_open_at(&g->trace, &g->job, times, count) || trace_attach(&g->trace, g->sim);
    free(times);
    g->trace.every_step = g->every_step;
    if (!bad) trace_add(&g->trace, sample_row, g);
    return bad ? -1 : 0;
}

static keel_status go(struct gauge *g, int sampling, struct limit *limit) {
    double t1 = g->job.t1;
    keel_status status = KEEL_OK;
    if (sampling) trace_sample(&g->trace);
    while (status == KEEL_OK && keel_time(keel_sim_solver(g->sim)) != t1 && !stop_asked())
        status = limit_advance(limit, g->sim, sampling ? trace_wake(&g->trace) : t1, t1);
    return status;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double count_of(const keel_stats *s, enum claims_measure m) {
    return (double)(m == CLAIMS_STEPS         ? s->steps
                    : m == CLAIMS_EVALUATIONS ? s->calls
                    : m == CLAIMS_JACOBIANS   ? s->jacobians
                    : m == CLAIMS_FOLDS       ? s->unresolved
                                              : s->newton);
}

static void take_line(struct gauge *g, struct sample *l, const keel_stats *s) {
    struct claims_line *line = l->line;
    keel_row row;
    line->tried = 1;
    line->taken = s->steps;
    if (line->said[0]) return;
    if (!line->of) {
        line->value = line->measure == CLAIMS_REACHED   ? keel_time(keel_sim_solver(g->sim))
                      : line->measure == CLAIMS_SECONDS ? g->seconds
                                                        : count_of(s, line->measure);
        return;
    }
    if (l->place == MEASURE_DRIFT && keel_sim_row_at(g->sim, l->index, &row)) {
        line->size = row.unit / DBL_EPSILON;
        if (in_certificate(g, l)) line->value = row.drift;
    }
    if (line->measure == CLAIMS_END)
        line->value = l->place == MEASURE_DRIFT   ? g->drift[l->index]
                      : l->place == MEASURE_ERROR ? g->value[l->index] - g->error[l->index]
                                                  : g->value[l->index];
    if (line->kind != CLAIMS_LET && (line->measure == CLAIMS_END || line->measure == CLAIMS_AT))
        line->value = fabs(line->value); /* papers print sizes */
    if (line->measure == CLAIMS_MEDIAN && l->count) {
        qsort(l->all, (size_t)l->count, sizeof *l->all, ascending);
        line->value = l->all[l->count / 2];
    }
}

/* Only how far it came is known of a run that failed. */
static void take_failure(struct gauge *g, struct claims *c, int run, const char *why) {
    for (int k = 0; k < g->samples; k++) {
        struct claims_line *line = g->sample[k].line;
        if (line->measure != CLAIMS_REACHED) continue;
        line->value = keel_time(keel_sim_solver(g->sim));
        line->tried = 1;
    }
    refuse(c, run, why);
}

static int take_end(struct gauge *g) {
    size_t columns = (size_t)keel_sim_columns(g->sim), rows = (size_t)keel_sim_rows(g->sim);
    double now = keel_time(keel_sim_solver(g->sim));
    g->value = malloc((2 * columns + rows + 1) * sizeof *g->value);
    if (!g->value) return memory_out(), -1;
    g->error = g->value + columns, g->drift = g->error + columns;
    keel_status status = keel_sim_exact(g->sim, now, g->error);
    double at;
    for (int k = 0; status == KEEL_OK && keel_sim_reference(g->sim, k, &at, g->value); k++)
        for (size_t i = 0; i < columns && at == now; i++) /* trusted digits of the end */
            if (!isnan(g->value[i])) g->error[i] = g->value[i];
    if (status == KEEL_OK) status = keel_sim_sample(g->sim, now, g->value, g->drift);
    if (status == KEEL_ENOMEM) memory_out();
    return status != KEEL_OK;
}

static void gauge_run(struct gauge *g, struct claims *c, int run) {
    struct job *j = &g->job;
    keel_options o = j->keel;
    int sampling = 0;
    o.observe = observe;
    g->sim = keel_sim_open(j->model, &o);
    keel_solver *solver = keel_sim_solver(g->sim);
    if (!g->sim || !solver || keel_state_of(solver) < 0) {
        if (!g->sim || (solver && keel_state_of(solver) == KEEL_ENOMEM)) memory_out();
        refuse(c, run, memory_is_out() ? MEMORY_OUT : job_why(g->sim));
        return;
    }
    keel_sim_attach(g->sim, g);
    int bad = take_samples(g, c, run);
    for (int k = 0; k < g->samples; k++) sampling |= !isnan(g->sample[k].when);
    sampling |= g->every_step;
    if (sampling && !bad) bad = attach(g);
    keel_model_compile(j->model, 1); /* times are measured */
    clock_t began = clock();
    struct limit limit = limit_open(&o, g->sim, j->model);
    keel_status status = bad ? KEEL_ENOMEM : go(g, sampling, &limit);
    g->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (status == KEEL_ENOMEM) memory_out();
    if (memory_is_out()) refuse(c, run, MEMORY_OUT);
    else if (stop_asked()) refuse(c, run, "interrupted");
    else if (status < 0) take_failure(g, c, run, limit_why(&limit, g->sim, status, j->t1));
    else if (take_end(g))
        refuse(c, run, memory_is_out() ? MEMORY_OUT : "the end of the run cannot be looked at");
    else {
        keel_stats s = keel_statistics(keel_sim_solver(g->sim));
        for (int k = 0; k < g->samples; k++) take_line(g, &g->sample[k], &s);
    }
}

static void gauge_orders(struct gauge *g, struct claims *c, int run) {
    static struct converge levels;
    int bad = converge_run(&levels, &g->job) || stop_asked() || !levels.order;
    for (int k = 0; k < c->lines && !bad; k++) {
        struct claims_line *line = &c->line[k];
        if (line->run != run || line->measure == CLAIMS_VALUE) continue;
        line->tried = 1;
        line->value = NAN;
        text_set(line->said, sizeof line->said, "there is no order of %.120s", line->of);
        for (int i = 0; i < levels.columns; i++)
            if (strcmp(levels.name[i], line->of) == 0 && !isnan(levels.order[i]))
                line->value = levels.order[i], line->said[0] = '\0';
    }
    if (bad) refuse(c, run, stop_asked() ? "interrupted" : g->job.sentence);
    converge_close(&levels);
}

static void gauge_close(struct gauge *g) {
    trace_close(&g->trace);
    for (int k = 0; k < g->samples; k++) free(g->sample[k].all);
    free(g->sample);
    free(g->value);
    keel_sim_close(g->sim);
    job_close(&g->job);
}

void measure_run(struct claims *c, int run) {
    const struct claims_run *one = &c->run[run];
    static const char *const more[] = {"--json", NULL}; /* what is wrong is not told but kept */
    struct measure_words words;
    struct gauge g = {0};
    int bad = measure_words_open(&words, one->model, one->options, more);
    if (bad) memory_out();
    if (bad) refuse(c, run, MEMORY_OUT);
    else if (job_open(&g.job, one->converge ? COMMAND_CONVERGE : COMMAND_RUN, words.count, words.word))
        refuse(c, run, g.job.sentence);
    else if (one->converge) gauge_orders(&g, c, run);
    else gauge_run(&g, c, run);
    gauge_close(&g);
    measure_words_close(&words);
}

/* Values ------------------------------------------------------------------------------------------------ */

/* A model whose parameters are the lets of an item so far; expressions are what --tend can be, too. */
static keel_model *model_of_lets(const struct claims *c, int item, int before) {
    size_t capacity = 200 + (size_t)c->lines * 120;
    char *text = malloc(capacity);
    if (!text) return NULL;
    text_set(text, capacity, "var x\nx' = 0\ninit x = 0\nrun 0 .. 1\n");
    for (int k = 0; k < before; k++) {
        const struct claims_line *line = &c->line[k];
        if (line->kind == CLAIMS_LET && line->item == item && isfinite(line->value))
            text_add(text, capacity, "param %.60s = %.17g\n", line->name, line->value);
    }
    keel_model *m = keel_model_read("values", text, strlen(text), &(keel_model_options){.interpret = 1});
    free(text);
    return m;
}

/* Of the lets before that line.  0, or -1 with a sentence. */
static int value_of(const struct claims *c, int item, int before, const char *expression, double *value,
                    char *why, size_t capacity) {
    keel_model *m = model_of_lets(c, item, before);
    int bad = !m || keel_model_status(m) != KEEL_OK || !keel_model_number(m, expression, value);
    if (!m || keel_model_status(m) == KEEL_ENOMEM) memory_out();
    if (!m) text_set(why, capacity, MEMORY_OUT);
    else if (keel_model_status(m) != KEEL_OK) text_set(why, capacity, "%.190s", keel_model_message(m));
    else if (bad) text_set(why, capacity, "%.190s", keel_model_refusal(m));
    keel_model_close(m);
    if (bad) *value = NAN;
    return bad ? -1 : 0;
}

void measure_values(struct claims *c, int item) {
    for (int k = 0; k < c->lines; k++) {
        struct claims_line *line = &c->line[k];
        if (line->item != item || line->measure != CLAIMS_VALUE) continue;
        line->tried = 1;
        value_of(c, item, k, line->of, &line->value, line->said, sizeof line->said);
    }
}

int measure_value(const struct claims *c, int item, const char *expression, double *value, char *why,
                  size_t capacity) {
    return value_of(c, item, c->lines, expression, value, why, capacity);
}
