/* test_forms.c - several ways to the same answer: forms, given and found derivatives, native and universal.
 *
 * Whatever the way, the solution is the same; how close the answers come is stated with each comparison. */
#include "testing.h"
#include "forms.h"

static void pendulum_is_the_same_in_every_form(void **state) {
    (void)state;
    problem p;
    problem_pendulum_ode(&p, 9.81);
    check_exact(&p, &tight, 5, 1e-10);
    problem_pendulum(&p, 9.81);
    check_exact(&p, &tight, 5, 1e-10);
    problem_pendulum_dae(&p, 9.81);
    check_exact(&p, &tight, 5, 1e-10);
    pendulum_canonical(&p, 9.81);
    check_exact(&p, &tight, 5, 1e-10);
}

/* The same as model languages leave it: y = (ax, ay, lam), all three equations contain y, and so do the rates
 * of the hidden rows, which then say nothing new. */
static int reduced_f(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    memcpy(out, (double[]){u[2], u[3], u[4], u[5]}, 4 * sizeof *out);
    return 0;
}

static int reduced_f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 28 * sizeof *out);
    for (int i = 0; i < 4; i++) out[7 * i + 2 + i] = 1;
    return 0;
}

static int reduced_rows(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = u[4] + 2 * u[0] * u[6];
    out[1] = u[5] + 2 * u[1] * u[6] + *(const double *)user;
    out[2] = 2 * (u[2] * u[2] + u[3] * u[3] + u[0] * u[4] + u[1] * u[5]);
    return 0;
}

static int reduced_rows_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, 21 * sizeof *out);
    out[0] = out[8] = 2 * u[6];
    out[4] = out[12] = 1;
    out[6] = 2 * u[0];
    out[13] = 2 * u[1];
    out[14] = 2 * u[4], out[15] = 2 * u[5], out[16] = 4 * u[2], out[17] = 4 * u[3];
    out[18] = 2 * u[0], out[19] = 2 * u[1];
    return 0;
}

static int reduced_hidden(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    out[1] = u[0] * u[2] + u[1] * u[3];
    return 0;
}

static int reduced_hidden_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    memcpy(out, (double[]){2 * u[0], 2 * u[1], 0, 0, u[2], u[3], u[0], u[1]}, 8 * sizeof *out);
    return 0;
}

static void hidden_rows_join_equations_that_already_determine_y(void **state) {
    (void)state;
    static const char *const names[] = {"rod", "tangency"};
    for (int given = 0; given < 2; given++) {
        problem p, other;
        double u[7], wanted[4];
        problem_pendulum(&other, 9.81);
        problem_pendulum(&p, 9.81);
        p.keel.form = KEEL_DAE;
        p.keel.m = 3;
        p.keel.constraint = p.keel.energy = p.keel.invariant = (keel_map){0};
        p.keel.curvature = NULL;
        p.keel.f = (keel_map){.count = 4, .value = reduced_f};
        p.keel.algebraic = (keel_map){.count = 3, .value = reduced_rows};
        p.keel.hidden = (keel_map){.count = 2, .value = reduced_hidden, .names = names};
        if (given) {
            p.keel.f.jacobian = reduced_f_jacobian;
            p.keel.algebraic.jacobian = reduced_rows_jacobian;
            p.keel.hidden.jacobian = reduced_hidden_jacobian;
        }
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-10, .check_jacobians = 1});
        assert_ok(s, keel_state_of(s));
        assert_ok(s, keel_run(s, 5));
        keel_row row;
        int kept = 0;
        for (int i = 0; keel_row_at(s, i, &row); i++) {
            if (row.kind == KEEL_ROW_ALGEBRAIC) assert_int_equal(row.treatment, KEEL_ROW_NATIVE);
            if (row.kind != KEEL_ROW_HIDDEN) continue;
            assert_int_equal(row.treatment, KEEL_ROW_KEPT);
            assert_below(row.units, 4);
            kept++;
        }
        assert_int_equal(kept, 2);
        memcpy(u, keel_state(s), sizeof u);
        state_at(&other.keel, &(keel_options){.rtol = 1e-10}, 5, wanted, NULL);
        assert_below(distance(4, u, wanted), 1e-8);
        assert_below(error_to_exact(&p, s), 1e-8);
        assert_below(fabs(u[4] + 2 * u[0] * u[6]), 1e-13);
        assert_below(fabs(u[0] * u[0] + u[1] * u[1] - 1), 1e-15 * 4);
        keel_close(s);
    }
}

