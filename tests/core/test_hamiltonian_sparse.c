/* test_hamiltonian_sparse.c - large Hamiltonians with constraints: by patterns they have the runs that dense
 * matrices give them, and those of the same system as mechanics. */
#include "sparse_runs.h"

#include "linalg/sparse.h"

enum { TEXT = 4000, ENTRIES = 4000 };

/* A chain of rods whose masses are coupled and whose pivot moves; beads on curves; or spherical pendulums
 * that springs hold together. */
static const char chain[] =
    "param N = %d\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
    "let X[0] = 0.1*(1 - cos(2*t)), Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    init x[i] = i*cos(0.3), y[i] = -i*sin(0.3)\n"
    "    guess px[i] = 0, py[i] = 0\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)*(1 + x[i]^2/1000)/2 + 9.81*y[i])\n"
    "    + sum(i in 2..N, px[i]*px[i-1]/5)\nrun 0 .. 1\n";
static const char beads[] =
    "param N = %d\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
    "for i in 1..N:\n"
    "    constraint curve[i]: y[i] = sin(x[i]) + x[i]^2/N\n"
    "    init x[i] = i/N, px[i] = 1 - i/N\n"
    "    guess y[i] = sin(i/N), py[i] = 0\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 9.81*y[i]) + sum(i in 2..N, 3*(x[i] - x[i-1])^2)\n"
    "invariant energy\nrun 0 .. 1\n";
static const char lattice[] =
    "param N = %d\ncanonical q[1..N][1..3], p[1..N][1..3]\n"
    "for i in 1..N:\n"
    "    constraint ball[i]: q[i][1]^2 + q[i][2]^2 + q[i][3]^2 = 1\n"
    "    init q[i][1] = sin(0.1*i), q[i][2] = 0, p[i][2] = 0.3\n"
    "    guess q[i][3] = -1, p[i][1] = 0, p[i][3] = 0\n"
    "hamiltonian sum(i in 1..N, (p[i][1]^2 + p[i][2]^2 + p[i][3]^2)/2 + 9.81*q[i][3])\n"
    "    + sum(i in 2..N, 2*((q[i][1] - q[i-1][1])^2 + (q[i][2] - q[i-1][2])^2))\n"
    "invariant energy\nrun 0 .. 1\n";
static const char *const systems[] = {chain, beads, lattice};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static const keel_problem *read_count(const char *format, int count, keel_model **m) {
    char text[TEXT];
    snprintf(text, sizeof text, format, count);
    return read_text(text, m);
}

static keel_solver *run(const keel_problem *p, const keel_options *o, double t_end) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    if (keel_run(s, t_end) != KEEL_OK) fail_msg("%s", keel_message(s));
    return s;
}

/* The same problem without patterns: full rows. */
static const keel_problem *plain;

static int spread(const keel_map *map, int columns, double t, const double *u, double *out, void *user) {
    static double entries[ENTRIES];
    const keel_pattern *p = map->pattern;
    int code = map->jacobian(t, u, entries, user);
    assert_true(p->nnz <= ENTRIES);
    memset(out, 0, (size_t)map->count * (size_t)columns * sizeof *out);
    for (int i = 0; i < map->count; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[(long)i * columns + p->column[e]] = entries[e];
    return code;
}
static int full_constraints(double t, const double *u, double *out, void *user) {
    return spread(&plain->constraint, plain->n / 2, t, u, out, user);
}
static int full_velocities(double t, const double *u, double *out, void *user) {
    return spread(&plain->velocity, plain->n, t, u, out, user);
}

static keel_problem without_patterns(const keel_problem *p) {
    keel_problem full = *p;
    plain = p;
    full.constraint.jacobian = full_constraints;
    full.velocity.jacobian = full_velocities;
    full.constraint.pattern = full.velocity.pattern = NULL;
    return full;
}

static double apart(const keel_solver *a, const keel_solver *b, int n) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(keel_state(a)[j] - keel_state(b)[j]));
    return most;
}

struct attempt {
    const char *method;
    double step, end, most;
};

