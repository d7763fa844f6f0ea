/* test_newton_krylov_forms.c - GMRES on three-dimensional grids with a mass matrix, and with algebraic
 * unknowns: against dense matrices.
 *
 *     M u' = c L u + u (1 - u) + b,   M the mean over a point (2/3) and its neighbours (1/18 each), or
 *     u' = c L u - u + w,   0 = c L w - (1 + u^2) w + u + b
 *
 * on a periodic cube, L u = six neighbours - 6 u. */
#include "testing.h"

#include "core/engine.h"
#include "linalg/sparse.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

enum { SIDE = 7, POINTS = SIDE * SIDE * SIDE, MOST = 8 };

enum kind { MASS, ALGEBRAIC, KINDS };
/* Which rows of numbers: those of f, of F, of M. */
enum which { OF_F, OF_ALGEBRAIC, OF_MASS, ROWS };

struct row {
    int count, column[MOST];
    double value[MOST];
};

struct cube {
    enum kind kind;
    int dense;
    double spread, u0[2 * POINTS];
    int start[ROWS][POINTS + 1], column[ROWS][MOST * POINTS];
    keel_pattern pattern[ROWS];
    keel_problem problem;
};

static void put(struct row *r, int column, double value) {
    int k = r->count++;
    for (; k > 0 && r->column[k - 1] > column; k--)
        r->column[k] = r->column[k - 1], r->value[k] = r->value[k - 1];
    r->column[k] = column;
    r->value[k] = value;
}

static void put_star(struct row *r, int first, int p, double centre, double neighbour) {
    put(r, first + p, centre);
    for (int step = 1; step < POINTS; step *= SIDE) { /* along x, y, z */
        int along = p / step % SIDE, start = p - along * step;
        put(r, first + start + (along + 1) % SIDE * step, neighbour);
        put(r, first + start + (along + SIDE - 1) % SIDE * step, neighbour);
    }
}

static struct row row_of(const struct cube *g, enum which which, int p, const double *u) {
    struct row r = {0};
    double c = g->spread, a = u[p];
    if (which == OF_MASS) put_star(&r, 0, p, 2. / 3, 1. / 18);
    if (which == OF_F) put_star(&r, 0, p, g->kind == MASS ? 1 - 2 * a - 6 * c : -6 * c - 1, c);
    if (which == OF_F && g->kind == ALGEBRAIC) put(&r, POINTS + p, 1);
    if (which == OF_ALGEBRAIC) {
        put_star(&r, POINTS, p, -6 * c - (1 + a * a), c);
        put(&r, p, 1 - 2 * a * u[POINTS + p]);
    }
    return r;
}

static void fill(const struct cube *g, enum which which, const double *u, double *out) {
    int columns = g->kind == ALGEBRAIC ? 2 * POINTS : POINTS;
    if (g->dense) memset(out, 0, (size_t)POINTS * (size_t)columns * sizeof *out);
    for (int p = 0; p < POINTS; p++) {
        struct row r = row_of(g, which, p, u);
        for (int k = 0; k < r.count; k++)
            out[g->dense ? p * columns + r.column[k] : g->start[which][p] + k] = r.value[k];
    }
}

static int f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t;
    return fill(user, OF_F, u, out), 0;
}
static int algebraic_jacobian(double t, const double *u, double *out, void *user) {
    (void)t;
    return fill(user, OF_ALGEBRAIC, u, out), 0;
}
static int mass(double t, const double *u, double *out, void *user) {
    (void)t;
    return fill(user, OF_MASS, u, out), 0;
}

static double spread_of(const struct cube *g, const double *u, int p) {
    struct row r = {0};
    double sum = 0;
    put_star(&r, 0, p, -6, 1);
    for (int k = 0; k < r.count; k++) sum += r.value[k] * u[r.column[k]];
    return g->spread * sum;
}

static int f(double t, const double *u, double *out, void *user) {
    const struct cube *g = user;
    (void)t;
    for (int p = 0; p < POINTS; p++)
        out[p] =
            spread_of(g, u, p) + (g->kind == MASS ? u[p] * (1 - u[p]) + 0.1 * (p % 7) : u[POINTS + p] - u[p]);
    return 0;
}

