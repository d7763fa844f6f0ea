/* splitting.c - kicks and drifts: explicit symplectic methods for H = T(p) + V(q), and for M v' = F(t,q).
 *
 *     kick b:   p := p - b h V'(q),      drift a:   q := q + a h T'(p)
 *
 * in turns b_1 a_1 b_2 ... a_s b_s+1, or with the parts exchanged (drift first).  H may depend on t: kicks
 * happen at the time the drifts have reached, drifts at the time the kicks have.  So t is a momentum to T,
 * and tables whose order rests on T being quadratic (Runge-Kutta-Nystrom) would lose it where T depends on
 * t: there time goes with q alone, T + p_t is quadratic, and its flow, q += integral of T'(t,p) dt, is
 * taken by Gauss's two nodes.
 *
 * Where H is not such a sum, the same numbers compose the two symplectic Euler methods
 *
 *     A(c):  p1 = p - c h H_q(q,p1),  q1 = q + c h H_p(q,p1);     B(c):  q1 = q + c h H_p(q1,p),  p1 = ...
 *
 * as ... A(d_2) B(c_1) A(d_1) with d_1 = b_1, c_1 = a_1 - d_1, d_2 = b_2 - c_1, ...: the conditions for the
 * order are the same (McLachlan 1995; Hairer, Lubich, Wanner, Geometric Numerical Integration, II.4, VI.3).
 * Each half step is then solved by iteration. */
#include <keel/method.h>
#include <keel/splitting.h>

#include "base/text.h"
#include "methods/increment.h"
#include "methods/sampled.h"
#include "methods/splitting_tables.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { Q = KEEL_Q, P = KEEL_P };
enum { UNKNOWN, SEPARABLE, COUPLED, DRIVEN }; /* DRIVEN: T(t,p), in a table of Nystrom's kind */

struct splitting {
    const keel_problem *problem;
    int of_mechanics; /* x = (q, v), not (q, p) */
    double *kind;     /* one of the above, once known */
    double *x;        /* width: the stage */
    double *rate;     /* width: the rate there */
    double *rest;     /* width: what the increment's sum lost to rounding; NULL: it may */
    double *change;   /* n/2: of the half that is solved for */
    struct increment solver;
    double *sample; /* SAMPLED_DOUBLES n */
    keel_splitting_memory memory;
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    unsigned traits = keel_problem_traits(p);
    if (p->structure.value)
        return "it is for canonical Hamiltonian problems, x = (q, p), without a structure";
    if (!(traits & KEEL_POSITIONS))
        return "it is for canonical Hamiltonian problems, x = (q, p), and for mechanics, x = (q, v)";
    if (p->constraint.count || p->rolling.count)
        return "it knows no constraints; use rattle, or any other method";
    if (traits & KEEL_CANONICAL) return NULL;
    if (p->mass.value && !p->mass.constant) return "the mass matrix must be constant; use any other method";
    int forces = sampled_forces(p);
    if (forces < 0) return text_no_memory;
    return forces ? NULL : "the forces must not depend on velocities; use any other method";
}

/* For tables whose order rests on T being quadratic (Runge-Kutta-Nystrom). */
static const char *refuse_general(const keel_problem *p, const keel_options *o) {
    const char *reason = refuse(p, o);
    if (reason || keel_problem_traits(p) & KEEL_SECOND_ORDER) return reason;
    int sum = sampled_separable(p, NULL), kinetic = sum > 0 ? sampled_kinetic(p, NULL) : sum;
    if (kinetic < 0) return text_no_memory;
    if (kinetic) return NULL;
    return "H must be T(p) + V(q) with T quadratic in p; blanes-moan4 takes any H";
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct splitting *m = w->method;
    size_t width = (size_t)w->width;
    m->problem = p;
    m->kind = keel_work_doubles(w, 1);
    m->x = keel_work_doubles(w, width);
    m->rate = keel_work_doubles(w, width);
    m->rest = o->compensated ? keel_work_doubles(w, width) : NULL;
    m->of_mechanics = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    size_t solved = m->of_mechanics ? 0 : (size_t)p->n / 2; /* mechanics needs no solving */
    m->change = keel_work_doubles(w, solved);
    increment_layout(&m->solver, w, solved);
    m->sample = keel_work_doubles(w, 2 * solved * SAMPLED_DOUBLES);
    int stages = ((const struct splitting_table *)w->stepper->table)->stages;
    w->carried = keel_work_doubles(w, KEEL_SPLITTING_MEMORY(width, stages));
    if (w->carried) m->memory = keel_splitting_at(w->carried, w->width, stages);
}

