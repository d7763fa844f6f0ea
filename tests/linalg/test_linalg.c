/* test_linalg.c - the dense kernels and the row space against independent computations in long double.
 *
 * Residuals count in eps times the size of the terms, so the bounds do not depend on the matrices. */
#include "testing.h"

#include "linalg/dense.h"
#include "linalg/rowspace.h"

#include <float.h>
#include <stdalign.h>

enum { MOST = 24, SEEDS = 20 };

/* A number in -1 .. 1; the same sequence on every machine. */
static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

static void draw_many(uint64_t *seed, int count, double *out) {
    for (int i = 0; i < count; i++) out[i] = draw(seed);
}

static double largest(int count, const double *x) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* Gauss-Jordan with complete pivoting in long double: slow, and another algorithm. */
static void solve_long(int n, const double *matrix, const double *b, double *x) {
    long double a[MOST][MOST + 1];
    int column_of[MOST] = {0}, taken[MOST] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i][j] = matrix[i * n + j];
        a[i][n] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int row = k, column = -1;
        for (int i = k; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!taken[j] && (column < 0 || fabsl(a[i][j]) > fabsl(a[row][column]))) row = i, column = j;
        for (int j = 0; j <= n; j++) {
            long double exchange = a[k][j];
            a[k][j] = a[row][j];
            a[row][j] = exchange;
        }
        taken[column] = 1;
        column_of[k] = column;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            long double factor = a[i][column] / a[k][column];
            for (int j = 0; j <= n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < n; k++) x[column_of[k]] = (double)(a[k][n] / a[k][column_of[k]]);
}

/* max |A x - b| in eps times |A| |x|. */
static double residual_of(int n, const double *a, const double *x, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        long double sum = -b[i], size = 0;
        for (int j = 0; j < n; j++) {
            sum += (long double)a[i * n + j] * x[j];
            size += fabsl((long double)a[i * n + j] * x[j]);
        }
        worst = fmax(worst, (double)(fabsl(sum) / size) / DBL_EPSILON);
    }
    return worst;
}

static void lu_solves_to_round_off(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], sure[MOST];
            int pivot[MOST];
            draw_many(&seed, n * n, a);
            draw_many(&seed, n, b);
            memcpy(lu, a, sizeof a);
            memcpy(x, b, sizeof b);
            assert_int_equal(dense_lu(n, lu, pivot, NULL), 0);
            dense_lu_solve(n, lu, pivot, x);
            assert_below(residual_of(n, a, x, b), 8 * n);
            solve_long(n, a, b, sure);
            for (int i = 0; i < n; i++) assert_below(fabs(x[i] - sure[i]), 1e-9 * largest(n, sure));
        }
}

static void lu_exchanges_rows_where_the_diagonal_is_zero(void **state) {
    (void)state;
    double a[9] = {0, 2, 1, 1, 0, 0, 0, 1, 0}, b[3] = {7, 5, 3};
    int pivot[3];
    assert_int_equal(dense_lu(3, a, pivot, NULL), 0);
    dense_lu_solve(3, a, pivot, b);
    assert_below(fabs(b[0] - 5) + fabs(b[1] - 3) + fabs(b[2] - 1), 0);
}

