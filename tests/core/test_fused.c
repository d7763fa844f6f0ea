/* test_fused.c - a model compiled into its method takes the same steps to the last bit, wherever it is used,
 * and is not used where someone looks at single steps. */
#include "extras.h"
#include "stabilizers/stabilizers.h"
#include "cache.h"
#include "same.h"

#include "core/engine.h"
#include "lang_ode.h"

#include <unistd.h>

static const char *const models[] = {
    "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
    "init q = (0.4, 0), p = (0, 2)\nrun 0 .. 1\n",
    "param I[1..3] = (2, 1, 2/3), a = 1.1\nvar u[1..3]\n"
    "let w[1] = u[1]/I[1], w[2] = u[2]/I[2], w[3] = u[3]/I[3]\nu' = cross(u, w)\n"
    "init u = (cos(a), 0, sin(a))\nrun 0 .. 1\n",
    "var u, v\nhamiltonian I = log(u) - u + 2*log(v) - v\nstructure u, v: ((0, -u*v), (u*v, 0))\n"
    "init u = 2, v = 2\nrun 0 .. 1\n",
    "param N = 3\ncanonical q[1..N], p[1..N]\n"
    "hamiltonian dot(p, p)/2 + sum(i in 1..N, exp(q[i] - q[mod(i, N) + 1]))\n"
    "init q = (0.1, -0.4, 0), p = (0.5, -0.2, -0.3)\nrun 0 .. 1\n",
    "param w = 1.3e5\nvar x\nx' = -x + if(t < 5, sin(w*t), cos(w*t)^3)\ninit x = 0.25\nrun 0 .. 1\n",
};
enum { MODELS = sizeof models / sizeof *models };

/* A kernel that counts the steps it takes. */
static keel_kernel_fixed *counted;
static long in_kernel;

static long count_steps(double t, double base, double h, long first, long count, double *x, double *f,
                        void *user) {
    in_kernel += count;
    return counted(t, base, h, first, count, x, f, user);
}

static const keel_kernel *counting(const keel_kernel *fused, keel_kernel *copy) {
    counted = fused->fixed;
    in_kernel = 0;
    *copy = (keel_kernel){.method = fused->method, .fixed = count_steps};
    return copy;
}

/* On the grid and off it, odd and even, short and long, once more back; with looks in between. */
static void same_run(const keel_problem *plain, const keel_problem *fused, const char *method) {
    static const double ends[] = {1, 3, 4.25, 9.25, 10.25, 3011.25, 5017.95, 5017.95 + 2054, 3000, 17.5};
    double h = 0.0077;
    int seen = 0;
    keel_options o = {.method = method, .step = h};
    keel_solver *a = keel_open(plain, &o), *b = keel_open(fused, &o);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double t = nextafter(ends[i] * h, HUGE_VAL); /* near enough to be on the grid */
        assert_ok(a, keel_run(a, t));
        assert_ok(b, keel_run(b, t));
        same_solver(a, b, plain->n);
        for (int k = 0; k <= 4; k++) seen += same_sample(a, b, t - 0.23 * k * (i < 8 ? h : -h), plain->n);
        if (i == 6) { /* where the one stands, the other goes on */
            assert_ok(a, keel_step(a, 1e3));
            assert_ok(b, keel_step(b, 1e3));
            same_solver(a, b, plain->n);
        }
    }
    assert_true(seen >= 20);
    keel_close(a);
    keel_close(b);
}

static void every_method_and_model_gives_the_same_bits(void **state) {
    (void)state;
    int methods = 0;
    for (int m = 0; m < MODELS; m++) {
        struct ode o;
        const keel_stepper *s;
        ode_open(&o, models[m]);
        ode_compile(&o, m % 3);
        for (int i = 0; (s = ode_method(m % 3, i)); i++) {
            keel_kernel copy;
            keel_problem fused = ode_fused(&o, s->info.name);
            own_extras(&fused)->kernel = counting(keel_extras_of(&fused)->kernel, &copy);
            same_run(&o.compiled, &fused, s->info.name);
            assert_true(in_kernel > 9000);
            methods += m < 3;
            if (i == 0) same_run(&o.interpreted, &fused, s->info.name);
        }
        ode_close(&o);
    }
    assert_true(methods >= 9);
}

