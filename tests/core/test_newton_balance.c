/* test_newton_balance.c - units of states are no concern of implicit methods: momenta of 1e24 and of 1e-24
 * beside positions of 1 take the steps of momenta of 1. */
#include "model_run.h"

#include "linalg/dense.h"
#include "linalg/shifted.h"

#include <math.h>

enum { N = 6 };

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p23 - 1;
}

/* (I - c J) x = b with J = S K S^-1, sizes S from 1e-24 to 1e24: x / S has the digits that K has. */
static void balanced_factors(void **state) {
    unsigned seed = 15;
    (void)state;
    for (int test = 0; test < 40; test++) {
        double k[N * N], j[N * N], lu[N * N], size[N], unit[N], x[N], b[N];
        int pivot[N];
        for (int i = 0; i < N; i++) size[i] = ldexp(1, (int)(80 * draw(&seed))), x[i] = size[i] * draw(&seed);
        for (int e = 0; e < N * N; e++) {
            k[e] = draw(&seed);
            j[e] = k[e] * (size[e / N] / size[e % N]);
        }
        for (int i = 0; i < N; i++) {
            b[i] = x[i];
            for (int l = 0; l < N; l++) b[i] -= 10 * j[i * N + l] * x[l];
        }
        shifted_balance(N, 10, j, unit);
        assert_true(unit[0] > 0);
        assert_int_equal(shifted_lu(&(struct shifted){N, N, NULL, unit}, 10, 0, j, lu, pivot, NULL), 0);
        for (int i = 0; i < N; i++) b[i] /= unit[i];
        dense_lu_solve(N, lu, pivot, b);
        for (int i = 0; i < N; i++) assert_true(fabs(b[i] * unit[i] - x[i]) <= 1e-11 * size[i]);
        shifted_balance(N, 10, k, unit);
        assert_true(unit[0] == 0);
    }
}

static const char springs[] = "param m = %g\nvar q[1..2], p[1..2]\nq' = p/m\np[1]' = -m*(q[1] + q[2]/4)\n"
                              "p[2]' = -m*(q[2] + q[1]/4)\ninit q = (1, 0), p = (0, m)\nrun 0 .. 20\n";
static const char orbit[] =
    "param m = %g\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/(2*m) - m/norm(q)\n"
    "invariant energy\ninit q = (1, 0), p = (0, 1.1*m)\nrun 0 .. 20\n";

static double last_of(const char *format, double mass, const char *method, long *steps) {
    char text[400];
    snprintf(text, sizeof text, format, mass);
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = method, .max_steps = 3000});
    assert_non_null(s);
    run_to(s, 20);
    double last = value_of(s, "q[1]");
    *steps = keel_statistics(keel_sim_solver(s)).steps;
    keel_sim_close(s);
    keel_model_close(m);
    return last;
}

static void masses_of_any_size(void **state) {
    static const double mass[] = {1e-24, 1e-12, 1e-6, 1e6, 1e12, 1e24};
    static const char *const method[] = {"radau", "radau5", "bdf", "rodas5p", "rodas4"};
    static const char *const text[] = {springs, orbit};
    (void)state;
    for (int k = 0; k < 10; k++) {
        long usual, steps;
        double known = last_of(text[k / 5], 1, method[k % 5], &usual);
        for (int i = 0; i < 6; i++) {
            double found = last_of(text[k / 5], mass[i], method[k % 5], &steps);
            if (!(fabs(found - known) < 5e-4) || steps > 2 * usual + 20)
                fail_msg("%s, mass %g: %g for %g, %ld steps for %ld", method[k % 5], mass[i], found, known,
                         steps, usual);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balanced_factors),
                                       cmocka_unit_test(masses_of_any_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
