/* test_explicit_many.c - a step whose sums go together, piece by piece, has the bits of one sum after the
 * other: stages, increment and estimates of every explicit table, for states that fill no piece evenly. */
#include "testing.h"

#include "methods/explicit_rk.h"
#include "methods/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every state knows its neighbour; the context is how many there are. */
static int rate(double t, const double *x, double *out, void *context) {
    int n = *(const int *)context;
    for (int i = 0; i < n; i++) out[i] = sin(3 * x[(i + 1) % n] + t) - 0.5 * x[i] * x[i];
    return 0;
}

static void both_ways(const keel_rk *table, int n) {
    size_t width = (size_t)n, all = (size_t)table->stages * width;
    double *x = calloc(8 * width + 2 * all + 2 * width, sizeof *x), *f = x + width, *stage = f + width;
    double *dx = stage + width, *first = dx + width, *second = first + width, *k = second + width;
    double *other = k + all, *wanted = other + all;
    assert_non_null(x);
    for (int i = 0; i < n; i++) x[i] = cos(i);
    rate(0.3, x, f, &n);
    assert_int_equal(keel_rk_step(table, n, rate, &n, 0.3, 0.7, x, f, k, stage, wanted), 0);
    keel_attempt a = {.t = 0.3, .h = 0.7, .x = x, .f = f, .dx = dx, .error = {first, second}};
    assert_int_equal(explicit_many(table, n, rate, &n, &a, other, stage), 0);
    assert_memory_equal(k, other, all * sizeof *k);
    assert_memory_equal(dx, wanted, width * sizeof *dx);
    for (int e = 0; e < 2 && table->error[e]; e++) {
        keel_rk_sum(n, table->stages, table->error[e], k, a.h, NULL, wanted);
        assert_memory_equal(a.error[e], wanted, width * sizeof *dx);
    }
    free(x);
}

static void test_bits(void **state) {
    (void)state;
    int tables = 0;
    const keel_stepper *s;
    for (int i = 0; (s = registry_at(i)); i++) {
        if (!(s->info.traits & KEEL_RUNGE_KUTTA) || s->info.traits & KEEL_IMPLICIT || !s->table) continue;
        tables++;
        for (int n = EXPLICIT_MANY; n < EXPLICIT_MANY + 40; n += 13) both_ways(s->table, n);
    }
    assert_true(tables >= 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
