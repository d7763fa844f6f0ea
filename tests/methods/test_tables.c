/* test_tables.c - the order of every explicit Runge-Kutta table, from the conditions of Butcher.
 *
 * A formula with weights w over stages (A, c) has order p when for every rooted tree t of at most p vertices
 *
 *     sum_i w_i Phi_i(t) = theta^|t| / gamma(t),    Phi_i(t) = prod_u sum_j a_ij Phi_j(u), u the children,
 *
 * theta = 1 at the end of the step.  E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.2 and II.6. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/registry.h"

enum { MAX_ORDER = 9, MAX_TREES = 486, MAX_STAGES = 20 };

/* Residuals count in DBL_EPSILON times the sum of absolute values; sound tables stay below 0.5. */
static const double ROUND_OFF = 2;
static const double BROKEN = 1e-7;

typedef struct claim {
    const char *name;
    const keel_rk *rk;
    int order, error_order, embedded[2], dense;
} claim;

/* Every table of the registry: what its descriptor says, and the orders of its estimates as found. */
enum { MOST_CLAIMS = 64 };
static claim claims[MOST_CLAIMS];
static int CLAIMS;

/* A tree is the single vertex, or `left` with `right` hung on its root as the last and largest child. */
typedef struct tree {
    int order, left, right;
    double density; /* gamma */
} tree;

static tree forest[MAX_TREES];
static int first[MAX_ORDER + 2]; /* trees of order n are first[n] .. first[n+1]-1 */

static void forest_grow(void) {
    int count = 0;
    first[1] = 0;
    forest[count++] = (tree){1, -1, -1, 1};
    for (int n = 2; n <= MAX_ORDER; n++) {
        first[n] = count;
        for (int l = 0; l < first[n]; l++) {
            int m = n - forest[l].order;
            for (int r = first[m]; r < first[m + 1]; r++) {
                if (r < forest[l].right) continue;
                double density = n * forest[l].density / forest[l].order * forest[r].density;
                assert_true(count < MAX_TREES);
                forest[count++] = (tree){n, l, r, density};
            }
        }
    }
    first[MAX_ORDER + 1] = count;
}

/* All stages of a table: those of the step, f_end (row b, c = 1), those of the dense output. */
typedef struct stages {
    int count;
    double c[MAX_STAGES], a[MAX_STAGES][MAX_STAGES], b[MAX_STAGES];
    double error[2][MAX_STAGES], dense[4][MAX_STAGES];
} stages;

static void stages_expand(const keel_rk *rk, stages *st) {
    int s = rk->stages, n = s + 1 + rk->extra;
    memset(st, 0, sizeof *st);
    assert_true(n <= MAX_STAGES && rk->shape <= 4);
    st->count = n;
    const double *row = rk->a;
    for (int i = 1; i < s; row += i++)
        for (int j = 0; j < i; j++) st->a[i][j] = row[j];
    for (int i = 0; i < s; i++) {
        st->c[i] = rk->c[i];
        st->b[i] = st->a[s][i] = rk->b[i];
        for (int e = 0; e < 2; e++)
            if (rk->error[e]) st->error[e][i] = rk->error[e][i];
    }
    st->c[s] = 1;
    for (int i = 0; i < rk->extra; i++) {
        st->c[s + 1 + i] = rk->extra_c[i];
        for (int j = 0; j < n; j++) st->a[s + 1 + i][j] = rk->extra_a[i * n + j];
    }
    for (int i = 0; i < rk->shape; i++)
        for (int j = 0; j < n; j++) st->dense[i][j] = rk->dense[i * n + j];
}

/* Phi_i(t), and the same sum over absolute values: the scale of its round-off. */
typedef struct weights {
    double phi[MAX_TREES][MAX_STAGES], scale[MAX_TREES][MAX_STAGES];
} weights;

static void weights_fill(const stages *st, int order, weights *w) {
    for (int t = 0; t < first[order + 1]; t++)
        for (int i = 0; i < st->count; i++) {
            double phi = 0, scale = 0;
            if (t == 0) {
                w->phi[t][i] = w->scale[t][i] = 1;
                continue;
            }
            for (int j = 0; j < st->count; j++) {
                phi += st->a[i][j] * w->phi[forest[t].right][j];
                scale += fabs(st->a[i][j]) * w->scale[forest[t].right][j];
            }
            w->phi[t][i] = w->phi[forest[t].left][i] * phi;
            w->scale[t][i] = w->scale[forest[t].left][i] * scale;
        }
}