/* Scaling rows by powers of two must not change the answer's accuracy, only the chosen pivots. */
static void lu_stands_rows_and_columns_of_different_size(void **state) {
    (void)state;
    uint64_t seed = 2;
    int n = 8;
    for (int k = 0; k < SEEDS; k++) {
        double a[64], lu[64], b[8], x[8];
        int pivot[8];
        draw_many(&seed, 64, a);
        draw_many(&seed, 8, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[i * n + j] = ldexp(a[i * n + j], 5 * j - 20);
        memcpy(lu, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(dense_lu(n, lu, pivot, NULL), 0);
        dense_lu_solve(n, lu, pivot, x);
        assert_below(residual_of(n, a, x, b), 8 * n);
    }
}

static void lu_names_the_column_without_a_pivot(void **state) {
    (void)state;
    double twice[9] = {1, 2, 3, 2, 4, 5, 3, 6, 8}, empty[4] = {1, 0, 2, 0}, nothing[1] = {0};
    double not_a_number[4] = {1, 2, NAN, 3};
    int pivot[3];
    assert_int_equal(dense_lu(3, twice, pivot, NULL), 2);
    assert_int_equal(dense_lu(2, empty, pivot, NULL), 2);
    assert_int_equal(dense_lu(1, nothing, pivot, NULL), 1);
    assert_true(dense_lu(2, not_a_number, pivot, NULL) > 0);
}

/* The last row is the sum of the others (which are well conditioned), up to the rounding of that sum. */
static void lu_sees_a_dependence_hidden_in_round_off(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int n = 3; n <= 12; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[144] = {0};
            int pivot[12];
            draw_many(&seed, n * (n - 1), a);
            for (int i = 0; i < n - 1; i++) {
                a[i * n + i] += n;
                for (int j = 0; j < n; j++) a[(n - 1) * n + j] += a[i * n + j];
            }
            assert_true(dense_lu(n, a, pivot, NULL) > 0);
        }
}

/* a = s s^T + shift I */
static void draw_positive(uint64_t *seed, int n, double shift, double *a) {
    double s[MOST * MOST];
    draw_many(seed, n * n, s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = i == j ? shift : 0;
            for (int k = 0; k < n; k++) a[i * n + j] += s[i * n + k] * s[j * n + k];
        }
}

static void cholesky_gives_back_the_matrix_and_solves(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[MOST * MOST], l[MOST * MOST], b[MOST], x[MOST], sure[MOST];
            draw_positive(&seed, n, 0.1, a);
            draw_many(&seed, n, b);
            memcpy(l, a, sizeof a);
            memcpy(x, b, sizeof b);
            assert_int_equal(dense_cholesky(n, l, NULL), 0);
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++) {
                    long double sum = -a[i * n + j];
                    for (int c = 0; c <= j; c++) sum += (long double)l[i * n + c] * l[j * n + c];
                    assert_below(fabs((double)sum), n * DBL_EPSILON * largest(n * n, a));
                }
            dense_lower_solve(n, l, x);
            dense_lower_t_solve(n, l, x);
            assert_below(residual_of(n, a, x, b), 8 * n);
            solve_long(n, a, b, sure);
            for (int i = 0; i < n; i++) assert_below(fabs(x[i] - sure[i]), 1e-9 * largest(n, sure));
        }
}

static void cholesky_reads_only_the_lower_triangle(void **state) {
    (void)state;
    double a[9] = {4, NAN, NAN, 2, 5, NAN, 2, 3, 6};
    assert_int_equal(dense_cholesky(3, a, NULL), 0);
    assert_below(fabs(a[0] - 2) + fabs(a[3] - 1) + fabs(a[4] - 2) + fabs(a[6] - 1) + fabs(a[7] - 1), 0);
    assert_below(fabs(a[8] - 2), 0);
}

static void cholesky_names_the_row_that_is_not_positive(void **state) {
    (void)state;
    double negative[4] = {1, 2, 2, 3}, zero[1] = {0}, first[4] = {-1, 0, 0, 1}, flat[4] = {1, 1, 1, 1};
    double not_a_number[4] = {1, 0, NAN, 1};
    assert_int_equal(dense_cholesky(2, negative, NULL), 2);
    assert_int_equal(dense_cholesky(1, zero, NULL), 1);
    assert_int_equal(dense_cholesky(2, first, NULL), 1);
    assert_int_equal(dense_cholesky(2, flat, NULL), 2);
    assert_true(dense_cholesky(2, not_a_number, NULL) > 0);
}

static void triangular_solves_and_products_undo_each_other(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST], b[MOST], x[MOST];
        draw_positive(&seed, n, 1, a);
        draw_many(&seed, n, b);
        assert_int_equal(dense_cholesky(n, a, NULL), 0);
        memcpy(x, b, sizeof b);
        dense_lower_t_multiply(n, a, x);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = i; k < n; k++) sum += a[k * n + i] * b[k];
            assert_below(fabs(x[i] - sum), n * DBL_EPSILON * 10);
        }
        dense_lower_t_solve(n, a, x);
        for (int i = 0; i < n; i++) assert_below(fabs(x[i] - b[i]), 1e-13);
        dense_lower_solve(n, a, x);
        for (int i = 0; i < n; i++) {
            double sum = -b[i];
            for (int j = 0; j <= i; j++) sum += a[i * n + j] * x[j];
            assert_below(fabs(sum), 1e-13);
        }
    }
}

/* A row space with room for its parts, and the matrix it came from. */
struct space {
    struct rowspace s;
    int n; /* columns in use; the rest of width is zero */
    alignas(32) double b[MOST * MOST];
    alignas(32) double q[MOST * MOST];
    double r[MOST * MOST], inverse[MOST], floor_of[MOST];
    int used[MOST];
};

