/* test_radau.c - Radau IIA with constraints in its stages: orders of every part, agreement with the other
 * ways, stiff mechanics, rolling, and what is kept. */
#include "model_run.h"

#include <keel/method.h>

struct end { /* positions, velocities, multipliers at the node */
    double part[3][PROBLEM_UNKNOWNS];
    int count[3];
    keel_stats stats;
};

static void run_problem(const keel_problem *p, keel_options o, double t, struct end *e) {
    keel_solver *s = keel_open(p, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    if (o.step > 0 || strncmp(o.method ? o.method : "", "radau-", 6) == 0)
        assert_below(worst_units(s, NULL), 16);
    for (int k = 0; k < 2; k++) {
        e->count[k] = p->n / 2;
        memcpy(e->part[k], keel_state(s) + k * p->n / 2, (size_t)(p->n / 2) * sizeof(double));
    }
    e->count[2] = p->constraint.count + p->rolling.count;
    memcpy(e->part[2], keel_multipliers(s), (size_t)e->count[2] * sizeof(double));
    e->stats = keel_statistics(s);
    keel_close(s);
}

/* The largest difference, in terms of the largest value. */
static double distance(const struct end *a, const struct end *b, int part) {
    double worst = 0, size = 0;
    for (int i = 0; i < b->count[part]; i++) {
        worst = fmax(worst, fabs(a->part[part][i] - b->part[part][i]));
        size = fmax(size, fabs(b->part[part][i]));
    }
    return worst / size;
}

/* Theory, three stages: index 2 has order 5 in q and v; index 3, where lambda is linear, 5 in q and 3 in v
 * (Jay 1993; 4 and 3 in general).  Multipliers at the node are those of q and v there: with index 3 they feel
 * v across the constraints, unless M, G and F do so in second order alone. */
static const struct seen {
    const char *name, *method;
    void (*fill)(problem *p);
    double end;
    int steps;
    double order[3], slack;
} seen[] = {
    {"spherical pendulum", "radau-ggl", problem_spherical_pendulum, 3, 64, {5, 5, 5}, 0.15},
    {"spherical pendulum", "radau-index3", problem_spherical_pendulum, 3, 64, {5, 3, 5}, 0.3},
    {"car axis", "radau-ggl", problem_car_axis, 0.5, 64, {5, 5, 5}, 0.35},
    {"Andrews", "radau-ggl", problem_andrews, 0.01, 100, {5, 5, 5}, 0.25},
    {"Andrews", "radau-index3", problem_andrews, 0.01, 100, {5, 3, 3}, 0.4},
    {"spherical pendulum", "rattle4", problem_spherical_pendulum, 3, 48, {4, 4, 4}, 0.1},
    {"spherical pendulum", "rattle6", problem_spherical_pendulum, 3, 24, {6, 6, 6}, 0.1},
    {"spherical pendulum", "rattle8", problem_spherical_pendulum, 3, 10, {8, 8, 8}, 0.5},
    {"spherical pendulum", "spark4", problem_spherical_pendulum, 3, 48, {4, 4, 4}, 0.1},
    {"car axis", "rattle4", problem_car_axis, 0.5, 96, {4, 4, 4}, 0.1},
    {"car axis", "rattle6", problem_car_axis, 0.5, 48, {6, 6, 6}, 0.1},
    {"car axis", "rattle8", problem_car_axis, 0.5, 48, {8, 8, 8}, 0.1},
    {"car axis", "spark4", problem_car_axis, 0.5, 48, {4, 4, 4}, 0.1},
    {"four-bar", "radau-ggl", problem_four_bar, 0.5, 96, {5, 5, 5}, 0.15},
    {"four-bar", "radau-index3", problem_four_bar, 0.5, 96, {5, 3, 3}, 0.15},
    {"four-bar", "rattle4", problem_four_bar, 0.5, 96, {4, 4, 4}, 0.1},
    {"four-bar", "rattle6", problem_four_bar, 0.5, 48, {6, 6, 6}, 0.1},
    {"four-bar", "rattle8", problem_four_bar, 0.5, 24, {8, 8, 8}, 0.15},
    {"four-bar", "spark4", problem_four_bar, 0.5, 48, {4, 4, 4}, 0.1},
};

static void every_part_has_its_order(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        const struct seen *c = &seen[k];
        problem p;
        struct end trusted, coarse, fine;
        c->fill(&p);
        double step = (c->end - p.keel.t0) / c->steps;
        run_problem(&p.keel, (keel_options){.rtol = 1e-13}, c->end, &trusted);
        run_problem(&p.keel, (keel_options){.method = c->method, .step = step}, c->end, &coarse);
        run_problem(&p.keel, (keel_options){.method = c->method, .step = step / 2}, c->end, &fine);
        for (int part = 0; part < 3; part++) {
            double order = log2(distance(&coarse, &trusted, part) / distance(&fine, &trusted, part));
            if (!(fabs(order - c->order[part]) <= c->slack))
                fail_msg("%s, %s, part %d: order %.2f", c->name, c->method, part, order);
        }
    }
}

