/* test_constrained.c - sensitivities of constrained mechanics and of hamiltonians written in C: against
 * differences of runs of the problem itself, linearised constraints along the whole run, multipliers;
 * refusals.
 *
 * A bead on the ellipse r = sqrt(a x^2 + y^2) = l, whose third derivatives do not vanish.  As a hamiltonian
 * its mass depends on x. */
#include "testing.h"

#include <keel/sensitivity.h>

#include <math.h>
#include <string.h>

enum { L, A, GRAVITY, MASS, COUNT };

struct bead {
    double p[COUNT];
    double centre; /* x of the ellipse's */
};

static struct bead usual = {{1.2, 0.7, 9.81, 1.7}, 0};

static double east(const struct bead *b, const double *x) {
    return x[0] - b->centre;
}

static double radius(const struct bead *b, const double *x) {
    return sqrt(b->p[A] * east(b, x) * east(b, x) + x[1] * x[1]);
}

static int ellipse(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t;
    out[0] = radius(b, x) - b->p[L];
    return 0;
}

static int ellipse_by_q(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double r = radius(b, x);
    (void)t;
    out[0] = b->p[A] * east(b, x) / r, out[1] = x[1] / r;
    return 0;
}

static int ellipse_by_q_twice(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double r = radius(b, x), a = b->p[A], cube = r * r * r;
    (void)t;
    out[0] = a / r - a * a * east(b, x) * east(b, x) / cube;
    out[1] = out[2] = -a * east(b, x) * x[1] / cube;
    out[3] = 1 / r - x[1] * x[1] / cube;
    return 0;
}

static int ellipse_by_p(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t;
    memset(out, 0, COUNT * sizeof *out);
    out[L] = -1, out[A] = east(b, x) * east(b, x) / (2 * radius(b, x));
    return 0;
}

static int ellipse_by_q_and_p(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double r = radius(b, x), a = b->p[A], cube = r * r * r;
    (void)t;
    memset(out, 0, 2 * COUNT * sizeof *out);
    out[2 * A] = east(b, x) / r - a * east(b, x) * east(b, x) * east(b, x) / (2 * cube);
    out[2 * A + 1] = -x[1] * east(b, x) * east(b, x) / (2 * cube);
    return 0;
}

/* Mechanics: M = m (2, 1), F = (-x vy, -m g - sin t): forces that depend on all. */
static int inertia(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t, (void)x;
    memcpy(out, (double[]){2 * b->p[MASS], 0, 0, b->p[MASS]}, 4 * sizeof *out);
    return 0;
}

static int inertia_by_p(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    memset(out, 0, 4 * COUNT * sizeof *out);
    memcpy(out + 4 * MASS, (double[]){2, 0, 0, 1}, 4 * sizeof *out);
    return 0;
}

static int force(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    out[0] = -east(b, x) * x[3], out[1] = -b->p[MASS] * b->p[GRAVITY] - sin(t);
    return 0;
}

static int force_by_x(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t;
    memset(out, 0, 8 * sizeof *out);
    out[0] = -x[3], out[3] = -east(b, x);
    return 0;
}

static int force_by_p(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t, (void)x;
    memset(out, 0, 2 * COUNT * sizeof *out);
    out[2 * GRAVITY + 1] = -b->p[MASS], out[2 * MASS + 1] = -b->p[GRAVITY];
    return 0;
}

/* H = ((1 + x^2/4) px^2 + py^2)/(2 m) + m g y */
static int energy(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double m = b->p[MASS];
    (void)t;
    out[0] =
        ((1 + east(b, x) * east(b, x) / 4) * x[2] * x[2] + x[3] * x[3]) / (2 * m) + m * b->p[GRAVITY] * x[1];
    return 0;
}

static int energy_by_x(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double m = b->p[MASS];
    (void)t;
    out[0] = east(b, x) * x[2] * x[2] / (4 * m), out[1] = m * b->p[GRAVITY];
    out[2] = (1 + east(b, x) * east(b, x) / 4) * x[2] / m, out[3] = x[3] / m;
    return 0;
}

static int energy_by_x_twice(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double m = b->p[MASS];
    (void)t;
    memset(out, 0, 16 * sizeof *out);
    out[0] = x[2] * x[2] / (4 * m), out[2] = out[8] = east(b, x) * x[2] / (2 * m);
    out[10] = (1 + east(b, x) * east(b, x) / 4) / m, out[15] = 1 / m;
    return 0;
}

