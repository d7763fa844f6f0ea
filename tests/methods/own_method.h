/* own_method.h - native constrained methods as someone outside the library would write them: this file sees
 * public headers alone, and tests/user/native.c compiles it against an installation. */
#ifndef KEEL_TESTS_OWN_METHOD_H
#define KEEL_TESTS_OWN_METHOD_H

#include <keel/native.h>

#include <float.h>
#include <math.h>
#include <string.h>

struct own_method {
    double *mass;           /* a factor of M, where M depends on q */
    double *force, *v, *dq; /* nq */
    double *x;              /* width: the end of the step */
    double *c, *d;          /* k: residuals; nq: a correction */
};

static const char *own_refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    return keel_problem_traits(p) & KEEL_SECOND_ORDER ? NULL : "it is for mechanics, M v' = F - K^T lambda";
}

static void own_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct own_method *m = (struct own_method *)w->method;
    size_t nq = (size_t)p->n / 2;
    m->mass = keel_work_doubles(w, keel_native_mass_doubles(p));
    m->force = keel_work_doubles(w, nq);
    m->v = keel_work_doubles(w, nq);
    m->dq = keel_work_doubles(w, nq);
    m->x = keel_work_doubles(w, (size_t)w->width);
    m->c = keel_work_doubles(w, (size_t)(p->constraint.count + p->rolling.count));
    m->d = keel_work_doubles(w, nq);
}

/* M^-1 F at (t, x). */
static keel_status own_acceleration(keel_work *w, double t, const double *x) {
    struct own_method *m = (struct own_method *)w->method;
    w->calls++;
    keel_status status = keel_native_value(w, KEEL_MAP_F, t, x, m->force);
    if (status == KEEL_OK) status = keel_native_mass_factor(w, t, x, m->mass);
    if (status == KEEL_OK) keel_native_mass_solve(w, m->mass, m->force);
    return status;
}

/* q1 = q + h v with g(t + h, q1) = 0, v moved along M^-1 K(q)^T: simplified Newton, until it rests. */
static keel_status own_positions(keel_work *w, const keel_attempt *a) {
    const keel_native *f = w->native;
    struct own_method *m = (struct own_method *)w->method;
    double before = HUGE_VAL;
    keel_status status = keel_native_factor(w, a->t, a->x);
    for (int round = 0; round < 50 && status == KEEL_OK; round++) {
        double size = DBL_MIN, moved = 0;
        for (int j = 0; j < f->nq; j++) {
            m->dq[j] = a->h * m->v[j];
            m->x[j] = a->x[j] + m->dq[j];
            size = fmax(size, fabs(m->x[j]));
        }
        if (f->kg == 0) return KEEL_OK;
        status = keel_native_value(w, KEEL_MAP_CONSTRAINT, a->t + a->h, m->x, m->c);
        if (status != KEEL_OK) return status;
        for (int i = f->kg; i < f->k; i++) m->c[i] = 0;
        keel_native_correct(w, m->c, m->d);
        keel_work_count(w, 0, 1);
        for (int j = 0; j < f->nq; j++) moved = fmax(moved, fabs(m->d[j]));
        if (moved == 0 || (moved > 0.5 * before && moved < 1e-12 * size)) return KEEL_OK;
        if (!(moved < 1e6 * size)) break;
        before = moved;
        for (int j = 0; j < f->nq; j++) m->v[j] -= m->d[j] / a->h;
    }
    if (status != KEEL_OK) return status;
    return keel_native_fail(w, KEEL_ENEWTON, "%s: no position on the constraints was found from t = %.10g",
                            w->stepper->info.name, a->t);
}

/* v1 with K(q1) v1 = what the velocity rows ask for; then the increment. */
static keel_status own_velocities(keel_work *w, keel_attempt *a) {
    const keel_native *f = w->native;
    struct own_method *m = (struct own_method *)w->method;
    double t = a->t + a->h, *v = m->x + f->nq;
    for (int j = 0; j < f->nq; j++) a->dx[j] = m->dq[j];
    for (int j = 0; j < f->nq; j++) v[j] = m->v[j];
    keel_status status = f->k ? keel_native_factor(w, t, m->x) : KEEL_OK;
    for (int round = 0; round < 2 && f->k && status == KEEL_OK; round++) { /* the second for round-off */
        status = keel_native_velocity_rows(w, t, m->x, m->c);
        if (status == KEEL_OK) keel_native_correct(w, m->c, m->d);
        for (int j = 0; j < f->nq && status == KEEL_OK; j++) v[j] -= m->d[j];
    }
    for (int j = 0; j < f->nq; j++) a->dx[f->nq + j] = v[j] - a->x[f->nq + j];
    return status;
}

/* v1 = v + h M^-1 F, q1 = q + h v1, each brought to its rows: order 1, for any forces, masses and rows. */
static keel_status own_euler(keel_work *w, keel_attempt *a) {
    struct own_method *m = (struct own_method *)w->method;
    int nq = w->native->nq;
    keel_status status = own_acceleration(w, a->t, a->x);
    for (int j = 0; j < nq; j++) m->v[j] = a->x[nq + j] + a->h * m->force[j];
    if (status == KEEL_OK) status = own_positions(w, a);
    return status == KEEL_OK ? own_velocities(w, a) : status;
}

/* RATTLE: half a kick, the positions, half a kick, the velocities.  Order 2 for F(t, q) and a constant M. */
static keel_status own_rattle(keel_work *w, keel_attempt *a) {
    struct own_method *m = (struct own_method *)w->method;
    int nq = w->native->nq;
    keel_status status = own_acceleration(w, a->t, a->x);
    for (int j = 0; j < nq; j++) m->v[j] = a->x[nq + j] + 0.5 * a->h * m->force[j];
    if (status == KEEL_OK) status = own_positions(w, a);
    for (int j = 0; j < nq; j++) m->x[nq + j] = m->v[j];
    if (status == KEEL_OK) status = own_acceleration(w, a->t + a->h, m->x);
    for (int j = 0; j < nq; j++) m->v[j] += 0.5 * a->h * m->force[j];
    return status == KEEL_OK ? own_velocities(w, a) : status;
}

static inline keel_stepper own_stepper(const char *name, int order,
                                       keel_status (*attempt)(keel_work *w, keel_attempt *a)) {
    keel_stepper s;
    memset(&s, 0, sizeof s);
    s.info.name = name;
    s.info.about = "a native method from outside";
    s.info.order = order;
    s.info.traits = KEEL_IMPLICIT | KEEL_CONSTRAINED;
    s.no_rhs = 1;
    s.size = sizeof(struct own_method);
    s.refuse = own_refuse;
    s.layout = own_layout;
    s.attempt = attempt;
    return s;
}
#endif