static void a_saved_run_goes_on_either_way(void **state) {
    (void)state;
    struct ode o;
    ode_open(&o, models[0]);
    ode_compile(&o, 0);
    keel_problem fused = ode_fused(&o, "rk4");
    same_after_a_save(&o.compiled, &fused, &(keel_options){.method = "rk4", .step = 0.01}, 12.345, 50);
    ode_close(&o);
}

static void look(keel_solver *s, void *user) {
    (void)s, (void)user;
}

static int height(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = (u[2] * u[2] + u[3] * u[3]) / 2 - 1 / sqrt(u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static long steps_by_kernel(const keel_problem *p, const keel_options *o) {
    keel_solver *s = keel_open(p, o);
    in_kernel = 0;
    assert_ok(s, keel_run(s, 5));
    keel_close(s);
    return in_kernel;
}

static void single_steps_are_taken_where_someone_looks(void **state) {
    (void)state;
    struct ode o;
    ode_open(&o, models[0]);
    ode_compile(&o, 0);
    keel_kernel copy;
    keel_problem p = ode_fused(&o, "rk4");
    own_extras(&p)->kernel = counting(keel_extras_of(&p)->kernel, &copy);
    keel_options plain = {.step = 0.01}, other;
    assert_true(steps_by_kernel(&p, &plain) > 400);
    other = (keel_options){.step = 0.01, .compensated = 1};
    assert_int_equal(steps_by_kernel(&p, &other), 0);
    other = (keel_options){.step = 0.01, .observe = look};
    assert_int_equal(steps_by_kernel(&p, &other), 0);
    other = (keel_options){.step = 0.01, .method = "heun"};
    assert_int_equal(steps_by_kernel(&p, &other), 0);
    other = (keel_options){.method = "dop853"};
    assert_int_equal(steps_by_kernel(&p, &other), 0);
    keel_stepper own = *registry_find("heun"); /* another method that bears the name */
    own.info.name = "rk4";
    other = (keel_options){.step = 0.01, .own_method = &own};
    assert_int_equal(steps_by_kernel(&p, &other), 0);
    keel_problem q = p;
    q.event = (keel_map){.count = 1, .value = height};
    q.event_kind = (const unsigned char[]){1};
    assert_int_equal(steps_by_kernel(&q, &plain), 0);
    q = p;
    q.invariant = (keel_map){.count = 1, .value = energy};
    assert_int_equal(steps_by_kernel(&q, &plain), 0);
    other = (keel_options){.step = 0.01, .method = "+watch"};
    assert_int_equal(steps_by_kernel(&q, &other), 0);
    other = (keel_options){.step = 0.01, .method = "+none"};
    assert_true(steps_by_kernel(&q, &other) > 400);
    keel_solver *s = keel_open(&p, &plain);
    in_kernel = 0;
    for (int i = 0; i < 20; i++) assert_ok(s, keel_step(s, 5));
    assert_int_equal(in_kernel, 0);
    keel_close(s);
    ode_close(&o);
}

/* x' = -x until something happens at t_bad: the rate returns `code`, or is `value`. */
struct trouble {
    double t_bad, value;
    int code;
};

static int troubled(double t, const double *u, double *out, void *user) {
    const struct trouble *trouble = user;
    int bad = t > trouble->t_bad;
    out[0] = bad && trouble->code == 0 ? trouble->value : -u[0];
    return bad ? trouble->code : 0;
}

static long troubled_kernel(double t, double base, double h, long first, long count, double *x, double *f,
                            void *user) {
    double k[16 * 4] = {0}, stage[4] = {0}, dx[4];
    in_kernel += count;
    return keel_rk_fixed(registry_table(registry_find("rk4")), 4, troubled, user, t, base, h, first, count, x,
                         f, k, stage, dx);
}

static void trouble_is_told_as_ever(void **state) {
    (void)state;
    static const struct trouble troubles[] = {{0, 0, 1},        {0, 0, -3},    {0, NAN, 0},
                                              {0, INFINITY, 0}, {0, 1e308, 0}, {0, -INFINITY, 0}};
    static const double steps[] = {0.2, 1.2, 2.7, 9, 1022.6, 1023.2, 1024, 1025.2, 2048.1, 3000.7};
    static const keel_kernel kernel = {.method = "rk4", .fixed = troubled_kernel};
    double h = 1. / 64, u0 = 1;
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++) {
            struct trouble trouble = troubles[i];
            trouble.t_bad = steps[j] * h;
            keel_problem p = {.n = 1, .u0 = &u0, .f = {.count = 1, .value = troubled}, .user = &trouble};
            keel_problem q = p;
            own_extras(&q)->kernel = &kernel;
            keel_options o = {.step = h};
            keel_solver *a = keel_open(&p, &o), *b = keel_open(&q, &o);
            in_kernel = 0;
            keel_status status = keel_run(a, 3333 * h);
            assert_int_equal(keel_run(b, 3333 * h), status);
            assert_int_equal(status, KEEL_EUSER);
            assert_true(in_kernel > 0 && in_kernel < (long)steps[j] + 2048); /* one failed chunk, not many */
            same_sight(a, b, 1);
            trouble.t_bad = HUGE_VAL;
            assert_ok(a, keel_restart(a, keel_time(a), NULL));
            assert_ok(b, keel_restart(b, keel_time(b), NULL));
            assert_ok(a, keel_run(a, 5000 * h));
            assert_ok(b, keel_run(b, 5000 * h));
            same_solver(a, b, 1);
            keel_close(a);
            keel_close(b);
        }
}

static void limits_are_met_as_ever(void **state) {
    (void)state;
    struct trouble none = {HUGE_VAL, 0, 0};
    static const keel_kernel kernel = {.method = "rk4", .fixed = troubled_kernel};
    double u0 = 1;
    keel_problem p = {.n = 1, .u0 = &u0, .f = {.count = 1, .value = troubled}, .user = &none}, q = p;
    own_extras(&q)->kernel = &kernel;
    for (long most = 1; most < 1100; most = most * 3 / 2 + 1) {
        keel_options o = {.step = 0.01, .max_steps = most};
        keel_solver *a = keel_open(&p, &o), *b = keel_open(&q, &o);
        assert_int_equal(keel_run(a, 20), KEEL_ELIMIT);
        assert_int_equal(keel_run(b, 20), KEEL_ELIMIT);
        same_solver(a, b, 1);
        assert_true(same_sample(a, b, keel_time(a) - 0.004, 1));
        keel_close(a);
        keel_close(b);
    }
    p.t0 = q.t0 = 9007199254740992.0 - 3000; /* the clock goes from 1 to 2 there */
    keel_options o = {.step = 1};
    same_end(&p, &q, &o, p.t0 + 6000);
}

static void expect_refusal(const keel_problem *p, const char *words) {
    keel_solver *s = keel_open(p, &(keel_options){.step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), words)) fail_msg("%s", keel_message(s));
    keel_close(s);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    struct trouble none = {HUGE_VAL, 0, 0};
    double u0 = 1;
    keel_kernel kernel = {.method = "rk4"};
    keel_problem p = {.n = 1, .u0 = &u0, .f = {.count = 1, .value = troubled}, .user = &none};
    own_extras(&p)->kernel = &kernel;
    expect_refusal(&p, "extras.kernel needs the name of a method and its steps");
    kernel = (keel_kernel){.fixed = troubled_kernel};
    expect_refusal(&p, "the name of a method");
    kernel.method = "rk4";
    p.mass = (keel_matrix){.value = troubled};
    expect_refusal(&p, "without a mass matrix");
}

