/* test_no_solution.c - where the equations have no solution, or none that can be followed, a run ends there
 * in one sentence: lost rank, algebraic variables, no way back to the manifold. */
#include "testing.h"
#include "ends.h"

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

static int tangency_twice(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = out[1] = u[0] * u[2] + u[1] * u[3];
    return 0;
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
