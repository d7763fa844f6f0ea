/* test_native.c - methods with constraints of their own: SHAKE, Lobatto IIIA-IIIB pairs, rolling. */
#include "model_run.h"

#include <keel/method.h>

#include <float.h>

/* A bead on a circle whose mass depends on its place, H = |p|^2 (1 + q_1^2 / 2) / 2 + q_2: nothing
 * separates. */
static int bead_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) * (1 + 0.5 * u[0] * u[0]) + u[1];
    return 0;
}

static int bead_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double mobility = 1 + 0.5 * u[0] * u[0];
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) * u[0];
    out[1] = 1;
    out[2] = mobility * u[2];
    out[3] = mobility * u[3];
    return 0;
}

static int bead_circle(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static int bead_circle_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * u[0];
    out[1] = 2 * u[1];
    return 0;
}

static const double bead_start[4] = {1, 0, 0, 0.4};
static const keel_problem bead = {
    .form = KEEL_HAMILTONIAN,
    .name = "bead",
    .n = 4,
    .u0 = bead_start,
    .energy = {.count = 1, .value = bead_energy, .jacobian = bead_gradient},
    .constraint = {.count = 1, .value = bead_circle, .jacobian = bead_circle_jacobian}};

/* x at t = 2, then the multiplier. */
static void bead_end(keel_options o, double *out) {
    keel_solver *s = keel_open(&bead, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, 2));
    memcpy(out, keel_state(s), 4 * sizeof *out);
    out[4] = keel_multipliers(s)[0];
    if (o.step > 0) assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

static double part_error(const double *a, const double *b, int from, int to) {
    double worst = 0;
    for (int j = from; j < to; j++) worst = fmax(worst, fabs(a[j] - b[j]));
    return worst;
}

/* Positions, momenta and multipliers at the node, for any H. */
static void pairs_have_their_order_in_every_part(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int order;
        double step;
    } pair[] = {{"spark2", 2, 1. / 64}, {"spark4", 4, 1. / 16}, {"spark6", 6, 1. / 8}};
    double trusted[5], end[2][5];
    bead_end((keel_options){.rtol = 1e-13}, trusted);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++)
            bead_end((keel_options){.method = pair[k].name, .step = pair[k].step / (1 + i)}, end[i]);
        static const int from[4] = {0, 2, 4, 5};
        for (int part = 0; part < 3; part++) {
            double coarse = part_error(end[0], trusted, from[part], from[part + 1]);
            double fine = part_error(end[1], trusted, from[part], from[part + 1]);
            assert_within(log2(coarse / fine), pair[k].order - 0.1, pair[k].order + 0.1);
        }
    }
}

/* RATTLE is the pair of two stages. */
static void two_stages_are_rattle(void **state) {
    (void)state;
    problem p;
    problem_four_bar(&p);
    double u[2][PROBLEM_UNKNOWNS];
    for (int k = 0; k < 2; k++) {
        keel_solver *s =
            keel_open(&p.keel, &(keel_options){.method = k ? "spark2" : "rattle", .step = 0.005});
        assert_ok(s, keel_run(s, 0.5));
        memcpy(u[k], keel_state(s), (size_t)p.keel.n * sizeof(double));
        keel_close(s);
    }
    assert_below(part_error(u[0], u[1], 0, p.keel.n), 1e-11);
}

/* Andrews' mechanism, whose masses depend on the angles, by its momenta: M is made of blocks of two. */
static keel_model *andrews_by_momenta(void) {
    static const char momenta[] =
        "canonical be, p1\ncanonical th, p2\ncanonical ga, p3\ncanonical ph, p4\ncanonical de, p5\n"
        "canonical om, p6\ncanonical ep, p7\n"
        "let pair(a, b, A, B, C) = (C*a^2 - 2*B*a*b + A*b^2)/(A*C - B^2)/2\n";
    static const char energy[] =
        "hamiltonian pair(p1, p2, M11, M21, M22) + p3^2/(2*M33) + pair(p4, p5, M44, M54, M55)\n"
        "    + pair(p6, p7, M66, M76, M77) + c0*(L - l0)^2/2 - mom*be\n";
    static const char rest[] = "init th = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0\n";
    /* By turns: a part of the example, as far as these words, and what stands in place of the next part. */
    static const char *const from[] = {"", "let M11", "let X =", "guess be"};
    static const char *const to[] = {"coord be", "lagrangian", "init th", "output acc"};
    static const char *const instead[] = {momenta, energy, rest, "run 0 .. 0.03\n"};
    char path[600], text[8000], made[8000] = "";
    example_path("andrews", path, sizeof path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text - 1, f), used = 0;
    fclose(f);
    text[length] = '\0';
    for (int k = 0; k < 4; k++) {
        const char *begin = strstr(text, from[k]), *end = strstr(text, to[k]);
        assert_true(begin && end && end > begin);
        used += (size_t)snprintf(made + used, sizeof made - used, "%.*s%s", (int)(end - begin), begin,
                                 instead[k]);
        assert_true(used < sizeof made);
    }
    return model_of(made);
}