/* Known: with H and g by differences the velocity row carries their noise, of which its units know
 * nothing.  From rest the run ends with KEEL_EPROJECT (120 units); in motion rows are seen at 6 units, and
 * up to 41 where only G is found. */
static void canonical_pendulum_in_motion_needs_no_derivatives(void **state) {
    (void)state;
    problem p;
    double u[4], exact[4], units;
    pendulum_canonical(&p, 9.81);
    p.exact(&p, 0.3, p.u0);
    p.keel.t0 = 0.3;
    p.keel.energy.jacobian = p.keel.constraint.jacobian = NULL;
    state_at(&p.keel, &tight, 5, u, &units);
    p.exact(&p, 5, exact);
    assert_below(distance(4, u, exact), 1e-10);
    assert_below(units, 50);
}

/* d/dt (x^2 + y^2 - 1) with exact derivatives, x' = p or v. */
static int turning(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * (u[0] * u[2] + u[1] * u[3]);
    return 0;
}

static int turning_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int j = 0; j < 4; j++) out[j] = 2 * u[(j + 2) % 4];
    return 0;
}

static int turning_wrongly(double t, const double *u, double *out, void *user) {
    turning_jacobian(t, u, out, user);
    out[2] *= 1.01;
    return 0;
}

static void velocity_rows_may_be_given(void **state) {
    (void)state;
    for (int canonical = 0; canonical < 2; canonical++) {
        problem p;
        if (canonical) pendulum_canonical(&p, 9.81);
        else problem_pendulum(&p, 9.81);
        p.keel.velocity = (keel_map){.count = 1, .value = turning, .jacobian = turning_jacobian};
        check_exact(&p, &(keel_options){.rtol = 1e-12, .atol = 1e-14, .check_jacobians = 1}, 5, 1e-10);
        p.keel.velocity.jacobian = turning_wrongly;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        assert_non_null(strstr(keel_message(s), "velocity"));
        keel_close(s);
        p.keel.velocity.count = 2;
        s = keel_open(&p.keel, NULL);
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        assert_non_null(strstr(keel_message(s), "velocity must have a row for each of the 1 constraints"));
        keel_close(s);
    }
}

static int swing(double t, const double *u, double *out, void *user) {
    (void)t;
    memcpy(out, (double[]){u[2], u[3], 0, -*(const double *)user}, 4 * sizeof *out);
    return 0;
}

static int swing_wrongly(double t, const double *u, double *out, void *user) {
    swing(t, u, out, user);
    out[3] *= 1.01;
    return 0;
}

/* Without its rod the pendulum falls; the field is the same whether given or derived from H. */
static void a_hamiltonian_field_may_be_given(void **state) {
    (void)state;
    problem p;
    double derived[4], given[4], units;
    pendulum_canonical(&p, 9.81);
    p.keel.constraint = p.keel.invariant = (keel_map){0};
    state_at(&p.keel, &tight, 2, derived, &units);
    p.keel.f = (keel_map){.count = 4, .value = swing};
    state_at(&p.keel, &tight, 2, given, &units);
    for (int j = 0; j < 4; j++) assert_true(derived[j] == given[j]);
    p.keel.f.value = swing_wrongly;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1, .method = "+none"});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "f is not B grad H"));
    keel_close(s);
}

