/* test_mechanism.c - mechanics with M, F, K and gamma compiled into one function, its projection into
 * another, and whole steps around both, gives the bits and the counts of the functions called one by one, and
 * of the interpreter. */
#include "extras.h"
#include "cache.h"
#include "same.h"

#include "core/mechanism.h"
#include "model_run.h"

#include <unistd.h>

#define BEGIN "run 0 .. 1\n"
/* One constraint and several; one that moves with t; invariants beside the energy, and no energy; masses that
 * change with q, with a constraint and without any; the reading of a state that starts at zero. */
static const char *const models[] = {
    "coord x, y\nparam g = 9.81\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 - 1 = 0\n"
    "init x = 1, y = 0, x' = 0, y' = 0\n" BEGIN,
    "coord x, y, a, b\nparam m = 0.3, k = 2\n"
    "lagrangian (x'^2 + y'^2)/2 + k*(a'^2 + b'^2)/2 - y - m*b\nconstraint upper: x^2 + y^2 - 1 = 0\n"
    "constraint lower: (a - x)^2 + (b - y)^2 - 1 = 0\ninit x = 0.6, y = -0.8, a = 1.2, b = -1.6\n"
    "init x' = 0.4, y' = 0.3, a' = 0.8, b' = 0.6\n" BEGIN,
    "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 3*y\nconstraint rod: (x - sin(t)/4)^2 + y^2 - 1 = 0\n"
    "init x = 0, y = -1, x' = 0.5\n" BEGIN,
    "coord x, y, z\nlagrangian 2*(x'^2 + y'^2 + z'^2)/2 - z\nconstraint ball: x^2 + y^2 + z^2 - 1 = 0\n"
    "invariant turn = x*y' - y*x'\ninit x = 0.8, y = 0, z = -0.6, x' = 0, y' = 0.7, z' = 0\n" BEGIN,
    "coord x, y\nlagrangian (1 + x^2)*x'^2/2 + x*x'*y'/3 + y'^2 - y\nconstraint wire: y - x^2/2 = 0\n"
    "init x = 0.7, y = 0.245, x' = 0.2, y' = 0.14\n" BEGIN,
    /* angles, whose sines stand in all maps; one of another function, of the same argument */
    "coord a, b, c\nparam k = 0.4\n"
    "lagrangian (a'^2 + 2*b'^2 + c'^2 + a'*b'*cos(a - b))/2 - sin(a) - 2*sin(b) - k*exp(sin(c)) - k*cos(c)\n"
    "constraint along: cos(a) + 2*cos(b) - 1.5*cos(c) = 1\n"
    "constraint across: sin(a) + 2*sin(b) - 1.5*sin(c) = 0\n"
    "init a = 1, a' = 0.4\nguess b = 0.2, c = 1\n" BEGIN,
    "coord a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)\n"
    "init a = 1, b = 0.2, a' = 0, b' = 0.3\n" BEGIN,
};
enum { MODELS = sizeof models / sizeof *models };

/* The model's problem with a kernel that counts, and without one; the same interpreted. */
struct trio {
    keel_model *model, *read;
    keel_problem called, compiled, interpreted;
    keel_kernel kernel;
};

static keel_kernel counted;
static long accelerated, projected, given_back, stepped;

static int count_accelerations(struct keel_mechanics_state *s, double t, const double *x, double *dx,
                               void *user) {
    int failed = counted.accelerations(s, t, x, dx, user);
    accelerated += !failed;
    given_back += failed;
    return failed;
}

static int count_projections(struct keel_mechanics_state *s, double t, double *x, void *user) {
    int failed = counted.projection(s, t, x, user);
    projected += !failed;
    given_back += failed;
    return failed;
}

static long count_steps(struct keel_kernel_state *k, void *user) {
    long taken = counted.kept(k, user);
    stepped += taken;
    return taken;
}

