/* test_newton_krylov.c - linear systems of two-dimensional grids by GMRES, against complete factors, sparse
 * and dense.
 *
 *     u' = c (four neighbours - 4 u) - w (right - left) + u (1 - u) v + b,
 *     v' = c (four neighbours - 4 v) - w (upper - lower) + u - v
 *
 * on a periodic square, or a damped wave there,  u' = v,  v' = c (four neighbours - 4 u) - v - u. */
#include "testing.h"

#include "core/engine.h"
#include "linalg/sparse.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

enum { SIDE = 16, POINTS = SIDE * SIDE, UNKNOWNS = 2 * POINTS, EACH = 6 };
#define WAVE 1e4 /* the square of its speed */

struct square {
    int dense, wave;
    double spread, wind, u0[UNKNOWNS];
    int row_start[UNKNOWNS + 1], column[EACH * UNKNOWNS];
    keel_pattern pattern;
    keel_problem problem;
};

static int point(int x, int y) {
    return (y + SIDE) % SIDE * SIDE + (x + SIDE) % SIDE;
}

/* Row i: its own column, that of the other unknown there, and the neighbours' of what spreads. */
static void columns_of(const struct square *g, int i, int *column) {
    int of_v = i >= POINTS, p = i - of_v * POINTS, x = p % SIDE, y = p / SIDE;
    int first = of_v && !g->wave ? POINTS : 0;
    const int columns[EACH] = {i,
                               of_v ? p : POINTS + p,
                               first + point(x - 1, y),
                               first + point(x + 1, y),
                               first + point(x, y - 1),
                               first + point(x, y + 1)};
    memcpy(column, columns, sizeof columns);
}

static void entries_of_row(const struct square *g, int i, const double *u, double *entry) {
    int of_v = i >= POINTS, p = i - of_v * POINTS;
    double across = of_v ? 0 : g->wind, along = of_v ? g->wind : 0, c = g->wave && !of_v ? 0 : g->spread;
    double a = u[p], b = u[POINTS + p];
    entry[0] = of_v ? -1 : g->wave ? 0 : (1 - 2 * a) * b;
    entry[1] = of_v ? g->wave ? -1 : 1 : g->wave ? 1 : a * (1 - a);
    entry[of_v && g->wave ? 1 : 0] -= 4 * c;
    entry[2] = c + across;
    entry[3] = c - across;
    entry[4] = c + along;
    entry[5] = c - along;
}

static int rates(double t, const double *u, double *out, void *user) {
    const struct square *g = user;
    (void)t;
    for (int i = 0; i < UNKNOWNS; i++) {
        int column[EACH], p = i % POINTS, of_v = i >= POINTS;
        double entry[EACH], a = u[p], b = u[POINTS + p];
        columns_of(g, i, column);
        entries_of_row(g, i, u, entry);
        out[i] = of_v ? (g->wave ? -a : a) - b : g->wave ? b : a * (1 - a) * b + 0.1 * (i % 7);
        if (of_v || !g->wave) out[i] -= 4 * g->spread * (g->wave ? a : u[i]);
        for (int k = 2; k < EACH; k++) out[i] += entry[k] * u[column[k]];
    }
    return 0;
}

/* Where the k-th neighbour stands among the ascending columns. */
static int place_of(const int *column, int k) {
    int place = 0;
    for (int l = 0; l < EACH; l++) place += column[l] < column[k];
    return place;
}

static int jacobian(double t, const double *u, double *out, void *user) {
    const struct square *g = user;
    (void)t;
    if (g->dense) memset(out, 0, sizeof(double[UNKNOWNS]) * UNKNOWNS);
    for (int i = 0; i < UNKNOWNS; i++) {
        int column[EACH];
        double entry[EACH];
        columns_of(g, i, column);
        entries_of_row(g, i, u, entry);
        for (int k = 0; k < EACH; k++)
            out[g->dense ? i * UNKNOWNS + column[k] : i * EACH + place_of(column, k)] = entry[k];
    }
    return 0;
}

static const keel_problem *problem_of(struct square *g, double spread, double wind, int wave, int dense) {
    g->spread = spread;
    g->wind = wind;
    g->wave = wave;
    g->dense = dense;
    for (int i = 0; i < UNKNOWNS; i++) {
        int column[EACH];
        columns_of(g, i, column);
        for (int k = 0; k < EACH; k++) g->column[i * EACH + place_of(column, k)] = column[k];
        g->row_start[i + 1] = (i + 1) * EACH;
        g->u0[i] = wave ? i < POINTS : 0.5 + 0.3 * sin(0.7 * (i % SIDE)) * cos(1.1 * (i / SIDE));
    }
    g->pattern = (keel_pattern){EACH * UNKNOWNS, g->row_start, g->column};
    g->problem = (keel_problem){
        .n = UNKNOWNS,
        .u0 = g->u0,
        .user = g,
        .f = {
            .count = UNKNOWNS, .value = rates, .jacobian = jacobian, .pattern = dense ? NULL : &g->pattern}};
    return &g->problem;
}

static struct square square;

static keel_solver *run(const keel_problem *p, const keel_options *o, double t_end) {
    keel_solver *s = keel_open(p, o);
    if (keel_run(s, t_end) != KEEL_OK) fail_msg("%s", keel_message(s));
    return s;
}

