/* test_gmres.c - incomplete factors, and GMRES with them. */
#include "testing.h"

#include "linalg/gmres.h"

#include <float.h>

enum { MOST = 6400, EACH = 5 }; /* unknowns; entries of a column at most */

struct matrix {
    int n, start[MOST + 1], row[EACH * MOST];
    double value[EACH * MOST];
};

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

static void draw_vector(uint64_t *seed, int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = draw(seed);
}

/* out := A x, or of the sizes of all terms. */
static void multiply(const struct matrix *a, const double *x, int sizes, double *out) {
    memset(out, 0, (size_t)a->n * sizeof *out);
    for (int j = 0; j < a->n; j++)
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            out[a->row[e]] += sizes ? fabs(a->value[e] * x[j]) : a->value[e] * x[j];
}

/* Random numbers in the diagonals -1, 0, 1, dominated by columns. */
static void make_tridiagonal(struct matrix *a, int n, uint64_t *seed) {
    int at = 0;
    a->n = n;
    for (int j = 0; j < n; j++) {
        a->start[j] = at;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++) {
            a->row[at] = i;
            a->value[at++] = i == j ? 2.5 + draw(seed) / 2 : draw(seed);
        }
    }
    a->start[n] = at;
}

/* I - c (diffusion + wind) on side x side points; the wind by central differences. */
static void make_plane(struct matrix *a, int side, double c, double wind) {
    int at = 0;
    a->n = side * side;
    for (int j = 0; j < a->n; j++) {
        int x = j % side, y = j / side;
        const struct {
            int i, inside;
            double entry;
        } neighbour[EACH] = {{j - side, y > 0, -c},
                             {j - 1, x > 0, -c * (1 + wind)},
                             {j, 1, 1 + 4 * c},
                             {j + 1, x < side - 1, -c * (1 - wind)},
                             {j + side, y < side - 1, -c}};
        a->start[j] = at;
        for (int k = 0; k < EACH; k++)
            if (neighbour[k].inside) {
                a->row[at] = neighbour[k].i;
                a->value[at++] = neighbour[k].entry;
            }
    }
    a->start[a->n] = at;
}

static struct ilu *open_factors(const struct matrix *a) {
    struct ilu *f = ilu_open(a->n, a->start, a->row, 0);
    assert_non_null(f);
    return f;
}

static struct matrix matrix;
static double x[MOST], b[MOST], terms[MOST], scale[MOST];

static void products_are_exact(void **state) {
    uint64_t seed = 11;
    (void)state;
    for (int k = 0; k < 20; k++) {
        if (k % 2) make_tridiagonal(&matrix, 1 + 7 * k, &seed);
        else make_plane(&matrix, 2 + k, 3, 0.5);
        struct ilu *a = open_factors(&matrix);
        static double out[MOST];
        assert_int_equal(ilu_factor(a, matrix.value), 0);
        draw_vector(&seed, matrix.n, x);
        multiply(&matrix, x, 0, b);
        multiply(&matrix, x, 1, terms);
        ilu_multiply(a, x, out);
        for (int i = 0; i < matrix.n; i++) assert_below(fabs(out[i] - b[i]), 8 * DBL_EPSILON * terms[i]);
        ilu_close(a);
    }
}

/* Where elimination fills nothing, the factors are complete; a shared one has its own numbers. */
static void nothing_is_left_out_of_three_diagonals(void **state) {
    static double second[EACH * MOST];
    uint64_t seed = 3;
    (void)state;
    for (int n = 1; n < 300; n += 13) {
        make_tridiagonal(&matrix, n, &seed);
        struct ilu *a = open_factors(&matrix), *other = ilu_share(a, 0);
        assert_non_null(other);
        for (int e = 0; e < matrix.start[n]; e++) second[e] = 2 * matrix.value[e];
        assert_int_equal(ilu_factor(a, matrix.value), 0);
        assert_int_equal(ilu_factor(other, second), 0);
        draw_vector(&seed, n, x);
        multiply(&matrix, x, 0, b);
        ilu_solve(a, b);
        for (int i = 0; i < n; i++) assert_below(fabs(b[i] - x[i]), 1e-13);
        multiply(&matrix, x, 0, b);
        ilu_solve(other, b);
        for (int i = 0; i < n; i++) assert_below(fabs(2 * b[i] - x[i]), 1e-13);
        ilu_close(other);
        ilu_close(a);
    }
}

static void a_zero_pivot_is_told(void **state) {
    (void)state;
    make_plane(&matrix, 4, 1, 0);
    struct ilu *a = open_factors(&matrix);
    for (int e = 0; e < matrix.start[matrix.n]; e++) matrix.value[e] = 0;
    assert_int_equal(ilu_factor(a, matrix.value), 1);
    ilu_close(a);
}

/* Root mean square of scale times the error of b. */
static double error_of(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(scale[i] * (b[i] - x[i]), 2);
    return sqrt(sum / n);
}

/* For diffusion and wind, weak and strong, with scales over three decades: as near as was asked for, but for
 * the factor by which M^-1 A is not the unit matrix. */
