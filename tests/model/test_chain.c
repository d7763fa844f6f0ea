/* test_chain.c - large mechanics: the sparse formulation against the dense one, and a chain of any length.
 *
 * Growth is told by counts and bytes, never by times. */
#include "testing.h"
#include "chain.h"
#include "problems.h"

#include "linalg/sparse.h"

#include <keel/model.h>

#include <stdlib.h>

enum { STEPS = 20 };

/* The chain with some rods said twice (every tenth, behind the others), a wrong entry, a bad mass, ... */
struct variant {
    problem_chain *chain;
    int twice, dense;
    double longer; /* by so much differs the second saying of a rod */
    double wrong;  /* is added to entry 4 of the jacobian */
    double drag;   /* on the first coordinate */
    double light;  /* is taken off the first mass */
    keel_problem keel;
    keel_pattern pattern;
    int *start, *column;
    double *entries;
};

static int value(double t, const double *q, double *out, void *user) {
    struct variant *v = user;
    int n = v->chain->links;
    v->chain->keel.constraint.value(t, q, out, v->chain);
    for (int i = 0; i < v->twice; i++) out[n + i] = out[10 * i] + v->longer;
    return 0;
}

static int jacobian(double t, const double *q, double *out, void *user) {
    struct variant *v = user;
    int n = v->chain->links, columns = 2 * n, *start = v->start;
    v->chain->keel.constraint.jacobian(t, q, v->entries, v->chain);
    for (int i = 0; i < v->twice; i++)
        memcpy(v->entries + start[n + i], v->entries + start[10 * i],
               (size_t)(start[n + i + 1] - start[n + i]) * sizeof *out);
    v->entries[4] += v->wrong;
    if (!v->dense) {
        memcpy(out, v->entries, (size_t)v->pattern.nnz * sizeof *out);
        return 0;
    }
    memset(out, 0, (size_t)(n + v->twice) * (size_t)columns * sizeof *out);
    for (int i = 0; i < n + v->twice; i++)
        for (int e = start[i]; e < start[i + 1]; e++) out[i * columns + v->column[e]] = v->entries[e];
    return 0;
}

static int terms(double t, const double *q, double *out, void *user) {
    struct variant *v = user;
    v->chain->keel.constraint.terms(t, q, out, v->chain);
    for (int i = 0; i < v->twice; i++) out[v->chain->links + i] = out[10 * i];
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    struct variant *v = user;
    v->chain->keel.curvature(t, u, out, v->chain);
    for (int i = 0; i < v->twice; i++) out[v->chain->links + i] = out[10 * i];
    return 0;
}

static int force(double t, const double *u, double *out, void *user) {
    struct variant *v = user;
    v->chain->keel.f.value(t, u, out, v->chain);
    out[0] -= v->drag * u[2 * v->chain->links];
    return 0;
}

static int mass(double t, const double *u, double *out, void *user) {
    struct variant *v = user;
    v->chain->keel.mass.value(t, u, out, v->chain);
    out[0] -= v->light;
    return 0;
}

#define PASS(name, map)                                                     \
    static int name(double t, const double *u, double *out, void *user) {   \
        const problem_chain *chain = ((struct variant *)user)->chain;       \
        return chain->keel.map(t, u, out, ((struct variant *)user)->chain); \
    }
PASS(energy_value, energy.value)
PASS(energy_gradient, energy.jacobian)
PASS(energy_terms, energy.terms)

