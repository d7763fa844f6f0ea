/* test_own_stabilizer.c - stabilizers that a person brings along (keel/stabilizer.h), and the list of those
 * there are. */
#include "testing.h"

#include <keel/stabilizer.h>

#include <float.h>

static keel_solver *opened(const problem *p, const keel_stabilizer *own, const char *method, double step) {
    keel_options o = {.method = method, .own_stabilizer = own, .step = step};
    keel_solver *s = keel_open(&p->keel, &o);
    assert_ok(s, keel_state_of(s));
    return s;
}

static double drift_of(const problem *p, const keel_stabilizer *own, const char *method) {
    keel_solver *s = opened(p, own, method, 0.1);
    assert_ok(s, keel_run(s, 20));
    keel_row row;
    double worst = 0;
    for (int i = 0; keel_row_at(s, i, &row); i++) worst = fmax(worst, row.units);
    keel_close(s);
    return worst;
}

/* A row of data: two corrections leave what is quartic in the error, one what is quadratic. */
static void two_corrections_are_a_row_of_data(void **state) {
    (void)state;
    static const keel_stabilizer twice = {
        .info = {.name = "twice", .about = "two corrections", .traits = KEEL_MEASURES | KEEL_CORRECTS},
        .corrections = 2};
    problem p;
    problem_kepler(&p, 0.4, 1.0);
    double once = drift_of(&p, NULL, "rk4+adjust"), again = drift_of(&p, &twice, "rk4");
    assert_true(once > 1e4);
    assert_below(again, 1e-3 * once);
    problem_pendulum(&p, 0.5);
    assert_below(drift_of(&p, &twice, "rk4"), fmax(4, 1e-1 * drift_of(&p, NULL, "rk4+adjust")));
}

/* By hand: Newton along the gradient of each row in turn, until all of them are at round-off. */
struct turns {
    double *c, *gradient, *move, *count;
};

static void turns_layout(keel_manifold *m) {
    struct turns *own = m->own;
    assert_true(m->kept > 0); /* not chosen yet: the most there can be */
    own->c = keel_manifold_doubles(m, (size_t)m->kept);
    own->gradient = keel_manifold_doubles(m, (size_t)m->kept * (size_t)m->n);
    own->move = keel_manifold_doubles(m, (size_t)m->n);
    own->count = keel_manifold_doubles(m, 1);
}

static int turns_hold(const keel_manifold *m, const double *c) {
    for (int i = 0; i < m->kept; i++)
        if (!(fabs(c[i]) <= 4 * keel_manifold_unit(m, i))) return 0;
    return 1;
}

static keel_status turns_correct(keel_manifold *m, double t, double *x, double *low) {
    struct turns *own = m->own;
    for (int turn = 0; turn < 20000; turn++) {
        keel_status status = keel_manifold_residual(m, t, x, own->c);
        if (status != KEEL_OK || turns_hold(m, own->c)) return status;
        status = keel_manifold_jacobian(m, t, x, own->gradient);
        if (status != KEEL_OK) return status;
        const double *g = own->gradient + (long)(turn % m->kept) * m->n;
        double square = 0;
        for (int j = 0; j < m->n; j++) square += g[j] * g[j];
        for (int j = 0; j < m->n; j++) own->move[j] = -own->c[turn % m->kept] * g[j] / square;
        keel_manifold_move(m, own->move, x, low);
        own->count[0]++;
    }
    m->unresolved = 1;
    return KEEL_OK;
}

static const keel_stabilizer turns = {
    .info = {.name = "turns",
             .about = "one row after the other",
             .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_OWN_DIRECTIONS},
    .size = sizeof(struct turns),
    .layout = turns_layout,
    .correct = turns_correct};

static void a_correction_of_ones_own_holds_rows_to_round_off(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_solver *s = opened(&p, &turns, "dopri5", 0.05);
    assert_string_equal(keel_stabilizer_of(s)->name, "turns");
    while (keel_time(s) < 12) {
        assert_ok(s, keel_step(s, 12));
        keel_row row;
        for (int i = 0; keel_row_at(s, i, &row); i++) {
            assert_int_equal(row.treatment, KEEL_ROW_KEPT);
            assert_below(fabs(row.last), 4.01 * row.unit);
        }
    }
    assert_int_equal(keel_statistics(s).unresolved, 0);
    assert_true(keel_statistics(s).corrections > 0);
    keel_close(s);
}

