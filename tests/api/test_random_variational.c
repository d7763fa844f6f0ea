/* test_random_variational.c - sensitivities of random problems that are written in C, against differences of
 * runs: ODE, mass matrices, DAE, mechanics with a constraint and one that follows from it, hamiltonians. */
#include "testing.h"

#include <keel/sensitivity.h>

enum { CASES = 10, MOST = 8, BY = 2, HALF = 3 };
enum { ODE, MASS, DAE, MECHANICS, REDUNDANT, HAMILTONIAN, KINDS };

/* r_i = sum a_ij x_j + b_ij x_j^2 + s_i sin x_i+1 + c_i p_0 + d_i p_1 x_i; the weights of a constraint; a
 * start. */
static struct numbers {
    int kind, n, m, constraints;
    double a[MOST][MOST], b[MOST][MOST], s[MOST], c[MOST], d[MOST], weight[HALF], start[MOST];
} z;

static double random_number(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void choose(int kind, unsigned seed) {
    z = (struct numbers){.kind = kind, .n = kind < MECHANICS ? 3 : 2 * HALF, .m = kind == DAE ? 2 : 0};
    z.constraints = kind < MECHANICS ? 0 : kind == REDUNDANT ? 2 : 1;
    seed = seed * 977 + (unsigned)kind;
    for (int i = 0; i < MOST; i++) {
        z.s[i] = random_number(&seed), z.c[i] = random_number(&seed), z.d[i] = random_number(&seed);
        z.start[i] = random_number(&seed);
        for (int j = 0; j < MOST; j++)
            z.a[i][j] = random_number(&seed), z.b[i][j] = 0.1 * random_number(&seed);
    }
    for (int i = 0; i < HALF; i++) z.weight[i] = 1.4 + random_number(&seed);
}

/* r_i, its slopes by x[count] and by p where they are asked for. */
static double row(int i, int count, const double *x, const double *p, double *by_x, double *by_p) {
    int k = (i + 1) % count, own = i % count;
    double r = z.s[i] * sin(x[k]) + z.c[i] * p[0] + z.d[i] * p[1] * x[own];
    for (int j = 0; j < count; j++) {
        r += z.a[i][j] * x[j] + z.b[i][j] * x[j] * x[j];
        if (by_x) by_x[j] = z.a[i][j] + 2 * z.b[i][j] * x[j];
    }
    if (by_x) by_x[k] += z.s[i] * cos(x[k]), by_x[own] += z.d[i] * p[1];
    if (by_p) by_p[0] = z.c[i], by_p[1] = z.d[i] * x[own];
    return r;
}

#define FUNCTION(name) static int name(double t, const double *x, double *out, void *user)
#define PARAMETERS          \
    const double *p = user; \
    (void)t, (void)p, (void)x

static int rates(void) {
    return z.kind < MECHANICS ? z.n : HALF;
}

FUNCTION(rate) {
    PARAMETERS;
    for (int i = 0; i < rates(); i++) out[i] = row(i, z.n + z.m, x, p, NULL, NULL);
    return 0;
}
FUNCTION(rate_jacobian) {
    PARAMETERS;
    for (int i = 0; i < rates(); i++) row(i, z.n + z.m, x, p, out + i * (z.n + z.m), NULL);
    return 0;
}
FUNCTION(rate_by_p) {
    PARAMETERS;
    for (int i = 0; i < rates(); i++) {
        double by[BY];
        row(i, z.n + z.m, x, p, NULL, by);
        for (int k = 0; k < BY; k++) out[k * rates() + i] = by[k];
    }
    return 0;
}

/* 3 y + y^3/5 = r(x). */
FUNCTION(equation) {
    PARAMETERS;
    for (int i = 0; i < z.m; i++)
        out[i] = 3 * x[z.n + i] + pow(x[z.n + i], 3) / 5 - row(z.n + i, z.n, x, p, NULL, NULL);
    return 0;
}
FUNCTION(equation_jacobian) {
    PARAMETERS;
    int all = z.n + z.m;
    memset(out, 0, (size_t)(z.m * all) * sizeof *out);
    for (int i = 0; i < z.m; i++) {
        row(z.n + i, z.n, x, p, out + i * all, NULL);
        for (int j = 0; j < z.n; j++) out[i * all + j] *= -1;
        out[i * all + z.n + i] = 3 + 0.6 * x[z.n + i] * x[z.n + i];
    }
    return 0;
}
FUNCTION(equation_by_p) {
    PARAMETERS;
    for (int i = 0; i < z.m; i++) {
        double by[BY];
        row(z.n + i, z.n, x, p, NULL, by);
        for (int k = 0; k < BY; k++) out[k * z.m + i] = -by[k];
    }
    return 0;
}

/* Masses of coordinates: p_0, 1.5, 2; of an ODE a lower triangle. */
static double mass_of(int i, const double *p) {
    return i ? 1 + 0.5 * i : p[0];
}
FUNCTION(mass) {
    PARAMETERS;
    int n = rates();
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int i = 0; i < n; i++) {
        out[i * n + i] = z.kind == MASS ? 2 + i : mass_of(i, p);
        if (z.kind == MASS && i) out[i * n + i - 1] = 0.3;
    }
    return 0;
}
FUNCTION(mass_by_p) {
    PARAMETERS;
    memset(out, 0, BY * HALF * HALF * sizeof *out);
    out[0] = 1;
    return 0;
}

