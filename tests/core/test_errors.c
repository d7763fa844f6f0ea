/* test_errors.c - whatever is wrong ends in the right status and in one sentence: what, where, what to do.
 *
 * First everything keel_open refuses, one line a refusal; then what callbacks, constraints, clocks and
 * tolerances do to a run.  The words after each case must all stand in the message. */
#include "extras.h"
#include "testing.h"

#include <keel/method.h>

#include <float.h>
#include <limits.h>

static int failures; /* of the present test: all of its cases are judged before it ends */

static int complain(const char *name, const char *format, const char *a, const char *b) {
    print_error("%s: ", name);
    print_error(format, a, b);
    print_error("\n");
    failures++;
    return 0;
}

static int begin(void **state) {
    (void)state;
    failures = 0;
    return 0;
}

static void no_failures(void) {
    int count = failures;
    failures = 0;
    assert_int_equal(count, 0);
}

/* All words, separated by '|', stand in the message, which is one line and ends within its buffer. */
static int check_message(const char *name, const keel_solver *s, const char *words) {
    const char *message = keel_message(s);
    char word[128];
    if (strlen(message) < 8 || strlen(message) > 600 || strchr(message, '\n') || strstr(message, "(null)"))
        return complain(name, "not a sentence: \"%s\"%s", message, "");
    for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(w, "|"), w);
        if (!strstr(message, word)) return complain(name, "no \"%s\" in \"%s\"", word, message);
    }
    return 1;
}

static int check_status(const char *name, const keel_solver *s, keel_status got, keel_status wanted,
                        const char *words) {
    if (got == wanted) return check_message(name, s, words);
    return complain(name, "\"%s\" (%s)", keel_status_name(got), keel_message(s));
}

/* Opens, runs to t_end, and expects this end; the solver stays failed. */
static void expect_end(const char *name, const keel_problem *p, const keel_options *o, double t_end,
                       keel_status wanted, const char *words) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    keel_status status = keel_state_of(s);
    if (status == KEEL_OK) status = keel_run(s, t_end);
    if (check_status(name, s, status, wanted, words))
        check_status(name, s, keel_run(s, t_end + 1), wanted, words);
    keel_close(s);
}

/* ---- What keel_open refuses. ---- */

