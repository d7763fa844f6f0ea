/* test_forms.c - several roads to the same answer: forms, weights, given and found derivatives, native and
 * universal.
 *
 * Whatever the road, the solution is the same; how close the answers come is stated with each comparison. */
#include "testing.h"

#include <float.h>

static double distance(int count, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* The n states at t (and the worst units of what is kept, if asked). */
static void state_at(const keel_problem *p, const keel_options *o, double t, double *u, double *units) {
    keel_solver *s = keel_open(p, o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    memcpy(u, keel_state(s), (size_t)p->n * sizeof *u);
    if (units) *units = worst_units(s, NULL);
    keel_close(s);
}

/* Runs to t and checks the answer against the closed form, and the rows. */
static void check_exact(const problem *p, const keel_options *o, double t, double bound) {
    double u[PROBLEM_UNKNOWNS], exact[PROBLEM_UNKNOWNS], units;
    state_at(&p->keel, o, t, u, &units);
    p->exact(p, t, exact);
    double off = distance(p->keel.n, u, exact);
    if (off > bound) fail_msg("%s: off by %g at %g", p->keel.name, off, t);
    if (units > 16) fail_msg("%s: rows off by %g units", p->keel.name, units);
}

static const keel_options tight = {.rtol = 1e-12, .atol = 1e-14};

/* The pendulum as a canonical Hamiltonian problem with a constraint: H = |p|^2 / 2 + g y, 0 = x^2 + y^2 -
 * 1. */
static int pendulum_h(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + *(const double *)user * u[1];
    return 0;
}

static int pendulum_h_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = 0;
    out[1] = *(const double *)user;
    out[2] = u[2];
    out[3] = u[3];
    return 0;
}

static void pendulum_canonical(problem *p, double g) {
    problem_pendulum(p, g);
    p->keel.form = KEEL_HAMILTONIAN;
    p->keel.f = (keel_map){0};
    p->keel.curvature = NULL;
    p->keel.energy = (keel_map){.count = 1, .value = pendulum_h, .jacobian = pendulum_h_gradient};
}

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
        keel_kept row;
        int kept = 0;
        for (int i = 0; keel_kept_at(s, i, &row); i++) {
            if (row.kind == KEEL_ROW_ALGEBRAIC) assert_int_equal(row.care, KEEL_ROW_NATIVE);
            if (row.kind != KEEL_ROW_HIDDEN) continue;
            assert_int_equal(row.care, KEEL_ROW_KEPT);
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

static int unit_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

static void identity_mass_may_be_absent_constant_or_a_function(void **state) {
    (void)state;
    problem p;
    double absent[4], constant[4], varying[4], units[3];
    problem_pendulum(&p, 9.81);
    state_at(&p.keel, &tight, 3, absent, &units[0]);
    p.keel.mass = (keel_matrix){.value = unit_mass, .constant = 1};
    state_at(&p.keel, &tight, 3, constant, &units[1]);
    p.keel.mass.constant = 0;
    state_at(&p.keel, &tight, 3, varying, &units[2]);
    assert_below(distance(4, absent, constant), 1e-13);
    assert_below(distance(4, constant, varying), 1e-13);
    for (int k = 0; k < 3; k++) assert_below(units[k], 4);
}

/* Doubling the mass and the force changes nothing but the multipliers. */
static int heavy_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 2;
    out[1] = out[2] = 0;
    return 0;
}

static int heavy_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    out[0] = 0;
    out[1] = -2 * *(const double *)user;
    return 0;
}

static void twice_the_mass_and_force_doubles_the_multipliers_only(void **state) {
    (void)state;
    problem light, heavy;
    problem_pendulum(&light, 9.81);
    problem_pendulum(&heavy, 9.81);
    heavy.keel.mass = (keel_matrix){.value = heavy_mass, .constant = 1};
    heavy.keel.f = (keel_map){.count = 2, .value = heavy_force};
    keel_solver *a = keel_open(&light.keel, &tight), *b = keel_open(&heavy.keel, &tight);
    assert_ok(a, keel_run(a, 2));
    assert_ok(b, keel_run(b, 2));
    assert_below(distance(4, keel_state(a), keel_state(b)), 1e-11);
    assert_below(fabs(2 * keel_multipliers(a)[0] - keel_multipliers(b)[0]), 1e-9);
    keel_close(a);
    keel_close(b);
}

