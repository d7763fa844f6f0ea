/* test_splitting.c - kicks and drifts, and what else composes symplectic steps: symplecticity, energies that
 * stay, and problems that are not T(p) + V(q). */
#include "orbits.h"

/* Every method with a two-form to keep, for which the problem is one. */
typedef void method_check(const keel_method *method, const keel_problem *p);

static int for_symplectic_methods(const keel_problem *p, method_check *check) {
    const keel_method *method;
    int met = 0;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        if (!(method->traits & KEEL_SYMPLECTIC) || method->traits & KEEL_IMPLICIT) continue;
        keel_solver *s = keel_open(p, &(keel_options){.method = method->name, .step = 0.1});
        int accepted = keel_state_of(s) == KEEL_OK;
        keel_close(s);
        if (!accepted) continue;
        check(method, p);
        met++;
    }
    return met;
}

/* H = (1 + 0.3 sin q2) p1^2 / 2 + p2^2 / 2 + p1 p2 cos(q1) / 4 + (q1^2 + 2 q2^2 + q1^2 q2^2) / 2: nothing
 * separates.  With a user the coupling and a spring swing in time. */
static double swing(double t, const void *user) {
    return user ? 1 + 0.3 * sin(2 * t) : 1;
}

static int coupled_energy(double t, const double *u, double *out, void *user) {
    double q1 = u[0], q2 = u[1], p1 = u[2], p2 = u[3], s = swing(t, user);
    out[0] = 0.5 * (1 + 0.3 * sin(q2)) * p1 * p1 + 0.5 * p2 * p2 + 0.25 * s * p1 * p2 * cos(q1) +
             0.5 * s * q1 * q1 + q2 * q2 + 0.5 * q1 * q1 * q2 * q2;
    return 0;
}

static int coupled_gradient(double t, const double *u, double *out, void *user) {
    double q1 = u[0], q2 = u[1], p1 = u[2], p2 = u[3], s = swing(t, user);
    out[0] = -0.25 * s * p1 * p2 * sin(q1) + s * q1 + q1 * q2 * q2;
    out[1] = 0.15 * cos(q2) * p1 * p1 + 2 * q2 + q1 * q1 * q2;
    out[2] = (1 + 0.3 * sin(q2)) * p1 + 0.25 * s * p2 * cos(q1);
    out[3] = p2 + 0.25 * s * p1 * cos(q1);
    return 0;
}

static const double coupled_start[4] = {0.4, -0.3, 0.7, 0.5};
static const keel_problem coupled = {
    .form = KEEL_HAMILTONIAN,
    .name = "coupled",
    .n = 4,
    .u0 = coupled_start,
    .energy = {.count = 1, .value = coupled_energy, .jacobian = coupled_gradient}};

/* A pendulum with a kinetic energy that is not quadratic and a force that swings in time. */
static int relativistic_energy(double t, const double *u, double *out, void *user) {
    out[0] = sqrt(1 + u[1] * u[1]) * swing(t + 1, user) - swing(t, user) * cos(u[0]);
    return 0;
}

static int relativistic_gradient(double t, const double *u, double *out, void *user) {
    out[0] = swing(t, user) * sin(u[0]);
    out[1] = u[1] / sqrt(1 + u[1] * u[1]) * swing(t + 1, user);
    return 0;
}

static const double relativistic_start[2] = {2.2, 0.9};
static const keel_problem relativistic = {
    .form = KEEL_HAMILTONIAN,
    .name = "relativistic pendulum",
    .n = 2,
    .u0 = relativistic_start,
    .energy = {.count = 1, .value = relativistic_energy, .jacobian = relativistic_gradient}};

