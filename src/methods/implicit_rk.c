/* implicit_rk.c - implicit Runge-Kutta methods: Gauss, Radau IIA, Lobatto IIIA, IIIB, IIIC, theta.
 *
 *     Z_i = sum_j a_ij K_j,  K_j = h f(t + c_j h, x + Z_j),  x_end = x + sum_j b_j K_j
 *
 * With a fixed step the stages are first iterated as they stand, from the last step's polynomial, until the
 * change stops shrinking: a tolerance would leave an error of one sign in every step (Hairer, McLachlan,
 * Razakarivony, BIT 48 (2008) 231).  Where that does not contract, simplified Newton takes over for some
 * steps.  Adaptive steps are always Newton's.  Names give the order.  Hairer, Lubich, Wanner, Geometric
 * Numerical Integration, II.1, VIII.6; Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5. */
#include "methods/implicit_rk.h"

#include "methods/composition.h"
#include "methods/implicit_mechanics.h"
#include "methods/theta.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    const struct implicit_method *method = w->stepper->table;
    struct implicit_rk *m = w->method;
    int most = 0;
    for (int i = 0; i < method->count; i++) {
        if (method->kind == IMPLICIT_THETA) implicit_table_theta(&m->table[i], KEEL_VALUE(o, theta));
        else implicit_table_fill(&m->table[i], method->kind, method->stages[i]);
        if (method->stages[i] > most) most = method->stages[i];
    }
    m->system = method->system;
    m->n = w->n + (m->system ? m->system->layout(p, w) : 0);
    m->width = m->system ? (m->n + 3) / 4 * 4 : w->width;
    size_t width = (size_t)m->width, rows = (size_t)most * width;
    m->y = keel_work_doubles(w, m->system ? width : 0);
    m->memory = (struct implicit_memory *)keel_work_doubles(w, sizeof *m->memory / sizeof(double));
    m->ready = w->carried = keel_work_doubles(w, KEEL_IMPLICIT_MEMORY(rows));
    m->last = m->ready ? keel_implicit_last(m->ready) : NULL;
    m->k = keel_work_doubles(w, rows);
    m->z = keel_work_doubles(w, rows);
    m->stage = keel_work_doubles(w, width);
    m->scale = keel_work_doubles(w, width);
    m->residual = keel_work_doubles(w, 2 * rows);
    m->moved = keel_work_doubles(w, rows + width);
    m->start_nodes = 0;
    implicit_newton_layout(p, o, w);
}

int implicit_choice(const keel_work *w) {
    const struct implicit_method *method = w->stepper->table;
    const struct implicit_rk *m = w->method;
    double choice = m->memory->choice;
    return choice > 0 && choice < method->count ? (int)choice : 0;
}

/* The table of the last step, or NULL. */
static const struct implicit_table *of_last(const keel_work *w) {
    const struct implicit_method *method = w->stepper->table;
    const struct implicit_rk *m = w->method;
    for (int i = 0; i < method->count; i++)
        if ((double)m->table[i].s == m->memory->known) return &m->table[i];
    return NULL;
}

/* Weights of the last step's K from `skipped` on, and of its length times the rate now, in the start values
 * of Z. */
static void find_start_weights(keel_work *w, const struct implicit_table *last,
                               const struct implicit_table *table, int skipped, int nodes, double from,
                               double ratio) {
    struct implicit_rk *m = w->method;
    implicit_start_weights(last, table, skipped, nodes, from, ratio, m->start);
    m->start_ratio = ratio;
    m->start_from = last->s;
    m->start_to = table->s;
    m->start_nodes = nodes;
}

/* How many of the last step's K continue it.  In Newton's form, from the end backwards, the rate at the end
 * of the new step is sum_k P_k(theta) [K_s, .., K_{s-k}]: a series that is worth its terms as long as they
 * become smaller.  With seven stages and a step half as long again, what Newton's iteration has left in K
 * grows by 10^7, and the last terms would be nothing else. */
static int worth_continuing(keel_work *w, const struct implicit_table *last, double theta) {
    struct implicit_rk *m = w->method;
    const double *c = last->c;
    double size[IMPLICIT_STAGES], reach = 1;
    int s = last->s;
    for (int k = 0; k < s; k++) {
        double weight[IMPLICIT_STAGES];
        for (int j = s - 1 - k; j < s; j++) {
            weight[j] = reach;
            for (int i = s - 1 - k; i < s; i++) weight[j] /= i == j ? 1 : c[j] - c[i];
        }
        for (int i = 0; i < w->n; i++) {
            double sum = 0;
            for (int j = s - 1 - k; j < s; j++) sum += weight[j] * m->last[(long)j * m->width + i];
            m->stage[i] = sum;
        }
        size[k] = implicit_size(w, 1, m->stage);
        reach *= theta - c[s - 1 - k];
    }
    while (s > 1 && size[s - 1] > fmax(size[s - 2], s > 2 ? size[s - 3] : 0)) s--;
    return s;
}