/* Two sweeps over the rows, whatever they leave. */
static keel_status sweeps_correct(keel_manifold *m, double t, double *x, double *low) {
    struct turns *own = m->own;
    for (int turn = 0; turn < 2 * m->kept; turn++) {
        keel_status status = keel_manifold_residual(m, t, x, own->c);
        if (status == KEEL_OK) status = keel_manifold_jacobian(m, t, x, own->gradient);
        if (status != KEEL_OK) return status;
        const double *g = own->gradient + (long)(turn % m->kept) * m->n;
        double square = 0;
        for (int j = 0; j < m->n; j++) square += g[j] * g[j];
        for (int j = 0; j < m->n; j++) own->move[j] = -own->c[turn % m->kept] * g[j] / square;
        keel_manifold_move(m, own->move, x, low);
    }
    return KEEL_OK;
}

/* Without KEEL_TO_ROUND_OFF the certificate has what is left, and a row that rests on others which are off is
 * not blamed for it. */
static void what_a_rough_correction_leaves_is_told(void **state) {
    (void)state;
    static const keel_stabilizer sweeps = {
        .info = {.name = "sweeps",
                 .about = "two sweeps",
                 .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_OWN_DIRECTIONS},
        .size = sizeof(struct turns),
        .layout = turns_layout,
        .correct = sweeps_correct};
    problem p;
    double c[8];
    for (int k = 0; k < 2; k++) {
        if (k) problem_pendulum(&p, 1);
        else problem_kepler(&p, 0.3, 1.0);
        keel_solver *s = opened(&p, &sweeps, "rk4", 0.05);
        double worst = 0;
        while (keel_time(s) < 6) {
            assert_ok(s, keel_step(s, 6));
            assert_ok(s, keel_residuals(s, keel_time(s), keel_state(s), c));
            keel_row row;
            for (int i = 0; keel_row_at(s, i, &row); i++) {
                assert_true(row.last == c[i] && row.drift >= fabs(c[i]));
                worst = fmax(worst, row.units);
            }
        }
        assert_true(worst > 100);
        keel_solver *watched = opened(&p, NULL, "rk4+watch", 0.05); /* units follow the motion, too */
        assert_ok(watched, keel_run(watched, 6));
        keel_row row, other;
        for (int i = 0; keel_row_at(s, i, &row) && keel_row_at(watched, i, &other); i++)
            assert_within(row.unit / other.unit, 0.5, 2);
        keel_close(watched);
        keel_close(s);
    }
}

/* Its numbers are saved, loaded and forked with the solver. */
static void its_numbers_belong_to_the_solver(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_options o = {.method = "rk4", .own_stabilizer = &turns, .step = 0.05};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 3));
    size_t size = keel_save(s, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_int_equal(keel_save(s, bytes, size), size);
    keel_solver *loaded = keel_load(&p.keel, &o, bytes, size), *fork = keel_fork(s);
    keel_solver *all[] = {s, loaded, fork};
    for (int i = 0; i < 3; i++) assert_ok(all[i], keel_run(all[i], 9));
    for (int i = 1; i < 3; i++) assert_memory_equal(keel_state(s), keel_state(all[i]), 4 * sizeof(double));
    keel_options other = {.method = "rk4+project", .step = 0.05};
    keel_solver *refused = keel_load(&p.keel, &other, bytes, size);
    assert_true(keel_state_of(refused) < 0);
    keel_close(refused);
    for (int i = 0; i < 3; i++) keel_close(all[i]);
    free(bytes);
}

/* What a move of one's own loses to rounding goes to low, whichever of the two is the larger. */
static int moved;
static keel_status move_and_look(keel_manifold *m, double t, double *x, double *low) {
    static const double before[] = {1, 1e-20, -7, 0}, d[] = {1e-20, 3, -1e-17, 0.1};
    double y[4], rest[4] = {0};
    (void)t, (void)x;
    assert_int_equal(m->n, 4);
    assert_non_null(low);
    memcpy(y, before, sizeof y);
    keel_manifold_move(m, d, y, rest);
    for (int j = 0; j < 4; j++) {
        assert_true(y[j] == before[j] + d[j]);
        assert_true(rest[j] == fmin(fabs(before[j]), fabs(d[j])) * (d[j] < 0 ? -1 : 1));
    }
    memcpy(y, before, sizeof y);
    keel_manifold_move(m, d, y, NULL);
    for (int j = 0; j < 4; j++) assert_true(y[j] == before[j] + d[j]);
    moved++;
    return KEEL_OK;
}