static void open_variant(struct variant *v, int n, double bend, int twice) {
    *v = (struct variant){.chain = problem_chain_open(n, bend), .twice = twice ? n / 10 : 0};
    const keel_pattern *rods = &v->chain->rod_pattern;
    size_t rows = (size_t)n + (size_t)v->twice;
    v->start = calloc(rows + 1, sizeof *v->start);
    v->column = calloc(4 * rows, sizeof *v->column);
    v->entries = calloc(4 * rows, sizeof *v->entries);
    memcpy(v->start, rods->row_start, ((size_t)n + 1) * sizeof *v->start);
    memcpy(v->column, rods->column, (size_t)rods->nnz * sizeof *v->column);
    for (int i = 0; i < v->twice; i++) {
        int first = v->start[10 * i], count = v->start[10 * i + 1] - first;
        memcpy(v->column + v->start[n + i], v->column + first, (size_t)count * sizeof *v->column);
        v->start[n + i + 1] = v->start[n + i] + count;
    }
    v->pattern = (keel_pattern){v->start[rows], v->start, v->column};
    v->keel = v->chain->keel;
    v->keel.user = v;
    v->keel.f.value = force;
    v->keel.mass.value = mass;
    v->keel.curvature = curvature;
    v->keel.constraint = (keel_map){
        .count = (int)rows, .value = value, .jacobian = jacobian, .pattern = &v->pattern, .terms = terms};
    v->keel.energy =
        (keel_map){.count = 1, .value = energy_value, .jacobian = energy_gradient, .terms = energy_terms};
}

static void make_dense(struct variant *v) {
    v->dense = 1;
    v->keel.constraint.pattern = NULL;
}

static void close_variant(struct variant *v) {
    problem_chain_close(v->chain);
    free(v->start);
    free(v->column);
    free(v->entries);
}

/* The same motion, multipliers and forces on both formulations: also where euler leaves much to be corrected,
 * and where the error is split into its parts along the manifold and across it. */
static void sparse_is_dense(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step, rtol, t_end, agree;
    } way[] = {{"rk4", 1e-3, 0, 0.1, 1e-10}, {"euler", 1e-2, 0, 0.3, 1e-9}, {"bs32", 0, 1e-5, 0.3, 1e-5}};
    for (int w = 0; w < 3; w++) {
        enum { N = 40 };
        double x[2][4 * N], lambda[2][N + 4], forces[2][2 * N], largest = 0;
        keel_stats stats[2];
        for (int dense = 0; dense < 2; dense++) {
            struct variant v;
            open_variant(&v, N, 1, 1);
            if (dense) make_dense(&v);
            keel_options o = {.method = way[w].method, .step = way[w].step, .rtol = way[w].rtol};
            keel_solver *s = keel_open(&v.keel, &o);
            keel_status status = keel_run(s, way[w].t_end);
            if (status != KEEL_OK) fail_msg("%s", keel_message(s));
            assert_true(worst_units(s, NULL) <= 16);
            memcpy(x[dense], keel_state(s), sizeof x[0]);
            memcpy(lambda[dense], keel_multipliers(s), sizeof lambda[0]);
            memcpy(forces[dense], keel_forces(s), sizeof forces[0]);
            stats[dense] = keel_statistics(s);
            keel_close(s);
            close_variant(&v);
        }
        for (int i = 0; i < N + 4; i++) largest = fmax(largest, fabs(lambda[1][i]));
        for (int j = 0; j < 4 * N; j++)
            if (!(fabs(x[0][j] - x[1][j]) <= way[w].agree * N))
                fail_msg("%s: state %d is %.15g and %.15g", way[w].method, j, x[0][j], x[1][j]);
        for (int i = 0; i < N + 4; i++)
            assert_true(fabs(lambda[0][i] - lambda[1][i]) <= 1e3 * way[w].agree * largest);
        for (int j = 0; j < 2 * N; j++)
            assert_true(fabs(forces[0][j] - forces[1][j]) <= 1e3 * way[w].agree * largest);
        assert_int_equal(stats[0].steps, stats[1].steps);
        assert_int_equal(stats[0].rejected, stats[1].rejected);
    }
}