static void solve(const keel_problem *p, const char *method, double step, double t, double *u) {
    keel_options o = {.method = pair_of(method, "none"), .step = step, .compensated = 1};
    if (step == 0) o = (keel_options){.method = pair_of(method, "none"), .rtol = 1e-14, .atol = 1e-14};
    keel_solver *s = keel_open(p, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    memcpy(u, keel_state(s), (size_t)p->n * sizeof *u);
    keel_close(s);
}

static double gap(int n, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Between the last two step sizes whose errors are above round-off. */
static void check_order(const keel_method *method, const keel_problem *p) {
    double exact[4], u[4], before = 0, seen = 0;
    solve(p, "dop853", 0, 4, exact);
    for (int steps = method->order > 4 ? 8 : 16; steps < 5000; steps *= 2) {
        solve(p, method->name, 4. / steps, 4, u);
        double error = gap(p->n, exact, u);
        if (error < 1e-12) break;
        if (before > 0 && before < 0.1) seen = log2(before / error);
        before = error;
    }
    if (seen < method->order - 0.3 || seen > method->order + 1)
        fail_msg("%s on %s: order %.2f is seen, %d is claimed", method->name, p->name, seen, method->order);
}

static void any_hamiltonian_is_solved_to_the_order_claimed(void **state) {
    (void)state;
    static int swings = 1;
    for (int moving = 0; moving < 2; moving++) {
        keel_problem one = coupled, other = relativistic;
        one.user = other.user = moving ? &swings : NULL;
        assert_true(for_symplectic_methods(&one, check_order) >= 12); /* all but the Nystrom method */
        assert_true(for_symplectic_methods(&other, check_order) >= 12);
    }
}

/* H = m(t) p^2 / 2 + k(t) (q^2 / 2 + q^4 / 4): a sum whose parts move in time, one of them or both. */
static int driven_rate(double t, const double *u, double *out, void *user) {
    const int *parts = user;
    out[0] = u[1] * (parts[0] ? 1 + 0.4 * sin(1.3 * t) : 1);
    out[1] = -(u[0] + u[0] * u[0] * u[0]) * (parts[1] ? 1 + 0.5 * cos(t) : 1);
    return 0;
}

static int driven_energy(double t, const double *u, double *out, void *user) {
    const int *parts = user;
    double q2 = u[0] * u[0];
    out[0] = u[1] * u[1] / 2 * (parts[0] ? 1 + 0.4 * sin(1.3 * t) : 1) +
             (q2 / 2 + q2 * q2 / 4) * (parts[1] ? 1 + 0.5 * cos(t) : 1);
    return 0;
}

static void parts_that_move_in_time_keep_the_order(void **state) {
    (void)state;
    static int parts[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    static const double start[] = {1, 0.3};
    static const char *const names[] = {"T(t,p) + V(q)", "T(p) + V(t,q)", "T(t,p) + V(t,q)"};
    for (int k = 0; k < 3; k++) {
        keel_problem p = {.name = names[k],
                          .form = KEEL_HAMILTONIAN,
                          .n = 2,
                          .u0 = start,
                          .user = parts[k],
                          .f = {.count = 2, .value = driven_rate},
                          .energy = {.count = 1, .value = driven_energy}};
        assert_true(for_symplectic_methods(&p, check_order) >= 13);
    }
}

/* M^T J M = J, M the Jacobian of one step by differences of sixth order. */
static void check_step_jacobian(const keel_method *method, const keel_problem *p) {
    static const double weight[3] = {3. / 4, -3. / 20, 1. / 60};
    double m[4][4] = {{0}}, size = 1;
    int n = p->n, half = n / 2;
    for (int j = 0; j < n; j++)
        for (int k = 1; k <= 3; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double start[4], end[4], length = 2e-3;
                keel_problem moved = *p;
                memcpy(start, p->u0, (size_t)n * sizeof *start);
                start[j] += sign * k * length;
                moved.u0 = start;
                solve(&moved, method->name, 0.1, 0.1, end);
                for (int i = 0; i < n; i++) m[i][j] += sign * weight[k - 1] * end[i] / length;
            }
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(m[i / n][i % n]));
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double sum = 0, right = b == a + half ? 1 : a == b + half ? -1 : 0;
            for (int i = 0; i < half; i++) sum += m[i][a] * m[half + i][b] - m[half + i][a] * m[i][b];
            if (fabs(sum - right) > 1e-7 * size * size)
                fail_msg("%s on %s: M^T J M - J = %g", method->name, p->name, sum - right);
        }
}

static void one_step_is_symplectic_for_any_hamiltonian(void **state) {
    (void)state;
    assert_true(for_symplectic_methods(&coupled, check_step_jacobian) >= 12);
    assert_true(for_symplectic_methods(&relativistic, check_step_jacobian) >= 12);
}

/* There and back; symmetric methods alone. */
static void check_return(const keel_method *method, const keel_problem *p) {
    keel_solver *s =
        keel_open(p, &(keel_options){.method = pair_of(method->name, "none"), .step = 0.1, .compensated = 1});
    assert_ok(s, keel_run(s, 10));
    assert_ok(s, keel_run(s, 0));
    double away = gap(p->n, keel_state(s), p->u0);
    if (method->traits & KEEL_SYMMETRIC_STEP) assert_below(away, 1e-12);
    else if (away < 1e-9) fail_msg("%s is symmetric and does not say so", method->name);
    keel_close(s);
}

static void symmetric_ones_return_for_any_hamiltonian(void **state) {
    (void)state;
    for_symplectic_methods(&coupled, check_return);
    for_symplectic_methods(&relativistic, check_return);
}

/* H known by its values alone, by f alone with H for show, and sparse: the same motion. */
static int flow_of_relativistic(double t, const double *u, double *out, void *user) {
    double g[2];
    relativistic_gradient(t, u, g, user);
    out[0] = g[1];
    out[1] = -g[0];
    return 0;
}

static void check_ways_to_give_h(const keel_method *method, const keel_problem *p) {
    static const int start[2] = {0, 2}, column[2] = {0, 1};
    static const keel_pattern pattern = {2, start, column};
    keel_problem by_values = *p, by_flow = *p, sparse = *p;
    double u[2], v[2];
    by_values.energy.jacobian = NULL;
    by_flow.f = (keel_map){.count = 2, .value = flow_of_relativistic};
    sparse.energy.pattern = &pattern;
    solve(p, method->name, 0.1, 4, u);
    solve(&by_values, method->name, 0.1, 4, v);
    assert_below(gap(2, u, v), 1e-9);
    solve(&by_flow, method->name, 0.1, 4, v);
    assert_below(gap(2, u, v), 0);
    solve(&sparse, method->name, 0.1, 4, v);
    assert_below(gap(2, u, v), 0);
}

static void the_motion_does_not_depend_on_how_h_is_given(void **state) {
    (void)state;
    for_symplectic_methods(&relativistic, check_ways_to_give_h);
}

/* Oscillators with masses, as mechanics and as a Hamiltonian: one motion. */
static int springs(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[0] + 0.5 * sin(u[1] - u[0]);
    out[1] = -2 * u[1] - 0.5 * sin(u[1] - u[0]);
    return 0;
}

static int spring_masses(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 2;
    out[1] = out[2] = 0.5;
    out[3] = 1;
    return 0;
}

static int springs_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double a = u[2], b = u[3];
    out[0] =
        (0.5 * a * a - 0.5 * a * b + b * b) / 1.75 + 0.5 * u[0] * u[0] + u[1] * u[1] - 0.5 * cos(u[1] - u[0]);
    return 0;
}