/* Universal way, RATTLE composed, SPARK where masses are constant (test_native.c has Andrews by momenta),
 * Radau at index 2 and 3. */
static const struct radau_case {
    const char *name;
    void (*fill)(problem *p);
    double end;
    int steps, constant;
} cases[] = {{"car axis", problem_car_axis, 0.5, 800, 1},
             {"Andrews", problem_andrews, 0.03, 0, 0},
             {"spherical pendulum", problem_spherical_pendulum, 3, 400, 1},
             {"four-bar", problem_four_bar, 0.5, 800, 1}};

/* Radau of order 5 errs by rtol^(5/6) in all: by 20 tolerances at 1e-12 where it is one at 1e-4.  Index 3 has
 * velocities across the constraints, and multipliers by them, to the root of the tolerance. */
static void assert_agreement(const struct radau_case *c, const char *method, double rtol,
                             const struct end *trusted) {
    problem p;
    struct end other;
    c->fill(&p);
    run_problem(&p.keel, (keel_options){.method = method, .rtol = rtol}, c->end, &other);
    for (int part = 0; part < 3; part++) {
        double error = distance(&other, trusted, part);
        int root = part > 0 && method && strcmp(method, "radau-index3") == 0;
        if (!(error < (root ? sqrt(rtol) : part ? 50 * rtol : 20 * rtol)))
            fail_msg("%s, %s, part %d: error %g with rtol %g", c->name, method ? method : "universal way",
                     part, error, rtol);
    }
}

static void formulations_agree(void **state) {
    (void)state;
    static const char *const fixed[] = {"rattle6", "rattle8", "spark4", "spark6"};
    static const char *const adaptive[] = {NULL, "radau5", "radau", "radau-ggl", "radau-index3"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        problem p;
        struct end trusted, other;
        cases[k].fill(&p);
        run_problem(&p.keel, (keel_options){.rtol = 3e-14}, cases[k].end, &trusted);
        for (int i = 0; i < 5; i++) {
            assert_agreement(&cases[k], adaptive[i], 1e-8, &trusted);
            assert_agreement(&cases[k], adaptive[i], 1e-12, &trusted);
        }
        for (int i = 0; i < 4 && cases[k].constant; i++) {
            double step = (cases[k].end - p.keel.t0) / cases[k].steps;
            run_problem(&p.keel, (keel_options){.method = fixed[i], .step = step}, cases[k].end, &other);
            for (int part = 0; part < 3; part++) assert_below(distance(&other, &trusted, part), 1e-6);
        }
    }
}

/* Index 1, y' solved for at every stage: round-off makes the last iterations go round in circles, and hides
 * how fast they converge. */