/* sum w_i q_i^2 = p_1^2, and twice that. */
FUNCTION(constraint) {
    PARAMETERS;
    for (int k = 0; k < z.constraints; k++) {
        out[k] = -(k + 1) * p[1] * p[1];
        for (int i = 0; i < HALF; i++) out[k] += (k + 1) * z.weight[i] * x[i] * x[i];
    }
    return 0;
}
FUNCTION(constraint_jacobian) {
    PARAMETERS;
    for (int k = 0; k < z.constraints; k++)
        for (int i = 0; i < HALF; i++) out[k * HALF + i] = 2 * (k + 1) * z.weight[i] * x[i];
    return 0;
}
FUNCTION(constraint_hessian) {
    PARAMETERS;
    memset(out, 0, (size_t)(z.constraints * HALF * HALF) * sizeof *out);
    for (int k = 0; k < z.constraints; k++)
        for (int i = 0; i < HALF; i++) out[(k * HALF + i) * HALF + i] = 2 * (k + 1) * z.weight[i];
    return 0;
}
FUNCTION(constraint_by_p) {
    PARAMETERS;
    for (int k = 0; k < z.constraints; k++) out[k] = 0, out[z.constraints + k] = -2 * (k + 1) * p[1];
    return 0;
}

/* H = sum v_i^2/(2 m_i) + s_i p_1 q_i^2 + q_0 q_1 + c_0 sin q_2. */
FUNCTION(energy) {
    PARAMETERS;
    out[0] = x[0] * x[1] + z.c[0] * sin(x[2]);
    for (int i = 0; i < HALF; i++)
        out[0] += x[HALF + i] * x[HALF + i] / 2 / mass_of(i, p) + z.s[i] * p[1] * x[i] * x[i];
    return 0;
}
FUNCTION(gradient) {
    PARAMETERS;
    for (int i = 0; i < HALF; i++)
        out[i] = 2 * z.s[i] * p[1] * x[i], out[HALF + i] = x[HALF + i] / mass_of(i, p);
    out[0] += x[1], out[1] += x[0], out[2] += z.c[0] * cos(x[2]);
    return 0;
}
FUNCTION(energy_hessian) {
    PARAMETERS;
    memset(out, 0, (size_t)(z.n * z.n) * sizeof *out);
    for (int i = 0; i < HALF; i++) {
        out[i * z.n + i] = 2 * z.s[i] * p[1];
        out[(HALF + i) * (z.n + 1)] = 1 / mass_of(i, p);
    }
    out[1] = out[z.n] = 1;
    out[2 * z.n + 2] -= z.c[0] * sin(x[2]);
    return 0;
}
FUNCTION(energy_by_p) {
    PARAMETERS;
    out[0] = -x[HALF] * x[HALF] / 2 / p[0] / p[0], out[1] = 0;
    for (int i = 0; i < HALF; i++) out[1] += z.s[i] * x[i] * x[i];
    return 0;
}
FUNCTION(flow_by_p) { /* (H_p, -H_q) */
    PARAMETERS;
    memset(out, 0, (size_t)(BY * z.n) * sizeof *out);
    out[0] = -x[HALF] / p[0] / p[0];
    for (int i = 0; i < HALF; i++) out[z.n + HALF + i] = -2 * z.s[i] * x[i];
    return 0;
}

/* Consistent, and dependent on p: the last coordinate and its velocity follow from the constraint. */
static void start_of(const double *p, double *x) {
    double rest = p[1] * p[1], turn = 0, *v = x + HALF;
    int last = HALF - 1;
    for (int i = 0; i < z.n; i++) x[i] = z.start[i] * (i ? 1 : p[0]);
    for (int i = 0; i < z.m; i++) {
        double y = 0, r = row(z.n + i, z.n, x, p, NULL, NULL);
        for (int k = 0; k < 50; k++) y -= (3 * y + y * y * y / 5 - r) / (3 + 0.6 * y * y);
        x[z.n + i] = y;
    }
    for (int i = 0; i < last && z.constraints; i++) {
        double slow = z.kind == HAMILTONIAN ? mass_of(i, p) : 1;
        x[i] = 0.3 * z.start[i];
        rest -= z.weight[i] * x[i] * x[i];
        turn += z.weight[i] * x[i] * v[i] / slow;
    }
    if (!z.constraints) return;
    x[last] = sqrt(rest / z.weight[last]);
    v[last] = -turn / z.weight[last] / x[last] * (z.kind == HAMILTONIAN ? mass_of(last, p) : 1);
}

