/* test_bdf_variable.c - bdf: the order of each of its formulas, alone and projected, at the ends of steps and
 * between them; errors that follow the tolerance where it is stiff; one factorization for many steps; events,
 * switches and saved states. */
#include "model_run.h"

#include "methods/registry.h"

/* bdf with one order for equal steps. */
static keel_stepper of_order(int order) {
    static int orders[6];
    keel_stepper s = *registry_find("bdf");
    orders[order] = order;
    s.info.order = order;
    s.table = &orders[order];
    return s;
}

/* Largest error of an orbit at the ends of steps, and at `inside` of them. */
static double error_of_orbit(int order, const char *pair, int steps, double inside) {
    problem p;
    keel_stepper method = of_order(order);
    double worst = 0, end = 4;
    problem_kepler(&p, 0.2, 1.0);
    p.exact(&p, 0, p.u0);
    keel_solver *s =
        keel_open(&p.keel, &(keel_options){.method = pair, .own_method = &method, .step = end / steps});
    assert_ok(s, keel_state_of(s));
    for (int i = 0; i < steps; i++) {
        double u[PROBLEM_UNKNOWNS], exact[PROBLEM_UNKNOWNS], t = (i + inside) * end / steps;
        assert_ok(s, keel_step(s, end));
        if (i < order) continue; /* the start has an interpolant of its own */
        assert_ok(s, keel_eval(s, inside < 1 ? t : keel_time(s), u));
        p.exact(&p, inside < 1 ? t : keel_time(s), exact);
        for (int k = 0; k < p.keel.n; k++) worst = fmax(worst, fabs(u[k] - exact[k]));
    }
    keel_close(s);
    return worst;
}

static void every_formula_has_its_order(void **state) {
    (void)state;
    static const char *const pairs[] = {"+watch", "+project"};
    for (int order = 1; order <= 5; order++)
        for (int k = 0; k < 2; k++)
            for (int place = 0; place < 2; place++) {
                int steps = order == 1 ? 4000 : order == 2 ? 1000 : 400;
                double inside = place ? 0.4 : 1;
                double coarse = error_of_orbit(order, pairs[k], steps, inside);
                double fine = error_of_orbit(order, pairs[k], 2 * steps, inside), seen = log2(coarse / fine);
                if (!(fabs(seen - order) < 0.2))
                    fail_msg("order %d, %s, at %g of steps: %.2f is seen", order, pairs[k], inside, seen);
            }
}

/* The largest error at the references, in tolerances of what is asked for: rtol |u| + atol. */
static double stiff_error(void (*fill)(problem *), const char *method, double rtol) {
    problem p;
    fill(&p);
    double worst = 0;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method, .rtol = rtol, .atol = 1e-6 * rtol});
    assert_ok(s, keel_state_of(s));
    for (int k = 0; k < p.references; k++) {
        assert_ok(s, keel_run(s, p.reference[k].t));
        for (int i = 0; i < p.keel.n; i++) {
            double wanted = p.reference[k].u[i], error = fabs(keel_state(s)[i] - wanted);
            worst = fmax(worst, error / (rtol * fabs(wanted) + 1e-6 * rtol));
        }
    }
    keel_close(s);
    return worst;
}

static void stiff_errors_follow_the_tolerance(void **state) {
    (void)state;
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
        assert_below(stiff_error(problem_chemakzo, "bdf", rtol), 20);
        assert_below(stiff_error(problem_robertson, "bdf", rtol), 20);
        assert_below(stiff_error(problem_van_der_pol, "bdf", rtol), 20);
    }
}

static void factors_serve_many_steps(void **state) {
    (void)state;
    problem p;
    problem_van_der_pol(&p);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "bdf", .rtol = 1e-6});
    assert_ok(s, keel_run(s, 2));
    keel_stats seen = keel_statistics(s);
    assert_below((double)seen.factorizations, 0.2 * (double)seen.steps);
    assert_below((double)seen.calls, 2.5 * (double)seen.steps);
    assert_below((double)seen.rejected, 0.1 * (double)seen.steps);
    keel_close(s);
}

/* Saved at any step, in the middle of a stiff run: order, history and factors go on. */
static void a_saved_run_goes_on_with_the_same_bits(void **state) {
    (void)state;
    problem p;
    problem_robertson(&p);
    keel_options o = {.method = "bdf", .rtol = 1e-7, .atol = 1e-12};
    static unsigned char bytes[1 << 16];
    for (int at = 1; at < 200; at += 23) {
        keel_solver *s = keel_open(&p.keel, &o);
        for (int i = 0; i < at; i++) assert_ok(s, keel_step(s, 1e5));
        size_t size = keel_save(s, bytes, sizeof bytes);
        assert_within((double)size, 1, sizeof bytes);
        keel_solver *loaded = keel_load(&p.keel, &o, bytes, size), *fork = keel_fork(s);
        double u[PROBLEM_UNKNOWNS]; /* looks leave nothing behind */
        assert_ok(s, keel_eval(s, (keel_time(s) + keel_time_before(s)) / 2, u));
        assert_ok(s, keel_run(s, 1e5));
        assert_ok(loaded, keel_run(loaded, 1e5));
        assert_ok(fork, keel_run(fork, 1e5));
        assert_memory_equal(keel_state(s), keel_state(loaded), 3 * sizeof(double));
        assert_memory_equal(keel_state(s), keel_state(fork), 3 * sizeof(double));
        keel_close(s);
        keel_close(loaded);
        keel_close(fork);
    }
}

/* Events, jumps of the state, switches, changes of mode: each begins a history of its own. */
static void restarts_are_right(void **state) {
    (void)state;
    static const char *const name[] = {"bounce", "controller", "friction2", "slack_rod", "vanderpol"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        keel_model *m = model_example(name[k]);
        double from, to, value[2][40];
        keel_model_span(m, &from, &to);
        int columns = 0;
        for (int i = 0; i < 2; i++) {
            keel_sim *s =
                keel_sim_open(m, &(keel_options){.method = i ? "bdf" : "radau", .rtol = i ? 1e-7 : 1e-10});
            run_to(s, to);
            columns = keel_sim_columns(s);
            assert_int_equal(keel_sim_values(s, value[i]), KEEL_OK);
            keel_sim_close(s);
        }
        for (int i = 0; i < columns; i++)
            if (!(fabs(value[0][i] - value[1][i]) <= 1e-5 * fmax(1, fabs(value[0][i]))))
                fail_msg("%s: column %d is %.10g and %.10g", name[k], i, value[0][i], value[1][i]);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formula_has_its_order),
        cmocka_unit_test(stiff_errors_follow_the_tolerance),
        cmocka_unit_test(factors_serve_many_steps),
        cmocka_unit_test(a_saved_run_goes_on_with_the_same_bits),
        cmocka_unit_test(restarts_are_right),
    };
    return cmocka_run_group_tests_name("bdf of variable order", tests, NULL, NULL);
}