/* Seven angles, seven momenta, six multipliers at t = 0.01. */
static void andrews_end(keel_model *m, const char *method, double step, int momenta, double *out) {
    static const char *const angle[] = {"be", "th", "ga", "ph", "de", "om", "ep"};
    keel_options o = {.method = method, .step = step, .rtol = step > 0 ? 0 : 1e-13};
    keel_sim *s = keel_sim_open(m, &o);
    char name[40];
    run_to(s, 0.01);
    if (step > 0) assert_below(worst_units(keel_sim_solver(s), NULL), 16);
    for (int i = 0; i < 7; i++) {
        out[i] = value_of(s, angle[i]);
        snprintf(name, sizeof name, "p%d", i + 1);
        if (momenta) out[7 + i] = value_of(s, name);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "lambda.g[%d]", i + 1);
        out[14 + i] = value_of(s, name);
    }
    keel_sim_close(s);
}

/* The pair of two stages is RATTLE; the other road has velocities, and eliminates the multipliers. */
static void pairs_take_masses_that_move(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int order, steps;
    } pair[] = {{"spark2", 2, 400}, {"spark4", 4, 150}, {"spark6", 6, 24}};
    static const int from[4] = {0, 7, 14, 20};
    keel_model *m = andrews_by_momenta(), *other = model_example("andrews");
    double by_velocities[20], trusted[20], end[2][20];
    andrews_end(other, NULL, 0, 0, by_velocities);
    andrews_end(m, NULL, 0, 1, trusted);
    assert_below(part_error(trusted, by_velocities, 0, 7), 1e-11);
    assert_below(part_error(trusted, by_velocities, 14, 20), 1e-9);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) andrews_end(m, pair[k].name, 0.01 / (pair[k].steps << i), 1, end[i]);
        for (int part = 0; part < 3; part++) {
            double coarse = part_error(end[0], trusted, from[part], from[part + 1]);
            double fine = part_error(end[1], trusted, from[part], from[part + 1]);
            assert_within(log2(coarse / fine), pair[k].order - 0.2, pair[k].order + 0.2);
        }
    }
    keel_model_close(m);
    keel_model_close(other);
}

struct scene {
    void (*fill)(problem *);
    double end, step;
};

/* Against the universal road, projected: the order of the method, and rows at round-off. */
static void agrees_with_projection(const char *method, const struct scene *scene, int scenes, double rtol,
                                   double order) {
    for (int k = 0; k < scenes; k++) {
        problem p;
        scene[k].fill(&p);
        double u[3][PROBLEM_UNKNOWNS];
        for (int i = 0; i < 3; i++) {
            keel_options o = {.rtol = rtol};
            if (i) o = (keel_options){.method = method, .step = scene[k].step / i};
            keel_solver *s = keel_open(&p.keel, &o);
            assert_ok(s, keel_run(s, scene[k].end));
            memcpy(u[i], keel_state(s), (size_t)p.keel.n * sizeof(double));
            if (i) assert_below(worst_units(s, NULL), 16);
            keel_close(s);
        }
        double coarse = part_error(u[1], u[0], 0, p.keel.n), fine = part_error(u[2], u[0], 0, p.keel.n);
        assert_within(log2(coarse / fine), 0.95 * order, 1.05 * order);
    }
}

/* Closed chains, redundant rods and a moving axle. */
static void pairs_agree_with_projection(void **state) {
    (void)state;
    static const struct scene scenes[] = {{problem_spherical_pendulum, 4, 0.05},
                                          {problem_four_bar, 1, 0.004},
                                          {problem_five_link, 0.5, 0.004},
                                          {problem_car_axis, 0.5, 0.002}};
    agrees_with_projection("spark4", scenes, 4, 1e-13, 4);
}

