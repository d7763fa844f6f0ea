/* test_problems.c - every test problem is what it says: derivatives, start, closed forms and reference
 * values agree. */
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
            if (change > 1e-11 * fmax(fabs(p.u0[j]), 1))
                fail_msg("%s: u0[%d] is off by %g", problem_name(i), j, change);
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
        assert_true(unknowns(&p) <= PROBLEM_UNKNOWNS && p.references <= PROBLEM_REFERENCES &&
                    p.t_end > p.keel.t0);
        assert_ptr_equal(p.keel.u0, p.u0);
        for (int j = 0; j < unknowns(&p); j++)
            assert_true(p.keel.names && p.keel.names[j] && p.keel.names[j][0]);
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
            if (off > reference->trust) fail_msg("%s: off by %g at %g", problem_name(i), off, reference->t);
            met++;
        }
    }
    assert_true(met >= 9);
}

/* Relative to the largest value: states, then multipliers. */
static double miss(const problem *p, keel_solver *s, const problem_reference *reference) {
    int n = unknowns(p), k = p->keel.constraint.count + p->keel.rolling.count;
    double off = 0;
    if (reference->u) off = distance(n, keel_state(s), reference->u) / largest(n, reference->u);
    if (!reference->multipliers) return off;
    double size = fmax(largest(k, reference->multipliers), DBL_MIN);
    return fmax(off, distance(k, keel_multipliers(s), reference->multipliers) / size);
}

/* The mechanism of Andrews magnifies errors by 2000; Robertson's reaction gets too stiff for an explicit
 * method. */
static void runs_meet_the_references(void **state) {
    (void)state;
    int met = 0;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        keel_solver *s =
            keel_open(&p.keel, &(keel_options){.rtol = 1e-12, .atol = 1e-15, .max_steps = 30000});
        for (int r = 0; r < p.references; r++) {
            keel_status status = KEEL_EVENT;
            while (status == KEEL_EVENT) status = keel_run(s, p.reference[r].t);
            if (status == KEEL_ELIMIT && r > 0) break;
            assert_ok(s, status);
            double off = miss(&p, s, &p.reference[r]);
            if (off > 5e-9) fail_msg("%s: off by %g at %g", problem_name(i), off, p.reference[r].t);
            met++;
        }
        keel_close(s);
    }
    assert_true(met >= 50);
}

/* Steps until the problem is well under way; NULL if it cannot be opened. */
static keel_solver *under_way(const problem *p, const keel_options *o) {
    keel_solver *s = keel_open(&p->keel, o);
    assert_ok(s, keel_state_of(s));
    for (int k = 0; k < 30; k++) assert_ok(s, keel_step(s, p->t_end));
    return s;
}

/* The given curvature against the one by differences, seen in the multipliers at a state in motion.  1e-12
 * for all but the knife edge (1.2e-9): the path in time is as long as the angle takes to grow to its size,
 * which is many radians. */
static void curvatures_are_those_of_the_constraints(void **state) {
    (void)state;
    int seen = 0;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        if (!p.keel.curvature) continue;
        keel_solver *given = under_way(&p, NULL);
        double lambda[PROBLEM_UNKNOWNS], u[PROBLEM_UNKNOWNS], t = keel_time(given);
        int k = p.keel.constraint.count + p.keel.rolling.count;
        memcpy(lambda, keel_multipliers(given), (size_t)k * sizeof *lambda);
        memcpy(u, keel_state(given), (size_t)p.keel.n * sizeof *u);
        p.keel.curvature = NULL;
        keel_solver *found = keel_open(&p.keel, NULL);
        assert_ok(found, keel_restart(found, t, u));
        double off = distance(k, keel_multipliers(found), lambda) / fmax(largest(k, lambda), DBL_MIN);
        if (off > 2e-9) fail_msg("%s: multipliers off by %g", problem_name(i), off);
        seen++;
        keel_close(given);
        keel_close(found);
    }
    assert_true(seen >= 5);
}

