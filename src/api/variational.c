/* variational.c - see keel/sensitivity.h.
 *
 * Mechanics and hamiltonians become x' = f; with constraints, whose forces constrained.c finds, on the
 * manifold of their hidden rows.  The Jacobians of the variational problem would need second derivatives of
 * the problem's functions and are left to differences. */
#include "api/variational.h"

#include "base/text.h"

#include <keel/events.h>
#include <keel/form.h>

#include <stdlib.h>
#include <string.h>

enum { NAME = 160 };

int keel_variational_place(const keel_variational *v, int i, int k) {
    if (!v || !v->copies || i < 0 || i >= v->of.n + v->of.m || k < -1 || k >= v->by.count) return -1;
    if (i < v->of.n) return (k + 1) * v->of.n + i;
    return v->copies * v->of.n + (k + 1) * v->of.m + i - v->of.n;
}

/* The unknowns of the problem itself, or those of direction k, side by side. */
static const double *take(keel_variational *v, const double *u, int k) {
    for (int i = 0; i < v->of.n + v->of.m; i++) v->u[i] = u[keel_variational_place(v, i, k)];
    return v->u;
}

static double times(const keel_map *map, const double *jacobian, int row, int columns, const double *vector) {
    double sum = 0;
    if (map->pattern) {
        for (int e = map->pattern->row_start[row]; e < map->pattern->row_start[row + 1]; e++)
            sum += jacobian[e] * vector[map->pattern->column[e]];
        return sum;
    }
    for (int j = 0; j < columns; j++) sum += jacobian[(long)row * columns + j] * vector[j];
    return sum;
}

/* out[copies * count]: the map, then map_u S + map_p in each direction. */
static int linearise(keel_variational *v, const keel_map *map, keel_fn *partial, int columns, double t,
                     const double *u, double *out) {
    void *user = v->of.user;
    int count = map->count, code = map->value(t, take(v, u, -1), out, user);
    if (code == 0) code = map->jacobian(t, v->u, v->jacobian, user);
    if (code == 0 && partial) code = partial(t, v->u, v->partial, user);
    for (int k = 0; k < v->by.count && code == 0; k++) {
        const double *s = take(v, u, k);
        for (int i = 0; i < count; i++)
            out[(k + 1) * count + i] =
                times(map, v->jacobian, i, columns, s) + (partial ? v->partial[k * count + i] : 0);
    }
    return code;
}

static int rates(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    return linearise(v, &v->of.f, v->by.f, v->of.n + v->of.m, t, u, out);
}

/* The same for q' = v, M v' = F. */
static int motions(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    const keel_map *force = &v->of.f;
    int n = v->of.n, half = n / 2, code = force->value(t, take(v, u, -1), out + half, v->of.user);
    if (code == 0) code = force->jacobian(t, v->u, v->jacobian, v->of.user);
    if (code == 0 && v->by.f) code = v->by.f(t, v->u, v->partial, v->of.user);
    for (int k = -1; k < v->by.count && code == 0; k++) {
        const double *s = take(v, u, k);
        double *rate = out + (k + 1) * n;
        memcpy(rate, s + half, (size_t)half * sizeof *rate);
        for (int i = 0; i < half && k >= 0; i++)
            rate[half + i] = times(force, v->jacobian, i, n, s) + (v->by.f ? v->partial[k * half + i] : 0);
    }
    return code;
}

static int equations(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    return linearise(v, &v->of.algebraic, v->by.algebraic, v->of.n + v->of.m, t, u, out);
}

static int invariants(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    int code = 0, energies = v->of.energy.count;
    if (energies) code = linearise(v, &v->of.energy, v->by.energy, v->of.n, t, u, out);
    if (code || v->of.invariant.count == 0) return code;
    return linearise(v, &v->of.invariant, v->by.invariant, v->of.n, t, u, out + v->copies * energies);
}

/* The mass of every copy is that of x; of mechanics that of v, and 1 for q. */
static int masses(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    int n = v->of.n, all = v->copies * n, first = v->second ? n / 2 : 0, order = n - first;
    int code = v->of.mass.value(t, take(v, u, -1), v->jacobian, v->of.user);
    memset(out, 0, (size_t)all * (size_t)all * sizeof *out);
    for (int c = 0; c < v->copies && code == 0; c++) {
        double *block = out + (long)c * n * all + c * n;
        for (int i = 0; i < first; i++) block[(long)i * all + i] = 1;
        for (int i = 0; i < order; i++)
            memcpy(block + (long)(first + i) * all + first, v->jacobian + (long)i * order,
                   (size_t)order * sizeof *out);
    }
    return code;
}

static int magnitudes(double t, const double *u, double *out, void *user) {
    const keel_variational *v = user;
    (void)t, (void)u;
    memcpy(out, v->by.value, (size_t)v->by.count * sizeof *out);
    return 0;
}

static int happenings(double t, const double *u, double *out, void *user) {
    keel_variational *v = user;
    return v->of.event.value(t, take(v, u, -1), out, v->of.user);
}