/* Nothing is projected: small ones are in one piece, large ones in order (test_hamiltonian_projected.c). */
static void runs_are_those_of_dense_matrices(void **state) {
    static const struct attempt tries[] = {
        {"dop853+watch", 0.02, 0.4, 1e-12},    {"rk4+watch", 0.02, 0.4, 1e-12},
        {"ab4+watch", 0.01, 0.2, 1e-12},       {"rattle", 0.02, 0.2, 1e-12},
        {"rattle4", 0.02, 0.2, 1e-12},         {"spark4", 0.02, 0.2, 1e-12},
        {"spark6", 0.05, 0.2, 1e-12},          {"gauss6+watch", 0.05, 0.4, 1e-12},
        {"radau5+watch", 0.05, 0.4, 1e-12},    {"lobatto3c6+watch", 0.05, 0.4, 1e-12},
        {"radau+watch", 0, 0.4, 1e-10},        {"bdf+watch", 0, 0.4, 1e-10},
        {"energy-momentum", 0.02, 0.2, 1e-10},
    };
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        const keel_problem *p = read_count(systems[system], 30, &m), full = without_patterns(p);
        for (int k = 0; k < (int)(sizeof tries / sizeof *tries); k++) {
            const keel_options o = {.method = tries[k].method, .step = tries[k].step};
            keel_solver *sparse = run(p, &o, tries[k].end), *dense = run(&full, &o, tries[k].end);
            assert_true(keel_save(sparse, NULL, 0) < keel_save(dense, NULL, 0));
            double most = apart(sparse, dense, p->n), size = 0;
            for (int j = 0; j < p->n; j++) size = fmax(size, fabs(keel_state(dense)[j]));
            if (!(most <= tries[k].most * size)) fail_msg("%s, system %d: %g apart", o.method, system, most);
            keel_stats of_sparse = keel_statistics(sparse), of_dense = keel_statistics(dense);
            assert_int_equal(of_sparse.steps, of_dense.steps);
            if (!strchr(o.method, '+')) assert_below(worst_units(sparse, NULL), 16);
            keel_close(sparse);
            keel_close(dense);
        }
        keel_model_close(m);
    }
}

/* The chain with equal masses, by momenta and by velocities. */
static const char by_momenta[] =
    "param N = %d\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    init x[i] = i, y[i] = 0, px[i] = 0, py[i] = 0\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/4 + 2*9.81*y[i])\ninvariant energy\nrun 0 .. 1\n";
static const char by_velocities[] =
    "param N = %d\ncoord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    init x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
    "lagrangian sum(i in 1..N, x[i]'^2 + y[i]'^2 - 2*9.81*y[i])\ninvariant energy\nrun 0 .. 1\n";

static void runs_are_those_of_mechanics(void **state) {
    static const struct attempt tries[] = {
        {"dop853", 0, 0.5, 1e-7}, {"rattle", 0.02, 0.3, 1e-9}, {"spark4", 0.02, 0.3, 1e-9}};
    enum { RODS = 60 };
    keel_model *a, *b;
    const keel_problem *h = read_count(by_momenta, RODS, &a), *l = read_count(by_velocities, RODS, &b);
    (void)state;
    for (int k = 0; k < (int)(sizeof tries / sizeof *tries); k++) {
        const keel_options o = {.method = tries[k].method, .step = tries[k].step, .rtol = k ? 0 : 1e-9};
        keel_solver *s = run(h, &o, tries[k].end), *t = run(l, &o, tries[k].end);
        double size = 0, most = 0;
        for (int j = 0; j < h->n; j++) {
            double other = keel_state(t)[j] * (j < h->n / 2 ? 1 : 2); /* p = 2 v */
            size = fmax(size, fabs(other));
            most = fmax(most, fabs(keel_state(s)[j] - other));
        }
        if (!(most <= tries[k].most * size)) fail_msg("%s: %g apart", o.method, most);
        const double *lambda = keel_multipliers(s), *mu = keel_multipliers(t);
        for (int i = 0; i < RODS && k == 0; i++)
            if (!(fabs(lambda[i] - mu[i]) <= 1e-4 * (1 + fabs(mu[i]))))
                fail_msg("rod %d is pulled by %g and by %g", i, lambda[i], mu[i]);
        keel_close(s);
        keel_close(t);
    }
    keel_model_close(a);
    keel_model_close(b);
}