/* Error norms that no method of the library has: data of the table, for core and kernel alike. */
static keel_kernel_steps *counted_kept;

static long count_kept(struct keel_kernel_state *k, void *user) {
    long taken = counted_kept(k, user);
    in_kernel += taken;
    return taken;
}

static long steps_with_norm(struct ode *o, keel_error_norm norm) {
    static const double second[4] = {1. / 8, -1. / 8, 0, 0};
    keel_rk table = *registry_table(registry_find("bs32"));
    keel_stepper own = *registry_find("bs32");
    char message[640];
    struct emit e;
    table.error[1] = second;
    table.norm = norm;
    own.table = &table;
    own.norm = &table.norm;
    emit_open(&e);
    e.kernels = EMIT_ADAPTIVE;
    assert_int_equal(emit_function(&e, "f", &o->tape), 0);
    struct emit_method method = {.rk = &table};
    assert_int_equal(emit_kernel(&e, "own", &o->tape, &method), 0);
    assert_int_equal(emit_kept(&e, "own", &o->tape, &method, 0, NULL), 0);
    if (compile_load(e.text, NULL, &o->unit, message, sizeof message) != COMPILE_READY)
        fail_msg("%s", message);
    emit_close(&e);
    counted_kept = compile_kept(&o->unit, "own");
    assert_null(compile_fixed(&o->unit, "own")); /* nobody asked for that one */
    keel_kernel kernel = {.method = "bs32", .kept = count_kept};
    keel_problem p[2] = {o->interpreted, o->interpreted};
    p[0].f.value = p[1].f.value = compile_function(&o->unit, "f");
    own_extras(&p[1])->kernel = &kernel;
    keel_options options = {.rtol = 1e-6};
    struct engine *by[2];
    in_kernel = 0;
    for (int i = 0; i < 2; i++) {
        by[i] = engine_open(NULL, &p[i], &options, &own, stabilizers_find("project"), 1, NULL);
        assert_int_equal(run_to(by[i], 3, 11, 0, 0), KEEL_OK);
        assert_int_equal(run_to(by[i], 11, 11, 0, 1), KEEL_OK);
    }
    assert_true(in_kernel > 100);
    long steps = by[0]->r->stats.steps;
    assert_int_equal(steps, by[1]->r->stats.steps);
    assert_int_equal(by[0]->r->stats.rejected, by[1]->r->stats.rejected);
    same_doubles(engine_state(by[0]), engine_state(by[1]), o->interpreted.n);
    for (int i = 0; i < 2; i++) engine_close(by[i]);
    compile_close(&o->unit);
    return steps;
}

