/* test_battery_structure.c - what methods keep by themselves, and what their traits say they do: symmetry,
 * the two-form, energy, invariants, constraints. */
#include "testing.h"
#include "battery.h"

#include <keel/stabilizer.h>

/* Phi_-h after Phi_h is the identity for a symmetric step; for others the mismatch is of the size of the
 * error. */
static void check_symmetry(struct bout *b) {
    int acts = (b->stabilizer->traits & ACTS) != 0,
        frozen = (b->stabilizer->traits & KEEL_FROZEN_WEIGHTS) != 0;
    if (acts && (!frozen || b->stabilizer->traits & KEEL_DAMPS)) return;
    keel_solver *s = NULL;
    double error = 0, enough = b->method->order > 6 ? 1e-6 : 1e-4;
    if (b->method->order > 8) return; /* errs too little: see test_implicit.c */
    int fewest = acts ? 20 : 4;       /* multipliers are not found for any length of step */
    for (int steps = 64; steps >= fewest && error < enough;
         steps -= steps / 4) { /* long ones for high orders */
        keel_close(s);
        b->o.step = scenes[b->scene].span / steps;
        s = bout_open(b);
        bout_run(b, s, b->end);
        error = error_to_exact(&b->p, s);
    }
    bout_run(b, s, b->p.keel.t0);
    if (error < enough && !acts) fail_bout(b, "the error %g is too small for a test of symmetry", error);
    if (away_from_start(b, s) > 1e-12)
        fail_bout(b, "returns to within %g of the start", away_from_start(b, s));
    keel_close(s);
}

static void symmetric_steps_retrace_themselves(void **state) {
    (void)state;
    for_all_bouts(KEEL_SYMMETRIC_STEP, check_symmetry);
}

/* Start and end of some steps from the point of the manifold nearest to u0 + d; mass matrices are 1 here. */
struct orbit {
    double start[PROBLEM_UNKNOWNS], end[PROBLEM_UNKNOWNS];
};

static void orbit_from(const struct bout *b, const double *direction, double length, struct orbit *out) {
    int n = b->p.keel.n;
    double u[PROBLEM_UNKNOWNS], t0 = b->p.keel.t0;
    keel_solver *s = bout_open(b);
    for (int j = 0; j < n; j++) u[j] = b->p.u0[j] + length * direction[j];
    assert_ok(s, keel_restart(s, t0, u));
    memcpy(out->start, keel_state(s), (size_t)n * sizeof *u);
    bout_run(b, s, t0 + 4 * b->o.step);
    memcpy(out->end, keel_state(s), (size_t)n * sizeof *u);
    keel_close(s);
}

static double two_form(int n, const double *a, const double *b) { /* dq wedge dp */
    double sum = 0;
    for (int j = 0; j < n / 2; j++) sum += a[j] * b[n / 2 + j] - a[n / 2 + j] * b[j];
    return sum;
}

/* Tangents at start and end of the orbits through u0 along `direction`, to fourth order in the length. */
static void tangent_orbit(const struct bout *b, const double *direction, struct orbit *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    double length = 1e-3;
    struct orbit orbits[4];
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) orbit_from(b, direction, at[k] * length, &orbits[k]);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < b->p.keel.n; j++) {
            out->start[j] += weight[k] * orbits[k].start[j] / length;
            out->end[j] += weight[k] * orbits[k].end[j] / length;
        }
}

/* The two-form of all pairs of tangents must be what it was; returns the largest two-form seen. */
static double check_two_form(const struct bout *b) {
    struct orbit tangent[PROBLEM_UNKNOWNS];
    int n = b->p.keel.n;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double direction[PROBLEM_UNKNOWNS] = {0};
        direction[i] = 1;
        tangent_orbit(b, direction, &tangent[i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double before = two_form(n, tangent[i].start, tangent[j].start);
            double after = two_form(n, tangent[i].end, tangent[j].end);
            if (fabs(after - before) > 1e-7)
                fail_bout(b, "dq wedge dp goes from %.10g to %.10g", before, after);
            largest = fmax(largest, fabs(before));
        }
    return largest;
}

static void check_symplecticity(struct bout *b) {
    if (b->stabilizer->traits & ACTS || b->p.keel.form == KEEL_ODE) return;
    if (b->p.keel.constraint.count && !(b->method->traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)))
        return; /* the field off the constraints is no Hamiltonian one */
    b->o.step = 0.25;
    if (check_two_form(b) < 0.1) fail_bout(b, "there is no two-form to keep");
    if (b->p.keel.form != KEEL_MECHANICS) return;
    problem_spherical_pendulum(&b->p); /* with more than one degree of freedom */
    if (check_two_form(b) < 0.1) fail_bout(b, "there is no two-form to keep");
}

