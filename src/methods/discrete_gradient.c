/* discrete_gradient.c - methods that keep H of x' = B(x) grad H(x), B skew, whatever H is:
 *
 *     x1 = x + h B((x + x1) / 2) g(x,x1),   g . (x1 - x) = H(x1) - H(x),
 *
 * with d = x1 - x and the discrete gradients
 *     Gonzalez   g = grad H(m) + (H(x1) - H(x) - grad H(m) . d) / |d|^2 d,  m = (x + x1) / 2
 *     average    g = int_0^1 grad H(x + s d) ds, by Gauss with as many nodes as H needs, at most five
 *     Itoh-Abe   g_i = the difference quotient of H on the i-th edge of the way from x to x1, the edges
 *                parallel to the axes; its adjoint goes the edges from x1 to x.
 * A quotient over a short distance is replaced by derivatives, which err by less than round-off.  H that
 * depends on t is taken at the middle of the step.
 * Gonzalez 1996; Quispel, McLaren 2008; Itoh, Abe 1988; Hairer, Lubich, Wanner V.5. */
#include <keel/method.h>

#include "methods/composition.h"
#include "methods/increment.h"
#include "methods/sampled.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { GONZALEZ, AVERAGE, ITOH_ABE, ITOH_ABE_TWICE };
enum { NODES = 5 };

struct discrete_gradient {
    const keel_problem *problem;
    struct increment solver;
    double *x, *d;            /* width: where the piece of the step begins, its increment */
    double *stage;            /* width */
    double *gradient, *point; /* width: g, and grad H where it is asked for */
    double *matrix, *entries; /* B, or what its pattern or that of the gradient has */
    double *nodes;            /* 1: how many the average takes, once known */
};

struct piece { /* of a step: from x, over h, H and B taken at t */
    keel_work *w;
    double t, h;
    int backward; /* the adjoint */
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (!(keel_problem_traits(p) & KEEL_FROM_ENERGY) || p->constraint.count)
        return "it is for Hamiltonian problems, x' = B grad H, without constraints";
    if (!p->energy.jacobian) return "it needs the gradient of H: give energy.jacobian";
    return NULL;
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct discrete_gradient *m = w->method;
    size_t n = (size_t)w->n, width = (size_t)w->width, entries = n;
    if (p->energy.pattern && (size_t)p->energy.pattern->nnz > entries)
        entries = (size_t)p->energy.pattern->nnz;
    if (p->structure.pattern && (size_t)p->structure.pattern->nnz > entries)
        entries = (size_t)p->structure.pattern->nnz;
    m->problem = p;
    increment_layout(&m->solver, w, n);
    m->x = keel_work_doubles(w, width);
    m->d = keel_work_doubles(w, width);
    m->stage = keel_work_doubles(w, width);
    m->gradient = keel_work_doubles(w, width);
    m->point = keel_work_doubles(w, width);
    m->matrix = keel_work_doubles(w, p->structure.value ? n * n : 0);
    m->entries = keel_work_doubles(w, entries);
    m->nodes = keel_work_doubles(w, 1);
}

static keel_status outcome(keel_work *w, int code) {
    w->calls++;
    w->code = code;
    return code == 0 ? KEEL_OK : code > 0 ? KEEL_RETRY : KEEL_EUSER;
}

static keel_status energy_at(keel_work *w, double t, const double *x, double *value) {
    const keel_problem *p = ((struct discrete_gradient *)w->method)->problem;
    if (keel_halted(w->halt)) return KEEL_RETRY;
    return outcome(w, p->energy.value(t, x, value, p->user));
}

static void spread(const keel_pattern *pattern, int rows, int columns, const double *values, double *out) {
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            out[(long)i * columns + pattern->column[e]] = values[e];
}