/* Z from the last step's polynomial, continued; a replay begins where that step began. */
static void start(keel_work *w, const keel_attempt *a, const struct implicit_table *table, int newton) {
    struct implicit_rk *m = w->method;
    const struct implicit_table *last = a->first ? NULL : of_last(w);
    size_t rows = (size_t)table->s * (size_t)m->width;
    if (newton && !table->regular) last = NULL;
    if (!last) {
        memset(m->z, 0, rows * sizeof(double));
        for (int i = 0; i < table->s && !newton; i++)
            for (int c = 0; c < w->width; c++) m->z[(long)i * m->width + c] = table->c[i] * a->h * a->f[c];
        return;
    }
    double ratio = a->h / m->memory->last_h, last_h = m->memory->last_h;
    int with_rate = !newton && !a->replay && last->c[last->s - 1] < 1;
    int skipped = w->rtol > 0 && !a->replay ? last->s - worth_continuing(w, last, 1 + ratio) : 0;
    int nodes = last->s - skipped + with_rate;
    int known = m->start_ratio == ratio && m->start_from == last->s && m->start_to == table->s &&
                m->start_nodes == nodes && !a->replay;
    if (!known) find_start_weights(w, last, table, skipped, nodes, a->replay ? 0 : 1, ratio);
    if (a->replay) m->start_nodes = 0;
    keel_implicit_start((const double(*)[KEEL_STAGES + 1]) m->start, table->s, skipped, last->s, with_rate,
                        last_h, m->width, a->f, m->last, m->z);
}

/* A state at rest shows the size of its rates at the end of the step; rates that show nowhere count as 1. */
static void scale_to_state(keel_work *w, const keel_attempt *a) {
    const struct implicit_rk *m = w->method;
    double largest = keel_implicit_scale(w->n, a->h, a->x, a->f, m->scale);
    if (largest > 0) return;
    if (w->n > 0 && keel_rhs(w, a->t + a->h, a->x, m->stage) == KEEL_OK)
        largest = keel_implicit_scale(w->n, a->h, a->x, m->stage, m->scale);
    w->code = 0;
    for (int c = 0; c < w->n && !(largest > 0); c++) m->scale[c] = 1e-6 * fabs(a->h);
}

enum { PATIENCE = 64 };

/* Fixed steps: iterate, or Newton. */
static keel_status solve(keel_work *w, const keel_attempt *a, const struct implicit_table *table) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    int converged = 0;
    keel_status status = KEEL_OK;
    if (memory->newton == 0 || memory->patience <= 0) {
        keel_implicit shape = implicit_shape(table);
        keel_implicit_room room = implicit_room(w);
        start(w, a, table, 0);
        status = (keel_status)keel_implicit_iterate(&shape, &room, implicit_rate, w, stage_sums, a->t, a->h,
                                                    a->x, a->f, &converged);
        if (status < 0) return status;
        if (!a->replay) memory->newton = !converged;
        if (!a->replay && !converged) memory->patience = PATIENCE;
        if (converged) return KEEL_OK;
        w->code = 0;
    }
    start(w, a, table, 1);
    if (!a->replay) memory->patience--;
    return implicit_newton(w, a, table);
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    if (a->first && !a->replay) {
        struct implicit_memory before = *memory;
        *memory = (struct implicit_memory){.contraction = 1};
        if (before.rejections > 0) { /* the same step again, shorter */
            memory->rejections = before.rejections;
            memory->failures = before.failures;
            memory->distrust = before.distrust;
        }
    }
    const struct implicit_table *table = a->replay ? of_last(w) : NULL;
    if (!table) table = &m->table[implicit_choice(w)];
    int adaptive = w->rtol > 0, newton = adaptive || m->system;
    keel_status status = m->system ? m->system->begin(w, a) : KEEL_OK;
    if (status != KEEL_OK) return status;
    m->from = m->system ? m->y : a->x;
    memory->shrink = 0;
    if (adaptive) implicit_estimate_scale(w, a);
    else scale_to_state(w, a);
    if (m->system) m->system->weigh(w, a->h, m->scale);
    if (newton) start(w, a, table, 1);
    if (w->n > 0) status = newton ? implicit_newton(w, a, table) : solve(w, a, table);
    if (status != KEEL_OK) return status;
    keel_implicit shape = implicit_shape(table);
    keel_implicit_room room = implicit_room(w);
    keel_implicit_end(&shape, &room, w->width, stage_sums, a->dx);
    for (int c = w->n; c < w->width; c++) a->dx[c] = 0;
    if (a->error[0] && w->n > 0) status = implicit_estimate(w, a);
    return status == KEEL_OK && m->system ? m->system->end(w, a) : status;
}