static void tensions_of_the_forms_agree(void **state) {
    (void)state;
    problem mechanics, dae, canonical;
    problem_pendulum(&mechanics, 9.81);
    problem_pendulum_dae(&dae, 9.81);
    pendulum_canonical(&canonical, 9.81);
    keel_solver *m = keel_open(&mechanics.keel, &tight), *d = keel_open(&dae.keel, &tight);
    keel_solver *c = keel_open(&canonical.keel, &tight);
    for (double t = 0.1; t < 3; t += 0.37) {
        assert_ok(m, keel_run(m, t));
        assert_ok(d, keel_run(d, t));
        assert_ok(c, keel_run(c, t));
        double tension = keel_state(d)[4]; /* x'' = -T x, and -2 lambda x in the others */
        double exact[5];
        dae.exact(&dae, t, exact);
        assert_below(fabs(tension - exact[4]), 1e-9);
        assert_below(fabs(2 * keel_multipliers(m)[0] - tension), 1e-9);
        assert_below(fabs(2 * keel_multipliers(c)[0] - tension), 1e-9);
        for (int j = 0; j < 2; j++) {
            assert_below(fabs(keel_forces(m)[j] + tension * keel_state(m)[j]), 1e-9);
            assert_below(fabs(keel_forces(c)[j] + tension * keel_state(c)[j]), 1e-9);
        }
    }
    keel_close(m);
    keel_close(d);
    keel_close(c);
}

static void rattle_and_projection_converge_to_each_other(void **state) {
    (void)state;
    double apart[3], native[4], universal[4];
    for (int k = 0; k < 3; k++) {
        problem p;
        double step = ldexp(1, -8 - k);
        problem_pendulum(&p, 9.81);
        state_at(&p.keel, &(keel_options){.method = "rattle", .step = step}, 2, native, NULL);
        state_at(&p.keel, &(keel_options){.method = "rk4", .step = step}, 2, universal, NULL);
        apart[k] = distance(4, native, universal);
    }
    assert_within(log2(apart[0] / apart[1]), 1.9, 2.1);
    assert_within(log2(apart[1] / apart[2]), 1.9, 2.1);
    assert_below(apart[2], 1e-3);
}

static void spherical_pendulum_by_rattle_and_by_projection(void **state) {
    (void)state;
    double apart[2], native[6], universal[6];
    for (int k = 0; k < 2; k++) {
        problem p;
        problem_spherical_pendulum(&p);
        state_at(&p.keel, &(keel_options){.method = "rattle", .step = ldexp(1, -8 - k)}, 3, native, NULL);
        state_at(&p.keel, &tight, 3, universal, NULL);
        apart[k] = distance(6, native, universal);
    }
    assert_within(log2(apart[0] / apart[1]), 1.95, 2.05);
}

static void kepler_and_rigid_body_are_the_same_as_ode_and_hamiltonian(void **state) {
    (void)state;
    problem ode, hamiltonian;
    double a[4], b[4];
    keel_options plain = {.method = "rk4+none", .step = 0.01};
    problem_kepler(&ode, 0.5, 1);
    problem_kepler_hamiltonian(&hamiltonian, 0.5);
    check_exact(&ode, &tight, 20, 1e-9);
    check_exact(&hamiltonian, &tight, 20, 1e-9);
    state_at(&ode.keel, &plain, 6, a, NULL);
    state_at(&hamiltonian.keel, &plain, 6, b, NULL);
    assert_below(distance(4, a, b), 1e-11); /* the same method: only roundings differ */
    problem_rigid_body(&ode, 2, 1, 2. / 3);
    problem_rigid_body_hamiltonian(&hamiltonian, 2, 1, 2. / 3);
    check_exact(&ode, &tight, 20, 1e-11);
    check_exact(&hamiltonian, &tight, 20, 1e-11);
    state_at(&ode.keel, &plain, 6, a, NULL);
    state_at(&hamiltonian.keel, &plain, 6, b, NULL);
    assert_below(distance(3, a, b), 1e-13);
}

/* A gradient of H by differences carries their error (1e-11 next to the centre) into the field; it is no
 * reason to call an invariant false. */
static void hamiltonian_without_a_gradient_is_as_good_as_differences(void **state) {
    (void)state;
    problem p;
    problem_rigid_body_hamiltonian(&p, 2, 1, 2. / 3);
    p.keel.energy.jacobian = NULL;
    p.keel.invariant.jacobian = NULL;
    check_exact(&p, &tight, 10, 1e-9);
    problem_kepler_hamiltonian(&p, 0.5);
    p.keel.energy.jacobian = NULL;
    check_exact(&p, &tight, 5, 1e-9);
    check_exact(&p, &(keel_options){.rtol = 1e-8}, 5, 1e-6);
}

