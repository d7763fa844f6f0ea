/* test_elimination.c - a chain with its order of elimination compiled in, its accelerations, its projection
 * and the stages of its method, gives the bits and the counts of the library's own loops, and of the
 * interpreter: in the plane and in space, with masses, by coordinates and by points, with and without its
 * energy, of any length. */
#include "extras.h"
#include "cache.h"
#include "same.h"

#include "linalg/sparse.h"
#include "model_run.h"

#include <unistd.h>

#define RODS "param N = 16\nlet X[0] = 0, Y[0] = 0, Z[0] = 0\n"
static const char *const models[] = {
    RODS "coord x[1..N], y[1..N]\nfor i in 1..N:\n    let X[i] = x[i], Y[i] = y[i]\n"
         "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n    init x[i] = i, y[i] = 0, "
         "x[i]' = 0, y[i]' = 0\n"
         "lagrangian sum(i in 1..N, (1 + i/3)*(x[i]'^2 + y[i]'^2)/2 - 9.81*(1 + i/3)*y[i])\n"
         "invariant energy\nrun 0 .. 1\n",
    RODS "coord x[1..N], y[1..N], z[1..N]\nfor i in 1..N:\n    let X[i] = x[i], Y[i] = y[i], Z[i] = z[i]\n"
         "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 + (Z[i] - Z[i-1])^2 = 1\n"
         "    init x[i] = i, y[i] = 0, z[i] = 0, x[i]' = 0, y[i]' = 0.1*i, z[i]' = 0\n"
         "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2 + z[i]'^2)/2 - 9.81*z[i] - i*x[i]*y[i]/50)\n"
         "run 0 .. 1\n"};
enum { MODELS = sizeof models / sizeof *models };

static keel_kernel counted;
static long eliminated, restored, staged, given_back;
static double fails_from; /* from this time on the kernel gives all back */

static int count_eliminations(struct keel_elimination_state *s, double t, const double *x, double *dx,
                              void *user) {
    int failed = counted.elimination(s, t, x, dx, user) || t >= fails_from;
    eliminated += !failed;
    given_back += failed;
    return failed;
}

/* What was tried leaves its traces. */
static int count_restorations(struct keel_restoration_state *s, double t, double *x, void *user) {
    if (t >= fails_from) return 1;
    int failed = counted.restoration(s, t, x, user);
    restored += !failed;
    return failed;
}

static int count_stages(struct keel_elimination_state *s, double t, double h, const double *x,
                        const double *f, double *k, double *dx, double *const error[2], void *user) {
    int failed = counted.stages(s, t, h, x, f, k, dx, error, user) || t >= fails_from;
    staged += !failed;
    return failed;
}

static keel_model *model_read(const char *text, const char *size, const char *method, int interpret,
                              keel_problem *p) {
    char stepper[20];
    snprintf(stepper, sizeof stepper, "%.*s", (int)strcspn(method, "+"), method);
    keel_model_options o = {.method = stepper, .interpret = interpret, .set = &size, .sets = 1};
    keel_mode mode;
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    *p = *mode.problem;
    return m;
}

/* Without the kernel, with it, interpreted: to several ends, forth and back, and single steps. */
static void same_runs(const char *text, const char *size, const keel_options *o, int energy) {
    static const double ends[] = {0.01, 0.5, 0.2};
    keel_problem p[3];
    keel_solver *s[3];
    keel_model *model = model_read(text, size, o->method, 0, &p[0]),
               *read = model_read(text, size, o->method, 1, &p[2]);
    if (!energy) p[0].energy = p[2].energy = (keel_map){0};
    p[1] = p[0];
    assert_non_null(keel_extras_of(&p[0])->kernel);
    keel_kernel kernel = counted = *keel_extras_of(&p[0])->kernel;
    assert_non_null(counted.elimination);
    kernel.elimination = count_eliminations;
    if (kernel.restoration) kernel.restoration = count_restorations;
    if (kernel.stages) kernel.stages = count_stages;
    own_extras(&p[0])->kernel = NULL;
    own_extras(&p[1])->kernel = &kernel;
    for (int i = 0; i < 3; i++) s[i] = keel_open(&p[i], o);
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
        keel_status status = keel_run(s[0], ends[j]);
        if (status < 0) fail_msg("%s: %s", size, keel_message(s[0]));
        for (int i = 1; i < 3; i++) {
            assert_int_equal(keel_run(s[i], ends[j]), status);
            same_sight(s[0], s[i], p[0].n);
        }
        for (int i = 0; i < 3; i++) assert_true(keel_step(s[i], ends[j] + (j < 2 ? 1 : -1)) >= 0);
        for (int i = 1; i < 3; i++) same_sight(s[0], s[i], p[0].n);
    }
    for (int i = 0; i < 3; i++) keel_close(s[i]);
    keel_model_close(model);
    keel_model_close(read);
}

static void chains_give_the_same_bits(void **state) {
    (void)state;
    static const char *const sizes[] = {"N=10", "N=17", "N=60"};
    fails_from = HUGE_VAL;
    for (int i = 0; i < MODELS; i++)
        for (int k = 0; k < 3; k++) {
            eliminated = restored = staged = given_back = 0;
            same_runs(models[i], sizes[k], &(keel_options){.method = "dop853+project", .rtol = 1e-6}, 1);
            if (k != 1)
                same_runs(models[i], sizes[k], &(keel_options){.method = "rk4+project", .step = 0.01}, 0);
            if (k == 2)
                assert_true(eliminated > 200 && restored == 0 && staged == 0); /* called, being long */
            else assert_true(eliminated > 10 && restored > 10 && staged > 10);
            assert_int_equal(given_back, 0);
        }
}

/* Positions, velocities and energy that are far off take new factorizations, and tight units more sweeps. */
static void it_takes_what_it_takes(void **state) {
    (void)state;
    fails_from = HUGE_VAL;
    restored = 0;
    same_runs(models[0], "N=10", &(keel_options){.method = "rk4+project", .step = 0.05}, 1);
    same_runs(models[0], "N=11", &(keel_options){.method = "dop853+project", .rtol = 1e-3}, 1);
    same_runs(models[0], "N=10", &(keel_options){.method = "dop853+project", .rtol = 1e-12}, 1);
    same_runs(models[0], "N=10",
              &(keel_options){.method = "dopri5+project", .rtol = 1e-5, .manifold_units = 1}, 1);
    assert_true(restored > 0);
}

/* What the kernel gives back is done by the library, and nobody sees a difference. */
static void what_is_given_back_is_done(void **state) {
    (void)state;
    fails_from = 0.3;
    eliminated = restored = staged = given_back = 0;
    same_runs(models[0], "N=16", &(keel_options){.method = "dop853+project", .rtol = 1e-6}, 1);
    assert_true(eliminated > 5 && given_back > 50 && restored > 5 && staged > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_give_the_same_bits),
                                       cmocka_unit_test(it_takes_what_it_takes),
                                       cmocka_unit_test(what_is_given_back_is_done)};
    if (!sparse_available()) return 0; /* nothing is large without it */
    unsetenv("CC");
    return cmocka_run_group_tests_name("elimination", tests, make_cache, drop_cache);
}