/* The lengths of kicks and drifts in a step of h. */
static void cut(const keel_work *w, double h) {
    const struct splitting_table *table = w->stepper->table;
    const keel_splitting_memory *m = &((const struct splitting *)w->method)->memory;
    int s = table->stages;
    if (*m->h == h) return;
    *m->h = h;
    for (int i = 0; i < s; i++) m->inner[i] = splitting_inner(table, i);
    for (int i = 0; i <= s; i++) m->outer[i] = splitting_outer(table, i);
    composition_cut(h, s, m->inner);
    if (!table->weights) composition_cut(h, s + 1, m->outer);
    for (int i = 0; i <= s && table->weights; i++)
        m->outer[i] = 0.5 * ((i > 0 ? m->inner[i - 1] : 0) + (i < s ? m->inner[i] : 0));
}

/* The rate of q at both nodes of a drift from t, the mean of the two. */
__attribute__((noinline)) static keel_status find_mean_rate(keel_work *w, double t, double length) {
    static const double node = 0.28867513459481287; /* sqrt(3)/6 */
    struct splitting *m = w->method;
    keel_status status = keel_rhs(w, t + (0.5 - node) * length, m->x, m->rate);
    if (status != KEEL_OK) return status;
    memcpy(m->change, m->rate, (size_t)(w->n / 2) * sizeof *m->rate);
    status = keel_rhs(w, t + (0.5 + node) * length, m->x, m->rate);
    for (int j = 0; j < w->n / 2; j++) m->rate[j] = 0.5 * (m->rate[j] + m->change[j]);
    return status;
}

/* A keel_splitting_rate.  In mechanics q' = v costs nothing. */
static int find_rate(int part, double t, double begin, double length, const double *x, double *out,
                     void *context) {
    keel_work *w = context;
    const struct splitting *m = w->method;
    if (part == P || (!m->of_mechanics && *m->kind != DRIVEN)) return keel_rhs(w, t, x, out);
    if (!m->of_mechanics) return find_mean_rate(w, begin, length);
    memcpy(out, x + w->n / 2, (size_t)(w->n / 2) * sizeof *out);
    return KEEL_OK;
}

static keel_splitting shape_of(const keel_work *w) {
    const struct splitting_table *table = w->stepper->table;
    return (keel_splitting){w->n / 2, table->stages, table->drift_first};
}

/* The first stage of a step is where the last one of the step before was, if that was one. */
static keel_status take_separable(keel_work *w, const keel_attempt *a) {
    struct splitting *m = w->method;
    const keel_splitting_memory *last = &m->memory;
    keel_splitting shape = shape_of(w);
    int known = !a->first && *last->known != 0 && keel_splitting_known(&shape, a->t, *last->t, a->x, last->x);
    if (known) memcpy(m->rate, last->rate, (size_t)w->width * sizeof *m->rate);
    return keel_splitting_step(&shape, last->outer, last->inner, find_rate, w, a->t, known, a->x, m->x,
                               m->rate, a->dx, m->rest);
}

/* One half of the increment grows by step times rate. */
static void advance(const keel_work *w, const keel_attempt *a, int part, double step) {
    const struct splitting *m = w->method;
    keel_splitting shape = shape_of(w);
    keel_splitting_turn(&shape, part, 1, step, a->x, m->rate, m->x, a->dx, m->rest);
}

struct half { /* to be solved for: by which step, at which time */
    keel_work *w;
    const keel_attempt *a;
    int from;
    double step, t;
};

static keel_status half_step(void *context, const double *d, double *out) {
    const struct half *c = context;
    struct splitting *m = c->w->method;
    int half = c->w->n / 2, from = c->from;
    for (int j = 0; j < half; j++) m->x[from + j] = c->a->x[from + j] + (c->a->dx[from + j] + d[j]);
    keel_status status = keel_rhs(c->w, c->t, m->x, m->rate);
    for (int j = 0; j < half; j++) out[j] = c->step * m->rate[from + j];
    return status;
}

/* One half at its own end; leaves the rate there. */
static keel_status solve_half(keel_work *w, const keel_attempt *a, int part, double step, double t) {
    struct splitting *m = w->method;
    struct half half = {w, a, part == Q ? 0 : w->n / 2, step, t};
    double size = 0;
    for (int j = 0; j < w->n / 2; j++) size = fmax(size, fabs(m->x[half.from + j]));
    return increment_solve(w, &m->solver, w->n / 2, half_step, &half, size, m->change);
}

