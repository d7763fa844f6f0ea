/* all.c - the cases in the order of the table, and what all of them do in the same way. */
#include "bench.h"
#include "cases/case.h"

#include <string.h>

int case_at(int i, struct bench_case *c) {
    switch (i) {
    case 0:
        case_rigid_body(c);
        return 1;
    case 1:
        case_kepler_steps(c);
        return 1;
    case 2:
        case_kepler(c, 25);
        return 1;
    case 3:
        case_kepler(c, 1000);
        return 1;
    case 4:
        case_henon_heiles(c);
        return 1;
    case 5:
        case_pendulum(c, 10.3);
        return 1;
    case 6:
        case_pendulum(c, 1000.3);
        return 1;
    case 7:
        case_andrews(c);
        return 1;
    case 8:
        case_chain(c, 10);
        return 1;
    case 9:
        case_chain(c, 100);
        return 1;
    case 10:
        case_chain(c, 1000);
        return 1;
    case 11:
        case_chain(c, 10000);
        return 1;
    }
    return 0;
}

int case_open(struct bench_case *c) {
    return c->open ? c->open(c) : 0;
}

void case_close(struct bench_case *c) {
    if (c->close) c->close(c);
}

keel_model *case_model(const struct bench_case *c, const char *method, int interpret) {
    keel_model_options how = {
        .method = method, .interpret = interpret, .set = &c->set, .sets = c->set != NULL};
    return c->text ? keel_model_read(c->model, c->text, strlen(c->text), &how) : bench_load(c->model, &how);
}

/* Steps by hand begin where the case does. */
static void fixed_steps(const struct bench_case *c, double *u) {
    static volatile double result;
    c->hand->fixed(u, c->unit_step, c->units, c->user);
    result = u[0];
    (void)result;
}

double case_unit(const struct bench_case *c) {
    size_t bytes = c->work ? 0 : (size_t)c->keel->n * sizeof(double);
    double *u = malloc(bytes + 1);
    if (!u) bench_stop("there is no memory");
    if (!c->work) memcpy(u, c->keel->u0, bytes);
    double begin = bench_seconds();
    if (c->work) c->work(c->units);
    else fixed_steps(c, u);
    double took = bench_seconds() - begin;
    free(u);
    return took / (double)c->units;
}
