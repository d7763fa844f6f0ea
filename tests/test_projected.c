/* test_projected.c - a model compiled into its method together with the rows it keeps or watches, or with
 * error control alone, takes the same steps, to the last bit of states, certificate and counts, as one that
 * is called for each of them. */
#include "cache.h"
#include "testing.h"

#include "core/march.h"
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
static keel_march_kept *counted;
static long marched, repeated, chunks, refused;

static long count_steps(struct keel_projected *k, void *user) {
    long taken = counted(k, user);
    marched += taken;
    repeated += taken - k->once;
    chunks++;
    return taken;
}

static keel_model *opened(const char *text, const char *method) {
    keel_model_options o = {.method = method};
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

/* The problem without a kernel, and with one that counts. */
static void problems_of(const keel_model *m, keel_problem *called, keel_problem *fused, keel_fused *room) {
    keel_mode mode;
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    *called = *fused = *mode.problem;
    assert_non_null(called->fused);
    assert_non_null(called->fused->kept);
    *room = *called->fused;
    counted = room->kept;
    room->kept = count_steps;
    called->fused = NULL;
    fused->fused = room;
    marched = repeated = chunks = 0;
}

static void same_doubles(const double *a, const double *b, int n) {
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

/* What can be seen of a solver, alive or not. */
static void same_sight(keel_solver *a, keel_solver *b, int n) {
    keel_stats s = keel_statistics(a), t = keel_statistics(b);
    keel_kept row, other;
    assert_int_equal(keel_state_of(a), keel_state_of(b));
    assert_string_equal(keel_message(a), keel_message(b));
    assert_true(keel_time(a) == keel_time(b));
    same_doubles(keel_state(a), keel_state(b), n);
    assert_memory_equal(&s, &t, sizeof s);
    for (int i = 0; keel_kept_at(a, i, &row); i++) {
        assert_true(keel_kept_at(b, i, &other));
        assert_true(row.drift == other.drift && row.units == other.units && row.unit == other.unit &&
                    row.last == other.last && row.start == other.start);
    }
}

/* Everything a solver is. */
static void same_solver(keel_solver *a, keel_solver *b, int n) {
    size_t size = keel_save(a, NULL, 0);
    assert_int_equal(size, keel_save(b, NULL, 0));
    unsigned char *one = malloc(size), *other = malloc(size);
    keel_save(a, one, size);
    keel_save(b, other, size);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
    same_sight(a, b, n);
}

/* On the grid and off it, odd and even, short and long, once more back; with looks in between. */
static void same_run(const keel_problem *called, const keel_problem *fused, const keel_options *o) {
    static const double ends[] = {1, 3, 64.5, 66, 97, 131, 132, 1011.25, 2017.95, 2017.95 + 254, 2000, 17.5};
    keel_solver *a = keel_open(called, o), *b = keel_open(fused, o);
    double u[8], v[8];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double t = nextafter(ends[i] * o->step, HUGE_VAL); /* near enough to be on the grid */
        assert_ok(a, keel_run(a, t));
        assert_ok(b, keel_run(b, t));
        same_solver(a, b, called->n);
        double inside = t - (i >= 10 ? -0.3 : 0.3) * o->step;
        keel_status seen = keel_eval(a, inside, u);
        assert_int_equal(keel_eval(b, inside, v), seen);
        if (seen == KEEL_OK) same_doubles(u, v, called->n);
        if (i != 8) continue; /* where the one stands, the other goes on */
        assert_ok(a, keel_step(a, 1e3));
        assert_ok(b, keel_step(b, 1e3));
        same_solver(a, b, called->n);
    }
    keel_close(a);
    keel_close(b);
}

static long steps_marched(const keel_problem *p, const keel_options *o) {
    keel_solver *s = keel_open(p, o);
    marched = 0;
    assert_ok(s, keel_run(s, 5));
    keel_close(s);
    return marched;
}

/* By error, to many ends, forth and back. */
static void same_adaptive_run(const keel_problem *called, const keel_problem *fused, const keel_options *o) {
    static const double ends[] = {0.01, 3, 40, 41.5, 300, 280};
    keel_solver *a = keel_open(called, o), *b = keel_open(fused, o);
    marched = 0;
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
        double u[8], v[8], t = ends[j];
        assert_ok(a, keel_run(a, t));
        assert_ok(b, keel_run(b, t));
        same_solver(a, b, called->n);
        keel_status seen = keel_eval(a, t - (j < 5 ? 0.001 : -0.001), u);
        assert_int_equal(keel_eval(b, t - (j < 5 ? 0.001 : -0.001), v), seen);
        if (seen == KEEL_OK) same_doubles(u, v, called->n);
    }
    assert_true(marched > (keel_statistics(a).steps - 200) / 2);
    refused += keel_statistics(a).rejected;
    keel_close(a);
    keel_close(b);
}

