/* validate.c - see validate.h. */
#include "core/validate.h"

#include "base/text.h"
#include "core/field.h"
#include "core/options.h"

#include <float.h>
#include <math.h>

enum { MOST = 1 << 25 };    /* of anything that is counted: sums and small multiples are ints */
enum { LARGEST = 1 << 28 }; /* entries of a dense matrix */

static int pattern_fits(char *why, size_t capacity, const keel_pattern *p, const char *what, int rows,
                        int columns) {
    if (!p) return 1;
    if (p->nnz < 0 || !p->row_start || (p->nnz > 0 && !p->column))
        return text_no(why, capacity, "the pattern of %s has no entries to point at", what);
    if (p->row_start[0] != 0 || p->row_start[rows] != p->nnz)
        return text_no(why, capacity, "the pattern of %s must start at 0 and end at nnz = %d", what, p->nnz);
    for (int i = 0; i < rows; i++)
        if (p->row_start[i] > p->row_start[i + 1])
            return text_no(why, capacity, "the rows of the pattern of %s are not in order", what);
    for (int e = 0; e < p->nnz; e++)
        if (p->column[e] < 0 || p->column[e] >= columns)
            return text_no(why, capacity, "the pattern of %s has column %d; there are 0 .. %d", what,
                           p->column[e], columns - 1);
    for (int i = 0; i < rows; i++)
        for (int e = p->row_start[i] + 1; e < p->row_start[i + 1]; e++)
            if (p->column[e] <= p->column[e - 1])
                return text_no(why, capacity,
                               "row %d of the pattern of %s names its columns out of order or twice", i,
                               what);
    return 1;
}

static int map_fits(char *why, size_t capacity, const keel_map *map, const char *what, int columns) {
    if (map->count < 0) return text_no(why, capacity, "%s.count is negative", what);
    if (map->count > MOST)
        return text_no(why, capacity, "%s.count is %d: there may be at most %d", what, map->count, MOST);
    if (map->count > 0 && !map->value)
        return text_no(why, capacity, "%s has a count of %d and no value function", what, map->count);
    if (map->count == 0 && map->value)
        return text_no(why, capacity, "%s has a value function and a count of 0", what);
    return pattern_fits(why, capacity, map->count ? map->pattern : NULL, what, map->count, columns);
}

/* Without a pattern of the constraints nobody reads it. */
static const keel_pattern *bend_of(const keel_problem *p) {
    return p->constraint.count && p->constraint.pattern ? keel_extras_of(p)->constraint_bend : NULL;
}

static int maps_fit(char *why, size_t capacity, const keel_problem *p) {
    int n = p->n, all = p->n + p->m, half = p->n / 2;
    int of_mass = keel_problem_traits(p) & KEEL_SECOND_ORDER ? half : n;
    return map_fits(why, capacity, &p->f, "f", all) &&
           map_fits(why, capacity, &p->algebraic, "algebraic", all) &&
           map_fits(why, capacity, &p->hidden, "hidden", n) &&
           map_fits(why, capacity, &p->energy, "energy", n) &&
           map_fits(why, capacity, &p->constraint, "constraint", half) &&
           map_fits(why, capacity, &p->rolling, "rolling", half) &&
           map_fits(why, capacity, &p->velocity, "velocity", n) &&
           map_fits(why, capacity, &p->invariant, "invariant", n) &&
           map_fits(why, capacity, &p->event, "event", n) &&
           map_fits(why, capacity, &keel_extras_of(p)->quadratic_forms, "extras.quadratic_forms", n) &&
           map_fits(why, capacity, &keel_extras_of(p)->energy_of_forms, "extras.energy_of_forms",
                    keel_extras_of(p)->quadratic_forms.count) &&
           map_fits(why, capacity, &keel_extras_of(p)->original_f, "extras.original_f",
                    n + keel_extras_of(p)->original_g.count) &&
           map_fits(why, capacity, &keel_extras_of(p)->original_g, "extras.original_g", n) &&
           pattern_fits(why, capacity, bend_of(p), "extras.constraint_bend",
                        p->constraint.pattern ? p->constraint.pattern->nnz : 0, half) &&
           pattern_fits(why, capacity, p->mass.value ? p->mass.pattern : NULL, "mass", of_mass, of_mass) &&
           pattern_fits(why, capacity, p->structure.value ? p->structure.pattern : NULL, "structure", n, n);
}

