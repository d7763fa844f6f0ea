/* test_native_method.c - native constrained methods from outside the library (keel/native.h): what they are
 * told is what the problem says, and what they hold is held. */
#include "forms.h"
#include "own_method.h"
#include "testing.h"

/* Against a tight run of another method; rows at round-off on the way. */
static void check_order(const problem *p, const keel_stepper *own, double step, double t, double slack) {
    double trusted[PROBLEM_UNKNOWNS], u[PROBLEM_UNKNOWNS], error[2], units;
    state_at(&p->keel, &(keel_options){.rtol = 1e-12, .atol = 1e-14}, t, trusted, NULL);
    for (int k = 0; k < 2; k++) {
        state_at(&p->keel, &(keel_options){.own_method = own, .step = step / (1 + k)}, t, u, &units);
        if (units > 16) fail_msg("%s on %s: rows off by %g units", own->info.name, p->keel.name, units);
        error[k] = distance(p->keel.n, u, trusted);
    }
    double order = log2(error[0] / error[1]);
    if (fabs(order - own->info.order) > slack)
        fail_msg("%s on %s: order %g (%g, %g)", own->info.name, p->keel.name, order, error[0], error[1]);
}

/* Constraints that rest and that move, several of them, masses that depend on q, rolling rows. */
static void euler_has_order_one(void **state) {
    (void)state;
    const keel_stepper own = own_stepper("own-euler", 1, own_euler);
    problem p;
    problem_pendulum(&p, 1);
    check_order(&p, &own, 1e-3, 1, 0.1);
    problem_spherical_pendulum(&p);
    check_order(&p, &own, 1e-3, 1, 0.1);
    problem_four_bar(&p);
    check_order(&p, &own, 1e-3, 0.5, 0.15);
    problem_circular_track(&p);
    check_order(&p, &own, 1e-3, 1, 0.1);
    problem_knife_edge(&p);
    check_order(&p, &own, 1e-3, 1, 0.1);
    problem_andrews(&p);
    check_order(&p, &own, 2e-6, 1e-3, 0.15);
}

static void rattle_has_order_two(void **state) {
    (void)state;
    const keel_stepper own = own_stepper("own-rattle", 2, own_rattle);
    problem p;
    problem_pendulum(&p, 1);
    check_order(&p, &own, 1. / 64, 1, 0.1);
    problem_spherical_pendulum(&p);
    check_order(&p, &own, 1. / 64, 1, 0.1);
    problem_five_link(&p);
    check_order(&p, &own, 1. / 128, 0.5, 0.15);
    problem_car_axis(&p);
    check_order(&p, &own, 1. / 512, 0.25, 0.15);
}

/* The method of the library and that of the test solve the same equations, redundant rows included. */
static void it_is_the_rattle_of_the_library(void **state) {
    (void)state;
    static void (*const make[])(problem * p) = {problem_spherical_pendulum, problem_five_link,
                                                problem_four_bar};
    const keel_stepper own = own_stepper("own-rattle", 2, own_rattle);
    double a[PROBLEM_UNKNOWNS], b[PROBLEM_UNKNOWNS], units;
    problem p;
    for (int k = 0; k < 4; k++) {
        if (k < 3) make[k](&p);
        else problem_twin_rods(&p, 1, 1);
        state_at(&p.keel, &(keel_options){.own_method = &own, .step = 1. / 128}, 0.5, a, &units);
        state_at(&p.keel, &(keel_options){.method = "rattle", .step = 1. / 128}, 0.5, b, NULL);
        if (units > 16) fail_msg("%s: %g units", p.keel.name, units);
        if (distance(p.keel.n, a, b) > 1e-11) fail_msg("%s: %g apart", p.keel.name, distance(p.keel.n, a, b));
    }
}

/* What a method is told: M v' = F - K^T lambda, K v' + gamma = 0, K v + g_t = the velocity rows, and M^-1. */
struct probe {
    double *x, *rate, *mass, *force, *rows, *gamma, *speed, *shift, *factor, *solved;
};

static void probe_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct probe *m = w->method;
    size_t nq = (size_t)p->n / 2, k = (size_t)(p->constraint.count + p->rolling.count);
    m->x = keel_work_doubles(w, (size_t)w->width);
    m->rate = keel_work_doubles(w, (size_t)w->width);
    m->mass = keel_work_doubles(w, nq * nq);
    m->force = keel_work_doubles(w, nq);
    m->rows = keel_work_doubles(w, k * nq);
    m->gamma = keel_work_doubles(w, k);
    m->speed = keel_work_doubles(w, k);
    m->shift = keel_work_doubles(w, k);
    m->factor = keel_work_doubles(w, keel_native_mass_doubles(p));
    m->solved = keel_work_doubles(w, nq);
}

