/* test_mass_blocks.c - a chain in sheared coordinates, whose mass matrix has blocks, moves like the chain. */
#include "testing.h"
#include "chain.h"
#include "problems.h"

#include "linalg/sparse.h"

/* The chain in coordinates p_i with q_i = (1, s_i; 0, 1) p_i: M has blocks of two.  It is said not to be
 * constant, so that it is asked for at every place. */
struct sheared {
    problem_chain *chain;
    double shear[100], q[400], entries[400];
    keel_pattern mass_pattern, pattern;
    int mass_start[201], mass_column[400], start[101], column[400];
    keel_problem keel;
};

/* Rows of u that hold coordinates: to the chain's own. */
static const double *unsheared(struct sheared *v, const double *u, int parts) {
    int n = v->chain->links;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < n; i++) {
            const double *p = u + 2 * part * n + 2 * i;
            v->q[2 * part * n + i] = p[0] + v->shear[i] * p[1];
            v->q[2 * part * n + n + i] = p[1];
        }
    return v->q;
}

static int sheared_force(double t, const double *u, double *out, void *user) {
    struct sheared *v = user;
    double own[200];
    int n = v->chain->links;
    v->chain->keel.f.value(t, u, own, v->chain);
    for (int i = 0; i < n; i++) {
        out[2 * i] = own[i];
        out[2 * i + 1] = own[n + i] + v->shear[i] * own[i];
    }
    return 0;
}

static int sheared_mass(double t, const double *u, double *out, void *user) {
    struct sheared *v = user;
    (void)t, (void)u;
    for (int i = 0; i < v->chain->links; i++) {
        *out++ = 1;
        *out++ = v->shear[i];
        *out++ = v->shear[i];
        *out++ = 1 + v->shear[i] * v->shear[i];
    }
    return 0;
}

static int sheared_rods(double t, const double *q, double *out, void *user) {
    struct sheared *v = user;
    return v->chain->keel.constraint.value(t, unsheared(v, q, 1), out, v->chain);
}

static int sheared_terms(double t, const double *q, double *out, void *user) {
    struct sheared *v = user;
    return v->chain->keel.constraint.terms(t, unsheared(v, q, 1), out, v->chain);
}

static int sheared_jacobian(double t, const double *q, double *out, void *user) {
    struct sheared *v = user;
    const double *own = v->entries;
    v->chain->keel.constraint.jacobian(t, unsheared(v, q, 1), v->entries, v->chain);
    for (int i = 0; i < v->chain->links;
         i++) { /* x of i - 1, x of i, y of i - 1, y of i; the first has two */
        int ends = i ? 2 : 1;
        for (int end = 0; end < ends; end++) {
            *out++ = own[end];
            *out++ = own[ends + end] + v->shear[i - (ends - 1 - end)] * own[end];
        }
        own += 2 * ends;
    }
    return 0;
}

static int sheared_curvature(double t, const double *u, double *out, void *user) {
    struct sheared *v = user;
    return v->chain->keel.curvature(t, unsheared(v, u, 2), out, v->chain);
}

static int sheared_energy(double t, const double *u, double *out, void *user) {
    struct sheared *v = user;
    return v->chain->keel.energy.value(t, unsheared(v, u, 2), out, v->chain);
}

static int sheared_gradient(double t, const double *u, double *out, void *user) {
    struct sheared *v = user;
    int n = v->chain->links;
    v->chain->keel.energy.jacobian(t, unsheared(v, u, 2), v->entries, v->chain);
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < n; i++) {
            const double *own = v->entries + 2 * part * n + i;
            out[2 * part * n + 2 * i] = own[0];
            out[2 * part * n + 2 * i + 1] = own[n] + v->shear[i] * own[0];
        }
    return 0;
}

static void open_sheared(struct sheared *v, int n) {
    *v = (struct sheared){.chain = problem_chain_open(n, 1)};
    double *u = v->chain->u0, own[400];
    int at = 0;
    memcpy(own, u, 4 * (size_t)n * sizeof *u);
    for (int i = 0; i < n; i++) {
        v->shear[i] = sin(3 * i);
        u[2 * i] = own[i] - v->shear[i] * own[n + i]; /* at rest */
        u[2 * i + 1] = own[n + i];
        for (int c = 0; c < 4; c++) v->mass_column[4 * i + c] = 2 * i + c % 2;
        v->mass_start[2 * i + 1] = 4 * i + 2;
        v->mass_start[2 * i + 2] = 4 * i + 4;
        for (int end = i ? i - 1 : 0; end <= i; end++)
            for (int c = 0; c < 2; c++) v->column[at++] = 2 * end + c;
        v->start[i + 1] = at;
    }
    v->mass_pattern = (keel_pattern){4 * n, v->mass_start, v->mass_column};
    v->pattern = (keel_pattern){at, v->start, v->column};
    v->keel = v->chain->keel;
    v->keel.user = v;
    v->keel.f.value = sheared_force;
    v->keel.mass = (keel_matrix){sheared_mass, &v->mass_pattern, 0};
    v->keel.curvature = sheared_curvature;
    v->keel.constraint = (keel_map){.count = n,
                                    .value = sheared_rods,
                                    .jacobian = sheared_jacobian,
                                    .pattern = &v->pattern,
                                    .terms = sheared_terms};
    v->keel.energy = (keel_map){.count = 1, .value = sheared_energy, .jacobian = sheared_gradient};
}

/* Other coordinates of the points, the same motion and the same forces in the rods. */
static void blocks_of_mass_are_coordinates(void **state) {
    (void)state;
    if (!sparse_available()) skip();
    enum { N = 60 };
    struct sheared v;
    open_sheared(&v, N);
    problem_chain *plain = problem_chain_open(N, 1);
    keel_solver *a = open_chain(&plain->keel), *b = open_chain(&v.keel);
    assert_int_equal(keel_run(a, 0.1), KEEL_OK);
    if (keel_run(b, 0.1) != KEEL_OK) fail_msg("%s", keel_message(b));
    const double *q = unsheared(&v, keel_state(b), 2), *own = keel_state(a);
    for (int j = 0; j < 4 * N; j++) assert_true(fabs(q[j] - own[j]) <= 1e-10 * N);
    const double *first = keel_multipliers(a), *second = keel_multipliers(b);
    for (int i = 0; i < N; i++) assert_true(fabs(first[i] - second[i]) <= 1e-8 * (1 + fabs(first[i])));
    assert_true(worst_units(b, NULL) <= 16);
    keel_stats stats[] = {keel_statistics(a), keel_statistics(b)};
    for (int k = 0; k < 2; k++) assert_true(stats[k].schur > 0.5 * (double)stats[k].factorizations);
    keel_close(a), keel_close(b);
    problem_chain_close(plain);
    problem_chain_close(v.chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_mass_are_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
