/* test_matrices.c - mass matrices of equations, full and diagonal, and Jacobians by their pattern. */
#include "testing.h"
#include "starts.h"

/* M(x) = [2, x1; x1, 2 + x2^2] and f = M (x2, -x1): a rotation. */
static int bent_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2, out[1] = out[2] = u[0], out[3] = 2 + u[1] * u[1];
    return 0;
}

static int bent_force(double t, const double *u, double *out, void *user) {
    double m[4];
    bent_mass(t, u, m, user);
    out[0] = m[0] * u[1] - m[1] * u[0];
    out[1] = m[2] * u[1] - m[3] * u[0];
    return 0;
}

static const int diagonal_starts[] = {0, 1, 2}, diagonal_columns[] = {0, 1};
static const keel_pattern diagonal = {2, diagonal_starts, diagonal_columns};

static int diagonal_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 2, out[1] = 4;
    return 0;
}

static int diagonal_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * u[1], out[1] = -4 * u[0];
    return 0;
}

static int radius(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    return 0;
}

static void mass_matrices_of_odes_are_divided_by(void **state) {
    (void)state;
    static const double start[] = {1, 0};
    for (int kind = 0; kind < 3; kind++) {
        keel_problem p = {.n = 2,
                          .u0 = start,
                          .f = {.count = 2, .value = kind ? diagonal_force : bent_force},
                          .mass = {.value = kind ? diagonal_mass : bent_mass,
                                   .pattern = kind ? &diagonal : NULL,
                                   .constant = kind == 2},
                          .invariant = {.count = 1, .value = radius}};
        keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-10});
        assert_ok(s, keel_run(s, 10));
        expect_state(s, 2, (double[]){cos(10.0), -sin(10.0)}, 1e-8);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

static keel_fn *dense_jacobian;
static int dense_columns;
static const keel_pattern *sparse_pattern;
static int sparse_rows;

/* The entries of the pattern out of the dense jacobian. */
static int sparse_jacobian(double t, const double *u, double *out, void *user) {
    double dense[64];
    int code = dense_jacobian(t, u, dense, user);
    for (int i = 0; i < sparse_rows; i++)
        for (int e = sparse_pattern->row_start[i]; e < sparse_pattern->row_start[i + 1]; e++)
            out[e] = dense[i * dense_columns + sparse_pattern->column[e]];
    return code;
}

static void sparse_jacobians_give_the_bits_of_dense_ones(void **state) {
    (void)state;
    static const int starts[] = {0, 2, 6, 8}, columns[] = {0, 1, 0, 1, 2, 3, 2, 3};
    static const keel_pattern rods = {8, starts, columns};
    problem p;
    problem_four_bar(&p);
    dense_jacobian = p.keel.constraint.jacobian;
    dense_columns = 4, sparse_pattern = &rods, sparse_rows = 3;
    keel_solver *dense = keel_open(&p.keel, NULL);
    p.keel.constraint.jacobian = sparse_jacobian;
    p.keel.constraint.pattern = &rods;
    keel_solver *sparse = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
    assert_ok(dense, keel_run(dense, 1));
    assert_ok(sparse, keel_run(sparse, 1));
    assert_memory_equal(keel_state(dense), keel_state(sparse), 8 * sizeof(double));
    keel_close(dense);
    keel_close(sparse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matrices_of_odes_are_divided_by),
        cmocka_unit_test(sparse_jacobians_give_the_bits_of_dense_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