/* SHAKE: RATTLE's positions, and velocities that leave the constraints by O(h^2). */
static void shake_has_the_positions_of_rattle(void **state) {
    (void)state;
    double drift[2];
    for (int halved = 0; halved < 2; halved++) {
        problem p;
        keel_kept row;
        double u[2][PROBLEM_UNKNOWNS], step = halved ? 1. / 128 : 1. / 64;
        problem_spherical_pendulum(&p);
        for (int k = 0; k < 2; k++) {
            keel_solver *s =
                keel_open(&p.keel, &(keel_options){.method = k ? "shake" : "rattle", .step = step});
            assert_ok(s, keel_run(s, 4));
            memcpy(u[k], keel_state(s), (size_t)p.keel.n * sizeof(double));
            assert_true(keel_kept_at(s, 0, &row) && row.kind == KEEL_ROW_CONSTRAINT);
            assert_int_equal(row.care, KEEL_ROW_NATIVE);
            assert_below(row.units, 16);
            assert_true(keel_kept_at(s, 1, &row) && row.kind == KEEL_ROW_VELOCITY);
            assert_int_equal(row.care, k ? KEEL_ROW_WATCHED : KEEL_ROW_NATIVE);
            keel_close(s);
        }
        assert_below(part_error(u[0], u[1], 0, 3), 1e-12);
        drift[halved] = row.drift;
    }
    assert_true(drift[0] > 1e-7);
    assert_within(drift[0] / drift[1], 3.8, 4.2);
}

/* Rolling: order 2 in every part, the row at round-off, steps that retrace themselves, and an energy that
 * does not drift. */
static void rolling_constraints_are_kept_natively(void **state) {
    (void)state;
    double error[2];
    problem p;
    keel_kept row;
    problem_knife_edge(&p);
    for (int halved = 0; halved < 2; halved++) {
        double step = halved ? 1. / 64 : 1. / 32;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = step});
        assert_ok(s, keel_run(s, 5));
        error[halved] = error_to_exact(&p, s);
        assert_true(keel_kept_at(s, 0, &row) && row.kind == KEEL_ROW_ROLLING);
        assert_int_equal(row.care, KEEL_ROW_NATIVE);
        assert_below(row.units, 4);
        assert_ok(s, keel_run(s, 50));
        double early = 0;
        for (int i = 0; keel_kept_at(s, i, &row); i++)
            if (row.kind == KEEL_ROW_ENERGY) early = row.drift;
        assert_ok(s, keel_run(s, 500));
        for (int i = 0; keel_kept_at(s, i, &row); i++)
            if (row.kind == KEEL_ROW_ENERGY) assert_below(row.drift, 1.5 * early + 1e-13);
        assert_ok(s, keel_run(s, 0));
        assert_below(part_error(keel_state(s), p.u0, 0, p.keel.n), 1e-9);
        keel_close(s);
    }
    assert_within(log2(error[0] / error[1]), 1.95, 2.05);
    problem_four_bar(&p);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = 1});
    assert_int_equal(keel_run(s, 5), KEEL_ENEWTON);
    assert_non_null(strstr(keel_message(s), "no end of the step on the constraints was found from t = "));
    keel_close(s);
    problem_kepler(&p, 0.2, 1);
    s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = 1});
    assert_non_null(strstr(keel_message(s), "it is for the form KEEL_MECHANICS"));
    keel_close(s);
}

/* A mass that depends on the place, closed chains, redundant rods. */
static void the_midpoint_of_rolling_takes_all_mechanics(void **state) {
    (void)state;
    static const struct scene scenes[] = {{problem_andrews, 0.01, 1e-4},
                                          {problem_four_bar, 0.5, 0.002},
                                          {problem_five_link, 0.25, 0.002},
                                          {problem_car_axis, 0.5, 0.001}};
    agrees_with_projection("rolling-midpoint", scenes, 4, 1e-11, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_their_order_in_every_part),
        cmocka_unit_test(two_stages_are_rattle),
        cmocka_unit_test(pairs_take_masses_that_move),
        cmocka_unit_test(pairs_agree_with_projection),
        cmocka_unit_test(shake_has_the_positions_of_rattle),
        cmocka_unit_test(rolling_constraints_are_kept_natively),
        cmocka_unit_test(the_midpoint_of_rolling_takes_all_mechanics),
    };
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
