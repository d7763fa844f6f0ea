/* test_stages.c - a model compiled into an implicit Runge-Kutta method of fixed steps, free, watched or
 * projected, takes the same steps, to the last bit of states, certificate, counts and saved bytes, as one
 * that is called for every stage; and only while its iteration contracts. */
#include "cache.h"
#include "counted.h"

#include "methods/registry.h"

#include <unistd.h>

#define KEPLER                                                          \
    "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n" \
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\ninit q = (0.9, 0), p = (0, 1.1)\nrun 0 .. 1\n"
#define BODY                                                                       \
    "param I[1..3] = (2, 1, 2/3), a = 1.1\nvar u[1..3]\n"                          \
    "let w[1] = u[1]/I[1], w[2] = u[2]/I[2], w[3] = u[3]/I[3]\nu' = cross(u, w)\n" \
    "invariant H = dot(u, w)/2\ninvariant C = dot(u, u)\ninit u = (cos(a), 0, sin(a))\nrun 0 .. 1\n"
#define PUSHED "var x, v, z\nx' = v\nv' = -x - x^3 + sin(t)\nz' = 0*x\ninit x = 1, v = 0, z = 0\nrun 0 .. 1\n"
#define SWINGS "var x, v\nx' = w*v\nv' = -w*(x - cos(t))\ninit x = 0, v = 0\nrun 0 .. 1\n"

static const char *const treatments[] = {"none", "watch", "project"};

static void every_method_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const texts[] = {KEPLER, BODY};
    struct implicit_loop loop;
    const keel_stepper *s;
    int methods = 0;
    for (int i = 0; (s = registry_at(i)); i++) {
        struct pair p;
        if (!registry_implicit(s, &loop)) continue;
        pair_open(&p, texts[methods++ % 2], s->info.name);
        for (int k = 0; k < 3; k++) {
            same_run(&p, s->info.name, treatments[k], 0.0077);
            assert_true(in_kernel > 2000 && (k == 0 || at_once > 50));
        }
        pair_close(&p);
    }
    assert_true(methods >= 24);
}

/* Steps so long that a projection takes several iterations; nothing to keep, and f with t; a start at rest.
 */
static void long_steps_and_no_rows_too(void **state) {
    (void)state;
    static const char *const methods[] = {"gauss4", "gauss12", "radau7", "lobatto3a6"};
    for (int i = 0; i < 4; i++) {
        struct pair p;
        pair_open(&p, KEPLER, methods[i]);
        same_run(&p, methods[i], "project", 0.2);
        assert_true(in_kernel > 1000);
        pair_close(&p);
        pair_open(&p, PUSHED, methods[i]);
        same_run(&p, methods[i], "none", 0.05);
        assert_true(in_kernel > 2000);
        same_after_a_save(&p.called, &p.compiled,
                          &(keel_options){.method = pair_of(methods[i], "none"), .step = 0.05}, 3.21, 50);
        pair_close(&p);
        pair_open(&p, "var x, v\nx' = v\nv' = t - x\ninit x = 0, v = 0\nrun 0 .. 1\n", methods[i]);
        same_run(&p, methods[i], "none", 0.02);
        assert_true(in_kernel > 2000);
        pair_close(&p);
    }
}

/* Where the iteration does not contract, steps are Newton's; it may do so now and then. */
static void only_while_it_contracts(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, "param w = 60\n" SWINGS, "gauss6");
    same_run(&p, "gauss6", "none", 0.1);
    assert_int_equal(in_kernel, 0);
    pair_close(&p);
    pair_open(&p, "let w = 60*(1 + sin(t/20))\n" SWINGS, "gauss6");
    same_run(&p, "gauss6", "none", 0.05);
    assert_true(in_kernel > 200 && in_kernel < 4000);
    pair_close(&p);
}

static void trouble_is_told_as_ever(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, "canonical q, p\nhamiltonian p^2/2 - q^4\ninit q = 1, p = 1\nrun 0 .. 1\n", "gauss8");
    for (int i = 0; i < 3; i++) {
        keel_options o = {.method = pair_of("gauss8", treatments[i]), .step = 0.001};
        in_kernel = 0;
        assert_true(same_end(&p.called, &p.compiled, &o, 40) < 0);
        assert_true(in_kernel > 100);
    }
    keel_options limited = {.method = "gauss8", .step = 0.001, .max_steps = 100};
    assert_int_equal(same_end(&p.called, &p.compiled, &limited, 40), KEEL_ELIMIT);
    pair_close(&p);
}

static void nothing_else_takes_them(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, KEPLER, "gauss8");
    keel_options others[] = {{.method = "gauss8", .step = 0.01, .compensated = 1},
                             {.method = "gauss6", .step = 0.01},
                             {.method = "gauss8", .step = 0.01, .reversible = 1}};
    for (int i = 0; i < 3; i++) {
        in_kernel = 0;
        assert_true(same_end(&p.called, &p.compiled, &others[i], 5) >= 0);
        assert_int_equal(in_kernel, 0);
    }
    pair_close(&p);
    keel_model *m = read_model(KEPLER, "radau5", 0); /* steps by their error are Newton's */
    keel_problem stiff = problem_of(m);
    assert_true(!keel_extras_of(&stiff)->kernel || !keel_extras_of(&stiff)->kernel->kept);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_gives_the_same_bits), cmocka_unit_test(long_steps_and_no_rows_too),
        cmocka_unit_test(only_while_it_contracts),          cmocka_unit_test(trouble_is_told_as_ever),
        cmocka_unit_test(nothing_else_takes_them),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("stages", tests, make_cache, drop_cache);
}