static int spin(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static int half_square(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static int fall(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0;
    out[1] = -1;
    return 0;
}

static int circle(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static int decay(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[1];
    return 0;
}

static int equal(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] - u[0];
    return 0;
}

static int unit_matrix(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

static void layout_nothing(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o, (void)w;
}

static keel_status attempt_nothing(keel_work *w, keel_attempt *a) {
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    return KEEL_OK;
}

static const int to_two[] = {0, 1, 2}, falling[] = {0, 3, 2}, columns[] = {0, 5}, twice[] = {1, 1},
                 both[] = {0, 1};
static const int to_two_one_row[] = {0, 2}, directions[] = {2};
static const keel_pattern empty = {.nnz = 2}, begins_late = {2, to_two + 1, both},
                          ends_early = {3, to_two, both};
static const keel_pattern disordered = {2, falling, both}, too_wide = {2, to_two, columns};
static const keel_pattern repeats = {2, to_two_one_row, twice};
static const double not_finite[] = {1, NAN}, negative[] = {1, -1}, zero_weight[] = {1, 0};
static const keel_stepper nameless = {.layout = layout_nothing, .attempt = attempt_nothing};
static const keel_stepper no_attempt = {.info = {.name = "mine"}, .layout = layout_nothing};
static const keel_stepper no_order = {
    .info = {.name = "mine", .traits = KEEL_ADAPTIVE}, .layout = layout_nothing, .attempt = attempt_nothing};

#define MAP(how_many, function)              \
    (keel_map) {                             \
        .count = how_many, .value = function \
    }

/* form, name, what is changed in problem p and options o, words of the message */
#define REFUSALS(X)                                                                                        \
    X(ODE, no_states, p->n = 0, "f must have count n = 0")                                                 \
    X(MECHANICS, no_states_in_mechanics, p->n = 0, "n = 0 states|1 .. ")                                   \
    X(ODE, negative_states, p->n = -3, "n = -3 states")                                                    \
    X(ODE, too_many_states, p->n = INT_MAX, "states|0 .. ")                                                \
    X(DAE, negative_algebraic, p->m = -1, "m = -1 algebraic variables")                                    \
    X(DAE, too_many_algebraic, p->m = INT_MAX, "algebraic variables|0 .. ")                                \
    X(ODE, no_start, p->u0 = NULL, "no start values u0")                                                   \
    X(ODE, start_not_finite, p->u0 = not_finite, "u0[1]|not finite")                                       \
    X(ODE, time_not_finite, p->t0 = INFINITY, "start time t0|not finite")                                  \
    X(ODE, scale_negative, p->scale = negative, "scale[1]|not negative")                                   \
    X(ODE, scale_not_finite, p->scale = not_finite, "scale[1]|finite")                                     \
    X(ODE, two_energies, p->energy = MAP(2, half_square), "one energy|`invariant`")                        \
    X(ODE, no_form, p->form = (keel_form)17, "form 17 does not exist")                                     \
    X(ODE, f_absent, p->f = MAP(2, NULL), "f has a count of 2|no value")                                   \
    X(ODE, f_uncounted, p->f = MAP(0, spin), "f has a value function|count of 0")                          \
    X(ODE, f_negative, p->f = MAP(-1, spin), "f.count is negative")                                        \
    X(ODE, f_too_many, p->invariant = MAP(INT_MAX, half_square), "invariant.count")                        \
    X(ODE, f_miscounted, p->f = MAP(1, spin), "f must have count n = 2|it has 1")                          \
    X(ODE, invariant_absent, p->invariant = MAP(1, NULL), "invariant has a count of 1")                    \
    X(ODE, event_absent, p->event = MAP(1, NULL), "event has a count of 1")                                \
    X(ODE, constraint_in_ode, p->constraint = MAP(1, circle), "KEEL_MECHANICS|algebraic rows")             \
    X(DAE, rolling_in_dae, p->rolling = MAP(1, circle), "KEEL_MECHANICS|algebraic rows")                   \
    X(ODE, algebraic_in_ode, p->algebraic = MAP(1, equal), "need the form KEEL_DAE")                       \
    X(ODE, hidden_in_ode, p->hidden = MAP(1, circle), "need the form KEEL_DAE")                            \
    X(MECHANICS, algebraic_in_mechanics, p->algebraic = MAP(1, equal), "need the form KEEL_DAE")           \
    X(HAMILTONIAN, hidden_in_hamiltonian, p->hidden = MAP(1, circle), "need the form KEEL_DAE")            \
    X(DAE, rows_missing, p->algebraic = MAP(0, NULL), "1 algebraic variables|there are 0")                 \
    X(HAMILTONIAN, no_energy, p->energy = MAP(0, NULL), "energy.count = 1|H")                              \
    X(HAMILTONIAN, f_in_hamiltonian, p->f = MAP(1, spin), "B grad H itself|count n = 2")                   \
    X(HAMILTONIAN, mass_in_hamiltonian, p->mass.value = unit_matrix, "no mass|H")                          \
    X(HAMILTONIAN, odd_hamiltonian, p->n = 1, "(q, p)|even|it is 1")                                       \
    X(HAMILTONIAN, structure_and_constraint, p->structure.value = unit_matrix;                             \
      p->constraint = MAP(1, circle), "canonical states|structure")                                        \
    X(HAMILTONIAN, rolling_in_hamiltonian, p->rolling = MAP(1, circle), "rolling|KEEL_MECHANICS")          \
    X(MECHANICS, odd_mechanics, p->n = 3, "(q, v)|even|it is 3")                                           \
    X(MECHANICS, forces_miscounted, p->f = MAP(4, fall), "forces f must have count n/2 = 2|it has 4")      \
    X(MECHANICS, overconstrained, p->constraint = MAP(5, circle), "5 constraints on 2 coordinates")        \
    X(MECHANICS, structure_in_mechanics, p->structure.value = unit_matrix, "structure|KEEL_HAMILTONIAN")   \
    X(ODE, curvature_in_ode, p->curvature = circle, "curvature|KEEL_MECHANICS")                            \
    X(ODE, pattern_empty, p->f.pattern = &empty, "pattern of f|no entries")                                \
    X(ODE, pattern_begins_late, p->f.pattern = &begins_late, "pattern of f|start at 0|nnz = 2")            \
    X(ODE, pattern_ends_early, p->f.pattern = &ends_early, "pattern of f|end at nnz = 3")                  \
    X(ODE, pattern_disordered, p->f.pattern = &disordered, "rows of the pattern of f|not in order")        \
    X(ODE, pattern_too_wide, p->f.pattern = &too_wide, "pattern of f|column 5|0 .. 1")                     \
    X(MECHANICS, pattern_repeats, p->constraint.pattern = &repeats,                                        \
      "pattern of constraint|row 0|order or twice")                                                        \
    X(MECHANICS, pattern_of_mass, p->mass.value = unit_matrix;                                             \
      p->mass.pattern = &too_wide, "pattern of mass|column")                                               \
    X(HAMILTONIAN, pattern_of_structure, p->structure.value = unit_matrix;                                 \
      p->structure.pattern = &too_wide, "pattern of structure|column 5")                                   \
    X(ODE, direction_two, p->event = MAP(1, half_square);                                                  \
      p->event_direction = directions, "event_direction[0] is 2")                                          \
    X(ODE, rtol_negative, o->rtol = -1, "rtol = -1|not negative")                                          \
    X(ODE, rtol_nan, o->rtol = NAN, "rtol|finite")                                                         \
    X(ODE, rtol_impossible, o->rtol = 1e-17, "rtol = 1e-17|double precision|least is 2.2e-15")             \
    X(ODE, atol_infinite, o->atol = INFINITY, "atol = inf|finite")                                         \
    X(ODE, step_negative, o->step = -0.1, "step = -0.1|not negative")                                      \
    X(ODE, first_step_nan, o->first_step = NAN, "first_step|finite")                                       \
    X(ODE, max_step_negative, o->max_step = -1, "max_step = -1")                                           \
    X(ODE, units_negative, o->manifold_units = -4, "manifold_units = -4")                                  \
    X(ODE, atol_each_negative, o->atol_each = negative, "atol_each[1] = -1")                               \
    X(ODE, max_steps_negative, o->max_steps = -1, "max_steps|negative")                                    \
    X(ODE, stabilizer_unknown, o->method = "rk4+projekt", "stabilizer `projekt`|did you mean `project`")   \
    X(ODE, norm_unknown, o->norm = (keel_norm)9, "norm = 9 does not exist")                                \
    X(ODE, norm_by_mass, o->norm = KEEL_BY_MASS, "by mass|mechanics")                                      \
    X(ODE, norm_without_weights, o->norm = KEEL_GIVEN, "KEEL_GIVEN needs weights")                         \
    X(ODE, weights_without_norm, o->weights = zero_weight, "weights|norm = KEEL_GIVEN")                    \
    X(ODE, weight_zero, o->norm = KEEL_GIVEN; o->weights = zero_weight, "weights[1]|positive")             \
    X(ODE, sets_without_scale, o->sets = "x", "sets belongs to the stabilizer scale")                      \
    X(ODE, adams_without_step, o->method = "ab4", "ab4|no error estimate|fixed step|options.step")         \
    X(ODE, rk4_without_step, o->method = "rk4", "rk4|no error estimate")                                   \
    X(MECHANICS, rattle_projected, o->method = "rattle"; o->step = 0.1;                                    \
      o->method = pair_of(o->method, "project"), "rattle|keeps the constraints by itself")                 \
    X(ODE, rattle_on_ode, o->method = "rattle"; o->step = 0.1, "rattle|mechanics|canonical")               \
    X(MECHANICS, rattle_rolling, p->rolling = MAP(1, circle); o->method = "rattle";                        \
      o->step = 0.1, "rattle|rolling|not holonomic|any method that projects")                              \
    X(MECHANICS, rattle_mass, p->mass.value = unit_matrix; o->method = "rattle";                           \
      o->step = 0.1, "rattle|mass matrix must be constant|by its momenta|any method that projects")        \
    X(MECHANICS, rattle_friction, p->f.value = friction; o->method = "rattle";                             \
      o->step = 0.1, "rattle|must not depend on velocities|any method that projects")                      \
    X(MECHANICS, shake_projected, o->method = "shake"; o->step = 0.1;                                      \
      o->method = pair_of(o->method, "post"), "shake|keeps the constraints by itself")                     \
    X(DAE, spark_on_dae, o->method = "spark4"; o->step = 0.1, "spark4|mechanics|canonical")                \
    X(MECHANICS, spark_rolling, p->rolling = MAP(1, circle); o->method = "spark4";                         \
      o->step = 0.1, "spark4|rolling|not holonomic|any method that projects")                              \
    X(MECHANICS, spark_mass, p->mass.value = unit_matrix; o->method = "spark4";                            \
      o->step = 0.1, "spark4|mass matrix must be constant|by its momenta|any method that projects")        \
    X(HAMILTONIAN, shake_on_hamiltonian, o->method = "shake"; o->step = 0.1, "shake|mechanics")            \
    X(MECHANICS, shake_mass, p->mass.value = unit_matrix; o->method = "shake";                             \
      o->step = 0.1, "shake|mass matrix must be constant; use dop853|any method that projects")            \
    X(MECHANICS, spark_friction, p->f.value = friction; o->method = "spark4";                              \
      o->step = 0.1, "spark4|must not depend on velocities|any method that projects")                      \
    X(ODE, reversible_not_symmetric, o->reversible = 1; o->method = "rk4";                                 \
      o->step = 0.1, "rk4|not a symmetric one-step method|midpoint")                                       \
    X(ODE, reversible_multistep, o->reversible = 1; o->method = "ab4";                                     \
      o->step = 0.1, "ab4|not a symmetric one-step method")                                                \
    X(ODE, reversible_without_step, o->reversible = 1, "reversible|options.step|first")                    \
    X(ODE, reversible_short, o->reversible = 1; o->step = 0.1;                                             \
      o->max_step = 0.05, "reversible|max_step = 0.05|shorter|0.1")                                        \
    X(MECHANICS, reversible_projected, o->reversible = 1;                                                  \
      o->step = 0.1,                                                                                       \
      "reversible|projection is not symmetric|`constraint` would be projected|keeps steps reversible")     \
    X(ODE, momentum_on_ode, o->method = "energy-momentum";                                                 \
      o->step = 0.1, "energy-momentum|canonical Hamiltonian|mechanics")                                    \
    X(MECHANICS, momentum_rolling, p->rolling = MAP(1, circle); o->method = "energy-momentum";             \
      o->step = 0.1, "energy-momentum|rolling|not holonomic|any method that projects")                     \
    X(MECHANICS, momentum_without_energy, o->method = "energy-momentum";                                   \
      o->step = 0.1, "energy-momentum|needs the energy|invariant energy")                                  \
    X(HAMILTONIAN, momentum_gradient, p->energy.jacobian = NULL; o->method = "energy-momentum";            \
      o->step = 0.1, "energy-momentum|gradient of the energy|energy.jacobian")                             \
    X(MECHANICS, momentum_mass, p->mass.value = unit_matrix; p->energy = MAP(1, half_square);              \
      p->energy.jacobian = unit_matrix; o->method = "energy-momentum";                                     \
      o->step = 0.1, "energy-momentum|mass matrix must be constant|any method that projects")              \
    X(MECHANICS, momentum_of_another_energy, p->energy = MAP(1, half_square);                              \
      p->energy.jacobian = unit_matrix; o->method = "energy-momentum";                                     \
      o->step = 0.1, "energy-momentum|`energy` must be v M v / 2 + V(q)|it is not")                        \
    X(ODE, forms_in_ode,                                                                                   \
      own_extras(p)->quadratic_forms = own_extras(p)->energy_of_forms = MAP(1, half_square),               \
      "forms belong to|KEEL_MECHANICS")                                                                    \
    X(MECHANICS, lgdae_on_mechanics, o->method = "lgdae"; o->step = 0.1, "lgdae|not for a lagrangian")     \
    X(ODE, lgdae_mass, p->mass.value = unit_matrix; o->method = "lgdae";                                   \
      o->step = 0.1, "lgdae|without a mass matrix")                                                        \
    X(DAE, lgdae_hidden, p->hidden = MAP(1, half_square); o->method = "lgdae";                             \
      o->step = 0.1, "lgdae|as they were written|any method that projects")                                \
    X(DAE, lgdae_without_states, p->n = 0; p->f = MAP(0, NULL); o->method = "lgdae";                       \
      o->step = 0.1, "lgdae|no states to step")                                                            \
    X(MECHANICS, bdf2_on_mechanics, o->method = "bdf2"; o->step = 0.1, "bdf2|not for a lagrangian")        \
    X(ODE, bdf2_mass, p->mass.value = unit_matrix; o->method = "bdf2";                                     \
      o->step = 0.1, "bdf2|without a mass matrix")                                                         \
    X(DAE, bdf2_hidden, p->hidden = MAP(1, half_square); o->method = "bdf2";                               \
      o->step = 0.1, "bdf2|as they were written|any method that projects")                                 \
    X(DAE, bdf2_without_states, p->n = 0; p->f = MAP(0, NULL); o->method = "bdf2";                         \
      o->step = 0.1, "bdf2|no states to step")                                                             \
    X(MECHANICS, original_in_mechanics, own_extras(p)->original_f = MAP(4, fall);                          \
      own_extras(p)->original_g = MAP(1, circle), "written belongs to|KEEL_ODE")                           \
    X(ODE, original_without_rows, own_extras(p)->original_f = MAP(2, spin),                                \
      "written must have count n = 2|original_rows")                                                       \
    X(ODE, original_without_jacobian, own_extras(p)->original_f = MAP(2, spin);                            \
      own_extras(p)->original_g = MAP(1, circle), "written and original_rows need their jacobians")        \
    X(ODE, method_unknown, o->method = "no such thing at all", "no method `no such thing at all`")         \
    X(ODE, method_misspelt, o->method = "dop85", "no method `dop85`|did you mean `dop853`?")               \
    X(ODE, own_nameless, o->own_method = &nameless, "own_method needs a name")                             \
    X(ODE, own_without_attempt, o->own_method = &no_attempt, "own_method needs|attempt")                   \
    X(ODE, own_without_order, o->own_method = &no_order, "mine|error_order")                               \
    X(ODE, keep_unknown, o->keep = "something quite else", "keep: there is no row `something quite else`") \
    X(MECHANICS, keep_misspelt, o->keep = "constrain", "no row `constrain`|did you mean `constraint`?")

static int friction(double t, const double *u, double *out, void *user) {
    fall(t, u, out, user);
    out[0] -= u[2];
    return 0;
}

#define DEFINE(form, name, change, words)                \
    static void name(keel_problem *p, keel_options *o) { \
        (void)p, (void)o;                                \
        change;                                          \
    }
REFUSALS(DEFINE)

#define ENTRY(form, name, change, words) {KEEL_##form, #name, name, words},
static const struct refusal {
    keel_form form;
    const char *name;
    void (*spoil)(keel_problem *p, keel_options *o);
    const char *words;
} refusals[] = {REFUSALS(ENTRY)};

/* A sound problem of each form. */
static keel_problem sound(keel_form form) {
    static const double start[] = {1, 0, 0, 0}, on_line[] = {1, 1};
    switch (form) {
    case KEEL_HAMILTONIAN:
        return (keel_problem){.form = form, .n = 2, .u0 = start, .energy = MAP(1, half_square)};
    case KEEL_MECHANICS:
        return (keel_problem){
            .form = form, .n = 4, .u0 = start, .f = MAP(2, fall), .constraint = MAP(1, circle)};
    case KEEL_DAE:
        return (keel_problem){
            .form = form, .n = 1, .m = 1, .u0 = on_line, .f = MAP(1, decay), .algebraic = MAP(1, equal)};
    case KEEL_ODE:
        break;
    }
    return (keel_problem){.form = KEEL_ODE, .n = 2, .u0 = start, .f = MAP(2, spin)};
}

static void sound_problems_of_every_form_run(void **state) {
    (void)state;
    for (int form = KEEL_ODE; form <= KEEL_DAE; form++) {
        keel_problem p = sound((keel_form)form);
        keel_solver *s = keel_open(&p, NULL);
        assert_ok(s, keel_run(s, 0.5));
        assert_string_equal(keel_message(s), "");
        keel_close(s);
    }
}

static void what_does_not_fit_is_refused_with_its_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        keel_problem p = sound(r->form);
        keel_options o = {0};
        r->spoil(&p, &o);
        keel_solver *s = keel_open(&p, &o);
        assert_non_null(s);
        if (check_status(r->name, s, keel_state_of(s), KEEL_EINVAL, r->words)) {
            check_status(r->name, s, keel_run(s, 1), KEEL_EINVAL, r->words);
            check_status(r->name, s, keel_restart(s, 0, NULL), KEEL_EINVAL, r->words);
        }
        keel_close(s);
    }
    no_failures();
}

static int unit_growth(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 4; i++) out[i] = u[i];
    return 0;
}