static void symplectic_methods_keep_the_two_form(void **state) {
    (void)state;
    for_all_bouts(KEEL_SYMPLECTIC, check_symplecticity);
}

/* H within a few units, with steps so long that the error of the state is seen. */
static void check_energy(struct bout *b) {
    keel_row row;
    if (b->stabilizer->traits & ACTS || !(b->stabilizer->traits & KEEL_MEASURES)) return;
    keel_solver *s = NULL;
    double error = 0;
    for (int steps = 256; steps >= 32 && error < 1e-9; steps -= steps / 4) { /* long ones for high orders */
        keel_close(s);
        b->o.step = scenes[b->scene].span / steps;
        s = bout_open(b);
        bout_run(b, s, b->end);
        error = error_to_exact(&b->p, s);
    }
    if (error < 1e-9) fail_bout(b, "the error is too small for a test of the energy");
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (row.kind == KEEL_ROW_ENERGY && row.units > 24)
            fail_bout(b, "the energy is off by %g units", row.units);
    keel_close(s);
}

static void methods_that_keep_the_energy_do(void **state) {
    (void)state;
    for_all_bouts(KEEL_KEEPS_ENERGY, check_energy);
}

/* Linear invariants: a + c and b + 2 c of the reaction a + 2 b <-> c; momentum of two bodies of mass 1 and
 * 3; a + c and b + c of a + b <-> c, a quadratic field. */
static int reaction(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double rate = 1.3 * u[0] * u[1] - 0.7 * u[2] + 0.1 * sin(u[1]);
    out[0] = -rate;
    out[1] = -2 * rate;
    out[2] = rate;
    return 0;
}

static int reaction_sums(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[2];
    out[1] = u[1] + 2 * u[2];
    return 0;
}

static int pull(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double stretch = u[1] - u[0] - 1;
    out[0] = stretch + stretch * stretch * stretch;
    out[1] = -out[0];
    return 0;
}

static int two_masses(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 1;
    out[1] = out[2] = 0;
    out[3] = 3;
    return 0;
}

static int momentum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[2] + 3 * u[3];
    return 0;
}

static int pairing(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[2] = 1.3 * u[0] * u[1] - 0.7 * u[2];
    out[0] = out[1] = -out[2];
    return 0;
}

static int pairing_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int j = 0; j < 3; j++) {
        out[6 + j] = j == 2 ? -0.7 : 1.3 * u[1 - j];
        out[j] = out[3 + j] = -out[6 + j];
    }
    return 0;
}

static int pairing_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    (void)t, (void)work, (void)user;
    memcpy(out, u, 3 * sizeof *out);
    for (int k = 0; k < orders; k++) {
        double sum = -0.7 * out[3 * k + 2];
        for (int j = 0; j <= k; j++) sum += 1.3 * out[3 * j] * out[3 * (k - j) + 1];
        out[3 * k + 5] = sum / (k + 1);
        out[3 * k + 3] = out[3 * k + 4] = -out[3 * k + 5];
    }
    return 0;
}

static int pairing_sums(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[2];
    out[1] = u[1] + u[2];
    return 0;
}