static keel_model *model_read(const char *text, const char *method, int interpret, keel_problem *p) {
    keel_model_options o = {.method = method, .interpret = interpret};
    keel_mode mode;
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    *p = *mode.problem;
    return m;
}

/* steps: they are the kernel's, too. */
static void trio_open(struct trio *p, const char *text, const char *method, int steps) {
    p->model = model_read(text, method, 0, &p->called);
    p->read = model_read(text, method, 1, &p->interpreted);
    p->compiled = p->called;
    assert_non_null(keel_extras_of(&p->called)->kernel);
    p->kernel = counted = *keel_extras_of(&p->called)->kernel;
    assert_non_null(counted.accelerations);
    assert_true((counted.projection != NULL) == (p->called.constraint.count > 0));
    p->kernel.accelerations = count_accelerations;
    if (counted.projection) p->kernel.projection = count_projections;
    if (steps) assert_non_null(counted.kept);
    p->kernel.kept = steps ? count_steps : NULL;
    own_extras(&p->called)->kernel = NULL;
    own_extras(&p->compiled)->kernel = &p->kernel;
    accelerated = projected = given_back = stepped = 0;
}

static void trio_close(struct trio *p) {
    keel_model_close(p->model);
    keel_model_close(p->read);
}

/* To several ends, forth and back, with looks in between; single steps, too. */
static void same_runs(struct trio *p, const keel_options *o) {
    static const double ends[] = {0.01, 1, 3.5, 3.6, 2};
    const keel_problem *each[] = {&p->called, &p->compiled, &p->interpreted};
    keel_solver *s[3];
    for (int i = 0; i < 3; i++) s[i] = keel_open(each[i], o);
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
        keel_status status = keel_run(s[0], ends[j]);
        keel_status seen[3];
        double look[3][8], side = j < 4 ? 1 : -1;
        assert_true(status >= 0);
        for (int i = 1; i < 3; i++) {
            assert_int_equal(keel_run(s[i], ends[j]), status);
            same_sight(s[0], s[i], p->called.n);
        }
        for (int i = 0; i < 3; i++) seen[i] = keel_eval(s[i], ends[j] - side * 0.0003, look[i]);
        for (int i = 1; i < 3; i++) {
            assert_int_equal(seen[i], seen[0]);
            same_doubles(look[0], look[i], seen[0] == KEEL_OK ? p->called.n : 0);
        }
        for (int i = 0; i < 3; i++) assert_true(keel_step(s[i], ends[j] + side) >= 0);
        for (int i = 1; i < 3; i++) same_sight(s[0], s[i], p->called.n);
    }
    for (int i = 0; i < 3; i++) keel_close(s[i]);
}

/* Explicit, implicit and multistep methods, by their error and in fixed steps. */
static void every_method_gives_the_same_bits(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double rtol, step;
    } way[] = {{"dop853", 1e-3, 0}, {"dop853", 1e-10, 0},       {"dopri5", 1e-6, 0},
               {"rk4", 0, 0.02},    {"gauss4", 0, 0.05},        {"radau", 1e-5, 0},
               {"ab4", 0, 0.01},    {"dop853+adjust", 1e-6, 0}, {"rk4+none", 0, 0.05}};
    for (int i = 0; i < MODELS; i++) {
        struct trio p;
        trio_open(&p, models[i], "dop853", 0);
        for (size_t k = 0; k < sizeof way / sizeof *way; k++)
            same_runs(&p, &(keel_options){.method = way[k].method, .rtol = way[k].rtol, .step = way[k].step});
        assert_true(accelerated > 500);
        assert_true((projected > 200) == (p.called.constraint.count > 0));
        assert_true(given_back < (accelerated + projected) / 100);
        trio_close(&p);
    }
}