static keel_status take_coupled(keel_work *w, const keel_attempt *a) {
    const struct splitting_table *table = w->stepper->table;
    struct splitting *m = w->method;
    int first = table->drift_first ? Q : P;
    double clock = 0, length = 0; /* time goes with q */
    for (int i = 0; i <= 2 * table->stages; i++) {
        int part = i % 2 == 0 ? first : 1 - first;
        length = (i % 2 == 0 ? m->memory.outer[i / 2] : m->memory.inner[i / 2]) - length;
        if (length == 0 || i == 2 * table->stages) continue;
        if (part == Q) clock += length;
        keel_status status = solve_half(w, a, part, length, a->t + clock);
        if (status != KEEL_OK) return status;
        advance(w, a, part, length);
        advance(w, a, 1 - part, length);
        if (part == P) clock += length;
    }
    return KEEL_OK;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct splitting *m = w->method;
    size_t bytes = (size_t)w->width * sizeof *a->dx;
    if (*m->kind == UNKNOWN) {
        int sum = m->of_mechanics || sampled_separable(m->problem, m->sample);
        *m->kind = sum ? SEPARABLE : COUPLED;
        int nystrom = ((const struct splitting_table *)w->stepper->table)->nystrom;
        if (nystrom && !m->of_mechanics && sampled_drifts(m->problem, m->sample) == 0) *m->kind = DRIVEN;
    }
    memset(a->dx, 0, bytes);
    if (m->rest) memset(m->rest, 0, bytes);
    memcpy(m->x, a->x, bytes);
    cut(w, a->h);
    *m->memory.ready = *m->kind == SEPARABLE ? a->h : 0;
    return *m->kind == COUPLED ? take_coupled(w, a) : take_separable(w, a);
}

static void accept(keel_work *w, const keel_segment *s) {
    const struct splitting *m = w->method;
    const keel_splitting_memory *last = &m->memory;
    size_t bytes = (size_t)w->width * sizeof(double);
    int stages = ((const struct splitting_table *)w->stepper->table)->stages;
    *last->known = *m->kind == SEPARABLE && last->outer[stages] != 0;
    if (*last->known == 0) return;
    *last->t = s->t + s->h;
    memcpy(last->x, m->x, bytes);
    memcpy(last->rate, m->rate, bytes);
}

#define METHOD(method, the_order, the_table, symmetric, why_not, what, source)                     \
    {                                                                                              \
        .info = {.name = method,                                                                   \
                 .about = what,                                                                    \
                 .reference = source,                                                              \
                 .order = the_order,                                                               \
                 .traits = KEEL_SYMPLECTIC | ((symmetric) ? KEEL_SYMMETRIC_STEP : 0)},             \
        .no_rhs = 1, .table = &(the_table), .size = sizeof(struct splitting), .refuse = (why_not), \
        .layout = layout, .attempt = attempt, .accept = accept                                     \
    }

const keel_stepper splitting_methods[] = {
    METHOD("symplectic-euler", 1, splitting_euler_kick, 0, refuse, "symplectic Euler, kick first",
           "de Vogelaere 1956"),
    METHOD("symplectic-euler-drift", 1, splitting_euler_drift, 0, refuse, "symplectic Euler, drift first",
           "de Vogelaere 1956"),
    METHOD("verlet", 2, splitting_verlet, 1, refuse, "Stormer-Verlet, kick first",
           "Stormer 1907; Verlet 1967"),
    METHOD("verlet-drift", 2, splitting_verlet_drift, 1, refuse, "Stormer-Verlet, drift first",
           "Stormer 1907; Verlet 1967"),
    METHOD("forest-ruth", 4, splitting_forest_ruth, 1, refuse, "three Verlet steps, drift first",
           "Forest, Ruth 1990"),
    METHOD("yoshida4", 4, splitting_yoshida4, 1, refuse, "three Verlet steps, kick first", "Yoshida 1990"),
    METHOD("mclachlan-atela4", 4, splitting_mclachlan_atela4, 0, refuse_general,
           "four kicks and drifts, for T quadratic in p", "McLachlan, Atela 1992"),
    METHOD("blanes-moan4", 4, splitting_blanes_moan4, 1, refuse, "six kicks and drifts with small errors",
           "Blanes, Moan 2002"),
    METHOD("yoshida6", 6, splitting_yoshida6, 1, refuse, "seven Verlet steps", "Yoshida 1990"),
    METHOD("kahan-li6", 6, splitting_kahan_li6, 1, refuse, "nine Verlet steps with small weights",
           "Kahan, Li 1997"),
    METHOD("blanes-moan6", 6, splitting_blanes_moan6, 1, refuse, "ten kicks and drifts with small errors",
           "Blanes, Moan 2002"),
    METHOD("yoshida8", 8, splitting_yoshida8, 1, refuse, "fifteen Verlet steps", "Yoshida 1990"),
    METHOD("kahan-li8", 8, splitting_kahan_li8, 1, refuse, "seventeen Verlet steps with small weights",
           "Kahan, Li 1997"),
    {.info = {.name = NULL}},
};