static int tangency_twice(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = out[1] = u[0] * u[2] + u[1] * u[3];
    return 0;
}

/* ---- Callbacks in trouble. ---- */

enum part {
    F,
    MASS,
    CONSTRAINT,
    CONSTRAINT_JACOBIAN,
    CONSTRAINT_RATE,
    CONSTRAINT_TERMS,
    ROLLING,
    ROLLING_JACOBIAN,
    CURVATURE,
    ENERGY,
    ENERGY_JACOBIAN,
    INVARIANT,
    INVARIANT_JACOBIAN,
    EVENT,
    ALGEBRAIC,
    ALGEBRAIC_JACOBIAN,
    F_JACOBIAN,
    HIDDEN,
    HIDDEN_JACOBIAN,
    STRUCTURE
};

/* From time `from` on, one callback returns `code` or writes `value`. */
struct trouble {
    enum part in;
    double from;
    int code;
    double value;
};

static int end_with(const struct trouble *trouble, enum part part, double t, double *out) {
    if (trouble->in != part || t < trouble->from) return 0;
    if (trouble->code == 0) out[0] = trouble->value;
    return trouble->code;
}

/* Writes count values, then meets its trouble. */
static int answer(void *user, enum part part, double t, double *out, int count, const double *values) {
    memcpy(out, values, (size_t)count * sizeof *out);
    return end_with(user, part, t, out);
}
#define ANSWER(part, ...) \
    answer(user, part, t, out, sizeof(double[]){__VA_ARGS__} / sizeof(double), (double[]){__VA_ARGS__})

