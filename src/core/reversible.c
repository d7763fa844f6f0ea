/* reversible.c - step sizes that depend on where the solution is, and run back as they ran there.
 *
 * With a step density rho and h = eps / rho, the integrating controller of Hairer and Soderlind (SIAM J. Sci.
 * Comput. 26, 2005) changes rho only at the nodes, by a number that the node alone decides:
 *
 *     rho_{n+1/2} = rho_{n-1/2} + eps G(x_n),   G = -d/dt log sigma,   rho_{1/2} = rho_0 + eps G(x_0) / 2.
 *
 * Read backwards this is the same rule, so a symmetric step stays symmetric: errors of energy do not drift.
 * The time scale sigma is that of the local motion, in weights that stay as they are from the start on:
 *
 *     sigma^-2 = |x''|^2 / (|x'|^2 + rest) + least,
 *
 * where `rest` matters only where x' all but vanishes, and `least` bounds the step.  G contains x'' and x''',
 * which differences along the solution give, forward and backward alike.
 *
 * A node is an end of [low, high], the interval of t over which rho holds.  A run that ends inside of it
 * goes on, or back, to the ends of the same interval: the way back meets the same nodes. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LONGEST 1000.   /* without max_step: in first steps */
#define RESTING 1e-3    /* of |x'| at the start: where x' counts as small; of a state: it does not move */
#define NEAR 1e-4       /* for x'': of the way over which the state changes by its weights */
#define FURTHER 1e-2    /* for x''', in sigma: round-off is 1e-12 then, what is left out 1e-4 */
#define NODE 1e-8       /* an end as near as that to a node, in steps, is the node */
#define UNRESOLVED 0.06 /* of rho left by one kick: steps do not follow the motion */

void reversible_layout(struct reversible *v, const keel_options *o, size_t n, size_t vector,
                       struct arena *a) {
    size_t used = o->reversible ? 1 : 0;
    v->gauge = arena_take(a, sizeof *v->gauge);
    v->weight = arena_doubles(a, used * n);
    v->second = arena_doubles(a, used * vector);
    v->third = arena_doubles(a, used * vector);
    v->ahead = arena_doubles(a, used * vector);
    v->behind = arena_doubles(a, used * vector);
}

static double product(const struct engine *e, const double *a, const double *b) {
    const double *weight = e->reversible.weight;
    double sum = 0;
    for (int i = 0; i < e->field.n; i++) sum += weight[i] * a[i] * (weight[i] * b[i]);
    return sum;
}

static keel_status rate_at(struct engine *e, double t, double *x, double *out) {
    return field_rhs(&e->field, t, x, out);
}

/* f at t +- delta on the parabola x +- delta x' + delta^2/2 x'' (x'' NULL: on the line). */
static keel_status rates_beside(struct engine *e, double delta, const double *second) {
    struct reversible *v = &e->reversible;
    const struct run_state *r = e->r;
    const double *x = e->x[r->current], *f = e->f[r->current];
    keel_status status = KEEL_OK;
    for (int side = -1; side <= 1 && status == KEEL_OK; side += 2) {
        for (int i = 0; i < e->field.n; i++)
            e->scratch[i] = x[i] + side * delta * f[i] + (second ? 0.5 * delta * delta * second[i] : 0);
        status = rate_at(e, r->t + side * delta, e->scratch, side < 0 ? v->behind : v->ahead);
    }
    return status;
}

/* A distance in t that the clock has, too. */
static double on_the_clock(double t, double delta) {
    volatile double later = t + fmax(delta, 64 * DBL_EPSILON * fabs(t));
    return later - t;
}

static double density(const struct engine *e) { /* 1 / sigma */
    const struct gauge *g = e->reversible.gauge;
    const double *f = e->f[e->r->current], *second = e->reversible.second;
    return sqrt(product(e, second, second) / (product(e, f, f) + g->rest) + g->least);
}

/* x'' and x''' at the current state, by differences that do not know the way.  Before the weights are
 * known, parts of the first step are what they are taken over. */
static keel_status differentiate(struct engine *e) {
    struct reversible *v = &e->reversible;
    struct run_state *r = e->r;
    const struct gauge *g = v->gauge;
    const double *f = e->f[r->current];
    int n = e->field.n;
    keel_status status = KEEL_OK;
    if (!r->rhs_known[r->current]) status = rate_at(e, r->t, e->x[r->current], e->f[r->current]);
    if (status != KEEL_OK) return status;
    r->rhs_known[r->current] = 1;
    double speed = g->known ? sqrt(product(e, f, f) + g->rest) : 0;
    double delta = on_the_clock(r->t, g->known ? NEAR / speed : 0.01 * e->o.step);
    status = rates_beside(e, delta, NULL);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++) v->second[i] = (v->ahead[i] - v->behind[i]) / (2 * delta);
    delta = on_the_clock(r->t, g->known ? FURTHER / density(e) : 0.25 * e->o.step);
    status = rates_beside(e, delta, v->second);
    for (int i = 0; i < n; i++)
        v->third[i] = ((v->ahead[i] - f[i]) + (v->behind[i] - f[i])) / (delta * delta);
    return status;
}

/* States of one array share a weight; so do positions, and so do momenta or velocities. */
static int belong_together(const struct field *fd, int i, int j) {
    const keel_problem *p = &fd->p;
    if (i == j) return 1;
    if (p->array_of) return p->array_of[i] == p->array_of[j];
    return fd->traits & KEEL_POSITIONS && (i < fd->nq) == (j < fd->nq);
}