static void tight_tolerances_are_met(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double rtol, end;
    } run[] = {{"radau5", 1e-12, 0.15}, {"radau", 1e-13, 0.15}};
    static const char *const name[] = {"y[4]", "y[5]", "y[8]"};
    keel_model *m = model_example("transamp");
    keel_sim *trusted = keel_sim_open(m, &(keel_options){.method = "dop853", .rtol = 1e-13});
    for (int k = 0; k < 2; k++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = run[k].method, .rtol = run[k].rtol});
        run_to(trusted, run[k].end);
        run_to(s, run[k].end);
        for (int i = 0; i < 3; i++)
            assert_near(value_of(s, name[i]), value_of(trusted, name[i]), 100 * run[k].rtol);
        keel_sim_close(s);
    }
    keel_sim_close(trusted);
    keel_model_close(m);
}

/* A bob on a rod, and another one behind it on a spring of stiffness 1e8, damped: it comes to rest within a
 * thousandth of the time of the pendulums. */
static int spring_force(double t, const double *u, double *out, void *user) {
    (void)t;
    const double stiffness = *(const double *)user;
    double dx = u[2] - u[0], dy = u[3] - u[1], r = hypot(dx, dy);
    double speed = (dx * (u[6] - u[4]) + dy * (u[7] - u[5])) / r;
    double pull = (stiffness * (r - 1) + sqrt(stiffness) * speed) / r;
    out[0] = pull * dx;
    out[1] = pull * dy - 1;
    out[2] = -pull * dx;
    out[3] = -pull * dy - 1;
    return 0;
}

/* One rod if there is a spring, two if not. */
static int rods(double t, const double *q, double *out, void *user) {
    (void)t;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1;
    if (*(const double *)user > 0) return 0;
    out[1] = (q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1;
    return 0;
}

static const double spring_start[8] = {0.6, -0.8, 1.4, -1.4, 0, 0, 0, 0};

static void stiff_springs_do_not_shorten_the_steps(void **state) {
    (void)state;
    double stiffness = 1e8;
    keel_problem rigid = {.form = KEEL_MECHANICS,
                          .n = 8,
                          .u0 = spring_start,
                          .f = {.count = 4, .value = spring_force},
                          .constraint = {.count = 2, .value = rods},
                          .user = &(double){0}};
    keel_problem stiff = rigid;
    stiff.constraint.count = 1;
    stiff.user = &stiffness;
    struct end trusted, e;
    run_problem(&rigid, (keel_options){.rtol = 1e-10}, 2, &trusted);
    static const char *const method[] = {"radau-ggl", "radau-index3"};
    for (int k = 0; k < 2; k++) {
        run_problem(&stiff, (keel_options){.method = method[k], .rtol = 1e-6}, 2, &e);
        assert_below(distance(&e, &trusted, 0), 1e-5);
        assert_true(e.stats.steps + e.stats.rejected < 500);
    }
    keel_solver *s = keel_open(&stiff, &(keel_options){.rtol = 1e-6});
    assert_ok(s, keel_run(s, 0.1));
    assert_true(20 * keel_statistics(s).steps > 8 * (e.stats.steps + e.stats.rejected)); /* of all the way */
    keel_close(s);
}

/* Rolling rows are part of the stages; the multipliers of redundant rows stay out. */
static void rolling_and_redundant_rows_are_taken(void **state) {
    (void)state;
    static const char *const method[] = {"radau-ggl", "radau-index3"};
    for (int k = 0; k < 2; k++) {
        problem p;
        keel_row row;
        problem_knife_edge(&p);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method[k], .rtol = 1e-9});
        assert_ok(s, keel_run(s, 4));
        assert_below(error_to_exact(&p, s), 1e-8);
        assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_ROLLING);
        assert_int_equal(row.treatment, KEEL_ROW_NATIVE);
        assert_below(row.units, 4);
        keel_close(s);
        problem_twin_rods(&p, 1, 1);
        struct end trusted, e;
        run_problem(&p.keel, (keel_options){.rtol = 1e-11}, 2, &trusted);
        run_problem(&p.keel, (keel_options){.method = method[k], .rtol = 1e-7}, 2, &e);
        assert_below(distance(&e, &trusted, 0), 1e-6);
    }
}