/* An ODE with a mass matrix of order n: M x' = M f, M not the identity. */
static const double skewed[9] = {2, 1, 0, 0, 3, 1, 1, 0, 1};

static int skewed_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memcpy(out, skewed, sizeof skewed);
    return 0;
}

static keel_fn *body_rate;

static int skewed_rate(double t, const double *u, double *out, void *user) {
    double rate[3];
    body_rate(t, u, rate, user);
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++) out[i] += skewed[3 * i + j] * rate[j];
    }
    return 0;
}

static void mass_matrices_of_odes_are_divided_out(void **state) {
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        problem p;
        problem_rigid_body(&p, 2, 1, 2. / 3);
        body_rate = p.keel.f.value;
        p.keel.f = (keel_map){.count = 3, .value = skewed_rate};
        p.keel.mass = (keel_matrix){.value = skewed_mass, .constant = constant};
        check_exact(&p, &tight, 10, 1e-11);
    }
}

/* The weights decide where on the manifold the state lands, at the size of the local error: never whether. */
static void all_weights_lead_to_the_same_manifold(void **state) {
    (void)state;
    static const double given[6] = {3, 1, 2, 0.5, 1, 0.25};
    static const keel_norm norms[] = {KEEL_BY_DEFAULT, KEEL_BY_ERROR, KEEL_BY_MASS, KEEL_UNIT, KEEL_GIVEN};
    for (int k = 0; k < 5; k++) {
        problem p;
        keel_options o = {
            .rtol = 1e-10, .atol = 1e-12, .norm = norms[k], .weights = norms[k] == KEEL_GIVEN ? given : NULL};
        problem_pendulum(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
        problem_knife_edge(&p);
        check_exact(&p, &o, 2, 1e-7);
        if (norms[k] == KEEL_BY_MASS) continue;
        problem_kepler(&p, 0.4, 1);
        check_exact(&p, &o, 10, 1e-7);
        pendulum_canonical(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
        problem_pendulum_dae(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
    }
}

static void weights_by_default_are_by_mass_in_mechanics_and_by_error_elsewhere(void **state) {
    (void)state;
    problem p;
    double a[4], b[4];
    problem_pendulum(&p, 9.81);
    keel_options chosen = {.method = "rk4", .step = 0.01}, named = chosen;
    named.norm = KEEL_BY_MASS;
    state_at(&p.keel, &chosen, 2, a, NULL);
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_equal(a, b, sizeof a);
    named.norm = KEEL_BY_ERROR;
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_not_equal(a, b, sizeof a);
    problem_kepler(&p, 0.4, 1);
    state_at(&p.keel, &chosen, 2, a, NULL);
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_equal(a, b, sizeof a);
}

/* A state with an enormous weight is not touched by a correction that others can make. */
static void heavy_weights_hold_a_state_still(void **state) {
    (void)state;
    problem p;
    static const double hold[3] = {1e8, 1, 1};
    double moved[3], held[3], free_x[3];
    problem_rigid_body(&p, 2, 1, 2. / 3);
    keel_options o = {.method = "rk2+none", .step = 0.125};
    state_at(&p.keel, &o, 0.125, moved, NULL);
    o.method = pair_of(o.method, "project");
    state_at(&p.keel, &o, 0.125, free_x, NULL);
    o.norm = KEEL_GIVEN;
    o.weights = hold;
    state_at(&p.keel, &o, 0.125, held, NULL);
    assert_below(fabs(held[0] - moved[0]), 1e-12);
    assert_true(fabs(free_x[0] - moved[0]) > 1e-6);
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

struct road {
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

static const struct road roads[] = {
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
enum { ROADS = sizeof roads / sizeof *roads };

static double largest(int count, const double *u) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(u[i]));
    return size;
}

/* Not tighter: with tolerances below the noise of differences (1e-11 in Andrews) the steps shrink a
 * hundredfold. */
static void compare_roads(const struct road *road, const problem *one, const problem *other) {
    static const keel_options options = {.rtol = 1e-9, .atol = 1e-11};
    double a[PROBLEM_UNKNOWNS], b[PROBLEM_UNKNOWNS], units;
    state_at(&one->keel, &options, road->t, a, NULL);
    state_at(&other->keel, &options, road->t, b, &units);
    double off = distance(one->keel.n, a, b) / largest(one->keel.n, a);
    if (off > road->bound) fail_msg("%s: %g apart", road->name, off);
    if (units > 16) fail_msg("%s: rows off by %g units", road->name, units);
}

static void curvature_may_be_given_or_found(void **state) {
    (void)state;
    for (int k = 0; k < ROADS; k++) {
        problem given, found;
        roads[k].fill(&given);
        roads[k].fill(&found);
        if (!given.keel.curvature) continue;
        found.keel.curvature = NULL;
        compare_roads(&roads[k], &given, &found);
    }
}

static void jacobians_may_be_given_or_found(void **state) {
    (void)state;
    for (int k = 0; k < ROADS; k++) {
        problem given, found;
        roads[k].fill(&given);
        roads[k].fill(&found);
        keel_problem *p = &found.keel;
        keel_map *maps[] = {&p->f,          &p->algebraic, &p->hidden,   &p->energy,
                            &p->constraint, &p->rolling,   &p->invariant};
        for (int i = 0; i < 7; i++) maps[i]->jacobian = maps[i]->rate = NULL;
        p->curvature = NULL;
        compare_roads(&roads[k], &given, &found);
    }
}

static keel_verdict verdict_of(const keel_solver *s, const char *name) {
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++)
        if (strcmp(row.name, name) == 0) return row.verdict;
    fail_msg("there is no row %s", name);
    return KEEL_UNVERIFIED;
}

static void invariants_are_strong_or_weak_as_documented(void **state) {
    (void)state;
    problem p;
    problem_pendulum_ode(&p, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "tangency"), KEEL_STRONG);
    assert_int_equal(verdict_of(s, "length"), KEEL_WEAK);
    assert_int_equal(verdict_of(s, "energy"), KEEL_WEAK);
    keel_close(s);
    problem_pendulum(&p, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG); /* wherever the constraints hold */
    keel_close(s);
    problem_pendulum_dae(&p, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG);
    keel_close(s);
    problem_kepler(&p, 0.3, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG);
    assert_int_equal(verdict_of(s, "momentum"), KEEL_STRONG);
    keel_close(s);
}

static int falsehood(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + 1.01 * u[1] * u[1] + u[2] * u[2];
    return 0;
}

static void a_false_invariant_is_refused_with_its_rate(void **state) {
    (void)state;
    problem p;
    static const char *const names[] = {"almost"};
    problem_rigid_body(&p, 2, 1, 2. / 3);
    p.keel.invariant = (keel_map){.count = 1, .value = falsehood, .names = names};
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "almost"));
    assert_non_null(strstr(keel_message(s), "rate"));
    keel_close(s);
}