static keel_problem problem_of(double *p, double *start) {
    static const keel_form form[] = {KEEL_ODE,       KEEL_ODE,       KEEL_DAE,
                                     KEEL_MECHANICS, KEEL_MECHANICS, KEEL_HAMILTONIAN};
    keel_problem out = {.form = form[z.kind], .n = z.n, .m = z.m, .u0 = start, .user = p};
    start_of(p, start);
    if (z.kind != HAMILTONIAN) out.f = (keel_map){.count = rates(), .value = rate, .jacobian = rate_jacobian};
    if (z.kind == HAMILTONIAN) out.energy = (keel_map){.count = 1, .value = energy, .jacobian = gradient};
    if (z.kind == MASS || z.kind == MECHANICS || z.kind == REDUNDANT)
        out.mass = (keel_matrix){mass, .constant = 1};
    if (z.m) out.algebraic = (keel_map){.count = z.m, .value = equation, .jacobian = equation_jacobian};
    if (z.constraints)
        out.constraint =
            (keel_map){.count = z.constraints, .value = constraint, .jacobian = constraint_jacobian};
    return out;
}

static keel_parameters parameters_of(const double *p, const double *start_by_p) {
    keel_parameters by = {.count = BY, .value = p, .u0 = start_by_p, .f = rate_by_p};
    if (z.m) by.algebraic = equation_by_p;
    if (z.kind == HAMILTONIAN) by.f = flow_by_p, by.energy = energy_by_p, by.hessian = energy_hessian;
    if (z.kind == MECHANICS || z.kind == REDUNDANT) by.mass = mass_by_p;
    if (z.constraints) by.constraint = constraint_by_p, by.constraint_hessian = constraint_hessian;
    return by;
}

/* (4 D(h/2) - D(h))/3 of x by p_k, at the start or at the end of a run. */
static void differences(const double *p, int k, double to, double *out) {
    double h = 1e-3 * p[k], at[4] = {h, -h, h / 2, -h / 2}, end[4][MOST], start[MOST];
    for (int e = 0; e < 4; e++) {
        double q[BY] = {p[0], p[1]};
        q[k] += at[e];
        keel_problem one = problem_of(q, start);
        keel_solver *s = to > 0 ? keel_open(&one, &(keel_options){.rtol = 1e-12}) : NULL;
        if (s && keel_run(s, to) != KEEL_OK) fail_msg("kind %d: %s", z.kind, keel_message(s));
        memcpy(end[e], s ? keel_state(s) : start, sizeof start[0] * (size_t)(z.n + z.m));
        keel_close(s);
    }
    for (int i = 0; i < z.n + z.m; i++)
        out[i] = (4 * (end[2][i] - end[3][i]) / h - (end[0][i] - end[1][i]) / (2 * h)) / 3;
}

static void check_one(double *p) {
    double want[BY][MOST], start[MOST], start_by_p[BY * MOST], largest = 0, to = 0.8;
    int all = z.n + z.m;
    keel_row kept;
    for (int k = 0; k < BY; k++) {
        differences(p, k, to, want[k]);
        differences(p, k, 0, start_by_p + k * all);
        for (int i = 0; i < all; i++) largest = fmax(largest, fabs(want[k][i]));
    }
    keel_problem one = problem_of(p, start);
    keel_parameters by = parameters_of(p, start_by_p);
    keel_variational *v = keel_variational_open(&one, &by);
    if (!keel_variational_problem(v)) fail_msg("kind %d: %s", z.kind, keel_variational_message(v));
    keel_solver *s = keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-10});
    if (keel_run(s, to) != KEEL_OK) fail_msg("kind %d: %s", z.kind, keel_message(s));
    for (int k = 0; k < BY; k++)
        for (int i = 0; i < all; i++)
            assert_below(fabs(keel_state(s)[keel_variational_place(v, i, k)] - want[k][i]), 1e-6 * largest);
    for (int i = 0; keel_row_at(s, i, &kept); i++) assert_below(kept.units, 16);
    keel_close(s);
    keel_variational_close(v);
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= CASES; seed++)
        for (int kind = 0; kind < KINDS; kind++) {
            choose(kind, seed);
            double p[BY] = {1.2 + 0.4 * z.start[0], 1.6 + 0.4 * z.start[1]};
            check_one(p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