/* Projected, free and watched; at loose and tight tolerances, with a longest step. */
static void adaptive_steps_too(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853"};
    static const keel_preserve all[] = {KEEL_PROJECT, KEEL_NONE, KEEL_WATCH};
    for (int i = 0; i < 6; i++) {
        keel_problem called, fused;
        keel_fused room;
        const char *method = methods[i % 2];
        keel_model *m = opened(i % 2 ? BODY : KEPLER, method);
        problems_of(m, &called, &fused, &room);
        refused = 0;
        for (int k = 0; k < 4; k++) {
            keel_options o = {.method = method,
                              .preserve = all[i / 2],
                              .rtol = (double[]){1e-4, 1e-6, 1e-9, 1e-11}[k],
                              .max_step = k == 1 ? 0.05 : 0};
            same_adaptive_run(&called, &fused, &o);
        }
        assert_true(refused > 0 || i % 2);
        keel_model_close(m);
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
    for (int i = 0; i < 2; i++) {
        keel_problem called, fused;
        keel_fused room;
        keel_model *m = opened(texts[i], "bs32");
        problems_of(m, &called, &fused, &room);
        keel_options o = {.method = "bs32", .preserve = KEEL_NONE, .rtol = 1e-5};
        same_adaptive_run(&called, &fused, &o);
        o.preserve = KEEL_WATCH;
        if (i == 0) same_adaptive_run(&called, &fused, &o);
        else assert_int_equal(steps_marched(&fused, &o), 0);
        o.preserve = KEEL_PROJECT;
        if (i == 1) assert_int_equal(steps_marched(&fused, &o), 0);
        keel_model_close(m);
    }
}

static void every_model_gives_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        keel_problem called, fused;
        keel_fused room;
        keel_model *m = opened(models[i].text, models[i].method);
        problems_of(m, &called, &fused, &room);
        keel_options o = {.method = models[i].method, .step = models[i].h};
        same_run(&called, &fused, &o);
        assert_true(marched > 3000);
        assert_true(repeated < marched / 32); /* one iteration is the rule */
        o.preserve = KEEL_WATCH;
        marched = 0;
        same_run(&called, &fused, &o);
        assert_true(marched > 3000);
        keel_model_close(m);
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
        keel_problem called, fused;
        keel_fused room;
        keel_model *m = opened(far[i].text, far[i].method);
        problems_of(m, &called, &fused, &room);
        for (int norm = 0; norm < 3; norm++) {
            const double weights[] = {1, 2, 0.5, 3};
            keel_options o = {.method = far[i].method,
                              .step = far[i].h,
                              .norm = (keel_norm[]){KEEL_BY_ERROR, KEEL_UNIT, KEEL_GIVEN}[norm],
                              .weights = norm == 2 ? weights : NULL};
            marched = repeated = 0;
            same_run(&called, &fused, &o);
            assert_true(marched > 3000);
            assert_true(repeated > 100);
        }
        keel_model_close(m);
    }
}

/* Saved, loaded and forked in the middle, from one kind to the other. */
static void a_saved_run_goes_on_either_way(void **state) {
    (void)state;
    keel_problem called, fused;
    keel_fused room;
    keel_model *m = opened(KEPLER, "dopri5");
    problems_of(m, &called, &fused, &room);
    keel_options o = {.method = "dopri5", .step = 0.01};
    keel_solver *a = keel_open(&fused, &o);
    assert_ok(a, keel_run(a, 3.345));
    size_t size = keel_save(a, NULL, 0);
    void *bytes = malloc(size);
    keel_save(a, bytes, size);
    keel_solver *all[] = {a, keel_load(&called, &o, bytes, size), keel_fork(a),
                          keel_load(&fused, &o, bytes, size)};
    for (int i = 0; i < 4; i++) assert_ok(all[i], keel_run(all[i], 20));
    for (int i = 1; i < 4; i++) same_solver(a, all[i], 4);
    for (int i = 0; i < 4; i++) keel_close(all[i]);
    free(bytes);
    keel_model_close(m);
}

static int other_value(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[3] - u[1] * u[2];
    return 0;
}