/* Every row within its units; evaluations a step and bytes a rod do not depend on the number of rods. */
static void growth_is_linear(void **state) {
    (void)state;
    static const int links[] = {10, 100, 1000};
    double bytes[3], calls[3], factorizations[3];
    for (int k = 0; k < 3; k++) {
        problem_chain *p = problem_chain_open(links[k], k == 2 ? 0 : 1); /* the longest is level */
        keel_solver *s = open_chain(&p->keel);
        keel_stats before = keel_statistics(s);
        keel_status status = keel_run(s, STEPS * h);
        if (status != KEEL_OK) fail_msg("%s", keel_message(s));
        keel_stats after = keel_statistics(s);
        if (!(worst_units(s, NULL) <= 16)) fail_msg("N = %d: %.3g units", links[k], worst_units(s, NULL));
        bytes[k] = (double)keel_save(s, NULL, 0) / links[k];
        calls[k] = (double)(after.calls - before.calls);
        factorizations[k] = (double)(after.factorizations - before.factorizations);
        keel_close(s);
        problem_chain_close(p);
    }
    assert_true(bytes[2] <= 1.05 * bytes[1]);
    for (int k = 0; k < 3; k++) {
        assert_true(calls[k] <= 2 * calls[0]);
        assert_true(factorizations[k] <= 3 * factorizations[0]);
    }
}

/* Save, load, fork and looks in between: the same bits. */
static void same_bits(void **state) {
    (void)state;
    enum { N = 80 };
    problem_chain *p = problem_chain_open(N, 1);
    keel_options o = {.method = "rk4", .step = h};
    keel_solver *s = open_chain(&p->keel);
    assert_int_equal(keel_run(s, 5 * h), KEEL_OK);
    size_t count = keel_save(s, NULL, 0);
    void *bytes = malloc(count);
    keel_save(s, bytes, count);
    keel_solver *loaded = keel_load(&p->keel, &o, bytes, count), *fork = keel_fork(s);
    keel_solver *way[] = {s, loaded, fork};
    double between[4 * N], lambda[3][N];
    for (int k = 0; k < 3; k++) { /* nothing is factored yet in those that were loaded and forked */
        memcpy(lambda[k], keel_multipliers(way[k]), sizeof lambda[k]);
        if (k) assert_memory_equal(lambda[0], lambda[k], sizeof lambda[0]);
    }
    for (int k = 0; k < 3; k++) {
        assert_int_equal(keel_run(way[k], 20 * h), KEEL_OK);
        if (k) assert_memory_equal(keel_state(s), keel_state(way[k]), 4 * N * sizeof(double));
        if (k == 0) assert_int_equal(keel_eval(s, 19.5 * h, between), KEEL_OK);
    }
    for (int k = 0; k < 3; k++) {
        assert_int_equal(keel_run(way[k], 40 * h), KEEL_OK);
        assert_memory_equal(keel_state(s), keel_state(way[k]), 4 * N * sizeof(double));
    }
    for (int k = 0; k < 3; k++) keel_close(way[k]);
    free(bytes);
    problem_chain_close(p);
}

/* A rod that is said twice is redundant, and both sayings carry half of it. */
static void redundant_rods_share(void **state) {
    (void)state;
    enum { N = 100 };
    struct variant v;
    open_variant(&v, N, 1, 1);
    keel_solver *s = open_chain(&v.keel);
    keel_row row;
    int redundant = 0;
    assert_int_equal(keel_run(s, STEPS * h), KEEL_OK);
    for (int i = 0; keel_row_at(s, i, &row) && row.kind == KEEL_ROW_CONSTRAINT; i++) {
        redundant += row.treatment == KEEL_ROW_REDUNDANT;
        if (row.treatment == KEEL_ROW_REDUNDANT) assert_true(row.units <= 16);
    }
    assert_int_equal(redundant, N / 10);
    const double *lambda = keel_multipliers(s);
    for (int i = 0; i < N / 10; i++)
        assert_true(fabs(lambda[10 * i] - lambda[N + i]) <= 1e-6 * fabs(lambda[10 * i]));
    assert_int_equal(keel_run(s, 2 * STEPS * h), KEEL_OK); /* asking did no harm */
    keel_close(s);
    close_variant(&v);
}