/* x' = v, v' = -x - drag v, the drag setting in beyond |x| = from. */
struct dragged {
    double drag, from;
};

static int dragged_f(double t, const double *u, double *out, void *user) {
    (void)t;
    const struct dragged *d = user;
    double beyond = fmax(fabs(u[0]) - d->from, 0);
    out[0] = u[1];
    out[1] = -u[0] - d->drag * (d->from > 0 ? beyond * beyond : 1) * u[1];
    return 0;
}

static int dragged_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static int dragged_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    out[1] = u[1];
    return 0;
}

static keel_status open_dragged(double drag, double from, double x, double v, int given) {
    struct dragged d = {drag, from};
    double u0[] = {x, v};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = u0, .user = &d};
    p.f = (keel_map){.count = 2, .value = dragged_f};
    p.energy = (keel_map){.count = 1, .value = dragged_energy, .jacobian = given ? dragged_gradient : NULL};
    keel_solver *s = keel_open(&p, NULL);
    keel_status status = keel_state_of(s);
    if (status != KEEL_OK && !strstr(keel_message(s), "`energy` is not conserved"))
        fail_msg("%s", keel_message(s));
    keel_close(s);
    return status;
}

static void the_least_drag_is_found_before_the_run(void **state) {
    (void)state;
    static const double starts[][2] = {{1, 0}, {1, 0.5}, {-3e5, 2e4}, {0, 1e-6}};
    for (int k = 0; k < 4; k++) {
        double x = starts[k][0], v = starts[k][1], size = fmax(fabs(x), fabs(v));
        assert_int_equal(open_dragged(0, 0, x, v, 1), KEEL_OK);
        assert_int_equal(open_dragged(0, 0, x, v, 0), KEEL_OK);
        assert_int_equal(open_dragged(1e-6, 0, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-6, 0, x, v, 0), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-11, 0, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-3 / (size * size), 1.5 * size, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-3 / (size * size), 1.5 * size, x, v, 0), KEEL_EINVAL);
    }
}