static int matrix_fits(char *why, size_t capacity, const keel_map *map, const char *what, int columns) {
    if ((double)map->count * columns <= LARGEST) return 1;
    return text_no(why, capacity,
                   "the jacobian of %s, %d x %d, is too large for the dense matrices of this version", what,
                   map->count, columns);
}

/* Constraints of a Hamiltonian with patterns, where the method goes the dense way: it ends where that of
 * mechanics does. */
static int constraints_fit(char *why, size_t capacity, const keel_problem *p) {
    int rows = p->constraint.count, known = p->constraint.pattern && p->velocity.pattern;
    if (!(keel_problem_traits(p) & KEEL_CANONICAL) || !known || (double)rows * rows * p->n <= LARGEST)
        return 1;
    return text_no(
        why, capacity, "%d constraints on %d coordinates are too many for dense matrices; sparse ones %s%s",
        rows, p->n / 2,
        !sparse_available()
            ? "need a keel that was built with KLU (SuiteSparse)"
            : "have methods without matrices of their own, rattle and spark, with stabilizers "
              "that project or only watch",
        !sparse_available() || p->f.pattern ? "" : "; implicit ones need f = (H_p, -H_q) with a pattern");
}

/* Dense matrices of a size that no machine will like. */
static int matrices_fit(char *why, size_t capacity, const keel_problem *p, const keel_options *o,
                        unsigned traits, unsigned stabilizer) {
    int n = p->n, all = p->n + p->m, half = p->n / 2, rows = p->constraint.count + p->rolling.count;
    int few = matrix_fits(why, capacity, &p->energy, "energy", n) &&
              matrix_fits(why, capacity, &p->invariant, "invariant", n) &&
              matrix_fits(why, capacity, &p->event, "event", n);
    int sparse =
        mechanics_goes_sparse(p, o, traits, stabilizer) || hamiltonian_goes_sparse(p, traits, stabilizer);
    if (!few || sparse) return few;
    if (keel_problem_traits(p) & KEEL_SECOND_ORDER && (double)rows * rows * n > LARGEST)
        return text_no(
            why, capacity,
            "%d constraints on %d coordinates are too many for dense matrices; sparse ones need %s%s%s", rows,
            half,
            sparse_available() ? "a jacobian with a pattern of the constraints"
                               : "a keel that was built with KLU (SuiteSparse)",
            sparse_available() && traits & KEEL_SPARSE_FORCES ? ", one of the forces" : "",
            sparse_available()
                ? " and a pattern of the mass, all rows kept and weighed by mass, and a method "
                  "without dense matrices of its own"
                : "");
    if (!constraints_fit(why, capacity, p)) return 0;
    /* f may go without a matrix, and with patterns all three go by memory (engine.c) */
    return (!p->f.jacobian || p->f.pattern || matrix_fits(why, capacity, &p->f, "f", all)) &&
           (p->algebraic.pattern || matrix_fits(why, capacity, &p->algebraic, "algebraic", all)) &&
           (p->hidden.pattern || matrix_fits(why, capacity, &p->hidden, "hidden", n)) &&
           matrix_fits(why, capacity, &p->constraint, "constraint", half) &&
           matrix_fits(why, capacity, &p->rolling, "rolling", half) &&
           matrix_fits(why, capacity, &p->velocity, "velocity", n);
}

static int workspace_fits(char *why, size_t capacity, const char *name, long fixed, long each) {
    if (fixed >= 0 && each >= 0 && fixed <= LARGEST && each <= LARGEST) return 1;
    return text_no(why, capacity, "%s.workspace = %ld and %s.per_order = %ld: they must be 0 .. %d", name,
                   fixed, name, each, LARGEST);
}