static void accept(keel_work *w, const keel_segment *s) {
    struct implicit_rk *m = w->method;
    const struct implicit_method *method = w->stepper->table;
    int stages = m->table[0].s;
    for (int i = 1; i < method->count; i++) /* `next` may have chosen another order by now */
        if (m->memory->factored_choice == i) stages = m->table[i].s;
    memcpy(m->last, m->k, (size_t)stages * (size_t)m->width * sizeof(double));
    if (m->system) m->system->accept(w, stages);
    m->memory->known = stages;
    m->memory->last_h = s->h;
    int iterated = w->rtol == 0 && !m->system && m->memory->newton == 0;
    *m->ready = iterated ? s->h : 0;
}

/* The collocation polynomial; the small mismatch at a corrected end fades out with flat slopes. */
static void dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const struct implicit_rk *m = w->method;
    const struct implicit_table *table = of_last(w);
    if (!table) table = &m->table[0]; /* a saved state that was forged: any values, and no crash */
    double weight[IMPLICIT_STAGES + 1], fade = theta * theta * (3 - 2 * theta);
    implicit_integrals(table->s, table->c, 0, theta, weight);
    for (int c = 0; c < w->width; c++) {
        double here = 0, end = 0;
        for (int j = 0; j < table->s; j++) {
            here += weight[j] * m->last[(long)j * m->width + c];
            end += table->b[j] * m->last[(long)j * m->width + c];
        }
        x[c] = s->x[c] + here + fade * (s->x_end[c] - (s->x[c] + end));
    }
}

#define HLW "Hairer, Lubich, Wanner 2006"
#define HW "Hairer, Wanner 1996"
#define METHOD(method, the_order, the_kind, s, the_traits, what, source)                                  \
    .info = {.name = method,                                                                              \
             .about = what,                                                                               \
             .reference = source,                                                                         \
             .order = the_order,                                                                          \
             .traits = KEEL_IMPLICIT | KEEL_RUNGE_KUTTA | (the_traits)},                                  \
    .table = &(const struct implicit_method){the_kind, 1, {s}, NULL}, .size = sizeof(struct implicit_rk), \
    .layout = layout, .attempt = attempt, .accept = accept
#define GAUSS(order, s)                                                                     \
    {                                                                                       \
        METHOD("gauss" #order, order, IMPLICIT_GAUSS, s, GEOMETRIC, "Gauss, " #s " stages", \
               "Butcher 1964; " HLW)                                                        \
    }