static void solves_come_as_near_as_asked(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (int k = 0; k < 24; k++) {
        make_plane(&matrix, 12 + k, pow(10, k % 4), k % 3 * 0.6);
        struct ilu *a = open_factors(&matrix);
        struct gmres *g = gmres_open(matrix.n);
        double enough = pow(10, -2 - k % 5);
        assert_non_null(g);
        assert_int_equal(ilu_factor(a, matrix.value), 0);
        draw_vector(&seed, matrix.n, x);
        for (int i = 0; i < matrix.n; i++) scale[i] = pow(10, k % 2 ? 1.5 * draw(&seed) : 0);
        for (int i = 0; i < matrix.n; i++) x[i] /= scale[i];
        multiply(&matrix, x, 0, b);
        assert_int_equal(gmres_solve(g, a, b, scale, enough, 0), 1);
        assert_below(error_of(matrix.n), 100 * enough);
        multiply(&matrix, x, 0, b);
        assert_int_equal(gmres_solve(g, a, b, scale, 0, 1e-12), 1);
        assert_below(error_of(matrix.n), 1e-9);
        gmres_close(g);
        ilu_close(a);
    }
}

/* The compensated factors: four times the side, less than three times the steps; N^2 would be four times. */
static void steps_grow_slowly_with_the_grid(void **state) {
    int steps[2];
    uint64_t seed = 8;
    (void)state;
    for (int k = 0; k < 2; k++) {
        make_plane(&matrix, k ? 80 : 20, k ? 1600 : 100, 0);
        struct ilu *a = open_factors(&matrix);
        struct gmres *g = gmres_open(matrix.n);
        assert_int_equal(ilu_factor(a, matrix.value), 0);
        draw_vector(&seed, matrix.n, b);
        for (int i = 0; i < matrix.n; i++) scale[i] = 1;
        assert_int_equal(gmres_solve(g, a, b, scale, 0, 1e-6), 1);
        steps[k] = gmres_steps(g);
        gmres_close(g);
        ilu_close(a);
    }
    assert_below(steps[1], 3 * steps[0]);
}

/* One large entry in each row and column, far from the diagonal: the factors are of no use, and a Krylov
 * space that holds the solution has hundreds of dimensions. */
static void what_does_not_arrive_is_told_and_leaves_b(void **state) {
    static double before[MOST];
    uint64_t seed = 2;
    enum { N = 503, AWAY = 201 };
    (void)state;
    matrix.n = N;
    for (int j = 0; j < N; j++) {
        int i = (j * AWAY + 7) % N, own = i < j, fixed = i == j;
        matrix.start[j] = 2 * j;
        matrix.row[2 * j + own] = j, matrix.value[2 * j + own] = 0.1;
        matrix.row[2 * j + !own] = fixed ? (j + 1) % N : i, matrix.value[2 * j + !own] = 1;
    }
    matrix.start[N] = 2 * N;
    struct ilu *a = open_factors(&matrix);
    struct gmres *g = gmres_open(N);
    draw_vector(&seed, N, b);
    memcpy(before, b, sizeof before);
    for (int i = 0; i < N; i++) scale[i] = 1;
    if (ilu_factor(a, matrix.value) == 0) assert_int_equal(gmres_solve(g, a, b, scale, 0, 1e-8), 0);
    assert_memory_equal(b, before, N * sizeof *b);
    gmres_close(g);
    ilu_close(a);
}

/* A + i s A with s = 0.7 between the diagonal and the rest: its product with x, in pairs. */
static double complex_values[2 * EACH * MOST], z[2 * MOST], right[2 * MOST];

static void make_complex(const struct matrix *a) {
    for (int j = 0; j < a->n; j++)
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            complex_values[2 * e] = a->value[e];
            complex_values[2 * e + 1] = 0.7 * (a->value[e] - (a->row[e] == j));
        }
}

static void complex_multiply(const struct matrix *a, const double *v, double *out) {
    memset(out, 0, 2 * (size_t)a->n * sizeof *out);
    for (int j = 0; j < a->n; j++)
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            const double *c = complex_values + 2 * e;
            out[2 * a->row[e]] += c[0] * v[2 * j] - c[1] * v[2 * j + 1];
            out[2 * a->row[e] + 1] += c[0] * v[2 * j + 1] + c[1] * v[2 * j];
        }
}

/* Complex matrices: products, complete factors of three diagonals, and GMRES on a plane. */
static void complex_numbers_go_in_pairs(void **state) {
    static double product[2 * MOST];
    uint64_t seed = 17;
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        if (plane) make_plane(&matrix, 40, 20, 0.3);
        else make_tridiagonal(&matrix, 200, &seed);
        make_complex(&matrix);
        struct ilu *real = open_factors(&matrix), *a = ilu_share(real, 1);
        struct gmres *g = gmres_open(2 * matrix.n);
        assert_true(a && g);
        assert_int_equal(ilu_factor(a, complex_values), 0);
        draw_vector(&seed, 2 * matrix.n, z);
        complex_multiply(&matrix, z, right);
        ilu_multiply(a, z, product);
        for (int i = 0; i < 2 * matrix.n; i++) assert_below(fabs(product[i] - right[i]), 1e-12);
        for (int i = 0; i < matrix.n; i++) scale[i] = 1 + i % 3;
        if (plane) assert_int_equal(gmres_solve(g, a, right, scale, 1e-9, 0), 1);
        else ilu_solve(a, right);
        for (int i = 0; i < 2 * matrix.n; i++) assert_below(fabs(right[i] - z[i]), plane ? 1e-6 : 1e-12);
        assert_true(!plane || gmres_steps(g) > 1);
        gmres_close(g);
        ilu_close(a);
        ilu_close(real);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(nothing_is_left_out_of_three_diagonals),
        cmocka_unit_test(a_zero_pivot_is_told),
        cmocka_unit_test(complex_numbers_go_in_pairs),
        cmocka_unit_test(solves_come_as_near_as_asked),
        cmocka_unit_test(steps_grow_slowly_with_the_grid),
        cmocka_unit_test(what_does_not_arrive_is_told_and_leaves_b),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