/* How far the states move within the time scale of the start: 1 / weight. */
static void weigh(struct engine *e, double scale) {
    const struct reversible *v = &e->reversible;
    const struct field *fd = &e->field;
    const double *f = e->f[e->r->current];
    for (int i = 0; i < fd->n; i++) {
        double moves[3] = {0, 0, 0}, given = 0, size = 0;
        for (int j = 0; j < fd->n; j++) {
            if (!belong_together(fd, i, j)) continue;
            moves[0] += f[j] * f[j];
            moves[1] += v->second[j] * v->second[j];
            moves[2] += v->third[j] * v->third[j];
            size = fmax(size, fd->size[j]);
            if (fd->p.scale) given = fmax(given, fd->p.scale[j]);
        }
        double way = scale * (sqrt(moves[0]) + scale * (sqrt(moves[1]) + scale * sqrt(moves[2])));
        v->weight[i] = 1 / (given > 0 ? given : way > RESTING * size ? way : size);
    }
}

/* The weights and bounds, once: they must be the same wherever the run comes from. */
static void calibrate(struct engine *e) {
    struct reversible *v = &e->reversible;
    struct gauge *g = v->gauge;
    const double *f = e->f[e->r->current];
    double first = sqrt(product(e, f, f)), second = sqrt(product(e, v->second, v->second)),
           third = sqrt(product(e, v->third, v->third));
    double scale = first > 0 && third > 0 ? sqrt(first / third) : second > 0 ? first / second : 0;
    if (!(scale > 0)) scale = first > 0 ? 1 / first : 100 * e->o.step;
    weigh(e, scale);
    double longest = e->o.max_step > 0 ? fmax(e->o.max_step / e->o.step, 1 + 1e-6) : LONGEST;
    g->rest = RESTING * RESTING / (scale * scale);
    g->least = 0;
    g->least = density(e) * density(e) / (longest * longest - 1);
    if (!(g->least > 0)) g->least = 1 / (scale * scale);
    g->start = density(e);
    g->known = 1;
}

/* G = (log rho)' = (x''.x''' / S - R x'.x'' / S) / (R + least), S = x'.x' + rest, R = x''.x'' / S. */
static double slope(const struct engine *e) {
    const struct reversible *v = &e->reversible;
    const double *f = e->f[e->r->current];
    double moves = product(e, f, f) + v->gauge->rest, bends = product(e, v->second, v->second) / moves;
    double change = product(e, v->second, v->third) - bends * product(e, f, v->second);
    return change / moves / (bends + v->gauge->least);
}

/* rho for the interval that begins at the current state. */
static keel_status kick(struct engine *e) {
    struct reversible *v = &e->reversible;
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    const double *y = e->x[r->current] + fd->n;
    size_t algebraic = (size_t)fd->m * sizeof *y;
    int start = r->rho == 0;
    if (!v->gauge->known)
        for (int i = 0; i < fd->n; i++) v->weight[i] = 1 / fd->size[i];
    memcpy(fd->y, y, algebraic); /* the search for y begins there, whatever was looked at before */
    keel_status status = differentiate(e);
    if (status == KEEL_OK && !v->gauge->known) {
        calibrate(e);
        status = differentiate(e); /* as whoever comes back here will find it */
    }
    memcpy(fd->y, y, algebraic);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    double before = start ? density(e) / v->gauge->start : r->rho;
    double rho = before + (start ? 0.5 : 1) * r->direction * e->o.step * slope(e);
    if (!(rho > UNRESOLVED * before))
        return engine_fail(e, KEEL_ESTEP,
                           "reversible steps do not follow the motion at t = %.10g: the next one would be "
                           "%.2g, the last was %.2g; give a shorter step, or options.max_step",
                           r->t, rho > 0 ? e->o.step / rho : HUGE_VAL, e->o.step / before);
    r->rho = rho;
    return KEEL_OK;
}

keel_status reversible_aim(struct engine *e, double t_end, double *t_new) {
    struct run_state *r = e->r;
    double *ahead = r->direction > 0 ? &r->high : &r->low, *behind = r->direction > 0 ? &r->low : &r->high;
    if (r->rho == 0 || r->t == *ahead) {
        keel_status status = kick(e);
        if (status != KEEL_OK) return status;
        *behind = r->t;
        *ahead = r->t + r->direction * (e->o.step / r->rho);
    }
    double near = fmax(NODE * e->o.step / r->rho, 16 * DBL_EPSILON * fabs(t_end));
    if (fabs(*ahead - t_end) <= near) *ahead = t_end;
    *t_new = (*ahead - t_end) * r->direction > 0 ? t_end : *ahead;
    if (*t_new != r->t) return KEEL_OK;
    return engine_fail(e, KEEL_ESTEP,
                       "the reversible step of %.6g is below what the clock resolves at t = %.10g",
                       e->o.step / r->rho, r->t);
}

void reversible_carry(const struct engine *from, struct engine *to) {
    if (!from->o.reversible || !from->reversible.gauge->known) return;
    *to->reversible.gauge = *from->reversible.gauge;
    memcpy(to->reversible.weight, from->reversible.weight, (size_t)to->field.n * sizeof(double));
}
