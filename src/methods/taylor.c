/* taylor.c - the Taylor series of the solution, of any order, from extras.series.
 *
 *     x(t + s) = sum of c_k s^k,  k = 0 .. p
 *
 * Jorba, Zou, A software package for the numerical integration of ODEs by means of high-order Taylor methods
 * (2005): the cost p^2 per step of h = rho tol^(1/p) is least at p = -ln(tol)/2, and they take one more; the
 * step lets the last term be e^-2 tolerances and the one before it one, with exp(-0.7/(p-1)) for safety.
 * Norms are in tolerances here, so that each state has its own.
 *
 * What the last terms do not show (a switch whose other side the series does not know, coefficients that
 * vanish by symmetry) the rate at the end does: h (f(x_end) - x'(h)) / (p+1) tends to the local error, and
 * h (f(x_end) - x'(h)) bounds what a switch leaves; a tenth of it is asked to be within the tolerance.
 *
 * The coefficients are kept with their place, so that a rejected step, a look into the last one and its dense
 * output, which is the polynomial itself, cost a sum. */
#include <keel/method.h>
#include <keel/taylor.h>

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { FIXED_ORDER = 20, LEAST_ORDER = 2, MOST_ORDER = 60 };

struct taylor {
    const keel_problem *problem;
    keel_taylor series; /* known: 1, or 2: of a first step's aim */
    double *place;      /* t, u: that of the coefficients, where it is known */
    double *x;          /* width: the end */
    int degree;         /* of the dense output */
    double *curve, *at, *event, *event_work;
};

/* A step of order p costs about fixed + p, in recurrences of one order, and as many steps are needed as
 * e^(length/p) tells, length = 2 - ln(tol): least where p^2 = length (fixed + p). */
static double cheapest(double length, double fixed) {
    return 0.5 * (length + sqrt(length * (length + 4 * fixed)));
}

/* The same of many recurrences, which do not wait for each other: a step costs about fixed + p^2, since each
 * has sums of p^2 / 2 terms.  Least where 2 p^3 = length (fixed + p^2), by Newton's method from above. */
static double cheapest_sums(double length, double fixed) {
    double p = MOST_ORDER;
    for (int k = 0; k < 20; k++)
        p -= ((2 * p - length) * p * p - length * fixed) / (2 * p * (3 * p - length));
    return p;
}

/* Above Jorba's and Zou's: a part of the cost of a step does not depend on p, and another grows as p
 * (measured on Kepler's orbit and Andrews' mechanism at 1e-6 to 1e-13: the time is flat around this).  There
 * what a step costs beside its series is USUAL recurrences for each that an order has.  Small mechanisms have
 * more of it: their projection costs as much as the series (docs/decisions.md has the sweep).  Without
 * constraints, and so without unknowns that each order waits for, MANY recurrences are bound by their sums.
 * A series with fewer numbers an order than states, one written by hand, does not tell its recurrences by
 * them. */
static int order_for(const keel_problem *p, double rtol) {
    enum { USUAL = 19, OF_STATE = 38, OF_MECHANICS = 156, MANY = 40, OF_SUMS = 1100 };
    double each = (double)keel_extras_of(p)->series.per_order, length = 2 - log(rtol);
    double order = 5 - 0.95 * log(rtol);
    int mechanics = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    double fixed = each > p->n ? (mechanics ? OF_MECHANICS : OF_STATE) * p->n / each : 0;
    if (fixed > USUAL) order += cheapest(length, fixed) - cheapest(length, USUAL);
    if (!mechanics && p->m == 0 && each >= MANY && each > p->n)
        order = fmin(order, cheapest_sums(length, OF_SUMS * p->n / each));
    return (int)fmin(fmax(ceil(order), LEAST_ORDER), MOST_ORDER);
}

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (!keel_extras_of(p)->series.value)
        return "it needs the series of a model, or extras.series; a long model has one if it is read for "
               "taylor (keel_model_options.method), unless that would take more than 2 GB of memory, or the "
               "pattern "
               "of its equations leaves some of more than 128 highest derivatives and multipliers open";
    if (p->n == 0) return "there are no states to expand";
    return NULL;
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct taylor *m = w->method;
    m->problem = p;
    int order = o->order ? o->order : o->step > 0 ? FIXED_ORDER : order_for(p, KEEL_VALUE(o, rtol));
    size_t terms = (size_t)order + 1;
    w->carried = keel_work_doubles(w, KEEL_TAYLOR_MEMORY(p->n, w->width, order) +
                                          (size_t)keel_extras_of(p)->series.workspace +
                                          (size_t)keel_extras_of(p)->series.per_order * terms);
    if (w->carried) {
        keel_taylor_set(w->carried, order);
        m->series = keel_taylor_at(w->carried, p->n, w->width);
    }
    m->place = keel_work_doubles(w, 1 + (size_t)(p->n + p->m));
    m->x = keel_work_doubles(w, (size_t)w->width);
    m->degree = order < 3 ? 3 : order;
    if (!keel_extras_of(p)->event_series.value) return;
    terms = (size_t)m->degree + 1;
    m->curve = keel_work_doubles(w, terms * (size_t)p->n);
    m->at = keel_work_doubles(w, (size_t)(p->n + p->m));
    m->event = keel_work_doubles(w, terms * (size_t)p->event.count);
    m->event_work = keel_work_doubles(w, (size_t)keel_extras_of(p)->event_series.workspace +
                                             (size_t)keel_extras_of(p)->event_series.per_order * terms);
}

