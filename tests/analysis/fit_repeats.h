/* fit_repeats.h - the pendulum measured again and again: are the standard deviations of a fit true? */
#ifndef KEEL_TESTS_FIT_REPEATS_H
#define KEEL_TESTS_FIT_REPEATS_H

#include "testing.h"

#include <keel/fit.h>

enum { REPEATS_TIMES = 200 };

static const char repeats_pendulum[] =
    "param g = 9.81, l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 = l^2\n"
    "init y = 0, y' = 0\nguess x = l\nrun 0 .. 10\n";

static inline keel_model *repeats_model(const char *text, const char *sensitivity) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text),
                                    &(keel_model_options){.sensitivity = sensitivity, .kernel_later = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

/* Normal numbers by Box and Muller from Knuth's linear congruences. */
static inline double repeats_normal(uint64_t *state) {
    double u[2];
    for (int k = 0; k < 2; k++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        u[k] = ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(u[0])) * cos(2 * acos(-1) * u[1]);
}

/* What columns do at times from .. to of the true motion: value[times][1 + columns], t first. */
static inline void repeats_truth(const keel_model *m, int columns, const char *const *name, double to,
                                 int times, double *value) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    double all[64];
    assert_true(keel_sim_columns(s) <= 64);
    for (int i = 0; i < times; i++) {
        double t = to * (i + 1) / times;
        assert_int_equal(keel_sim_run(s, t), KEEL_OK);
        assert_int_equal(keel_sim_values(s, all), KEEL_OK);
        value[i * (columns + 1)] = t;
        for (int k = 0; k < columns; k++)
            for (int c = 0; keel_sim_column(s, c); c++)
                if (strcmp(keel_sim_column(s, c), name[k]) == 0) value[i * (columns + 1) + 1 + k] = all[c];
    }
    keel_sim_close(s);
}

/* Of many repetitions: the spread of the fitted g and l over what the fits say it is; the part of 95 %
 * intervals that cover the truth. */
struct repeats {
    double spread[2], covered[2];
};

static inline struct repeats repeat_fits(int count, uint64_t seed) {
    static const char *const name[] = {"t", "x", "y"};
    static const double truth[2] = {9.81, 1};
    static double value[REPEATS_TIMES * 3], noisy[REPEATS_TIMES * 3];
    double sum[2] = {0}, square[2] = {0}, said[2] = {0};
    struct repeats out = {0};
    keel_model *m = repeats_model(repeats_pendulum, "g, l");
    repeats_truth(m, 2, name + 1, 10, REPEATS_TIMES, value);
    for (int i = 0; i < count; i++) {
        keel_fitted v;
        memcpy(noisy, value, sizeof noisy);
        for (int k = 0; k < 3 * REPEATS_TIMES; k++)
            if (k % 3) noisy[k] += (k % 3 == 1 ? 0.02 : 0.05) * repeats_normal(&seed);
        keel_fit *f = keel_fit_open(m, NULL, NULL);
        assert_int_equal(keel_fit_columns(f, NULL, 3, name, REPEATS_TIMES, noisy), KEEL_OK);
        if (keel_fit_run(f) != KEEL_OK) fail_msg("%s", keel_fit_message(f));
        for (int k = 0; k < 2 && keel_fit_at(f, k, &v); k++) {
            double error = v.value - truth[k];
            sum[k] += error, square[k] += error * error, said[k] += v.deviation * v.deviation;
            out.covered[k] += (v.low <= truth[k] && truth[k] <= v.high) / (double)count;
        }
        keel_fit_close(f);
    }
    for (int k = 0; k < 2; k++)
        out.spread[k] = sqrt((square[k] - sum[k] * sum[k] / count) / (count - 1) / (said[k] / count));
    keel_model_close(m);
    return out;
}
#endif
