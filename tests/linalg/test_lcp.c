/* test_lcp.c - complementarity: w = M z + q, w, z >= 0, w z = 0 on random matrices, positive definite or
 * singular, and on Coulomb's law; a problem without a solution is told. */
#include "testing.h"

#include "linalg/lcp.h"

enum { MOST = 16 };

static unsigned long seed = 12345;

static double draw(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11 & 0xfffffffffffffu) / 2251799813685248.0 - 1;
}

static void check(int n, const double *m, const double *q, const double *z) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(q[i]));
    for (int i = 0; i < n; i++) {
        double w = q[i], terms = fabs(q[i]) + size;
        for (int j = 0; j < n; j++) w += m[i * n + j] * z[j], terms += fabs(m[i * n + j] * z[j]);
        if (z[i] < 0 || w < -1e-9 * terms || fabs(w) * z[i] > 1e-9 * terms * (z[i] + 1e-300))
            fail_msg("n = %d: z[%d] = %g, w = %g", n, i, z[i], w);
    }
}

/* B B^T of rank r. */
static void random_problems_are_solved(void **unused) {
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        int n = 1 + round % MOST, rank = round % 3 ? n : 1 + n / 2;
        double b[MOST * MOST], m[MOST * MOST], q[MOST], z[MOST], x[MOST];
        for (int i = 0; i < n * rank; i++) b[i] = draw();
        for (int i = 0; i < rank; i++) x[i] = draw();
        for (int i = 0; i < n; i++) {
            q[i] = rank < n ? 0 : draw();
            for (int k = 0; k < rank && rank < n; k++) q[i] += b[i * rank + k] * x[k]; /* it has a solution */
            for (int j = 0; j < n; j++) {
                m[i * n + j] = 0;
                for (int k = 0; k < rank; k++) m[i * n + j] += b[i * rank + k] * b[j * rank + k];
            }
        }
        if (lcp_solve(n, m, q, z) == 0) check(n, m, q, z);
        else assert_true(rank < n);
    }
}

/* One contact at rest: pushed down and pulled by f; it sticks below mu, and slides at f - mu above. */
static void friction_sticks_and_slides(void **unused) {
    (void)unused;
    const double mu = 0.5;
    const double m[] = {1, 0, 0, 0, 0, 1, -1, 1, 0, -1, 1, 1, mu, -1, -1, 0};
    for (double f = -1.95; f < 2; f += 0.1) {
        const double q[] = {-2, f, -f, 0};
        double z[4];
        assert_int_equal(lcp_solve(4, m, q, z), 0);
        check(4, m, q, z);
        double drag = z[1] - z[2], slides = fmax(fabs(f) - 2 * mu, 0);
        assert_true(fabs(z[0] - 2) < 1e-12 && fabs(z[3] - slides) < 1e-12);
        assert_true(fabs(drag - (f < 0 ? 1 : -1) * fmin(fabs(f), 2 * mu)) < 1e-12);
    }
}

static void what_has_no_solution_is_told(void **unused) {
    (void)unused;
    const double m[] = {-1}, q[] = {-1};
    double z[1];
    assert_int_equal(lcp_solve(1, m, q, z), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_solved),
        cmocka_unit_test(friction_sticks_and_slides),
        cmocka_unit_test(what_has_no_solution_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