static keel_status probe_attempt(keel_work *w, keel_attempt *a) {
    const keel_native *f = w->native;
    struct probe *m = w->method;
    int nq = f->nq;
    assert_true(f->problem->n == w->n && 2 * nq == w->n && f->k == f->kg + f->problem->rolling.count);
    memcpy(m->x, a->x, (size_t)w->width * sizeof *a->x);
    assert_int_equal(keel_rhs(w, a->t, m->x, m->rate), KEEL_OK);
    memcpy(m->speed, f->multipliers, (size_t)f->k * sizeof *m->speed);
    assert_int_equal(keel_native_value(w, KEEL_MAP_F, a->t, m->x, m->force), KEEL_OK);
    assert_int_equal(keel_native_mass(w, a->t, m->x, m->mass), KEEL_OK);
    assert_int_equal(keel_native_mass_factor(w, a->t, m->x, m->factor), KEEL_OK);
    assert_int_equal(keel_native_rows(w, a->t, m->x, m->rows), KEEL_OK);
    assert_int_equal(keel_native_curvature(w, a->t, m->x, m->gamma), KEEL_OK);
    const double *acceleration = m->rate + nq;
    double size = 0;               /* of all terms */
    for (int i = 0; i < nq; i++) { /* M v' against F - K^T lambda, and M^-1 (M v') against v' */
        double left = 0, right = m->force[i];
        size = fmax(size, fabs(m->force[i]));
        for (int j = 0; j < nq; j++) {
            left += m->mass[i * nq + j] * acceleration[j];
        }
        for (int r = 0; r < f->k; r++) {
            right -= m->rows[r * nq + i] * m->speed[r];
            size = fmax(size, fabs(m->rows[r * nq + i] * m->speed[r]));
        }
        m->solved[i] = left;
        if (fabs(left - right) > 1e-10 * size) fail_msg("force %d: %g, %g", i, left, right);
    }
    keel_native_mass_solve(w, m->factor, m->solved);
    double largest = 0;
    for (int j = 0; j < nq; j++) largest = fmax(largest, fabs(acceleration[j]));
    for (int j = 0; j < nq; j++) assert_below(fabs(m->solved[j] - acceleration[j]), 1e-10 * largest);
    assert_int_equal(keel_native_velocity_rows(w, a->t, m->x, m->speed), KEEL_OK);
    assert_int_equal(keel_native_time_derivative(w, a->t, m->x, m->shift), KEEL_OK);
    for (int r = 0; r < f->k; r++) {
        double bend = m->gamma[r], speed = r < f->kg ? m->shift[r] : 0, terms = fabs(bend) + fabs(speed);
        for (int j = 0; j < nq; j++) {
            bend += m->rows[r * nq + j] * acceleration[j];
            speed += m->rows[r * nq + j] * m->x[nq + j];
            terms += fabs(m->rows[r * nq + j]) * (fabs(acceleration[j]) + fabs(m->x[nq + j]));
        }
        if (fabs(bend) > 1e-9 * terms) fail_msg("row %d: K v' + gamma = %g of %g", r, bend, terms);
        assert_below(fabs(speed - m->speed[r]), 1e-10 * (terms + 1));
    }
    for (int c = 0; c < w->width; c++) a->dx[c] = a->h * m->rate[c]; /* Euler; the core projects */
    return KEEL_OK;
}

static void what_is_told_is_what_the_problem_says(void **state) {
    (void)state;
    const keel_stepper probe = {.info = {.name = "probe", .about = "Euler that looks", .order = 1},
                                .size = sizeof(struct probe),
                                .layout = probe_layout,
                                .attempt = probe_attempt};
    int seen = 0;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        if (!(keel_problem_traits(&p.keel) & KEEL_SECOND_ORDER)) continue;
        keel_options o = {.own_method = &probe, .step = 1e-4 * p.t_end};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_state_of(s));
        for (int step = 0; step < 20; step++) assert_ok(s, keel_step(s, p.t_end));
        keel_close(s);
        seen++;
    }
    assert_true(seen >= 8);
}

/* A method asks for what is not there, or gives up: the run says so. */
static int asked; /* which question */
static void asking_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o, (void)w;
}

static keel_status asking_attempt(keel_work *w, keel_attempt *a) {
    double out[64] = {0};
    if (asked == 0) return keel_native_value(w, KEEL_MAP_ROLLING, a->t, a->x, out);
    if (asked == 1) return keel_native_jacobian(w, KEEL_MAP_ENERGY_OF_FORMS, a->t, a->x, 0, out);
    if (asked == 2) return keel_native_factor(w, a->t, a->x);
    return keel_native_fail(w, KEEL_ENEWTON, "%s stops at t = %g", w->stepper->info.name, a->t);
}

