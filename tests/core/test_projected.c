/* test_projected.c - a model compiled into its method together with the rows it keeps or watches, or with
 * error control alone, takes the same steps, to the last bit of states, certificate and counts, as one that
 * is called for each of them. */
#include "extras.h"
#include "cache.h"
#include "same.h"

#include "core/kernel.h"
#include "model_run.h"

#include <unistd.h>

#define KEPLER                                                          \
    "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n" \
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\ninit q = (0.4, 0), p = (0, 2)\nrun 0 .. 1\n"
#define BODY                                                                       \
    "param I[1..3] = (2, 1, 2/3), a = 1.1\nvar u[1..3]\n"                          \
    "let w[1] = u[1]/I[1], w[2] = u[2]/I[2], w[3] = u[3]/I[3]\nu' = cross(u, w)\n" \
    "invariant H = dot(u, w)/2\ninvariant C = dot(u, u)\ninit u = (cos(a), 0, sin(a))\nrun 0 .. 1\n"

/* One row to three; states of one array and of several; rows that move with t; states that grow for ever. */
static const struct {
    const char *text;
    double h;
    const char *method;
} models[] = {
    {KEPLER, 0.0077, "dopri5"},
    {BODY, 0.05, "dop853"},
    {"var x, y, z, w, v\nx' = y\ny' = -x\nz' = 2*w\nw' = -2*z\nv' = x\ninvariant r = x^2 + y^2\n"
     "invariant s = z^2 + w^2\ninvariant total = y + v\ninit x = 1, y = 0.5, z = 0, w = 0.3, v = 0.1\nrun 0 "
     ".. "
     "1\n",
     0.03, "rk4"},
    {"var x, y, z\nx' = y\ny' = -x\nz' = cos(t)\ninvariant r = x^2 + y^2\ninvariant s = z - sin(t)\n"
     "init x = 1, y = 0.5, z = 0\nrun 0 .. 1\n",
     0.03, "rk4"},
    {"var x, v\nx' = v\nv' = 0*x\ninvariant speed = v^2\ninit x = 1, v = 0.5\nrun 0 .. 1\n", 0.01, "heun"},
};
enum { MODELS = sizeof models / sizeof *models };

/* A kernel that counts. */
static keel_kernel_steps *counted;
static long in_kernel, repeated, left, chunks, refused;

static long count_steps(struct keel_kernel_state *k, void *user) {
    long taken = counted(k, user);
    in_kernel += taken;
    left += taken - k->corrections;
    repeated += taken - (2 * k->corrections - k->newton);
    chunks++;
    return taken;
}

/* A model's problem without a kernel, and with one that counts. */
struct pair {
    keel_model *model;
    keel_problem called, compiled;
    keel_kernel kernel;
};

static void pair_open(struct pair *p, const char *text, const char *method) {
    keel_model_options o = {.method = method};
    keel_mode mode;
    p->model = keel_model_read("test.keel", text, strlen(text), &o);
    if (keel_model_status(p->model) != KEEL_OK) fail_msg("%s", keel_model_message(p->model));
    assert_true(keel_model_mode(p->model, keel_model_start(p->model), &mode));
    p->called = p->compiled = *mode.problem;
    assert_non_null(keel_extras_of(&p->called)->kernel);
    assert_non_null(keel_extras_of(&p->called)->kernel->kept);
    p->kernel = *keel_extras_of(&p->called)->kernel;
    counted = p->kernel.kept;
    p->kernel.kept = count_steps;
    own_extras(&p->called)->kernel = NULL;
    own_extras(&p->compiled)->kernel = &p->kernel;
    in_kernel = repeated = 0;
}

static void pair_close(struct pair *p) {
    keel_model_close(p->model);
}

static long steps_by_kernel(const keel_problem *p, const keel_options *o) {
    keel_solver *s = keel_open(p, o);
    in_kernel = 0;
    assert_ok(s, keel_run(s, 5));
    keel_close(s);
    return in_kernel;
}

/* By error, to many ends, forth and back. */
static void same_adaptive_run(const struct pair *p, const keel_options *o) {
    static const double ends[] = {0.01, 3, 40, 41.5, 300, 280};
    keel_solver *a = keel_open(&p->called, o), *b = keel_open(&p->compiled, o);
    in_kernel = 0;
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
        assert_ok(a, keel_run(a, ends[j]));
        assert_ok(b, keel_run(b, ends[j]));
        same_solver(a, b, p->called.n);
        same_sample(a, b, ends[j] - (j < 5 ? 0.001 : -0.001), p->called.n);
    }
    assert_true(in_kernel > (keel_statistics(a).steps - 200) / 2);
    refused += keel_statistics(a).rejected;
    keel_close(a);
    keel_close(b);
}

