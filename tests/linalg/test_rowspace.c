/* test_rowspace.c - the row space, its shortest solutions and tangents, against independent computations in
 * long double. */
#include "testing.h"
#include "matrices.h"

#include "linalg/rowspace.h"

#include <float.h>
#include <stdalign.h>

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

/* Rows and right-hand sides at random, factored, and the shortest solution d. */
static void draw_shortest(struct space *p, int rows, int n, uint64_t *seed, double *c, double *z, double *d) {
    space_init(p, rows, n);
    space_draw(p, seed);
    draw_many(seed, rows, c);
    space_factor(p);
    rowspace_shortest(&p->s, c, z, d);
}

static void shortest_solution_solves_and_is_the_shortest(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int n = 2; n <= 20; n += 3)
        for (int rows = 1; rows <= n / 2; rows++) {
            struct space p;
            double c[MOST], z[MOST], sure[MOST];
            alignas(32) double d[MOST];
            draw_shortest(&p, rows, n, &seed, c, z, d);
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
            draw_shortest(&p, rows, n, &seed, c, z, d);
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

/* The short cut for two rows of up to four entries: the solution and the tangents of the general code, but
 * for the digits that their angle costs, or a refusal.  Every other pair is nearly parallel. */
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
            for (int j = 0; j < 4 && k % 2; j++) rows[1][j] = rows[0][j] + pow(10, -k % 5) * rows[1][j];
            draw_many(&seed, 2, c);
            for (int j = 0; j < 4; j++) scale[j] = 1.5 + draw(&seed);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < n; j++) space_row(&general, i)[j] = rows[i][j] * scale[j];
            memcpy(brief.b, general.b, sizeof brief.b);
            space_factor(&general);
            double whole = dot_long(4, space_row(&brief, 1), space_row(&brief, 1));
            double cost = general.inverse[1] * whole; /* area/determinant = 1/(orthogonal fraction)^2 */
            if (!rowspace_two_short(&brief.s, n, rows[0], rows[1], scale, c[0], c[1], d)) {
                assert_true(cost > 0.99e6);
                continue;
            }
            assert_true(cost < 1.01e6);
            rowspace_shortest(&general.s, c, z, same);
            for (int j = 0; j < 4; j++)
                assert_below(fabs(d[j] - scale[j] * same[j]), 2e-15 * cost * (1 + largest(4, same)));
            assert_int_equal(brief.s.rank, 2);
            assert_true(brief.s.pair);
            draw_many(&seed, n, e);
            for (int j = 0; j < n; j++) weighted[j] = e[j] / scale[j];
            rowspace_two_tangent(&brief.s, n, rows[0], rows[1], e);
            rowspace_tangent(&general.s, weighted);
            for (int j = 0; j < 4; j++) assert_below(fabs(e[j] - scale[j] * weighted[j]), 1e-14 * cost);
            for (int i = 0; i < 2; i++) assert_below(fabs(dot_long(n, rows[i], e)), 1e-14 * cost);
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