/* Largest residual of the conditions of orders lo .. hi: absolute, and in units of round-off. */
typedef struct residual {
    double absolute, units;
} residual;

static void residual_raise(residual *r, double difference, double scale) {
    assert_true(isfinite(difference));
    r->absolute = fmax(r->absolute, fabs(difference));
    r->units = fmax(r->units, fabs(difference) / (DBL_EPSILON * scale));
}

static residual conditions(const weights *w, int n, const double *b, const double *b_scale, double theta,
                           int lo, int hi) {
    residual worst = {0, 0};
    for (int t = first[lo]; t < first[hi + 1]; t++) {
        double right = pow(theta, forest[t].order) / forest[t].density, sum = 0, scale = right;
        for (int i = 0; i < n; i++) {
            sum += b[i] * w->phi[t][i];
            scale += b_scale[i] * w->scale[t][i];
        }
        residual_raise(&worst, sum - right, scale);
    }
    return worst;
}

/* w(theta) of the dense output, and its sum over absolute values. */
static void dense_weights(const stages *st, int shape, int end, double theta, double *w, double *scale) {
    double u = 1 - theta, factor = theta * theta * u * u;
    for (int i = 0; i < st->count; i++) {
        double d = st->b[i], f = i == 0, g = i == end;
        w[i] = theta * (d + u * (f - d + theta * (2 * d - f - g)));
        scale[i] = theta * (fabs(d) + u * (f + fabs(d) + theta * (2 * fabs(d) + f + g)));
    }
    for (int k = 0; k < shape; factor *= k++ % 2 ? u : theta)
        for (int i = 0; i < st->count; i++) {
            w[i] += factor * st->dense[k][i];
            scale[i] += factor * fabs(st->dense[k][i]);
        }
}

static void absolute(int n, const double *w, double *scale) {
    for (int i = 0; i < n; i++) scale[i] = fabs(w[i]);
}

static residual end_conditions(const stages *st, const weights *w, int lo, int hi) {
    double scale[MAX_STAGES];
    absolute(st->count, st->b, scale);
    return conditions(w, st->count, st->b, scale, 1, lo, hi);
}

static residual embedded_conditions(const stages *st, int e, const weights *w, int lo, int hi) {
    double bhat[MAX_STAGES], scale[MAX_STAGES];
    for (int i = 0; i < st->count; i++) {
        bhat[i] = st->b[i] - st->error[e][i];
        scale[i] = fabs(st->b[i]) + fabs(st->error[e][i]);
    }
    return conditions(w, st->count, bhat, scale, 1, lo, hi);
}

static residual dense_conditions(const keel_rk *rk, const stages *st, const weights *w, int lo, int hi) {
    static const double thetas[] = {0.0625, 0.2, 0.4375, 0.5, 0.7, 0.9, 1};
    residual worst = {0, 0};
    for (size_t k = 0; k < sizeof thetas / sizeof thetas[0]; k++) {
        double b[MAX_STAGES], scale[MAX_STAGES];
        dense_weights(st, rk->shape, rk->stages, thetas[k], b, scale);
        residual r = conditions(w, st->count, b, scale, thetas[k], lo, hi);
        worst.absolute = fmax(worst.absolute, r.absolute);
        worst.units = fmax(worst.units, r.units);
    }
    return worst;
}

static residual row_sums(const stages *st) {
    residual worst = {0, 0};
    for (int i = 0; i < st->count; i++) {
        double sum = 0, scale = fabs(st->c[i]);
        for (int j = 0; j < st->count; j++) {
            sum += st->a[i][j];
            scale += fabs(st->a[i][j]);
        }
        residual_raise(&worst, sum - st->c[i], scale + DBL_MIN);
    }
    return worst;
}

/* Every claim about a table: the worst residual of each. */
enum { END, EMBEDDED, DENSE = EMBEDDED + 2, ROW_SUMS, CHECKS };
static const char *const check_names[CHECKS] = {"end", "estimate", "second estimate", "dense", "row sums"};

static void check_all(const claim *m, const stages *st, weights *w, residual r[CHECKS]) {
    memset(r, 0, CHECKS * sizeof *r);
    weights_fill(st, MAX_ORDER - 1, w);
    r[END] = end_conditions(st, w, 1, m->order);
    for (int e = 0; e < 2; e++)
        if (m->embedded[e]) r[EMBEDDED + e] = embedded_conditions(st, e, w, 1, m->embedded[e]);
    r[DENSE] = dense_conditions(m->rk, st, w, 1, m->dense);
    r[ROW_SUMS] = row_sums(st);
}