/* The coefficients at (t, u); an evaluation of f for each order. */
static keel_status find(keel_work *w, double t, const double *u, int anew) {
    struct taylor *m = w->method;
    const keel_problem *p = m->problem;
    keel_taylor *c = &m->series;
    size_t bytes = (size_t)(p->n + p->m) * sizeof *u;
    if (!anew && *c->known > 0 && m->place[0] == t && memcmp(m->place + 1, u, bytes) == 0) return KEEL_OK;
    *c->known = 0;
    w->calls += c->order;
    w->code = keel_extras_of(p)->series.value(t, u, c->order, c->c, c->work, p->user);
    if (w->code != 0) return w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    *c->known = 1;
    m->place[0] = t;
    memcpy(m->place + 1, u, bytes);
    return KEEL_OK;
}

static double aim(keel_work *w, double t, const double *u, int first) {
    struct taylor *m = w->method;
    keel_taylor *c = &m->series;
    if (find(w, t, u, first) != KEEL_OK) return 0;
    if (first) {
        *c->known = 2;
        *c->before = keel_taylor_longest(c, u, 0, w->atol, w->rtol);
        memcpy(c->slope, c->c + w->n, (size_t)w->n * sizeof *u);
    }
    return *c->before = keel_taylor_longest(c, u, isfinite(*c->before) ? *c->before : 0, w->atol, w->rtol);
}

static double next(keel_work *w, double h, double error, int rejected) {
    const struct taylor *m = w->method;
    if (!rejected) return h; /* the next place tells it */
    return isinf(error) ? 0.25 * h : h * fmax(0.1, 0.9 * pow(error, -1. / (m->series.order + 1)));
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct taylor *m = w->method;
    keel_taylor *c = &m->series;
    keel_status status = find(w, a->t, a->x, a->first && *c->known != 2);
    if (status != KEEL_OK) return status;
    *c->known = 1;
    if (a->replay) memcpy(m->x, c->slope, (size_t)w->n * sizeof *m->x);
    keel_taylor_sum(c, a->h, a->dx);
    if (a->replay) memcpy(c->slope, m->x, (size_t)w->n * sizeof *m->x); /* the next step is aimed at by it */
    for (int i = w->n; i < w->width; i++) a->dx[i] = 0;
    if (!a->error[0]) return KEEL_OK;
    for (int i = 0; i < w->n; i++) m->x[i] = a->x[i] + a->dx[i];
    status = keel_rhs(w, a->t + a->h, m->x, a->f_end);
    if (status == KEEL_OK) keel_taylor_error(c, a->h, a->x, a->dx, a->f_end, w->atol, w->rtol, a->error[0]);
    return status;
}

static keel_status prepare(keel_work *w, const keel_segment *s) {
    return find(w, s->t, s->x, 0);
}

/* The polynomial, and what the stabilizer moved its end by. */
static void dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const struct taylor *m = w->method;
    int n = w->n;
    double h = theta * s->h, blend = theta * theta * (3 - 2 * theta);
    for (int i = 0; i < n; i++) {
        double here = 0, end = 0;
        for (int k = m->series.order; k > 0; k--) {
            double c = m->series.c[(size_t)k * (size_t)n + (size_t)i];
            here = (here + c) * h;
            end = (end + c) * s->h;
        }
        x[i] = s->x[i] + (here + blend * (s->x_end[i] - (s->x[i] + end)));
    }
}

/* The dense output in powers of s - from. */
static void shift(const keel_work *w, const keel_segment *s, double from) {
    const struct taylor *m = w->method;
    int n = w->n, degree = m->degree;
    for (int i = 0; i < n; i++) {
        double *c = m->curve + i, end = 0;
        for (int k = 0; k <= degree; k++)
            c[(long)k * n] = k <= m->series.order ? m->series.c[(long)k * n + i] : 0;
        for (int k = m->series.order; k > 0; k--) end = (end + m->series.c[(long)k * n + i]) * s->h;
        double moved = s->x_end[i] - (s->x[i] + end);
        c[2L * n] += 3 * moved / (s->h * s->h);
        c[3L * n] -= 2 * moved / (s->h * s->h * s->h);
        for (int k = 0; k < degree && from != 0; k++)
            for (int j = degree - 1; j >= k; j--) c[(long)j * n] += c[(long)(j + 1) * n] * from;
        m->at[i] = c[0];
    }
}

static const double *events(keel_work *w, const keel_segment *s, double from, int *degree) {
    struct taylor *m = w->method;
    const keel_problem *p = m->problem;
    if (prepare(w, s) != KEEL_OK) return NULL;
    shift(w, s, from);
    for (int i = p->n; i < p->n + p->m; i++) m->at[i] = s->x[i];
    *degree = m->degree;
    int code = keel_extras_of(p)->event_series.value(s->t + from, m->at, m->curve, m->degree, m->event,
                                                     m->event_work, p->user);
    return code == 0 ? m->event : NULL;
}

static const keel_field fields[] = {
    {KEEL_FIELD(order), .traits = KEEL_FIELD_LINE | KEEL_FIELD_MODEL | KEEL_FIELD_RESULTS, .low = LEAST_ORDER,
     .high = MOST_ORDER, .argument = "P", .about = "order, 2 to 60 (from the tolerance; fixed steps: 20)",
     .without = "has one order"},
    {.name = NULL},
};

const keel_stepper taylor_methods[] = {
    {.info = {.name = "taylor",
              .about = "Taylor series of the solution, of any order",
              .reference = "Jorba, Zou 2005",
              .order = FIXED_ORDER,
              .traits = KEEL_ADAPTIVE,
              .fields = fields},
     .error_order = FIXED_ORDER,
     .no_rhs = 1,
     .size = sizeof(struct taylor),
     .refuse = refuse,
     .layout = layout,
     .attempt = attempt,
     .prepare = prepare,
     .dense = dense,
     .next = next,
     .aim = aim,
     .events = events},
    {.info = {.name = NULL}},
};