static void taylor_too(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i += 3) {
        struct trio p;
        trio_open(&p, models[i], "taylor", 0);
        same_runs(&p, &(keel_options){.method = "taylor", .rtol = 1e-4});
        same_runs(&p, &(keel_options){.method = "taylor", .rtol = 1e-12});
        assert_true(accelerated > 20);
        trio_close(&p);
    }
}

/* Long enough for all that happens now and then.  The share of the steps that are the kernel's. */
static double same_long_run(struct trio *p, const keel_options *o) {
    keel_solver *a = keel_open(&p->called, o), *b = keel_open(&p->compiled, o);
    stepped = 0;
    assert_ok(a, keel_run(a, 40));
    assert_ok(b, keel_run(b, 40));
    same_sight(a, b, p->called.n);
    double share = (double)stepped / (double)keel_statistics(b).steps;
    keel_close(a);
    keel_close(b);
    return share;
}

/* By their error, coarsely, where many projections are for the core, and finely, and fixed; without its
 * energy a mechanism has other rows than the kernel.  A run of taylor may have no more than nine steps. */
static void whole_steps_give_the_same_bits(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double rtol, step;
    } way[] = {{"dop853", 1e-3, 0}, {"dop853", 1e-6, 0}, {"dop853", 1e-11, 0},     {"dopri5", 1e-7, 0},
               {"rk4", 0, 0.02},    {"rk4", 0, 0.003},   {"dop853+none", 1e-6, 0}, {"taylor", 1e-4, 0},
               {"taylor", 1e-8, 0}, {"taylor", 1e-12, 0}};
    for (int i = 0; i < MODELS - 1; i++)
        for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
            struct trio p;
            keel_options o = {.method = way[k].method, .rtol = way[k].rtol, .step = way[k].step};
            int projects = !strchr(o.method, '+');
            trio_open(&p, models[i], projects ? o.method : "dop853", 1);
            same_runs(&p, &o);
            double share = same_long_run(&p, &o), least = o.rtol == 1e-3 ? 0.1 : k < 7 ? 0.85 : 0.2;
            assert_true(projects ? share > least : share == 0);
            if (p.called.energy.value) {
                stepped = 0;
                p.called.energy = p.compiled.energy = p.interpreted.energy = (keel_map){0};
                same_runs(&p, &o);
                assert_int_equal(stepped, 0);
            }
            trio_close(&p);
        }
}

/* Events are looked for after every step: there is no kernel of many, whatever the method. */
static void events_have_single_steps(void **state) {
    (void)state;
    static const char text[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n"
                               "constraint rod: x^2 + y^2 - 1 = 0\ninit x = 1, y = 0, x' = 0, y' = 0\n"
                               "event low: x falling -> record\nrun 0 .. 1\n";
    static const char *const method[] = {"dop853", "taylor", "gauss4"};
    for (int i = 0; i < 3; i++) {
        struct trio p;
        trio_open(&p, text, method[i], 0);
        assert_null(counted.kept);
        same_runs(&p, &(keel_options){.method = method[i], .step = i == 2 ? 0.01 : 0});
        trio_close(&p);
    }
}

/* What a run with whole steps has saved, one without them goes on with, and the other way round. */
static void saved_runs_go_on_with_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < MODELS - 1; i++) {
        struct trio p;
        trio_open(&p, models[i], "dop853", 1);
        const keel_problem *each[] = {&p.called, &p.compiled};
        keel_options o = {.method = "dop853", .rtol = 1e-8};
        keel_solver *first[2], *second[2];
        for (int k = 0; k < 2; k++) {
            first[k] = keel_open(each[k], &o);
            assert_ok(first[k], keel_run(first[k], 7));
            size_t size = keel_save(first[k], NULL, 0);
            unsigned char *bytes = malloc(size);
            assert_int_equal(keel_save(first[k], bytes, size), size);
            second[k] = keel_load(each[1 - k], &o, bytes, size);
            free(bytes);
        }
        assert_true(stepped > 10);
        for (int k = 0; k < 2; k++) {
            assert_ok(first[k], keel_run(first[k], 15));
            assert_ok(second[k], keel_run(second[k], 15));
        }
        same_sight(first[0], first[1], p.called.n);
        for (int k = 0; k < 2; k++) same_sight(first[0], second[k], p.called.n);
        for (int k = 0; k < 2; k++) keel_close(first[k]), keel_close(second[k]);
        trio_close(&p);
    }
}

