/* test_examples.c - every model of examples/ and examples/papers/: it is read without a message, each mode
 * has the index and the free start values that pencil and paper give, closed forms solve the equations, and
 * trusted digits lie on the constraints and keep the invariants. */
#include "example_list.h"

#include "lang_model.h"

/* One row for every mode of every example. */
static const struct expected {
    const char *name, *mode;
    int index, freedom, combinations, redundant;
} table[] = {
    {"allen_cahn", "", 0, 100, 0, 0},
    {"andrews", "", 3, 2, 0, 0},
    {"arenstorf", "", 0, 4, 0, 0},
    {"bounce", "", 0, 4, 0, 0},
    {"brusselator_line", "", 0, 80, 0, 0},
    {"brusselator_plane", "", 0, 128, 0, 0},
    {"caraxis", "", 3, 4, 0, 0},
    {"chain", "", 3, 10, 0, 0},
    {"chemakzo", "", 1, 5, 0, 0},
    {"controller", "", 1, 5, 0, 0},
    {"damped", "", 0, 3, 0, 0},
    {"double_pendulum", "", 0, 4, 0, 0},
    {"dow", "", 1, 6, 0, 0},
    {"figure_eight", "", 0, 12, 0, 0},
    {"filter", "", 1, 2, 0, 0},
    {"four", "", 3, 20, 0, 0},
    {"four_bar", "", 3, 2, 0, 0},
    {"fpu", "", 0, 12, 0, 0},
    {"friction2", "stick", 1, 6, 0, 0},
    {"friction2", "slide", 2, 5, 0, 0},
    {"henon", "", 0, 4, 0, 0},
    {"henon_chaotic", "", 0, 4, 0, 0},
    {"kepler", "", 0, 4, 0, 0},
    {"knife_edge", "", 2, 5, 0, 0},
    {"kowalevski", "", 0, 6, 0, 0},
    {"lorenz", "", 0, 3, 0, 0},
    {"lotka_volterra", "", 0, 2, 0, 0},
    {"n_body", "", 0, 12, 0, 0},
    {"pendulum", "", 3, 2, 0, 0},
    {"plastic", "elastic", 1, 1, 0, 0},
    {"plastic", "plastic", 1, 0, 0, 0},
    {"plastic2", "elastic", 1, 2, 0, 0},
    {"plastic2", "plastic", 2, 1, 0, 0},
    {"plastic_path", "elastic", 1, 4, 0, 0},
    {"plastic_path", "plastic", 2, 3, 0, 0},
    {"predator_prey", "", 0, 2, 0, 0},
    {"rc", "", 1, 1, 0, 0},
    {"rectifier", "", 1, 1, 0, 0},
    {"rigid_body", "", 0, 3, 0, 0},
    {"robertson", "", 1, 2, 0, 0},
    {"rolling_disk", "", 2, 6, 0, 0},
    {"sampled", "", 0, 5, 0, 0},
    {"sand", "", 3, 2, 0, 0},
    {"slack_rod", "taut", 3, 2, 0, 0},
    {"slack_rod", "loose", 0, 4, 0, 0},
    {"slider_crank", "", 3, 2, 0, 0},
    {"spherical", "", 3, 4, 0, 0},
    {"spring_pendulum", "", 0, 4, 0, 0},
    {"stick_slip", "stick", 2, 4, 0, 0},
    {"stick_slip", "slide", 0, 5, 0, 0},
    {"toda", "", 0, 6, 0, 0},
    {"toda6", "", 0, 12, 0, 0},
    {"transamp", "", 1, 5, 3, 0},
    {"twin_rods", "", 3, 6, 0, 1},
    {"vanderpol", "", 0, 2, 0, 0},
    /* examples/papers */
    {"adjust_kepler", "", 0, 6, 0, 0},
    {"adjust_oscillator", "", 0, 4, 0, 0},
    {"gonzalez_four", "", 3, 20, 0, 0},
    {"gonzalez_kick", "", 3, 22, 0, 0},
    {"gonzalez_mechanics", "", 3, 20, 0, 0},
    {"gonzalez_quartic", "", 3, 4, 0, 0},
    {"lecture_area", "", 0, 8, 0, 0},
    {"lecture_body", "", 0, 3, 0, 0},
    {"lecture_cooper", "", 0, 3, 0, 0},
    {"lecture_linear", "", 0, 3, 0, 0},
    {"lecture_mixed", "", 0, 8, 0, 0},
    {"lecture_pendulum", "", 0, 4, 0, 0},
    {"liu2006_1", "", 0, 2, 0, 0},
    {"liu2006_2", "", 0, 2, 0, 0},
    {"liu2006_3", "", 0, 6, 0, 0},
    {"liu2006_3_index2", "", 2, 5, 0, 0},
    {"liu2006_4", "", 0, 2, 0, 0},
    {"liu2006_4_clock", "", 0, 1, 0, 0},
    {"liu2006_4_index2", "", 2, 1, 0, 0},
    {"liu2006_5", "", 0, 4, 0, 0},
    {"liu2006_6", "", 0, 3, 0, 0},
    {"liu2006_7", "", 0, 10, 0, 0},
    {"liu2006_7_index1", "", 1, 6, 0, 0},
    {"liu2006_8", "", 0, 4, 0, 0},
    {"liu2013_1", "", 2, 1, 0, 0},
    {"liu2013_1_ode", "", 0, 2, 0, 0},
    {"liu2013_2", "", 2, 1, 0, 0},
    {"liu2013_3", "", 2, 3, 0, 0},
    {"liu2013_3_index3", "", 3, 2, 0, 0},
    {"liu2013_3_mechanics", "", 3, 2, 0, 0},
    {"liu2013_4", "", 2, 2, 0, 0},
    {"liu2013_4_mechanics", "", 3, 2, 0, 0},
    {"liu2013_decay", "", 0, 1, 0, 0},
};
enum { ROWS = sizeof table / sizeof *table };