/* Is x' = f as it stands, or easily written so?  So are a hamiltonian by its f, and mechanics by q' = v. */
static int is_explicit(const keel_problem *p) {
    unsigned traits = keel_problem_traits(p);
    if (p->hidden.count || p->rolling.count) return 0;
    if (traits & KEEL_SECOND_ORDER) return 2 * p->f.count == p->n;
    return traits & KEEL_FIRST_ORDER || p->f.value != NULL;
}

/* What cannot be linearised, in words; NULL: all can. */
static const char *obstacle(const keel_problem *p, const keel_parameters *by) {
    int switches = 0;
    for (int i = 0; i < p->event.count && p->event_kind; i++)
        switches |= p->event_kind[i] == KEEL_SURFACE || p->event_kind[i] == KEEL_STAIRCASE;
    if (by->count < 1) return "there is no parameter to differentiate by";
    if (p->clock) return "with a clock derivatives would be those at equal tau, not at equal times";
    if (!p->u0) return "the problem has no start";
    if (constrained_needed(p)) {
        const char *why = constrained_obstacle(p, by);
        if (why) return why;
    } else if (!is_explicit(p))
        return "only ODE and DAE of index 1, mechanics and hamiltonians are linearised here; write the "
               "others as "
               "a model";
    if (switches) return "switching surfaces are not linearised here; write the problem as a model";
    if (p->mass.value && (p->mass.pattern || !p->mass.constant))
        return "a mass matrix must be constant and dense";
    if ((p->n && !p->f.jacobian && !constrained_needed(p)) || (p->m && !p->algebraic.jacobian) ||
        (p->energy.count && !p->energy.jacobian) || (p->invariant.count && !p->invariant.jacobian))
        return "f, the algebraic equations, energy and invariants need their jacobians";
    return NULL;
}

static size_t entries(const keel_map *map, int columns) {
    return map->pattern ? (size_t)map->pattern->nnz : (size_t)map->count * (size_t)columns;
}

static int allocate(keel_variational *v) {
    const keel_problem *p = &v->of;
    size_t all = (size_t)p->n + (size_t)p->m, copies = (size_t)v->copies, unknowns = copies * all;
    size_t rows = copies * (size_t)v->rows, hidden = 2 * copies * (size_t)p->constraint.count, most = all;
    if ((size_t)v->rows > most) most = (size_t)v->rows;
    size_t jacobian = entries(&p->f, p->n + p->m) + entries(&p->algebraic, p->n + p->m) +
                      entries(&p->energy, p->n) + entries(&p->invariant, p->n) + (size_t)p->n * (size_t)p->n;
    v->u = calloc(all + 1, sizeof(double));
    v->jacobian = calloc(jacobian + 1, sizeof(double));
    v->partial = calloc(copies * most + 1, sizeof(double));
    v->start = calloc(unknowns + 1, sizeof(double));
    v->atol = calloc(unknowns + 1, sizeof(double));
    v->scale = calloc(unknowns + 1, sizeof(double));
    v->fixed = calloc(unknowns + 1, 1);
    v->array_of = calloc(copies * (size_t)p->n + 1, sizeof(int));
    v->direction = calloc(unknowns + 1, sizeof(int));
    v->primal = calloc(unknowns + 1, sizeof(int));
    v->names = calloc(unknowns + 1, sizeof *v->names);
    v->row_names = calloc(rows + 1, sizeof *v->row_names);
    v->hidden_names = calloc(hidden + 1, sizeof *v->hidden_names);
    v->text = calloc(unknowns + rows + hidden + 1, NAME);
    return v->u && v->jacobian && v->partial && v->start && v->atol && v->scale && v->fixed && v->array_of &&
           v->direction && v->primal && v->names && v->row_names && v->hidden_names && v->text;
}

/* `d/dg x`, in the next place of the text. */
static const char *named(const keel_variational *v, char **at, int k, const char *name) {
    char p[32];
    text_set(p, sizeof p, "p%d", k);
    if (k < 0) text_set(*at, NAME, "%s", name);
    else text_set(*at, NAME, "d/d%.60s %.80s", v->by.names ? v->by.names[k] : p, name);
    *at += NAME;
    return *at - NAME;
}

static void name_rows(keel_variational *v, char **text) {
    const keel_map *map[] = {&v->of.energy, &v->of.invariant};
    int at = 0;
    for (int k = -1; k < v->by.count && v->constrained; k++)
        for (int i = 0; i < constrained_row_count(v->constrained); i++) {
            char name[100];
            constrained_row_name(v->constrained, i, name, sizeof name);
            v->hidden_names[at++] = named(v, text, k, name);
        }
    at = 0;
    for (int l = 0; l < 2; l++)
        for (int k = -1; k < v->by.count; k++)
            for (int i = 0; i < map[l]->count; i++) {
                char number[40];
                text_set(number, sizeof number, l ? "invariant %d" : "energy", i);
                v->row_names[at++] = named(v, text, k, map[l]->names ? map[l]->names[i] : number);
            }
}

