/* test_refusals.c - what keel_open refuses, one line a refusal; the words after each case must all stand in
 * the message. */
#include "testing.h"
#include "ends.h"
#include "extras.h"

#include <keel/method.h>

#include <limits.h>

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

/* What methods with constraints of their own refuse in common. */
#define NATIVE_REFUSALS(X, name, METHOD)                                                             \
    X(MECHANICS, name##_rolling, p->rolling = MAP(1, circle); o->method = METHOD;                    \
      o->step = 0.1, METHOD "|rolling|not holonomic|any method that projects")                       \
    X(MECHANICS, name##_mass, p->mass.value = unit_matrix; o->method = METHOD;                       \
      o->step = 0.1, METHOD "|mass matrix must be constant|by its momenta|any method that projects") \
    X(MECHANICS, name##_friction, p->f.value = friction; o->method = METHOD;                         \
      o->step = 0.1, METHOD "|must not depend on velocities|any method that projects")

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
    X(ODE, rtol_negative, o->rtol = -1, "rtol = -1|between 0 and 1")                                       \
    X(ODE, rtol_nan, o->rtol = NAN, "rtol|between 0 and 1")                                                \
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
    NATIVE_REFUSALS(X, rattle, "rattle")                                                                   \
    NATIVE_REFUSALS(X, spark, "spark4")                                                                    \
    X(MECHANICS, shake_projected, o->method = "shake"; o->step = 0.1;                                      \
      o->method = pair_of(o->method, "post"), "shake|keeps the constraints by itself")                     \
    X(DAE, spark_on_dae, o->method = "spark4"; o->step = 0.1, "spark4|mechanics|canonical")                \
    X(HAMILTONIAN, shake_on_hamiltonian, o->method = "shake"; o->step = 0.1, "shake|mechanics")            \
    X(MECHANICS, shake_mass, p->mass.value = unit_matrix; o->method = "shake";                             \
      o->step = 0.1, "shake|mass matrix must be constant; use dop853|any method that projects")            \
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
      "quadratic_forms belong to|KEEL_MECHANICS")                                                          \
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
      own_extras(p)->original_g = MAP(1, circle), "original_f belongs to|KEEL_ODE")                        \
    X(ODE, original_without_rows, own_extras(p)->original_f = MAP(2, spin),                                \
      "original_f must have count n = 2|original_g")                                                       \
    X(ODE, original_without_jacobian, own_extras(p)->original_f = MAP(2, spin);                            \
      own_extras(p)->original_g = MAP(1, circle), "original_f and original_g need their jacobians")        \
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sound_problems_of_every_form_run, begin),
        cmocka_unit_test_setup(what_does_not_fit_is_refused_with_its_reason, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
