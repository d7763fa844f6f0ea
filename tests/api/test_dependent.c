/* test_dependent.c - sensitivities of mechanics written in C whose constraints follow from each other:
 * against differences of runs of the problem itself, through a place where the rows of the start are
 * dependent; least multipliers; what has no derivative.
 *
 * A bead swings on the circle x^2 + y^2 = l^2, z = 0, by three constraints a, b, c of which any two would do
 * but for x = 0, where a and b agree. */
#include "testing.h"

#include <keel/diagnostics.h>
#include <keel/sensitivity.h>

#include <math.h>
#include <string.h>

enum { L, GRAVITY, SIDEWAYS, COUNT, ROWS = 3, Q = 3, N = 6 };

struct bead {
    double p[COUNT];
    double apart; /* how much longer the circle of c is by l: they contradict each other for any other l */
};

/* Row i is rho + s_i z, rho = x^2 + y^2 - l^2. */
static void slants(const double *x, double *s) {
    s[0] = x[0], s[1] = -x[0], s[2] = 2 + x[1];
}

static int rows(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    double s[ROWS], rho = x[0] * x[0] + x[1] * x[1] - b->p[L] * b->p[L];
    (void)t;
    slants(x, s);
    for (int i = 0; i < ROWS; i++) out[i] = rho + s[i] * x[2];
    return 0;
}

static int rows_by_q(double t, const double *x, double *out, void *user) {
    static const double by_x[] = {1, -1, 0}, by_y[] = {0, 0, 1};
    double s[ROWS];
    (void)t, (void)user;
    slants(x, s);
    for (int i = 0; i < ROWS; i++) {
        out[i * Q] = 2 * x[0] + by_x[i] * x[2];
        out[i * Q + 1] = 2 * x[1] + by_y[i] * x[2];
        out[i * Q + 2] = s[i];
    }
    return 0;
}

static int rows_by_q_twice(double t, const double *x, double *out, void *user) {
    static const double by_x[] = {1, -1, 0}, by_y[] = {0, 0, 1};
    (void)t, (void)x, (void)user;
    memset(out, 0, ROWS * Q * Q * sizeof *out);
    for (int i = 0; i < ROWS; i++) {
        double *h = out + i * Q * Q;
        h[0] = h[Q + 1] = 2;
        h[2] = h[2 * Q] = by_x[i], h[Q + 2] = h[2 * Q + 1] = by_y[i];
    }
    return 0;
}

static int rows_by_p(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t, (void)x;
    memset(out, 0, COUNT * ROWS * sizeof *out);
    for (int i = 0; i < ROWS; i++) out[L * ROWS + i] = -2 * b->p[L] - (i == 2 ? b->apart : 0);
    return 0;
}

static int force(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t;
    out[0] = 0, out[1] = -b->p[GRAVITY], out[2] = b->p[SIDEWAYS] * (1 + x[0]);
    return 0;
}

static int force_by_x(double t, const double *x, double *out, void *user) {
    const struct bead *b = user;
    (void)t, (void)x;
    memset(out, 0, Q * N * sizeof *out);
    out[2 * N] = b->p[SIDEWAYS];
    return 0;
}

static int force_by_p(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    memset(out, 0, COUNT * Q * sizeof *out);
    out[GRAVITY * Q + 1] = -1, out[SIDEWAYS * Q + 2] = 1 + x[0];
    return 0;
}

static int inertia(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    memcpy(out, (double[]){2, 0, 0, 0, 2, 0, 0, 0, 0.5}, 9 * sizeof *out);
    return 0;
}

static const struct bead usual = {{1.2, 9.81, 3.1}, 0};

static void begin(const struct bead *b, double *x) {
    double angle = -0.3, l = b->p[L], speed = 0.4;
    memcpy(x, (double[]){l * cos(angle), l * sin(angle), 0, speed * sin(angle), -speed * cos(angle), 0},
           N * sizeof *x);
}

