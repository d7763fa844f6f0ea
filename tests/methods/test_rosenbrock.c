/* test_rosenbrock.c - Rosenbrock methods: all order conditions of the tables, of DAEs of index 1 too, and of
 * the dense output; orders as they are seen, where f depends on t; stiff problems.
 *
 * For y' = f(y, z), 0 = g(y, z) the stages are k_i = h f + h (f_y, f_z) sum G_ij (k_j, l_j) and the same with
 * g for 0.  With w = beta^-1 they have the weights (for trees as in Hairer, Wanner, Solving ODEs II, VI.4)
 *
 *     [t_1 .. t_m] with root f:   1 for m = 0, beta phi(t_1) for m = 1, prod alpha phi(t_k) for more,
 *     [t_1 .. t_m] with root g:   w prod alpha phi(t_k), m > 1;
 *
 * since g is linear in l up to terms of degree 2, whose factor beta is divided by.  The exact solution has
 * 1 / order prod e(t_k) and prod e(t_k): only f is integrated, and only f counts for the order. */
#include "model_run.h"

#include "methods/registry.h"
#include "methods/rosenbrock_tables.h"

enum { S = ROSENBROCK_STAGES, TREES = 400, SONS = 6, HIGHEST = 5 };

struct tree {
    int algebraic, differential_only, order, count, son[SONS]; /* sons: earlier trees, in rising order */
    double exact, phi[S];
};

struct forest {
    int s, count;
    struct tree tree[TREES];
    double alpha[S][S], beta[S][S], inverse[S][S];
};

static void times(const struct forest *f, double m[S][S], const double *v, double *out) {
    for (int i = 0; i < f->s; i++) {
        out[i] = 0;
        for (int j = 0; j < f->s; j++) out[i] += m[i][j] * v[j];
    }
}

static void weigh(struct forest *f, struct tree *t) {
    double product[S], part[S];
    t->exact = t->differential_only = 1;
    for (int i = 0; i < f->s; i++) product[i] = 1;
    for (int k = 0; k < t->count; k++) {
        struct tree *son = &f->tree[t->son[k]];
        times(f, !t->algebraic && t->count == 1 ? f->beta : f->alpha, son->phi, part);
        for (int i = 0; i < f->s; i++) product[i] *= part[i];
        t->exact *= son->exact;
        t->differential_only &= son->differential_only;
    }
    if (t->algebraic) {
        times(f, f->inverse, product, t->phi);
        t->differential_only = 0;
    } else {
        memcpy(t->phi, product, sizeof product);
        t->exact /= t->order;
    }
}

/* All trees of this kind whose sons have these orders in all, sons before `from` being taken. */
static void grow(struct forest *f, struct tree *t, int from, int left, int known) {
    if (left == 0) {
        if (t->algebraic && t->count < 2) return;
        assert_true(f->count < TREES);
        weigh(f, t);
        f->tree[f->count++] = *t;
        return;
    }
    for (int i = from; i < known && t->count < SONS; i++) {
        if (f->tree[i].order > left) continue;
        t->son[t->count++] = i;
        grow(f, t, i, left - f->tree[i].order, known);
        t->count--;
    }
}

static void plant(struct forest *f, const struct rosenbrock_table *table) {
    struct rosenbrock_form form = {0};
    rosenbrock_make_form(table, &form);
    *f = (struct forest){.s = table->stages};
    for (int i = 0; i < f->s; i++)
        for (int j = 0; j < f->s; j++) {
            f->alpha[i][j] = form.alpha[i][j];
            f->beta[i][j] = form.alpha[i][j] + form.g[i][j];
        }
    for (int j = 0; j < f->s; j++) /* of a triangular matrix */
        for (int i = j; i < f->s; i++) {
            double sum = i == j;
            for (int k = j; k < i; k++) sum -= f->beta[i][k] * f->inverse[k][j];
            f->inverse[i][j] = sum / f->beta[i][i];
        }
    for (int order = 1; order <= HIGHEST; order++)
        for (int algebraic = 1; algebraic >= 0; algebraic--) { /* the others may have these as sons */
            struct tree t = {.algebraic = algebraic, .order = order};
            grow(f, &t, 0, order - !algebraic, f->count);
        }
}