static int springs_gradient(double t, const double *u, double *out, void *user) {
    springs(t, u, out, user);
    out[0] = -out[0];
    out[1] = -out[1];
    out[2] = (u[2] - 0.5 * u[3]) / 1.75;
    out[3] = (2 * u[3] - 0.5 * u[2]) / 1.75;
    return 0;
}

static const double springs_start[4] = {0.5, -0.2, 0.1, 0.4}, momenta_start[4] = {0.5, -0.2, 0.4, 0.45};
static const keel_problem springs_mechanics = {.form = KEEL_MECHANICS,
                                               .name = "springs",
                                               .n = 4,
                                               .u0 = springs_start,
                                               .f = {.count = 2, .value = springs},
                                               .mass = {.value = spring_masses, .constant = 1}};
static const keel_problem springs_hamiltonian = {
    .form = KEEL_HAMILTONIAN,
    .name = "springs",
    .n = 4,
    .u0 = momenta_start,
    .energy = {.count = 1, .value = springs_energy, .jacobian = springs_gradient}};

static void check_mechanics(const keel_method *method, const keel_problem *p) {
    double u[4], v[4];
    keel_solver *s = keel_open(&springs_mechanics, &(keel_options){.method = method->name, .step = 0.1});
    int accepted = keel_state_of(s) == KEEL_OK;
    keel_close(s);
    if (!accepted) return;
    solve(&springs_mechanics, method->name, 0.1, 5, u);
    solve(p, method->name, 0.1, 5, v);
    double as_momentum[4] = {u[0], u[1], 2 * u[2] + 0.5 * u[3], 0.5 * u[2] + u[3]};
    if (gap(4, as_momentum, v) > 1e-13) fail_msg("%s differs by %g", method->name, gap(4, as_momentum, v));
}

static void mechanics_and_its_hamiltonian_move_alike(void **state) {
    (void)state;
    assert_true(for_symplectic_methods(&springs_hamiltonian, check_mechanics) >= 13);
}

/* In mechanics a step of s kicks costs s forces: the last kick's force is the next step's first. */
static void forces_are_used_twice(void **state) {
    (void)state;
    static const struct {
        const char *method;
        long forces;
    } costs[] = {{"symplectic-euler", 1}, {"verlet", 1},       {"verlet-drift", 1}, {"forest-ruth", 3},
                 {"yoshida4", 3},         {"blanes-moan4", 6}, {"kahan-li8", 17}};
    for (size_t k = 0; k < sizeof costs / sizeof costs[0]; k++) {
        keel_solver *s =
            keel_open(&springs_mechanics, &(keel_options){.method = costs[k].method, .step = 1. / 64});
        long before = keel_statistics(s).calls;
        assert_ok(s, keel_run(s, 100. / 64));
        assert_within((double)(keel_statistics(s).calls - before), 100. * (double)costs[k].forces,
                      100. * (double)costs[k].forces + 1);
        keel_close(s);
    }
}