#define CALLBACK(name, part, ...)                                         \
    static int name(double t, const double *u, double *out, void *user) { \
        (void)u;                                                          \
        return ANSWER(part, __VA_ARGS__);                                 \
    }

/* A bead on a ring in the x-y plane that a rolling row keeps from sliding along z. */
CALLBACK(bead_force, F, 0, -1, 0)
CALLBACK(bead_mass, MASS, 1, 0, 0, 0, 1, 0, 0, 0, 1)
CALLBACK(bead_ring, CONSTRAINT, u[0] * u[0] + u[1] * u[1] - 1)
CALLBACK(bead_ring_jacobian, CONSTRAINT_JACOBIAN, 2 * u[0], 2 * u[1], 0)
CALLBACK(bead_ring_rate, CONSTRAINT_RATE, 0)
CALLBACK(bead_ring_terms, CONSTRAINT_TERMS, u[0] * u[0] + u[1] * u[1] + 1)
CALLBACK(bead_stop, ROLLING, u[5])
CALLBACK(bead_stop_jacobian, ROLLING_JACOBIAN, 0, 0, 1)
CALLBACK(bead_curvature, CURVATURE, 2 * (u[3] * u[3] + u[4] * u[4]), 0)
CALLBACK(bead_energy, ENERGY, 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + u[1])
CALLBACK(bead_energy_jacobian, ENERGY_JACOBIAN, 0, 1, 0, u[3], u[4], u[5])
CALLBACK(bead_height, INVARIANT, u[2])
CALLBACK(bead_height_jacobian, INVARIANT_JACOBIAN, 0, 0, 1, 0, 0, 0)
CALLBACK(bead_event, EVENT, u[2] - 5)

static keel_problem bead(struct trouble *trouble) {
    static const double start[] = {1, 0, 0.5, 0, 0, 0};
    return (keel_problem){.form = KEEL_MECHANICS,
                          .n = 6,
                          .u0 = start,
                          .f = MAP(3, bead_force),
                          .mass = {.value = bead_mass},
                          .constraint = {.count = 1,
                                         .value = bead_ring,
                                         .jacobian = bead_ring_jacobian,
                                         .rate = bead_ring_rate,
                                         .terms = bead_ring_terms},
                          .rolling = {.count = 1, .value = bead_stop, .jacobian = bead_stop_jacobian},
                          .curvature = bead_curvature,
                          .energy = {.count = 1, .value = bead_energy, .jacobian = bead_energy_jacobian},
                          .invariant = {.count = 1, .value = bead_height, .jacobian = bead_height_jacobian},
                          .event = MAP(1, bead_event),
                          .user = trouble};
}

/* The pendulum as a DAE of index 3, with a mass matrix. */
CALLBACK(rod_f, F, u[2], u[3], -u[4] * u[0], -u[4] * u[1] - 1)
CALLBACK(rod_f_jacobian, F_JACOBIAN, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -u[4], 0, 0, 0, -u[0], 0, -u[4], 0, 0,
         -u[1])