static void space_init(struct space *p, int rows, int n) {
    memset(p, 0, sizeof *p);
    p->n = n;
    p->s = (struct rowspace){
        .rows = rows, .width = (n + 3) / 4 * 4, .q = p->q, .r = p->r, .inverse = p->inverse, .used = p->used};
    for (int i = 0; i < rows; i++) p->floor_of[i] = 1e-8;
}

static void space_factor(struct space *p) {
    memset(p->r, 0xff, sizeof p->r); /* not a number: the diagonal and the upper part are never read */
    memcpy(p->q, p->b, sizeof p->b);
    rowspace_factor(&p->s, p->floor_of);
}

static double *space_row(struct space *p, int i) {
    return p->b + (size_t)i * (size_t)p->s.width;
}

static void space_draw(struct space *p, uint64_t *seed) {
    for (int i = 0; i < p->s.rows; i++) draw_many(seed, p->n, space_row(p, i));
}

static double dot_long(int width, const double *a, const double *b) {
    long double sum = 0;
    for (int i = 0; i < width; i++) sum += (long double)a[i] * b[i];
    return (double)sum;
}

static double length_of(int width, const double *a) {
    return sqrt(dot_long(width, a, a));
}

/* Largest cosine between two rows of the basis, and the largest error of the stored 1 / |q_i|^2. */
static double space_skew(const struct space *p) {
    double worst = 0;
    int width = p->s.width;
    for (int i = 0; i < p->s.rows; i++) {
        if (!p->used[i]) continue;
        const double *qi = p->q + i * width;
        worst = fmax(worst, fabs(p->inverse[i] * length_of(width, qi) * length_of(width, qi) - 1));
        for (int j = 0; j < i; j++) {
            const double *qj = p->q + j * width;
            if (p->used[j])
                worst =
                    fmax(worst, fabs(dot_long(width, qi, qj)) / length_of(width, qi) / length_of(width, qj));
        }
    }
    return worst;
}

/* Largest |B_i - q_i - sum_j<i r_ij q_j| / |B_i| over the rows in use. */
static double space_gap(const struct space *p) {
    double worst = 0;
    int width = p->s.width;
    for (int i = 0; i < p->s.rows; i++) {
        if (!p->used[i]) continue;
        double size = length_of(width, p->b + i * width);
        for (int c = 0; c < width; c++) {
            long double sum = (long double)p->q[i * width + c] - p->b[i * width + c];
            for (int j = 0; j < i; j++) sum += (long double)p->r[i * p->s.rows + j] * p->q[j * width + c];
            worst = fmax(worst, fabs((double)sum) / size);
        }
    }
    return worst;
}

/* Rows of very different sizes, 1e-100 .. 1e100: only directions count. */
static void size_of_the_rows_does_not_matter(void **state) {
    (void)state;
    uint64_t seed = 13;
    struct space p;
    space_init(&p, 5, 8);
    space_draw(&p, &seed);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 8; j++) space_row(&p, i)[j] *= pow(10, 50 * i - 100);
    space_factor(&p);
    assert_int_equal(p.s.rank, 5);
    assert_below(space_skew(&p), 32 * DBL_EPSILON);
    assert_below(space_gap(&p), 8 * DBL_EPSILON);
}

static void basis_is_orthogonal_and_gives_back_the_rows(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int n = 1; n <= 20; n++)
        for (int rows = 1; rows <= n; rows++) {
            struct space p;
            space_init(&p, rows, n);
            space_draw(&p, &seed);
            space_factor(&p);
            assert_int_equal(p.s.rank, rows);
            assert_below(space_skew(&p), 32 * DBL_EPSILON);
            assert_below(space_gap(&p), 8 * DBL_EPSILON);
            assert_memory_equal(p.q, p.b, (size_t)n * sizeof *p.q); /* the first row stays as it is */
        }
}

/* Rows that differ by `apart` times a direction across: what is new has that length, and the basis is as
 * good as ever. */