static keel_problem problem_of(struct bead *b, const double *start) {
    return (keel_problem){.form = KEEL_MECHANICS,
                          .n = N,
                          .u0 = start,
                          .f = {.count = Q, .value = force, .jacobian = force_by_x},
                          .mass = {inertia, .constant = 1},
                          .constraint = {.count = ROWS, .value = rows, .jacobian = rows_by_q},
                          .user = b};
}

static const double by_start[COUNT * N] = {0.95533648912560598, -0.29552020666133955}; /* of l: (cos, sin) */

static keel_parameters by_all(void) {
    return (keel_parameters){.count = COUNT,
                             .f = force_by_p,
                             .constraint = rows_by_p,
                             .constraint_hessian = rows_by_q_twice,
                             .u0 = by_start,
                             .value = usual.p};
}

/* State and multipliers of the problem itself. */
static void end_of(struct bead b, double t, double *out) {
    double start[N];
    begin(&b, start);
    keel_problem p = problem_of(&b, start);
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-13, .atol = 1e-15});
    if (keel_run(s, t) != KEEL_OK) fail_msg("%s", keel_message(s));
    memcpy(out, keel_state(s), N * sizeof *out);
    memcpy(out + N, keel_multipliers(s), ROWS * sizeof *out);
    keel_close(s);
}

static void differences(int k, double t, double *out) {
    static const double place[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
    double one[N + ROWS], h = 1e-3;
    memset(out, 0, (N + ROWS) * sizeof *out);
    for (int i = 0; i < 4; i++) {
        struct bead b = usual;
        b.p[k] += place[i] * h;
        end_of(b, t, one);
        for (int j = 0; j < N + ROWS; j++) out[j] += weight[i] * one[j] / (12 * h);
    }
}

static void sensitivities_pass_where_rows_of_the_start_agree(void **state) {
    (void)state;
    struct bead b = usual;
    double start[N], lambda[(1 + COUNT) * ROWS];
    int sides = 0;
    begin(&b, start);
    keel_problem p = problem_of(&b, start);
    keel_parameters by = by_all();
    keel_variational *v = keel_variational_open(&p, &by);
    assert_string_equal(keel_variational_message(v), "");
    keel_solver *s = keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-11, .atol = 1e-13});
    for (int leg = 1; leg <= 4; leg++) {
        double t = 0.45 * leg;
        if (keel_run(s, t) != KEEL_OK) fail_msg("%s", keel_message(s));
        sides |= keel_state(s)[0] > 0 ? 1 : 2;
        assert_int_equal(keel_variational_multipliers(v, t, keel_state(s), lambda), KEEL_OK);
        for (int k = 0; k < COUNT; k++) {
            double want[N + ROWS], size = 0;
            differences(k, t, want);
            for (int i = 0; i < N + ROWS; i++) size = fmax(size, fabs(want[i]));
            for (int i = 0; i < N + ROWS; i++) {
                double found =
                    i < N ? keel_state(s)[keel_variational_place(v, i, k)] : lambda[(1 + k) * ROWS + i - N];
                if (!(fabs(found - want[i]) <= 1e-7 * size))
                    fail_msg("t %g: by %d of %d: %.12g, by differences %.12g", t, k, i, found, want[i]);
            }
        }
    }
    assert_int_equal(sides, 3); /* through x = 0 */
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (row.treatment == KEEL_ROW_KEPT && row.units > 64) fail_msg("%s: %g units", row.name, row.units);
    keel_close(s);
    keel_variational_close(v);
}

static void contradictions_have_no_derivative(void **state) {
    (void)state;
    struct bead b = usual;
    double start[N];
    b.apart = 1;
    begin(&b, start);
    keel_problem p = problem_of(&b, start);
    keel_parameters by = by_all();
    keel_variational *v = keel_variational_open(&p, &by);
    assert_null(keel_variational_problem(v));
    assert_non_null(strstr(keel_variational_message(v), "contradict"));
    keel_variational_close(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_pass_where_rows_of_the_start_agree),
        cmocka_unit_test(contradictions_have_no_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