static void fill_unknowns(keel_variational *v) {
    const keel_problem *p = &v->of;
    char *text = v->text;
    for (int k = -1; k < v->by.count; k++)
        for (int i = 0; i < p->n + p->m; i++) {
            char number[40];
            int at = keel_variational_place(v, i, k), all = p->n + p->m;
            text_set(number, sizeof number, "u%d", i);
            v->names[at] = named(v, &text, k, p->names ? p->names[i] : number);
            v->fixed[at] = p->fixed ? p->fixed[i] : i < p->n;
            if (k >= 0) v->start[at] = v->by.u0 ? v->by.u0[(long)k * all + i] : 0;
            else v->start[at] = p->u0[i];
            if (k < 0 && p->atol) v->atol[at] = p->atol[i];
            if (k < 0 && p->scale) v->scale[at] = p->scale[i];
            v->direction[at] = k;
            v->primal[at] = k < 0 ? -1 : keel_variational_place(v, i, -1);
            if (i < p->n) v->array_of[at] = (k + 1) * p->n + (p->array_of ? p->array_of[i] : i);
        }
    name_rows(v, &text);
}

/* x' with the forces of constraints, along what these hide. */
static void fill_constrained(keel_variational *v) {
    keel_problem *q = &v->problem;
    int rows = v->copies * constrained_row_count(v->constrained);
    q->f = (keel_map){.count = q->n, .value = constrained_rates, .autonomous = v->of.f.autonomous};
    q->mass = (keel_matrix){0};
    if (rows == 0) return;
    q->form = KEEL_DAE;
    q->hidden =
        (keel_map){.count = rows, .value = constrained_rows, .names = v->hidden_names, .autonomous = 1};
}

static void fill(keel_variational *v) {
    const keel_problem *p = &v->of;
    fill_unknowns(v);
    v->problem = *p;
    keel_problem *q = &v->problem;
    if (!(keel_problem_traits(p) & KEEL_FIRST_ORDER)) q->form = 0; /* x' = f as it stands */
    q->structure = (keel_matrix){0};
    q->velocity = (keel_map){0};
    q->curvature = NULL;
    q->n = v->copies * p->n, q->m = v->copies * p->m;
    q->u0 = v->start, q->fixed = v->fixed, q->names = v->names;
    q->atol = p->atol ? v->atol : NULL, q->scale = p->scale ? v->scale : NULL;
    q->array_of = p->array_of ? v->array_of : NULL;
    keel_fn *rate = v->second ? motions : rates;
    q->f = (keel_map){.count = p->n ? q->n : 0, .value = p->n ? rate : NULL, .autonomous = p->f.autonomous};
    q->algebraic = (keel_map){.count = q->m, .value = p->m ? equations : NULL};
    q->mass = (keel_matrix){.value = p->mass.value ? masses : NULL, .constant = p->mass.constant};
    q->energy = (keel_map){0};
    q->invariant =
        (keel_map){.count = v->copies * v->rows, .value = v->rows ? invariants : NULL, .names = v->row_names};
    if (p->event.count)
        q->event = (keel_map){.count = p->event.count, .value = happenings, .names = p->event.names};
    v->extras.variations = (keel_variations){v->by.count, v->direction, v->primal,
                                             .magnitudes = v->by.value ? magnitudes : NULL};
    q->constraint = (keel_map){0};
    if (v->constrained) fill_constrained(v);
    q->extras = &v->extras;
    q->user = v;
}

keel_variational *keel_variational_open(const keel_problem *problem, const keel_parameters *by) {
    keel_variational *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    const char *why = problem && by ? obstacle(problem, by) : "a problem and its parameters are needed";
    if (why) return text_set(v->message, sizeof v->message, "keel_variational_open: %s", why), v;
    v->of = *problem, v->by = *by;
    v->copies = 1 + by->count;
    v->rows = problem->energy.count + problem->invariant.count;
    v->second = (keel_problem_traits(problem) & KEEL_SECOND_ORDER) != 0;
    if (!allocate(v)) return keel_variational_close(v), NULL;
    if (constrained_needed(problem)) v->constrained = constrained_open(v, &why);
    if (why) v->copies = 0;
    if (why) return text_set(v->message, sizeof v->message, "keel_variational_open: %s", why), v;
    if (constrained_needed(problem) && !v->constrained) return keel_variational_close(v), NULL;
    fill(v);
    return v;
}

void keel_variational_close(keel_variational *v) {
    if (!v) return;
    free(v->u), free(v->jacobian), free(v->partial), free(v->start), free(v->atol), free(v->scale);
    free(v->fixed), free(v->array_of), free(v->direction), free(v->primal), free(v->names),
        free(v->row_names), free(v->hidden_names), free(v->text);
    constrained_close(v->constrained);
    free(v);
}

const keel_problem *keel_variational_problem(const keel_variational *v) {
    return v && v->copies ? &v->problem : NULL;
}

const char *keel_variational_message(const keel_variational *v) {
    return v ? v->message : "there is no variational problem";
}