/* Projected, free and watched; at loose and tight tolerances, with a longest step. */
static void adaptive_steps_too(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853", "taylor"};
    static const char *const texts[] = {KEPLER, BODY, KEPLER};
    static const char *const all[] = {"project", "none", "watch"};
    for (int i = 0; i < 9; i++) {
        struct pair p;
        const char *method = methods[i % 3];
        pair_open(&p, texts[i % 3], method);
        refused = 0;
        for (int k = 0; k < 4; k++) {
            keel_options o = {.method = pair_of(method, all[i / 3]),
                              .rtol = (double[]){1e-4, 1e-6, 1e-9, 1e-11}[k],
                              .max_step = k == 1 ? 0.05 : 0};
            same_adaptive_run(&p, &o);
        }
        assert_true(refused > 0 || i % 3);
        pair_close(&p);
    }
}

/* By a clock: to ends and times in between, which steps pass; also where the clock starts below zero.  With
 * a longest step, and in fixed steps, there is no kernel. */
static void steps_by_a_clock_too(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853", "taylor"}, *const all[] = {"project", "none",
                                                                                         "watch"};
    static const char *const texts[] = {KEPLER "options clock = norm(q)^1.5\n",
                                        KEPLER "options clock = 1/(1/norm(q) + 0.1*sin(t)^2)\n"};
    for (int i = 0; i < 9; i++) {
        struct pair p;
        const char *method = methods[i % 3];
        pair_open(&p, texts[i / 3 == 2], method);
        double u0[5] = {0.4, 0, 0, 2, -50};
        p.called.t0 = p.compiled.t0 = u0[4];
        p.called.u0 = p.compiled.u0 = u0;
        for (int k = 0; k < 2; k++) {
            keel_options o = {.method = pair_of(method, all[i / 3]), .rtol = k ? 1e-10 : 1e-5};
            same_adaptive_run(&p, &o);
            o.max_step = 0.5;
            assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
        }
        if (i % 3 < 2)
            assert_int_equal(steps_by_kernel(&p.compiled, &(keel_options){.method = method, .step = 0.01}),
                             0);
        pair_close(&p);
    }
}

/* Nothing to keep, and more to keep than a kernel is made for. */
static void models_without_their_rows_too(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x, v\nx' = v\nv' = -x - x^3 + sin(t)\ninit x = 1, v = 0\nrun 0 .. 1\n",
        "var x, v, y, w, z\nx' = v\nv' = -x\ny' = w\nw' = -y\nz' = 0*x\ninvariant a = x^2 + v^2\n"
        "invariant b = y^2 + w^2\ninvariant c = x*w - y*v\ninvariant d = x*y + v*w\ninvariant e = z\n"
        "init x = 1, v = 0, y = 0.5, w = 2, z = 1\nrun 0 .. 1\n"};
    for (int k = 0; k < 4; k++) {
        int i = k % 2;
        const char *method = k < 2 ? "bs32" : "taylor";
        struct pair p;
        pair_open(&p, texts[i], method);
        keel_options o = {.method = pair_of(method, "none"), .rtol = 1e-5};
        same_adaptive_run(&p, &o);
        o.method = pair_of(o.method, "watch");
        if (i == 0) same_adaptive_run(&p, &o);
        else assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
        o.method = pair_of(o.method, "project");
        if (i == 1) assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
        pair_close(&p);
    }
}

static void every_model_gives_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        struct pair p;
        pair_open(&p, models[i].text, models[i].method);
        keel_options o = {.method = models[i].method, .step = models[i].h};
        same_fixed_run(&p.called, &p.compiled, &o, 1);
        assert_true(in_kernel > 3000);
        assert_true(repeated < in_kernel / 32); /* one iteration is the rule */
        o.method = pair_of(o.method, "watch");
        in_kernel = 0;
        same_fixed_run(&p.called, &p.compiled, &o, 1);
        assert_true(in_kernel > 3000);
        pair_close(&p);
    }
}

/* Steps so long that a projection takes several iterations; weights of all kinds. */
static void long_steps_and_other_weights_too(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
        double h;
    } far[] = {{KEPLER, "dopri5", 0.1}, {BODY, "dop853", 1.6}};
    for (int i = 0; i < 2; i++) {
        struct pair p;
        pair_open(&p, far[i].text, far[i].method);
        for (int norm = 0; norm < 3; norm++) {
            const double weights[] = {1, 2, 0.5, 3};
            keel_options o = {.method = far[i].method,
                              .step = far[i].h,
                              .norm = (keel_norm[]){KEEL_BY_ERROR, KEEL_UNIT, KEEL_GIVEN}[norm],
                              .weights = norm == 2 ? weights : NULL};
            in_kernel = repeated = left = 0;
            same_fixed_run(&p.called, &p.compiled, &o, 1);
            assert_true(in_kernel > 3000);
            assert_true(repeated > 100);
            assert_true(left < repeated / 2); /* two iterations are the rule then */
        }
        pair_close(&p);
    }
}

