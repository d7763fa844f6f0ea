/* test_starve.c - the library without memory: whichever allocation fails, a call says KEEL_ENOMEM (or gives
 * NULL), or its result is the one it has with memory; and nothing leaks. */
#include "cache.h"
#include "starve/starve.h"

#include <keel/model.h>

#include <errno.h>

enum { RUNS = 400, MOST = 64 };

static const char *const model_name[] = {"lorenz", "kepler", "pendulum",  "rc",
                                         "bounce", "chain",  "slack_rod", "damped"};

/* What a model gave: how far it came, and numbers. */
struct result {
    keel_status status;
    int count;
    double value[MOST];
};

static void take(struct result *r, int count, const double *value) {
    for (int i = 0; i < count && r->count < MOST; i++) r->value[r->count++] = value[i];
}

/* Read, written as C, opened, run for a while, looked at. */
static struct result whole_way(const char *name, int interpret) {
    struct result r = {.status = KEEL_ENOMEM};
    char path[512];
    double values[MOST] = {0}, t0 = 0, t1 = 0;
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, name);
    keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = interpret});
    if (!m) return r;
    r.status = keel_model_status(m);
    char *text = keel_model_standalone(m, NULL);
    if (r.status == KEEL_OK && !text) r.status = errno == ENOMEM ? KEEL_ENOMEM : KEEL_EINVAL;
    if (text) take(&r, 1, &(double){(double)strlen(text)});
    free(text);
    keel_sim *s = r.status == KEEL_OK ? keel_sim_open(m, NULL) : NULL;
    if (r.status == KEEL_OK) r.status = s ? keel_state_of(keel_sim_solver(s)) : KEEL_ENOMEM;
    keel_model_span(m, &t0, &t1);
    for (int k = 1; k <= 4 && r.status == KEEL_OK; k++) {
        r.status = keel_sim_run(s, t0 + 0.01 * k * (t1 - t0));
        if (r.status == KEEL_OK) r.status = keel_sim_values(s, values);
        if (r.status == KEEL_OK) take(&r, keel_sim_columns(s) < MOST ? keel_sim_columns(s) : MOST, values);
    }
    keel_sim_close(s);
    keel_model_close(m);
    return r;
}

static void check_same(const struct result *r, const struct result *wanted, const char *name, long at) {
    if (r->status == KEEL_ENOMEM) return;
    if (r->status != wanted->status || r->count != wanted->count ||
        memcmp(r->value, wanted->value, (size_t)r->count * sizeof *r->value) != 0)
        fail_msg("%s, allocation %ld: %s, and the result is another one", name, at,
                 keel_status_name(r->status));
}

static void starve_model(const char *name, int interpret) {
    whole_way(name, interpret); /* what is compiled is in the cache from now on */
    starve_begin(0, STARVE_ONCE);
    struct result wanted = whole_way(name, interpret);
    long all = starve.count, apart = all / RUNS + 1;
    assert_true(wanted.status >= 0 && wanted.count > 1 && all > 100);
    for (long at = 1; at <= all; at += apart) {
        enum starve_mode mode = at / apart % 4 ? STARVE_ONCE : STARVE_ON;
        starve_begin(at, mode);
        struct result r = whole_way(name, interpret);
        starve_begin(0, STARVE_ONCE);
        check_same(&r, &wanted, name, at);
    }
}

static void test_models(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof model_name / sizeof *model_name; k++) starve_model(model_name[k], 1);
}

static void test_compiled_models(void **state) {
    (void)state;
    starve_model("kepler", 0);
    starve_model("bounce", 0);
}

/* Every method opens a problem, or refuses it, for the same reason as ever. */
static void test_methods(void **state) {
    (void)state;
    const keel_method *method;
    for (int k = 0; k < 3; k++) {
        char path[512];
        keel_mode mode = {0};
        snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, model_name[1 + k]);
        keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
        assert_true(keel_model_mode(m, keel_model_start(m), &mode));
        for (int i = 0; (method = keel_method_at(i)); i++) {
            const keel_options o = {.method = method->name, .step = 0.01};
            starve_begin(0, STARVE_ONCE);
            keel_solver *s = keel_open(mode.problem, &o);
            keel_status wanted = keel_state_of(s);
            long all = starve.count;
            keel_close(s);
            for (long at = 1; at <= all; at++) {
                starve_begin(at, STARVE_ONCE);
                s = keel_open(mode.problem, &o);
                starve_begin(0, STARVE_ONCE);
                if (s && keel_state_of(s) != KEEL_ENOMEM && keel_state_of(s) != wanted)
                    fail_msg("%s on %s, allocation %ld: %s", method->name, path, at, keel_message(s));
                keel_close(s);
            }
        }
        keel_model_close(m);
    }
}

/* Its tapes have too many registers for the stack. */
static keel_model *read_large(void) {
    static const char text[] = "param n = 260\nvar x[1..n], v[1..n]\n"
                               "for i in 1..n: x[i]' = v[i]\nfor i in 1..n: v[i]' = -i/n*x[i]\n"
                               "invariant total = sum(i in 1..n, v[i]^2 + i/n*x[i]^2)\n"
                               "for i in 1..n: init x[i] = i^1.5, v[i] = 0\nrun 0 .. 10\n";
    keel_model *m = keel_model_read("large", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    return m;
}

/* A run of the model, or its problem opened alone; with the values at which the invariant is held. */
static struct result run_large(const keel_model *m, int alone) {
    struct result r = {.status = KEEL_ENOMEM};
    keel_mode mode = {0};
    keel_row row = {0};
    assert_true(keel_model_mode(m, 0, &mode));
    keel_sim *sim = alone ? NULL : keel_sim_open(m, NULL);
    keel_solver *s = alone ? keel_open(mode.problem, NULL) : keel_sim_solver(sim);
    if (s) r.status = keel_state_of(s);
    long before = starve.count;
    if (r.status == KEEL_OK && !alone) r.status = keel_sim_run(sim, 1);
    assert_int_equal(starve.count, before); /* nothing allocates in a step */
    if (r.status == KEEL_OK && keel_row_at(s, 0, &row)) take(&r, 1, &row.start);
    if (r.status == KEEL_OK) take(&r, MOST, keel_state(s));
    if (alone) keel_close(s);
    keel_sim_close(sim);
    return r;
}

static void test_large(void **state) {
    (void)state;
    keel_model *m = read_large();
    for (int alone = 0; alone < 2; alone++) {
        starve_begin(0, STARVE_ONCE);
        struct result wanted = run_large(m, alone);
        long all = starve.count;
        assert_true(wanted.status == KEEL_OK && wanted.count == MOST && all > (alone ? 30 : 4));
        for (long at = 1; at <= all; at++) {
            starve_begin(at, STARVE_ONCE);
            struct result r = run_large(m, alone);
            starve_begin(0, STARVE_ONCE);
            check_same(&r, &wanted, alone ? "the large problem" : "the large model", at);
        }
    }
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_compiled_models),
                                       cmocka_unit_test(test_methods), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
