/* test_change_over.c - a run that begins interpreted while the compiler works, and goes on in machine code,
 * has the bits of one that was interpreted from end to end. */
#include "testing.h"
#include "cache.h"

#include <keel/model.h>

#include <sys/stat.h>
#include <time.h>

static const struct example {
    const char *name, *method;
    double step, t_end;
} examples[] = {
    {"kepler", "dop853+project", 0, 20},    {"kepler", "rk4+project", 0.01, 20},
    {"kepler", "taylor+project", 0, 20},    {"pendulum", "dop853+project", 0, 4},
    {"pendulum", "taylor+project", 0, 4},   {"caraxis", "radau+project", 0, 0.5},
    {"transamp", "radau+project", 0, 0.02}, {"bounce", "dop853", 0, 3},
    {"stick_slip", "taylor", 0, 5},
};

static keel_model *load(const struct example *x, int interpret) {
    char path[300], method[40];
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, x->name);
    snprintf(method, sizeof method, "%.*s", (int)strcspn(x->method, "+"), x->method);
    keel_model_options o = {.method = method, .interpret = interpret, .compile_ahead = !interpret};
    keel_model *m = keel_model_load(path, &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static keel_sim *begin(const struct example *x, const keel_model *m) {
    return keel_sim_open(m, &(keel_options){.method = x->method, .step = x->step, .rtol = 1e-8});
}

static void go(const struct example *x, keel_sim *s, double t_end) {
    keel_status status;
    while ((status = keel_sim_run(s, t_end)) == KEEL_EVENT) {}
    if (status < 0) fail_msg("%s, %s: %s", x->name, x->method, keel_sim_message(s));
}

/* State, certificate and counts; saved bytes have the scratch of series, too, which is nobody's. */
static int same(keel_sim *a, keel_sim *b, int unknowns) {
    keel_solver *p = keel_sim_solver(a), *q = keel_sim_solver(b);
    keel_stats one = keel_statistics(p), other = keel_statistics(q);
    keel_row row, like;
    int equal = keel_time(p) == keel_time(q) && memcmp(&one, &other, sizeof one) == 0 &&
                memcmp(keel_state(p), keel_state(q), (size_t)unknowns * sizeof(double)) == 0;
    for (int i = 0; keel_row_at(p, i, &row); i++)
        equal &= keel_row_at(q, i, &like) && row.drift == like.drift && row.units == like.units;
    return equal;
}

static void the_bits_do_not_change(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *x = &examples[i];
        double when = (double)(i % 3) / 4; /* of the run; 0: before it */
        assert_int_equal(drop_cache(NULL), 0);
        assert_int_equal(mkdir(cache, 0700), 0);
        keel_model *slow = load(x, 1), *m = load(x, 0);
        const char *why;
        assert_int_equal(keel_model_compiled(m, &why), 0);
        assert_non_null(strstr(why, "at work"));
        keel_sim *ahead = begin(x, m), *plain = begin(x, slow);
        if (when > 0) go(x, ahead, when * x->t_end), go(x, plain, when * x->t_end);
        assert_int_equal(keel_model_compile(m, 1), 1);
        if (!keel_model_compiled(m, &why)) fail_msg("%s is not compiled: %s", x->name, why);
        if (i % 2) keel_sim_compile(ahead);
        go(x, ahead, x->t_end), go(x, plain, x->t_end);
        keel_mode mode;
        assert_true(keel_model_mode(m, keel_sim_mode(ahead), &mode));
        if (!same(ahead, plain, mode.problem->n + mode.problem->m))
            fail_msg("%s, %s: the run that changed over at %g of it ends with other bits", x->name, x->method,
                     when);
        keel_sim_close(ahead), keel_sim_close(plain);
        keel_model_close(m), keel_model_close(slow);
    }
}

/* The kernel comes while the run goes on, and what is closed first ends its compiler. */
static void kernels_come_on_the_way(void **state) {
    (void)state;
    const struct example *x = &examples[1];
    assert_int_equal(drop_cache(NULL), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    keel_model *m = load(x, 0), *slow = load(x, 1);
    keel_sim *ahead = begin(x, m), *plain = begin(x, slow), *left = begin(x, m);
    assert_int_equal(keel_sim_compile_ahead(ahead), 0); /* the model's own functions come first */
    keel_model_compile(m, 1);
    assert_int_equal(keel_sim_compile_cached(ahead), 0); /* nobody has made one, and no compiler is asked */
    double t = 0;
    int found = 0;
    for (time_t late = time(NULL) + 60; !found && time(NULL) < late;) {
        found = keel_sim_compile_ahead(ahead);
        go(x, ahead, t += 0.1);
        go(x, plain, t);
    }
    assert_int_equal(found, 1);
    go(x, ahead, t + x->t_end), go(x, plain, t + x->t_end);
    assert_memory_equal(keel_state(keel_sim_solver(ahead)), keel_state(keel_sim_solver(plain)),
                        4 * sizeof(double));
    assert_int_equal(keel_sim_compile_cached(left), 1);
    assert_int_equal(keel_sim_compile_cached(left), 1);
    keel_sim *last = begin(x, m), *none = begin(x, slow);
    go(x, left, x->t_end), go(x, none, x->t_end);
    assert_int_equal(same(left, none, 4), 1);
    assert_int_equal(keel_sim_compile_ahead(last), 1); /* from the cache, at once */
    assert_int_equal(keel_sim_compile_cached(none), 0);
    assert_int_equal(keel_sim_compile_cached(NULL), 0);
    keel_sim_close(ahead), keel_sim_close(plain), keel_sim_close(left);
    keel_sim_close(last), keel_sim_close(none);
    keel_model_close(m), keel_model_close(slow);
}

/* A model that is closed while its compiler is at work leaves nothing behind. */
static void a_compiler_that_nobody_waits_for_is_ended(void **state) {
    (void)state;
    char command[600];
    assert_int_equal(drop_cache(NULL), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    keel_model *m = load(&examples[2], 0);
    keel_model_close(m);
    snprintf(command, sizeof command, "test -z \"$(ls -A '%s/keel')\"", cache);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bits_do_not_change),
                                       cmocka_unit_test(kernels_come_on_the_way),
                                       cmocka_unit_test(a_compiler_that_nobody_waits_for_is_ended)};
    return cmocka_run_group_tests_name("change over", tests, make_cache, drop_cache);
}