/* The forces of a mechanical problem, or the rates of the pendulum as a DAE, with a drag. */
static keel_fn *plain_f;
static double added_drag;
static int with_drag_on_forces(double t, const double *u, double *out, void *user) {
    int code = plain_f(t, u, out, user);
    out[0] -= added_drag * u[2];
    return code;
}

static int with_drag_on_rates(double t, const double *u, double *out, void *user) {
    int code = plain_f(t, u, out, user);
    out[2] -= added_drag * u[2];
    return code;
}

static void drag_is_found_where_constraints_hold(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        problem p;
        if (k % 2) problem_pendulum_dae(&p, 9.81);
        else problem_pendulum(&p, 9.81);
        plain_f = p.keel.f.value;
        added_drag = k < 4 ? 0 : 1e-6;
        p.keel.f.value = k % 2 ? with_drag_on_rates : with_drag_on_forces;
        p.keel.f.jacobian = NULL;
        if (k / 2 % 2) p.keel.invariant.jacobian = p.keel.energy.jacobian = NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        if ((keel_state_of(s) == KEEL_OK) != (k < 4)) fail_msg("%d: %s", k, keel_message(s));
        keel_close(s);
    }
}

static void looking_far_leaves_the_units_of_the_run(void **state) {
    (void)state;
    problem p;
    keel_kept row;
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_true(keel_kept_at(s, 0, &row)); /* |E_x x| + |E| with E = v^2/2 - 1/r, r = 0.4, v = 2 */
    assert_within(row.unit / DBL_EPSILON, 7, 13);
    keel_close(s);
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
        cmocka_unit_test(identity_mass_may_be_absent_constant_or_a_function),
        cmocka_unit_test(twice_the_mass_and_force_doubles_the_multipliers_only),
        cmocka_unit_test(mass_matrices_of_odes_are_divided_out),
        cmocka_unit_test(all_weights_lead_to_the_same_manifold),
        cmocka_unit_test(weights_by_default_are_by_mass_in_mechanics_and_by_error_elsewhere),
        cmocka_unit_test(heavy_weights_hold_a_state_still),
        cmocka_unit_test(knife_edge_meets_its_closed_form),
        cmocka_unit_test(curvature_may_be_given_or_found),
        cmocka_unit_test(jacobians_may_be_given_or_found),
        cmocka_unit_test(invariants_are_strong_or_weak_as_documented),
        cmocka_unit_test(a_false_invariant_is_refused_with_its_rate),
        cmocka_unit_test(the_least_drag_is_found_before_the_run),
        cmocka_unit_test(drag_is_found_where_constraints_hold),
        cmocka_unit_test(looking_far_leaves_the_units_of_the_run),
    };
    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
