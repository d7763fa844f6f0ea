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

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { FIXED_ORDER = 20, LEAST_ORDER = 2, MOST_ORDER = 60 };

struct taylor {
    const keel_problem *problem;
    int order;
    double safety; /* of a step */
    double
        *known; /* 1: the coefficients are those at t, u: known[1], known[2] ..; 2: of a first step's aim */
    double *before; /* the step that was aimed at last; 0: none yet */
    double *c;      /* (order + 1) x n */
    double *work;
    double *x, *slope; /* width: the end, x' there */
    double *weight;    /* n: one over the tolerances */
    int degree;        /* of the dense output */
    double *curve, *at, *event, *event_work;
};

/* A step of order p costs about fixed + p, in recurrences of one order, and as many steps are needed as
 * e^(length/p) tells, length = 2 - ln(tol): least where p^2 = length (fixed + p). */
static double cheapest(double length, double fixed) {
    return 0.5 * (length + sqrt(length * (length + 4 * fixed)));
}

/* Above Jorba's and Zou's: a part of the cost of a step does not depend on p, and another grows as p
 * (measured on Kepler's orbit and Andrews' mechanism at 1e-6 to 1e-13: the time is flat around this).  There
 * what a step costs beside its series is USUAL recurrences for each that an order has.  Small mechanisms have
 * more of it: their projection costs as much as the series (docs/decisions.md has the sweep).  A series with
 * fewer numbers an order than states, one written by hand, does not tell its recurrences by them. */
static int order_for(const keel_problem *p, double rtol) {
    enum { USUAL = 19, OF_STATE = 38, OF_MECHANICS = 156 };
    double each = (double)keel_extras_of(p)->series.per_order, length = 2 - log(rtol);
    double order = 5 - 0.95 * log(rtol);
    int of_state = keel_problem_traits(p) & KEEL_SECOND_ORDER ? OF_MECHANICS : OF_STATE;
    double fixed = each > p->n ? of_state * p->n / each : 0;
    if (fixed > USUAL) order += cheapest(length, fixed) - cheapest(length, USUAL);
    return (int)fmin(fmax(ceil(order), LEAST_ORDER), MOST_ORDER);
}

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (!keel_extras_of(p)->series.value)
        return "it needs the series of a model, or extras.series; a long model has one if it is read for "
               "taylor (keel_model_options.method), one with more than 128 accelerations and multipliers "
               "none";
    if (p->n == 0) return "there are no states to expand";
    return NULL;
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct taylor *m = w->method;
    m->problem = p;
    m->order = o->order ? o->order : o->step > 0 ? FIXED_ORDER : order_for(p, KEEL_VALUE(o, rtol));
    m->safety = exp(-0.7 / (m->order - 1));
    size_t terms = (size_t)m->order + 1;
    m->known = keel_work_doubles(w, 2 + (size_t)(p->n + p->m));
    m->before = keel_work_doubles(w, 1);
    m->c = keel_work_doubles(w, terms * (size_t)p->n);
    m->work = keel_work_doubles(w, (size_t)keel_extras_of(p)->series.workspace +
                                       (size_t)keel_extras_of(p)->series.per_order * terms);
    m->x = keel_work_doubles(w, (size_t)w->width);
    m->slope = keel_work_doubles(w, (size_t)w->width);
    m->weight = keel_work_doubles(w, (size_t)p->n);
    m->degree = m->order < 3 ? 3 : m->order;
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
    size_t bytes = (size_t)(p->n + p->m) * sizeof *u;
    if (!anew && m->known[0] > 0 && m->known[1] == t && memcmp(m->known + 2, u, bytes) == 0) return KEEL_OK;
    m->known[0] = 0;
    w->calls += m->order;
    w->code = keel_extras_of(p)->series.value(t, u, m->order, m->c, m->work, p->user);
    if (w->code != 0) return w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    m->known[0] = 1;
    m->known[1] = t;
    memcpy(m->known + 2, u, bytes);
    return KEEL_OK;
}

/* One over the tolerance of each state, by its size over a step h: one that passes through 0 does not make a
 * step short.  x' is that of the step before, which need not be waited for. */