/* What cannot be taken is told in a sentence. */
static void assert_refused(const keel_problem *p, const char *method, const char *word) {
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), word)) fail_msg("`%s` does not speak of %s", keel_message(s), word);
    keel_close(s);
}

static int drag(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[0] - 0.1 * u[2];
    out[1] = -u[1];
    return 0;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    problem p;
    keel_problem dragged = springs_mechanics, heavy = springs_mechanics;
    dragged.f.value = drag;
    heavy.mass.constant = 0;
    assert_refused(&dragged, "verlet", "velocities");
    assert_refused(&heavy, "verlet", "constant");
    assert_refused(&coupled, "mclachlan-atela4", "quadratic");
    assert_refused(&relativistic, "mclachlan-atela4", "quadratic");
    problem_pendulum(&p, 1);
    assert_refused(&p.keel, "verlet", "constraints");
    problem_rigid_body_hamiltonian(&p, 2, 1, 2. / 3);
    assert_refused(&p.keel, "verlet", "structure");
    problem_kepler(&p, 0.6, 1);
    assert_refused(&p.keel, "verlet", "canonical Hamiltonian");
}

/* H = q p^2 / 2: p1 = p - h p1^2 / 2 has no solution for p = -1, h = 1; the run ends where it was. */
static int squeeze_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * u[0] * u[1] * u[1];
    return 0;
}

static int squeeze_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * u[1] * u[1];
    out[1] = u[0] * u[1];
    return 0;
}

/* H = 10 q p with h = 1/2: p1 = p - 5 p1 is no contraction, and has a solution. */
static int shear_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 10 * u[0] * u[1];
    return 0;
}

static int shear_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 10 * u[1];
    out[1] = 10 * u[0];
    return 0;
}

static void half_steps_that_do_not_contract_are_solved(void **state) {
    (void)state;
    static const double start[2] = {1, -1};
    keel_problem p = {.form = KEEL_HAMILTONIAN,
                      .n = 2,
                      .u0 = start,
                      .energy = {.count = 1, .value = shear_energy, .jacobian = shear_gradient}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "symplectic-euler", .step = 0.5});
    assert_ok(s, keel_run(s, 1));
    assert_below(fabs(keel_state(s)[0] - 36), 1e-12);
    assert_below(fabs(keel_state(s)[1] + 1. / 36), 1e-15);
    keel_close(s);
}

static void a_half_step_without_a_solution_is_told(void **state) {
    (void)state;
    static const double start[2] = {1, -1};
    keel_problem p = {.form = KEEL_HAMILTONIAN,
                      .n = 2,
                      .u0 = start,
                      .energy = {.count = 1, .value = squeeze_energy, .jacobian = squeeze_gradient}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "symplectic-euler", .step = 1});
    assert_int_equal(keel_run(s, 2), KEEL_ENEWTON);
    assert_true(strstr(keel_message(s), "symplectic-euler") != NULL);
    assert_true(keel_time(s) == 0);
    keel_close(s);
}

static void check_energy(const keel_method *method, const keel_problem *p) {
    orbit_energy_stays(method->name, p, 0.02, 10000);
}

static void energies_stay_where_they_are(void **state) {
    (void)state;
    problem p;
    problem_kepler_hamiltonian(&p, 0.2);
    assert_true(for_symplectic_methods(&p.keel, check_energy) >= 13);
}

static void rounding_is_a_random_walk(void **state) {
    (void)state;
    assert_below(orbit_walk("kahan-li8", 100000, 1), 0.1);
    assert_within(orbit_walk("kahan-li8", 100000, 0), 0.2, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_hamiltonian_is_solved_to_the_order_claimed),
        cmocka_unit_test(parts_that_move_in_time_keep_the_order),
        cmocka_unit_test(one_step_is_symplectic_for_any_hamiltonian),
        cmocka_unit_test(symmetric_ones_return_for_any_hamiltonian),
        cmocka_unit_test(the_motion_does_not_depend_on_how_h_is_given),
        cmocka_unit_test(mechanics_and_its_hamiltonian_move_alike),
        cmocka_unit_test(forces_are_used_twice),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(half_steps_that_do_not_contract_are_solved),
        cmocka_unit_test(a_half_step_without_a_solution_is_told),
        cmocka_unit_test(energies_stay_where_they_are),
        cmocka_unit_test(rounding_is_a_random_walk),
    };
    return cmocka_run_group_tests_name("splitting", tests, NULL, NULL);
}