static double distance(const keel_solver *a, const keel_solver *b) {
    double most = 0;
    for (int i = 0; i < UNKNOWNS; i++) most = fmax(most, fabs(keel_state(a)[i] - keel_state(b)[i]));
    return most;
}

/* What GMRES has done in a run. */
static struct newton_effort effort_of(const keel_problem *p, const keel_options *o, double t_end) {
    struct engine *e = engine_open(NULL, p, o, registry_find(o->method), stabilizers_find("none"), 1, NULL);
    struct newton_effort found = {0};
    assert_non_null(e);
    assert_int_equal(run_to(e, t_end, t_end, 0, 0), KEEL_OK);
    for (int i = 0; i < e->field.newtons; i++)
        if (e->field.newton[i].anchor) found = *e->field.newton[i].effort;
    engine_close(e);
    return found;
}

static const keel_options explicit = {.method = "dop853", .rtol = 1e-9};
static const keel_options by_gmres[] = {
    {.method = "bdf", .rtol = 1e-6}, {.method = "radau", .rtol = 1e-6}, {.method = "radau5", .rtol = 1e-6}};
enum { BY_GMRES = sizeof by_gmres / sizeof *by_gmres };

/* GMRES serves the grid, with real and complex matrices, and leads to what an explicit method finds. */
static void grids_go_by_gmres(void **state) {
    (void)state;
    for (double spread = 3; spread < 4000; spread *= 300) {
        const keel_problem *p = problem_of(&square, spread, 0.3 * spread, 0, 0);
        keel_solver *exact = run(p, &explicit, 0.5);
        for (int k = 0; k < BY_GMRES; k++) {
            struct newton_effort effort = effort_of(p, &by_gmres[k], 0.5);
            if (!(effort.average > 0) || effort.direct != 0)
                fail_msg("%s, %g: GMRES took %.3g operations, left %g", by_gmres[k].method, spread,
                         effort.average, effort.direct);
            keel_solver *found = run(p, &by_gmres[k], 0.5);
            double off = distance(exact, found);
            if (!(off <= 1e-5)) fail_msg("%s: %.3g", by_gmres[k].method, off);
            keel_close(found);
        }
        keel_close(exact);
    }
}

/* Fixed steps are iterated to round-off: the numbers of complete factors. */
static void fixed_steps_are_those_of_factors(void **state) {
    static const keel_options o[] = {{.method = "bdf", .step = 0.01}, {.method = "radau5", .step = 0.02}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_solver *sparse = run(problem_of(&square, 50, 10, 0, 0), &o[k], 0.04);
        keel_solver *dense = run(problem_of(&square, 50, 10, 0, 1), &o[k], 0.04);
        double off = distance(sparse, dense);
        if (!(off <= 1e-11)) fail_msg("%s: %.3g", o[k].method, off);
        keel_close(sparse);
        keel_close(dense);
    }
}

/* The incomplete factors leave out how a wave spreads: complete ones take over. */
static void what_gmres_cannot_is_left_to_factors(void **state) {
    (void)state;
    const keel_problem *p = problem_of(&square, WAVE, 0, 1, 0);
    keel_solver *exact = run(p, &explicit, 20);
    for (int k = 0; k < 2; k++) {
        struct newton_effort effort = effort_of(p, &by_gmres[k], 20);
        assert_true(effort.direct == 1);
        keel_solver *found = run(p, &by_gmres[k], 20);
        assert_below(distance(exact, found), 1e-4);
        keel_close(found);
    }
    keel_close(exact);
}

static void take_steps(keel_solver *s, int count) {
    for (int i = 0; i < count; i++)
        if (keel_step(s, 100) != KEEL_OK) fail_msg("%s", keel_message(s));
}

static void same(const keel_solver *a, const keel_solver *b) {
    assert_true(keel_time(a) == keel_time(b));
    assert_memory_equal(keel_state(a), keel_state(b), UNKNOWNS * sizeof(double));
}

/* With GMRES, and where it is left: a copy that is looked at and a loaded one go on with the same bits. */
static void same_bits(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int begin = 1; begin < 42; begin += kind < 2 ? 20 : 10) {
            const keel_options o = by_gmres[kind / 2];
            int wave = kind % 2;
            if (kind >= 2 && begin > 11) break; /* radau takes longer steps, and fewer */
            const keel_problem *p = problem_of(&square, wave ? WAVE : 50, wave ? 0 : 10, wave, 0);
            keel_solver *a = keel_open(p, &o);
            take_steps(a, begin);
            keel_solver *fork = keel_fork(a);
            size_t size = keel_save(a, NULL, 0);
            void *saved = malloc(size);
            keel_save(a, saved, size);
            keel_solver *loaded = keel_load(p, &o, saved, size);
            for (int i = 0; i < 4; i++) {
                keel_defect defect;
                take_steps(a, kind < 2 ? 4 : 1);
                take_steps(fork, kind < 2 ? 4 : 1);
                take_steps(loaded, kind < 2 ? 4 : 1);
                keel_defect_at(fork, 0.3 * keel_time_before(fork) + 0.7 * keel_time(fork), &defect);
                same(a, fork);
                same(a, loaded);
            }
            keel_close(a);
            keel_close(fork);
            keel_close(loaded);
            free(saved);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_go_by_gmres),
        cmocka_unit_test(fixed_steps_are_those_of_factors),
        cmocka_unit_test(what_gmres_cannot_is_left_to_factors),
        cmocka_unit_test(same_bits),
    };
    if (!sparse_available()) return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