static int energy_by_p(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double m = b->p[MASS];
    (void)t;
    memset(out, 0, COUNT * sizeof *out);
    out[GRAVITY] = m * x[1];
    out[MASS] =
        -((1 + east(b, x) * east(b, x) / 4) * x[2] * x[2] + x[3] * x[3]) / (2 * m * m) + b->p[GRAVITY] * x[1];
    return 0;
}

static int rate_by_p(double t, const double *x, double *out, void *user) { /* of (H_p, -H_q) */
    const struct bead *b = user;
    double m = b->p[MASS];
    (void)t;
    memset(out, 0, 4 * COUNT * sizeof *out);
    out[4 * GRAVITY + 3] = -m;
    out[4 * MASS] = -(1 + east(b, x) * east(b, x) / 4) * x[2] / (m * m), out[4 * MASS + 1] = -x[3] / (m * m);
    out[4 * MASS + 2] = east(b, x) * x[2] * x[2] / (4 * m * m), out[4 * MASS + 3] = -b->p[GRAVITY];
    return 0;
}

/* On the ellipse at the angle 0.4, along it. */
static void begin(const struct bead *b, int hamiltonian, double *x) {
    double l = b->p[L], root = sqrt(b->p[A]), m = b->p[MASS], angle = 0.4, speed = 0.8;
    x[0] = l * cos(angle) / root, x[1] = l * sin(angle);
    x[2] = -speed * l * sin(angle) / root, x[3] = speed * l * cos(angle);
    if (hamiltonian) x[2] *= m / (1 + x[0] * x[0] / 4), x[3] *= m;
    x[0] += b->centre;
}

static keel_problem problem_of(struct bead *b, int hamiltonian, int constraints, const double *start) {
    keel_problem p = {
        .form = hamiltonian ? KEEL_HAMILTONIAN : KEEL_MECHANICS, .n = 4, .u0 = start, .user = b};
    if (constraints) p.constraint = (keel_map){.count = 1, .value = ellipse, .jacobian = ellipse_by_q};
    if (hamiltonian) p.energy = (keel_map){.count = 1, .value = energy, .jacobian = energy_by_x};
    else
        p.f = (keel_map){.count = 2, .value = force, .jacobian = force_by_x},
        p.mass = (keel_matrix){inertia, .constant = 1};
    return p;
}

static keel_parameters by_all(int hamiltonian, const double *by_start) {
    keel_parameters by = {.count = COUNT,
                          .constraint = ellipse_by_p,
                          .constraint_jacobian = ellipse_by_q_and_p,
                          .constraint_hessian = ellipse_by_q_twice,
                          .u0 = by_start,
                          .value = usual.p};
    if (hamiltonian) by.energy = energy_by_p, by.hessian = energy_by_x_twice, by.f = rate_by_p;
    else by.f = force_by_p, by.mass = inertia_by_p;
    return by;
}

/* d/dp_k of out[count] at `usual`, by central differences of order 4. */
static void differences(int k, double h, void (*value)(struct bead *, int, double *), int kind, int count,
                        double *out) {
    static const double place[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
    double one[8];
    memset(out, 0, (size_t)count * sizeof *out);
    for (int i = 0; i < 4; i++) {
        struct bead b = usual;
        b.p[k] += place[i] * h;
        value(&b, kind, one);
        for (int j = 0; j < count; j++) out[j] += weight[i] * one[j] / (12 * h);
    }
}

static void start_of(struct bead *b, int kind, double *out) {
    begin(b, kind > 0, out);
}

#define END 1.7

/* kind 0: mechanics, 1: hamiltonian, 2: hamiltonian without the constraint. */
static void end_of(struct bead *b, int kind, double *out) {
    double start[4];
    begin(b, kind > 0, start);
    keel_problem p = problem_of(b, kind > 0, kind < 2, start);
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-13, .atol = 1e-15});
    if (keel_run(s, END) != KEEL_OK) fail_msg("%s", keel_message(s));
    memcpy(out, keel_state(s), 4 * sizeof *out);
    out[4] = kind < 2 ? keel_multipliers(s)[0] : 0;
    keel_close(s);
}

static void rows_are_at_round_off(keel_solver *s, int kind) {
    keel_row row;
    int hidden = 0;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        hidden += row.kind == KEEL_ROW_HIDDEN;
        if (row.treatment == KEEL_ROW_KEPT && row.units > 16) fail_msg("%s: %g units", row.name, row.units);
    }
    assert_int_equal(hidden, kind < 2 ? 2 * (1 + COUNT) : 0);
}

