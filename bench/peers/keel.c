/* keel.c - keel, with the problem written in C or as a model.
 *
 * What keel verifies when a problem is opened, it verifies once; a run begins with keel_restart.  Models
 * begin where the C problems do, to the last bit, and without their events. */
#include "bench.h"
#include "peers/peer.h"

#include <string.h>

struct opened {
    const struct bench_case *c;
    keel_problem p;
    keel_solver *s;
};

int peer_model_interpret = 0;

/* The model that was loaded last: a row opens it for every run. */
static struct {
    keel_model *model;
    const char *case_name, *method;
} last;

static const keel_problem *load(const struct bench_case *c, const char *method) {
    if (!last.model || last.case_name != c->name || strcmp(method, last.method) != 0) {
        keel_model_close(last.model);
        last.model = case_model(c, method, peer_model_interpret);
        last.case_name = c->name;
        last.method = method;
    }
    const keel_problem *p = bench_problem(last.model);
    if (!p) fprintf(stderr, "%s", keel_model_message(last.model));
    return p;
}

static keel_solver *open_solver(struct opened *o, const struct peer_row *row, double setting) {
    char pair[64];
    snprintf(pair, sizeof pair, "%s+%s", row->method, row->stabilizer);
    keel_options options = {
        .method = pair, .compensated = row->compensated, .max_steps = row->order ? 0 : o->c->most};
    if (row->order) options.step = (o->c->t_end - o->p.t0) / (double)(long)setting;
    else options.rtol = setting;
    keel_solver *s = keel_open(&o->p, &options);
    if (keel_state_of(s) >= 0) return s;
    keel_close(s);
    return NULL;
}

static void *open_problem(const struct bench_case *c, const keel_problem *p, const struct peer_row *row,
                          double setting) {
    struct opened *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->c = c;
    o->p = *p;
    o->p.u0 = c->keel->u0;
    o->p.event = (keel_map){0};
    if (row->no_energy) o->p.energy = (keel_map){0};
    o->s = open_solver(o, row, setting);
    if (o->s) return o;
    free(o);
    return NULL;
}

static void close_keel(void *opened) {
    struct opened *o = opened;
    keel_close(o->s);
    free(o);
}

static void *open_keel(const struct bench_case *c, const struct peer_row *row, double setting) {
    return open_problem(c, c->keel, row, setting);
}

static void *open_model(const struct bench_case *c, const struct peer_row *row, double setting) {
    const keel_problem *p = c->model ? load(c, row->method) : NULL;
    return p ? open_problem(c, p, row, setting) : NULL;
}

static int run_keel(void *opened, struct peer_run *r) {
    struct opened *o = opened;
    keel_stats before = keel_statistics(o->s);
    keel_status status = keel_restart(o->s, o->p.t0, o->p.u0);
    if (r->observe) {
        r->observe(r->to, o->p.t0, o->p.u0);
        while (status >= 0 && keel_time(o->s) < o->c->t_end) {
            status = keel_step(o->s, o->c->t_end);
            r->observe(r->to, keel_time(o->s), keel_state(o->s));
        }
    } else if (status >= 0) status = keel_run(o->s, o->c->t_end);
    keel_stats after = keel_statistics(o->s);
    memcpy(r->u, keel_state(o->s), (size_t)o->p.n * sizeof *r->u);
    r->steps = after.steps - before.steps;
    r->evaluations = after.calls - before.calls;
    if (r->observe) r->bytes = (double)keel_save(o->s, NULL, 0);
    return status;
}

const struct peer peer_keel = {"keel", open_keel, run_keel, close_keel};
const struct peer peer_model = {"keel model", open_model, run_keel, close_keel};