/* Calls `check` for every example; the number of them. */
static int for_every_example(void (*check)(const char *name, struct reading *r)) {
    static struct example_list list;
    example_list_open(&list);
    for (int k = 0; k < list.count; k++) {
        char name[EXAMPLE_ROOM];
        struct reading r;
        example_name(list.file[k], name);
        reading_open(&r, list.file[k], reading_file(KEEL_EXAMPLES_DIR, list.file[k]));
        if (!r.model || r.messages.count) fail_msg("%s has messages", name);
        check(name, &r);
        reading_close(&r);
    }
    return list.count;
}

static const struct expected *expected_of(const char *name, const char *mode) {
    for (int i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0 && strcmp(table[i].mode, mode) == 0) return &table[i];
    fail_msg("%s%s%s has no row in the table of this test", name, *mode ? ", mode " : "", mode);
    return NULL;
}

static int modes_seen;

static void check_structure(const char *name, struct reading *r) {
    struct model *m = r->model;
    assert_string_equal(m->name, name);
    assert_int_equal(r->text[0], '#');
    for (int k = 0; k < m->modes; k++, modes_seen++) {
        const struct expected *row = expected_of(name, m->mode[k].name ? m->mode[k].name : "");
        struct structure s;
        int redundant;
        enum structure_verdict verdict = reading_analyse(m, &m->mode[k], &redundant, &s);
        if (verdict != STRUCTURE_OK || s.index != row->index || s.freedom != row->freedom ||
            s.steps != row->combinations || redundant != row->redundant)
            fail_msg("%s %s: verdict %d, index %d, freedom %d, combinations %d, redundant %d", name,
                     row->mode, (int)verdict, s.index, s.freedom, s.steps, redundant);
        structure_close(&s);
    }
}

static void every_example_has_its_structure(void **unused) {
    (void)unused;
    modes_seen = 0;
    assert_true(for_every_example(check_structure) > 0);
    assert_int_equal(modes_seen, ROWS); /* no row without its example */
}

/* Values for symbols: expressions of parameters and t ------------------------------------------------- */

enum { SYMBOLS = 256 };

struct values {
    int count;
    expr symbol[SYMBOLS], value[SYMBOLS];
};

static expr value_of(const struct values *v, expr symbol) {
    for (int i = 0; i < v->count; i++)
        if (v->symbol[i] == symbol) return v->value[i];
    return EXPR_NONE;
}

static void give(struct values *v, expr symbol, expr value) {
    if (value_of(v, symbol) != EXPR_NONE) return;
    assert_true(v->count < SYMBOLS);
    v->symbol[v->count] = symbol;
    v->value[v->count++] = value;
}

static void give_all(struct values *v, const struct model_givens *g) {
    for (int i = 0; i < g->count; i++)
        if (g->list[i].target != EXPR_NONE) give(v, g->list[i].target, g->list[i].value);
}