static keel_status gradient_at(keel_work *w, double t, const double *x, double *out) {
    const struct discrete_gradient *m = w->method;
    const keel_map *energy = &m->problem->energy;
    if (keel_halted(w->halt)) return KEEL_RETRY;
    keel_status status =
        outcome(w, energy->jacobian(t, x, energy->pattern ? m->entries : out, m->problem->user));
    if (status == KEEL_OK && energy->pattern) spread(energy->pattern, 1, w->n, m->entries, out);
    return status;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Below this part of |x| a distance is short: there three derivatives, which miss distance^6, give the
 * difference of H better than two values of H, which lose eps / distance of it to round-off. */
#define SHORT 1e-3

/* Gauss on [0,1]: nodes (1 +- c) / 2 and weights, for 1 to 5 nodes. */
static const struct {
    double at[NODES], weight[NODES];
} gauss[NODES] = {
    {{0.5}, {1}},
    {{0.2113248654051871177, 0.7886751345948128823}, {0.5, 0.5}},
    {{0.1127016653792583115, 0.5, 0.8872983346207416885}, {5. / 18, 8. / 18, 5. / 18}},
    {{0.06943184420297371239, 0.3300094782075718676, 0.6699905217924281324, 0.9305681557970262876},
     {0.1739274225687269287, 0.3260725774312730713, 0.3260725774312730713, 0.1739274225687269287}},
    {{0.04691007703066800360, 0.2307653449471584545, 0.5, 0.7692346550528415455, 0.9530899229693319964},
     {0.1184634425280945438, 0.2393143352496832340, 64. / 225, 0.2393143352496832340, 0.1184634425280945438}},
};

/* What grad H(m) . d misses of H(x + d) - H(x), over |d|^2. */
static keel_status missing(keel_work *w, double t, const double *x, const double *d, double square,
                           double *out) {
    struct discrete_gradient *m = w->method;
    int n = w->n, is_short = square <= SHORT * SHORT * dot(n, x, x);
    double begin = 0, end = 0;
    keel_status status = KEEL_OK;
    *out = 0;
    for (int k = 0; k < 3 && is_short && status == KEEL_OK; k += 2) { /* the middle one is grad H(m) itself */
        for (int i = 0; i < n; i++) m->stage[i] = x[i] + gauss[2].at[k] * d[i];
        status = gradient_at(w, t, m->stage, m->point);
        for (int i = 0; i < n; i++)
            *out += gauss[2].weight[k] * (m->point[i] - m->gradient[i]) * d[i] / square;
    }
    if (is_short) return status;
    for (int i = 0; i < n; i++) m->stage[i] = x[i] + d[i];
    status = energy_at(w, t, x, &begin);
    if (status == KEEL_OK) status = energy_at(w, t, m->stage, &end);
    *out = (end - begin - dot(n, m->gradient, d)) / square;
    return status;
}

static keel_status gonzalez(keel_work *w, double t, const double *x, const double *d) {
    struct discrete_gradient *m = w->method;
    int n = w->n;
    double square = dot(n, d, d), along = 0;
    for (int i = 0; i < n; i++) m->stage[i] = x[i] + 0.5 * d[i];
    keel_status status = gradient_at(w, t, m->stage, m->gradient);
    if (status == KEEL_OK && square > DBL_MIN) status = missing(w, t, x, d, square, &along);
    for (int i = 0; i < n; i++) m->gradient[i] += along * d[i];
    return status;
}

static keel_status average_with(keel_work *w, int nodes, double t, const double *x, const double *d) {
    struct discrete_gradient *m = w->method;
    memset(m->gradient, 0, (size_t)w->width * sizeof *m->gradient);
    for (int k = 0; k < nodes; k++) {
        for (int i = 0; i < w->n; i++) m->stage[i] = x[i] + gauss[nodes - 1].at[k] * d[i];
        keel_status status = gradient_at(w, t, m->stage, m->point);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < w->n; i++) m->gradient[i] += gauss[nodes - 1].weight[k] * m->point[i];
    }
    return KEEL_OK;
}