static void weigh(const keel_work *w, const double *u, double h) {
    const struct taylor *m = w->method;
    for (int i = 0; i < w->n; i++) {
        double size = fabs(u[i]) + fabs(h * m->slope[i]), scale = w->atol[i] + w->rtol * size,
               least = 4 * DBL_EPSILON * size;
        m->weight[i] = 1 / (scale < least ? least : scale);
    }
}

/* The largest of the coefficients of order k, in tolerances; squares may be too large for a number. */
static double largest_of(const keel_work *w, int k) {
    const struct taylor *m = w->method;
    const double *c = m->c + (size_t)k * (size_t)w->n;
    double largest = 0;
    for (int i = 0; i < w->n; i++) {
        double ratio = c[i] == 0 ? 0 : fabs(c[i]) * m->weight[i];
        if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
}

/* -log2 of the h with norm h^k = 2^share; infinite where the term vanishes. */
static double reach(double norm, double share, int k) {
    return norm > 0 ? (log2(norm) - share) / k : -HUGE_VAL;
}

/* exp(-2) is 2^-2.885.  Where the last terms vanish, as those of free flight do, the motion may be a
 * polynomial: the last term there is may become as large as the state, and the rate at the end will tell. */
static double longest(const keel_work *w, const double *u, double before) {
    const struct taylor *m = w->method;
    int p = m->order;
    weigh(w, u, before);
    double near = reach(largest_of(w, p), -2.885390081777927, p);
    double far = reach(largest_of(w, p - 1), 0, p - 1);
    if (!(near > far)) near = far;
    for (int k = p - 2; k > 0 && near == -HUGE_VAL; k--) near = reach(largest_of(w, k), -log2(w->rtol), k);
    return exp2(-near) * m->safety;
}

static double aim(keel_work *w, double t, const double *u, int first) {
    struct taylor *m = w->method;
    if (find(w, t, u, first) != KEEL_OK) return 0;
    if (first) {
        m->known[0] = 2;
        *m->before = longest(w, u, 0);
        memcpy(m->slope, m->c + w->n, (size_t)w->n * sizeof *u);
    }
    double h = longest(w, u, isfinite(*m->before) ? *m->before : 0);
    *m->before = h;
    return h;
}

static double next(keel_work *w, double h, double error, int rejected) {
    const struct taylor *m = w->method;
    if (!rejected) return h; /* the next place tells it */
    return isinf(error) ? 0.25 * h : h * fmax(0.1, 0.9 * pow(error, -1. / (m->order + 1)));
}

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* x(h) - x = h S and x'(h) = S + h S' for states i and i + 1, S = E + h O by the odd and the even
 * coefficients, which are polynomials in h^2 that do not wait for each other; E' and O' by Horner's scheme
 * for the derivative. */
static inline void sum_two(const struct taylor *m, int n, int i, double h, double *dx, double *slope) {
    pair odd = {0, 0}, even = odd, odd_slope = odd, even_slope = odd;
    double y = h * h;
    int k = m->order;
    const double *c = m->c + (size_t)k * (size_t)n + i;
    if (k % 2 == 1) { /* begin with an even one */
        odd = *(const pair *)c;
        k--;
        c -= n;
    }
    for (; k > 0; k -= 2, c -= 2 * (ptrdiff_t)n) {
        even_slope = even_slope * y + even;
        even = even * y + *(const pair *)c;
        odd_slope = odd_slope * y + odd;
        odd = odd * y + *(const pair *)(c - n);
    }
    pair sum = odd + h * even;
    *(pair *)(dx + i) = sum * h;
    *(pair *)(slope + i) = sum + h * (even + 2 * h * (odd_slope + h * even_slope));
}

/* The same of one state. */
static inline void sum_one(const struct taylor *m, int n, int i, double h, double *dx, double *slope) {
    double odd = 0, even = 0, odd_slope = 0, even_slope = 0, y = h * h;
    int k = m->order;
    const double *c = m->c + (size_t)k * (size_t)n + i;
    if (k % 2 == 1) {
        odd = *c;
        k--;
        c -= n;
    }
    for (; k > 0; k -= 2, c -= 2 * (ptrdiff_t)n) {
        even_slope = even_slope * y + even;
        even = even * y + *c;
        odd_slope = odd_slope * y + odd;
        odd = odd * y + c[-n];
    }
    double sum = odd + h * even;
    dx[i] = sum * h;
    slope[i] = sum + h * (even + 2 * h * (odd_slope + h * even_slope));
}

/* The sum of |terms| of x_i'(h). */
static double terms_of(const struct taylor *m, int n, int i, double h) {
    double sum = 0;
    for (int k = m->order; k > 0; k--)
        sum = sum * fabs(h) + k * fabs(m->c[(size_t)k * (size_t)n + (size_t)i]);
    return sum;
}

static double power_of(double h, int p) {
    double power = 1;
    for (; p > 0; p /= 2, h *= h)
        if (p % 2) power *= h;
    return power;
}

/* A step that moves a state by less than its tolerance may pass every test and still lie beyond the circle of
 * convergence: near a branch point, sqrt(x) at x = 0, such steps led up where the rates led down, and stood
 * still for ever.  So the polynomial must follow its own motion: the defect may not exceed it. */
#define ASTRAY 1e6 /* tolerances: what such a step errs by; its end is half as far, then */

/* The rate of a state that a balance keeps at zero is the round-off of terms that cancel: as large as that of
 * the other rates. */
static double noise_of_rates(const keel_work *w, const keel_attempt *a) {
    double largest = 0;
    for (int i = 0; i < w->n; i++) largest = fabs(a->f[i]) > largest ? fabs(a->f[i]) : largest;
    return 64 * DBL_EPSILON * largest;
}

static int is_astray(const keel_work *w, const keel_attempt *a, int i, double defect, double h) {
    if (h * defect <= fabs(a->dx[i])) return 0;
    double way = fabs(a->dx[i]) + h * fabs(a->f[i]);
    return h * defect > way && way > 64 * DBL_EPSILON * fabs(a->x[i]) && defect > noise_of_rates(w, a);
}

/* The larger of the last term and the defect of the rate at the end, freed of its round-off. */
static keel_status estimate(keel_work *w, keel_attempt *a) {
    struct taylor *m = w->method;
    int n = w->n, p = m->order;
    double h = fabs(a->h), power = power_of(h, p), share = 0.1 * h;
    for (int i = 0; i < n; i++) m->x[i] = a->x[i] + a->dx[i];
    keel_status status = keel_rhs(w, a->t + a->h, m->x, a->f_end);
    const double *last = m->c + (size_t)p * (size_t)n;
    for (int i = 0; i < n && status == KEEL_OK; i++) {
        double defect = fabs(a->f_end[i] - m->slope[i]), term = fabs(last[i]) * power;
        if (defect * share >
            0.1 * (w->atol[i] + w->rtol * (fabs(a->x[i]) + fabs(a->dx[i])))) { /* it matters */
            defect -= 32 * DBL_EPSILON * terms_of(m, n, i, a->h);
            if (defect < 0) defect = 0;
        }
        if (is_astray(w, a, i, defect, h)) term = ASTRAY * (w->atol[i] + w->rtol * fabs(a->x[i]));
        defect *= share;
        a->error[0][i] = defect < term ? term : defect; /* what is not a number stays so */
    }
    return status;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct taylor *m = w->method;
    int n = w->n, i = 0;
    keel_status status = find(w, a->t, a->x, a->first && m->known[0] != 2);
    if (status != KEEL_OK) return status;
    m->known[0] = 1;
    for (; i + 1 < n; i += 2) sum_two(m, n, i, a->h, a->dx, m->slope);
    for (; i < n; i++) sum_one(m, n, i, a->h, a->dx, m->slope);
    for (i = n; i < w->width; i++) a->dx[i] = 0;
    return a->error[0] ? estimate(w, a) : KEEL_OK;
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
        for (int k = m->order; k > 0; k--) {
            double c = m->c[(size_t)k * (size_t)n + (size_t)i];
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
        for (int k = 0; k <= degree; k++) c[(long)k * n] = k <= m->order ? m->c[(long)k * n + i] : 0;
        for (int k = m->order; k > 0; k--) end = (end + m->c[(long)k * n + i]) * s->h;
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