static void moves_of_ones_own_are_compensated(void **state) {
    (void)state;
    static const keel_stabilizer own = {.info = {.name = "look", .traits = KEEL_MEASURES | KEEL_CORRECTS},
                                        .correct = move_and_look};
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_options o = {.method = "rk4", .own_stabilizer = &own, .step = 0.1, .compensated = 1};
    keel_solver *s = keel_open(&p.keel, &o);
    moved = 0;
    assert_ok(s, keel_run(s, 1));
    assert_true(moved >= 10);
    keel_close(s);
}

/* An attempt: the stepper's, then the core's projection, counted. */
static int attempts, accepted;
static keel_status own_attempt(keel_manifold *m, keel_attempt *a, double t_new, double *x_new,
                               double *low_new) {
    attempts++;
    keel_status status = keel_manifold_propose(m, a, NULL, x_new, low_new);
    return status == KEEL_OK ? keel_manifold_correct(m, 0, t_new, x_new, low_new) : status;
}
static void own_accept(keel_manifold *m, double h) {
    (void)m;
    accepted += h > 0;
}

static void an_attempt_of_ones_own_may_propose_and_correct(void **state) {
    (void)state;
    static const keel_stabilizer own = {
        .info = {.name = "own", .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF},
        .attempt = own_attempt,
        .accept = own_accept};
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    attempts = accepted = 0;
    keel_solver *s = opened(&p, &own, "rk4", 0.01), *plain = opened(&p, NULL, "rk4+project", 0.01);
    assert_ok(s, keel_run(s, 5));
    assert_ok(plain, keel_run(plain, 5));
    assert_int_equal(accepted, 500);
    assert_true(attempts >= accepted);
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++) assert_below(row.units, 4);
    for (int i = 0; i < 4; i++) assert_below(fabs(keel_state(s)[i] - keel_state(plain)[i]), 1e-11);
    keel_close(s);
    keel_close(plain);
}

/* A term in the right-hand side: x' = f - c grad c / |grad c|^2, for one row. */
static keel_status own_rhs(keel_manifold *m, double t, const double *x, double *dx) {
    double c[8], g[64], u[8] = {0}, square = 0;
    memcpy(u, x, (size_t)m->n * sizeof *x);
    keel_status status = keel_manifold_residual(m, t, u, c);
    if (status == KEEL_OK) status = keel_manifold_jacobian(m, t, u, g);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < m->n; j++) square += g[j] * g[j];
    for (int j = 0; j < m->n; j++) dx[j] -= c[0] * g[j] / square;
    return KEEL_OK;
}

static void a_term_of_ones_own_pulls_back(void **state) {
    (void)state;
    static const keel_stabilizer own = {
        .info = {.name = "pull", .traits = KEEL_MEASURES | KEEL_DAMPS | KEEL_FROZEN_WEIGHTS | KEEL_FIRST_ROW},
        .rhs = own_rhs};
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_solver *s = opened(&p, &own, "rk4", 0.05), *watched = opened(&p, NULL, "rk4+watch", 0.05);
    assert_ok(s, keel_run(s, 60));
    assert_ok(watched, keel_run(watched, 60));
    keel_row row, free_row;
    keel_row_at(s, 0, &row);
    keel_row_at(watched, 0, &free_row);
    assert_int_equal(row.treatment, KEEL_ROW_DAMPED);
    assert_below(fabs(row.last), 0.1 * fabs(free_row.last));
    keel_close(s);
    keel_close(watched);
}

static keel_status unwilling(keel_manifold *m, double t, const double *u) {
    (void)t, (void)u;
    return keel_manifold_fail(m, KEEL_EINVAL, "unwilling has nothing to do here");
}
static int never(const keel_problem *p, const keel_options *o, const keel_stepper *stepper, char *why,
                 size_t capacity) {
    (void)p, (void)o;
    snprintf(why, capacity, "never goes not with %s", stepper->info.name);
    return 1;
}

static void refused(const keel_options *o, const char *words) {
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_solver *s = keel_open(&p.keel, o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), words)) fail_msg("no \"%s\" in \"%s\"", words, keel_message(s));
    keel_close(s);
}

