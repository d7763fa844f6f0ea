/* test_summary.c - moments and quantiles of streams: against the numbers themselves, within the bounds that
 * the header gives; what has no value is left out. */
#include "testing.h"

#include "ensemble/philox.h"

#include <keel/ensemble.h>

static double value_at(int64_t i, int kind) {
    double u = philox_unit(philox_bits(4, (uint64_t)i, 77));
    return kind == 0 ? (double)i : kind == 1 ? u * u * u : kind == 2 ? 1e9 + u : 3;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void moments_are_those_of_the_numbers(void **state) {
    enum { COUNT = 100003 };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        keel_summary *s = keel_summary_open(1, 0);
        long double sum = 0, squares = 0;
        for (int64_t i = 0; i < COUNT; i++) {
            double v = value_at(i, kind);
            sum += v;
            assert_int_equal(keel_summary_add(s, &v), KEEL_OK);
        }
        for (int64_t i = 0; i < COUNT; i++) {
            long double apart = value_at(i, kind) - sum / COUNT;
            squares += apart * apart;
        }
        double mean = (double)(sum / COUNT), deviation = (double)sqrtl(squares / (COUNT - 1));
        keel_moments m;
        assert_true(keel_summary_moments(s, 0, &m) && !keel_summary_moments(s, 1, &m));
        assert_int_equal(m.count, COUNT);
        assert_below(fabs(m.mean - mean), 1e-15 * 8 * fabs(mean));
        assert_below(fabs(m.deviation - deviation),
                     1e-12 * deviation + 1e-15 * 40 * fabs(mean) / sqrt(COUNT));
        assert_true(isnan(keel_summary_quantile(s, 0, 0.5)));
        keel_summary_close(s);
    }
}

static void quantiles_lie_within_their_bound(void **state) {
    static const int64_t counts[] = {1, 5, 2047, 4096, 300000};
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            int64_t count = counts[c];
            double *all = malloc((size_t)count * sizeof *all);
            keel_summary *s = keel_summary_open(1, 1);
            for (int64_t i = 0; i < count; i++) {
                all[i] = value_at(i, kind);
                assert_int_equal(keel_summary_add(s, &all[i]), KEEL_OK);
            }
            qsort(all, (size_t)count, sizeof *all, by_size);
            double bound = count < 2048 ? 0 : log2((double)count / 2048) / 2048;
            for (double part = 0; part <= 1; part += 1. / 64) {
                double found = keel_summary_quantile(s, 0, part);
                int64_t below = 0;
                while (below < count && all[below] <= found) below++;
                double off = fabs((double)below / (double)count - part);
                assert_below(off, bound + 1.0 / (double)count + 1e-12);
            }
            assert_true(keel_summary_quantile(s, 0, 0) == all[0]);
            assert_true(keel_summary_quantile(s, 0, 1) == all[count - 1]);
            keel_summary_close(s);
            free(all);
        }
}

static void missing_values_are_left_out(void **state) {
    keel_summary *s = keel_summary_open(2, 1);
    keel_moments m;
    (void)state;
    for (int i = 0; i < 1001; i++) {
        double v[2] = {i % 3 ? NAN : i, NAN};
        assert_int_equal(keel_summary_add(s, v), KEEL_OK);
    }
    assert_true(keel_summary_moments(s, 0, &m));
    assert_true(m.count == 334 && m.smallest == 0 && m.largest == 999);
    assert_below(fabs(m.mean - 499.5), 1e-10);
    assert_true(keel_summary_quantile(s, 0, 0.5) == 498);
    assert_true(keel_summary_moments(s, 1, &m) && m.count == 0 && isnan(m.mean) && isnan(m.smallest));
    assert_true(isnan(keel_summary_quantile(s, 1, 0.5)));
    keel_summary_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_the_numbers),
        cmocka_unit_test(quantiles_lie_within_their_bound),
        cmocka_unit_test(missing_values_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