CALLBACK(rod_mass, MASS, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
CALLBACK(rod_length, ALGEBRAIC, u[0] * u[0] + u[1] * u[1] - 1)
CALLBACK(rod_length_jacobian, ALGEBRAIC_JACOBIAN, 2 * u[0], 2 * u[1], 0, 0, 0)
CALLBACK(rod_tangency, HIDDEN, u[0] * u[2] + u[1] * u[3])
CALLBACK(rod_tangency_jacobian, HIDDEN_JACOBIAN, u[2], u[3], u[0], u[1])

static keel_problem rod(struct trouble *trouble) {
    static const double start[] = {1, 0, 0, 0, 0};
    return (keel_problem){.form = KEEL_DAE,
                          .n = 4,
                          .m = 1,
                          .u0 = start,
                          .mass = {.value = rod_mass},
                          .f = {.count = 4, .value = rod_f, .jacobian = rod_f_jacobian},
                          .algebraic = {.count = 1, .value = rod_length, .jacobian = rod_length_jacobian},
                          .hidden = {.count = 1, .value = rod_tangency, .jacobian = rod_tangency_jacobian},
                          .user = trouble};
}

/* An oscillator: x' = B grad H. */
CALLBACK(spring_energy, ENERGY, 0.5 * (u[0] * u[0] + u[1] * u[1]))
CALLBACK(spring_energy_jacobian, ENERGY_JACOBIAN, u[0], u[1])
CALLBACK(spring_structure, STRUCTURE, 0, 1, -1, 0)

static keel_problem spring(struct trouble *trouble) {
    static const double start[] = {1, 0};
    return (keel_problem){.form = KEEL_HAMILTONIAN,
                          .n = 2,
                          .u0 = start,
                          .structure = {.value = spring_structure},
                          .energy = {.count = 1, .value = spring_energy, .jacobian = spring_energy_jacobian},
                          .user = trouble};
}

/* A rotation: the plain way, on which the method calls f itself. */
CALLBACK(plain_f, F, u[1], -u[0])
CALLBACK(plain_radius, INVARIANT, u[0] * u[0] + u[1] * u[1])
CALLBACK(plain_event, EVENT, u[0] - 5)

static keel_problem plain(struct trouble *trouble) {
    static const double start[] = {1, 0};
    return (keel_problem){.form = KEEL_ODE,
                          .n = 2,
                          .u0 = start,
                          .f = MAP(2, plain_f),
                          .event = MAP(1, plain_event),
                          .invariant = MAP(1, plain_radius),
                          .user = trouble};
}

static const struct suspect {
    const char *name;
    keel_problem (*problem)(struct trouble *trouble);
    enum part part;
    const char *words; /* that name the callback */
} suspects[] = {
    {"bead f", bead, F, "f"},
    {"bead mass", bead, MASS, "mass"},
    {"bead constraint", bead, CONSTRAINT, "constraint"},
    {"bead constraint jacobian", bead, CONSTRAINT_JACOBIAN, "constraint|jacobian"},
    {"bead constraint rate", bead, CONSTRAINT_RATE, "constraint|rate"},
    {"bead constraint terms", bead, CONSTRAINT_TERMS, "constraint|terms"},
    {"bead rolling", bead, ROLLING, "rolling"},
    {"bead rolling jacobian", bead, ROLLING_JACOBIAN, "rolling|jacobian"},
    {"bead curvature", bead, CURVATURE, "curvature"},
    {"bead energy", bead, ENERGY, "energy"},
    {"bead energy jacobian", bead, ENERGY_JACOBIAN, "energy|jacobian"},
    {"bead invariant", bead, INVARIANT, "invariant"},
    {"bead invariant jacobian", bead, INVARIANT_JACOBIAN, "invariant|jacobian"},
    {"bead event", bead, EVENT, "event"},
    {"rod f", rod, F, "f"},
    {"rod f jacobian", rod, F_JACOBIAN, "f|jacobian"},
    {"rod mass", rod, MASS, "mass"},
    {"rod algebraic", rod, ALGEBRAIC, "algebraic"},
    {"rod algebraic jacobian", rod, ALGEBRAIC_JACOBIAN, "algebraic|jacobian"},
    {"rod hidden", rod, HIDDEN, "hidden"},
    {"rod hidden jacobian", rod, HIDDEN_JACOBIAN, "hidden|jacobian"},
    {"spring energy", spring, ENERGY, "energy"},
    {"spring energy jacobian", spring, ENERGY_JACOBIAN, "energy|jacobian"},
    {"spring structure", spring, STRUCTURE, "structure"},
    {"plain f", plain, F, "f"},
    {"plain invariant", plain, INVARIANT, "invariant"},
    {"plain event", plain, EVENT, "event"},
};
enum { SUSPECTS = sizeof suspects / sizeof *suspects };

/* One suspect in trouble, in adaptive and in fixed steps. */
static void accuse(const struct suspect *who, struct trouble trouble, const char *stabilizer,
                   const char *words) {
    for (int fixed = 0; fixed < 2; fixed++) {
        char name[128], all_words[128];
        keel_options o = {.method = pair_of(NULL, stabilizer), .step = fixed ? 0.01 : 0};
        trouble.in = who->part;
        keel_problem p = who->problem(&trouble);
        int shorter = fixed && trouble.from > 0 && trouble.code > 0 && who->part != EVENT;
        snprintf(all_words, sizeof all_words, "%s|t = |%s%s", who->words, words,
                 shorter ? "|the step is fixed" : "");
        snprintf(name, sizeof name, "%s %s from %g", who->name, fixed ? "fixed" : "adaptive", trouble.from);
        expect_end(name, &p, &o, 1, KEEL_EUSER, all_words);
    }
}

static void no_trouble_is_no_trouble(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        struct trouble none = {.from = INFINITY};
        keel_problem p = suspects[i].problem(&none);
        keel_solver *s = keel_open(&p, NULL);
        assert_ok(s, keel_run(s, 1));
        keel_close(s);
    }
}

static void values_that_are_not_finite_end_the_run_and_name_their_callback(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = NAN}, "auto", "not finite");
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = INFINITY}, "auto", "not finite");
        if (suspects[i].part != EVENT) /* looked at in steps only */
            accuse(&suspects[i], (struct trouble){.from = -1, .value = NAN}, "auto", "not finite|t = 0");
    }
    no_failures();
}

static void values_that_are_not_finite_end_a_run_that_only_watches(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        if (suspects[i].part == CONSTRAINT_TERMS) continue;
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = NAN}, "watch", "not finite");
    }
    no_failures();
}

static void positive_returns_ask_for_shorter_steps_until_there_are_none(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++)
        accuse(&suspects[i], (struct trouble){.from = 0.3, .code = 5}, "auto", "asks for a shorter step");
    no_failures();
}

static void negative_returns_give_up(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        accuse(&suspects[i], (struct trouble){.from = 0.3, .code = -7}, "auto", "gave up|returned -7");
        if (suspects[i].part != EVENT)
            accuse(&suspects[i], (struct trouble){.from = -1, .code = -7}, "auto", "gave up|returned -7");
    }
    no_failures();
}

static int cube(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] * u[0];
    return 0;
}

static void a_state_or_rate_that_overflows_is_told_apart(void **state) {
    (void)state;
    static const double large[] = {1e100}, huge[] = {1e200};
    static const char *const names[] = {"x"};
    keel_problem p = {.n = 1, .u0 = large, .f = MAP(1, cube), .names = names, .t0 = 0.5};
    expect_end("state", &p, &(keel_options){.step = 1, .method = "euler"}, 10, KEEL_EUSER,
               "the rate of `x` is not finite (inf) at t = 1.5");
    expect_end("stages", &p, &(keel_options){.step = 1, .method = "rk4"}, 10, KEEL_EUSER,
               "`x` became not finite in the step from t = 0.5|the step is fixed");
    p.u0 = huge;
    expect_end("start", &p, NULL, 1, KEEL_EUSER, "the rate of `x` is not finite (inf) at t = 0.5");
    no_failures();
}

/* ---- Boundaries that shorter steps avoid. ---- */

/* x' = -x^(3/2), x = 4 / (t + 2)^2: not defined for x < 0, where a long first step leads. */
static int root_law(double t, const double *u, double *out, void *user) {
    (void)t;
    if (user && u[0] < 0) return 1;
    out[0] = -u[0] * sqrt(u[0]);
    return 0;
}

static void a_boundary_that_shorter_steps_avoid_is_survived(void **state) {
    (void)state;
    static const double start[] = {1};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    int marker, rejections = 0;
    for (int i = 0; i < 8; i++) {
        keel_problem p = {.n = 1, .u0 = start, .f = MAP(1, root_law), .user = i % 2 ? &marker : NULL};
        keel_options o = {.method = methods[i / 2], .first_step = 30, .rtol = 1e-8};
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 30));
        assert_below(fabs(keel_state(s)[0] - 4.0 / 1024), 1e-7);
        rejections += keel_statistics(s).rejected > 0;
        keel_close(s);
    }
    assert_int_equal(rejections, 8);
}

static int ring_with_wall(double t, const double *u, double *out, void *user) {
    circle(t, u, out, user);
    if (u[0] * u[0] + u[1] * u[1] > 2) out[0] = NAN;
    return 0;
}

static void a_constraint_that_is_not_finite_far_away_is_survived(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_MECHANICS);
    p.constraint.value = ring_with_wall;
    keel_options o = {.first_step = 4};
    keel_solver *s = keel_open(&p, &o);
    assert_ok(s, keel_run(s, 3));
    assert_true(keel_statistics(s).rejected > 0);
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

/* ---- Clocks and tolerances. ---- */

static int explode(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0];
    return 0;
}

