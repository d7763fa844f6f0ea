/* test_own_method.c - a method that a program brings along gives the bits of the same method here, is
 * controlled, and may fail. */
#include "testing.h"
#include "rotation.h"

#include <keel/method.h>

struct euler {
    double *spare; /* width: only to see that it is saved and copied */
};

static void euler_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o;
    struct euler *m = w->method;
    m->spare = keel_work_doubles(w, (size_t)w->width);
}

static keel_status euler_attempt(keel_work *w, keel_attempt *a) {
    struct euler *m = w->method;
    for (int i = 0; i < w->width; i++) m->spare[i] = a->dx[i] = a->h * a->f[i];
    return KEEL_OK;
}

/* Half the difference to the explicit trapezoidal rule. */
static keel_status euler_with_estimate(keel_work *w, keel_attempt *a) {
    struct euler *m = w->method;
    euler_attempt(w, a);
    for (int i = 0; i < w->width; i++) m->spare[i] = a->x[i] + a->dx[i];
    keel_status status = keel_rhs(w, a->t + a->h, m->spare, a->f_end);
    if (status != KEEL_OK) return status;
    a->f_end_known = 1;
    for (int i = 0; i < w->width && a->error[0]; i++) a->error[0][i] = 0.5 * a->h * (a->f_end[i] - a->f[i]);
    return KEEL_OK;
}

static const keel_stepper own_euler = {
    .info = {.name = "own", .about = "Euler", .reference = "Euler", .order = 1},
    .size = sizeof(struct euler),
    .layout = euler_layout,
    .attempt = euler_attempt};
static const keel_stepper own_adaptive = {
    .info = {.name = "own2", .about = "Euler", .reference = "Euler", .order = 1, .traits = KEEL_ADAPTIVE},
    .error_order = 2,
    .size = sizeof(struct euler),
    .layout = euler_layout,
    .attempt = euler_with_estimate};

static void an_own_method_gives_the_bits_of_the_same_method_here(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        keel_options own = {.own_method = &own_euler, .step = 1e-4}, ours = {.method = "euler", .step = 1e-4};
        keel_solver *a = keel_open(&p.keel, &own), *b = keel_open(&p.keel, &ours);
        assert_ok(a, keel_run(a, 5e-3));
        assert_ok(b, keel_run(b, 5e-3));
        keel_solver *equivalent = keel_fork(a);
        assert_ok(a, keel_run(a, 1e-2));
        assert_ok(b, keel_run(b, 1e-2));
        assert_ok(equivalent, keel_run(equivalent, 1e-2));
        assert_true(same_bits(a, b, p.keel.n + p.keel.m));
        assert_true(same_bits(a, equivalent, p.keel.n + p.keel.m));
        keel_close(a);
        keel_close(b);
        keel_close(equivalent);
    }
}

static void an_own_method_with_an_estimate_is_controlled_and_projected(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.own_method = &own_adaptive, .rtol = 1e-7});
    assert_ok(s, keel_run(s, 0.5));
    assert_below(error_to_exact(&p, s), 2e-2);
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

static keel_status lazy_attempt(keel_work *w, keel_attempt *a) {
    (void)w, (void)a;
    return KEEL_ENEWTON;
}

static keel_status reluctant_attempt(keel_work *w, keel_attempt *a) {
    if (a->h > 0.01) return KEEL_RETRY;
    return euler_with_estimate(w, a);
}

static void an_own_method_may_fail_or_ask_for_shorter_steps(void **state) {
    (void)state;
    keel_stepper lazy = own_adaptive, reluctant = own_adaptive;
    lazy.attempt = lazy_attempt;
    reluctant.attempt = reluctant_attempt;
    keel_solver *s = keel_open(&rotation, &(keel_options){.own_method = &lazy});
    assert_int_equal(keel_run(s, 1), KEEL_ENEWTON);
    expect_words(s, "own2 could not make a step from t = 0");
    keel_close(s);
    s = keel_open(&rotation, &(keel_options){.own_method = &reluctant, .rtol = 1e-2, .first_step = 1});
    assert_ok(s, keel_run(s, 1));
    assert_true(keel_statistics(s).steps >= 100);
    keel_close(s);
    s = keel_open(&rotation, &(keel_options){.own_method = &reluctant, .step = 0.1});
    assert_int_equal(keel_run(s, 1), KEEL_ENEWTON);
    expect_words(s, "own2 could not make a step|the step is fixed");
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_own_method_gives_the_bits_of_the_same_method_here),
        cmocka_unit_test(an_own_method_with_an_estimate_is_controlled_and_projected),
        cmocka_unit_test(an_own_method_may_fail_or_ask_for_shorter_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