static int problem_fits(char *why, size_t capacity, const keel_problem *p) {
    const struct form *form = form_of(p);
    if (!form) return text_no(why, capacity, "form %d does not exist", (int)p->form);
    if (p->n < form->least_states || p->n > MOST)
        return text_no(why, capacity, "n = %d states: there must be %d .. %d", p->n, form->least_states,
                       MOST);
    if (p->m < 0 || p->m > MOST)
        return text_no(why, capacity, "m = %d algebraic variables: there must be 0 .. %d", p->m, MOST);
    if (!p->u0 && p->n + p->m > 0) return text_no(why, capacity, "the problem has no start values u0");
    if (!isfinite(p->t0)) return text_no(why, capacity, "the start time t0 is not finite");
    for (int i = 0; i < p->n + p->m; i++)
        if (!isfinite(p->u0[i])) return text_no(why, capacity, "start value u0[%d] is not finite", i);
    for (int i = 0; i < p->n + p->m; i++) {
        if (p->scale && (!(p->scale[i] >= 0) || isinf(p->scale[i])))
            return text_no(why, capacity, "scale[%d] must be finite and not negative", i);
        if (p->atol && (!(p->atol[i] >= 0) || isinf(p->atol[i])))
            return text_no(why, capacity, "atol[%d] must be finite and not negative", i);
    }
    const keel_kernel *k = keel_extras_of(p)->kernel;
    if (k && !k->accelerations && !k->elimination && (!k->method || (!k->fixed && !k->kept)))
        return text_no(why, capacity, "extras.kernel needs the name of a method and its steps");
    if (!workspace_fits(why, capacity, "extras.series", keel_extras_of(p)->series.workspace,
                        keel_extras_of(p)->series.per_order) ||
        !workspace_fits(why, capacity, "extras.event_series", keel_extras_of(p)->event_series.workspace,
                        keel_extras_of(p)->event_series.per_order))
        return 0;
    if (p->energy.count > 1)
        return text_no(why, capacity, "there is one energy; further invariants go to `invariant`");
    if (p->clock &&
        (p->clock != 1 || keel_problem_traits(p) != KEEL_FIRST_ORDER || p->n < 2 || p->mass.value))
        return text_no(why, capacity,
                       "clock = %d: it is 0, or 1 for an ODE without a mass matrix whose last state is t",
                       p->clock);
    if (!maps_fit(why, capacity, p) || !form->fits(p, why, capacity)) return 0;
    for (int i = 0; p->event_direction && i < p->event.count; i++)
        if (p->event_direction[i] < -1 || p->event_direction[i] > 1)
            return text_no(why, capacity, "event_direction[%d] is %d; it must be -1, 0 or +1", i,
                           p->event_direction[i]);
    for (int i = 0; p->event_kind && i < p->event.count; i++) {
        if (p->event_kind[i] > KEEL_STAIRCASE)
            return text_no(why, capacity, "event_kind[%d] is %d; it must be 0, 1, 2 or 3", i,
                           p->event_kind[i]);
        if ((p->event_kind[i] == KEEL_SURFACE || p->event_kind[i] == KEEL_STAIRCASE) && !p->side)
            return text_no(why, capacity,
                           "event %d is a switching surface: give `side`, where its side is written for f",
                           i);
    }
    return 1;
}

/* The value of an option against the range of its row. */
static int value_fits(char *why, size_t capacity, const keel_field *f, const keel_problem *p,
                      const keel_options *o) {
    const double *each = options_reals(f, o), value = keel_field_number(f, o);
    char must[80];
    for (int i = 0; each && i < p->n; i++)
        if (!keel_field_fits(f, each[i], 0, must, sizeof must))
            return text_no(why, capacity, "%s[%d] = %g: it must %s", f->name, i, each[i], must);
    if (f->type == KEEL_FIELD_FLAG || keel_field_fits(f, value, 1, must, sizeof must)) return 1;
    if (f->type == KEEL_FIELD_CHOICE) return text_no(why, capacity, "%s = %g does not exist", f->name, value);
    return text_no(why, capacity, "%s = %g: it must %s", f->name, value, must);
}

static int reversible_fits(char *why, size_t capacity, const keel_options *o, const keel_stepper *method) {
    unsigned traits = method->info.traits;
    if (!(traits & KEEL_SYMMETRIC_STEP) || traits & KEEL_MULTISTEP)
        return text_no(
            why, capacity,
            "%s is not a symmetric one-step method, and reversible steps need one: midpoint, gauss8, "
            "verlet and others",
            method->info.name);
    if (o->step == 0)
        return text_no(why, capacity, "reversible steps need options.step, the length of the first one");
    if (o->max_step > 0 && o->max_step < o->step)
        return text_no(why, capacity, "reversible: options.max_step = %g is shorter than the first step, %g",
                       o->max_step, o->step);
    return 1;
}