static int all_hold(const residual r[CHECKS]) {
    int hold = 1;
    for (int k = 0; k < CHECKS; k++) hold &= r[k].units <= ROUND_OFF;
    return hold;
}

static void trees_are_as_many_as_known(void **state) {
    static const int known[MAX_ORDER] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
    (void)state;
    for (int n = 1; n <= MAX_ORDER; n++) assert_int_equal(first[n + 1] - first[n], known[n - 1]);
}

static void conditions_hold_to_round_off(void **state) {
    weights *w = *state;
    for (int m = 0; m < CLAIMS; m++) {
        stages st;
        residual r[CHECKS];
        stages_expand(claims[m].rk, &st);
        check_all(&claims[m], &st, w, r);
        for (int k = 0; k < CHECKS; k++)
            if (r[k].units > ROUND_OFF)
                print_error("%s, %s: residual %.2e, %.1f round-offs\n", claims[m].name, check_names[k],
                            r[k].absolute, r[k].units);
        assert_true(all_hold(r));
    }
}

static void orders_are_exact(void **state) {
    weights *w = *state;
    for (int m = 0; m < CLAIMS; m++) {
        const claim *c = &claims[m];
        stages st;
        stages_expand(c->rk, &st);
        weights_fill(&st, MAX_ORDER, w);
        assert_true(end_conditions(&st, w, c->order + 1, c->order + 1).absolute > BROKEN);
        assert_true(dense_conditions(c->rk, &st, w, c->dense + 1, c->dense + 1).absolute > BROKEN);
        for (int e = 0; e < 2; e++) {
            int next = c->embedded[e] + 1;
            assert_int_equal(c->embedded[e] > 0, c->rk->error[e] != NULL);
            if (next > 1) assert_true(embedded_conditions(&st, e, w, next, next).absolute > BROKEN);
        }
    }
}

/* The row of a last stage that is f at the new point repeats b; its own weight in b is zero. */
static void last_stage_is_the_end(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++) {
        const keel_rk *rk = claims[m].rk;
        if (!rk->last_is_end) continue;
        const double *row = rk->a + (rk->stages - 1) * (rk->stages - 2) / 2;
        assert_memory_equal(row, rk->b, (size_t)(rk->stages - 1) * sizeof *row);
        assert_true(rk->b[rk->stages - 1] == 0 && rk->c[rk->stages - 1] == 1);
    }
}

/* Extra stages read only earlier ones; the dense output reads f_end in place of the last stage it equals. */
static void dense_output_is_explicit(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++) {
        const keel_rk *rk = claims[m].rk;
        int s = rk->stages, n = s + 1 + rk->extra;
        for (int i = 0; i < rk->extra; i++)
            for (int j = s + 1 + i; j < n; j++) assert_true(rk->extra_a[i * n + j] == 0);
        for (int i = 0; i < rk->shape && rk->last_is_end; i++) assert_true(rk->dense[i * n + s - 1] == 0);
    }
}

/* Oscillators, of which the first and the last are the same one. */
static int swing(double t, const double *u, double *out, void *user) {
    int count = *(const int *)user;
    (void)t;
    for (int i = 0; i < count; i++) {
        double rate = i % (count - 1) == 0 ? 1 : 1 + 0.1 * i;
        out[2 * i] = u[2 * i + 1];
        out[2 * i + 1] = -rate * u[2 * i];
    }
    return 0;
}

static void swing_many(const char *method, int count, double *end) {
    double u0[64];
    keel_problem p = {.form = KEEL_ODE, .n = 2 * count, .u0 = u0, .user = &count};
    keel_options o = {.method = method, .step = 0.1};
    p.f = (keel_map){.count = p.n, .value = swing};
    for (int i = 0; i < p.n; i++) u0[i] = i % (p.n - 2) < 2 ? 1 - 0.3 * (i % 2) : sin(i);
    keel_solver *s = keel_open(&p, &o);
    assert_int_equal(keel_run(s, 1), KEEL_OK);
    memcpy(end, keel_state(s), 2 * sizeof *end);
    memcpy(end + 2, keel_state(s) + p.n - 2, 2 * sizeof *end);
    keel_close(s);
}