/* e at the time t and, beside it, the size of its terms; NAN where a symbol has no value. */
static double number(struct model *m, const struct values *v, expr e, double t, double *size) {
    expr pair[2] = {e, derive_terms(&m->graph, e)};
    assert_int_equal(expr_substitute(&m->graph, 2, pair, (size_t)v->count, v->symbol, v->value, pair), 0);
    *size = model_number(m, pair[1], t);
    return model_number(m, pair[0], t);
}

static double total(struct model *m, const struct values *v, expr e, int order, double t, double *size) {
    struct derive d;
    derive_open(&d, &m->graph, 1);
    for (int i = 0; i < order; i++) e = derive_total(&d, e);
    derive_close(&d);
    return number(m, v, e, t, size);
}

/* 1: it vanishes; 0: there are symbols without value. */
static int vanishes(const char *name, struct model *m, const struct values *v, expr e, int order, double t,
                    double bound) {
    double size, value = total(m, v, e, order, t, &size);
    if (isnan(value)) return 0;
    if (!(fabs(value) <= bound * size)) fail_msg("%s at t = %g: %g of %g", name, t, value, size);
    return 1;
}

/* Closed forms ---------------------------------------------------------------------------------------- */

/* The exact solution with its derivatives up to the second. */
static void exact_values(struct model *m, struct values *v) {
    struct derive d;
    memset(v, 0, sizeof *v);
    derive_open(&d, &m->graph, 1);
    for (int i = 0; i < m->unknowns; i++)
        for (int k = 0; k < m->exact.count; k++) {
            expr x = expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, 0), value = m->exact.list[k].value;
            if (m->exact.list[k].target != x) continue;
            for (uint32_t order = 0; order < 3; order++, value = derive_total(&d, value))
                give(v, expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, order), value);
        }
    derive_close(&d);
    give_all(v, &m->exact);
}

static int exact_models;

static void check_exact(const char *name, struct reading *r) {
    struct model *m = r->model;
    const struct model_mode *mode = &m->mode[0];
    struct values v;
    struct derive d;
    if (!m->exact.count) return;
    exact_models++;
    exact_values(m, &v);
    expr multiplier[16];
    derive_open(&d, &m->graph, 1);
    for (int i = 0; i < m->multipliers; i++)
        multiplier[i] = expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)i, 0);
    double begin = model_number(m, m->begin, 0), span = model_number(m, m->end, begin) - begin, size;
    for (int point = 0; point < 12; point++) {
        double t = begin + span * (point + 0.37) / 12, bound = 1e-11 * (1 + fabs(t));
        for (int i = 0; i < mode->motion.n; i++) {
            expr first = motion_equation(&mode->motion, &d, i, multiplier);
            assert_true(vanishes(name, m, &v, first, 0, t, bound));
            if (m->form != MODEL_HAMILTONIAN) continue;
            expr second = motion_equation_momentum(&mode->motion, &d, i, multiplier);
            assert_true(vanishes(name, m, &v, second, 0, t, bound));
        }
        for (int i = 0; i < mode->equation.count; i++)
            assert_true(vanishes(name, m, &v, mode->equation.list[i].value, 0, t, bound));
        for (int i = 0; i < mode->constraint.count; i++)
            assert_true(vanishes(name, m, &v, mode->constraint.list[i].value, 0, t, bound));
        for (int i = 0; i < mode->rolling.count; i++)
            assert_true(vanishes(name, m, &v, mode->rolling.list[i].value, 0, t, bound));
        for (int i = 0; i < m->exact.count; i++) { /* derivatives and outputs that are given, too */
            const struct model_given *g = &m->exact.list[i];
            expr of = g->output < 0 ? g->target : mode->output.list[g->output].value;
            double ours = number(m, &v, of, t, &size);
            assert_below(fabs(ours - model_number(m, g->value, t)), bound * (1 + fabs(ours)));
        }
    }
    for (int i = 0; i < m->init.count; i++) {
        double start = model_number(m, m->init.list[i].value, begin);
        assert_below(fabs(number(m, &v, m->init.list[i].target, begin, &size) - start), 1e-13);
    }
    derive_close(&d);
}

static void closed_forms_solve_the_equations(void **unused) {
    (void)unused;
    exact_models = 0;
    for_every_example(check_exact);
    assert_true(exact_models >= 13);
}

/* Trusted digits -------------------------------------------------------------------------------------- */