static void a_saved_run_goes_on_either_way(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, KEPLER, "dopri5");
    same_after_a_save(&p.called, &p.compiled, &(keel_options){.method = "dopri5", .step = 0.01}, 3.345, 20);
    pair_close(&p);
}

static int other_value(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[3] - u[1] * u[2];
    return 0;
}

/* The kernel has its own rows and projects onto all of them: for anything else it is not used. */
static void other_rows_are_called(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, KEPLER, "dopri5");
    keel_options o = {.method = "dopri5", .step = 0.01};
    assert_true(steps_by_kernel(&p.compiled, &o) > 400);
    o = (keel_options){.method = "dopri5+adjust", .step = 0.01};
    assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
    o = (keel_options){.method = "dopri5+watch", .step = 0.01};
    assert_true(steps_by_kernel(&p.compiled, &o) > 400);
    o = (keel_options){.method = "dopri5", .step = 0.01, .keep = "momentum"};
    assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
    o = (keel_options){.method = "dopri5", .step = 0.01, .compensated = 1};
    assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
    o = (keel_options){.method = "dop853"};
    assert_int_equal(steps_by_kernel(&p.compiled, &o), 0);
    keel_problem changed = p.compiled;
    o = (keel_options){.method = "dopri5", .step = 0.01};
    changed.invariant = (keel_map){.count = 1, .value = other_value};
    assert_int_equal(steps_by_kernel(&changed, &o), 0);
    changed.invariant = (keel_map){0};
    assert_int_equal(steps_by_kernel(&changed, &o), 0);
    pair_close(&p);
}

/* The state explodes at t = 3. */
#define EXPLODES                                                                                             \
    "var x, y, z\nx' = y\ny' = -x\nz' = z^2\ninvariant r = x^2 + y^2\ninit x = 1, y = 0, z = 1/3\nrun 0 .. " \
    "1\n"

static void the_step_shrinks_as_ever(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, EXPLODES, "bs32");
    keel_options o = {.method = "bs32", .rtol = 1e-8};
    assert_int_equal(same_end(&p.called, &p.compiled, &o, 50), KEEL_ESTEP);
    assert_true(in_kernel > 50);
    pair_close(&p);
}

/* A row that is found to be false, a state that explodes, and a row that cannot be evaluated any more, after
 * hundreds of steps: the same sentence, the same state, the same counts. */
static void trouble_is_told_as_ever(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x, v\nx' = v\nv' = -x - (t/8)^12*v\ninvariant E = x^2 + v^2\ninit x = 1, v = 0\nrun 0 .. 1\n",
        EXPLODES,
        "var x, y, z\nx' = y\ny' = -x\nz' = -1\ninvariant r = x^2 + y^2 + sqrt(z)^2 - z\n"
        "init x = 1, y = 0, z = 3.1\nrun 0 .. 1\n"};
    static const char *const methods[] = {"heun", "bs32", "heun"};
    for (int i = 0; i < 3; i++) {
        struct pair p;
        pair_open(&p, texts[i], methods[i]);
        keel_options o = {.method = methods[i], .step = 1. / 64};
        assert_true(same_end(&p.called, &p.compiled, &o, 50) < 0);
        assert_true(in_kernel > 50);
        pair_close(&p);
    }
}

static void limits_are_met_as_ever(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, BODY, "dop853");
    for (long most = 1; most < 1100; most = most * 3 / 2 + 1) {
        keel_options o = {.method = "dop853", .step = 0.01, .max_steps = most};
        assert_int_equal(same_end(&p.called, &p.compiled, &o, 20), KEEL_ELIMIT);
    }
    pair_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_gives_the_same_bits),
        cmocka_unit_test(long_steps_and_other_weights_too),
        cmocka_unit_test(adaptive_steps_too),
        cmocka_unit_test(steps_by_a_clock_too),
        cmocka_unit_test(models_without_their_rows_too),
        cmocka_unit_test(the_step_shrinks_as_ever),
        cmocka_unit_test(a_saved_run_goes_on_either_way),
        cmocka_unit_test(other_rows_are_called),
        cmocka_unit_test(trouble_is_told_as_ever),
        cmocka_unit_test(limits_are_met_as_ever),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("projected", tests, make_cache, drop_cache);
}