static void what_does_not_fit_gets_a_sentence(void **state) {
    (void)state;
    static const keel_stabilizer nameless = {.corrections = 1},
                                 no_length = {.info = {.name = "long", .traits = KEEL_OFF_GRID}},
                                 no_accept = {.info = {.name = "half"}, .attempt = own_attempt},
                                 fails = {.info = {.name = "unwilling"}, .begin = unwilling},
                                 refuses = {.info = {.name = "never"}, .refuse = never};
    static const keel_stepper stepper = {.info = {.name = "mine"}};
    refused(&(keel_options){.method = "rk4+projekt", .step = 0.1}, "did you mean `project`");
    refused(&(keel_options){.method = "rk4+xyzzyx", .step = 0.1}, "there is no stabilizer `xyzzyx`");
    refused(&(keel_options){.method = "rk4+", .step = 0.1}, "there is no stabilizer ``");
    refused(&(keel_options){.method = "rk4+project", .own_stabilizer = &turns, .step = 0.1},
            "exclude each other");
    refused(&(keel_options){.own_stabilizer = &nameless, .step = 0.1}, "needs a name");
    refused(&(keel_options){.own_stabilizer = &no_length, .step = 0.1}, "`lengthen`");
    refused(&(keel_options){.own_stabilizer = &no_accept, .step = 0.1}, "`accept`");
    refused(&(keel_options){.own_stabilizer = &fails, .step = 0.1}, "unwilling has nothing to do");
    refused(&(keel_options){.own_stabilizer = &refuses, .step = 0.1}, "never goes not with rk4");
    refused(&(keel_options){.method = "rk4", .own_method = &stepper, .step = 0.1}, "exclude each other");
    refused(&(keel_options){.method = "+project", .own_method = &stepper, .step = 0.1}, "layout and attempt");
    refused(&(keel_options){.method = "rk4+project", .step = 0.1, .gain = 1}, "the stabilizer baumgarte");
    refused(&(keel_options){.method = "rk4", .step = 0.1, .gain = 1}, "the stabilizer baumgarte");
    refused(&(keel_options){.method = "rk4+watch", .step = 0.1, .sets = "u[0]"}, "the stabilizer scale");
}

static void the_list_has_one_default_and_no_name_twice(void **state) {
    (void)state;
    const keel_method *one, *other;
    int defaults = 0;
    for (int i = 0; (one = keel_stabilizer_at(i)); i++) {
        assert_true(one->name[0] && one->about[0] && one->reference[0]);
        defaults += (one->traits & KEEL_DEFAULT) != 0;
        for (int k = 0; k < i && (other = keel_stabilizer_at(k)); k++)
            assert_string_not_equal(one->name, other->name);
    }
    assert_int_equal(defaults, 1);
    assert_null(keel_stabilizer_at(-1));
    assert_null(keel_stabilizer_of(NULL));
}

static const char *in_use(const keel_options *o) {
    problem p;
    problem_kepler(&p, 0.3, 1.0);
    keel_solver *s = keel_open(&p.keel, o);
    assert_ok(s, keel_state_of(s));
    const char *name = keel_stabilizer_of(s)->name;
    keel_close(s);
    return name;
}

static void names_are_read_from_the_method(void **state) {
    (void)state;
    assert_string_equal(in_use(NULL), "project");
    assert_string_equal(in_use(&(keel_options){.method = "rk4", .step = 0.1}), "project");
    assert_string_equal(in_use(&(keel_options){.method = "rk4+auto", .step = 0.1}), "project");
    assert_string_equal(in_use(&(keel_options){.method = "+watch"}), "watch");
    assert_string_equal(in_use(&(keel_options){.method = "gauss4", .step = 0.1}), "watch");
    assert_string_equal(in_use(&(keel_options){.method = "gauss4+none", .step = 0.1}), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_corrections_are_a_row_of_data),
        cmocka_unit_test(a_correction_of_ones_own_holds_rows_to_round_off),
        cmocka_unit_test(what_a_rough_correction_leaves_is_told),
        cmocka_unit_test(its_numbers_belong_to_the_solver),
        cmocka_unit_test(moves_of_ones_own_are_compensated),
        cmocka_unit_test(an_attempt_of_ones_own_may_propose_and_correct),
        cmocka_unit_test(a_term_of_ones_own_pulls_back),
        cmocka_unit_test(what_does_not_fit_gets_a_sentence),
        cmocka_unit_test(the_list_has_one_default_and_no_name_twice),
        cmocka_unit_test(names_are_read_from_the_method),
    };
    return cmocka_run_group_tests_name("own_stabilizer", tests, NULL, NULL);
}