/* partial d value / dt of one map by a fourth-order quotient. */
static void check_rate(const char *name, const problem *p, const keel_map *map, double t, const double *u) {
    double given[PROBLEM_UNKNOWNS], value[4][PROBLEM_UNKNOWNS], s = 1e-4;
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    if (!map->time_derivative) return;
    map->time_derivative(t, u, given, p->keel.user);
    for (int k = 0; k < 4; k++) map->value(t + at[k] * s, u, value[k], p->keel.user);
    for (int i = 0; i < map->count; i++) {
        double found = 0;
        for (int k = 0; k < 4; k++) found += weight[k] * value[k][i] / s;
        if (fabs(found - given[i]) > 1e-7 * (1 + fabs(found)))
            fail_msg("%s: the rate of row %d is %.10g, not %.10g", name, i, found, given[i]);
    }
}

/* Every map with its columns. */
static int maps_of(problem *p, keel_map *map[6], int columns[6]) {
    keel_problem *k = &p->keel;
    keel_map *const all[6] = {&k->f, &k->algebraic, &k->hidden, &k->energy, &k->constraint, &k->invariant};
    int wide = k->n + k->m, half = k->n / 2;
    const int wides[6] = {k->form == KEEL_MECHANICS ? k->n : wide, wide, k->n, k->n, half, k->n};
    memcpy(map, all, sizeof all);
    memcpy(columns, wides, sizeof wides);
    return 6;
}

static void rates_and_terms_belong_to_the_values(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        keel_map *map[6];
        int columns[6];
        problem_at(i, &p);
        keel_solver *s = under_way(&p, &(keel_options){.rtol = 1e-4});
        int count = maps_of(&p, map, columns);
        for (int k = 0; k < count; k++) {
            check_rate(problem_name(i), &p, map[k], keel_time(s), keel_state(s));
            if (!map[k]->terms) continue;
            double value[PROBLEM_UNKNOWNS], terms[PROBLEM_UNKNOWNS];
            map[k]->value(keel_time(s), keel_state(s), value, p.keel.user);
            map[k]->terms(keel_time(s), keel_state(s), terms, p.keel.user);
            for (int j = 0; j < map[k]->count; j++)
                if (!(terms[j] >= fabs(value[j]) * (1 - 4 * DBL_EPSILON)))
                    fail_msg("%s: the terms of row %d are %g, its value %g", problem_name(i), j, terms[j],
                             value[j]);
        }
        keel_close(s);
    }
}

/* A jacobian with one entry off by a hundredth. */
static struct {
    keel_fn *jacobian;
    int entry;
} sound;

static int spoilt(double t, const double *u, double *out, void *user) {
    int code = sound.jacobian(t, u, out, user);
    out[sound.entry] += 0.01 * fabs(out[sound.entry]) + (out[sound.entry] == 0 ? 0.01 : 0);
    return code;
}

static void choose_largest_entry(const problem *p, const keel_map *map, int columns) {
    double values[PROBLEM_UNKNOWNS * PROBLEM_UNKNOWNS];
    int entries = map->pattern ? map->pattern->nnz : map->count * columns;
    map->jacobian(p->keel.t0, p->u0, values, p->keel.user);
    sound.jacobian = map->jacobian;
    sound.entry = 0;
    for (int e = 1; e < entries; e++)
        if (fabs(values[e]) > fabs(values[sound.entry])) sound.entry = e;
}

static void wrong_derivatives_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++)
        for (int k = 0; k < 6; k++) {
            problem p;
            keel_map *map[6];
            int columns[6];
            problem_at(i, &p);
            maps_of(&p, map, columns);
            if (!map[k]->jacobian) continue;
            choose_largest_entry(&p, map[k], columns[k]);
            map[k]->jacobian = spoilt;
            keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
            if (keel_state_of(s) >= 0)
                fail_msg("%s: a wrong jacobian of map %d is taken", problem_name(i), k);
            assert_true(strlen(keel_message(s)) > 20);
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
        cmocka_unit_test(curvatures_are_those_of_the_constraints),
        cmocka_unit_test(rates_and_terms_belong_to_the_values),
        cmocka_unit_test(wrong_derivatives_are_refused),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
