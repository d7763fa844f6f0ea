/* test_bending.c - constraints of many coordinates: what their entries depend on is read from the text, found
 * out if it is wrong, and leaves matrices that grow as the number of coordinates does. */
#include "sparse_runs.h"

#include "linalg/sparse.h"

#include <keel/extras.h>

enum { TEXT = 2000 };

/* Beads between springs with one constraint of all of them. */
static const keel_problem *read_beads(int beads, const char *constraint, keel_model **m) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "param N = %d\ncoord x[1..N], y[1..N]\nconstraint all: %s\n"
             "for i in 1..N:\n    guess x[i] = i, y[i] = sin(i), x[i]' = cos(i), y[i]' = 0\n"
             "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\n"
             "    - sum(i in 2..N, 50*((x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2))\ninvariant energy\nrun 0 "
             ".. 1\n",
             beads, constraint);
    return read_text(text, m);
}

static const char centre[] = "sum(i in 1..N, x[i]) = 0",
                  inertia[] = "sum(i in 1..N, x[i]^2 + y[i]^2) = N^3/3",
                  area[] = "sum(i in 2..N, x[i]*y[i-1] - x[i-1]*y[i]) = N",
                  circle[] = "sum(i in 1..N, x[i])^2 + sum(i in 1..N, y[i])^2 = N^4/4";

static void entries_show_what_they_depend_on(void **state) {
    static const struct {
        const char *constraint;
        int beads, entries; /* -1: there is no pattern, rows are short or all depends on all */
    } cases[] = {{centre, 40, 0}, {inertia, 40, 80}, {area, 40, 156}, {circle, 80, -1}, {centre, 20, -1}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        keel_model *m;
        const keel_problem *p = read_beads(cases[k].beads, cases[k].constraint, &m);
        const keel_pattern *bend = p->extras->constraint_bend;
        assert_int_equal(bend ? bend->nnz : -1, cases[k].entries);
        keel_model_close(m);
    }
}

/* What a copy of a solver takes: J lies in it. */
static double saved_bytes(int beads, const char *constraint, const char *method, double step) {
    keel_model *m;
    const keel_problem *p = read_beads(beads, constraint, &m);
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = step});
    if (keel_run(s, 0.01) != KEEL_OK) fail_msg("%s: %s", method, keel_message(s));
    double bytes = (double)keel_save(s, NULL, 0);
    keel_close(s);
    keel_model_close(m);
    return bytes;
}

static void matrices_grow_as_the_coordinates_do(void **state) {
    static const struct {
        const char *method;
        double step;
    } tries[] = {{"radau", 0}, {"bdf", 0}, {"radau-ggl", 0}, {"radau-index3", 0}, {"energy-momentum", 0.005}};
    const char *const all[] = {centre, inertia, area};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            double small = saved_bytes(60, all[k], tries[i].method, tries[i].step),
                   large = saved_bytes(240, all[k], tries[i].method, tries[i].step);
            if (!(large < 4.1 * small))
                fail_msg("%s, %s: %g and %g bytes", tries[i].method, all[k], small, large);
        }
}

/* Another norm of corrections leaves the dense matrices. */
static void runs_are_those_of_dense_matrices(void **state) {
    static const char *const methods[] = {"radau5+none", "gauss4+none", "radau-ggl",      "radau-index3",
                                          "rattle",      "spark4",      "energy-momentum"};
    const char *const all[] = {centre, inertia, area};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 7; k++) {
            keel_model *m;
            const keel_problem *p = read_beads(40, all[i], &m);
            keel_solver *s[2];
            double apart = 0;
            for (int dense = 0; dense < 2; dense++) {
                s[dense] = keel_open(p, &(keel_options){.method = methods[k],
                                                        .step = 0.01,
                                                        .norm = dense ? KEEL_BY_ERROR : KEEL_BY_DEFAULT});
                if (keel_run(s[dense], 0.1) != KEEL_OK)
                    fail_msg("%s: %s", methods[k], keel_message(s[dense]));
            }
            for (int j = 0; j < p->n; j++)
                apart = fmax(apart, fabs(keel_state(s[0])[j] - keel_state(s[1])[j]));
            if (!(apart < 1e-11 * 40)) fail_msg("%s, %s: %g apart", methods[k], all[i], apart);
            assert_int_equal(keel_statistics(s[0]).steps, keel_statistics(s[1]).steps);
            for (int dense = 0; dense < 2; dense++) keel_close(s[dense]);
            keel_model_close(m);
        }
}

static void same_bits(void **state) {
    static const char *const methods[] = {"radau", "bdf", "radau-ggl"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_model *m;
        const keel_problem *p = read_beads(40, area, &m);
        const keel_options o = {.method = methods[k], .rtol = 1e-6};
        keel_solver *s = keel_open(p, &o);
        if (keel_run(s, 0.05) != KEEL_OK) fail_msg("%s", keel_message(s));
        goes_on_with_the_same_bits(s, p, &o, 0.1);
        keel_model_close(m);
    }
}

/* A pattern that claims that a row is straight, or that lacks one entry, is found. */
static void a_wrong_pattern_is_told(void **state) {
    static const char *const methods[] = {"radau", "radau-ggl"};
    static int start[200], column[200];
    keel_model *m;
    (void)state;
    const keel_problem *p = read_beads(40, inertia, &m);
    const keel_pattern *right = p->extras->constraint_bend;
    keel_extras extras = *p->extras;
    keel_problem other = *p;
    other.extras = &extras;
    memcpy(start, right->row_start, (size_t)(p->constraint.pattern->nnz + 1) * sizeof *start);
    memcpy(column, right->column, (size_t)right->nnz * sizeof *column);
    keel_pattern wrong = {right->nnz, start, column};
    extras.constraint_bend = &wrong;
    for (int lacking = 0; lacking < 2; lacking++) {
        if (lacking) { /* of x[6] */
            for (int e = 6; e <= p->constraint.pattern->nnz; e++) start[e]--;
            memmove(column + 5, column + 6, (size_t)(wrong.nnz - 6) * sizeof *column);
            wrong.nnz--;
        }
        for (int k = 0; k < 2; k++) {
            keel_solver *s = keel_open(&other, &(keel_options){.method = methods[k], .check_jacobians = 1});
            keel_run(s, 0.01);
            if (lacking)
                expect_words(s,
                             "extras.constraint_bend lacks an entry|the derivative of `all` by `x[6]`|row 5");
            else if (keel_state_of(s) != KEEL_OK) fail_msg("%s", keel_message(s));
            keel_close(s);
        }
    }
    column[0] = 80;
    keel_solver *s = keel_open(&other, &(keel_options){.method = "radau"});
    expect_words(s, "the pattern of extras.constraint_bend has column 80");
    keel_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_show_what_they_depend_on),
        cmocka_unit_test(matrices_grow_as_the_coordinates_do),
        cmocka_unit_test(runs_are_those_of_dense_matrices),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(a_wrong_pattern_is_told),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