static void what_is_not_there_is_said(void **state) {
    (void)state;
    static const struct {
        int mechanics, question;
        keel_status status;
        const char *says;
    } ask[] = {{1, 0, KEEL_EINVAL, "asking asks for `rolling`, which the problem lacks"},
               {1, 1, KEEL_EINVAL, "asking asks for `energy_of_forms`, which the problem lacks"},
               {0, 2, KEEL_EINVAL, "the saddle-point system of mechanics"},
               {1, 3, KEEL_ENEWTON, "asking stops at t = 0"}};
    const keel_stepper asking = {
        .info = {.name = "asking", .order = 1}, .layout = asking_layout, .attempt = asking_attempt};
    for (int k = 0; k < 4; k++) {
        problem p;
        if (ask[k].mechanics) problem_pendulum(&p, 1);
        else problem_kepler_hamiltonian(&p, 0.3);
        asked = ask[k].question;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.own_method = &asking, .step = 0.1});
        assert_ok(s, keel_state_of(s));
        assert_int_equal(keel_run(s, 1), ask[k].status);
        if (!strstr(keel_message(s), ask[k].says)) fail_msg("%d: `%s`", k, keel_message(s));
        keel_close(s);
    }
    problem p;
    const keel_stepper own = own_stepper("own-rattle", 2, own_rattle);
    problem_kepler(&p, 0.3, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.own_method = &own, .step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "own-rattle: it is for mechanics"));
    keel_close(s);
}

/* A copy has a view of its own: the solver it was taken from may be gone. */
static void copies_see_their_own_problem(void **state) {
    (void)state;
    const keel_stepper own = own_stepper("own-rattle", 2, own_rattle);
    problem p;
    problem_spherical_pendulum(&p);
    const keel_options o = {.own_method = &own, .step = 1. / 64};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 0.5));
    size_t size = keel_save(s, NULL, 0);
    void *bytes = malloc(size);
    keel_save(s, bytes, size);
    keel_solver *copy[] = {keel_fork(s), keel_load(&p.keel, &o, bytes, size)};
    free(bytes);
    assert_ok(s, keel_run(s, 2));
    double end[PROBLEM_UNKNOWNS];
    memcpy(end, keel_state(s), (size_t)p.keel.n * sizeof *end);
    keel_close(s);
    for (int k = 0; k < 2; k++) {
        assert_ok(copy[k], keel_run(copy[k], 2));
        assert_memory_equal(keel_state(copy[k]), end, (size_t)p.keel.n * sizeof *end);
        keel_close(copy[k]);
    }
}

static int heavy_mass(double t, const double *u, double *out, void *user) { /* diagonal: 1, 2, ... */
    (void)t, (void)u;
    const problem_chain *chain = user;
    for (int i = 0; i < chain->mass_pattern.nnz; i++) out[i] = 1 + i % chain->links;
    return 0;
}

/* Large mechanics is solved by sparse matrices; a method that keeps the constraints itself and does not say
 * KEEL_SPARSE has dense ones, with the masses in them. */
static void large_mechanics_is_dense_for_methods_that_need_it(void **state) {
    (void)state;
    static const char *const method[] = {"shake", "radau-index3", "radau-ggl", "spark2"};
    keel_stepper own = own_stepper("own-rattle", 2, own_rattle);
    problem_chain *chain = problem_chain_open(20, 0.4);
    assert_non_null(chain);
    keel_problem p = chain->keel;
    int n = p.n;
    double *a = malloc(2 * (size_t)n * sizeof *a), *b = a + n;
    keel_solver *s;
    p.energy = p.invariant = (keel_map){0};
    p.mass.value = heavy_mass;
    p.mass.constant = 1;
    p.mass.pattern = &chain->mass_pattern;
    state_at(&p, &(keel_options){.method = "rattle", .step = 1e-3}, 5e-3, a, NULL);
    for (int k = 0; k < 5; k++) {
        keel_options o = {
            .method = k < 4 ? method[k] : NULL, .own_method = k < 4 ? NULL : &own, .step = 1e-3};
        state_at(&p, &o, 5e-3, b, NULL);
        if (distance(n / 2, a, b) > 1e-8)
            fail_msg("%s: %g apart", k < 4 ? method[k] : "own", distance(n / 2, a, b));
    }
    own.info.traits = 0; /* the core is to keep them, by sparse matrices if there are any */
    s = keel_open(&p, &(keel_options){.own_method = &own, .step = 1e-3});
    keel_status status = keel_run(s, 5e-3);
    assert_true(status == KEEL_OK || status == KEEL_EINVAL);
    if (status == KEEL_EINVAL) assert_non_null(strstr(keel_message(s), "KEEL_CONSTRAINED"));
    keel_close(s);
    free(a);
    problem_chain_close(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_has_order_one),
        cmocka_unit_test(rattle_has_order_two),
        cmocka_unit_test(it_is_the_rattle_of_the_library),
        cmocka_unit_test(what_is_told_is_what_the_problem_says),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(copies_see_their_own_problem),
        cmocka_unit_test(large_mechanics_is_dense_for_methods_that_need_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