/* The kernel has its own rows and projects onto all of them: for anything else it is not used. */
static void other_rows_are_called(void **state) {
    (void)state;
    keel_problem called, fused;
    keel_fused room;
    keel_model *m = opened(KEPLER, "dopri5");
    problems_of(m, &called, &fused, &room);
    keel_options o = {.method = "dopri5", .step = 0.01};
    assert_true(steps_marched(&fused, &o) > 400);
    o = (keel_options){.method = "dopri5", .step = 0.01, .preserve = KEEL_ADJUST};
    assert_int_equal(steps_marched(&fused, &o), 0);
    o = (keel_options){.method = "dopri5", .step = 0.01, .preserve = KEEL_WATCH};
    assert_true(steps_marched(&fused, &o) > 400);
    o = (keel_options){.method = "dopri5", .step = 0.01, .keep = "momentum"};
    assert_int_equal(steps_marched(&fused, &o), 0);
    o = (keel_options){.method = "dopri5", .step = 0.01, .compensated = 1};
    assert_int_equal(steps_marched(&fused, &o), 0);
    o = (keel_options){.method = "dop853"};
    assert_int_equal(steps_marched(&fused, &o), 0);
    keel_problem changed = fused;
    o = (keel_options){.method = "dopri5", .step = 0.01};
    changed.invariant = (keel_map){.count = 1, .value = other_value};
    assert_int_equal(steps_marched(&changed, &o), 0);
    changed.invariant = (keel_map){0};
    assert_int_equal(steps_marched(&changed, &o), 0);
    keel_model_close(m);
}

/* The state explodes at t = 3. */
#define EXPLODES                                                                                             \
    "var x, y, z\nx' = y\ny' = -x\nz' = z^2\ninvariant r = x^2 + y^2\ninit x = 1, y = 0, z = 1/3\nrun 0 .. " \
    "1\n"

static void the_step_shrinks_as_ever(void **state) {
    (void)state;
    keel_problem called, fused;
    keel_fused room;
    keel_model *m = opened(EXPLODES, "bs32");
    problems_of(m, &called, &fused, &room);
    keel_options o = {.method = "bs32", .rtol = 1e-8};
    keel_solver *a = keel_open(&called, &o), *b = keel_open(&fused, &o);
    keel_status status = keel_run(a, 50);
    assert_int_equal(keel_run(b, 50), status);
    assert_int_equal(status, KEEL_ESTEP);
    assert_true(marched > 50);
    same_sight(a, b, 3);
    keel_close(a);
    keel_close(b);
    keel_model_close(m);
}

/* A row that is found to be false, and a state that explodes, after hundreds of steps: the same sentence, the
 * same state, the same counts. */
static void trouble_is_told_as_ever(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x, v\nx' = v\nv' = -x - (t/8)^12*v\ninvariant E = x^2 + v^2\ninit x = 1, v = 0\nrun 0 .. 1\n",
        EXPLODES};
    static const char *const methods[] = {"heun", "bs32"};
    for (int i = 0; i < 2; i++) {
        keel_problem called, fused;
        keel_fused room;
        keel_model *m = opened(texts[i], methods[i]);
        problems_of(m, &called, &fused, &room);
        keel_options o = {.method = methods[i], .step = 1. / 64};
        keel_solver *a = keel_open(&called, &o), *b = keel_open(&fused, &o);
        keel_status status = keel_run(a, 50);
        assert_int_equal(keel_run(b, 50), status);
        assert_true(status < 0);
        assert_true(marched > 50);
        same_sight(a, b, called.n);
        keel_close(a);
        keel_close(b);
        keel_model_close(m);
    }
}

static void limits_are_met_as_ever(void **state) {
    (void)state;
    keel_problem called, fused;
    keel_fused room;
    keel_model *m = opened(BODY, "dop853");
    problems_of(m, &called, &fused, &room);
    for (long most = 1; most < 1100; most = most * 3 / 2 + 1) {
        keel_options o = {.method = "dop853", .step = 0.01, .max_steps = most};
        keel_solver *a = keel_open(&called, &o), *b = keel_open(&fused, &o);
        assert_int_equal(keel_run(a, 20), KEEL_ELIMIT);
        assert_int_equal(keel_run(b, 20), KEEL_ELIMIT);
        same_solver(a, b, 3);
        keel_close(a);
        keel_close(b);
    }
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_gives_the_same_bits),
        cmocka_unit_test(long_steps_and_other_weights_too),
        cmocka_unit_test(adaptive_steps_too),
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