static void refused(const struct variant *v, const keel_options *o, keel_status status, const char *words) {
    keel_solver *s = keel_open(&v->keel, o);
    if (keel_state_of(s) != status || !strstr(keel_message(s), words))
        fail_msg("%s: %s", keel_status_name(keel_state_of(s)), keel_message(s));
    keel_close(s);
}

static void mistakes_are_told(void **state) {
    (void)state;
    const keel_options plain = {.method = "rk4", .step = h}, check = {.check_jacobians = 1};
    struct variant v;
    open_variant(&v, 100, 1, 1);
    v.longer = 0.1;
    refused(&v, &plain, KEEL_ESINGULAR, "contradicts other constraints");
    close_variant(&v);

    open_variant(&v, 100, 1, 0);
    v.wrong = 0.1;
    refused(&v, &check, KEEL_EINVAL, "the jacobian of constraint is wrong: d constraint[1] / d u[100]");
    v.wrong = 0;
    v.column[5] = 102; /* and the pattern leaves out what it should have */
    refused(&v, &check, KEEL_EINVAL, "the jacobian of constraint is wrong: d constraint[1] / d u[10");
    close_variant(&v);

    open_variant(&v, 100, 1, 0);
    v.drag = 1;
    refused(&v, &plain, KEEL_EINVAL, "`energy` is not conserved");
    v.drag = 0;
    v.light = 1.5;
    refused(&v, &plain, KEEL_ESINGULAR, "the mass matrix is not positive definite");
    v.light = 0;
    v.chain->u0[3] += 0.1;
    refused(&v, &plain, KEEL_ESTART, "nearest consistent values: u[");
    close_variant(&v);

    open_variant(&v, 500, 1, 0);
    refused(&v, &(keel_options){.norm = KEEL_UNIT}, KEEL_EINVAL, "too many for dense matrices");
    refused(&v, &(keel_options){.method = "radau-ggl"}, KEEL_EINVAL, "of the constraints, one of the forces");
    close_variant(&v);
}

static int sideways(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = ((problem_chain *)user)->links;
    out[0] = 0;
    for (int i = 2 * n; i < 3 * n; i++) out[0] += u[i] * u[i];
    return 0;
}

static int sideways_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = ((problem_chain *)user)->links;
    for (int i = 0; i < 4 * n; i++) out[i] = i < 2 * n || i >= 3 * n ? 0 : 2 * u[i];
    return 0;
}

/* Rods in a line, at rest: there any square of velocities has the rate 0, and random points beside are far
 * from what so many rods can meet. */
static void false_invariants_are_found(void **state) {
    (void)state;
    problem_chain *p = problem_chain_open(4000, 0);
    p->keel.invariant = (keel_map){.count = 1, .value = sideways, .jacobian = sideways_gradient};
    keel_solver *s = keel_open(&p->keel, &(keel_options){.method = "rk4", .step = h});
    if (keel_state_of(s) != KEEL_EINVAL || !strstr(keel_message(s), "is not conserved"))
        fail_msg("%s: %s", keel_status_name(keel_state_of(s)), keel_message(s));
    keel_close(s);
    problem_chain_close(p);
}

/* Start values that are free are brought to the chain. */
static void free_values_are_found(void **state) {
    (void)state;
    enum { N = 80 };
    unsigned char fixed[4 * N];
    for (int part = 0; part < 2; part++) { /* all free; all but the first mass's x */
        struct variant v;
        open_variant(&v, N, 1, 0);
        memset(fixed, 0, sizeof fixed);
        fixed[0] = (unsigned char)part;
        v.keel.fixed = fixed;
        for (int j = 0; j < 2 * N; j++) v.chain->u0[j] += 0.02 * sin(5 * j);
        for (int j = 2 * N; j < 4 * N; j++) v.chain->u0[j] = cos(3 * j);
        double first = v.chain->u0[0];
        keel_solver *s = open_chain(&v.keel);
        if (part) assert_true(keel_state(s)[0] == first);
        assert_int_equal(keel_run(s, 5 * h), KEEL_OK);
        assert_true(worst_units(s, NULL) <= 16);
        keel_close(s);
        close_variant(&v);
    }
}