/* tolerance: what is left of the digits of x. */
static void compare(double tolerance) {
    for (int kind = 0; kind < 3; kind++) {
        double start[4], by_start[4 * COUNT], lambda[1 + COUNT] = {0};
        struct bead b = usual;
        begin(&b, kind > 0, start);
        for (int k = 0; k < COUNT; k++) differences(k, 1e-3, start_of, kind, 4, by_start + 4 * k);
        keel_problem p = problem_of(&b, kind > 0, kind < 2, start);
        keel_parameters by = by_all(kind > 0, by_start);
        keel_variational *v = keel_variational_open(&p, &by);
        assert_string_equal(keel_variational_message(v), "");
        keel_solver *s =
            keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-11, .atol = 1e-13});
        if (keel_run(s, END) != KEEL_OK) fail_msg("%s", keel_message(s));
        rows_are_at_round_off(s, kind);
        keel_status told = keel_variational_multipliers(v, END, keel_state(s), lambda);
        assert_int_equal(told, kind < 2 ? KEEL_OK : KEEL_EINVAL);
        for (int k = 0; k < COUNT; k++) {
            double want[5], size = 0;
            differences(k, 1e-3, end_of, kind, 5, want);
            for (int i = 0; i < 5; i++) size = fmax(size, fabs(want[i]));
            for (int i = 0; i < 5; i++) {
                double found = i < 4 ? keel_state(s)[keel_variational_place(v, i, k)] : lambda[1 + k];
                if (!(fabs(found - want[i]) <= tolerance * fmax(size, 1e-3)))
                    fail_msg("kind %d: by %d of %d: %.12g, by differences %.12g", kind, k, i, found, want[i]);
            }
        }
        keel_close(s);
        keel_variational_close(v);
    }
}

static void sensitivities_are_those_of_differences(void **state) {
    (void)state;
    compare(1e-8);
}

/* An ellipse a thousand times its size from the origin: what x is says nothing of how the ellipse bends. */
static void the_origin_does_not_matter(void **state) {
    (void)state;
    usual.centre = 1000;
    compare(1e-6);
    usual.centre = 0;
}

static void refuses(const keel_problem *p, const keel_parameters *by, const char *words) {
    keel_variational *v = keel_variational_open(p, by);
    if (!strstr(keel_variational_message(v), words)) fail_msg("%s", keel_variational_message(v));
    assert_null(keel_variational_problem(v));
    assert_int_equal(keel_variational_place(v, 0, 0), -1);
    assert_int_equal(keel_variational_multipliers(v, 0, p->u0, NULL), KEEL_EINVAL);
    keel_variational_close(v);
}

static int moving(double t, const double *x, double *out, void *user) {
    ellipse(t, x, out, user);
    out[0] += t;
    return 0;
}

/* What is missing or does not fit is told, and no wrong derivative comes of it. */
static void refusals_say_why(void **state) {
    (void)state;
    struct bead b = usual;
    double start[4];
    begin(&b, 0, start);
    const keel_problem good = problem_of(&b, 0, 1, start);
    keel_parameters by = by_all(0, NULL);
    keel_problem p = good;
    by.constraint_hessian = NULL;
    refuses(&good, &by, "constraint_hessian does not fit");
    by = by_all(0, NULL), by.constraint_jacobian = NULL;
    refuses(&good, &by, "constraint_jacobian does not fit");
    by = by_all(0, NULL), p.constraint.jacobian = NULL;
    refuses(&p, &by, "need their jacobian");
    p = good, p.f.jacobian = NULL;
    refuses(&p, &by, "dense jacobian");
    p = good, p.mass.constant = 0;
    refuses(&p, &by, "constant and dense");
    p = good, p.constraint.value = moving;
    refuses(&p, &by, "must not depend on t");
    p = good, p.rolling.count = 1;
    refuses(&p, &by, "rolling");
    p = problem_of(&b, 1, 1, start), by = by_all(1, NULL), by.hessian = NULL;
    refuses(&p, &by, "gradient and hessian");
    by = by_all(1, NULL), by.hessian = energy_by_x; /* anything else */
    refuses(&p, &by, "the hessian does not fit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_are_those_of_differences),
        cmocka_unit_test(the_origin_does_not_matter),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