/* Do so many nodes give H(x + d) - H(x) on long ways around the start?  Where H fails, it says nothing. */
static int are_enough(keel_work *w, int nodes) {
    struct discrete_gradient *m = w->method;
    const keel_problem *p = m->problem;
    double *x = m->x, *d = m->d;
    const struct sampled around = sampled_around(p);
    for (int k = 0; k < SAMPLED_PLACES; k++) {
        double begin, end, terms = 0;
        for (int i = 0; i < w->n; i++) {
            x[i] = sampled_place(&around, i, k);
            d[i] = sampled_place(&around, i, k + SAMPLED_PLACES) - x[i];
            m->stage[i] = x[i] + d[i];
        }
        if (energy_at(w, p->t0, x, &begin) != KEEL_OK || energy_at(w, p->t0, m->stage, &end) != KEEL_OK ||
            average_with(w, nodes, p->t0, x, d) != KEEL_OK)
            continue;
        for (int i = 0; i < w->n; i++) terms += fabs(m->gradient[i] * d[i]);
        double gap = fabs(end - begin - dot(w->n, m->gradient, d));
        if (isfinite(gap) && gap > 64 * DBL_EPSILON * (fabs(begin) + fabs(end) + terms)) return 0;
    }
    return 1;
}

static void find_nodes(keel_work *w) {
    struct discrete_gradient *m = w->method;
    int nodes = 1;
    while (nodes < NODES && !are_enough(w, nodes)) nodes++;
    *m->nodes = nodes;
}

/* The mean of the i-th derivative on an edge from the stage on, by Gauss. */
static keel_status edge_mean(keel_work *w, double t, int i, double way) {
    struct discrete_gradient *m = w->method;
    double from = m->stage[i], sum = 0;
    keel_status status = KEEL_OK;
    for (int k = 0; k < 3 && status == KEEL_OK; k++) {
        m->stage[i] = from + gauss[2].at[k] * way;
        status = gradient_at(w, t, m->stage, m->point);
        sum += gauss[2].weight[k] * m->point[i];
    }
    m->gradient[i] = sum;
    return status;
}

/* One edge after the other; the stage goes from x to x + d, backward from x + d to x. */
static keel_status itoh_abe(keel_work *w, double t, const double *x, const double *d, int backward) {
    struct discrete_gradient *m = w->method;
    double begin = 0, end = 0, size = 0, sign = backward ? -1 : 1;
    int begin_known = 0;
    for (int i = 0; i < w->n; i++) {
        m->stage[i] = backward ? x[i] + d[i] : x[i];
        size = fmax(size, fabs(x[i]));
    }
    keel_status status = KEEL_OK;
    for (int i = 0; i < w->n && status == KEEL_OK; i++) {
        int is_short = fabs(d[i]) <= SHORT * size;
        if (is_short) status = edge_mean(w, t, i, sign * d[i]);
        else if (!begin_known) status = energy_at(w, t, m->stage, &begin);
        m->stage[i] = backward ? x[i] : x[i] + d[i];
        begin_known = !is_short;
        if (is_short || status != KEEL_OK) continue;
        status = energy_at(w, t, m->stage, &end);
        m->gradient[i] = sign * (end - begin) / d[i];
        begin = end;
    }
    return status;
}

/* h B g, with g of the way from x to x + d. */
static keel_status field_over(void *context, const double *d, double *out) {
    const struct piece *c = context;
    struct discrete_gradient *m = c->w->method;
    const keel_problem *p = m->problem;
    const enum kind *kind = c->w->stepper->table;
    int n = c->w->n, half = n / 2;
    keel_status status = *kind == GONZALEZ  ? gonzalez(c->w, c->t, m->x, d)
                         : *kind == AVERAGE ? average_with(c->w, (int)*m->nodes, c->t, m->x, d)
                                            : itoh_abe(c->w, c->t, m->x, d, c->backward);
    if (status != KEEL_OK) return status;
    if (!p->structure.value) {
        for (int j = 0; j < half; j++) {
            out[j] = c->h * m->gradient[half + j];
            out[half + j] = -c->h * m->gradient[j];
        }
        return KEEL_OK;
    }
    for (int i = 0; i < n; i++) m->stage[i] = m->x[i] + 0.5 * d[i];
    status = outcome(
        c->w, p->structure.value(c->t, m->stage, p->structure.pattern ? m->entries : m->matrix, p->user));
    if (p->structure.pattern) spread(p->structure.pattern, n, n, m->entries, m->matrix);
    for (int i = 0; i < n; i++) out[i] = c->h * dot(n, m->matrix + (long)i * n, m->gradient);
    return status;
}