/* One coordinate in all constraints: phi_p G^T is full, and the whole system is factored in its place. */
static const char cart[] =
    "param N = %d\ncanonical c, pc\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
    "for i in 1..N:\n"
    "    constraint rod[i]: (x[i] - c)^2 + y[i]^2 = 1\n"
    "    init x[i] = sin(0.05*i), px[i] = 0\n"
    "    guess y[i] = -1, py[i] = 0\n"
    "init c = 0, pc = 0\n"
    "hamiltonian pc^2/(2*N) + sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 9.81*y[i])\ninvariant energy\nrun 0 .. "
    "1\n";

static void a_coordinate_of_all_constraints_fills_nothing(void **state) {
    keel_model *m;
    const keel_problem *p = read_count(cart, 60, &m), full = without_patterns(p);
    (void)state;
    for (int k = 0; k < 2; k++) {
        const keel_options o = {.method = k ? "rattle" : "dop853", .step = 0.02};
        keel_solver *sparse = run(p, &o, 0.2), *dense = run(&full, &o, 0.2);
        assert_below(apart(sparse, dense, p->n), 1e-10);
        assert_below(worst_units(sparse, NULL), 16);
        keel_close(sparse);
        keel_close(dense);
    }
    keel_model_close(m);
}

static int wrong_entry(double t, const double *u, double *out, void *user) {
    int code = plain->velocity.jacobian(t, u, out, user);
    out[7] += 1e-3;
    return code;
}

static void a_wrong_pattern_is_found(void **state) {
    static int column[ENTRIES];
    keel_model *m;
    const keel_options o = {.check_jacobians = 1};
    (void)state;
    plain = read_count(beads, 30, &m);
    const keel_pattern *right = plain->velocity.pattern;
    memcpy(column, right->column, (size_t)right->nnz * sizeof *column);
    column[right->row_start[4] - 1]++; /* the last of row 3: another bead's momentum */
    const keel_pattern wrong = {right->nnz, right->row_start, column};
    keel_problem p = *plain;
    keel_close(run(&p, &o, 0.01));
    for (int k = 0; k < 2; k++) {
        p = *plain;
        if (k) p.velocity.pattern = &wrong;
        else p.velocity.jacobian = wrong_entry;
        keel_solver *s = keel_open(&p, &o);
        if (!strstr(keel_message(s), "the jacobian of velocity is wrong")) fail_msg("%s", keel_message(s));
        keel_close(s);
    }
    keel_model_close(m);
}

static int wrong_rate(double t, const double *u, double *out, void *user) {
    int code = plain->f.value(t, u, out, user);
    out[plain->n - 1] += 0.1;
    return code;
}

/* f = (H_p, -H_q), whose jacobian implicit methods want: without one it is filled by differences, and what
 * the pattern lacks is told; so is a wrong one, and an f that is another one. */
static void the_rates_may_have_a_pattern_alone(void **state) {
    static const char *const words[] = {"the pattern of f lacks an entry", "the jacobian of f is wrong",
                                        "f is not B grad H"};
    static int column[ENTRIES];
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        const keel_options o = {.method = "radau", .check_jacobians = 1};
        keel_problem p = *(plain = read_count(systems[system], 30, &m));
        keel_solver *given = run(&p, &o, 0.4);
        p.f.jacobian = NULL;
        keel_solver *filled = run(&p, &o, 0.4);
        assert_below(apart(given, filled, p.n), 1e-8);
        assert_int_equal(keel_statistics(given).steps, keel_statistics(filled).steps);
        keel_close(given);
        keel_close(filled);
        const keel_pattern *right = plain->f.pattern, wrong = {right->nnz, right->row_start, column};
        memcpy(column, right->column, (size_t)right->nnz * sizeof *column);
        column[right->row_start[plain->n / 2 + 1] - 1]++; /* the last that pulls at the first coordinate */
        for (int k = 0; k < 3; k++) {
            p = *plain;
            if (k < 2) p.f.pattern = &wrong;
            if (k == 0) p.f.jacobian = NULL;
            if (k == 2) p.f.value = wrong_rate;
            keel_solver *s = keel_open(&p, &(keel_options){.method = "radau", .check_jacobians = k > 0});
            if (!strstr(keel_message(s), words[k])) fail_msg("system %d: %s", system, keel_message(s));
            keel_close(s);
        }
        keel_model_close(m);
    }
}