enum { LINEAR = 3 };
static const double reaction_start[3] = {0.8, 1.1, 0.3}, bodies_start[4] = {0, 1.4, 0.3, -0.2};
static const keel_extras pairing_extras = {.series = {.value = pairing_series}};
static const keel_problem linear[LINEAR] = {
    {.form = KEEL_ODE,
     .name = "reaction",
     .n = 3,
     .u0 = reaction_start,
     .f = {.count = 3, .value = reaction},
     .invariant = {.count = 2, .value = reaction_sums}},
    {.form = KEEL_MECHANICS,
     .name = "two bodies",
     .n = 4,
     .u0 = bodies_start,
     .f = {.count = 2, .value = pull},
     .mass = {.value = two_masses, .constant = 1},
     .invariant = {.count = 1, .value = momentum}},
    {.form = KEEL_ODE,
     .name = "pairing",
     .n = 3,
     .u0 = reaction_start,
     .f = {.count = 3, .value = pairing, .jacobian = pairing_jacobian},
     .extras = &pairing_extras,
     .invariant = {.count = 2, .value = pairing_sums}},
};

static void linear_invariants_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        int met = 0;
        if (method->traits & KEEL_KEEPS_LENGTH) continue; /* rotations lose them: the next but one test */
        for (int k = 0; k < LINEAR; k++) {
            problem p = {.keel = linear[k]};
            keel_row row;
            keel_solver *s = open_if_accepted(
                &p, &(keel_options){.method = pair_of(method->name, "watch"), .step = 1. / 16});
            if (!s) continue;
            assert_ok(s, keel_run(s, 16));
            for (int j = 0; keel_row_at(s, j, &row); j++)
                if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
            keel_close(s);
            met++;
        }
        if (!(method->traits & KEEL_KEEPS_ENERGY))
            assert_true(met > 0); /* a discrete gradient may lose them */
    }
}

/* Quadratic invariants: both of the rigid body, with steps so long that others lose them. */
static void quadratic_invariants_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_options o = {.method = pair_of(method->name, "watch"), .step = 0.25, .compensated = 1};
        keel_solver *s = open_if_accepted(&p, &o);
        if (!s || !(method->traits & KEEL_QUADRATIC)) {
            keel_close(s);
            continue;
        }
        assert_ok(s, keel_run(s, 250));
        for (int j = 0; keel_row_at(s, j, &row); j++)
            if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

/* |y| of the rigid body, which any motion on the sphere keeps, with long steps. */
static void lengths_are_kept_without_a_stabilizer(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        if (!(method->traits & KEEL_KEEPS_LENGTH)) continue;
        problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
        keel_solver *s = open_if_accepted(
            &p, &(keel_options){.method = pair_of(method->name, "watch"), .step = 0.25, .compensated = 1});
        assert_non_null(s);
        assert_ok(s, keel_run(s, 250));
        assert_true(keel_row_at(s, 0, &row));
        assert_string_equal(row.name, "casimir");
        if (row.units > 32) fail_msg("%s: %s drifts by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

/* Whatever the geometry of a method: equations of the problem are kept when nothing is said about it.  Those
 * that keep the equations as given say that they do not keep the rates. */
static void constraints_are_kept_by_default(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        problem p;
        keel_row row;
        problem_pendulum(&p, 1.0);
        keel_solver *s = open_if_accepted(&p, &(keel_options){.method = method->name, .step = 1. / 128});
        if (!s) continue;
        assert_ok(s, keel_run(s, 2));
        for (int j = 0; keel_row_at(s, j, &row) && row.kind <= KEEL_ROW_VELOCITY; j++)
            if (row.kind == KEEL_ROW_VELOCITY && method->traits & KEEL_AS_GIVEN)
                assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
            else if (row.treatment == KEEL_ROW_WATCHED || row.units > 16)
                fail_msg("%s: %s is off by %g units", method->name, row.name, row.units);
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_steps_retrace_themselves),
        cmocka_unit_test(symplectic_methods_keep_the_two_form),
        cmocka_unit_test(methods_that_keep_the_energy_do),
        cmocka_unit_test(linear_invariants_are_kept_without_a_stabilizer),
        cmocka_unit_test(quadratic_invariants_are_kept_without_a_stabilizer),
        cmocka_unit_test(lengths_are_kept_without_a_stabilizer),
        cmocka_unit_test(constraints_are_kept_by_default),
    };
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
