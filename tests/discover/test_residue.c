/* test_residue.c - residues modulo 2^61 - 1: a field, square roots, numbers of models to residues and back;
 * row spaces and null spaces of them. */
#include "testing.h"

#include "discover/echelon.h"

static residue some(int k) {
    return residue_random(7, (uint64_t)k);
}

static void residues_are_a_field(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        residue a = some(3 * k), b = some(3 * k + 1), c = some(3 * k + 2);
        assert_true(residue_mul(a, residue_add(b, c)) == residue_add(residue_mul(a, b), residue_mul(a, c)));
        assert_true(residue_mul(residue_mul(a, b), c) == residue_mul(a, residue_mul(b, c)));
        assert_true(residue_mul(a, residue_inverse(a)) == 1);
        assert_true(residue_add(residue_sub(a, b), b) == a);
        uint64_t sum = residue_gather(residue_gather(((uint64_t)1 << 63) - 1, a, b), RESIDUE_PRIME - 1, c);
        assert_true(sum >> 63 == 0);
        assert_true(residue_reduce(sum) == residue_add(3, residue_sub(residue_mul(a, b), c)));
    }
    assert_true(residue_mul(RESIDUE_PRIME - 1, RESIDUE_PRIME - 1) == 1);
    assert_true(residue_integer(-3) == RESIDUE_PRIME - 3);
}

static void half_of_all_residues_are_squares(void **state) {
    (void)state;
    int squares = 0;
    residue root;
    for (int k = 0; k < 400; k++) {
        residue a = some(k);
        assert_true(residue_root(residue_mul(a, a), &root) && (root == a || root == residue_sub(0, a)));
        squares += residue_root(a, &root);
    }
    assert_in_range(squares, 150, 250);
}

static void numbers_come_back_as_fractions(void **state) {
    (void)state;
    static const struct {
        double number;
        int64_t top, bottom;
    } row[] = {{0.04, 1, 25},      {9.81, 981, 100}, {-2.0 / 3, -2, 3},
               {3e7, 30000000, 1}, {0, 0, 1},        {1e-6, 1, 1000000}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        residue r;
        int64_t top, bottom;
        assert_true(residue_of(row[i].number, &r) && residue_fraction(r, &top, &bottom));
        assert_true(top == row[i].top && bottom == row[i].bottom);
    }
    residue r;
    assert_false(residue_of(3.14159265358979323846, &r));
    assert_false(residue_of(1.41421356237309504880, &r));
    int short_ones = 0;
    for (int k = 0; k < 2000; k++) {
        int64_t top, bottom;
        short_ones += residue_fraction(some(k), &top, &bottom);
    }
    assert_in_range(short_ones, 0, 3); /* a random residue is no plain fraction */
}

/* Rows that are orthogonal to two vectors: these are the null space. */
static void null_spaces_are_found(void **state) {
    (void)state;
    enum { N = 9 };
    residue v[2][N], row[N], out[N];
    struct echelon e;
    assert_true(echelon_open(&e, N));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < 2; i++) v[i][j] = j == 7 + i ? 1 : j >= 7 ? 0 : some(10 * i + j);
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < 7; j++) row[j] = some(100 * k + j);
        for (int i = 0; i < 2; i++) {
            residue sum = 0;
            for (int j = 0; j < 7; j++) sum = residue_add(sum, residue_mul(row[j], v[i][j]));
            row[7 + i] = residue_sub(0, sum);
        }
        assert_int_equal(echelon_add(&e, row), k < 7);
    }
    assert_int_equal(e.rank, 7);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(e.row_of[7 + i], -1);
        echelon_null(&e, 7 + i, out);
        assert_memory_equal(out, v[i], sizeof out);
    }
    echelon_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residues_are_a_field),
        cmocka_unit_test(half_of_all_residues_are_squares),
        cmocka_unit_test(numbers_come_back_as_fractions),
        cmocka_unit_test(null_spaces_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