static long projections_of(const keel_problem *p, const keel_options *o) {
    keel_solver *s = keel_open(p, o);
    projected = 0;
    assert_ok(s, keel_run(s, 1));
    keel_close(s);
    return projected;
}

static int other_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = (u[2] * u[2] + u[3] * u[3]) / 2 + 9.81 * u[1];
    return 0;
}

/* The kernel projects onto its own rows, all of them, by their smallest change. */
static void other_rows_are_projected_as_ever(void **state) {
    (void)state;
    struct trio p;
    trio_open(&p, models[0], "dop853", 0);
    keel_options o = {.method = "dop853"};
    assert_true(projections_of(&p.compiled, &o) > 5);
    o = (keel_options){.method = "dop853", .compensated = 1};
    assert_int_equal(projections_of(&p.compiled, &o), 0);
    o = (keel_options){.method = "dop853+adjust"};
    assert_int_equal(projections_of(&p.compiled, &o), 0);
    o = (keel_options){.method = "dop853", .norm = KEEL_UNIT};
    assert_int_equal(projections_of(&p.compiled, &o), 0);
    keel_problem changed = p.compiled;
    o = (keel_options){.method = "dop853"};
    changed.energy = (keel_map){.count = 1, .value = other_energy};
    assert_int_equal(projections_of(&changed, &o), 0);
    trio_close(&p);
}

/* A mechanism at a dead centre, where a constraint has no direction left: the same sentence at the same
 * place. */
static void trouble_is_told_as_ever(void **state) {
    (void)state;
    static const char text[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint cusp: y^2 - x^3 = 0\n"
                               "init x = 1, y = 1, x' = -0.4, y' = -0.6\nrun 0 .. 1\n";
    struct trio p;
    trio_open(&p, text, "dop853", 0);
    keel_options o = {.method = "dop853", .rtol = 1e-8};
    keel_solver *a = keel_open(&p.called, &o), *b = keel_open(&p.compiled, &o);
    keel_status status = keel_run(a, 10);
    assert_true(status < 0);
    assert_int_equal(keel_run(b, 10), status);
    same_sight(a, b, 4);
    assert_true(accelerated > 20);
    keel_close(a);
    keel_close(b);
    trio_close(&p);
}

static long called;

static double inverse(double x) {
    called++;
    return 1 / x;
}

/* The last value serves as long as the argument has the same bits: 1 / -0 is not 1 / 0, and at first there is
 * none of any argument. */
static void functions_are_called_once_for_an_argument(void **state) {
    (void)state;
    static const double at[] = {0, 0, -0.0, -0.0, 0, 3, 3, 3};
    struct mechanism_call call;
    mechanism_forget(&call, 1);
    called = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double value = mechanism_called(&call, at[i], inverse), own = 1 / at[i];
        assert_memory_equal(&value, &own, sizeof own);
    }
    assert_int_equal(called, 4);
    assert_true(isnan(mechanism_called(&call, NAN, inverse)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_gives_the_same_bits),
        cmocka_unit_test(taylor_too),
        cmocka_unit_test(whole_steps_give_the_same_bits),
        cmocka_unit_test(events_have_single_steps),
        cmocka_unit_test(saved_runs_go_on_with_the_same_bits),
        cmocka_unit_test(other_rows_are_projected_as_ever),
        cmocka_unit_test(functions_are_called_once_for_an_argument),
        cmocka_unit_test(trouble_is_told_as_ever),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("mechanism", tests, make_cache, drop_cache);
}