static void a_singularity_ends_with_the_time_it_was_met(void **state) {
    (void)state;
    static const double one[] = {1};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    for (int i = 0; i < 4; i++) {
        keel_problem p = {.n = 1, .u0 = one, .f = MAP(1, explode)};
        keel_options o = {.method = methods[i]};
        expect_end(methods[i], &p, &o, 2, KEEL_ESTEP,
                   "step size fell to|at t = 1|singularity|tolerance|rtol 1e-06");
    }
    no_failures();
}

static void a_component_that_stays_zero_needs_no_absolute_tolerance(void **state) {
    (void)state;
    static const double start[] = {1, 0, 0, 0}, none[] = {0, 0, 0, 0};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    for (int i = 0; i < 4; i++) {
        keel_problem p = {.n = 4, .u0 = start, .f = MAP(4, unit_growth)};
        keel_options o = {.atol_each = none, .method = methods[i]};
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 1));
        assert_below(fabs(keel_state(s)[0] - exp(1.0)), 1e-5);
        assert_true(keel_state(s)[1] == 0);
        keel_close(s);
    }
}

static void a_relative_tolerance_at_a_zero_crossing_is_met_or_ends_in_a_sentence(void **state) {
    (void)state;
    static const double start[] = {1, 0}, none[] = {0, 0};
    keel_problem p = {.n = 2, .u0 = start, .f = MAP(2, spin)};
    keel_options o = {.atol_each = none, .rtol = 1e-12};
    keel_solver *s = keel_open(&p, &o);
    keel_status status = keel_run(s, 10);
    if (status != KEEL_OK)
        check_status("zero crossing", s, status, KEEL_ESTEP, "tolerance that cannot be met");
    if (status == KEEL_OK) assert_below(fabs(keel_state(s)[0] - cos(10.0)), 1e-9);
    keel_close(s);
    no_failures();
}

static void a_fixed_step_the_clock_cannot_resolve_is_refused(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    p.t0 = 1e9;
    keel_options o = {.step = 1e-9};
    expect_end("clock", &p, &o, 1e9 + 1, KEEL_ESTEP, "step = 1e-09|clock|t = 1000000000");
    o = (keel_options){.max_step = 1e-9};
    expect_end("clock adaptive", &p, &o, 1e9 + 1, KEEL_ESTEP, "step size|clock|t = 1000000000");
    no_failures();
}

static void too_many_steps_end_with_how_far_they_led(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.max_steps = 7, .max_step = 0.01};
    expect_end("adaptive", &p, &o, 1, KEEL_ELIMIT, "7 steps|t = 0.0|max_steps");
    o = (keel_options){.max_steps = 7, .step = 0.01};
    expect_end("fixed", &p, &o, 1, KEEL_ELIMIT, "7 steps|t = 0.07|max_steps");
    no_failures();
}

static void the_limit_of_steps_counts_in_each_call(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.max_steps = 10, .step = 0.1};
    keel_solver *s = keel_open(&p, &o);
    for (int i = 1; i <= 5; i++) assert_int_equal(keel_run(s, i), KEEL_OK);
    keel_close(s);
}

static void equal_steps_that_miss_the_end_are_refused_and_harmless(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.method = "abm4", .step = 0.01};
    keel_solver *s = keel_open(&p, &o);
    assert_int_equal(keel_run(s, 1), KEEL_OK);
    check_status("adams", s, keel_run(s, 1.995), KEEL_EINVAL, "abm4 needs equal steps|t_end = 1.99|0.01");
    assert_int_equal(keel_state_of(s), KEEL_OK);
    assert_ok(s, keel_run(s, 2));
    assert_below(fabs(keel_state(s)[0] - cos(2.0)), 1e-8);
    keel_close(s);
    no_failures();
}

/* ---- Invariants and derivatives that are not what they are said to be. ---- */

static int not_conserved(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    out[1] = u[0] * u[0] + 1.01 * u[1] * u[1];
    return 0;
}

static int heavy_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + 1.001 * u[1];
    return 0;
}

static int growing(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] + 1e-3 * t;
    return 0;
}

static void a_wrong_invariant_is_refused_with_its_rate_and_the_point(void **state) {
    (void)state;
    static const char *const names[] = {"square", "wrong"}, *const states[] = {"x", "p"};
    static const double start[] = {0.6, 0.8};
    keel_problem p = {.n = 2, .u0 = start, .f = MAP(2, spin), .names = states};
    p.invariant = (keel_map){.count = 2, .value = not_conserved, .names = names};
    expect_end("kept", &p, NULL, 1, KEEL_EINVAL, "`wrong` is not conserved|rate|t = 0|`x` = |`p` = ");
    expect_end("watched", &p, &(keel_options){.method = "+watch"}, 1, KEEL_EINVAL,
               "`wrong` is not conserved");
    p.invariant = MAP(1, growing);
    expect_end("in time", &p, NULL, 1, KEEL_EINVAL, "`invariant` is not conserved|rate is 0.001");
    keel_problem m = sound(KEEL_MECHANICS);
    m.energy = MAP(1, heavy_energy);
    expect_end("energy", &m, NULL, 1, KEEL_EINVAL, "`energy` is not conserved");
    no_failures();
}

static void a_wrong_invariant_nobody_looks_at_is_not_judged(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    p.invariant = MAP(2, not_conserved);
    keel_solver *s = keel_open(&p, &(keel_options){.method = "+none"});
    assert_ok(s, keel_run(s, 1));
    keel_close(s);
}

static void true_invariants_without_derivatives_are_believed(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        p.keel.invariant.jacobian = NULL;
        p.keel.energy.jacobian = p.keel.form == KEEL_HAMILTONIAN ? p.keel.energy.jacobian : NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        if (keel_state_of(s) != KEEL_OK) complain(problem_name(i), "%s%s", keel_message(s), "");
        keel_close(s);
    }
    no_failures();
}

/* A wrong entry in one derivative of the bead, the rod or the spring. */
static int (*derivative)(double t, const double *u, double *out, void *user);

static int wrong_entry(double t, const double *u, double *out, void *user) {
    int code = derivative(t, u, out, user);
    out[0] += 0.01;
    return code;
}

static void check_wrong(const char *name, keel_problem *p, keel_fn **which, const char *words) {
    derivative = *which;
    *which = wrong_entry;
    expect_end(name, p, &(keel_options){.check_jacobians = 1, .method = "+none"}, 1, KEEL_EINVAL, words);
    *which = derivative;
    keel_solver *s = keel_open(p, &(keel_options){.check_jacobians = 1});
    if (keel_state_of(s) != KEEL_OK) complain(name, "right, but %s%s", keel_message(s), "");
    keel_close(s);
}

/* x cos t - p sin t of a rotation, and its partial rate. */
static int turned_back(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] * cos(t) - u[1] * sin(t);
    return 0;
}

static int turned_back_rate(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -u[0] * sin(t) - u[1] * cos(t);
    return 0;
}