/* A bead off its curve, with all values fixed: the sentence and the nearest values of dense matrices. */
static void what_does_not_fit_is_told(void **state) {
    keel_model *m;
    const keel_problem *from = read_count(beads, 30, &m);
    unsigned char *fixed = malloc((size_t)from->n);
    double *u0 = malloc((size_t)from->n * sizeof *u0);
    (void)state;
    assert_non_null(fixed);
    assert_non_null(u0);
    keel_solver *start = keel_open(from, NULL);
    memcpy(u0, keel_state(start), (size_t)from->n * sizeof *u0);
    memset(fixed, 1, (size_t)from->n);
    keel_close(start);
    u0[33] += 0.1;
    keel_problem p = *from, full = without_patterns(from);
    p.u0 = full.u0 = u0;
    p.fixed = full.fixed = fixed;
    keel_solver *sparse = keel_open(&p, NULL), *dense = keel_open(&full, NULL);
    assert_int_equal(keel_state_of(sparse), KEEL_ESTART);
    if (!strstr(keel_message(sparse), "do not fit `curve[4]`")) fail_msg("%s", keel_message(sparse));
    assert_int_equal(keel_state_of(dense), KEEL_ESTART);
    assert_below(apart(sparse, dense, p.n), 1e-9);
    keel_close(sparse);
    keel_close(dense);
    free(u0);
    free(fixed);
    keel_model_close(m);
}

static void what_has_no_sparse_matrices_is_refused(void **state) {
    static const char *const without[] = {"gauss8+symmetric", "rk4+baumgarte"};
    keel_model *m;
    const keel_problem *p = read_count(beads, 450, &m);
    (void)state;
    for (int k = 0; k < (int)(sizeof without / sizeof *without); k++) {
        keel_solver *s = keel_open(p, &(keel_options){.method = without[k], .step = 0.01});
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        if (!strstr(keel_message(s), "too many for dense matrices")) fail_msg("%s", keel_message(s));
        keel_close(s);
    }
    static const char *const with[] = {"dop853+project", "rattle",          "spark4", "gauss8",
                                       "radau5",         "energy-momentum", "bdf"};
    for (int k = 0; k < (int)(sizeof with / sizeof *with); k++) {
        const keel_options o = {.method = with[k], .step = k < 6 ? 0.01 : 0};
        keel_solver *s = run(p, &o, 0.02);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
    keel_model_close(m);
}

static void same_bits(void **state) {
    static const char *const methods[] = {"dop853",          "rattle4", "spark4", "gauss6",
                                          "energy-momentum", "radau",   "bdf"};
    (void)state;
    for (int k = 0; k < 2 * (int)(sizeof methods / sizeof *methods); k++) {
        keel_model *m;
        const keel_problem *p = read_count(k % 2 ? cart : chain, 30, &m);
        const keel_options o = {.method = methods[k / 2], .step = k < 10 ? 0.01 : 0};
        keel_solver *a = run(p, &o, 0.05);
        goes_on_with_the_same_bits(a, p, &o, 0.1);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_those_of_dense_matrices),
        cmocka_unit_test(runs_are_those_of_mechanics),
        cmocka_unit_test(a_coordinate_of_all_constraints_fills_nothing),
        cmocka_unit_test(a_wrong_pattern_is_found),
        cmocka_unit_test(the_rates_may_have_a_pattern_alone),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(what_has_no_sparse_matrices_is_refused),
        cmocka_unit_test(same_bits),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