static void nearly_dependent_rows_lose_no_orthogonality(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int power = 3; power <= 12; power++)
        for (int k = 0; k < SEEDS; k++) {
            struct space p;
            double apart = pow(10, -power);
            space_init(&p, 3, 9);
            for (int i = 0; i < 3; i++) p.floor_of[i] = 1e-14;
            space_draw(&p, &seed);
            double *a = space_row(&p, 0), *b = space_row(&p, 1), *c = space_row(&p, 2);
            double size = length_of(9, a), along = dot_long(9, a, b) / (size * size);
            for (int j = 0; j < 9; j++) b[j] -= along * a[j];
            double across = length_of(9, b);
            for (int j = 0; j < 9; j++) {
                c[j] = 0.5 * a[j] - 2 * b[j] + apart * c[j];
                b[j] = a[j] / size + apart * b[j] / across;
            }
            space_factor(&p);
            assert_int_equal(p.s.rank, 3);
            assert_below(space_skew(&p), 32 * DBL_EPSILON);
            assert_below(space_gap(&p), 8 * DBL_EPSILON);
            assert_below(fabs(1 / (sqrt(p.inverse[1]) * apart) - 1), apart + 10 * DBL_EPSILON / apart);
        }
}

/* B^T (B B^T)^-1 c in long double. */
static void shortest_long(struct space *p, const double *c, double *d) {
    double gram[MOST * MOST], z[MOST];
    int rows = p->s.rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) gram[i * rows + j] = dot_long(p->n, space_row(p, i), space_row(p, j));
    solve_long(rows, gram, c, z);
    for (int j = 0; j < p->n; j++) {
        d[j] = 0;
        for (int i = 0; i < rows; i++) d[j] += z[i] * space_row(p, i)[j];
    }
}

static void shortest_solution_solves_and_is_the_shortest(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int n = 2; n <= 20; n += 3)
        for (int rows = 1; rows <= n / 2; rows++) {
            struct space p;
            double c[MOST], z[MOST], sure[MOST];
            alignas(32) double d[MOST];
            space_init(&p, rows, n);
            space_draw(&p, &seed);
            draw_many(&seed, rows, c);
            space_factor(&p);
            rowspace_shortest(&p.s, c, z, d);
            for (int i = 0; i < rows; i++) assert_below(fabs(dot_long(n, space_row(&p, i), d) - c[i]), 1e-13);
            shortest_long(&p, c, sure);
            for (int j = 0; j < n; j++) assert_below(fabs(d[j] - sure[j]), 1e-11);
            for (int j = n; j < p.s.width; j++) assert_true(d[j] == 0);
        }
}

/* Near-dependent rows and a right-hand side that fits them: the solution does not feel the bad condition
 * twice. */
static void shortest_solution_does_not_square_the_condition(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int k = 0; k < SEEDS; k++) {
        struct space p;
        double x[8], c[2], z[2];
        alignas(32) double d[8];
        space_init(&p, 2, 8);
        space_draw(&p, &seed);
        double *a = space_row(&p, 0), *b = space_row(&p, 1);
        for (int j = 0; j < 8; j++) b[j] = a[j] + 1e-6 * b[j];
        for (int j = 0; j < 8; j++) x[j] = a[j] + b[j]; /* in the row space: it is the shortest itself */
        c[0] = dot_long(8, a, x);
        c[1] = dot_long(8, b, x);
        space_factor(&p);
        rowspace_shortest(&p.s, c, z, d);
        for (int j = 0; j < 8; j++)
            assert_below(fabs(d[j] - x[j]), 1e-8); /* 1e-16 / 1e-6, not 1e-16 / 1e-12 */
    }
}

static void tangent_part_is_free_of_all_rows(void **state) {
    (void)state;
    uint64_t seed = 10;
    for (int n = 4; n <= 20; n++) {
        struct space p;
        alignas(32) double d[MOST] = {0};
        double z[MOST], kept[MOST];
        space_init(&p, n / 2, n);
        space_draw(&p, &seed);
        draw_many(&seed, n, d);
        memcpy(kept, d, sizeof d);
        space_factor(&p);
        rowspace_components(&p.s, d, z);
        rowspace_tangent(&p.s, d);
        for (int i = 0; i < p.s.rows; i++) assert_below(fabs(dot_long(n, space_row(&p, i), d)), 1e-14);
        for (int j = 0; j < n; j++) { /* tangent + normal is the whole */
            double whole = d[j];
            for (int i = 0; i < p.s.rows; i++) whole += z[i] * p.inverse[i] * p.q[i * p.s.width + j];
            assert_below(fabs(whole - kept[j]), 1e-14);
        }
    }
}