static void wrong_derivatives_are_found_on_request(void **state) {
    (void)state;
    struct trouble none = {.from = INFINITY};
    keel_problem b = bead(&none), r = rod(&none), h = spring(&none), o = sound(KEEL_ODE);
    check_wrong("constraint", &b, &b.constraint.jacobian,
                "jacobian of constraint is wrong|given as|differences say");
    check_wrong("rolling", &b, &b.rolling.jacobian, "jacobian of rolling is wrong|u[3]");
    check_wrong("energy", &b, &b.energy.jacobian, "jacobian of energy is wrong|u[0]");
    check_wrong("invariant", &b, &b.invariant.jacobian, "jacobian of invariant is wrong");
    check_wrong("rate", &b, &b.constraint.rate, "rate of constraint is wrong|given as|differences say");
    check_wrong("curvature", &b, &b.curvature, "curvature|constraint|is wrong|given as|differences say");
    check_wrong("f", &r, &r.f.jacobian, "jacobian of f is wrong|f[0]|u[0]|given as 0.01");
    check_wrong("algebraic", &r, &r.algebraic.jacobian, "jacobian of algebraic is wrong");
    check_wrong("hidden", &r, &r.hidden.jacobian, "jacobian of hidden is wrong");
    check_wrong("H", &h, &h.energy.jacobian, "jacobian of energy is wrong");
    o.invariant = (keel_map){.count = 1, .value = turned_back, .rate = turned_back_rate};
    check_wrong("invariant rate", &o, &o.invariant.rate, "rate of invariant is wrong|given as 0.01");
    no_failures();
}

static void right_derivatives_of_all_problems_pass_the_check(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
        if (keel_state_of(s) != KEEL_OK) complain(problem_name(i), "%s%s", keel_message(s), "");
        keel_close(s);
    }
    no_failures();
}

/* ---- Matrices and rows that lose their rank. ---- */

/* diag(1, 1 - t) */
static int fading_mass(double t, const double *u, double *out, void *user) {
    unit_matrix(t, u, out, user);
    out[3] = 1 - t;
    return 0;
}

static int lame_mass(double t, const double *u, double *out, void *user) {
    unit_matrix(t, u, out, user);
    out[0] = out[1] = out[2] = 1;
    return 0;
}

static int indefinite_mass(double t, const double *u, double *out, void *user) {
    unit_matrix(t, u, out, user);
    out[3] = -1;
    return 0;
}

static void a_singular_mass_matrix_is_named(void **state) {
    (void)state;
    static const char *const names[] = {"x", "p", "vx", "vp"};
    keel_problem p = sound(KEEL_ODE), m = sound(KEEL_MECHANICS);
    p.names = m.names = names;
    p.mass.value = lame_mass;
    expect_end("at once", &p, NULL, 1, KEEL_ESINGULAR,
               "mass matrix is singular at t = 0|`p`|`algebraic` rows of a DAE");
    p.mass.value = fading_mass;
    expect_end("on the way", &p, NULL, 2, KEEL_ESTEP, "step size fell|at t = 1|singularity");
    m.mass.value = indefinite_mass;
    expect_end("indefinite", &m, NULL, 1, KEEL_ESINGULAR,
               "mass matrix is not positive definite at t = 0|`p`");
    m.mass.value = lame_mass;
    expect_end("semidefinite", &m, NULL, 1, KEEL_ESINGULAR,
               "mass matrix is not positive definite at t = 0|`p`");
    no_failures();
}

static void contradictory_rows_are_named_both(void **state) {
    (void)state;
    problem p;
    problem_twin_rods(&p, 1, 1.5);
    static const unsigned char all_free[8] = {0};
    p.keel.fixed = all_free;
    expect_end("free", &p.keel, NULL, 1, KEEL_ESINGULAR, "`rod2` contradicts `rod1`|off|at t = 0");
    p.keel.fixed = NULL;
    expect_end("fixed", &p.keel, NULL, 1, KEEL_ESINGULAR, "`rod2` contradicts `rod1`|off|at t = 0");
    no_failures();
}

/* Steps that pass over it follow the exact motion; a step that meets it ends there with a sentence. */
static void a_dead_centre_is_passed_exactly_or_ends_the_run_there(void **state) {
    (void)state;
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    problem p;
    problem_parallelogram(&p);
    double flat = problem_parallelogram_flat_time(&p);
    for (int i = 0; i < 16; i++) {
        double rtol = pow(10, -5 - 2 * (i % 4));
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = methods[i / 4], .rtol = rtol});
        keel_status status = keel_run(s, p.t_end);
        if (status == KEEL_OK) assert_below(error_to_exact(&p, s), 100 * rtol);
        if (status != KEEL_OK) assert_below(fabs(keel_time(s) - flat), 1e-4);
        if (status == KEEL_EPROJECT)
            check_message(methods[i / 4], s, "no way back to the manifold at t = 0.2979");
        else if (status != KEEL_OK)
            check_status(methods[i / 4], s, status, KEEL_ESINGULAR, "dead centre|t = 0.29795");
        keel_close(s);
    }
    no_failures();
}

static void a_start_on_a_dead_centre_is_refused(void **state) {
    (void)state;
    problem p;
    problem_parallelogram(&p);
    static const double flat[] = {1, 0, 3, 0, 0, 1, 0, 1};
    memcpy(p.u0, flat, sizeof flat);
    expect_end("flat", &p.keel, NULL, 1, KEEL_ESINGULAR,
               "the constraint `rod|loses its own direction at t = 0|dead centre|not determined beyond");
    no_failures();
}

/* Two rows that say the same in a canonical Hamiltonian. */
static int circle_twice(double t, const double *u, double *out, void *user) {
    circle(t, u, out, user);
    return circle(t, u, out + 1, user);
}

static int kinetic(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + u[1];
    return 0;
}

static void dependent_constraints_of_a_hamiltonian_are_refused(void **state) {
    (void)state;
    static const double start[] = {1, 0, 0, 0};
    keel_problem p = {.form = KEEL_HAMILTONIAN,
                      .n = 4,
                      .u0 = start,
                      .energy = MAP(1, kinetic),
                      .constraint = MAP(2, circle_twice)};
    expect_end("twice", &p, NULL, 1, KEEL_ESINGULAR, "constraints|multipliers|t = 0|dependent");
    no_failures();
}

/* ---- Algebraic variables. ---- */

static int parabola(double t, const double *u, double *out, void *user) { /* y^2 = 1 - t: no y after t = 1 */
    (void)user;
    out[0] = u[1] * u[1] - 1 + t;
    return 0;
}

static int no_solution(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] * u[1] + 1;
    return 0;
}

static int without_y(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] - 1;
    return 0;
}

static int rests(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0;
    return 0;
}

static void algebraic_equations_without_a_solution_end_in_a_sentence(void **state) {
    (void)state;
    static const double guess[] = {1, 0.7};
    keel_problem p = sound(KEEL_DAE);
    p.u0 = guess;
    p.algebraic.value = no_solution;
    expect_end("never", &p, NULL, 1, KEEL_ENEWTON, "algebraic equations could not be solved for y at t = 0");
    p.algebraic.value = parabola;
    keel_solver *s = keel_open(&p, NULL);
    check_status("no longer", s, keel_run(s, 2), KEEL_ESINGULAR,
                 "cannot be followed beyond t = 1: |two solutions");
    assert_below(fabs(keel_time(s) - 1), 1e-9);
    assert_below(fabs(keel_state(s)[0] - 1.0 / 3), 1e-5); /* and never on the branch of the other root */
    keel_close(s);
    no_failures();
}

