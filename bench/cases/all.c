/* all.c - the courses in the order of the table, and what all of them do in the same way. */
#include "bench.h"
#include "courses/course.h"

#include <string.h>

int course_at(int i, struct course *c) {
    switch (i) {
    case 0:
        course_rigid_body(c);
        return 1;
    case 1:
        course_kepler_steps(c);
        return 1;
    case 2:
        course_kepler(c, 25);
        return 1;
    case 3:
        course_kepler(c, 1000);
        return 1;
    case 4:
        course_henon_heiles(c);
        return 1;
    case 5:
        course_pendulum(c, 10.3);
        return 1;
    case 6:
        course_pendulum(c, 1000.3);
        return 1;
    case 7:
        course_andrews(c);
        return 1;
    case 8:
        course_chain(c, 10);
        return 1;
    case 9:
        course_chain(c, 100);
        return 1;
    case 10:
        course_chain(c, 1000);
        return 1;
    case 11:
        course_chain(c, 10000);
        return 1;
    }
    return 0;
}

int course_open(struct course *c) {
    return c->open ? c->open(c) : 0;
}

void course_close(struct course *c) {
    if (c->close) c->close(c);
}

keel_model *course_model(const struct course *c, const char *method, int interpret) {
    keel_model_options how = {
        .method = method, .interpret = interpret, .set = &c->set, .sets = c->set != NULL};
    return c->text ? keel_model_read(c->model, c->text, strlen(c->text), &how) : bench_load(c->model, &how);
}

/* Steps by hand begin where the course does. */
static void march(const struct course *c, double *u) {
    static volatile double result;
    c->hand->fixed(u, c->unit_step, c->units, c->user);
    result = u[0];
    (void)result;
}

double course_unit(const struct course *c) {
    size_t bytes = (size_t)c->keel->n * sizeof(double);
    double *u = malloc(bytes);
    if (!u) bench_stop("there is no memory");
    memcpy(u, c->keel->u0, bytes);
    double begin = bench_seconds();
    if (c->work) c->work(c->units);
    else march(c, u);
    double took = bench_seconds() - begin;
    free(u);
    return took / (double)c->units;
}