static void coefficients_rebuild_the_vector_from_the_rows(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int n = 2; n <= 20; n += 3)
        for (int rows = 1; rows <= n / 2; rows++) {
            struct space p;
            double c[MOST], z[MOST], sure[MOST * MOST], gram[MOST * MOST];
            alignas(32) double d[MOST];
            space_init(&p, rows, n);
            space_draw(&p, &seed);
            draw_many(&seed, rows, c);
            space_factor(&p);
            rowspace_shortest(&p.s, c, z, d);
            rowspace_components(&p.s, d, z);
            rowspace_coefficients(&p.s, z);
            for (int j = 0; j < n; j++) {
                double sum = -d[j];
                for (int i = 0; i < rows; i++) sum += z[i] * space_row(&p, i)[j];
                assert_below(fabs(sum), 1e-12 * (1 + largest(n, d)));
            }
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < rows; j++)
                    gram[i * rows + j] = dot_long(n, space_row(&p, i), space_row(&p, j));
            solve_long(rows, gram, c, sure); /* (B B^T) coefficients = c */
            for (int i = 0; i < rows; i++)
                assert_below(fabs(z[i] - sure[i]), 1e-9 * (1 + largest(rows, sure)));
        }
}

/* Rows 1 and 3 depend on rows 0 and 2, row 4 is zero: three rows are left out, and nothing else suffers. */
static void dependent_and_zero_rows_are_left_out(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int k = 0; k < SEEDS; k++) {
        static const int expected[6] = {1, 0, 1, 0, 0, 1};
        struct space p;
        double c[6], z[6], share[6];
        alignas(32) double d[8];
        space_init(&p, 6, 7);
        space_draw(&p, &seed);
        for (int j = 0; j < 7; j++) {
            space_row(&p, 1)[j] = -3 * space_row(&p, 0)[j];
            space_row(&p, 3)[j] = space_row(&p, 0)[j] + 0.3 * space_row(&p, 2)[j];
            space_row(&p, 4)[j] = 0;
        }
        space_factor(&p);
        assert_int_equal(p.s.rank, 3);
        assert_memory_equal(p.used, expected, sizeof expected);
        rowspace_dependence(&p.s, 1, share);
        assert_below(fabs(share[0] + 3), 1e-14);
        rowspace_dependence(&p.s, 3, share);
        assert_below(fabs(share[0] - 1) + fabs(share[1]) + fabs(share[2] - 0.3), 1e-13);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 8; j++) assert_true(p.used[i] || p.q[i * 8 + j] == 0);
        draw_many(&seed, 6, c);
        rowspace_shortest(&p.s, c, z, d);
        for (int i = 0; i < 6; i++) {
            if (p.used[i]) assert_below(fabs(dot_long(7, space_row(&p, i), d) - c[i]), 1e-13);
            else assert_true(z[i] == 0);
        }
        rowspace_components(&p.s, d, z);
        for (int i = 0; i < 6; i++) assert_true(p.used[i] || z[i] == 0);
    }
}

/* The floor decides, row by row: 2 leaves out any row, 0 keeps any row that is not zero. */
static void floors_decide_which_rows_are_used(void **state) {
    (void)state;
    for (int power = 2; power <= 12; power++) {
        struct space p;
        double share = pow(10, -power);
        space_init(&p, 2, 4);
        space_row(&p, 0)[0] = 2;
        space_row(&p, 1)[0] = 3;
        space_row(&p, 1)[1] = 3 * share;
        double true_share = share / sqrt(1 + share * share);
        p.floor_of[1] = 0.5 * true_share;
        space_factor(&p);
        assert_true(p.used[1]);
        p.floor_of[1] = 2 * true_share;
        space_factor(&p);
        assert_false(p.used[1]);
        p.floor_of[0] = 2;
        space_factor(&p);
        assert_int_equal(p.s.rank, 1); /* with row 0 left out, row 1 is all new */
        assert_true(!p.used[0] && p.used[1]);
    }
}

static void setting_a_row_weighs_it_and_clears_the_padding(void **state) {
    (void)state;
    static const double row[7] = {1, 2, 3, 4, 5, 6, 7}, scale[7] = {2, 3, 5, 7, 11, 13, 17};
    for (int n = 1; n <= 7; n++) {
        struct space p;
        space_init(&p, 2, n);
        memset(p.q, 0xff, sizeof p.q);
        rowspace_set(&p.s, 1, n, row, scale);
        for (int j = 0; j < p.s.width; j++)
            assert_true(p.q[p.s.width + j] == (j < n ? row[j] * scale[j] : 0));
        assert_true(isnan(p.q[2 * p.s.width]) && isnan(p.q[p.s.width - 1]));
    }
}