/* However many states there are, and however sums take them together, a state has the bits it has alone. */
static void sums_know_nothing_of_each_other(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++) {
        double few[4], many[4];
        swing_many(claims[m].name, 2, few);
        assert_true(few[0] == few[2] && few[1] == few[3]);
        for (int count = 3; count <= 32; count++) {
            swing_many(claims[m].name, count, many);
            assert_memory_equal(few, many, sizeof few);
        }
    }
}

/* Move `amount` between neighbouring coefficients of a row, which keeps its sum; count what goes unseen. */
static int unseen_in_row(const claim *m, stages *st, weights *w, double *row, double amount) {
    int unseen = 0;
    for (int j = 0, last = -1; j < st->count; j++) {
        if (row[j] == 0) continue;
        if (last >= 0) {
            double from = row[last], to = row[j];
            residual r[CHECKS];
            row[last] -= amount;
            row[j] += amount;
            check_all(m, st, w, r);
            row[last] = from;
            row[j] = to;
            if (all_hold(r)) {
                print_error("%s: unseen between %d (%.6f) and %d (%.6f)\n", m->name, last, from, j, to);
                unseen++;
            }
        }
        last = j;
    }
    return unseen;
}

/* Rows that repeat b are left out: f_end, and the last stage where it is f at the new point. */
static void perturbations_are_seen(void **state) {
    weights *w = *state;
    const double amount = 1e-6;
    int unseen = 0;
    for (int m = 0; m < CLAIMS; m++) {
        const keel_rk *rk = claims[m].rk;
        stages st;
        stages_expand(rk, &st);
        for (int i = 1; i < st.count; i++)
            if (i < rk->stages - rk->last_is_end || i > rk->stages)
                unseen += unseen_in_row(&claims[m], &st, w, st.a[i], amount);
        unseen += unseen_in_row(&claims[m], &st, w, st.b, amount);
        for (int e = 0; e < 2; e++) unseen += unseen_in_row(&claims[m], &st, w, st.error[e], amount);
        for (int k = 0; k < 4; k++) unseen += unseen_in_row(&claims[m], &st, w, st.dense[k], amount);
    }
    assert_int_equal(unseen, 0);
}

/* An estimate is the difference of two formulas, so it shows the lower order of both; two of them are
 * combined to err_0^2 / err_1 (Hairer, Norsett, Wanner, II.10). */
static void estimates_are_as_small_as_the_descriptors_say(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++) {
        const claim *c = &claims[m];
        int first_one = c->embedded[0] < c->order ? c->embedded[0] : c->order;
        int seen = !c->embedded[0]  ? 0
                   : c->embedded[1] ? 2 * (first_one + 1) - (c->embedded[1] + 1)
                                    : first_one + 1;
        if (seen != c->error_order)
            fail_msg("%s: the estimate is O(h^%d), %d is claimed", c->name, seen, c->error_order);
    }
}

/* The highest order whose conditions hold. */
static int embedded_order(const stages *st, int e, const weights *w) {
    int order = 0;
    while (order < MAX_ORDER - 1 && embedded_conditions(st, e, w, order + 1, order + 1).units <= ROUND_OFF)
        order++;
    return order;
}

static void take_registry(weights *w) {
    const keel_stepper *s;
    for (int i = 0; (s = registry_at(i)); i++) {
        const keel_rk *rk = registry_table(s);
        stages st;
        if (!rk || CLAIMS == MOST_CLAIMS) continue;
        claim *c = &claims[CLAIMS++];
        *c = (claim){.name = s->info.name, .rk = rk, .order = s->info.order, .error_order = s->error_order};
        c->dense = c->order < 3 + rk->shape ? c->order : 3 + rk->shape; /* cubic Hermite, and its terms */
        stages_expand(rk, &st);
        weights_fill(&st, MAX_ORDER, w);
        for (int e = 0; e < 2 && rk->error[e]; e++) c->embedded[e] = embedded_order(&st, e, w);
    }
}

static int setup(void **state) {
    forest_grow();
    *state = calloc(1, sizeof(weights));
    if (*state) take_registry(*state);
    return *state && CLAIMS > 0 ? 0 : -1;
}

static int teardown(void **state) {
    free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_as_many_as_known),
        cmocka_unit_test(conditions_hold_to_round_off),
        cmocka_unit_test(orders_are_exact),
        cmocka_unit_test(estimates_are_as_small_as_the_descriptors_say),
        cmocka_unit_test(last_stage_is_the_end),
        cmocka_unit_test(dense_output_is_explicit),
        cmocka_unit_test(sums_know_nothing_of_each_other),
        cmocka_unit_test(perturbations_are_seen),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