static keel_status take(const struct piece *piece) {
    struct discrete_gradient *m = piece->w->method;
    double size = 0;
    for (int i = 0; i < piece->w->n; i++) size = fmax(size, fabs(m->x[i]));
    return increment_solve(piece->w, &m->solver, piece->w->n, field_over, (void *)piece, size, m->d);
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct discrete_gradient *m = w->method;
    const enum kind *kind = w->stepper->table;
    size_t bytes = (size_t)w->width * sizeof *a->dx;
    int pieces = *kind == ITOH_ABE_TWICE ? 2 : 1;
    if (*kind == AVERAGE && !(*m->nodes >= 1 && *m->nodes <= NODES)) find_nodes(w);
    memset(a->dx, 0, bytes);
    memset(m->d, 0, bytes);
    memcpy(m->x, a->x, bytes);
    for (int k = 0; k < pieces; k++) {
        double h = a->h / pieces;
        struct piece piece = {w, a->t + (k + 0.5) * h, h, pieces == 2 && k == 0};
        keel_status status = take(&piece);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < w->width; i++) {
            a->dx[i] += m->d[i];
            m->x[i] = a->x[i] + a->dx[i];
        }
    }
    return KEEL_OK;
}

static const enum kind is_gonzalez = GONZALEZ, is_average = AVERAGE, is_itoh_abe = ITOH_ABE,
                       is_itoh_abe_twice = ITOH_ABE_TWICE;

#define ENERGY (KEEL_IMPLICIT | KEEL_KEEPS_ENERGY)
#define SYMMETRIC (ENERGY | KEEL_SYMMETRIC_STEP)
#define METHOD(method, the_order, the_kind, the_traits, what, source)                                  \
    {                                                                                                  \
        .info = {.name = method,                                                                       \
                 .about = what,                                                                        \
                 .reference = source,                                                                  \
                 .order = the_order,                                                                   \
                 .traits = the_traits},                                                                \
        .no_rhs = 1, .table = &(the_kind), .size = sizeof(struct discrete_gradient), .refuse = refuse, \
        .layout = layout, .attempt = attempt                                                           \
    }
/* Quotients of H carry a round-off that hides orders above 4; averages do not. */
#define COMPOSED_OF(method, of, what, source)                                                       \
    COMPOSED(method, 4, SYMMETRIC, of, struct discrete_gradient, refuse, composition_suzuki4, what, \
             source "; Suzuki 1990")

const keel_stepper discrete_gradient_methods[] = {
    METHOD("gonzalez", 2, is_gonzalez, SYMMETRIC, "midpoint discrete gradient, keeps H", "Gonzalez 1996"),
    METHOD("average-field", 2, is_average, SYMMETRIC, "average vector field, keeps H",
           "Quispel, McLaren 2008"),
    METHOD("itoh-abe", 1, is_itoh_abe, ENERGY, "discrete gradient by coordinate increments, keeps H",
           "Itoh, Abe 1988"),
    METHOD("itoh-abe2", 2, is_itoh_abe_twice, SYMMETRIC, "itoh-abe after its adjoint, half a step each",
           "Itoh, Abe 1988"),
    COMPOSED_OF("gonzalez4", discrete_gradient_methods[0], "five gonzalez steps", "Gonzalez 1996"),
    COMPOSED_OF("itoh-abe4", discrete_gradient_methods[3], "five itoh-abe2 steps", "Itoh, Abe 1988"),
    COMPOSITIONS("average-field", "average-field", SYMMETRIC, discrete_gradient_methods[1],
                 struct discrete_gradient, refuse, "Quispel, McLaren 2008"),
    {.info = {.name = NULL}},
};