static void an_error_norm_of_ones_own(void **state) {
    (void)state;
    struct ode o;
    ode_open(&o, models[0]);
    long first = steps_with_norm(&o, (keel_error_norm){KEEL_ERROR_FIRST, 0.1});
    long quotient = steps_with_norm(&o, (keel_error_norm){KEEL_ERROR_QUOTIENT, 0.01});
    long other = steps_with_norm(&o, (keel_error_norm){KEEL_ERROR_QUOTIENT, 1e-4});
    long larger = steps_with_norm(&o, (keel_error_norm){KEEL_ERROR_LARGER, 1e-4});
    assert_true(quotient < other && other < first && first < larger); /* they are not one */
    ode_close(&o);
}

/* A step that would become very long code is not written. */
static void long_models_are_left_alone(void **state) {
    (void)state;
    struct graph g;
    struct emit e;
    struct tape t;
    expr missing;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), sum = x;
    struct tape_input input = {x, TAPE_STATE, 0};
    for (int i = 0; i < 180; i++) sum = expr_make(&g, i % 2 ? EXPR_SIN : EXPR_COS, sum, 0, 0);
    assert_int_equal(tape_build(&t, &g, 1, &sum, 1, &input, &missing), 0);
    emit_open(&e);
    size_t before = e.length;
    struct emit_method many = {.rk = registry_table(registry_find("dop853"))};
    struct emit_method few = {.rk = registry_table(registry_find("rk4"))};
    assert_int_equal(emit_kernel(&e, "f", &t, &many), 1);
    assert_int_equal(e.length, before);
    assert_int_equal(emit_kernel(&e, "f", &t, &few), 0);
    assert_true(e.length > before);
    assert_int_equal(emit_kernel(&e, "a b", &t, &few), -1);
    emit_close(&e);
    tape_free(&t);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_and_model_gives_the_same_bits),
        cmocka_unit_test(a_saved_run_goes_on_either_way),
        cmocka_unit_test(single_steps_are_taken_where_someone_looks),
        cmocka_unit_test(trouble_is_told_as_ever),
        cmocka_unit_test(limits_are_met_as_ever),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_error_norm_of_ones_own),
        cmocka_unit_test(long_models_are_left_alone),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("fused", tests, make_cache, drop_cache);
}