/* The largest |sum b_i phi_i - e theta^order| of trees of an order. */
static double off(const struct forest *f, const double *b, int order, int algebraic, int differential_only,
                  double theta) {
    double worst = 0;
    for (int i = 0; i < f->count; i++) {
        const struct tree *t = &f->tree[i];
        if (t->order != order || t->algebraic != algebraic || t->differential_only < differential_only)
            continue;
        double sum = -t->exact * pow(theta, order);
        for (int j = 0; j < f->s; j++) sum += b[j] * t->phi[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static const struct {
    const char *name;
    const struct rosenbrock_table *table;
    int order, dense;
} methods[] = {{"rodas4", &rosenbrock_rodas4, 4, 3}, {"rodas5p", &rosenbrock_rodas5p, 5, 4}};
enum { METHODS = sizeof methods / sizeof *methods };

/* y has its order, z one less, which does for it: its errors do not add up. */
static void tables_satisfy_all_order_conditions(void **state) {
    (void)state;
    static struct forest f;
    for (int k = 0; k < METHODS; k++) {
        struct rosenbrock_form form = {0};
        int p = methods[k].order, s = methods[k].table->stages;
        rosenbrock_make_form(methods[k].table, &form);
        plant(&f, methods[k].table);
        for (int order = 1; order <= p; order++) assert_below(off(&f, form.b, order, 0, 0, 1), 1e-12);
        for (int order = 2; order < p; order++) assert_below(off(&f, form.b, order, 1, 0, 1), 1e-12);
        double embedded[S];
        for (int j = 0; j < s; j++) embedded[j] = form.b[j] - form.g[s - 1][j];
        for (int order = 1; order < p; order++) assert_below(off(&f, embedded, order, 0, 0, 1), 1e-12);
        assert_true(off(&f, embedded, p, 0, 1, 1) > 1e-4);
        for (double theta = 0.25; theta < 1; theta += 0.25) {
            double b[S];
            for (int j = 0; j < s; j++) {
                double sum = 0;
                for (int i = methods[k].table->terms - 1; i >= 0; i--) sum = theta * sum + form.dense[i][j];
                b[j] = theta * (form.b[j] + (1 - theta) * sum);
            }
            for (int order = 1; order <= methods[k].dense; order++)
                assert_below(off(&f, b, order, 0, 1, theta), 1e-12);
        }
    }
}

/* b is the last row of beta, the last stages lie at the end, without f_t; what the first column makes up for
 * is round-off; R(infinity) = 1 - b beta^-1 1 = 0, and of the embedded method too. */
static void tables_are_stiffly_accurate(void **state) {
    (void)state;
    static struct forest f;
    for (int k = 0; k < METHODS; k++) {
        const struct rosenbrock_table *table = methods[k].table;
        int s = table->stages;
        plant(&f, table);
        for (int last = s - 2; last < s; last++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                for (int i = 0; i < s; i++) sum += f.beta[last][i] * f.inverse[i][j];
            assert_below(fabs(sum - 1), 1e-12);
            assert_true(table->c[last] == 1 && table->d[last] == 0);
        }
        for (int i = 0; i < s; i++) { /* the first column by the table itself: a G = alpha */
            struct rosenbrock_form form = {0};
            rosenbrock_make_form(table, &form);
            double alpha = 0, g = 0;
            for (int j = 0; j < i; j++) {
                alpha += table->a[i][j] * form.g[j][0];
                g += table->g * table->e[i][j] * form.g[j][0];
            }
            assert_below(fabs(alpha - form.alpha[i][0]), 1e-13);
            if (i > 0) assert_below(fabs(g - form.g[i][0]), 1e-13);
        }
    }
}

/* x' = -k (x - cos t) - sin t + y^2 - cos^4 t, y' = -2 x sin t: x = cos t, y = cos^2 t. */
static int moving(double t, const double *u, double *out, void *user) {
    double k = *(const double *)user, c = cos(t);
    out[0] = -k * (u[0] - c) - sin(t) + u[1] * u[1] - c * c * c * c;
    out[1] = -2 * sin(t) * u[0];
    return 0;
}

static int moving_jacobian(double t, const double *u, double *out, void *user) {
    out[0] = -*(const double *)user;
    out[1] = 2 * u[1];
    out[2] = -2 * sin(t);
    out[3] = 0;
    return 0;
}

/* At the ends of steps, and in their middle. */
static double moving_error(const char *method, double k, int steps, int inside) {
    static const double start[2] = {1, 1};
    keel_problem p = {.form = KEEL_ODE,
                      .n = 2,
                      .u0 = start,
                      .user = &k,
                      .f = {.count = 2, .value = moving, .jacobian = moving_jacobian}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = method, .step = 2.0 / steps});
    double worst = 0, u[2];
    assert_ok(s, keel_state_of(s));
    for (int i = 0; i < steps; i++) {
        assert_ok(s, keel_step(s, 2));
        double t = inside ? (keel_time(s) + keel_time_before(s)) / 2 : keel_time(s);
        assert_ok(s, keel_eval(s, t, u));
        worst = fmax(worst, fmax(fabs(u[0] - cos(t)), fabs(u[1] - cos(t) * cos(t))));
    }
    keel_close(s);
    return worst;
}

static void orders_are_seen_where_f_depends_on_t(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        double order =
            log2(moving_error(methods[k].name, 1, 20, 0) / moving_error(methods[k].name, 1, 40, 0));
        double dense =
            log2(moving_error(methods[k].name, 1, 20, 1) / moving_error(methods[k].name, 1, 40, 1));
        assert_within(order, methods[k].order - 0.3, methods[k].order + 0.8);
        assert_within(dense, methods[k].dense + 1 - 0.3, methods[k].order + 0.8);
        assert_below(moving_error(methods[k].name, 1e8, 20, 0), 1e-5); /* stiff: no more than that */
    }
}

static void stiff_errors_follow_the_tolerance(void **state) {
    (void)state;
    static void (*const fill[])(problem *) = {problem_chemakzo, problem_robertson, problem_van_der_pol};
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++)
            for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
                problem p;
                fill[k](&p);
                keel_options o = {.method = methods[m].name, .rtol = rtol, .atol = 1e-6 * rtol};
                keel_solver *s = keel_open(&p.keel, &o);
                for (int i = 0; i < p.references; i++) {
                    assert_ok(s, keel_run(s, p.reference[i].t));
                    for (int j = 0; j < p.keel.n; j++) {
                        double wanted = p.reference[i].u[j], error = fabs(keel_state(s)[j] - wanted);
                        assert_below(error, 20 * (rtol * fabs(wanted) + 1e-6 * rtol));
                    }
                }
                keel_close(s);
            }
}

static void differences_are_refused(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rodas5p", .rtol = 1e-6});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    expect_words(s, "exact derivatives|radau");
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_satisfy_all_order_conditions),
        cmocka_unit_test(tables_are_stiffly_accurate),
        cmocka_unit_test(orders_are_seen_where_f_depends_on_t),
        cmocka_unit_test(stiff_errors_follow_the_tolerance),
        cmocka_unit_test(differences_are_refused),
    };
    return cmocka_run_group_tests_name("rosenbrock", tests, NULL, NULL);
}