/* From text; N = 300 was refused while matrices were dense. */
static void a_model_may_be_long(void **state) {
    (void)state;
    const char *const set[] = {"N=300"};
    keel_model *m = keel_model_load(KEEL_EXAMPLES_DIR "/chain.keel",
                                    &(keel_model_options){.set = set, .sets = 1, .interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rk4", .step = h});
    if (keel_sim_run(s, STEPS * h) != KEEL_OK) fail_msg("%s", keel_sim_message(s));
    const char *name = "";
    double worst = worst_units(keel_sim_solver(s), &name);
    if (!(worst <= 16)) fail_msg("%s: %.3g units", name, worst);
    keel_sim_close(s);
    keel_model_close(m);
}

/* What is no number, or cannot be had, in the middle of a run, of F, K and gamma, which are not looked at one
 * by one while all is well. */
static struct {
    int map;       /* 0 F, 1 K, 2 gamma */
    double from;   /* this time on */
    double number; /* in its place; 0: the callback gives up */
} broken;

static int breaks(int map, double t, double *out) {
    if (map != broken.map || t < broken.from) return 0;
    out[3] = broken.number;
    return broken.number == 0 ? -7 : 0;
}
static int broken_force(double t, const double *u, double *out, void *user) {
    force(t, u, out, user);
    return breaks(0, t, out);
}
static int broken_jacobian(double t, const double *u, double *out, void *user) {
    jacobian(t, u, out, user);
    return breaks(1, t, out);
}
static int broken_curvature(double t, const double *u, double *out, void *user) {
    curvature(t, u, out, user);
    return breaks(2, t, out);
}

static void failures_on_the_way_are_told(void **state) {
    (void)state;
    static const char *const name[] = {"f", "constraint", "curvature"};
    static const double number[] = {NAN, HUGE_VAL, 0};
    for (int k = 0; k < 9; k++) {
        struct variant v;
        open_variant(&v, 20, 0, 0);
        v.keel.f.value = broken_force;
        v.keel.constraint.jacobian = broken_jacobian;
        v.keel.curvature = broken_curvature;
        broken.map = k / 3, broken.number = number[k % 3], broken.from = 0.11;
        keel_options o = {.method = "dop853+project", .step = 0.02};
        keel_solver *s = keel_open(&v.keel, &o);
        assert_int_equal(keel_state_of(s), KEEL_OK);
        assert_int_equal(keel_run(s, 1), KEEL_EUSER);
        const char *said = keel_message(s);
        if (!strstr(said, name[k / 3]) || !strstr(said, k % 3 < 2 ? "not finite" : "gave up"))
            fail_msg("%s: %s", name[k / 3], said);
        assert_true(keel_time(s) > 0.09 && keel_time(s) < 0.11);
        keel_close(s);
        close_variant(&v);
    }
}

/* Without the library what is large is refused, and why. */
static void nothing_large_without_the_library(void **state) {
    (void)state;
    struct variant v;
    open_variant(&v, 500, 1, 0);
    refused(&v, NULL, KEEL_EINVAL, "sparse ones need a keel that was built with KLU");
    close_variant(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(growth_is_linear),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(redundant_rods_share),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(free_values_are_found),
        cmocka_unit_test(a_model_may_be_long),
        cmocka_unit_test(false_invariants_are_found),
        cmocka_unit_test(failures_on_the_way_are_told),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(nothing_large_without_the_library)};
    if (!sparse_available()) return cmocka_run_group_tests(without, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
