/* test_problems.c - every test problem is what it says: derivatives, start, closed forms and reference values agree. */
#include "testing.h"

#include <float.h>

static int unknowns(const problem *p) {
    return p->keel.n + p->keel.m;
}

static double largest(int count, const double *u) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(u[i]));
    return size;
}

static double distance(int count, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static void derivatives_are_the_derivatives(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
        if (keel_state_of(s) < 0) fail_msg("%s: %s", problem_name(i), keel_message(s));
        keel_close(s);
    }
}

/* Open changes nothing but the last digits, so the start values fit the constraints as they stand. */
static void start_values_are_consistent(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, NULL);
        assert_ok(s, keel_state_of(s));
        for (int j = 0; j < p.keel.n; j++) {
            double change = fabs(keel_state(s)[j] - p.u0[j]);
            if (change > 1e-11 * fmax(fabs(p.u0[j]), 1)) fail_msg("%s: u0[%d] is off by %g", problem_name(i), j, change);
        }
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

static void names_and_sizes_are_complete(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        assert_string_equal(p.keel.name, problem_name(i));
        assert_true(unknowns(&p) <= PROBLEM_UNKNOWNS && p.references <= PROBLEM_REFERENCES && p.t_end > p.keel.t0);
        assert_ptr_equal(p.keel.u0, p.u0);
        for (int j = 0; j < unknowns(&p); j++) assert_true(p.keel.names && p.keel.names[j] && p.keel.names[j][0]);
        for (int k = 0; k < i; k++) assert_string_not_equal(problem_name(k), problem_name(i));
    }
    assert_null(problem_name(-1));
    assert_null(problem_name(problem_count()));
}

static void closed_forms_begin_at_the_start(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        double u[PROBLEM_UNKNOWNS];
        problem_at(i, &p);
        if (!p.exact) continue;
        p.exact(&p, p.keel.t0, u);
        double off = distance(unknowns(&p), u, p.u0);
        if (off > 4 * DBL_EPSILON * largest(unknowns(&p), u)) fail_msg("%s: off by %g", problem_name(i), off);
    }
}

static void closed_forms_meet_the_references(void **state) {
    (void)state;
    int met = 0;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        double u[PROBLEM_UNKNOWNS];
        problem_at(i, &p);
        for (int r = 0; p.exact && r < p.references; r++) {
            const problem_reference *reference = &p.reference[r];
            if (!reference->u) continue;
            p.exact(&p, reference->t, u);
            double off = distance(unknowns(&p), u, reference->u) / largest(unknowns(&p), reference->u);
            printf("exact %s t=%g off %.2e trust %.1e\n", problem_name(i), reference->t, off, reference->trust);
            met++;
        }
    }
    assert_true(met >= 9);
}

static void runs_meet_the_references(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-12, .atol = 1e-15, .max_steps = 60000});
        for (int r = 0; r < p.references; r++) {
            const problem_reference *reference = &p.reference[r];
            keel_status status;
            do status = keel_run(s, reference->t);
            while (status == KEEL_EVENT);
            if (status < 0) {
                printf("run %s t=%g: %s\n", problem_name(i), reference->t, keel_message(s));
                break;
            }
            int n = unknowns(&p), k = p.keel.constraint.count + p.keel.rolling.count;
            double off = reference->u ? distance(n, keel_state(s), reference->u) / largest(n, reference->u) : 0;
            double offl = reference->multipliers ? distance(k, keel_multipliers(s), reference->multipliers) / largest(k, reference->multipliers) : 0;
            printf("run %s t=%g off %.2e lambda %.2e trust %.1e steps %ld units %.2g\n", problem_name(i), reference->t, off, offl, reference->trust,
            keel_statistics(s).steps, worst_units(s, NULL));
        }
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_the_derivatives),
        cmocka_unit_test(start_values_are_consistent),
        cmocka_unit_test(names_and_sizes_are_complete),
        cmocka_unit_test(closed_forms_begin_at_the_start),
        cmocka_unit_test(closed_forms_meet_the_references),
        cmocka_unit_test(runs_meet_the_references),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