#define GEOMETRIC (KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_QUADRATIC)
#define RADAU(order, s) \
    { METHOD("radau" #order, order, IMPLICIT_RADAU_2A, s, 0, "Radau IIA, " #s " stages", "Ehle 1969; " HW) }
#define RADAU_ADAPTIVE(order, s, dense_order)                                                           \
    {                                                                                                   \
        METHOD("radau" #order, order, IMPLICIT_RADAU_2A, s, KEEL_ADAPTIVE,                              \
               "Radau IIA, " #s " stages, with dense output of order " #dense_order, "Ehle 1969; " HW), \
            .error_order = (s) + 1, .dense = dense, .next = implicit_radau_next                         \
    }
#define LOBATTO(letter, order, the_kind, s, traits)                                     \
    {                                                                                   \
        METHOD("lobatto3" #letter #order, order, the_kind, s, traits,                   \
               "Lobatto III" #letter ", " #s " stages", "Ehle 1969; Chipman 1971; " HW) \
    }

#define CONSTRAINED(method, the_order, trait, the_system, interpolant, what, source)                      \
    {                                                                                                     \
        .info = {.name = method,                                                                          \
                 .about = what,                                                                           \
                 .reference = source,                                                                     \
                 .order = the_order,                                                                      \
                 .traits = KEEL_IMPLICIT | KEEL_ADAPTIVE | KEEL_SPARSE_FORCES | (trait)},                 \
        .error_order = 4,                                                                                 \
        .table = &(const struct implicit_method){IMPLICIT_RADAU_2A, 1, {3}, &(the_system)},               \
        .size = sizeof(struct implicit_mechanics), .refuse = implicit_mechanics_refuse, .layout = layout, \
        .attempt = attempt, .accept = accept, .dense = interpolant, .next = implicit_radau_next           \
    }

enum { TRAPEZOID = 8 }; /* its place in the list */

const keel_stepper implicit_rk_methods[] = {
    {METHOD("midpoint", 2, IMPLICIT_GAUSS, 1, GEOMETRIC, "implicit midpoint rule: Gauss, 1 stage", HLW)},
    GAUSS(4, 2),
    GAUSS(6, 3),
    GAUSS(8, 4),
    GAUSS(10, 5),
    GAUSS(12, 6),
    GAUSS(14, 7),
    GAUSS(16, 8),
    [TRAPEZOID] = {METHOD("trapezoid", 2, IMPLICIT_LOBATTO_3A, 2, KEEL_SYMMETRIC_STEP,
                          "implicit trapezoidal rule: Lobatto IIIA, 2 stages", "Crank, Nicolson 1947; " HW)},
    LOBATTO(a, 4, IMPLICIT_LOBATTO_3A, 3, KEEL_SYMMETRIC_STEP),
    LOBATTO(a, 6, IMPLICIT_LOBATTO_3A, 4, KEEL_SYMMETRIC_STEP),
    LOBATTO(a, 8, IMPLICIT_LOBATTO_3A, 5, KEEL_SYMMETRIC_STEP),

    LOBATTO(b, 4, IMPLICIT_LOBATTO_3B, 3, KEEL_SYMMETRIC_STEP),
    LOBATTO(b, 6, IMPLICIT_LOBATTO_3B, 4, KEEL_SYMMETRIC_STEP),
    LOBATTO(b, 8, IMPLICIT_LOBATTO_3B, 5, KEEL_SYMMETRIC_STEP),
    LOBATTO(c, 2, IMPLICIT_LOBATTO_3C, 2, 0),
    LOBATTO(c, 4, IMPLICIT_LOBATTO_3C, 3, 0),
    LOBATTO(c, 6, IMPLICIT_LOBATTO_3C, 4, 0),
    LOBATTO(c, 8, IMPLICIT_LOBATTO_3C, 5, 0),
    {METHOD("theta", 2, IMPLICIT_THETA, 1, GEOMETRIC,
            "theta method: f at (1 - theta) x + theta x1; --theta, 1/2 if not given", HW),
     .info.fields = theta_fields},
    {METHOD("backward-euler", 1, IMPLICIT_RADAU_2A, 1, 0, "implicit Euler: Radau IIA, 1 stage", HW)},
    RADAU(3, 2),
    RADAU_ADAPTIVE(5, 3, 4),
    RADAU(7, 4),
    RADAU(9, 5),
    RADAU(11, 6),
    RADAU(13, 7),
    {.info = {.name = "radau",
              .about =
                  "Radau IIA of order 5, 9 or 13, chosen on the way, with dense output of order 4, 6 or 8; "
                  "for stiff problems",
              .reference = "Hairer, Wanner 1999",
              .order = 5,
              .traits = KEEL_IMPLICIT | KEEL_RUNGE_KUTTA | KEEL_ADAPTIVE},
     .error_order = 4,
     .table = &(const struct implicit_method){IMPLICIT_RADAU_2A, 3, {3, 5, 7}, NULL},
     .size = sizeof(struct implicit_rk),
     .layout = layout,
     .attempt = attempt,
     .accept = accept,
     .dense = dense,
     .next = implicit_radau_next},
    CONSTRAINED(
        "radau-ggl", 5, KEEL_CONSTRAINED, implicit_ggl, dense,
        "Radau IIA, 3 stages, on constrained mechanics of index 2: q' = v - M^-1 G^T mu, g = 0, G v = 0",
        "Gear, Gupta, Leimkuhler 1985; " HW),
    CONSTRAINED("radau-index3", 3, KEEL_AS_GIVEN, implicit_index3, dense,
                "Radau IIA, 3 stages, on constrained mechanics as it stands, g = 0: positions of order 5, "
                "velocities of order 3",
                "Hairer, Lubich, Roche 1989; Jay 1993"),
    COMPOSITIONS("midpoint", "midpoint", KEEL_IMPLICIT | GEOMETRIC, implicit_rk_methods[0],
                 struct implicit_rk, NULL, HLW),
    COMPOSITIONS("trapezoid", "trapezoidal", KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP,
                 implicit_rk_methods[TRAPEZOID], struct implicit_rk, NULL, "Crank, Nicolson 1947"),
    {.info = {.name = NULL}},
};