/* A clock changes what steps are equal in.  Methods that are more than a formula for x' = f(x), and what
 * would move the time itself, have no sense then. */
static int clock_fits(char *why, size_t capacity, const keel_options *o, const keel_stepper *method,
                      const keel_stabilizer *stabilizer) {
    unsigned traits = method->info.traits;
    if (o->reversible)
        return text_no(why, capacity,
                       "reversible steps follow the motion by themselves: give them, or a clock");
    if (traits & KEEL_SYMPLECTIC)
        return text_no(why, capacity,
                       "%s is symplectic in t, which a clock would destroy; `reversible` lets steps follow "
                       "the motion",
                       method->info.name);
    if (!(traits & (KEEL_RUNGE_KUTTA | KEEL_ADAPTIVE | KEEL_MULTISTEP)))
        return text_no(
            why, capacity,
            "%s takes no clock: Runge-Kutta and multistep methods, and those with error control, do",
            method->info.name);
    if (stabilizer->info.traits & KEEL_OWN_DIRECTIONS)
        return text_no(why, capacity, "%s would change the time, which is a state where there is a clock",
                       stabilizer->info.name);
    return 1;
}

/* Pairs of a stepper and a stabilizer that make no sense (docs/design.md). */
static int pair_fits(char *why, size_t capacity, const keel_problem *p, const keel_options *o,
                     const keel_stepper *method, const keel_stabilizer *stabilizer) {
    unsigned traits = method->info.traits;
    if (stabilizer->info.traits & (KEEL_CORRECTS | KEEL_DAMPS) && traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN))
        return text_no(
            why, capacity,
            "%s keeps the constraints by itself; projecting on top would destroy what it was chosen for",
            method->info.name);
    return !stabilizer->refuse || !stabilizer->refuse(p, o, method, why, capacity);
}

static int options_fit(char *why, size_t capacity, const keel_problem *p, const keel_options *o,
                       const keel_stepper *method, const keel_stabilizer *stabilizer) {
    const char *name = method->info.name;
    double least = 10 * DBL_EPSILON;
    const keel_field *f;
    if (o->norm == KEEL_BY_MASS && !(keel_problem_traits(p) & KEEL_SECOND_ORDER))
        return text_no(why, capacity, "weights by mass need mechanics, x = (q, v)");
    if (o->norm == KEEL_GIVEN && !o->weights) return text_no(why, capacity, "norm KEEL_GIVEN needs weights");
    if (o->norm != KEEL_GIVEN && o->weights)
        return text_no(why, capacity, "weights are used only with norm = KEEL_GIVEN");
    for (int i = 0; (f = options_at(i, &method->info, &stabilizer->info)); i++)
        if (!value_fits(why, capacity, f, p, o)) return 0;
    if (o->rtol > 0 && o->rtol < least)
        return text_no(why, capacity,
                       "rtol = %.2g is below what double precision can hold; the least is %.2g", o->rtol,
                       least);
    if ((method->info.traits & KEEL_ADAPTIVE) && method->error_order < 1)
        return text_no(why, capacity, "%s has the trait KEEL_ADAPTIVE and needs an error_order of at least 1",
                       name);
    if (p->clock && !clock_fits(why, capacity, o, method, stabilizer)) return 0;
    if (o->reversible && !reversible_fits(why, capacity, o, method)) return 0;
    if (o->step == 0 && !(method->info.traits & KEEL_ADAPTIVE))
        return text_no(why, capacity, "%s has no error estimate: give it a fixed step (options.step)", name);
    return pair_fits(why, capacity, p, o, method, stabilizer);
}

keel_status validate(const keel_problem *p, const keel_options *o, const keel_stepper *method,
                     const keel_stabilizer *stabilizer, char *text, size_t capacity) {
    if (!problem_fits(text, capacity, p) ||
        !matrices_fit(text, capacity, p, o, method->info.traits, stabilizer->info.traits) ||
        !options_fit(text, capacity, p, o, method, stabilizer))
        return KEEL_EINVAL;
    const char *reason = method->refuse ? method->refuse(p, o) : NULL;
    if (reason) text_no(text, capacity, "%s: %s", method->info.name, reason);
    return reason == text_no_memory ? KEEL_ENOMEM : reason ? KEEL_EINVAL : KEEL_OK;
}