static void certificates_say_what_is_native(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p;
        keel_row row;
        problem_pendulum(&p, 9.81);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = k ? "radau-index3" : "radau-ggl"});
        assert_ok(s, keel_run(s, 5));
        for (int i = 0; keel_row_at(s, i, &row); i++) {
            int native = row.kind == KEEL_ROW_CONSTRAINT || (row.kind == KEEL_ROW_VELOCITY && !k);
            assert_int_equal(row.treatment, native ? KEEL_ROW_NATIVE : KEEL_ROW_WATCHED);
            if (native) assert_below(row.units, 16);
            if (k && row.kind == KEEL_ROW_VELOCITY) assert_within(row.drift, 1e-8, 1e-2);
        }
        keel_close(s);
    }
}

/* The largest error of looks between 20 steps of a pendulum, of length h or with rtol 1e-6 where h is 0. */
static double worst_look(const char *method, double h) {
    problem p;
    double u[PROBLEM_UNKNOWNS], exact[PROBLEM_UNKNOWNS], worst = 0;
    problem_pendulum(&p, 1);
    keel_solver *s =
        keel_open(&p.keel, &(keel_options){.method = method, .rtol = h > 0 ? 0 : 1e-6, .step = h});
    for (int i = 0; i < 20; i++) {
        double before = keel_time(s);
        assert_ok(s, keel_step(s, 5));
        double t = before + 0.37 * (keel_time(s) - before);
        long calls = (long)keel_statistics(s).calls;
        assert_ok(s, keel_eval(s, t, u));
        assert_true(keel_statistics(s).calls - calls <= 2); /* rates at the ends of the step, at most */
        p.exact(&p, t, exact);
        for (int j = 0; j < 4; j++) worst = fmax(worst, fabs(u[j] - exact[j]));
        assert_below(fabs(hypot(u[0], u[1]) - 1), 4e-15); /* 4 units of the rows */
        if (strcmp(method, "radau-ggl") == 0) assert_below(fabs(u[0] * u[2] + u[1] * u[3]), 4e-15);
    }
    keel_close(s);
    return worst;
}

/* Looks between the steps are on the constraints too, cost no step, and err by O(h^4): the polynomial through
 * the stages. */
static void looks_are_on_the_constraints(void **state) {
    (void)state;
    assert_below(worst_look("radau-ggl", 0), 1e-5);
    assert_within(worst_look("radau-ggl", 0.2) / worst_look("radau-ggl", 0.1), 12, 24);
    assert_below(worst_look("radau-index3", 0), 1e-3);
}

static int zero_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0;
    return 0;
}

static int fading_mass(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 1 - q[0];
    return 0;
}

static void refusals_and_faults_say_why(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.2, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "radau-ggl"});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "it is for mechanics (a lagrangian, M v' = F); use radau"));
    keel_close(s);
    keel_problem fading = {.form = KEEL_MECHANICS,
                           .n = 2,
                           .u0 = (double[]){0.5, 1},
                           .f = {.count = 1, .value = zero_force},
                           .mass = {.value = fading_mass}};
    s = keel_open(&fading, &(keel_options){.method = "radau-index3", .step = 1});
    assert_int_equal(keel_run(s, 3), KEEL_ESINGULAR);
    assert_non_null(strstr(keel_message(s), "the mass matrix is not positive definite at t = "));
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_has_its_order),
        cmocka_unit_test(formulations_agree),
        cmocka_unit_test(tight_tolerances_are_met),
        cmocka_unit_test(stiff_springs_do_not_shorten_the_steps),
        cmocka_unit_test(rolling_and_redundant_rows_are_taken),
        cmocka_unit_test(certificates_say_what_is_native),
        cmocka_unit_test(looks_are_on_the_constraints),
        cmocka_unit_test(refusals_and_faults_say_why),
    };
    return cmocka_run_group_tests_name("radau", tests, NULL, NULL);
}