/* q'' from M q'' = F - G^T lambda, by elimination; 0: not all values are known. */
static int accelerations(struct model *m, struct values *v, double t) {
    const struct motion *motion = &m->mode[0].motion;
    enum { MOST = 12 };
    double a[MOST][MOST + 1] = {{0}}, size;
    int n = motion->n;
    if (m->form != MODEL_LAGRANGIAN || n > MOST) return 0;
    for (int i = 0; i < n; i++) {
        a[i][n] = number(m, v, motion->force[i], t, &size);
        for (int k = motion->mass.row_start[i]; k < motion->mass.row_start[i + 1]; k++)
            a[i][motion->mass.column[k]] = number(m, v, motion->mass.value[k], t, &size);
    }
    for (int row = 0; row < motion->rows; row++)
        for (int k = motion->gradient.row_start[row]; k < motion->gradient.row_start[row + 1]; k++) {
            uint32_t which = (uint32_t)m->mode[0].constraint.list[row].multiplier;
            expr lambda = expr_symbol(&m->graph, EXPR_MULTIPLIER, which, 0);
            a[motion->gradient.column[k]][n] -=
                number(m, v, motion->gradient.value[k], t, &size) * number(m, v, lambda, t, &size);
        }
    for (int i = 0; i < n; i++) /* M is positive: no exchange of rows is needed */
        for (int j = 0; j < n; j++) {
            double factor = a[j][i] / a[i][i];
            for (int k = i; k <= n && j != i; k++) a[j][k] -= factor * a[i][k];
        }
    for (int i = 0; i < n; i++) {
        if (isnan(a[i][n])) return 0;
        const struct expr_node x = m->graph.node[motion->q[i]];
        give(v, expr_symbol(&m->graph, EXPR_UNKNOWN, x.b, 2), expr_constant(&m->graph, a[i][n] / a[i][i]));
    }
    return 1;
}

static int rows_held, multipliers_held;

static void check_reference(const char *name, struct reading *r) {
    struct model *m = r->model;
    const struct model_mode *mode = &m->mode[0];
    struct values start = {0}, exact;
    give_all(&start, &m->init);
    exact_values(m, &exact);
    double begin = model_number(m, m->begin, 0), size, unused, was[16];
    assert_true(mode->invariant.count <= 16);
    for (int k = 0; k < m->references; k++) {
        const struct model_givens *g = &m->reference[k].values;
        double t = model_number(m, m->reference[k].time, 0);
        struct values v = {0};
        give_all(&v, g);
        int solved = accelerations(m, &v, t);
        for (int i = 0; i < mode->constraint.count; i++)
            for (int order = 0; order < 3; order++) {
                int held = vanishes(name, m, &v, mode->constraint.list[i].value, order, t, 1e-13);
                rows_held += held;
                multipliers_held += held && order == 2;
            }
        for (int i = 0; i < mode->equation.count; i++)
            rows_held += vanishes(name, m, &v, mode->equation.list[i].value, 0, t, 1e-13);
        for (int i = 0; i < mode->invariant.count; i++) {
            double is = number(m, &v, mode->invariant.list[i].value, t, &size);
            if (k == 0) was[i] = number(m, &start, mode->invariant.list[i].value, begin, &unused);
            if (isnan(was[i])) was[i] = is; /* the start is not given in full: compare references */
            if (isnan(is)) continue;
            if (!(fabs(is - was[i]) <= 1e-13 * size)) fail_msg("%s: invariant %d at t = %g", name, i, t);
            rows_held++;
        }
        for (int i = 0; i < g->count; i++) {
            const struct model_given *one = &g->list[i];
            assert_non_null(one->digits);
            double given = model_number(m, one->value, t), ours = NAN;
            if (one->output >= 0 && (solved || m->form != MODEL_LAGRANGIAN))
                ours = number(m, &v, mode->output.list[one->output].value, t, &size);
            else if (m->exact.count) ours = number(m, &exact, one->target, t, &size);
            if (!isnan(ours)) assert_below(fabs(ours - given), 1e-12 * (1 + fabs(t)) * (1 + fabs(ours)));
        }
    }
}

static void trusted_digits_fit_the_model(void **unused) {
    (void)unused;
    rows_held = multipliers_held = 0;
    for_every_example(check_reference);
    assert_true(rows_held >= 100);
    assert_true(multipliers_held >= 23); /* andrews, car axis, sphere, four bars: signs of multipliers too */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_has_its_structure),
        cmocka_unit_test(closed_forms_solve_the_equations),
        cmocka_unit_test(trusted_digits_fit_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