static void knife_edge_meets_its_closed_form(void **state) {
    (void)state;
    problem p;
    problem_knife_edge(&p);
    check_exact(&p, &tight, p.t_end, 1e-10);
    p.keel.curvature = NULL;
    check_exact(&p, &tight, p.t_end, 1e-10);
    p.keel.rolling.jacobian = NULL;
    check_exact(&p, &tight, p.t_end, 1e-10);
}

struct way {
    const char *name;
    void (*fill)(problem *p);
    double t, bound; /* of derivatives by differences against given ones, relative to the largest value */
};

static void fill_pendulum(problem *p) {
    problem_pendulum(p, 9.81);
}

static void fill_pendulum_dae(problem *p) {
    problem_pendulum_dae(p, 9.81);
}

static const struct way ways[] = {
    {"pendulum", fill_pendulum, 2, 1e-9},
    {"spherical pendulum", problem_spherical_pendulum, 3, 1e-9},
    {"car axis", problem_car_axis, 1, 1e-8},
    {"Andrews", problem_andrews, 0.01, 2e-6}, /* magnifies errors by 2000 */
    {"four bar", problem_four_bar, 1, 1e-8},
    {"five link", problem_five_link, 1, 1e-8},
    {"circular track", problem_circular_track, 1, 1e-9},
    {"pendulum (DAE)", fill_pendulum_dae, 2, 1e-9},
    {"oscillator", problem_oscillator, 10, 1e-9},
    {"chemical Akzo", problem_chemakzo, 1, 1e-9},
};
enum { WAYS = sizeof ways / sizeof *ways };

static double largest(int count, const double *u) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(u[i]));
    return size;
}

/* Not tighter: with tolerances below the noise of differences (1e-11 in Andrews) the steps shrink a
 * hundredfold. */
static void compare_ways(const struct way *way, const problem *one, const problem *other) {
    static const keel_options options = {.rtol = 1e-9, .atol = 1e-11};
    double a[PROBLEM_UNKNOWNS], b[PROBLEM_UNKNOWNS], units;
    state_at(&one->keel, &options, way->t, a, NULL);
    state_at(&other->keel, &options, way->t, b, &units);
    double off = distance(one->keel.n, a, b) / largest(one->keel.n, a);
    if (off > way->bound) fail_msg("%s: %g apart", way->name, off);
    if (units > 16) fail_msg("%s: rows off by %g units", way->name, units);
}

static void curvature_may_be_given_or_found(void **state) {
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        problem given, found;
        ways[k].fill(&given);
        ways[k].fill(&found);
        if (!given.keel.curvature) continue;
        found.keel.curvature = NULL;
        compare_ways(&ways[k], &given, &found);
    }
}

static void jacobians_may_be_given_or_found(void **state) {
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        problem given, found;
        ways[k].fill(&given);
        ways[k].fill(&found);
        keel_problem *p = &found.keel;
        keel_map *maps[] = {&p->f,          &p->algebraic, &p->hidden,   &p->energy,
                            &p->constraint, &p->rolling,   &p->invariant};
        for (int i = 0; i < 7; i++) maps[i]->jacobian = maps[i]->time_derivative = NULL;
        p->curvature = NULL;
        compare_ways(&ways[k], &given, &found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_the_same_in_every_form),
        cmocka_unit_test(hidden_rows_join_equations_that_already_determine_y),
        cmocka_unit_test(canonical_pendulum_in_motion_needs_no_derivatives),
        cmocka_unit_test(velocity_rows_may_be_given),
        cmocka_unit_test(a_hamiltonian_field_may_be_given),
        cmocka_unit_test(tensions_of_the_forms_agree),
        cmocka_unit_test(rattle_and_projection_converge_to_each_other),
        cmocka_unit_test(spherical_pendulum_by_rattle_and_by_projection),
        cmocka_unit_test(kepler_and_rigid_body_are_the_same_as_ode_and_hamiltonian),
        cmocka_unit_test(hamiltonian_without_a_gradient_is_as_good_as_differences),
        cmocka_unit_test(knife_edge_meets_its_closed_form),
        cmocka_unit_test(curvature_may_be_given_or_found),
        cmocka_unit_test(jacobians_may_be_given_or_found),
    };
    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
