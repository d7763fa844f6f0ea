/* test_kicks.c - a model compiled into a splitting method, free, watched or projected, takes the same steps,
 * to the last bit of states, certificate, counts and saved bytes, as one that is called for every kick and
 * drift; and only where H is a sum T(p) + V(q). */
#include "cache.h"
#include "counted.h"

#include "methods/registry.h"

#include <unistd.h>

#define KEPLER                                                          \
    "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n" \
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\ninit q = (0.9, 0), p = (0, 1.1)\nrun 0 .. 1\n"
#define PENDULUM                                                     \
    "param g = 9.81\ncanonical q, p\nhamiltonian p^2/2 - g*cos(q)\n" \
    "init q = 1, p = 0\nrun 0 .. 1\n"
/* V and T that depend on t: each half has its clock, and a Nystrom table takes another way. */
#define PUSHED                                                                   \
    "canonical q, p\nhamiltonian exp(0.1*sin(t))*p^2/2 + cosh(q) + q*sin(3*t)\n" \
    "init q = 1, p = 0.2\nrun 0 .. 1\n"
#define COUPLED "canonical q, p\nhamiltonian (1 + q^2)*p^2/2 + q^2/2\ninit q = 1, p = 0.2\nrun 0 .. 1\n"

static void every_splitting_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const texts[] = {KEPLER, PENDULUM, PUSHED};
    keel_splitting shape;
    const keel_stepper *s;
    int methods = 0;
    for (int i = 0; (s = registry_at(i)); i++) {
        const char *method = s->info.name;
        struct pair p;
        if (!registry_splitting(s, 2, &shape)) continue;
        int driven = strcmp(method, "mclachlan-atela4") == 0, text = driven ? 0 : methods % 3;
        methods++;
        pair_open(&p, texts[text], method);
        same_run(&p, method, "none", 0.0077);
        assert_true(in_kernel > 2000);
        for (int k = 0; k < 2 && text < 2; k++) { /* H(t) is no row */
            same_run(&p, method, k ? "project" : "watch", 0.0077);
            assert_true(in_kernel > 2000 && at_once > 50);
        }
        pair_close(&p);
    }
    assert_true(methods >= 13);
}

/* Steps so long that a projection takes several iterations, and a time that is less sure than a step's. */
static void long_steps_and_an_early_clock_too(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, KEPLER, "yoshida4");
    same_run(&p, "yoshida4", "project", 0.1);
    pair_close(&p);
    pair_open(&p, PUSHED, "verlet");
    p.called.t0 = p.compiled.t0 = -100;
    keel_options o = {.method = "verlet+none", .step = 0.1};
    in_kernel = 0;
    assert_int_equal(same_end(&p.called, &p.compiled, &o, 60), KEEL_OK);
    assert_true(in_kernel > 1500);
    same_after_a_save(&p.called, &p.compiled, &o, -43.21, 50);
    pair_close(&p);
}

/* Beyond its end at t = 0 a state is not finite: told as ever. */
static void trouble_is_told_as_ever(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, "canonical q, p\nhamiltonian p^2/2 - q^4\ninit q = 1, p = 1\nrun 0 .. 1\n", "verlet");
    static const char *const with[] = {"none", "watch", "project"};
    for (int i = 0; i < 3; i++) {
        keel_options o = {.method = pair_of("verlet", with[i]), .step = 0.001};
        in_kernel = 0;
        assert_true(same_end(&p.called, &p.compiled, &o, 40) < 0);
        assert_true(i == 0 || in_kernel > 0);
    }
    pair_close(&p);
}

static void only_sums_are_split(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, COUPLED, "blanes-moan4");
    same_run(&p, "blanes-moan4", "none", 0.01);
    assert_int_equal(in_kernel, 0);
    pair_close(&p);
    pair_open(&p, PUSHED, "verlet");
    p.kernel.method = "mclachlan-atela4";
    keel_options o = {.method = "verlet", .step = 0.01};
    in_kernel = 0;
    same_end(&p.called, &p.compiled, &o, 5); /* another method's */
    assert_int_equal(in_kernel, 0);
    pair_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_splitting_gives_the_same_bits),
        cmocka_unit_test(long_steps_and_an_early_clock_too),
        cmocka_unit_test(trouble_is_told_as_ever),
        cmocka_unit_test(only_sums_are_split),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("kicks", tests, make_cache, drop_cache);
}