static int algebraic(double t, const double *u, double *out, void *user) {
    const double *w = u + POINTS;
    (void)t;
    for (int p = 0; p < POINTS; p++)
        out[p] = spread_of(user, w, p) - (1 + u[p] * u[p]) * w[p] + u[p] + 0.1 * (p % 7);
    return 0;
}

static const keel_problem *problem_of(struct cube *g, enum kind kind, int dense) {
    *g = (struct cube){.kind = kind, .dense = dense, .spread = 30};
    for (int i = 0; i < 2 * POINTS; i++)
        g->u0[i] = i < POINTS ? 0.5 + 0.3 * sin(0.7 * (i % SIDE)) * cos(1.1 * (i / SIDE)) : 0.5;
    for (int which = 0; which < ROWS; which++) {
        int count = 0;
        for (int p = 0; p < POINTS; p++) {
            struct row r = row_of(g, (enum which)which, p, g->u0);
            for (int k = 0; k < r.count; k++) g->column[which][count++] = r.column[k];
            g->start[which][p + 1] = count;
        }
        g->pattern[which] = (keel_pattern){count, g->start[which], g->column[which]};
    }
    keel_problem *p = &g->problem;
    *p = (keel_problem){.n = POINTS, .u0 = g->u0, .user = g};
    p->f =
        (keel_map){POINTS, .value = f, .jacobian = f_jacobian, .pattern = dense ? NULL : &g->pattern[OF_F]};
    if (kind == MASS)
        p->mass = (keel_matrix){.value = mass, .pattern = dense ? NULL : &g->pattern[OF_MASS], .constant = 1};
    if (kind == MASS) return p;
    p->form = KEEL_DAE;
    p->m = POINTS;
    p->algebraic = (keel_map){POINTS, .value = algebraic, .jacobian = algebraic_jacobian,
                              .pattern = dense ? NULL : &g->pattern[OF_ALGEBRAIC]};
    return p;
}

static struct cube cube;

/* u at the end, and what GMRES has done. */
static struct newton_effort run(const keel_problem *p, const keel_options *o, double t_end, double *u) {
    struct engine *e = engine_open(NULL, p, o, registry_find(o->method), stabilizers_find("none"), 1, NULL);
    struct newton_effort found = {0};
    assert_non_null(e);
    if (e->r->status != KEEL_OK || run_to(e, t_end, t_end, 0, 0) != KEEL_OK) fail_msg("%s", e->message);
    for (int i = 0; i < e->field.newtons && e->field.large; i++)
        if (e->field.newton[i].anchor) found = *e->field.newton[i].effort;
    memcpy(u, e->x[e->r->current], POINTS * sizeof *u);
    engine_close(e);
    return found;
}

/* Fixed steps are solved to round-off; steps with a tolerance to a part of it. */
static void runs_are_those_of_dense_matrices(void **state) {
    static const struct {
        keel_options o;
        double apart;
    } tries[] = {{{.method = "bdf", .rtol = 1e-6}, 2e-6},
                 {{.method = "radau5", .rtol = 1e-6}, 2e-6},
                 {{.method = "radau5", .step = 0.02}, 1e-11}};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < 3; k++) {
            double u[2][POINTS], off = 0, end = tries[k].o.rtol > 0 ? 0.01 : 0.04;
            struct newton_effort effort = run(problem_of(&cube, (enum kind)kind, 0), &tries[k].o, end, u[0]);
            if (!(effort.average + effort.spent > 0) || effort.direct != 0)
                fail_msg("%s, kind %d: GMRES took %.3g operations, left %g", tries[k].o.method, kind,
                         effort.average, effort.direct);
            run(problem_of(&cube, (enum kind)kind, 1), &tries[k].o, end, u[1]);
            for (int p = 0; p < POINTS; p++) off = fmax(off, fabs(u[0][p] - u[1][p]));
            if (!(off <= tries[k].apart)) fail_msg("%s, kind %d: %.3g apart", tries[k].o.method, kind, off);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_those_of_dense_matrices)};
    if (!sparse_available()) return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