static void an_index_that_is_too_high_asks_for_hidden_rows(void **state) {
    (void)state;
    problem p;
    problem_pendulum_dae(&p, 1);
    p.keel.hidden = (keel_map){0};
    expect_end("index 3", &p.keel, NULL, 1, KEEL_ESINGULAR,
               "0 of the equations|1 algebraic|index is higher|`hidden` rows");
    keel_problem d = sound(KEEL_DAE);
    d.f.value = rests;
    d.algebraic.value = without_y;
    expect_end("y nowhere", &d, NULL, 1, KEEL_ESINGULAR, "0 of the equations|1 algebraic|`hidden` rows");
    no_failures();
}

static void rows_too_many_for_the_algebraic_variables_are_refused(void **state) {
    (void)state;
    problem p;
    problem_pendulum_dae(&p, 1);
    keel_map tangency = p.keel.hidden;
    tangency.count = 2;
    tangency.value = tangency_twice;
    tangency.jacobian = NULL;
    tangency.terms = NULL;
    tangency.names = NULL;
    p.keel.hidden = tangency;
    expect_end("twice", &p.keel, NULL, 1, KEEL_ESINGULAR,
               "2 of the equations|1 algebraic|redundant|leave them out");
    no_failures();
}

/* 0 = y^2 - x: dF/dy = 0 at the guess y = 0. */
static int square(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] * u[1] - u[0];
    return 0;
}

static void algebraic_variables_that_are_not_determined_are_refused(void **state) {
    (void)state;
    static const double at_fold[] = {0, 0}, beside[] = {1, 0};
    keel_problem p = sound(KEEL_DAE);
    p.algebraic.value = square;
    p.u0 = beside; /* the guess alone is at the fold: a solution is found beside it */
    keel_solver *s = keel_open(&p, NULL);
    assert_ok(s, keel_state_of(s));
    assert_below(fabs(fabs(keel_state(s)[1]) - 1), 1e-15);
    keel_close(s);
    p.u0 = at_fold;
    expect_end("fold", &p, NULL, 1, KEEL_ESINGULAR,
               "algebraic variables are not determined at t = 0|another start value");
    no_failures();
}

/* ---- No way back to the manifold. ---- */

static void a_fixed_step_too_long_for_the_projection_names_row_time_and_residual(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.9, 1);
    expect_end("kepler", &p.keel, &(keel_options){.step = 1.5}, 30, KEEL_EPROJECT,
               "no way back to the manifold at t = |` is off by|round-off units|the step is fixed");
    problem_four_bar(&p);
    expect_end("four bar", &p.keel, &(keel_options){.step = 1, .method = "+project"}, 30, KEEL_EPROJECT,
               "no way back to the manifold at t = |` is off by|the step is fixed");
    no_failures();
}

/* An invariant that no state has any more after t = 1. */
static int lost_value(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = exp(-u[0] * u[0] - u[1] * u[1]) + (t >= 1 ? 5 : 0);
    return 0;
}

static void adaptive_steps_end_where_no_step_leads_back(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    p.invariant = MAP(1, lost_value);
    expect_end("lost", &p, NULL, 10, KEEL_EPROJECT,
               "no way back to the manifold at t = 1|`invariant` is off by");
    no_failures();
}

static void rattle_says_when_its_step_is_too_long(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    expect_end("rattle", &p.keel, &(keel_options){.method = "rattle", .step = 2}, 30, KEEL_ENEWTON,
               "rattle|no position on the constraints|t = |smaller step|the step is fixed");
    expect_end("spark4", &p.keel, &(keel_options){.method = "spark4", .step = 2}, 30, KEEL_ENEWTON,
               "spark4|no stages on the constraints|t = |smaller step|the step is fixed");
    no_failures();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sound_problems_of_every_form_run, begin),
        cmocka_unit_test_setup(what_does_not_fit_is_refused_with_its_reason, begin),
        cmocka_unit_test_setup(no_trouble_is_no_trouble, begin),
        cmocka_unit_test_setup(values_that_are_not_finite_end_the_run_and_name_their_callback, begin),
        cmocka_unit_test_setup(values_that_are_not_finite_end_a_run_that_only_watches, begin),
        cmocka_unit_test_setup(positive_returns_ask_for_shorter_steps_until_there_are_none, begin),
        cmocka_unit_test_setup(negative_returns_give_up, begin),
        cmocka_unit_test_setup(a_state_or_rate_that_overflows_is_told_apart, begin),
        cmocka_unit_test_setup(a_boundary_that_shorter_steps_avoid_is_survived, begin),
        cmocka_unit_test_setup(a_constraint_that_is_not_finite_far_away_is_survived, begin),
        cmocka_unit_test_setup(a_singularity_ends_with_the_time_it_was_met, begin),
        cmocka_unit_test_setup(a_component_that_stays_zero_needs_no_absolute_tolerance, begin),
        cmocka_unit_test_setup(a_relative_tolerance_at_a_zero_crossing_is_met_or_ends_in_a_sentence, begin),
        cmocka_unit_test_setup(a_fixed_step_the_clock_cannot_resolve_is_refused, begin),
        cmocka_unit_test_setup(too_many_steps_end_with_how_far_they_led, begin),
        cmocka_unit_test_setup(the_limit_of_steps_counts_in_each_call, begin),
        cmocka_unit_test_setup(equal_steps_that_miss_the_end_are_refused_and_harmless, begin),
        cmocka_unit_test_setup(a_wrong_invariant_is_refused_with_its_rate_and_the_point, begin),
        cmocka_unit_test_setup(a_wrong_invariant_nobody_looks_at_is_not_judged, begin),
        cmocka_unit_test_setup(true_invariants_without_derivatives_are_believed, begin),
        cmocka_unit_test_setup(wrong_derivatives_are_found_on_request, begin),
        cmocka_unit_test_setup(right_derivatives_of_all_problems_pass_the_check, begin),
        cmocka_unit_test_setup(a_singular_mass_matrix_is_named, begin),
        cmocka_unit_test_setup(contradictory_rows_are_named_both, begin),
        cmocka_unit_test_setup(a_dead_centre_is_passed_exactly_or_ends_the_run_there, begin),
        cmocka_unit_test_setup(a_start_on_a_dead_centre_is_refused, begin),
        cmocka_unit_test_setup(dependent_constraints_of_a_hamiltonian_are_refused, begin),
        cmocka_unit_test_setup(algebraic_equations_without_a_solution_end_in_a_sentence, begin),
        cmocka_unit_test_setup(an_index_that_is_too_high_asks_for_hidden_rows, begin),
        cmocka_unit_test_setup(rows_too_many_for_the_algebraic_variables_are_refused, begin),
        cmocka_unit_test_setup(algebraic_variables_that_are_not_determined_are_refused, begin),
        cmocka_unit_test_setup(a_fixed_step_too_long_for_the_projection_names_row_time_and_residual, begin),
        cmocka_unit_test_setup(adaptive_steps_end_where_no_step_leads_back, begin),
        cmocka_unit_test_setup(rattle_says_when_its_step_is_too_long, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