/* The short cut for two rows of up to four entries: the solution and the tangents of the general code, or a
 * refusal. */
static void two_short_rows_give_what_the_general_code_gives(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int k = 0; k < 100; k++)
        for (int n = 2; n <= 4; n++) {
            struct space general, brief;
            double rows[2][4], scale[4], c[2], z[2];
            alignas(32) double d[4], same[4], e[4] = {0}, weighted[8] = {0};
            space_init(&general, 2, n);
            space_init(&brief, 2, n);
            draw_many(&seed, 8, rows[0]);
            draw_many(&seed, 2, c);
            for (int j = 0; j < 4; j++) scale[j] = 1.5 + draw(&seed);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < n; j++) space_row(&general, i)[j] = rows[i][j] * scale[j];
            memcpy(brief.b, general.b, sizeof brief.b);
            space_factor(&general);
            if (!rowspace_two_short(&brief.s, n, rows[0], rows[1], scale, c[0], c[1], d)) {
                assert_true(general.inverse[1] * dot_long(4, space_row(&general, 1), space_row(&general, 1)) >
                            99);
                continue;
            }
            rowspace_shortest(&general.s, c, z, same);
            for (int j = 0; j < 4; j++)
                assert_below(fabs(d[j] - scale[j] * same[j]), 1e-13 * (1 + largest(4, same)));
            assert_int_equal(brief.s.rank, 2);
            assert_true(brief.s.pair);
            draw_many(&seed, n, e);
            for (int j = 0; j < n; j++) weighted[j] = e[j] / scale[j];
            rowspace_two_tangent(&brief.s, n, rows[0], rows[1], e);
            rowspace_tangent(&general.s, weighted);
            for (int j = 0; j < 4; j++) assert_below(fabs(e[j] - scale[j] * weighted[j]), 1e-13);
            for (int i = 0; i < 2; i++) assert_below(fabs(dot_long(n, rows[i], e)), 1e-13);
        }
}

static void two_short_rows_are_refused_where_they_nearly_agree(void **state) {
    (void)state;
    static const double a[4] = {1, 2, 3, 4}, b[4] = {2, 4, 6, 8.01}, none[4] = {0}, scale[4] = {1, 1, 1, 1};
    struct space p;
    alignas(32) double d[4];
    space_init(&p, 2, 4);
    memcpy(p.q, a, sizeof a);
    p.s.pair = 0;
    assert_false(rowspace_two_short(&p.s, 4, a, b, scale, 1, 1, d));
    assert_memory_equal(p.q, a, sizeof a); /* what stands is left alone */
    assert_false(p.s.pair);
    assert_false(rowspace_two_short(&p.s, 4, a, none, scale, 1, 1, d));
    assert_false(rowspace_two_short(&p.s, 4, none, b, scale, 1, 1, d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_to_round_off),
        cmocka_unit_test(lu_exchanges_rows_where_the_diagonal_is_zero),
        cmocka_unit_test(lu_stands_rows_and_columns_of_different_size),
        cmocka_unit_test(lu_names_the_column_without_a_pivot),
        cmocka_unit_test(lu_sees_a_dependence_hidden_in_round_off),
        cmocka_unit_test(cholesky_gives_back_the_matrix_and_solves),
        cmocka_unit_test(cholesky_reads_only_the_lower_triangle),
        cmocka_unit_test(cholesky_names_the_row_that_is_not_positive),
        cmocka_unit_test(triangular_solves_and_products_undo_each_other),
        cmocka_unit_test(basis_is_orthogonal_and_gives_back_the_rows),
        cmocka_unit_test(size_of_the_rows_does_not_matter),
        cmocka_unit_test(nearly_dependent_rows_lose_no_orthogonality),
        cmocka_unit_test(shortest_solution_solves_and_is_the_shortest),
        cmocka_unit_test(shortest_solution_does_not_square_the_condition),
        cmocka_unit_test(tangent_part_is_free_of_all_rows),
        cmocka_unit_test(coefficients_rebuild_the_vector_from_the_rows),
        cmocka_unit_test(dependent_and_zero_rows_are_left_out),
        cmocka_unit_test(floors_decide_which_rows_are_used),
        cmocka_unit_test(setting_a_row_weighs_it_and_clears_the_padding),
        cmocka_unit_test(two_short_rows_give_what_the_general_code_gives),
        cmocka_unit_test(two_short_rows_are_refused_where_they_nearly_agree),
    };
    return cmocka_run_group_tests_name("linalg", tests, NULL, NULL);
}
